"""Means among those who have a number: against numpy on exact tallies, a scan for the interval, and simulation."""

import numpy as np
import pytest

from sordino import (
    Aggregate,
    Nats,
    Number,
    OptionalNumber,
    Query,
    RandomizedResponse,
    Sampled,
    SordinoError,
    covariances,
    means,
)
from sordino.design.numbers.numbers_accuracy import expected_means_given
from sordino.design.numbers.optional_numbers import optional_channel
from sordino.domain.scaled import Ranges
from sordino.estimation.complete_cases import NumberAndShare
from sordino.estimation.means_and_covariances import MeansGiven
from sordino.estimation.moment_estimator import mean_readings

RANGES = Ranges.of({"income": (0, 1000)})


def asked(level="1", missing=0.2):
    channel = optional_channel(Nats.of(level), missing)
    return Sampled((Query(OptionalNumber(0, channel.k - 1), channel),), (1,))


def people(missing):
    """Shares of what is read: of points that rise, and of none."""
    points = asked().queries[0].mechanism.k - 1
    spread = np.arange(1.0, points + 1)
    return np.append(spread / spread.sum() * (1 - missing), missing)


def tally(query, shares, n):
    counts = np.rint(n * query.queries[0].mechanism.forward(shares)).astype(np.int64)
    return Aggregate(query.fingerprint, int(counts.sum()), counts)


@pytest.mark.parametrize("missing", [0.05, 0.6])
def test_the_mean_is_that_of_those_who_have_the_number(missing):
    query, shares = asked(), people(missing)
    points = np.linspace(0, 1000, len(shares) - 1)
    found = MeansGiven.of(query, tally(query, shares, 10**12), RANGES)
    np.testing.assert_allclose(found.value, [np.average(points, weights=shares[:-1]), missing], rtol=1e-6)
    likely = np.append(np.repeat(np.linspace(-1, 1, len(shares) - 1), np.arange(1, len(shares))), np.nan)
    expected = expected_means_given(["income"], query, RANGES, 10**12, mean_readings(query, likely[:, None]))
    given = 1 - 1 / len(likely)
    likely_shares = np.append(shares[:-1] / shares[:-1].sum() * given, 1 - given)
    exactly = MeansGiven.of(query, tally(query, likely_shares, 10**12), RANGES)
    np.testing.assert_allclose(expected.stderr, exactly.stderr, rtol=1e-4)


def test_standard_errors_are_the_covariance_carried_through():
    told, spread = np.array([0.21, 0.5]), np.array([[4e-4, 1e-4], [1e-4, 9e-4]])
    found = NumberAndShare.of(told, spread)
    step = 1e-6 * np.eye(2)
    slopes = [
        (NumberAndShare.of(told + s, spread).mean - NumberAndShare.of(told - s, spread).mean) / 2e-6 for s in step
    ]
    assert found.stderr == pytest.approx(np.sqrt(slopes @ spread @ slopes), rel=1e-6)


@pytest.mark.parametrize("z", [1.0, 1.96, 8.0])
def test_limits_hold_the_means_that_are_no_further_than_their_own_error(z):
    told = NumberAndShare(0.05, 0.3, np.array([[2e-3, -3e-4], [-3e-4, 1e-3]]))
    means = np.linspace(-1, 1, 200_001)
    variance = told.covariance[0, 0] - 2 * means * told.covariance[0, 1] + means**2 * told.covariance[1, 1]
    inside = means[np.abs(told.number - means * told.share) <= z * np.sqrt(variance)]
    np.testing.assert_allclose(told.limits(z), [inside[0], inside[-1]], atol=2e-5)


@pytest.mark.parametrize("share", [-0.1, 0.0, 0.05])
def test_without_people_who_have_it_no_mean_is_told(share):
    assert NumberAndShare(0.01, share, np.diag([1e-3, 1e-3])).limits(1.96) is None
    query = asked()
    found = MeansGiven.of(query, tally(query, people(1.0), 10**6), RANGES)
    assert found.untold(1.96) == (0,)
    assert np.isnan(found.interval()[0][0])
    assert found.value[1] == pytest.approx(1, abs=1e-5)


@pytest.mark.statistical
@pytest.mark.parametrize(("level", "missing", "n"), [("1", 0.1, 20_000), ("1", 0.7, 50_000), ("4", 0.3, 5_000)])
def test_intervals_cover_as_often_as_they_say(level, missing, n):
    query, rng = asked(level, missing), np.random.default_rng(7)
    k = query.queries[0].mechanism.k
    spread = np.arange(1.0, k)
    shares = np.append(spread / spread.sum() * (1 - missing), missing)
    truth = [np.average(np.linspace(0, 1000, k - 1), weights=shares[:-1]), missing]
    law, runs, hits = query.queries[0].mechanism.forward(shares), 2000, np.zeros(2)
    for counts in rng.multinomial(n, law / law.sum(), runs):
        low, high = MeansGiven.of(query, Aggregate(query.fingerprint, n, counts), RANGES).interval()
        hits += (low <= truth) & (truth <= high)
    np.testing.assert_array_less(0.94 * runs, hits)
    np.testing.assert_array_less(hits, 0.965 * runs)


def test_means_of_queries_are_of_those_who_have_the_numbers():
    query = Query(OptionalNumber(0), RandomizedResponse(3, "9"))
    tallied = query.tally([1] * 60 + [0] * 20 + [2] * 20)
    assert means(query, tallied, None, RANGES).value == pytest.approx([750, 0.2], abs=0.1)
    with pytest.raises(SordinoError, match="all numbers are estimated together where some may be missing"):
        means(query, tallied, [0])
    with pytest.raises(SordinoError, match="must cover every statistic"):
        covariances(query, tallied)


def test_a_limit_that_is_cut_is_the_end_of_the_range():
    asked = Query(OptionalNumber(0), RandomizedResponse(3, "9"))
    # Neither half of this range nor its middle is a float.
    ends = (0.1, 0.3)
    for value, end in enumerate(ends):
        limits = MeansGiven.of(asked, asked.tally([value] * 80 + [2] * 20), Ranges.of({"x": ends})).interval(0.95)
        assert limits[value][0] == end


def test_numbers_that_everybody_has_have_limits_within_their_ranges_beside_others():
    both = Sampled(
        (Query(OptionalNumber(0), RandomizedResponse(3, "9")), Query(Number(1), RandomizedResponse(2, "1"))), (1, 1)
    )
    counts = np.array([20, 20, 20, 30, 0])
    found = MeansGiven.of(both, Aggregate(both.fingerprint, 90, counts), Ranges.of({"x": (0, 1), "y": (5, 8)}))
    low, high = found.interval(0.95)
    assert found.value[1] < 5 == low[1] < high[1] < 8
