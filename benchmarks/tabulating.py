"""All pairs of seven attributes, one random pair a person: how far fitted tables are from the truth."""

import time
from collections.abc import Iterator
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from sordino import LDP, best_mechanism, estimate
from sordino.estimation.joint.joint_fit import NoisyMargin, joint_fit

TITLE = "Tables"
NOTE = (
    "All 21 pairs of seven attributes with the domains and about the shares of the Adult data, dependent by six "
    "classes of people (independence is .121 from the truth); 48,842 people, each answers one random pair: mean total "
    "variation from the truth, each table by itself (simplex) and all of them by one joint fit, and its processor time."
)
HEADER = ("epsilon", "simplex", "joint fit", "seconds")

PEOPLE = 48_842
SHARES = (
    (0.694, 0.079, 0.064, 0.057, 0.041, 0.035, 0.029, 0.0006, 0.0004),
    (0.458, 0.330, 0.136, 0.031, 0.031, 0.013, 0.001),
    (0.404, 0.257, 0.155, 0.105, 0.048, 0.031),
    (0.855, 0.096, 0.031, 0.010, 0.008),
    (0.668, 0.332),
    (0.761, 0.239),
    (0.323, 0.223, 0.164, 0.130, 0.076, 0.054, 0.030),
)
SHAPE = tuple(map(len, SHARES))
PAIRS = tuple(combinations(range(len(SHAPE)), 2))
CLASSES = 6
SPREAD = 1.917
"""Of a class's log-shares: with it independence is .121 from the truth."""


def population() -> NDArray[np.float64]:
    """The shares of all combinations."""
    random, joint = np.random.default_rng(3), np.zeros(int(np.prod(SHAPE)))
    for weight in random.dirichlet(np.full(CLASSES, 4.0)):
        own = np.ones(1)
        for shares in SHARES:
            tilted = np.array(shares) * np.exp(SPREAD * random.standard_normal(len(shares)))
            own = np.multiply.outer(own, tilted / tilted.sum()).reshape(-1)
        joint += weight * own
    return joint


def rows() -> Iterator[tuple[str, ...]]:
    joint, random = population(), np.random.default_rng(5)
    for epsilon in ("1", "2", "4"):
        people = np.unravel_index(random.choice(joint.size, PEOPLE, p=joint), SHAPE)
        drawn, margins, alone, truths = random.integers(0, len(PAIRS), PEOPLE), [], [], []
        for place, (i, j) in enumerate(PAIRS):
            cells, k = people[i] * SHAPE[j] + people[j], SHAPE[i] * SHAPE[j]
            mechanism = best_mechanism(k, LDP(epsilon))
            found = estimate(mechanism, mechanism.tally(mechanism.privatize(cells[drawn == place])), "simplex")
            margins.append(NoisyMargin((i, j), found.value, float((found.stderr**2).mean())))
            alone.append(found.by_method)
            truths.append(np.bincount(cells, minlength=k) / PEOPLE)
        began = time.process_time()
        together = joint_fit(SHAPE, margins)
        seconds = time.process_time() - began
        yield epsilon, away(alone, truths), away(together, truths), f"{seconds:.1f}"


def away(fitted: list[NDArray[np.float64]], truths: list[NDArray[np.float64]]) -> str:
    """Mean total variation."""
    return f"{np.mean([np.abs(a - b).sum() / 2 for a, b in zip(fitted, truths, strict=True)]):.3f}"


if __name__ == "__main__":
    for row in rows():
        print(*row)
