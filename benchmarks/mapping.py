"""Smoothed shares on maps that are made to be hard, through real reports: `python benchmarks/mapping.py [CHECKINS]`.

With a table of positions (latitude, longitude, perhaps count) these are measured too, beside the demo's people.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sordino.domain.partition import Partition
from sordino.estimation.estimate import estimate
from sordino.estimation.neighbours.smoothing import Surroundings
from sordino.papers.context_aware.checkins import read_checkins
from sordino.papers.context_aware.table1 import BLOCKS, MAP, simulated_people
from sordino.papers.simulation import SimulationSource, contestant, simulate_tally, total_variation

TITLE = "Smoothed shares"
NOTE = (
    "Table 1's map of 43,750 cells, epsilon 1, a million people, one seeded survey each through the real reports: "
    "total variation of the nearest distribution (within blocks), of what `--method smoothed` gives, and whether the "
    "smoothed shares were taken. Asked: nowhere more than 2 % worse."
)
HEADER = ("map", "blocks", "nearest", "smoothed", "ratio", "taken")

PEOPLE = 1_000_000
KNOWN = Surroundings((MAP.rows, MAP.columns))


def maps() -> Iterator[tuple[str, NDArray[np.float64]]]:
    """Names and weights, shape (k,)."""
    generator = np.random.default_rng(5)
    y, x = np.mgrid[: MAP.rows, : MAP.columns]
    hill = np.exp(-((x - 175) ** 2 + (y - 60) ** 2) / 200)

    def some(count: int) -> NDArray[np.float64]:
        return generator.permutation(np.arange(MAP.k) < count) * 1.0

    yield "10 spikes", some(10)
    yield "100 spikes", some(100) * generator.random(MAP.k)
    yield "30 spikes, half on the plain", some(30) / 30 + 1 / MAP.k
    for count in (300, 600, 1000, 1500, 3000, 8000):
        yield f"sparse, {count:,} cells", some(count)
    yield "sparse, heavy tail", some(400) * generator.pareto(1.0, MAP.k)
    yield "checkerboard", ((x + y) % 2).ravel() * 1.0
    yield "checkerboard on a hill", ((x + y) % 2 * hill).ravel()
    yield "lines", (x % 10 == 0).ravel() * 1.0
    yield "a corner", ((x < 20) & (y < 20)).ravel() * 1.0
    yield "uniform", np.ones(MAP.k)
    yield "Zipf, random order", generator.permutation(1 / np.arange(1.0, MAP.k + 1))
    yield "Zipf, in order", 1 / np.arange(1.0, MAP.k + 1)
    yield "geometric, random order", generator.permutation(0.99 ** np.arange(MAP.k))
    yield "a hill", hill.ravel()


def populations(checkins: Path | None) -> Iterator[tuple[str, NDArray[np.int64]]]:
    """Names, and how many people each cell has."""
    if checkins is not None:
        yield checkins.name, read_checkins(checkins, MAP).people
    yield "the demo's people", simulated_people()
    for name, weights in maps():
        yield name, np.random.default_rng(3).multinomial(PEOPLE, weights / weights.sum())


def rows(checkins: Path | None = None) -> Iterator[tuple[str, ...]]:
    """A map and a column of Table 1 each."""
    for name, people in populations(checkins):
        truth = people / people.sum()
        for column, (blocks, (along, across)) in enumerate(BLOCKS.items()):
            tiles = Partition.of(MAP.tiles(MAP.rows // along, MAP.columns // across))
            mechanism = contestant("best", tiles, "1")
            tally = simulate_tally(mechanism, people, SimulationSource(7301, 0, column))
            found = estimate(mechanism, tally, "smoothed", known=KNOWN)
            nearest = total_variation(estimate(mechanism, tally, "block-simplex").by_method, truth)
            smoothed = total_variation(found.by_method, truth)
            ratio = smoothed / nearest if nearest > 0 else 1.0
            taken = "yes" if found.method == "smoothed" else "no"
            yield name, blocks, f"{nearest:.3f}", f"{smoothed:.3f}", f"{ratio:.3f}", taken


if __name__ == "__main__":
    for row in rows(Path(sys.argv[1]) if len(sys.argv) > 1 else None):
        print("  ".join(row), flush=True)
