"""Products of 64-bit words in exact integers, many at a time: of the 128 bits the upper half, rounded up."""

import numpy as np

from sordino.exact.source import Words

HALF = np.uint64(32)
LOWER = np.uint64((1 << 32) - 1)


def fraction_above(words: Words, factors: Words) -> Words:
    """The least whole numbers not below words times factors / 2^64; shapes that broadcast.

    Example:
        >>> fraction_above(np.array([3, 1 << 63], dtype=np.uint64), np.array([1 << 63], dtype=np.uint64)).tolist()
        [2, 4611686018427387904]
    """
    upper, lower = words >> HALF, words & LOWER
    factor_upper, factor_lower = factors >> HALF, factors & LOWER
    # None of the sums reaches 2^64: a product of halves is at most (2^32 - 1)^2.
    least = lower * factor_lower
    middle = upper * factor_lower
    middle += least >> HALF
    other = lower * factor_upper
    other += middle & LOWER
    product: Words = upper * factor_upper
    product += middle >> HALF
    product += other >> HALF
    product += ((other | least) & LOWER) != 0
    return product
