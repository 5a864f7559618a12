"""Shares among a part of the people that reports tell too: of those who were asked.

A share r = N / D is a ratio of two estimates. Its standard error is that of N - r D over D (delta method); its interval
holds all r for which N - r D is within z standard errors of 0 (Fieller), and no fewer than likelihood allows, as within
a table (`joint.cells`).
"""

import numpy as np
from numpy.typing import NDArray

from sordino.estimation.estimate import Estimate
from sordino.estimation.interval import errors_to_either_side
from sordino.estimation.intervals.possible import possible_limits
from sordino.estimation.intervals.quotient import likely_limits, quotient_limits
from sordino.estimation.joint.cells import TableShares

Floats = NDArray[np.float64]


def shares_among(found: Estimate, parts: Floats, whole: Floats, confidence: float) -> TableShares:
    """Sums of shares, each over another sum of which it is a part.

    Args:
        found: an estimate of shares, shape (k,).
        parts: which values each sum has, shape (m, k).
        whole: which values the whole has, shape (k,).
        confidence: of each interval by itself.

    Raises:
        SordinoError: a tally that does not tell how shares go together.
    """
    covariance = found.covariance(np.vstack([parts, whole]))
    variances = np.diag(covariance)
    shares = ratio_shares(
        parts @ found.value,
        float(whole @ found.value),
        (variances[:-1], float(variances[-1]), covariance[:-1, -1]),
        confidence,
    )
    low, high = shares.low, shares.high
    if found.mechanism.counts_codes:
        added, among = found.contributions(parts), found.contributions(whole[None])
        among = np.repeat(among, len(parts), axis=0)
        low, high = likely_limits((low, high), added, among, found.law, found.n, 1 - confidence)
        low, high = possible_limits(shares.value, (low, high))
    fitted = None
    if found.fitted is not None and whole @ found.fitted > 0:
        fitted = parts @ found.fitted / (whole @ found.fitted)
    return TableShares(shares.value, shares.stderr, low, high, fitted)


def ratio_shares(parts: Floats, whole: float, errors: tuple[Floats, float, Floats], confidence: float) -> TableShares:
    """Shares that are ratios of estimates with errors that are near normal.

    Args:
        parts: N of each, shape (m,).
        whole: D of all.
        errors: the variances of N, shape (m,), and of D, and the covariance of the two, shape (m,).
        confidence: of each interval by itself.

    Example:
        >>> found = ratio_shares(np.array([0.1]), 0.4, (np.array([1e-4]), 0.0, np.zeros(1)), 0.95)
        >>> found.value.round(3).tolist(), found.low.round(3).tolist(), found.high.round(3).tolist()
        ([0.25], [0.201], [0.299])
    """
    of_parts, of_whole, shared = errors
    value = parts / whole if whole > 0 else np.full(len(parts), np.nan)
    variance = of_parts - 2 * value * shared + value**2 * of_whole
    stderr = np.sqrt(np.maximum(variance, 0.0)) / whole if whole > 0 else np.full(len(parts), np.nan)
    z = errors_to_either_side(confidence)
    low, high = quotient_limits(parts, np.full(len(parts), whole), (of_parts, np.full(len(parts), of_whole), shared), z)
    # Where nobody may be asked a share may be anything.
    low, high = np.nan_to_num(low, nan=0.0), np.nan_to_num(high, nan=1.0)
    return TableShares(value, stderr, *possible_limits(np.nan_to_num(value), (low, high)), None)
