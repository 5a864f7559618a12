"""Every extreme ray of the columns that bounds between few values allow: proved to be all of them, in whole numbers.

In logarithms a column u keeps u_x - u_x' <= E[x, x']. With bounds that are whole numbers of units, each a little above
what is meant and of no special relation to the others, these inequalities are a simple polytope: in every vertex k - 1
of them are tight and form a tree, and each of the k - 1 edges away from it, along which one part of the tree falls,
ends in one other vertex. All vertices are joined by edges (Balinski), so the walk that follows every edge finds all.
There are up to (2k-2 choose k-1): 3,432 for 8 values, 705,432 for 12. Convex functions are largest at one of them.

Shapes: rays (n, k). Cost: .1 s for 8 values, four times as much for each more: 20 s and a gigabyte for 12.
"""

from functools import lru_cache
from math import ceil

import numpy as np
from numpy.typing import NDArray

from sordino.design.coarse import exponential
from sordino.design.integer_channel import BoundRows
from sordino.exact.arrays import Floats

Whole = NDArray[np.int64]

BITS = 50
"""Logarithms are whole numbers of 2^-BITS nats."""

LARGEST_BOUND = 30
"""Nats. Larger bounds, and missing ones, count as this: `UNPROTECTED` is what they may differ."""

UNPROTECTED = 2.0**-43
"""At least 1 / (e^LARGEST_BOUND - 1). A column whose entries sum to k keeps every bound too, once k times this is added
to each entry."""

APART = 1 << 22
"""Units by which bounds are raised at most, so that no two sums of them agree: 4e-9 nats."""

BATCH = 2048
"""Vertices whose edges are followed at once."""

DIGIT = 7
"""Binary digits of a logarithm looked up at once."""

ROUNDING = 2.0**-48
"""What `powers` differ from e^u at most, relatively: eighteen roundings of 2^-53 each."""


def every_ray(bounds: BoundRows, seed: int = 0) -> Whole | None:
    """All vertices, in units of 2^-BITS nats with their largest entry 0; None where two sums of bounds agree.

    Args:
        bounds: of at least two values, each positive, None where a pair is not protected.
    """
    return vertices(raised_bounds(bounds, seed))


def raised_bounds(bounds: BoundRows, seed: int) -> Whole:
    """Bounds in units of 2^-BITS nats, none below what is meant; zeros on the diagonal."""
    k = len(bounds)
    most = LARGEST_BOUND << BITS
    raised = np.full((k, k), most, dtype=np.int64)
    for x, row in enumerate(bounds):
        for other, bound in enumerate(row):
            if bound is not None and bound < LARGEST_BOUND:
                raised[x, other] = min(most, ceil(bound.around()[1] * 2**BITS))
    raised += 1 + np.random.default_rng(seed).integers(APART - 1, size=(k, k))
    np.fill_diagonal(raised, 0)
    return raised


def vertices(raised: Whole) -> Whole | None:
    """All u, up to a constant, in which k - 1 of the inequalities u_x - u_x' <= raised[x, x'] are tight."""
    k = len(raised)
    paths = raised.copy()
    for middle in range(k):
        paths = np.minimum(paths, paths[:, middle, None] + paths[None, middle, :])
    # The shortest paths to a value are a tree of tight bounds.
    front = (paths[:, 0] - paths[:, 0].max())[None, :]
    before, found = front[:0], [front]
    while len(front):
        ends = []
        for first in range(0, len(front), BATCH):
            some = _edge_ends(front[first : first + BATCH], raised)
            if some is None:
                return None
            ends.append(some)
        # An edge's ends are as many steps from the start, or one step more or less.
        fresh = _fresh(np.concatenate([before, front]), np.concatenate(ends))
        if fresh is None:
            return None
        before, front = front, fresh
        found.append(fresh)
    return np.concatenate(found)


def _edge_ends(front: Whole, raised: Whole) -> Whole | None:
    """The vertices at the other ends of all edges, shape (n (k-1), k); None unless every vertex is simple."""
    n, k = front.shape
    room = raised + front[:, None, :] - front[:, :, None]
    tight = (room == 0) & ~np.eye(k, dtype=np.bool_)
    if (room < 0).any() or (tight.sum(axis=(1, 2)) != k - 1).any():
        return None
    high, low = (part.reshape(n, k - 1) for part in np.nonzero(tight)[1:])
    # Rows u_high - u_low; what takes one of them to -1 and leaves the others 0, with the first value at rest.
    rows, at = np.zeros((n, k - 1, k)), np.indices((n, k - 1))
    rows[(*at, high)], rows[(*at, low)] = 1.0, -1.0
    if (np.abs(np.linalg.det(rows[:, :, 1:])) < 1 / 2).any():
        return None
    moves = np.zeros((n, k - 1, k))
    moves[:, :, 1:] = np.rint(-np.linalg.inv(rows[:, :, 1:])).swapaxes(1, 2)
    if (rows @ moves.swapaxes(1, 2) != -np.eye(k - 1)).any():
        return None
    closing = moves[:, :, :, None] > moves[:, :, None, :]
    steps = np.where(closing, room[:, None], np.iinfo(np.int64).max).min(axis=(2, 3))
    ends = (front[:, None, :] + steps[:, :, None] * moves.astype(np.int64)).reshape(-1, k)
    return np.asarray(ends - ends.max(axis=1, keepdims=True))


def _fresh(known: Whole, rows: Whole) -> Whole | None:
    """Each of the rows that is not known, once; None where two that differ cannot be told apart by what they sum to."""
    both = np.concatenate([known, rows])
    # Sums that overflow are as good: whatever agrees in them is compared.
    keys = both @ (2 * np.random.default_rng(0).integers(1 << 62, size=rows.shape[1]) + 1)
    order = np.argsort(keys, kind="stable")
    repeated = np.flatnonzero(keys[order][1:] == keys[order][:-1])
    if (both[order[repeated]] != both[order[repeated + 1]]).any():
        return None
    first = np.ones(len(both), dtype=np.bool_)
    first[order[repeated + 1]] = False
    first[: len(known)] = False
    return both[first]


def powers(logarithms: Whole) -> Floats:
    """e^u for u <= 0 in units of 2^-BITS nats, each within ROUNDING of it, relatively."""
    left, found = -logarithms, np.ones(logarithms.shape)
    for table in _tables():
        found *= table[left & (len(table) - 1)]
        left = left >> DIGIT
    return found


@lru_cache(maxsize=1)
def _tables() -> tuple[Floats, ...]:
    """e^-(d 2^(DIGIT place) 2^-BITS) for every digit d."""
    return tuple(exponential(-np.ldexp(np.arange(1 << DIGIT), DIGIT * place - BITS)) for place in range(9))
