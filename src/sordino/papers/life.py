"""A year of surveys by ten collectors through one filter: how many a person answers, beside adding epsilons.

Each collector asks one question a week about one of a person's three yes/no attributes, by randomized response; one of
them asks every day. Whatever is answered keeps one promise, epsilon for all answers together. Counted are the answers
of simulated people until no question is accepted any more, in four ways:

- epsilons are added;
- the filter adds what was realized, of a record that never changes;
- the record changes once: the filter is informed, and what each version lost adds;
- the record changes once: histories with one change are the filter's hypotheses, and it is not informed.

Each filter also with quotas for each collector. Nothing of it is a release.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from sordino.accounting.filter import BayesianFilter
from sordino.accounting.quota import QuotaFilter
from sordino.definition.pairwise import LDP
from sordino.domain.categories import Categories
from sordino.domain.finite_record import Record
from sordino.exact.nats import Nats
from sordino.mechanism.randomized import RandomizedResponse
from sordino.query.query import Query
from sordino.query.statistic import Value

EPSILON, EACH, QUOTA = "1", "0.1", "0.3"
PEOPLE = 20
COLLECTORS, WEEKS, DAYS = 10, 52, 7

TURN = 2
"""Weeks after which a record changes that does: while there are still answers."""

ATTRIBUTES = ("first", "second", "third")


@dataclass(frozen=True)
class LifeRow:
    """One way of accounting.

    Attributes:
        others: collectors of the other nine that got an answer, a mean.
    """

    way: str
    quotas: bool
    answers: float
    daily: float
    others: float


@dataclass(frozen=True)
class YearAccounting:
    """How answers are counted.

    Attributes:
        turns: whether the record changes, after `TURN` weeks.
    """

    name: str
    changes: int
    turns: bool
    is_reported: bool


WAYS = (
    YearAccounting("the record never changes", 0, turns=False, is_reported=False),
    YearAccounting("it changes once, each version counts anew", 0, turns=True, is_reported=True),
    YearAccounting("it changes once, by histories", 1, turns=True, is_reported=False),
)


def year_of_surveys(
    people: int = PEOPLE,
    epsilon: str = EPSILON,
    each: str = EACH,
    quota: str = QUOTA,
    advance: Callable[[int], None] = lambda _: None,
) -> tuple[LifeRow, ...]:
    """How many surveys are answered, by ways of accounting."""
    rows = []
    for way in WAYS:
        for quotas in (False, True):
            found = []
            for person in range(people):
                found.append(_answers(person, way, epsilon, each, quota if quotas else None))
                advance(1)
            counts = np.array(found, dtype=float)
            daily, others = counts[:, 0].mean(), (counts[:, 1:] > 0).sum(axis=1).mean()
            rows.append(LifeRow(way.name, quotas, float(counts.sum(axis=1).mean()), float(daily), float(others)))
    return tuple(rows)


def answers_by_adding(epsilon: str = EPSILON, each: str = EACH) -> int:
    """How many questions fit where epsilons are added."""
    count, total = 0, Nats.of(each)
    while total <= Nats.of(epsilon) and count < COLLECTORS * WEEKS * DAYS:
        count, total = count + 1, total + each
    return count


def _answers(person: int, way: YearAccounting, epsilon: str, each: str, quota: str | None) -> list[int]:
    rng = np.random.default_rng(person)
    record = Record({name: Categories(["no", "yes"]) for name in ATTRIBUTES})
    questions = [Query(Value(name), RandomizedResponse(2, each)) for name in ATTRIBUTES]
    truth = 1 / (1 + np.exp(-float(Nats.of(each))))
    names = [f"collector {place}" for place in range(COLLECTORS)]
    limits = {name: LDP(epsilon if quota is None else quota) for name in names}
    filters = QuotaFilter(BayesianFilter(record, LDP(epsilon), changes=way.changes), limits)
    values, counts = rng.integers(0, 2, len(ATTRIBUTES)), [0] * COLLECTORS
    # Until something changes, what was refused stays refused.
    refused: set[tuple[int, int]] = set()
    for week in range(WEEKS):
        if week == TURN and way.turns:
            values = 1 - values
            filters = filters.after_change() if way.is_reported else filters
            refused.clear()
        for place in rng.permutation([0] * DAYS + list(range(1, COLLECTORS))).tolist():
            attribute, is_true = int(rng.integers(len(ATTRIBUTES))), bool(rng.random() < truth)
            if (place, attribute) in refused:
                continue
            if not filters.accepts(names[place], questions[attribute]):
                refused.add((place, attribute))
            else:
                code = int(values[attribute] if is_true else 1 - values[attribute])
                filters = filters.after(names[place], questions[attribute], code)
                counts[place] += 1
                refused.clear()
    return counts
