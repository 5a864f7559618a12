"""Table 1 of the context-aware LDP paper: how well check-ins on a map are estimated, the more the larger the blocks.

The paper's map has 125 x 350 cells; its columns are uniform LDP and maps of 5 x 7, 25 x 35 and 25 x 70 public blocks.
A distance is the total variation between the estimate and the shares of these very people, averaged over the runs.
The paper states neither epsilon nor the post-processing; epsilon 1 with the nearest
distribution is compatible with its numbers.
Source: context-aware LDP paper, Section 7. Cost: seconds a run for four million people.

Check-ins from a table: how many people each cell of a map has.

Columns `latitude` and `longitude` in degrees, and `count` where a row stands for several people. Positions outside the
map are left out and counted; anything that is no number is refused by its row and column, never by its value.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sordino.demo.simulated_people import draw_people
from sordino.domain.grid import Grid
from sordino.domain.value_partition import Partition
from sordino.errors import SordinoError
from sordino.estimation.neighbours.smoothing import Surroundings
from sordino.estimation.share_estimate import Method
from sordino.exact.floats import Floats
from sordino.exact.nats import NatsLike
from sordino.papers.simulation import (
    CONTESTANTS,
    METHODS,
    Advance,
    Contestant,
    Counts,
    SimulationSource,
    contestant,
    distances,
    post_processings,
)
from sordino.tables.duckdb import header, quote, read_batches

MAP = Grid(south=25, north=50, west=-130, east=-60, rows=125, columns=350)

BLOCKS = {"LDP": (1, 1), "5x7": (5, 7), "25x35": (25, 35), "25x70": (25, 70)}
"""The table's columns: blocks from south to north and from west to east."""

PAPER = {"LDP": 0.591, "5x7": 0.298, "25x35": 0.108, "25x70": 0.082}
"""What the paper prints, for 3,671,812 Gowalla check-ins and 100 runs."""

SIMULATED_PEOPLE = 1_000_000
"""As many as in the demo, and the same ones."""

SEED = 7301
"""Any number: with another one the runs differ, their means hardly."""


@dataclass(frozen=True)
class Cell:
    """One entry of the table.

    Attributes:
        tv: mean total variation distance to the people's shares.
    """

    blocks: str
    mechanism: Contestant
    estimator: Method
    tv: float


def simulated_people() -> Counts:
    """How many of the demo's people live in each cell of the map, shape (43750,)."""
    cells = MAP.locate(*draw_people(SIMULATED_PEOPLE))
    return np.bincount(cells, minlength=MAP.k)


def estimates(repeats: int) -> int:
    """How many estimates the table takes, for its progress."""
    return len(BLOCKS) * len(CONTESTANTS) * len(METHODS) * repeats


def table1(
    people: Counts,
    epsilon: NatsLike,
    repeats: int,
    advance: Advance = lambda _: None,
    grid: Grid = MAP,
    *,
    smoothed: bool = False,
) -> tuple[Cell, ...]:
    """The table, column by column.

    Args:
        people: shape (k,), how many each cell of the map has.
        advance: called with the number of estimates made since the last call.
        grid: the map; rows and columns in multiples of 25 and 70.
        smoothed: whether the best mechanism's estimates are smoothed too, where this is expected to be nearer.
    """
    shares, known = people / people.sum(), Surroundings((grid.rows, grid.columns))
    cells = []
    for column, (name, (along, across)) in enumerate(BLOCKS.items()):
        blocks = Partition.of(grid.tiles(grid.rows // along, grid.columns // across))
        for mechanism in CONTESTANTS:
            channel = contestant(mechanism, blocks, epsilon)
            methods = post_processings(channel)
            if smoothed and mechanism == "best":
                methods = (*methods, "smoothed")
            runs = [
                distances(channel, people, shares, SimulationSource(SEED, run, column), advance, methods, known)
                for run in range(repeats)
            ]
            means = np.mean(runs, axis=0).tolist()
            cells += [Cell(name, mechanism, method, tv) for method, tv in zip(methods, means, strict=True)]
    return tuple(cells)


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
    names = [name for name, _ in header(path)]
    if COUNT in names:
        return *POSITION, COUNT
    if COUNT in [name.strip().lower() for name in names]:
        # Left unread, each of its rows would pass for one person.
        raise SordinoError(
            f"{path}: a column of counts must be called {COUNT}",
            found="a different spelling",
            step="mind blanks and case",
        )
    return POSITION


def _numbers(path: Path, batch: pa.RecordBatch, column: str, rows: int) -> Floats:
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
