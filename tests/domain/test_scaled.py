"""Records checked once: what is refused, how, and that a refusal tells no value."""

import numpy as np
import pytest

from in_one import in_one
from sordino import Scaled, SordinoError
from sordino.domain import scaled

BAD = [np.nan, np.inf, -np.inf, 1.0000000000000002, -1.5, 98765.0]


@pytest.mark.parametrize("bad", BAD)
@pytest.mark.parametrize(("n", "d", "row", "column"), [(1, 1, 0, 0), (7, 3, 6, 2), (50, 4, 17, 0)])
def test_a_number_outside_is_named_by_its_place(bad, n, d, row, column, monkeypatch):
    monkeypatch.setattr(scaled, "PIECE", 16)
    records = np.linspace(-1, 1, n * d).reshape(n, d)
    records[row, column] = bad
    with pytest.raises(SordinoError) as caught:
        Scaled.of(records)
    assert caught.value.found == f"a number out of range in record {row}, number {column}"
    assert str(bad) not in str(caught.value)


def test_the_first_of_several_is_named(monkeypatch):
    monkeypatch.setattr(scaled, "PIECE", 16)
    records = np.zeros((40, 3))
    records[39, 0] = records[23, 2] = records[23, 1] = 2
    with pytest.raises(SordinoError, match="record 23, number 1"):
        Scaled.of(records)


@in_one(
    ("values", "d"),
    [([[0.5, 1]], 3), ([0.5, 1], 2), (0.5, 1), ([[["0"]]], 1), ([["a"]], 1), ([[True]], 1), ([[1j]], 1), ([[None]], 1)],
)
def test_other_shapes_and_kinds_are_refused(values, d):
    with pytest.raises(SordinoError, match="rows of"):
        Scaled.of(values, d)


def test_good_records_are_read_as_they_are():
    records = np.array([[1.0, -1.0], [0.0, -0.0]])
    assert np.shares_memory(Scaled.of(records).records, records)
    assert Scaled.of([1, -1, 0]).records.tolist() == [[1.0], [-1.0], [0.0]]
    assert Scaled.of(np.array([[1, -1]], dtype=np.int8)).records.dtype == np.float64
    assert Scaled.of(np.zeros((0, 3)), 3).records.shape == (0, 3)
    assert Scaled.of(np.asfortranarray(records)).records.tolist() == records.tolist()


def test_checked_records_cannot_be_written_through():
    with pytest.raises(ValueError, match="read-only"):
        Scaled.of([[0.5]]).records[0, 0] = 7
