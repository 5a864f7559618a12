"""One estimate of what several questions tell, by weights for one population that all of them see.

Different people answer different questions, so given who was drawn for which the estimates are independent. Each
weighs its number of reports, which is public, over the variance of one for people of a common population: shares as
pooled by such weights, from those that the plan expects on; numbers as the reports of all questions make them most
likely. At the true population, with v the variances of the parts, the pooled variance is 1 / sum(1 / v), which is
below each of them. Weights by each question's own variance would do no such thing: what came out small by chance
would seem sure, and weigh most. An answer changes the weights of all questions by the common population alone, of
which the best weighted sum is independent of how the questions differ: to first order nothing moves on average.
Shapes: m numbers.

A number of several questions' reports, whose limits are normal, and no closer than likelihood lets them be.

A report counts as what it adds to its question's estimate, less this estimate, times the question's weight and all
reports per report of the question: the mean over all reports is then how far the pooled number is off, with the
variance that it has. Where few reports tell a rare value their likelihood keeps the limits apart (`mean_limits`).
Shapes: m numbers.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import NamedTuple

import numpy as np

from sordino.domain.bins import Bins
from sordino.domain.moment import Factors
from sordino.domain.scaled import Ranges
from sordino.estimation.estimated_moments import EstimatedMoments
from sordino.estimation.intervals.contrast import tells_covariance
from sordino.estimation.intervals.mean_limits import FEWEST, MOMENTS, limits_by_moments
from sordino.estimation.joint.common_numbers import Distribution
from sordino.estimation.means_and_covariances import NormalEstimate
from sordino.estimation.moment_estimator import MomentEstimator
from sordino.estimation.share_estimate import Estimate
from sordino.estimation.simplex import project
from sordino.estimation.unbiased import Functionals
from sordino.exact.floats import Floats
from sordino.mechanism.base import Mechanism
from sordino.mechanism.channel import Aggregate
from sordino.query.sampled import Sampled

MOST_ENTRIES = 1 << 22
"""Of codes times pooled numbers, for each question."""

MISTAKEN = 0.01
"""The part of expected shares that is taken to be alike: no block is surely empty, so that no weight is endless."""

LEAST_VARIANCE = 1e-12
"""Of what a report adds to a scaled mean: below is rounding, where everybody has one number and epsilon is huge."""

ROUNDS = 4
"""Of pooling shares, each by weights at those of the round before."""


class Amounts(NamedTuple):
    """What a report adds to each number, less the number.

    Attributes:
        moments: the means of the first powers, shape (powers, m).
        ends: the least and the most that one can add, shape (2, m).
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

    def times(self, unit: float) -> "Amounts":
        """In a unit of which one of these is so many, above 0."""
        return Amounts(self.moments * unit ** np.arange(1, MOMENTS + 1)[:, None], self.ends * unit, self.n)

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


@dataclass(frozen=True, eq=False)
class PooledPart:
    """What one question tells.

    Attributes:
        value: unbiased, shape (m,).
        variance: of these, shape (m,).
        weight: one over the variance that is expected, shape (m,), positive; of shares by the plan, before any answer.
        squares: of shares that add up to one: the mean square of what a report adds to each number, for people of each
            of the m, shape (m, m); None where weights are final.
        amounts: what a report adds; None where that is not told.
    """

    value: Floats
    variance: Floats
    weight: Floats
    n: int
    squares: Floats | None = None
    amounts: Amounts | None = None

    def weight_at(self, shares: Floats) -> Floats:
        """One over the variance for people with these shares of the m, shape (m,), all above 0."""
        if self.squares is None:
            return self.weight
        variance = self.squares @ shares - shares**2
        return self.n / np.maximum(variance, np.finfo(float).tiny * self.n)

    @classmethod
    def of_shares(
        cls, estimate: Estimate, sums: Floats, *, subtract_totals: bool, shares: Floats | None = None
    ) -> "PooledPart":
        """Of sums of shares.

        Args:
            sums: which values each number adds up, shape (m, k); each value in one of them.
            shares: of the values that were expected before the data, shape (k,); all alike by default.
        """
        mechanism, n = estimate.mechanism, estimate.n
        asked = Functionals(mechanism, sums, subtract_totals)
        alike = np.full(mechanism.k, 1 / mechanism.k)
        likely = alike if shares is None else (1 - MISTAKEN) * shares + MISTAKEN * alike
        variance = asked.variances(estimate.decoded_reports, n) / n
        # Among people of one of the m, values are as they seem; a common population says no more of these.
        seen = estimate.nearest + MISTAKEN * likely
        squares = _by_group(asked.squares_of_value * seen, sums) / (sums @ seen)
        weight, amounts = n / asked.expected_variances(likely), None
        if mechanism.counts_codes:
            amounts = Amounts.of(mechanism.contributions(sums, subtract_totals=subtract_totals), estimate.law, n)
        return cls(sums @ estimate.value, variance, weight, n, squares, amounts)

    @classmethod
    def of_mean(
        cls,
        asked: Sampled,
        aggregate: Aggregate,
        place: int,
        ranges: Ranges,
        likely: Distribution,
        bins: Bins | None = None,
    ) -> "PooledPart":
        """Of the mean of a number that everybody has, in its own unit, shape (1,).

        Raises SordinoError: queries that do not tell it, or nobody answered them.

        Args:
            asked: the queries; what else they tell is not looked at.
            place: of the number in their records.
            likely: how the scaled number is distributed, for all questions alike.
            bins: in which the number was asked.
        """
        half = ranges.half[place]
        offset = 0.0 if bins is None else bins.offset_of_mean(_bins_of(likely, bins)) / half
        part = cls._of_moments(asked, aggregate, {(place,): 1.0}, likely, ranges.names)
        return part.with_offset(offset).in_unit(ranges.middle[place], half)

    @classmethod
    def of_square(
        cls,
        asked: Sampled,
        aggregate: Aggregate,
        place: int,
        ranges: Ranges,
        likely: Distribution,
        bins: Bins | None = None,
        *,
        center: float,
    ) -> "PooledPart":
        """Of the mean square of how far a number is from a center, in its own unit squared, shape (1,).

        Raises SordinoError, and arguments as of `of_mean`.
        """
        half, offset = ranges.half[place], 0.0
        scaled = (center - ranges.middle[place]) / half
        if bins is not None:
            offset = bins.offset_of_square(_bins_of(likely, bins), center) / half**2
        # The moment of a square is 2 x^2 - 1.
        slopes: dict[Factors, float] = {(place, place): 0.5, (place,): -2 * scaled}
        part = cls._of_moments(asked, aggregate, slopes, likely, ranges.names)
        return part.with_offset(offset).in_unit(half**2 * (0.5 + scaled**2), half**2)

    @classmethod
    def _of_moments(
        cls,
        asked: Sampled,
        aggregate: Aggregate,
        slopes: Mapping[Factors, float],
        likely: Distribution,
        labels: Sequence[str],
    ) -> "PooledPart":
        """Of a sum of scaled moments, each times its slope."""
        names, slope = list(slopes), np.array(list(slopes.values()))
        estimator = MomentEstimator.of(asked, names)
        found = EstimatedMoments.of(estimator, aggregate, names, labels)
        planned = np.full(1, LEAST_VARIANCE / aggregate.n)
        for name, own in slopes.items():
            numbers, shares = likely
            moment = numbers if len(name) == 1 else 2 * numbers**2 - 1
            alone = MomentEstimator.of(asked, [name]).expected_from(aggregate, (moment, shares))
            planned += own**2 * np.maximum(alone, 0.0)
        at = [estimator.moments.names.index(name) for name in names]
        moved = slope @ estimator.influences(aggregate).toarray()[at]
        # Reports that tell none of them move nothing, and are not counted.
        answers = float(aggregate.counts[estimator.codes_of(at)].sum())
        amounts = Amounts.of(answers * moved[None], aggregate.counts / answers, round(answers))
        variance = np.array([slope @ found.covariance @ slope])
        return cls(np.array([slope @ found.means]), variance, 1 / planned, aggregate.n, None, amounts)

    def with_offset(self, offset: float) -> "PooledPart":
        """Where numbers may lie off the middles of their bins by so much, which more reports do not lower.

        Three times its square, that of the farthest, so that intervals hold at 90 % and more wherever they lie: what
        is off to one side by d standard errors takes d + 1.28, of which the square is below 2.71 (1 + d^2).

        Args:
            offset: a standard deviation.
        """
        squared = 3 * offset**2
        return replace(self, variance=self.variance + squared, weight=1 / (1 / self.weight + squared))

    def in_unit(self, middle: float, unit: float) -> "PooledPart":
        """In a unit of which one scaled unit is so many."""
        amounts = self.amounts and self.amounts.times(unit)
        return replace(
            self,
            value=middle + unit * self.value,
            variance=unit**2 * self.variance,
            weight=self.weight / unit**2,
            amounts=amounts,
        )


def _bins_of(likely: Distribution, bins: Bins) -> Floats:
    """The shares of the bins among people with scaled numbers, shape (k,)."""
    numbers, shares = likely
    edges = bins.ends.scale(np.array(bins.edges[1:-1]))
    return np.bincount(np.searchsorted(edges, numbers, side="right"), shares, bins.k).astype(np.float64)


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
    values, n = np.stack([part.value for part in parts]), sum(part.n for part in parts)
    weights = _normalize([part.weight for part in parts])
    if all(part.squares is not None for part in parts):
        for _ in range(ROUNDS):
            # No share is surely 0: one person of the others' may have it.
            shares = (n * project((weights * values).sum(axis=0)) + 1 / values.shape[1]) / (n + 1)
            weights = _normalize([part.weight_at(shares) for part in parts])
    value = (weights * values).sum(axis=0)
    variance = (weights**2 * [part.variance for part in parts]).sum(axis=0)
    told = [part.amounts for part in parts if part.amounts is not None]
    if len(told) < len(parts):
        return NormalEstimate(value, np.sqrt(variance), n)
    return PooledEstimate(value, np.sqrt(variance), n, Amounts.pool(told, weights))


def _normalize(weights: Sequence[Floats]) -> Floats:
    total: Floats = np.stack(weights)
    total /= total.sum(axis=0)
    return total


def _by_group(columns: Floats, sums: Floats) -> Floats:
    """The sums of the columns of each group, shape (m, m), of shape (m, k)."""
    group = sums.argmax(axis=0)
    order = np.argsort(group, kind="stable")
    firsts = np.searchsorted(group[order], np.arange(len(sums)))
    return np.add.reduceat(columns[:, order], firsts, axis=1)


@dataclass(frozen=True, eq=False, repr=False)
class PooledEstimate(NormalEstimate):
    """Numbers of which it is known what each report adds."""

    amounts: Amounts

    def interval(self, confidence: float = 0.95) -> tuple[Floats, Floats]:
        low, high = super().interval(confidence)
        if self.amounts.n >= FEWEST:
            moments, (first, last), n = self.amounts
            least, most = limits_by_moments(moments, n, (first, last), 1 - confidence)
            low, high = np.minimum(low, self.value + least), np.maximum(high, self.value + most)
        return low, high


@dataclass(frozen=True, eq=False, repr=False)
class PooledDeviation(NormalEstimate):
    """A standard deviation, shape (1,), whose limits are roots of those of the variance.

    Attributes:
        variance: its square as it is estimated, which noise can make negative.
    """

    variance: NormalEstimate

    @classmethod
    def of(cls, square: NormalEstimate, center: NormalEstimate) -> "PooledDeviation":
        """Of the mean square about an estimated mean, to which this mean's own variance is added."""
        variance = replace(square, value=square.value + center.stderr**2)
        ends = (np.sqrt(np.maximum(variance.value + sign * variance.stderr, 0.0)) for sign in (-1, 1))
        low, high = ends
        return cls(np.sqrt(np.maximum(variance.value, 0.0)), (high - low) / 2, square.n, variance)

    def interval(self, confidence: float = 0.95) -> tuple[Floats, Floats]:
        low, high = (np.sqrt(np.maximum(limit, 0.0)) for limit in self.variance.interval(confidence))
        return np.minimum(low, self.value), np.maximum(high, self.value)
