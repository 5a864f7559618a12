"""Limits of means of numbers of which few are large: right as often as they say, over exact distributions of codes."""

import numpy as np
import pytest
from scipy import stats

from sordino import Aggregate, Number, OptionalNumber, Query, RandomizedResponse, Sampled, Together, means
from sordino.domain.scaled import Ranges
from sordino.estimation.intervals.moment_limits import moment_limits, ratio_limits
from sordino.estimation.means_and_covariances import NormalEstimate
from sordino.estimation.moment_estimator import MomentEstimator

RANGES = Ranges.of({"income": (0, 1000)})


def holding(found, truth, confidence=0.95):
    """Whether each survey's first interval holds the truth."""
    limits = [one.interval(confidence) for one in found]
    return np.array([low[0] <= truth <= high[0] for low, high in limits])


def drawn(asked, law, n, surveys, seed):
    """Estimates of so many surveys of people whose codes have these probabilities."""
    counts = np.random.default_rng(seed).multinomial(n, law, size=surveys)
    return [means(asked, Aggregate(asked.fingerprint, n, own), None, RANGES) for own in counts]


@pytest.mark.parametrize(("epsilon", "n"), [("8", 60), ("8", 300), ("4", 100), ("1", 200)])
def test_a_mean_of_which_few_people_make_most_is_held_as_often_as_is_said(epsilon, n):
    asked = Query(Number(0), RandomizedResponse(2, epsilon))
    sent = np.arange(n + 1)
    tallies = (Aggregate(asked.fingerprint, n, np.array([n - some, some])) for some in sent)
    limits = [means(asked, tally, None, RANGES).interval() for tally in tallies]
    low, high = np.array(limits)[..., 0].T
    for share in (0.01, 0.3, 0.99):
        law = asked.mechanism.forward(np.array([1 - share, share]))
        held = (low <= 1000 * share) & (1000 * share <= high)
        assert stats.binom.pmf(sent, n, law[1])[held].sum() >= 0.935


@pytest.mark.parametrize("confidence", [0.95, 0.999])
def test_queries_of_different_weight_tell_a_mean_together(confidence):
    mechanisms = RandomizedResponse(2, "8"), RandomizedResponse(2, "3")
    asked = Sampled(tuple(Query(Number(0), each) for each in mechanisms), (3, 1))
    shares = np.array([0.99, 0.01])
    parts = zip((0.75, 0.25), mechanisms, strict=True)
    law = np.concatenate([weight * mechanism.forward(shares) for weight, mechanism in parts])
    held = holding(drawn(asked, law, 150, 120, 3), 10, confidence)
    assert held.sum() >= stats.binom.ppf(1e-4, 120, confidence - 0.005)


@pytest.mark.parametrize("surveys", [40, pytest.param(400, marks=pytest.mark.long)])
@pytest.mark.parametrize(("epsilon", "n"), [("4", 30), ("8", 300)])
def test_a_mean_among_those_who_have_the_number(epsilon, n, surveys):
    asked = Query(OptionalNumber(0), RandomizedResponse(3, epsilon))
    law = asked.mechanism.forward(np.array([0.693, 0.007, 0.3]))
    found = drawn(asked, law, n, surveys, 4)
    limits = [one.interval() for one in found]
    held = np.mean([[low[0] <= 10 <= high[0], low[1] <= 0.3 <= high[1]] for low, high in limits], axis=0)
    assert (held >= stats.binom.ppf(1e-4, surveys, [0.945, 0.94]) / surveys).all()
    # Where normal limits are wider they stay.
    for one, (low, high) in zip(found, limits, strict=True):
        (least, *_), (most, *_) = one.within(stats.norm.isf(0.025))
        assert low[0] <= least
        assert most <= high[0]


def test_of_many_reports_they_are_normal_ones():
    asked = Query(Number(0, 5), RandomizedResponse(5, "2"))
    law = asked.mechanism.forward(np.array([0.4, 0.3, 0.1, 0.1, 0.1]))
    (found,) = drawn(asked, law, 10**7, 1, 5)
    np.testing.assert_allclose(found.interval(0.99), NormalEstimate.interval(found, 0.99), rtol=1e-5)


def test_of_fewer_than_three_reports_they_are_all_that_is_possible():
    asked = Query(Number(0), RandomizedResponse(2, "8"))
    found = means(asked, asked.tally([1, 1]), None, RANGES)
    assert np.ravel(found.interval()).tolist() == [0, 1000]


def test_of_several_moments_each_has_the_limits_that_it_has_by_itself():
    """Also beside numbers that other codes tell, and more of them."""
    three, five = (Query(OptionalNumber(j, k - 1), RandomizedResponse(k, "5")) for j, k in ((0, 3), (1, 5)))
    both = Together((three, five))
    counts = [np.array([30, 2, 8]), np.array([25, 3, 3, 1, 8])]
    together = MomentEstimator.of(both)
    tally = Aggregate(both.fingerprint, 40, np.concatenate(counts))
    pairs = [(0, 1), (2, 3)]
    start = np.array([-0.95, -0.9]), np.array([-0.9, -0.8])
    found = ratio_limits(start, together, tally, pairs, 0.05)
    low, high = moment_limits(together, tally, 0.05)
    for j, (query, own) in enumerate(zip((three, Query(OptionalNumber(0, 4), five.mechanism)), counts, strict=True)):
        alone, part = MomentEstimator.of(query), Aggregate(query.fingerprint, 40, own)
        np.testing.assert_allclose((low[2 * j : 2 * j + 2], high[2 * j : 2 * j + 2]), moment_limits(alone, part, 0.05))
        one = ratio_limits((start[0][[j]], start[1][[j]]), alone, part, [(0, 1)], 0.05)
        np.testing.assert_allclose([found[0][j], found[1][j]], np.ravel(one))


@pytest.mark.parametrize("epsilon", ["1/2", "1", "3"])
def test_intervals_of_many_reports_become_those_of_the_normal_distribution(epsilon):
    asked = Query(Number(0, 3), RandomizedResponse(3, epsilon))
    law = asked.mechanism.forward(np.array([0.5, 0.2, 0.3]))
    for n in (55_109, 300_000, 2_097_152, 3_000_000, 10**8, 10**10):
        counts = np.rint(n * law).astype(np.int64)
        found = means(asked, Aggregate(asked.fingerprint, int(counts.sum()), counts), None, RANGES)
        (low, *_), (high, *_) = found.interval()
        below, above = (found.value[0] - low) / found.stderr[0], (high - found.value[0]) / found.stderr[0]
        assert (below, above) == (pytest.approx(1.96, abs=0.01), pytest.approx(1.96, abs=0.01)), n
