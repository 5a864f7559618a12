"""Certificates along edges: of channels that give all their weights, and of trees, neighbour by neighbour.

Quotients are told apart by floats where these are further apart than their roundings, else by products of 128 bits in
whole numbers. What is checked beside the bounds: every value's weights add up to the denominator, and the weights that
are given together are those that `weight` tells one by one, all of a small channel and some of a large one.
Cost: some operations a weight and edge; where few differ from their neighbours', `tightest_crossing` reads these.

Certificates along the edges of a tree, of channels whose codes' weights are given from neighbour to neighbour.

What hops do not list is, by definition, as likely as the neighbour before it: so they are a whole channel whatever
they list, and all of it is compared with the bounds, exactly. Every value's weights must add up to the denominator:
one value's own do, and those of two neighbours differ by what hops over their edge change, which must be as much in
both directions. And the channel must be the mechanism's: some codes, all of a small channel, are compared with the
weights that are given together and that samplers and evidence read, on all values, and with `weight` on some.
Some are enough for plans, whoever wrote them: a plan holds no weights of such a channel, only one factor for each
length of its edges, and hops and weights are worked out from these by one recurrence, the same for every code. So
comparing finds mistakes of a mechanism's code; a mechanism of somebody else's code is taken at its word beyond.
Cost: some operations for each weight that differs from the one before.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product
from math import inf, prod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sordino.audit.classes import STEP, can_read_all
from sordino.definition.metric import MetricLDP
from sordino.definition.pairwise import require_size
from sordino.domain.tree import Tree, code_batches
from sordino.errors import SordinoError
from sordino.exact.nats import Nats
from sordino.exact.source import Words
from sordino.exact.word_arithmetic import HALF_WORD, LOWER, full_product
from sordino.mechanism.base import Hop, Mechanism

AT_A_TIME = 1 << 23
"""Weights that are asked for together: a mechanism may walk through all its values for each time."""

COMPARED = 1 << 18
"""Weights that are compared together: some arrays of this length are made, and stay near the processor."""

NEARLY = 1 - 1e-12
"""Quotients of floats that are closer than this are compared as whole numbers."""

SOME = 8
"""Codes of a large channel, two at least of those that are asked for together, and values of each, whose weights are
read one by one, beside each code's own neighbourhood."""


@dataclass(frozen=True)
class TightEdge:
    """Where the least is left of an edge's bound.

    Attributes:
        slack: what is left, exactly; minus infinity where the second value cannot cause the output.
        code, value, other: the output favours the value over its neighbour.
        heavy, light: their weights.
    """

    slack: Nats
    code: int
    value: int
    other: int
    heavy: int
    light: int


def tightest_edge(mechanism: Mechanism, definition: MetricLDP) -> TightEdge | None:
    """Where a channel is tightest among all edges and codes; None where there are no edges."""
    require_size(mechanism.k, definition.k)
    heaviest: dict[int, TightEdge] = {}
    totals = np.zeros((2, mechanism.k), dtype=np.uint64)
    step = max(1, AT_A_TIME // mechanism.k)
    for first in range(0, mechanism.outputs, step):
        codes = np.arange(first, min(first + step, mechanism.outputs))
        weights = _weights(mechanism, codes)
        some = max(1, COMPARED // mechanism.k)
        for at in range(0, len(codes), some):
            part = np.ascontiguousarray(weights[:, at : at + some])
            # In halves, whose sums over at most 2^32 codes stay below 2^64.
            totals[0] += (part >> HALF_WORD).sum(axis=1, dtype=np.uint64)
            totals[1] += (part & LOWER).sum(axis=1, dtype=np.uint64)
            for bound, found in _tightest_of(part, definition, codes[at : at + some]):
                known = heaviest.get(bound)
                if known is None or found.heavy * known.light > known.heavy * found.light:
                    heaviest[bound] = found
    sums = {(upper << 32) + lower for upper, lower in zip(*totals.tolist(), strict=True)}
    if sums != {mechanism.denominator}:
        raise wrong_sums()
    return min(heaviest.values(), key=lambda found: found.slack, default=None)


def wrong_sums() -> SordinoError:
    rule = "the weights of every value's outputs must add up to the denominator"
    return SordinoError(rule, found="a sum that differs from it", step=STEP)


def check_product(mechanism: Mechanism) -> None:
    """Refuse a product of channels whose weights are not the products of its parts', as far as these are read."""
    parts = mechanism.parts
    whole = (prod(part.k for part in parts), prod(part.outputs for part in parts), prod(p.denominator for p in parts))
    wrong = (mechanism.k, mechanism.outputs, mechanism.denominator) != whole
    read = 2 if len(parts) > 2 else 4
    for values in product(*(spread(part.k, read) for part in parts)):
        for codes in product(*(spread(part.outputs, read) for part in parts)):
            value = code = 0
            for part, own, digit in zip(parts, values, codes, strict=True):
                value, code = value * part.k + own, code * part.outputs + digit
            weights = (part.weight(own, digit) for part, own, digit in zip(parts, values, codes, strict=True))
            wrong = wrong or mechanism.weight(value, code) != prod(weights)
    if wrong:
        raise SordinoError(
            "a product's weights must be the products of its parts'", found="a weight that is not", step=STEP
        )


def _weights(mechanism: Mechanism, codes: NDArray[np.intp]) -> Words:
    """The weights of some codes, some of them beside `weight`."""
    weights = mechanism.weights_on(codes)
    if weights is None or weights.shape != (mechanism.k, len(codes)) or weights.dtype != np.uint64:
        found = "no array" if weights is None else f"an array of {weights.dtype}, shape {weights.shape}"
        raise SordinoError("weights must be given for every value and code, as words", found=found, step=STEP)
    every = can_read_all(mechanism)
    places = range(len(codes)) if every else spread(len(codes), max(2, SOME * len(codes) // mechanism.outputs))
    for place in places:
        code = int(codes[place])
        near = {min(max(code + step, 0), mechanism.k - 1) for step in (-1, 0, 1)}
        for value in range(mechanism.k) if every else {*near, *spread(mechanism.k, SOME)}:
            if mechanism.weight(value, code) != int(weights[value, place]):
                rule = "weights that are given together must be those of `weight`"
                raise SordinoError(rule, found=f"a difference at code {code}", step=STEP)
    return weights


def spread(count: int, some: int) -> list[int]:
    """Some of so many places, the first and the last among them."""
    return sorted({*np.linspace(0, count - 1, some).astype(int).tolist()})


def _tightest_of(weights: Words, definition: MetricLDP, codes: NDArray[np.intp]) -> list[tuple[int, TightEdge]]:
    """Of each bound the edge and the code with the largest quotient of weights."""
    first, second, place = definition.edges
    heavy = np.maximum(weights[first], weights[second])
    light = np.minimum(weights[first], weights[second])
    with np.errstate(divide="ignore", invalid="ignore"):
        quotient = heavy.astype(np.float64) / light
    # A code that neither value sends favours none: it is not among the tightest, where no other would exceed it.
    quotient[heavy == 0] = 0.0
    largest = np.zeros(len(definition.bounds))
    np.maximum.at(largest, place, quotient.max(axis=1, initial=1.0))
    edges, at = np.nonzero(quotient >= (largest * NEARLY)[place][:, None])
    order = np.argsort(place[edges], kind="stable")
    edges, at = edges[order], at[order]
    if not len(edges):
        return []
    kinds, starts = np.unique(place[edges], return_index=True)
    found = []
    for kind, own, codes_at in zip(kinds.tolist(), np.split(edges, starts[1:]), np.split(at, starts[1:]), strict=True):
        chosen = largest_place(heavy[own, codes_at], light[own, codes_at])
        edge, code = int(own[chosen]), int(codes_at[chosen])
        ends = (int(first[edge]), int(second[edge]))
        value, other = ends if weights[ends[0], code] >= weights[ends[1], code] else ends[::-1]
        most, least = int(weights[value, code]), int(weights[other, code])
        slack = definition.bounds[kind] + Nats.log(Fraction(least, most))
        found.append((kind, TightEdge(slack, int(codes[code]), value, other, most, least)))
    return found


def largest_place(heavy: Words, light: Words) -> int:
    """Where the largest quotient is, exactly; by zero it is larger than any other."""
    best = int(np.argmax(light == 0))
    if light[best] == 0:
        return best
    best = 0
    while True:
        # Those above the best so far, by products of 128 bits; of them the one that is furthest above.
        upper, lower = full_product(heavy, light[best])
        other_upper, other_lower = full_product(light, heavy[best])
        above = (upper > other_upper) | ((upper == other_upper) & (lower > other_lower))
        if not above.any():
            return best
        borrow = (lower < other_lower).astype(np.uint64)
        gap = (upper - other_upper - borrow).astype(np.float64) * 2.0**64 + (lower - other_lower)
        best = int(np.argmax(np.where(above, gap / light, -inf)))


class _Crossings(NamedTuple):
    """Codes' weights at both ends of edges, shape (n,) each; the first end lies towards the code's own value.

    `lower` is the end that is below the other.
    """

    codes: NDArray[np.intp]
    first: NDArray[np.intp]
    second: NDArray[np.intp]
    lower: NDArray[np.intp]
    before: Words
    after: Words


def tightest_crossing(mechanism: Mechanism, definition: MetricLDP) -> TightEdge | None:
    """Where a channel along the definition's one tree is tightest among all edges and codes; None without edges."""
    require_size(mechanism.k, definition.k)
    (axis,) = definition.axes
    if mechanism.outputs != axis.k:
        raise SordinoError("a code of a tree must be a value", found=f"{mechanism.outputs} codes", step=STEP)
    sums, tightest = _CrossingSums(axis.tree), _TightestCrossing(definition)
    every = can_read_all(mechanism)
    looked_at = np.arange(axis.k) if every else np.array(spread(axis.k, SOME))
    listed: dict[int, dict[int, int]] = {code: {} for code in looked_at.tolist()}
    chosen = np.zeros(axis.k, dtype=np.bool_)
    chosen[looked_at] = True
    for codes in code_batches(axis.tree):
        hops = mechanism.hops_from(axis.tree, codes)
        own = None if hops is None else next(hops, None)
        if hops is None or own is None or not _is_own(own, codes):
            raise SordinoError("hops must begin with each code's own value", found="a different first value", step=STEP)
        sums.begin(own.weights)
        _list(listed, codes[chosen[codes]], codes[chosen[codes]], own.weights[chosen[codes]])
        for crossings in _crossings(hops, own, axis.tree):
            sums.add(crossings)
            tightest.add(crossings)
            here = np.flatnonzero(chosen[crossings.codes])
            _list(listed, crossings.codes[here], crossings.second[here], crossings.after[here])
    sums.check(mechanism.denominator)
    _check_weights(mechanism, axis.tree, listed, every=every)
    return tightest.tightest_edge


def _is_own(own: Hop, codes: NDArray[np.intp]) -> bool:
    return np.array_equal(own.values, codes) and own.weights.shape == codes.shape and own.weights.dtype == np.uint64


def _list(listed: dict[int, dict[int, int]], codes: NDArray[np.intp], values: NDArray[np.intp], weights: Words) -> None:
    for code, value, weight in zip(codes.tolist(), values.tolist(), weights.tolist(), strict=True):
        listed[code][value] = weight


def _crossings(hops: Iterator[Hop], own: Hop, tree: Tree) -> Iterator[_Crossings]:
    """All hops from the codes' own values on, none of which goes back, and none twice."""
    codes, last, towards = own.values, own, np.full(len(own.values), -1)
    degree = np.bincount(tree.below, minlength=tree.k) + np.bincount(tree.parents[tree.below], minlength=tree.k)
    needed = int(degree[codes].sum())
    for hop in hops:
        if not needed <= len(hop.values) or not _leads_on(hop, last, tree, towards):
            raise SordinoError(
                "hops must lead from neighbour to neighbour",
                found="a hop between values that are not neighbours",
                step=STEP,
            )
        if not len(hop.values):
            return
        codes, first, needed = codes[hop.before], last.values[hop.before], 0
        lower = np.where(tree.parents[hop.values] == first, hop.values, first)
        yield _Crossings(codes, first, hop.values, lower, last.weights[hop.before], hop.weights)
        last, towards = hop, first
    if needed:
        raise SordinoError(
            "hops must reach all neighbours of a code's own value", found=f"{needed} that are not reached", step=STEP
        )


def _leads_on(hop: Hop, last: Hop, tree: Tree, towards: NDArray[np.intp]) -> bool:
    """Whether each of a hop's values is another neighbour of one of the hop before, away from the code's own value."""
    before, values, weights = hop
    if not values.shape == before.shape == weights.shape == (len(values),) or weights.dtype != np.uint64:
        return False
    if not len(values):
        return True
    if min(values.min(), before.min()) < 0 or values.max() >= tree.k or before.max() >= len(last.values):
        return False
    first = last.values[before]
    are_edges = (first != values) & ((tree.parents[values] == first) | (tree.parents[first] == values))
    ascend = np.diff(before * tree.k + values) > 0
    return bool(are_edges.all() and ascend.all() and (values != towards[before]).all())


@dataclass
class _CrossingSums:
    """What codes weigh together: on their own values, and by how much less after each edge, up and down.

    In halves of 32 bits, whose sums over at most 2^31 codes stay exact.
    """

    tree: Tree
    own: int = 0
    lost: NDArray[np.int64] = field(init=False)

    def __post_init__(self) -> None:
        self.lost = np.zeros((2, 2 * self.tree.k), dtype=np.int64)

    def begin(self, own: Words) -> None:
        self.own += (int((own >> HALF_WORD).sum()) << 32) + int((own & LOWER).sum())

    def add(self, crossings: _Crossings) -> None:
        place = crossings.lower + self.tree.k * (crossings.lower == crossings.second)
        before, after = crossings.before, crossings.after
        np.add.at(self.lost[0], place, (before >> HALF_WORD).astype(np.int64) - (after >> HALF_WORD).astype(np.int64))
        np.add.at(self.lost[1], place, (before & LOWER).astype(np.int64) - (after & LOWER).astype(np.int64))

    def check(self, denominator: int) -> None:
        lost = [(upper << 32) + lower for upper, lower in zip(*self.lost.tolist(), strict=True)]
        up, down = lost[: self.tree.k], lost[self.tree.k :]
        if up != down or self.own - sum(up) != denominator:
            raise wrong_sums()


@dataclass
class _TightestCrossing:
    """Of each bound the crossing with the largest quotient of weights so far: heavy, light, code, value and other."""

    definition: MetricLDP
    known: dict[int, tuple[int, int, int, int, int]] = field(default_factory=dict)

    def add(self, crossings: _Crossings) -> None:
        heavy = np.maximum(crossings.before, crossings.after)
        light = np.minimum(crossings.before, crossings.after)
        (axis,) = self.definition.axes
        kind = axis.kind[crossings.lower]
        with np.errstate(divide="ignore", invalid="ignore"):
            quotient = heavy.astype(np.float64) / light
        # A code that neither value sends favours none.
        quotient[heavy == 0] = 0.0
        largest = np.array([self._largest_so_far(place) for place in range(len(axis.bounds))])
        np.maximum.at(largest, kind, quotient)
        near = np.flatnonzero(quotient >= (largest * NEARLY)[kind])
        for own in np.unique(kind[near]).tolist():
            some = near[kind[near] == own]
            at = some[largest_place(heavy[some], light[some])]
            most, least = int(heavy[at]), int(light[at])
            known = self.known.get(own)
            if known is None or most * known[1] > known[0] * least:
                ends = (int(crossings.first[at]), int(crossings.second[at]))
                value, other = ends if crossings.before[at] >= crossings.after[at] else ends[::-1]
                self.known[own] = (most, least, int(crossings.codes[at]), value, other)

    def _largest_so_far(self, kind: int) -> float:
        heavy, light = self.known.get(kind, (1, 1))[:2]
        return float(np.float64(heavy) / np.float64(light)) if light else np.inf

    @property
    def tightest_edge(self) -> TightEdge | None:
        edges = (
            TightEdge(self.definition.bounds[kind] + Nats.log(Fraction(light, heavy)), code, value, other, heavy, light)
            for kind, (heavy, light, code, value, other) in self.known.items()
        )
        return min(edges, key=lambda edge: edge.slack, default=None)


def _check_weights(mechanism: Mechanism, tree: Tree, listed: dict[int, dict[int, int]], *, every: bool) -> None:
    """Compare some codes with the weights that are given together, and with `weight`."""
    codes = np.array(list(listed))
    together = mechanism.weights_on(codes)
    for place, (code, weights) in enumerate(listed.items()):
        column = _column(tree, code, weights)
        near = {min(max(code + step, 0), tree.k - 1) for step in (-1, 0, 1)}
        values = range(tree.k) if every else {*near, *spread(tree.k, SOME)}
        alone = all(mechanism.weight(value, code) == column[value] for value in values)
        if not alone or (together is not None and together[:, place].tolist() != column):
            rule = "weights that are given from neighbour to neighbour must be those of `weight`"
            raise SordinoError(rule, found=f"a difference at code {code}", step=STEP)


def _column(tree: Tree, code: int, listed: dict[int, int]) -> list[int]:
    """A code's weights on all values: what is not listed is as the neighbour towards the code's own value."""
    weights = [-1] * tree.k
    parents = tree.parents.tolist()
    weights[code] = listed[code]
    while parents[code] != code:
        weights[parents[code]] = listed.get(parents[code], weights[code])
        code = parents[code]
    for value in tree.below.tolist():
        if weights[value] < 0:
            weights[value] = listed.get(value, weights[parents[value]])
    return weights
