"""A distribution among those who have the number: by the channel's weights, by brute force, by drawing many surveys."""

import numpy as np
import pytest
from scipy import optimize

from sordino import Aggregate, Interval, WindowResponse
from sordino.domain.bins import Bins
from sordino.estimation.number_distribution import DistributionEstimate
from sordino.estimation.range_shares import errors_of
from sordino.estimation.subpopulation import Subpopulation, below_edges
from sordino.mechanism.window import OptionalWindow

K, N = 6, 5000
CHANNEL = OptionalWindow(WindowResponse(K, "2", 2), "2", 1 << 61)
BINS = Bins.equal(Interval(0, 60), K)
HAVE = np.array([0.3, 0.2, 0.2, 0.1, 0.1, 0.1])
MISSING = 0.4
SHARES = np.append((1 - MISSING) * HAVE, MISSING)


def dense():
    """The channel, weight by weight."""
    weights = [[CHANNEL.weight(value, code) for code in range(CHANNEL.outputs)] for value in range(K + 1)]
    return np.array(weights, dtype=float) / CHANNEL.denominator


def tally(counts):
    return Aggregate(CHANNEL.fingerprint, int(counts.sum()), np.asarray(counts, dtype=np.int64))


def estimated(counts, method="unbiased"):
    return DistributionEstimate.of(CHANNEL, tally(counts), BINS, 2.0, method)


def drawn(seed, n=N):
    return np.random.default_rng(seed).multinomial(n, SHARES @ dense())


def test_of_the_expected_reports_the_distribution_among_those_who_have_it_is_told():
    counts = SHARES @ dense()
    having = Subpopulation(CHANNEL, counts, K)
    np.testing.assert_allclose(having.contributions(np.eye(K)) @ counts, HAVE, atol=1e-12)
    assert having.missing_share == pytest.approx(MISSING, abs=1e-12)


def test_standard_errors_are_those_of_many_surveys():
    found = [estimated(drawn(seed, 100 * N)) for seed in range(400)]
    functions, shares = np.array([one.function for one in found]), np.array([one.of_bins.value for one in found])
    missing = np.array([one.missing_share[0] for one in found])
    one = found[0]
    np.testing.assert_allclose(functions.std(axis=0), one.stderr, rtol=0.15)
    np.testing.assert_allclose(shares.std(axis=0), one.of_bins.stderr, rtol=0.15)
    assert missing.std() == pytest.approx(one.missing_share[1], rel=0.15)
    np.testing.assert_allclose(errors_of(CHANNEL, below_edges(K), SHARES, 100 * N), one.stderr, rtol=0.05)
    ranges = np.array([own.range_shares([(1, 4)]).value[0] for own in found])
    assert ranges.std() == pytest.approx(one.range_shares([(1, 4)]).stderr[0], rel=0.15)


def test_limits_are_where_the_part_is_as_far_from_its_share_as_so_many_standard_errors():
    """The share r at which y - r s is z of its own errors from 0, found by bisection; y and s by least squares."""
    counts, z = drawn(3), 1.96
    found, law = estimated(counts), counts / N
    channel = dense()
    # One report more, of somebody of whom nothing is known.
    noise = (counts + channel.mean(axis=0)) / (N + 1)
    scale = np.sqrt(channel.mean(axis=0))
    solving = np.linalg.solve((channel / scale) @ (channel / scale).T, channel / scale) / scale
    given = solving[:K].sum(axis=0)
    for first, last in ((0, 1), (1, 4), (5, 6)):
        inside = solving[first:last].sum(axis=0)

        def beyond(share, sign, inside=inside):
            code = inside - share * given
            mean = code @ law
            return sign * mean - z * np.sqrt((code**2 @ noise - (code @ noise) ** 2) / N)

        ratio = (inside @ law) / (given @ law)
        ends = optimize.brentq(beyond, ratio - 1, ratio, (1,)), optimize.brentq(beyond, ratio, ratio + 1, (-1,))
        asked = (np.arange(K) >= first) & (np.arange(K) < last)
        np.testing.assert_allclose(
            np.ravel(found.subpopulation.limits(asked[None].astype(float), z, N)), ends, atol=1e-9
        )
        # What likelihood adds to them is little of so many reports.
        (low,), (high,) = found.range_shares([(first, last)]).within(z)
        assert low <= ends[0] + 1e-9
        assert high >= ends[1] - 1e-9
        assert high - low < 1.02 * (ends[1] - ends[0])


def test_a_quantile_lies_beyond_edges_that_are_surely_on_one_side():
    """Of the share below an edge minus the part of those who have it, which needs no quotient."""
    found = estimated(drawn(4))
    value, low, high = found.quantile(0.5, 0.95)
    errors, having = found.errors_at(0.5), found.subpopulation
    reach = found.reach(0.5, 0.95)
    sides = (found.function - 0.5) / errors
    assert low == max([0, *(10.0 * (1 + np.flatnonzero(sides < -reach)))])
    assert high == min([60, *(10.0 * (1 + np.flatnonzero(sides >= reach)))])
    assert low <= value <= high
    # As far from the part as from its own mean where it is the part.
    away = having.errors_at(below_edges(K), float(found.function[2]), N)[2]
    assert away == pytest.approx(found.stderr[2], rel=1e-9)


def test_no_interval_is_without_width():
    law = np.append(0.5 * (np.arange(K) == 0), 0.5) @ dense()
    for counts in np.random.default_rng(8).multinomial(400, law, size=25):
        found = estimated(counts)
        for low, high in (found.of_bins.within(1.5), found.band(0.5)):
            assert (high - low)[1:-1].min() > 0.001


def test_what_is_fitted_adds_up_to_all_who_have_it():
    counts = drawn(5)
    for method in (None, "simplex", "likelihood"):
        fitted = estimated(counts, method).fitted
        assert fitted.shape == (K,)
        assert fitted.sum() == pytest.approx(1)
        assert (fitted >= 0).all()


def test_where_nobody_has_it_nothing_is_told():
    nobody = np.append(np.zeros(K), 1.0) @ dense()
    counts = np.random.default_rng(6).multinomial(N, nobody)
    assert not Subpopulation(CHANNEL, counts / N, K).tells(1.96, N)
    assert Subpopulation(CHANNEL, drawn(6) / N, K).tells(1.96, N)
    assert np.isnan(estimated(counts).of_bins.within(1.96)).all()


def test_few_reports_that_say_the_same_are_not_sure():
    """The share who have the number and lie in one bin was told as 100 % without an error."""
    for code in range(K):
        found = estimated(6 * np.eye(CHANNEL.outputs, dtype=np.int64)[code])
        assert min(found.stderr.min(), found.of_bins.stderr.min(), found.missing_share[1]) > 0.01
