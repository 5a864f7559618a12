"""A logistic model of a record, answered by one bit: y = 1 / (1 + e^-(theta . x + intercept)) in (0, 1).

Guarantee: exactly epsilon-LDP (see `bit_query`). With w = +-(theta . x + intercept) + eps/2, the logarithm of an
answer's probability is a constant plus h(w) = 2 artanh(tanh(eps/4) tanh(w/2)), an odd increasing sigmoid that is convex
below 0 and concave above, here with eps = ln(T / (2^64 - T)) of the integer threshold.
Source: Bayesian privacy filter paper, Section 5.3.3, in this simpler form.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from sordino.domain.box import Box
from sordino.evidence.box import UNIT, BoxEvidence
from sordino.evidence.shape import Floats, Shape, Sigmoid
from sordino.exact.coin import WORD
from sordino.exact.messages.arguments import checked_class
from sordino.exact.nats import NatsLike
from sordino.exact.steady import steady
from sordino.mechanism.bit_query import BitQuery, statistic_rounding

FLAT = 700.0
"""Beyond it the function is flat and its hyperbolic cosine overflows."""


LEAST_SLOPE = 1e-290
"""Quotients by it stay finite."""


class LogLogistic(Sigmoid):
    """h(w) for the realized epsilon of each question, its one parameter."""

    def value(self, t: Floats) -> Floats:
        """By the inverse hyperbolic tangent."""
        value: Floats = 2 * np.arctanh(self._height * np.tanh(t / 2))
        return value

    def slope(self, t: Floats) -> Floats:
        """The derivative sinh(eps/2) / (cosh w + cosh(eps/2))."""
        sinh, cosh = self._half
        slope: Floats = sinh / (np.cosh(np.minimum(np.maximum(t, -FLAT), FLAT)) + cosh)
        return slope

    @property
    def inflection(self) -> Floats:
        """Zero: h is odd."""
        inflection: Floats = self.parameters[0] * 0
        return inflection

    def stationary(self, slope: Floats) -> Floats:
        """Where cosh w = sinh(eps/2) / slope - cosh(eps/2)."""
        sinh, cosh = self._half
        at: Floats = np.arccosh(np.maximum(sinh / np.maximum(slope, LEAST_SLOPE) - cosh, 1.0))
        return at

    def stationary_convex(self, slope: Floats) -> Floats:
        """At the other side."""
        return -self.stationary(slope)

    def reflected(self) -> Shape:
        """Itself: h is odd."""
        return self

    @cached_property
    def steepest(self) -> Floats:
        """At 0: tanh(eps/4)."""
        steepest: Floats = np.tanh(self.parameters[0] / 4) * (1 + 8 * UNIT)
        return steepest

    @property
    def bend(self) -> Floats:
        """About: a logistic curve's largest second derivative is 0.0963 of its height."""
        bend: Floats = np.maximum(0.0963 * self.parameters[0], 1e-12)
        return bend

    @cached_property
    def largest(self) -> Floats:
        """Far out: eps/2."""
        largest: Floats = self.parameters[0] / 2 * (1 + 8 * UNIT)
        return largest

    @property
    def error(self) -> Floats:
        """The inverse hyperbolic tangent near 1 magnifies roundings by up to cosh(eps/4)^2; eps itself is rounded."""
        error: Floats = 32 * UNIT * (np.cosh(self.parameters[0] / 4) ** 2 + self.parameters[0])
        return error

    @cached_property
    def _height(self) -> Floats:
        height: Floats = np.tanh(self.parameters[0] / 4)
        return height

    @cached_property
    def _half(self) -> tuple[Floats, Floats]:
        return np.sinh(self.parameters[0] / 2), np.cosh(self.parameters[0] / 2)


@checked_class
@dataclass(frozen=True, init=False)
class LogisticQuery(BitQuery):
    """Does a logistic model say yes? One bit; its mean over people estimates the mean probability.

    Example:
        >>> query = LogisticQuery([2.0, -1.0], 0.5, epsilon="ln 3")
        >>> query.thresholds(np.array([[0.0, 0.5]])) / 2**64
        array([0.5])
    """

    def __init__(self, theta: Iterable[float], intercept: float, epsilon: NatsLike) -> None:
        self._set_form(theta, intercept, epsilon)

    @property
    def ends(self) -> tuple[float, float]:
        """A probability's."""
        return 0.0, 1.0

    def share(self, statistic: NDArray[np.float64]) -> NDArray[np.float64]:
        """The model's probability."""
        from scipy.special import expit

        share: NDArray[np.float64] = expit(statistic)
        return share

    @steady
    def evidence(self, box: Box, code: int) -> BoxEvidence:
        """What one answer says about a record in the box.

        Raises:
            SordinoError: theta of another length than the box.
        """
        self.require_fit(box)
        self._require_code(code)
        if not self.informative:
            return BoxEvidence(box)
        shape = _shape(self.threshold)
        realized = float(shape.parameters[0, 0])
        sign = 1 if code else -1
        form = self._coefficients * sign, self.intercept * sign + realized / 2
        rounding = statistic_rounding(self.d) * (self._size(box) + realized)
        # The curve is at most a quarter steep, and scipy's is within a few units of the last place.
        radius = self._radius(rounding / 4 + 32 * UNIT) + float(shape.steepest[0]) * rounding
        return BoxEvidence.of_form(box, shape, form, radius, self.level)


@lru_cache(maxsize=256)
def _shape(threshold: int) -> LogLogistic:
    """The function of a coin, by its realized epsilon; the questions of a stream have few coins."""
    return LogLogistic(np.array([[math.log1p((2 * threshold - WORD) / (WORD - threshold))]]))
