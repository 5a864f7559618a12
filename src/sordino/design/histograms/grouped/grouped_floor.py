"""A floor of the variance for bounds between many values, from groups of a few of which every extreme column is known.

Of a group of b values all extreme columns x can be listed (`listed_floor`), stretched by s: x = 1 + s (v - 1)
for columns v of mean one on the group. If |Z x|^2 <= l.x + t for all x, then every column of all k values keeps
    |Z T v|^2 - (l.T v)(q.v) - t (q.v)^2 <= 0,  with q = 1/b on the group and T v = s v + (1 - s)(q.v) on its values,
because bounds among the group's values are among those of all. Nothing is lost by what the group's mean is: it stands
on both sides. Sums of such inequalities, groups overlapping as they like, are F of `proved_trace`. One more holds of
all values at once: with B the largest sum of (v - 1)^2 of columns that keep the largest bound (two levels),
    |v - p.v|^2 - B (p.v)^2 <= 0.

Where every pair has a bound, groups may hold the least entry of the whole column beside six values: it is bounded by
each value, and each value by it (`with_least`). So groups know of each other how high their values stand; of bounds
that differ little this closes a third of what is left up to 32 values, a fifth at 64.

Which inequalities, and how often each counts, floats find in rounds: the weights (`sum_of_inequalities`) tell where the
second moments of a channel would have to lie that reaches the floor; each group then adds the inequality that excludes
these best (`group_inequality`), and values that would be told apart by more than their bounds allow become new groups.

Where bounds differ at random from pair to pair and there are many, a gap remains that no method known to us closes:
a column of many values cannot be told from what its groups allow (docs/floors.md: what was tried).

Cost: for k = 16/32 values about 4/10 s, half a minute for 64; two rounds for 64/128 values 8/26 s.
"""

from collections.abc import Sequence
from fractions import Fraction
from math import ceil
from typing import TypeAlias

import numpy as np

from sordino.design.coarse import Floats
from sordino.design.histograms.grouped.group_inequality import GroupColumns, GroupInequality
from sordino.design.histograms.grouped.sum_of_inequalities import best_sum, contrasts, eliminated
from sordino.design.histograms.listed_floor import ListedColumns, excess, listed_columns
from sordino.design.histograms.proved_trace import BITS, WholeMatrix, proved_trace, whole
from sordino.design.histograms.value_classes import ValueClasses
from sordino.design.integer_channel import BoundRows
from sordino.exact.nats import Nats

GROUP = 7
"""Values of a group: 924 rays at most. With eight floors rise by up to 2 %, at four times the cost."""

ROUNDS = 5
"""Of inequalities; beyond, floors rise by less than 1 %. Two prove 2 to 4 % less than five."""

GROWING = 3
"""Rounds that add groups."""

BROAD = 1
"""Groups about each value that are drawn: what is far apart has to stand in some group together."""

UNUSED = 1e-3
"""Inequalities that count less than this part of the mean are let go."""

TOLD = 1e-3
"""By how much an inequality must exclude what the others leave, of columns of mean one."""

MOST_INEQUALITIES, MOST_ENTRIES = 500, 8_000_000
"""Inequalities in use at most, and entries of all their matrices."""

WANDERING = 0.2
"""Of an entry's mean square about one: what the least entry may differ from what the others tell of it, so that no
inequality is chosen for that alone."""

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
        """Mean products of stretched columns, from those of all entries."""
        part = whole_moments[np.ix_(self.members, self.members)]
        found: Floats = self.stretched @ part @ self.stretched
        return found

    def matrix(self, found: GroupInequality, entries: int) -> Floats:
        """N, of all entries."""
        spread = np.zeros((entries, entries))
        spread[np.ix_(self.members, self.members)] = self.stretched @ found.matrix @ self.stretched
        return spread


_Found: TypeAlias = tuple[_ValueGroup, GroupInequality]


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
        self.groups: dict[tuple[int, ...], _ValueGroup] = {}
        self.listed: dict[tuple[tuple[Nats | None, ...], ...], GroupColumns | None] = {}
        # None stands for the inequality of all values.
        self.found: list[_Found | None] = []
        self.matrices, self.weights = np.zeros((0, self.k, self.k)), np.zeros(0)
        self.moments = np.zeros((self.k, self.k))

    def run(self, rounds: int) -> bool:
        """Whether the inequalities prove something."""
        scores = [
            -(self.amounts**2),
            *(score + score.T for score in np.random.default_rng(0).random((BROAD, self.k, self.k))),
        ]
        for score in scores:
            self._grow(score)
        if self.spread is not None:
            level = (1 + float(self.spread) / self.k) / self.k
            self.found, self.matrices = [None], ((np.eye(self.k) - level) / float(self.spread))[None]
        fresh = [(group, group.columns.middle()) for group in self.groups.values()]
        for number in range(rounds):
            if not self._summed(fresh) and not (self._lower() and self._summed(self._of_values(fresh))):
                return number > 0
            if number + 1 < rounds:
                apart = self.moments[: self.k, : self.k] - 1
                scores.append(self._overshoot(apart))
                if number < GROWING:
                    self._grow(scores[-1])
                if self.spread is not None and number == 0:
                    self._lift()
                if len(self.bounds) > self.k:
                    for score in scores:
                        self._grow(score, (self.k,))
                    scores.clear()
                    # What the least entry does by itself.
                    self.moments[self.k, self.k] += WANDERING * np.diag(apart).mean()
                fresh = [
                    (group, group.columns.strongest(group.moments(self.moments))) for group in self.groups.values()
                ]
        return True

    def _lift(self) -> None:
        """The least entry stands beside the column from here on, at first where it may be at most and least."""
        self.bounds = with_least(self.bounds)
        least = (1 + 1 / float(np.exp(self.amounts.max(axis=1)).mean())) / 2
        lift = np.concatenate([np.eye(self.k), np.full((1, self.k), least / self.k)])
        self.moments = lift @ self.moments @ lift.T
        self.matrices = np.pad(self.matrices, ((0, 0), (0, 1), (0, 1)))

    def _lower(self) -> bool:
        """Whether the least entry stood beside in vain, and is gone."""
        k = self.k
        used = [pair for pair in self.found if pair is not None]
        if len(self.bounds) == k or len(self._of_values(used)) < len(used):
            return False
        self.bounds = [row[:k] for row in self.bounds[:k]]
        self.moments, self.matrices = self.moments[:k, :k], self.matrices[:, :k, :k]
        self.groups = {members: group for members, group in self.groups.items() if members[-1] < k}
        return True

    def _of_values(self, pairs: Sequence[_Found]) -> list[_Found]:
        """The inequalities of groups without the least entry."""
        return [(group, found) for group, found in pairs if group.members[-1] < self.k]

    def _summed(self, fresh: Sequence[_Found]) -> bool:
        """The best sum of what is in use and what tells most beside; nothing changes where there is none: False."""
        d = len(self.bounds)
        matrices = np.array([group.matrix(found, d) for group, found in fresh])
        kept = np.flatnonzero(self.weights * len(self.weights) > UNUSED * self.weights.sum())
        if not len(self.weights):
            kept = np.arange(len(self.found))
            chosen = np.arange(len(fresh))
        else:
            told = np.tensordot(matrices, self.moments, 2)
            room = max(0, min(MOST_INEQUALITIES, MOST_ENTRIES // (d * d)) - len(kept))
            chosen = np.argsort(-told, kind="stable")[:room]
            chosen = chosen[told[chosen] > TOLD]
        matrices = np.concatenate([self.matrices[kept], matrices[chosen]])
        weights = np.zeros(len(matrices))
        weights[: len(kept)] = self.weights[kept] if len(self.weights) else 0.0
        best = best_sum(matrices, weights, self.k)
        if best is not None:
            self.found = [*(self.found[place] for place in kept.tolist()), *(fresh[place] for place in chosen.tolist())]
            self.matrices, (self.weights, self.moments) = matrices, best
        return best is not None

    def _overshoot(self, apart: Floats) -> Floats:
        """Of two values, the mean square by which columns would differ over what is allowed beside a mean of one."""
        between = np.diag(apart)[:, None] + np.diag(apart) - 2 * apart
        allowed = 2 * np.cosh(self.amounts) - 2
        np.fill_diagonal(allowed, 1.0)
        score = between / allowed
        found: Floats = score - np.median(score)
        return found

    def _grow(self, score: Floats, beside: tuple[int, ...] = ()) -> None:
        """One group about each value: again and again the value whose scores with the others sum to most."""
        for x in range(self.k):
            members, sums = [x], score[x].copy()
            while len(members) + len(beside) < GROUP:
                sums[members] = -np.inf
                members.append(int(np.argmax(sums)))
                sums = sums + score[members[-1]]
            key = (*sorted(members), *beside)
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
        k, d, unit = self.k, len(self.bounds), 4**BITS
        form = np.zeros((d, d), dtype=object)
        floats = np.zeros((d, d))
        for found, weight in zip(self.found, self.weights.tolist(), strict=True):
            if found is None:
                spread = self.spread or Fraction(1)
                level = (1 + spread / k) / k
                form[:k, :k] += ceil(Fraction(weight) / spread * level * unit) * GROUP**2
                form[:k, :k] -= np.diag([int(Fraction(weight) / spread * unit) * GROUP**2] * k)
                floats[:k, :k] += weight / float(spread) * (np.eye(k) - float(level))
                continue
            group, inequality = found
            scaled = GroupInequality(inequality.root * np.sqrt(weight), inequality.prices * weight)
            place = np.ix_(group.members, group.members)
            form[place] += whole_form(group.columns.listed, scaled)
            floats[place] += group.stretched @ scaled.matrix @ group.stretched
        return _trace(floats, -(-form // GROUP**2), k)


def with_least(bounds: BoundRows) -> list[list[Nats | None]]:
    """Bounds between values, all known, and behind them the least of a column's entries.

    It is at most each entry, and each is at most e^bound times it for the largest of its bounds with the others.
    """
    zero = Nats.of(0)
    most = [max(bound for bound in row if bound is not None) for row in bounds]
    return [*([*row, largest] for row, largest in zip(bounds, most, strict=True)), [zero] * (len(bounds) + 1)]


def _trace(matrix: Floats, form: WholeMatrix, k: int) -> Fraction:
    """The floor from a sum of inequalities, and minus that exactly.

    On vectors of sum zero Z is c N^(1/2). Ones take the multiple of themselves that is best, and so does c.
    """
    inner, across = matrix[k:, k:], matrix[k:]
    beside = np.linalg.inv(np.linalg.cholesky(inner)) @ across if len(inner) else None
    matrix, _ = eliminated(matrix, k)
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
    return proved_trace(scale * root, scale**2 * prices, scaled, None if beside is None else scale * beside)
