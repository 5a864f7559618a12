"""Rows that stand for several people with the same answers, by a column of counts: each person answers by herself.

Every person draws a question, a reading and a code of her own, by fresh words. Reports of a table of such rows are not
released in the order of its rows: there one can see where the answers change. Whoever moves from one row to another
moves the ends of all rows between them, and the places of n reports in a row would tell of her more than her own report
does. So the reports are sorted by their codes, which is a function of what was sent and of nothing else.
Cost: memory for each different code, 16 bytes, whatever the number of people; the people of a batch are made in pieces.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sordino.domain.scaled import Measured
from sordino.errors import SordinoError
from sordino.exact.source import Words
from sordino.tables.columns import numeric_type
from sordino.tables.duckdb import TEXT, header, number, require_columns
from sordino.tables.frame import PathOrFrame, array_of
from sordino.tables.table_file import TO_FILE, can_be_read_again

if TYPE_CHECKING:
    from sordino.tables.wrong_rows import WrongRows

MOST = 10**9
"""People of one row."""

PIECE = 1 << 17
"""People who are made together, and codes that are handed on."""

KEY = "people of a row"
"""What the column is called among those that are read."""

Column = NDArray[np.generic]


@dataclass(frozen=True)
class CountColumn:
    """How many people each row of a table stands for."""

    name: str

    @property
    def expressions(self) -> dict[str, str]:
        """What to read of it."""
        return {KEY: number(self.name)}

    def require(self, table: PathOrFrame) -> None:
        """Refuse a table that lacks the column, or has no numbers in it.

        Raises:
            SordinoError: with what it has instead.
        """
        require_columns(table, [self.name], "name the column of counts: `count_column`", named=True)
        kind = dict(header(table)).get(self.name, TEXT)
        if not numeric_type(kind):
            raise SordinoError(
                f"{table} must have whole numbers in {self.name}",
                found=f"type {kind}",
                step="name the column that says how many people each row stands for",
            )

    def read(self, table: PathOrFrame, batch: pa.RecordBatch, rows: int) -> NDArray[np.int64]:
        """The counts of a batch that begins after so many rows, shape (n,).

        Raises:
            SordinoError: one that is missing, negative, no whole number, or too large; with how many there are.
        """
        counts = _numbers({KEY: batch.column(KEY)})
        wrong = _wrong(counts)
        if wrong.any():
            raise self._error(table, rows + int(np.argmax(wrong)) + 1)
        return counts.astype(np.int64)

    def _error(self, table: PathOrFrame, row: int) -> SordinoError:
        from sordino.tables.wrong_rows import STEPS, Look, examine

        rule = f"{table}, row {row}, {self.name}: a count must be a whole number from 0 to {MOST:,}"
        if not can_be_read_again(table):
            step = f"{TO_FILE}; nothing was written"
            raise SordinoError(rule, found="a missing or a wrong one, in a pipe", step=step)
        look = Look([self.name], self.expressions, lambda columns: _wrong(_numbers(columns)), _causes)
        (found,) = examine(table, [look])
        parts = [f"a missing one in {found.missing:,} of {found.rows:,} rows"] if found.missing else []
        parts += [f"a wrong value {found.words}"] if found.causes else []
        step = STEPS.get(found.cause, "correct it, or leave the row out if it stands for nobody")
        return SordinoError(rule, found="; ".join(parts), step=f"{step}; nothing was written")


def each_person(
    values: Sequence[Column | Measured], counts: NDArray[np.int64]
) -> Iterator[tuple[Column | Measured, ...]]:
    """The values of rows once for each person, in the order of the rows, some at a time.

    Example:
        >>> [column.tolist() for (column,) in each_person([np.array([5, 6, 7])], np.array([2, 0, 1]))]
        [[5, 5, 7]]
    """
    ends = np.cumsum(counts)
    people = int(ends[-1]) if len(ends) else 0
    for first in range(0, people, PIECE):
        rows = np.searchsorted(ends, np.arange(first, min(first + PIECE, people)), side="right")
        yield tuple(_repeat_rows(column, rows) for column in values)


def sorted_codes(batches: Iterator[Words], done: Callable[[int], None]) -> Iterator[Words]:
    """Codes in ascending order, each as often as it was sent, once all are drawn.

    Args:
        batches: of codes.
        done: called with the number of codes drawn since the last call.
    """
    codes, times = np.empty(0, dtype=np.uint64), np.empty(0, dtype=np.int64)
    for batch in batches:
        found, often = np.unique(batch, return_counts=True)
        merged, place = np.unique(np.concatenate([codes, found]), return_inverse=True)
        total = np.zeros(len(merged), dtype=np.int64)
        np.add.at(total, place, np.concatenate([times, often]))
        codes, times = merged, total
        done(len(batch))
    for (piece,) in each_person([codes], times):
        yield piece  # type: ignore[misc]  # codes, as they were given


def _repeat_rows(column: Column | Measured, rows: NDArray[np.intp]) -> Column | Measured:
    if isinstance(column, Measured):
        return Measured(tuple(numbers[rows] for numbers in column.numbers), column.ranges)
    return column[rows]


def _numbers(columns: Mapping[str, pa.Array]) -> NDArray[np.float64]:
    numbers: NDArray[np.float64] = array_of(columns[KEY]).astype(np.float64, copy=False)
    return numbers


def _wrong(counts: NDArray[np.float64]) -> NDArray[np.bool_]:
    with np.errstate(invalid="ignore"):
        right: NDArray[np.bool_] = (counts >= 0) & (counts <= MOST) & (np.floor(counts) == counts)
    return ~right


def _causes(rows: "WrongRows") -> NDArray[np.object_]:
    from sordino.tables.wrong_rows import number_cause

    found = number_cause(rows, f"beyond {MOST:,}")
    (counts,) = rows.numbers
    with np.errstate(invalid="ignore"):
        finite = np.isfinite(counts)
        found[finite & (np.floor(counts) != counts)] = "numbers with a fraction where whole ones are asked"
        found[finite & (counts < 0)] = "negative"
    return found
