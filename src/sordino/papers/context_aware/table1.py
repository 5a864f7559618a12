"""Table 1 of the context-aware LDP paper: how well check-ins on a map are estimated, the more the larger the blocks.

The paper's map has 125 x 350 cells; its columns are uniform LDP and maps of 5 x 7, 25 x 35 and 25 x 70 public blocks.
A distance is the total variation between the estimate and the shares of these very people, averaged over the runs.
The paper states neither epsilon nor the post-processing; epsilon 1 with the nearest
distribution is compatible with its numbers.
Source: context-aware LDP paper, Section 7. Cost: seconds a run for four million people.

Section 8 asks for blocks of unequal sizes: about the middles of the states, and rectangles that hold about equally
many people by the public census of towns, beside as many rectangles of one size.

Check-ins from a table: how many people each cell of a map has.

Columns `latitude` and `longitude` in degrees, and `count` where a row stands for several people. Positions outside the
map are left out and counted; anything that is no number is refused by its row and column, never by its value.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sordino.demo.simulated_people import draw_people, us_places
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

UNEQUAL = {"5x10": (5, 10), "states": None, "people": None}
"""Columns with blocks of unequal sizes, after one of 50 rectangles of one size."""

STATES = """AL 32.8 -86.8 AZ 34.3 -111.7 AR 34.9 -92.4 CA 37.2 -119.3 CO 39.0 -105.5 CT 41.6 -72.7 DE 39.0 -75.5
    FL 28.1 -81.6 GA 32.7 -83.4 ID 44.3 -114.6 IL 40.0 -89.2 IN 39.9 -86.3 IA 42.0 -93.5 KS 38.5 -98.4 KY 37.5 -85.3
    LA 31.1 -92.0 ME 45.4 -69.2 MD 39.0 -76.8 MA 42.2 -71.5 MI 44.2 -84.5 MN 46.3 -94.2 MS 32.7 -89.7 MO 38.4 -92.5
    MT 47.0 -109.6 NE 41.5 -99.8 NV 39.3 -116.6 NH 43.7 -71.6 NJ 40.2 -74.7 NM 34.4 -106.1 NY 42.9 -75.6 NC 35.6 -79.4
    ND 47.5 -100.5 OH 40.4 -82.8 OK 35.6 -97.5 OR 44.0 -120.6 PA 40.9 -77.8 RI 41.6 -71.5 SC 33.9 -80.9 SD 44.4 -100.2
    TN 35.9 -86.4 TX 31.5 -99.3 UT 39.3 -111.7 VT 44.1 -72.7 VA 37.5 -78.8 WA 47.4 -120.4 WV 38.6 -80.6 WI 44.6 -89.9
    WY 43.0 -107.6"""
"""The middles of 48 states in degrees, to some ten kilometres: a cell is of the nearest one, which is no border."""

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


def estimates(repeats: int, *, unequal: bool = False) -> int:
    """How many estimates the table takes, for its progress."""
    return len(UNEQUAL if unequal else BLOCKS) * len(CONTESTANTS) * len(METHODS) * repeats


def table1(
    people: Counts,
    epsilon: NatsLike,
    repeats: int,
    advance: Advance = lambda _: None,
    grid: Grid = MAP,
    *,
    smoothed: bool = False,
    unequal: bool = False,
) -> tuple[Cell, ...]:
    """The table, column by column.

    Args:
        people: shape (k,), how many each cell of the map has.
        advance: called with the number of estimates made since the last call.
        grid: the map; rows and columns in multiples of 25 and 70.
        smoothed: whether the best mechanism's estimates are smoothed too, where this is expected to be nearer.
        unequal: whether the columns are those of unequal blocks.
    """
    shares, known = people / people.sum(), Surroundings((grid.rows, grid.columns))
    cells = []
    for column, name in enumerate(UNEQUAL if unequal else BLOCKS):
        blocks = blocks_of(name, grid)
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


def blocks_of(name: str, grid: Grid = MAP) -> Partition:
    """The blocks of a column."""
    if name == "states":
        return _states(grid)
    if name == "people":
        return _even(grid)
    along, across = (BLOCKS | UNEQUAL)[name] or (1, 1)
    return Partition.of(grid.tiles(grid.rows // along, grid.columns // across))


def _states(grid: Grid) -> Partition:
    words = STATES.split()
    middles = np.array([words[1::3], words[2::3]], dtype=np.float64)
    south, west = (grid.north - grid.south) / grid.rows, (grid.east - grid.west) / grid.columns
    latitude = np.repeat(grid.south + south * (np.arange(grid.rows) + 0.5), grid.columns)
    longitude = np.tile(grid.west + west * (np.arange(grid.columns) + 0.5), grid.rows)
    # A degree of longitude is shorter than one of latitude.
    across = (longitude[:, None] - middles[1]) * np.cos(np.radians(latitude))[:, None]
    return Partition.of(((latitude[:, None] - middles[0]) ** 2 + across**2).argmin(axis=1))


def _even(grid: Grid) -> Partition:
    """Rectangles, as many as of one size: the one with most people is cut across its longer side, again and again."""
    places = us_places()
    cells = grid.locate(places[:, 0], places[:, 1])
    people = np.bincount(cells[cells >= 0], places[cells >= 0, 2], minlength=grid.k).reshape(grid.rows, grid.columns)
    block = np.zeros((grid.rows, grid.columns), dtype=np.intp)
    rectangles = [(slice(0, grid.rows), slice(0, grid.columns))]
    while len(rectangles) < 50:
        most = max((one for one in rectangles if block[one].size > 1), key=lambda one: float(people[one].sum()))
        sides = [side.stop - side.start for side in most]
        axis = int(sides[1] > sides[0])
        total = np.cumsum(people[most].sum(axis=1 - axis))
        middle = int(np.clip(np.searchsorted(total, total[-1] / 2), 0, sides[axis] - 2)) + 1
        side = most[axis]
        halves = slice(side.start, side.start + middle), slice(side.start + middle, side.stop)
        rectangles.remove(most)
        rectangles += [(half, most[1]) if axis == 0 else (most[0], half) for half in halves]
    for number, rectangle in enumerate(rectangles):
        block[rectangle] = number
    return Partition.of(block.ravel())


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
