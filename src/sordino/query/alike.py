"""Queries about numbers that are answered together: of one kind of statistic, through one mechanism or by one bit.

Whoever is drawn answers one query, or all parts of several at once. A person's words are the same however people are
put together: for each part one for each number that is read, then the mechanism's; no part sees a word of another.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeGuard

import numpy as np

from sordino.exact.source import Stream, Words
from sordino.mechanism.base import Mechanism
from sordino.mechanism.randomized import RandomizedResponse, flip_bits
from sordino.query.query import Query
from sordino.query.reader import Floats, NumberReader, Places

Parts = tuple[Query, ...]
"""What whoever is drawn answers: one query, or several about different numbers."""


@dataclass(frozen=True, eq=False)
class AlikePart:
    """A query of each of some people, about one number or another.

    Attributes:
        reader: of their statistics.
        mechanism: theirs; None where each has a bit of its own.
        thresholds: of these bits, shape (queries,).
        outputs: codes of each query.
    """

    reader: NumberReader
    mechanism: Mechanism | None
    thresholds: Words
    outputs: int

    def answer(self, records: Floats, rows: Places | None, which: Places | None, own: Stream) -> Words:
        """As `Alike.answer`, by the stream of these people."""
        values = self.reader.read(records, rows, which, own)
        if self.mechanism is not None:
            return self.mechanism._sample(values, own)
        return flip_bits(values, self.thresholds[:1] if which is None else self.thresholds.take(which), own)


@dataclass(frozen=True, eq=False)
class Alike:
    """Some queries, or tuples of them, that are answered together.

    Attributes:
        queries: their places among all.
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


def alike_queries(drawn: Sequence[Parts]) -> tuple[Alike, ...]:
    """Queries about numbers, put together: of whatever can be drawn its parts."""
    found: dict[tuple[object, ...], list[int]] = {}
    for place, parts in enumerate(drawn):
        found.setdefault(tuple(map(_kind, parts)), []).append(place)
    return tuple(
        Alike(tuple(places), tuple(map(_make_part, zip(*(drawn[place] for place in places), strict=True))))
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
