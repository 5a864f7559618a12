"""Appendix A of the Bayesian privacy filter paper: estimators of a mean and a variance tell less than 2 epsilon.

Two questions, each answered by one bit with epsilon 1, about a number x in [-1, 1]: x itself, and x squared. The square
is a statistic of its own: this file is all that a new one takes.
Source: Bayesian privacy filter paper, Appendix A. Cost: milliseconds.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from sordino.accounting.realized import realized_loss
from sordino.domain.box import Box
from sordino.errors import SordinoError
from sordino.evidence.box_evidence import UNIT, BoxEvidence
from sordino.evidence.shape import Shape
from sordino.exact.floats import Floats
from sordino.mechanism.randomized import RandomizedResponse
from sordino.query.column import Column
from sordino.query.linear import LinearQuery
from sordino.query.model import Model
from sordino.query.query import Query

EPSILON = "1"
NUMBER = Box([-1], [1])
TOLERANCE = 1e-6

PAPER = {"11": 1.41, "10": 1.69, "01": 1.41, "00": 1.69}
"""What the paper prints, by the answers to both questions (1: the upper end)."""


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
        _, start, rise = self.parameters
        steepest: Floats = 2 * np.abs(rise) / np.minimum(start, start + rise) * (1 + 8 * UNIT)
        return steepest

    @property
    def bend(self) -> Floats:
        """At least |f''| on [-1, 1], with both numerator and denominator at their worst."""
        _, start, rise = self.parameters
        least = np.minimum(start, start + rise)
        bend: Floats = 2 * np.abs(rise) * (start + np.abs(rise)) / least**2 * (1 + 16 * UNIT)
        return bend

    @property
    def largest(self) -> Floats:
        _, start, rise = self.parameters
        largest: Floats = 1 - np.log(np.minimum(start, start + rise))
        return largest

    @property
    def error(self) -> Floats:
        """Five roundings of the argument, relative to its least value, and two units of the logarithm."""
        return 32 * UNIT * self.largest


@dataclass(frozen=True, init=False)
class Square(Model):
    """The square of a number in [-1, 1], read as 0 or 1."""

    name: ClassVar[str] = "square"

    def __init__(self) -> None:
        self._set_form([1.0], 0.0)

    @property
    def ends(self) -> tuple[float, float]:
        return 0.0, 1.0

    def scale(self, statistic: Floats) -> Floats:
        return 2 * np.minimum(statistic * statistic, 1.0) - 1

    def require_fit(self, box: Box) -> None:
        if box != NUMBER:
            found = f"a box of {box.d} numbers, not Box([-1], [1])"
            rule = "the square of a number is asked about one number in [-1, 1]"
            raise SordinoError(rule, found=found, step="scale the number")

    def box_evidence(self, box: Box, column: Column) -> BoxEvidence:
        least, rise = column.least, column.rise
        start, rise = (least, rise) if column.rising else (least + rise, -rise)
        shape = LogSquare(np.array([[1.0], [start], [rise]]))
        return BoxEvidence.of_form(box, shape, (self._coefficients, 0.0), column.radius(16 * UNIT), column.level)


@dataclass(frozen=True)
class AppendixARow:
    """One row of the appendix's table, or of a table like it.

    Attributes:
        outputs: an answer a question; 1 is the upper end.
        lower: nats; no more than the realized loss.
        upper: nats; no less than it.
    """

    outputs: str
    lower: float
    upper: float
    paper: float


def appendix_a(advance: Callable[[int], None] = lambda _: None) -> tuple[AppendixARow, ...]:
    """The losses of all pairs of answers."""
    questions = (LinearQuery([1.0], 0.0, -1, 1, EPSILON), Query(Square(), RandomizedResponse(2, EPSILON)))
    rows = []
    for outputs, paper in PAPER.items():
        bounds = realized_loss(NUMBER, questions, [int(output) for output in outputs], TOLERANCE)
        rows.append(AppendixARow(outputs, bounds.lower, bounds.upper, paper))
        advance(1)
    return tuple(rows)
