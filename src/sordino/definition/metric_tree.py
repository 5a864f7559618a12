"""Distances in nats along the edges of a tree, exactly: between any two values the sum along the way."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import lcm

import numpy as np
from numpy.typing import NDArray

from sordino.definition.bounds import LARGEST_EPSILON, read_epsilon
from sordino.domain.tree import Tree
from sordino.errors import SordinoError
from sordino.exact.messages import MOST_DIGITS, Brief, read_rational, require_short, shown
from sordino.exact.nats import Nats, NatsLike

LARGEST_RATIO = 1 << 20
"""Bits of all logarithms of a tree together: ways are summed exactly, and enclosed in a second."""


@dataclass(frozen=True, eq=False, repr=False)
class MetricTree(Brief):
    """A tree whose edges have lengths.

    Attributes:
        tree: the values; an edge leads from each to its parent.
        bounds: the different lengths in nats, ascending, above 0.
        kind: shape (k,), the place of each edge's length among these; the root's is 0.
    """

    tree: Tree
    bounds: tuple[Nats, ...]
    kind: NDArray[np.intp]

    @classmethod
    def of(cls, tree: Tree, lengths: Sequence[NatsLike]) -> "MetricTree":
        """A tree with a length for each value, that of the edge to its parent; the root's is not read."""
        if len(lengths) != tree.k:
            raise SordinoError(f"there must be a length for each of {tree.k} values", found=shown(len(lengths)))
        known: dict[object, Nats] = {}
        read = []
        for value, length in enumerate(lengths):
            if value != tree.root:
                if length not in known:
                    known[length] = _read_length(length)
                read.append(known[length])
        bounds = tuple(sorted(set(read)))
        place = {bound: i for i, bound in enumerate(bounds)}
        kind = np.zeros(tree.k, dtype=np.intp)
        kind[np.arange(tree.k) != tree.root] = [place[bound] for bound in read]
        kind.setflags(write=False)
        return cls(tree, bounds, kind)

    @property
    def k(self) -> int:
        return self.tree.k

    @property
    def with_short_sums(self) -> "MetricTree":
        """Itself, if ways through all of it are numbers that can be reckoned with: it may come from outside."""
        common, bits = 1, 0
        for bound, times in zip(self.bounds, np.bincount(self.kind, minlength=len(self.bounds)).tolist(), strict=False):
            common = lcm(common, bound.rational.denominator)
            if bound.ratio != 1:
                bits += times * (bound.ratio.numerator.bit_length() + bound.ratio.denominator.bit_length())
            if common >= 10**MOST_DIGITS or bits > LARGEST_RATIO:
                rule = "lengths of a tree must add up to numbers that can be reckoned with"
                raise SordinoError(rule, found="too many digits", step="write them with fewer digits, rounded down")
        return self

    def distance(self, value: int, other: int) -> Nats:
        """The sum of the lengths on the way from one value to another."""
        times = Counter(self.kind[self.tree.path_between(value, other)].tolist())
        return total((self.bounds[kind], count) for kind, count in times.items())

    @cached_property
    def diameter(self) -> Nats:
        """The largest distance of two values; of ways with logarithms that floats cannot tell apart, any one's."""
        return self.distance(*self.furthest)

    @cached_property
    def furthest(self) -> tuple[int, int]:
        """Two values at the largest distance."""
        lengths = self._comparable
        parents, kind = self.tree.parents, self.kind
        # The furthest value below each, and how far it is; then the longest way whose highest value it is.
        far = [(lengths[0] * 0, value) for value in range(self.k)]
        best = (lengths[0] * 0, 0, 0)
        for value in self.tree.below[::-1].tolist():
            parent = int(parents[value])
            reach, end = far[value][0] + lengths[kind[value]], far[value][1]
            best = max(best, (reach + far[parent][0], end, far[parent][1]))
            far[parent] = max(far[parent], (reach, end))
        return best[1], best[2]

    @property
    def _comparable(self) -> list[int] | list[float]:
        """Numbers in proportion to the lengths: whole ones where all are rational."""
        if all(bound.ratio == 1 for bound in self.bounds):
            unit = lcm(*(bound.rational.denominator for bound in self.bounds))
            return [int(bound.rational * unit) for bound in self.bounds] or [0]
        return [bound.ceil() for bound in self.bounds]

    def __add__(self, other: "MetricTree") -> "MetricTree":
        """Both lengths of each edge of one tree added."""
        if not self.bounds:
            return self
        kinds = zip(self.kind.tolist(), other.kind.tolist(), strict=True)
        return MetricTree.of(self.tree, [self.bounds[own] + other.bounds[its] for own, its in kinds])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, MetricTree):
            return False
        return (self.tree, self.bounds) == (other.tree, other.bounds) and np.array_equal(self.kind, other.kind)

    def __hash__(self) -> int:
        return hash((self.tree, self.bounds))


def total(amounts: Iterable[tuple[Nats, int]]) -> Nats:
    """The sum of amounts, each so many times."""
    rational, ratio = Fraction(0), Fraction(1)
    for amount, times in amounts:
        rational += amount.rational * times
        ratio *= amount.ratio**times
    return Nats(rational, ratio)


def bound_at(epsilon: NatsLike, distance: object) -> Nats:
    """A distance times what is allowed for each unit of it; at most 100 nats, more than any channel here tells."""
    amount, times = Nats.of(epsilon), read_rational(distance)
    if times <= 0:
        raise SordinoError(
            "a distance between two values must be above 0, or they would be the same value",
            found=shown(distance),
            step="merge values that are at one place",
        )
    if amount.ratio != 1 and times.denominator != 1:
        step = "write it as a decimal, rounded down"
        raise SordinoError("an epsilon with a logarithm needs whole distances", found=shown(distance), step=step)
    if amount.ceil() * float(times) > 2 * LARGEST_EPSILON:
        return Nats.of(LARGEST_EPSILON)
    ratio = amount.ratio ** int(times) if amount.ratio != 1 else amount.ratio
    return min(Nats(require_short(amount.rational * times), require_short(ratio)), Nats.of(LARGEST_EPSILON))


def _read_length(length: NatsLike) -> Nats:
    bound = read_epsilon(length)
    if bound.sign() == 0:
        raise SordinoError(
            "a distance between two values must be above 0, or they would be the same value",
            found=shown(str(length)),
            step="merge values that are at one place",
        )
    return bound
