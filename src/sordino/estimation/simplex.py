"""The nearest distribution to an estimate: projection onto the simplex, whole or block by block.

Source: context-aware LDP paper, Section 7 (the post-processing of its experiments).
"""

import numpy as np

from sordino.domain.value_partition import Partition
from sordino.exact.floats import Floats


def project(
    vector: Floats, blocks: Partition | None = None, totals: Floats | None = None, weights: Floats | None = None
) -> Floats:
    """The nearest nonnegative vector with the given total in each block, shape (k,); by default one block of total 1.

    What the nearest vector leaves at zero is zero here exactly, not a remainder of rounding.

    Args:
        vector: shape (k,).
        blocks: the partition; one block of all values by default.
        totals: shape (m,), nonnegative.
        weights: shape (k,), positive: nearest in the sum of squared differences over the weights; by default 1.

    Cost: one sort.
    """
    if blocks is None:
        blocks = Partition(np.broadcast_to(np.intp(0), len(vector)))
    if totals is None:
        totals = np.ones(blocks.m)
    if weights is None and blocks.m == 1:
        projected: Floats = project_rows(vector[np.newaxis], totals)[0]
        return projected
    alike = weights is None
    if weights is None:
        weights = np.broadcast_to(np.float64(1), len(vector))
    # Each entry is lowered by its weight times its block's level, so those with the highest ratio stay: within each
    # block, descending, the kept values are a prefix, above the level that makes the rest add up. Millions of values
    # are changed in place.
    lowered = vector / weights
    order = np.lexsort((-lowered, blocks.block))
    first = order[blocks.starts]
    # A common shift of a block's ratios does not move its projection. The entry of the highest ratio cannot keep more
    # than the total, so the level is known that well: entries far below it may be raised to twice that.
    lowered -= lowered[first][blocks.block]
    lowered *= weights
    np.maximum(lowered, (-2 * totals / weights[first])[blocks.block] * weights, out=lowered)
    ordered, ordered_weights = lowered[order], weights[order]
    level = _sums_within(ordered, blocks)
    level -= np.repeat(totals, blocks.sizes)
    level /= _sums_within(ordered_weights, blocks)
    kept = np.add.reduceat(ordered >= level * ordered_weights, blocks.starts, dtype=np.intp)
    del ordered, ordered_weights
    last = blocks.starts + np.maximum(kept, 1) - 1
    stays = np.empty(len(vector), dtype=np.bool_)
    stays[order] = np.arange(len(vector)) <= np.repeat(np.where(totals > 0, last, -1), blocks.sizes)
    lowered -= level[last][blocks.block] * weights
    projected = np.where(stays, np.maximum(lowered, 0.0, out=lowered), 0.0)
    if not alike:
        return projected
    # Running sums of a million entries are a little off; what is kept is small, and its sum exact enough to mend that.
    excess = np.add.reduceat(projected[order], blocks.starts) - totals
    positive = projected > 0
    excess /= np.maximum(np.add.reduceat(positive[order], blocks.starts, dtype=np.float64), 1)
    return np.where(positive, np.maximum(projected - excess[blocks.block], 0.0), 0.0)


def project_rows(vectors: Floats, totals: Floats) -> Floats:
    """The nearest nonnegative vector with its total to each of some vectors, shape (n, k); totals have shape (n,).

    As `project` of one block: what is nearest to one row does not depend on the others.
    """
    # Descending, the kept values are a prefix; what is far below the first one cannot be kept.
    order = np.argsort(-vectors, axis=1, kind="stable")
    lowered = vectors - np.take_along_axis(vectors, order[:, :1], axis=1)
    np.maximum(lowered, (-2 * totals)[:, np.newaxis], out=lowered)
    ordered = np.take_along_axis(lowered, order, axis=1)
    level = np.cumsum(ordered, axis=1)
    level -= totals[:, np.newaxis]
    places = np.arange(vectors.shape[1])
    level /= places + 1.0
    kept = (ordered >= level).sum(axis=1)
    del ordered
    last = np.maximum(kept, 1) - 1
    stays = np.empty(vectors.shape, dtype=np.bool_)
    np.put_along_axis(stays, order, places <= np.where(totals > 0, last, -1)[:, np.newaxis], axis=1)
    lowered -= np.take_along_axis(level, last[:, np.newaxis], axis=1)
    projected = np.where(stays, np.maximum(lowered, 0.0, out=lowered), 0.0)
    del lowered, stays
    # Running sums of a million entries are a little off; what is kept is small, and its sum exact enough to mend that.
    excess = np.add.reduceat(np.take_along_axis(projected, order, axis=1), [0], axis=1) - totals[:, np.newaxis]
    positive = projected > 0
    excess /= np.maximum(positive.sum(axis=1), 1.0)[:, np.newaxis]
    return np.where(positive, np.maximum(projected - excess, 0.0), 0.0)


def _sums_within(ordered: Floats, blocks: Partition) -> Floats:
    """Running sums that start anew in each block; small ones are not taken from the difference of large ones."""
    if (blocks.sizes == blocks.sizes[0]).all():
        return np.cumsum(ordered.reshape(blocks.m, -1), axis=1).ravel()
    sums = np.empty_like(ordered)
    for size in np.unique(blocks.sizes):
        rows = blocks.starts[blocks.sizes == size][:, None] + np.arange(size)
        sums[rows] = np.cumsum(ordered[rows], axis=1)
    return sums
