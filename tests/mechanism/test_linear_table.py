"""Linear tables: what they tell of a number is exact, whatever the weights, and no other table is one."""

from fractions import Fraction

import numpy as np
import pytest

from in_one import in_one
from sordino import LDP, ChannelTable, LinearTable, SordinoError, certify
from sordino.testing import check_mechanism
from weights import linear

ROWS = [[4, 1, 2, 1], [2, 3, 1, 2], [1, 2, 3, 2]]
TABLES = [ROWS, linear(5, Fraction(3)), [[5, 1, 2, 0], [3, 2, 3, 0]]]


@pytest.mark.parametrize("rows", TABLES)
def test_what_codes_count_as_has_the_mean_of_the_value(rows):
    table, k = LinearTable(rows), len(rows)
    for low, high in ((-1.0, 1.0), (0.0, 1.0), (3.0, -5.0)):
        wanted = np.linspace(low, high, k)
        counts = [Fraction(count) for count in table.code_values(wanted).tolist()]
        for row, number in zip(rows, wanted.tolist(), strict=True):
            mean = sum(count * weight for count, weight in zip(counts, row, strict=True)) / sum(row)
            assert abs(mean - Fraction(number)) < Fraction(1, 2**45)
        # Linear in the code.
        assert max(abs(a - 2 * b + c) for a, b, c in zip(counts, counts[1:], counts[2:], strict=False)) < 2.0**-45


def test_what_grows_by_other_steps_is_told_as_by_any_table():
    functional = np.array([1.0, 0.0, 0.0])
    np.testing.assert_array_equal(LinearTable(ROWS).code_values(functional), ChannelTable(ROWS).code_values(functional))


def test_all_parts_are_those_of_the_weights():
    check_mechanism(LinearTable(ROWS), LDP("ln 4"))
    assert certify(LinearTable(ROWS), LDP("ln 4")).slack == 0
    assert LinearTable(ROWS) != ChannelTable(ROWS)
    assert LinearTable(ROWS).parameters != ChannelTable(ROWS).parameters


@in_one(
    ("rows", "found"),
    [
        ([[4, 1, 2, 1], [2, 3, 1, 2], [1, 3, 2, 2]], "equal steps above 0; found 2 different steps: use ChannelTable"),
        (ROWS[::-1], "equal steps above 0"),
        ([[1, 2], [1, 2], [1, 2]], "equal steps above 0"),
        ([[1, 2]], "2 to 64 values and at most as many codes; found 1 values and 2 codes"),
        ([[2, 1] + [0] * 63, [1, 2] + [0] * 63], "found 2 values and 65 codes"),
        ([[1, 2], [1, 3]], "all rows of a channel must have one sum"),
    ],
)
def test_other_tables_are_refused(rows, found):
    with pytest.raises(SordinoError, match=found):
        LinearTable(rows)


def test_one_unit_is_seen():
    rows = [[weight << 61 for weight in row] for row in ROWS]
    LinearTable(rows)
    rows[1][0] += 1
    rows[1][1] -= 1
    with pytest.raises(SordinoError, match="equal steps"):
        LinearTable(rows)
