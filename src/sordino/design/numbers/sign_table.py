"""Tables of sign errors that tell the most under bounds on what they tell of each attribute.

Attributes come in groups of equal delta and q. A table is about k_g signs of each group g; by symmetry its weight F
depends on how many signs of each group are right. For a code, F as a function of the record must keep, for each
attribute i, its own signs s and t, and the other signs u (`definition.sampling.table_loss`):

    (1-q) F(s,u) + q max F <= e^delta [(1-q) F(t,u) + q min F]

which is linear in F and its extremes, and max F <= e^level min F. The information about a number is its squared slope;
a weighted sum of them is convex, so the best table is a vertex, found by linear programs each of which maximises the
tangent at the vertex before (Frank-Wolfe's steps for a convex aim; it ends at a local optimum, from several starts).
Nothing here is a guarantee: tables are made whole numbers and proved in `whole_table`.
Cost: a few milliseconds for each program.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import product
from math import comb, exp, prod
from typing import TYPE_CHECKING

import numpy as np

from sordino.definition.sampling import table_loss
from sordino.design.coarse import coarse, coarse_number
from sordino.exact.coin import WORD
from sordino.exact.floats import Floats
from sordino.exact.nats import Nats

if TYPE_CHECKING:
    from scipy.sparse import csr_array

MOST_STEPS = 20
"""Linear programs from one start; three to five are usual."""

STEP_GAIN = 1e-6
"""Relative gain at which steps end."""

MOST_STARTS = 2
"""Groups up to which searches start from the slopes of each alone, too."""

LARGEST_LEVEL = 20.0
"""Levels beyond this tell nothing more: a sign is wrong once in 10^8."""

FIRST_FLATTENING = 1e-12
"""The part of a constant table that is mixed in, so that all bounds hold in whole numbers; raised until they do."""


@dataclass(frozen=True)
class TableShape:
    """How many signs of each of some groups a table is about, and what it must keep.

    Attributes:
        counts: signs of each group, >= 1.
        deltas: what may be told of an attribute of each group.
        variations: the total variation of all other attributes, for an attribute of each group.
        level: the LDP level at most.
    """

    counts: tuple[int, ...]
    deltas: tuple[Nats, ...]
    variations: tuple[Fraction, ...]
    level: Nats


@dataclass(frozen=True)
class FoundTable:
    """A table that a search found.

    Attributes:
        value: the weighted sum of squared slopes.
        slopes: of a sign of each group, shape (groups,).
        weights: F for each state, shape (states,); their mean over all patterns is 1.
    """

    value: float
    slopes: Floats
    weights: Floats


class TableSearch:
    """The tables of a shape, as a polytope.

    Attributes:
        states: how many signs of each group are right.
        programs: linear programs solved so far.
    """

    def __init__(self, shape: TableShape) -> None:
        self.shape = shape
        self.programs = 0
        self.states = list(product(*(range(count + 1) for count in shape.counts)))
        self._place = {state: n for n, state in enumerate(self.states)}
        self._entries: list[tuple[int, int, float]] = []
        self._rows = 0
        self._constrain()

    def best(self, prices: Floats, starts: Iterable[Floats]) -> FoundTable:
        """The table with the largest sum over the signs of price times squared slope that the starts lead to.

        Args:
            prices: of the information about a number of each group, shape (groups,).
            starts: slopes to begin with, shape (groups,) each.
        """
        worth = np.array(self.shape.counts) * prices
        found = FoundTable(0.0, np.zeros(len(worth)), np.ones(len(self.states)))
        for start in starts:
            slopes, value = start, -1.0
            for _ in range(MOST_STEPS):
                table = self._vertex(worth, worth * slopes)
                if table is None or table.value <= value * (1 + STEP_GAIN):
                    break
                slopes, value = table.slopes, table.value
                found = max(found, table, key=lambda one: one.value)
        return found

    def starts(self) -> list[Floats]:
        """Slopes as large as the groups' deltas allow alone: of all groups, and of each."""
        level = float(self.shape.level)
        caps = coarse(np.tanh(np.array([min(float(delta), level) for delta in self.shape.deltas]) / 2))
        return [caps, *(caps * np.eye(len(caps)) if len(caps) <= MOST_STARTS else ())]

    @cached_property
    def _mean(self) -> Floats:
        patterns = np.array(
            [prod(comb(count, right) for count, right in zip(self.shape.counts, s, strict=True)) for s in self.states],
            dtype=np.float64,
        )
        shares: Floats = patterns / patterns.sum()
        return shares

    @cached_property
    def _slope(self) -> Floats:
        """The slope of a sign of each group as a linear map of F, shape (groups, states)."""
        right = np.array(self.states, dtype=np.float64) / np.array(self.shape.counts)
        slope: Floats = (2 * right - 1).T * self._mean
        return slope

    def _vertex(self, worth: Floats, direction: Floats) -> FoundTable | None:
        aim = np.zeros(self._variables)
        aim[: len(self.states)] = -direction @ self._slope
        size = np.abs(aim).max()
        if size == 0:
            return None
        total = np.zeros((1, self._variables))
        total[0, : len(self.states)] = self._mean
        self.programs += 1
        # Optimisers take a while to load: only plans of means wait for them.
        from scipy.optimize import linprog

        solution = linprog(  # type: ignore[call-overload]  # the stubs do not know sparse bounds
            aim / size, A_ub=self._bounds, b_ub=np.zeros(self._rows), A_eq=total, b_eq=[1.0], method="highs"
        )
        if solution.x is None:
            return None
        weights = coarse(np.asarray(solution.x, dtype=np.float64)[: len(self.states)])
        slopes = coarse(self._slope @ weights)
        return FoundTable(coarse_number(float(worth @ slopes**2)), slopes, weights)

    @property
    def _variables(self) -> int:
        return len(self.states) + 2

    @cached_property
    def _bounds(self) -> "csr_array":
        from scipy.sparse import coo_array

        rows, columns, values = zip(*self._entries, strict=True)
        return coo_array((values, (rows, columns)), shape=(self._rows, self._variables)).tocsr()

    def _require(self, *terms: tuple[int, float]) -> None:
        """A sum of terms (variable, factor) that must not be positive."""
        self._entries += [(self._rows, variable, factor) for variable, factor in terms]
        self._rows += 1

    def _constrain(self) -> None:
        largest, least = len(self.states), len(self.states) + 1
        self._require((largest, 1.0), (least, -coarse_number(exp(min(float(self.shape.level), LARGEST_LEVEL)))))
        for n in range(len(self.states)):
            self._require((n, 1.0), (largest, -1.0))
            self._require((least, 1.0), (n, -1.0))
        for g, (delta, variation) in enumerate(zip(self.shape.deltas, self.shape.variations, strict=True)):
            self._protect(g, coarse_number(exp(min(float(delta), LARGEST_LEVEL))), float(variation))

    def _protect(self, group: int, factor: float, q: float) -> None:
        """What an attribute of a group may lose; its own sign is right (1) or wrong (0)."""
        largest, least = len(self.states), len(self.states) + 1
        for others in self.states:
            if others[group] == self.shape.counts[group]:
                continue
            places = [self._place[(*others[:group], others[group] + own, *others[group + 1 :])] for own in (0, 1)]
            for first, second in (places, places[::-1]):
                self._require((first, 1 - q), (second, -(1 - q) * factor), (largest, q), (least, -q * factor))


def whole_table(shape: TableShape, weights: Floats) -> tuple[int, ...] | None:
    """The table in whole numbers with sum 2^64 that surely keeps the bounds, or None where that fails.

    Signs stand in the order of the groups. The constant table keeps all bounds with room to spare, and they are linear,
    so a little of it makes up for rounding.
    """
    flattening = FIRST_FLATTENING
    while flattening < 0.01:
        table = _round(shape, (1 - flattening) * weights + flattening)
        if keeps(shape, table):
            return table
        flattening *= 10
    return None


def keeps(shape: TableShape, table: Sequence[int]) -> bool:
    """Whether a table tells no more than it may, exactly."""
    level = Nats.log(Fraction(max(table), min(table)))
    ends = np.cumsum(shape.counts)
    return level <= shape.level and all(
        table_loss(table, position, variation) <= delta
        for delta, variation, end, count in zip(shape.deltas, shape.variations, ends, shape.counts, strict=True)
        for position in range(int(end) - count, int(end))
    )


def _round(shape: TableShape, weights: Floats) -> tuple[int, ...]:
    signs = sum(shape.counts)
    sides = [range(count + 1) for count in shape.counts]
    of_state = dict(zip(product(*sides), weights, strict=True))
    ends = np.cumsum(shape.counts)
    masks = [((1 << count) - 1) << (int(end) - count) for count, end in zip(shape.counts, ends, strict=True)]
    of_pattern = [
        of_state[tuple(count - (pattern & mask).bit_count() for count, mask in zip(shape.counts, masks, strict=True))]
        for pattern in range(1 << signs)
    ]
    exact = [Fraction(float(weight)) for weight in of_pattern]
    total = sum(exact)
    table = [max(int(weight * WORD / total), 1) for weight in exact]
    # What rounding left goes to the likeliest pattern; it is below 2^m.
    likeliest = max(range(len(table)), key=table.__getitem__)
    table[likeliest] += WORD - sum(table)
    return tuple(table)
