"""Means of numbers that may be missing, among the people who have them; and the share of the people who do not.

With y the mean of the number, a missing one counted as 0, and s the share of people who have it, both unbiased, the
mean among these is y / s. Its standard error is first-order (delta method). Its interval is Fieller's (`quotient`):
where the interval of s does not leave 0 out, the reports say nothing of the mean, and none is told. Of few reports it
widens to what the likelihood of their codes allows (`moment_limits`), and other limits are the likelihood's.

Shapes: a numbers, of which b may be missing.
"""

from dataclasses import dataclass, field
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from sordino.domain.moment import Factors, given
from sordino.domain.ranges import Ranges
from sordino.estimation.estimated_moments import AboutNumbers, EstimatedMoments, MomentReader, read_moments
from sordino.estimation.interval import errors_to_either_side
from sordino.estimation.intervals.moment_limits import moment_limits, ratio_limits
from sordino.estimation.intervals.possible import possible_limits
from sordino.estimation.intervals.quotient import quotient_limits
from sordino.estimation.moment_estimator import MomentEstimator
from sordino.estimation.moments import NormalEstimate
from sordino.mechanism.aggregate import Aggregate

Floats = NDArray[np.float64]

Limits = tuple[Floats, Floats]


@dataclass(frozen=True, eq=False)
class NumberAndShare:
    """What is told of one scaled number that may be missing.

    Attributes:
        number: y, its mean, a missing one counted as 0.
        share: s, of the people who have it.
        covariance: of the two, shape (2, 2).
    """

    number: float
    share: float
    covariance: Floats

    @classmethod
    def of(cls, means: Floats, covariance: Floats) -> "NumberAndShare":
        """Of the means of the number and of whether it is given, which is 1 or -1, shape (2,)."""
        to_share = np.array([1.0, 0.5])
        return cls(float(means[0]), (1 + float(means[1])) / 2, covariance * np.outer(to_share, to_share))

    @property
    def mean(self) -> float:
        """Of the number among those who have it."""
        return self.number / self.share

    @property
    def stderr(self) -> float:
        """Of this mean, to the first order."""
        slopes = np.array([1.0, -self.mean]) / self.share
        return sqrt(max(float(slopes @ self.covariance @ slopes), 0.0))

    @property
    def share_stderr(self) -> float:
        """Of the share."""
        return sqrt(float(self.covariance[1, 1]))

    def limits(self, z: float) -> tuple[float, float] | None:
        """Of the mean, within [-1, 1], at this many standard errors; None where the share may be 0."""
        found = self.uncut(z)
        if np.isnan(found[0]):
            return None
        least, most = map(float, possible_limits(self.mean, found, (-1, 1)))
        return least, most

    def uncut(self, z: float) -> tuple[float, float]:
        """The same limits, also beyond what is possible; not numbers where there are none."""
        (yy, ys), (_, ss) = self.covariance.tolist()
        low, high = quotient_limits(self.number, self.share, (yy, ss, ys), z)
        return float(low), float(high)


@dataclass(frozen=True, eq=False)
class MeansGiven(NormalEstimate):
    """The means among those who have the numbers, shape (a,), then the shares of those who lack them, shape (b,).

    Attributes:
        ranges: of the numbers.
        told: of each that may be missing, by its place, ascending.
        estimator: of the scaled means.
        aggregate: the tally.
    """

    ranges: Ranges = field(repr=False)
    told: dict[int, NumberAndShare] = field(repr=False)
    estimator: MomentReader = field(repr=False)
    aggregate: Aggregate = field(repr=False)

    @classmethod
    def of(cls, asked: AboutNumbers, aggregate: Aggregate, ranges: Ranges) -> "MeansGiven":
        """Of the tally of queries that read some numbers as perhaps missing.

        Args:
            asked: by which people answered.
            aggregate: their tally.
            ranges: of the numbers.

        Raises:
            SordinoError: fewer reports than moments, or one that nobody answered about.

        Example:
            >>> from sordino import OptionalNumber, Query, RandomizedResponse
            >>> asked = Query(OptionalNumber(0), RandomizedResponse(3, "9"))
            >>> found = MeansGiven.of(asked, asked.tally([1] * 60 + [0] * 20 + [2] * 20), Ranges.of({"x": (0, 10)}))
            >>> found.value.round(2).tolist(), found.untold(1.96)
            ([7.5, 0.2], ())
        """
        reader = read_moments(asked)
        known = reader.moments.names
        places = [j for j in range(ranges.d) if given(j) in known]
        names: list[Factors] = [*((j,) for j in range(ranges.d)), *map(given, places)]
        read = EstimatedMoments.of(reader, aggregate, names, ranges.names)
        told = {}
        for i, j in enumerate(places):
            at = [j, ranges.d + i]
            told[j] = NumberAndShare.of(read.means[at], read.covariance[np.ix_(at, at)])
        means, errors = read.means[: ranges.d].copy(), np.sqrt(np.diagonal(read.covariance)[: ranges.d])
        for j, own in told.items():
            means[j], errors[j] = (own.mean, own.stderr) if own.share > 0 else (np.nan, np.nan)
        shares = [(1 - own.share, own.share_stderr) for own in told.values()]
        value = np.append(ranges.middle + ranges.half * means, [share for share, _ in shares])
        stderr = np.append(ranges.half * errors, [error for _, error in shares])
        return cls(value, stderr, aggregate.n, ranges, told, reader, aggregate)

    def interval(self, confidence: float = 0.95) -> Limits:
        """Lower and upper limits; each covers by itself. Not a number where no mean is told.

        Raises:
            SordinoError: a confidence outside (0, 1).
        """
        z = errors_to_either_side(confidence)
        if not isinstance(self.estimator, MomentEstimator):
            return self.within(z)
        names, d, error = self.estimator.moments.names, self.ranges.d, 1 - confidence
        numbers = [names.index((j,)) for j in range(d)]
        shares = [names.index(given(j)) for j in self.told]
        low, high = moment_limits(self.estimator, self.aggregate, error)
        own = self.ranges.middle + self.ranges.half * np.stack([low[numbers], high[numbers]])
        # Who lacks a number is whoever is not among those who have it.
        lacking = (1 - np.stack([high[shares], low[shares]])) / 2
        pairs = list(zip([numbers[j] for j in self.told], shares, strict=True))
        quotients = ratio_limits(self._quotients(z), self.estimator, self.aggregate, pairs, error)
        return self._possible(np.concatenate([own, lacking], axis=1), quotients)

    def within(self, z: float) -> Limits:
        """What lies no further from the estimates than this many standard errors."""
        radius = z * self.stderr
        return self._possible(np.stack([self.value - radius, self.value + radius]), self._quotients(z))

    def _quotients(self, z: float) -> Limits:
        """Limits of the means among those who have a number that may be missing, shape (b,) each."""
        low, high = np.array([own.uncut(z) for own in self.told.values()]).T
        return low, high

    def _possible(self, limits: Floats, quotients: Limits) -> Limits:
        """Limits of all, shape (2, a + b), within what is possible; of scaled means that are quotients, by these."""
        low, high = limits
        d, ends = self.ranges.d, (self.ranges.low, self.ranges.high)
        low[:d], high[:d] = possible_limits(self.value[:d], (low[:d], high[:d]), ends)
        found = possible_limits(
            [own.mean if own.share > 0 else np.nan for own in self.told.values()], quotients, (-1, 1)
        )
        for j, least, most in zip(self.told, *found, strict=True):
            # A limit that is cut is the end of the range itself, not what rounding makes of it.
            low[j], high[j] = np.interp((least, most), (-1, 1), (self.ranges.low[j], self.ranges.high[j]))
        low[d:], high[d:] = possible_limits(self.value[d:], (low[d:], high[d:]))
        return low, high

    def untold(self, z: float) -> tuple[int, ...]:
        """The places of the numbers that nobody may have, as far as so many standard errors tell."""
        return tuple(j for j, own in self.told.items() if own.limits(z) is None)
