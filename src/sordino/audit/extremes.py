"""One answer of a channel from numbers on all its extremes: how far each code goes, and that it is as declared."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, lru_cache
from itertools import product
from math import nextafter, prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sordino.definition.sampling import Answer, AnswerType
from sordino.errors import SordinoError
from sordino.exact.nats import Nats
from sordino.mechanism.number import NumberChannel

LARGEST_TYPE = 1 << 24
"""Weights of a row of signs at most, codes times extremes: those of 12 signs."""

SMALL = 1 << 12
"""Weights of a row of signs that is always looked at in full."""

HELD = 1 << 20
"""Weights held at a time, and of any other answer at most."""

FEW_CODES = 64
"""Of a type that is always looked at between the extremes, too."""

ENDS = 4
"""Extremes that are looked at with several values of the numbers that must not matter."""

ROUNDED = 2.0**-45
"""By how much a probability may be off its line: numbers, their products and this comparison are rounded to 2^-53."""

GOLDEN = 0.6180339887498949

Weights = NDArray[Any]


@dataclass(frozen=True)
class Extremes:
    """The sum of a law and its unit, and the place of the code with the largest odds: heavy against light."""

    total: int
    unit: Fraction
    code: int
    heavy: int
    light: int

    @property
    def loss(self) -> Nats:
        """Of that code, exactly."""
        return Nats.log(Fraction(self.heavy, self.light))


class Looked:
    """One answer of a type, on records that differ in its numbers only."""

    def __init__(
        self,
        channel: NumberChannel,
        which: int,
        answers: AnswerType,
        answer: Answer,
        codes: NDArray[np.int64],
    ) -> None:
        self.channel, self.which, self.answer, self.codes = channel, which, answer, codes
        self.place, self.places = answers.index(answer), sorted(answer.places)
        # What is not asked for may have any values; what other answers of the type are about stays at 1.
        self.around = _around(channel.d).copy()
        told = [place for one in answers for place in one.places]
        self.around[:, told] = 1
        self.contexts = 4 if len(set(told)) < channel.d else 1
        self.signs = answer.errors if len(answers) == 1 else ()

    def grid(self, *, full: bool) -> NDArray[np.float64]:
        """The extremes of the answer's numbers, shape (extremes, numbers)."""
        axes = tuple(axis_of(self.channel, self.answer, place) for place in self.places)
        size = prod(len(axis) for axis in axes) * len(self.codes)
        if size > LARGEST_TYPE:
            raise too_large(f"{size} weights of one answer")
        if full or size <= SMALL or not self.signs:
            if size > HELD and not self.signs:
                raise too_large(f"{size} weights of one answer")
            return all_of(axes)
        m = len(self.places)
        one = np.where(np.eye(m, dtype=np.bool_), 1.0, -1.0)
        return np.concatenate([np.full((1, m), -1.0), one, np.ones((1, m))])

    def examine(self, grid: NDArray[np.float64], *, first: bool) -> Extremes:
        """How far the probability of each code goes.

        Raises:
            SordinoError: a law that is not as it is declared.
        """
        ends, between = self._ends(grid), self._between(first=first)
        probes = np.concatenate([ends, between])
        around = np.repeat(self.around[: self.contexts], len(probes), axis=0)
        around[:, self.places] = np.tile(probes, (self.contexts, 1))
        if self.signs:
            total, unit, most, least = self._ends_of_signs(grid)
            weights, own = self._laws(around)
        else:
            weights, own = self._laws(np.concatenate([self._records(grid), around]))
            total, unit = self._total(weights), own
            most, least = weights[: len(grid)].max(axis=0), weights[: len(grid)].min(axis=0)
            weights = weights[len(grid) :]
        pairs = list(zip(most.tolist(), least.tolist(), strict=True))
        by_context = weights.reshape(self.contexts, len(probes), len(self.codes))
        if (by_context != by_context[0]).any():
            raise self._wrong("codes must depend on the declared numbers only", "another number that matters")
        self._require_between(by_context[0], own / unit, pairs)
        shares = by_context[0].astype(np.float64) / float(self._total(by_context[0]))
        if self.answer.alone is not None:
            self._require_linear(self._statistic(probes), shares)
        elif self.signs and len(between):
            self._require_rounded(between[0], shares[len(ends)])
        best = max(range(len(pairs)), key=lambda code: pairs[code][0])
        for code, (heavy, light) in enumerate(pairs):
            if heavy * pairs[best][1] > pairs[best][0] * light:
                best = code
        return Extremes(total, unit, best, *pairs[best])

    def shown(self, grid: NDArray[np.float64], extremes: Extremes) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """The numbers at which the code with the largest odds is likeliest and least likely."""
        found: dict[Fraction, tuple[float, ...]] = {}
        heavy, light = extremes.heavy * extremes.unit, extremes.light * extremes.unit
        for rows in self._pieces(grid):
            weights, unit = self._laws(self._records(rows))
            for share in (heavy, light):
                at = np.flatnonzero(weights[:, extremes.code] == share / unit)
                if at.size:
                    found.setdefault(share, tuple(rows[at[0]].tolist()))
        return found[heavy], found[light]

    def _ends(self, grid: NDArray[np.float64]) -> NDArray[np.float64]:
        """Some extremes: a few of all, and those of the one statistic that is asked."""
        chosen = np.linspace(0, len(grid) - 1, ENDS).astype(np.intp)
        if self.answer.alone is None:
            return grid[chosen]
        values = self._statistic(grid)
        return grid[[*chosen, values.argmin(), values.argmax()]]

    def _between(self, *, first: bool) -> NDArray[np.float64]:
        """Numbers between the extremes; where there are many codes, few of these and not each time."""
        inner = generic(self.channel.d)[self.places]
        between = np.stack([inner, -inner, inner[::-1]])
        return between if len(self.codes) <= FEW_CODES else between[:first]

    def _statistic(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        """The one statistic that is asked."""
        name = self.answer.statistics[0]
        if len(name) == 1:
            return rows[:, 0]
        return rows[:, 0] * rows[:, 1] if name[0] < name[1] else 2 * rows[:, 0] ** 2 - 1

    def _ends_of_signs(self, grid: NDArray[np.float64]) -> tuple[int, Fraction, Weights, Weights]:
        """The sum of a law, its unit, and the largest and least weight of each code."""
        total, unit, most, least = 0, Fraction(0), np.empty(0), np.empty(0)
        for rows in self._pieces(grid):
            weights, own = self._laws(self._records(rows))
            if not total:
                total, unit, most, least = self._total(weights), own, weights[0], weights[0]
            if self._total(weights) != total or own != unit:
                raise self._wrong("the public draw must not depend on the record", "a type that does")
            self._require_errors(rows, weights, total)
            most, least = np.maximum(most, weights.max(axis=0)), np.minimum(least, weights.min(axis=0))
        return total, unit, most, least

    def _require_errors(self, rows: NDArray[np.float64], weights: Weights, total: int) -> None:
        """The channel is the table: a pattern of errors turns the signs that the numbers have."""
        patterns = self._signs_of(rows)[:, None] ^ np.arange(len(self.codes))
        whole = sum(self.signs)
        if whole == total:
            same = np.array_equal(np.array(self.signs, dtype=weights.dtype)[patterns], weights)
        else:
            declared = np.array(self.signs, dtype=object)
            same = np.array_equal(declared[patterns] * total, weights.astype(object) * whole)
        if not same:
            raise self._wrong("a declared table of errors must be the channel's", "another")

    def _require_between(self, weights: Weights, unit: Fraction, pairs: list[tuple[int, int]]) -> None:
        """What lies between the extremes does not pass them; the weights' unit is told in that of the pairs."""
        for row in weights.tolist():
            for weight, (heavy, light) in zip(row, pairs, strict=True):
                if not light * unit.denominator <= weight * unit.numerator <= heavy * unit.denominator:
                    raise self._wrong("codes must be likeliest and least likely at corners", "a code that is not")

    def _require_linear(self, values: NDArray[np.float64], shares: NDArray[np.float64]) -> None:
        """Each code's probability is a line in the one statistic, from its least value to its largest."""
        low, high = shares[values.argmin()], shares[values.argmax()]
        if (np.abs(shares - (low + high) / 2 - np.outer(values, high - low) / 2) > ROUNDED).any():
            raise self._wrong("an answer that is called linear must be so", "one that is not")

    def _require_rounded(self, numbers: NDArray[np.float64], shares: NDArray[np.float64]) -> None:
        """With numbers between the ends the law is the average over signs that are drawn one by one."""
        signs = all_of(((-1.0, 1.0),) * len(numbers))
        likely = ((1 + signs * numbers) / 2).prod(axis=1)
        declared = np.array(self.signs, dtype=np.float64) / float(sum(self.signs))
        for code in range(0, len(self.codes), max(1, len(self.codes) // FEW_CODES)):
            if abs(likely @ declared[self._signs_of(signs) ^ code] - shares[code]) > ROUNDED:
                raise self._wrong("a table of errors must be about signs that are drawn one by one", "others")

    def _signs_of(self, rows: NDArray[np.float64]) -> NDArray[np.int64]:
        """The pattern of signs of each row, in the order of the statistics."""
        order = [self.places.index(statistic[0]) for statistic in self.answer.statistics]
        patterns: NDArray[np.int64] = (rows[:, order] > 0) @ (1 << np.arange(len(order)))
        return patterns

    def _records(self, own: NDArray[np.float64]) -> NDArray[np.float64]:
        """Records with these numbers at the answer's places."""
        records = np.repeat(self.around[:1], len(own), axis=0)
        records[:, self.places] = own
        return records

    def _laws(self, records: NDArray[np.float64]) -> tuple[Weights, Fraction]:
        weights, unit = self.channel.laws(records, self.which)
        if weights.shape != (len(records), len(self.codes)) or weights.min() < 0 or not 0 < unit <= 1:
            raise self._wrong("a law must have a weight >= 0 for each code", "others")
        return weights, unit

    def _total(self, weights: Weights) -> int:
        """The one sum of all rows."""
        totals = {*law_sums(weights)}
        if len(totals) > 1:
            raise self._wrong("the public draw must not depend on the record", "a type that does")
        return min(totals)

    def _pieces(self, grid: NDArray[np.float64]) -> Iterator[NDArray[np.float64]]:
        step = max(1, HELD // len(self.codes))
        return (grid[start : start + step] for start in range(0, len(grid), step))

    def _wrong(self, rule: str, found: str) -> SordinoError:
        return wrong(rule, f"{found}, type {self.which}, about {list(self.answer.statistics)}")


def axis_of(channel: NumberChannel, answer: Answer, place: int) -> tuple[float, ...]:
    """The values of a number among which the extremes are."""
    if answer.errors:
        return -1.0, 1.0
    inside = {corner for corner in channel.corners if -1 < corner < 1}
    beside = {nextafter(corner, end) for corner in inside for end in (-1.0, 1.0)}
    middle = {0.0} if (place, place) in answer.statistics else set[float]()
    return tuple(sorted({-1.0, 1.0} | inside | beside | middle))


@lru_cache(maxsize=16)
def all_of(axes: tuple[tuple[float, ...], ...]) -> NDArray[np.float64]:
    """Every combination, shape (combinations, axes)."""
    return np.array(list(product(*axes)), dtype=np.float64)


@cache
def generic(d: int) -> NDArray[np.float64]:
    """Numbers inside [-1, 1] without any relation between them."""
    return np.array([place * GOLDEN % 1 * 2 - 1 for place in range(1, d + 1)])


@cache
def _around(d: int) -> NDArray[np.float64]:
    """What numbers that must not matter are looked at with, shape (4, d)."""
    return np.stack([generic(d), *(np.full(d, value) for value in (-1.0, 0.0, 1.0))])


def law_sums(weights: Weights) -> list[int]:
    """The sum of each row, exactly: of 64-bit words by halves."""
    if weights.dtype == object:
        return [int(total) for total in weights.sum(axis=1)]
    half = np.uint64(32)
    high, low = (weights >> half).sum(axis=1), (weights & np.uint64(2**32 - 1)).sum(axis=1)
    return [(int(above) << 32) + int(below) for above, below in zip(high, low, strict=True)]


def wrong(rule: str, found: str) -> SordinoError:
    """A channel that contradicts itself."""
    step = "the channel does not tell the truth about itself; do not use it"
    return SordinoError(rule, found=found, step=step)


def too_large(found: str) -> SordinoError:
    """A channel that takes too long."""
    return SordinoError("only smaller channels can be checked code by code", found=found)
