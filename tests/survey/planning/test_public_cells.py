"""Public cells: numbers of reports, one for each code and combination of public values, and none for anything else."""

from itertools import product

import numpy as np
import pytest

from sordino import SordinoError
from sordino.survey.planning.plan import UNSENDABLE, PublicCells
from sordino.survey.schema.public_column import PublicPart


def cells(*sizes, outputs=5):
    parts = [
        PublicPart(name=f"p{i}", labels=[f"{i}{j}" for j in range(size)], columns=[f"p{i}"])
        for i, size in enumerate(sizes)
    ]
    return PublicCells(tuple(parts), outputs)


def test_each_code_and_cell_has_a_number_of_its_own():
    found, seen = cells(2, 3), []
    for places in product(range(2), range(3)):
        cell = int(found.cell([np.array([place]) for place in places])[0])
        assert found.places(cell) == places
        assert found.of_labels(found.labels(cell)) == cell
        for code in range(5):
            (number,) = found.join(np.array([code], np.uint64), np.array([cell])).tolist()
            assert [int(own[0]) for own in found.split(np.array([number], np.uint64))] == [code, cell]
            seen.append(number)
    assert seen == list(range(30))
    assert found.last_number == 29


def test_what_is_no_code_or_no_cell_has_the_number_of_no_report():
    """A code beyond the last one must not become another cell's."""
    found = cells(2, 3)
    codes, own = np.array([5, 4, 9, 2**64 - 1], np.uint64), np.array([0, 6, 2**40, 1], np.uint64)
    assert found.join(codes, own).tolist() == [UNSENDABLE] * 4


@pytest.mark.parametrize(
    "given", [{}, {"p0": "00"}, {"p0": "00", "p1": "9"}, {"p0": "00", "p1": "10", "p2": "x"}, 3, None]
)
def test_other_values_are_of_no_cell(given):
    assert cells(2, 3).of_labels(given) is None


def test_without_public_columns_there_is_one_cell_and_a_number_is_a_code():
    found, codes = cells(), np.array([3, 0], np.uint64)
    assert (found.count, found.cell_bytes, found.of_labels({})) == (1, 0, 0)
    assert found.join(codes, np.zeros(2, np.int64)).tolist() == [3, 0]
    assert found.split(codes)[1].tolist() == [0, 0]


@pytest.mark.parametrize(("sizes", "width"), [((1,), 0), ((2,), 1), ((256,), 1), ((257,), 2)])
def test_a_cell_is_packed_in_as_many_bytes_as_the_last_one_needs(sizes, width):
    assert cells(*sizes).cell_bytes == width


def test_more_numbers_than_64_bits_have_are_refused():
    assert cells(2, outputs=2**63 - 1).last_number == 2**64 - 3
    for outputs in (2**63, 2**64):
        with pytest.raises(SordinoError):
            cells(2, outputs=outputs)
