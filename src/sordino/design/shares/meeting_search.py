"""The sizes of subsets that meet a set with which the shares of some items are estimated best.

A code of size w holds item i with probability r = b + (a - b) p of share p, so that n times the variance of the
estimated share is r (1 - r) / (a - b)^2. All sizes and all numbers of shared items from 1 to L are compared. Cost: a
table of sizes times L, in floats; the channel itself is made of integers.
"""

from itertools import takewhile
from math import comb

import numpy as np
from numpy.typing import NDArray

from sordino.design.coarse import coarse
from sordino.exact.combinatorics.meeting_sizes import MeetingSizes
from sordino.exact.entries import LARGEST_NUMBER
from sordino.exact.floats import Floats


def best_meeting_sizes(items: int, chosen: int, epsilon: float, shares: Floats, code_bits: int) -> MeetingSizes | None:
    """The sizes with the least summed variance of the shares of some items; None where none fits.

    Args:
        items, chosen: how many items there are, and how many each person has.
        epsilon: between any two sets, in nats.
        shares: of the items that are estimated, shape (m,).
        code_bits: of a report at most.
    """
    if MeetingSizes(items, chosen, 1, 1).values > LARGEST_NUMBER:
        return None
    # As many codes are of a size as leave out so many items; up to half of them they grow.
    few = [*takewhile(lambda size: comb(items, size) <= 1 << code_bits, range(1, items // 2 + 1))]
    sizes = sorted({*few, *(items - size for size in few)})
    if not sizes:
        return None
    variances = coarse(_variances(items, chosen, np.array(sizes), epsilon, shares))
    # Of equals the first one: the smallest code.
    row, column = np.unravel_index(int(np.argmin(variances)), variances.shape)
    if not np.isfinite(variances[row, column]):
        return None
    return MeetingSizes(items, chosen, sizes[int(row)], int(column) + 1)


def _variances(items: int, chosen: int, sizes: NDArray[np.intp], epsilon: float, shares: Floats) -> Floats:
    """N times the summed variance, shape (sizes, L), of codes that share at least 1, 2, ..., L items."""
    shared, rest = np.arange(chosen + 1), items - chosen
    beside = sizes[:, np.newaxis] - shared
    fits = (beside >= 0) & (beside <= rest)
    factorials = np.concatenate(([0.0], np.cumsum(np.log(np.arange(1, items + 1)))))
    within = _log_choose(factorials, chosen, shared) + _log_choose(factorials, rest, np.clip(beside, 0, rest))
    counts = np.where(fits, np.exp(within - _log_choose(factorials, items, sizes)[:, np.newaxis]), 0.0)
    # The chance of a uniform code to share fewer items than t, and at least t; and what it then shares on average.
    sums = np.stack([counts, shared * counts])
    off, held_off = np.cumsum(sums, axis=2)[:, :, :-1]
    on, held_on = np.cumsum(sums[:, :, ::-1], axis=2)[:, :, -2::-1]
    with np.errstate(divide="ignore", invalid="ignore"):
        lie = np.exp(-epsilon)
        own = (held_on + lie * held_off) / (on + lie * off)
        hit, miss = own / chosen, (sizes[:, np.newaxis] - own) / rest
        gap = hit - miss
        first, second = shares.sum(), (shares**2).sum()
        found = len(shares) * miss * (1 - miss) + gap * (1 - 2 * miss) * first - gap**2 * second
        variances: Floats = np.where((on > 0) & (off > 0) & (gap > 0), found / gap**2, np.inf)
    return variances


def _log_choose(factorials: Floats, items: int, chosen: NDArray[np.intp]) -> Floats:
    found: Floats = factorials[items] - factorials[chosen] - factorials[items - chosen]
    return found
