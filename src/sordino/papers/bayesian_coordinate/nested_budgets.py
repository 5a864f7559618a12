"""Budgets for `NestedMean` that keep Bayesian coordinate DP: from deltas and a bound on dependence to nats per number.

A report with budgets c is c_i-CDP for each number and c_d-LDP, c_d the largest. A number with delta_i >= c_d needs no
bound on its dependence; for any other, with q_i the largest total variation between the laws of *all other numbers*
given two of its values, delta_i-BCDP follows from either accounting:

    "paper"   c_i + ln(1 + q_i (e^c_d - 1)) <= delta_i
    "tight"   ln((1 - q_i) e^c_i + q_i e^c_d) <= delta_i

Both leave c_d free up to ln(1 + (e^delta_i - 1) / q_i), at q_i = 0 without limit. It is chosen by the exact variance of
the means of numbers at -1 or 1; the tight accounting also lowers budgets below their limits, or to each other, where
that helps the rest. Budgets are rounded down to 12 decimals from enclosures: no float decides a guarantee.

Source: BCDP paper, Theorem 2, (16) as corrected (q = 0 is a limit; zeta is free), and Corollary 1.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import expm1, log1p
from typing import Literal, get_args

import numpy as np

from sordino.definition.bounds import BoundLike, read_bound, read_epsilon
from sordino.definition.dependence import BoundOnVariation, Dependence, read_variation
from sordino.errors import SordinoError
from sordino.exact.arrays import Floats
from sordino.exact.messages.arguments import checked
from sordino.exact.messages.brief import shown
from sordino.exact.nats import FIRST_DIGITS, Nats, NatsLike, exponential
from sordino.papers.bayesian_coordinate.nested_search import BudgetSearch

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
        variations: q of each number.
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
        least, _ = _powers(delta)
        _, most = _powers(largest)
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
                least, _ = _powers(delta)
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
        k: how many have this delta; the others have epsilon.
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


def _powers(amount: Nats) -> tuple[Fraction, Fraction]:
    """Rationals just below and above e^amount."""
    low, high = exponential(amount.rational, FIRST_DIGITS)
    return low * amount.ratio, high * amount.ratio


def _down(amount: float) -> Nats:
    """A multiple of 1e-12 that is not above."""
    return Nats(Fraction(max(int(Fraction(amount) * DECIMALS), 0), DECIMALS))
