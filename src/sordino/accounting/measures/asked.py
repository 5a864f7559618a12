"""Sums of the epsilons of questions about records in a box: for each number those that touch it, then of all.

They are exact, and hold whatever was answered.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from sordino.definition.product import Amounts
from sordino.exact.nats import Nats
from sordino.query.query import Query


@dataclass(frozen=True)
class Asked:
    """Sums of epsilons.

    Attributes:
        basic: in the order of the bounds, of all questions, answered or not; None once above the bound.
        sums: nats, rounded up; of the questions that are not answered yet, for each number and for the record.
    """

    basic: tuple[Nats | None, ...]
    sums: list[float]

    @classmethod
    def of(cls, basic: Sequence[Nats | None], bounds: Amounts, d: int, queries: Sequence[Query]) -> "Asked":
        """Of questions after others.

        Args:
            basic: of the others.
            bounds: of the numbers, and of the record where it counts.
            queries: not answered yet.
        """
        totals = list(basic)
        for query in queries:
            for group, total in enumerate(totals):
                if total is not None and _concerns(query, group, d):
                    totals[group] = total + query.epsilon
        pairs = zip(totals, bounds, strict=True)
        kept = tuple(None if total is None or bound is None or total > bound else total for total, bound in pairs)
        return cls(kept, _summed_levels(queries, d))


def _summed_levels(queries: Sequence[Query], d: int) -> list[float]:
    """The most that queries add to each number's loss, then to the record's."""
    touching = [
        tuple(place for place, query in enumerate(queries) if _concerns(query, group, d)) for group in range(d + 1)
    ]
    if len(queries) <= 1:
        return [sum(queries[place].level for place in own) for own in touching]
    # Most often all questions touch all numbers.
    sums = {own: sum((queries[place].epsilon for place in own), Nats.of(0)).ceil() for own in set(touching)}
    return [sums[own] for own in touching]


def _concerns(query: Query, group: int, d: int) -> bool:
    """Whether a question depends on a number; on the whole record all do."""
    return group == d or query.model.theta[group] != 0


def within(level: float, bound: Nats, left: float) -> float:
    """A loss, where so much of its bound is known to be left."""
    return min(level, max(math.nextafter(bound.ceil() - left, math.inf), 0.0))


def plus(first: float, second: float) -> float:
    """A sum rounded up; nothing added is exact."""
    return math.nextafter(first + second, math.inf) if first and second else first + second


def share_of(most: float, record: float, share: Fraction) -> float:
    """About the largest loss c for which ln((1 - share) e^c + share e^record) is no more than so much."""
    if share == 0:
        return most
    if share == 1:
        return -math.inf
    kept = math.exp(min(most - record, 0.0)) - float(share)
    return record + math.log(kept / (1 - float(share))) if kept > 0 else -math.inf
