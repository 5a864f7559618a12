"""Limits of means of numbers, by the likelihood of what their reports add.

An estimated mean is the average, over the reports that tell it, of a known amount for each code. Where few people are
far from most others, few amounts are large, and a normal interval ends too close on their side: of people of whom one
in a hundred has the largest number, most small surveys hold none of these. So limits are those of any mean of amounts
(`mean_limits`). Where queries of different weight tell a mean, an amount is the mean and what a report moves it by.
A mean among those who have a number is a quotient: its normal limits widen to what the likelihood allows (`quotient`).

Cost: five passes over the codes that tell each mean; some forty over those that tell a quotient.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sordino.estimation.intervals.mean_limits import FEWEST, MOMENTS, limits_by_moments
from sordino.estimation.intervals.quotient import QuotientRows, likely_limits
from sordino.estimation.moment_estimator import MomentEstimator
from sordino.exact.floats import Floats
from sordino.mechanism.channel import Aggregate

Limits = tuple[Floats, Floats]


def moment_limits(estimator: MomentEstimator, aggregate: Aggregate, error: float) -> Limits:
    """Lower and upper limits of the mean of each moment, shape (m,) each; of fewer than three reports, -1 and 1.

    Args:
        error: how often both limits may miss, together.

    Example:
        >>> from sordino import Number, Query, RandomizedResponse
        >>> asked = Query(Number(0), RandomizedResponse(2, "9"))
        >>> low, high = moment_limits(MomentEstimator.of(asked), asked.tally([0] * 100), 0.05)
        >>> low.round(3).tolist(), high.round(3).tolist()
        ([-1.0], [-0.934])
    """
    means, moved = estimator.means(aggregate), estimator.influences(aggregate)
    n = estimator.answers(aggregate)
    told = n >= FEWEST
    power, moments = moved.copy(), np.empty((MOMENTS, len(means)))
    for place in range(MOMENTS):
        moments[place] = power @ aggregate.counts * n**place
        power.data *= moved.data
    # What moves a mean up and what moves it down cancel each other, so 0 is between the ends.
    ends = (n * moved.min(axis=1).toarray().ravel(), n * moved.max(axis=1).toarray().ravel())
    found = limits_by_moments(moments[:, told], n[told], (ends[0][told], ends[1][told]), error)
    low, high = np.full(len(means), -1.0), np.ones(len(means))
    low[told], high[told] = (means[told] + limit for limit in found)
    return low, high


class RatioRows(NamedTuple):
    """Means among those who have a number, whose limits likelihood is to widen.

    Attributes:
        limits: of shares that stand for them, shape (pairs,) each; not a number where nothing is told.
        told: where likelihood says something, shape (pairs,).
    """

    limits: Limits
    told: NDArray[np.bool_]
    rows: QuotientRows

    def within(self, likely: Limits) -> Limits:
        """Limits of the means, in [-1, 1], by those of `rows`, shape (pairs,) each."""
        low, high = (limit.copy() for limit in self.limits)
        low[self.told], high[self.told] = likely
        return 2 * low - 1, 2 * high - 1


def ratio_limits(
    limits: Limits, estimator: MomentEstimator, aggregate: Aggregate, pairs: Sequence[tuple[int, int]], error: float
) -> Limits:
    """Limits of means among those who have a number, in [-1, 1], no closer than they are, shape (len(pairs),) each.

    Arguments as of `ratio_rows`.
    """
    asked = ratio_rows(limits, estimator, aggregate, pairs, error)
    return asked.within(likely_limits(*asked.rows))


def ratio_rows(
    limits: Limits, estimator: MomentEstimator, aggregate: Aggregate, pairs: Sequence[tuple[int, int]], error: float
) -> RatioRows:
    """Means among those who have a number, with what reports say of them.

    Args:
        limits: by `quotient_limits`; where they are not a number they stay so.
        pairs: the places of the mean, somebody who lacks the number counted as 0, and of whether it is given.
        error: how often both limits may miss, together.
    """
    means, moved = estimator.means(aggregate), estimator.influences(aggregate)
    own = [moved[list(pair)].tocsc() for pair in pairs]
    codes = [estimator.codes_of(pair) for pair in pairs]
    n = np.array([aggregate.counts[each].sum() for each in codes], dtype=np.float64)
    shape = len(pairs), max(map(len, codes), default=0)
    parts, wholes, law = np.zeros(shape), np.zeros(shape), np.zeros(shape)
    for row, (pair, at) in enumerate(zip(pairs, codes, strict=True)):
        numbers, given = means[list(pair)][:, None] + n[row] * own[row][:, at].toarray()
        # Of what is 1 or -1 the share is half, and a half; of numbers from 0 to 1 the mean is a share of the share.
        given = (1 + given) / 2
        # To rows of fewer codes than the longest one a code of theirs is added that nobody sent.
        rest = 0, shape[1] - len(at)
        parts[row], wholes[row] = np.pad((numbers + given) / 2, rest, "edge"), np.pad(given, rest, "edge")
        law[row, : len(at)] = aggregate.counts[at] / n[row]
    low, high = ((1 + limit) / 2 for limit in limits)
    told = ~np.isnan(low) & (n >= FEWEST)
    at_told = (low[told], high[told])
    rows = QuotientRows(at_told, parts[told], wholes[told], law[told], n[told], error)
    return RatioRows((low, high), told, rows)
