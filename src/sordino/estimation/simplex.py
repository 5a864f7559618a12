"""The nearest distribution to an estimate: Euclidean projection onto the simplex, whole or block by block.

Source: context-aware LDP paper, Section 7 (the post-processing of its experiments).
"""

import numpy as np
from numpy.typing import NDArray

from sordino.domain.partition import Partition


def project(
    vector: NDArray[np.float64], blocks: Partition | None = None, totals: NDArray[np.float64] | None = None
) -> NDArray[np.float64]:
    """The nearest nonnegative vector with the given total in each block, shape (k,); by default one block of total 1.

    Args:
        vector: shape (k,).
        blocks: the partition; one block of all values by default.
        totals: shape (m,), nonnegative.

    Cost: one sort.
    """
    if blocks is None:
        blocks = Partition(np.zeros(len(vector), dtype=np.intp))
    if totals is None:
        totals = np.ones(blocks.m)
    # Shifting a block does not move its projection, and entries below its maximum less its total cannot be kept: so
    # sums stay as small as the totals.
    top = np.maximum.reduceat(vector[blocks.order], blocks.starts)
    vector = np.maximum(vector - top[blocks.block], -totals[blocks.block])
    # Within each block, descending: the kept values are a prefix, those above the level that makes the rest add up.
    order = np.lexsort((-vector, blocks.block))
    ordered = vector[order]
    position = np.arange(len(vector)) - np.repeat(blocks.starts, blocks.sizes)
    sums = np.cumsum(ordered)
    before = np.repeat(sums[blocks.starts] - ordered[blocks.starts], blocks.sizes)
    level = (sums - before - np.repeat(totals, blocks.sizes)) / (position + 1)
    kept = np.add.reduceat((ordered >= level).astype(np.intp), blocks.starts)
    last = blocks.starts + np.maximum(kept, 1) - 1
    return np.maximum(vector - level[last][blocks.block], 0.0)
