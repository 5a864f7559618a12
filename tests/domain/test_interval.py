"""Ranges of numbers refuse what is infinite, empty or no number."""

import numpy as np
import pytest

from sordino.domain.interval import Interval
from sordino.errors import SordinoError


def test_a_range_holds_floats():
    assert Interval(np.float32(0.5), 2) == Interval(0.5, 2.0)
    assert isinstance(Interval(1, 2).low, float)
    assert Interval(-3, 1).width == 4


@pytest.mark.parametrize(
    "ends",
    [(0, np.inf), (-np.inf, 0), (np.nan, 1), (0, np.nan), (1, 1), (2, 1), ("0", 1), (True, 2), (None, 1), (0, 1e300)],
)
def test_a_bad_range_is_refused(ends):
    with pytest.raises(SordinoError, match="range"):
        Interval(*ends)
