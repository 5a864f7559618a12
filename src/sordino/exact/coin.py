"""Coins with exact odds: integer thresholds on 64-bit words, each the largest that its channel's inequality allows.

A coin shows heads iff a uniform word is below its threshold T, so its odds are T : 2^64 - T exactly, and no float
decides anything. Two outputs whose weights stand as a T : b (2^64 - T) differ by at most epsilon iff a T <= e^epsilon
b (2^64 - T).
The plain coin (a = b = 1) is wrong for k-ary randomized response, where a = k - 1.
"""

from fractions import Fraction
from math import ceil, floor

from sordino.exact.nats import FIRST_DIGITS, Nats, exponential

WORD = 2**64
"""The number of values of a random word."""


def largest_threshold(epsilon: Nats, heads: int = 1, tails: int = 1) -> int:
    """The largest T <= 2^64 - 1 with heads T <= e^epsilon tails (2^64 - T).

    Args:
        epsilon: the loss allowed, >= 0.
        heads: weight a >= 1 of one unit of the coin's heads.
        tails: weight b >= 1 of one unit of its tails.

    Proved by enclosures of e^epsilon on which both ends give the same integer.
    """
    digits = FIRST_DIGITS
    while True:
        low, high = exponential(epsilon.rational, digits)
        if epsilon.rational == 0:
            low = high = Fraction(1)
        low_threshold = _threshold(low * epsilon.ratio, heads, tails)
        if low_threshold == _threshold(high * epsilon.ratio, heads, tails):
            return min(low_threshold, WORD - 1)
        digits *= 2


def least_weight(epsilon: Nats, heavy: Fraction | int) -> int:
    """The least whole R with e^epsilon R >= heavy, by enclosures on which both ends give the same integer.

    Args:
        epsilon: the loss allowed, >= 0.
        heavy: the weight that R stands against, >= 0.
    """
    digits = FIRST_DIGITS
    while True:
        low, high = exponential(epsilon.rational, digits)
        if epsilon.rational == 0:
            low = high = Fraction(1)
        most, least = ceil(heavy / (low * epsilon.ratio)), ceil(heavy / (high * epsilon.ratio))
        if most == least:
            return most
        digits *= 2


def most_weight(epsilon: Nats, light: int) -> int:
    """The largest whole R with R <= e^epsilon light, proved in the same way."""
    digits = FIRST_DIGITS
    while True:
        low, high = exponential(epsilon.rational, digits)
        if epsilon.rational == 0:
            low = high = Fraction(1)
        least, most = floor(low * epsilon.ratio * light), floor(high * epsilon.ratio * light)
        if least == most:
            return least
        digits *= 2


def _threshold(factor: Fraction, heads: int, tails: int) -> int:
    """Floor of the real T at which heads T = factor tails (2^64 - T)."""
    return int(factor * tails * WORD // (heads + factor * tails))
