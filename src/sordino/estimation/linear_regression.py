"""Least squares of a target on features, from sampled statistics alone.

The moments that least squares needs are means of statistics, each told without bias. `least_squares` solves the normal
equations A t = b of the estimated moments. Its standard errors are the sandwich A^-1 [D V D'] A^-1, where V is the
covariance of the statistics' estimated means and D = d(b - A t)/d(means): first-order, from the reports only. They are
about the population that the people were drawn from. Intervals hold given that a regression is not refused, however
many of its kind are (`coefficient_limits`); they are as far as the limits of the means together let the coefficients
move (of few people who are far from most others these are farther on one side), and no closer than normal ones.

Where the noise is as large as the features' variation, the plain solution means nothing and is refused;
`projected_least_squares` always answers: biased towards slopes of 0, with a much smaller error while reports are few,
and the same in the limit.

Everything is computed on numbers scaled to [-1, 1] and told in the attributes' own units, the intercept first.
Source: the BCDP paper's least squares (20)-(21), whose two private copies of each record are replaced by one drawn
statistic: noise of 1/epsilon^2 where the copies have 1/epsilon^4.

The columns of a regression with categorical features: numbers, and an indicator for each category but a base one.

Queries about a category tell the moments of the indicators of all its categories. What least squares needs is linear in
these: with s = 1 inside a category and -1 outside, the product of the indicators of two categories of one attribute
is -1 - s - s', since nobody is in both, and the square of one is 1. So normal equations, standard errors and bounds on
forged reports are those of numbers (`estimation.linear_regression`), with ranges from 0 to 1.

Which category is the base one decides what coefficients are differences to, and nothing else.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sordino.domain.moment import Factor, Factors, Moment, Moments, place_of, sort_factors
from sordino.domain.scaled import Indicator, Ranges
from sordino.errors import SordinoError
from sordino.estimation.estimated_moments import (
    AboutNumbers,
    Combined,
    EstimatedMoments,
    MomentReader,
    read_moments,
    read_places,
)
from sordino.estimation.intervals.coefficient_limits import Quotients, ShownStatistic, coefficient_limits
from sordino.estimation.intervals.share_interval import errors_to_either_side
from sordino.estimation.means_and_covariances import NormalEstimate, limits_of
from sordino.estimation.solvers import Undetermined, check_radius, positive_part, solve_estimate, trust_region
from sordino.exact.floats import Floats
from sordino.exact.messages import shown
from sordino.mechanism.channel import Aggregate
from sordino.query.sampled import Sampled

DISTINCT = 3.0
"""Standard errors by which the features' variation must exceed 0 in every direction."""

EXPECTED_LENGTH = 1.0
"""Of the scaled slopes together, before any report: with it the noise level becomes a ridge."""

DEPENDENT = Undetermined(
    "features must differ from a constant and from sums of each other", "leave features out, or ask more people"
)
"""The refusal of normal equations without a single solution."""

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
        told: the means of the statistics that it is made of.
        moved: how each coefficient moves with each of these, shape (p + 1, statistics).
        directions: how each coefficient moves with the scaled slopes, shape (p + 1, p).
        reports: what reads the means, and the tally; None of expected ones.
    """

    target: int
    features: tuple[int, ...]
    covariance: Floats
    told: EstimatedMoments
    moved: Floats
    directions: Floats
    reports: tuple[MomentReader, Aggregate] | None = None

    def interval(self, confidence: float = 0.95) -> tuple[Floats, Floats]:
        """Lower and upper limits given that it was not refused, no closer than normal ones (`coefficient_limits`)."""
        low, high = super().interval(confidence)
        if self.reports is None:
            return low, high
        away, asked = self._away(confidence), list(self.features)
        centred = _one(self.told.covariances(asked, asked))
        shown, covariance = FeatureVariation.of(centred).statistic(centred), self.told.covariance
        x = self.told.means[self.told.singles(asked)]
        between = self.told.second(asked, asked).value - np.outer(x, x)
        strengths = np.zeros_like(self.moved)
        for own, direction in zip(strengths, self.directions, strict=True):
            # What of the feature along this coefficient the others do not explain.
            rest = solve_estimate(between, direction, DEPENDENT)
            if rest.any():
                own[:] = centred.form_slopes(rest[None])[0] / (direction @ rest)
        below, above = coefficient_limits(Quotients(self.moved, strengths), shown, away, covariance, confidence)
        return np.minimum(low, self.value - below), np.maximum(high, self.value + above)

    def _away(self, confidence: float) -> tuple[Floats, Floats]:
        """How far the limits of the means are below them and above them; of those without, as of normal ones."""
        limits = None if self.reports is None else limits_of(*self.reports, 1 - confidence)
        if self.reports is None or limits is None:
            errors = errors_to_either_side(confidence) * np.sqrt(np.diagonal(self.told.covariance))
            return errors, errors
        names = self.reports[0].moments.names
        at = [names.index(name) for name in self.told.names]
        below, above = self.told.means - limits[0][at], limits[1][at] - self.told.means
        return np.maximum(below, 0.0), np.maximum(above, 0.0)

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
    fit = solve(told, aggregate.n, target, asked, ranges)
    return replace(fit, reports=(read_moments(queries), aggregate))


def solve(told: EstimatedMoments, n: int, target: int, asked: Sequence[int], ranges: Ranges) -> Regression:
    """The solution of the normal equations with its standard errors, from estimated means or expected ones.

    Args:
        told: the means of all statistics that it needs, and how far they may be off.
    """
    singles, own = told.singles(asked), told.place[(target,)]
    second, products = told.second(asked, asked), told.second(asked, [target])
    normal, right = normal_equations(told, target, asked)
    solved = solve_estimate(normal, np.column_stack([right, np.eye(len(normal))]), DEPENDENT)
    solution, bread = solved[:, 0], solved[:, 1:]
    # How each normal equation's residual moves with each mean.
    moved, rows = np.zeros((len(asked) + 1, len(told.names))), np.arange(1, len(asked) + 1)
    moved[0, own] = 1
    moved[0, singles] = -solution[1:]
    moved[rows, products.at[0, :, 0]] = 1
    moved[rows, singles] = -solution[0]
    moved[rows[:, None], second.at[0]] = -second.slopes[0] * solution[1:]
    unit, shift = coefficient_units(target, asked, ranges)
    turned = unit @ bread @ moved
    covariance = turned @ told.covariance @ turned.T
    stderr = np.sqrt(np.maximum(np.diagonal(covariance), 0))
    directions = unit[:, 1:] - np.outer(unit[:, 0], told.means[singles])
    value = unit @ solution + shift
    return Regression(value, stderr, n, target, tuple(asked), covariance, told, turned, directions)


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
    ridged = weighed @ between + len(asked) / length**2 * np.eye(len(asked))
    slopes = solve_estimate(ridged, weighed @ products.value[:, 0], DEPENDENT)
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
        found: Floats = np.fmin(self._own_errors.min(axis=1), _in_errors(self.least, self.stderr))
        return found

    @property
    def _own_errors(self) -> Floats:
        """The number of standard errors by which each feature varies, shape (surveys, p)."""
        return _in_errors(self.variance, self.variance_stderr)

    def statistic(self, centred: Combined) -> ShownStatistic:
        """What was nearest to the refusal of one survey.

        Args:
            centred: what these were found in, shape (1, p, p).
        """
        alone, least = self._own_errors[0], float(_in_errors(self.least, self.stderr)[0])
        nearest = int(np.argmin(alone))
        together = least < alone[nearest]
        weights = self.along[0] / np.sqrt(self.variance[0]) if together else np.eye(len(alone))[nearest]
        errors = least if together else float(alone[nearest])
        return ShownStatistic(centred.form_slopes(weights[None])[0], errors, DISTINCT)


def _in_errors(value: Floats, stderr: Floats) -> Floats:
    """In standard errors; infinite where there is none, as of numbers that are all at two ends of their range."""
    found: Floats = np.divide(value, stderr, out=np.full_like(value, np.inf), where=stderr != 0)
    return found


def check_distinct(told: EstimatedMoments, features: Sequence[int], labels: Sequence[str]) -> None:
    """Refuse features that do not vary, each alone and all together, beyond what noise could feign.

    Raises SordinoError: a feature that cannot be told from a constant, features that cannot be told from dependent
    ones.
    """
    found = FeatureVariation.of(_one(told.covariances(features, features)))
    constant = np.flatnonzero(found.is_constant[0])
    if constant.size:
        raise SordinoError(
            f"a feature must vary by more than {DISTINCT:g} standard errors",
            found=f"{labels[constant[0]]}, which cannot be distinguished from a constant",
            step="leave it out, ask more people, or take the projected fit",
        )
    if found.is_refused[0]:
        most = labels[int(np.argmax(np.abs(found.along[0])))]
        rule = f"the features' correlation matrix must differ from a singular one by {DISTINCT:g} standard errors"
        step = "leave features out, ask more people, or take the projected fit"
        raise SordinoError(rule, found=f"a least eigenvalue of {found.least[0]:.2g}, mostly along {most}", step=step)


def distinctness(told: EstimatedMoments, features: Sequence[int]) -> float:
    """The least number of standard errors by which features vary, each alone or all together."""
    return float(FeatureVariation.of(_one(told.covariances(features, features)), errors=0.0).distinctness[0])


def _one(centred: Combined) -> Combined:
    """Moments of one survey as those of several, shape (1, rows, columns)."""
    told = replace(centred.told, means=centred.told.means[None])
    return Combined(told, centred.value[None], centred.at, centred.slopes[:, None])


def coefficient_units(target: int, asked: Sequence[int], ranges: Ranges) -> tuple[Floats, Floats]:
    """The linear map and the shift that turn scaled coefficients into the attributes' own units."""
    slopes = ranges.half[target] / ranges.half[asked]
    unit = np.diag(np.concatenate([ranges.half[[target]], slopes]))
    unit[0, 1:] = -slopes * ranges.middle[asked]
    shift = np.zeros(len(asked) + 1)
    shift[0] = ranges.middle[target]
    return unit, shift


if TYPE_CHECKING:
    from scipy.sparse import csr_array


Sum = tuple[float, tuple[tuple[Factors, float], ...]]
"""A number, and moments with their factors."""


@dataclass(frozen=True, eq=False)
class RegressionColumns:
    """What the reports tell of the columns of a regression, each scaled to [-1, 1]; the target is the last one.

    Attributes:
        columns: a number by its place, a category by its indicator.
    """

    asked: Sampled
    columns: tuple[Factor, ...]

    @property
    def d(self) -> int:
        return len(self.columns)

    @cached_property
    def moments(self) -> Moments:
        """Those that least squares needs, of columns by their places."""
        return Moments(self.d, self._names)

    @cached_property
    def moments_needed(self) -> frozenset[Factors]:
        """The moments of the record that these are made of."""
        return frozenset(name for _, parts in self._sums for name, _ in parts)

    def means(self, aggregate: Aggregate) -> Floats:
        """The unbiased estimate of the mean of each moment, shape (m,)."""
        return self.of_means(self.estimator.means(aggregate))

    def covariance(self, aggregate: Aggregate) -> Floats:
        """The estimated covariance of `means`, shape (m, m)."""
        return self.of_covariance(self.estimator.covariance(aggregate))

    def leverage(self, aggregate: Aggregate) -> tuple[Floats, Floats]:
        """How far one report can have moved each mean at most, and the part that it can have of its weight."""
        swing, weight = self.estimator.leverage(aggregate)
        most = np.array([max((weight[self._at[n]] for n, _ in parts), default=0.0) for _, parts in self._sums])
        return abs(self._factors) @ swing, most

    def of_means(self, means: Floats) -> Floats:
        """From the means of all that the queries tell, in their order."""
        found: Floats = np.array([constant for constant, _ in self._sums]) + self._factors @ means
        return found

    def of_covariance(self, covariance: Floats) -> Floats:
        """Likewise."""
        found: Floats = self._factors @ (self._factors @ covariance).T
        return found

    @cached_property
    def estimator(self) -> MomentReader:
        return read_moments(self.asked)

    @cached_property
    def _names(self) -> tuple[Moment, ...]:
        return regression_statistics(self.d - 1, range(self.d - 1))

    @cached_property
    def _at(self) -> dict[Factors, int]:
        return {name: at for at, name in enumerate(self.estimator.moments.names)}

    @cached_property
    def _sums(self) -> tuple[Sum, ...]:
        """Each moment of columns as a sum of moments of the record."""
        return tuple(_as_sum(tuple(self.columns[j] for j in name)) for name in self._names)

    @cached_property
    def _factors(self) -> "csr_array":
        from scipy.sparse import csr_array

        entries = [(m, self._at[name], factor) for m, (_, parts) in enumerate(self._sums) for name, factor in parts]
        rows, columns, factors = zip(*entries, strict=True)
        return csr_array((factors, (rows, columns)), shape=(self.moments.m, len(self._at)))


def regression_columns(d: int, categories: Mapping[int, int], base: Mapping[int, int]) -> tuple[Factor, ...]:
    """The columns of a regression of the last of d attributes on the others, in their order.

    Args:
        categories: how many there are of each attribute of categories, by its place.
        base: the category of each that has no column.

    Example:
        >>> regression_columns(3, {1: 3}, {1: 0})
        (0, Indicator(place=1, category=1), Indicator(place=1, category=2), 2)
    """
    found: list[Factor] = []
    for place in range(d):
        inside = [Indicator(place, v) for v in range(categories.get(place, 0)) if v != base[place]]
        found += inside if place in categories else [place]
    return tuple(found)


def _as_sum(name: Factors) -> Sum:
    one, other = name[0], name[-1]
    if len(name) == 1 or not isinstance(one, Indicator) or one.place != place_of(other):
        return 0.0, ((sort_factors(name), 1.0),)
    # 2 s^2 - 1 is what a square is told as.
    return (1.0, ()) if one == other else (-1.0, (((one,), -1.0), ((other,), -1.0)))
