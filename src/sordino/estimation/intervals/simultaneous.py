"""Intervals that hold together: how sure each must be, so that all are right at once as often as is promised.

Bonferroni: of k intervals each errs k times more rarely. That holds whatever their errors have to do with each other,
and is hardly wider than need be where these are nearly independent. Where few codes tell the values, the noise of all
estimates is drawn, near normal with the covariance that the reports have, and the limits are as many standard errors
away as the largest of them is seldom beyond (max-|z|): of two shares, which err by the same amount, no farther than by
itself. Sources: Bonferroni 1936; Montiel Olea and Plagborg-Moller 2019.
"""

import numpy as np
from numpy.typing import NDArray

from sordino.estimation.intervals.contrast import contributions
from sordino.estimation.intervals.draws import standard_draws
from sordino.estimation.unbiased import Decoded
from sordino.mechanism.base import Mechanism

MOST_ENTRIES = 1 << 17
"""Of values times codes whose noise is drawn."""

MOST_CODES = 1 << 11
"""Of them: each has its own draws."""


def bonferroni(confidence: float, count: int) -> float:
    """The confidence of each of some intervals, so that all hold together.

    Example:
        >>> round(bonferroni(0.95, 10), 6)
        0.995
    """
    return 1 - (1 - confidence) / max(count, 1)


def draws_noise(mechanism: Mechanism) -> bool:
    """Whether the estimates' noise is drawn; else each interval is as sure as Bonferroni asks."""
    few = mechanism.counters <= MOST_CODES and mechanism.k * mechanism.counters <= MOST_ENTRIES
    return few and mechanism.counts_codes and mechanism.k > 1


def each_confidence(decoded: Decoded, confidence: float, *, subtract_totals: bool = False) -> float:
    """The confidence of each share's interval, so that all hold together with the given one.

    Args:
        decoded: the law of the reports.
        confidence: of all intervals together, in (0, 1).
        subtract_totals: whether estimates are shifted to the share of their block.
    """
    from scipy import special

    mechanism = decoded.mechanism
    enough = bonferroni(confidence, mechanism.k)
    if not draws_noise(mechanism):
        return enough
    law = decoded.law
    added = np.stack(
        [contributions(mechanism, one, subtract_totals=subtract_totals) for one in np.eye(mechanism.k)], axis=1
    )
    added -= law @ added
    spread = np.sqrt(law @ added**2)
    relative = _over(np.sqrt(law)[:, None] * added, spread)
    largest = np.abs(standard_draws(len(law)) @ relative).max(axis=1)
    each = 2 * float(special.ndtr(np.quantile(largest, confidence))) - 1
    return min(max(each, confidence), enough)


def _over(noise: NDArray[np.float64], spread: NDArray[np.float64]) -> NDArray[np.float64]:
    """In standard errors; 0 where there is no noise."""
    relative: NDArray[np.float64] = np.divide(noise, spread, out=np.zeros_like(noise), where=spread > 1e-12)
    return relative
