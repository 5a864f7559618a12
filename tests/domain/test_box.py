"""Boxes refuse what is infinite, empty or of unequal lengths; records are named by position, never by value."""

import numpy as np
import pytest

from in_one import in_one
from sordino import Box, Scaled, SordinoError


def test_a_box_is_a_value():
    assert Box([0, 1], [2, 3]) == Box(np.array([0.0, 1.0]), (2, 3))
    assert hash(Box([0], [1])) == hash(Box((0.0,), (1.0,)))
    assert Box([0, 1], [2, 3]).d == 2


def test_the_cube_covers_the_box():
    box = Box([10, -0.1, 1e-20], [100, 0.3, 3e-20])
    corners = np.array([[-1.0, -1, -1], [1, 1, 1], [0, 0, 0]])
    records = box.records(corners)
    assert np.allclose(records[:2], [box.low, box.high], rtol=1e-15, atol=0)
    assert np.allclose(records[2], [55, 0.1, 2e-20], rtol=1e-15)
    assert ((records >= box.low) & (records <= box.high)).all()
    assert (box.records(corners * 1.5)[1] == box.high).all()


@in_one(
    ("low", "high"),
    [
        ([], []),
        ([0], [1, 2]),
        ([0, 0], [1, 0]),
        ([0, 3], [1, 2]),
        ([0, np.nan], [1, 1]),
        ([0, 0], [1, np.inf]),
        ("01", "23"),
        (0, 1),
    ],
)
def test_a_bad_box_is_refused(low, high):
    with pytest.raises(SordinoError, match="box"):
        Box(low, high)


def test_the_wrong_number_is_named_by_position_only():
    with pytest.raises(SordinoError, match=r"record 1, number 0") as refusal:
        Box([0, 0], [1, 1]).check_records([[0.5, 0.5], [7731.5, 0.5]])
    assert "7731" not in str(refusal.value)


@in_one("records", [[[0.5]], [0.5, 0.5, 0.5], [["a", "b"]], [[0.5, np.nan]], [[0.5, np.inf]]])
def test_bad_records_are_refused(records):
    with pytest.raises(SordinoError, match="records"):
        Box([0, 0], [1, 1]).check_records(records)


def test_one_record_is_a_row_and_single_numbers_a_column():
    assert Box([0, 0], [1, 1]).check_records([0.5, 1]).shape == (1, 2)
    assert Box([0], [1]).check_records([0.5, 1, 0]).shape == (3, 1)


def test_whole_numbers_of_any_size_are_numbers():
    # numpy takes integers from 2^64 up for objects.
    assert Box([0], [1e40]).check_records([2**64]).tolist() == [[float(2**64)]]
    assert Scaled.of([[0], [1]]).records.tolist() == [[0.0], [1.0]]
    with pytest.raises(SordinoError, match="at most 1e60"):
        Box([0], [1]).check_records([10**400])
