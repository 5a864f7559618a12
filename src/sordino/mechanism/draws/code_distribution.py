"""The exact distribution of the code that a draw gives to a value: what its program says, choice by choice.

It shares nothing with the interpreter's arrays: every choice of a small draw is listed, with its probability as a
fraction. Cost: as many steps as there are choices, so that it is for few values and codes.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from fractions import Fraction
from itertools import chain, product
from typing import Any, TypeAlias

import numpy as np

from sordino.domain.value_partition import Partition
from sordino.exact.coin import WORD
from sordino.mechanism.draws.code_sets import CodeSet
from sordino.mechanism.draws.draw_program import Draw
from sordino.mechanism.draws.operations import ARITHMETIC, outward_rows

Distribution: TypeAlias = Mapping[int, Fraction]


def code_distribution(draw: Draw, value: int) -> Distribution:
    """The probability of each code that can be drawn.

    Example:
        >>> code_distribution(Draw({"k": 2, "codes": "2", "threshold": str(3 << 62), "draw":
        ...     ["sides", "threshold", ["run", "v", "k", 1]]}), 0)
        {0: Fraction(3, 4), 1: Fraction(1, 4)}
    """
    return _OneValue(draw, value).of(draw.record["draw"])


class _OneValue:
    """A draw with one value."""

    def __init__(self, draw: Draw, value: int) -> None:
        self.draw, self.value = draw, value

    def of(self, found: Any) -> Distribution:
        """Of what an operation gives; what its arguments give is independent, since each is worked out once."""
        if not isinstance(found, list):
            return {self.value if found == "v" else self.draw.constant(found): Fraction(1)}
        operation, *arguments = found
        if operation in ARITHMETIC:
            one, other = map(self.of, arguments)
            join = ARITHMETIC[operation]
            return _sum_by_code((int(join(a, b)), p * q) for (a, p), (b, q) in product(one.items(), other.items()))
        return getattr(self, f"_{operation}")(*arguments)  # type: ignore[no-any-return]  # each gives a distribution

    def number(self, found: Any) -> int:
        (number,) = self.of(found)
        return number

    def _if(self, condition: Any, one: Any, other: Any) -> Distribution:
        parts = [(p, self.of(one if holds else other)) for holds, p in self.of(condition).items()]
        return _mixture(parts)

    def _at(self, numbers: Any, place: Any) -> Distribution:
        listed = self.draw.numbers(numbers)
        return _sum_by_code((listed[at], p) for at, p in self.of(place).items())

    def _drop(self) -> Distribution:
        return {0: Fraction(1)}

    def _coin(self, threshold: Any) -> Distribution:
        heads = Fraction(self.number(threshold), WORD)
        return _sum_by_code([(1, heads), (0, 1 - heads)])

    def _below(self, bound: Any) -> Distribution:
        return _uniform(range(self.draw.constant(bound)))

    def _pick(self, weights: Any) -> Distribution:
        if isinstance(weights, list) and weights[0] == "at":
            row = self.draw.numbers(weights[1])[self.number(weights[2])]
        elif isinstance(weights, list) and weights[0] == "outward":
            row = outward_rows(*map(self.draw.numbers, weights[1:4]))[self.number(weights[4])]
        else:
            row = self.draw.numbers(weights)
        return _sum_by_code((place, Fraction(weight, sum(row))) for place, weight in enumerate(row))

    def _sides(self, threshold: Any, found: list[Any]) -> Distribution:
        codes, value = self.draw.set_of(found), self.number(found[1])
        heads, (on, off) = Fraction(self.draw.constant(threshold), WORD), codes.bounds
        inside = _uniform(_side(codes, value, on, other=False))
        if not off:
            return inside
        return _mixture([(heads, inside), (1 - heads, _uniform(_side(codes, value, off, other=True)))])

    def _digits(self, name: str) -> Distribution:
        parts, left, digits = self.draw.parts(name), self.value, []
        for part in reversed(parts):
            left, digit = divmod(left, part.k)
            digits.append(digit)
        found: Distribution = {0: Fraction(1)}
        for part, digit in zip(parts, reversed(digits), strict=True):
            own = code_distribution(part, digit)
            found = {a * part.codes + b: p * q for (a, p), (b, q) in product(found.items(), own.items())}
        return found

    def _levels(self, fan: Any, name: str) -> Distribution:
        parts, width = self.draw.parts(name), self.draw.constant(fan)
        found, first = [], 0
        for level, part in enumerate(parts):
            own = code_distribution(part, self.value // width**level)
            found.append((Fraction(1, len(parts)), {first + code: p for code, p in own.items()}))
            first += part.codes
        return _mixture(found)

    def _blocks(self, numbers: Any, name: str) -> Distribution:
        blocks = Partition.of(np.array(self.draw.numbers(numbers)))
        by_size = {part.k: part for part in self.draw.parts(name)}
        own = blocks.block.item(self.value)
        first = sum(by_size[size].codes for size in blocks.sizes[:own].tolist())
        part = by_size[blocks.sizes.item(own)]
        return {first + code: p for code, p in code_distribution(part, blocks.place.item(self.value)).items()}

    def _hide(self, numbers: Any, name: str, threshold: Any) -> Distribution:
        listed, (part,) = sorted(self.draw.numbers(numbers)), self.draw.parts(name)
        if self.value in listed:
            return code_distribution(part, listed.index(self.value))
        itself = part.codes + self.value - sum(one < self.value for one in listed)
        # A uniform code is any of a side of any value.
        codes = part.code_set
        sent = set(chain.from_iterable(_side(codes, 0, bound, other=bool(i)) for i, bound in enumerate(codes.bounds)))
        hidden = Fraction(self.draw.constant(threshold), WORD)
        return _mixture([(hidden, _uniform(sent)), (1 - hidden, {itself: Fraction(1)})])


def _side(codes: CodeSet, value: int, bound: int, *, other: bool) -> list[int]:
    every = np.arange(bound, dtype=np.uint64)
    values = np.full(bound, value, dtype=np.intp)
    listed: list[int] = codes.choose_codes(values, np.full(bound, other), every).tolist()
    return listed


def _uniform(codes: Iterable[int]) -> Distribution:
    listed = list(codes)
    return _sum_by_code((code, Fraction(1, len(listed))) for code in listed)


def _mixture(parts: Iterable[tuple[Fraction, Distribution]]) -> Distribution:
    return _sum_by_code((code, share * p) for share, own in parts for code, p in own.items())


def _sum_by_code(parts: Iterable[tuple[int, Fraction]]) -> Distribution:
    found: dict[int, Fraction] = defaultdict(Fraction)
    for code, p in parts:
        found[code] += p
    return {code: p for code, p in found.items() if p}
