"""Choices and conversions that take the same steps whatever the numbers are: no branch, no array as long as a choice.

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
