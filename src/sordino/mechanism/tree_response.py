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

Weights of a tree's codes, from neighbour to neighbour: all that differ from those before them, and no others.

A code's weights change on the way from its own value outward until no edge changes them; beyond, all are alike. So a
channel of many values is told by some steps around each code, of all codes together.
Cost: some vectorized operations a step, and a word and two numbers for each weight of it.

The channel of a tree as linear maps in floats, each in time and memory proportional to the number of values.

With e^-c of each edge as its factor a, M[x, y] the product of the factors on the way from x to y and c_y the share of
the value's own code, the channel is W = M diag(c). M is the covariance of a random walk that forgets along edges, so
M = T D T', where T sums from each value up to the root and D is 1 at the root and 1 - a^2 elsewhere; and its inverse
has entries on edges only:

    (M^-1)[x, x] = 1 + sum over edges at x of a^2 / (1 - a^2),      (M^-1)[x, z] = -a / (1 - a^2) for neighbours.

So the unbiased estimate of x reads the code of x and those of its neighbours. Channels of integers differ from this by
their roundings: `TreeResponse` says by how much.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from hashlib import sha256
from itertools import chain
from math import ceil
from typing import Any, ClassVar, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sordino.definition.metric import MetricLDP
from sordino.definition.metric_tree import MetricTree
from sordino.domain.tree import Tree, code_batches
from sordino.errors import SordinoError
from sordino.evidence.finite import ColumnClass, FiniteEvidence, ValueClass
from sordino.exact.coin import WORD, least_weight
from sordino.exact.entries import Entries
from sordino.exact.messages import Brief, checked, checked_class, shown
from sordino.exact.source import Stream, Words
from sordino.exact.word_arithmetic import fraction_above
from sordino.mechanism.base import Hop, Mechanism, Squares
from sordino.mechanism.channel import CHUNK
from sordino.mechanism.draws.spelled_list import spelled_list

LEAST_OWN = Fraction(1, 1 << 12)
"""A value's share of its own code at least: less tells nothing, and would be of the size of roundings."""

LARGEST_CHANNEL = 10_000
"""Largest number of values: who draws from a channel looks at all pairs of them, some seconds long."""

AT_A_TIME = 1 << 23
"""Weights that are looked at together: 32 MB, and some times that while they are made."""

KEPT = 1 << 22
"""Largest number of weights of a channel whose sums are kept for drawing."""

Floats: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class TreeMaps:
    """What estimates from the channel of a tree are made of.

    Attributes:
        factor: shape (k,), a of the edge from each value to its parent, in (0, 1); the root's is 0.
        loss: shape (k,), 1 - a^2 of the same edges; the root's is 1.
        own: shape (k,), c_y > 0.
    """

    tree: Tree
    factor: Floats
    loss: Floats
    own: Floats

    def ways(self, amounts: Floats) -> Floats:
        """M times amounts of shape (..., k): all terms have one sign, so nothing cancels."""
        columns = amounts.reshape(-1, self.tree.k).T
        for jump in reversed(self._jumps):
            columns = columns + jump.T @ columns
        columns = columns * self.loss[:, None]
        for jump in self._jumps:
            columns = columns + jump @ columns
        return np.ascontiguousarray(columns.T).reshape(amounts.shape)

    def inverse(self, amounts: Floats) -> Floats:
        """The inverse of M times amounts of shape (..., k)."""
        return self._apply(self._inverse, amounts)

    def inverse_powers(self, amounts: Floats, power: int) -> Floats:
        """The same with each entry to a whole power above 0."""
        return self._apply(self._inverse.power(power), amounts)

    @cached_property
    def contribution_range(self) -> tuple[Floats, Floats]:
        """The least and the largest that a code adds to the estimate of each value, shape (k,) each."""
        least = np.zeros(self.tree.k)
        value, code, entry = self._neighbours
        np.minimum.at(least, value, entry / self.own[code])
        return least, self._diagonal / self.own

    @cached_property
    def squares(self) -> Squares:
        """The mean square of what a report adds to the estimate of x, over reports of x and of any other value.

        Reports of a value behind the neighbour z of x hit x and all its neighbours less often than those of z, by the
        product of the factors on the way to z: so the neighbours have the most, and the values furthest behind one of
        them the least.
        """
        value, code, entry = self._neighbours
        edge = np.concatenate((self.factor[self.tree.below], self.factor[self.tree.below]))
        hit = entry**2 / self.own[code]
        own = self._diagonal**2 / self.own
        np.add.at(own, value, edge * hit)
        near = edge * (own[value] - edge * hit) + hit
        least, most = np.full(self.tree.k, np.inf), np.zeros(self.tree.k)
        np.minimum.at(least, value, near * self._furthest)
        np.maximum.at(most, value, near)
        return Squares(own, least, most)

    @cached_property
    def _furthest(self) -> Floats:
        """Of each neighbour pair, the least product of factors on a way that goes on from the second; 1 for none."""
        parents, factor = self.tree.parents.tolist(), self.factor.tolist()
        lower = self.tree.below.tolist()
        down, up = [1.0] * self.tree.k, [1.0] * self.tree.k
        # The least two products below each value, through different children.
        least = [(1.0, 1.0)] * self.tree.k
        for value in reversed(lower):
            parent, way = parents[value], factor[value] * down[value]
            least[parent] = (min(way, least[parent][0]), sorted((way, *least[parent]))[1])
            down[parent] = least[parent][0]
        for value in lower:
            parent = parents[value]
            beside = least[parent][1] if factor[value] * down[value] == least[parent][0] else least[parent][0]
            above = factor[parent] * up[parent] if parents[parent] != parent else 1.0
            up[value] = min(1.0, beside, above)
        return np.array([*(up[value] for value in lower), *(down[value] for value in lower)])

    @cached_property
    def _neighbours(self) -> tuple[NDArray[np.intp], NDArray[np.intp], Floats]:
        """Each value below its parent and the other way round, and their entry of the inverse."""
        lower = self.tree.below
        upper = self.tree.parents[lower]
        entry = -self.factor[lower] / self.loss[lower]
        return np.concatenate((lower, upper)), np.concatenate((upper, lower)), np.concatenate((entry, entry))

    @cached_property
    def _diagonal(self) -> Floats:
        lower, diagonal = self.tree.below, np.ones(self.tree.k)
        added = self.factor[lower] ** 2 / self.loss[lower]
        diagonal[lower] += added
        np.add.at(diagonal, self.tree.parents[lower], added)
        return diagonal

    @cached_property
    def _inverse(self) -> Any:
        from scipy.sparse import csr_array

        k = self.tree.k
        value, code, entry = self._neighbours
        places = np.concatenate((value, np.arange(k))), np.concatenate((code, np.arange(k)))
        return csr_array((np.concatenate((entry, self._diagonal)), places), shape=(k, k))

    @cached_property
    def _jumps(self) -> list[Any]:
        """A^1, A^2, A^4 .., of which T is the product of 1 + A^(2^j); A[x, parent of x] = a."""
        from scipy.sparse import csr_array

        k = self.tree.k
        jump, weight, made = self.tree.parents, self.factor, []
        for _ in range(int(self.tree.depth.max()).bit_length()):
            rows = np.flatnonzero(weight)
            made.append(csr_array((weight[rows], (rows, jump[rows])), shape=(k, k)))
            weight, jump = weight * weight[jump], jump[jump]
        return made

    def _apply(self, matrix: Any, amounts: Floats) -> Floats:
        columns = matrix @ amounts.reshape(-1, self.tree.k).T
        return np.ascontiguousarray(columns.T).reshape(amounts.shape)


@dataclass(frozen=True, eq=False)
class TreeHops:
    """Where weights become ceil(weight f / 2^64) over the edge above each value, f in 1..2^64 - 1; not of the root."""

    tree: Tree
    factor: Words

    def walk(self, codes: NDArray[np.intp], starts: Words) -> Iterator[Hop]:
        """From each code's own value outward, until no edge of the tree changes a weight."""
        values, weights = codes, starts
        towards = np.full(len(codes), -1)
        going = np.arange(len(codes))
        yield Hop(going, values, weights)
        first, neighbours, factor = self._adjacent
        while len(going):
            here = values[going]
            degree = first[here + 1] - first[here]
            before = np.repeat(going, degree)
            edge = np.arange(len(before)) + np.repeat(first[here] - np.cumsum(degree) + degree, degree)
            onward = neighbours[edge] != towards[before]
            before, edge = before[onward], edge[onward]
            towards, values = values[before], neighbours[edge]
            weights = fraction_above(weights[before], factor[edge])
            yield Hop(before, values, weights)
            going = np.flatnonzero(weights > self._still)

    def sums(self, starts: Words) -> Words:
        """Of each value the weights of all codes together, modulo 2^64, shape (k,).

        Two neighbours' sums differ by what weights change over their edge, in both directions.
        """
        tree = self.tree
        change = np.zeros((2, tree.k), dtype=np.uint64)
        for codes in code_batches(tree):
            hops = self.walk(codes, starts[codes])
            last = next(hops)
            for hop in hops:
                here = last.values[hop.before]
                down = tree.parents[hop.values] == here
                edge = np.where(down, hop.values, here)
                np.add.at(change.ravel(), edge + tree.k * down, hop.weights - last.weights[hop.before])
                last = hop
        up, down = change
        sums = np.full(tree.k, np.concatenate((starts, up)).sum(dtype=np.uint64))
        for level in tree.levels:
            sums[level] = sums[tree.parents[level]] + (down[level] - up[level])
        return sums

    @cached_property
    def _adjacent(self) -> tuple[NDArray[np.intp], NDArray[np.intp], Words]:
        """Where each value's neighbours begin, shape (k + 1,); all these, ascending; and the factors of their edges."""
        lower = self.tree.below
        upper = self.tree.parents[lower]
        ends, others = np.concatenate((lower, upper)), np.concatenate((upper, lower))
        order = np.lexsort((others, ends))
        first = np.searchsorted(ends[order], np.arange(self.tree.k + 1))
        return first, others[order], np.concatenate((self.factor[lower],) * 2)[order]

    @cached_property
    def _still(self) -> int:
        """The largest weight that every edge leaves as it is: w with w (2^64 - f) < 2^64."""
        return (WORD - 1) // (WORD - int(self.factor[self.tree.below].min()))


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
            raise SordinoError(
                "each step of a tree must be given, with a factor in 1..2^64 - 1",
                found="a bound that 64 bits cannot distinguish from 0",
                step="raise the bounds",
            )
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
