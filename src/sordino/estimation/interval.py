"""Confidence intervals for shares that hold near zero too.

An unbiased estimate is an affine function of one binomial count: of the reports from a value's block, those that
support it. Clopper and Pearson's interval for that count, mapped to the share and cut to [0, 1], covers at every
truth, where the normal interval does not. The share of the block itself is a second binomial count; the two intervals
are multiplied, and their error probabilities add up to 1 - confidence (Bonferroni), so the coverage is at least the
confidence. An interval that lies wholly below 0 is cut to [0, 0]; for a rare value half of all misses look like that.
"""

import numpy as np
from numpy.typing import NDArray
from scipy import special

from sordino.errors import SordinoError
from sordino.mechanism.base import Mechanism

BLOCK_SHARE = 0.1
"""Part of the error probability spent on the block's share, which is known much better than the share within it."""


def clopper_pearson(
    successes: NDArray[np.float64], trials: NDArray[np.float64], error: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Limits of a binomial probability, each missed with probability error / 2 at most; without trials [0, 1]."""
    failures = trials - successes
    with np.errstate(invalid="ignore"):
        lower = np.where(successes > 0, special.betaincinv(np.maximum(successes, 1), failures + 1, error / 2), 0.0)
        upper = np.where(failures > 0, special.betainccinv(successes + 1, np.maximum(failures, 1), error / 2), 1.0)
    return lower, upper


def share_interval(
    mechanism: Mechanism, counts: NDArray[np.int64], confidence: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Lower and upper limits of each value's share in the population, shape (k,) each.

    Args:
        mechanism: made the reports.
        counts: shape (outputs,), the tally.
        confidence: in (0, 1); each interval covers with at least this probability (each by itself, not all at once).
    """
    if not 0 < confidence < 1:
        raise SordinoError("a confidence must lie between 0 and 1", found=str(confidence))
    blocks = mechanism.partition
    sums = mechanism.support(counts.astype(np.float64))
    support, group = np.rint(sums.support), np.rint(sums.group)
    # A block of one value has nothing to estimate within it; a single block has nothing to estimate outside.
    alone = blocks.sizes[blocks.block] == 1
    outer = np.where(alone, 1.0, 0.0 if blocks.m == 1 else BLOCK_SHARE) * (1 - confidence)
    inner = (1 - confidence) - outer
    share_low, share_high = clopper_pearson(group, np.full(mechanism.k, counts.sum(), dtype=np.float64), outer)
    low, high = clopper_pearson(support, group, inner)
    gap = mechanism.hit - mechanism.miss
    low = np.where(alone, 1.0, np.clip((low - mechanism.miss) / gap, 0, 1))
    high = np.where(alone, 1.0, np.clip((high - mechanism.miss) / gap, 0, 1))
    if blocks.m == 1:
        return low, high
    return low * share_low, high * share_high
