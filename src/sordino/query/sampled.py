"""One of several queries, drawn for each person without looking at the record.

Its codes are a disjoint union of the queries' codes, so the draw is public. Losses do not add up across queries:
whatever is drawn, only one mechanism has seen the record. Queries about numbers read one record; who was drawn for
alike queries (of one mechanism, or by one bit) is answered together, by words of their own.
Cost of a query about numbers: a word for the draw, one for each number that is read, and the mechanism's.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from itertools import accumulate
from math import gcd
from typing import Any, TypeAlias, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sordino.domain.moment import Factors
from sordino.domain.scaled import Measured, Scaled, read_records, require_inside, rows_of
from sordino.errors import SordinoError
from sordino.exact.floats import ignore_float_errors
from sordino.exact.messages import checked_class, shown
from sordino.exact.source import LARGEST_BOUND, Rows, Source, Stream, SystemSource, Words, uniform_below
from sordino.mechanism.base import Mechanism
from sordino.mechanism.channel import Aggregate
from sordino.query.number import NumberStatistic, optional_places, records_for_key
from sordino.query.query import Query
from sordino.query.query_group import Parts, QueryGroup, SeveralQueries, query_groups
from sordino.query.together import Together

LARGEST_TABLE = 1 << 20
"""Weights together for which a draw is looked up in a table, and codes for which their query is."""

Part: TypeAlias = Union[Query, Together, "Sampled"]
"""What can be drawn."""


@checked_class
@dataclass(frozen=True, repr=False)
class Sampled(SeveralQueries[Part]):
    """One of several queries, drawn for each person.

    Attributes:
        queries: in a fixed order; each one's codes follow those of the one before it. Queries about numbers read one
            record; all others, and those that are drawn from in turn, each their own values.
        weights: whole numbers; a person answers query j with probability weights[j] / sum(weights).

    Example:
        >>> from sordino import Query, RandomizedResponse, Value
        >>> smoker = Query(Value("smoker"), RandomizedResponse(2, "1"))
        >>> colour = Query(Value("colour"), RandomizedResponse(3, "1"))
        >>> asked = Sampled((smoker, colour), (1, 1))
        >>> codes = asked.privatize([[0, 1], [2, 0]])
        >>> [part.n for part in asked.split(asked.tally(codes))] in ([2, 0], [1, 1], [0, 2])
        True
    """

    queries: tuple[Part, ...]
    weights: tuple[int, ...]

    def __post_init__(self) -> None:
        whole = all(type(weight) is int and weight >= 1 for weight in self.weights)
        if not self.queries or len(self.queries) != len(self.weights) or not whole or sum(self.weights) > LARGEST_BOUND:
            rule = f"each of one or more queries must have a whole weight >= 1, {LARGEST_BOUND} together at most"
            raise SordinoError(rule, found=shown(self.weights))
        self._require_report("ask fewer, or smaller ones")

    @cached_property
    def drawn_parts(self) -> tuple[Parts, ...]:
        """What whoever is drawn for each query answers, if all are about numbers of one record; else none.

        One query, or the parts of those that are answered together.
        """
        found = tuple(parts for query in self.queries for parts in _parts_about_numbers(query))
        return found if len(found) == len(self.queries) else ()

    @cached_property
    def numbers(self) -> tuple[NumberStatistic, ...]:
        """The statistics, one after the other, if all queries are about numbers of one record; else none."""
        return tuple(query.number for parts in self.drawn_parts for query in parts)

    @property
    def statistics_read(self) -> tuple[NumberStatistic, ...]:
        """The statistics of its queries about numbers, each once and in their order; signs one by one.

        Example:
            >>> from sordino import Number, RandomizedResponse, Signs
            >>> Sampled((Query(Signs((0, 1)), RandomizedResponse(4, "1")),), (1,)).statistics_read
            (Number(place=0, points=2), Number(place=1, points=2))
        """
        return tuple(dict.fromkeys(one for statistic in self.numbers for one in statistic.single_statistics))

    @property
    def moments_read(self) -> tuple[Factors, ...]:
        """The moments that its queries about numbers tell, each once and in their order."""
        named = (name for statistic in self.numbers for name, _ in statistic.counted_moments)
        return tuple(dict.fromkeys(named))

    @property
    def mechanisms(self) -> tuple[Mechanism, ...]:
        """Through which these go."""
        return tuple(query.mechanism for parts in self.drawn_parts for query in parts)

    @cached_property
    def d(self) -> int:
        """How many numbers a record must have at least, if it is of numbers."""
        return max((statistic.d for statistic in self.numbers), default=0)

    @cached_property
    def optional(self) -> frozenset[int]:
        """The places of the numbers that may be missing: those that every statistic reads as such."""
        return optional_places(self.numbers)

    @cached_property
    def category_counts(self) -> Mapping[int, int]:
        """The places at which some statistic reads a category, and how many categories there are.

        Raises:
            SordinoError: a place that statistics read in different ways: as a number, or as one of other categories.
        """
        found: dict[int, int | None] = {}
        for statistic in self.numbers:
            for place in statistic.places:
                count = statistic.category_counts.get(place)
                if found.setdefault(place, count) != count:
                    rule = "all queries must read an attribute in the same way"
                    raise SordinoError(rule, found=f"place {place} as a number and as a category, or as one of others")
        return {place: count for place, count in found.items() if count is not None}

    @cached_property
    def offsets(self) -> tuple[int, ...]:
        """Each query's first code, and after the last one the number of all codes."""
        return tuple(accumulate((query.outputs for query in self.queries), initial=0))

    @property
    def outputs(self) -> int:
        return self.offsets[-1]

    @property
    def parameters(self) -> str:
        texts = (f"{w} {q.parameters}" for q, w in zip(self.queries, self.shares, strict=True))
        return f"sampled {len(self.queries)} {sha256(' || '.join(texts).encode()).hexdigest()}"

    @cached_property
    def fingerprint(self) -> str:
        if len(self.queries) == 1:
            return self.queries[0].fingerprint
        return sha256(self.parameters.encode()).hexdigest()[:16]

    @cached_property
    def shares(self) -> tuple[int, ...]:
        """The weights in lowest terms."""
        common = gcd(*self.weights)
        return tuple(weight // common for weight in self.weights)

    @cached_property
    def counts_codes(self) -> bool:
        return all(query.counts_codes for query in self.queries)

    def check_values(self, values: ArrayLike | Scaled) -> NDArray[Any]:
        """The records, if all queries are about numbers; all of them are looked at, unless they were before."""
        self._require_numbers()
        return read_records(values, self.d, self.optional)

    @ignore_float_errors
    def privatize(
        self, values: ArrayLike | Scaled | Sequence[ArrayLike | Measured], source: Source | None = None
    ) -> Words:
        """Draw a query and a report for each person.

        Args:
            values: numbers in [-1, 1], shape (n, d), if all queries are about numbers (`Scaled.of` checks them once for
                several calls); else for each query what it takes, numbers also as they were measured: only those of who
                is drawn are scaled.
            source: where random words come from; fresh ones from the operating system by default. A keyed one,
                `KeyedSource(key, task).for_records(ids)`, repeats its reports; what a person is drawn to answer then
                depends on the id and not on the record.

        Returns:
            Codes, uint64, shape (n,). Every call is a new release: privatizing a record twice doubles its loss.

        Raises:
            SordinoError: a number or a value out of range (named by position, never by value).
        """
        source = source or SystemSource()
        if self.numbers:
            return self._privatize_numbers(values, source)  # type: ignore[arg-type]  # records, not a list of columns
        if len(values) != len(self.queries):  # type: ignore[arg-type]  # a list of columns
            raise SordinoError("there must be a value for each query", found=f"{len(values)} columns")  # type: ignore[arg-type]
        # All values are looked at before the draw: a refusal that depended on it would let a second try choose.
        columns = [_looked_at(query, column) for query, column in zip(self.queries, values, strict=True)]  # type: ignore[arg-type]
        if len({len(column) for column in columns}) > 1:
            raise SordinoError("there must be a value for each person", found="columns of different lengths")
        if len(self.queries) == 1:
            return _draw_checked(self.queries[0], columns[0][:], source)
        drawn = self.draw(len(columns[0]), source)
        codes = np.empty(len(drawn), dtype=np.uint64)
        for j, rows in _groups(drawn, len(self.queries)):
            own = _draw_checked(self.queries[j], columns[j][rows], source.take(rows))
            codes[rows] = own + np.uint64(self.offsets[j])
        return codes

    def _draw(self, read: NDArray[Any], source: Source) -> Words:
        return self._privatize_numbers(Scaled(read), source)

    def _privatize_numbers(self, values: ArrayLike | Scaled, source: Source) -> Words:
        """Piece by piece the numbers are still in the cache when they are drawn; a bad one anywhere refuses all."""
        known = isinstance(values, Scaled)
        records = rows_of(values, self.d)
        public = source.public(len(records), "statistic")
        stream = source.stream(records_for_key(self.numbers, records))
        codes = np.empty(len(records), dtype=np.uint64)
        for start in range(0, len(records), self._chunk):
            rows = slice(start, start + self._chunk)
            if not known:
                require_inside(records[rows], start, self.optional)
            piece = records[rows]
            codes[rows] = self._answer(piece, self._choose(len(piece), public.take(rows)), stream.take(rows))
        return codes

    def draw(self, count: int, source: Source) -> NDArray[np.intp]:
        """Which query each of some people answers, shape (count,); no words are drawn where there is only one."""
        return self._choose(count, source.public(count))

    def _choose(self, count: int, public: Stream) -> NDArray[np.intp]:
        if len(self.queries) == 1:
            return np.zeros(count, dtype=np.intp)
        choice = uniform_below(sum(self.shares), public).view(np.int64)
        if self._table is None:
            return np.searchsorted(np.cumsum(self.shares), choice, side="right")
        return choice if len(self._table) == len(self.queries) else self._table.take(choice).astype(np.intp)

    def _sample(self, values: NDArray[Any], stream: Stream) -> Words:
        return self._answer(values, self._choose(len(values), stream), stream)

    def _answer(self, records: NDArray[np.float64], drawn: NDArray[np.intp], stream: Stream) -> Words:
        codes = self._first.take(drawn)
        for alike, rows, which in self._alike_groups(drawn):
            codes[slice(None) if rows is None else rows] += alike.answer(records, rows, which, stream)
        return codes

    def _alike_groups(
        self, drawn: NDArray[np.intp]
    ) -> Iterator[tuple[QueryGroup, NDArray[np.intp] | None, NDArray[np.intp] | None]]:
        """Alike queries, who was drawn for one of them, and for which one; None for all, and for the only one."""
        if len(self._query_groups) == 1:
            yield self._query_groups[0], None, None if len(self.queries) == 1 else drawn
            return
        for number, rows in _groups(self._group.take(drawn), len(self._query_groups)):
            alike = self._query_groups[number]
            if len(rows):
                yield alike, rows, None if len(alike.queries) == 1 else self._within.take(drawn.take(rows))

    @cached_property
    def is_onto(self) -> bool:
        return bool(self.numbers) or all(query.is_onto for query in self.queries)

    def are_impossible(self, codes: NDArray[np.integer]) -> NDArray[np.bool_]:
        wrong = np.zeros(len(codes), dtype=np.bool_)
        if not self.is_onto:
            for query, own, rows in self._split(codes.astype(np.uint64, copy=False)):
                wrong[rows] = query.are_impossible(own)
        return wrong

    def reports(self, counters: NDArray[np.integer]) -> int:
        return int(counters.sum()) if self.counts_codes else sum(q.reports(own) for q, own in self._parts(counters))

    def possible(self, counters: NDArray[np.integer]) -> bool:
        return (bool(self.numbers) and self.counts_codes) or all(
            query.possible(own) for query, own in self._parts(counters)
        )

    def split(self, aggregate: Aggregate) -> tuple[Aggregate, ...]:
        """The tally of each query's own reports."""
        if aggregate.fingerprint != self.fingerprint:
            raise SordinoError("a tally must be of these queries", found=f"one of {aggregate.fingerprint}")
        parts = self._parts(aggregate.counts)
        return tuple(Aggregate(query.fingerprint, query.reports(counts), counts) for query, counts in parts)

    def _count(self, codes: Words, group: NDArray[np.intp], groups: int) -> NDArray[np.int64]:
        if self.counts_codes:
            return super()._count(codes, group, groups)
        parts = [query._count(own, group[rows], groups) for query, own, rows in self._split(codes)]
        return np.concatenate(parts, axis=1)

    def _split(self, codes: Words) -> Iterator[tuple[Part, Words, Rows]]:
        if len(self.queries) == 1:
            yield self.queries[0], codes, slice(None)
            return
        table = self._query
        which = np.searchsorted(self._first, codes, side="right") - 1 if table is None else table.take(codes)
        for j, rows in _groups(which, len(self.queries)):
            yield self.queries[j], codes[rows] - np.uint64(self.offsets[j]), rows

    def _require_numbers(self) -> None:
        if not self.numbers:
            raise SordinoError(
                "several queries read several columns", found="one column", step="give one for each query"
            )

    @cached_property
    def _table(self) -> NDArray[np.unsignedinteger] | None:
        """Each query as often as its share, where these are few together; in few bytes, for the cache."""
        if sum(self.shares) > LARGEST_TABLE:
            return None
        return np.repeat(_count_up(len(self.queries)), self.shares)

    @cached_property
    def _query(self) -> NDArray[np.unsignedinteger] | None:
        """Whose each code is, where they are few; in few bytes, which sort fast."""
        if self.outputs > LARGEST_TABLE:
            return None
        return np.repeat(_count_up(len(self.queries)), np.diff(self.offsets))

    @cached_property
    def _first(self) -> Words:
        return np.array(self.offsets[:-1], dtype=np.uint64)

    @cached_property
    def _query_groups(self) -> tuple[QueryGroup, ...]:
        return query_groups(self.drawn_parts)

    @cached_property
    def _group(self) -> NDArray[np.unsignedinteger]:
        """Which of `_query_groups` each query belongs to; in few bytes, which sort fast."""
        groups = np.empty(len(self.queries), dtype=np.min_scalar_type(len(self._query_groups)))
        for number, alike in enumerate(self._query_groups):
            groups[list(alike.queries)] = number
        return groups

    @cached_property
    def _within(self) -> NDArray[np.intp]:
        """The place of each query among those that are alike."""
        places = np.empty(len(self.queries), dtype=np.intp)
        for alike in self._query_groups:
            places[list(alike.queries)] = np.arange(len(alike.queries))
        return places


def _looked_at(query: Part, column: ArrayLike | Measured) -> NDArray[Any] | Measured:
    """A query's values, all of which are looked at, unless they were before."""
    return column if isinstance(column, Measured) else query.check_values(column)


def _draw_checked(query: Part, values: NDArray[Any] | Scaled, source: Source) -> Words:
    """A query's reports of values that were looked at; of measured numbers it is known only now whose are read."""
    if isinstance(values, Scaled):
        return query.privatize(values, source)  # type: ignore[arg-type]  # numbers may be scaled
    return query._draw(values, source)


def _count_up(count: int) -> NDArray[np.unsignedinteger]:
    return np.arange(count, dtype=np.min_scalar_type(count - 1))


def _groups(group: NDArray[np.integer], groups: int) -> Iterator[tuple[int, NDArray[np.intp]]]:
    small = group.astype(np.min_scalar_type(groups - 1), copy=False)
    order, ends = np.argsort(small, kind="stable"), np.cumsum(np.bincount(small, minlength=groups)).tolist()
    for number, (start, end) in enumerate(zip((0, *ends), ends, strict=False)):
        yield number, order[start:end]


def _parts_about_numbers(query: Part) -> Iterator[Parts]:
    """The parts of a query about numbers, none of another one."""
    if isinstance(query, Together):
        yield query.queries
    elif isinstance(query, Query) and isinstance(query.statistic, NumberStatistic):
        yield (query,)
