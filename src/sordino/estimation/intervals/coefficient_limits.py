"""Limits of coefficients of a regression that is shown only if its features vary enough, however little that is.

A coefficient is a quotient, its denominator the features' variation along it. Where that is a few standard errors,
normal limits are too close (Fieller), and where most surveys are refused those that are shown are a selection: their
variation happened to be overestimated, and their slopes are too flat. So a value belongs to the limits if the
numerator less the value times the denominator, which is 0 at the truth and normal whatever the variation is, is no
further from 0 than chance allows given that the survey was shown. Given what of the shown statistic is independent of
it, that condition truncates its normal distribution at a known place: the test is exact, whatever the true variation
(Lee, Sun, Sun and Taylor 2016). The farther the statistic is from its bound, the less is cut, until limits are
Fieller's, and of many reports normal ones.

No bounded limits hold for every variation (Gleser and Hwang 1987). Values that only a variation would allow under
which fewer than one survey in twenty is shown (`SELDOM`) are left out: for such people nothing is claimed.

Errors are those of the means to the first order at each value, no less than the limits of the means allow
(`covariance_limits.sum_limit`). Cost: some two hundred sums of all means for each limit.
Sources: Fieller 1954; Anderson and Rubin 1949 (the test); Lee, Sun, Sun and Taylor 2016 (the condition).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sordino.estimation.intervals.covariance_limits import correlations, sum_limit
from sordino.exact.floats import Floats

Limits = tuple[Floats, Floats]

SELDOM = 0.05
"""Part of surveys that are shown below which a variation is not allowed for."""

ANGLES = 100
"""Values that are looked at on either side, from the estimate to infinity."""

PARTS, ROUNDS = 16, 7
"""Into which the distance between a value that belongs to the limits and the next that does not is cut, and again."""

ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class ShownStatistic:
    """What must exceed a bound for a regression to be shown.

    Attributes:
        slopes: how it moves with each mean, shape (moments,).
    """

    slopes: Floats
    errors: float
    least: float


@dataclass(frozen=True, eq=False)
class Quotients:
    """Coefficients as quotients whose denominators may be nearly 0.

    Attributes:
        slopes: how each moves with each mean, shape (coefficients, moments).
        strength: how its denominator does, over the denominator, of the same shape; all 0 of one that does not depend
            on how features vary.
    """

    slopes: Floats
    strength: Floats


def coefficient_limits(
    quotients: Quotients, shown: ShownStatistic, away: Limits, covariance: Floats, confidence: float
) -> Limits:
    """How far limits of coefficients are below and above their estimates, shape (coefficients,) each.

    Args:
        quotients: the coefficients.
        shown: what was looked at before they were shown.
        away: how far each mean's limits are below it and above it, shape (moments,) each.
        covariance: of the means, shape (moments, moments).
        confidence: of both limits of a coefficient together.

    Example:
        >>> shown = ShownStatistic(np.array([0.0, 1.0]), 40.0, 3.0)
        >>> slope = Quotients(np.array([[1.0, -0.5]]), np.array([[0.0, 1.0]]))
        >>> errors = np.array([0.02, 0.025])
        >>> away = 1.959964 * errors, 1.959964 * errors
        >>> below, above = coefficient_limits(slope, shown, away, np.diag(errors**2), 0.95)
        >>> below.round(3).tolist(), above.round(3).tolist()
        ([0.045], [0.048])
    """
    found = [_LimitRegion(quotients, shown, side, covariance, 1 - confidence) for side in (away, away[::-1])]
    return found[0].end(-1.0), found[1].end(1.0)


class _LimitRegion:
    """Which values on one side of the estimates belong to the limits."""

    def __init__(
        self, quotients: Quotients, shown: ShownStatistic, away: Limits, covariance: Floats, error: float
    ) -> None:
        from scipy import special

        self.quotients, self.shown, self.away, self.covariance = quotients, shown, away, covariance
        self.error, self.z = error, -float(special.ndtri(error / 2))
        self.together = correlations(covariance)
        # The variation, in standard errors, by which one survey in twenty is shown.
        self.least = shown.least + float(special.ndtri(SELDOM))
        own, strength = (((each @ covariance) * each).sum(axis=1) for each in (quotients.slopes, quotients.strength))
        self.strength_error = np.sqrt(np.maximum(strength, 0.0))
        self.shown_error = np.full(len(own), float(np.sqrt(shown.slopes @ covariance @ shown.slopes)))
        # The distance at which the denominator's error counts as much as the coefficient's own.
        self.unit = np.sqrt(np.maximum(own, 0.0)) / np.where(strength > 0, self.strength_error, 1.0)

    def end(self, sign: float) -> Floats:
        """How far the last value that belongs to the limits is from each estimate, shape (coefficients,)."""
        near, width = np.zeros(len(self.unit)), np.pi / 2
        for parts in (ANGLES, *[PARTS] * ROUNDS):
            # The right angle itself is infinity, which belongs to no limits.
            angles = near[:, None] + width / parts * np.arange(parts)
            inside = self.holds(sign * self.unit[:, None] * np.tan(angles))
            last = np.where(inside.any(axis=1), parts - 1 - np.argmax(inside[:, ::-1], axis=1), 0)
            near, width = np.take_along_axis(angles, last[:, None], axis=1)[:, 0], width / parts
        found: Floats = self.unit * np.tan(near)
        return found

    def holds(self, distance: Floats) -> NDArray[np.bool_]:
        """Whether values at these distances from each estimate belong to the limits, shape (coefficients, values)."""
        strength = self.quotients.strength
        slopes = self.quotients.slopes[:, None, :] - distance[:, :, None] * strength[:, None, :]
        carried = slopes @ self.covariance
        normal = np.sqrt(np.maximum((carried * slopes).sum(axis=2), 0.0))
        error = np.maximum(normal, sum_limit(slopes, self.away, self.together) / self.z)
        off = np.divide(-distance, error, out=np.zeros_like(error), where=error > 0)
        with_strength = _correlation((carried * strength[:, None, :]).sum(axis=2), normal, self.strength_error)
        with_shown = _correlation(carried @ self.shown.slopes, normal, self.shown_error)
        likely = _is_likely(off, with_shown, max(self.shown.errors - self.shown.least, 0.0), self.error)
        # How much features would vary if this were the coefficient, in standard errors.
        clear = np.divide(1.0, self.strength_error, out=np.full(len(strength), np.inf), where=self.strength_error > 0)
        most = clear[:, None] - with_strength * off + self.z * np.sqrt(1 - with_strength**2)
        found: NDArray[np.bool_] = likely & (most >= self.least)
        return found


def _correlation(covariance: Floats, errors: Floats, own: Floats) -> Floats:
    both = errors * own[:, None]
    found = np.divide(covariance, both, out=np.zeros_like(both), where=both > 0)
    return np.clip(np.where(np.abs(found) < ROUNDING, 0.0, found), -1.0, 1.0)


def _is_likely(off: Floats, correlation: Floats, beyond: float, error: float) -> NDArray[np.bool_]:
    """Whether neither more nor less was to be expected but for half the error, given that the survey was shown.

    Args:
        off: what is normal around 0, in standard errors.
        correlation: of that with the statistic that decides whether a survey is shown.
        beyond: how many standard errors this is above its bound.
    """
    # Without a correlation nothing is cut, whatever stands here.
    with np.errstate(divide="ignore", invalid="ignore"):
        cut = off - beyond / correlation
    least = np.where(correlation > 0, cut, -np.inf)
    most = np.where(correlation < 0, cut, np.inf)
    whole, half = _log_between(least, most), np.log(error / 2)
    below, above = _log_between(least, off) - whole, _log_between(off, most) - whole
    found: NDArray[np.bool_] = (below >= half) & (above >= half)
    return found


def _log_between(least: Floats, most: Floats) -> Floats:
    """The logarithm of the probability that a normal number lies between, where least <= most."""
    from scipy import special

    # In the tail to the left, where no digits are lost.
    turned = least > 0
    near, far = np.where(turned, -most, least), np.where(turned, -least, most)
    low, high = special.log_ndtr(near), special.log_ndtr(far)
    with np.errstate(divide="ignore", invalid="ignore"):
        found: Floats = high + np.log1p(-np.exp(np.minimum(low - high, 0.0)))
    return np.where(far > near, found, -np.inf)
