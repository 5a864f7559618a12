"""The Bayes rule for total variation where shares must add up to known totals: for each the same quantile.

Of all vectors whose entries add up to the total of their block, the one with the least expected sum of absolute
differences to the shares takes for every value of a block the quantile of one level of its posterior: the derivative
of E|p - a| is 2 P(p <= a) - 1, so Lagrange's multiplier is the level's. The level of each block is found by bisection.
"""

import numpy as np

from sordino.domain.partition import Partition
from sordino.estimation.neighbours.noise import Floats
from sordino.estimation.neighbours.posterior import Posteriors

HALVINGS = 16
"""Of the levels' range: what is left moves no share by a part that could be seen."""

EXTREME = 1e-12
"""Levels nearest to 0 and 1."""


def equal_quantiles(posteriors: Posteriors, blocks: Partition, totals: Floats) -> Floats:
    """Shares that add up to the totals, shape (k,), nonnegative.

    Args:
        totals: shape (m,), nonnegative.
    """
    low, high = np.full(blocks.m, EXTREME), np.full(blocks.m, 1 - EXTREME)
    for _ in range(HALVINGS):
        level = (low + high) / 2
        short = blocks.totals(posteriors.quantiles(level[blocks.block])) < totals
        low, high = np.where(short, level, low), np.where(short, high, level)
    return scale_blocks(posteriors.quantiles(high[blocks.block]), blocks, totals)


def scale_blocks(shares: Floats, blocks: Partition, totals: Floats) -> Floats:
    """Nonnegative shares in proportion to those given, adding up to the totals; alike in blocks that have none."""
    sums = blocks.totals(shares)
    none = sums <= 0
    factor = np.divide(totals, sums, out=np.zeros_like(totals), where=~none)
    return np.where(none[blocks.block], (totals / blocks.sizes)[blocks.block], shares * factor[blocks.block])
