"""Table 1 of the context-aware LDP paper: how well check-ins on a map are estimated, the more the larger the blocks.

The paper's map has 125 x 350 cells; its columns are uniform LDP and maps of 5 x 7, 25 x 35 and 25 x 70 public blocks.
A distance is the total variation between the estimate and the shares of these very people, averaged over the runs.
The paper states neither epsilon nor the post-processing; epsilon 1 with the nearest distribution fits its numbers.
Source: context-aware LDP paper, Section 7. Cost: seconds a run for four million people.
"""

from dataclasses import dataclass

import numpy as np

from sordino.demo.people import draw_people
from sordino.domain.grid import Grid
from sordino.domain.partition import Partition
from sordino.estimation.estimate import Method
from sordino.estimation.neighbours.smoothing import Surroundings
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
        epsilon: within each block.
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
