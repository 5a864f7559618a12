"""Records of several attributes: the order of the indices against nested loops, and refusals."""

from itertools import product

import numpy as np
import pytest

from sordino import Categories, Record, SordinoError

RECORD = Record({"smoker": Categories(["yes", "no"]), "id": Categories(range(3)), "one": Categories(["only"])})


def test_indices_count_like_nested_loops():
    rows = [[a, b, c] for a in range(2) for b in range(3) for c in range(1)]
    assert (RECORD.shape, RECORD.k, RECORD.d, RECORD.names) == ((2, 3, 1), 6, 3, ("smoker", "id", "one"))
    np.testing.assert_array_equal(RECORD.index(rows), np.arange(6))
    np.testing.assert_array_equal(RECORD.values(np.arange(6)), rows)
    assert [RECORD.label(i) for i in range(6)] == [f"{a}, {b}, only" for a, b in product(["yes", "no"], range(3))]
    assert RECORD.index(np.empty((0, 3), dtype=int)).shape == (0,)
    assert RECORD.values(np.empty(0, dtype=int)).shape == (0, 3)


def test_records_are_values():
    again = Record({"smoker": Categories(["yes", "no"]), "id": Categories(range(3)), "one": Categories(["only"])})
    assert (RECORD, hash(RECORD)) == (again, hash(again))


def test_bad_attributes_are_refused():
    for attributes in ({}, None, {"": Categories(["a"])}, {1: Categories(["a"])}, {"x": ["a", "b"]}, {"x": None}):
        with pytest.raises(SordinoError):
            Record(attributes)


def test_records_may_be_more_than_an_index_can_tell():
    many = Record({str(i): Categories(range(256)) for i in range(4)})
    assert many.index([[1, 0, 0, 2]]).tolist() == [2**24 + 2]
    huge = Record({str(i): Categories(range(2)) for i in range(80)})
    assert (huge.k, huge.d) == (2**80, 80)
    for call in (lambda: huge.index([[0] * 80]), lambda: huge.values([0])):
        with pytest.raises(SordinoError, match="at most"):
            call()


def test_bad_values_are_refused_by_their_position():
    for values in ([[0, 0]], [0, 0, 0], [[0.5, 0, 0]], [["a", 0, 0]]):
        with pytest.raises(SordinoError, match="rows of 3 whole numbers"):
            RECORD.index(values)
    for row in ([2, 0, 0], [-1, 0, 0]):
        with pytest.raises(
            SordinoError, match=r"'smoker' must lie in 0\.\.1; found a value out of range at position 1"
        ):
            RECORD.index([[0, 0, 0], row])
    for index in ([6], [-1]):
        with pytest.raises(SordinoError, match="position 0"):
            RECORD.values(index)
    for index in ([[0]], [0.5]):
        with pytest.raises(SordinoError, match="whole numbers in one row"):
            RECORD.values(index)
