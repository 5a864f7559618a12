"""Means of the moments of a record of numbers, from the tally of queries that read them: unbiased, with covariances.

Each query about numbers reads a value that counts, on average, as each of the statistic's `counted_moments`; what its
code counts as, g, has that mean too (`Mechanism.code_values`). With M the largest E[g^2 | value] of a query and n_q the
number who were drawn for it, the estimate weighs the mean of g in each query by n_q / M, which is best where
nothing is known of the people. It divides by those who were drawn, not by those who were expected: the draw is public
and says nothing about the records, so given the draw the estimate is unbiased. Answers that a person gives together are
tallied apart: each mean has its variance, but nothing tells the covariance of two of them.
Shapes: m moments, named by `domain.moment`; records of d numbers in [-1, 1].

What queries about numbers read of some people: the mean distribution of each statistic's values.

It is all that expected estimates depend on: a query's report depends on a person through what is read alone.

The largest variance of an estimated mean of a number, whatever population the people are drawn from.

A report counts as g with E[g] = x for a person whose number is x, and E[g^2] depends on x: the variance of g over
people is the mean of E[g^2] less the squared mean. Among people with one mean that is largest where the least concave
function above E[g^2] is reached: by people at two points.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate, permutations
from typing import TYPE_CHECKING, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sordino.domain.moment import Factors, Moments
from sordino.errors import SordinoError
from sordino.exact.floats import Floats
from sordino.exact.messages import kind
from sordino.mechanism.base import Mechanism
from sordino.mechanism.channel import Aggregate
from sordino.query.missing import CompleteCase, OptionalNumber
from sordino.query.number import NumberStatistic
from sordino.query.query import Query
from sordino.query.sampled import Sampled
from sordino.query.together import Together

MeanReadings: TypeAlias = Mapping[NumberStatistic, Floats]
"""For each statistic the probability that each of its values is read of somebody, shape (k,)."""


@dataclass(frozen=True, eq=False)
class LargestVariance:
    """The largest variance of an estimated mean, times n, in any population with that mean: a concave function of it.

    Attributes:
        points: means between which the mean square of a report is linear, ascending, shape (p,).
        squares: the largest mean square at each, weighed as the estimate weighs its queries, shape (p,).
        weight: of the squared mean, which is subtracted.
    """

    points: Floats
    squares: Floats
    weight: float

    @classmethod
    def of(cls, squares: Sequence[tuple[Floats, Floats]], weights: Sequence[float]) -> Self:
        """Of a moment that some queries tell.

        Args:
            squares: of each query the points from -1 to 1 that are read, and E[g^2] at each.
            weights: of each in the variance of the estimate.
        """
        points = np.unique(np.concatenate([own for own, _ in squares]))
        told = zip(squares, weights, strict=True)
        total = sum((weight * np.interp(points, *own) for own, weight in told), np.zeros(len(points)))
        return cls(*least_concave(points, total), sum(weights))

    def at(self, mean: Floats) -> Floats:
        """The largest variance, times n, of populations with these means in [-1, 1]."""
        found: Floats = np.interp(mean, self.points, self.squares) - self.weight * mean**2
        return found

    @cached_property
    def worst_mean(self) -> float:
        slopes = np.diff(self.squares) / np.diff(self.points)
        tops = np.clip(slopes / 2 / self.weight, self.points[:-1], self.points[1:])
        return float(tops[np.argmax(self.at(tops))])

    @property
    def most(self) -> float:
        return float(self.at(np.array(self.worst_mean)))


if TYPE_CHECKING:
    from scipy.sparse import csr_array


@dataclass(frozen=True, eq=False)
class QueryMoment:
    """How one query tells one moment.

    Attributes:
        query: its place among all queries, one after the other.
        moment: its place among the moments.
        grid: what each value that is read counts as, shape (k,).
        code: g, what each code counts as, shape (outputs,).
        second: E[g^2 | value], shape (k,).
        share: the probability of being drawn to answer the query.
    """

    query: int
    moment: int
    grid: Floats
    code: Floats
    second: Floats
    share: float

    @property
    def largest(self) -> float:
        """M, the largest E[g^2 | value], and so of any record."""
        return float(self.second.max())

    @cached_property
    def least(self) -> float:
        """The least variance of g given a value: no people's answers vary less."""
        return max(float((self.second - self.grid**2).min()), 0.0)

    @property
    def has_equal_squares(self) -> bool:
        """Whether E[g^2] is the same for all values, up to rounding; or taken to be so, where no number tells it."""
        # Of a number that may be missing, one that counts as 0 is missing or is 0.
        return not (np.diff(self.grid) > 0).all() or self.largest <= float(self.second.min()) * (1 + 1e-12)

    @property
    def squares(self) -> tuple[Floats, Floats]:
        """Moments from -1 to 1, and the largest mean of E[g^2] there, linear between them."""
        if self.has_equal_squares:
            return np.array([-1.0, 1.0]), np.full(2, self.largest)
        return self.grid, self.second

    def mean_square(self, shares: Floats | None) -> float:
        """The mean of E[g^2] over people of whom each value is read with these probabilities, if it depends on them."""
        return self.largest if self.has_equal_squares or shares is None else float(shares @ self.second)

    def square_at(self, numbers: Floats, shares: Floats) -> float:
        """The mean of E[g^2] over records with these moments, each of which is read as one of the points beside it."""
        return self.largest if self.has_equal_squares else float(np.interp(numbers, self.grid, self.second) @ shares)

    def worst_variance(self, share: float = 1.0) -> float:
        """The largest E[g^2] / share - x^2 of all records, x their moment; `share` of the people are asked at all."""
        share *= self.share
        if self.has_equal_squares:
            return self.largest / share
        # From point to point E[g^2] is linear: a parabola has its top between them, or at an end.
        points, second = self.grid, self.second / share
        tops = np.clip(np.diff(second) / np.diff(points) / 2, points[:-1], points[1:])
        return float((np.interp(tops, points, second) - tops**2).max())

    @property
    def even_variance(self) -> float:
        """The mean of E[g^2] / share over moments that are spread evenly over [-1, 1], less a third."""
        spread = float(np.trapezoid(self.second, self.grid)) / 2
        return (self.largest if self.has_equal_squares else spread) / self.share - 1 / 3


@dataclass(frozen=True, eq=False)
class MomentEstimator:
    """What the tallies of queries about numbers tell.

    Attributes:
        asked: a query about numbers, or several that are drawn from, or answered together.
        wanted: the moments that are read; all that are told if None. Where some of those that are told were answered by
            nobody, others may still be read.

    Example:
        >>> from sordino import Number, Query, RandomizedResponse, Sampled
        >>> bits = Sampled(tuple(Query(Number(j), RandomizedResponse(2, "ln 3")) for j in range(2)), (1, 3))
        >>> MomentEstimator.of(bits).noise().round(6).tolist()
        [16.0, 5.333333]
    """

    asked: Sampled
    wanted: tuple[Factors, ...] | None = None

    @classmethod
    def of(cls, asked: Query | Together | Sampled, wanted: Sequence[Factors] | None = None) -> Self:
        """Of one query, too, or of several that everybody answers.

        Args:
            wanted: some of the moments that they tell; all by default.
        """
        drawn = asked if isinstance(asked, Sampled) else Sampled((asked,), (1,))
        if not drawn.numbers:
            rule, step = "means are estimated from queries about numbers of one record", "ask about Number or Product"
            raise SordinoError(rule, found=kind(asked), step=step)
        return cls(drawn, None if wanted is None else tuple(wanted))

    @cached_property
    def moments(self) -> Moments:
        """What is read, in the order of the queries."""
        names = self.asked.moments_read
        return Moments(self.asked.d, tuple(name for name in names if self.wanted is None or name in self.wanted))

    @property
    def d(self) -> int:
        return self.asked.d

    def means(self, aggregate: Aggregate) -> Floats:
        """The unbiased estimate of the mean of each moment, shape (m,).

        Raises SordinoError: another tally; no reports, or none about one of the moments; reports that depend on
        nothing.
        """
        counts = self._counts(aggregate)
        return (self._code_weights @ counts) / self._total_precision(counts)

    def covariance(self, aggregate: Aggregate) -> Floats:
        """The estimated covariance of `means` given who was drawn, shape (m, m), for independent people.

        What a report adds is compared with what the estimates let expect. No variance is below the least that answers
        can have; those who answer different queries are different people, but for queries that are answered together:
        between what two of these tell it is not a number, for the tally does not say what one person answered to both.
        """
        counts = self._counts(aggregate)
        drawn, means = self._total_precision(counts), np.clip(self.means(aggregate), -1, 1)
        # What a report of each query is expected to add to each weighed sum; 0 where it does not tell the moment.
        residual = self._code_weights - self._inverse.multiply(means[:, None]).tocsr()
        spread = (residual.multiply(counts[None, :]) @ residual.T).toarray()
        least = self._least @ counts
        np.fill_diagonal(spread, np.maximum(np.diagonal(spread), least))
        answers = np.maximum(self._answers(counts), 2)
        covariance: Floats = spread / drawn[:, None] / drawn[None, :]
        correction = np.sqrt(answers / (answers - 1))
        covariance *= correction[:, None] * correction[None, :]
        covariance[self._untold] = np.nan
        return covariance

    def leverage(self, aggregate: Aggregate) -> tuple[Floats, Floats]:
        """How far one report can have moved each mean, and the part that it can have of its weight, shape (m,) each."""
        drawn = self._total_precision(self._counts(aggregate))
        least, most = np.full(self.moments.m, np.inf), np.full(self.moments.m, -np.inf)
        weight = np.zeros(self.moments.m)
        at = [part.moment for part in self.query_moments]
        np.minimum.at(least, at, [part.code.min() for part in self.query_moments])
        np.maximum.at(most, at, [part.code.max() for part in self.query_moments])
        np.maximum.at(weight, at, [1 / part.largest for part in self.query_moments])
        return weight * (most - least) / drawn, weight / drawn

    def influences(self, aggregate: Aggregate) -> "csr_array":
        """How far a report with each code moved each mean, shape (m, codes): over all reports they add up to 0."""
        by_mean = self._inverse.multiply(self.means(aggregate)[:, None])
        drawn = self._total_precision(self._counts(aggregate))
        moved: csr_array = (self._code_weights - by_mean).multiply(1 / drawn[:, None]).tocsr()
        return moved

    def codes_of(self, places: Sequence[int]) -> NDArray[np.intp]:
        """The codes that tell one of some moments, ascending."""
        return np.unique(self._inverse[list(places)].indices)

    def answers(self, aggregate: Aggregate) -> Floats:
        """How many reports tell each moment, shape (m,)."""
        return self._answers(self._counts(aggregate))

    def expected_from(self, aggregate: Aggregate, likely: tuple[Floats, Floats]) -> Floats:
        """The variance of each mean by as many reports of each query as came, shape (m,), whatever they say.

        Args:
            aggregate: the tally, of which only these numbers of reports are looked at.
            likely: what each moment is, taken by itself: numbers in [-1, 1], and the share of records with each.
        """
        numbers, shares = likely
        counts, square = self._counts(aggregate), float(numbers @ shares) ** 2
        each = [(part.square_at(numbers, shares) - square) / part.largest**2 for part in self.query_moments]
        spread = self._by_code([np.full(len(p.code), one) for p, one in zip(self.query_moments, each, strict=True)])
        return spread @ counts / self._total_precision(counts) ** 2

    def noise(self) -> Floats:
        """1 / sum of share / M, shape (m,).

        The variance of each mean, times n, is at most this less its square; less where E[g^2] is not the largest.
        """
        return 1 / self._precision

    def expectations(self, readings: MeanReadings) -> tuple[Floats, Floats]:
        """The mean of each moment and the variance of its estimate times n, shape (m,) each, for independent people."""
        at = {name: place for place, name in enumerate(self.moments.names)}
        means, variance = np.zeros(self.moments.m), np.zeros(self.moments.m)
        for statistic, shares in readings.items():
            for name, grid in statistic.counted_moments:
                means[at[name]] = shares @ grid
        for part in self.query_moments:
            weight = part.share / part.largest / self._precision[part.moment]
            own = part.mean_square(readings.get(self.asked.numbers[part.query])) - means[part.moment] ** 2
            variance[part.moment] += weight**2 * own / part.share
        return means, variance

    def largest_variance(self, share: float = 1.0) -> Floats:
        """The variance of each mean, times n, shape (m,), at most, whatever the records of the n people are.

        It is the variance around the mean of these people: how they differ from others is not in it.

        Args:
            share: the probability with which each of them answers at all, drawn without looking.
        """
        largest = self.noise() / share
        for part in self._single:
            largest[part.moment] = part.worst_variance(share)
        return largest

    @cached_property
    def largest_variances(self) -> tuple[LargestVariance, ...]:
        """Of each moment, whatever population the people are drawn from."""
        told: list[list[QueryMoment]] = [[] for _ in range(self.moments.m)]
        for part in self.query_moments:
            told[part.moment].append(part)
        precisions = zip(told, self._precision.tolist(), strict=True)
        return tuple(
            LargestVariance.of(
                [part.squares for part in parts], [part.share / (part.largest * precision) ** 2 for part in parts]
            )
            for parts, precision in precisions
        )

    def even_variance(self) -> float:
        """The total variance of the means, times n, for people whose moments are spread evenly over [-1, 1]."""
        single = self._single
        several = np.delete(self.noise(), [part.moment for part in single]) - 1 / 3
        return float(several.sum()) + sum(part.even_variance for part in single)

    @cached_property
    def query_moments(self) -> tuple[QueryMoment, ...]:
        """Every moment of every query."""
        total, found = sum(self.asked.weights), []
        at = {name: place for place, name in enumerate(self.moments.names)}
        known: dict[tuple[Mechanism, bytes], tuple[Floats, Floats]] = {}
        weights = zip(self.asked.drawn_parts, self.asked.weights, strict=True)
        parts = ((query, weight / total) for queries, weight in weights for query in queries)
        for q, (query, share) in enumerate(parts):
            for name, grid in query.number.counted_moments:
                if name not in at:
                    continue
                key = query.mechanism, grid.tobytes()
                if key not in known:
                    known[key] = _contributions(query.mechanism, grid)
                found.append(QueryMoment(q, at[name], grid, *known[key], share))
        return tuple(found)

    @cached_property
    def _single(self) -> tuple[QueryMoment, ...]:
        """The moments that are told in one way only, by one query or by several that are alike, as if by one."""
        ways: dict[int, dict[tuple[bytes, bytes], QueryMoment]] = {}
        for part in self.query_moments:
            alike = ways.setdefault(part.moment, {})
            key = part.grid.tobytes(), part.code.tobytes()
            alike[key] = replace(part, share=part.share + (alike[key].share if key in alike else 0))
        return tuple(part for alike in ways.values() if len(alike) == 1 for part in alike.values())

    @cached_property
    def _precision(self) -> Floats:
        precision = np.zeros(self.moments.m)
        np.add.at(precision, [t.moment for t in self.query_moments], [t.share / t.largest for t in self.query_moments])
        return precision

    def _counts(self, aggregate: Aggregate) -> NDArray[np.int64]:
        if aggregate.fingerprint != self.asked.fingerprint or aggregate.counts.shape != (self.asked.counters,):
            rule = "a tally must be of the queries that read it"
            raise SordinoError(rule, found=f"one of {aggregate.fingerprint} for {self.asked.fingerprint}")
        if aggregate.n == 0:
            raise SordinoError("a tally must hold reports", found="0 reports", step="collect reports first")
        return aggregate.counts

    def _total_precision(self, counts: NDArray[np.int64]) -> Floats:
        """The sum of 1 / M over the reports that tell each moment, shape (m,)."""
        drawn: Floats = self._inverse @ counts
        if not drawn.all():
            # By number: who reads of it has asked for attributes by name, which nobody tells here.
            lacking = f"nobody about {np.count_nonzero(drawn == 0)} of {self.moments.m}"
            rule = "somebody must have answered about each moment"
            found = f"{lacking}, of {self.asked.reports(counts)} reports"
            raise SordinoError(rule, found=found, step="ask more people, give it more weight, or leave it out")
        return drawn

    def _answers(self, counts: NDArray[np.int64]) -> Floats:
        """How many reports tell each moment, shape (m,): floats, whose fourth powers are those of means' limits."""
        answers: Floats = (self._inverse > 0) @ counts.astype(np.float64)
        return answers

    @cached_property
    def _code_weights(self) -> "csr_array":
        """G / M for each moment and code, shape (m, codes)."""
        return self._by_code([part.code / part.largest for part in self.query_moments])

    @cached_property
    def _inverse(self) -> "csr_array":
        """1 / M for each moment and code that tells it, shape (m, codes)."""
        return self._by_code([np.full(len(part.code), 1 / part.largest) for part in self.query_moments])

    @cached_property
    def _least(self) -> "csr_array":
        """The least variance of g / M for each moment and code that tells it, shape (m, codes)."""
        return self._by_code([np.full(len(part.code), part.least / part.largest**2) for part in self.query_moments])

    @cached_property
    def _first_code(self) -> tuple[int, ...]:
        queries = (query for queries in self.asked.drawn_parts for query in queries)
        return tuple(accumulate((query.outputs for query in queries), initial=0))

    @cached_property
    def _untold(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """The places of pairs of moments that one person tells by different answers."""
        at = {name: place for place, name in enumerate(self.moments.names)}
        pairs = {
            (at[one], at[other])
            for queries in self.asked.drawn_parts
            for first, second in permutations(queries, 2)
            for one, _ in first.number.counted_moments
            for other, _ in second.number.counted_moments
            if one in at and other in at
        }
        rows, columns = zip(*pairs, strict=True) if pairs else ((), ())
        return np.array(rows, dtype=np.intp), np.array(columns, dtype=np.intp)

    def _by_code(self, entries: Sequence[Floats]) -> "csr_array":
        from scipy.sparse import csr_array

        rows = np.repeat([part.moment for part in self.query_moments], [len(own) for own in entries])
        firsts = [self._first_code[part.query] for part in self.query_moments]
        codes = np.concatenate([first + np.arange(len(own)) for first, own in zip(firsts, entries, strict=True)])
        shape = self.moments.m, self.asked.counters
        return csr_array((np.concatenate(entries), (rows, codes)), shape=shape)


def _contributions(mechanism: Mechanism, grid: Floats) -> tuple[Floats, Floats]:
    """What each code counts as, and E[g^2 | value]."""
    # What is asked for can be told where not everything can: a channel of signs may lose how two of them agree.
    try:
        code = mechanism.code_values(grid)
    except SordinoError:
        rule = "reports must depend on the numbers to be estimated from"
        raise SordinoError(rule, found="an epsilon so small that they do not", step="raise epsilon") from None
    return code, mechanism.adjoint(code**2)


def moment_names(asked: Query | Together | Sampled) -> tuple[Factors, ...]:
    return MomentEstimator.of(asked).moments.names


def mean_readings(
    asked: Sampled, records: Floats, complete: float | None = None, missing: Mapping[int, float] | None = None
) -> MeanReadings:
    """Of people who are like some records.

    Args:
        records: numbers in [-1, 1], shape (n, d), each as likely as any other; categories as `domain.scaled` has them,
            NaN where a number is missing.
        complete: the share of complete cases; as among the records by default.
        missing: by their places, the share of people who lack a number; as among the records by default.
    """
    return {one: _mean_reading(one, records, complete, missing or {}) for one in asked.statistics_read}


def _mean_reading(
    statistic: NumberStatistic, records: Floats, complete: float | None, missing: Mapping[int, float]
) -> Floats:
    if isinstance(statistic, CompleteCase):
        return statistic.shares(records, complete)
    if isinstance(statistic, OptionalNumber):
        return statistic.shares(records[:, statistic.place], missing.get(statistic.place))
    return statistic.shares(records)


def least_concave(points: Floats, values: Floats) -> tuple[Floats, Floats]:
    """The points, and the values there, of the least concave function above some values, linear between points.

    Example:
        >>> least_concave(np.array([-1.0, 0, 1]), np.array([3.0, 1, 3]))
        (array([-1.,  1.]), array([3., 3.]))
    """
    chain: list[int] = []
    for place, (point, value) in enumerate(zip(points, values, strict=True)):
        while len(chain) > 1:
            first, last = chain[-2:]
            part = (points[last] - points[first]) / (point - points[first])
            if values[last] > (1 - part) * values[first] + part * value:
                break
            chain.pop()
        chain.append(place)
    return points[chain], values[chain]
