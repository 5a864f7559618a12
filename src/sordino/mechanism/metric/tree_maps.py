"""The channel of a tree as linear maps in floats, each in time and memory proportional to the number of values.

With e^-c of each edge as its factor a, M[x, y] the product of the factors on the way from x to y and c_y the share of
the value's own code, the channel is W = M diag(c). M is the covariance of a random walk that forgets along edges, so
M = T D T', where T sums from each value up to the root and D is 1 at the root and 1 - a^2 elsewhere; and its inverse
has entries on edges only:

    (M^-1)[x, x] = 1 + sum over edges at x of a^2 / (1 - a^2),      (M^-1)[x, z] = -a / (1 - a^2) for neighbours.

So the unbiased estimate of x reads the code of x and those of its neighbours. Channels of integers differ from this by
their roundings: `TreeResponse` says by how much.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sordino.domain.tree import Tree
from sordino.mechanism.base import Squares

Floats: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class TreeMaps:
    """What estimates from the channel of a tree are made of.

    Attributes:
        tree: the values.
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
