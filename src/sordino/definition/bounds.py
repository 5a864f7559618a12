"""Bounds on the log-ratio of pairs of values: a matrix in nats, exact, with infinite entries, closed.

E[x, x'] bounds ln Pr(y|x) - ln Pr(y|x') for every output y; an infinite entry (None) protects nothing. Bounds imply
each other: E[x, z] is never worth more than E[x, y] + E[y, z], so a matrix is closed under shortest paths before
anything is compared with it.
Source: context-aware LDP paper, Definition 2.
"""

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from math import lcm
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from sordino.errors import SordinoError
from sordino.exact.messages import shown
from sordino.exact.nats import Nats, NatsLike

BoundLike: TypeAlias = Nats | str | int | float | Fraction | Decimal | None
"""What is read as a bound of a pair; None and "inf" for a pair that is not protected."""

Bounds: TypeAlias = tuple[tuple[Nats | None, ...], ...]
"""One row a value; None where the pair is not protected."""

LARGEST_EPSILON = 100
"""Beyond this a bound protects nothing: a coin on 64-bit words has odds of at most 2^64, 44.4 nats."""

LARGEST_MATRIX = 256
"""Largest number of values of a matrix of rational bounds."""

LARGEST_LOGARITHMIC = 64
"""Largest number of values of a matrix with logarithms among its bounds: their sums are compared one by one."""

INFINITE = ("inf", "infinity")
"""How a text says that a pair is not protected."""


def read_epsilon(epsilon: NatsLike) -> Nats:
    """An epsilon that can be promised: 0 <= epsilon <= 100 nats."""
    amount = Nats.of(epsilon)
    if amount.sign() < 0 or amount > LARGEST_EPSILON:
        rule = f"epsilon must lie between 0 and {LARGEST_EPSILON} nats"
        raise SordinoError(rule, found=shown(str(epsilon)), step='write nats, as "1" or "ln 3"')
    return amount


def read_bound(bound: BoundLike) -> Nats | None:
    """A bound of a pair: an epsilon, or "inf" (also None, or the float) for a pair that is not protected."""
    if bound is None or (isinstance(bound, str | float) and str(bound).strip().lower() in INFINITE):
        return None
    return read_epsilon(bound)


def read_bounds(matrix: Sequence[Sequence[BoundLike]] | NDArray[np.float64]) -> Bounds:
    """A square matrix of bounds with a diagonal of zeros."""
    rows = matrix.tolist() if isinstance(matrix, np.ndarray) else matrix
    if isinstance(rows, str) or not all(isinstance(row, Sequence) and not isinstance(row, str) for row in rows):
        rule = "a matrix of bounds must be a list of rows"
        raise SordinoError(rule, found=type(matrix).__name__, step='write [["0", "1"], ["inf", "0"]]')
    k = len(rows)
    if not 1 <= k <= LARGEST_MATRIX:
        rule = f"a matrix of bounds must have 1 to {LARGEST_MATRIX} rows"
        raise SordinoError(rule, found=shown(k), step="merge values, or protect them by blocks or distances")
    if any(len(row) != k for row in rows):
        odd = next(len(row) for row in rows if len(row) != k)
        rule, found = "a matrix of bounds must be square", f"{k} rows, one of them of {odd} entries"
        raise SordinoError(rule, found=found, step="write in each row a bound to each value")
    bounds = []
    # Surveys and plans repeat a few texts and amounts: each is read once.
    known: dict[str | Nats, Nats | None] = {}
    for x, row in enumerate(rows):
        read = []
        for other, entry in enumerate(row):
            try:
                if not isinstance(entry, str | Nats):
                    bound = read_bound(entry)
                elif (bound := known.get(entry)) is None:
                    bound = known[entry] = read_bound(entry)
            except SordinoError as error:
                raise SordinoError(
                    f"row {x}, column {other}: {error.rule}", found=error.found, step=error.step
                ) from None
            if x == other and bound != Nats.of(0):
                raise SordinoError(
                    "a value's bound to itself must be 0", found=f"{shown(entry)} in row {x}", step='write "0" there'
                )
            read.append(bound)
        bounds.append(tuple(read))
    return tuple(bounds)


def closure(bounds: Bounds) -> Bounds:
    """The bounds that a matrix implies: E[x, z] is the least sum along any way from x to z."""
    finite = [bound for row in bounds for bound in row if bound is not None]
    if all(bound.ratio == 1 for bound in finite):
        return _rational_closure(bounds, lcm(*(bound.rational.denominator for bound in finite)))
    if len(bounds) > LARGEST_LOGARITHMIC:
        rule = f"a matrix with logarithms must have at most {LARGEST_LOGARITHMIC} values"
        raise SordinoError(rule, found=f"{len(bounds)}", step="write the bounds as decimals, rounded down")
    return _logarithmic_closure(bounds)


def _logarithmic_closure(bounds: Bounds) -> Bounds:
    """The same with certified floats where they decide, else with exact sums, each added up once."""
    amounts = list(dict.fromkeys(bound for row in bounds for bound in row if bound is not None))
    place = {amount: i for i, amount in enumerate(amounts)}
    least = np.array([[-1 if bound is None else place[bound] for bound in row] for row in bounds], dtype=np.intp)
    low = np.array([*(amount.floor() for amount in amounts), np.inf])[least]
    high = np.array([*(amount.ceil() for amount in amounts), np.inf])[least]
    sums: dict[tuple[int, int], int] = {}
    for y in range(len(least)):
        below = low[:, [y]] + low[[y], :]
        shorter = np.where(np.isfinite(below), np.nextafter(below, -np.inf), np.inf) < high
        # Staying at y is no way.
        shorter[y, :] = shorter[:, y] = False
        for x, z in np.argwhere(shorter).tolist():
            legs, direct = (int(least[x, y]), int(least[y, z])), int(least[x, z])
            if legs not in sums:
                total = amounts[legs[0]] + amounts[legs[1]]
                if total not in place:
                    place[total] = len(amounts)
                    amounts.append(total)
                sums[legs] = place[total]
            way = sums[legs]
            if way != direct and (direct < 0 or amounts[way] < amounts[direct]):
                least[x, z], low[x, z], high[x, z] = way, amounts[way].floor(), amounts[way].ceil()
    return tuple(tuple(None if at < 0 else amounts[at] for at in row) for row in least.tolist())


def _rational_closure(bounds: Bounds, denominator: int) -> Bounds:
    """The same in whole numbers over a common denominator; sums are exact."""
    amounts = {bound for row in bounds for bound in row if bound is not None}
    counted: dict[Nats | None, int] = {bound: int(bound.rational * denominator) for bound in amounts}
    infinite = sum(counted[bound] for row in bounds for bound in row if bound is not None) + 1
    counted[None] = infinite
    whole = [[counted[bound] for bound in row] for row in bounds]
    least = np.array(whole, dtype=np.int64 if infinite < 2**61 else object)
    for y in range(len(bounds)):
        least = np.minimum(least, least[:, [y]] + least[[y], :])
    unchanged = (least == np.array(whole, dtype=least.dtype)).tolist()
    return tuple(
        tuple(
            known if same else Nats(Fraction(total, denominator))
            for known, total, same in zip(row, totals, sames, strict=True)
        )
        for row, totals, sames in zip(bounds, least.tolist(), unchanged, strict=True)
    )
