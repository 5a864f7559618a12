"""Limits of a number's distribution by likelihood: every distribution over the bins counts, smooth or not.

A share t of a range belongs to its interval if some distribution with that share makes the reports nearly as likely as
the likeliest of all does: if twice the logarithm of their ratio, its profile deviance, is at most the square of the
normal quantile. Noise that would need negative shares elsewhere is ruled out by that, which the unbiased estimates,
each by itself, do not use: where neighbouring codes overlap, intervals are about half as wide as theirs. Nothing is
taken to be smooth, so that they hold for spikes as well, and need not hold what is fitted by smoothing: where they do
not, the reports contradict that it is.

The deviance is quadratic: squared differences of what was counted from what is expected, each over its variance at the
likeliest distribution. A minimum over distributions is then one of nonnegative least squares, and convex in t.
Measured: `make bench BENCH=covering_fits`. Cost: some 15 minima a limit, a millisecond each for 64 bins, some 15 for
256.
Sources: Kuusela and Stark 2017 (unfolding with constraints of shape); Lawson and Hanson 1974 (the minimum).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sordino.estimation.intervals.share_interval import errors_to_either_side
from sordino.estimation.range_shares import inside_ranges
from sordino.exact.floats import Floats
from sordino.mechanism.base import Mechanism

Limits = tuple[Floats, Floats]

MOST_ENTRIES = 1 << 17
"""Bins times codes of which limits are worked out: what takes seconds."""

FEWEST_REPORTS = 100
"""From which on limits are measured to hold."""

HEAVY = 1e3
"""How much heavier what must hold exactly weighs than the best known code."""

NEAR, MOST_STEPS = 1e-3, 30
"""How near a limit is found, as a part of its way, and by how many steps at most."""


@dataclass(frozen=True, eq=False)
class LikelyLimits:
    """Limits of a number's distribution by all distributions over its bins.

    Attributes:
        mechanism: over the bins; its tally counts codes.
        law: how often each code was sent, shape (outputs,).
        edges: of the bins, ascending.

    Example:
        >>> from sordino.mechanism.window import WindowResponse
        >>> channel = WindowResponse(4, "2", 2)
        >>> found = LikelyLimits(channel, np.array([400, 300, 100, 100, 100]) / 1000, 1000, (0.0, 1.0, 2.0, 3.0, 4.0))
        >>> low, high = found.of_ranges([(0, 2)], 0.95)
        >>> bool(0 < low[0] < high[0] <= 1)
        True
    """

    mechanism: Mechanism
    law: Floats
    n: int
    edges: tuple[float, ...]

    @staticmethod
    def applies_to(mechanism: Mechanism, n: int, bins: int) -> bool:
        """Whether the limits can be worked out, and hold: of a number that everybody has, by counted codes."""
        if not mechanism.counts_codes or mechanism.k != bins or n < FEWEST_REPORTS:
            return False
        return mechanism.k * mechanism.counters <= MOST_ENTRIES

    def of_ranges(self, ranges: Sequence[tuple[int, int]], confidence: float) -> Limits:
        """Limits of the share of each range, by the edges where it begins and ends, shape (m,) each."""
        allowed = errors_to_either_side(confidence) ** 2
        ends = [[self._end(inside, far, allowed) for far in (0.0, 1.0)] for inside in self._inside(ranges)]
        low, high = np.array(ends).T
        return low, high

    def hold_ranges(self, ranges: Sequence[tuple[int, int]], shares: Floats, confidence: float) -> list[bool]:
        """Whether the interval of each range holds a share: what `of_ranges` searches the ends of."""
        allowed = errors_to_either_side(confidence) ** 2
        pairs = zip(self._inside(ranges), shares.tolist(), strict=True)
        return [self.deviance(inside, share) <= allowed for inside, share in pairs]

    def of_quantile(self, part: float, confidence: float) -> tuple[float, float]:
        """Between which edges the quantile of a part of the people lies.

        From the last edge that surely lies below it to the first that surely does not: of the others there is a
        distribution that is likely enough and reaches the part just there.
        """
        allowed, last = errors_to_either_side(confidence) ** 2, len(self.edges) - 1
        likeliest = int(np.searchsorted(np.cumsum(self._likeliest), part))
        # Edges on either side are excluded from some distance on: deviances are convex along the function.
        below, above = min(likeliest, last - 1), min(likeliest + 1, last)
        first = self._bisect(part, allowed, held=below, excluded=0)
        end = self._bisect(part, allowed, held=above, excluded=last)
        return self.edges[first], self.edges[end]

    def deviance(self, inside: Floats, share: float) -> float:
        """How much less likely the reports are if some bins together have a share: twice the log-ratio, about.

        Args:
            inside: 1 for these bins, 0 for others, shape (k,).
            share: that they are to have.
        """
        return self._least(np.vstack([np.ones(len(inside)), inside]), np.array([1.0, share]))[1] - self._deviance

    def _bisect(self, part: float, allowed: float, *, held: int, excluded: int) -> int:
        """The edge nearest to the quantile, on one side of it, that surely lies on that side; the last one is."""
        while abs(excluded - held) > 1:
            middle = (held + excluded) // 2
            (inside,) = self._inside([(0, middle)])
            held, excluded = (middle, excluded) if self.deviance(inside, part) <= allowed else (held, middle)
        (inside,) = self._inside([(0, held)])
        # Beside the quantile's own bin nothing was looked at yet.
        if held not in (0, len(self.edges) - 1) and self.deviance(inside, part) > allowed:
            return held
        return excluded

    def _end(self, inside: Floats, far: float, allowed: float) -> float:
        """Where the deviance of a range's share is as large as allowed, on the way from the likeliest one to `far`."""
        held, beyond = float(inside @ self._likeliest), far
        if abs(far - held) < np.finfo(float).eps or self.deviance(inside, far) <= allowed:
            return far
        way, at_held, at_beyond = abs(far - held), -1.0, 1.0
        for step in range(MOST_STEPS):
            share = (held + beyond) / 2 if step == 0 else held + (beyond - held) * at_held / (at_held - at_beyond)
            excess = float(np.sqrt(max(self.deviance(inside, share), 0.0)) - np.sqrt(allowed))
            # The Illinois rule: an end that stays counts half, so that both come near.
            if excess <= 0:
                held, at_held, at_beyond = share, min(excess, -1e-9), at_beyond / 2
            else:
                beyond, at_beyond, at_held = share, excess, at_held / 2
            if abs(beyond - held) <= NEAR * way:
                break
        return beyond

    def _inside(self, ranges: Sequence[tuple[int, int]]) -> Floats:
        return inside_ranges(ranges, self.mechanism.k)

    @property
    def _likeliest(self) -> Floats:
        """The likeliest distribution, shape (k,)."""
        return self._best[0]

    @property
    def _deviance(self) -> float:
        return self._best[1]

    @cached_property
    def _best(self) -> tuple[Floats, float]:
        return self._least(np.ones((1, self.mechanism.k)), np.ones(1))

    @cached_property
    def _channel(self) -> Floats:
        """The probability of each code for each bin, shape (outputs, k)."""
        return self.mechanism.probabilities().T

    @cached_property
    def _weights(self) -> Floats:
        """One over the standard deviation of each code's share, at the likeliest distribution, shape (outputs,)."""
        one = 1 / self.n
        start = np.sqrt(self.n / np.maximum(self.law, one / 2))
        shares, _ = _least_squares(self._channel, self.law, start, np.ones((1, self.mechanism.k)), np.ones(1))
        return np.sqrt(self.n / np.maximum(self._channel @ shares, one / 100))

    def _least(self, exact: Floats, totals: Floats) -> tuple[Floats, float]:
        return _least_squares(self._channel, self.law, self._weights, exact, totals)


def _least_squares(
    channel: Floats, law: Floats, weights: Floats, exact: Floats, totals: Floats
) -> tuple[Floats, float]:
    """The nonnegative shares whose codes are nearest to a law, shape (k,), and the sum of squares there.

    Args:
        weights: of each code's difference, shape (outputs,).
        exact: sums of shares that must hold, shape (m, k).
        totals: that they have, shape (m,).
    """
    from scipy.optimize import nnls

    heavy = HEAVY * float(weights.max())
    rows = np.vstack([channel * weights[:, None], heavy * exact])
    shares, _ = nnls(rows, np.concatenate([law * weights, heavy * totals]), maxiter=50 * len(exact[0]))
    return shares, float(((channel @ shares - law) ** 2) @ weights**2)
