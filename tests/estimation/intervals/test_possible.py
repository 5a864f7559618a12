"""Limits within what is possible: by brute force over all possible values, and by integrating how often they hold."""

import numpy as np
import pytest
from scipy import stats

from sordino.estimation.intervals.possible import possible_limits

Z = stats.norm.ppf(0.975)


@pytest.mark.parametrize("ends", [(0, 1), (-1, 1), (-1, np.inf)])
def test_they_hold_what_is_hardly_further_from_the_estimate_than_the_nearest_possible_value(ends):
    possible = np.linspace(ends[0], min(ends[1], 9), 400_001)
    for value in (-3.0, -1.2, -0.7, 0.0, 0.3, 0.99, 1.0, 1.4, 2.5):
        squares = (possible - value) ** 2
        inside = possible[squares - squares.min() <= 0.8**2]
        low, high = possible_limits(value, (value - 0.8, value + 0.8), ends)
        assert (low, high) == pytest.approx((inside[0], inside[-1]), abs=1e-4)
        # Cut ones would hold one value or none.
        assert low < high


def test_each_side_errs_as_rarely_as_promised_and_in_the_middle_no_more_rarely():
    """Of an estimate with one standard error, over all that it can be."""
    noise, error = np.linspace(-9, 9, 40_001), 0.07
    weight = stats.norm.pdf(noise)
    for truth in (0, 0.01, 0.05, 0.1, 0.2, 0.5, 0.85, 0.93, 1):
        value = truth + error * noise
        low, high = possible_limits(value, (value - Z * error, value + Z * error))
        above, below = ((weight * missed).sum() / weight.sum() for missed in (high < truth, low > truth))
        assert max(above, below) < 0.0251
        if Z * error < truth < 1 - Z * error:
            assert min(above, below) > 0.0249
        assert (high > low).all()


def test_what_is_not_known_stays_so_and_limits_of_their_own_keep_their_sides():
    low, high = possible_limits([np.nan, -0.1, 0.2], ([np.nan, -0.2, 0.1], [np.nan, 0.3, 0.6]))
    assert np.isnan([low[0], high[0]]).all()
    assert (low[1], high[1]) == (0, pytest.approx(-0.1 + np.hypot(0.4, 0.1)))
    assert (low[2], high[2]) == (0.1, 0.6)


@pytest.mark.parametrize(
    ("limits", "held"), [((0.4, 0.9), (0.3, 0.9)), ((0.1, 0.2), (0.1, 0.3)), ((0.6, 0.1), (0.3, 0.3))]
)
def test_no_limit_lies_beyond_its_estimate(limits, held):
    assert tuple(map(float, possible_limits(0.3, limits))) == held
    low, high = possible_limits(1.4, (1.5, 1.6), (0.0, 1.0))
    assert low < high == 1.0
