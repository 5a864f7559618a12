"""How exact means, covariances and coefficients will be, before anybody is asked, and whether a regression is told.

The standard errors are those that estimates will show: the estimator's own formulas, at the expected means of the
statistics with the queries' exact variances. Whether a regression will be refused is found by its own rule on means
with normal errors of these variances, always the same ones: forecasts do not change from run to run, and no plan holds
one.

How exact moments and coefficients will be whose errors go together, before anybody is asked.

The estimator's own formulas, on the tally that is expected: with categorical features one query tells many moments, and
of complete cases every report tells how many there are.

How exact means will be where numbers may be missing, before anybody is asked.

The standard errors are those that estimates will show (`estimation.complete_cases`), at the expected shares
of what is read, with the channel's exact variances.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations_with_replacement
from math import isqrt

import numpy as np

from sordino.domain.moment import Factors, Moments
from sordino.domain.scaled import CODES, Ranges
from sordino.errors import SordinoError
from sordino.estimation.complete_cases import COMPLETE, CompleteCases, NumberAndShare
from sordino.estimation.estimated_moments import EstimatedMoments, MomentReader, read_moments
from sordino.estimation.linear_regression import FeatureVariation, solve
from sordino.estimation.moment_estimator import (
    LargestVariance,
    MeanReadings,
    MomentEstimator,
    least_concave,
    mean_readings,
)
from sordino.exact.floats import Floats
from sordino.mechanism.channel import Aggregate
from sordino.query.number import NumberStatistic
from sordino.query.query import Query
from sordino.query.sampled import Sampled

SPREAD = 0.4
"""Standard deviation of a scaled number where nothing is known of the people: a fifth of its range."""

EXPLAINED = 0.5
"""Squared length of the scaled slopes then."""

POINTS = 64
"""Different numbers of people who are not known; at least 4 where there are many attributes."""

DRAWS, FEW_DRAWS = 400, 100
"""Surveys that are tried to tell how often a regression is refused; in the search for enough people."""

AT_A_TIME = 1 << 20
"""Covariances of two features, of all surveys that are tried at once: some times as many numbers are made of them."""

MOST_TRIED = 10**13
"""People beyond whom no more are tried: the features do not vary, or one is made of the others."""

RARELY = 0.05
"""A regression that is refused more often is not expected to be answered."""


@dataclass(frozen=True)
class NumbersAccuracy:
    """Expected standard errors.

    Attributes:
        stderr: in the units of the data.
        largest: how far each number can be from the middle of what is possible; infinite where nothing bounds it.
    """

    labels: tuple[str, ...]
    stderr: tuple[float, ...]
    largest: tuple[float, ...]

    def json(self) -> dict[str, float]:
        return dict(zip(self.labels, self.stderr, strict=True))


@dataclass(frozen=True, eq=False)
class Expected:
    """What the estimates of some queries are expected to be made of.

    Attributes:
        ranges: of the numbers, in the units of the data; of a regression the target last.
        means: of these, shape (m,).
        variance: of the means that one person tells, shape (m,).
        covariance: of the same, shape (m, m), where one query tells several; None where they are told apart.
        complete: the variance of the share of complete cases that one person tells, where moments are of these.
    """

    moments: Moments
    ranges: Ranges
    means: Floats
    variance: Floats
    covariance: Floats | None = None
    complete: float | None = None

    @classmethod
    def of(cls, asked: Sampled, ranges: Ranges, records: Floats) -> "Expected":
        """Of people who are like some records of scaled numbers, shape (n, d)."""
        return cls.of_readings(asked, ranges, mean_readings(asked, records))

    @classmethod
    def of_readings(cls, asked: Sampled, ranges: Ranges, readings: MeanReadings) -> "Expected":
        reader = MomentEstimator.of(asked)
        return cls(reader.moments, ranges, *reader.expectations(readings))

    def moments_from(self, people: int) -> EstimatedMoments:
        """What so many people tell."""
        # Of means that are told apart only the diagonal is divided: a division of all pairs touches all of the memory.
        covariance = np.diag(self.variance / people) if self.covariance is None else self.covariance / people
        return EstimatedMoments(self.moments.names, self.means, covariance)

    @cached_property
    def _errors(self) -> Floats:
        """Simulated errors of the means if one person answers, shape (surveys, m)."""
        rng, root = np.random.default_rng(0), self._root
        errors = rng.standard_normal((DRAWS, len(self.means) if root is None else root.shape[1]))
        return errors * np.sqrt(self.variance) if root is None else errors @ root.T

    @cached_property
    def _root(self) -> Floats | None:
        """Whose product with its transpose is the covariance, shape (m, rank)."""
        if self.covariance is None:
            return None
        from scipy.linalg.lapack import dpstrf

        # Of moments that depend on each other: Cholesky's, with pivots, as far as the rank goes.
        factor, pivots, rank, _ = dpstrf(self.covariance, lower=1)
        root = np.empty((len(pivots), rank))
        root[pivots - 1] = np.tril(factor)[:, :rank]
        return root

    def refusal_rate(self, people: int, draws: int = DRAWS) -> float:
        """The part of surveys among so many people whose regression is refused."""
        told, features = self.moments_from(people), range(self.moments.d - 1)
        # The value, three slopes and what is made of them, for each two features.
        batches = -(-draws * len(features) ** 2 // AT_A_TIME)
        surveys = (
            replace(told, means=told.means + errors / np.sqrt(people))
            for errors in np.array_split(self._errors[:draws], batches)
        )
        found = (FeatureVariation.of(survey.covariances(features, features)).is_refused for survey in surveys)
        return sum(int(refused.sum()) for refused in found) / draws

    def enough(self, people: int) -> int | None:
        """The least number of people, within a tenth, whose regression is rarely refused; None where none is known."""
        low, high, factor = people, 2 * people, 2
        # By ever larger steps, then by halves: a try takes up to a second for many features.
        while self.refusal_rate(high, FEW_DRAWS) > RARELY:
            if high > MOST_TRIED:
                return None
            factor **= 2
            low, high = high, min(high * factor, 2 * MOST_TRIED)
        while high > 1.1 * low:
            middle = isqrt(low * high)
            low, high = (middle, high) if self.refusal_rate(middle, FEW_DRAWS) > RARELY else (low, middle)
        return high


def unknown_records(d: int, target: int | None = None) -> Floats:
    """Records of scaled numbers for people of whom nothing is known, shape (n, d).

    Each number has mean 0 and the standard deviation `SPREAD`, and no two go together, but for a regression's target,
    which is the sum of the features times slopes of the squared length `EXPLAINED`.
    """
    from scipy.linalg import hadamard

    features = d - (target is not None)
    signs = hadamard(1 << max(1, (features - 1).bit_length()))[:, :features].astype(np.float64)
    points = max(4, POINTS * 64 // max(64, len(signs)))
    spread = (np.arange(points) + 0.5) / points * 2 - 1
    spread *= SPREAD / np.sqrt(np.mean(spread**2))
    records = (spread[:, None, None] * signs).reshape(-1, features)
    if target is None:
        return records
    slope = np.sqrt(EXPLAINED / features)
    return np.insert(records, target, np.clip(slope * records.sum(axis=1), -1, 1), axis=1)


MEANS = 65
"""Means between both ends that are looked at, where an error is to be the largest of all."""

SHARES_AT_LOW_END, PEOPLE_AT_ENDS = (0, 0.125, 0.25, 0.375, 0.5), 1 << 9
"""Populations among which the largest error of complete cases is looked for, and the records of each."""


def largest_means(estimator: MomentEstimator, ranges: Ranges, people: int) -> NumbersAccuracy:
    """The largest standard errors that are expected of means, whatever population so many people are drawn from.

    Of each number by itself: no population need be the worst for all of them.
    """
    largest, names, half = _largest_variances(estimator), ranges.names, ranges.half
    errors = half * np.sqrt([largest[(j,)].most / people for j in range(len(names))])
    return NumbersAccuracy(names, tuple(errors.tolist()), tuple(half.tolist()))


def largest_covariances(estimator: MomentEstimator, ranges: Ranges, people: int) -> NumbersAccuracy:
    """The largest standard errors that are expected of covariances, each by itself, as `largest_means` has them."""
    largest, names, half = _largest_variances(estimator), ranges.names, ranges.half
    pairs = list(combinations_with_replacement(range(len(names)), 2))
    units, possible = _covariance_units(half, pairs)
    variance = [
        _largest_of_variance(largest[(j,)], largest[(j, j)])
        if j == k
        else _largest_of_covariance(largest[(j,)], largest[(k,)], largest[(j, k)])
        for j, k in pairs
    ]
    errors = units * np.sqrt(np.array(variance) / people)
    return NumbersAccuracy(_covariance_labels(names, pairs), tuple(errors.tolist()), tuple(possible.tolist()))


def _largest_variances(estimator: MomentEstimator) -> dict[Factors, LargestVariance]:
    return dict(zip(estimator.moments.names, estimator.largest_variances, strict=True))


def _largest_of_variance(number: LargestVariance, square: LargestVariance) -> float:
    """The largest variance of an estimated variance, times n: of (s + 1) / 2 - x^2, s the mean of 2 x^2 - 1."""
    means = np.linspace(-1, 1, MEANS)
    squares = np.maximum(square.worst_mean, 2 * means**2 - 1)
    return float((square.at(squares) / 4 + 4 * means**2 * number.at(means)).max())


def _largest_of_covariance(one: LargestVariance, other: LargestVariance, both: LargestVariance) -> float:
    """The largest variance of an estimated covariance, times n, over all means that two numbers and a product have."""
    means = np.linspace(-1, 1, MEANS)
    x, y = means[:, None], means[None, :]
    product = np.clip(both.worst_mean, np.abs(x + y) - 1, 1 - np.abs(x - y))
    return float((both.at(product) + y**2 * one.at(means)[:, None] + x**2 * other.at(means)[None, :]).max())


def _covariance_labels(names: Sequence[str], pairs: Sequence[tuple[int, int]]) -> tuple[str, ...]:
    return tuple(names[j] if j == k else f"{names[j]}, {names[k]}" for j, k in pairs)


def _covariance_units(half: Floats, pairs: Sequence[tuple[int, int]]) -> tuple[Floats, Floats]:
    """Of each covariance its unit, and how far it can be from the middle of what is possible."""
    units = np.array([half[j] * half[k] for j, k in pairs])
    return units, np.array([unit / 2 if j == k else unit for unit, (j, k) in zip(units, pairs, strict=True)])


def ends_of_all(d: int) -> Iterator[Floats]:
    """Populations of independent numbers at their ends, shape (n, d): any two numbers with any two shares of these."""
    rng, parts = np.random.default_rng(0), len(SHARES_AT_LOW_END)
    shares = np.array(SHARES_AT_LOW_END)
    for first in range(parts):
        for step in range(parts):
            own = shares[(first + step * np.arange(d)) % parts]
            columns = [rng.permutation(np.arange(PEOPLE_AT_ENDS) >= share * PEOPLE_AT_ENDS) for share in own]
            yield np.where(np.column_stack(columns), 1.0, -1.0)


def expected_means(expected: Expected, people: int) -> NumbersAccuracy:
    """Expected standard errors of means with this many people."""
    told, names, half = expected.moments_from(people), expected.ranges.names, expected.ranges.half
    stderr = half * np.sqrt(np.diagonal(told.covariance))[told.singles(range(len(names)))]
    return _with_complete(expected, people, names, stderr, half)


def expected_covariances(expected: Expected, people: int) -> NumbersAccuracy:
    """The same of covariances; last that of the share of complete cases, if they are of these."""
    told, names, half = expected.moments_from(people), expected.ranges.names, expected.ranges.half
    d = len(names)
    pairs = list(combinations_with_replacement(range(d), 2))
    units, largest = _covariance_units(half, pairs)
    errors = told.covariances(range(d), range(d)).stderr
    stderr = units * np.array([errors[pair] for pair in pairs])
    return _with_complete(expected, people, _covariance_labels(names, pairs), stderr, largest)


def expected_coefficients(expected: Expected, people: int) -> NumbersAccuracy:
    """The same of a regression's intercept and slopes; the target is the last number."""
    names = expected.ranges.names
    d = len(names)
    fit = solve(expected.moments_from(people), people, d - 1, range(d - 1), expected.ranges)
    return _with_complete(expected, people, ("intercept", *names[:-1]), fit.stderr, np.full(d, np.inf))


def _with_complete(
    expected: Expected, people: int, labels: tuple[str, ...], stderr: Floats, largest: Floats
) -> NumbersAccuracy:
    """With the share of complete cases, if estimates are of these."""
    if expected.complete is not None:
        labels = (*labels, COMPLETE)
        stderr, largest = np.append(stderr, np.sqrt(expected.complete / people)), np.append(largest, 0.5)
    return NumbersAccuracy(labels, tuple(stderr.tolist()), tuple(largest.tolist()))


MANY = 1e15
"""People of the expected tally: what an estimator adds for small numbers is nothing then."""

RECORDS = 1 << 12
"""Smallest number of different records, where nothing is known."""


def expected_by_tally(asked: Sampled, reader: MomentReader, ranges: Ranges, readings: MeanReadings) -> Expected:
    """What the estimates are expected to be made of.

    Args:
        ranges: of the numbers whose moments it tells.
    """
    tally = expected_tally(asked, readings)
    covariance = reader.covariance(tally) * MANY
    cases = read_moments(asked)
    share = cases.share(tally)[1] ** 2 * MANY if isinstance(cases, CompleteCases) else None
    return Expected(reader.moments, ranges, reader.means(tally), np.diagonal(covariance), covariance, share)


def expected_tally(asked: Sampled, readings: MeanReadings) -> Aggregate:
    queries = zip(asked.numbers, asked.mechanisms, asked.shares, strict=True)
    people = MANY / sum(asked.shares)
    counts = [people * share * through.forward(readings[one]) for one, through, share in queries]
    # Expected counts are no whole numbers, and nothing asks them to be.
    return Aggregate(asked.fingerprint, int(MANY), np.concatenate(counts))


def unknown_people(d: int, categories: Mapping[int, Floats]) -> Floats:
    """Records of d attributes, the last a target, for people of whom nothing is known, shape (n, d).

    Numbers are as in `unknown_records`; categories go with nothing.

    Args:
        categories: for each attribute of categories, by its place, the shares of people in each.
    """
    numbers = [place for place in range(d) if place not in categories]
    known = unknown_records(len(numbers), len(numbers) - 1) if len(numbers) > 1 else _unexplained_target()
    known = np.tile(known, (-(-RECORDS // len(known)), 1))
    records = np.empty((len(known), d))
    records[:, numbers] = known
    # Always the same draws: forecasts do not change from run to run.
    rng = np.random.default_rng(0)
    middles = (np.arange(len(records)) + 0.5) / len(records)
    for place, shares in categories.items():
        ends = np.cumsum(shares)
        index = np.minimum(np.searchsorted(ends, middles), len(ends) - 1)
        records[:, place] = CODES.scale(rng.permutation(index))
    return records


def _unexplained_target() -> Floats:
    places = (np.arange(64) + 0.5) / 64 * 2 - 1
    places *= SPREAD / np.sqrt(np.mean(places**2))
    return places.reshape(-1, 1)


def expected_means_given(
    names: Sequence[str], queries: Sampled, ranges: Ranges, people: int, readings: MeanReadings
) -> NumbersAccuracy:
    """Expected standard errors of the means, then of the shares that are missing, with this many people.

    Args:
        names: of the numbers, in the queries' order.
        queries: one for each number, one of which is drawn for each person.
    """
    means: dict[int, float] = {}
    shares: dict[int, float] = {}
    for query, statistic, asked in _queries(queries, people):
        (place,) = statistic.places
        read = readings[statistic]
        codes = [query.mechanism.code_values(grid) for _, grid in statistic.counted_moments]
        told = np.array([read @ grid for _, grid in statistic.counted_moments])
        law = query.mechanism.forward(read)
        spread = np.array([[law @ (a * b) for b in codes] for a in codes]) - np.outer(told, told)
        if len(told) > 1:
            both = NumberAndShare.of(told, spread / asked)
            means[place], shares[place] = both.stderr, both.share_stderr
        else:
            means[place] = np.sqrt(spread[0, 0] / asked)
    return _accuracy(names, ranges, means, shares)


def largest_means_given(
    names: Sequence[str], queries: Sampled, ranges: Ranges, people: int, missing: Mapping[int, float]
) -> NumbersAccuracy:
    """The largest standard errors that are expected, whatever those are like who have the numbers.

    Args:
        names: of the numbers, in the queries' order.
        queries: one for each number, one of which is drawn for each person.
        missing: the share of people who lack each number that may be missing, by its place.
    """
    means: dict[int, float] = {}
    shares: dict[int, float] = {}
    for query, statistic, asked in _queries(queries, people):
        (place,) = statistic.places
        if place not in missing:
            (largest,) = MomentEstimator.of(query).largest_variances
            means[place] = np.sqrt(largest.most / asked)
            continue
        (_, numbers), (_, given) = statistic.counted_moments
        number, have = (query.mechanism.code_values(grid) for grid in (numbers, (1 + given) / 2))
        lacking = missing[place]
        own, known = 1 - lacking, query.mechanism.adjoint(have**2)
        shares[place] = np.sqrt(max(own * known[:-1].max() + lacking * known[-1] - own**2, 0.0) / asked)
        most = 0.0
        for mean in np.linspace(-1, 1, MEANS):
            # To the first order the mean y / s errs as (g - mean h) / s, g and h being what a report counts as.
            squares = query.mechanism.adjoint((number - mean * have) ** 2)
            inside = np.interp(mean, *least_concave(numbers[:-1], squares[:-1]))
            most = max(most, own * float(inside) + lacking * float(squares[-1]))
        means[place] = np.sqrt(most / asked) / own
    return _accuracy(names, ranges, means, shares)


def _queries(queries: Sampled, people: int) -> Iterator[tuple[Query, NumberStatistic, float]]:
    total = sum(queries.weights)
    for query, weight in zip(queries.queries, queries.weights, strict=True):
        if not isinstance(query, Query):
            raise SordinoError("numbers that may be missing are asked one at a time", found="several together")
        yield query, query.number, people * weight / total


def _accuracy(
    names: Sequence[str], ranges: Ranges, means: Mapping[int, float], shares: Mapping[int, float]
) -> NumbersAccuracy:
    places, half = sorted(shares), ranges.half
    labels = (*names, *(f"{names[j]} missing" for j in places))
    stderr = [*(half[j] * means[j] for j in range(len(names))), *(shares[j] for j in places)]
    return NumbersAccuracy(labels, tuple(map(float, stderr)), (*half.tolist(), *(0.5 for _ in places)))
