"""Products of whole powers of whole numbers, compared with amounts of loss exactly, however large the powers are.

Logarithms are enclosed by whole numbers and enclosures narrowed until they tell, so no power is ever multiplied out. A
product is equal to e^r only where r = 0 (Lindemann); then its numbers are taken apart into coprime ones, and it is 1
only where the exponent of each of these is 0.
"""

from collections import Counter
from collections.abc import Mapping
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal, localcontext
from functools import lru_cache
from math import gcd

from sordino.exact.nats import FIRST_DIGITS, Nats

SPARE = 20
"""Digits beyond those asked for: of the whole part of a logarithm, and of its roundings."""

REMEMBERED = 1 << 12
"""Logarithms that are kept at most."""


def compare_powers(powers: Mapping[int, int], amount: Nats) -> int:
    """-1, 0 or 1: whether the logarithm of a product of powers is below an amount, equal to it or above it, exactly.

    Args:
        powers: the exponent of each number above 0.
        amount: nats.

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
        low, high = _enclosed(terms, digits)
        least, most = low * denominator, high * denominator
        bound = numerator * 10**digits
        if least > bound:
            return 1
        if most < bound:
            return -1
        if numerator == 0 and digits == FIRST_DIGITS and _is_one(terms):
            return 0
        digits *= 2


def _enclosed(powers: Mapping[int, int], digits: int) -> tuple[int, int]:
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
