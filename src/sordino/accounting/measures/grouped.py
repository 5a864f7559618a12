"""How a filter decides where hypotheses come in groups with a bound each: the part that all finite domains share.

A query is accepted if the levels so far and the most that it can add to each group stay within the bounds; by the full
rule also if they do after every possible answer. Levels are floats rounded up; where one passes its bound by no more
than rounding can explain, whole numbers decide. An answer that no record could give is no answer.
Source: Bayesian privacy filter paper, Algorithms 2 and 3; products are compared, not logarithms.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Self

import numpy as np

from sordino.accounting.measures.measure import GroupBounds
from sordino.accounting.measures.mechanism_columns import Ratio, level_above
from sordino.accounting.state import Binding, Decision, FilterQuery, Rule, exactly_left
from sordino.errors import SordinoError
from sordino.evidence.bound.loss import LossBounds
from sordino.exact.floats import Floats, up
from sordino.exact.nats import Nats

UNDECIDED = 1e-9
"""Nats by which a level may pass its bound and still be compared exactly, at least."""

LONGEST = 1 << 13
"""Largest number of bits of a ratio that is kept in a bound: each later decision would work on all of them."""


@dataclass(frozen=True, eq=False)
class QueryLosses:
    """What a state knows of a query.

    Attributes:
        epsilon: e^epsilon of the least epsilon that it satisfies.
        own: the most that it can add to each group.
        levels: the logarithms of those, rounded up.
        outputs: how many answers are looked at one by one; None where they are too many.
    """

    epsilon: Ratio
    own: tuple[Ratio, ...]
    levels: Floats
    outputs: int | None

    @classmethod
    def of(cls, epsilon: Ratio, own: Sequence[Ratio], outputs: int | None) -> "QueryLosses":
        """With the logarithms."""
        return cls(epsilon, tuple(own), level_above(own), outputs)


@dataclass(frozen=True, eq=False)
class GroupedState(ABC):
    """Queries about a record and their answers, under bounds for groups of hypotheses.

    Attributes:
        bounds: what the present version of the record may still lose.
        lost: nats; the most that earlier versions lost in one group, rounded up.
    """

    bounds: GroupBounds
    lost: float

    @property
    @abstractmethod
    def levels(self) -> Floats:
        """The loss in each group, rounded up."""

    @property
    @abstractmethod
    def realized_loss(self) -> LossBounds:
        """Bounds on the realized loss of the present version."""

    @abstractmethod
    def query_losses(self, query: FilterQuery) -> QueryLosses:
        """What is known of a query."""

    @abstractmethod
    def within(self, group: int) -> bool:
        """Whether the loss of a group is exactly within its bound, which floats cannot tell."""

    @abstractmethod
    def within_raised(self, group: int, known: QueryLosses) -> bool:
        """The same of what no answer to a query can pass."""

    @property
    def comparison_margin(self) -> float:
        """Nats by which a level may pass its bound and still be compared exactly: more than all roundings together."""
        return UNDECIDED

    @property
    def undecided_margin(self) -> float:
        """Nats below a bound where what floats leave open is refused; 0 where whole numbers decide."""
        return 0.0

    @abstractmethod
    def then(self, query: FilterQuery, code: int) -> "Self | None":
        """The state after an answer; None where no record could give it."""

    @abstractmethod
    def next_version(self) -> "Self":
        """The state once the record has changed: what was lost is taken from the bounds."""

    @abstractmethod
    def about(self, group: int) -> str:
        """What a group compares, in words."""

    def raise_levels(self, known: QueryLosses) -> Floats:
        """Levels that no answer to a query can pass, rounded up."""
        return np.nextafter(self.levels + known.levels, np.inf)

    def decide(self, query: FilterQuery, rule: Rule) -> Decision[Self]:
        """As the present version decides; the loss is that of all versions."""
        decision = self.decide_version(query, rule)
        return replace(decision, loss=up(self.lost + decision.loss)) if self.lost else decision

    def decide_version(self, query: FilterQuery, rule: Rule) -> Decision[Self]:
        """By the most that the query can add; then, by the full rule, answer by answer. Of the present version."""
        known = self.query_losses(query)
        raised = self.raise_levels(known)
        if self._simply(known, raised):
            return Decision(True, self._largest(raised), lambda code: self._after_answer(query, code))
        if rule == "simplified" or known.outputs is None:
            return Decision(False, self._largest(raised))
        accepted, largest = self.by_answers(query, known.outputs)
        return Decision(accepted, largest, (lambda code: self._after_answer(query, code)) if accepted else None)

    def by_answers(self, query: FilterQuery, outputs: int) -> tuple[bool, float]:
        """Whether every answer that some record can give keeps the bounds; and the largest level of those looked at."""
        largest = 0.0
        for code in range(outputs):
            after = self.then(query, code)
            if after is None:
                continue
            largest = max(largest, after._largest(after.levels))  # noqa: SLF001 - another state of this class
            if not after.holds:
                return False, largest
        return True, largest

    def fits(self, queries: Sequence[FilterQuery]) -> bool:
        """By the sums of what the queries can add to each group."""
        each = [self.query_losses(query) for query in queries]
        if not each:
            return True
        own = [_product([known.own[group] for known in each]) for group in range(len(self.bounds))]
        together = QueryLosses.of(_product([known.epsilon for known in each]), own, None)
        return self._simply(together, self.raise_levels(together))

    @property
    def holds(self) -> bool:
        """Whether no group has lost more than its bound."""
        return all(self._within(group, level, self.within) for group, level in self._over(self.levels))

    @property
    def spent(self) -> float:
        """The largest loss of a protected group, over all versions."""
        return up(self.lost + self._largest(self.levels)) if self.lost else self._largest(self.levels)

    @property
    def remaining(self) -> float:
        return max(self.binding.left, 0.0)

    @property
    def binding(self) -> Binding:
        protected = np.flatnonzero(np.isfinite(self.floors))
        if not len(protected):
            return Binding("nothing that is protected", 0.0, math.inf)
        floors, levels = self.floors[protected], self.levels[protected]
        left = np.where(levels == 0, floors, np.nextafter(floors - levels - self.undecided_margin, -np.inf))
        group = int(protected[left.argmin()])
        lost = float(self.levels[group])
        spent = up(self.lost + lost) if self.lost else lost
        pairs = zip(protected.tolist(), levels.tolist(), left.tolist(), strict=True)
        exactly = None if lost else exactly_left((self.bounds[place], *each) for place, *each in pairs)
        return Binding(self.about(group), spent, float(left.min()), exactly)

    def level(self, query: FilterQuery) -> float:
        return float(level_above([self.query_losses(query).epsilon])[0])

    def charge(self, query: FilterQuery) -> float:
        return self._largest(self.query_losses(query).levels)

    def epsilon_of(self, query: FilterQuery) -> Nats:
        ratio = self.query_losses(query).epsilon
        if ratio is None:
            step = "ask through a mechanism whose every code can come from each value"
            raise SordinoError("a query must satisfy LDP", found="an answer that some values cannot give", step=step)
        return Nats.log(ratio)

    def changed(self) -> "Self":
        return self.next_version()

    def with_answer(self, query: FilterQuery, output: int) -> "Self":
        return self._after_answer(query, output)

    def left_after_change(self, lost: Sequence[Nats | None]) -> GroupBounds:
        """The bounds less what the present version lost; rounded down where that has thousands of digits."""
        return tuple(
            None if bound is None else Nats.of(-1) if loss is None else shorten_bound(bound - loss)
            for bound, loss in zip(self.bounds, lost, strict=True)
        )

    @cached_property
    def floors(self) -> Floats:
        """The bounds, rounded down; infinite where nothing is protected."""
        return np.array([math.inf if bound is None else bound.floor() for bound in self.bounds])

    def _over(self, levels: Floats) -> list[tuple[int, float]]:
        """The groups whose level is not surely within the bound."""
        return [(group, float(levels[group])) for group in np.flatnonzero(levels > self.floors).tolist()]

    def _simply(self, known: QueryLosses, raised: Floats) -> bool:
        return all(
            self._within(group, level, lambda group: self.within_raised(group, known))
            for group, level in self._over(raised)
        )

    def _within(self, group: int, level: float, exactly: Callable[[int], bool]) -> bool:
        if self.bounds[group] is None:
            return True
        return level <= self.floors[group] + self.comparison_margin and exactly(group)

    def _largest(self, levels: Floats) -> float:
        return float(levels[..., np.isfinite(self.floors)].max(initial=0.0))

    def _after_answer(self, query: FilterQuery, code: int) -> "Self":
        after = self.then(query, code)
        if after is None:
            rule = "an answer must be one that some record can give, after those before it"
            raise SordinoError(rule, found=f"code {code}")
        return after


def shorten_bound(bound: Nats) -> Nats:
    """The bound, or one of forty digits that is not above it."""
    longest = max(bound.ratio.numerator.bit_length(), bound.ratio.denominator.bit_length())
    return bound if longest <= LONGEST else Nats(bound.around()[0])


def _product(ratios: Sequence[Ratio]) -> Ratio:
    total: Ratio = Fraction(1)
    for ratio in ratios:
        total = None if total is None or ratio is None else total * ratio
    return total
