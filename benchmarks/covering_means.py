"""How often intervals of means hold: few, some and many people, spread out or nearly all at an end of the range."""

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from covering import CONFIDENCE, marked
from sordino import Dependence, Query, Sampled, estimate, sampled_mean
from sordino.papers.simulation import SimulationSource

PEOPLE = {"few": 60, "some": 300, "many": 5_000}
COLLECTIONS = 300
NUMBERS: dict[str, tuple[Callable[[np.random.Generator, int], NDArray[np.float64]], float]] = {
    "spread out": (lambda generator, n: generator.uniform(-1, 1, n), 0.0),
    "near the low end": (lambda generator, n: generator.beta(1, 12, n) * 2 - 1, 2 / 13 - 1),
    "1 % at the high end, others at the low": (
        lambda generator, n: np.where(generator.random(n) < 0.01, 1.0, -1.0),
        -0.98,
    ),
    "all at the low end": (lambda _, n: np.full(n, -1.0), -1.0),
}
"""How people are drawn, and the mean of the population that they come from."""

TITLE = "How often intervals of means hold"
NOTE = (
    f"Per cent of {COLLECTIONS} seeded collections in which the 95 % interval of the mean of one number in [-1, 1] "
    "holds the mean of the population that people are drawn from; reports are drawn by the mechanism of a plan. "
    "Few, some and many are 60, 300 and 5,000 people; where 99 % are at the low end, the others are at the high one. "
    "Asked: 93 to 99.5 %; what is outside by more than three standard errors of the figure is marked."
)
HEADER = ("epsilon", "mechanism", "people", *NUMBERS)


def rows() -> Iterator[tuple[str, ...]]:
    for epsilon in ("0.5", "1", "2", "4", "8"):
        drawn = sampled_mean([epsilon], epsilon, Dependence.unknown(1))
        for people, n in PEOPLE.items():
            rates = (marked(holds(drawn, *each, n)[:, None], 0.93, 0.995) for each in NUMBERS.values())
            yield epsilon, ", ".join(names(drawn)), people, *rates


def names(drawn: Sampled) -> list[str]:
    """Of the mechanisms."""
    return [type(query.mechanism).__name__ for query in drawn.queries if isinstance(query, Query)]


def holds(
    drawn: Sampled, numbers: Callable[[np.random.Generator, int], NDArray[np.float64]], mean: float, n: int
) -> NDArray[np.bool_]:
    """In which collections the interval holds the mean, shape (collections,)."""
    generator, source = np.random.default_rng(0), SimulationSource(0)
    found = []
    for _ in range(COLLECTIONS):
        reports = drawn.privatize(numbers(generator, n)[:, None], source)
        low, high = estimate(drawn, drawn.tally(reports)).interval(CONFIDENCE)
        found.append(low[0] - 1e-12 <= mean <= high[0] + 1e-12)
    return np.array(found)
