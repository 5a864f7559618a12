"""What the reports say about some statistics, and moments on the scaled numbers with first-order standard errors.

Every moment is a sum of at most three estimated means, each with a slope: its standard error is that sum's, with the
covariance of the means (delta method; exact where the moment is linear in them).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sordino.domain.moment import Factor, Factors, Moments, place_of
from sordino.domain.scaled import Completeness, Indicator, Ranges
from sordino.errors import SordinoError
from sordino.estimation.complete_cases import CompleteCases
from sordino.estimation.moment_estimator import MomentEstimator
from sordino.exact.floats import Floats
from sordino.exact.messages import shown
from sordino.mechanism.channel import Aggregate
from sordino.query.query import Query
from sordino.query.sampled import Sampled
from sordino.query.together import Together


class MomentReader(Protocol):
    """Whatever reads moments of a record of numbers out of a tally."""

    @property
    def d(self) -> int:
        """How many numbers a record has."""

    @property
    def moments(self) -> Moments:
        """The moments whose means it tells."""

    def means(self, aggregate: Aggregate) -> Floats:
        """The unbiased estimate of the mean of each moment, shape (m,)."""

    def covariance(self, aggregate: Aggregate) -> Floats:
        """The estimated covariance of `means`, shape (m, m)."""

    def leverage(self, aggregate: Aggregate) -> tuple[Floats, Floats]:
        """How far one report can have moved each mean, and the part that it can have of its weight, shape (m,) each."""


AboutNumbers: TypeAlias = Query | Together | Sampled | MomentReader
"""Queries about numbers, or what reads their tally."""


def read_moments(asked: AboutNumbers) -> MomentReader:
    """What reads the tally of queries about numbers; of complete cases what reads it of these."""
    if isinstance(asked, Query | Together | Sampled):
        estimator = MomentEstimator.of(asked)
        return CompleteCases.of(estimator) or estimator
    if not hasattr(asked, "moments"):
        raise SordinoError("means must be estimated from queries about numbers", found=shown(asked))
    return asked


@dataclass(frozen=True, eq=False)
class EstimatedMoments:
    """Estimated means of statistics, and how far they may be off; of one survey, or of several that are alike.

    Attributes:
        means: shape (m,), or (surveys, m).
        covariance: of the means of each survey, shape (m, m); not a number where it is not known.
    """

    names: tuple[Factors, ...]
    means: Floats
    covariance: Floats

    @classmethod
    def of(cls, asked: AboutNumbers, aggregate: Aggregate, names: Sequence[Factors], labels: Sequence[str]) -> Self:
        """Read a tally."""
        channel = read_moments(asked)
        known = {name: at for at, name in enumerate(channel.moments.names)}
        missing = [name for name in names if name not in known]
        if missing:
            raise SordinoError(
                "the reports must cover every statistic that is needed",
                found=f"none about {_moment_text(missing[0], labels)}",
                step="choose the statistics before anybody is asked",
            )
        if aggregate.n < len(known):
            rule = f"there must be at least as many reports as statistics, {len(known)}"
            raise SordinoError(rule, found=shown(aggregate.n), step="ask more people, or fewer statistics")
        at = [known[name] for name in names]
        covariance = channel.covariance(aggregate)[np.ix_(at, at)]
        return cls(tuple(names), channel.means(aggregate)[at], covariance)

    @cached_property
    def are_independent(self) -> bool:
        return bool(np.count_nonzero(self.covariance) == np.count_nonzero(np.diagonal(self.covariance)))

    @cached_property
    def place(self) -> dict[Factors, int]:
        return {name: at for at, name in enumerate(self.names)}

    def singles(self, places: Sequence[int]) -> NDArray[np.intp]:
        return np.array([self.place[(j,)] for j in places])

    def second(self, rows: Sequence[int], columns: Sequence[int]) -> "Combined":
        """Second moments of the scaled numbers, shape (..., rows, columns)."""
        if np.isnan(self.covariance).any():
            raise SordinoError(
                "statistics used together must come from one answer, or from different people",
                found="queries that are answered together, and tallied apart",
                step="ask for products by sampled_moments",
            )
        at = np.array([[self.place[(min(j, k), max(j, k))] for k in columns] for j in rows])
        square = np.equal.outer(np.array(rows), np.array(columns))
        # The statistic of a square is 2 x^2 - 1.
        value = np.where(square, (self.means[..., at] + 1) / 2, self.means[..., at])
        return Combined(self, value, at[None], np.broadcast_to(np.where(square, 0.5, 1.0), value.shape)[None])

    def covariances(self, rows: Sequence[int], columns: Sequence[int]) -> "Combined":
        """Covariances of the scaled numbers, unbiased, shape (..., rows, columns)."""
        second = self.second(rows, columns)
        left, right = np.meshgrid(self.singles(rows), self.singles(columns), indexing="ij")
        # The product of two estimates is too large by their covariance.
        value = second.value - self.means[..., left] * self.means[..., right] + self.covariance[left, right]
        slopes = [second.slopes[0], -self.means[..., right], -self.means[..., left]]
        return Combined(self, value, np.stack([second.at[0], left, right]), np.stack(slopes))


@dataclass(frozen=True, eq=False)
class Combined:
    """Moments made of estimated means; of one survey, or of several that are alike.

    Attributes:
        value: shape (..., rows, columns).
        at: the means that each depends on, shape (terms, rows, columns).
        slopes: how much it moves with each, shape (terms, ..., rows, columns).
    """

    told: EstimatedMoments
    value: Floats
    at: NDArray[np.intp]
    slopes: Floats

    @property
    def stderr(self) -> Floats:
        """The standard errors, shape (..., rows, columns)."""
        spread = self.told.covariance[self.at[:, None], self.at[None]]
        variance = np.einsum("s...jk,t...jk,stjk->...jk", self.slopes, self.slopes, spread)
        stderr: Floats = np.sqrt(np.maximum(variance, 0.0))
        return stderr

    @property
    def diagonal(self) -> "Combined":
        """Those of a row with the column of its number, as one row, shape (..., 1, rows)."""
        value, slopes = (np.diagonal(each, axis1=-2, axis2=-1)[..., None, :] for each in (self.value, self.slopes))
        return Combined(self.told, value, np.diagonal(self.at, axis1=-2, axis2=-1)[..., None, :], slopes)

    def of_surveys(self, chosen: NDArray[np.intp]) -> "Combined":
        told = replace(self.told, means=self.told.means[chosen])
        return Combined(told, self.value[chosen], self.at, self.slopes[:, chosen])

    def form_slopes(self, weights: Floats) -> Floats:
        """How the quadratic forms w' value w move with each mean, shape (surveys, m)."""
        moved = self.slopes * weights[..., :, None] * weights[..., None, :]
        m, at = len(self.told.covariance), self.at.ravel()
        each = np.moveaxis(moved, 0, -3).reshape(-1, at.size)
        return np.array([np.bincount(at, own, m) for own in each]).reshape(-1, m)

    def form_stderr(self, weights: Floats) -> Floats:
        """The standard errors of the quadratic forms w' value w, shape (...,), for weights of shape (..., rows)."""
        slope = self.form_slopes(weights)
        if self.told.are_independent:
            variance = slope**2 @ np.diagonal(self.told.covariance)
        else:
            variance = ((slope @ self.told.covariance) * slope).sum(axis=1)
        stderr: Floats = np.sqrt(np.maximum(variance, 0.0)).reshape(weights.shape[:-1])
        return stderr


def read_places(asked: AboutNumbers, places: Sequence[int] | None, ranges: Ranges | None) -> tuple[list[int], Ranges]:
    """The attributes asked for, and all ranges; by default all attributes, in [-1, 1]."""
    d = read_moments(asked).d
    ranges = Ranges.unit(d) if ranges is None else ranges
    if ranges.d != d:
        raise SordinoError(f"there must be a range for each of {d} attributes", found=shown(ranges.d))
    chosen = list(range(d)) if places is None else [int(j) for j in places]
    if not chosen or len(set(chosen)) < len(chosen) or not all(0 <= j < d for j in chosen):
        raise SordinoError(f"attributes must be among 0..{d - 1}, each once", found=shown(chosen))
    return chosen, ranges


def _moment_text(name: Factors, labels: Sequence[str]) -> str:
    return " times ".join(_factor(factor, labels[place_of(factor)]) for factor in name)


def _factor(factor: Factor, label: str) -> str:
    if isinstance(factor, Completeness):
        return "whether no number is missing"
    if not isinstance(factor, Indicator):
        return label
    return f"whether {label} is {'given' if factor.category is None else f'category {factor.category}'}"
