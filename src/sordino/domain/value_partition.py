"""A partition of the values 0..k-1 into blocks, and the regrouping that blockwise mechanisms and definitions share."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sordino.errors import SordinoError
from sordino.exact.messages import Brief, checked, checked_class

SHOWN = 5
"""Largest number of offending values named in an error."""


@checked_class
@dataclass(frozen=True, eq=False, repr=False)
class Partition(Brief):
    """Each value's block and its place within the block.

    Attributes:
        block: shape (k,), each value's block in 0..m-1; blocks are numbered as they first appear.
        place: shape (k,), each value's place 0..size-1 within its block, in the order of the values.
        sizes: shape (m,), the number of values of each block.
        order: shape (k,), the values sorted by block, then by place.
        starts: shape (m,), where each block begins in `order`.

    Example:
        >>> Partition.of([[0, 2], [1]]).block
        array([0, 1, 0])
    """

    block: NDArray[np.intp]
    sizes: NDArray[np.intp] = field(init=False)
    order: NDArray[np.intp] = field(init=False)
    starts: NDArray[np.intp] = field(init=False)
    place: NDArray[np.intp] = field(init=False)

    def __post_init__(self) -> None:
        if len(self.block) and (self.block == self.block[0]).all():
            # Millions of values in one block: nothing to sort, and one array for all.
            every = np.arange(len(self.block))
            self._set(np.broadcast_to(np.intp(0), len(every)), np.array([len(every)]), every, np.array([0]), every)
            return
        _, first, labels = np.unique(self.block, return_index=True, return_inverse=True)
        rank = np.empty(len(first), dtype=np.intp)
        rank[np.argsort(first, kind="stable")] = np.arange(len(first))
        block = rank[labels]
        order = np.argsort(block, kind="stable")
        sizes = np.bincount(block)
        starts = np.concatenate(([0], np.cumsum(sizes)[:-1])).astype(np.intp)
        place = np.empty(len(block), dtype=np.intp)
        place[order] = np.arange(len(block)) - np.repeat(starts, sizes)
        self._set(block, sizes, order, starts, place)

    def _set(self, *arrays: NDArray[np.intp]) -> None:
        for name, array in zip(("block", "sizes", "order", "starts", "place"), arrays, strict=True):
            array.setflags(write=False)
            object.__setattr__(self, name, array)

    @classmethod
    @checked
    def of(cls, blocks: "Partition | Sequence[Sequence[int]] | ArrayLike", k: int | None = None) -> "Partition":
        """Read one integer label per value, or lists of indices that cover 0..k-1 once each.

        Raises:
            SordinoError: nothing there, a value repeated, missing or out of range, an empty block, or labels that are
            not
                whole numbers.
        """
        if isinstance(blocks, Partition):
            partition = blocks
        elif isinstance(blocks, Sequence) and any(isinstance(entry, Sequence | np.ndarray) for entry in blocks):
            if not all(isinstance(entry, Sequence | np.ndarray) and not isinstance(entry, str) for entry in blocks):
                raise SordinoError("blocks must be lists of indices, or one whole number a value", found="a mixture")
            partition = cls._of_lists(blocks)  # type: ignore[arg-type]  # a sequence of sequences, as just checked
        else:
            labels = np.asarray(blocks)
            if labels.ndim != 1 or not labels.size or labels.dtype.kind not in "iu":
                rule = "blocks must give one whole number for each value, or lists of indices"
                raise SordinoError(rule, found=f"an array of shape {labels.shape} and type {labels.dtype}")
            partition = cls(labels)
        if k is not None and partition.k != k:
            raise SordinoError(f"blocks must cover all {k} values", found=f"{partition.k}")
        return partition

    @classmethod
    def _of_lists(cls, blocks: Sequence[Sequence[int]]) -> "Partition":
        if any(len(entry) == 0 for entry in blocks):
            raise SordinoError("a block must have at least one value", found="an empty block")
        try:
            values = np.concatenate([np.asarray(entry) for entry in blocks])
        except (ValueError, TypeError):
            raise SordinoError("blocks must be lists of indices", found="lists within lists") from None
        if values.dtype.kind not in "iu":
            raise SordinoError("blocks must list indices of values", found=f"type {values.dtype}")
        k = len(values)
        inside = (values >= 0) & (values < k)
        counts = np.bincount(values[inside], minlength=k)
        wrong = [
            f"{what} {_some(which)}"
            for what, which in (
                ("repeated", np.flatnonzero(counts > 1)),
                ("missing", np.flatnonzero(counts == 0)),
                ("out of range", values[~inside]),
            )
            if len(which)
        ]
        if wrong:
            raise SordinoError("blocks must hold each value once", found="; ".join(wrong))
        labels = np.empty(k, dtype=np.intp)
        labels[values] = np.repeat(np.arange(len(blocks)), [len(entry) for entry in blocks])
        return cls(labels)

    @property
    def k(self) -> int:
        """The number of values."""
        return len(self.block)

    @property
    def m(self) -> int:
        """The number of blocks."""
        return len(self.sizes)

    @property
    def different_sizes(self) -> list[int]:
        """The sizes that occur, ascending."""
        return np.flatnonzero(np.bincount(self.sizes)).tolist()

    def values(self, block: int) -> NDArray[np.intp]:
        """The values of one block, ascending."""
        start = self.starts[block]
        return self.order[start : start + self.sizes[block]]

    def image(self, reading: NDArray[np.intp], k: int) -> "Partition":
        """The finest partition of what is read, 0..k-1, in which all that is read of one block is together.

        Blocks of which some reading is the same are together too; a number that nothing is read as is alone.

        Args:
            reading: shape (values,), what is read of each value.

        Example:
            >>> Partition.of([[0, 1], [2, 3], [4]]).image(np.array([0, 1, 3, 1, 2]), 5).block
            array([0, 0, 1, 0, 2])
        """
        # Each number joins one that its block is read as: hooked on the least one seen so far, until none is left.
        first = reading[self.order[self.starts]]
        pairs = np.unique(first[self.block] * np.intp(k) + reading)
        one, other = np.divmod(pairs, k)
        label = np.arange(k)
        while True:
            low, high = np.minimum(label[one], label[other]), np.maximum(label[one], label[other])
            apart = low < high
            if not apart.any():
                return Partition(label)
            np.minimum.at(label, high[apart], low[apart])
            while not np.array_equal(shorter := label[label], label):
                label = shorter

    def totals(self, amounts: NDArray[np.float64]) -> NDArray[np.float64]:
        """Sums over each block, shape (m,), of amounts of shape (k,)."""
        return np.bincount(self.block, weights=amounts, minlength=self.m).astype(np.float64, copy=False)

    def __eq__(self, other: object) -> bool:
        """Two partitions are equal iff they group the values alike."""
        return isinstance(other, Partition) and np.array_equal(self.block, other.block)

    def __hash__(self) -> int:
        return hash(self.block.tobytes())


def _some(values: NDArray[np.intp]) -> str:
    shown = ", ".join(str(v) for v in np.unique(values)[:SHOWN])
    return shown + (", ..." if len(np.unique(values)) > SHOWN else "")
