"""Budgets for `NestedMean` that keep Bayesian coordinate DP: from deltas and a bound on dependence to nats per number.

A report with budgets c is c_i-CDP for each number and c_d-LDP, c_d the largest. A number with delta_i >= c_d needs no
bound on its dependence; for any other, with q_i the largest total variation between the laws of *all other numbers*
given two of its values, delta_i-BCDP follows from either accounting:

    "paper"   c_i + ln(1 + q_i (e^c_d - 1)) <= delta_i
    "tight"   ln((1 - q_i) e^c_i + q_i e^c_d) <= delta_i

Both leave c_d free up to ln(1 + (e^delta_i - 1) / q_i), at q_i = 0 without limit. It is chosen by the exact variance of
the means of numbers at -1 or 1; the tight accounting also lowers budgets below their limits, or to each other, where
that helps the rest. Budgets are rounded down to 12 decimals from enclosures: no float decides a guarantee.

The search for nested budgets, in floats: whatever it finds is settled exactly afterwards.

The objective is the exact variance of all means together for numbers at -1 or 1. It is smooth in the largest budget
between the deltas, and jumps or bends there, so each piece is tried on a grid, and the best is refined.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial
from itertools import pairwise
from math import expm1, log1p
from operator import itemgetter
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from sordino.definition.bounded_dependence import BoundOnVariation, Dependence, read_variation
from sordino.definition.bounds import BoundLike, read_bound, read_epsilon
from sordino.errors import SordinoError
from sordino.exact.floats import Floats
from sordino.exact.messages import checked, shown
from sordino.exact.nats import FIRST_DIGITS, Nats, NatsLike, exponential
from sordino.papers.bayesian_coordinate.steered import gain

Accounting = Literal["paper", "tight"]

DECIMALS = 10**12
"""Budgets are whole multiples of one over this, or a delta as it was given."""

CLOSE = 1e-9
"""Floats of the search that differ by less stand for the same budget."""


@checked
def nested_budgets(
    deltas: Sequence[BoundLike] | Floats,
    epsilon: NatsLike,
    q: "BoundOnVariation | Sequence[BoundOnVariation] | Floats | Dependence",
    zeta: "float | Fraction | Literal['paper'] | None" = None,
    accounting: Accounting = "paper",
) -> tuple[Nats, ...]:
    """Budgets, in the order of the deltas, with which `NestedMean` is delta-BCDP and epsilon-LDP.

    Source: BCDP paper, Theorem 2, (16) as corrected (q = 0 is a limit; zeta is free), and Corollary 1.

    Args:
        deltas: what each number may lose, in any order; above epsilon, "inf" and None are read as epsilon.
        q: a bound on dependence, for all numbers or for each: the largest total variation between the laws of all
            others given two values of it. Bounds between pairs are no such bound.
        zeta: the share of a delta that fixes c_d in (16): chosen by exact variance by default; "paper" is (1 + q) / 2
            with the largest q.

    Example:
        >>> [str(c) for c in nested_budgets(["0.2", "2"], "2", 0)]
        ['1/5', '2']
        >>> [round(float(c), 4) for c in nested_budgets(["0.2", "0.2", *["2"] * 8], "2", "0.1", "paper")[1:3]]
        [0.09, 0.7714]
    """
    if accounting not in get_args(Accounting):
        raise SordinoError(f"accounting must be one of {', '.join(get_args(Accounting))}", found=shown(accounting))
    limits = read_deltas(deltas, read_epsilon(epsilon))
    variations = _read_variations(q, len(limits))
    account = Account(limits, variations, accounting)
    floats = np.array([limit.floor() for limit in limits])
    search = BudgetSearch(floats, np.array([float(bound) for bound in variations]), accounting)
    if zeta is None:
        return account.settle(search.best())
    share = (1 + max(variations)) / 2 if zeta == "paper" else _read_zeta(zeta)
    return account.settle(search.at_largest(search.limit(float(share))))


@dataclass(frozen=True)
class Account:
    """The exact limits of budgets.

    Attributes:
        deltas: at most epsilon each.
    """

    deltas: tuple[Nats, ...]
    variations: tuple[Fraction, ...]
    accounting: Accounting

    def settle(self, wanted: Floats) -> tuple[Nats, ...]:
        """Budgets as near to the wanted ones as the limits allow, never above a limit."""
        largest = self._largest(float(wanted.max()))
        budgets = [
            min(self._near(float(number), delta), self.most(largest, delta, variation))
            for number, delta, variation in zip(wanted, self.deltas, self.variations, strict=True)
        ]
        # Budgets that the search made equal share a level: the lowest of them.
        order = np.argsort(wanted, kind="stable")
        for before, after in pairwise(order):
            if wanted[after] - wanted[before] < CLOSE:
                budgets[after] = min(budgets[after], budgets[before])
        return tuple(budgets)

    def most(self, largest: Nats, delta: Nats, variation: Fraction) -> Nats:
        """The largest budget of a number, rounded down, where the largest of all is given."""
        if largest <= delta:
            return largest
        if variation == 0:
            return delta
        least, _ = powers(delta)
        _, most = powers(largest)
        if self.accounting == "paper":
            power = least / (1 + variation * (most - 1))
        elif variation == 1:
            power = Fraction(0)
        else:
            power = (least - variation * most) / (1 - variation)
        return _down(Nats.log(power).floor()) if power >= 1 else Nats.of(0)

    def _largest(self, wanted: float) -> Nats:
        """The largest budget: the wanted one, or as much less as leaves every number a budget of at least 0."""
        largest = min(self._near(wanted, max(self.deltas)), max(self.deltas))
        for delta, variation in zip(self.deltas, self.variations, strict=True):
            if delta < largest and variation > 0:
                least, _ = powers(delta)
                largest = min(largest, max(delta, _down(Nats.log(1 + (least - 1) / variation).floor())))
        return largest

    def _near(self, wanted: float, delta: Nats) -> Nats:
        """A delta itself where the search meant it, else the wanted number rounded down."""
        near = [own for own in {delta, *self.deltas} if abs(own.floor() - wanted) < CLOSE]
        return max(near) if near else _down(wanted)


def read_deltas(deltas: Sequence[BoundLike] | Floats, epsilon: Nats) -> tuple[Nats, ...]:
    """Deltas cut to epsilon."""
    entries = deltas.tolist() if isinstance(deltas, np.ndarray) else deltas
    if isinstance(entries, str) or not len(entries):
        raise SordinoError("there must be a delta for each number", found=shown(entries), step="list the deltas")
    limits = []
    for place, entry in enumerate(entries):
        try:
            bound = read_bound(entry)
        except SordinoError as error:
            raise SordinoError(f"delta {place} is wrong: {error.rule}", found=error.found) from None
        limits.append(epsilon if bound is None else min(bound, epsilon))
    return tuple(limits)


def corollary_bound(d: int, k: int, delta: float, epsilon: float, q: float) -> float:
    """The bound of Corollary 1, (18) or (19), times n, without its unnamed constant: k of d numbers at delta.

    Args:
        delta: in nats, below half of epsilon.
        epsilon: in nats.
    """
    if not (1 <= k <= d and 0 < 2 * delta < epsilon and 0 <= q <= 1):
        rule = "Corollary 1 needs 1 <= k <= d, epsilon above 2 delta, and q in [0, 1]"
        raise SordinoError(rule, found=", ".join(map(shown, (k, d, delta, q))))
    sensitive = d * k / delta**2
    if k == d:
        return sensitive
    if q * expm1(epsilon) <= expm1(delta / 2):
        return sensitive + (d - k) ** 2 / epsilon**2
    largest = log1p(expm1(delta / 2) / q)
    return sensitive + (d - k) ** 2 / ((d - k) / d * delta**2 + (largest - delta / 2) ** 2)


def _read_variations(
    q: "BoundOnVariation | Sequence[BoundOnVariation] | Floats | Dependence", d: int
) -> tuple[Fraction, ...]:
    entries = q.rest if isinstance(q, Dependence) else q.tolist() if isinstance(q, np.ndarray) else q
    if not isinstance(entries, Sequence) or isinstance(entries, str):
        return (read_variation(entries),) * d
    if len(entries) != d:
        rule = f"there must be one bound on dependence, or one for each of {d} numbers"
        raise SordinoError(rule, found=str(len(entries)))
    return tuple(read_variation(entry) for entry in entries)


def _read_zeta(zeta: "float | Fraction | str") -> Fraction:
    try:
        share = read_variation(zeta)
    except SordinoError:
        share = Fraction(0)
    if share == 0:
        raise SordinoError('zeta must be "paper" or lie above 0, up to 1', found=shown(zeta))
    return share


def powers(amount: Nats) -> tuple[Fraction, Fraction]:
    """Rationals just below and above e^amount."""
    low, high = exponential(amount.rational, FIRST_DIGITS)
    return low * amount.ratio, high * amount.ratio


def _down(amount: float) -> Nats:
    return Nats(Fraction(max(int(Fraction(amount) * DECIMALS), 0), DECIMALS))


POINTS = 600
"""Of the grid over all pieces together."""

LEAST_POINTS = 4

SHARES = 41
"""Of its limit that are tried for a budget."""

STARTS = 20
"""Largest budgets below and above the best one, at which a few levels are tried."""

POLISHED = 3
"""The best of them go on."""

SAME = 1e-12
"""Budgets that differ by less share a level."""

ROUNDS = 12

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
