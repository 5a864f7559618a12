"""A filter's decisions about records of numbers and categories together, under local differential privacy.

Models of several numbers are bounded over their box (`box`), all else by tables over attributes and cells of numbers
(`product`); the loss of all answers is at most the sum of both losses, and at most the sum of all epsilons. As long as
only one of both was asked, decisions are that part's own.
Source: Bayesian privacy filter paper, Algorithms 2 and 3; a product's ratio is at most the product of the ratios.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

from sordino.accounting.measures.box_state import BoxState
from sordino.accounting.measures.carried_slack import LastingState
from sordino.accounting.measures.record_state import ProductState
from sordino.accounting.state import Binding, Decision, FilterQuery, FilterState, Rule
from sordino.definition.pairwise import LDP
from sordino.domain.mixed_record import MixedRecord
from sordino.errors import SordinoError
from sordino.evidence.bound.loss import LossBounds
from sordino.exact.floats import down, up
from sordino.exact.messages import shown
from sordino.exact.nats import Nats
from sordino.query.model import Model
from sordino.query.query import Query
from sordino.query.statistic import Values

MOST_CODES = 1 << 10
"""Codes after each of which the loss is worked out, where both parts were asked."""


@dataclass(frozen=True, eq=False)
class MixedState:
    """Queries about a record of numbers and categories, and their answers.

    Attributes:
        box: of models of the numbers; None where there are no numbers, or some may be missing.
        basic: the sum of the epsilons of all queries; None once it is above the budget.
        modelled, tabled: whether a model was asked, and whether anything else was.
    """

    record: MixedRecord
    budget: Nats
    box: LastingState | None
    product: ProductState
    basic: Nats | None
    modelled: bool = False
    tabled: bool = False

    @classmethod
    def start(cls, record: MixedRecord, budget: Nats, nodes: int, group: int | None) -> "MixedState":
        """Nothing asked yet."""
        box = None if record.box is None else LastingState(BoxState.start(record.box, budget, nodes, group))
        return cls(record, budget, box, ProductState.start(record.cells, LDP(budget)), Nats.of(0))

    @cached_property
    def spent(self) -> float:
        """Nats, rounded up."""
        if not (self.modelled and self.tabled):
            return self._asked_part.spent
        total = up(self._loss_of(self.box) + self.product.spent)
        return total if self.basic is None else min(total, self.basic.ceil())

    @property
    def realized_loss(self) -> LossBounds:
        if not (self.modelled and self.tabled):
            return self._asked_part.realized_loss
        own, other = (part.realized_loss for part in self._parts)
        return LossBounds(0.0, up(own.upper + other.upper))

    @property
    def remaining(self) -> float:
        if not (self.modelled and self.tabled):
            return self._asked_part.remaining
        exactly = self._by_epsilons
        return max(down(down(self.budget.floor()) - self.spent), 0.0 if exactly is None else exactly.floor())

    @property
    def binding(self) -> Binding:
        """There is one bound for all records."""
        if not (self.modelled and self.tabled):
            return self._asked_part.binding
        own, exactly = down(self.budget.floor() - self.spent), self._by_epsilons
        if exactly is None or exactly.floor() < own:
            return Binding("two records", self.spent, own)
        return Binding("two records", self.spent, exactly.floor(), exactly)

    def decide(self, query: FilterQuery, rule: Rule) -> "Decision[MixedState]":
        """By the part that the query belongs to, beside what the other one lost."""
        part, other = self._part_of(query), self._other_of(query)
        own = part.decide(query, rule)
        follow: Callable[[int], LastingState | ProductState] | None = own.follow
        if not (self.tabled if isinstance(part, LastingState) else self.modelled):
            return Decision(
                own.accepted, own.loss, None if follow is None else lambda code: self._with_part(follow(code), query)
            )
        summed = None if self.basic is None else self.basic + part.epsilon_of(query)
        if summed is not None and summed <= self.budget:
            return Decision(True, summed.ceil(), lambda code: self.with_answer(query, code))
        loss = up(own.loss + self._loss_of(other))
        if loss > self.budget.floor() and follow is not None and rule == "full" and query.outputs <= MOST_CODES:
            loss = up(self._worst(follow, query.outputs) + self._loss_of(other))
        if follow is None or loss > self.budget.floor():
            return Decision(False, loss)
        return Decision(True, loss, lambda code: self._with_part(follow(code), query))

    def fits(self, queries: Sequence[FilterQuery]) -> bool:
        """By the part alone where only it was and is asked; else by the sum of the epsilons."""
        parts = {isinstance(self._part_of(query), LastingState) for query in queries}
        if parts == {True} and not self.tabled and self.box is not None:
            return self.box.fits(queries)
        if parts == {False} and not self.modelled:
            return self.product.fits(queries)
        total = sum((self.epsilon_of(query) for query in queries), Nats.of(0))
        if self.basic is not None and self.basic + total <= self.budget:
            return True
        return math.isfinite(self.spent) and total + Fraction(self.spent) <= self.budget

    def level(self, query: FilterQuery) -> float:
        return self._part_of(query).level(query)

    def charge(self, query: FilterQuery) -> float:
        return self.level(query)

    def epsilon_of(self, query: FilterQuery) -> Nats:
        return self._part_of(query).epsilon_of(query)

    def with_answer(self, query: FilterQuery, output: int) -> "MixedState":
        return self._with_part(self._part_of(query).with_answer(query, output), query)

    def changed(self) -> "MixedState":
        """The state once the record has changed: what both parts lost stays lost."""
        return replace(self, box=None if self.box is None else self.box.changed(), product=self.product.changed())

    def _worst(self, follow: Callable[[int], FilterState], outputs: int) -> float:
        """The largest loss of the part after any code that some record can give."""
        worst = 0.0
        for code in range(outputs):
            try:
                worst = max(worst, follow(code).spent)
            except SordinoError:
                continue
        return worst

    @property
    def _asked_part(self) -> FilterState:
        """The part that was asked; where none was, that of all queries but models."""
        return self.box if self.modelled and self.box is not None else self.product

    @property
    def _parts(self) -> tuple[FilterState, ...]:
        return (self.product,) if self.box is None else (self.box, self.product)

    @property
    def _by_epsilons(self) -> Nats | None:
        """What is left by the sum of all epsilons, which is exact; None where that is above the budget."""
        return None if self.basic is None else self.budget - self.basic

    def _part_of(self, query: FilterQuery) -> LastingState | ProductState:
        statistic = query.statistic if isinstance(query, Query) else None
        if isinstance(statistic, Model):
            if self.box is None:
                found = "none" if not self.record.optional else f"{self.record.optional[0]!r}, which may be missing"
                raise SordinoError("a model must be of numbers that everybody has", found=found)
            return self.box
        if isinstance(statistic, Values):
            numbers = [name for name in statistic.attributes if name in self.record.numbers]
            if numbers:
                rule = "values must be asked of attributes that are counted"
                raise SordinoError(rule, found=f"the number {shown(numbers[0])}", step="ask by a model of it")
        return self.product

    def _other_of(self, query: FilterQuery) -> FilterState | None:
        return self.product if self._part_of(query) is self.box else self.box

    def _loss_of(self, part: FilterState | None) -> float:
        return 0.0 if part is None else part.spent

    def _with_part(self, part: LastingState | ProductState, query: FilterQuery) -> "MixedState":
        epsilon, basic = self._epsilon_or_none(query), None
        if self.basic is not None and epsilon is not None and self.basic + epsilon <= self.budget:
            basic = self.basic + epsilon
        if isinstance(part, LastingState):
            return replace(self, box=part, basic=basic, modelled=True)
        return replace(self, product=part, basic=basic, tabled=True)

    def _epsilon_or_none(self, query: FilterQuery) -> Nats | None:
        """None where an answer can rule some records out."""
        try:
            return self.epsilon_of(query)
        except SordinoError:
            return None
