"""Limits that may be watched while reports come in: they hold at all times together, not only at one chosen before.

Of estimates that are means of what each report says, or nearly are: an asymptotic confidence sequence, by mixing the
exponential martingales exp(m S - m^2 t / 2) of a random walk S over a normal law of m. It is narrowest about when the
expected number of reports has come: there 1.55 times as wide as an interval for one time, at a confidence of 95%.
Whoever looks as often as they like, and stops when they like, is right as often as is said, once reports are many
enough for a normal law.

Source: Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas 2024, Time-uniform central limit theory and asymptotic
confidence sequences, theorem 2.2 and appendix B.2; Robbins 1970.
"""

from math import log, sqrt

import numpy as np
from numpy.typing import NDArray

Limits = tuple[NDArray[np.float64], NDArray[np.float64]]


def standard_errors(n: int, expected: float, confidence: float) -> float:
    """How many standard errors the limits are from the estimate.

    Args:
        n: reports so far, 1 or more.
        expected: reports at which the limits are to be narrowest.
        confidence: in (0, 1).

    Example:
        >>> round(standard_errors(1000, 1000, 0.95), 2)
        3.04
    """
    error = 1 - confidence
    # The variance of m, times the reports so far; any is sound.
    spread = n / expected * (2 * log(1 / error) + log(1 + 2 * log(1 / error)) + 1)
    return sqrt(2 * (spread + 1) / spread * (log(spread + 1) / 2 + log(1 / error)))


def watched_limits(
    fixed: Limits,
    value: NDArray[np.float64],
    stderr: NDArray[np.float64],
    *,
    n: int,
    expected: float,
    confidence: float,
) -> Limits:
    """Limits that hold at all times together, nowhere inside those for one time.

    Args:
        fixed: limits for one time, which know of small numbers.
        value: the estimates.
        stderr: their standard errors.
        n: reports so far.
        expected: reports at which the limits are to be narrowest.
        confidence: in (0, 1); how often each covers at all times, each by itself.
    """
    reach = standard_errors(n, expected, confidence) * stderr
    low, high = fixed
    return np.minimum(low, value - reach), np.maximum(high, value + reach)
