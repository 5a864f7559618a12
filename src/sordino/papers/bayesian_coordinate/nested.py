"""Means of numbers with a budget each: one bit about all numbers, one more about the less protected ones, and so on.

Guarantee: for budgets c_1 <= ... <= c_d (here in any order) coordinate DP with c_i for each i, and LDP with the
largest, exactly and given all directions. Level k is one bit about the numbers whose budget is at least the k-th
distinct one, at the difference to the one before it: equal budgets share a level, and a budget of 0 is not asked. The
estimates of a number at all its levels are combined with weights inverse to their exact variances for numbers at -1
or 1; means are unbiased whatever the weights.

A code holds one seed, and one bit for each level: up to 32 levels in one word of 64 bits, else a row of words
(`seeded.Packing`). Cost: a word for the seed and one a level; about 30 ns for each number of each level, to report and
again to read, in bounded memory.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sordino.definition.bounds import read_epsilon
from sordino.domain.moment import Moments
from sordino.errors import SordinoError
from sordino.exact.coin import largest_threshold
from sordino.exact.floats import Floats
from sordino.exact.messages import checked_class, shown
from sordino.exact.nats import Nats, NatsLike
from sordino.exact.source import Words
from sordino.mechanism.channel import Aggregate
from sordino.papers.bayesian_coordinate.seeded import (
    FIXED_POINT,
    NumberChannel,
    Seeded,
    SeededBit,
    can_hold,
    fixed_sums,
    pieces,
    require_reports,
)
from sordino.papers.bayesian_coordinate.steered import LARGEST_DIMENSION, Steered, combine


def read_budgets(budgets: Sequence[NatsLike] | Floats) -> tuple[Nats, ...]:
    """A budget for each number."""
    entries = budgets.tolist() if isinstance(budgets, np.ndarray) else budgets
    if isinstance(entries, str) or not 1 <= len(entries) <= LARGEST_DIMENSION:
        rule = f"there must be a budget for each of 1 to {LARGEST_DIMENSION} numbers"
        raise SordinoError(rule, found=shown(entries), step="list the budgets")
    return tuple(read_epsilon(budget) for budget in entries)


def nested_levels(budgets: Sequence[Nats]) -> list[tuple[NDArray[np.intp], Nats]]:
    """The numbers of each level, and its step: one for each distinct budget above 0, ascending, about ever fewer."""
    distinct = sorted({budget for budget in budgets if budget.sign() > 0})
    rank = {budget: k for k, budget in enumerate(distinct)}
    ranks = np.array([rank.get(budget, -1) for budget in budgets])
    steps = (upper - lower for lower, upper in pairwise([Nats.of(0), *distinct]))
    return [(np.flatnonzero(ranks >= k), step) for k, step in enumerate(steps)]


@checked_class
@dataclass(frozen=True, eq=False, init=False)
class NestedMean(Seeded, NumberChannel):
    """Reports about d numbers in [-1, 1] that protect each within its own budget.

    Source: BCDP paper, Mechanism 1 and Figure 2.

    Attributes:
        budgets: for each number, in nats.

    Example:
        >>> import numpy as np
        >>> nested = NestedMean(["0.2", "0.2", *["2"] * 8])
        >>> nested.means(nested.tally(nested.privatize(np.zeros((4, 10))))).shape
        (10,)
        >>> [len(level.columns) for level in nested.levels]
        [10, 8]
        >>> round(nested.exact_mse() / 10_000, 4)
        0.318
    """

    budgets: tuple[Nats, ...]

    def __init__(self, budgets: Sequence[NatsLike] | Floats) -> None:
        object.__setattr__(self, "budgets", read_budgets(budgets))

    @cached_property
    def levels(self) -> tuple[SeededBit, ...]:
        """One for each distinct budget above 0, ascending: about ever fewer numbers."""
        levels = []
        for k, (columns, step) in enumerate(nested_levels(self.budgets)):
            m = len(columns)
            levels.append(SeededBit(columns, step, Steered(m, sqrt(m), largest_threshold(step), k)))
        return tuple(levels)

    @property
    def parameters(self) -> str:
        highest = np.full(self.d, -1)
        for k, level in enumerate(self.levels):
            highest[level.columns] = k
        thresholds = ",".join(str(level.steered.threshold) for level in self.levels)
        return f"nested levels={','.join(map(str, highest.tolist()))} thresholds={thresholds}"

    @property
    def counters(self) -> int:
        """For each level and number the sum of sign times direction, moved up by one; then all reports."""
        return self._ends[-1] + 1

    @property
    def informative(self) -> bool:
        """Whether some budget is above 0 (the means of the other numbers are NaN)."""
        return any(level.steered.slope > 0 for level in self.levels)

    @cached_property
    def moments(self) -> Moments:
        return Moments.first(len(self.budgets))

    @cached_property
    def weights(self) -> Floats:
        """How much each level counts for each number, shape (levels, d); adds up to 1, NaN for a budget of 0."""
        columns = [level.columns for level in self.levels]
        return combine(columns, [level.steered.second_moment for level in self.levels], self.d)

    def variances(self, mean_square: ArrayLike = 1.0) -> Floats:
        """The exact variance of each mean for given people, times n, shape (d,); infinite for a budget of 0.

        Args:
            mean_square: the mean over the people of each number's square, one for all or shape (d,).
        """
        moments = np.array([level.steered.second_moment for level in self.levels])[:, None]
        squares = np.broadcast_to(np.asarray(mean_square, dtype=np.float64), (self.d,))
        used = self.weights > 0
        terms = np.where(used, self.weights**2 * (np.where(used, moments, 0) - squares), 0.0)
        return np.where(used.any(axis=0), terms.sum(axis=0), np.inf)

    def exact_mse(self, mean_square: ArrayLike = 1.0) -> float:
        """The exact expected squared error of all means together, times n, before any projection.

        Args:
            mean_square: the mean over the people of each number's square, one for all or shape (d,); where only the
                mean of |x|^2 is known and all numbers are alike, that divided by d.
        """
        return float(self.variances(mean_square).sum())

    def published_bound(self) -> float:
        """The bound (17) times n, without its unnamed constant, and without "and d", which is false unprojected."""
        ordered = np.sort([float(budget) for budget in self.budgets])
        widths = len(ordered) - np.arange(len(ordered))
        information = np.cumsum(np.diff(ordered, prepend=0.0) ** 2 / widths)
        with np.errstate(divide="ignore"):
            return float((1 / information).sum())

    def possible(self, counters: NDArray[np.integer]) -> bool:
        return bool(can_hold(counters, 2 * FIXED_POINT).all())

    def means(self, aggregate: Aggregate) -> Floats:
        """The unbiased estimate of the mean of each number, shape (d,); NaN for a budget of 0."""
        n = require_reports(self, aggregate)
        sums = (aggregate.counts[:-1] - n * FIXED_POINT) / (n * FIXED_POINT)
        means = np.where(np.isnan(self.weights).any(axis=0), np.nan, 0.0)
        for k, (level, own) in enumerate(zip(self.levels, self._parts, strict=True)):
            if level.steered.slope > 0:
                means[level.columns] += self.weights[k, level.columns] * level.steered.scale * sums[own]
        return means

    def covariance(self, aggregate: Aggregate) -> Floats:
        """The estimated covariance of `means`, shape (d, d), for independent people.

        Exact up to estimation for one level, or numbers at -1 and 1. Else the tally does not tell the mean products of
        two numbers: a square's is taken as 1, so that no variance is too small, another's as the product of the means,
        which is wrong by less than 1 / n.
        """
        means = self.means(aggregate)
        weights = np.nan_to_num(self.weights)
        covariance: Floats = -np.outer(means, means) * (weights.T @ weights)
        np.fill_diagonal(covariance, self.noise() - means**2)
        return covariance / aggregate.n

    def noise(self) -> Floats:
        """The mean square of each number's estimate, shape (d,), exact for numbers at -1 or 1 and never too small."""
        return self.variances() + 1

    @cached_property
    def _ends(self) -> tuple[int, ...]:
        widths = [len(level.columns) for level in self.levels]
        return tuple(np.concatenate(([0], np.cumsum(widths, dtype=np.intp))).tolist())

    @property
    def _parts(self) -> list[slice]:
        return [slice(first, end) for first, end in pairwise(self._ends)]

    def _count(self, codes: Words, group: NDArray[np.intp], groups: int) -> NDArray[np.int64]:
        counts = np.zeros((groups, self.counters), dtype=np.int64)
        for rows in pieces(len(codes), self.d):
            for k, part in enumerate(self._parts):
                counts[:, part] += fixed_sums(self._directions(codes[rows], k), group[rows], groups)
        counts[:, -1] = np.bincount(group, minlength=groups)
        return counts
