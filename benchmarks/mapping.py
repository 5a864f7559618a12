"""Smoothed shares on maps that are made to be hard, through real reports: `python benchmarks/mapping.py [CHECKINS]`.

With a table of positions (latitude, longitude, perhaps count) these are measured too, beside the demo's people. Maps of
other sizes, blocks, people and epsilons follow, drawn at random once: each is surveyed with three seeds.
"""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sordino import Partition
from sordino.estimation.neighbours.smoothing import Surroundings
from sordino.estimation.share_estimate import estimate
from sordino.papers.context_aware.table1 import BLOCKS, MAP, read_checkins, simulated_people
from sordino.papers.simulation import SimulationSource, contestant, simulate_tally, total_variation

TITLE = "Smoothed shares"
NOTE = (
    "Table 1's map of 43,750 cells, epsilon 1, a million people, one seeded survey each through the real reports: "
    "total variation of the nearest distribution (within blocks), of what `--method smoothed` gives, and whether the "
    "smoothed shares were taken. Then maps of other sizes, the mean of three seeded surveys each, and how often they "
    "were taken. Asked: nowhere more than 2 % worse."
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
    yield from others()


SHAPES, TILES = ((20, 20), (30, 50), (60, 80), (125, 350), (200, 350)), ((1, 1), (2, 2), (5, 5), (10, 10))
"""Rows and columns of maps, and of their blocks; (1, 1) stands for one block of all cells."""

SEEDS = 3


def hard_maps(shape: tuple[int, int], generator: np.random.Generator) -> Iterator[tuple[str, NDArray[Any]]]:
    """Names and weights of maps of any size, shape (k,)."""
    (rows_, columns), (y, x) = shape, np.indices(shape)
    hill = np.exp(-(((x / columns - 0.5) / 0.08) ** 2) / 2 - ((y / rows_ - 0.45) / 0.1) ** 2 / 2)

    def some(part: float) -> NDArray[Any]:
        return (generator.random(shape) < part) + 1e-9

    rank = generator.permutation(y.size).reshape(shape) + 1.0
    letter = np.array([[int(cell) for cell in row] for row in ("01110", "10001", "11111", "10001", "10001")])
    letters = np.tile(np.pad(letter, 2), (rows_ // 9 + 1, columns // 9 + 1))[:rows_, :columns]
    yield "lines, every tenth", x % 10 == 0
    yield "lines, every fifth", x % 5 == 0
    yield "rows, every third", y % 3 == 0
    yield "lines on a plain", (x % 6 == 0) + 0.3
    yield "lattice", (x % 7 == 0) | (y % 7 == 0)
    yield "diagonals", (x + y) % 9 == 0
    yield "dots", (x % 4 == 0) & (y % 4 == 0)
    yield "checkerboard", (x + y) % 2
    yield "checkerboard on a hill", (x + y) % 2 * hill
    yield "ring", abs(np.hypot(y - rows_ / 2, x - columns / 2) - 0.37 * rows_) < 1
    yield "letters", letters
    yield "letters on a plain", letters + 0.1
    yield "spikes on a plain", some(0.001) * 1000 + 1
    yield "sparse, 2 %", some(0.02)
    yield "sparse, 7 %", some(0.07)
    yield "sparse, half", some(0.5)
    yield "sparse on a hill", (some(0.1) + 0.2) * hill
    yield "Zipf, random order", 1 / rank
    yield "gamma, 0.1", generator.gamma(0.1, size=shape)
    yield "log-normal", np.exp(2.5 * generator.standard_normal(shape))
    yield "hill", hill
    yield "gradient", x + y + 1.0
    yield "half empty", x < columns / 2
    yield "half lines", np.where(x < columns / 2, x % 4 == 0, 0.25)


def others() -> Iterator[tuple[str, ...]]:
    """Three settings of each hard map."""
    drawn = np.random.default_rng(18)
    for place in range(3 * len(list(hard_maps(SHAPES[0], drawn)))):
        shape, tile = SHAPES[drawn.integers(len(SHAPES))], TILES[drawn.integers(len(TILES))]
        people, epsilon = int(drawn.choice([10_000, 100_000, 1_000_000])), str(drawn.choice(["0.5", "1", "2", "4"]))
        yield other(place, shape, tile, people, epsilon)


def other(place: int, shape: tuple[int, int], tile: tuple[int, int], people: int, epsilon: str) -> tuple[str, ...]:
    """One hard map in one setting."""
    name, weights = list(hard_maps(shape, np.random.default_rng(place)))[place // 3]
    whole = tile == (1, 1)
    y, x = np.indices(shape)
    blocks = Partition.of(0 * y.ravel() if whole else (y // tile[0] * shape[1] + x // tile[1]).ravel())
    mechanism, taken, distances = contestant("best", blocks, epsilon), 0, np.zeros(2)
    for seed in range(SEEDS):
        lived = np.random.default_rng((place, seed)).multinomial(people, weights.ravel() / weights.sum())
        tally = simulate_tally(mechanism, lived, SimulationSource(place, seed))
        found = estimate(mechanism, tally, "smoothed", known=Surroundings(shape))
        fits = (estimate(mechanism, tally, "block-simplex"), found)
        distances += [total_variation(fit.by_method, lived / people) / SEEDS for fit in fits]
        taken += found.method == "smoothed"
    nearest, smoothed = distances.tolist()
    setting = f"{name}, {shape[0]} x {shape[1]}, {people:,} people, epsilon {epsilon}"
    within = "one" if whole else f"of {tile[0]} x {tile[1]}"
    ratio = smoothed / nearest if nearest > 0 else 1.0
    return setting, within, f"{nearest:.3f}", f"{smoothed:.3f}", f"{ratio:.3f}", f"{taken} of {SEEDS}"


if __name__ == "__main__":
    for row in rows(Path(sys.argv[1]) if len(sys.argv) > 1 else None):
        print("  ".join(row), flush=True)
