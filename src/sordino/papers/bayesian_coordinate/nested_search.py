"""The search for nested budgets, in floats: whatever it finds is settled exactly afterwards.

The objective is the exact variance of all means together for numbers at -1 or 1. It is smooth in the largest budget
between the deltas, and jumps or bends there, so each piece is tried on a grid, and the best is refined.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import pairwise
from operator import itemgetter

import numpy as np
from numpy.typing import NDArray

from sordino.exact.arrays import Floats
from sordino.papers.bayesian_coordinate.steered import gain

POINTS = 600
"""Of the grid over all pieces together."""

LEAST_POINTS = 4
"""Of the grid in each piece."""

SHARES = 41
"""Of its limit that are tried for a budget."""

STARTS = 20
"""Largest budgets below and above the best one, at which a few levels are tried."""

POLISHED = 3
"""The best of them go on."""

SAME = 1e-12
"""Budgets that differ by less share a level."""

ROUNDS = 12
"""Of lowering budgets at most."""

REFINED = 6
"""Times that a grid is narrowed to the neighbours of its best point, twenty times each."""

WORTH = 1e-7
"""A relative gain below this ends the search, once shares are tried as near as NARROW."""

NARROW = 0.01

MOST_CLASSES = 100
"""Of different deltas and q whose budgets are lowered one by one; where there are more, neighbours share a budget."""

ROUNDING = 1e-9
"""A limit above minus this is 0."""

BATCH = 2**20
"""Budgets evaluated at a time."""


@dataclass(frozen=True, eq=False)
class BudgetSearch:
    """Budgets of d numbers under an accounting.

    Attributes:
        deltas: shape (d,).
        variations: q of each, shape (d,).
    """

    deltas: Floats
    variations: Floats
    accounting: str

    def best(self) -> Floats:
        """The budgets with the least total variance, shape (d,)."""
        largest = self._least(lambda tops: self.total(self._limits(tops)))
        return self._lower(largest) if self.accounting == "tight" else self.at_largest(largest)

    def at_largest(self, largest: float) -> Floats:
        """Every budget at its limit, where the largest of all is given."""
        limits: Floats = np.maximum(self._limits(np.array([largest]))[0], 0)
        return limits

    def limit(self, share: float = 1.0) -> float:
        """The largest c_d of (16): numbers with the largest delta need no q, the others a share of their delta."""
        top = float(self.deltas.max())
        bound = (self.deltas < top) & (self.variations > 0)
        limits = np.log1p(np.expm1(share * self.deltas[bound]) / self.variations[bound])
        return min(top, float(limits.min(initial=top)))

    def total(self, budgets: Floats) -> Floats:
        """The variance of all means of numbers whose delta is above 0, times n, shape (b,), of shape (b, d)."""
        parts = [self._total(budgets[start : start + self._batch]) for start in range(0, len(budgets), self._batch)]
        return np.concatenate(parts)

    @property
    def _batch(self) -> int:
        return max(1, BATCH // len(self.deltas))

    @cached_property
    def _gains(self) -> Floats:
        """The mean square of one estimate, but for the coin's part, by how many numbers are left."""
        return np.array([gain(width) for width in range(len(self.deltas), 0, -1)])

    @cached_property
    def _members(self) -> NDArray[np.intp]:
        """The class of each number, shape (d,): one for each delta and q, by delta, or for neighbours among them."""
        pairs = np.column_stack((self.deltas, self.variations))
        found, members = np.unique(pairs, axis=0, return_inverse=True)
        return members.reshape(-1) * min(len(found), MOST_CLASSES) // len(found)

    def _class_limits(self, limits: Floats) -> Floats:
        """The least limit of each class, shape (b, classes), of limits of shape (b, d)."""
        order = np.argsort(self._members, kind="stable")
        starts = np.flatnonzero(np.diff(self._members[order], prepend=-1))
        return np.minimum.reduceat(np.maximum(limits, 0)[:, order], starts, axis=1)

    def _total(self, budgets: Floats) -> Floats:
        silent = int((self.deltas <= 0).sum())
        ordered = np.sort(budgets, axis=1)
        steps = np.diff(ordered, axis=1, prepend=0.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            information = np.where(steps > 0, 1 / (self._gains / np.tanh(steps / 2) ** 2 - 1), 0.0)
            total: Floats = (1 / np.cumsum(information, axis=1)[:, silent:]).sum(axis=1)
        # Below 0 the largest budget was impossible.
        return np.where((ordered[:, 0] < 0) | ~np.isfinite(total), np.inf, total)

    def _limits(self, tops: Floats) -> Floats:
        """The limit of each budget, shape (b, d), where the largest of all is given, shape (b,)."""
        top, free = tops[:, None], tops[:, None] <= self.deltas
        with np.errstate(divide="ignore", invalid="ignore"):
            if self.accounting == "paper":
                limits = self.deltas - np.log1p(self.variations * np.expm1(top))
            else:
                rest = np.expm1(self.deltas) - self.variations * np.expm1(top)
                limits = np.where(self.variations < 1, np.log1p(rest / (1 - self.variations)), -np.inf)
        limits = np.where(self.variations == 0, self.deltas, limits)
        # At the largest possible top a limit of 0 may be rounded below it.
        limits = np.where((limits < 0) & (limits > -ROUNDING), 0, limits)
        return np.nan_to_num(np.where(free, top, limits), nan=-1.0, neginf=-1.0)

    def _least(self, objective: Callable[[Floats], Floats], known: Sequence[float] = ()) -> float:
        """The largest budget with the least objective; no worse than the known ones."""
        top = self.limit()
        inner = self.deltas[(self.deltas > 0) & (self.deltas < top)]
        edges = np.unique(np.concatenate((inner, [top])))
        each = max(LEAST_POINTS, POINTS // len(edges))
        pieces = [np.linspace(a, b, each) for a, b in pairwise(edges)]
        grid = np.unique(np.concatenate([edges, *pieces, known]))
        for _ in range(REFINED):
            at = int(np.argmin(objective(grid)))
            low, high = grid[max(at - 1, 0)], grid[min(at + 1, len(grid) - 1)]
            # The point itself stays: it may be a delta, at which the objective jumps.
            grid = np.unique(np.concatenate((np.linspace(low, high, SHARES), [grid[at]])))
        return float(grid[np.argmin(objective(grid))])

    def _lower(self, largest: float) -> Floats:
        """Budgets below their limits where that lowers the total, from several starts."""
        ones = np.ones(int(self._members.max()) + 1)
        starts = [(float(self.total(self.at_largest(largest)[None])[0]), largest, ones)]
        if largest > 0:
            positive = self.deltas[self.deltas > 0]
            edges = [float(positive.min()), largest, self.limit()]
            grid = [np.linspace(a, b, STARTS) for a, b in pairwise(edges)]
            tops = np.unique(np.concatenate([positive[positive <= edges[-1]], *grid]))
            starts += sorted((self._search_few_levels(float(top)) for top in tops), key=itemgetter(0))[:POLISHED]
        return min((self._polish(top, shares) for _, top, shares in starts), key=itemgetter(0))[1]

    def _polish(self, largest: float, shares: Floats) -> tuple[float, Floats]:
        """The total and the budgets after lowering one class after the other, and choosing the largest again."""
        budgets, width = np.zeros(len(self.deltas)), 1.0
        least = np.inf
        for _ in range(ROUNDS):
            before = least
            limits = self._class_limits(self._limits(np.array([largest])))[0]
            for own in range(len(shares)):
                self._set_best_share(limits, shares, own, width)
            largest = self._least(partial(self._total_at, limits * shares, limits), [largest])
            budgets = self._at_tops(limits * shares, limits, np.array([largest]))[0]
            least = float(self.total(budgets[None])[0])
            limits = self._class_limits(self._limits(np.array([largest])))[0]
            own_budgets = self._class_limits(budgets[None])[0]
            shares = np.divide(own_budgets, limits, out=np.zeros_like(limits), where=limits > 0)
            if least > before * (1 - WORTH) and width < NARROW:
                break
            width /= 4
        return least, budgets

    def _total_at(self, budgets: Floats, limits: Floats, tops: Floats) -> Floats:
        return self.total(self._at_tops(budgets, limits, tops))

    def _at_tops(self, budgets: Floats, limits: Floats, tops: Floats) -> Floats:
        """Budgets of shape (b, d) for other largest ones: classes that share a level go on sharing it.

        Args:
            tops: shape (b,).
        """
        moved = self._class_limits(self._limits(tops))
        order = np.argsort(budgets, kind="stable")
        starts = np.flatnonzero(np.diff(budgets[order], prepend=-1.0) > SAME)
        level = np.empty(len(budgets), dtype=np.intp)
        level[order] = np.repeat(np.arange(len(starts)), np.diff(starts, append=len(budgets)))
        least, now = (np.minimum.reduceat(each[..., order], starts, axis=-1) for each in (limits, moved))
        shares = np.divide(budgets[order][starts], least, out=np.zeros_like(least), where=least > 0)
        return (now * shares)[:, level][:, self._members]

    def _search_few_levels(self, largest: float) -> tuple[float, float, Floats]:
        """The total, the largest budget and shares with few levels: one for all, then each that helps most."""
        limits = self._class_limits(self._limits(np.array([largest])))[0]
        levels, least, best = np.array([limits.min()]), np.inf, np.full(len(limits), limits.min())
        while True:
            tried = [np.sort(np.append(levels, level)) for level in np.unique(limits)]
            rows = np.array([own[np.searchsorted(own, limits, side="right") - 1] for own in tried])
            totals = self.total(rows[:, self._members])
            at = int(np.argmin(totals))
            if not totals[at] < least * (1 - WORTH):
                shares = np.divide(best, limits, out=np.zeros_like(limits), where=limits > 0)
                return least, largest, shares
            levels, least, best = tried[at], float(totals[at]), rows[at]

    def _set_best_share(self, limits: Floats, shares: Floats, own: int, width: float) -> None:
        """The best share of its limit for one class, near its share so far, given those of the others."""
        tried = [[shares[own]], np.clip(shares[own] + width * np.linspace(-1, 1, SHARES), 0, 1)]
        if limits[own] > 0:
            # A budget that equals another shares its level.
            equal = shares * limits / limits[own]
            tried.append(equal[equal <= 1])
        values = np.concatenate(tried)
        rows = np.tile(shares, (len(values), 1))
        rows[:, own] = values
        shares[own] = values[np.argmin(self.total((limits * rows)[:, self._members]))]
