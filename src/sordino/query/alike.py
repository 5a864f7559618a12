"""Queries about numbers that are answered together: of one kind of statistic, through one mechanism or by one bit.

A person's words are the same however people are put together: one for each number that is read, then the mechanism's.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeGuard

import numpy as np

from sordino.exact.source import Stream, Words
from sordino.mechanism.base import Mechanism
from sordino.mechanism.randomized import RandomizedResponse, flip_bits
from sordino.query.number import NumberStatistic
from sordino.query.reader import Floats, NumberReader, Places


@dataclass(frozen=True, eq=False)
class Alike:
    """Some queries that are answered together.

    Attributes:
        queries: their places among all.
        reader: of their statistics.
        mechanism: theirs; None where each has a bit of its own.
        thresholds: of these bits, shape (queries,).
    """

    queries: tuple[int, ...]
    reader: NumberReader
    mechanism: Mechanism | None
    thresholds: Words

    def answer(self, records: Floats, rows: Places | None, which: Places | None, stream: Stream) -> Words:
        """The codes of some people, within their own query.

        Args:
            records: all records, shape (n, d).
            rows: of the people, shape (p,); all by default.
            which: the query each was drawn for, by its place among these, shape (p,); the only one by default.
            stream: of all records.
        """
        own = stream if rows is None else stream.take(rows)
        values = self.reader.read(records, rows, which, own)
        if self.mechanism is not None:
            return self.mechanism._sample(values, own)
        return flip_bits(values, self.thresholds[:1] if which is None else self.thresholds.take(which), own)


def alike_queries(statistics: Sequence[NumberStatistic], mechanisms: Sequence[Mechanism]) -> tuple[Alike, ...]:
    """Queries about numbers, put together: the statistic and the mechanism of each."""
    found: dict[tuple[object, ...], list[int]] = {}
    for place, (statistic, mechanism) in enumerate(zip(statistics, mechanisms, strict=True)):
        found.setdefault((statistic.kind, None if _bit(mechanism) else mechanism), []).append(place)
    return tuple(
        _alike(places, [statistics[place] for place in places], [mechanisms[place] for place in places])
        for places in found.values()
    )


def _alike(places: Sequence[int], statistics: Sequence[NumberStatistic], mechanisms: Sequence[Mechanism]) -> Alike:
    reader, bits = statistics[0].reader(statistics), [mechanism for mechanism in mechanisms if _bit(mechanism)]
    thresholds = np.array([bit.threshold for bit in bits], dtype=np.uint64)
    return Alike(tuple(places), reader, None if bits else mechanisms[0], thresholds)


def _bit(mechanism: Mechanism) -> TypeGuard[RandomizedResponse]:
    """Whether it is randomized response of a sign: such ones are answered together whatever their coins are."""
    return isinstance(mechanism, RandomizedResponse) and mechanism.k == 2
