"""How exact means, covariances and coefficients will be, before anybody is asked, and whether a regression is told.

The standard errors are those that estimates will show: the estimator's own formulas, at the expected means of the
statistics with the queries' exact variances. Whether a regression will be refused is found by its own rule on means
with normal errors of these variances, always the same ones: forecasts do not change from run to run, and no plan holds
one.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations_with_replacement
from math import isqrt
from typing import Literal

import numpy as np

from sordino.domain.moment import Moments
from sordino.domain.ranges import Ranges
from sordino.estimation.estimated_moments import EstimatedMoments
from sordino.estimation.mean_readings import MeanReadings, mean_readings
from sordino.estimation.missing.complete_cases import COMPLETE
from sordino.estimation.moment_estimator import MomentEstimator
from sordino.estimation.regression import FeatureVariation, solve
from sordino.exact.arrays import Floats
from sordino.query.sampled import Sampled

ForecastKind = Literal["mean", "covariance", "regression"]

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
        """For programs."""
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
        """Of people of whom this is read."""
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


def expected_numbers(asked: ForecastKind, expected: Expected, people: int) -> NumbersAccuracy:
    """Expected standard errors with this many people; last that of the share of complete cases, if it is of these.

    Args:
        expected: what the estimates are made of; of a regression the target last.
    """
    told, names, half = expected.moments_from(people), expected.ranges.names, expected.ranges.half
    d = len(names)
    labels, stderr, largest = names, half, half
    match asked:
        case "mean":
            stderr = half * np.sqrt(np.diagonal(told.covariance))[told.singles(range(d))]
        case "covariance":
            pairs = list(combinations_with_replacement(range(d), 2))
            labels = tuple(names[j] if j == k else f"{names[j]}, {names[k]}" for j, k in pairs)
            units, errors = np.outer(half, half), told.covariances(range(d), range(d)).stderr
            stderr, largest = (np.array([matrix[pair] for pair in pairs]) for matrix in (units * errors, units))
        case "regression":
            fit = solve(told, people, d - 1, range(d - 1), expected.ranges)
            labels, stderr, largest = ("intercept", *names[:-1]), fit.stderr, np.full(d, np.inf)
    if expected.complete is not None:
        labels = (*labels, COMPLETE)
        stderr, largest = np.append(stderr, np.sqrt(expected.complete / people)), np.append(largest, 0.5)
    return NumbersAccuracy(labels, tuple(stderr.tolist()), tuple(largest.tolist()))
