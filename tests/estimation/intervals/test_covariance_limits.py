"""Limits of covariances: against all means that belong together, and how often they hold in small surveys."""

import numpy as np
import pytest
from scipy import stats

from sordino import Aggregate, Dependence, covariances, least_squares, sampled_moments
from sordino.estimation.intervals.covariance_limits import correlations, covariance_limits, sum_limit
from sordino.estimation.linear_regression import Regression
from sordino.estimation.means_and_covariances import NormalEstimate

SURVEYS = 80
TOPS = {
    "one in a hundred": (0.01, 0.01, True),
    "three in a hundred": (0.03, 0.03, True),
    "a tenth and a third": (0.1, 0.3, False),
    "halves": (0.5, 0.7, False),
}
"""The shares of people who have the largest value of either number, all others the least; and whether they are the
same people."""


def asked(epsilon):
    return sampled_moments([epsilon, epsilon], epsilon, Dependence.unknown(2))


def surveys(queries, tops, n, count):
    """Tallies of people who have the largest or the least of two numbers, and the true covariances."""
    first, second, same = tops
    shares = np.outer([1 - first, first], [1 - second, second])
    if same:
        shares = np.diag([1 - first, first])
    records = np.array([[x, y] for x in (-1.0, 1.0) for y in (-1.0, 1.0)])
    chances = np.concatenate(
        [
            weight / sum(queries.weights) * shares.ravel() @ [[float(p) for p in query.law(own)] for own in records]
            for query, weight in zip(queries.queries, queries.weights, strict=True)
        ]
    )
    truth = np.cov(records, rowvar=False, aweights=shares.ravel(), ddof=0)
    draw = np.random.default_rng([len(str(tops)), n])
    counts = draw.multinomial(n, chances / chances.sum(), size=count)
    return truth, [Aggregate(queries.fingerprint, n, own) for own in counts]


def coverage(found, truth, limits):
    """In what part of some surveys each interval holds its covariance."""
    held = [(low <= truth) & (truth <= high) for low, high in map(limits, found)]
    return np.mean(held, axis=0)


def possible(estimate):
    """The interval as results show it."""
    low, high = estimate.interval()
    return np.maximum(low, np.where(np.eye(2), 0.0, -1.0)), np.minimum(high, 1.0)


@pytest.mark.each_value
@pytest.mark.parametrize("population", TOPS)
@pytest.mark.parametrize(("epsilon", "n"), [("10", 100), ("3", 60)])
def test_intervals_hold_of_few_people_far_from_others(population, epsilon, n):
    """Where one in a hundred has the top a variance was held in 17 of 100 surveys of a hundred people at epsilon 10."""
    queries = asked(epsilon)
    truth, tallies = surveys(queries, TOPS[population], n, SURVEYS)
    found = [covariances(queries, tally) for tally in tallies]
    least = stats.binom.ppf(1e-6, SURVEYS, 0.95) / SURVEYS
    assert (coverage(found, truth, possible) >= least).all()
    for one in found:
        low, high = one.interval()
        assert (low <= one.value).all()
        assert (one.value <= high).all()
    if population == "one in a hundred" and epsilon == "10":
        assert (coverage(found, truth, NormalEstimate.interval) < least).any()


def test_of_many_reports_they_are_normal():
    queries = asked("3")
    _, (tally,) = surveys(queries, (0.3, 0.2, False), 10**6, 1)
    found = covariances(queries, tally)
    low, high = found.interval()
    np.testing.assert_allclose((high - low) / found.stderr, 2 * 1.96, rtol=0.01)


def test_they_are_extremes_over_all_means_that_belong_together():
    """Against points of the region drawn one by one, of means of which two go together."""
    random = np.random.default_rng(5)
    means, low = np.array([0.3, -0.2, 0.4]), np.array([0.1, -0.3, 0.1])
    high = np.array([0.8, 0.5, 0.5])
    covariance = np.array([[0.01, 0.006, 0.0], [0.006, 0.01, 0.0], [0.0, 0.0, 0.02]])
    least, most = covariance_limits(np.array([[0, 1, 2]]), means, (low, high), covariance)
    directions = random.standard_normal((200_000, 3))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    moved = directions @ np.linalg.cholesky(correlations(covariance)).T
    second, left, right = (means + np.where(moved < 0, moved * (means - low), moved * (high - means))).T
    values = second - left * right
    assert least[0] == pytest.approx(values.min(), abs=1e-3)
    assert most[0] == pytest.approx(values.max(), abs=1e-3)
    assert least[0] <= values.min()
    assert most[0] >= values.max()


def test_where_means_are_in_the_middle_the_largest_variance_stays_possible():
    means, limits = np.array([1.0, 0.1]), (np.array([0.9, -0.2]), np.array([1.0, 0.4]))
    least, most = covariance_limits(np.array([[0, 1, 1]]), means, limits, np.zeros((2, 2)))
    assert most[0] == pytest.approx(1.0, abs=1e-6)
    # Below what the mean alone leaves, for the mean square may be less too.
    assert 0.83 < least[0] < 1 - 0.4**2 - 0.004


def test_limits_of_sums_are_as_far_as_those_of_their_means_together():
    """As Zou and Donner have it: each mean on the side where it moves the sum that way."""
    slopes, below, above = np.array([[2.0, -1.0]]), np.array([1.0, 3.0]), np.array([0.5, 4.0])
    assert sum_limit(slopes, (below, above), np.eye(2))[0] == pytest.approx(np.hypot(2.0, 4.0))
    assert sum_limit(slopes, (above, below), np.eye(2))[0] == pytest.approx(np.hypot(1.0, 3.0))
    together = correlations(np.array([[1.0, 1.0], [1.0, 4.0]]))
    assert sum_limit(slopes, (below, above), together)[0] == pytest.approx(np.sqrt(4 + 16 - 2 * 0.5 * 2 * 4))


def test_slopes_of_few_people_far_from_others_are_held():
    """Three in ten have the largest value of both numbers, of 300 people: normal limits held the slope in 88 of 100."""
    queries = sampled_moments(["10", "10"], "10", Dependence.unknown(2), target=1)
    _, tallies = surveys(queries, (0.3, 0.3, True), 300, 300)
    fits = [least_squares(queries, tally, 1) for tally in tallies]
    held = [
        np.mean([low[1] <= 1 <= high[1] for low, high in map(limits, fits)])
        for limits in (NormalEstimate.interval, Regression.interval)
    ]
    assert held[0] < 0.92
    assert held[1] > 0.95
