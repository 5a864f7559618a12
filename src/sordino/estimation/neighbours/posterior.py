"""What is known of shares after their estimates: a posterior for each group of values that look alike.

Shares are in standard errors of their estimates, on a grid: zero, and steps of logarithms up to where an estimate needs
no prior, since its posterior is then the normal distribution about it.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

STEP = 0.15
"""Of the grid of logarithms."""

LEAST, MOST = 1e-3, 10.0
"""The grid of shares, in standard errors: what lies below is like zero, what lies above needs no prior."""

PLAIN = 6.0
"""Standard errors from which on an estimate speaks for itself."""

EDGES = np.exp(np.arange(np.log(LEAST), np.log(MOST), STEP))
SHARES = np.concatenate([[0.0], EDGES * np.exp(-STEP / 2)])
"""The grid: zero, and the middle of each step up to its edge."""


@dataclass(frozen=True, eq=False)
class Posteriors:
    """What is known of each share after its estimate, in standard errors.

    Attributes:
        group: shape (k,), which values look alike.
        cumulative: shape (groups, shares), of each group the probability that the share is at most that of the grid.
        estimate: shape (k,), in standard errors.
    """

    group: Indices
    cumulative: Floats
    estimate: Floats

    @property
    def plain(self) -> NDArray[np.bool_]:
        """Whether the posterior is normal about the estimate, shape (k,)."""
        return self.estimate >= PLAIN

    def means(self) -> Floats:
        """The posterior mean of each share, shape (k,)."""
        return self.means_beside(0)[1]

    def means_beside(self, place: int) -> tuple[Floats, Floats]:
        """The parts of each posterior mean from shares below a place of the grid, and from there on, shape (k,)."""
        weights = np.diff(self.cumulative, axis=1, prepend=0.0)
        small, large = weights[:, :place] @ SHARES[:place], weights[:, place:] @ SHARES[place:]
        return (
            np.where(self.plain, 0.0, small[self.group]),
            np.where(self.plain, self.estimate, large[self.group]),
        )

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
        return np.where(self.plain, np.maximum(self.estimate + special.ndtri(levels), 0.0), graded)
