"""From sampled statistics to means, second moments and covariances of attributes, in their own units.

What queries tell is the unbiased mean of each statistic of `domain.moment`, on numbers scaled to [-1, 1], and the
covariance of these means. Here they become moments of the attributes. All are about the population that the people were
drawn from: standard errors hold the people's own variation as well as the noise.

Means and second moments are unbiased, and so are covariances: the product of two estimated means is corrected by their
covariance. Standard errors of covariances are first-order; intervals are normal.
Shapes: a attributes asked for, values (a,) or (a, a).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations_with_replacement

import numpy as np
from numpy.typing import NDArray

from sordino.domain.moment import Moment, given
from sordino.domain.ranges import Ranges
from sordino.errors import SordinoError
from sordino.estimation.estimated_moments import AboutNumbers, Combined, EstimatedMoments, read_moments, read_places
from sordino.estimation.interval import errors_to_either_side, require_confidence
from sordino.estimation.intervals.moment_limits import moment_limits
from sordino.estimation.moment_estimator import MomentEstimator
from sordino.estimation.quadratic import bounded_part
from sordino.mechanism.aggregate import Aggregate


@dataclass(frozen=True, eq=False)
class NormalEstimate:
    """Estimated numbers whose errors are near normal.

    Attributes:
        value: of any shape.
        stderr: of the same shape.
        n: the number of reports.
    """

    value: NDArray[np.float64]
    stderr: NDArray[np.float64]
    n: int

    def interval(self, confidence: float = 0.95) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Lower and upper limits; each covers by itself.

        Raises:
            SordinoError: a confidence outside (0, 1).
        """
        radius = errors_to_either_side(confidence) * self.stderr
        return self.value - radius, self.value + radius


@dataclass(frozen=True, eq=False)
class CovarianceEstimate(NormalEstimate):
    """A covariance matrix; the noise can make it one that no data have.

    Attributes:
        half: what one scaled unit is, shape (a,).
    """

    half: NDArray[np.float64] = field(repr=False)

    @property
    def projected(self) -> NDArray[np.float64]:
        """The nearest matrix that is a covariance and lets no number vary by more than its range allows.

        No variance is above the square of half the range, whatever the mean; the mean that is told is no bound, since
        noise moves it too. Nearest on the scaled numbers, so that no unit counts more.
        """
        units = np.outer(self.half, self.half)
        return bounded_part(self.value / units) * units


@dataclass(frozen=True, eq=False)
class EstimatedMeans(NormalEstimate):
    """Means of which it is known what each report adds.

    Attributes:
        estimator: of the scaled means.
        aggregate: the tally.
        at: which of the estimator's moments they are, shape (a,).
        middle, half: of the numbers' ranges, shape (a,) each.
    """

    estimator: MomentEstimator = field(repr=False)
    aggregate: Aggregate = field(repr=False)
    at: NDArray[np.intp] = field(repr=False)
    middle: NDArray[np.float64] = field(repr=False)
    half: NDArray[np.float64] = field(repr=False)

    def interval(self, confidence: float = 0.95) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Lower and upper limits, by the likelihood of what reports add; each covers by itself.

        Raises:
            SordinoError: a confidence outside (0, 1).
        """
        require_confidence(confidence)
        low, high = (limit[self.at] for limit in moment_limits(self.estimator, self.aggregate, 1 - confidence))
        return self.middle + self.half * low, self.middle + self.half * high


def covariance_statistics(places: Sequence[int]) -> tuple[Moment, ...]:
    """The statistics that the covariance matrix of some attributes needs: numbers, squares and products.

    Example:
        >>> covariance_statistics([0, 2])
        ((0,), (2,), (0, 0), (0, 2), (2, 2))
    """
    ordered = sorted(set(places))
    return (*((j,) for j in ordered), *combinations_with_replacement(ordered, 2))


def means(
    queries: AboutNumbers, aggregate: Aggregate, places: Sequence[int] | None = None, ranges: Ranges | None = None
) -> NormalEstimate:
    """The mean of each attribute, shape (a,).

    Of numbers that may be missing (`OptionalNumber`) it is the mean among those who have them; the shares of those who
    do not follow, shape (a + b,), and all attributes are told.

    Args:
        queries: by which people answered.
        aggregate: their tally.
        places: which attributes; all of them by default.
        ranges: their ranges; [-1, 1] by default.

    Raises:
        SordinoError: the queries do not tell them, fewer reports than statistics, or one that nobody answered.

    Example:
        >>> from sordino import Number, Query, RandomizedResponse, Sampled
        >>> asked = Sampled([Query(Number(0), RandomizedResponse(2, "ln 3"))], [1])
        >>> found = means(asked, asked.tally([1, 1, 0, 1]))
        >>> found.value.tolist(), found.n
        ([1.0], 4)
    """
    asked, ranges = read_places(queries, places, ranges)
    reader = read_moments(queries)
    names = reader.moments.names
    if any(given(j) in names for j in asked):
        from sordino.estimation.missing.given import MeansGiven

        if places is not None:
            step = "leave the places out"
            raise SordinoError("all numbers are told together where some may be missing", found="some", step=step)
        return MeansGiven.of(queries, aggregate, ranges)
    told = EstimatedMoments.of(reader, aggregate, [(j,) for j in asked], ranges.names)
    half = ranges.half[asked]
    stderr = half * np.sqrt(np.diagonal(told.covariance))
    value = ranges.middle[asked] + half * told.means
    if not isinstance(reader, MomentEstimator):
        return NormalEstimate(value, stderr, aggregate.n)
    at = np.array([reader.moments.names.index((j,)) for j in asked])
    return EstimatedMeans(value, stderr, aggregate.n, reader, aggregate, at, ranges.middle[asked], half)


def second_moments(
    queries: AboutNumbers, aggregate: Aggregate, places: Sequence[int] | None = None, ranges: Ranges | None = None
) -> NormalEstimate:
    """The mean of each product of two attributes, shape (a, a); arguments and errors as for `means`."""
    asked, ranges = read_places(queries, places, ranges)
    told = EstimatedMoments.of(queries, aggregate, covariance_statistics(asked), ranges.names)
    middle, half, second = ranges.middle[asked], ranges.half[asked], told.second(asked, asked)
    # (M + H x)(M' + H' x') = M M' + M' H x + M H' x' + H H' x x'.
    units, left, right = np.outer(half, half), np.outer(half, middle), np.outer(middle, half)
    rows, columns = np.meshgrid(told.singles(asked), told.singles(asked), indexing="ij")
    value = np.outer(middle, middle) + left * told.means[rows] + right * told.means[columns] + units * second.value
    at, slopes = np.stack([second.at[0], rows, columns]), np.stack([units * second.slopes[0], left, right])
    return NormalEstimate(value, Combined(told, value, at, slopes).stderr, aggregate.n)


def covariances(
    queries: AboutNumbers, aggregate: Aggregate, places: Sequence[int] | None = None, ranges: Ranges | None = None
) -> CovarianceEstimate:
    """The covariance matrix of the attributes, shape (a, a); arguments and errors as for `means`.

    Example:
        >>> from sordino import Dependence, sampled_moments
        >>> asked = sampled_moments(["2", "2"], "2", Dependence.unknown(2))
        >>> covariances(asked, asked.tally(asked.privatize(np.zeros((1000, 2))))).value.shape
        (2, 2)
    """
    asked, ranges = read_places(queries, places, ranges)
    centred = EstimatedMoments.of(queries, aggregate, covariance_statistics(asked), ranges.names).centred(asked, asked)
    half = ranges.half[asked]
    units = np.outer(half, half)
    return CovarianceEstimate(units * centred.value, units * centred.stderr, aggregate.n, half)
