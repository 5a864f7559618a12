"""Integer weights that keep every bound between pairs of values exactly, from a channel in floats.

Why the result is valid. Column weights w of one output keep a bound E[x, x'] iff w[x'] >= e^(-E[x, x']) w[x].
 1. Each column is cut to integers a little below its floats. Then small weights are raised: for x from heavy to light,
    every w[x'] becomes at least the least integer that x's bound allows beside w[x]. That integer is found from exact
    enclosures of e^(-E); it never exceeds w[x], so weights treated earlier are never raised again, and every bound
    holds in the end, by integers. A weight grows by less than one unit for each heavier one: about k / 2^64.
 2. What a row then lacks of 2^64 is itself a column of integers, nearly the same for all values. It is accepted only
    if it keeps every bound exactly; if it does not, more is cut off in step 1, which makes it flatter.
 3. It is added to other columns, split by groups of values that no bound joins. Sums of columns that keep the bounds
    keep them: the condition is linear.
 4. The finished rows are checked afresh, by exact comparison of amounts of loss, and nothing else is returned.
Bounds that others imply, as between the ends of a line those of its steps, are kept if those are: only pairs that no
two others imply are looked at.

Shapes: channel (k, m), weights k rows of integers with sum 2^64. Cost: m times the needed
pairs (2 k of a line, k^2 of most matrices) in multiplications of big integers.
"""

from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from heapq import heapify, heappop, heappush
from math import gcd
from typing import TypeAlias

import numpy as np

from sordino.definition.pairwise import largest_quotient
from sordino.design.coarse import coarse_number
from sordino.errors import SordinoError
from sordino.exact.coin import WORD
from sordino.exact.floats import Floats
from sordino.exact.nats import Nats, exponential
from sordino.mechanism.inner import inner_mechanisms
from sordino.mechanism.one_coin import OneCoin

BoundRows: TypeAlias = Sequence[Sequence[Nats | None]]

IntegerColumn: TypeAlias = list[int]

Pairs: TypeAlias = list[tuple[int, int]]

CUTS = (64, 48, 44, 40, 36, 32, 28, 24, 20, 16, 12)
"""Bits: 2^-bits of the channel is cut off to fill the rows, first (almost) nothing, then ever more."""

GUARD_BITS = 96
"""Bits beyond a word in the first enclosures of e^(-E)."""

MOST_WORK = 1 << 24
"""Largest number of pairs of weights: some ten seconds."""

CLEARLY = 1e-12
"""Relative difference beyond which floats tell that a weight is large enough."""

NEARLY = 1e-12
"""Relative difference within which sums of bounds are compared exactly."""

EXPONENTIAL_DIGITS = 60
"""Of e^bound where all weights of two values are compared: three words and more."""

BEYOND_WORDS = 45
"""Nats. e^45 exceeds 2^64, so that a weight of one unit suffices beside any other."""


def integer_channel(channel: Floats, bounds: BoundRows) -> tuple[tuple[int, ...], ...]:
    """Rows of integer weights of sum 2^64, as close to the channel as the bounds allow.

    Columns are sorted, heaviest on the first value first; those of zeros are dropped, and proportional ones are added.
    """
    k, needed = len(bounds), needed_pairs(bounds)
    if channel.shape[1] * len(needed) > MOST_WORK:
        rule = "bounds between so many values must follow from fewer"
        raise SordinoError(rule, found=f"{len(needed)} between {k} values", step="use blocks, or a line")
    partners = _Partners(bounds, needed)
    whole = [[int(entry) for entry in column] for column in np.ldexp(channel.T, 64)]
    for bits in CUTS:
        columns = [_raise_column([entry - (entry >> bits) for entry in column], partners) for column in whole]
        rest = [WORD - sum(column[x] for column in columns) for x in range(k)]
        if min(rest) >= 0 and rest == _raise_column(rest, partners):
            _add(rest, columns, bounds)
            columns = _merge(columns)
            weights = tuple(tuple(column[x] for column in columns) for x in range(k))
            require_valid(weights, bounds, needed)
            return weights
    found = f"rows that lack {max(rest) / WORD:.1e} and {min(rest) / WORD:.1e} of their sum"
    raise SordinoError("a channel must keep its bounds before it is rounded", found=found)


def require_valid(weights: Sequence[Sequence[int]], bounds: BoundRows, needed: Pairs) -> None:
    """Check that rows are nonnegative integers of sum 2^64 that keep the bounds of the needed pairs, exactly."""
    if any(sum(row) != WORD or min(row) < 0 for row in weights):
        raise SordinoError("every row of weights must sum to 2^64")
    rows = [np.array(row, dtype=object) for row in weights]
    # Times a rational below e^bound, for each row and bound: where that suffices, no logarithm is taken.
    least = cache(_below_exponential)
    scaled = cache(lambda value, factor: rows[value] * factor)
    for x, other in needed:
        bound = bounds[x][other] or Nats.of(0)
        factor = least(bound)
        if (scaled(x, factor.denominator) <= scaled(other, factor.numerator)).all():
            continue
        heavy, light = largest_quotient(weights[x], weights[other])
        # The largest of the ratios decides; beside a weight of zero it is infinite.
        if light == 0 or (bound + Nats.log(Fraction(light, heavy))).sign() < 0:
            raise SordinoError("weights must keep every bound", found=f"a broken one from value {x} to {other}")


def _below_exponential(bound: Nats) -> Fraction:
    """A rational at most e^bound, and nearly that; e^bound itself where that is rational."""
    return exponential(min(bound.rational, Fraction(BEYOND_WORDS)), EXPONENTIAL_DIGITS)[0] * bound.ratio


class _Partner:
    """The least weight that a bound allows beside a given one."""

    def __init__(self, bound: Nats) -> None:
        self.bound = bound
        self.bits = 64 + GUARD_BITS
        self.beyond = bound > BEYOND_WORDS
        self.low, self.high = (0, 0) if self.beyond else self._enclose(self.bits)

    def least(self, weight: int) -> int:
        """The least integer w with weight <= e^bound w, for a weight from 0 to 2^64."""
        if self.beyond:
            return min(weight, 1)
        low, high = -(-weight * self.low >> self.bits), -(-weight * self.high >> self.bits)
        bits = self.bits
        while low != high:
            # Never for ever: weight / e^bound is irrational, or e^bound is rational and decided without enclosures.
            if self.bound.rational == 0:
                return -(-weight * self.bound.ratio.denominator // self.bound.ratio.numerator)
            bits *= 2
            below, above = self._enclose(bits)
            low, high = -(-weight * below >> bits), -(-weight * above >> bits)
        return low

    def _enclose(self, bits: int) -> tuple[int, int]:
        """Integers around e^(-bound) 2^bits."""
        low, high = exponential(-self.bound.rational, bits // 3)
        return int(low / self.bound.ratio * 2**bits), int(high / self.bound.ratio * 2**bits) + 1


class _Partners:
    """For each value the others that it must leave a weight to, each with the least; equal bounds share one."""

    def __init__(self, bounds: BoundRows, needed: Pairs) -> None:
        made = {bound: _Partner(bound) for bound in {bounds[x][other] for x, other in needed} if bound is not None}
        self._partners: list[dict[int, _Partner]] = [{} for _ in bounds]
        # Beside no weight at all, of pairs that are not looked at.
        self._floor = np.full((len(bounds), len(bounds)), -np.inf)
        for x, other in needed:
            if (bound := bounds[x][other]) is not None:
                partner = made[bound]
                self._partners[x][other] = partner
                self._floor[x, other] = np.ldexp(float(partner.high), -partner.bits) * (1 + CLEARLY)

    def near(self, column: IntegerColumn) -> list[list[tuple[int, _Partner]]]:
        """Those beside which floats leave open whether weights are large enough."""
        weights = np.array(column, dtype=np.float64)
        # A unit for rounding up, and one for what floats cut off.
        open_still = (weights <= self._floor * np.maximum(weights, 1)[:, None] + 2) & (weights > 0)[:, None]
        found: list[list[tuple[int, _Partner]]] = [[] for _ in self._partners]
        for x, other in np.argwhere(open_still).tolist():
            found[x].append((other, self._partners[x][other]))
        return found


def needed_pairs(bounds: BoundRows) -> Pairs:
    """The protected pairs whose bounds no two others imply: those of all others follow.

    A pair is left out for two with smaller bounds only, so that each that is left out follows from pairs that are kept.
    """
    known: dict[Nats | None, float] = {None: np.inf}
    for row in bounds:
        known |= {bound: float(bound) for bound in row if bound is not None and bound not in known}
    amounts = np.array([[known[bound] for bound in row] for row in bounds])
    np.fill_diagonal(amounts, np.inf)
    needed = []
    implied = cache(_is_implied)
    for x, other in np.argwhere(np.isfinite(amounts)).tolist():
        # What floats tell nearly is decided exactly.
        middles = np.flatnonzero(amounts[x] + amounts[:, other] <= amounts[x, other] * (1 + NEARLY)).tolist()
        if not any(implied(bounds[x][other], bounds[x][middle], bounds[middle][other]) for middle in middles):
            needed.append((x, other))
    return needed


def _is_implied(bound: Nats | None, first: Nats | None, second: Nats | None) -> bool:
    """Whether two smaller bounds, one after the other, are at most this one."""
    if bound is None or first is None or second is None:
        return False
    return first < bound and second < bound and first + second <= bound


def _raise_column(column: IntegerColumn, partners: _Partners) -> IntegerColumn:
    """The least column above this one that keeps every bound."""
    raised = list(column)
    while True:
        before, near = list(raised), partners.near(raised)
        left = [(-weight, x) for x, weight in enumerate(raised) if near[x]]
        heapify(left)
        while left:
            weight, x = heappop(left)
            # One that was raised since stands there again.
            if -weight == raised[x]:
                for other, partner in near[x]:
                    least = partner.least(raised[x])
                    if least > raised[other]:
                        raised[other] = least
                        heappush(left, (-least, other))
        # What was raised may ask for more of others that were large enough before.
        if raised == before:
            return raised


def _add(rest: IntegerColumn, columns: list[IntegerColumn], bounds: BoundRows) -> None:
    for group in _groups(bounds):
        if any(rest[x] for x in group):
            best = max(columns, key=lambda column: min(column[x] for x in group))
            for x in group:
                best[x] += rest[x]


def _groups(bounds: BoundRows) -> list[list[int]]:
    left = set(range(len(bounds)))
    groups = []
    while left:
        group = [min(left)]
        for x in group:
            left.discard(x)
            for other in sorted(left):
                if bounds[x][other] is not None or bounds[other][x] is not None:
                    left.discard(other)
                    group.append(other)
        groups.append(group)
    return groups


def _merge(columns: list[IntegerColumn]) -> list[IntegerColumn]:
    """Columns without zeros, proportional ones added, heaviest on the first value first."""
    merged: dict[tuple[int, ...], IntegerColumn] = {}
    for column in columns:
        divisor = gcd(*column)
        if divisor:
            shape = tuple(entry // divisor for entry in column)
            merged[shape] = [a + b for a, b in zip(merged.get(shape, [0] * len(column)), column, strict=True)]
    return sorted(merged.values(), reverse=True)


def counting_channel(k: int, level: Nats, most_codes: int) -> OneCoin:
    """That of the least summed variance of the shares, among those with at most so many codes; of equal ones the first.

    Example:
        >>> counting_channel(20, Nats.of(2), 80).name
        'randomized'
    """
    counting = [one for one in inner_mechanisms(k, level) if one.counts_codes and one.outputs <= most_codes]
    return min(counting, key=lambda one: coarse_number(one.total_variance))
