"""Moments of complete cases, the people who have all of some numbers, told by statistics of these (`CompleteCase`).

With y the mean of a moment, where whoever lacks one of the numbers counts as 0, and s the share of people who lack
none, both unbiased, the moment among these is y / s. Every report tells s, whatever it tells of y; so s is that of all
of them. The covariance of the quotients is first-order (delta method). Where noise could feign that anybody is a
complete case at all, nothing is told of them.

Shapes: m moments.

A number that may be missing: its mean among the people who have it, and the share of the people who do.

With y the mean of the number, a missing one counted as 0, and s the share of people who have it, both unbiased, the
mean among these is y / s. Its standard error is first-order (delta method). Its interval is Fieller's (`quotient`):
where the interval of s does not leave 0 out, the reports say nothing of the mean, and none is told.
"""

from dataclasses import dataclass
from functools import cached_property
from math import sqrt
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import NDArray

from sordino.domain.moment import Factors, Moments
from sordino.domain.scaled import Completeness
from sordino.errors import SordinoError
from sordino.estimation.intervals.moment_limits import moment_limits, ratio_limits
from sordino.estimation.intervals.possible import possible_limits
from sordino.estimation.intervals.quotient import quotient_limits
from sordino.estimation.intervals.share_interval import errors_to_either_side
from sordino.estimation.moment_estimator import MomentEstimator
from sordino.exact.floats import Floats
from sordino.mechanism.channel import Aggregate
from sordino.query.missing import CompleteCase

if TYPE_CHECKING:
    from sordino.query.sampled import Sampled


COMPLETE = "complete cases"
"""What their share is called among results."""

CERTAIN = 3.0
"""Standard errors by which the share of complete cases must exceed 0."""


@dataclass(frozen=True, eq=False)
class CompleteCases:
    """What the tallies of queries about complete cases tell of them.

    Attributes:
        complete: which numbers a complete case has.

    Example:
        >>> from sordino import Number, Query, RandomizedResponse, Sampled
        >>> asked = Sampled((Query(CompleteCase(Number(0), (0,)), RandomizedResponse(3, "ln 3")),), (1,))
        >>> found = CompleteCases.of(MomentEstimator.of(asked))
        >>> found.moments.names, found.share(asked.tally([0] * 40 + [1] * 80 + [2] * 80))[0]
        (((0,),), 0.5)
    """

    estimator: MomentEstimator
    complete: Completeness

    @classmethod
    def of(cls, estimator: MomentEstimator) -> Self | None:
        """Of queries all of which are about the same complete cases; None of others."""
        asked = {one.complete if isinstance(one, CompleteCase) else None for one in estimator.asked.numbers}
        complete = next(iter(asked)) if len(asked) == 1 else None
        return None if complete is None else cls(estimator, complete)

    @property
    def queries(self) -> "Sampled":
        return self.estimator.asked

    @property
    def d(self) -> int:
        return self.estimator.d

    @cached_property
    def moments(self) -> Moments:
        """Those of complete cases that are told, in the order of the queries."""
        return Moments(self.d, self._names)

    def means(self, aggregate: Aggregate) -> Floats:
        """The estimate of each moment's mean among complete cases, shape (m,).

        Raises SordinoError: as `MomentEstimator.means`; reports that do not tell whether there are any complete cases.
        """
        found, _ = self._among(*self._moments_of_all(aggregate))
        return found

    def covariance(self, aggregate: Aggregate) -> Floats:
        """The estimated covariance of `means`, shape (m, m)."""
        told = self._moments_of_all(aggregate)
        means, share = self._among(*told)
        slopes = np.zeros((len(means), self.estimator.moments.m))
        slopes[np.arange(len(means)), self._own] = 1 / share
        # Of the mean of what is 1 or -1 the share is half, and a half.
        slopes[:, self._whole] = -means / share / 2
        _, covariance = told
        return slopes @ covariance @ slopes.T

    def limits(self, aggregate: Aggregate, error: float) -> tuple[Floats, Floats]:
        """Limits of each of `means`, within [-1, 1], shape (m,) each; `error` is how often both may miss, together."""
        means, covariance = self._moments_of_all(aggregate)
        share, stderr = self._share(means, covariance)
        errors = np.diagonal(covariance)[self._own], stderr**2, covariance[self._own, self._whole] / 2
        found = quotient_limits(means[self._own], share, errors, errors_to_either_side(1 - error))
        # Where there may be no complete case a mean may be anything.
        low, high = np.nan_to_num(found[0], nan=-1.0), np.nan_to_num(found[1], nan=1.0)
        pairs = [(int(own), self._whole) for own in self._own]
        return ratio_limits((low, high), self.estimator, aggregate, pairs, error)

    def leverage(self, aggregate: Aggregate) -> tuple[Floats, Floats]:
        """Never told: what one report can move a quotient by is not bounded where its share may be near 0."""
        del aggregate
        rule = "what forged reports can move is bounded for numbers that everybody has"
        found = "numbers that may be missing"
        raise SordinoError(rule, found=found, step="estimate it without a number of forged reports")

    def share(self, aggregate: Aggregate) -> tuple[float, float]:
        """The unbiased share of complete cases among all people, and its standard error."""
        return self._share(*self._moments_of_all(aggregate))

    def share_limits(self, aggregate: Aggregate, error: float) -> tuple[float, float]:
        """Limits of this share, by the likelihood of what reports add to it; `error` is how often they may miss."""
        whole = MomentEstimator.of(self.queries, [(self.complete,)])
        ((low,), (high,)) = moment_limits(whole, aggregate, error)
        return (1 + float(low)) / 2, (1 + float(high)) / 2

    def _moments_of_all(self, aggregate: Aggregate) -> tuple[Floats, Floats]:
        """Among all people, the means of all moments and their covariance."""
        return self.estimator.means(aggregate), self.estimator.covariance(aggregate)

    def _share(self, means: Floats, covariance: Floats) -> tuple[float, float]:
        mean, variance = means[self._whole], covariance[self._whole, self._whole]
        return (1 + float(mean)) / 2, float(np.sqrt(variance)) / 2

    def _among(self, means: Floats, covariance: Floats) -> tuple[Floats, float]:
        """The means among complete cases, and the share of these."""
        share, stderr = self._share(means, covariance)
        if share <= CERTAIN * stderr:
            rule = f"the share of people who have all the numbers must exceed 0 by {CERTAIN:g} standard errors"
            found = f"{share:.2g}, with a standard error of {stderr:.2g}"
            raise SordinoError(rule, found=found, step="ask more people, or fewer numbers that may be missing")
        return means[self._own] / share, share

    @cached_property
    def _names(self) -> tuple[Factors, ...]:
        return tuple(name[:-1] for name in self.estimator.moments.names if len(name) > 1)

    @cached_property
    def _own(self) -> NDArray[np.intp]:
        """Where the moments of complete cases stand among all that is told."""
        return np.array([at for at, name in enumerate(self.estimator.moments.names) if len(name) > 1])

    @cached_property
    def _whole(self) -> int:
        return self.estimator.moments.names.index((self.complete,))


Limits = tuple[Floats, Floats]


@dataclass(frozen=True, eq=False)
class NumberAndShare:
    """What is told of one scaled number that may be missing.

    Attributes:
        number: y, its mean, a missing one counted as 0.
        share: s, of the people who have it.
        covariance: of the two, shape (2, 2).
    """

    number: float
    share: float
    covariance: Floats

    @classmethod
    def of(cls, means: Floats, covariance: Floats) -> "NumberAndShare":
        """Of the means of the number and of whether it is given, which is 1 or -1, shape (2,)."""
        to_share = np.array([1.0, 0.5])
        return cls(float(means[0]), (1 + float(means[1])) / 2, covariance * np.outer(to_share, to_share))

    @property
    def mean(self) -> float:
        return self.number / self.share

    @property
    def stderr(self) -> float:
        slopes = np.array([1.0, -self.mean]) / self.share
        return sqrt(max(float(slopes @ self.covariance @ slopes), 0.0))

    @property
    def share_stderr(self) -> float:
        return sqrt(float(self.covariance[1, 1]))

    def limits(self, z: float) -> tuple[float, float] | None:
        """Of the mean, within [-1, 1], at this many standard errors; None where the share may be 0."""
        found = self.uncut(z)
        if np.isnan(found[0]):
            return None
        least, most = map(float, possible_limits(self.mean, found, (-1, 1)))
        return least, most

    def uncut(self, z: float) -> tuple[float, float]:
        """The same limits, also beyond what is possible; not numbers where there are none."""
        (yy, ys), (_, ss) = self.covariance.tolist()
        low, high = quotient_limits(self.number, self.share, (yy, ss, ys), z)
        return float(low), float(high)
