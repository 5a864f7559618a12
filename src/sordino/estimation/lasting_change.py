"""Whether a series has changed for good: at each period, the mean from there on against the mean before.

The estimates are independent and normal with known standard errors; both means weigh them by their precision. Of all
periods the one is named whose difference is the most standard errors, and its p-value and limits hold for all periods
together: under every history, the limits of all differences hold at once with the confidence that is asked for.

Method: the standardised differences at all cuts are a standardised Brownian bridge at the parts t_k of all precision
that come before, a Gaussian chain whose neighbours correlate by sqrt(t_k (1 - t_l) / (t_l (1 - t_k))), k before l. So
the probability that none exceeds a bound is one integral for each cut, by Gauss-Legendre quadrature over the positive
half: all is symmetric. Of more than 200 periods 200 cuts are looked at, evenly spaced.
Source: Worsley 1986 (confidence regions and tests for a change-point).
Guarantee: of normal estimates 5 % of constant series are said to have changed, whatever their standard errors.
Units: those of the estimates. Cost: about 2 ms for 52 periods and 20 for 260; limits five times that.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from math import log, sqrt

import numpy as np

from sordino.errors import SordinoError
from sordino.estimation.intervals.share_interval import errors_to_either_side
from sordino.estimation.intervals.simultaneous import bonferroni
from sordino.exact.floats import Floats

MOST_CUTS = 200
"""Periods that are looked at as the first after a change."""

LARGEST = 40.0
"""Standard errors beyond which no limit lies."""

FARTHEST = 8.5
"""Standard errors beyond which a normal variable does not come, in the numbers of a computer."""

FEWEST_NODES, NODES_A_STEP, MOST_NODES = 32, 4, 600
"""Of the quadrature: so many, and as many more for each step from one cut to the next that fits into the bound. Their
distance in the middle is then 0.8 standard deviations of such a step, which leaves errors below 1e-9."""

NARROWEST = 0.03
"""Standard deviation of a step from one cut to the next that is looked at; cuts that are nearer to the last one are
left out, and the bound is taken closer by what a path may do between two cuts so far apart."""

BETWEEN_CUTS = 0.5826
"""Steps by which a path that is looked at in steps only is on average beyond what it crosses (Siegmund 1985, 10.4)."""

LEAST_TAIL = 1e-15
"""Probability below which 1 minus a number says nothing."""


@dataclass(frozen=True, eq=False)
class LastingChange:
    """The clearest change of a series.

    Attributes:
        since: the place of the first estimate after it.
        before, after: the means on both sides, weighed by precision.
        parts: of all precision, that come before each cut; ascending.
    """

    since: int
    before: float
    after: float
    stderr: float
    parts: Floats

    @property
    def change(self) -> float:
        return self.after - self.before

    @cached_property
    def p_value(self) -> float:
        """How probable so clear a change at any period is if nothing changes."""
        return 1 - probability_within(self.parts, abs(self.change) / self.stderr)

    def interval(self, confidence: float) -> tuple[float, float]:
        """Limits of the change that hold together with those at all periods."""
        reach = self.stderr * errors_at_all_cuts(self.parts, confidence)
        return self.change - reach, self.change + reach


def lasting_change(estimates: Floats, stderrs: Floats) -> LastingChange:
    """The clearest change of a series of independent estimates, shape (T,) each, gaps left out.

    Raises:
        SordinoError: fewer than two estimates, or one without a positive standard error.

    Example:
        >>> found = lasting_change(np.array([0.3, 0.31, 0.29, 0.41, 0.4]), np.full(5, 0.01))
        >>> found.since, round(found.change, 3), found.p_value < 1e-6
        (3, 0.105, True)
    """
    count = len(estimates)
    usable = estimates.shape == stderrs.shape and bool(np.isfinite(estimates).all() and (stderrs > 0).all())
    if count < 2 or not usable or not np.isfinite(stderrs).all():
        rule = "a change is between estimates with positive standard errors, two or more"
        raise SordinoError(rule, found=f"{count} estimates", step="leave out the others")
    precision = stderrs**-2
    before, total = np.cumsum(precision), float(precision.sum())
    sums = np.cumsum(precision * estimates)
    places = np.unique(np.linspace(1, count - 1, min(count - 1, MOST_CUTS)).astype(np.intp))
    left, right = before[places - 1], total - before[places - 1]
    means = sums[places - 1] / left, (sums[-1] - sums[places - 1]) / right
    errors = np.sqrt(1 / left + 1 / right)
    clearness = np.abs(means[1] - means[0]) / errors
    cut, parts = int(clearness.argmax()), left / total
    return LastingChange(
        int(places[cut]),
        float(means[0][cut]),
        float(means[1][cut]),
        float(errors[cut]),
        parts,
    )


def probability_within(parts: Sequence[float] | Floats, bound: float) -> float:
    """How probable it is that no standardised difference exceeds a bound if nothing changes.

    Args:
        parts: of all precision, that come before each cut; ascending, each between 0 and 1.

    Example:
        >>> round(probability_within([0.5], 1.959964), 6)
        0.95
    """
    parts = np.asarray(parts, dtype=np.float64)
    alike, whole = _correlations(parts), len(parts) - 1
    bound = min(bound, LARGEST) - (0.0 if len(alike) == whole else BETWEEN_CUTS * NARROWEST)
    if bound <= 0:
        return 0.0
    # Nodes as near each other as the narrowest step from one cut to the next needs.
    narrowest = sqrt(1 - float(alike.max()) ** 2) if len(alike) else 1.0
    reach = min(bound, FARTHEST)
    steps_within = int(NODES_A_STEP * reach / narrowest)
    nodes, weights = (reach * one for one in _positive_half(min(MOST_NODES, FEWEST_NODES + steps_within) // 2))
    density: Floats = np.exp(-(nodes**2) / 2) / sqrt(2 * np.pi)
    for correlation in alike.tolist():
        spread = sqrt(1 - correlation**2)
        from_here, to = nodes * (correlation / (spread * sqrt(2))), nodes[:, None] / (spread * sqrt(2))
        # From the same place on the other side of 0 as well.
        steps = np.exp(-((to - from_here) ** 2)) + np.exp(-((to + from_here) ** 2))
        density = steps @ (weights * density) / (spread * sqrt(2 * np.pi))
    return min(1.0, max(0.0, 2 * float(weights @ density)))


def _correlations(parts: Floats) -> Floats:
    odds, found = (parts / (1 - parts)).tolist(), list[float]()
    last = odds[0]
    for here in odds[1:]:
        if 1 - last / here >= NARROWEST**2:
            found.append(sqrt(last / here))
            last = here
    return np.array(found)


@cache
def _positive_half(count: int) -> tuple[Floats, Floats]:
    """The positive nodes of the Gauss-Legendre quadrature with twice as many, and their weights."""
    nodes, weights = np.polynomial.legendre.leggauss(2 * count)
    return nodes[count:], weights[count:]


def errors_at_all_cuts(parts: Floats, confidence: float) -> float:
    """How many standard errors limits are from each difference, so that those at all cuts hold together."""
    from scipy.optimize import brentq

    # Between what one cut alone needs and what is enough for all of them, however they go together.
    ends = errors_to_either_side(confidence), errors_to_either_side(bonferroni(confidence, len(parts)))
    if len(parts) == 1:
        return ends[0]

    @cache
    def excess(square: float) -> float:
        """The logarithm of the tail falls nearly along a line in the square of the bound, which is soon found."""
        return log(max(1 - probability_within(parts, sqrt(square)), LEAST_TAIL)) - log(max(1 - confidence, LEAST_TAIL))

    # Cuts that go together, or not at all, are at an end but for rounding.
    least, most = (end**2 for end in (ends[0], ends[1] + BETWEEN_CUTS * NARROWEST))
    if excess(least) <= 0:
        return ends[0]
    return sqrt(most if excess(most) >= 0 else float(brentq(excess, least, most, xtol=1e-3)))
