"""Sylvester's Hadamard matrix H[r, y] = (-1)^<r, y> for indices read as bit vectors: one entry, and the fast transform.

Source: context-aware LDP paper, Section 2.
"""

import numpy as np
from numpy.typing import NDArray


def order(k: int) -> int:
    """The smallest power of two above k: the matrix whose rows 1..k are usable (row 0 is constant)."""
    return 1 << k.bit_length()


def parity(rows: NDArray[np.uint64], columns: NDArray[np.uint64]) -> NDArray[np.uint8]:
    """<r, y> mod 2 elementwise: 0 where H[r, y] = +1 and 1 where it is -1."""
    bits: NDArray[np.uint8] = np.bitwise_count(rows & columns)
    bits &= np.uint8(1)
    return bits


def transform(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    """H applied along the last axis, whose length is a power of two, in K log K additions.

    Each pass combines the two halves and interleaves sums and differences: it transforms the index's highest bit and
    moves it to the lowest place, so that after all passes every bit is in its own place again. All loops are as long
    as half of the axis. Sums of integers below 2^53 are exact.
    """
    result = np.array(vectors, dtype=np.float64)
    spare = np.empty_like(result)
    half = result.shape[-1] // 2
    for _ in range(half.bit_length()):
        upper, lower = result[..., :half], result[..., half:]
        np.add(upper, lower, out=spare[..., 0::2])
        np.subtract(upper, lower, out=spare[..., 1::2])
        result, spare = spare, result
    return result
