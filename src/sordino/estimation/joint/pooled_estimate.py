"""A number of several questions' reports, whose limits are normal, and no closer than likelihood lets them be.

A report counts as what it adds to its question's estimate, less this estimate, times the question's weight and all
reports per report of the question: the mean over all reports is then how far the pooled number is off, with the
variance that it has. Where few reports tell a rare value their likelihood keeps the limits apart (`mean_limits`).
Shapes: m numbers.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import NamedTuple

import numpy as np

from sordino.estimation.intervals.mean_limits import FEWEST, limits_by_moments
from sordino.estimation.intervals.three_amounts import MOMENTS
from sordino.estimation.moments import NormalEstimate
from sordino.exact.arrays import Floats


class Amounts(NamedTuple):
    """What a report adds to each number, less the number.

    Attributes:
        moments: the means of the first powers, shape (powers, m).
        ends: the least and the most that one can add, shape (2, m).
        n: the number of reports.
    """

    moments: Floats
    ends: Floats
    n: int

    @classmethod
    def of(cls, added: Floats, law: Floats, n: int) -> "Amounts":
        """Of what each code adds, shape (m, codes), and how often it was sent, shape (codes,)."""
        away = added - (added @ law)[:, None]
        powers = (reduce(np.multiply, [away] * power) for power in range(1, MOMENTS + 1))
        return cls(np.stack([power @ law for power in powers]), np.stack([away.min(axis=1), away.max(axis=1)]), n)

    @classmethod
    def pool(cls, parts: Sequence["Amounts"], weights: Floats) -> "Amounts":
        """Of all reports of some questions, by the weights of these in each number, shape (questions, m).

        Example:
            >>> one = Amounts.of(np.array([[0.0, 1.0]]), np.array([0.5, 0.5]), 10)
            >>> both = Amounts.pool([one, one], np.array([[0.5], [0.5]]))
            >>> both.n, both.moments[:2, 0].tolist(), both.ends[:, 0].tolist()
            (20, [0.0, 0.25], [-0.5, 0.5])
        """
        n = sum(part.n for part in parts)
        scales = [n / part.n * weight for part, weight in zip(parts, weights, strict=True)]
        powers = np.arange(1, MOMENTS + 1)[:, None]
        moments = sum(part.n / n * part.moments * scale**powers for part, scale in zip(parts, scales, strict=True))
        ends = np.stack([part.ends * scale for part, scale in zip(parts, scales, strict=True)])
        return cls(np.asarray(moments), np.stack([ends[:, 0].min(axis=0), ends[:, 1].max(axis=0)]), n)


@dataclass(frozen=True, eq=False, repr=False)
class PooledEstimate(NormalEstimate):
    """Numbers of which it is known what each report adds.

    Attributes:
        amounts: of all reports.
    """

    amounts: Amounts

    def interval(self, confidence: float = 0.95) -> tuple[Floats, Floats]:
        """Lower and upper limits; each covers by itself."""
        low, high = super().interval(confidence)
        if self.amounts.n >= FEWEST:
            moments, (first, last), n = self.amounts
            least, most = limits_by_moments(moments, n, (first, last), 1 - confidence)
            low, high = np.minimum(low, self.value + least), np.maximum(high, self.value + most)
        return low, high
