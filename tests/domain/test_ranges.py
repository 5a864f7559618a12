"""Ranges: ends go to -1 and 1, back and forth is the same, and what is out of range is refused by its place."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from in_one import in_one
from sordino import SordinoError
from sordino.domain.ranges import Ranges

ends = st.floats(-1e9, 1e9)


@given(ends, st.floats(1e-3, 1e9), st.floats(0, 1))
def test_numbers_of_the_range_go_to_minus_one_to_one_and_back(low, width, part):
    ranges = Ranges.of({"number": (low, low + width)})
    number = min(low + part * width, low + width)
    (scaled,) = ranges.scale([[low], [number], [low + width]]).T
    assert [scaled[0], scaled[2]] == [-1, 1]
    assert -1 <= scaled[1] <= 1
    assert ranges.middle[0] + ranges.half[0] * scaled[1] == pytest.approx(number, abs=1e-9 * (abs(low) + width))


def test_what_is_not_in_its_range_is_refused_by_place_and_never_by_value():
    ranges = Ranges.of({"age": (0, 100), "income": (0, 5000)})
    for value in (5000.125, -0.125, np.nan, np.inf):
        with pytest.raises(
            SordinoError, match=r"income must lie from 0\.0 to 5000\.0; found a number out of range in record 1"
        ) as caught:
            ranges.scale([[1, 2], [3, value]])
        assert str(value) not in str(caught.value)
    for shape in ((2,), (2, 3), (1, 2, 2)):
        with pytest.raises(SordinoError, match="rows of 2 numbers"):
            ranges.scale(np.zeros(shape))


@in_one("ends", [(1, 1), (2, 1), (0, np.inf), (np.nan, 1), (-1e308, 1e308), (1e18, 1e18 + 256)])
def test_ranges_without_width_are_refused(ends):
    with pytest.raises(SordinoError, match="the range of age must go from a lower"):
        Ranges.of({"age": ends})
