"""Confidence intervals for shares that hold near zero too.

Where estimates count supporting codes, a share is p = (v(r)) g + outside (1 - g): g is the share of the reports in the
value's group, r the share of supporting codes among these, v(r) = (on - off) r + off. Both are binomial shares. Clopper
and Pearson's intervals for them cover at every truth, where the normal interval does not; mapped to p, their error
probabilities add up to 1 - confidence (Bonferroni), so the coverage is at least the confidence. An interval that lies
wholly below 0 is cut to [0, 0]; for a rare value half of all misses look like that.

Elsewhere an estimate is a mean of bounded contributions, and the interval is the empirical Bernstein bound of Maurer
and Pontil 2009 (Theorem 4), two-sided: wider, and valid at any n.
"""

import numpy as np
from numpy.typing import NDArray
from scipy import special

from sordino.errors import SordinoError
from sordino.mechanism.aggregate import Aggregate
from sordino.mechanism.base import Mechanism
from sordino.mechanism.supported import SupportMechanism

BLOCK_SHARE = 0.1
"""Part of the error probability spent on the group's share, which is known much better than the share within it."""


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
    mechanism: Mechanism, aggregate: Aggregate, confidence: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Lower and upper limits of each value's share in the population, shape (k,) each.

    Args:
        mechanism: made the reports.
        aggregate: their tally.
        confidence: in (0, 1); each interval covers with at least this probability (each by itself, not all at once).
    """
    if not 0 < confidence < 1:
        raise SordinoError("a confidence must lie between 0 and 1", found=str(confidence))
    if mechanism.k == 1:
        return np.ones(1), np.ones(1)
    if isinstance(mechanism, SupportMechanism):
        low, high = _by_support(mechanism, aggregate, 1 - confidence)
    else:
        low, high = _by_bernstein(mechanism, aggregate, 1 - confidence)
    return np.clip(low, 0, 1), np.clip(high, 0, 1)


def _by_support(
    mechanism: SupportMechanism, aggregate: Aggregate, error: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    sums, reading = mechanism.support(aggregate.counts.astype(np.float64)), mechanism.reading
    support, group = np.rint(sums.support), np.rint(sums.group)
    # A value alone in its group has nothing to estimate within it; a group of all reports has a known share.
    outer = np.where(reading.alone, 1.0, np.where(reading.whole, 0.0, BLOCK_SHARE)) * error
    low, high = clopper_pearson(support, group, error - outer)
    low, high = (np.where(reading.alone, reading.on, (reading.on - reading.off) * r + reading.off) for r in (low, high))
    # Without contributions from outside, p / g is a share itself.
    inside = reading.outside == 0
    low = np.where(inside & ~reading.alone, np.clip(low, 0, 1), low)
    high = np.where(inside & ~reading.alone, np.clip(high, 0, 1), high)
    ends = clopper_pearson(group, np.full(mechanism.k, float(aggregate.n)), outer)
    ends = (np.where(reading.whole, 1.0, ends[0]), np.where(reading.whole, 1.0, ends[1]))
    return (
        np.minimum(*(low * g + reading.outside * (1 - g) for g in ends)),
        np.maximum(*(high * g + reading.outside * (1 - g) for g in ends)),
    )


def _by_bernstein(
    mechanism: Mechanism, aggregate: Aggregate, error: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    n = aggregate.n
    if n < 2:
        return np.zeros(mechanism.k), np.ones(mechanism.k)
    law = aggregate.counts / n
    mean = mechanism.decode(law)
    variance = np.maximum(mechanism.decode_squares(law) - mean**2, 0.0) * n / (n - 1)
    least, most = mechanism.swing
    log = np.log(4 / error)
    radius = np.sqrt(2 * variance * log / n) + 7 * (most - least) * log / (3 * (n - 1))
    return mean - radius, mean + radius
