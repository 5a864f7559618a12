"""The best response with windows for one number in [-1, 1]: how many points, how many codes each.

At large epsilon a bit still has the noise of rounding a number to -1 or 1; points round it less. The noise depends on
the number x: E[g^2 | x] = A + q(x) / (D w), q the chords of x^2 between points, D the difference of the two
probabilities of a code. So the largest variance, and the average over [-1, 1], stand in closed form.
Guarantee: none here; the mechanism is certified. Cost: a millisecond for each pair of sizes that is looked at.
"""

from dataclasses import dataclass
from typing import Literal, Self

import numpy as np

from sordino.definition.bounds import read_epsilon
from sordino.exact.messages.arguments import checked
from sordino.exact.nats import NatsLike
from sordino.mechanism.window import WindowResponse

SEARCHED = 64
"""Points, and codes of a window, that are looked at; more gain less than 1 % up to epsilon 6."""


@checked
def best_window(epsilon: NatsLike, goal: Literal["worst", "average"] = "worst", share: float = 1.0) -> WindowResponse:
    """The response with the least variance of one number: the largest of all x, or the average over [-1, 1].

    Args:
        epsilon: the loss allowed.
        goal: which variance; "worst" bounds everybody's.
        share: of the people who are asked about this number, for the worst variance of their mean. If few are, it is
            largest at -1 and 1, and few points are best.

    Example:
        >>> found = best_window("4")
        >>> found.k, found.window
        (10, 3)
    """
    bound = read_epsilon(epsilon)
    factor = float(np.exp(min(float(bound), 40.0)))
    sizes = [(g, w) for g in range(2, SEARCHED + 1) for w in range(1, SEARCHED + 1)]
    told = [_Noise.of(g, w, factor * w / (factor * w + g - 1)) for g, w in sizes]
    if goal == "average":
        best = min(told, key=lambda each: each.average_variance)
        return WindowResponse(best.points, bound, best.window)
    # At 1 the variance is quickly told, and the largest one is not below it.
    told.sort(key=lambda each: each.at_end(share))
    best, least = told[0], told[0].worst_variance(share)
    for each in told[1:]:
        if each.at_end(share) > least:
            break
        if each.worst_variance(share) < least:
            best, least = each, each.worst_variance(share)
    return WindowResponse(best.points, bound, best.window)


@dataclass(frozen=True, eq=False)
class _Noise:
    """The second moments of what codes count as.

    Attributes:
        points: g.
        window: w.
        least: A, E[g^2 | 0] for a point at 0.
        growth: 1 / (D w), how E[g^2] grows with x^2 from point to point.
    """

    points: int
    window: int
    least: float
    growth: float

    @classmethod
    def of(cls, points: int, window: int, inside: float) -> Self:
        """Of the probability that a code is in its window."""
        codes = points + window - 1
        other = (1 - inside) / (points - 1)
        more = inside / window - other
        if more <= 0:
            return cls(points, window, np.inf, np.inf)
        slope = more * window * (points - 1) / 2
        squares = other * codes * (codes**2 - 1) / 12 + more * window * (window**2 - 1) / 12
        return cls(points, window, squares / slope**2, 1 / (more * window))

    def at_end(self, share: float) -> float:
        """E[g^2 | x] / share - x^2 at x = 1."""
        return (self.least + self.growth) / share - 1

    def worst_variance(self, share: float) -> float:
        """The largest E[g^2 | x] / share - x^2: between any two points, where a parabola has its top, or at an end."""
        if not np.isfinite(self.growth):
            return np.inf
        grid = np.linspace(-1, 1, self.points)
        tops = np.clip(self.growth / share * (grid[1:] + grid[:-1]) / 2, grid[:-1], grid[1:])
        moment = self.least + self.growth * np.interp(tops, grid, grid**2)
        return float((moment / share - tops**2).max())

    @property
    def average_variance(self) -> float:
        """The chords of x^2 lie a sixth of the squared step above it, on average."""
        step = 2 / (self.points - 1)
        return self.least + self.growth * (1 / 3 + step**2 / 6) - 1 / 3
