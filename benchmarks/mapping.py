"""What is fitted to shares, through real reports: `python benchmarks/mapping.py [CHECKINS]`.

Shares without an order, beside those that peers fit; and smoothed shares on maps that are made to be hard.

With a table of positions (latitude, longitude, perhaps count) these are measured too, beside the demo's people. Maps of
other sizes, blocks, people and epsilons follow, drawn at random once: each is surveyed with three seeds.
"""

import sys
import tempfile
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pairs import Peer
from sordino import LDP, Partition, best_mechanism
from sordino.demo.simulated_people import us_places
from sordino.estimation.neighbours.smoothing import Surroundings
from sordino.estimation.share_estimate import estimate
from sordino.papers.context_aware.table1 import BLOCKS, MAP, read_checkins, simulated_people
from sordino.papers.simulation import SimulationSource, contestant, simulate_tally, total_variation

TITLE = "What is fitted to shares"
NOTE = (
    "First people of whom nothing is known but the reports: mean total variation, from the shares that they are drawn "
    "from, of the nearest distribution and of what is fitted by default, and how often that is with the learnt "
    "distribution (`empirical-bayes`). Beside it the best of the peers, each with its own reports of the same people: "
    "multi-freq-ldpy's subset selection with its iterative Bayesian update, at the number of steps that comes nearest "
    "(which nobody knows beforehand), or clipped (MI), and pure-ldp's unary encoding and Hadamard response, projected. "
    "The update starts from even shares, and is right about these after no step. The last column are the posterior "
    "means of somebody who knows which shares there are, but not whose. Asked: from 128 values on at most .9 of the "
    "best peer where shares are uneven, elsewhere at most 1.05. Then maps: Table 1's map of 43,750 cells, epsilon 1, a "
    "million people, one seeded survey each through the real reports: total variation of the nearest distribution "
    "(within blocks), of what `--method smoothed` gives, and whether the smoothed shares were taken. Last, maps of "
    "other sizes, the mean of three seeded surveys each, and how often they were taken. Asked of maps: nowhere more "
    "than 2 % worse."
)
HEADER = (
    "people",
    "blocks",
    "nearest",
    "fitted",
    "ratio",
    "taken",
    "best peer",
    "over it",
    "knowing the shares",
)
NO_PEER = ("-", "-", "-")

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
    """Shares without an order; a map and a column of Table 1 each; maps of other sizes."""
    yield from unordered()
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
            yield name, blocks, f"{nearest:.3f}", f"{smoothed:.3f}", f"{ratio:.3f}", taken, *NO_PEER
    yield from others()


SURVEYS = {16: 16, 128: 8, 1024: 2}
"""Of each size of a question."""


def uneven(k: int) -> dict[str, NDArray[np.float64]]:
    """Shares of k values by name, in random order; towns are the most populous places of the United States."""
    sizes = {
        "even": np.ones(k),
        "Zipf": 1 / np.arange(1.0, k + 1),
        "two values": np.array([0.6, 0.4, *[0.0] * (k - 2)]),
        "towns": np.sort(us_places()[:, 2])[::-1][:k],
    }
    return {name: np.random.default_rng(11).permutation(own / own.sum()) for name, own in sizes.items()}


def unordered() -> Iterator[tuple[str, ...]]:
    """Each size, epsilon, number of people and kind of shares."""
    with tempfile.TemporaryDirectory() as folder:
        cells = []
        for k, epsilon, n in product(SURVEYS, ("0.5", "1", "3"), (1_000, 10_000)):
            for name, shares in uneven(k).items():
                values = np.random.default_rng((k, n)).choice(k, (SURVEYS[k], n), p=shares)
                path = Path(folder) / f"{len(cells)}.npz"
                np.savez(path, values=values, shares=shares, epsilon=float(epsilon))
                cells.append((name, shares, epsilon, values, path))
        paths = [path for *_, path in cells]
        with (
            Peer("peer_multi_freq.py", "fit", *paths) as updating,
            Peer("peer_pure_ldp.py", "fit", *paths) as projected,
        ):
            for name, shares, epsilon, values, _ in cells:
                updating.seconds()
                projected.seconds()
                peers = {f"multi-freq-ldpy {method}": distance for method, distance in updating.result.items()}
                peers |= {f"pure-ldp {method}": distance for method, distance in projected.result.items()}
                yield beside_peers(name, shares, epsilon, values, peers)


def beside_peers(
    name: str, shares: NDArray[np.float64], epsilon: str, values: NDArray[np.int64], peers: dict[str, float]
) -> tuple[str, ...]:
    """One row: what is fitted to surveys of people who are drawn from the shares, their values of shape (surveys, n).

    Args:
        peers: total variation by method.
    """
    k, mechanism, (surveys, n) = len(shares), best_mechanism(len(shares), LDP(epsilon)), values.shape
    distances, taken = np.zeros(3), 0
    for seed, own in enumerate(values):
        people = np.bincount(own, minlength=k)
        tally = simulate_tally(mechanism, people, SimulationSource(k, n, seed))
        found, plain = estimate(mechanism, tally), estimate(mechanism, tally, "simplex")
        fits = (plain.fitted, found.fitted, knowing_shares(plain.value, plain.stderr, shares))
        distances += [total_variation(fit, shares) / surveys for fit in fits]
        taken += found.method == "empirical-bayes"
    best = min(peers, key=peers.__getitem__)
    nearest, fitted, least = distances.tolist()
    over = f"{fitted / peers[best]:.2f}" if peers[best] >= LEAST_DISTANCE else "-"
    return (
        f"{k:,} values, {name}, {n:,} people, epsilon {epsilon}",
        "one",
        f"{nearest:.3f}",
        f"{fitted:.3f}",
        f"{fitted / nearest:.3f}",
        f"{taken} of {surveys}",
        f"{peers[best]:.3f} ({best})",
        over,
        f"{least:.3f}",
    )


LEAST_DISTANCE = 1e-3
"""Total variation: ratios to less say nothing."""


def knowing_shares(
    value: NDArray[np.float64], stderr: NDArray[np.float64], shares: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Posterior means of shares, shape (k,), of which all is known but which value has which."""
    odds = -(((value[:, None] - shares) / stderr[:, None]) ** 2) / 2
    weights = np.exp(odds - odds.max(axis=1, keepdims=True))
    means = weights @ shares / weights.sum(axis=1)
    return means / means.sum()


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
    return setting, within, f"{nearest:.3f}", f"{smoothed:.3f}", f"{ratio:.3f}", f"{taken} of {SEEDS}", *NO_PEER


if __name__ == "__main__":
    for row in rows(Path(sys.argv[1]) if len(sys.argv) > 1 else None):
        print("  ".join(row), flush=True)
