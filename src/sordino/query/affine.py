"""A linear model of a record: v = theta . x + intercept, between low and high, or cut to them.

The probability of an answer is affine in the record, so the logarithm of the probability of any answers to such
questions is concave: largest where a smooth concave program says, smallest at a corner of the box. A model whose value
can leave [low, high] on a box is refused there, for all of its records alike: no record is ever looked at for it, and a
value beyond its range counts as the end. One that is cut to its range fits every box; the logarithm is then flat, a
logarithm, and flat again: neither concave nor convex.
Source: Bayesian privacy filter paper, Sections 5.3.1 and 5.3.2.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np

from sordino.domain.box import Box
from sordino.domain.interval import read_ends, to_unit
from sordino.errors import SordinoError
from sordino.evidence.box import UNIT, BoxEvidence
from sordino.exact.messages.arguments import checked_class
from sordino.exact.steady import ignore_float_errors
from sordino.query.column import Column
from sordino.query.model import Model
from sordino.query.reader import Floats
from sordino.query.rise.logarithm import SPILL, LogAffine, LogarithmicShape, LogClipped


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
        shape = _shape(column, cut=self.truncate)
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
def _shape(column: Column, *, cut: bool) -> LogarithmicShape:
    """The function of a code; the questions of a stream have few of them."""
    weights = np.array([[column.least], [column.rise]])
    return LogClipped(weights) if cut else LogAffine(weights)
