"""What is known of shares after their estimates: a posterior for each group of values that look alike.

Shares are in units of noise (`noise`), on a grid: zero, and steps of logarithms up to where an estimate needs no prior,
since its posterior is then the normal distribution about it.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sordino.estimation.neighbours.noise import ShareNoise
from sordino.exact.floats import Floats

Indices = NDArray[np.intp]

STEP = 0.15

LEAST, MOST = 1e-3, 10.0
"""The grid of shares, in units of noise: what lies below is like zero, what lies above needs no prior."""

PLAIN = 6.0
"""Units of noise from which on an estimate speaks for itself."""

EDGES = np.exp(np.arange(np.log(LEAST), np.log(MOST), STEP))
SHARES = np.concatenate([[0.0], EDGES * np.exp(-STEP / 2)])
"""The grid: zero, and the middle of each step up to its edge."""


@dataclass(frozen=True, eq=False)
class Posteriors:
    """What is known of each share after its estimate.

    Attributes:
        group: shape (k,), which values look alike.
        cumulative: shape (groups, shares), of each group the probability that the share is at most that of the grid.
        estimate: shape (k,), in units of noise.
        noise: of the estimates, which says how large the units are.
    """

    group: Indices
    cumulative: Floats
    estimate: Floats
    noise: ShareNoise

    @property
    def plain(self) -> NDArray[np.bool_]:
        """Whether the posterior is normal about the estimate, shape (k,)."""
        return self.estimate >= PLAIN

    def means(self) -> Floats:
        """The posterior mean of each share, shape (k,)."""
        return self.means_beside(0)[1]

    def means_beside(self, place: int) -> tuple[Floats, Floats]:
        """The parts of each posterior mean from shares below a place of the grid, and from there on, shape (k,)."""
        small = self._up_to(np.broadcast_to(np.intp(place - 1), self.group.shape)) if place else np.zeros(1)
        return (
            np.where(self.plain, 0.0, small),
            np.where(self.plain, self.noise.shares(self.estimate), self._whole - small),
        )

    def distances(self, shares: Floats) -> Floats:
        """The expected absolute difference of each share to the one given, shape (k,).

        Args:
            shares: shape (k,), nonnegative.
        """
        from scipy import special

        # E|p - a| = a (2 F(a) - 1) + E p - 2 E[p; p <= a], by the sums up to each share of the grid.
        units = self.noise.units(shares)
        place = np.searchsorted(SHARES, units, side="right") - 1
        below = self.cumulative[self.group, place]
        graded = shares * (2 * below - 1) + self._whole - 2 * self._up_to(place)
        off = units - self.estimate
        normal = off * (2 * special.ndtr(off) - 1) + np.exp(-(off**2) / 2) * np.sqrt(2 / np.pi)
        # Between the two, a unit is worth this on average.
        steepness = self.noise.stderr * (1 + self.noise.growth / 4 * (self.estimate + units))
        return np.where(self.plain, steepness * normal, graded)

    @cached_property
    def _sums(self) -> tuple[Floats, Floats]:
        """Of each group the sums of shares and of their squares up to each of the grid, by probability."""
        weights = np.diff(self.cumulative, axis=1, prepend=0.0)
        return np.cumsum(weights * SHARES, axis=1), np.cumsum(weights * SHARES**2, axis=1)

    @cached_property
    def _whole(self) -> Floats:
        """The mean of each share, if its posterior is that of its group, shape (k,)."""
        return self._up_to(np.broadcast_to(np.intp(-1), self.group.shape))

    def _up_to(self, place: Indices) -> Floats:
        """The part of each mean from shares up to a place of the grid of its own, shape (k,)."""
        first, second = self._sums
        return self.noise.shares(first[self.group, place], second[self.group, place])

    def quantiles(self, levels: Floats) -> Floats:
        """Of each share the quantile of its own level in (0, 1), shape (k,): it rises without jumps with the level.

        What a posterior has at a share of the grid is spread evenly over the step that ends at its edge; at zero it is
        zero.
        """
        from scipy import special

        # The first share of the grid whose cumulative probability reaches the level, by bisection for all values.
        last = self.cumulative.shape[1] - 1
        below = np.zeros(len(levels), dtype=np.intp)
        size = 1 << (last.bit_length() - 1)
        while size:
            ahead = np.minimum(below + size, last)
            below = np.where(self.cumulative[self.group, ahead - 1] < levels, ahead, below)
            size //= 2
        before = np.where(below > 0, self.cumulative[self.group, np.maximum(below - 1, 0)], 0.0)
        own = self.cumulative[self.group, below] - before
        part = np.divide(levels - before, own, out=np.zeros_like(levels), where=own > 0)
        low, high = np.concatenate([[0.0, 0.0], EDGES[:-1]]), np.concatenate([[0.0], EDGES])
        graded = low[below] + np.clip(part, 0, 1) * (high - low)[below]
        normal = np.maximum(self.estimate + special.ndtri(levels), 0.0)
        return self.noise.shares(np.where(self.plain, normal, graded))
