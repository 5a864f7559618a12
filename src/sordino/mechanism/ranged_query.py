"""Questions about a number in a range [low, high]: what linear and truncated linear ones share.

The share of the way from low to high is affine in the record, or that cut to [0, 1].
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sordino.domain.box import Box
from sordino.domain.interval import read_ends
from sordino.evidence.box import UNIT, BoxEvidence
from sordino.evidence.shape import Floats, Sigmoid
from sordino.exact.nats import NatsLike
from sordino.mechanism.bit_query import BitQuery, statistic_rounding


class LogarithmicShape(Sigmoid):
    """Functions with a concave part ln(low + span u) of a share u in [0, 1], steepest at u = 0, and no convex part."""

    def stationary_convex(self, slope: Floats) -> Floats:
        """Any point."""
        return np.zeros_like(slope)

    @property
    def bend(self) -> Floats:
        """At u = 0."""
        return self.steepest**2

    @cached_property
    def largest(self) -> Floats:
        """At u = 0."""
        largest: Floats = -np.log(self.parameters[0]) + 1
        return largest

    @property
    def error(self) -> Floats:
        """Four roundings of the argument, relative, and two units of the logarithm."""
        return 16 * UNIT * self.largest


@dataclass(frozen=True, init=False)
class RangedQuery(BitQuery):
    """A question about a number between two ends.

    Attributes:
        low: the lower end; answer 0 stands for it.
        high: the upper end; answer 1.
    """

    low: float
    high: float

    def __init__(self, theta: Iterable[float], intercept: float, low: float, high: float, epsilon: NatsLike) -> None:
        self._set_form(theta, intercept, epsilon)
        least, largest = read_ends(low, high)
        object.__setattr__(self, "low", least)
        object.__setattr__(self, "high", largest)

    @property
    def ends(self) -> tuple[float, float]:
        """The range."""
        return self.low, self.high

    def share(self, statistic: NDArray[np.float64]) -> NDArray[np.float64]:
        """Affine, cut to [0, 1]."""
        share: NDArray[np.float64] = np.clip((statistic - self.low) / (self.high - self.low), 0.0, 1.0)
        return share

    def _told(self, box: Box, code: int, shape: Sigmoid, beyond: float = 0.0) -> BoxEvidence:
        """The evidence of an answer; both answers have one function of the share, or of 1 less the share.

        Args:
            box: where the record lies.
            code: the answer.
            shape: ln Pr(1) as a function of the share.
            beyond: how far the statistic may leave its range, where the function does not cut it.
        """
        width = self.high - self.low
        if code:
            form = self._coefficients / width, (self.intercept - self.low) / width
        else:
            form = self._coefficients / -width, (self.high - self.intercept) / width
        rounding = self._rounding(box) / width
        radius = self._radius(rounding + beyond * (1 + 8 * UNIT) / width) + float(shape.steepest[0]) * rounding
        return BoxEvidence.of_form(box, shape, form, radius, self.level)

    def _rounding(self, box: Box) -> float:
        """How far the statistic may be off on the box, and its distance from either end, by rounding."""
        return statistic_rounding(self.d) * (self._size(box) + abs(self.low) + abs(self.high))
