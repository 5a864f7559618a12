"""How exact means, covariances and coefficients will be, before anybody is asked, and whether a regression is told.

The standard errors are those that estimates will show: the estimator's own formulas, at the expected means of the
statistics with the queries' exact variances. Whether a regression will be refused is found by its own rule on means
with normal errors of these variances, always the same ones: forecasts do not change from run to run, and no plan holds
one.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations_with_replacement
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sordino.domain.moment import Moments
from sordino.domain.ranges import Ranges
from sordino.errors import SordinoError
from sordino.estimation.estimated_moments import EstimatedMoments
from sordino.estimation.missing.complete_cases import COMPLETE
from sordino.estimation.moment_estimator import MomentEstimator
from sordino.estimation.regression import check_distinct, solve
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

MOST_TRIED = 10**13
"""People beyond whom no more are tried: the features do not vary, or one is made of the others."""

RARELY = 0.05
"""A regression that is refused more often is not expected to be answered."""

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class NumbersAccuracy:
    """Expected standard errors.

    Attributes:
        labels: of what is estimated.
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
        moments: that the queries tell.
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
        reader = MomentEstimator.of(asked)
        means = reader.moments.values(records).mean(axis=0)
        return cls(reader.moments, ranges, means, reader.expected_variance(records))

    def told(self, people: int) -> EstimatedMoments:
        """What so many people tell."""
        covariance = np.diag(self.variance) if self.covariance is None else self.covariance
        return EstimatedMoments(self.moments.names, self.means, covariance / people)

    def _turned(self, errors: Floats) -> Floats:
        """Errors of one person's means, of independent ones in units of their standard errors."""
        turned: Floats = errors * np.sqrt(self.variance) if self._root is None else self._root @ errors
        return turned

    @cached_property
    def _root(self) -> Floats | None:
        """Whose product with its transpose is the covariance."""
        if self.covariance is None:
            return None
        values, vectors = np.linalg.eigh(self.covariance)
        root: Floats = vectors * np.sqrt(np.maximum(values, 0))
        return root

    def refused(self, people: int, draws: int = DRAWS) -> float:
        """The part of surveys among so many people whose regression is refused."""
        features, rng = range(self.moments.d - 1), np.random.default_rng(0)
        errors = rng.standard_normal((draws, len(self.means)))
        expected = self.told(people)
        moved = (expected.means + self._turned(row) / np.sqrt(people) for row in errors)
        return sum(self._refused(replace(expected, means=means), features) for means in moved) / draws

    def _refused(self, told: EstimatedMoments, features: range) -> bool:
        try:
            check_distinct(told.centred(features, features), [self.ranges.names[j] for j in features])
        except SordinoError:
            return True
        return False

    def enough(self, people: int) -> int | None:
        """The least number of people, within a tenth, whose regression is rarely refused; None where none is known."""
        low, high = people, 2 * people
        while self.refused(high, FEW_DRAWS) > RARELY:
            if high > MOST_TRIED:
                return None
            low, high = high, 2 * high
        while high > 1.1 * low:
            middle = (low + high) // 2
            low, high = (middle, high) if self.refused(middle, FEW_DRAWS) > RARELY else (low, middle)
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
        asked: what is estimated.
        expected: what the estimates are made of; of a regression the target last.
        people: who answer.
    """
    told, names, half = expected.told(people), expected.ranges.names, expected.ranges.half
    d = len(names)
    labels, stderr, largest = names, half, half
    match asked:
        case "mean":
            stderr = half * np.sqrt(np.diagonal(told.covariance))[told.singles(range(d))]
        case "covariance":
            pairs = list(combinations_with_replacement(range(d), 2))
            labels = tuple(names[j] if j == k else f"{names[j]}, {names[k]}" for j, k in pairs)
            units, errors = np.outer(half, half), told.centred(range(d), range(d)).stderr
            stderr, largest = (np.array([matrix[pair] for pair in pairs]) for matrix in (units * errors, units))
        case "regression":
            fit = solve(told, people, d - 1, range(d - 1), expected.ranges)
            labels, stderr, largest = ("intercept", *names[:-1]), fit.stderr, np.full(d, np.inf)
    if expected.complete is not None:
        labels = (*labels, COMPLETE)
        stderr, largest = np.append(stderr, np.sqrt(expected.complete / people)), np.append(largest, 0.5)
    return NumbersAccuracy(labels, tuple(stderr.tolist()), tuple(largest.tolist()))
