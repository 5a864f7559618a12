"""The best response with windows for one number in [-1, 1]: how many points, how many codes each.

At large epsilon a bit still has the noise of rounding a number to -1 or 1; points round it less. The noise depends on
the number x: E[g^2 | x] = A + q(x) / (D w), q the chords of x^2 between points, D the difference of the two
probabilities of a code. So the largest variance, and the average over [-1, 1], stand in closed form.
Guarantee: none here; the mechanism is certified. Cost: a millisecond or two.
"""

from dataclasses import dataclass
from typing import Literal, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sordino.definition.bounds import read_epsilon
from sordino.exact.arrays import Floats
from sordino.exact.messages.arguments import checked
from sordino.exact.nats import NatsLike
from sordino.mechanism.numbers.window import WindowResponse

Sizes: TypeAlias = NDArray[np.intp]

SEARCHED = 64
"""Points, and codes of a window, that are looked at; more gain less than 1 % up to epsilon 6."""


@checked
def best_window(epsilon: NatsLike, goal: Literal["worst", "average"] = "worst", share: float = 1.0) -> WindowResponse:
    """The response with the least variance of one number: the largest of all x, or the average over [-1, 1].

    Args:
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
    points, windows = (sizes.ravel() for sizes in np.indices((SEARCHED + 1, SEARCHED + 1))[:, 2:, 1:])
    every = _Noise.of(points, windows, factor)
    if goal == "average":
        at = int(np.argmin(every.average_variance))
        return WindowResponse(int(points[at]), bound, int(windows[at]))
    # At 1 the variance is quickly told, and the largest one is not below it.
    at_end = every.at_end(share)
    best, least = 0, np.inf
    for at in np.argsort(at_end, kind="stable").tolist():
        if at_end[at] > least:
            break
        worst = _Noise.of(points[at], windows[at], factor).worst_variance(share)
        if worst < least:
            best, least = at, worst
    return WindowResponse(int(points[best]), bound, int(windows[best]))


@dataclass(frozen=True, eq=False)
class _Noise:
    """The second moments of what codes count as, of one channel or of several.

    Attributes:
        points: g.
        least: A, E[g^2 | 0] for a point at 0.
        growth: 1 / (D w), how E[g^2] grows with x^2 from point to point; infinite where codes say nothing.
    """

    points: Sizes
    least: Floats
    growth: Floats

    @classmethod
    def of(cls, points: Sizes, window: Sizes, factor: float) -> Self:
        """Of e^epsilon: a code in its window is as much likelier than another."""
        codes, inside = points + window - 1, factor * window / (factor * window + points - 1)
        other = (1 - inside) / (points - 1)
        more = np.maximum(inside / window - other, 0)
        slope = more * window * (points - 1) / 2
        squares = other * codes * (codes**2 - 1) / 12 + more * window * (window**2 - 1) / 12
        with np.errstate(divide="ignore"):
            return cls(points, squares / slope**2, 1 / (more * window))

    def at_end(self, share: float) -> Floats:
        """E[g^2 | x] / share - x^2 at x = 1."""
        return (self.least + self.growth) / share - 1

    def worst_variance(self, share: float) -> float:
        """The largest E[g^2 | x] / share - x^2 of one channel, between any two points at the top of a parabola."""
        if not np.isfinite(self.growth):
            return np.inf
        grid = np.linspace(-1, 1, self.points)
        tops = np.clip(self.growth / share * (grid[1:] + grid[:-1]) / 2, grid[:-1], grid[1:])
        moment = self.least + self.growth * np.interp(tops, grid, grid**2)
        return float((moment / share - tops**2).max())

    @property
    def average_variance(self) -> Floats:
        """The chords of x^2 lie a sixth of the squared step above it, on average."""
        step = 2 / (self.points - 1)
        return self.least + self.growth * (1 / 3 + step**2 / 6) - 1 / 3
