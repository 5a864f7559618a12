"""Intervals that hold together: how sure each must be, so that all are right at once as often as is promised.

Bonferroni: of k intervals each errs k times more rarely. That holds whatever their errors have to do with each other,
and is hardly wider than need be where these are nearly independent. Where few codes tell the values, the noise of all
estimates is drawn, near normal with the covariance that the reports have, and the limits are as many standard errors
away as the largest of them is seldom beyond (max-|z|): of two shares, which err by the same amount, no farther than by
itself. Few reports leave codes out, which do not err less for it: the noise is that of one report more, of somebody of
whom nothing is known. Sources: Bonferroni 1936; Montiel Olea and Plagborg-Moller 2019.
"""

from functools import lru_cache

import numpy as np

from sordino.estimation.intervals.contrast import tells_covariance
from sordino.estimation.unbiased import Decoded
from sordino.exact.floats import Floats
from sordino.mechanism.base import Mechanism

MOST_VALUES, MOST_ENTRIES = 1 << 9, 1 << 22
"""Values, and values times codes, of which the noise is drawn."""

NOISELESS = 1e-20
"""A variance below that of any rounding error."""


def bonferroni(confidence: float, count: int) -> float:
    """The confidence of each of some intervals, so that all hold together.

    Example:
        >>> round(bonferroni(0.95, 10), 6)
        0.995
    """
    return 1 - (1 - confidence) / max(count, 1)


def draws_noise(mechanism: Mechanism) -> bool:
    """Whether the estimates' noise is drawn; else each interval is as sure as Bonferroni asks."""
    few = mechanism.k <= MOST_VALUES and mechanism.k * mechanism.counters <= MOST_ENTRIES
    return few and tells_covariance(mechanism)


def each_confidence(decoded: Decoded, n: int, confidence: float, *, subtract_totals: bool = False) -> float:
    """The confidence of each share's interval, so that all hold together with the given one.

    Args:
        confidence: of all intervals together, in (0, 1).
    """
    from scipy import special

    mechanism = decoded.mechanism
    enough = bonferroni(confidence, mechanism.k)
    if not draws_noise(mechanism):
        return enough
    anybody = mechanism.forward(np.full(mechanism.k, 1 / mechanism.k))
    noise_of = Decoded(mechanism, (n * decoded.law + anybody) / (n + 1))
    covariance = noise_of.covariance(np.eye(mechanism.k), subtract_totals=subtract_totals)
    spread = np.sqrt(np.maximum(np.diagonal(covariance), 0.0))
    both = np.outer(spread, spread)
    correlation = np.divide(covariance, both, out=np.zeros_like(both), where=both > NOISELESS)
    size, direction = np.linalg.eigh(correlation)
    noise = standard_draws(mechanism.k) @ (direction * np.sqrt(np.maximum(size, 0.0))).T
    each = 2 * float(special.ndtr(np.quantile(np.abs(noise).max(axis=1), confidence))) - 1
    return min(max(each, confidence), enough)


DRAWS = 4000
"""Of the noise of all estimates at once: the 95 % quantile of its largest is met to a few thousandths."""


@lru_cache(maxsize=4)
def standard_draws(count: int) -> Floats:
    """Seeded draws of independent standard normal numbers, shape (DRAWS, count)."""
    return np.random.default_rng(0).standard_normal((DRAWS, count))


def count_draws(expected: Floats) -> Floats:
    """The same of independent Poisson counts, each in standard deviations from what is expected, shape (DRAWS, count).

    A count of which none is expected has no noise.
    """
    counts = np.random.default_rng(0).poisson(expected, (DRAWS, len(expected)))
    scale = np.sqrt(expected)
    return np.divide(counts - expected, scale, out=np.zeros(counts.shape), where=scale > 0)
