"""A linear model of a record, answered by one bit: v = theta . x + intercept lies in [low, high].

Guarantee: exactly epsilon-LDP (see `bit_query`). The probability of either answer is affine in the record, so the
logarithm of the probability of any answers to such questions is concave: largest where a smooth concave program says,
smallest at a corner of the box. A question whose statistic can leave [low, high] on a box is refused there, for all of
its records alike: no record is ever looked at for it, and a statistic beyond its range counts as the end.
Source: Bayesian privacy filter paper, Section 5.3.1.
"""

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from sordino.domain.box import Box
from sordino.errors import SordinoError
from sordino.evidence.box import BoxEvidence
from sordino.evidence.shape import Floats
from sordino.exact.messages.arguments import checked_class
from sordino.exact.steady import steady
from sordino.mechanism.bit_query import coin_weights
from sordino.mechanism.ranged_query import LogarithmicShape, RangedQuery

SPILL = 1e-9
"""How far a statistic may leave its range, in parts of the range: coefficients and sums are rounded; it is cut off."""


NEXT_TO_NOTHING = 1e-9
"""Of the least probability: no record comes near it where evidence has a radius worth keeping."""


class LogAffine(LogarithmicShape):
    """f(u) = ln(low + span u) for u in [0, 1]: concave."""

    concave = True

    def value(self, t: Floats) -> Floats:
        """The logarithm."""
        value: Floats = np.log(self._inner(t))
        return value

    def slope(self, t: Floats) -> Floats:
        """The derivative span / (low + span u)."""
        slope: Floats = self.parameters[1] / self._inner(t)
        return slope

    def curve(self, t: Floats) -> Floats:
        """The square of the slope."""
        curve: Floats = self.slope(t) ** 2
        return curve

    @property
    def inflection(self) -> Floats:
        """None: concave from the beginning."""
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


@checked_class
@dataclass(frozen=True, init=False)
class LinearQuery(RangedQuery):
    """Is a linear model's value nearer to its upper end? One bit.

    Attributes:
        low: the least value that the model can have; answer 0 stands for it, and for what lies below.
        high: the largest value; answer 1, also for what lies above.

    Example:
        >>> query = LinearQuery([0.5, -0.5], 0, low=-1, high=1, epsilon="ln 3")
        >>> query.thresholds(np.array([[1.0, -1.0], [0.0, 0.0]])) / 2**64
        array([0.75, 0.5 ])
    """

    @steady
    def evidence(self, box: Box, code: int) -> BoxEvidence:
        """What one answer says about a record in the box: ln of a probability that is affine in the record.

        Raises:
            SordinoError: theta of another length, or a statistic that can leave its range on the box.
        """
        self._require_code(code)
        beyond = self._beyond(box)
        return self._told(box, code, _shape(self.threshold), beyond) if self.informative else BoxEvidence(box)

    @steady
    def require_fit(self, box: Box) -> None:
        """Check that the statistic stays in its range on the box.

        Raises:
            SordinoError: theta of another length, or a statistic that can leave its range on the box.
        """
        self._beyond(box)

    def _beyond(self, box: Box) -> float:
        """How far the statistic can leave its range on the box, up to its rounding: a small part of the range."""
        super().require_fit(box)
        middle = math.fsum((self._coefficients * box.centre).tolist()) + self.intercept
        reach = float(np.abs(self._coefficients) @ box.reach)
        low, high = middle - reach, middle + reach
        beyond = max(self.low - low, high - self.high, 0.0)
        rounding, most = self._rounding(box), SPILL * (self.high - self.low)
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


@lru_cache(maxsize=256)
def _shape(threshold: int) -> LogAffine:
    """The function of a coin; the questions of a stream have few coins."""
    return LogAffine(coin_weights(threshold))
