"""Limits of shares in the nearest distribution, worked out another way, and how often they hold."""

import numpy as np
import pytest

from sordino import Aggregate, HadamardResponse, RandomizedResponse, SubsetSelection, estimate
from sordino.estimation.intervals.nearest_limits import NearestLimits, _further, _nearest
from sordino.estimation.simplex import project
from sordino.papers.simulation import SimulationSource


def survey(mechanism, shares, n, seed=0):
    people = np.random.default_rng(seed).multinomial(n, shares)
    codes = mechanism.privatize(np.repeat(np.arange(mechanism.k), people), SimulationSource(seed))
    return estimate(mechanism, mechanism.tally(codes), "simplex")


@pytest.mark.parametrize("total", [0.0, 0.3, 1.0])
def test_many_rows_are_projected_as_one_is(total):
    rows = np.random.default_rng(1).normal(0.1, 0.5, (50, 7))
    each = [project(row, totals=np.array([total])) for row in rows]
    np.testing.assert_allclose(_nearest(rows, total), each, atol=1e-12)


def test_the_distance_is_that_of_the_best_of_a_fine_grid_of_distributions():
    value, inside = np.array([[0.7, 0.45, -0.15]]), np.array([True, False, False])
    steps = np.linspace(0, 1, 401)
    first, second = np.meshgrid(steps, steps, indexing="ij")
    grid = np.stack([first, second, 1 - first - second], axis=-1)[first + second <= 1 + 1e-9]
    squares = ((grid - value) ** 2).sum(axis=1)
    least = squares[np.isclose(grid[:, 0], 0.4)].min() - squares.min()
    (found,) = _further(value, inside, 0.4)
    assert found == pytest.approx(least, abs=2e-3)


@pytest.mark.parametrize("mechanism", [RandomizedResponse(5, "2"), SubsetSelection(8, "1"), HadamardResponse(6, "1")])
def test_limits_hold_the_fitted_shares_and_end_where_shares_are_no_longer_held(mechanism):
    shares = 0.5 ** np.arange(mechanism.k)
    found = survey(mechanism, shares / shares.sum(), 800)
    limits, each = NearestLimits(found, 0.95), np.eye(mechanism.k)
    low, high = limits.limits(each)
    assert (np.array([low, found.fitted, high]) >= 0).all()
    assert (low <= found.fitted).all()
    assert (np.maximum(found.fitted, high) <= 1).all()
    assert (found.fitted <= high).all()
    assert limits.holds(each, (low + high) / 2).all()
    assert limits.holds(each, (found.fitted + high) / 2).all()
    assert not limits.holds(each, np.minimum(high + 0.5 * found.stderr, 1))[high < 0.9].any()


def test_the_same_reports_have_the_same_limits_and_global_random_numbers_are_left_alone():
    found = survey(RandomizedResponse(4, "1"), np.array([0.7, 0.2, 0.1, 0.0]), 500)
    np.random.seed(3)
    before = np.random.get_state()[1].copy()
    once, again = (NearestLimits(found, 0.9).limits(np.eye(4)) for _ in range(2))
    np.testing.assert_array_equal(once, again)
    np.testing.assert_array_equal(np.random.get_state()[1], before)


def test_more_confidence_is_wider_and_a_set_of_values_has_limits_too():
    found = survey(SubsetSelection(8, "1"), np.array([0.6, 0.3, 0.1, 0, 0, 0, 0, 0]), 1000)
    pair = np.array([[1.0, 1, 0, 0, 0, 0, 0, 0]])
    (low, high), (lower, higher) = (NearestLimits(found, one).limits(pair) for one in (0.9, 0.99))
    assert lower[0] < low[0] <= found.fitted[:2].sum() <= high[0] <= higher[0]


def test_they_hold_where_nearly_everybody_has_one_value():
    mechanism, shares, held = SubsetSelection(12, "1"), np.full(12, 0.02 / 11), []
    shares[4] = 0.98
    for seed in range(150):
        found = survey(mechanism, shares, 1500, seed)
        held.append(NearestLimits(found, 0.95).holds(np.eye(12)[[4, 0]], shares[[4, 0]]))
    assert np.mean(held, axis=0).min() >= 0.885
    assert np.mean(held) < 0.995


def test_they_are_given_where_they_are_known_to_hold():
    found = survey(RandomizedResponse(4, "1"), np.full(4, 0.25), 500)
    assert NearestLimits.applies_to(found)
    tally = Aggregate(found.mechanism.fingerprint, 49, np.array([40, 5, 3, 1]))
    for other in (
        estimate(found.mechanism, tally, "simplex"),
        estimate(found.mechanism, tally, "likelihood"),
        survey(RandomizedResponse(41, "1"), np.full(41, 1 / 41), 500),
    ):
        assert not NearestLimits.applies_to(other)
