"""What reads numbers: which value each record is read as, for whoever was drawn for one of several alike statistics.

Nothing but the drawn numbers is looked at, each by one word of its own; the steps and the words are the same for all.
"""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Protocol, Self

import numpy as np
from numpy.typing import NDArray

from sordino.domain.moment import Moment
from sordino.exact.coin import WORD
from sordino.exact.sign import plus_weight, round_to_plus
from sordino.exact.source import Stream, Words
from sordino.exact.word_arithmetic import whole

BELOW_ONE = float(np.nextafter(1.0, 0.0))
"""The largest float below 1, whose product with 2^64 is a word."""

Floats = NDArray[np.float64]
Places = NDArray[np.intp]


class NumberReader(Protocol):
    """What reads several statistics of one kind."""

    @abstractmethod
    def read(self, records: Floats, rows: Places | None, which: Places | None, stream: Stream) -> Places:
        """The value of each person who was drawn, shape (p,).

        Args:
            records: all records, shape (n, d).
            rows: of the people, shape (p,); all by default.
            which: the statistic each was drawn for, shape (p,); the only one by default.
            stream: of these people.
        """

    @abstractmethod
    def law(self, record: Sequence[float], which: int = 0) -> list[Fraction]:
        """The probability of each value given a record, as `read` makes them."""


@dataclass(frozen=True, eq=False)
class SignReader:
    """Signs of numbers or of products of two, as bits.

    Attributes:
        first, second: for each bit and statistic the places of the numbers, shape (bits, statistics).
        single: whether it is one number's own sign, same shape.
    """

    first: Places
    second: Places
    single: NDArray[np.bool_]

    @classmethod
    def of(cls, names: Sequence[Sequence[Moment]]) -> Self:
        """Of the moments of each statistic, one for each bit."""
        first = np.array([[name[0] for name in bits] for bits in names], dtype=np.intp).T
        second = np.array([[name[-1] for name in bits] for bits in names], dtype=np.intp).T
        single = np.array([[len(name) == 1 for name in bits] for bits in names]).T
        return cls(np.ascontiguousarray(first), np.ascontiguousarray(second), np.ascontiguousarray(single))

    def read(self, records: Floats, rows: Places | None, which: Places | None, stream: Stream) -> Places:
        found = np.zeros(len(records) if rows is None else len(rows), dtype=np.intp)
        for bit in range(len(self.first)):
            value = _numbers(records, rows, _select_drawn(self.first[bit], which))
            if self._products:
                other = _numbers(records, rows, _select_drawn(self.second[bit], which))
                value = _moment(
                    value, other, *(_select_drawn(kind[bit], which) for kind in (self.single, self._squares))
                )
            found |= round_to_plus(value, stream.next()).astype(np.intp) << bit
        return found

    def law(self, record: Sequence[float], which: int = 0) -> list[Fraction]:
        law, numbers = [Fraction(1)], np.array(record, dtype=np.float64)
        for bit in range(len(self.first)):
            left, right = numbers[[self.first[bit, which]]], numbers[[self.second[bit, which]]]
            value = _moment(left, right, self.single[bit, [which]], self._squares[bit, [which]])
            one = Fraction(plus_weight(float(value[0])), WORD)
            law = [share * (1 - one) for share in law] + [share * one for share in law]
        return law

    @cached_property
    def _squares(self) -> NDArray[np.bool_]:
        squares: NDArray[np.bool_] = (self.first == self.second) & ~self.single
        return squares

    @cached_property
    def _products(self) -> bool:
        return not self.single.all()


@dataclass(frozen=True, eq=False)
class GridReader:
    """Numbers as points of a grid.

    Attributes:
        place: of each statistic's number, shape (statistics,).
        points: of the grid, equally spaced from -1 to 1.
    """

    place: Places
    points: int

    def read(self, records: Floats, rows: Places | None, which: Places | None, stream: Stream) -> Places:
        lower, up = self._rounding(_numbers(records, rows, _select_drawn(self.place, which)))
        found: Places = lower + (stream.next() < up)
        return np.minimum(found, self.points - 1, out=found)

    def law(self, record: Sequence[float], which: int = 0) -> list[Fraction]:
        lower, up = self._rounding(np.array([record[self.place[which]]], dtype=np.float64))
        law, at, share = [Fraction(0)] * self.points, int(lower[0]), Fraction(int(up[0]), WORD)
        law[at] += 1 - share
        law[min(at + 1, self.points - 1)] += share
        return law

    def _rounding(self, numbers: Floats) -> tuple[Places, Words]:
        """The point below each number, and the probability of the next one times 2^64."""
        up = numbers + 1
        up *= (self.points - 1) / 2
        lower = np.floor(up)
        np.clip(lower, 0, self.points - 1, out=lower)
        up -= lower
        np.clip(up, 0, BELOW_ONE, out=up)
        up *= float(WORD)
        # Whatever is no number is some point like any other.
        with np.errstate(invalid="ignore"):
            return np.clip(lower.astype(np.intp), 0, self.points - 1), whole(up)


@dataclass(frozen=True, eq=False)
class OptionalReader:
    """Numbers as points of a grid, or as missing where they are NaN: one more value, the last.

    A missing number takes the word that a given one takes, and the same steps.
    """

    grid: GridReader

    def read(self, records: Floats, rows: Places | None, which: Places | None, stream: Stream) -> Places:
        absent = np.isnan(_numbers(records, rows, _select_drawn(self.grid.place, which)))
        found = self.grid.read(records, rows, which, stream)
        # No branch: how long it takes tells nobody who is missing.
        found += absent * (self.grid.points - found)
        return found

    def law(self, record: Sequence[float], which: int = 0) -> list[Fraction]:
        if np.isnan(record[self.grid.place[which]]):
            return [Fraction(0)] * self.grid.points + [Fraction(1)]
        return [*self.grid.law(record, which), Fraction(0)]


def _select_drawn(each: NDArray[np.generic], which: Places | None) -> NDArray[np.generic]:
    """What belongs to the statistic that each person was drawn for."""
    return each[:1] if which is None else each.take(which)


def _numbers(records: Floats, rows: Places | None, places: NDArray[np.generic]) -> Floats:
    """The number at a place of each record, shape (p,)."""
    n, d = records.shape
    if len(places) == 1 and rows is None:
        return records[:, int(places[0])]
    people = np.arange(n) if rows is None else rows
    if not records.flags.c_contiguous:
        return records[people, places.astype(np.intp)]
    # Rows that lie one after the other are one long row: three times as fast.
    numbers: Floats = records.reshape(-1).take(people * d + places.astype(np.intp, copy=False))
    return numbers


def _moment(left: Floats, right: Floats, single: NDArray[np.generic], square: NDArray[np.generic]) -> Floats:
    """The number itself, the product of two, or 2 x^2 - 1, all in [-1, 1]."""
    product = np.where(single, left, left * right)
    return np.where(square, 2 * product - 1, product)
