"""Figure 1 of the Bayesian privacy filter paper: how many models of one record a filter lets be asked.

Random linear or logistic models of nine numbers in [-1, 1], each answered by one bit with epsilon 0.1, until the filter
with budget 1 refuses one; the record is the centre. Basic composition accepts ten.
Source: Bayesian privacy filter paper, Sections 6.3 and 6.4, Algorithm 6. The paper groups its questions by ten; its 21
for logistic models needs coefficients in [-1, 1], not in the [-10, 10] that it states.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from sordino.accounting.filter import BayesianFilter
from sordino.accounting.state import Rule
from sordino.definition.pairwise import LDP
from sordino.domain.box import Box
from sordino.errors import SordinoError
from sordino.evidence.bound.loss import BoxLoss
from sordino.evidence.box_evidence import BoxEvidence
from sordino.exact.nats import Nats
from sordino.papers.simulation import SimulationSource
from sordino.query.linear import LinearQuery, LogisticQuery
from sordino.query.query import Query

DIMENSION = 9
BUDGET = "1"
EPSILON = "0.1"
BASIC = 10
MOST = 10_000
"""Questions of one run at most: no run comes near."""

NODES = 4000
"""Boxes bounded for a decision: ten times what a filter is content with, since the figure counts what is accepted."""

Model = Literal["linear", "logistic"]
PAPER = {"linear": 47, "logistic": 21}
"""The medians that the paper prints, of 50 runs."""


BUDGETS = (*(f"0.{tenth}" for tenth in range(1, 10)), BUDGET)
"""Of Figures 1b and 1d."""

PATHS = 10
"""Runs whose realized loss is kept after each answer, as in Figures 1a and 1c."""

BAND = (0.1, 0.5, 0.9)
"""Parts of the runs below the ends of the figure's bands, and below its middle."""

CLOSE = 1e-4
"""Gap between the bounds of a side of one-sided groups, in nats."""


@dataclass(frozen=True)
class Accepted:
    """What the runs gave.

    Attributes:
        accepted: how many questions the filter accepted before it refused one, for each run.
        milliseconds_per_query: the mean time of one decision and what follows from the answer.
        paths: of the first runs the realized loss after each answer, in nats.
    """

    accepted: tuple[int, ...]
    milliseconds_per_query: float
    paths: tuple[tuple[float, ...], ...] = ()


@dataclass(frozen=True, eq=False)
class OneSidedGroups:
    """A filter that bounds the largest probability of answers group by group, as (59), and the least of all together.

    Attributes:
        closed: the largest log-probabilities of the groups that are full, added up, at least.
        group: what the answers of the last group say.
        whole: what all answers say.
        spent: nats, rounded up: the bound on the realized loss.
    """

    budget: float
    rule: Rule
    size: int
    nodes: int
    closed: float
    count: int
    group: BoxEvidence
    whole: BoxEvidence
    spent: float = 0.0

    @classmethod
    def start(cls, box: Box, budget: str, rule: Rule, size: int, nodes: int) -> "OneSidedGroups":
        return cls(Nats.of(budget).floor(), rule, size, nodes, 0.0, 0, BoxEvidence(box), BoxEvidence(box))

    def accepts(self, query: Query) -> bool:
        """Whether no answer takes the bound above the budget; by the simplified rule, the query's whole epsilon."""
        if self.rule == "simplified":
            return math.nextafter(self.spent + query.level, math.inf) <= self.budget
        return all(self.after(query, code).spent <= self.budget for code in range(query.outputs))

    def after(self, query: Query, code: int) -> "OneSidedGroups":
        report = query.evidence(self.whole.box, code)
        group, whole = self.group + report, self.whole + report
        top = BoxLoss.of(group).solve(self.nodes, tolerance=CLOSE).top
        bottom = BoxLoss.of(whole).solve(self.nodes, tolerance=CLOSE).bottom
        if top is None or bottom is None:
            raise AssertionError("an answer to a model says something")
        # Constants of the two sides are those of the same reports; each side may be off by its radius and rounding.
        most = self.closed + top.upper + group.radius + group.margin
        spent = math.nextafter(most + bottom.upper + whole.radius + whole.margin, math.inf)
        full = (self.count + 1) % self.size == 0
        return replace(
            self,
            closed=most if full else self.closed,
            count=self.count + 1,
            group=BoxEvidence(whole.box) if full else group,
            whole=whole,
            spent=spent,
        )


def fig1(
    model: Model,
    runs: int,
    seed: int,
    clock: Callable[[], float],
    *,
    budget: str = BUDGET,
    theta: float = 1.0,
    nodes: int = NODES,
    rule: Rule = "full",
    group: int | None = None,
    one_sided: bool = False,
    paths: int = 0,
    advance: Callable[[int], None] = lambda _: None,
) -> Accepted:
    """Count the accepted questions.

    Args:
        clock: seconds, for the time of a decision.
        budget: of all answers, in nats.
        theta: logistic coefficients lie within plus and minus this; linear ones have absolute sum 1.
        group: questions bounded together; None for all.
        one_sided: whether only the largest probability is bounded by groups, which the paper's count needs.
        paths: runs whose realized loss is worked out after each answer, which takes longer than to decide.
    """
    box = Box([-1] * DIMENSION, [1] * DIMENSION)
    if one_sided and group is None:
        raise SordinoError("one-sided groups need their size", found="no group", step="add --group 10, as the paper")
    centre = np.zeros((1, DIMENSION))
    accepted, kept, seconds = [], [], 0.0
    for run in range(runs):
        models, source = np.random.default_rng((seed, run, 0)), SimulationSource(seed, run, 1)
        asked: BayesianFilter | OneSidedGroups = BayesianFilter(box, LDP(budget), rule, nodes, group)
        if one_sided and group is not None:
            asked = OneSidedGroups.start(box, budget, rule, group, nodes)
        path: list[float] = []
        while len(path) < MOST:
            query = _draw_query(model, models, theta)
            start = clock()
            fits = asked.accepts(query)
            seconds += clock() - start
            if not fits:
                break
            output = int(query.privatize(centre, source)[0])
            start = clock()
            asked = asked.after(query, output)
            seconds += clock() - start
            path.append(asked.spent if run < paths else 0.0)
        accepted.append(len(path))
        kept += [tuple(path)] if run < paths else []
        advance(1)
    return Accepted(tuple(accepted), 1000 * seconds / (sum(accepted) + runs), tuple(kept))


@dataclass(frozen=True)
class BudgetRow:
    """Accepted questions at one budget.

    Attributes:
        lower, median, upper: below these are 10, 50 and 90 % of the runs.
        accepted: of each run.
    """

    budget: str
    lower: float
    median: float
    upper: float
    accepted: tuple[int, ...]


def band(budget: str, found: Accepted) -> BudgetRow:
    """The row of a budget."""
    lower, median, upper = np.quantile(found.accepted, BAND).tolist()
    return BudgetRow(budget, lower, median, upper, found.accepted)


def _draw_query(model: Model, models: np.random.Generator, theta: float) -> Query:
    numbers = models.uniform(-1, 1, DIMENSION + 1)
    if model == "logistic":
        numbers *= theta
        return LogisticQuery(numbers[1:], numbers[0], EPSILON)
    numbers /= np.abs(numbers).sum()
    return LinearQuery(numbers[1:], numbers[0], -1, 1, EPSILON)
