"""Means of numbers with a budget each, by nested reports of any local mechanism.

Guarantee, if the mechanism inside keeps its step's LDP: for budgets c_1 <= ... <= c_d (here in any order) coordinate DP
with c_i for each i, and LDP with the largest. Level k is a report, with random words of its own, about the numbers
whose budget is at least the k-th distinct one, at the difference to the one before it. `losses` and `certify` read the
mechanisms' own integers, and believe no step.

The estimates of a number at all its levels are combined with weights inverse to their variances for numbers at -1 or 1;
means are unbiased whatever the weights. A report is a row of codes, one for each level.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from math import prod, sqrt
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sordino.audit.answers import certify_queries
from sordino.definition.bounds import LARGEST_EPSILON
from sordino.definition.pairwise import LDP
from sordino.domain.moment import Moments
from sordino.domain.scaled import Scaled
from sordino.errors import SordinoError
from sordino.estimation.moment_estimator import MomentEstimator
from sordino.exact.floats import Floats, ignore_float_errors
from sordino.exact.keyed import KeyedRecords, KeyedSource
from sordino.exact.messages import checked_class, kind, shown
from sordino.exact.nats import Nats, NatsLike
from sordino.exact.source import Source, Stream, SystemSource, Words
from sordino.mechanism.channel import LARGEST_CODE_BITS, Aggregate
from sordino.papers.bayesian_coordinate.means import L2Ball
from sordino.papers.bayesian_coordinate.nested import nested_levels, read_budgets
from sordino.papers.bayesian_coordinate.seeded import NumberChannel
from sordino.papers.bayesian_coordinate.steered import combine
from sordino.query.query import Query
from sordino.query.sampled import Sampled
from sordino.query.together import Together

Local: TypeAlias = NumberChannel | Query | Sampled | Together
"""A local mechanism for the means of several numbers in [-1, 1]."""

Inside: TypeAlias = Callable[[int, Nats], Local]
"""From a number of numbers and an LDP level to the mechanism of a level."""


def ball(numbers: int, step: Nats) -> L2Ball:
    """Mechanism 2 for records of numbers in [-1, 1]."""
    return L2Ball(numbers, sqrt(numbers), step)


@dataclass(frozen=True, eq=False)
class NestedLevel:
    """One of the nested reports.

    Attributes:
        columns: shape (m,), the numbers it is about, ascending.
        loss: exact: the most that it reveals of them together.
    """

    columns: NDArray[np.intp]
    channel: Local
    reader: NumberChannel | MomentEstimator
    loss: Nats


@checked_class
@dataclass(frozen=True, eq=False, init=False)
class NestedReports(NumberChannel):
    """Reports about d numbers in [-1, 1] that protect each within its own budget, by any local mechanism.

    Source: BCDP paper, Mechanism 1.

    Attributes:
        budgets: for each number, in nats.
        levels: one for each distinct budget above 0, ascending.

    Args:
        inside: makes the mechanism about the means of so many numbers in [-1, 1] at an LDP level; by default
            Mechanism 2, for which `NestedMean` has shorter reports.

    Raises:
        SordinoError: budgets that are no amounts; a mechanism inside that does not estimate the mean of each number, or
            whose level is infinite.

    Example:
        >>> import numpy as np
        >>> from sordino import Number, Query, RandomizedResponse, Sampled, LDP, certify, estimate, privatize
        >>> def one_number(numbers, step):
        ...     coin = RandomizedResponse(2, step)
        ...     return Sampled(tuple(Query(Number(j), coin) for j in range(numbers)), (1,) * numbers)
        >>> nested = NestedReports(["0.5", "2", "2"], one_number)
        >>> certify(nested, LDP(2)).holds
        True
        >>> codes = privatize(nested, np.zeros((500, 3)))
        >>> codes.shape, estimate(nested, nested.tally(codes)).value.shape
        ((500, 2), (3,))
    """

    budgets: tuple[Nats, ...]
    levels: tuple[NestedLevel, ...] = field(repr=False)

    def __init__(self, budgets: Sequence[NatsLike] | Floats, inside: Inside = ball) -> None:
        object.__setattr__(self, "budgets", read_budgets(budgets))
        levels = tuple(_level(columns, step, inside) for columns, step in nested_levels(self.budgets))
        object.__setattr__(self, "levels", levels)

    @cached_property
    def losses(self) -> tuple[Nats, ...]:
        """Those of the levels about each number, which add up."""
        totals = [Nats.of(0)] * self.d
        for level in self.levels:
            for place in level.columns.tolist():
                totals[place] = totals[place] + level.loss
        return tuple(totals)

    @cached_property
    def epsilon(self) -> Nats:
        """That of all levels."""
        return sum((level.loss for level in self.levels), Nats.of(0))

    @property
    def outputs(self) -> int:
        return prod(level.channel.outputs for level in self.levels)

    @property
    def parameters(self) -> str:
        parts = (f"{level.columns.tolist()} {level.channel.parameters}" for level in self.levels)
        return f"nested {self.d}: {' || '.join(parts)}"

    @property
    def informative(self) -> bool:
        return any(level.channel.informative for level in self.levels)

    @property
    def counters(self) -> int:
        """Those of each level, one after the other."""
        return self._ends[-1]

    @property
    def counts_codes(self) -> bool:
        return False

    def reports(self, counters: NDArray[np.integer]) -> int:
        return self.levels[0].channel.reports(counters[self._parts[0]]) if self.levels else 0

    def possible(self, counters: NDArray[np.integer]) -> bool:
        each = all(
            level.channel.possible(counters[..., part]) for level, part in zip(self.levels, self._parts, strict=True)
        )
        rows = counters.reshape(-1, self.counters)
        return each and all(
            len({level.channel.reports(row[part]) for level, part in zip(self.levels, self._parts, strict=True)}) <= 1
            for row in rows
        )

    @cached_property
    def moments(self) -> Moments:
        return Moments.first(len(self.budgets))

    @ignore_float_errors
    def privatize(self, values: ArrayLike | Scaled, source: Source | None = None) -> NDArray[np.uint64]:
        """Draw a report of each level for each record: codes, shape (n, levels). Every call is a new release.

        Args:
            values: shape (n, d), numbers in [-1, 1].
            source: of fresh random words, not a keyed one: levels must not share their words.

        Raises:
            SordinoError: other records (named by position, never by value), or a keyed source.
        """
        if isinstance(source, KeyedSource | KeyedRecords):
            rule = "levels draw fresh words each, which no key repeats"
            raise SordinoError(rule, found=kind(source), step="leave the source out, or use NestedMean")
        read = self.check_values(values)
        fresh = SystemSource() if source is None else source
        codes = [level.channel.privatize(read[:, level.columns], fresh) for level in self.levels]
        return np.column_stack(codes) if codes else np.zeros((len(read), 0), dtype=np.uint64)

    def tally(self, codes: ArrayLike, *, drawn: bool = False) -> Aggregate:
        """Sum up the reports, shape (n, levels).

        Raises:
            SordinoError: codes that this channel cannot send.
        """
        rows = np.asarray(codes)
        if rows.size == 0:
            rows = rows.reshape(len(rows) if rows.ndim == 2 else 0, len(self.levels))
        if rows.ndim != 2 or rows.shape[1] != len(self.levels):
            raise SordinoError(f"codes must be rows of {len(self.levels)}, one a level", found=f"shape {rows.shape}")
        own = [level.channel.tally(rows[:, k], drawn=drawn).counts for k, level in enumerate(self.levels)]
        counts = np.concatenate(own) if own else np.zeros(0, dtype=np.int64)
        return Aggregate(self.fingerprint, len(rows), counts)

    @cached_property
    def weights(self) -> Floats:
        """Weight of each level for each number, shape (levels, d); adds up to 1, NaN for a budget of 0."""
        if not self.levels:
            return np.full((1, self.d), np.nan)
        return combine([level.columns for level in self.levels], [_squares(level) for level in self.levels], self.d)

    def means(self, aggregate: Aggregate) -> Floats:
        """The unbiased estimate of the mean of each number, shape (d,); NaN for a budget of 0."""
        if aggregate.fingerprint != self.fingerprint:
            rule = "reports can be read only with the mechanism that made them"
            raise SordinoError(rule, found=f"a tally of {aggregate.fingerprint}, not {self.fingerprint}")
        if not aggregate.n or not self.informative:
            raise SordinoError("an estimate needs reports that depend on the values", found=f"{aggregate.n} reports")
        means = np.where(np.isnan(self.weights).any(axis=0), np.nan, 0.0)
        for k, (level, part) in enumerate(zip(self.levels, self._parts, strict=True)):
            own = Aggregate(level.channel.fingerprint, aggregate.n, aggregate.counts[part])
            weights = self.weights[k, level.columns]
            if (weights > 0).any():
                means[level.columns] += weights * level.reader.means(own)[: len(level.columns)]
        return means

    def covariance(self, aggregate: Aggregate) -> Floats:
        """The estimated covariance of `means`, shape (d, d): variances, never too small but for the draw of questions.

        What the errors of two numbers have in common depends on the mechanism inside, and is left at what the people's
        own numbers have in common by chance: 0.
        """
        covariance: Floats = np.diag(self.noise() - self.means(aggregate) ** 2) / aggregate.n
        return covariance

    def noise(self) -> Floats:
        """The mean square of each number's estimate, shape (d,), exact for numbers at -1 or 1 and never too small."""
        total = np.zeros(self.d)
        for k, level in enumerate(self.levels):
            weights = self.weights[k, level.columns]
            used = weights > 0
            total[level.columns] += np.where(used, weights**2 * np.where(used, _squares(level) - 1, 0.0), 0.0)
        return np.where(np.isnan(self.weights).any(axis=0), np.inf, total + 1)

    def _sample(self, values: NDArray[Any], stream: Stream) -> Words:  # noqa: ARG002 - refused
        raise SordinoError("nested reports are drawn level by level", found=f"{len(values)} records", step="privatize")

    @cached_property
    def _ends(self) -> tuple[int, ...]:
        counters = [level.channel.counters for level in self.levels]
        return tuple(np.concatenate(([0], np.cumsum(counters, dtype=np.intp))).tolist())

    @property
    def _parts(self) -> list[slice]:
        return [slice(first, end) for first, end in pairwise(self._ends)]


def _level(columns: NDArray[np.intp], step: Nats, inside: Inside) -> NestedLevel:
    channel: object = inside(len(columns), step)
    if not isinstance(channel, Local):
        rule = "the mechanism inside must be queries about numbers, or a mechanism of sordino.papers for their means"
        raise SordinoError(rule, found=kind(channel), step="give Query, Sampled, Together or L2Ball")
    reader = channel if isinstance(channel, NumberChannel) else MomentEstimator.of(channel)
    names = reader.moments.names[: len(columns)]
    if names != tuple((place,) for place in range(len(columns))) or channel.code_bits > LARGEST_CODE_BITS:
        rule = f"the mechanism inside must estimate the means of {len(columns)} numbers from codes of 64 bits"
        raise SordinoError(rule, found=shown(names), step="ask Number(0), Number(1) and so on")
    return NestedLevel(columns, channel, reader, _loss(channel))


def _loss(channel: Local) -> Nats:
    """The most that a report reveals of a record, exactly, by the mechanism's own integers."""
    if isinstance(channel, NumberChannel):
        return channel.epsilon
    witness = certify_queries(channel, LDP(LARGEST_EPSILON)).witness
    if witness is None:
        return Nats.of(0)
    if witness.loss is None:
        rule = "the mechanism inside must protect all records from each other"
        raise SordinoError(rule, found="a code that rules a record out", step="ask through randomized response")
    return witness.loss


def _squares(level: NestedLevel) -> Floats:
    return level.reader.noise()[: len(level.columns)]
