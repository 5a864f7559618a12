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
from numpy.typing import NDArray

from sordino.domain.box import Box
from sordino.evidence.box_evidence import UNIT, BoxEvidence
from sordino.evidence.shape import Floats, Shape, Sigmoid
from sordino.exact.floats import ignore_float_errors
from sordino.exact.messages import checked_class
from sordino.query.column import Column
from sordino.query.model import Model

FLAT = 700.0
"""Beyond it the function is flat and its hyperbolic cosine overflows."""


RISE_FLAT = 340.0
"""Beyond it a rise is flat; squares of its hyperbolic cosine overflow."""

LARGEST_STEP = 600.0
"""Of delta and eps together: hyperbolic cosines of half of it have products that are floats."""

NEWTON = 3
"""Steps towards the point of a slope; what they leave is in the bound."""

LEAST_SLOPE = 1e-290
"""Quotients by it stay finite."""

STILL = 1e-6
"""In place of a relative change of the slope that is less."""


class LogisticRise(Shape):
    """How much the sigmoid rises along one number: the parameters are the middle of `up` and `down`, delta, and eps.

    With h the sigmoid (`LogLogistic`), delta = up - down and x = t + (up + down) / 2, h(t + up) - h(t + down) is
    ln((cosh x + cosh((delta + eps) / 2)) / (cosh x + cosh((delta - eps) / 2))): even in x, a hill for delta > 0 and a
    valley for delta < 0, with one inflection on each side.
    """

    two_sided = True

    def value(self, t: Floats) -> Floats:
        """By the logarithm of 1 and what is above; nothing cancels."""
        return self._at(_hyperbolic(t + self.parameters[0])[0])

    def slope(self, t: Floats) -> Floats:
        return self._slope(*_hyperbolic(t + self.parameters[0]))

    def tangent(self, low: Floats, high: Floats) -> tuple[Floats, Floats]:
        """Up to a hill from where it is convex, or from the nearer end of a valley to its farther side."""
        middle = self.parameters[0]
        touch, chord = self._tangent(low + middle, high + middle)
        return touch - middle, chord

    def tangent_right(self, low: Floats, high: Floats) -> tuple[Floats, Floats]:
        """The same seen from the other side: the function is even in x."""
        middle = self.parameters[0]
        touch, chord = self._tangent(-high - middle, -low - middle)
        return -touch - middle, -chord

    def offset(self, slope: Floats, low: Floats, high: Floats) -> Floats:
        """At an end, or on a concave part; there by concavity from a point near its best one."""
        middle = self.parameters[0]
        least, most = low + middle, high + middle
        first, last = self._concave(slope, least, most)
        x = np.minimum(np.maximum(self._stationary(slope), first), last)
        cosh, sinh = _hyperbolic(x)
        left = self._slope(cosh, sinh) - slope
        missing = np.maximum(left, 0) * (last - x) + np.maximum(-left, 0) * (x - first)
        inside = self._at(cosh) - slope * (x - middle) + missing
        ends = np.maximum(self.value(low) - slope * low, self.value(high) - slope * high)
        best: Floats = np.maximum(inside, ends)
        return best

    def highest(self, low: Floats, high: Floats) -> Floats:
        """Of a hill as near to its top as can be, of a valley as far from its bottom."""
        middle = self.parameters[0]
        near = np.minimum(np.maximum(-middle, low), high)
        far = np.where(np.abs(low + middle) > np.abs(high + middle), low, high)
        return self.value(np.where(self._hill, near, far))

    def slope_range(self, low: Floats, high: Floats) -> tuple[Floats, Floats]:
        middle, bend = self.parameters[0], self._inflection
        found = [self.slope(t) for t in (low, high)]
        for turn in (-bend, bend):
            at = np.minimum(np.maximum(turn - middle, low), high)
            found.append(self.slope(at))
        return np.minimum.reduce(found), np.maximum.reduce(found)

    def reflect(self) -> Shape:
        """The function is even: of a hill the valley about the other middle."""
        return LogisticRise(self.parameters * np.array([[-1.0], [-1.0], [1.0]]))

    @cached_property
    def steepest(self) -> Floats:
        """No more than the sigmoid's, whose slopes have one sign."""
        steepest: Floats = np.tanh(self.parameters[2] / 4) * (1 + 8 * UNIT)
        return steepest

    @cached_property
    def bend(self) -> Floats:
        rise, light, heavy = self._sides
        return np.maximum(rise / ((1 + light) * (1 + heavy)), 1e-12)

    @property
    def largest(self) -> Floats:
        largest: Floats = self.parameters[2] * (1 + 8 * UNIT)
        return largest

    @property
    def error(self) -> Floats:
        """The hyperbolic functions' relative errors, and those of their arguments."""
        error: Floats = UNIT * (128 + 16 * (np.abs(self.parameters[1]) + self.parameters[2]))
        return error

    def _at(self, cosh: Floats) -> Floats:
        rise, light, _ = self._sides
        return -self._sign * np.log1p(rise / (cosh + light))

    def _slope(self, cosh: Floats, sinh: Floats) -> Floats:
        rise, light, heavy = self._sides
        return (self._sign * rise) / (cosh + light) * (sinh / (cosh + heavy))

    def _concave(self, slope: Floats, low: Floats, high: Floats) -> tuple[Floats, Floats]:
        """The part of [low, high] where a function less a line has an inner maximum: a hill's middle, a valley's side.

        On a valley's other side both fall, or rise, towards the bottom: there an end is best.
        """
        bend, right = self._inflection, slope > 0
        first = np.where(self._hill, -bend, np.where(right, bend, -np.inf))
        last = np.where(self._hill, bend, np.where(right, np.inf, -bend))
        first, last = (np.minimum(np.maximum(at, low), high) for at in (first, last))
        return first, last

    def _stationary(self, slope: Floats) -> Floats:
        """About the point of the concave part where the derivative is the slope, in x."""
        rise, light, heavy = self._sides
        steep = np.maximum(np.abs(slope), LEAST_SLOPE)
        bend = self._inflection
        # The logarithm of the slope is about concave: from the left it comes to the point from one side.
        start = np.where(
            self._hill,
            np.arcsinh(np.minimum(steep * ((1 + light) * (1 + heavy) / rise), 1e280)),
            np.log(np.maximum(2 * rise / steep, 1.0)),
        )
        x = np.where(self._hill, np.minimum(start, bend), np.maximum(start, bend))
        least, most = np.where(self._hill, 0.0, bend), np.where(self._hill, bend, RISE_FLAT)
        for _ in range(NEWTON):
            cosh, sinh = _hyperbolic(x)
            first, second, own = cosh + light, cosh + heavy, np.maximum(sinh, 1e-12)
            # At the inflection the slope stands still.
            relative = cosh / own - sinh / first - sinh / second
            relative = np.where(self._hill, np.maximum(relative, STILL), np.minimum(relative, -STILL))
            x = x + np.log(steep * first * second / (rise * own)) / relative
            x = np.minimum(np.maximum(x, least), most)
        return np.where((slope > 0) == self._hill, -x, x)

    def _tangent(self, low: Floats, high: Floats) -> tuple[Floats, Floats]:
        hill, bend = np.broadcast_to(self._hill, low.shape), np.broadcast_to(self._inflection, low.shape)
        # Of a valley the line from the nearer end; where the farther one is on the left, the other side draws it.
        drawn = np.where(hill, low < -bend, (low < bend) & (low + high >= 0)) & (high > low)
        chorded = hill & (low > bend) & (high > low)
        touch, chord = low.copy(), np.zeros_like(low)
        at = np.nonzero(drawn | chorded)
        own = LogisticRise(self.parameters[:, at[-1]])
        touch[at], chord[at] = own._tangent_from(low[at], high[at], chorded[at])
        return touch, chord

    def _tangent_from(self, low: Floats, high: Floats, chorded: NDArray[np.bool_]) -> tuple[Floats, Floats]:
        """The same of functions that have such a line; where all of the interval is beyond a hill it is the chord."""
        rise, light, heavy = self._sides
        bend, sign = self._inflection, self._sign
        first = np.minimum(np.where(self._hill, -bend, bend), high)
        last = np.where(chorded, high, np.minimum(np.where(self._hill, 0.0, high), high))
        first = np.where(chorded, high, np.maximum(first, low))
        start = self._at(_hyperbolic(low)[0])
        x = (first + last) / 2
        for _ in range(NEWTON):
            cosh, sinh = _hyperbolic(x)
            one, other = cosh + light, cosh + heavy
            slope = sign * rise * sinh / (one * other)
            turn = sign * rise * (cosh - sinh * sinh * (1 / one + 1 / other)) / (one * other)
            # Where the line from the end meets the function above its tangent, the point is too near.
            off = self._at(cosh) - start - slope * (x - low)
            step = off / np.minimum(turn * (x - low), -LEAST_SLOPE)
            x = np.minimum(np.maximum(x + step, first), last)
        value = self._at(_hyperbolic(x)[0])
        return x, np.divide(value - start, x - low, out=np.zeros_like(x), where=x > low)

    @cached_property
    def _sign(self) -> Floats:
        return np.where(self._hill, -1.0, 1.0)

    @cached_property
    def _hill(self) -> NDArray[np.bool_]:
        hill: NDArray[np.bool_] = self.parameters[1] > 0
        return hill

    @cached_property
    def _sides(self) -> tuple[Floats, Floats, Floats]:
        """The difference of the two hyperbolic cosines, the smaller, and the larger one."""
        delta, epsilon = np.abs(self.parameters[1]), self.parameters[2]
        rise = 2 * np.sinh(delta / 2) * np.sinh(epsilon / 2)
        return rise, np.cosh((delta - epsilon) / 2), np.cosh((delta + epsilon) / 2)

    @cached_property
    def _inflection(self) -> Floats:
        """Where c^3 - (P Q + 2) c - (P + Q) vanishes, of c = cosh x."""
        _, light, heavy = self._sides
        p, q = light * heavy + 2, light + heavy
        cosine = np.minimum(1.5 * q / p * np.sqrt(3 / p), 1.0)
        c = 2 * np.sqrt(p / 3) * np.cos(np.arccos(cosine) / 3)
        for _ in range(3):
            # Scaled, so that cubes stay floats.
            c = c - (c - p / c - q / c / c) / (3 - p / c / c)
        inflection: Floats = np.arccosh(np.maximum(c, 1.0))
        return inflection


def _hyperbolic(x: Floats) -> tuple[Floats, Floats]:
    """Hyperbolic cosine and sine, with an absolute error of the rounding of the cosine."""
    power = np.exp(np.minimum(np.maximum(x, -RISE_FLAT), RISE_FLAT))
    inverse = 1 / power
    return (power + inverse) / 2, (power - inverse) / 2


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
    return LogLogistic(np.array([[math.log1p(column.odds)]]))
