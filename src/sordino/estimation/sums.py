"""Shares of several values together: the sums of their estimates, each with its own standard error.

What noise adds to one value it often takes from its neighbours, so that a sum over a run of values may be known far
better than each of them: the standard error is of the sum itself, not made of theirs.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sordino.domain.partition import Partition
from sordino.estimation.interval import errors_to_either_side
from sordino.estimation.intervals.possible import possible_limits
from sordino.estimation.unbiased import Decoded, Functionals


class Sums(NamedTuple):
    """Shares of blocks of values.

    Attributes:
        value: shape (m,); right on average, may be negative.
        stderr: shape (m,).
        swing: how many people one report can weigh in each, shape (m,).
    """

    value: NDArray[np.float64]
    stderr: NDArray[np.float64]
    swing: NDArray[np.float64]

    def interval(self, confidence: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Lower and upper limits, shape (m,) each, as of a normal distribution, within 0..1."""
        reach = errors_to_either_side(confidence) * self.stderr
        return possible_limits(self.value, (self.value - reach, self.value + reach))


def block_sums(decoded: Decoded, n: int, blocks: Partition, *, subtract_totals: bool = False) -> Sums:
    """What each block's values have together.

    Raises SordinoError: a tally that does not say how often each code was sent.
    """
    value, variance, swing = np.empty(blocks.m), np.empty(blocks.m), np.empty(blocks.m)
    for block in range(blocks.m):
        inside = (blocks.block == block).astype(np.float64)[None, :]
        (each,) = decoded.mechanism.contributions(inside, subtract_totals=subtract_totals)
        value[block], swing[block] = each @ decoded.law, np.ptp(each)
        (variance[block],) = Functionals(decoded.mechanism, inside, subtract_totals).variances(decoded, n)
    return Sums(value, np.sqrt(variance / n), swing)
