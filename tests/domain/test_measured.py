"""Numbers in the data's unit: those of who is read are scaled as all of them would be."""

import numpy as np
import pytest

from sordino import Interval
from sordino.domain.measured import PIECE, Measured

RANGES = (Interval(0, 10), Interval(-1e-3, 1e9))


@pytest.fixture
def measured():
    rng = np.random.default_rng(5)
    return Measured((rng.uniform(-2, 12, 3 * PIECE + 1), rng.normal(0, 1e9, 3 * PIECE + 1)), RANGES)


def test_some_peoples_records_are_rows_of_all_records(measured):
    every = measured[:].records
    assert every.shape == (len(measured), 2)
    some = np.array([3, 4, PIECE, 3 * PIECE])
    np.testing.assert_array_equal(measured[some].records, every[some])
    np.testing.assert_array_equal(measured[:3].records, every[:3])


def test_numbers_are_scaled_to_their_ends_and_what_is_beyond_counts_as_an_end():
    measured = Measured((np.array([0.0, 5.0, 10.0, -7.0, 1e300]),), RANGES[:1])
    assert measured[:].records[:, 0].tolist() == [-1.0, 0.0, 1.0, -1.0, 1.0]
