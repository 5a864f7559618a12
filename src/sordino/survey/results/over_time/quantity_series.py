"""One number over the periods of a series: its estimates, the curve through them, and whether it changed for good.

The estimates are of different people, so their errors are independent. A period without an estimate is a gap. What has
no standard error, as a quantile, has in its place what its interval would have if it were normal.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sordino.errors import SordinoError
from sordino.estimation.interval import errors_to_either_side
from sordino.estimation.intervals.possible import possible_limits
from sordino.estimation.series.lasting_change import LastingChange, lasting_change
from sordino.estimation.series.pooled_errors import pooled_errors
from sordino.estimation.series.smooth_series import SmoothedSeries, smooth_series
from sordino.exact.arrays import Floats

FEWEST = 2
"""Estimates between which something can change."""


@dataclass(frozen=True, eq=False)
class QuantitySeries:
    """A number in each period.

    Attributes:
        question: that estimates it, by name.
        key: what it is about, for programs.
        label: of it, for people.
        kind: what it is, as files and JSON have it.
        is_share: whether it is a share of people.
        is_date: whether it is a date, in days since 1970-01-01.
        periods: whose estimates there are, ascending, shape (m,).
        estimate, stderr, low, high: in these periods, shape (m,); a standard error may be NaN.
        reports: about the question in these periods, shape (m,).
        confidence: of each interval.
        watched: whether intervals hold at all times together. No change is looked for then: it would be found at last.
        band_confidence: of the band in each period, for one look; None where there is no band.
        change_confidence: of the limits of its change, so that those of all numbers of the question hold together.
        season: its length in periods; None where none is declared.
    """

    question: str
    key: Mapping[str, Any]
    label: str
    kind: str
    is_share: bool
    is_date: bool
    periods: NDArray[np.intp]
    estimate: Floats
    stderr: Floats
    low: Floats
    high: Floats
    reports: NDArray[np.intp]
    confidence: float
    watched: bool
    band_confidence: float | None
    change_confidence: float
    season: int | None = None

    @cached_property
    def errors(self) -> Floats:
        """Of each estimate the standard error, or half its interval as of a normal one; pooled (`pooled_errors`).

        A watched interval is wider than what is known at one time, and stands for no standard error.
        """
        half = (self.high - self.low) / (2 * errors_to_either_side(self.confidence))
        half = np.full_like(half, np.nan) if self.watched else half
        own = np.where(np.isfinite(self.stderr), self.stderr, half)
        return pooled_errors(own, self.reports) if np.isfinite(own).all() else own

    @cached_property
    def _usable(self) -> NDArray[np.bool_]:
        """Which estimates have a positive standard error."""
        return np.isfinite(self.errors) & (self.errors > 0)

    @property
    def first(self) -> int:
        """The period at which the curve begins."""
        return int(self.periods[0])

    @cached_property
    def curve(self) -> SmoothedSeries | None:
        """From the first to the last period with an estimate; None where these are too few, or without a band."""
        if self.band_confidence is None or not self._usable.any():
            return None
        values = np.full((2, int(self.periods[-1]) - self.first + 1), np.nan)
        usable = self.periods[self._usable] - self.first
        values[:, usable] = self.estimate[self._usable], self.errors[self._usable]
        for season in (self.season, None):
            try:
                return smooth_series(values[0], values[1], season)
            except SordinoError:
                # A season that has not come twice yet is followed as a bend.
                continue
        return None

    @cached_property
    def whole_band(self) -> tuple[Floats, Floats]:
        """Limits of the curve in each of its periods, beyond what is possible too; none without a curve."""
        if self.curve is None or self.band_confidence is None:
            nothing = np.empty(0)
            return nothing, nothing
        return self.curve.interval(self.band_confidence)

    @cached_property
    def band(self) -> tuple[Floats, Floats]:
        """The same between what is possible."""
        if self.curve is None or not self.is_share:
            return self.whole_band
        low, high = possible_limits(self.curve.value, self.whole_band, (0.0, 1.0))
        return np.asarray(low), np.asarray(high)

    @cached_property
    def change(self) -> LastingChange | None:
        """The clearest change, by unsmoothed estimates; None where these are too few or watched."""
        if self.watched or self._usable.sum() < FEWEST:
            return None
        return lasting_change(self.estimate[self._usable], self.errors[self._usable])

    @property
    def since(self) -> int | None:
        """The period since which it is otherwise, if it is."""
        return None if self.change is None else int(self.periods[self._usable][self.change.since])

    @cached_property
    def limits(self) -> tuple[float, float]:
        """Of the change: they hold together with those at all periods, of all numbers of the question."""
        return (np.nan, np.nan) if self.change is None else self.change.interval(self.change_confidence)

    @property
    def has_changed(self) -> bool:
        """Whether noise alone would seldom make any number of the question seem to change at any period."""
        low, high = self.limits
        return bool(low > 0 or high < 0)

    def rows(self, period: Callable[[int], str]) -> list[dict[str, Any]]:
        """The curve, for programs, a row for each period; then the change.

        Args:
            period: the name of a period.
        """
        found: list[dict[str, Any]] = []
        if self.curve is not None:
            for at, (value, stderr, low, high) in enumerate(
                zip(self.curve.value, self.curve.stderr, *self.band, strict=True)
            ):
                numbers = {"estimate": float(value), "stderr": float(stderr), "low": float(low), "high": float(high)}
                found.append({**self.key, "period": period(self.first + at), **numbers, "kind": "smoothed"})
        if self.change is not None and self.since is not None:
            low, high = self.limits
            change = {"before": self.change.before, "after": self.change.after, "estimate": self.change.change}
            limits = {"stderr": self.change.stderr, "low": low, "high": high, "sure": self.has_changed}
            found.append({**self.key, "period": period(self.since), **change, **limits, "kind": "change since"})
        return found
