"""Shares among a part of the people that reports tell too: of those who were asked.

A share r = N / D is a ratio of two estimates. Its standard error is that of N - r D over D (delta method), and no
smaller than its interval says; that holds all r for which N - r D is within z standard errors of 0 (Fieller), and no
fewer than likelihood allows, as within a table (`joint.cells`).
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sordino.estimation.intervals.possible import possible_limits
from sordino.estimation.intervals.quotient import QuotientRows, likely_limits, quotient_limits
from sordino.estimation.intervals.share_interval import at_least_as_wide, errors_to_either_side
from sordino.estimation.joint.table_cells import TableShares
from sordino.estimation.share_estimate import Estimate

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class SharesAmong:
    """Sums of shares, each over another sum of which it is a part.

    Attributes:
        found: an estimate of shares, shape (k,).
        parts: which values each sum has, shape (m, k).
        whole: which values the whole has, shape (k,).
    """

    found: Estimate
    parts: Floats
    whole: Floats
    confidence: float

    @cached_property
    def normal(self) -> TableShares:
        """As if errors were near normal.

        Raises:
            SordinoError: a tally that does not tell how shares go together.
        """
        covariance = self.found.covariance(np.vstack([self.parts, self.whole]))
        variances = np.diag(covariance)
        return ratio_shares(
            self.parts @ self.found.value,
            float(self.whole @ self.found.value),
            (variances[:-1], float(variances[-1]), covariance[:-1, -1]),
            self.confidence,
        )

    @property
    def rows(self) -> QuotientRows | None:
        """Whose limits likelihood is to widen; None where a tally does not say how often each code was sent."""
        found = self.found
        if not found.mechanism.counts_codes:
            return None
        added, among = found.contributions(self.parts), found.contributions(self.whole[None])
        among = np.repeat(among, len(self.parts), axis=0)
        limits = self.normal.low, self.normal.high
        return QuotientRows(limits, added, among, found.law, found.n, 1 - self.confidence)

    def within(self, limits: tuple[Floats, Floats] | None) -> TableShares:
        """With the limits of `rows`."""
        shares, fitted = self.normal, self.found.fitted
        low, high = (shares.low, shares.high) if limits is None else possible_limits(shares.value, limits)
        among = None
        if fitted is not None and self.whole @ fitted > 0:
            among = self.parts @ fitted / (self.whole @ fitted)
        stderr = at_least_as_wide(shares.stderr, (low, high), errors_to_either_side(self.confidence))
        return TableShares(shares.value, stderr, low, high, among)


def shares_among(found: Estimate, parts: Floats, whole: Floats, confidence: float) -> TableShares:
    """`SharesAmong` by themselves.

    Raises:
        SordinoError: a tally that does not tell how shares go together.
    """
    asked = SharesAmong(found, parts, whole, confidence)
    rows = asked.rows
    return asked.within(None if rows is None else likely_limits(*rows))


def ratio_shares(parts: Floats, whole: float, errors: tuple[Floats, float, Floats], confidence: float) -> TableShares:
    """Shares that are ratios of estimates with errors that are near normal; not a number where the whole may be 0.

    Args:
        parts: N of each, shape (m,).
        errors: the variances of N, shape (m,), and of D, and the covariance of the two, shape (m,).

    Example:
        >>> found = ratio_shares(np.array([0.1]), 0.4, (np.array([1e-4]), 0.0, np.zeros(1)), 0.95)
        >>> found.value.round(3).tolist(), found.low.round(3).tolist(), found.high.round(3).tolist()
        ([0.25], [0.201], [0.299])
    """
    of_parts, of_whole, shared = errors
    z = errors_to_either_side(confidence)
    # A ratio to what may be 0 says nothing, however large it comes out.
    is_known = whole > z * np.sqrt(max(of_whole, 0.0))
    value = parts / whole if is_known else np.full(len(parts), np.nan)
    variance = of_parts - 2 * value * shared + value**2 * of_whole
    stderr = np.sqrt(np.maximum(variance, 0.0)) / whole if is_known else np.full(len(parts), np.nan)
    low, high = quotient_limits(parts, np.full(len(parts), whole), (of_parts, np.full(len(parts), of_whole), shared), z)
    # Where nobody may be asked a share may be anything.
    low, high = np.nan_to_num(low, nan=0.0), np.nan_to_num(high, nan=1.0)
    low, high = possible_limits(np.nan_to_num(value), (low, high))
    return TableShares(value, at_least_as_wide(stderr, (low, high), z), low, high, None)
