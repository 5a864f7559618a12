"""How often intervals hold that are weighted to known totals of public groups, and whether their errors are true."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from sordino import Aggregate, Plan, Survey
from sordino.survey.kinds.coverage import Coverage
from sordino.survey.results.result import results_so_far
from sordino.views.weighted_results import KnownTotals, weighted_results

Floats = NDArray[np.float64]

SURVEYS = 1000
TOTAL = 10**6

POPULATION = np.array([[0.30, 0.05], [0.15, 0.20], [0.10, 0.20]])
"""The shares of the cells of region and arm."""

WITHIN = np.array(
    [[[0.7, 0.2, 0.1], [0.2, 0.3, 0.5]], [[0.1, 0.8, 0.1], [0.5, 0.2, 0.3]], [[0.3, 0.3, 0.4], [0.05, 0.05, 0.9]]]
)
"""Of each cell the shares of three values: the arm's effect is another one in each region."""

TRUTH = (POPULATION[..., None] * WITHIN).sum(axis=(0, 1))

ANSWERING = {
    "combinations": np.array([[0.5, 4.0], [2.0, 0.25], [1.0, 1.0]]),
    "one column": np.outer([1, 2, 0.5], [1, 1]),
    "two columns, raked": np.outer([1, 2, 0.5], [1, 0.4]),
}
"""How readily people of each cell answer, by what is known: no more than what totals correct."""

CASES = [
    (known, n, epsilon)
    for known, some in (
        (
            "combinations",
            [(200, "8"), (300, "1"), (300, "8"), (600, "1"), (1000, "1"), (4000, "4")],
        ),
        ("one column", [(600, "2"), (2000, "2"), (4000, "4")]),
        ("two columns, raked", [(300, "4"), (600, "4"), (1000, "4"), (4000, "8")]),
    )
    for n, epsilon in some
]

TITLE = "How often weighted intervals hold"
NOTE = (
    f"Per cent of {SURVEYS:,} seeded surveys in which a 95 % interval of a share holds the population's, weighted to "
    "known totals of two public columns, of 3 and 2 values; people answer the more or less readily by both, so that "
    "what is not weighted is wrong. Mean, lowest and highest of three shares; the smallest cell's reports on average; "
    "and the mean standard error over the spread of the estimates. Asked: 93 to 97.5 %, and a ratio of 0.9 to 1.1, of "
    "cells of few reports up to 1.3; what is outside by more than three standard errors of the figure is marked."
)
HEADER = ("totals of", "reports", "smallest cell", "epsilon", "mean", "lowest", "highest", "error over spread")


def planned(k: int, epsilon: str, groups: dict[str, int]) -> Plan:
    """Of a histogram of k values, beside public columns of so many values."""
    attributes = {"x": {"categories": [f"value {i}" for i in range(k)]}}
    public = {name: {"categories": [f"{name} {i}" for i in range(count)]} for name, count in groups.items()}
    survey = {"version": 1, "epsilon": epsilon, "attribute": attributes, "public": public, "ask": [{"histogram": "x"}]}
    return Plan.of(Survey.read(survey), 2000)


def drawn(plan: Plan, draw: np.random.Generator, counts: NDArray[np.int64], laws: Floats) -> Aggregate:
    """A tally of so many reports of each cell."""
    codes = [draw.multinomial(count, law) for count, law in zip(counts, laws, strict=True)]
    numbers = [
        plan.cells.join(np.repeat(np.arange(len(own), dtype=np.uint64), own), np.full(own.sum(), cell))
        for cell, own in enumerate(codes)
    ]
    return plan.tally(np.concatenate(numbers))


def known_totals(known: str) -> list[KnownTotals]:
    if known == "combinations":
        return [KnownTotals(("region", "arm"), {key: int(TOTAL * POPULATION[key]) for key in np.ndindex(3, 2)})]
    regions = KnownTotals(("region",), {(i,): round(TOTAL * POPULATION[i].sum()) for i in range(3)})
    arms = KnownTotals(("arm",), {(j,): round(TOTAL * POPULATION[:, j].sum()) for j in range(2)})
    return [regions] if known == "one column" else [regions, arms]


def weighted(known: str, n: int, epsilon: str, surveys: int) -> tuple[NDArray[np.bool_], Floats, Floats, float]:
    """Of seeded surveys whether intervals hold the truth, estimates, their errors, and the smallest cell's reports."""
    plan, draw = planned(3, epsilon, {"region": 3, "arm": 2}), np.random.default_rng(7)
    sampled = POPULATION * ANSWERING[known] / (POPULATION * ANSWERING[known]).sum()
    laws = WITHIN.reshape(-1, 3) @ plan.questions[0].mechanism.probabilities()
    inside, values, errors = [], [], []
    for _ in range(surveys):
        tally = drawn(plan, draw, draw.multinomial(n, sampled.ravel()), laws)
        found = results_so_far(plan, tally, "unbiased")
        (one,) = weighted_results(plan, tally, found, Coverage(), known_totals(known)).results
        low, high = one.interval
        inside.append((low <= TRUTH) & (high >= TRUTH))
        values.append(one.estimate.value)
        errors.append(one.estimate.stderr)
    return np.array(inside), np.array(values), np.array(errors), float(n * sampled.min())


def rows() -> Iterator[tuple[str, ...]]:
    for known, n, epsilon in CASES:
        inside, values, errors, smallest = weighted(known, n, epsilon, SURVEYS)
        covered, ratio = inside.mean(axis=0), np.sqrt((errors**2).mean(axis=0)) / values.std(axis=0)
        figures = [_per_cent(covered.mean(), 3), _per_cent(covered.min(), 1), _per_cent(covered.max(), 1)]
        ratios = f"{ratio.min():.2f} to {ratio.max():.2f}"
        yield known, f"{n:,}", f"{smallest:.0f}", epsilon, *figures, ratios


def _per_cent(covered: float, of: int) -> str:
    error = 3 * np.sqrt(0.05 * 0.95 / (SURVEYS * of))
    mark = "" if 0.93 - error <= covered <= 0.975 + error else " (!)"
    return f"{100 * covered:.1f}{mark}"
