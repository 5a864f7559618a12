"""How often tests of independence err, and how often they see what is there: tables of many sizes, rare values too."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from sordino import LDP, BlockLDP, HighLowLDP, best_mechanism
from sordino.definition.combined import PromiseOfValues, combined_definition
from sordino.estimation.tests import IndependenceTest
from sordino.mechanism.base import Mechanism
from sordino.papers.simulation import SimulationSource

Floats = NDArray[np.float64]

LEVEL, SURVEYS, POWER_SURVEYS = 0.05, 2_000, 300
PEOPLE = (2_000, 20_000, 200_000)
SHAPES = ((2, 2), (2, 5), (5, 7), (10, 10))
RARE = 0.005
RELATED = 0.2
"""Cramér's V of the people by whom power is told."""

TITLE = "How often tests of independence err"
NOTE = (
    f"Per cent of {SURVEYS:,} seeded surveys of independent attributes in which the test rejects at 5 %; in brackets, "
    f"per cent of {POWER_SURVEYS} surveys where Cramér's V is {RELATED}, or as near as margins allow. "
    "Each table has the mechanism that a plan gives it. Common: all values are equally frequent; rare: the last value "
    "of each attribute has half a per cent of people. 'Refused': in half of the surveys or more a test would not keep "
    "its level. Asked: 4 to 6 %; what is outside by more than three standard errors of the figure is marked. Reports "
    "are drawn by code, or where codes are not counted and people are more than "
    f"{PEOPLE[0]:,}, estimates by their exact covariance."
)
HEADER = ("table", "promise", "values", *(f"{n:,} people" for n in PEOPLE))


def promises(shape: tuple[int, int]) -> Iterator[tuple[str, PromiseOfValues]]:
    for epsilon in ("0.5", "1", "4"):
        yield f"epsilon {epsilon}", LDP(epsilon)
    first, second = shape
    for epsilon in ("1", "4"):
        sensitive = [HighLowLDP(first, [0], epsilon), HighLowLDP(second, [second - 1], epsilon)]
        yield f"sensitive values, epsilon {epsilon}", combined_definition(sensitive, shape)
    half = second // 2
    blocks = [LDP("1"), BlockLDP([list(range(half)), list(range(half, second))], "1")]
    yield "blocks, epsilon 1", combined_definition(blocks, shape)


def rows() -> Iterator[tuple[str, ...]]:
    for shape in SHAPES:
        for name, promise in promises(shape):
            mechanism = best_mechanism(shape[0] * shape[1], promise, 64)
            for rare in (False, True):
                cells = np.outer(*(margin(count, rare=rare) for count in shape))
                figures = (figure(mechanism, cells, n) for n in PEOPLE)
                yield f"{shape[0]} x {shape[1]}", name, "rare" if rare else "common", *figures


def margin(count: int, *, rare: bool) -> Floats:
    """Shares of the values of one attribute."""
    if not rare:
        return np.full(count, 1 / count)
    others = np.linspace(1, 2, count - 1)
    return np.append((1 - RARE) * others / others.sum(), RARE)


def related(cells: Floats) -> Floats:
    """The same margins, but the first values go together: Cramér's V as far as possible."""
    rows, columns = cells.sum(axis=1), cells.sum(axis=0)
    apart = [np.linspace(-1, 1, len(margin)) for margin in (rows, columns)]
    apart = [scores - margin @ scores for scores, margin in zip(apart, (rows, columns), strict=True)]
    spread = [float(np.sqrt(margin @ scores**2)) for scores, margin in zip(apart, (rows, columns), strict=True)]
    factor = RELATED * np.sqrt(min(cells.shape) - 1) * np.outer(apart[0] / spread[0], apart[1] / spread[1])
    largest = float(np.maximum(-factor, 0).max())
    moved: Floats = cells * (1 + factor * min(1.0, 1 / largest if largest else 1.0))
    return moved


def figure(mechanism: Mechanism, cells: Floats, n: int) -> str:
    """The level, and the power; or that there is no test."""
    found = rejections(mechanism, cells, n, SURVEYS)
    if len(found) < SURVEYS / 2:
        return "refused"
    rate, error = float(found.mean()), 3 * np.sqrt(0.05 * 0.95 / len(found))
    marked = "" if 0.04 - error <= rate <= 0.06 + error else " (!)"
    power = rejections(mechanism, related(cells), n, POWER_SURVEYS)
    return f"{100 * rate:.1f}{marked} ({100 * float(power.mean()):.0f})"


def rejections(mechanism: Mechanism, cells: Floats, n: int, surveys: int) -> NDArray[np.bool_]:
    """Which of the tests that are made reject."""
    values = np.eye(mechanism.k)
    moments = np.stack([mechanism.second_moments(values, mechanism.forward(own)) for own in values])

    def covariance(shares: Floats) -> Floats:
        found: Floats = np.tensordot(shares, moments, 1) - np.outer(shares, shares)
        return found

    low, high = mechanism.contribution_range
    tests = (
        IndependenceTest.of(estimate.reshape(cells.shape), covariance, n, high - low)
        for estimate in estimates(mechanism, cells.ravel(), covariance(cells.ravel()), n, surveys)
    )
    return np.array([test.test.p_value <= LEVEL for test in tests if test.has_level])


def estimates(mechanism: Mechanism, shares: Floats, covariance: Floats, n: int, surveys: int) -> Iterator[Floats]:
    """Of the cells' shares, each of other people."""
    generator, source = np.random.default_rng(0), SimulationSource(0)
    law = mechanism.forward(shares)
    size, direction = np.linalg.eigh(covariance)
    root = direction * np.sqrt(np.maximum(size, 0.0) / n)
    for _ in range(surveys):
        if mechanism.counts_codes:
            yield mechanism.decode(generator.multinomial(n, law / law.sum()) / n)
        elif n <= PEOPLE[0]:
            people = generator.choice(mechanism.k, n, p=shares)
            yield mechanism.decode(mechanism.tally(mechanism.privatize(people, source)).counts / n)
        else:
            yield shares + root @ generator.standard_normal(mechanism.k)
