"""Appendix A of the Bayesian privacy filter paper: estimators of a mean and a variance tell less than 2 epsilon.

Two questions, each answered by one bit with epsilon 1, about a number x in [-1, 1]: x itself, and x squared. The square
is a kind of question of its own: this file is all that a new kind takes.
Source: Bayesian privacy filter paper, Appendix A. Cost: milliseconds.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sordino.accounting.realized import realized_loss
from sordino.domain.box import Box
from sordino.errors import SordinoError
from sordino.evidence.box import UNIT, BoxEvidence
from sordino.evidence.shape import Floats, Shape
from sordino.exact.nats import NatsLike
from sordino.mechanism.bit_query import BitQuery, coin_weights
from sordino.mechanism.linear_query import LinearQuery

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
        """The logarithm."""
        sign, start, rise = self.parameters
        value: Floats = sign * np.log(start + rise * t * t)
        return value

    def slope(self, t: Floats) -> Floats:
        """The derivative."""
        sign, start, rise = self.parameters
        slope: Floats = 2 * sign * rise * t / (start + rise * t * t)
        return slope

    def tangent(self, low: Floats, high: Floats) -> tuple[Floats, Floats]:
        """The chord over all of the range."""
        rise, run = self.value(high) - self.value(low), high - low
        return high, np.divide(rise, run, out=np.zeros_like(rise), where=run > 0)

    def offset(self, slope: Floats, low: Floats, high: Floats) -> Floats:
        """By Taylor's formula: no second derivative is above `bend`."""
        middle, half = (low + high) / 2, (high - low) / 2
        best: Floats = self.value(middle) - slope * middle + np.abs(self.slope(middle) - slope) * half
        best += self.bend * half * half / 2
        return best

    def reflected(self) -> "LogSquare":
        """Even: only the sign changes."""
        sign, start, rise = self.parameters
        return LogSquare(np.stack((-sign, start, rise)))

    @property
    def steepest(self) -> Floats:
        """At the ends of [-1, 1], at most."""
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
        """At one of the ends."""
        _, start, rise = self.parameters
        largest: Floats = 1 - np.log(np.minimum(start, start + rise))
        return largest

    @property
    def error(self) -> Floats:
        """Five roundings of the argument, relative to its least value, and two units of the logarithm."""
        return 32 * UNIT * self.largest


@dataclass(frozen=True, init=False)
class SquareQuery(BitQuery):
    """Is the square of a number in [-1, 1] nearer to 1 than to 0? One bit."""

    def __init__(self, epsilon: NatsLike) -> None:
        self._set_form([1.0], 0.0, epsilon)

    @property
    def ends(self) -> tuple[float, float]:
        """A square's."""
        return 0.0, 1.0

    def share(self, statistic: NDArray[np.float64]) -> NDArray[np.float64]:
        """The square."""
        share: NDArray[np.float64] = np.minimum(statistic * statistic, 1.0)
        return share

    def require_fit(self, box: Box) -> None:
        """Check that the box is [-1, 1]."""
        if box != NUMBER:
            raise SordinoError("the square of a number is asked about numbers in [-1, 1]", found="another range")

    def evidence(self, box: Box, code: int) -> BoxEvidence:
        """What one answer says about the number; the box must be [-1, 1]."""
        self.require_fit(box)
        self._require_code(code)
        (low,), (span,) = coin_weights(self.threshold)
        start, rise = (low, span) if code else (low + span, -span)
        shape = LogSquare(np.array([[1.0], [start], [rise]]))
        return BoxEvidence.of_form(box, shape, (self._coefficients, 0.0), self._radius(16 * UNIT), self.level)


@dataclass(frozen=True)
class AppendixARow:
    """One row of the appendix's table, or of a table like it.

    Attributes:
        outputs: an answer a question; 1 is the upper end.
        lower: nats; no more than the realized loss.
        upper: nats; no less than it.
        paper: what the paper prints.
    """

    outputs: str
    lower: float
    upper: float
    paper: float


def appendix_a(advance: Callable[[int], None] = lambda _: None) -> tuple[AppendixARow, ...]:
    """The losses of all pairs of answers."""
    questions = (LinearQuery([1.0], 0.0, -1, 1, EPSILON), SquareQuery(EPSILON))
    rows = []
    for outputs, paper in PAPER.items():
        bounds = realized_loss(NUMBER, questions, [int(output) for output in outputs], TOLERANCE)
        rows.append(AppendixARow(outputs, bounds.lower, bounds.upper, paper))
        advance(1)
    return tuple(rows)
