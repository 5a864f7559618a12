"""What the cells of a table say of its attributes: margins, shares within a value of another attribute, differences.

All of it is made of the cells' unbiased estimates and of their whole covariance, which the reports tell: what noise
adds to one cell it takes from others, so that a row's total is known far better than its cells say.

A conditional share r = N / D is a ratio of two sums of cells. Its standard error is that of N - r D over D (delta
method), and no smaller than its interval says; that holds all r for which N - r D is within z standard errors of 0,
which is right however little D is known. Of many parts that hold nobody some seem to hold people by chance, and if
only those were shown, their limits would miss far more often than they say: a share within D is told where noise alone
would show so many people once in two thousand. A difference of two is as far from its limits as those of its two sides
are together, corrected for what they have in common.
Sources: Fieller 1954; Zou and Donner 2008 (limits of differences from those of the sides).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import prod

import numpy as np
from numpy.typing import NDArray

from sordino.errors import SordinoError
from sordino.estimation.intervals.mean_limits import FEWEST, limits_by_codes
from sordino.estimation.intervals.possible import possible_limits
from sordino.estimation.intervals.quotient import likely_limits, quotient_limits
from sordino.estimation.intervals.share_interval import at_least_as_wide, errors_to_either_side
from sordino.estimation.share_estimate import Estimate
from sordino.exact.floats import Floats

LARGEST_TABLE = 1024
"""Cells, each two of which have a covariance: all that is made of them takes some seconds."""

SEEN = 3.29
"""Standard errors of noise by which a whole is above 0, for shares within it to be told."""


@dataclass(frozen=True, eq=False)
class TableShares:
    """Shares, or differences of shares, one after the other.

    Attributes:
        value: shape (m,); right on average, or nearly; NaN where reports are too few to say anything.
        stderr: shape (m,).
        low, high: limits, shape (m,) each, within what is possible.
        fitted: of the distribution that is fitted, shape (m,); None where none is.
    """

    value: Floats
    stderr: Floats
    low: Floats
    high: Floats
    fitted: Floats | None


@dataclass(frozen=True, eq=False)
class Cells:
    """The cells of a table.

    Attributes:
        shape: how many values each attribute has; the last one's run fastest.
        covariance: of these, shape (k, k).
    """

    shape: tuple[int, ...]
    estimate: Estimate
    covariance: Floats
    _known: dict[tuple[tuple[int, ...], tuple[int, ...], float], "Within"] = field(
        default_factory=dict, init=False, repr=False
    )

    @classmethod
    def of(cls, shape: Sequence[int], estimate: Estimate) -> "Cells":
        k = prod(shape)
        if k > LARGEST_TABLE:
            rule = f"conditional shares and differences are estimated for tables of at most {LARGEST_TABLE:,} cells"
            raise SordinoError(rule, found=f"{k:,}", step="work with the table's rows")
        return cls(tuple(shape), estimate, estimate.covariance(np.eye(k)))

    @property
    def value(self) -> Floats:
        """The unbiased estimates, shape (k,)."""
        return self.estimate.value

    @property
    def fitted(self) -> Floats | None:
        """A distribution near them, shape (k,), or None."""
        return self.estimate.fitted

    def margin(self, axes: Sequence[int], confidence: float) -> TableShares:
        """The shares of the combinations of some attributes' values, the last one's running fastest.

        Limits are normal, and no closer than the likelihood of what each code adds lets them be: a rare value is told
        by few reports, whatever epsilon is.
        """
        sums = self._sums(axes)
        fitted = None if self.fitted is None else sums @ self.fitted
        value, stderr = sums @ self.value, np.sqrt(self.estimate.variances(sums))
        told = self.estimate.mechanism.counts_codes
        added = self._added_up(self._code_contributions, axes) if told else None
        return self._shares(value, stderr, added, fitted, confidence)

    def combinations(self, value: Floats, slopes: Floats, fitted: Floats | None, confidence: float) -> TableShares:
        """Shares that are made of the cells, with the limits that margins have (delta method).

        Args:
            value: shape (m,).
            slopes: how each moves with each cell, shape (m, k).
            fitted: of the distribution that is fitted, shape (m,), or None.
        """
        added = None
        if self.estimate.mechanism.counts_codes:
            added = slopes @ self._code_contributions + (value - slopes @ self.value)[:, None]
        return self._shares(value, np.sqrt(self._variance(slopes)), added, fitted, confidence)

    def _shares(
        self, value: Floats, stderr: Floats, added: Floats | None, fitted: Floats | None, confidence: float
    ) -> TableShares:
        """Normal limits, and no closer than likelihood lets them be where it is told what each code adds."""
        reach, n = errors_to_either_side(confidence) * stderr, self.estimate.n
        low, high = value - reach, value + reach
        if added is not None and n >= FEWEST:
            least, most = limits_by_codes(added, self.estimate.law, n, 1 - confidence)
            low, high = np.minimum(low, least), np.maximum(high, most)
        return TableShares(value, stderr, *possible_limits(value, (low, high)), fitted)

    def within(self, of: Sequence[int], given: Sequence[int], confidence: float) -> "Within":
        """The shares of some attributes' values within each combination of others', worked out once."""
        asked = tuple(of), tuple(given), confidence
        if asked not in self._known:
            self._known[asked] = self._within(of, given, confidence)
        return self._known[asked]

    def _within(self, of: Sequence[int], given: Sequence[int], confidence: float) -> "Within":
        parts, size = self._sums([*given, *of]), prod(self.shape[axis] for axis in of)
        totals = self._sums(given)
        wholes = np.repeat(totals, size, axis=0)
        part, whole = parts @ self.value, wholes @ self.value
        with np.errstate(divide="ignore", invalid="ignore"):
            value = np.where(whole > 0, part / whole, np.nan)
            influence = (parts - np.nan_to_num(value)[:, None] * wholes) / np.where(whole > 0, whole, np.nan)[:, None]
            fitted = None
            if self.fitted is not None:
                total = wholes @ self.fitted
                fitted = np.where(total > 0, parts @ self.fitted / total, np.nan)
        moved = self._added_up(self.covariance, [*given, *of])
        variances = (moved * parts).sum(axis=1), np.repeat(self._variance(totals), size)
        errors = (*variances, (moved * wholes).sum(axis=1))
        # Limits start from nothing where noise alone may have made the whole. A report's second moment about a share
        # that is possible, less what it would be without noise: a few reports may vary by chance hardly at all.
        noise = variances[1] + (whole**2 - np.clip(whole, 0, 1)) / self.estimate.n
        is_seen = whole > SEEN * np.sqrt(np.maximum(noise, 0.0))
        z = errors_to_either_side(confidence)
        low, high = quotient_limits(part, whole, errors, z)
        # Where nobody may be, a share may be anything.
        low, high = (np.where(is_seen & ~np.isnan(limit), limit, end) for limit, end in ((low, 0.0), (high, 1.0)))
        if self.estimate.mechanism.counts_codes:
            # What a whole is made of is worked out once for all its parts.
            added = self._added_up(self._code_contributions, [*given, *of])
            among = np.repeat(self._added_up(self._code_contributions, given), size, axis=0)
            low, high = likely_limits((low, high), added, among, self.estimate.law, self.estimate.n, 1 - confidence)
        known = np.nan_to_num(influence)
        return Within(size, z, value, known, known @ self.covariance, low, high, fitted)

    @cached_property
    def _code_contributions(self) -> Floats:
        """What each code adds to the estimate of each cell, shape (k, codes): all sums of cells are sums of these."""
        return self.estimate.contributions(np.eye(prod(self.shape)))

    def _variance(self, functionals: Floats) -> Floats:
        variance: Floats = ((functionals @ self.covariance) * functionals).sum(axis=1)
        return np.maximum(variance, 0.0)

    def _sums(self, axes: Sequence[int]) -> Floats:
        return sums_over(self.shape, axes)

    def _added_up(self, rows: Floats, axes: Sequence[int]) -> Floats:
        """`_sums` of some axes times rows of all cells, shape (m, columns)."""
        places, kept = range(len(self.shape)), sorted(axes)
        added: Floats = rows.reshape(*self.shape, -1).sum(axis=tuple(place for place in places if place not in axes))
        return added.transpose(*map(kept.index, axes), len(kept)).reshape(-1, rows.shape[1])


@dataclass(frozen=True, eq=False)
class Within:
    """Shares within combinations of other attributes' values.

    Attributes:
        size: how many stand within each combination.
        errors: how many standard errors limits reach to either side, where errors are normal.
        value: shape (m,), the combinations run slowest; NaN where nobody is seen to have one.
        influence: how each moves with each cell, shape (m, k).
        moved: the same times the cells' covariance.
        low, high: limits as they are, shape (m,) each.
        fitted: of the distribution that is fitted, shape (m,), or None.
    """

    size: int
    errors: float
    value: Floats
    influence: Floats
    moved: Floats
    low: Floats
    high: Floats
    fitted: Floats | None

    @property
    def table_shares(self) -> TableShares:
        """The shares; a quotient of which the reports exclude nothing that is possible has no estimate."""
        wide = at_least_as_wide(np.sqrt(self._variance), self._possible, self.errors)
        # What lies beyond all that is possible is off by that.
        wide = np.fmax(wide, np.abs(self.value - np.clip(self.value, 0, 1)))
        value, stderr = (np.where(self.unknown, np.nan, one) for one in (self.value, wide))
        return TableShares(value, stderr, *self._possible, self.fitted)

    @cached_property
    def unknown(self) -> NDArray[np.bool_]:
        """Whether the limits exclude nothing that is possible, shape (m,)."""
        low, high = self._possible
        return (low <= 0) & (high >= 1)

    @cached_property
    def _possible(self) -> tuple[Floats, Floats]:
        return possible_limits(self.value, (self.low, self.high))

    def difference(self, first: int, second: int) -> TableShares:
        """What the shares within one combination are more than within another.

        Args:
            first: the combination, by its place.
            second: that within which they are subtracted.
        """
        one, other = (slice(place * self.size, (place + 1) * self.size) for place in (first, second))
        value, variance = self.value[one] - self.value[other], self._variance
        unknown = self.unknown[one] | self.unknown[other]
        shared, both = (self.moved[one] * self.influence[other]).sum(axis=1), np.sqrt(variance[one] * variance[other])
        correlation = np.divide(shared, both, out=np.zeros_like(both), where=both > 0)
        below = _together(self.value[one] - self.low[one], self.high[other] - self.value[other], correlation)
        above = _together(self.high[one] - self.value[one], self.value[other] - self.low[other], correlation)
        stderr = np.sqrt(np.maximum(variance[one] + variance[other] - 2 * shared, 0.0))
        # Of a side of which nothing is known only the other's limits remain.
        least, most = self._possible
        low, high = possible_limits(value, (value - below, value + above), (-1, 1))
        stderr = np.fmax(at_least_as_wide(stderr, (low, high), self.errors), np.abs(value - np.clip(value, -1, 1)))
        return TableShares(
            np.where(unknown, np.nan, value),
            np.where(unknown, np.nan, stderr),
            np.where(unknown, least[one] - most[other], low),
            np.where(unknown, most[one] - least[other], high),
            None if self.fitted is None else self.fitted[one] - self.fitted[other],
        )

    @cached_property
    def _variance(self) -> Floats:
        variance: Floats = (self.moved * self.influence).sum(axis=1)
        return np.maximum(variance, 0.0)


def sums_over(shape: Sequence[int], axes: Sequence[int]) -> Floats:
    """Which cells each combination of some attributes' values adds up: a row of zeros and ones for each."""
    cells = np.arange(prod(shape))
    values, sizes = np.unravel_index(cells, tuple(shape)), [shape[axis] for axis in axes]
    sums = np.zeros((prod(sizes), len(cells)))
    sums[np.ravel_multi_index([values[axis] for axis in axes], sizes), cells] = 1
    return sums


def _together(first: Floats, second: Floats, correlation: Floats) -> Floats:
    square: Floats = first**2 + second**2 - 2 * correlation * first * second
    return np.sqrt(np.maximum(square, 0.0))
