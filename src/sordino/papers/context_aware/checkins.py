"""Check-ins from a table: how many people each cell of a map has.

Columns `latitude` and `longitude` in degrees, and `count` where a row stands for several people. Positions outside the
map are left out and counted; anything that is no number is refused by its row and column, never by its value.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sordino.domain.grid import Grid
from sordino.errors import SordinoError
from sordino.exact.arrays import Floats
from sordino.tables.duckdb import header, quote, read_batches

POSITION = ("latitude", "longitude")
COUNT = "count"

MOST_PEOPLE = 2**32
"""Of a row and of a file: more would be simulated for hours, and below it no sum is rounded."""


@dataclass(frozen=True, eq=False)
class Checkins:
    """People on a map.

    Attributes:
        people: int64, shape (k,), how many each cell has.
        outside: how many were left out, since their position lies outside the map.
    """

    people: NDArray[np.int64]
    outside: int


def read_checkins(path: Path, grid: Grid) -> Checkins:
    """Read a table of check-ins."""
    columns = _columns(path)
    # By way of text, so that a truth value is no number either; a cast that fails gives a missing one. Where only
    # casts are asked for, DuckDB moves them into its CSV reader, which fails: trimming keeps them out.
    select = {name: f"TRY_CAST(trim(CAST({quote(name)} AS VARCHAR)) AS DOUBLE)" for name in columns}
    people = np.zeros(grid.k, dtype=np.int64)
    rows = outside = 0
    for batch in read_batches(path, select, columns):
        numbers = {name: _numbers(path, batch, name, rows) for name in columns}
        rows += batch.num_rows
        cells = grid.locate(numbers["latitude"], numbers["longitude"])
        count = numbers.get(COUNT, np.ones(batch.num_rows))
        inside = cells >= 0
        people += np.bincount(cells[inside], count[inside], minlength=grid.k).astype(np.int64)
        outside += int(count[~inside].sum())
    if not people.any():
        area = f"{grid.south:g} to {grid.north:g} N and {-grid.west:g} to {-grid.east:g} W"
        rule = f"{path} must have check-ins within {area}"
        found = f"none of {rows:,} rows" if rows else "no rows"
        raise SordinoError(rule, found=found, step="give degrees, in columns latitude and longitude")
    if people.sum() > MOST_PEOPLE:
        rule = f"{path} must have at most {MOST_PEOPLE:,} check-ins"
        raise SordinoError(rule, found=f"{people.sum():,}", step="take a sample of them")
    return Checkins(people, outside)


def _columns(path: Path) -> tuple[str, ...]:
    """The columns to read: the position, and the count where there is one."""
    names = [name for name, _ in header(path)]
    if COUNT in names:
        return *POSITION, COUNT
    if COUNT in [name.strip().lower() for name in names]:
        # Left unread, each of its rows would pass for one person.
        rule = f"{path}: a column of counts must be called {COUNT}"
        raise SordinoError(rule, found="another spelling", step="mind blanks and case")
    return POSITION


def _numbers(path: Path, batch: pa.RecordBatch, column: str, rows: int) -> Floats:
    """One column of a batch that begins after so many rows."""
    numbers: Floats = batch.column(column).to_numpy(zero_copy_only=False)
    _refuse(~np.isfinite(numbers), f"{path}, row {{}}, {column}: must be a number", rows)
    if column == COUNT:
        _refuse(numbers < 0, f"{path}, row {{}}, {column}: must not be negative", rows)
        _refuse(numbers % 1 != 0, f"{path}, row {{}}, {column}: must be a whole number", rows)
        _refuse(numbers > MOST_PEOPLE, f"{path}, row {{}}, {column}: must be at most {MOST_PEOPLE:,}", rows)
    return numbers


def _refuse(wrong: NDArray[np.bool_], rule: str, rows: int) -> None:
    if wrong.any():
        row = rows + int(np.flatnonzero(wrong)[0]) + 1
        raise SordinoError(rule.format(row), found="a value that is not", step="correct it, or take the row out")
