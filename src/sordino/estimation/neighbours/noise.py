"""How far estimates are from shares, and units in which that is about one whatever the share is.

The variance of an estimate rises with its share: it is that of a value that nobody has, and a part in proportion to the
share. Standard errors that the reports themselves tell rise with the noise of their own estimate too: large estimates
look less large, and spikes like noise. So shares are measured along a square root of their variance, in which noise is
about normal with standard deviation one. Where variance hardly rises these units are standard errors.

Noise is what reports add to the people who sent them: that these are a sample of others is none of it.

All this is of mechanisms that count supporting codes. Under a channel that tells near values apart less than far ones
(a tree, a product of axes, a table) an error moves people from a value to its neighbours: errors of near values oppose
each other, and a neighbourhood believes what one large error left around it.

Source: Anscombe 1948 (the square root of counts, and the shift that leaves its mean right).
"""

from dataclasses import dataclass

import numpy as np

from sordino.domain.value_partition import Partition
from sordino.estimation.unbiased import Decoded
from sordino.exact.floats import Floats
from sordino.mechanism.base import Mechanism
from sordino.mechanism.supported import SupportMechanism

SMALLEST = float(np.finfo(np.float64).tiny)
"""A standard error to divide by where nobody is, which is known without noise."""

LEAST_PART = 1e-3
"""Of the variance of an estimate of a mean share: the least that does not depend on the share."""

EVEN = 1.01
"""A larger factor between two standard errors is no rounding."""

MOST_SHIFT = 0.5
"""Of estimates, in variances at share zero: Anscombe's shift is for counts of one and more."""


def is_independent(mechanism: Mechanism) -> bool:
    """Whether the errors of two values do not depend on which values these are, but for their block and group.

    Any two values of a group are supported together equally often, so that errors have nothing in common but the known
    total.

    Example:
        >>> from sordino import MetricLDP, RandomizedResponse, TreeResponse
        >>> is_independent(RandomizedResponse(5, "1")), is_independent(TreeResponse(MetricLDP.line(5, "1")))
        (True, False)
    """
    return isinstance(mechanism, SupportMechanism)


@dataclass(frozen=True, eq=False)
class ShareNoise:
    """The noise of unbiased estimates.

    Attributes:
        stderr: shape (k,), positive, the standard error of the estimate of a value that nobody has.
        growth: shape (k,), nonnegative, by which part of itself the variance rises for a share of one such standard
            error.
    """

    stderr: Floats
    growth: Floats

    @classmethod
    def of(cls, mechanism: Mechanism, totals: Floats, n: int, *, subtract: bool = False) -> "ShareNoise":
        """That of a tally.

        Args:
            totals: shape (m,), the known shares of its blocks.
            subtract: whether estimates are shifted to these shares.
        """
        blocks = mechanism.partition
        alike, size = (totals / blocks.sizes)[blocks.block], blocks.sizes[blocks.block]
        if subtract:
            law = mechanism.forward(alike)
            squares = Decoded(mechanism, law).unit_variance(subtract_totals=True) + alike**2
        else:
            squares = mechanism.moment(alike)
        # Where all of a block have the same share, each value's second moment is of its own people and of the others'.
        own = mechanism.squares.own * alike
        others = np.maximum(squares - own, LEAST_PART * squares)
        least = others * size / np.maximum(size - 1, 1)
        # A report of somebody who has the value adds 1 on average: of its square that is no noise.
        slope = np.divide(squares - least, alike, out=np.zeros_like(alike), where=alike > 0) - 1
        positive = (alike > 0) & (least > 0)
        stderr = np.where(positive, np.sqrt(np.where(positive, least, 1.0) / n), SMALLEST)
        return cls(stderr, np.where(positive, np.maximum(slope, 0.0) / (n * stderr), 0.0))

    def is_uneven(self, blocks: Partition) -> bool:
        """Whether values of one block have noise of different sizes."""
        ordered = self.stderr[blocks.order]
        most, least = (ends.reduceat(ordered, blocks.starts) for ends in (np.maximum, np.minimum))
        return bool((most > EVEN * least).any())

    def at(self, shares: Floats) -> Floats:
        """The standard errors of estimates of these shares, shape (k,)."""
        return self.stderr * np.sqrt(1 + self.growth * (shares / self.stderr))

    def units(self, shares: Floats) -> Floats:
        """Shares in units of noise, shape (k,), nonnegative."""
        ratio = shares / self.stderr
        units: Floats = 2 * ratio / (1 + np.sqrt(1 + self.growth * ratio))
        return units

    def units_of_estimates(self, value: Floats) -> Floats:
        """Estimates in units of noise, shape (k,), about normal about the units of their shares, with variance one."""
        ratio, shift = value / self.stderr, np.minimum(self.growth**2 / 4, MOST_SHIFT)
        root = np.sqrt(np.maximum(1 + self.growth * ratio + shift, 0.0))
        shifted = ratio + np.divide(shift, self.growth, out=np.zeros_like(shift), where=self.growth > 0)
        units: Floats = 2 * shifted / (1 + root)
        return units

    def shares(self, units: Floats, squares: Floats | None = None) -> Floats:
        """Shares of units, shape (k,), or expected shares of expected units and their expected squares."""
        return self.stderr * (units + self.growth / 4 * (units**2 if squares is None else squares))
