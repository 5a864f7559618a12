"""Forged reports: every way to forge some is tried, and none moves more than the bound, nor leaves the limits."""

from itertools import combinations_with_replacement

import numpy as np
import pytest

from sordino import (
    Aggregate,
    Blockwise,
    ChannelTable,
    HadamardResponse,
    Number,
    Product,
    Query,
    RandomizedResponse,
    Sampled,
    SordinoError,
    covariances,
    means,
)
from sordino.domain.scaled import Ranges
from sordino.estimation.estimated_moments import EstimatedMoments
from sordino.estimation.intervals.forged import (
    forged_limits,
    moved_coefficients,
    moved_covariances,
    moved_means,
    require_fewer,
)
from sordino.estimation.linear_regression import regression_statistics, solve
from sordino.estimation.share_estimate import estimate

FORGED = 2
MECHANISMS = {
    "randomized": RandomizedResponse(3, "1"),
    "hadamard": HadamardResponse(3, "2"),
    "blockwise": Blockwise([[0, 1], [2]], "1", "randomized"),
    "table": ChannelTable([[6, 2, 1], [2, 6, 1], [1, 1, 7]]),
}


def tallies(codes, n):
    """All tallies of n reports."""
    return [np.bincount(chosen, minlength=codes) for chosen in combinations_with_replacement(range(codes), n)]


@pytest.mark.parametrize("name", MECHANISMS)
def test_the_worst_forged_codes_move_an_estimate_by_the_bound_and_none_by_more(name):
    mechanism, honest = MECHANISMS[name], 3
    total = honest + FORGED
    each = np.array([mechanism.decode(law) for law in np.eye(mechanism.outputs)])
    added, replaced = np.zeros(3), np.zeros(3)
    ways = np.array(tallies(len(each), FORGED)) @ each / total
    for kept in tallies(len(each), honest):
        seen = kept @ each / total + ways
        # Forged reports come on top of the honest ones, or take the place of any two.
        added = np.maximum(added, np.abs(seen - kept @ each / honest).max(axis=0))
        replaced = np.maximum(replaced, np.abs(ways[:, None] - ways).max(axis=(0, 1)))
    tally = Aggregate(mechanism.fingerprint, total, tallies(len(each), total)[0])
    bound = estimate(mechanism, tally, "unbiased").moved(FORGED)
    np.testing.assert_allclose(added, bound, rtol=1e-9)
    np.testing.assert_allclose(replaced, bound, rtol=1e-9)


@pytest.mark.parametrize("name", MECHANISMS)
def test_whatever_is_forged_the_limits_hold_those_of_the_honest_reports(name):
    mechanism, total = MECHANISMS[name], 30
    codes = mechanism.outputs
    rng = np.random.default_rng(2)

    def found(counts):
        return estimate(mechanism, Aggregate(mechanism.fingerprint, int(counts.sum()), counts), "unbiased")

    for _ in range(12):
        kept = rng.multinomial(total - FORGED, rng.dirichlet(np.full(codes, 0.5)))
        least, most = found(kept).interval(0.9)
        for forged in tallies(codes, FORGED):
            seen = found(kept + forged)
            fixed, moved = seen.interval(0.9), seen.moved(FORGED)
            low, high = forged_limits(fixed, seen.value, seen.stderr, moved, forged=FORGED, part=FORGED / total)
            assert (np.clip(low, 0, 1) <= least + 1e-9).all()
            assert (most <= np.clip(high, 0, 1) + 1e-9).all()


def two_values(statistic, epsilon):
    return Query(statistic, RandomizedResponse(2, epsilon))


BITS = Sampled((two_values(Number(0), "2"), two_values(Number(1), "1")), (1, 2))
STATISTICS = (Number(0), Number(1), Product(0, 0), Product(0, 1), Product(1, 1))
MOMENTS = Sampled(tuple(two_values(statistic, "3") for statistic in STATISTICS), (1, 1, 1, 1, 1))
SCALES = Ranges(("age", "pulse"), (0.0, 40.0), (100.0, 60.0))
KEPT = np.array([20, 30, 25, 15, 5, 40, 20, 22, 9, 40])


def told_by(asked, counts):
    return Aggregate(asked.fingerprint, int(counts.sum()), counts)


def test_means_move_by_the_bound_at_most_and_reach_it():
    reached = np.zeros(2)
    # In the first all honest people are at one end.
    for kept in (np.array([0, 5, 0, 7]), np.array([3, 2, 6, 1])):
        alone = means(BITS, told_by(BITS, kept), None, SCALES).value
        for forged in tallies(BITS.counters, FORGED):
            tally = told_by(BITS, kept + forged)
            moved, part = moved_means(BITS, tally, SCALES, FORGED)
            reached = np.maximum(reached, np.abs(means(BITS, tally, None, SCALES).value - alone) / moved)
            assert part == pytest.approx(FORGED / (kept + forged)[:2].sum())
    np.testing.assert_allclose(reached, 1, rtol=1e-9)


@pytest.mark.parametrize("scale", [1, 40])
def test_covariances_move_by_the_bound_at_most(scale):
    kept = scale * KEPT
    alone = covariances(MOMENTS, told_by(MOMENTS, kept), None, SCALES).value
    largest = np.zeros((2, 2))
    for forged in tallies(MOMENTS.counters, FORGED):
        tally = told_by(MOMENTS, kept + forged)
        moved, _ = moved_covariances(MOMENTS, tally, SCALES, FORGED)
        largest = np.maximum(largest, np.abs(covariances(MOMENTS, tally, None, SCALES).value - alone) / moved)
    assert (largest <= 1).all()
    # The bound is no wide guess either.
    assert (largest > 0.1).all()


def test_coefficients_move_by_the_bound_at_most():
    def coefficients(counts):
        told = EstimatedMoments.of(MOMENTS, told_by(MOMENTS, counts), regression_statistics(1, [0]), SCALES.names)
        return solve(told, int(counts.sum()), 1, [0], SCALES).value

    kept = 20 * KEPT
    alone, largest = coefficients(kept), np.zeros(2)
    for forged in tallies(MOMENTS.counters, FORGED):
        moved, _ = moved_coefficients(MOMENTS, told_by(MOMENTS, kept + forged), SCALES, FORGED)
        largest = np.maximum(largest, np.abs(coefficients(kept + forged) - alone) / moved)
    assert (largest <= 1).all()
    assert (largest > 0.1).all()


def test_too_many_forged_reports_leave_nothing():
    with pytest.raises(SordinoError, match="more reports than the 5 that may be forged; found 5"):
        require_fewer(5, 5)
    with pytest.raises(SordinoError, match="more reports about each number than the 2"):
        moved_means(BITS, told_by(BITS, np.array([1, 1, 6, 1])), SCALES, 2)
