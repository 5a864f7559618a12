"""A linear model of a record cut to [low, high], answered by one bit.

Guarantee: exactly epsilon-LDP (see `bit_query`), whatever the record. As a function of the record the logarithm of an
answer's probability is flat, then a logarithm, then flat again: neither concave nor convex.
Source: Bayesian privacy filter paper, Section 5.3.2; (42)-(43) as corrected.
"""

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from sordino.domain.box import Box
from sordino.evidence.box import UNIT, BoxEvidence
from sordino.evidence.shape import Floats
from sordino.exact.messages.arguments import checked_class
from sordino.exact.steady import steady
from sordino.mechanism.bit_query import coin_weights
from sordino.mechanism.ranged_query import LogarithmicShape, RangedQuery


class LogClipped(LogarithmicShape):
    """f(u) = ln(low + span min(1, max(0, u))): convex up to the kink at 0, concave from there on."""

    kinked = True

    def value(self, t: Floats) -> Floats:
        """The logarithm of the cut share."""
        low, span = self.parameters
        value: Floats = np.log(low + span * np.minimum(np.maximum(t, 0.0), 1.0))
        return value

    def slope(self, t: Floats) -> Floats:
        """Zero outside."""
        low, span = self.parameters
        return np.where((t > 0) & (t <= 1), span / (low + span * t), 0.0)

    def slopes(self, t: Floats) -> tuple[Floats, Floats]:
        """They differ at both kinks."""
        low, span = self.parameters
        inside = span / (low + span * np.minimum(np.maximum(t, 0.0), 1.0))
        return np.where((t > 0) & (t <= 1), inside, 0.0), np.where((t >= 0) & (t < 1), inside, 0.0)

    @property
    def inflection(self) -> Floats:
        """The lower kink."""
        return np.zeros(self.n)

    def stationary(self, slope: Floats) -> Floats:
        """Between the kinks, or at the upper one."""
        low, span = self.parameters
        at: Floats = np.clip(1 / np.maximum(slope, 1e-300) - low / span, 0.0, 1.0)
        return at

    @cached_property
    def steepest(self) -> Floats:
        """Just above the lower kink."""
        low, span = self.parameters
        steepest: Floats = span / low * (1 + 4 * UNIT)
        return steepest


@checked_class
@dataclass(frozen=True, init=False)
class TruncatedLinearQuery(RangedQuery):
    """Is a linear model's value, cut to a range, nearer to its upper end? One bit.

    Attributes:
        low: values below count as this; answer 0 stands for it.
        high: values above count as this; answer 1.

    Example:
        >>> query = TruncatedLinearQuery([1.0], 0, low=0, high=1, epsilon="ln 3")
        >>> query.thresholds(np.array([[-5.0], [0.5], [2.0]])) / 2**64
        array([0.25, 0.5 , 0.75])
    """

    @steady
    def evidence(self, box: Box, code: int) -> BoxEvidence:
        """What one answer says about a record in the box.

        Raises:
            SordinoError: theta of another length than the box.
        """
        self.require_fit(box)
        self._require_code(code)
        return self._told(box, code, _shape(self.threshold)) if self.informative else BoxEvidence(box)


@lru_cache(maxsize=256)
def _shape(threshold: int) -> LogClipped:
    """The function of a coin; the questions of a stream have few coins."""
    return LogClipped(coin_weights(threshold))
