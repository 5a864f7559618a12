"""Tallies of any number of people by the exact probabilities of the codes, from a plan's own integers.

Nothing of the estimators is used. Where a tally counts codes, so many are drawn together from their distribution. Where
it counts what a code holds several of (the values of a subset), all codes are listed, drawn together, and tallied one
by one; a mechanism of more than `MOST_CODES` codes has no place in the table.
"""

from functools import cache
from typing import Any

import numpy as np
from asked import SIZES, People

from plan_laws import matrix_of
from sordino import Aggregate, Sampled
from sordino.domain.choices import Choices
from sordino.domain.interval import Interval
from sordino.query.query import Query
from sordino.query.together import Together

MOST_CODES = 4096


def laws_of_codes(mechanism) -> np.ndarray:
    """The probability of each code of each value, from the interpreter of draws, shape (k, outputs)."""
    assert mechanism.outputs <= MOST_CODES, f"{mechanism.outputs} codes are too many to list"
    return matrix_of(mechanism)


@cache
def tallies_of_codes(mechanism) -> np.ndarray:
    """What each code adds to the counters, shape (outputs, counters)."""
    found = np.zeros((mechanism.outputs, mechanism.counters), dtype=np.int64)
    for code in np.flatnonzero(~mechanism.are_impossible(np.arange(mechanism.outputs, dtype=np.uint64))).tolist():
        found[code] = mechanism.tally([code]).counts
    return found


def draw_counters(mechanism, shares: np.ndarray, number: int, rng: np.random.Generator) -> np.ndarray:
    """The counters of so many people's codes, of whom these shares have each value."""
    law = shares @ laws_of_codes(mechanism)
    drawn = rng.multinomial(number, law / law.sum())
    return drawn if mechanism.counts_codes else drawn @ tallies_of_codes(mechanism)


def arrays_of(question, records: list[dict[str, Any]]) -> dict[str, np.ndarray]:
    """What a question reads of some records, as its column takes it."""
    found = {}
    for one in question.attributes:
        values = [record[one.name] for record in records]
        if isinstance(one.domain, Interval):
            found[one.name] = np.array([np.nan if value is None else value for value in values], dtype=np.float64)
        elif isinstance(one.domain, Choices):
            found[one.name] = np.array([one.domain.value_of(value) for value in values])
        else:
            place = {one.finite.label(value): value for value in range(one.finite.k)}
            labels = [one.not_asked if value is None else str(value) for value in values]
            found[one.name] = np.array([place[label] for label in labels])
    return found


def readings(query: Query, column, records: int) -> np.ndarray:
    """The probability with which each record is read as each value, shape (records, k)."""
    if hasattr(column, "ranges"):
        scaled = column[:].records
        return np.array([[float(share) for share in query.statistic.law(record)] for record in scaled.tolist()])
    places = query.statistic.encode(query.check_values(column), None)
    found = np.zeros((records, query.mechanism.k))
    found[np.arange(records), places.astype(np.intp)] = 1
    return found


def draw(channel, column, shares: np.ndarray, number: int, rng: np.random.Generator) -> np.ndarray:
    """The counters of one question, or of a part of it."""
    if isinstance(channel, Sampled):
        weights = np.array(channel.weights, dtype=np.float64)
        asked = rng.multinomial(number, weights / weights.sum())
        parts = zip(channel.queries, asked.tolist(), strict=True)
        return np.concatenate([draw(own, column, shares, each, rng) for own, each in parts])
    if isinstance(channel, Together):
        each = rng.multinomial(number, shares)
        found = []
        for query in channel.queries:
            read = readings(query, column, len(shares))
            own = [draw_counters(query.mechanism, row, n, rng) for row, n in zip(read, each.tolist(), strict=True)]
            found.append(np.sum(own, axis=0))
        return np.concatenate(found)
    return draw_counters(channel.mechanism, shares @ readings(channel, column, len(shares)), number, rng)


class Survey:
    """Tallies of surveys by one plan among some people."""

    def __init__(self, plan, people: People) -> None:
        self.plan, self.people = plan, people
        self.columns = [question.column(arrays_of(question, people.records)) for question in plan.questions]

    def counters(self, shares: np.ndarray, number: int, rng: np.random.Generator) -> np.ndarray:
        """Of so many people, of whom these shares have each record."""
        sampled = self.plan.sampled
        weights = np.array(sampled.weights, dtype=np.float64)
        asked = rng.multinomial(number, weights / weights.sum()).tolist()
        parts = zip(sampled.queries, self.columns, asked, strict=True)
        return np.concatenate([draw(query, column, shares, each, rng) for query, column, each in parts])

    def tally(self, number: int, rng: np.random.Generator) -> Aggregate:
        """Of so many people, spread over the public groups."""
        name, groups = self.plan.sampled.fingerprint, self.people.groups
        if None in groups:
            return Aggregate(name, number, self.counters(groups[None], number, rng))
        sizes = np.array([SIZES[group] for group in groups])
        planned = np.diff(np.round(number * np.cumsum(sizes)), prepend=0).astype(int)
        each = (planned if self.people.are_strata else rng.multinomial(number, sizes)).tolist()
        parts = enumerate(zip(groups.values(), each, strict=True))
        cells = {cell: self.counters(shares, n, rng) for cell, (shares, n) in parts if n}
        return Aggregate(name, number, np.sum([*cells.values()], axis=0), cells)

    def later(self, number: int, rng: np.random.Generator) -> Aggregate:
        """Of another survey's people, without groups."""
        return Aggregate(self.plan.sampled.fingerprint, number, self.counters(self.people.later, number, rng))
