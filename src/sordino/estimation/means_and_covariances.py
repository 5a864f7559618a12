"""From sampled statistics to means, second moments and covariances of attributes, in their own units.

What queries tell is the unbiased mean of each statistic of `domain.moment`, on numbers scaled to [-1, 1], and the
covariance of these means. Here they become moments of the attributes. All are about the population that the people were
drawn from: standard errors hold the people's own variation as well as the noise.

Means and second moments are unbiased, and so are covariances: the product of two estimated means is corrected by their
covariance. Standard errors of covariances are first-order; intervals are made of those of the three means that each is
made of (`covariance_limits`), and no closer than normal ones. Of numbers that may be missing
the means are those among the people who have them (`NumberAndShare`).
Shapes: a attributes asked for, values (a,) or (a, a).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sordino.blocks.arrow_rows import NUMBER, TEXT, ArrowRows, rows_table
from sordino.blocks.displayed import Displayed
from sordino.blocks.summary import numbers_summary, numbers_table
from sordino.domain.moment import Factors, Moment, presence
from sordino.domain.scaled import Ranges
from sordino.errors import SordinoError
from sordino.estimation.complete_cases import CompleteCases, Limits, NumberAndShare
from sordino.estimation.estimated_moments import AboutNumbers, EstimatedMoments, MomentReader, read_moments, read_places
from sordino.estimation.intervals.covariance_limits import covariance_limits
from sordino.estimation.intervals.moment_limits import RatioRows, moment_limits, ratio_rows
from sordino.estimation.intervals.possible import possible_limits
from sordino.estimation.intervals.quotient import likely_limits
from sordino.estimation.intervals.share_interval import errors_to_either_side, require_confidence
from sordino.estimation.moment_estimator import MomentEstimator
from sordino.estimation.solvers import bounded_part
from sordino.exact.floats import Floats
from sordino.exact.messages import shown
from sordino.mechanism.channel import Aggregate

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, eq=False, repr=False)
class NormalEstimate(ArrowRows, Displayed):
    """Estimated numbers whose errors are near normal.

    Attributes:
        value: of any shape.
        stderr: of the same shape.
    """

    value: Floats
    stderr: Floats
    n: int

    def __repr__(self) -> str:
        return numbers_summary(self.title, "place", {"estimate": self.value, "stderr": self.stderr})

    @property
    def title(self) -> str:
        """What it is, in a line."""
        return f"{type(self).__name__} from {self.n:,} reports"

    @property
    def columns(self) -> dict[str, Floats]:
        """The numbers with their 95% intervals, of the shape of `value` each."""
        low, high = self.interval()
        return {"estimate": self.value, "stderr": self.stderr, "low": low, "high": high}

    def to_arrow(self) -> "pa.Table":
        """A row for each number: its place (`0, 1` in a matrix), `estimate`, `stderr`, and the 95% interval."""
        table = numbers_table("place", self.columns)
        labels = [table.label(place) for place in range(table.count)]
        return rows_table({"place": TEXT} | dict.fromkeys(table.columns, NUMBER), {"place": labels, **table.columns})

    def interval(self, confidence: float = 0.95) -> tuple[Floats, Floats]:
        """Lower and upper limits; each covers by itself.

        Raises:
            SordinoError: a confidence outside (0, 1).
        """
        radius = errors_to_either_side(confidence) * self.stderr
        return self.value - radius, self.value + radius


@dataclass(frozen=True, eq=False, repr=False)
class CovarianceEstimate(NormalEstimate):
    """A covariance matrix; the noise can make it one that no data have.

    Attributes:
        half: what one scaled unit is, shape (a,).
        places: of the attributes, shape (a,).
    """

    half: Floats
    places: NDArray[np.intp]
    estimator: MomentReader
    aggregate: Aggregate

    def interval(self, confidence: float = 0.95) -> tuple[Floats, Floats]:
        """Lower and upper limits by the likelihood of the reports, never closer than normal ones."""
        normal, limits = super().interval(confidence), limits_of(self.estimator, self.aggregate, 1 - confidence)
        if limits is None:
            return normal
        at = {name: place for place, name in enumerate(self.estimator.moments.names)}
        rows, columns = np.triu_indices(len(self.places))
        pairs = [
            tuple(sorted(pair)) for pair in zip(self.places[rows].tolist(), self.places[columns].tolist(), strict=True)
        ]
        parts = np.array([[at[pair], at[pair[:1]], at[pair[1:]]] for pair in pairs], dtype=np.intp)
        means, covariance = self.estimator.means(self.aggregate), self.estimator.covariance(self.aggregate)
        units, found = self.half[rows] * self.half[columns], []
        for limit, own, farther in zip(
            covariance_limits(parts, means, limits, covariance), normal, (np.minimum, np.maximum), strict=True
        ):
            whole = np.zeros_like(self.value)
            whole[rows, columns] = whole[columns, rows] = units * limit
            found.append(farther(whole, own))
        return found[0], found[1]

    @property
    def nearest_covariance(self) -> Floats:
        """The nearest matrix that is a covariance and lets no number vary by more than its range allows.

        No variance is above the square of half the range, whatever the mean; the mean that is told is no bound, since
        noise moves it too. Nearest on the scaled numbers, so that no unit counts more.
        """
        units = np.outer(self.half, self.half)
        return bounded_part(self.value / units) * units


@dataclass(frozen=True, eq=False, repr=False)
class EstimatedMeans(NormalEstimate):
    """Means of which it is known what each report adds.

    Attributes:
        at: which of the estimator's moments they are, shape (a,).
        middle, half: of the numbers' ranges, shape (a,) each.
    """

    estimator: MomentEstimator
    aggregate: Aggregate
    at: NDArray[np.intp]
    middle: Floats
    half: Floats

    def interval(self, confidence: float = 0.95) -> tuple[Floats, Floats]:
        """Lower and upper limits, by the likelihood of what reports add; each covers by itself."""
        require_confidence(confidence)
        low, high = (limit[self.at] for limit in moment_limits(self.estimator, self.aggregate, 1 - confidence))
        return self.middle + self.half * low, self.middle + self.half * high


@dataclass(frozen=True, eq=False, repr=False)
class MeansGiven(NormalEstimate):
    """The means among those who have the numbers, shape (a,), then the shares of those who lack them, shape (b,).

    Of few reports an interval of a quotient (`NumberAndShare`) widens to what the likelihood of their codes allows
    (`moment_limits`), and other limits are the likelihood's.

    Attributes:
        told: of each that may be missing, by its place, ascending.
    """

    ranges: Ranges
    told: dict[int, NumberAndShare]
    estimator: MomentReader
    aggregate: Aggregate

    @classmethod
    def of(cls, asked: AboutNumbers, aggregate: Aggregate, ranges: Ranges) -> "MeansGiven":
        """Of the tally of queries that read some numbers as perhaps missing.

        Raises SordinoError: fewer reports than moments, or one that nobody answered about.

        Example:
            >>> from sordino import OptionalNumber, Query, RandomizedResponse
            >>> asked = Query(OptionalNumber(0), RandomizedResponse(3, "9"))
            >>> found = MeansGiven.of(asked, asked.tally([1] * 60 + [0] * 20 + [2] * 20), Ranges.of({"x": (0, 10)}))
            >>> found.value.round(2).tolist(), found.untold(1.96)
            ([7.5, 0.2], ())
        """
        reader = read_moments(asked)
        known = reader.moments.names
        places = [j for j in range(ranges.d) if presence(j) in known]
        names: list[Factors] = [*((j,) for j in range(ranges.d)), *map(presence, places)]
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
        """Lower and upper limits; each covers by itself. Not a number where no mean is told."""
        asked = self.quotients(confidence)
        likely = None if asked is None else asked.within(likely_limits(*asked.rows))
        return self.interval_with(likely, confidence)

    def quotients(self, confidence: float) -> RatioRows | None:
        """The means among those who have the numbers, whose limits likelihood is to widen; None where it says nothing.

        Of many estimates these are looked for together (`likely_limits_of`).
        """
        if not isinstance(self.estimator, MomentEstimator):
            return None
        numbers, shares = self._places(self.estimator)
        pairs = list(zip([numbers[j] for j in self.told], shares, strict=True))
        normal = self._quotients(errors_to_either_side(confidence))
        return ratio_rows(normal, self.estimator, self.aggregate, pairs, 1 - confidence)

    def _places(self, estimator: MomentEstimator) -> tuple[list[int], list[int]]:
        """Of each number its mean among the moments, and of each that may be missing who has it."""
        names = estimator.moments.names
        return [names.index((j,)) for j in range(self.ranges.d)], [names.index(presence(j)) for j in self.told]

    def interval_with(self, quotients: Limits | None, confidence: float) -> Limits:
        """`interval`, where the limits of `quotients` are known."""
        if quotients is None or not isinstance(self.estimator, MomentEstimator):
            return self.within(errors_to_either_side(confidence))
        numbers, shares = self._places(self.estimator)
        low, high = moment_limits(self.estimator, self.aggregate, 1 - confidence)
        own = self.ranges.middle + self.ranges.half * np.stack([low[numbers], high[numbers]])
        # Who lacks a number is whoever is not among those who have it.
        lacking = (1 - np.stack([high[shares], low[shares]])) / 2
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


def limits_of(reader: MomentReader, aggregate: Aggregate, error: float) -> Limits | None:
    """Limits of the mean of each moment, by the likelihood of what reports add; None of what only their errors tell."""
    if isinstance(reader, CompleteCases):
        return reader.limits(aggregate, error)
    return moment_limits(reader, aggregate, error) if isinstance(reader, MomentEstimator) else None


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
    if any(presence(j) in names for j in asked):
        if places is not None:
            step = "leave the places out"
            found = f"places {shown(places)}"
            raise SordinoError("all numbers are estimated together where some may be missing", found=found, step=step)
        return MeansGiven.of(queries, aggregate, ranges)
    told = EstimatedMoments.of(reader, aggregate, [(j,) for j in asked], ranges.names)
    half = ranges.half[asked]
    stderr = half * np.sqrt(np.diagonal(told.covariance))
    value = ranges.middle[asked] + half * told.means
    if not isinstance(reader, MomentEstimator):
        return NormalEstimate(value, stderr, aggregate.n)
    at = np.array([reader.moments.names.index((j,)) for j in asked])
    return EstimatedMeans(value, stderr, aggregate.n, reader, aggregate, at, ranges.middle[asked], half)


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
    reader = read_moments(queries)
    told = EstimatedMoments.of(reader, aggregate, covariance_statistics(asked), ranges.names)
    centred, half = told.covariances(asked, asked), ranges.half[asked]
    units = np.outer(half, half)
    value, stderr = units * centred.value, units * centred.stderr
    return CovarianceEstimate(value, stderr, aggregate.n, half, np.array(asked), reader, aggregate)
