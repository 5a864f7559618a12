"""One estimate of what several questions tell, by weights that no answer changes.

Different people answer different questions, so given who was drawn for which the estimates are independent. Each
weighs as much as its reports are worth: their number, which is public, over the variance of one by the plan alone, for
people whom the plan expects (shares: else all values alike; means: numbers as forecasts take them). So the pooled
estimate is unbiased, and its variance that of the weighted sum, whatever the truth is; for such people, with v the
variances of the parts, it is 1 / sum(1 / v), which is below each of them.
Shapes: m numbers.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sordino.domain.ranges import Ranges
from sordino.estimation.estimate import Estimate
from sordino.estimation.estimated_moments import EstimatedMoments
from sordino.estimation.intervals.contrast import tells_covariance
from sordino.estimation.moment_estimator import MomentEstimator
from sordino.estimation.moments import NormalEstimate
from sordino.estimation.unbiased import Functionals
from sordino.mechanism.aggregate import Aggregate
from sordino.mechanism.base import Mechanism
from sordino.query.sampled import Sampled

Floats = NDArray[np.float64]

MOST_ENTRIES = 1 << 22
"""Of codes times pooled numbers, for each question."""

MISTAKEN = 0.01
"""The part of expected shares that is taken to be alike: no block is surely empty, so that no weight is endless."""


@dataclass(frozen=True, eq=False)
class PooledPart:
    """What one question tells.

    Attributes:
        value: unbiased, shape (m,).
        variance: of these, shape (m,).
        weight: one over the variance that the plan and the number of reports let expect, shape (m,), positive.
        n: the number of reports.
    """

    value: Floats
    variance: Floats
    weight: Floats
    n: int

    @classmethod
    def of_shares(
        cls, estimate: Estimate, sums: Floats, *, subtract_totals: bool, shares: Floats | None = None
    ) -> "PooledPart":
        """Of sums of shares.

        Args:
            estimate: of all shares.
            sums: which values each number adds up, shape (m, k).
            subtract_totals: as the estimate was made.
            shares: of the values that were expected before the data, shape (k,); all alike by default.
        """
        mechanism, n = estimate.mechanism, estimate.n
        asked = Functionals(mechanism, sums, subtract_totals)
        alike = np.full(mechanism.k, 1 / mechanism.k)
        expected = asked.expected(alike if shares is None else (1 - MISTAKEN) * shares + MISTAKEN * alike)
        return cls(sums @ estimate.value, asked.variances(estimate.decoded, n) / n, n / expected, n)

    @classmethod
    def of_mean(
        cls, asked: Sampled, aggregate: Aggregate, place: int, ranges: Ranges, expected: Floats
    ) -> "PooledPart":
        """Of the mean of a number that everybody has, in its own unit, shape (1,).

        Args:
            asked: the queries; what else they tell is not looked at.
            aggregate: their tally.
            place: of the number in their records.
            ranges: of all numbers of these.
            expected: the scaled numbers of people of whom nothing is known.

        Raises:
            SordinoError: queries that do not tell it, or nobody answered them.
        """
        found = EstimatedMoments.of(MomentEstimator.of(asked, [(place,)]), aggregate, [(place,)], ranges.names)
        middle, unit = ranges.middle[[place]], ranges.half[place] ** 2
        planned = MomentEstimator.of(asked, [(place,)]).expected_from(aggregate, expected)
        value, variance = middle + ranges.half[place] * found.means, unit * np.diagonal(found.covariance)
        return cls(value, variance, 1 / (unit * planned), aggregate.n)


def tells_sums(mechanism: Mechanism, count: int) -> bool:
    """Whether so many sums of a mechanism's shares can be pooled."""
    return tells_covariance(mechanism) and max(mechanism.counters, mechanism.k) * count <= MOST_ENTRIES


def pool(parts: Sequence[PooledPart]) -> NormalEstimate:
    """One estimate of all parts, shape (m,).

    Example:
        >>> parts = [PooledPart(np.array([x]), np.array([1.0]), np.array([w]), 10) for x, w in ((0.0, 1.0), (4.0, 3.0))]
        >>> found = pool(parts)
        >>> found.value, found.stderr.round(4), found.n
        (array([3.]), array([0.7906]), 20)
    """
    weights = np.stack([part.weight for part in parts])
    weights = weights / weights.sum(axis=0)
    value = (weights * [part.value for part in parts]).sum(axis=0)
    variance = (weights**2 * [part.variance for part in parts]).sum(axis=0)
    return NormalEstimate(value, np.sqrt(variance), sum(part.n for part in parts))
