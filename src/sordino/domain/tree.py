"""A tree of values 0..k-1: each but the root has a parent. A line is a tree in which no value has two children."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sordino.errors import SordinoError
from sordino.exact.messages import Brief, checked, checked_class, shown

LARGEST_TREE = 1 << 16
"""Largest number of values: what is checked of all pairs of them takes minutes."""

AT_A_TIME = 1 << 20
"""Largest number of weights of one hop, as far as a batch has several codes: 8 MB, and some times that while they are
made."""


@checked_class
@dataclass(frozen=True, eq=False, repr=False)
class Tree(Brief):
    """Each value's parent.

    Attributes:
        parents: shape (k,); the root's is the root itself.

    Example:
        >>> tree = Tree.of([None, 0, 0, 2])
        >>> tree.parents, tree.depth
        (array([0, 0, 0, 2]), array([0, 1, 1, 2]))
    """

    parents: NDArray[np.intp]

    def __post_init__(self) -> None:
        parents, k = self.parents, len(self.parents)
        if not 1 <= k <= LARGEST_TREE:
            step = "use a grid of two lines, or protect by blocks" if k else ""
            raise SordinoError(f"a tree must have 1 to {LARGEST_TREE} values", found=shown(k), step=step)
        if int(parents.min()) < 0 or int(parents.max()) >= k:
            found = f"values {parents.min()}..{parents.max()}"
            raise SordinoError(f"parents must be values 0..{k - 1}", found=found, step="name each value's parent")
        roots = np.flatnonzero(parents == np.arange(k))
        if len(roots) != 1:
            raise SordinoError(
                "a tree must have one root, a value without a parent",
                found=f"the values {shown(roots.tolist())}" if len(roots) else "none: a cycle",
                step="give all but one of them a parent" if len(roots) else "give one value no parent",
            )
        astray = np.flatnonzero(self.depth < 0)
        if len(astray):
            raise SordinoError(
                "all parents of a tree must lead to its root",
                found=f"a cycle above value {astray[0]}",
                step="a graph with cycles of at most 256 values is a matrix: PairwiseLDP",
            )
        parents.setflags(write=False)

    @classmethod
    @checked
    def of(cls, parents: "Tree | Sequence[int | None] | ArrayLike") -> "Tree":
        """Read each value's parent; of the root None, -1 or itself."""
        if isinstance(parents, Tree):
            return parents
        rows = [-1 if parent is None else parent for parent in parents] if isinstance(parents, Sequence) else parents
        array = np.asarray(rows)
        if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
            raise SordinoError("parents must be one value for each value, None for the root", found=shown(parents))
        return cls(np.where(array == -1, np.arange(len(array)), array).astype(np.intp))

    @classmethod
    def path(cls, order: NDArray[np.intp]) -> "Tree":
        """The values in a row, in this order, shape (k,); the root stands in the middle."""
        parents, middle = np.empty(len(order), dtype=np.intp), len(order) // 2
        parents[order[:middle]] = order[1 : middle + 1]
        parents[order[middle:]] = order[[middle, *range(middle, len(order) - 1)]] if len(order) else order
        return cls(parents)

    @property
    def k(self) -> int:
        return len(self.parents)

    @property
    def root(self) -> int:
        return int(self.order[0])

    @cached_property
    def depth(self) -> NDArray[np.intp]:
        """How many steps lead from each value to the root, shape (k,); -1 where none do."""
        jump = self.parents
        steps = (jump != np.arange(len(jump))).astype(np.intp)
        # Each round looks twice as far up.
        for _ in range(len(jump).bit_length()):
            steps = steps + steps[jump]
            jump = jump[jump]
        return np.where(self.parents[jump] == jump, steps, -1)

    @cached_property
    def order(self) -> NDArray[np.intp]:
        """The values, each after its parent, shape (k,)."""
        return np.argsort(self.depth, kind="stable")

    @property
    def below(self) -> NDArray[np.intp]:
        """The lower ends of the edges, each after its parent, shape (k - 1,): all values but the root."""
        return self.order[1:]

    @cached_property
    def levels(self) -> tuple[NDArray[np.intp], ...]:
        """The values of each depth from 1 on."""
        ends = np.cumsum(np.bincount(self.depth))
        return tuple(np.split(self.order, ends[:-1]))[1:]

    def path_between(self, value: int, other: int) -> list[int]:
        """The lower ends of the edges on the way from one value to another, in this order."""
        ways: tuple[list[int], list[int]] = ([], [])
        ends = [value, other]
        while ends[0] != ends[1]:
            lower = 0 if self.depth[ends[0]] >= self.depth[ends[1]] else 1
            ways[lower].append(ends[lower])
            ends[lower] = int(self.parents[ends[lower]])
        return ways[0] + ways[1][::-1]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Tree) and np.array_equal(self.parents, other.parents)

    def __hash__(self) -> int:
        return hash(self.parents.tobytes())


def code_batches(tree: Tree) -> Iterator[NDArray[np.intp]]:
    """The codes of a tree, as many at a time as are walked from together.

    The values that are equally far from a code lie behind different leaves.
    """
    leaves = int((np.bincount(tree.parents[tree.below], minlength=tree.k) == 0).sum()) + 1
    step = max(1, AT_A_TIME // leaves)
    return (np.arange(first, min(first + step, tree.k)) for first in range(0, tree.k, step))
