"""Least squares of a target on features, from sampled statistics alone.

The moments that least squares needs are means of statistics, each told without bias. `least_squares` solves the normal
equations A t = b of the estimated moments. Its standard errors are the sandwich A^-1 [D V D'] A^-1, where V is the
covariance of the statistics' estimated means and D = d(b - A t)/d(means): first-order, from the reports only. They are
about the population that the people were drawn from. Normal intervals hold what they promise where reports are many;
with as few as are not refused they are too wide (in simulations 95 % intervals then covered 96 to 99 %).

Where the noise is as large as the features' variation, the plain solution means nothing and is refused;
`projected_least_squares` always answers: biased towards slopes of 0, with a much smaller error while reports are few,
and the same in the limit.

Everything is computed on numbers scaled to [-1, 1] and told in the attributes' own units, the intercept first.
Source: the BCDP paper's least squares (20)-(21), whose two private copies of each record are replaced by one drawn
statistic: noise of 1/epsilon^2 where the copies have 1/epsilon^4.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sordino.domain.moment import Moment
from sordino.domain.ranges import Ranges
from sordino.errors import SordinoError
from sordino.estimation.estimated_moments import AboutNumbers, Combined, EstimatedMoments, read_moments, read_places
from sordino.estimation.moments import NormalEstimate
from sordino.estimation.quadratic import check_radius, positive_part, trust_region
from sordino.exact.arrays import Floats
from sordino.exact.messages.brief import shown
from sordino.mechanism.aggregate import Aggregate

DISTINCT = 3.0
"""Standard errors by which the features' variation must exceed 0 in every direction."""

EXPECTED_LENGTH = 1.0
"""Of the scaled slopes together, before any report: with it the noise level becomes a ridge."""

NOISELESS = 1e-30
"""A variance below that of any rounding error."""


@dataclass(frozen=True, eq=False, repr=False)
class Regression(NormalEstimate):
    """Least-squares coefficients in the attributes' own units.

    Attributes:
        value: the intercept and the slopes, shape (p + 1,).
        stderr: of these; `interval` gives limits.
        target: the place of the attribute that is predicted.
        features: the places of those that predict it.
        covariance: of the coefficients, shape (p + 1, p + 1).
    """

    target: int
    features: tuple[int, ...]
    covariance: Floats

    @property
    def intercept(self) -> float:
        """What is predicted where all features are 0."""
        return float(self.value[0])

    @property
    def slopes(self) -> Floats:
        """How much the prediction moves with each feature, shape (p,)."""
        return self.value[1:]


@dataclass(frozen=True, eq=False)
class ProjectedFit:
    """Coefficients that trade bias for less noise: no standard errors, for their bias is not known.

    Attributes:
        value: the intercept and the slopes, shape (p + 1,), in the attributes' own units.
    """

    value: Floats
    n: int
    target: int
    features: tuple[int, ...]


def regression_statistics(target: int, features: Sequence[int]) -> tuple[Moment, ...]:
    """The statistics that least squares needs: numbers, products of two, and the features' squares.

    Example:
        >>> regression_statistics(0, [1])
        ((0,), (1,), (0, 1), (1, 1))
    """
    everything = sorted({target, *features})
    pairs = [(j, k) for j in everything for k in everything if j <= k and (j, k) != (target, target)]
    return (*((j,) for j in everything), *pairs)


def least_squares(
    queries: AboutNumbers,
    aggregate: Aggregate,
    target: int,
    features: Sequence[int] | None = None,
    ranges: Ranges | None = None,
) -> Regression:
    """Least squares with an intercept.

    Args:
        queries: by which people answered.
        aggregate: their tally.
        target: the place of the attribute to predict.
        features: the places of those that predict it; all others by default.
        ranges: the ranges of all attributes; [-1, 1] by default.

    Raises:
        SordinoError: a target among the features, statistics that the queries do not tell, fewer reports than
            statistics; a feature that cannot be told from a constant, features that cannot be told from dependent ones.

    Example:
        >>> from sordino import Dependence, sampled_moments
        >>> asked = sampled_moments(["4", "4"], "4", Dependence.unknown(2), target=1)
        >>> feature = np.linspace(-1, 1, 40_000)
        >>> people = np.column_stack([feature, feature / 2])
        >>> fit = least_squares(asked, asked.tally(asked.privatize(people)), target=1)
        >>> bool(abs(fit.slopes[0] - 0.5) < 10 * fit.stderr[1])
        True
    """
    asked, ranges = _read(queries, target, features, ranges)
    told = EstimatedMoments.of(queries, aggregate, regression_statistics(target, asked), ranges.names)
    check_distinct(told, asked, [ranges.names[j] for j in asked])
    return solve(told, aggregate.n, target, asked, ranges)


def solve(told: EstimatedMoments, n: int, target: int, asked: Sequence[int], ranges: Ranges) -> Regression:
    """The solution of the normal equations with its standard errors, from estimated means or expected ones.

    Args:
        told: the means of all statistics that it needs, and how far they may be off.
    """
    singles, own = told.singles(asked), told.place[(target,)]
    second, products = told.second(asked, asked), told.second(asked, [target])
    normal, right = normal_equations(told, target, asked)
    solution = np.linalg.solve(normal, right)
    # How each normal equation's residual moves with each mean.
    moved, rows = np.zeros((len(asked) + 1, len(told.names))), np.arange(1, len(asked) + 1)
    moved[0, own] = 1
    moved[0, singles] = -solution[1:]
    moved[rows, products.at[0, :, 0]] = 1
    moved[rows, singles] = -solution[0]
    moved[rows[:, None], second.at[0]] = -second.slopes[0] * solution[1:]
    bread = np.linalg.inv(normal)
    unit, shift = coefficient_units(target, asked, ranges)
    turned = unit @ bread @ moved
    covariance = turned @ told.covariance @ turned.T
    stderr = np.sqrt(np.maximum(np.diagonal(covariance), 0))
    return Regression(unit @ solution + shift, stderr, n, target, tuple(asked), covariance)


def normal_equations(told: EstimatedMoments, target: int, asked: Sequence[int]) -> tuple[Floats, Floats]:
    """A and b of A t = b on the scaled numbers, shapes (p + 1, p + 1) and (p + 1,), the intercept first."""
    singles = told.means[told.singles(asked)]
    second, products = told.second(asked, asked), told.second(asked, [target])
    normal = np.block([[np.ones((1, 1)), singles[None, :]], [singles[:, None], second.value]])
    return normal, np.concatenate([told.means[[told.place[(target,)]]], products.value[:, 0]])


def projected_least_squares(
    queries: AboutNumbers,
    aggregate: Aggregate,
    target: int,
    features: Sequence[int] | None = None,
    ranges: Ranges | None = None,
    *,
    radius: float | None = None,
) -> ProjectedFit:
    """Least squares with a ridge at the noise level, over a ball of slopes if a radius is given.

    The slopes minimise the squared error of the normal equations, each over its expected noise, and p |t|^2 / length^2
    for slopes of that expected length; the features' covariance is taken as its nearest positive semidefinite matrix.
    A ball moves them to its point of the least squared error. Raises SordinoError: as for `least_squares`, but never
    for constant or dependent features.

    Args:
        radius: the scaled slopes together are at most this long; also the expected length, else 1.
    """
    length = EXPECTED_LENGTH if radius is None else radius
    check_radius(length)
    asked, ranges = _read(queries, target, features, ranges)
    told = EstimatedMoments.of(queries, aggregate, regression_statistics(target, asked), ranges.names)
    centred, products = told.covariances(asked, asked), told.covariances(asked, [target])
    between = positive_part(centred.value)
    # No noise at all would be a division by zero.
    noise = NOISELESS + products.stderr[:, 0] ** 2 + length**2 / len(asked) * np.sum(centred.stderr**2, axis=1)
    weighed = between / noise
    slopes = np.linalg.solve(
        weighed @ between + len(asked) / length**2 * np.eye(len(asked)), weighed @ products.value[:, 0]
    )
    if radius is not None:
        # The largest row bounds what the noise adds to an eigenvalue, in the root of the mean square.
        ridge = np.sqrt(np.max(np.sum(centred.stderr**2, axis=1)))
        metric = between + ridge * np.eye(len(asked))
        slopes = trust_region(metric, metric @ slopes, length)
    intercept = told.means[told.place[(target,)]] - slopes @ told.means[told.singles(asked)]
    unit, shift = coefficient_units(target, asked, ranges)
    return ProjectedFit(unit @ [intercept, *slopes] + shift, aggregate.n, target, tuple(asked))


def read_features(d: int, target: int, features: Sequence[int] | None) -> list[int]:
    """The features asked for; all attributes but the target by default.

    Raises SordinoError: no features, unknown ones, one twice, or the target among them.
    """
    if not 0 <= target < d:
        raise SordinoError(f"a target must be among the attributes 0..{d - 1}", found=shown(target))
    asked = [j for j in range(d) if j != target] if features is None else [int(j) for j in features]
    if target in asked:
        raise SordinoError("a target must not be among the features", found=shown(target))
    if not asked or len(set(asked)) < len(asked) or not all(0 <= j < d for j in asked):
        raise SordinoError(f"features must be among the attributes 0..{d - 1}, each once", found=shown(asked))
    return asked


def _read(
    queries: AboutNumbers, target: int, features: Sequence[int] | None, ranges: Ranges | None
) -> tuple[list[int], Ranges]:
    return read_places(queries, read_features(read_moments(queries).d, target, features), ranges)


@dataclass(frozen=True, eq=False)
class FeatureVariation:
    """How features vary, each alone and all together, beside what noise could feign; in one survey or in several.

    Attributes:
        variance: of each feature, shape (surveys, p).
        variance_stderr: of these, shape (surveys, p).
        least: the least eigenvalue of their correlation matrix, shape (surveys,); not a number where some feature
            varies too little to look for it.
        stderr: of that, shape (surveys,).
        along: its direction, shape (surveys, p).
    """

    variance: Floats
    variance_stderr: Floats
    least: Floats
    stderr: Floats
    along: Floats

    @classmethod
    def of(cls, centred: Combined, errors: float = DISTINCT) -> "FeatureVariation":
        """From the estimated covariance of the features.

        Args:
            centred: shape (surveys, p, p).
            errors: standard errors by which each feature must vary before they are looked at together.
        """
        own = centred.diagonal
        variance, variance_stderr = own.value[:, 0], own.stderr[:, 0]
        count, p = variance.shape
        least, stderr, along = np.full(count, np.nan), np.full(count, np.nan), np.zeros((count, p))
        vary = np.flatnonzero((variance > errors * variance_stderr).all(axis=1))
        if vary.size:
            deviation, some = np.sqrt(variance[vary]), centred.of_surveys(vary)
            values, vectors = np.linalg.eigh(some.value / (deviation[:, :, None] * deviation[:, None, :]))
            least[vary], along[vary] = values[:, 0], vectors[:, :, 0]
            stderr[vary] = some.form_stderr(vectors[:, :, 0] / deviation)
        return cls(variance, variance_stderr, least, stderr, along)

    @property
    def is_constant(self) -> NDArray[np.bool_]:
        """Whether each feature cannot be distinguished from a constant, shape (surveys, p)."""
        return self.variance <= DISTINCT * self.variance_stderr

    @property
    def is_refused(self) -> NDArray[np.bool_]:
        """Whether features cannot be distinguished from constant or dependent ones, shape (surveys,)."""
        return self.is_constant.any(axis=1) | (self.least <= DISTINCT * self.stderr)

    @property
    def distinctness(self) -> Floats:
        """The least number of standard errors by which features vary, alone or all together, shape (surveys,)."""
        alone = (self.variance / self.variance_stderr).min(axis=1)
        found: Floats = np.fmin(alone, self.least / self.stderr)
        return found


def check_distinct(told: EstimatedMoments, features: Sequence[int], labels: Sequence[str]) -> None:
    """Refuse features that do not vary, each alone and all together, beyond what noise could feign.

    Raises SordinoError: a feature that cannot be told from a constant, features that cannot be told from dependent
    ones.
    """
    found = FeatureVariation.of(_of_one_survey(told, features))
    constant = np.flatnonzero(found.is_constant[0])
    if constant.size:
        rule = f"a feature must vary by more than {DISTINCT:g} standard errors"
        step = "leave it out, ask more people, or take the projected fit"
        raise SordinoError(
            rule, found=f"{labels[constant[0]]}, which cannot be distinguished from a constant", step=step
        )
    if found.is_refused[0]:
        most = labels[int(np.argmax(np.abs(found.along[0])))]
        rule = f"the features' correlation matrix must differ from a singular one by {DISTINCT:g} standard errors"
        step = "leave features out, ask more people, or take the projected fit"
        raise SordinoError(rule, found=f"a least eigenvalue of {found.least[0]:.2g}, mostly along {most}", step=step)


def distinctness(told: EstimatedMoments, features: Sequence[int]) -> float:
    """The least number of standard errors by which features vary, each alone or all together."""
    return float(FeatureVariation.of(_of_one_survey(told, features), errors=0.0).distinctness[0])


def _of_one_survey(told: EstimatedMoments, features: Sequence[int]) -> Combined:
    """The estimated covariance of the features, shape (1, p, p)."""
    return replace(told, means=told.means[None]).covariances(features, features)


def coefficient_units(target: int, asked: Sequence[int], ranges: Ranges) -> tuple[Floats, Floats]:
    """The linear map and the shift that turn scaled coefficients into the attributes' own units."""
    slopes = ranges.half[target] / ranges.half[asked]
    unit = np.diag(np.concatenate([ranges.half[[target]], slopes]))
    unit[0, 1:] = -slopes * ranges.middle[asked]
    shift = np.zeros(len(asked) + 1)
    shift[0] = ranges.middle[target]
    return unit, shift
