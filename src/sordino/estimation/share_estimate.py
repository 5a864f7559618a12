"""From a tally to shares: the public `estimate`, and its result with standard errors and intervals.

Two answers stand side by side. The unbiased one is right on average for every value, and is what standard errors and
intervals are about. The fitted one is a distribution near it: better for maps, sums and whatever needs all shares at
once, but its largest shares are too low, since what noise adds to the smallest is taken from them.
"""

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

import numpy as np

from sordino.blocks.arrow_rows import COUNT, NUMBER, ArrowRows, rows_table
from sordino.blocks.displayed import WithFigures
from sordino.blocks.summary import numbers_summary
from sordino.domain.value_partition import Partition
from sordino.errors import SordinoError
from sordino.estimation.intervals.contrast import contrast, contrast_leverage
from sordino.estimation.intervals.mean_limits import FEWEST, MOMENTS, limits_by_moments
from sordino.estimation.intervals.possible import possible_limits
from sordino.estimation.intervals.share_interval import errors_to_either_side, require_confidence, share_interval
from sordino.estimation.intervals.simultaneous import each_confidence
from sordino.estimation.likelihood import likelihood
from sordino.estimation.means_and_covariances import NormalEstimate
from sordino.estimation.neighbours.choice import Choice, SmoothingRefusal, smooth_if_nearer
from sordino.estimation.neighbours.share_prior import LearntChoice, learn_if_nearer
from sordino.estimation.neighbours.smoothing import Surroundings
from sordino.estimation.simplex import project
from sordino.estimation.unbiased import Decoded, Functionals, leverages, variance_of_reports
from sordino.exact.floats import Floats
from sordino.exact.messages import checked, shown
from sordino.mechanism.base import Mechanism
from sordino.mechanism.channel import Aggregate

if TYPE_CHECKING:
    import pyarrow as pa

Method = Literal["unbiased", "simplex", "block-simplex", "likelihood", "empirical-bayes", "smoothed"]
"""How a distribution is fitted. simplex: the nearest to the unbiased estimate. block-simplex: the same within each
block, whose share is known. likelihood: the one under which the reports are the most probable. empirical-bayes: with
a distribution of all shares that is learnt from them, where this is expected to be nearer to the truth than the nearest
distribution, which is fitted elsewhere; the default. smoothed: by neighbours, where these are expected to be nearer,
else the nearest distribution. unbiased: none."""


class Sums(NamedTuple):
    """Shares of blocks of values; what noise adds to one value it often takes from its neighbours, not so from a sum.

    Attributes:
        value: shape (m,); right on average, may be negative.
        stderr: shape (m,); of the sums themselves, not made of those of the values.
        moments: of what a report adds to each sum, the means of its first powers, shape (powers, m).
        ends: the least and the most that one can add, shape (2, m).
    """

    value: Floats
    stderr: Floats
    moments: Floats
    ends: Floats
    n: int

    @property
    def leverage(self) -> Floats:
        """How many people one report can weigh in each, shape (m,)."""
        leverage: Floats = np.ptp(self.ends, axis=0)
        return leverage

    def interval(self, confidence: float) -> tuple[Floats, Floats]:
        """Lower and upper limits, shape (m,) each, within 0..1: normal ones, no closer than likelihood lets them be."""
        reach = errors_to_either_side(confidence) * self.stderr
        low, high = self.value - reach, self.value + reach
        if self.n >= FEWEST:
            least, most = limits_by_moments(self.moments, self.n, (self.ends[0], self.ends[1]), 1 - confidence)
            low, high = np.minimum(low, least), np.maximum(high, most)
        return possible_limits(self.value, (low, high))


@dataclass(frozen=True, eq=False, repr=False)
class Estimate(ArrowRows, WithFigures):
    """Shares of the values in the population that the people were drawn from.

    Attributes:
        value: shape (k,); right on average, may be negative.
        stderr: shape (k,); of `value`. Zero only where the share is known without reports (k = 1).
        fitted: shape (k,); a distribution, made by `method`. None if the method is "unbiased".
        n: the number of reports.
        method: how `fitted` was made; "joint" where it is a margin of what was fitted to several estimates together.
        choice: what is expected of smoothed shares, where these were asked for, or why nothing is; by default of shares
            fitted with a learnt distribution. They are `fitted` only if `method` says so.

    Example:
        >>> from sordino import RandomizedResponse
        >>> mechanism = RandomizedResponse(2, "ln 3")
        >>> found = estimate(mechanism, mechanism.tally([0, 0, 0, 0]))
        >>> found.value.round(6), found.fitted
        (array([ 1.5, -0.5]), array([1., 0.]))
    """

    value: Floats
    stderr: Floats
    fitted: Floats | None
    n: int
    method: Method | Literal["joint"]
    _aggregate: Aggregate = field(repr=False)
    _decoded: Decoded = field(repr=False)
    _subtract_totals: bool = field(repr=False)
    choice: Choice | SmoothingRefusal | LearntChoice | None = field(default=None, repr=False)

    def __repr__(self) -> str:
        columns = {"estimate": self.value, "stderr": self.stderr}
        columns |= {} if self.fitted is None else {"fitted": self.fitted}
        return numbers_summary(self.title, "value", columns)

    @property
    def title(self) -> str:
        """What it is, in a line."""
        fitted = "" if self.fitted is None else f", fitted by {self.method}"
        return f"Estimate of {len(self.value):,} shares from {self.n:,} reports{fitted}"

    def to_arrow(self) -> "pa.Table":
        """A row for each value: its number, `estimate`, `stderr`, the 95% interval `low` to `high`, and `fitted`."""
        low, high = self.interval()
        fitted = np.full(len(self.value), np.nan) if self.fitted is None else self.fitted
        numbers = {"estimate": self.value, "stderr": self.stderr, "low": low, "high": high, "fitted": fitted}
        types = {"value": COUNT} | dict.fromkeys(numbers, NUMBER)
        return rows_table(types, {"value": np.arange(len(self.value), dtype=np.uint64)} | numbers)

    @property
    def by_method(self) -> Floats:
        """What the method makes of the reports, shape (k,): `fitted`, or `value` where nothing was fitted."""
        return self.value if self.fitted is None else self.fitted

    @cached_property
    def nearest(self) -> Floats:
        """The distribution that is nearest to `value`, shape (k,), whatever the method. Not to be changed."""
        return self.fitted if self.fitted is not None and self.method == "simplex" else project(self.value)

    @property
    def mechanism(self) -> Mechanism:
        """Made the reports."""
        return self._decoded.mechanism

    @property
    def decoded_reports(self) -> Decoded:
        """What the law of the reports tells of each value."""
        return self._decoded

    @property
    def is_shifted(self) -> bool:
        """Whether estimates are shifted to the share of their block."""
        return self._subtract_totals

    @property
    def law(self) -> Floats:
        """The tally divided by the number of reports, shape (counters,)."""
        return self._decoded.law

    def offer(self, known: Surroundings | None = None) -> tuple[Floats | None, Choice | SmoothingRefusal | None]:
        """Shares smoothed by neighbours, shape (k,), where they are expected to be nearer to the truth.

        Args:
            known: of the values beside their reports.

        Returns:
            The shares or None, and what is expected of them or why nothing is; None for both of few values.
        """
        known = Surroundings() if known is None else known
        return smooth_if_nearer(self._decoded, self.n, self.value, known, subtract=self._subtract_totals)

    def interval(self, confidence: float = 0.95, *, simultaneous: bool = False) -> tuple[Floats, Floats]:
        """Lower and upper limits, shape (k,) each, of `value` (whatever the method).

        Each covers by itself with this confidence, or, if they are to be simultaneous, all of them together. They hold
        the estimate, except where they are cut to what is possible: an estimate below zero has limits that begin at
        zero.

        Example:
            >>> from sordino import RandomizedResponse, estimate
            >>> mechanism = RandomizedResponse(2, "1")
            >>> low, high = estimate(mechanism, mechanism.tally([0, 0, 1])).interval(0.9)
            >>> bool(low[0] <= high[0])
            True
        """
        return share_interval(
            self._decoded.mechanism,
            self._aggregate,
            self.each_confidence(confidence) if simultaneous else confidence,
            subtract_totals=self._subtract_totals,
            decoded=self._decoded,
        )

    def each_confidence(self, confidence: float) -> float:
        """The confidence of each interval, so that those of all values hold together with the given one."""
        require_confidence(confidence)
        return each_confidence(self._decoded, self.n, confidence, subtract_totals=self._subtract_totals)

    def difference(self, first: int, second: int) -> NormalEstimate:
        """What a value's share has more than another's, shape (), with the standard error of the difference itself.

        Args:
            first: the value.

        Raises:
            SordinoError: values outside 0..k-1, one twice; a tally that does not say how often each code was sent.

        Example:
            >>> from sordino import RandomizedResponse, estimate
            >>> mechanism = RandomizedResponse(2, "ln 3")
            >>> found = estimate(mechanism, mechanism.tally([0, 0, 1, 0])).difference(0, 1)
            >>> float(found.value), float(found.stderr)
            (1.0, 0.8660254037844386)
        """
        weights = self._contrast(first, second)
        return contrast(self._decoded, self.n, weights, subtract_totals=self._subtract_totals)

    def contributions(self, functionals: Floats) -> Floats:
        """What each code adds to the estimates of linear functionals of the shares, shape (m, codes).

        Args:
            functionals: of the values, shape (m, k).

        Raises:
            SordinoError: a tally that does not say how often each code was sent.
        """
        return self.mechanism.contributions(functionals, subtract_totals=self._subtract_totals)

    def moved_difference(self, first: int, second: int, forged: int) -> float:
        """How far at most some forged reports can have moved the difference of two shares.

        Raises:
            SordinoError: values outside 0..k-1, or one twice.
        """
        weights = self._contrast(first, second)
        return forged * contrast_leverage(self.mechanism, weights, subtract_totals=self._subtract_totals) / self.n

    def _contrast(self, first: int, second: int) -> Floats:
        """The weights of a difference, shape (k,)."""
        k = self.mechanism.k
        if first == second or not all(0 <= value < k for value in (first, second)):
            rule = f"a difference is of two values among 0..{k - 1}"
            raise SordinoError(rule, found=f"{shown(first)} and {shown(second)}")
        weights = np.zeros(k)
        weights[first], weights[second] = 1.0, -1.0
        return weights

    def moved(self, forged: int) -> Floats:
        """How far at most some forged reports can have moved each estimate, shape (k,)."""
        return forged * leverages(self.mechanism, subtract_totals=self._subtract_totals) / self.n

    def covariance(self, functionals: Floats) -> Floats:
        """The covariance of the estimates of linear functionals of the shares, shape (m, m).

        Args:
            functionals: of the values, shape (m, k).

        Raises:
            SordinoError: a tally that does not tell it.
        """
        return self._decoded.covariance(functionals, subtract_totals=self._subtract_totals) / self.n

    def covariance_among(self, functionals: Floats, shares: Floats) -> Floats:
        """The covariance, times n, of the same estimates for people with given shares, shape (m, m).

        Args:
            functionals: of the values, shape (m, k).
            shares: of the values, shape (k,).

        Raises:
            SordinoError: a tally that does not tell it.
        """
        expected = Decoded(self.mechanism, self.mechanism.forward(shares))
        return expected.covariance(functionals, subtract_totals=self._subtract_totals)

    def variances(self, functionals: Floats) -> Floats:
        """The variances of the estimates of linear functionals of the shares, shape (m,), where reports are alike too.

        Args:
            functionals: of the values, shape (m, k).

        Raises:
            SordinoError: a tally that does not tell it.
        """
        return Functionals(self.mechanism, functionals, self._subtract_totals).variances(self._decoded, self.n) / self.n

    def sums(self, blocks: Partition) -> Sums:
        """What the values of each block have together, with the standard errors of these sums.

        Raises:
            SordinoError: a tally that does not say how often each code was sent.
        """
        return block_sums(self._decoded, self.n, blocks, subtract_totals=self._subtract_totals)


@checked
def estimate(
    mechanism: Mechanism,
    aggregate: Aggregate,
    method: Method | None = None,
    *,
    subtract_totals: bool = False,
    known: Surroundings | None = None,
) -> Estimate:
    """Estimate each value's share from the tally of a mechanism's reports.

    Args:
        mechanism: made the reports.
        aggregate: their tally.
        method: how a distribution is fitted: "empirical-bayes" (the default), "simplex", "block-simplex",
            "likelihood", "smoothed", or "unbiased" for none. Where the first is not expected to be nearer to the truth,
            the nearest distribution that keeps what every report tells: see `nearest_method`.
        subtract_totals: shift each block's estimates to the block's share before anything else; decide before the data.
            The likelihood knows the blocks' shares anyway.
        known: of the values beside their reports, for "smoothed"; by default nothing.

    Raises:
        SordinoError: no reports, another mechanism's tally, an unknown method, or a mechanism from which nothing can
            be learned.

    Example:
        >>> from sordino import HadamardResponse, estimate
        >>> mechanism = HadamardResponse(4, "2")
        >>> codes = mechanism.privatize([0, 1, 2, 3] * 1000)
        >>> found = estimate(mechanism, mechanism.tally(codes))
        >>> found.method, found.fitted.sum().round(6)
        ('simplex', np.float64(1.0))
    """
    method = "empirical-bayes" if method is None else method
    if method not in get_args(Method):
        raise SordinoError(f"method must be one of {', '.join(get_args(Method))}", found=shown(method))
    if aggregate.fingerprint != mechanism.fingerprint:
        rule = "reports can be read only with the mechanism that made them"
        step = "estimate with the mechanism that privatized"
        raise SordinoError(rule, found=f"a tally of {aggregate.fingerprint}, not {mechanism.fingerprint}", step=step)
    if aggregate.n == 0:
        raise SordinoError("an estimate needs reports", found="a tally of 0 reports", step="collect reports first")
    law = aggregate.counts / aggregate.n
    decoded = Decoded(mechanism, law)
    value = decoded.estimate(subtract_totals=subtract_totals)
    stderr = np.sqrt(variance_of_reports(decoded, aggregate.n, subtract_totals=subtract_totals) / aggregate.n)
    found = Estimate(value, stderr, None, aggregate.n, "unbiased", aggregate, decoded, subtract_totals)
    fitted: Floats | None = None
    choice: Choice | SmoothingRefusal | LearntChoice | None = None
    if method == "smoothed":
        fitted, choice = found.offer(known)
    elif method == "empirical-bayes":
        fitted, choice = learn_if_nearer(decoded, aggregate.n, value, subtract=subtract_totals)
    if fitted is None and method in ("smoothed", "empirical-bayes"):
        method = nearest_method(mechanism)
    if method == "simplex":
        fitted = project(value)
    elif method == "block-simplex":
        fitted = project(value, mechanism.partition, mechanism.block_shares(law))
    elif method == "likelihood":
        fitted = likelihood(mechanism, law, aggregate.n)
    return replace(found, fitted=fitted, method=method, choice=choice)


def nearest_method(mechanism: Mechanism) -> Method:
    """The method of the nearest distribution that keeps what every report tells.

    It is "block-simplex" where a report tells a block, else "simplex".

    A high-low response tells some people's values as they are, but of no share exactly how large it is: "simplex".
    """
    return "block-simplex" if mechanism.partition.m > 1 else "simplex"


def block_sums(decoded: Decoded, n: int, blocks: Partition, *, subtract_totals: bool = False) -> Sums:
    """What each block's values have together.

    Raises SordinoError: a tally that does not say how often each code was sent.
    """
    value, variance = np.empty(blocks.m), np.empty(blocks.m)
    moments, ends = np.empty((MOMENTS, blocks.m)), np.empty((2, blocks.m))
    # One by one: all that all codes add to all blocks may be large.
    for block in range(blocks.m):
        inside = (blocks.block == block).astype(np.float64)[None, :]
        (each,) = decoded.mechanism.contributions(inside, subtract_totals=subtract_totals)
        moments[:, block] = [each**power @ decoded.law for power in range(1, MOMENTS + 1)]
        value[block], ends[:, block] = moments[0, block], (each.min(), each.max())
        (variance[block],) = Functionals(decoded.mechanism, inside, subtract_totals).variances(decoded, n)
    return Sums(value, np.sqrt(variance / n), moments, ends, n)
