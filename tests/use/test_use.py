"""The table of ordinary use: every kind of question at every scale, from its survey to its page, on this processor.

`make use` runs part of a covering design on each linear-algebra kernel that the processor can execute, and
`make use-all` all of it. A row ends without a warning of numpy, and twice with the same numbers; its limits are in
order, hold their estimates and stay within what is possible; shares add up; with many reports estimates are near the
truth and intervals as wide as their standard errors say.
"""

import os

import pytest
from asked import KNOWN, ROWS, Row
from coverage import MANY_ENOUGH, counted_rows, cover, surveys_of
from walk import walk

A_KERNEL = 120
"""Rows of `make use`, of each kernel: those after the known ones are other ones on each."""

KERNELS = ("Haswell", "Sandybridge", "Prescott", "SkylakeX")


def rows_of_kernel(kernel):
    """The known rows, and half of all others: those that the next kernel does not take."""
    part = KERNELS.index(kernel) if kernel in KERNELS else 0
    others = ROWS[len(KNOWN) :]
    return [*KNOWN, *others[part % 2 :: 2]][:A_KERNEL]


OWN = rows_of_kernel(os.environ.get("OPENBLAS_CORETYPE", ""))

ORDINARY = Row("distribution", "1", 3_000, "falling", "alone")
LONGER = 5
"""Times that of the ordinary row of twenty bins, which is the first of a process."""


@pytest.fixture(scope="module")
def ordinary(tmp_path_factory):
    """Seconds of the ordinary row."""
    return walk(ORDINARY, tmp_path_factory.mktemp("ordinary")).seconds


@pytest.mark.use
@pytest.mark.parametrize("row", OWN, ids=str)
def test_a_row_of_use_ends_with_numbers_that_its_reader_may_use(row, ordinary, tmp_path):
    walked = walk(row, tmp_path)
    assert walked.seconds < LONGER * ordinary
    # Refused are deltas above epsilon, and so few reports that nothing can be said.
    assert walked.rows is not None or row.reports < MANY_ENOUGH or row.kind == "means under deltas", walked.refused
    assert not walked.mistakes, "\n".join(walked.mistakes[:10])
    again = walk(row)
    assert (again.rows, again.refused) == (walked.rows, walked.refused)


@pytest.mark.counted
@pytest.mark.parametrize("row", counted_rows(), ids=str)
def test_intervals_hold_as_often_as_they_say_and_forecasts_come_true(row):
    covered = cover(row, surveys_of(row))
    # Of so few reports intervals may be those of all that is possible, or most surveys refused.
    assert row.reports < MANY_ENOUGH or (covered is not None and covered.judged)
    assert covered is None or not covered.mistakes, "\n".join(covered.mistakes[:10])


@pytest.mark.use_all
@pytest.mark.parametrize("row", [row for row in ROWS if row not in OWN], ids=str)
def test_all_other_rows_of_the_table(row, ordinary, tmp_path):
    test_a_row_of_use_ends_with_numbers_that_its_reader_may_use(row, ordinary, tmp_path)
