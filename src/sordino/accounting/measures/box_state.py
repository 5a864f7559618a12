"""A filter's decisions about records in a box, under local differential privacy.

A query is accepted only if the certified upper bound on the realized loss stays within the budget, whatever is
answered, or if the epsilons of all queries together do (basic composition, exactly): it is never worse than that.
Bounds are carried from answer to answer and solved only where they decide; work is limited by a number of boxes, not by
a clock, so that the same transcript gives the same decision.
Source: Bayesian privacy filter paper, Algorithms 2 and 3 with logarithms, Appendix B for the groups.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

from sordino.accounting.state import Binding, Decision, FilterQuery, Rule
from sordino.domain.box import Box
from sordino.errors import SordinoError
from sordino.evidence.bound.loss import BoxLoss, LossBounds
from sordino.exact.floats import down, up
from sordino.exact.messages import shown
from sordino.exact.nats import Nats
from sordino.query.model import Model
from sordino.query.query import Query

SETTLED = 1e-4
"""How closely the loss of a full group is worked out, in nats."""


@dataclass(frozen=True, eq=False)
class BoxState:
    """Queries about a record in a box and their answers.

    Attributes:
        most: the budget as a float, rounded down.
        nodes: boxes bounded for one decision at most, for each possible answer.
        group: answers are bounded together in groups of so many; None for all together, which is never looser.
        loss: of the answers of the open group.
        settled: nats; the certified losses of the full groups.
        basic: the sum of the epsilons of all queries; None once it is above the budget.
    """

    box: Box
    budget: Nats
    most: float
    nodes: int
    group: int | None
    loss: BoxLoss
    settled: float = 0.0
    basic: Nats | None = None

    @classmethod
    def start(cls, box: Box, budget: Nats, nodes: int, group: int | None) -> "BoxState":
        """Nothing asked yet."""
        if nodes < 0 or (group is not None and group < 1):
            rule = "nodes must be at least 0 and a group at least 1"
            raise SordinoError(rule, found=" and ".join(map(shown, (nodes, group))))
        return cls(box, budget, budget.floor(), nodes, group, BoxLoss.of_no_reports(box), basic=Nats.of(0))

    @cached_property
    def spent(self) -> float:
        """Nats, rounded up: the realized loss, worked out as far as the limit allows."""
        upper = up(self.settled + self._closest.bounds.upper)
        return upper if self.basic is None else min(upper, self.basic.ceil())

    def with_answer(self, query: FilterQuery, output: int) -> "BoxState":
        question = box_question(query)
        return self._with(self.loss.after(question.evidence(self.box, output)), question)

    def spent_within(self, left: float) -> float:
        return min(self.spent, max(up(self.budget.ceil() - left), 0.0))

    def binding_within(self, left: float) -> Binding:
        """There is one bound for all records."""
        own = max(down(self.budget.floor() - self.spent), left)
        exactly = self._by_epsilons
        if exactly is None or exactly.floor() < own:
            return Binding("two records", self.spent_within(left), own)
        return Binding("two records", self.spent_within(left), exactly.floor(), exactly)

    @property
    def _by_epsilons(self) -> Nats | None:
        """What is left by the sum of all epsilons, which is exact; None where that is above the budget."""
        return None if self.basic is None else self.budget - self.basic

    @property
    def realized_loss(self) -> LossBounds:
        return self._closest.bounds

    @property
    def remaining(self) -> float:
        exactly = self._by_epsilons
        # One step for the rounding here, one for that of the sum when such a query comes.
        return max(down(down(self.most) - self.spent), 0.0 if exactly is None else exactly.floor())

    @property
    def binding(self) -> Binding:
        return self.binding_within(-math.inf)

    def fits(self, queries: Sequence[FilterQuery]) -> bool:
        """By the sum of the epsilons."""
        total = sum((self.epsilon_of(query) for query in queries), Nats.of(0))
        if self.basic is not None and self.basic + total <= self.budget:
            return True
        return total + Fraction(self.spent) <= self.budget

    def hopeless(self, queries: Sequence[Query]) -> bool:
        # Several groups or versions may tell less together than one of them.
        if self.settled:
            return False
        total = sum((query.epsilon for query in queries), Nats.of(0)).floor()
        return any(down(loss.incumbent + total) > self.budget.ceil() for loss in (self.loss, self._closest))

    @cached_property
    def most_left(self) -> float:
        lower = 0.0 if self.settled else self.loss.incumbent
        return up(self.budget.ceil() - (lower if self.basic is None else min(lower, self.basic.floor())))

    def level(self, query: FilterQuery) -> float:
        return self._fitting_question(query).level

    def charge(self, query: FilterQuery) -> float:
        return self.level(query)

    def epsilon_of(self, query: FilterQuery) -> Nats:
        return self._fitting_question(query).epsilon

    def changed(self) -> "BoxState":
        """The answers so far are settled; those about the next version are bounded by themselves."""
        settled = up(self.settled + self._closest.bounds.upper)
        return replace(self, loss=BoxLoss.of_no_reports(self.box), settled=settled)

    @cached_property
    def _closest(self) -> BoxLoss:
        """The open group's loss, worked out as far as the limit allows."""
        return self.loss.solve((self.nodes + 1) // 2, tolerance=SETTLED)

    @property
    def goal(self) -> float:
        """What is left for the open group, rounded down."""
        return down(self.most - self.settled) if self.settled else self.most

    def decide(self, query: FilterQuery, rule: Rule) -> "Decision[BoxState]":
        """By what is carried over; else by solving, for every answer or (simplified) once."""
        # What does not fit is refused even where the epsilons alone would decide.
        question = self._fitting_question(query)
        carried = up(self.settled + up(self.loss.bounds.upper + question.level))
        sure = carried <= self.most
        if not sure and self.basic is not None:
            basic = self.basic + question.epsilon
            sure, carried = basic <= self.budget, min(carried, basic.ceil())
        if sure:
            return Decision(True, carried, lambda output: self._after_answer(self.loss, question, output))
        return self._by_loss(question) if rule == "simplified" else self._by_answers(question)

    def _fitting_question(self, query: FilterQuery) -> Query:
        question = box_question(query)
        question.model.require_fit(self.box)
        return question

    def _by_loss(self, query: Query) -> "Decision[BoxState]":
        """Algorithm 3: the loss so far and the query's epsilon."""
        solved = self.loss.solve(self.nodes, down(self.goal - query.level))
        loss = up(self.settled + up(solved.bounds.upper + query.level))
        if loss <= self.most:
            return Decision(True, loss, lambda output: self._after_answer(solved, query, output))
        return self._by_spent(query)

    def _by_spent(self, query: Query) -> "Decision[BoxState]":
        """What is left is left, even where the limit on the work ends the search after an answer too early."""
        loss = up(self.spent + query.level)
        if loss <= self.most:
            return Decision(True, loss, lambda output: self._after_answer(self._closest, query, output))
        return Decision(False, loss)

    def _by_answers(self, query: Query) -> "Decision[BoxState]":
        """Algorithm 2: the loss after each possible answer, from what was worked out of the loss so far."""
        evidence = [query.evidence(self.box, code) for code in range(query.outputs)]
        if any(self.loss.after(report).incumbent > self.goal for report in evidence):
            return Decision(False, up(self.settled + self.loss.bounds.upper + query.level))
        simple = self._by_spent(query)
        if simple.accepted:
            return simple
        after = [self._closest.after(report) for report in evidence]
        hopeless = any(state.incumbent > self.goal for state in after)
        for code, state in enumerate(after):
            after[code] = state if hopeless else state.solve(self.nodes, self.goal)
            hopeless |= not after[code].bounds.upper <= self.goal
        largest = up(self.settled + max(state.bounds.upper for state in after))
        if hopeless:
            return Decision(False, largest)
        return Decision(True, largest, lambda output: self._with(after[output], query))

    def _after_answer(self, loss: BoxLoss, query: Query, output: int) -> "BoxState":
        return self._with(loss.after(query.evidence(self.box, output)), query)

    def _with(self, loss: BoxLoss, query: Query) -> "BoxState":
        """The state with one more answer; a full group is settled."""
        basic = None if self.basic is None else self.basic + query.epsilon
        if basic is not None and basic > self.budget:
            basic = None
        if self.group is None or loss.evidence.n < self.group:
            return replace(self, loss=loss, basic=basic)
        full = replace(self, loss=loss, basic=None)
        return replace(self, loss=BoxLoss.of_no_reports(self.box), settled=full.spent, basic=basic)


def box_question(query: object) -> Query:
    """A query that is a question about a record in a box."""
    if isinstance(query, Query) and isinstance(query.statistic, Model):
        return query
    rule = "a filter over a box takes linear, truncated, logistic and quadratic queries"
    raise SordinoError(rule, found=query.parameters if isinstance(query, Query) else type(query).__name__)
