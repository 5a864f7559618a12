"""Matrix products that give the same bits on every machine, at the speed of its own library.

Libraries add up in an order of their own, and a rounded sum depends on it; a sum that is never rounded does not. Each
row of the left factor and each column of the right one is cut into three slices of whole numbers of few bits, so that
all sums of products of slices are whole numbers below 2^53: floats hold them exactly, in whatever order they are added
and with or without fused multiplications. What is rounded is rounded element by element, in the order written here.

Source: Ozaki, Ogita, Oishi and Rump 2012 (error-free transformations of matrix multiplication).
"""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]

SIGNIFICANT = 53
"""Bits of a whole number that a float holds exactly."""

LONGEST = 1 << 12
"""Products at once that are added up: longer sums leave a slice too few bits, and are split."""

BATCH = 1 << 12
"""Rows of the left factor at once, so that their slices stay near the processor."""


def exact_product(left: Floats, right: Floats) -> Floats:
    """The matrix product of shapes (n, k) and (k, m), each entry as if rounded about once.

    An entry is off by about 2^-53 of itself and 2^-57 of k times the largest of its row times the largest of its
    column.

    Args:
        left: finite.
        right: finite.
    """
    n, k = left.shape
    if k > LONGEST:
        half = k // 2
        return exact_product(left[:, :half], right[:half]) + exact_product(left[:, half:], right[half:])
    bits = (SIGNIFICANT - (2 * k - 1).bit_length()) // 2
    right_slices, right_unit = _slices(right.T, bits)
    # The finest first, so that each slice of the left factor stands against the one that it is multiplied with.
    against = np.concatenate(right_slices[::-1], axis=1).T
    finer = 2.0**-bits
    found = np.empty((n, right.shape[1]))
    for first in range(0, n, BATCH):
        slices, unit = _slices(left[first : first + BATCH], bits)
        beside = np.concatenate(slices, axis=1)
        part = beside @ against
        part *= finer
        part += beside[:, : 2 * k] @ against[k:]
        part *= finer
        part += beside[:, :k] @ against[2 * k :]
        part *= unit[:, None]
        np.multiply(part, right_unit, out=found[first : first + BATCH])
    return found


def _slices(rows: Floats, bits: int) -> tuple[list[Floats], Floats]:
    """Three matrices of whole numbers, each 2^bits finer than the one before, and the first one's unit in each row."""
    exponent = np.frexp(np.abs(rows).max(axis=1, initial=0.0))[1]
    rest = rows * np.ldexp(1.0, bits - exponent)[:, None]
    slices = []
    for _ in range(2):
        whole = np.rint(rest)
        rest -= whole
        rest *= 2.0**bits
        slices.append(whole)
    slices.append(np.rint(rest))
    return slices, np.ldexp(1.0, exponent - bits)
