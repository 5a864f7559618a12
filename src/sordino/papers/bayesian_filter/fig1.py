"""Figure 1 of the Bayesian privacy filter paper: how many models of one record a filter lets be asked.

Random linear or logistic models of nine numbers in [-1, 1], each answered by one bit with epsilon 0.1, until the filter
with budget 1 refuses one; the record is the centre. Basic composition accepts ten.
Source: Bayesian privacy filter paper, Sections 6.3 and 6.4, Algorithm 6. The paper groups its questions by ten; its 21
for logistic models needs coefficients in [-1, 1], not in the [-10, 10] that it states.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from sordino.accounting.filter import BayesianFilter
from sordino.accounting.state import Rule
from sordino.definition.pairwise import LDP
from sordino.domain.box import Box
from sordino.papers.simulation import SimulationSource
from sordino.query.linear import LinearQuery, LogisticQuery
from sordino.query.query import Query

DIMENSION = 9
BUDGET = "1"
EPSILON = "0.1"
BASIC = 10
MOST = 10_000
NODES = 4000
"""Boxes bounded for a decision: ten times what a filter is content with, since the figure counts what is accepted."""
"""Questions of one run at most: no run comes near."""

Model = Literal["linear", "logistic"]
PAPER = {"linear": 47, "logistic": 21}
"""The medians that the paper prints, of 50 runs."""


@dataclass(frozen=True)
class Accepted:
    """What the runs gave.

    Attributes:
        accepted: how many questions the filter accepted before it refused one, for each run.
        milliseconds_per_query: the mean time of one decision and what follows from the answer.
    """

    accepted: tuple[int, ...]
    milliseconds_per_query: float


def fig1(
    model: Model,
    runs: int,
    seed: int,
    clock: Callable[[], float],
    *,
    theta: float = 1.0,
    nodes: int = NODES,
    rule: Rule = "full",
    group: int | None = None,
    advance: Callable[[int], None] = lambda _: None,
) -> Accepted:
    """Count the accepted questions.

    Args:
        clock: seconds, for the time of a decision.
        theta: logistic coefficients lie within plus and minus this; linear ones have absolute sum 1.
        group: questions bounded together; None for all.
    """
    box = Box([-1] * DIMENSION, [1] * DIMENSION)
    centre = np.zeros((1, DIMENSION))
    accepted, seconds = [], 0.0
    for run in range(runs):
        models, source = np.random.default_rng((seed, run, 0)), SimulationSource(seed, run, 1)
        asked = BayesianFilter(box, LDP(BUDGET), rule, nodes, group)
        count = 0
        while count < MOST:
            query = _draw_query(model, models, theta)
            start = clock()
            decision = asked.decide(query)
            seconds += clock() - start
            if not decision.accepted:
                break
            output = int(query.privatize(centre, source)[0])
            start = clock()
            asked = asked.after(query, output)
            seconds += clock() - start
            count += 1
        accepted.append(count)
        advance(1)
    return Accepted(tuple(accepted), 1000 * seconds / (sum(accepted) + runs))


def _draw_query(model: Model, models: np.random.Generator, theta: float) -> Query:
    numbers = models.uniform(-1, 1, DIMENSION + 1)
    if model == "logistic":
        numbers *= theta
        return LogisticQuery(numbers[1:], numbers[0], EPSILON)
    numbers /= np.abs(numbers).sum()
    return LinearQuery(numbers[1:], numbers[0], -1, 1, EPSILON)
