"""A linear model of a record: v = theta . x + intercept, between low and high, or cut to them.

The probability of an answer is affine in the record, so the logarithm of the probability of any answers to such
questions is concave: largest where a smooth concave program says, smallest at a corner of the box. A model whose value
can leave [low, high] on a box is refused there, for all of its records alike: no record is ever looked at for it, and a
value beyond its range counts as the end. One that is cut to its range fits every box; the logarithm is then flat, a
logarithm, and flat again: neither concave nor convex.
Source: Bayesian privacy filter paper, Sections 5.3.1 and 5.3.2; (42)-(43) as corrected.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sordino.domain.box import Box
from sordino.domain.interval import read_ends, to_unit
from sordino.errors import SordinoError
from sordino.evidence.box_evidence import UNIT, BoxEvidence
from sordino.evidence.shape import Floats, Shape, Sigmoid
from sordino.exact.floats import ignore_float_errors
from sordino.exact.messages import checked_class
from sordino.query.column import Column
from sordino.query.model import Model

SPILL = 1e-9
"""How far a statistic may leave its range, in parts of the range: coefficients and sums are rounded; it is cut off."""


NEXT_TO_NOTHING = 1e-9
"""Of the least probability: no record comes near it where evidence has a radius worth keeping."""


class LogRatio(Shape):
    """How much ln(low + span t) rises: the parameters are low, span, `up` and `down`.

    ln(low + span (t + up)) - ln(low + span (t + down)) falls and is convex in t for up > down; else it rises and is
    concave. Turned around, with a span below 0, it is the other way.
    """

    def value(self, t: Floats) -> Floats:
        heavy, light = self._inner(t)
        return np.log(heavy) - np.log(light)

    def slope(self, t: Floats) -> Floats:
        heavy, light = self._inner(t)
        slope: Floats = self.parameters[1] * (light - heavy) / (heavy * light)
        return slope

    def tangent(self, low: Floats, high: Floats) -> tuple[Floats, Floats]:
        """The chord of a convex function, and none of a concave one."""
        run = high - low
        chord = np.divide(self.value(high) - self.value(low), run, out=np.zeros_like(run), where=run > 0)
        return np.where(self._convex, high, low), chord

    def offset(self, slope: Floats, low: Floats, high: Floats) -> Floats:
        """At an end; of a concave function near the point of the slope, and what may be missing there."""
        least, span, up, down = self.parameters
        wide = span * (down - up)
        steep = np.where(span > 0, np.maximum(slope, 1e-300), np.minimum(slope, -1e-300))
        # (p)(p + wide) = span wide / slope for p = low + span (t + up).
        root = (np.sqrt(wide * wide + 4 * np.maximum(wide, 0.0) * span / steep) - wide) / 2
        at = np.minimum(np.maximum((root - least) / span - up, low), high)
        left = self.slope(at) - slope
        missing = np.maximum(left, 0) * (high - at) + np.maximum(-left, 0) * (at - low)
        inside = np.where(self._convex, -np.inf, self.value(at) - slope * at + missing)
        ends = np.maximum(self.value(low) - slope * low, self.value(high) - slope * high)
        return np.maximum(inside, ends)

    def highest(self, low: Floats, high: Floats) -> Floats:
        up, down = self.parameters[2:]
        return self.value(np.where(up < down, high, low))

    def slope_range(self, low: Floats, high: Floats) -> tuple[Floats, Floats]:
        first, last = self.slope(low), self.slope(high)
        return np.minimum(first, last), np.maximum(first, last)

    def reflect(self) -> Shape:
        """The two arguments of logarithms change their places, and the span its sign."""
        low, span, up, down = self.parameters
        return LogRatio(np.stack((low, -span, -down, -up)))

    @cached_property
    def steepest(self) -> Floats:
        """No more than that of either logarithm, at the least probability."""
        low, span = self.parameters[0], np.abs(self.parameters[1])
        steepest: Floats = span / low * (1 + 4e-9 * (1 + span / low))
        return steepest

    @cached_property
    def bend(self) -> Floats:
        up, down = self.parameters[2:]
        bend: Floats = np.maximum(self.steepest**2 * np.minimum(2 * self.steepest * np.abs(up - down), 1.0), 1e-12)
        return bend

    @cached_property
    def largest(self) -> Floats:
        largest: Floats = 2 - 2 * np.log(self.parameters[0])
        return largest

    @property
    def error(self) -> Floats:
        """Four roundings of each argument, relative, and two units of each logarithm."""
        return 16 * UNIT * self.largest

    def _inner(self, t: Floats) -> tuple[Floats, Floats]:
        """Both arguments of logarithms; where a range, rounded outward, leaves no probability, next to nothing."""
        low, span, up, down = self.parameters
        least = low * NEXT_TO_NOTHING
        return np.maximum(low + span * (t + up), least), np.maximum(low + span * (t + down), least)

    @cached_property
    def _convex(self) -> NDArray[np.bool_]:
        _, span, up, down = self.parameters
        convex: NDArray[np.bool_] = span * (up - down) >= 0
        return convex


class LogarithmicShape(Sigmoid):
    """Functions with a concave part ln(low + span u) of a share u in [0, 1], steepest at u = 0, and no convex part.

    The two parameters are a channel's: the least probability `low` and how much more the largest one is, `span`.
    """

    def stationary_convex(self, slope: Floats) -> Floats:
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


class LogAffine(LogarithmicShape):
    """f(u) = ln(low + span u) for u in [0, 1]: concave."""

    concave = True

    def value(self, t: Floats) -> Floats:
        return np.log(self._inner(t))

    def slope(self, t: Floats) -> Floats:
        """The derivative span / (low + span u)."""
        slope: Floats = self.parameters[1] / self._inner(t)
        return slope

    def curve(self, t: Floats) -> Floats:
        return self.slope(t) ** 2

    def turn(self, t: Floats) -> Floats:
        return -self.curve(t)

    def rise(self, up: Floats, down: Floats) -> Shape | None:
        return LogRatio(np.concatenate((self.parameters, [up, down])))

    @property
    def most_bent(self) -> Floats:
        return self.steepest**2 * (1 + 8 * UNIT)

    @property
    def most_turned(self) -> Floats:
        return 2 * self.steepest**3 * (1 + 16 * UNIT)

    @property
    def inflection(self) -> Floats:
        return np.full(self.n, -np.inf)

    def stationary(self, slope: Floats) -> Floats:
        """Where low + span u = span / slope."""
        low, span = self.parameters
        at: Floats = 1 / np.maximum(slope, 1e-300) - low / span
        return at

    @cached_property
    def steepest(self) -> Floats:
        """At u = 0, with room for a range left by rounding."""
        low, span = self.parameters
        steepest: Floats = span / low * (1 + 2 * SPILL * (1 + span / low))
        return steepest

    def _inner(self, t: Floats) -> Floats:
        """Low + span u; where a range of u, rounded outward, leaves no probability, next to nothing."""
        low, span = self.parameters
        inner: Floats = np.maximum(low + span * t, low * NEXT_TO_NOTHING)
        return inner


class LogClipped(LogarithmicShape):
    """f(u) = ln(low + span min(1, max(0, u))): convex up to the kink at 0, concave from there on."""

    kinked = True

    def value(self, t: Floats) -> Floats:
        low, span = self.parameters
        value: Floats = np.log(low + span * np.minimum(np.maximum(t, 0.0), 1.0))
        return value

    def slope(self, t: Floats) -> Floats:
        low, span = self.parameters
        return np.where((t > 0) & (t <= 1), span / (low + span * t), 0.0)

    def slopes(self, t: Floats) -> tuple[Floats, Floats]:
        low, span = self.parameters
        inside = span / (low + span * np.minimum(np.maximum(t, 0.0), 1.0))
        return np.where((t > 0) & (t <= 1), inside, 0.0), np.where((t >= 0) & (t < 1), inside, 0.0)

    @property
    def inflection(self) -> Floats:
        return np.zeros(self.n)

    def stationary(self, slope: Floats) -> Floats:
        low, span = self.parameters
        at: Floats = np.clip(1 / np.maximum(slope, 1e-300) - low / span, 0.0, 1.0)
        return at

    @cached_property
    def steepest(self) -> Floats:
        low, span = self.parameters
        steepest: Floats = span / low * (1 + 4 * UNIT)
        return steepest


@checked_class
@dataclass(frozen=True, init=False)
class Affine(Model):
    """A linear model's value, read as the lower or the upper end of its range.

    Attributes:
        low: the least value that the model can have; what lies below counts as it.
        high: the largest value; what lies above counts as it.
        truncate: whether the value is meant to be cut to the range; else it must stay in it on every box.

    Example:
        >>> model = Affine([0.5, -0.5], 0, low=-1, high=1)
        >>> model.law([1.0, -1.0]), model.law([0.25, -0.25])[1]
        ([Fraction(0, 1), Fraction(1, 1)], Fraction(5, 8))
    """

    name: ClassVar[str] = "affine"

    low: float
    high: float
    truncate: bool

    def __init__(
        self, theta: Iterable[float], intercept: float, low: float, high: float, *, truncate: bool = False
    ) -> None:
        self._set_form(theta, intercept)
        least, largest = read_ends(low, high)
        object.__setattr__(self, "low", least)
        object.__setattr__(self, "high", largest)
        object.__setattr__(self, "truncate", truncate)

    @property
    def parameters(self) -> str:
        return f"{'truncated ' if self.truncate else ''}{super().parameters}"

    @property
    def ends(self) -> tuple[float, float]:
        return self.low, self.high

    def scale(self, statistic: Floats) -> Floats:
        return to_unit(statistic, self.low, self.high)

    @ignore_float_errors
    def require_fit(self, box: Box) -> None:
        """Check that the statistic stays in its range on the box, or is cut to it."""
        super().require_fit(box)
        self._beyond(box)

    @ignore_float_errors
    def box_evidence(self, box: Box, column: Column) -> BoxEvidence:
        """The same function of the share, or of 1 less the share."""
        width, rounding = self.high - self.low, self._off(box) / (self.high - self.low)
        if column.rising:
            form = self._coefficients / width, (self.intercept - self.low) / width
        else:
            form = self._coefficients / -width, (self.high - self.intercept) / width
        shape = log_share(column, cut=self.truncate)
        # Where the function does not cut the statistic at its ends, the record's answer does.
        off = rounding + self._beyond(box) * (1 + 8 * UNIT) / width
        radius = column.radius(off) + float(shape.steepest[0]) * rounding
        return BoxEvidence.of_form(box, shape, form, radius, column.level)

    def _beyond(self, box: Box) -> float:
        """How far the statistic can leave its range on the box, up to its rounding: a small part of the range."""
        if self.truncate:
            return 0.0
        middle = math.fsum((self._coefficients * box.centre).tolist()) + self.intercept
        reach = float(np.abs(self._coefficients) @ box.reach)
        low, high = middle - reach, middle + reach
        beyond = max(self.low - low, high - self.high, 0.0)
        rounding, most = self._off(box), SPILL * (self.high - self.low)
        if not rounding <= most:
            raise SordinoError(
                "the statistic must be known to a billionth of its range",
                found=f"rounding of {rounding:.3g} between {self.low:g} and {self.high:g}",
                step="ask about numbers nearer to 0, or ask it truncated",
            )
        # The ends are rounded themselves: those of what they stand for may lie beyond where these do not.
        if not beyond + rounding <= most:
            raise SordinoError(
                f"the statistic must stay between {self.low:g} and {self.high:g} on the box",
                found=f"{low:.6g} to {high:.6g}, {beyond:.3g} too far",
                step="widen low and high, or ask it truncated",
            )
        return beyond

    def _off(self, box: Box) -> float:
        """How far the statistic may be off on the box, and its distance from either end, by rounding."""
        return self._rounding * (self._size(box) + abs(self.low) + abs(self.high))


@lru_cache(maxsize=256)
def log_share(column: Column, *, cut: bool) -> LogarithmicShape:
    """The logarithm of a code's probability, by the share of the way from its smaller probability to the larger one."""
    weights = np.array([[column.least], [column.rise]])
    return LogClipped(weights) if cut else LogAffine(weights)
