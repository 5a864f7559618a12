"""Weights of a tree's codes, from neighbour to neighbour: all that differ from those before them, and no others.

A code's weights change on the way from its own value outward until no edge changes them; beyond, all are alike. So a
channel of many values is told by some steps around each code, of all codes together.
Cost: some vectorized operations a step, and a word and two numbers for each weight of it.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sordino.domain.tree import Tree, code_batches
from sordino.exact.coin import WORD
from sordino.exact.product import fraction_above
from sordino.exact.source import Words
from sordino.mechanism.base import Hop


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
