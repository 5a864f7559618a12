"""One statistic of each record, however the records lie in memory, against all statistics."""

import numpy as np
import pytest

from sordino.domain.statistic import Moments

NAMES = [
    ((0,), (1,), (2,), (3,), (4,)),
    ((3,), (1,)),
    ((0, 0), (0, 1), (2,), (4, 4), (1, 3)),
    ((0,), (1, 4), (2, 2)),
]


@pytest.mark.parametrize("names", NAMES)
@pytest.mark.parametrize("layout", ["rows", "columns", "slices"])
def test_what_is_drawn_is_what_all_statistics_hold(names, layout):
    rng = np.random.default_rng(3)
    records = rng.uniform(-1, 1, (200, 10))[:, ::2] if layout == "slices" else rng.uniform(-1, 1, (200, 5))
    records = np.asfortranarray(records) if layout == "columns" else records
    moments = Moments(5, names)
    which = rng.integers(0, moments.m, 200)
    expected = moments.values(records)[np.arange(200), which]
    np.testing.assert_array_equal(moments.drawn(records, which), expected)
    assert moments.drawn(records[:0], which[:0]).shape == (0,)
