"""Products of 64-bit words in exact integers, many at a time: 128 bits, or the upper half of them rounded up."""

import numpy as np

from sordino.exact.source import Words

HALF = np.uint64(32)
LOWER = np.uint64((1 << 32) - 1)


def full_product(words: Words, factors: Words | np.uint64) -> tuple[Words, Words]:
    """The upper and the lower 64 bits of words times factors, by long multiplication of halves; shapes that broadcast.

    Example:
        >>> [int(half[0]) for half in full_product(np.array([3, 5], dtype=np.uint64), np.uint64(1 << 63))]
        [1, 9223372036854775808]
    """
    upper, lower = words >> HALF, words & LOWER
    factor_upper, factor_lower = factors >> HALF, factors & LOWER
    # None of the sums reaches 2^64: a product of halves is at most (2^32 - 1)^2.
    middle = upper * factor_lower
    middle += lower * factor_lower >> HALF
    other = lower * factor_upper
    other += middle & LOWER
    product: Words = upper * factor_upper
    product += middle >> HALF
    product += other >> HALF
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
