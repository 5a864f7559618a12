"""A distribution from its tally: unbiased by enumeration of the channel, bands and quantiles by brute force."""

import numpy as np
import pytest
from scipy import stats

from in_one import in_one
from sordino import Aggregate, Interval, SordinoError, WindowResponse
from sordino.domain.bins import Bins
from sordino.estimation.intervals.possible import possible_limits
from sordino.estimation.number_distribution import DistributionEstimate, function_contributions, function_leverage
from sordino.estimation.range_shares import errors_of
from sordino.estimation.subpopulation import below_edges

K, N = 8, 4000
CHANNEL = WindowResponse(K, "2", 3)
BINS = Bins.equal(Interval(0, 80), K)
SHARES = np.array([0.05, 0.3, 0.2, 0.15, 0.1, 0.1, 0.1, 0.0])


def dense():
    """The channel, weight by weight."""
    weights = [[CHANNEL.weight(value, code) for code in range(CHANNEL.outputs)] for value in range(K)]
    return np.array(weights, dtype=float) / CHANNEL.denominator


def estimated(counts, method=None):
    tally = Aggregate(CHANNEL.fingerprint, int(counts.sum()), np.asarray(counts, dtype=np.int64))
    return DistributionEstimate.of(CHANNEL, tally, BINS, 2.0, method)


def drawn(seed, n=N):
    return np.random.default_rng(seed).multinomial(n, SHARES @ dense())


def test_the_function_is_right_on_average_for_every_distribution():
    # What each code counts as, averaged over a value's codes, is whether the value is below the edge.
    assert dense() @ function_contributions(CHANNEL).T == pytest.approx(np.tri(K - 1, K).T, abs=1e-12)


def test_standard_errors_are_those_of_many_surveys():
    law, contributions = SHARES @ dense(), function_contributions(CHANNEL)
    many = np.random.default_rng(4).multinomial(N, law, size=4000) / N @ contributions.T
    assert errors_of(CHANNEL, below_edges(K), SHARES, N) == pytest.approx(many.std(axis=0), rel=0.05)
    assert estimated(drawn(5)).stderr == pytest.approx(errors_of(CHANNEL, below_edges(K), SHARES, N), rel=0.1)


def test_one_report_weighs_at_most_its_leverage():
    counts = drawn(6)
    without = estimated(counts).function * N
    moved = []
    for code in range(CHANNEL.outputs):
        for other in np.flatnonzero(counts):
            changed = counts.copy()
            changed[code], changed[other] = changed[code] + 1, changed[other] - 1
            moved.append(np.abs(estimated(changed).function * N - without).max())
    assert max(moved) == pytest.approx(function_leverage(CHANNEL), rel=1e-6)


@pytest.mark.parametrize("n", [20, 200, N])
def test_the_band_holds_what_reports_or_their_own_noise_allow_and_never_falls(n):
    """Of each share: whether it is within reach by the noise that reports show, or by the least that it causes."""
    found, share = estimated(drawn(7, n)), np.linspace(-2, 3, 500_001)
    low, high = found.band(0.95)
    squares = dense() @ function_contributions(CHANNEL).T ** 2
    ends = []
    for edge, (value, stderr) in enumerate(zip(found.function, found.stderr, strict=True)):
        below, above = squares[: edge + 1, edge].min(), squares[edge + 1 :, edge].min()
        least = np.sqrt(np.maximum(share * below + (1 - share) * above - share**2, 0) / n)
        held = share[np.abs(share - value) <= found.critical(0.95) * np.maximum(stderr, least)]
        ends.append((held.min(), held.max()))
    first, last = possible_limits(found.function, np.array(ends).T)
    first, last = np.maximum.accumulate(first), np.minimum.accumulate(last[::-1])[::-1]
    assert low[1:-1] == pytest.approx(np.minimum(first, last), abs=2e-5)
    assert high[1:-1] == pytest.approx(np.maximum(first, last), abs=2e-5)
    assert (low[0], low[-1], high[0], high[-1]) == (0, 1, 0, 1)
    assert (np.diff(low) >= 0).all()
    assert (np.diff(high) >= 0).all()


def test_the_critical_number_is_that_of_the_noise_at_all_edges_together():
    found = estimated(drawn(8))
    law, contributions = drawn(8) / N, function_contributions(CHANNEL)
    covariance = (contributions * law) @ contributions.T - np.outer(contributions @ law, contributions @ law)
    scale = np.sqrt(np.diag(covariance))
    noise = np.random.default_rng(1).multivariate_normal(np.zeros(K - 1), covariance, size=40_000)
    assert found.critical(0.95) == pytest.approx(np.quantile(np.abs(noise / scale).max(axis=1), 0.95), rel=0.02)
    assert stats.norm.ppf(0.975) < found.critical(0.95) < stats.norm.ppf(1 - 0.025 / (K - 1)) * 1.01


@in_one("part", [0.01, 0.05, 0.3, 0.5, 0.725, 0.999])
def test_quantiles_invert_the_band_and_the_curve(part):
    check_quantile(estimated(drawn(9)), part)
    check_quantile(estimated(drawn(9, 20)), part)


def check_quantile(found, part):
    """Where the curve reaches a part of the people, and the limits."""
    edges = BINS.edges
    value, low, high = found.quantile(part, 0.95)
    # Whether an edge lies on one side is told by no less noise than if its share were the part.
    squares = dense() @ function_contributions(CHANNEL).T ** 2
    own = np.array([squares[: edge + 1, edge].min() for edge in range(K - 1)])
    other = np.array([squares[edge + 1 :, edge].min() for edge in range(K - 1)])
    least = np.sqrt((part * own + (1 - part) * other - part**2) / found.n)
    reach = found.reach(part, 0.95) * np.maximum(found.stderr, least)
    below = [edge for edge, most in zip(edges[1:-1], found.function + reach, strict=True) if most < part]
    above = [edge for edge, least in zip(edges[1:-1], found.function - reach, strict=True) if least >= part]
    assert (low, high) == (max([edges[0], *below]), min([edges[-1], *above]))
    assert low <= value <= high
    assert stats.norm.ppf(0.975) - 1e-9 <= found.reach(part, 0.95) <= found.critical(0.95)
    if low < value < high:
        assert np.interp(value, edges, found.fitted_function) == pytest.approx(part)


def test_an_edge_is_mistaken_as_rarely_as_promised_by_noise_and_distance_together():
    """By draws of its own: if the truth is the fitted function, edges fall on the wrong side in 5 % of surveys."""
    found, part = estimated(drawn(12), None), 0.42
    law, contributions = drawn(12) / N, function_contributions(CHANNEL)
    many = np.random.default_rng(2).multinomial(N, law, size=20_000) / N @ contributions.T
    noise, fitted = (many - found.function) / found.stderr, found.fitted_function[1:-1]
    apart = np.abs(fitted - part) / found.stderr
    wrong = np.where(fitted < part, noise - apart, -noise - apart).max(axis=1)
    expected = max(np.quantile(wrong, 0.95), stats.norm.ppf(0.975))
    assert found.reach(part, 0.95) == pytest.approx(expected, rel=0.03)


def test_ranges_are_sums_of_their_bins():
    found = estimated(drawn(10))
    told = found.range_shares([(1, 4), (0, K)])
    assert told.value == pytest.approx([found.shares.value[1:4].sum(), 1])
    assert told.value[0] == pytest.approx(found.function[3] - found.function[0])
    assert 0 < told.stderr[0] < 0.1
    assert told.stderr[1] == pytest.approx(0, abs=1e-6)


@in_one("method", ["unbiased", "simplex", "likelihood"])
def test_other_fits_are_those_of_histograms(method):
    found = estimated(drawn(11), method)
    assert found.method == method
    assert (found.fitted is None) == (method == "unbiased")
    assert (np.diff(found.fitted_function) >= 0).all()
    assert found.quantile(0.5, 0.95)[0] == pytest.approx(25, abs=12)


def test_few_bins_are_not_smoothed_and_many_are():
    assert estimated(drawn(13)).method == "likelihood"
    channel = WindowResponse(32, "2", 10)
    counts = np.random.default_rng(1).multinomial(500, channel.forward(np.full(32, 1 / 32)))
    tally = Aggregate(channel.fingerprint, 500, counts)
    found = DistributionEstimate.of(channel, tally, Bins.equal(Interval(0, 1), 32), 2.0)
    assert found.method == "smoothed likelihood"


def test_an_estimate_needs_reports():
    with pytest.raises(SordinoError, match="needs reports"):
        estimated(np.zeros(CHANNEL.outputs))
