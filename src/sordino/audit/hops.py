"""Certificates along the edges of a tree, of channels whose codes' weights are given from neighbour to neighbour.

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
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sordino.audit.classes import STEP, can_read_all
from sordino.audit.edges import NEARLY, SOME, TightEdge, largest_place, spread, wrong_sums
from sordino.definition.metric import MetricLDP
from sordino.definition.pairwise import require_size
from sordino.domain.tree import Tree, code_batches
from sordino.errors import SordinoError
from sordino.exact.nats import Nats
from sordino.exact.product import HALF, LOWER
from sordino.exact.source import Words
from sordino.mechanism.base import Hop, Mechanism


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
            raise SordinoError("hops must begin with each code's own value", found="another first value", step=STEP)
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
            rule = "hops must lead from neighbour to neighbour"
            raise SordinoError(rule, found="a hop between values that are no neighbours", step=STEP)
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
        self.own += (int((own >> HALF).sum()) << 32) + int((own & LOWER).sum())

    def add(self, crossings: _Crossings) -> None:
        place = crossings.lower + self.tree.k * (crossings.lower == crossings.second)
        before, after = crossings.before, crossings.after
        np.add.at(self.lost[0], place, (before >> HALF).astype(np.int64) - (after >> HALF).astype(np.int64))
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
