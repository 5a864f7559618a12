"""The public estimate: methods, standard errors, and what it refuses."""

import numpy as np
import pytest

from in_one import in_one
from sordino import Aggregate, Blockwise, HadamardResponse, HighLow, RandomizedResponse, SordinoError
from sordino.estimation.intervals.share_interval import share_interval
from sordino.estimation.share_estimate import estimate
from sordino.estimation.simplex import project
from sordino.estimation.unbiased import estimate_shares

MECHANISM = Blockwise([0, 0, 1, 1, 1, 2, 3, 3], "1", "hadamard")


def tally(mechanism, n=500, seed=1):
    law = np.random.default_rng(seed).dirichlet(np.ones(mechanism.outputs))
    law[-mechanism.inner[-1].outputs :] = 0 if isinstance(mechanism, Blockwise) else law[-1]
    counts = np.random.default_rng(seed).multinomial(n, law / law.sum())
    return Aggregate(mechanism.fingerprint, int(counts.sum()), counts)


TALLY = tally(MECHANISM)


@pytest.mark.parametrize("subtract_totals", [False, True])
def test_unbiased_is_the_plain_decoding_of_the_shares(subtract_totals):
    expected = estimate_shares(MECHANISM, TALLY.counts / 500, subtract_totals=subtract_totals)
    np.testing.assert_array_equal(estimate(MECHANISM, TALLY, subtract_totals=subtract_totals).value, expected)


@in_one("subtract_totals", [False, True])
@in_one("method", ["simplex", "block-simplex", "likelihood"])
def test_what_is_fitted_is_a_distribution_and_the_estimate_stays_unbiased(method, subtract_totals):
    found = estimate(MECHANISM, TALLY, method, subtract_totals=subtract_totals)
    assert found.fitted.min() >= 0
    assert found.fitted.sum() == pytest.approx(1)
    np.testing.assert_array_equal(found.by_method, found.fitted)
    plain = estimate(MECHANISM, TALLY, "unbiased", subtract_totals=subtract_totals)
    np.testing.assert_array_equal(found.value, plain.value)
    np.testing.assert_array_equal(found.stderr, plain.stderr)


def test_unbiased_fits_nothing():
    plain = estimate(MECHANISM, TALLY, "unbiased")
    assert plain.fitted is None
    np.testing.assert_array_equal(plain.by_method, plain.value)


def test_nothing_is_subtracted_unless_asked():
    np.testing.assert_array_equal(estimate(MECHANISM, TALLY).value, estimate_shares(MECHANISM, TALLY.counts / 500))


def test_the_default_keeps_what_every_report_tells():
    found = estimate(MECHANISM, TALLY)
    assert found.method == "block-simplex"
    np.testing.assert_array_equal(found.fitted, estimate(MECHANISM, TALLY, "block-simplex").fitted)


@pytest.mark.parametrize("mechanism", [HadamardResponse(4, "1"), HighLow(4, [1, 2], "1"), Blockwise([0] * 4, "1")])
def test_where_nothing_is_told_for_sure_the_default_is_the_nearest_distribution(mechanism):
    assert estimate(mechanism, mechanism.tally(mechanism.privatize([0, 1, 2, 3]))).method == "simplex"


def test_simplex_projects_the_unbiased_estimate():
    plain = estimate(MECHANISM, TALLY).value
    np.testing.assert_allclose(estimate(MECHANISM, TALLY, "simplex").fitted, project(plain))


def test_block_simplex_keeps_every_blocks_share_of_the_reports():
    value = estimate(MECHANISM, TALLY, "block-simplex").fitted
    first_codes = [0, 4, 8, 9]  # Hadamard's order above two and above three values is four
    reports = np.add.reduceat(TALLY.counts, first_codes) / 500
    np.testing.assert_allclose(MECHANISM.blocks.totals(value), reports, atol=1e-12)
    np.testing.assert_array_equal(value[6:], 0)


@in_one("subtract_totals", [False, True])
@in_one("method", ["unbiased", "simplex", "block-simplex", "likelihood"])
def test_standard_errors_are_the_spread_over_reports_whatever_the_method(method, subtract_totals):
    single = np.stack(
        [estimate_shares(MECHANISM, e, subtract_totals=subtract_totals) for e in np.eye(MECHANISM.outputs)]
    )
    reports = np.repeat(single, TALLY.counts, axis=0)
    found = estimate(MECHANISM, TALLY, method, subtract_totals=subtract_totals)
    # The first estimate is above 1, and the last block has no reports: see below.
    np.testing.assert_allclose(found.stderr[1:6], reports.std(axis=0)[1:6] / np.sqrt(500), atol=1e-12)
    assert np.all(found.stderr >= reports.std(axis=0) / np.sqrt(500) - 1e-12)
    assert np.all(found.stderr > 0)
    assert (found.n, found.method) == (500, method)


@pytest.mark.parametrize("method", ["unbiased", "simplex", "block-simplex", "likelihood"])
def test_intervals_come_from_the_counts_whatever_the_method(method):
    expected = share_interval(MECHANISM, TALLY, 0.9)
    np.testing.assert_array_equal(estimate(MECHANISM, TALLY, method).interval(0.9), expected)


def test_intervals_have_95_percent_by_default():
    np.testing.assert_array_equal(estimate(MECHANISM, TALLY).interval(), share_interval(MECHANISM, TALLY, 0.95))


@pytest.mark.parametrize("method", ["best", "", 3, "Simplex"])
def test_an_unknown_method_is_refused(method):
    with pytest.raises(SordinoError, match="unbiased, simplex, block-simplex, likelihood"):
        estimate(MECHANISM, TALLY, method)


def test_no_reports_give_no_estimate():
    with pytest.raises(SordinoError, match="needs reports"):
        estimate(MECHANISM, MECHANISM.tally([]))


@pytest.mark.parametrize(
    "other",
    [
        Blockwise([0, 0, 1, 1, 1, 2, 3, 3], "2", "hadamard"),
        Blockwise([0, 1, 1, 0, 1, 2, 3, 3], "1", "hadamard"),
        HadamardResponse(8, "1"),
    ],
)
def test_a_tally_of_another_mechanism_is_refused(other):
    with pytest.raises(SordinoError, match="mechanism that made them") as caught:
        estimate(other, TALLY)
    assert MECHANISM.fingerprint in caught.value.found


@pytest.mark.parametrize("mechanism", [RandomizedResponse(4, 0), HadamardResponse(4, 0)])
def test_reports_without_epsilon_give_no_estimate(mechanism):
    with pytest.raises(SordinoError, match="raise epsilon"):
        estimate(mechanism, mechanism.tally([0, 1, 2]))


@pytest.mark.parametrize("k", [1, 2, 5, 33])
def test_much_epsilon_tells_the_shares_as_they_are(k):
    values = np.arange(k).repeat(np.arange(1, k + 1) ** 2)
    mechanism = RandomizedResponse(k, "40")
    found = estimate(mechanism, mechanism.tally(mechanism.privatize(values)))
    np.testing.assert_allclose(found.value, np.bincount(values) / len(values), atol=1e-9)


@in_one("channel", fixture="channels")
def test_estimates_from_counters_of_any_kind_are_means_over_reports(channel):
    rng = np.random.default_rng(3)
    mechanism = channel.mechanism
    times = rng.integers(0, 9, len(channel.codes))
    times[0] += 1
    counts = times @ channel.tallies
    n = int(times.sum())
    found = estimate(mechanism, Aggregate(mechanism.fingerprint, n, counts))
    reports = np.repeat(channel.contributions, times, axis=1)
    np.testing.assert_allclose(found.value, reports.mean(axis=1), atol=1e-9)
    # Of all populations with such a share, or the nearest to it that leaves nobody out, none varies less.
    squares = channel.contributions**2 @ channel.matrix.T
    share = np.clip(reports.mean(axis=1), 1 / (n + 1), n / (n + 1))
    others = np.where(np.eye(mechanism.k), np.inf, squares).min(axis=1)
    others = np.where(np.isfinite(others), others, 0)
    possible = share * np.diagonal(squares) + (1 - share) * others - share**2
    least = 0 if mechanism.k == 1 else possible
    np.testing.assert_allclose(found.stderr, np.sqrt(np.maximum(reports.var(axis=1), least) / n), rtol=1e-6, atol=1e-9)
    assert mechanism.k == 1 or found.stderr.min() > 0
    assert mechanism.reports(counts) == n
    for method in ("simplex", "block-simplex"):
        value = estimate(mechanism, Aggregate(mechanism.fingerprint, n, counts), method).fitted
        assert value.min() >= 0
        assert value.sum() == pytest.approx(1)
    low, high = found.interval()
    assert np.all((low >= 0) & (low <= high) & (high <= 1))
