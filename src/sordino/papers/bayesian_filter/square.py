"""The square of a linear model of a record, asked by one bit: a quadratic statistic over a box.

With t = (theta . x + intercept) / reach in [-1, 1], the probability of an answer is affine in t^2, and its logarithm a
function of the one affine form t: evidence adds to that of linear and logistic queries.
Source: Bayesian privacy filter paper, Appendix A. Units: as the record's.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from sordino.definition.bounds import read_epsilon
from sordino.domain.box import Box
from sordino.domain.interval import read_number
from sordino.errors import SordinoError
from sordino.evidence.box_evidence import UNIT, BoxEvidence
from sordino.evidence.shape import Shape
from sordino.exact.floats import Floats, ignore_float_errors
from sordino.exact.messages import checked, checked_class
from sordino.exact.nats import NatsLike
from sordino.mechanism.randomized import RandomizedResponse
from sordino.query.column import Column
from sordino.query.model import Model
from sordino.query.query import Query

SPILL = 1e-9
"""Part of the reach by which a model may leave it: coefficients and sums are rounded; what lies beyond counts as 1."""

ROOM = 8 * SPILL
"""Relative room for a t^2 that is beyond 1 by twice the spill."""


class LogSquare(Shape):
    """f(t) = sign ln(start + rise t^2) for t in [-1, 1]; the three are the parameters.

    Its envelope is that of its parabola at the middle of a range, whose error falls with the square of the range.
    """

    def value(self, t: Floats) -> Floats:
        sign, start, rise = self.parameters
        value: Floats = sign * np.log(start + rise * t * t)
        return value

    def slope(self, t: Floats) -> Floats:
        sign, start, rise = self.parameters
        slope: Floats = 2 * sign * rise * t / (start + rise * t * t)
        return slope

    def tangent(self, low: Floats, high: Floats) -> tuple[Floats, Floats]:
        rise, run = self.value(high) - self.value(low), high - low
        return high, np.divide(rise, run, out=np.zeros_like(rise), where=run > 0)

    def offset(self, slope: Floats, low: Floats, high: Floats) -> Floats:
        """By Taylor's formula: no second derivative is above `bend`."""
        middle, half = (low + high) / 2, (high - low) / 2
        best: Floats = self.value(middle) - slope * middle + np.abs(self.slope(middle) - slope) * half
        best += self.bend * half * half / 2
        return best

    def reflect(self) -> "LogSquare":
        """Even: only the sign changes."""
        sign, start, rise = self.parameters
        return LogSquare(np.stack((-sign, start, rise)))

    @property
    def steepest(self) -> Floats:
        rise = self.parameters[2]
        steepest: Floats = 2 * np.abs(rise) / self._least * (1 + ROOM)
        return steepest

    @property
    def bend(self) -> Floats:
        """At least |f''| on [-1, 1], with both numerator and denominator at their worst."""
        _, start, rise = self.parameters
        bend: Floats = 2 * np.abs(rise) * (start + np.abs(rise)) / self._least**2 * (1 + ROOM)
        return bend

    @property
    def largest(self) -> Floats:
        largest: Floats = 1 - np.log(self._least)
        return largest

    @property
    def error(self) -> Floats:
        """Five roundings of the argument, relative to its least value, and two units of the logarithm."""
        return 32 * UNIT * self.largest

    @property
    def _least(self) -> Floats:
        """The least probability, next to which a spill of t^2 beyond 1 is nothing."""
        _, start, rise = self.parameters
        least: Floats = np.minimum(start, start + rise * (1 + 4 * SPILL))
        return least


@checked_class
@dataclass(frozen=True, init=False)
class Square(Model):
    """The square of theta . x + intercept, which lies between -reach and reach, read as 0 or as reach^2."""

    name: ClassVar[str] = "square"

    reach: float

    def __init__(self, theta: Iterable[float], intercept: float, reach: float) -> None:
        self._set_form(theta, intercept)
        object.__setattr__(self, "reach", read_number(reach, "the reach"))
        if not self.reach > 0:
            raise SordinoError("a square's reach must be above 0", found=f"{self.reach:g}")

    @property
    def ends(self) -> tuple[float, float]:
        return 0.0, self.reach**2

    @property
    def parameters(self) -> str:
        return f"{super().parameters} {self.reach.hex()}"

    def scale(self, statistic: Floats) -> Floats:
        share = statistic / self.reach
        return 2 * np.minimum(share * share, 1.0) - 1

    @ignore_float_errors
    def require_fit(self, box: Box) -> None:
        """Check that the model stays within its reach on the box."""
        super().require_fit(box)
        self._beyond(box)

    @ignore_float_errors
    def box_evidence(self, box: Box, column: Column) -> BoxEvidence:
        start, rise = column.least, column.rise
        if not column.rising:
            start, rise = start + rise, -rise
        shape = LogSquare(np.array([[1.0], [start], [rise]]))
        rounding = self._off(box) / self.reach
        # A share's square is off by at most twice what the share is off, and three roundings.
        off = 2 * (rounding + self._beyond(box) / self.reach) * (1 + 4 * SPILL) + 16 * UNIT
        radius = column.radius(off) + float(shape.steepest[0]) * rounding
        form = self._coefficients / self.reach, self.intercept / self.reach
        return BoxEvidence.of_form(box, shape, form, radius, column.level)

    def _beyond(self, box: Box) -> float:
        """How far the model can leave its reach on the box, up to its rounding: a small part of it."""
        middle = math.fsum((self._coefficients * box.centre).tolist()) + self.intercept
        farthest = abs(middle) + float(np.abs(self._coefficients) @ box.reach)
        beyond, rounding = max(farthest - self.reach, 0.0), self._off(box)
        if not beyond + rounding <= SPILL * self.reach:
            rule = f"the model must stay between {-self.reach:g} and {self.reach:g} on the box"
            raise SordinoError(rule, found=f"up to {farthest:.6g}", step="widen the reach")
        return beyond

    def _off(self, box: Box) -> float:
        """How far the model may be off on the box by rounding."""
        return self._rounding * (self._size(box) + self.reach)


@checked
def SquareQuery(theta: Iterable[float], intercept: float, reach: float, epsilon: NatsLike) -> Query:  # noqa: N802
    """Is the square of a linear model nearer to its largest value? One bit; its mean over people estimates the mean.

    Source: Bayesian privacy filter paper, Appendix A.

    Args:
        reach: the largest absolute value of theta . x + intercept; answer 1 stands for its square, answer 0 for 0.
        epsilon: the most that the answer may reveal, in nats.

    Raises:
        SordinoError: no numbers, or a reach that is not above 0.

    Example:
        >>> from sordino import LDP, BayesianFilter, Box, LinearQuery
        >>> mean, square = LinearQuery([1.0], 0, -1, 1, "1"), SquareQuery([1.0], 0, reach=1, epsilon="1")
        >>> asked = BayesianFilter(Box([-1], [1]), LDP("1.7"))  # where the epsilons add up to 2
        >>> asked.after(mean, 1).accepts(square)
        True
    """
    return Query(Square(theta, intercept, reach), RandomizedResponse(2, read_epsilon(epsilon)))
