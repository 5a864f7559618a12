"""Coins with exact odds: integer thresholds on 64-bit words, each the largest that its channel's inequality allows.

A coin shows heads iff a uniform word is below its threshold T, so its odds are T : 2^64 - T exactly, and no float
decides anything. Two outputs whose weights stand as a T : b (2^64 - T) differ by at most epsilon iff a T <= e^epsilon
b (2^64 - T).
The plain coin (a = b = 1) is wrong for k-ary randomized response, where a = k - 1.
"""

from collections.abc import Callable
from fractions import Fraction
from math import ceil, floor

from sordino.exact.nats import FIRST_DIGITS, Nats, exponential

WORD = 2**64
"""The number of values of a random word."""


def largest_threshold(epsilon: Nats, heads: int = 1, tails: int = 1) -> int:
    """The largest T <= 2^64 - 1 with heads T <= e^epsilon tails (2^64 - T), for epsilon >= 0 and weights >= 1."""
    return min(_settle(epsilon, lambda factor: floor(factor * tails * WORD / (heads + factor * tails))), WORD - 1)


def least_weight(epsilon: Nats, heavy: Fraction | int) -> int:
    """The least whole R with e^epsilon R >= heavy, both >= 0."""
    return _settle(epsilon, lambda factor: ceil(heavy / factor))


def most_weight(epsilon: Nats, light: int) -> int:
    """The largest whole R with R <= e^epsilon light."""
    return _settle(epsilon, lambda factor: floor(factor * light))


def _settle(epsilon: Nats, whole: Callable[[Fraction], int]) -> int:
    """A whole number that rises or falls with e^epsilon: proved where both ends of an enclosure agree."""
    digits = FIRST_DIGITS
    while True:
        low, high = (whole(end * epsilon.ratio) for end in exponential(epsilon.rational, digits))
        if low == high:
            return low
        digits *= 2
