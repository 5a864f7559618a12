"""The query of a plan that one person answers, drawn without looking at the record, and as a person's filter sees it.

The draw is public, so what the filter decides on is the drawn query: its reading of the record, and the mechanism's
integers. What is read is worked out through the same code as on the device: of attributes that are counted for each
combination of their values, of numbers by the law of the statistic at the points between which it is affine.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate, product
from math import gcd, prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sordino.accounting.measures.cell_query import BinReading, CellQuery, LawReading, RecordReading, UntabledReading
from sordino.accounting.state import FilterQuery
from sordino.domain.attribute import Attribute
from sordino.domain.choices import Choices
from sordino.domain.interval import Interval
from sordino.domain.scaled import Measured
from sordino.errors import SordinoError
from sordino.exact.messages import shown
from sordino.exact.source import Source, Stream, uniform_below
from sordino.mechanism.meeting_subsets import MeetingSubsets, ReadSets
from sordino.query.bin import Bin
from sordino.query.number import NumberStatistic
from sordino.query.query import Query
from sordino.query.sampled import Sampled
from sordino.query.statistic import Recoded, Values
from sordino.query.together import Together
from sordino.survey.answering.report_draw import question_arrays
from sordino.survey.kinds.question import Question
from sordino.survey.planning.plan import Plan

LARGEST_LAW = 1 << 16
"""Probabilities of a law that are worked out, at most: some tenths of a second."""

LARGEST_COMBINATIONS = 1 << 21
"""Combinations of values that are looked at, at most."""

MOST_READINGS = 1 << 12
"""Values of a law at most: their sums are known to forty bits."""

SQUARE_POINTS = 257
"""Points between which a square counts as affine."""

SQUARE_ERROR = 2.0**-15
"""By how much that is off at most: half of it, and as much again."""


@dataclass(frozen=True, eq=False)
class DrawnQuery:
    """A query that a person was drawn to answer.

    Attributes:
        number: of the question among the plan's.
        first: its first code among the plan's codes.
        channel: what is answered.
    """

    plan: Plan
    number: int
    first: int
    channel: Query | Together

    @classmethod
    def draw(cls, plan: Plan, stream: Stream, question: int | None = None) -> "DrawnQuery":
        """Draw one by the plan's weights.

        Args:
            plan: that asks.
            stream: of random words that do not depend on any record, one at a time.
            question: its place among the plan's, where it was drawn before.
        """
        number = _choose(plan.sampled.weights, stream) if question is None else question
        first, channel = plan.sampled.offsets[number], plan.sampled.queries[number]
        while isinstance(channel, Sampled):
            chosen = _choose(channel.weights, stream)
            first, channel = first + channel.offsets[chosen], channel.queries[chosen]
        return cls(plan, number, first, channel)

    @classmethod
    def at(cls, plan: Plan, first: int) -> "DrawnQuery":
        """The query whose codes begin with a code.

        Raises:
            SordinoError: none of them does.
        """
        for found in all_queries(plan):
            if found.first == first:
                return found
        raise SordinoError("a drawn query must be one of the plan's", found=f"none at code {first}")

    @cached_property
    def question(self) -> Question:
        """That it belongs to."""
        return self.plan.questions[self.number]

    @property
    def outputs(self) -> int:
        """How many codes it has."""
        return self.channel.outputs

    @property
    def attribute_names(self) -> tuple[str, ...]:
        """The attributes of the record that it depends on."""
        parts = self.filter_query.parts if isinstance(self.filter_query, CellQuery) else ()
        if isinstance(self.filter_query, Query):
            return tuple(str(name) for name in self.filter_query.statistic.attribute_names)
        return tuple(dict.fromkeys(name for reading, _ in parts for name in reading.names))

    def draw_code(self, values: Mapping[str, float | int], source: Source) -> int:
        """The code of an answer, the query's own; every call is a new release.

        Args:
            values: of the record, by attribute, as the plan reads them.
            source: of random words.
        """
        column = self.question.column(question_arrays(self.question, values))
        taken: Any = column[:] if isinstance(column, Measured) else column
        return int(self.channel.privatize(taken, source)[0])

    @cached_property
    def filter_query(self) -> FilterQuery:
        """As a filter over the plan's attributes sees it."""
        question = self.question
        if isinstance(self.channel, Query) and isinstance(self.channel.statistic, Bin):
            statistic = self.channel.statistic
            return CellQuery(
                ((BinReading(statistic.attribute, statistic.bins, statistic.missing), self.channel.mechanism),)
            )
        if not any(isinstance(attribute.domain, Interval) for attribute in question.attributes):
            return self._counted_query()
        if isinstance(self.channel, Query) and isinstance(self.channel.statistic, Values):
            names, mechanism = tuple(question.attribute_names), self.channel.mechanism
            return CellQuery(((UntabledReading(names, mechanism.k, self._words), mechanism),))
        queries = self.channel.queries if isinstance(self.channel, Together) else (self.channel,)
        readings = [_reading_of(question, query.number) for query in queries]
        alone = readings[0]
        if len(readings) == 1 and isinstance(alone, LawReading) and all(own is None for own in alone.points):
            law = alone.law.reshape(-1, alone.k)
            if ((law == 0) | (law == 1)).all():
                return Query(Recoded(alone.names, law.argmax(axis=1).tolist(), alone.k), queries[0].mechanism)
        return CellQuery(tuple((own, query.mechanism) for own, query in zip(readings, queries, strict=True)))

    def _counted_query(self) -> FilterQuery:
        """Of attributes that are counted: what the device reads of each combination of their values."""
        question = self.question
        if not isinstance(self.channel, Query):
            raise SordinoError("a question about values must be one query", found=type(self.channel).__name__)
        names, mechanism = tuple(question.attribute_names), self.channel.mechanism
        values = [_values_of(attribute) for attribute in question.attributes]
        if prod(map(len, values)) > LARGEST_COMBINATIONS:
            return CellQuery(((UntabledReading(names, mechanism.k, self._words), mechanism),))
        combined = np.meshgrid(*values, indexing="ij")
        column = question.column({name: own.ravel() for name, own in zip(names, combined, strict=True)})
        if not isinstance(column, Measured):
            read = self.channel.check_values(column)
            if isinstance(mechanism, MeetingSubsets):
                # Of all sets of items few can be read.
                return Query(Values(*names), ReadSets(mechanism, read))
            if np.array_equal(read, np.arange(mechanism.k)):
                return Query(Values(*names), mechanism)
            return Query(Recoded(names, read.tolist(), mechanism.k), mechanism)
        laws = [self.channel.statistic.law(record) for record in column[:].records.tolist()]
        if not all(share in (0, 1) for law in laws for share in law):
            raise SordinoError("a reading of values must not be random", found=self.channel.statistic.parameters)
        return Query(Recoded(names, [law.index(Fraction(1)) for law in laws], mechanism.k), mechanism)

    @property
    def _words(self) -> str:
        return f"{self.plan.hash} {self.first}"


def _choose(weights: tuple[int, ...], stream: Stream) -> int:
    """A place, each with the probability of its weight; nothing is drawn of one alone."""
    if len(weights) == 1:
        return 0
    common = gcd(*weights)
    ends = list(accumulate(weight // common for weight in weights))
    drawn = int(uniform_below(ends[-1], stream)[0])
    return int(np.searchsorted(ends, drawn, side="right"))


def all_queries(plan: Plan) -> Iterator[DrawnQuery]:
    """Every query of a plan."""
    parts = zip(plan.sampled.queries, plan.sampled.offsets, strict=False)
    for number, (channel, first) in enumerate(parts):
        for own, inner in _leaves(channel):
            yield DrawnQuery(plan, number, first + own, inner)


def _leaves(channel: Query | Together | Sampled) -> Iterable[tuple[int, Query | Together]]:
    if not isinstance(channel, Sampled):
        return [(0, channel)]
    return [
        (first + own, inner)
        for query, first in zip(channel.queries, channel.offsets, strict=False)
        for own, inner in _leaves(query)
    ]


def _values_of(attribute: Attribute) -> NDArray[Any]:
    """The values of an attribute that is counted, as a record has them, in the order of their numbers."""
    if isinstance(attribute.domain, Choices):
        return attribute.domain.values
    return np.arange(attribute.finite.k)


def _reading_of(question: Question, statistic: NumberStatistic) -> RecordReading:
    """What a statistic of a question about numbers reads, at the points between which its law is affine."""
    names, axes, missing = [], [], []
    points: list[tuple[float, ...] | None] = []
    error = 0.0
    for place in statistic.places:
        attribute = question.attributes[place]
        names.append(attribute.name)
        optional = place in statistic.optional
        if not isinstance(attribute.domain, Interval):
            ends = _code_ends(question, place)
            axes.append(ends.scale(np.arange(attribute.finite.k, dtype=np.float64)))
            points.append(None)
            missing.append(False)
            continue
        count = statistic.bends(place)
        error = max(error, SQUARE_ERROR if count is None else 0.0)
        scaled = np.linspace(-1, 1, SQUARE_POINTS if count is None else count)
        axes.append(np.append(scaled, np.nan) if optional else scaled)
        low, high = attribute.domain.low, attribute.domain.high
        points.append((low, *(low + (scaled[1:-1] + 1) / 2 * (high - low)).tolist(), high))
        missing.append(optional)
    shape = tuple(map(len, axes))
    if prod(shape) * statistic.k > LARGEST_LAW or statistic.k > MOST_READINGS:
        return UntabledReading(tuple(names), statistic.k, f"{question.name} {statistic.parameters}")
    laws = [[float(share) for share in _law(statistic, values)] for values in product(*axes)]
    law = np.array(laws).reshape(*shape, statistic.k)
    return LawReading(tuple(names), tuple(points), tuple(missing), law, error)


def _law(statistic: NumberStatistic, values: Iterable[float]) -> list[Fraction]:
    """The law of what is read of a record that has these values at the statistic's places."""
    record = [0.0] * statistic.d
    for place, value in zip(statistic.places, values, strict=True):
        record[place] = float(value)
    return statistic.law(record)


def _code_ends(question: Question, place: int) -> Interval:
    """By which the categories of an attribute are scaled."""
    ends = getattr(question, "intervals", ())
    if not ends:
        raise SordinoError("a question about numbers must say how they are scaled", found=shown(question.name))
    found: Interval = ends[place]
    return found
