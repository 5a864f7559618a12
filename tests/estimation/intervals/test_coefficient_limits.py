"""Limits of quotients that are shown only where their denominators are clear of 0: against Fieller's, and draws."""

import numpy as np
import pytest
from scipy import stats

from sordino.estimation.intervals.coefficient_limits import Quotients, ShownStatistic, coefficient_limits

BOUND = 3.0


def limits(top, bottom, errors, correlation=0.0, confidence=0.95, bound=BOUND):
    """Of top / bottom, two normal numbers with these errors, shown because bottom is so many errors above 0."""
    quotients = Quotients(np.array([[1 / bottom, -top / bottom**2]]), np.array([[0.0, 1 / bottom]]))
    covariance = np.outer(errors, errors) * np.array([[1, correlation], [correlation, 1]])
    away = stats.norm.ppf((1 + confidence) / 2) * np.array(errors)
    shown = ShownStatistic(np.array([0.0, 1.0]), bottom / errors[1], bound)
    below, above = coefficient_limits(quotients, shown, (away, away), covariance, confidence)
    return float(top / bottom - below[0]), float(top / bottom + above[0])


@pytest.mark.parametrize("confidence", [0.8, 0.95, 0.999])
@pytest.mark.parametrize("correlation", [-0.6, 0.0, 0.7])
@pytest.mark.parametrize("top", [-0.4, 0.05, 2.0])
def test_of_a_statistic_far_from_its_bound_they_are_fiellers(top, correlation, confidence):
    """The ends of the values b of which top - b bottom is no further from 0 than so many of its errors."""
    bottom, errors, z = 1.0, (0.1, 0.12), stats.norm.ppf((1 + confidence) / 2)
    found = limits(top, bottom, errors, correlation, confidence, bound=-50.0)
    both = correlation * errors[0] * errors[1]
    square = [bottom**2 - (z * errors[1]) ** 2, -2 * (top * bottom - z**2 * both), top**2 - (z * errors[0]) ** 2]
    np.testing.assert_allclose(found, np.sort(np.roots(square)), rtol=1e-4)


@pytest.mark.parametrize("confidence", [0.95, 0.9999])
@pytest.mark.parametrize("beyond", [0.0, 0.01, 0.5])
def test_limits_are_finite_and_hold_the_estimate_beside_the_bound(beyond, confidence):
    for top in (-3.0, -0.1, 0.0, 0.1, 3.0):
        low, high = limits(top, (BOUND + beyond) * 0.1, (0.1, 0.1), 0.3, confidence)
        own = top / ((BOUND + beyond) * 0.1)
        assert low <= own <= high
        # An error is .1, the least variation that is allowed for 1.4 of them less what chance takes.
        assert max(abs(low), abs(high)) < 60 * (abs(own) + 1)


@pytest.mark.parametrize(("slope", "vary"), [(4.0, 1.5), (-4.0, 1.5), (0.5, 2.0), (1.0, 4.0)])
def test_limits_hold_given_that_a_regression_is_shown(slope, vary):
    """Of denominators of so many errors those above three are a selection: their quotients are too near to 0."""
    random, held, fieller = np.random.default_rng([int(10 * vary), int(slope + 9)]), [], []
    while len(held) < 100:
        bottom = random.normal(vary, 1)
        top = random.normal(slope * vary, 1)
        if bottom <= BOUND:
            continue
        low, high = limits(top, bottom, (1.0, 1.0))
        held.append(low <= slope <= high)
        fieller.append(abs(top - slope * bottom) <= stats.norm.ppf(0.975) * np.hypot(1, slope))
    least = stats.binom.ppf(1e-6, len(held), 0.95)
    assert sum(held) >= least
    if abs(slope) == 4:
        assert sum(fieller) < least


def test_each_side_is_as_far_as_the_means_are_on_it():
    """Of coefficients that do not depend on how features vary, each mean on the side where it moves them that way."""
    quotients = Quotients(np.array([[2.0, -1.0], [0.0, 1.0]]), np.zeros((2, 2)))
    shown = ShownStatistic(np.array([1.0, 1.0]), 1e9, BOUND)
    away = np.array([1.0, 3.0]), np.array([0.5, 4.0])
    below, above = coefficient_limits(quotients, shown, away, np.diag([0.01, 0.01]), 0.95)
    np.testing.assert_allclose(below, [np.hypot(2, 4), 3], rtol=1e-6)
    np.testing.assert_allclose(above, [np.hypot(1, 3), 4], rtol=1e-6)
