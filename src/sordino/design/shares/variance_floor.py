"""What no channel can beat: floors of the variance, proved for all channels under a definition.

Summed over the values, times n, of unbiased estimates, at equal shares. For bounds between pairs, in exact rationals:

Write p for equal shares, v for a column, M = sum of w v v' / (p.v) for what a channel tells. For every symmetric Z,
trace(M^-1) >= 2 trace(Z) - trace(Z M Z). If numbers n_ij >= 0 and l_x make
    sum of n_ij (a_i.v)(a_j.v) + v'Z Z v <= (l.v)(p.v) + t (p.v)^2
for all v >= 0, where a_i.v >= 0 are inequalities that every column keeps, then trace(M^-1) >= 2 trace(Z) - sum l - t,
because the columns' weights sum to rows of ones. Any n, l and Z do: floats found them (`relaxed_design`). What they
leave is a matrix R with entries of both signs, and v'R v <= t (p.v)^2 for t = k^2 times its largest entry. The
inequalities are v_x <= c v_x' with rational numbers c just above e^E[x, x'].

Of parts of the values: a channel's rows for k_b of k values are a channel for these, so sum (k_b / k) T_b is a floor of
trace(M^-1), for floors T_b of the parts (Z with a block for each part, because p_b.v <= p.v).

Of few kinds of values every extreme column is looked at, which leaves next to nothing between floor and channel
(`listed_floor`); products of inequalities prove less the more values bound each other directly. Blocks are parts, and
a channel for each of them reaches their floor.

For k-ary LDP subset selection at its best size is optimal (arXiv 2603.11523).
Cost: some seconds; by listing a second for 9 values that all differ, four times as much for each more, to 12.
"""

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from math import ceil
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from sordino.definition.high_low import HighLowLDP
from sordino.definition.matrix import PairwiseLDP
from sordino.definition.metric import MetricLDP
from sordino.definition.pairwise import LDP, BlockLDP
from sordino.design.integer_channel import BoundRows, needed_pairs
from sordino.design.shares.listed_floor import LARGEST_LISTED, can_list, listed_floor
from sordino.design.shares.symmetries import ValueClasses, classes_of, sensitive_classes
from sordino.exact.floats import Floats
from sordino.exact.nats import Nats, exponential

BITS = 80
"""Binary digits after the point of Z and of the prices."""

WholeMatrix: TypeAlias = "np.ndarray[tuple[int, ...], np.dtype[np.object_]]"


if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sordino.design.shares.relaxed_design import Multipliers

DIGITS = 40
"""Decimal, of enclosures of exponentials."""

MOST_KINDS = 530
"""Largest number of kinds of pairs in a part, each an unknown: 32 values that differ, a line of 44, a grid of 9 x 9."""

LARGEST_K = 128
"""Largest number of values of a matrix."""

LARGEST_BOUND = 30
"""Nats. Larger bounds count as none."""

SMALLEST_BOUND = Fraction(1, 1000)
"""Nats. Below this, floats lose the floor of products."""

SMALLEST_LISTED = Fraction(1, 10**6)
"""Nats. Below this, what bounds are raised by takes more than a hundredth of the floor of few values."""


def definition_floor(
    k: int, definition: object, most_kinds: int = MOST_KINDS, most_listed: int = LARGEST_LISTED
) -> Fraction | None:
    """The floor for k values under a definition; None where none is proved. The limits are those of `matrix_floor`."""
    match definition:
        case LDP() if definition.epsilon.sign() > 0:
            return uniform_floor(k, definition.epsilon)
        case MetricLDP() if 2 <= k <= LARGEST_K:
            return matrix_floor(PairwiseLDP(definition.edge_bounds), most_kinds, most_listed)
        case PairwiseLDP():
            return matrix_floor(definition, most_kinds, most_listed)
        case BlockLDP() if definition.epsilon.sign() > 0:
            return block_floor(definition.partition.sizes.tolist(), definition.epsilon)
        case HighLowLDP() if definition.epsilon >= SMALLEST_LISTED:
            return _floor_of_few_kinds(sensitive_classes(definition), most_listed)
        case _:
            return None


@lru_cache(maxsize=8)
def matrix_floor(
    definition: PairwiseLDP, most_kinds: int = MOST_KINDS, most_listed: int = LARGEST_LISTED
) -> Fraction | None:
    """A floor under bounds between pairs of values; None where none is proved.

    Args:
        most_kinds: of pairs that are solved for together; more prove more, at a cost of their number's third power.
        most_listed: values, two of each kind, of which every extreme column is looked at.

    Example:
        >>> steps = PairwiseLDP([[0, 1, 2], [1, 0, 1], [2, 1, 0]])
        >>> from sordino import optimal_channel
        >>> bool(0.99 < matrix_floor(steps) / optimal_channel(steps).total_variance <= 1)
        True
    """
    k, bounds = definition.k, definition.bounds
    if not 2 <= k <= LARGEST_K:
        return None
    floors = []
    every = [bounds[x][other] for x in range(k) for other in range(k) if x != other]
    known = [bound for bound in every if bound is not None]
    smallest = min(known, default=Nats.of(1))
    if len(known) == len(every):
        # Whoever keeps the bounds keeps the largest of them between all values.
        floors.append(uniform_floor(k, max(known)))
    listed = _floor_of_few_kinds(classes_of(bounds), most_listed) if smallest >= SMALLEST_LISTED else None
    if listed is not None:
        floors.append(listed)
    elif smallest >= SMALLEST_BOUND:
        floors.extend(_in_parts(bounds, most_kinds))
    return max(floors, default=None)


def uniform_floor(k: int, epsilon: Nats) -> Fraction:
    """The floor of epsilon-LDP for k values: subset selection's variance at the best size of its subsets.

    Sets of w values, each e^epsilon = e times as likely where it holds the value: a value's code holds it with
    probability u = w e / (w e + k - w), and another value with z = (u (w - 1) + (1 - u) w) / (k - 1). The estimate of a
    share is (N / n - z) / (u - z), where N counts the sets that hold it: at equal shares N / n has mean w / k.
    """
    below, above = _power(epsilon)
    return min(_subset_variance(k, size, above) for size in _sizes(k, below, above)) if k > 1 else Fraction(0)


def _sizes(k: int, below: Fraction, above: Fraction) -> Sequence[int]:
    first, last = int(k / (above + 1)), ceil(k / (below + 1))
    return range(max(1, first), max(2, min(last, k - 1) + 1))


def _subset_variance(k: int, size: int, power: Fraction) -> Fraction:
    own = size * power / (size * power + k - size)
    other = (own * (size - 1) + (1 - own) * size) / (k - 1)
    share = Fraction(size, k)
    return k * share * (1 - share) / (own - other) ** 2


def block_floor(sizes: Sequence[int], epsilon: Nats) -> Fraction:
    """The floor under epsilon within blocks of these sizes: those of each block's values, weighed by their number."""
    k = sum(sizes)
    parts = (
        count * Fraction(size, k) * (uniform_floor(size, epsilon) + Fraction(1, size))
        for size, count in Counter(sizes).items()
    )
    return sum(parts, Fraction(-1, k))


def _floor_of_few_kinds(classes: ValueClasses, most_values: int) -> Fraction | None:
    """The floor of few kinds of values; None where they are more, or their columns cannot be told apart."""
    found = listed_floor(classes) if can_list(classes, most_values) else None
    return None if found is None else found - Fraction(1, classes.k)


def _in_parts(bounds: BoundRows, most_kinds: int) -> list[Fraction]:
    """The floor of the values in parts of their order, as equal as may be; none where a part has none."""
    k = len(bounds)
    found: dict[tuple[tuple[Nats | None, ...], ...], Fraction | None] = {}
    whole = Fraction(-1, k)
    for part, kinds in _parts(bounds, most_kinds):
        if part not in found:
            found[part] = _trace_floor(part, kinds)
        floor = found[part]
        if floor is None:
            return []
        whole += Fraction(len(part), k) * floor
    return [whole]


Part = tuple[tuple[tuple[Nats | None, ...], ...], "NDArray[np.intp]"]


def _parts(bounds: BoundRows, most_kinds: int) -> list[Part]:
    from sordino.design.shares.relaxed_design import pair_kinds

    k = len(bounds)
    known: dict[Nats | None, int] = {}
    names = np.array([[known.setdefault(bound, len(known)) for bound in row] for row in bounds], dtype=np.intp)
    for number in range(1, k + 1):
        ends = [k * part // number for part in range(number + 1)]
        kinds = [pair_kinds(names[first:last, first:last]) for first, last in pairwise(ends)]
        if all(part.max() < most_kinds for part in kinds):
            break
    parts = [tuple(tuple(row[first:last]) for row in bounds[first:last]) for first, last in pairwise(ends)]
    return list(zip(parts, kinds, strict=True))


def _trace_floor(bounds: BoundRows, kinds: "NDArray[np.intp]") -> Fraction | None:
    """A floor of trace(M^-1) for a part's values."""
    from sordino.design.shares.relaxed_design import multipliers, starting_information

    k = len(bounds)
    if k == 1:
        return Fraction(1)
    limits = np.array([[np.inf if bound is None else float(bound) for bound in row] for row in bounds])
    limits[limits > LARGEST_BOUND] = np.inf
    np.fill_diagonal(limits, 0)
    rows = inequalities(bounds)
    found = multipliers(rows, starting_information(np.exp(-limits)), kinds)
    return None if found is None else proved_floor(rows, found)


def inequalities(bounds: BoundRows) -> Floats:
    """Rows a with a.v >= 0 for every column v that keeps the bounds: the needed ones, v_x >= 0 where none says it."""
    k, rows, above_zero = len(bounds), [], set()
    for x, other in needed_pairs(bounds):
        bound = bounds[x][other]
        if bound is None or bound > LARGEST_BOUND:
            continue
        row = np.zeros(k)
        row[other] = np.nextafter(float(_power(bound)[1]), np.inf)
        row[x] = -1.0
        # A power of two, so that nothing is rounded: the two entries lie about 1 then.
        rows.append(np.ldexp(row, -round(float(bound) / 2 / float(np.log(2)))))
        above_zero.add(other)
    rows.extend(np.eye(k)[[x for x in range(k) if x not in above_zero]])
    return np.array(rows)


def proved_floor(rows: Floats, found: "Multipliers") -> Fraction:
    """The floor of trace(M^-1) that multipliers prove, whatever they are, in exact rationals.

    Args:
        rows: a of a.v >= 0 for every column v, shape (f, k); these floats are meant.
        found: with weights >= 0.
    """
    weighted = _weighted_products(rows, found)
    # Rounded up, to units of 2^-(2 BITS); half of the sum with its transpose.
    return proved_trace(found.root, found.prices, -(-(weighted + weighted.T) // (2 * 4**BITS)))


def _weighted_products(rows: Floats, found: "Multipliers") -> WholeMatrix:
    """The sum of all products of two rows, each as often as its multiplier says, in units of 2^-(4 BITS)."""
    count, k = rows.shape
    weights = np.zeros((count, count), dtype=object)
    np.add.at(weights, (found.first, found.second), whole(np.maximum(found.weights, 0.0), 2 * BITS))
    exact = whole(rows)
    # No more than a few entries of a row are not zero.
    half = np.zeros((count, k), dtype=object)
    for j, x in zip(*np.nonzero(rows), strict=True):
        half[:, x] += weights[:, j] * exact[j, x]
    summed = np.zeros((k, k), dtype=object)
    for i, x in zip(*np.nonzero(rows), strict=True):
        summed[x] += exact[i, x] * half[i]
    return summed


def _power(bound: Nats) -> tuple[Fraction, Fraction]:
    """Rationals just below and above e^bound."""
    low, high = exponential(bound.rational, DIGITS)
    return low * bound.ratio, high * bound.ratio


def proved_trace(root: Floats, prices: Floats, form: WholeMatrix) -> Fraction:
    """The floor of trace(M^-1), whatever Z and l are: t = k^2 times the largest entry of Z Z - sym(l p') + F.

    Args:
        root: Z, made symmetric here, shape (k, k).
        prices: l, shape (k,).
        form: F, symmetric, in units of 2^-(2 BITS), rounded up if at all; v'F v >= 0 for every column v, shape (k, k).
    """
    k, unit = len(root), 2**BITS
    exact, costs = whole((root + root.T) / 2), whole(prices)
    # k times the matrix that is left, in units of 2^-(2 BITS).
    left = k * form + (k * exact.dot(exact) - (costs[:, None] + costs) * unit // 2)
    largest = max(0, *left.ravel().tolist())
    return Fraction(2 * int(np.trace(exact)) - int(costs.sum()), unit) - Fraction(k * largest, unit * unit)


def whole(values: Floats, bits: int = BITS) -> WholeMatrix:
    """In units of 2^-bits, rounded down."""
    mantissas, exponents = np.frexp(values.ravel())
    shifts = (exponents - 53 + bits).tolist()
    wholes = np.ldexp(mantissas, 53).astype(np.int64).tolist()
    flat = [digits << shift if shift >= 0 else digits >> -shift for digits, shift in zip(wholes, shifts, strict=True)]
    found = np.empty(len(flat), dtype=object)
    found[:] = flat
    return found.reshape(values.shape)
