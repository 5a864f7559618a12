"""Bins told at one of several scales: a level of a tree over the values is drawn, and the node there is told.

Level 0 are the k values themselves; a node of level l + 1 holds `fan` neighbouring nodes of level l, the last one maybe
fewer; the last level has at most `fan` nodes. The level is drawn without looking at the value, and the code tells it;
the node of the value is told by that level's own mechanism. A named combinator: it holds other mechanisms.

Guarantee: epsilon-LDP, exactly, if each inner mechanism is: a code weighs 1 / levels of what it does there.
A range of neighbouring values is a few nodes, so that many people at one value are told as well as many in a range.
Cost: the words of the level's mechanism and one more.
Source: hierarchical histograms with one drawn level (Cormode, Kulkarni and Srivastava 2019); consistency of the levels
(Hay et al. 2010) is that of the least squares estimate of any dense channel.
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from math import lcm
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from sordino.errors import SordinoError
from sordino.evidence.finite import ColumnClass, ValueClass
from sordino.exact.entries import Entries
from sordino.exact.messages import Brief, checked, checked_class, shown
from sordino.exact.source import Words
from sordino.mechanism.base import Mechanism
from sordino.mechanism.channel import read_channel
from sordino.mechanism.inner import INNER
from sordino.mechanism.one_coin import OneCoin

LARGEST_SIZE, LARGEST_FAN, LARGEST_CODES = 1 << 10, 64, 1 << 13
"""Values, nodes within a node, and codes at most: a certificate looks at every code of every value."""

SOME_CODES = 1 << 8
"""That are looked at together, so that their weights are worked out at once and take little memory."""


@checked_class
@dataclass(frozen=True, init=False, repr=False)
class HierarchyResponse(Brief, Mechanism):
    """One of several ordered values to a code about its node at a drawn level.

    Attributes:
        fan: nodes within a node.
        inner: the mechanism of each level, the values' own first.

    Example:
        >>> from sordino.mechanism.randomized import RandomizedResponse
        >>> coins = [RandomizedResponse(4, "ln 3"), RandomizedResponse(2, "ln 3")]
        >>> HierarchyResponse(4, 2, coins).probabilities().round(3)[0].tolist()
        [0.25, 0.083, 0.083, 0.083, 0.375, 0.125]
    """

    name: ClassVar[str] = "hierarchy"

    fan: int
    inner: tuple[OneCoin, ...]

    def __init__(self, k: int, fan: int, inner: Sequence[OneCoin]) -> None:
        for name, value, most in (("k", k, LARGEST_SIZE), ("fan", fan, LARGEST_FAN)):
            if type(value) is not int or not 2 <= value <= most:
                raise SordinoError(f"{name} must be a whole number in 2..{most}", found=shown(value))
        sizes = level_sizes(k, fan)
        if [mechanism.k for mechanism in inner] != sizes:
            found = ", ".join(str(mechanism.k) for mechanism in inner)
            raise SordinoError(f"there must be a mechanism for each level, over {sizes} nodes", found=found)
        if supporting := [mechanism for mechanism in inner if not mechanism.counts_codes]:
            found, step = f"a {type(supporting[0]).__name__}", "take RandomizedResponse or ChannelTable"
            raise SordinoError("a level's mechanism must count its codes", found=found, step=step)
        if (codes := sum(mechanism.outputs for mechanism in inner)) > LARGEST_CODES:
            raise SordinoError(f"a hierarchy must have at most {LARGEST_CODES} codes", found=f"{codes}")
        object.__setattr__(self, "k", k)
        object.__setattr__(self, "fan", fan)
        object.__setattr__(self, "inner", tuple(inner))

    @property
    def record(self) -> dict[str, Any]:
        return {"k": self.k, "fan": self.fan, "inner": [mechanism.document_fields for mechanism in self.inner]}

    @classmethod
    @checked
    def from_record(cls, entries: Entries, promise: object = None) -> Self:
        del promise
        inner = [read_channel(own, INNER) for own in entries.inners("inner")]
        return cls(entries.whole("k"), entries.whole("fan"), inner)

    @property
    def draw(self) -> Any:
        return ["levels", "fan", "inner"]

    @property
    def parameters(self) -> str:
        return f"hierarchy k={self.k} fan={self.fan} inner=[{'; '.join(each.parameters for each in self.inner)}]"

    @property
    def outputs(self) -> int:
        return self._offsets[-1]

    @property
    def denominator(self) -> int:
        return len(self.inner) * lcm(*(mechanism.denominator for mechanism in self.inner))

    def weight(self, value: int, code: int) -> int:
        level = bisect_right(self._offsets, code) - 1
        node = value // self.fan**level
        return self._scales[level] * self.inner[level].weight(node, code - self._offsets[level])

    def marks(self, codes: Words) -> tuple[tuple[int, ...], NDArray[np.integer]]:
        places = codes.astype(np.int64)
        marks = np.empty((len(codes), self.k), dtype=np.int32)
        weights: list[int] = []
        for level, (mechanism, scale) in enumerate(zip(self.inner, self._scales, strict=True)):
            first, end = self._offsets[level : level + 2]
            rows = np.flatnonzero((places >= first) & (places < end))
            own, found = mechanism.marks((places[rows] - first).astype(np.uint64))
            marks[rows] = found[:, self._nodes[level]] + np.int32(len(weights))
            weights += [scale * weight for weight in own]
        return tuple(weights), marks

    def columns(self) -> Iterator[ColumnClass]:
        """Each code by itself: in a class of codes any two values could be told apart, and two of one node cannot."""
        for first in range(0, self.outputs, SOME_CODES):
            weights, every = self.marks(np.arange(first, min(first + SOME_CODES, self.outputs), dtype=np.uint64))
            for code, marks in enumerate(every, first):
                alike = ((np.flatnonzero(marks == mark), weights[mark]) for mark in np.unique(marks).tolist())
                parts = tuple(ValueClass(values, ((weight, 1),)) for values, weight in alike if weight)
                yield ColumnClass(self.k, 1, code, parts)

    def probabilities(self) -> NDArray[np.float64]:
        weights, marks = self.marks(np.arange(self.outputs, dtype=np.uint64))
        shares = np.array([weight / self.denominator for weight in weights])
        channel: NDArray[np.float64] = shares[marks.T]
        return channel

    @cached_property
    def _offsets(self) -> list[int]:
        """The first code of each level, and how many codes there are."""
        return list(accumulate((mechanism.outputs for mechanism in self.inner), initial=0))

    @cached_property
    def _scales(self) -> list[int]:
        return [self.denominator // (len(self.inner) * mechanism.denominator) for mechanism in self.inner]

    @cached_property
    def _nodes(self) -> list[NDArray[np.intp]]:
        """The node of each value at each level, shape (k,) each."""
        return [np.arange(self.k) // self.fan**level for level in range(len(self.inner))]


def level_sizes(k: int, fan: int) -> list[int]:
    """How many nodes each level of a hierarchy has, the values first.

    Example:
        >>> level_sizes(256, 4), level_sizes(20, 4), level_sizes(4, 4)
        ([256, 64, 16, 4], [20, 5, 2], [4])
    """
    sizes = [k]
    while sizes[-1] > fan:
        sizes.append(-(-sizes[-1] // fan))
    return sizes
