"""Smoothed shares are nowhere more than 2 % farther from the truth than what stands in their place: on hard maps."""

import numpy as np
import pytest

from sordino import LDP, BlockLDP, HighLowLDP, MetricLDP, PairwiseLDP, Partition, best_mechanism
from sordino.estimation.neighbours.smoothing import Surroundings
from sordino.estimation.share_estimate import estimate, nearest_method
from sordino.papers.simulation import SimulationSource, contestant, simulate_tally, total_variation

pytestmark = pytest.mark.statistical

SHAPE = (40, 60)
Y, X = np.indices(SHAPE)
HILL = np.exp(-((X - 30) ** 2) / 50 - (Y - 18) ** 2 / 40)
GENERATOR = np.random.default_rng(11)
MAPS = {
    "lines": X % 10 == 0,
    "close lines": X % 5 == 0,
    "lines on a plain": (X % 6 == 0) + 0.3,
    "diagonals": (X + Y) % 9 == 0,
    "dots": (X % 4 == 0) & (Y % 4 == 0),
    "checkerboard": (X + Y) % 2,
    "ring": abs(np.hypot(X - 30, Y - 20) - 15) < 1,
    "sparse": GENERATOR.random(SHAPE) < 0.07,
    "sparse on a hill": ((GENERATOR.random(SHAPE) < 0.1) + 0.2) * HILL,
    "Zipf": 1 / (1 + GENERATOR.permutation(X.size).reshape(SHAPE)),
    "gamma": GENERATOR.gamma(0.1, size=SHAPE),
    "hill": HILL,
}
SETTINGS = (("1", 5, 5_000), ("1", 5, 50_000), ("4", 5, 5_000), ("2", 10, 2_000), ("1", None, 300_000))
"""Epsilon, cells along a block (None: one block of all), people."""
SEEDS = 4


@pytest.mark.parametrize("name", MAPS)
def test_what_is_taken_is_not_farther_on_average_and_a_hill_is_nearer(name):
    weights = np.asarray(MAPS[name], dtype=np.float64).ravel()
    gained = []
    for epsilon, along, people in SETTINGS:
        blocks = 0 * X if along is None else Y // along * 60 + X // along
        mechanism = contestant("best", Partition.of(blocks.ravel()), epsilon)
        ratios = []
        for seed in range(SEEDS):
            lived = np.random.default_rng(seed).multinomial(people, weights / weights.sum())
            tally = simulate_tally(mechanism, lived, SimulationSource(seed))
            found = estimate(mechanism, tally, "smoothed", known=Surroundings(SHAPE)).by_method
            plain = estimate(mechanism, tally, nearest_method(mechanism)).by_method
            ratios.append(total_variation(found, lived / people) / total_variation(plain, lived / people))
        assert np.mean(ratios) <= 1.02
        gained.append(np.mean(ratios))
    if name == "hill":
        assert np.mean(gained) < 0.75


def sensitive(where, epsilon):
    return HighLowLDP(where.size, np.flatnonzero(where).tolist(), epsilon)


def matrix_of(k, blocks, near, far):
    """Bounds between any two values, of one block or of two."""
    bounds = [[near if x % blocks == y % blocks else far for y in range(k)] for x in range(k)]
    return PairwiseLDP([["0" if x == y else bound for y, bound in enumerate(row)] for x, row in enumerate(bounds)])


SQUARES = Y // 10 * 60 + X // 10
DEFINITIONS = {
    "LDP": (LDP("4"), SHAPE, (2_000, 20_000)),
    "LDP of numbers": (LDP("2"), (600,), (3_000, 100_000)),
    "blocks": (BlockLDP(Partition.of(SQUARES.ravel()), "1"), SHAPE, (5_000, 50_000)),
    "sensitive half": (sensitive(X < 30, "1"), SHAPE, (2_000, 50_000)),
    "sensitive disc": (sensitive(np.hypot(X - 30, Y - 20) < 12, "2"), SHAPE, (2_000, 50_000)),
    "sensitive columns": (sensitive(X % 10 < 5, "4"), SHAPE, (2_000, 5_000)),
    "metric map": (MetricLDP.grid(*SHAPE, "1", "1"), SHAPE, (5_000, 50_000)),
    "metric map, coarse": (MetricLDP.grid(*SHAPE, "1/2", "2"), SHAPE, (50_000,)),
    "metric line": (MetricLDP.line(600, "1/4"), (600,), (5_000, 100_000)),
    "matrix": (matrix_of(120, 2, "2", "3"), (120,), (5_000, 50_000)),
}


@pytest.mark.parametrize("name", DEFINITIONS)
def test_under_every_definition_what_is_taken_is_not_farther_on_average(name):
    definition, shape, numbers = DEFINITIONS[name]
    k = int(np.prod(shape))
    mechanism = best_mechanism(k, definition)
    for hard, weights in MAPS.items():
        # Of a line the map's middle, row after row.
        start = (X.size - k) // 2
        line = np.asarray(weights, dtype=np.float64).ravel()[start : start + k]
        for people in numbers:
            ratios = []
            for seed in range(SEEDS if k == X.size else 6 * SEEDS):
                lived = np.random.default_rng(seed).multinomial(people, line / line.sum())
                tally = simulate_tally(mechanism, lived, SimulationSource(seed))
                found = estimate(mechanism, tally, "smoothed", known=Surroundings(shape))
                plain = estimate(mechanism, tally, nearest_method(mechanism)).by_method
                ratios.append(total_variation(found.by_method, lived / people) / total_variation(plain, lived / people))
            assert np.mean(ratios) <= 1.02, (hard, people, ratios)
