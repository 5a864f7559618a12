"""Columns as arrays, against pyarrow's own way."""

import numpy as np
import pyarrow as pa
import pytest

from sordino.tables.frame import array_of, column_of

KINDS = [
    pa.int8(),
    pa.int32(),
    pa.int64(),
    pa.uint8(),
    pa.uint32(),
    pa.uint64(),
    pa.float32(),
    pa.float64(),
    pa.bool_(),
]


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_every_slice_is_pyarrows(kind):
    column = pa.array([i % 3 == 0 for i in range(21)]).cast(kind)
    for start in range(21):
        piece = column[start : start + 9]
        expected = piece.to_numpy(zero_copy_only=False)
        assert array_of(piece).dtype == expected.dtype
        assert array_of(piece).tolist() == expected.tolist()


@pytest.mark.parametrize("kind", [pa.float32(), pa.float64()], ids=str)
def test_missing_floats_are_not_a_number(kind):
    column = pa.array([None if i % 4 == 1 else i / 2 for i in range(21)], kind)
    for start in range(21):
        piece = column[start:]
        np.testing.assert_array_equal(array_of(piece), piece.to_numpy(zero_copy_only=False))
        assert array_of(piece).dtype == piece.to_numpy(zero_copy_only=False).dtype


@pytest.mark.parametrize("kind", [pa.int32(), pa.bool_()], ids=str)
def test_other_missing_values_have_no_number(kind):
    with pytest.raises(ValueError, match="missing values"):
        array_of(pa.array([None, True]).cast(kind))


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_nothing_at_all(kind):
    assert array_of(pa.array([], kind)).tolist() == []


@pytest.mark.parametrize("width", [np.uint32, np.uint64])
def test_back_again(width):
    values = np.arange(50, dtype=width)[::-7]
    assert column_of(values).equals(pa.array(values))
