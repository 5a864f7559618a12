"""The truncated geometric channel of a line or a tree: a code falls off from its value as steeply as each edge allows.

Guarantee: the bound of every edge, exactly, hence of every two values. The weights of code y start at y with D_y and
go outward: over an edge with the bound c a weight w becomes ceil(w f / 2^64), where f is the least whole number with
2^64 / f <= e^c; so w over its successor never exceeds e^c, and no weight falls below 1. On its own value a code has
what the row leaves of 2^64. D_y is the share that makes all bounds tight, with a = f / 2^64,

    c_y = 1 - sum over edges at y of a / (1 + a),

rounded up (and at most 2^64 - 1). Weights that are rounded up leave the value's own at most D_y, as its neighbours'
weights allow. On a tree where many short edges meet c_y is below 0, and there is no such channel.

Estimates are those of the ideal channel with these a (`TreeMaps`). A weight is at most r = min(depth, 1 / (1 - a))
above the ideal one, so that a row differs by at most 2 k r 2^-64 in all, and a share's estimate is biased by at most
that times the largest thing that a code adds to it: some 1e-14 on a line of 10,000 values in steps of half a nat.
Cost: two words a value; k for estimates, k^2 vectorized steps to look at all weights and fewer by `TreeHops`.
Memory: some megabytes at a time.
Source: Ghosh, Roughgarden and Sundararajan 2012 (universally optimal mechanisms); on trees by conditional independence.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from hashlib import sha256
from itertools import chain
from math import ceil
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from sordino.definition.metric import MetricLDP
from sordino.definition.metric_tree import MetricTree
from sordino.domain.tree import Tree
from sordino.errors import SordinoError
from sordino.evidence.finite import ColumnClass, FiniteEvidence, ValueClass
from sordino.exact.coin import WORD, least_weight
from sordino.exact.entries import Entries
from sordino.exact.messages.arguments import checked, checked_class
from sordino.exact.messages.brief import Brief, shown
from sordino.exact.product import fraction_above
from sordino.exact.source import Stream, Words
from sordino.mechanism.base import Hop, Mechanism, Squares
from sordino.mechanism.channel import CHUNK
from sordino.mechanism.draws.spelled_list import spelled_list
from sordino.mechanism.metric.hops import TreeHops
from sordino.mechanism.metric.tree_maps import TreeMaps

LEAST_OWN = Fraction(1, 1 << 12)
"""A value's share of its own code at least: less tells nothing, and would be of the size of roundings."""

LARGEST_CHANNEL = 10_000
"""Values at most: who draws from a channel looks at all pairs of them, some seconds long."""

AT_A_TIME = 1 << 23
"""Weights that are looked at together: 32 MB, and some times that while they are made."""

KEPT = 1 << 22
"""Weights of a channel at most whose sums are kept for drawing."""


@checked_class
@dataclass(frozen=True, init=False, repr=False)
class TreeResponse(Brief, Mechanism):
    """The truncated geometric channel along the edges of a tree; a code is a value.

    Attributes:
        tree: the values.
        kind: shape (k,), which factor the edge from each value to its parent has; the root's is 0.
        factors: f of each kind of edge, in 1..2^64 - 1.

    Example:
        >>> TreeResponse(MetricLDP.line(3, "ln 2")).probabilities().round(4).tolist()
        [[0.6667, 0.1667, 0.1667], [0.3333, 0.3333, 0.3333], [0.1667, 0.1667, 0.6667]]
    """

    name: ClassVar[str] = "tree"

    tree: Tree
    kind: NDArray[np.intp]
    factors: tuple[int, ...]

    def __init__(self, metric: MetricLDP) -> None:
        axis = one_axis(metric)
        self._fill(axis.tree, axis.kind, tuple(least_weight(bound, WORD) for bound in axis.bounds))

    @classmethod
    @checked
    def from_factors(cls, metric: MetricLDP, factors: tuple[int, ...]) -> Self:
        """The channel of a frozen plan, with its own integers on the edges of a metric; certify tells what it keeps."""
        mechanism, axis = cls.__new__(cls), one_axis(metric)
        if len(factors) != len(axis.bounds):
            rule = f"a channel of a tree must have a factor for each of {len(axis.bounds)} lengths"
            raise SordinoError(rule, found=shown(len(factors)))
        mechanism._fill(axis.tree, axis.kind, factors)
        return mechanism

    def _fill(self, tree: Tree, kind: NDArray[np.intp], factors: tuple[int, ...]) -> None:
        if tree.k < 2:
            step = "ask nothing, or use RandomizedResponse(1, epsilon)"
            raise SordinoError("a channel of a tree must be about two values or more", found="1", step=step)
        if tree.k > LARGEST_CHANNEL:
            step = "merge neighbours, or ask by a channel that keeps the least bound"
            raise SordinoError(
                f"a channel of a tree must be about at most {LARGEST_CHANNEL} values", found=shown(tree.k), step=step
            )
        if not all(0 < factor < WORD for factor in factors):
            rule = "each step of a tree must be told, with a factor in 1..2^64 - 1"
            raise SordinoError(rule, found="a bound that 64 bits cannot tell from 0", step="raise the bounds")
        for name, value in (("k", tree.k), ("tree", tree), ("kind", kind), ("factors", factors)):
            object.__setattr__(self, name, value)
        if min(self._shares) < LEAST_OWN:
            raise SordinoError(
                "tight bounds must leave each value a code of its own",
                found="a value with too many or too close neighbours for that",
                step="raise the bounds, or ask by a channel that keeps the least of them",
            )

    @property
    def record(self) -> dict[str, Any]:
        return {"factors": list(map(str, self.factors))}

    @classmethod
    @checked
    def from_record(cls, entries: Entries, promise: object = None) -> Self:
        if not isinstance(promise, MetricLDP):
            raise SordinoError("a channel of a tree needs a promise by distances", found=type(promise).__name__)
        return cls.from_factors(promise, entries.integers("factors"))

    @property
    def draw(self) -> Any:
        edges = map(spelled_list, self._edges_from_first)
        return ["+", ["pick", ["outward", *edges, "factors", "v"]], ["drop"]]

    @property
    def parameters(self) -> str:
        edges = sha256(np.stack((self.tree.parents, self.kind)).astype("<i8").tobytes()).hexdigest()
        return f"tree edges={edges} factors={','.join(map(str, self.factors))}"

    @property
    def outputs(self) -> int:
        return self.k

    @property
    def denominator(self) -> int:
        return WORD

    @property
    def informative(self) -> bool:
        return True

    @cached_property
    def excess(self) -> NDArray[np.float64]:
        """Nothing: the estimates of all values add up to 1."""
        return np.zeros(self.k)

    @property
    def _edges_from_first(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Each value's parent and kind of edge, shape (k,) each, if value 0 is the root: a line is then in order."""
        parents, kinds, value = self.tree.parents.copy(), self.kind.copy(), 0
        before, kind = 0, 0
        while True:
            after, own = int(parents[value]), int(kinds[value])
            parents[value], kinds[value] = before, kind
            if after == value:
                return parents, kinds
            before, kind, value = value, own, after

    @cached_property
    def _shares(self) -> list[Fraction]:
        """Each value's c_y, exactly."""
        around: list[list[int]] = [[] for _ in range(self.k)]
        for value in self.tree.below.tolist():
            for end in (value, int(self.tree.parents[value])):
                around[end].append(int(self.kind[value]))
        passed = [Fraction(factor, WORD + factor) for factor in self.factors]
        known: dict[tuple[int, ...], Fraction] = {}
        for kinds in around:
            key = tuple(sorted(kinds))
            if key not in known:
                known[key] = 1 - sum((passed[kind] for kind in key), Fraction(0))
        return [known[tuple(sorted(kinds))] for kinds in around]

    @cached_property
    def _starts(self) -> Words:
        """D_y, shape (k,)."""
        # Other codes have 1 at least each, so no value has all of 2^64 for its own.
        return np.array([min(ceil(WORD * share), WORD - 1) for share in self._shares], dtype=np.uint64)

    @cached_property
    def _factors(self) -> Words:
        """The factor of the edge above each value, shape (k, 1)."""
        return np.array(self.factors, dtype=np.uint64)[self.kind, None]

    @cached_property
    def _own(self) -> Words:
        """The weight of each value's own code, shape (k,): what the others leave of 2^64."""
        # Modulo 2^64, which the sum of the others never reaches.
        return self._starts - self._hops.sums(self._starts)

    @cached_property
    def _hops(self) -> TreeHops:
        return TreeHops(self.tree, self._factors[:, 0])

    @property
    def _batches(self) -> Iterator[NDArray[np.intp]]:
        step = max(1, AT_A_TIME // self.k)
        return (np.arange(first, min(first + step, self.k)) for first in range(0, self.k, step))

    def _spread(self, codes: NDArray[np.intp]) -> Words:
        """The weights of some codes, shape (k, codes), with D_y on each code's own value.

        First up to the root, level by level; then down to all that was not on the way up and so still weighs nothing.
        """
        weights = np.zeros((self.k, len(codes)), dtype=np.uint64)
        weights[codes, np.arange(len(codes))] = self._starts[codes]
        parents = self.tree.parents
        for level in reversed(self.tree.levels):
            # Values of one parent pass on different codes.
            passed, above = self._passed_on(weights[level], level), parents[level]
            if len(above) > 1 and self._share_parents[self.tree.depth[level[0]]]:
                np.add.at(weights, above, passed)
            else:
                weights[above] += passed
        for level in self.tree.levels:
            known = weights[level]
            weights[level] = known + (known == 0) * self._passed_on(weights[parents[level]], level)
        return weights

    @cached_property
    def _share_parents(self) -> list[bool]:
        """Whether some values of each depth have one parent."""
        return [False, *(len(np.unique(self.tree.parents[level])) < len(level) for level in self.tree.levels)]

    def _passed_on(self, weights: Words, values: NDArray[np.intp]) -> Words:
        """What weights at one end of the edges above some values become at the other; the least stay as they are."""
        if weights.max(initial=0) <= self._still[values].min():
            return weights
        return fraction_above(weights, self._factors[values])

    @cached_property
    def _still(self) -> Words:
        """The largest weight that the edge above each value leaves as it is, shape (k,): w with w (2^64 - f) < 2^64."""
        return np.array([(WORD - 1) // (WORD - factor) for factor in self.factors], dtype=np.uint64)[self.kind]

    def weights_on(self, codes: NDArray[np.intp]) -> Words:
        weights = self._spread(codes)
        weights[codes, np.arange(len(codes))] = self._own[codes]
        return weights

    def hops_from(self, tree: Tree, codes: NDArray[np.intp]) -> Iterator[Hop] | None:
        if tree != self.tree:
            return None
        hops = self._hops.walk(codes, self._starts[codes])
        # The own weight is what the others leave; they follow from D_y.
        return chain([next(hops)._replace(weights=self._own[codes])], hops)

    def weight(self, value: int, code: int) -> int:
        if value == code:
            return int(self._own[value])
        weight = int(self._starts[code])
        for lower in self.tree.path_between(code, value):
            weight = -(-weight * self.factors[self.kind[lower]] // WORD)
        return weight

    def marks(self, codes: Words) -> tuple[tuple[int, ...], NDArray[np.integer]]:
        weights, place = np.unique(self.weights_on(codes.astype(np.intp)), return_inverse=True)
        return tuple(weights.tolist()), place.reshape(self.k, len(codes)).T

    def columns(self) -> Iterator[ColumnClass]:
        for codes in self._batches:
            for code, column in zip(codes.tolist(), self.weights_on(codes).T, strict=True):
                order = np.argsort(column, kind="stable")
                weights, first = np.unique(column[order], return_index=True)
                groups = zip(weights.tolist(), np.split(order, first[1:]), strict=True)
                yield ColumnClass(self.k, 1, code, tuple(ValueClass(own, ((weight, 1),)) for weight, own in groups))

    def probabilities(self) -> NDArray[np.float64]:
        return self.weights_on(np.arange(self.k)) / float(WORD)

    def evidence(self, code: int) -> FiniteEvidence:
        return FiniteEvidence.of_weights(self.weights_on(np.array([code]))[:, 0].tolist(), WORD)

    @cached_property
    def _maps(self) -> TreeMaps:
        inner = self.tree.parents != np.arange(self.k)
        factor = np.array([factor / WORD for factor in self.factors])[self.kind]
        left = np.array([(WORD - factor) / WORD for factor in self.factors])[self.kind]
        own = np.array([float(share) for share in self._shares])
        return TreeMaps(self.tree, np.where(inner, factor, 0.0), np.where(inner, left * (1 + factor), 1.0), own)

    def forward(self, p: NDArray[np.float64]) -> NDArray[np.float64]:
        return self._maps.ways(p) * self._maps.own

    def adjoint(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        return self._maps.ways(weights * self._maps.own)

    def decode(self, law: NDArray[np.float64]) -> NDArray[np.float64]:
        """The inverse of the channel: each value's code less some of its neighbours'."""
        return self._maps.inverse(law / self._maps.own)

    def decode_powers(self, law: NDArray[np.float64], power: int) -> NDArray[np.float64]:
        return self._maps.inverse_powers(law / self._maps.own**power, power)

    def code_values(self, functional: NDArray[np.float64]) -> NDArray[np.float64]:
        return self._maps.inverse(functional) / self._maps.own

    @property
    def contribution_range(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        return self._maps.contribution_range

    @property
    def squares(self) -> Squares:
        return self._maps.squares

    @property
    def _chunk(self) -> int:
        # The weights of a large channel are made once for many people.
        return CHUNK if self.k**2 <= KEPT else 1 << 20

    @cached_property
    def _sums(self) -> Words:
        """The weights of all codes up to each, but of the last, added up in each row; of a channel of few values."""
        return np.cumsum(self.weights_on(np.arange(self.k)), axis=1, dtype=np.uint64)[:, :-1].copy()

    def _sample(self, values: NDArray[np.intp], stream: Stream) -> Words:
        word = stream.next()
        stream.next()
        if self.k**2 <= KEPT:
            return _count_passed(self._sums, values, word).astype(np.uint64)
        code = np.zeros(len(values), dtype=np.intp)
        before = np.zeros(self.k, dtype=np.uint64)
        for codes in self._batches:
            sums = before[:, None] + np.cumsum(self.weights_on(codes), axis=1, dtype=np.uint64)
            before = sums[:, -1].copy()
            # The last code of all ends at 2^64, which no word passes.
            code += _count_passed(sums[:, :-1] if codes[-1] == self.k - 1 else sums, values, word)
        return code.view(np.uint64)


def _count_passed(sums: Words, rows: NDArray[np.intp], words: Words) -> NDArray[np.intp]:
    """How many ascending numbers of its row each word has reached: by halves, in as many steps for all."""
    length = sums.shape[1]
    flat, first = np.ascontiguousarray(sums).ravel(), rows * length
    passed = np.zeros(len(rows), dtype=np.intp)
    step = 1 << length.bit_length()
    while step > 1:
        step //= 2
        at = passed + (step - 1)
        passed += step * ((at < length) & (flat.take(first + np.minimum(at, length - 1)) <= words))
    return passed


def one_axis(metric: MetricLDP) -> MetricTree:
    """The tree of a metric that is no product."""
    if len(metric.axes) != 1:
        step = "use ProductResponse, a channel for each axis"
        raise SordinoError("a channel of a tree must be about one axis", found=shown(len(metric.axes)), step=step)
    return metric.axes[0]
