"""One estimate of what several questions tell, by weights that no answer changes.

Different people answer different questions, so given who was drawn for which the estimates are independent. Each
weighs as much as its reports are worth: their number, which is public, over the variance of one by the plan alone, for
people of whom nothing is known (shares: all values alike; means: the largest second moment of any record). So the
pooled estimate is unbiased, and its variance that of the weighted sum, whatever the truth is.
Shapes: m numbers.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sordino.domain.ranges import Ranges
from sordino.estimation.estimate import Estimate
from sordino.estimation.intervals.contrast import tells_covariance
from sordino.estimation.moment_estimator import MomentEstimator
from sordino.estimation.moments import NormalEstimate, means
from sordino.estimation.unbiased import Decoded
from sordino.mechanism.aggregate import Aggregate
from sordino.mechanism.base import Mechanism
from sordino.query.sampled import Sampled

Floats = NDArray[np.float64]

MOST_ENTRIES = 1 << 22
"""Of codes times pooled numbers, for each question."""


@dataclass(frozen=True, eq=False)
class PooledPart:
    """What one question tells.

    Attributes:
        value: unbiased, shape (m,).
        variance: of these, shape (m,).
        weight: by the plan and the number of reports, shape (m,), positive.
        n: the number of reports.
    """

    value: Floats
    variance: Floats
    weight: Floats
    n: int

    @classmethod
    def of_shares(cls, estimate: Estimate, sums: Floats, *, subtract_totals: bool) -> "PooledPart":
        """Of sums of shares.

        Args:
            estimate: of all shares.
            sums: which values each number adds up, shape (m, k).
            subtract_totals: as the estimate was made.
        """
        mechanism, n = estimate.mechanism, estimate.n
        planned = Decoded(mechanism, mechanism.forward(np.full(mechanism.k, 1 / mechanism.k)))
        expected = np.diagonal(planned.covariance(sums, subtract_totals=subtract_totals))
        return cls(sums @ estimate.value, estimate.variances(sums), n / expected, n)

    @classmethod
    def of_mean(cls, asked: Sampled, aggregate: Aggregate, place: int, ranges: Ranges) -> "PooledPart":
        """Of the mean of a number, in its own unit, shape (1,).

        Raises:
            SordinoError: fewer reports than moments, or one that nobody answered about.
        """
        found, reader = means(asked, aggregate, [place], ranges), MomentEstimator.of(asked)
        at = reader.moments.names.index((place,))
        weight = reader.precision(aggregate)[[at]] / ranges.half[place] ** 2
        return cls(found.value, found.stderr**2, weight, aggregate.n)


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
