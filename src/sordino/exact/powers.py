"""Products of whole powers of whole numbers, compared with amounts of loss exactly, however large the powers are.

Logarithms are enclosed by whole numbers and enclosures narrowed until they tell, so no power is ever multiplied out. A
product is equal to e^r only where r = 0 (Lindemann); then its numbers are taken apart into coprime ones, and it is 1
only where the exponent of each of these is 0.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal, localcontext
from fractions import Fraction
from functools import lru_cache
from math import gcd

import numpy as np
from numpy.typing import NDArray

from sordino.exact.nats import FIRST_DIGITS, Nats

SPARE = 20
"""Digits beyond those asked for: of the whole part of a logarithm, and of its roundings."""

REMEMBERED = 1 << 12
"""Largest number of logarithms that are kept."""

UNSURE = 1e-14
"""By which a sum of floats may be off at most, for each nat or each power that it adds up."""


def compare_powers(powers: Mapping[int, int], amount: Nats) -> int:
    """-1, 0 or 1: whether the logarithm of a product of powers is below some nats, equal to them or above, exactly.

    Example:
        >>> compare_powers({3: 10_000, 9: -4_999}, Nats.of("ln 9")), compare_powers({3: 1}, Nats.of("1.0986"))
        (0, 1)
    """
    if not amount.is_finite:
        return 1
    terms = Counter(powers)
    terms[amount.ratio.numerator] -= 1
    terms[amount.ratio.denominator] += 1
    numerator, denominator = amount.rational.numerator, amount.rational.denominator
    digits = FIRST_DIGITS
    while True:
        low, high = _log_bounds(terms, digits)
        least, most = low * denominator, high * denominator
        bound = numerator * 10**digits
        if least > bound:
            return 1
        if most < bound:
            return -1
        if numerator == 0 and digits == FIRST_DIGITS and _is_one(terms):
            return 0
        digits *= 2


class ProductOrder:
    """Products of whole powers of some ratios, in order: which is the largest, however close they are.

    Attributes:
        ratios: above 1; a product is a row of their exponents.

    Example:
        >>> order = ProductOrder([Fraction(3), Fraction(9)])
        >>> rows = np.array([[3, 0], [0, 2], [1, 1]])
        >>> order.most(rows, axis=0).tolist(), order.least(rows, axis=0).tolist()
        ([0, 2], [3, 0])
    """

    def __init__(self, ratios: Sequence[Fraction]) -> None:
        """Of ratios above 1."""
        self.ratios = ratios
        self._logs = np.array([float(Nats.log(ratio)) for ratio in ratios])
        self._signs: dict[tuple[int, ...], int] = {}

    def most(self, powers: NDArray[np.int64], axis: int) -> NDArray[np.int64]:
        """The rows of the largest products along an axis; rows are the last axis."""
        return self._best(powers, axis, 1)

    def least(self, powers: NDArray[np.int64], axis: int) -> NDArray[np.int64]:
        return self._best(powers, axis, -1)

    def _best(self, powers: NDArray[np.int64], axis: int, side: int) -> NDArray[np.int64]:
        first, *others = np.moveaxis(powers, axis, 0)
        best: NDArray[np.int64] = first
        for other in others:
            best = np.where((self.signs(other - best) == side)[..., np.newaxis], other, best)
        return best

    def signs(self, powers: NDArray[np.int64]) -> NDArray[np.int64]:
        """-1, 0 or 1 for products below 1, of 1 and above 1, shape (...) of exponents (..., ratios)."""
        logarithm = powers @ self._logs
        signs: NDArray[np.int64] = np.array(np.sign(logarithm), dtype=np.int64)
        unsure = (np.abs(logarithm) <= UNSURE * (np.abs(powers) @ (self._logs + 1))) & powers.any(axis=-1)
        if unsure.any():
            rows, which = np.unique(powers[unsure], axis=0, return_inverse=True)
            signs[unsure] = np.array([self._sign(tuple(row)) for row in rows.tolist()])[which.ravel()]
        return signs

    def _sign(self, row: tuple[int, ...]) -> int:
        if row not in self._signs:
            powers: Counter[int] = Counter()
            for ratio, power in zip(self.ratios, row, strict=True):
                powers[ratio.numerator] += power
                powers[ratio.denominator] -= power
            self._signs[row] = compare_powers(powers, Nats.of(0))
        return self._signs[row]


def _log_bounds(powers: Mapping[int, int], digits: int) -> tuple[int, int]:
    """The logarithm of the product between whole multiples of 10^-digits."""
    low = high = 0
    for base, exponent in powers.items():
        below, above = _logarithm(base, digits)
        low += exponent * (below if exponent > 0 else above)
        high += exponent * (above if exponent > 0 else below)
    return low, high


@lru_cache(maxsize=REMEMBERED)
def _logarithm(base: int, digits: int) -> tuple[int, int]:
    """`ln` is correctly rounded, so one step to either side encloses."""
    if base == 1:
        return 0, 0
    precision = digits + SPARE
    with localcontext(Context(prec=precision, rounding=ROUND_FLOOR)):
        low = (+Decimal(base)).ln().next_minus().scaleb(digits).to_integral_value(ROUND_FLOOR)
    with localcontext(Context(prec=precision, rounding=ROUND_CEILING)):
        high = (+Decimal(base)).ln().next_plus().scaleb(digits).to_integral_value(ROUND_CEILING)
    return int(low), int(high)


def _is_one(powers: Mapping[int, int]) -> bool:
    """Whether the product is 1: numbers that share a factor are taken apart until none do."""
    coprime: dict[int, int] = {}
    waiting = [(base, exponent) for base, exponent in powers.items() if base > 1 and exponent]
    while waiting:
        base, exponent = waiting.pop()
        for other in coprime:
            common = gcd(base, other)
            if common > 1:
                power = coprime.pop(other)
                parts = ((common, exponent + power), (base // common, exponent), (other // common, power))
                waiting += [(part, own) for part, own in parts if part > 1]
                break
        else:
            coprime[base] = exponent
    return not any(coprime.values())
