"""Records checked once: what is refused, how, and that a refusal tells no value."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from in_one import in_one
from sordino import Interval, Scaled, SordinoError
from sordino.domain import scaled
from sordino.domain.scaled import MEASURED_PIECE, Measured, Ranges

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


RANGES = (Interval(0, 10), Interval(-1e-3, 1e9))


@pytest.fixture
def measured():
    rng = np.random.default_rng(5)
    return Measured((rng.uniform(-2, 12, 3 * MEASURED_PIECE + 1), rng.normal(0, 1e9, 3 * MEASURED_PIECE + 1)), RANGES)


def test_some_peoples_records_are_rows_of_all_records(measured):
    every = measured[:].records
    assert every.shape == (len(measured), 2)
    some = np.array([3, 4, MEASURED_PIECE, 3 * MEASURED_PIECE])
    np.testing.assert_array_equal(measured[some].records, every[some])
    np.testing.assert_array_equal(measured[:3].records, every[:3])


def test_numbers_are_scaled_to_their_ends_and_what_is_beyond_counts_as_an_end():
    measured = Measured((np.array([0.0, 5.0, 10.0, -7.0, 1e300]),), RANGES[:1])
    assert measured[:].records[:, 0].tolist() == [-1.0, 0.0, 1.0, -1.0, 1.0]
