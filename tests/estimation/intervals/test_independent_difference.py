"""Differences of two estimates: near 0, where normal intervals fail, and where they are what both sides make them."""

import numpy as np
import pytest
from scipy import stats

from sordino.estimation.intervals.independent_difference import WithInterval, difference


def test_of_normal_limits_the_difference_has_the_normal_interval():
    before, after = (
        WithInterval(value, stderr, value - 1.96 * stderr, value + 1.96 * stderr)
        for value, stderr in ((3, 0.3), (1, 0.4))
    )
    found = difference(before, after, 0.95)
    assert (found.value, found.stderr) == (-2, 0.5)
    assert (found.low, found.high) == pytest.approx((-2 - 0.98, -2 + 0.98))


def test_each_side_keeps_what_its_limits_know():
    found = difference(WithInterval(0.1, 0.01, 0.07, 0.12, 0, 1), WithInterval(0.3, 0.02, 0.28, 0.36, 0, 1), 0.95)
    assert found.low == pytest.approx(0.2 - np.hypot(0.02, 0.02))
    assert found.high == pytest.approx(0.2 + np.hypot(0.06, 0.03))


def test_where_a_limit_is_cut_the_standard_error_counts():
    # Both estimates are below 0, where a share's limits begin.
    below = WithInterval(-0.02, 0.02, 0.0, 0.02, 0, 1)
    found = difference(below, below, 0.95)
    errors = stats.norm.ppf(0.975)
    assert found.high == pytest.approx(np.hypot(errors * 0.02, errors * 0.02))
    assert found.low == -found.high


def test_limits_of_a_change_beyond_what_is_possible_are_in_order_and_leave_something():
    # Everybody before, nobody after: noise takes either estimate beyond its end in half of all collections.
    everybody, nobody = WithInterval(1.06, 0.02, 0.99, 1.0, 0, 1), WithInterval(-0.05, 0.02, 0.0, 0.01, 0, 1)
    for confidence in (0.5, 0.95):
        fallen, risen = difference(everybody, nobody, confidence), difference(nobody, everybody, confidence)
        assert (fallen.low, risen.high) == (-1, 1)
        assert -1 < fallen.high < -0.95
        assert 0.95 < risen.low < 1


def test_a_quantile_has_limits_and_no_standard_error():
    found = difference(WithInterval(50, np.nan, 45, 60, 0, 100), WithInterval(95, np.nan, 95, 100, 0, 100), 0.95)
    assert np.isnan(found.stderr)
    assert (found.low, found.high) == (45 - 10, pytest.approx(45 + np.hypot(5, 5)))
    assert difference(WithInterval(0, np.nan, 0, 0, 0, 100), WithInterval(99, np.nan, 0, 100, 0, 100), 0.9).high == 100
