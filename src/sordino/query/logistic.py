"""A logistic model of a record: y = 1 / (1 + e^-(theta . x + intercept)), a probability.

With w = +-(theta . x + intercept) + eps/2, the logarithm of an answer's probability is a constant plus
h(w) = 2 artanh(tanh(eps/4) tanh(w/2)), an odd increasing sigmoid that is convex below 0 and concave above, with e^eps
the ratio of the two weights that the mechanism has for the answer.
Source: Bayesian privacy filter paper, Section 5.3.3, in this simpler form.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import ClassVar

import numpy as np

from sordino.domain.box import Box
from sordino.evidence.box import UNIT, BoxEvidence
from sordino.evidence.shape import Floats, Shape, Sigmoid
from sordino.exact.messages.arguments import checked_class
from sordino.exact.steady import ignore_float_errors
from sordino.query.column import Column
from sordino.query.model import Model
from sordino.query.rise.logistic import LARGEST_STEP, LogisticRise

FLAT = 700.0
"""Beyond it the function is flat and its hyperbolic cosine overflows."""


LEAST_SLOPE = 1e-290
"""Quotients by it stay finite."""


class LogLogistic(Sigmoid):
    """h(w) for the realized epsilon of each question, its one parameter."""

    def value(self, t: Floats) -> Floats:
        return 2 * np.arctanh(self._height * np.tanh(t / 2))

    def slope(self, t: Floats) -> Floats:
        """The derivative sinh(eps/2) / (cosh w + cosh(eps/2))."""
        sinh, cosh = self._half
        return sinh / (np.cosh(np.minimum(np.maximum(t, -FLAT), FLAT)) + cosh)

    def turn(self, t: Floats) -> Floats:
        """The second derivative -sinh(eps/2) sinh w / (cosh w + cosh(eps/2))^2."""
        sinh, cosh = self._half
        w = np.minimum(np.maximum(t, -FLAT), FLAT)
        below = np.cosh(w) + cosh
        return -(sinh / below) * (np.sinh(w) / below)

    @property
    def inflection(self) -> Floats:
        inflection: Floats = self.parameters[0] * 0
        return inflection

    def stationary(self, slope: Floats) -> Floats:
        """Where cosh w = sinh(eps/2) / slope - cosh(eps/2)."""
        sinh, cosh = self._half
        return np.arccosh(np.maximum(sinh / np.maximum(slope, LEAST_SLOPE) - cosh, 1.0))

    def stationary_convex(self, slope: Floats) -> Floats:
        return -self.stationary(slope)

    def reflect(self) -> Shape:
        return self

    def rise(self, up: Floats, down: Floats) -> Shape | None:
        """A hill or a valley, for steps of a size that floats can hold."""
        delta, (epsilon,) = up - down, self.parameters
        if float((np.abs(delta) + epsilon).max(initial=0.0)) > LARGEST_STEP:
            return None
        return LogisticRise(np.stack(((up + down) / 2, delta, epsilon)))

    @property
    def most_bent(self) -> Floats:
        """The logistic curve's second derivative is at most 1 / (6 sqrt 3), its slope at most 1/4."""
        most: Floats = np.minimum(0.0962251 * self.parameters[0], 0.2500001)
        return most

    @property
    def most_turned(self) -> Floats:
        """The logistic curve's third derivative is at most 1/8, and the function an integral of eps of it."""
        most: Floats = 0.1250001 * self.parameters[0]
        return most

    @cached_property
    def steepest(self) -> Floats:
        steepest: Floats = np.tanh(self.parameters[0] / 4) * (1 + 8 * UNIT)
        return steepest

    @property
    def bend(self) -> Floats:
        """About: a logistic curve's largest second derivative is 0.0963 of its height."""
        bend: Floats = np.maximum(0.0963 * self.parameters[0], 1e-12)
        return bend

    @cached_property
    def largest(self) -> Floats:
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
class Logistic(Model):
    """A logistic model's probability, read as no or yes.

    Example:
        >>> model = Logistic([2.0, -1.0], 0.5)
        >>> model.law([0.0, 0.5])
        [Fraction(1, 2), Fraction(1, 2)]
    """

    name: ClassVar[str] = "logistic"

    def __init__(self, theta: Iterable[float], intercept: float) -> None:
        self._set_form(theta, intercept)

    @property
    def ends(self) -> tuple[float, float]:
        return 0.0, 1.0

    def scale(self, statistic: Floats) -> Floats:
        from scipy.special import expit

        return 2 * expit(statistic) - 1

    @ignore_float_errors
    def box_evidence(self, box: Box, column: Column) -> BoxEvidence:
        """The one sigmoid, moved by half of the realized epsilon and turned around for a falling column."""
        shape, sign = _shape(column), 1 if column.rising else -1
        realized = float(shape.parameters[0, 0])
        form = self._coefficients * sign, self.intercept * sign + realized / 2
        rounding = self._rounding * (self._size(box) + realized)
        # The curve is at most a quarter steep, and scipy's is within a few units of the last place.
        radius = column.radius(rounding / 4 + 32 * UNIT) + float(shape.steepest[0]) * rounding
        return BoxEvidence.of_form(box, shape, form, radius, column.level)


@lru_cache(maxsize=256)
def _shape(column: Column) -> LogLogistic:
    """The function of a code, by its realized epsilon; the questions of a stream have few of them."""
    return LogLogistic(np.array([[math.log1p(column.odds)]]))
