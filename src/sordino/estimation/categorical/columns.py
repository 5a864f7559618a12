"""The columns of a regression with categorical features: numbers, and an indicator for each category but a base one.

Queries about a category tell the moments of the indicators of all its categories. What least squares needs is linear in
these: with s = 1 inside a category and -1 outside, the product of the indicators of two categories of one attribute
is -1 - s - s', since nobody is in both, and the square of one is 1. So normal equations, standard errors and bounds on
forged reports are those of numbers (`estimation.regression`), with ranges from 0 to 1.

Which category is the base one decides what coefficients are differences to, and nothing else.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from sordino.domain.coded import Indicator
from sordino.domain.moment import Factor, Factors, Moment, Moments, place_of, sort_factors
from sordino.estimation.estimated_moments import MomentReader, read_moments
from sordino.estimation.regression import regression_statistics
from sordino.exact.arrays import Floats
from sordino.mechanism.aggregate import Aggregate
from sordino.query.sampled import Sampled

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
        """How many columns there are, with the target."""
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
        """Of all that the queries tell."""
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
    """The moment of one column, or of two."""
    one, other = name[0], name[-1]
    if len(name) == 1 or not isinstance(one, Indicator) or one.place != place_of(other):
        return 0.0, ((sort_factors(name), 1.0),)
    # 2 s^2 - 1 is what a square is told as.
    return (1.0, ()) if one == other else (-1.0, (((one,), -1.0), ((other,), -1.0)))
