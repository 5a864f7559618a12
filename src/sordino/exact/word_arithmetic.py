"""Arithmetic on 64-bit words, many at a time: choices without a branch, conversions from floats, exact products.

A processor guesses at branches, and each guess gone wrong costs more than all the rest, so that the time of `np.where`
tells how its condition alternates, and that of a conversion from float64 to uint64 which numbers are above 2^63.
"""

import numpy as np
from numpy.typing import NDArray

from sordino.exact.source import Words

HALF = 2.0**63


def select(condition: NDArray[np.bool_], yes: Words | np.uint64, no: Words | np.uint64) -> Words:
    """In each row the first number where the condition holds, else the second."""
    chosen: Words = condition * (yes ^ no)
    chosen ^= no
    return chosen


def whole(numbers: NDArray[np.float64]) -> Words:
    """The whole part of numbers in [0, 2^64)."""
    upper = numbers >= HALF
    words: Words = (numbers - upper * HALF).astype(np.int64).view(np.uint64)
    words += upper * np.uint64(1 << 63)
    return words


HALF_WORD = np.uint64(32)

LOWER = np.uint64((1 << 32) - 1)


def full_product(words: Words, factors: Words | np.uint64) -> tuple[Words, Words]:
    """The upper and the lower 64 bits of words times factors, by long multiplication of halves; shapes that broadcast.

    Example:
        >>> [int(half[0]) for half in full_product(np.array([3, 5], dtype=np.uint64), np.uint64(1 << 63))]
        [1, 9223372036854775808]
    """
    upper, lower = words >> HALF_WORD, words & LOWER
    factor_upper, factor_lower = factors >> HALF_WORD, factors & LOWER
    # None of the sums reaches 2^64: a product of halves is at most (2^32 - 1)^2.
    middle = upper * factor_lower
    middle += lower * factor_lower >> HALF_WORD
    other = lower * factor_upper
    other += middle & LOWER
    product: Words = upper * factor_upper
    product += middle >> HALF_WORD
    product += other >> HALF_WORD
    return product, words * factors


def fraction_above(words: Words, factors: Words) -> Words:
    """The least whole numbers not below words times factors / 2^64; shapes that broadcast.

    Example:
        >>> fraction_above(np.array([3, 1 << 63], dtype=np.uint64), np.array([1 << 63], dtype=np.uint64)).tolist()
        [2, 4611686018427387904]
    """
    upper, lower = full_product(words, factors)
    upper += lower != 0
    return upper
