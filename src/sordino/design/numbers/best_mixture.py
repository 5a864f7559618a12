"""How often to ask what: mixtures of tables of sign errors and single answers with the least total squared error.

n times the total squared error, less the mean of |x|^2, is the sum over the numbers j of 1 / I_j, where the information
I_j = sum_t lambda_t slope_tj^2 is linear in the shares lambda of the types. It is convex in the shares; new types enter
by their price, sum_j slope_tj^2 / I_j^2, until none is worth more than the whole (column generation).

Numbers come in groups of equal delta and q; a type asks k_g numbers of each group, and all numbers of a group alike
often (`spread`). Floats throughout: what comes out is made whole and proved elsewhere.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import gcd, prod

import numpy as np

from sordino.definition.sampling import largest_level
from sordino.design.coarse import coarse, coarse_number
from sordino.design.numbers.sign_table import TableSearch, TableShape
from sordino.exact.floats import Floats
from sordino.exact.nats import Nats

MOST_SIGNS = 12
"""Largest number of signs in one report."""

WIDTH = 8
"""Shapes of one size from which larger ones grow."""

GROWTH = 0.01
"""The relative gain by which a larger size must be better for still larger ones to be tried."""

MOST_STATES = 24
"""States of a table, of how many signs of each group are right, at most."""

MOST_CODES = 1 << 16
"""Largest number of codes of one type, over all numbers that it asks."""

ENOUGH = 1e-4
"""Types that are worth no more than this above the whole are not taken in."""

NEW = 12
"""Types that are taken in together."""

SLOW = 1e-3
"""The search ends when a round lowers the total by less than this part."""

MOST_ROUNDS = 12
"""Rounds of new types; three or four are usual."""

MOST_PROGRAMS = 2500
"""Linear programs after which no round begins: some seconds."""

MOST_PASSES = 5000
"""Passes over the shares in one round."""

PROMISING = 0.7
"""Shapes whose table was worth less than this part of the best of their size are not searched again."""

LEAST_SHARE = 3e-4
"""Types that are drawn less often are dropped."""


@dataclass(frozen=True)
class Group:
    """Numbers that are asked alike.

    Attributes:
        variation: the largest total variation of all other attributes given one of them.
        single: for each, the squared slope of a single answer at its own level, shape (members,).
    """

    members: tuple[int, ...]
    delta: Nats
    variation: Fraction
    single: tuple[float, ...]


@dataclass(frozen=True)
class MixtureType:
    """A type up to which numbers of each group it asks.

    Attributes:
        shape: of its table, for the groups that it asks.
        weights: of its table, for each state.
        information: the mean squared slope of a number of each group, those that are not asked included.
    """

    counts: tuple[int, ...]
    shape: TableShape
    weights: Floats
    information: tuple[float, ...]


@dataclass(frozen=True)
class DrawShares:
    """How often each type is drawn.

    Attributes:
        of_singles: for each group, the shares of its members' single answers.
        total: the sum of 1 / I_j.
    """

    kinds: tuple[MixtureType, ...]
    of_kinds: tuple[float, ...]
    of_singles: tuple[Floats, ...]
    total: float


class Mixtures:
    """The mixtures over some groups under an LDP level."""

    def __init__(self, groups: Sequence[Group], epsilon: Nats) -> None:
        self.groups = tuple(groups)
        self.epsilon = epsilon
        self._limits = [largest_level(group.delta, group.variation) for group in groups]
        self._searches: dict[tuple[int, ...], TableSearch] = {}
        self._starts: dict[tuple[int, ...], list[Floats]] = {}
        # What each shape's best table was worth when last looked at.
        self._worth: dict[tuple[int, ...], float] = {}

    def best(self) -> DrawShares:
        """The best mixture that the search finds; never worse than single answers."""
        shares = self._best_shares(())
        for _ in range(MOST_ROUNDS):
            new, before = self._best_priced(shares), shares.total
            if not new:
                break
            shares = self._best_shares((*shares.kinds, *new))
            kept = [kind for kind, share in zip(shares.kinds, shares.of_kinds, strict=True) if share > LEAST_SHARE]
            if len(kept) < len(shares.kinds):
                shares = self._best_shares(kept)
            programs = sum(search.programs for search in self._searches.values())
            if shares.total > before * (1 - SLOW) or programs > MOST_PROGRAMS:
                break
        return shares

    def _best_priced(self, shares: DrawShares) -> list[MixtureType]:
        """The types that are worth most at the prices of the shares so far; none where none pays."""
        paying = sorted(
            (
                (worth, kind)
                for worth, kind in self._extend_tables(self._prices(shares), shares.total)
                if kind is not None and worth > 1 + ENOUGH
            ),
            key=lambda pair: -pair[0],
        )
        return [kind for _, kind in paying[:NEW]]

    def _extend_tables(self, prices: Floats, total: float) -> list[tuple[float, MixtureType | None]]:
        """Tables of two signs, and of one more in each step as long as that helps, from the best before."""
        groups = range(len(self.groups))
        shapes = [tuple((g == i) + (g == j) for g in groups) for i in groups for j in groups if i <= j]
        found: list[tuple[float, MixtureType | None]] = []
        best, failures = 0.0, 0
        # Even numbers of signs tell a little less than odd ones, so one step that does not help is not the end.
        while failures < 2:
            known = max((self._worth.get(counts, 0.0) for counts in shapes), default=0.0)
            shapes = [
                counts
                for counts in shapes
                if self._fits(counts) and self._worth.get(counts, np.inf) >= PROMISING * known
            ]
            if not shapes:
                break
            found += self._value_tables(shapes, prices, total)
            top = max(self._worth[counts] for counts in shapes)
            best, failures = max(best, top), 0 if top > best * (1 + GROWTH) else failures + 1
            best_of_size = sorted(shapes, key=self._worth.__getitem__, reverse=True)[:WIDTH]
            shapes = list(dict.fromkeys(_one_more(counts, g) for counts in best_of_size for g in groups))
        return found

    def _value_tables(
        self, shapes: Sequence[tuple[int, ...]], prices: Floats, total: float
    ) -> list[tuple[float, MixtureType | None]]:
        """The best tables of some shapes, and what they are worth in parts of the total."""
        found = []
        for counts in shapes:
            value, kind = self._search(counts, prices)
            self._worth[counts] = coarse_number(value / total)
            found.append((self._worth[counts], kind))
        return found

    def _search(self, counts: tuple[int, ...], prices: Floats) -> tuple[float, MixtureType | None]:
        """What the best table of a shape is worth, and it, unless a smaller shape does as well."""
        asked = [g for g, count in enumerate(counts) if count]
        if counts not in self._searches:
            shape = self._shape(counts)
            if not shape.level > 0:
                return 0.0, None
            self._searches[counts] = TableSearch(shape)
            self._starts[counts] = self._searches[counts].starts()
        search = self._searches[counts]
        table = search.best(prices[asked], self._starts[counts])
        if not np.all(np.abs(table.slopes) > 1e-7):
            # It asks for nothing of some group.
            return table.value, None
        self._starts[counts] = [table.slopes]
        information = np.zeros(len(counts))
        sizes = np.array([len(self.groups[g].members) for g in asked])
        information[asked] = np.array([counts[g] for g in asked]) / sizes * table.slopes**2
        return table.value, MixtureType(counts, search.shape, table.weights, tuple(information.tolist()))

    def _shape(self, counts: tuple[int, ...]) -> TableShape:
        """What a table about so many signs must keep; attributes that it does not ask bound its level."""
        levels = [self.epsilon]
        for group, count, limit in zip(self.groups, counts, self._limits, strict=True):
            if count < len(group.members) and limit is not None:
                levels.append(limit)
        asked = [(group, count) for group, count in zip(self.groups, counts, strict=True) if count]
        return TableShape(
            tuple(count for _, count in asked),
            tuple(group.delta for group, _ in asked),
            tuple(group.variation for group, _ in asked),
            min(levels),
        )

    def _fits(self, counts: tuple[int, ...]) -> bool:
        """Whether there are so many numbers in each group, and a report and its codes are not too many."""
        enough = all(count <= len(group.members) for group, count in zip(self.groups, counts, strict=True))
        states = prod(count + 1 for count in counts)
        return enough and states <= MOST_STATES and sum(counts) <= MOST_SIGNS and self._codes(counts) <= MOST_CODES

    def _codes(self, counts: tuple[int, ...]) -> int:
        pieces = sum(
            len(group.members) // gcd(len(group.members), count)
            for group, count in zip(self.groups, counts, strict=True)
            if count
        )
        return pieces << sum(counts)

    def _prices(self, shares: DrawShares) -> Floats:
        """The mean over each group of 1 / I_j^2."""
        tables = self._from_kinds(shares.kinds, np.array(shares.of_kinds))
        return coarse(
            np.array(
                [
                    np.mean(1 / (table + own * np.array(group.single)) ** 2)
                    for group, own, table in zip(self.groups, shares.of_singles, tables, strict=True)
                ]
            )
        )

    def _from_kinds(self, kinds: Sequence[MixtureType], of_kinds: Floats) -> Floats:
        if not kinds:
            return np.zeros(len(self.groups))
        total: Floats = of_kinds @ np.array([kind.information for kind in kinds])
        return total

    def _best_shares(self, kinds: Sequence[MixtureType]) -> DrawShares:
        """The best shares of given types and all single answers.

        Each pass multiplies a share by the root of its price over the total, which never raises the total (the
        multiplicative algorithm for A-optimal designs); it ends where no price is above the total.
        """
        single = np.concatenate([np.array(group.single) for group in self.groups])
        sizes = [len(group.members) for group in self.groups]
        group_of = np.repeat(np.arange(len(sizes)), sizes)
        tables = np.array([kind.information for kind in kinds]).reshape(len(kinds), len(sizes))[:, group_of]
        of_singles = 1 / np.sqrt(np.maximum(single, 1e-300))
        of_singles = np.where(single > 0, of_singles / of_singles.sum(), 0.0)
        of_kinds = np.full(len(kinds), 1.0)
        of_singles, of_kinds = of_singles / (1 + len(kinds)), of_kinds / (1 + len(kinds))
        for _ in range(MOST_PASSES):
            information = of_singles * single + of_kinds @ tables
            prices = 1 / information**2
            total = float(np.sum(1 / information))
            price_of_singles, price_of_kinds = single * prices, tables @ prices
            if max(price_of_singles.max(), price_of_kinds.max(initial=0.0)) <= total * (1 + ENOUGH / 4):
                break
            of_singles = of_singles * np.sqrt(price_of_singles / total)
            of_kinds = of_kinds * np.sqrt(price_of_kinds / total)
            size = of_singles.sum() + of_kinds.sum()
            of_singles, of_kinds = of_singles / size, of_kinds / size
        of_singles, of_kinds = coarse(of_singles), coarse(of_kinds)
        total = coarse_number(float(np.sum(1 / (of_singles * single + of_kinds @ tables))))
        parts = tuple(np.split(of_singles, np.cumsum(sizes)[:-1]))
        return DrawShares(tuple(kinds), tuple(of_kinds.tolist()), parts, total)


def _one_more(counts: tuple[int, ...], group: int) -> tuple[int, ...]:
    return tuple(count + (g == group) for g, count in enumerate(counts))


def spread(counts: Sequence[int], sizes: Sequence[int]) -> Iterator[tuple[Fraction, tuple[tuple[int, ...], ...]]]:
    """Choices of so many of each group, with shares, in which all of a group are chosen alike often.

    A group of n stands on a circle; k neighbours are chosen, from a start that is common to all groups, runs once
    around and steps by the greatest common divisor of n and k. Neighbours lie together in the memory of a device.

    Args:
        counts: k of each group, at most its size.

    Yields:
        A share, and for each group the places in it that are chosen.
    """
    starts = sorted(
        {
            Fraction(step * gcd(count, size), size)
            for count, size in zip(counts, sizes, strict=True)
            if count
            for step in range(size // gcd(count, size) + 1)
        }
    )
    for start, end in pairwise(starts):
        middle = (start + end) / 2
        yield (
            end - start,
            tuple(
                _neighbours(int(middle * size / gcd(count, size)) * gcd(count, size), count, size)
                for count, size in zip(counts, sizes, strict=True)
            ),
        )


def _neighbours(start: int, count: int, size: int) -> tuple[int, ...]:
    return tuple((start + place) % size for place in range(count))
