"""Queries about numbers that are answered together: of one kind of statistic, through one mechanism or by one bit.

Whoever is drawn answers one query, or all parts of several at once. A person's words are the same however people are
put together: for each part one for each number that is read, then the mechanism's; no part sees a word of another.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Any, Generic, TypeGuard, TypeVar

import numpy as np
from numpy.typing import NDArray

from sordino.errors import SordinoError
from sordino.exact.messages import Brief
from sordino.exact.source import Stream, Words
from sordino.mechanism.base import Mechanism
from sordino.mechanism.channel import LARGEST_CODE_BITS, Channel
from sordino.mechanism.randomized import RandomizedResponse, flip_bits
from sordino.query.query import Query
from sordino.query.reader import Floats, NumberReader, Places

Parts = tuple[Query, ...]
"""What whoever is drawn answers: one query, or several about different numbers."""


@dataclass(frozen=True, eq=False)
class AlikePart:
    """A query of each of some people, about one number or another.

    Attributes:
        mechanism: theirs; None where each has a bit of its own.
        thresholds: of these bits, shape (queries,).
    """

    reader: NumberReader
    mechanism: Mechanism | None
    thresholds: Words
    outputs: int

    def answer(self, records: Floats, rows: Places | None, which: Places | None, own: Stream) -> Words:
        """As `QueryGroup.answer`, by the stream of these people."""
        values = self.reader.read(records, rows, which, own)
        if self.mechanism is not None:
            return self.mechanism._sample(values, own)
        return flip_bits(values, self.thresholds[:1] if which is None else self.thresholds.take(which), own)


@dataclass(frozen=True, eq=False)
class QueryGroup:
    """Some queries, or tuples of them, that are answered together.

    Attributes:
        parts: one, or as many as each tuple has; their codes are the digits of a report, the last runs fastest.
    """

    queries: tuple[int, ...]
    parts: tuple[AlikePart, ...]

    def answer(self, records: Floats, rows: Places | None, which: Places | None, stream: Stream) -> Words:
        """The codes of some people, within their own query; arguments as of `NumberReader.read`."""
        own = stream if rows is None else stream.take(rows)
        first, *others = self.parts
        codes = first.answer(records, rows, which, own)
        for part in others:
            codes = codes * np.uint64(part.outputs) + part.answer(records, rows, which, own)
        return codes


def query_groups(drawn: Sequence[Parts]) -> tuple[QueryGroup, ...]:
    """Queries about numbers, put together: of whatever can be drawn its parts."""
    found: dict[tuple[object, ...], list[int]] = {}
    for place, parts in enumerate(drawn):
        found.setdefault(tuple(map(_kind, parts)), []).append(place)
    return tuple(
        QueryGroup(tuple(places), tuple(map(_make_part, zip(*(drawn[place] for place in places), strict=True))))
        for places in found.values()
    )


def _kind(query: Query) -> tuple[object, ...]:
    mechanism = query.mechanism
    return query.number.kind, None if _bit(mechanism) else mechanism


def _make_part(queries: Sequence[Query]) -> AlikePart:
    statistics, first = [query.number for query in queries], queries[0].mechanism
    bits = [query.mechanism for query in queries if _bit(query.mechanism)]
    thresholds = np.array([bit.threshold for bit in bits], dtype=np.uint64)
    return AlikePart(statistics[0].reader(statistics), None if bits else first, thresholds, first.outputs)


def _bit(mechanism: Mechanism) -> TypeGuard[RandomizedResponse]:
    """Whether it is randomized response of a sign: such ones are answered together whatever their coins are."""
    return isinstance(mechanism, RandomizedResponse) and mechanism.k == 2


Query_co = TypeVar("Query_co", bound=Channel, covariant=True)


@dataclass(frozen=True, repr=False)
class SeveralQueries(Brief, Channel, Generic[Query_co]):
    """A channel with the counters of several, in a fixed order."""

    queries: tuple[Query_co, ...]

    @property
    def informative(self) -> bool:
        return all(query.informative for query in self.queries)

    @cached_property
    def first_counters(self) -> tuple[int, ...]:
        """Each query's first counter, and after the last one the number of all counters."""
        return tuple(accumulate((query.counters for query in self.queries), initial=0))

    @property
    def counters(self) -> int:
        return self.first_counters[-1]

    def _require_report(self, step: str) -> None:
        if self.code_bits > LARGEST_CODE_BITS:
            rule, found = f"a report must fit in {LARGEST_CODE_BITS} bits", f"{self.code_bits} for all queries together"
            raise SordinoError(rule, found=found, step=step)

    def _parts(self, counters: NDArray[Any]) -> Iterator[tuple[Query_co, NDArray[Any]]]:
        """Each query with its own counters, along the last axis."""
        for query, first, end in zip(self.queries, self.first_counters, self.first_counters[1:], strict=False):
            yield query, counters[..., first:end]
