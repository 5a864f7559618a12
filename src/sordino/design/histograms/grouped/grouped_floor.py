"""A floor of the variance for bounds between many values, from groups of a few of which every extreme column is known.

Of a group of b values all extreme columns x can be listed (`listed_floor`), stretched by s: x = 1 + s (v - 1)
for columns v of mean one on the group. If |Z x|^2 <= l.x + t for all x, then every column of all k values keeps
    |Z T v|^2 - (l.T v)(q.v) - t (q.v)^2 <= 0,  with q = 1/b on the group and T v = s v + (1 - s)(q.v) on its values,
because bounds among the group's values are among those of all. Nothing is lost by what the group's mean is: it stands
on both sides. Sums of such inequalities, groups overlapping as they like, are F of `proved_trace`. One more holds of
all values at once: with B the largest sum of (v - 1)^2 of columns that keep the largest bound (two levels),
    |v - p.v|^2 - B (p.v)^2 <= 0.

Which inequalities, and how often each counts, floats find in rounds: the weights (`sum_of_inequalities`) tell where the
second moments of a channel would have to lie that reaches the floor; each group then adds the inequality that excludes
these best (`group_inequality`), and values that would be told apart by more than their bounds allow become new groups.

Where bounds differ at random from pair to pair and there are many, a gap remains that no method known to us closes:
a column of many values cannot be told from what its groups allow.

Cost: for k = 16/64/128 values about 1/6/20 s.
"""

from collections.abc import Sequence
from fractions import Fraction
from math import ceil

import numpy as np

from sordino.design.histograms.grouped.group_inequality import GroupColumns, GroupInequality, contrasts
from sordino.design.histograms.grouped.sum_of_inequalities import best_sum
from sordino.design.histograms.listed_floor import ListedColumns, excess, listed_columns
from sordino.design.histograms.proved_trace import BITS, WholeMatrix, proved_trace, whole
from sordino.design.histograms.value_classes import ValueClasses
from sordino.design.integer_channel import BoundRows
from sordino.design.reproducible import Floats, ReproducibleDraws
from sordino.exact.nats import Nats

GROUP = 7
"""Values of a group: 924 rays at most. With eight floors rise by up to 2 %, at four times the cost."""

ROUNDS = 5
"""Of inequalities; beyond, floors rise by less than 1 %."""

GROWING = 3
"""Rounds that add groups."""

BROAD = 1
"""Groups about each value that are drawn: what is far apart has to stand in some group together."""

FRESH = 0.2
"""The part of the weights that new inequalities start with."""

UNUSED = 1e-4
"""Inequalities that count less than this part of the mean are let go."""

LARGEST_BOUND = 30.0
"""Nats. Larger bounds count as this where groups are chosen."""


def grouped_floor(
    bounds: BoundRows, largest: tuple[Fraction, Fraction] | None, rounds: int = ROUNDS
) -> Fraction | None:
    """A floor of trace(M^-1) for more than GROUP values; None where no inequalities of groups prove one.

    Args:
        bounds: between all values, closed under shortest paths, each positive or None.
        largest: rationals just below and above e^bound for the largest bound, None where a pair has none.
        rounds: of inequalities.
    """
    search = _InequalityRounds(bounds, None if largest is None else largest_spread(len(bounds), largest[1]))
    return search.proved() if search.run(rounds) else None


def largest_spread(k: int, power: Fraction) -> Fraction:
    """The largest sum of (v - 1)^2 where entries of mean one differ by a factor of at most `power`: two levels."""
    return max(
        Fraction(k * k) * (size * power**2 + k - size) / (size * power + k - size) ** 2 - k for size in range(1, k)
    )


def whole_form(listed: ListedColumns, found: GroupInequality) -> WholeMatrix:
    """-b^2 times the matrix of the inequality on the group, in units of 2^-(2 BITS), whatever floats were found."""
    b, unit, stretch = len(found.root), 2**BITS, int(listed.stretch)
    # Floats that these integers are exactly, so that what is looked at is what is summed.
    root, prices = (np.ldexp(np.rint(np.ldexp(part, BITS)), -BITS) for part in (found.root, found.prices))
    square, costs = whole(root), whole(prices)
    # b times Z T and b times T l.
    turned = stretch * b * square + (1 - stretch) * square.sum(axis=1)[:, None]
    costs = stretch * b * costs + (1 - stretch) * costs.sum()
    left = ceil(Fraction(excess(listed, root, prices)) * unit * unit)
    form: WholeMatrix = (costs[:, None] + costs) * unit // 2 + left - turned.T.dot(turned)
    return form


class _ValueGroup:
    """Some values, and the columns that bounds among them allow."""

    def __init__(self, members: Sequence[int], columns: GroupColumns) -> None:
        self.members, self.columns = np.array(members), columns
        b, stretch = len(members), columns.listed.stretch
        self.stretched = stretch * np.eye(b) + (1 - stretch) / b

    def moments(self, whole_moments: Floats) -> Floats:
        """Mean products of stretched columns, from those of all values."""
        part = whole_moments[np.ix_(self.members, self.members)]
        found: Floats = self.stretched @ part @ self.stretched
        return found

    def matrix(self, found: GroupInequality, basis: Floats) -> Floats:
        """N, in a basis of vectors of all values."""
        turned = basis[self.members]
        spread: Floats = turned.T @ (self.stretched @ found.matrix @ self.stretched) @ turned
        return spread


class _InequalityRounds:
    """Inequalities, better from round to round."""

    def __init__(self, bounds: BoundRows, spread: Fraction | None) -> None:
        self.bounds, self.k, self.spread = bounds, len(bounds), spread
        amounts = [
            [LARGEST_BOUND if bound is None else min(float(bound), LARGEST_BOUND) for bound in row] for row in bounds
        ]
        self.amounts = np.array(amounts)
        self.amounts = (self.amounts + self.amounts.T) / 2
        np.fill_diagonal(self.amounts, 0.0)
        self.basis = contrasts(self.k)
        self.groups: dict[tuple[int, ...], _ValueGroup] = {}
        self.listed: dict[tuple[tuple[Nats | None, ...], ...], GroupColumns | None] = {}
        # None stands for the inequality of all values.
        self.found: list[tuple[_ValueGroup, GroupInequality] | None] = []
        self.matrices, self.weights = np.zeros((0, self.k - 1, self.k - 1)), np.zeros(0)

    def run(self, rounds: int) -> bool:
        """Whether the inequalities prove something."""
        self._grow(-(self.amounts**2))
        for score in ReproducibleDraws(0).uniform(BROAD, self.k, self.k):
            self._grow(score + score.T)
        if self.spread is not None:
            self._add([None], np.eye(self.k - 1)[None] / float(self.spread))
        fresh = [(group, group.columns.middle()) for group in self.groups.values()]
        for number in range(rounds):
            self._add(fresh, np.array([group.matrix(found, self.basis) for group, found in fresh]))
            best = best_sum(self.matrices, self.weights)
            if best is None:
                return False
            self.weights, inner = best
            if number + 1 < rounds:
                apart = self.basis @ inner @ self.basis.T
                if number < GROWING:
                    self._grow(self._overshoot(apart))
                fresh = [(group, group.columns.strongest(group.moments(1 + apart))) for group in self.groups.values()]
        return True

    def _add(self, fresh: Sequence[tuple[_ValueGroup, GroupInequality] | None], matrices: Floats) -> None:
        kept = np.flatnonzero(self.weights * len(self.weights) > UNUSED)
        self.found = [*(self.found[place] for place in kept), *fresh]
        self.matrices = np.concatenate([self.matrices[kept], matrices.reshape(-1, self.k - 1, self.k - 1)])
        old = self.weights[kept]
        part = FRESH if len(old) > 1 else 1 - 1 / (1 + len(fresh))
        old = old * (1 - part) / old.sum() if len(old) else old
        self.weights = np.append(old, np.full(len(fresh), (part if len(old) else 1.0) / len(fresh)))

    def _overshoot(self, apart: Floats) -> Floats:
        """Of two values, the mean square by which columns would differ over what is allowed beside a mean of one."""
        between = np.diag(apart)[:, None] + np.diag(apart) - 2 * apart
        allowed = 2 * np.cosh(self.amounts) - 2
        np.fill_diagonal(allowed, 1.0)
        score = between / allowed
        found: Floats = score - np.median(score)
        return found

    def _grow(self, score: Floats) -> None:
        """One group about each value: again and again the value whose scores with the others sum to most."""
        for x in range(self.k):
            members, sums = [x], score[x].copy()
            while len(members) < GROUP:
                sums[members] = -np.inf
                members.append(int(np.argmax(sums)))
                sums = sums + score[members[-1]]
            key = tuple(sorted(members))
            columns = None if key in self.groups else self._columns(key)
            if columns is not None:
                self.groups[key] = _ValueGroup(key, columns)

    def _columns(self, members: Sequence[int]) -> GroupColumns | None:
        rows = tuple(tuple(self.bounds[x][other] for other in members) for x in members)
        if rows not in self.listed:
            listed = listed_columns(ValueClasses((1,) * len(members), rows))
            self.listed[rows] = None if listed is None else GroupColumns(listed)
        return self.listed[rows]

    def proved(self) -> Fraction:
        """What the inequalities prove, in exact rationals."""
        k, unit = self.k, 4**BITS
        form = np.zeros((k, k), dtype=object)
        floats = np.zeros((k, k))
        for found, weight in zip(self.found, self.weights.tolist(), strict=True):
            if found is None:
                spread = self.spread or Fraction(1)
                level = (1 + spread / k) / k
                form += ceil(Fraction(weight) / spread * level * unit) * GROUP**2
                form -= np.diag([int(Fraction(weight) / spread * unit) * GROUP**2] * k)
                floats += weight / float(spread) * (np.eye(k) - float(level))
                continue
            group, inequality = found
            scaled = GroupInequality(inequality.root * np.sqrt(weight), inequality.prices * weight)
            place = np.ix_(group.members, group.members)
            form[place] += whole_form(group.columns.listed, scaled)
            floats[place] += group.stretched @ scaled.matrix @ group.stretched
        return _trace(floats, -(-form // GROUP**2))


def _trace(matrix: Floats, form: WholeMatrix) -> Fraction:
    """The floor from a sum N of inequalities, and -N exactly.

    On vectors of sum zero Z is c N^(1/2). Ones take the multiple of themselves that is best, and so does c.
    """
    k = len(matrix)
    basis = contrasts(k)
    values, vectors = np.linalg.eigh(basis.T @ matrix @ basis)
    roots, cost = np.sqrt(np.maximum(values, 0.0)), -float(matrix.sum())
    along = cost / (k * float(roots.sum()))
    # The prices that leave nothing of N but its part on vectors of sum zero, and `along` squared on ones.
    prices = 2 * (along**2 - matrix.sum(axis=1)) - (k * along**2 + cost) / k
    turned = basis @ vectors
    root = (turned * roots) @ turned.T + along / k
    scale = float(np.trace(root) / prices.sum())
    exact = Fraction(scale) ** 2
    scaled = -(-form * exact.numerator // exact.denominator)
    return proved_trace(scale * root, scale**2 * prices, scaled)
