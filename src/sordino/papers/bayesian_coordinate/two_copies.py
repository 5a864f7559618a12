"""Mean products of numbers from two nested reports about each record, at half the budgets each.

Guarantee: that of `NestedMean` with these budgets: two reports at half of a budget add up to it. Both estimates of a
record are independent given the record, so products of one with the other have the record's products as their mean,
squares included. A report is one seed and the bits of both copies; its tally sums the products of both orders,
symmetrised, in whole numbers: estimates are rounded to 2^-15 of their largest value, a bias of a part in 2^16 of what
one report can say at most. Noise grows with 1 / eps^4: reports of single products do better, and this is to compare.

Source: BCDP paper, Algorithm 3.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sordino.errors import SordinoError
from sordino.exact.arrays import Floats
from sordino.exact.nats import Nats, NatsLike
from sordino.exact.source import Words
from sordino.mechanism.aggregate import Aggregate
from sordino.papers.bayesian_coordinate.nested import NestedMean
from sordino.papers.bayesian_coordinate.seeded import Seeded, SeededBit, can_hold, pieces, require_reports

UNITS = 2**15
"""Steps of an estimate up to its largest value: the products of 2^30 reports stay below 2^63."""


@dataclass(frozen=True, eq=False, init=False)
class TwoCopies(Seeded):
    """Two reports in one about d numbers in [-1, 1].

    Attributes:
        copy: each of the two.

    Example:
        >>> copies = TwoCopies(["1", "2", "2"])
        >>> [str(budget) for budget in copies.copy.budgets]
        ['1/2', '1', '1']
    """

    copy: NestedMean

    def __init__(self, budgets: Sequence[NatsLike] | Floats) -> None:
        whole = NestedMean(budgets)
        copy = NestedMean([half(budget) for budget in whole.budgets])
        if not np.isfinite(copy.weights).all():
            raise SordinoError("products need budgets above 0 for all numbers", found="one of 0", step="leave it out")
        object.__setattr__(self, "copy", copy)

    @property
    def d(self) -> int:
        """How many numbers a record has."""
        return self.copy.d

    @property
    def parameters(self) -> str:
        return f"two copies of {self.copy.parameters}"

    @cached_property
    def levels(self) -> tuple[SeededBit, ...]:
        """Those of the first copy, then those of the second, each with directions of its own."""
        first = self.copy.levels
        second = (replace(own, steered=replace(own.steered, place=len(first) + k)) for k, own in enumerate(first))
        return (*first, *second)

    @property
    def counters(self) -> int:
        """For each j <= k the sum of the two products of estimates, moved up; then all reports."""
        return self.d * (self.d + 1) // 2 + 1

    @property
    def informative(self) -> bool:
        return True

    @cached_property
    def largest(self) -> Floats:
        """The largest estimate of each number from one copy, shape (d,)."""
        largest: Floats = self.copy.weights.T @ np.array([level.steered.scale for level in self.copy.levels])
        return largest

    def check_values(self, values: ArrayLike) -> NDArray[Any]:
        """The records as float64, shape (n, d)."""
        return self.copy.check_values(values)

    def possible(self, counters: NDArray[np.integer]) -> bool:
        return bool(can_hold(counters, 4 * UNITS**2).all())

    def products(self, aggregate: Aggregate) -> Floats:
        """The unbiased estimate of the mean of x_j x_k, symmetric, shape (d, d); often with negative eigenvalues.

        Raises SordinoError: another channel's tally, or no reports.
        """
        n = require_reports(self, aggregate)
        upper = np.zeros((self.d, self.d))
        upper[self._upper] = (aggregate.counts[:-1] - n * 2 * UNITS**2) / (2 * n * UNITS**2)
        products = upper + upper.T
        np.fill_diagonal(products, np.diag(upper))
        return products * np.outer(self.largest, self.largest)

    def noise(self) -> Floats:
        """The mean square of what one report says about each product, shape (d, d), at most; n times its variance."""
        squares, weights = self.copy.noise(), self.copy.weights
        # Of both orders, which are alike but for what one copy's estimates of two numbers have in common.
        common = 1 - weights.T @ weights
        noise: Floats = (np.outer(squares, squares) + common**2) / 2
        np.fill_diagonal(noise, squares**2)
        return noise

    @cached_property
    def _upper(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        return np.triu_indices(self.d)

    def _count(self, codes: Words, group: NDArray[np.intp], groups: int) -> NDArray[np.int64]:
        counts = np.zeros((groups, self.counters), dtype=np.int64)
        for rows in pieces(len(codes), self.d):
            first, second = self._whole_estimates(codes[rows])
            for own in range(groups):
                mine = slice(None) if groups == 1 else group[rows] == own
                # Whole numbers whose sums stay below 2^53: exact in floats, in whatever order they are added.
                one_order = first[mine].T @ second[mine]
                counts[own, :-1] += (one_order + one_order.T)[self._upper].astype(np.int64)
        counts[:, -1] = np.bincount(group, minlength=groups)
        counts[:, :-1] += 2 * UNITS**2 * counts[:, -1:]
        return counts

    def _whole_estimates(self, codes: Words) -> tuple[Floats, Floats]:
        """Both copies' estimates in whole units, shape (n, d) each."""
        size = len(self.copy.levels)
        both = np.zeros((2, len(codes), self.d))
        for k, level in enumerate(self.levels):
            share = self.copy.weights[k % size, level.columns] * level.steered.scale / self.largest[level.columns]
            both[k // size][:, level.columns] += self._directions(codes, k) * (share * UNITS)
        np.rint(both, out=both)
        np.clip(both, -UNITS, UNITS, out=both)
        return both[0], both[1]


def half(budget: Nats) -> Nats:
    """Half an amount, rounded down where it has a logarithm."""
    return Nats(budget.rational / 2) if budget.ratio == 1 else Nats(Fraction(budget.floor()) / 2)
