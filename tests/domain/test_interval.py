"""Ranges of numbers refuse what is infinite, empty or no number."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from in_one import in_one
from sordino import Interval, SordinoError


def test_a_range_holds_floats():
    assert Interval(np.float32(0.5), 2) == Interval(0.5, 2.0)
    assert isinstance(Interval(1, 2).low, float)
    assert Interval(-3, 1).width == 4


@in_one(
    "ends",
    [(0, np.inf), (-np.inf, 0), (np.nan, 1), (0, np.nan), (1, 1), (2, 1), ("0", 1), (True, 2), (None, 1), (0, 1e300)],
)
def test_a_bad_range_is_refused(ends):
    with pytest.raises(SordinoError, match="range"):
        Interval(*ends)


@given(st.floats(-1e9, 1e9), st.floats(1e-3, 1e9))
def test_the_ends_go_to_minus_one_and_one_exactly(low, width):
    interval = Interval(low, low + width)
    assert interval.scale([interval.low, interval.high]).tolist() == [-1, 1]
    assert (interval.scale(low - 1), interval.scale(low + 2 * width)) == (-1, 1)
