"""Where codes and counters of blocks stand: those of each block's own mechanism, one block after the other.

A code is its block's first code plus the inner code, so that codes of different blocks never meet; counters likewise.
Blocks of one size have one mechanism, and what is done with them is done with all of them at once.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sordino.domain.partition import Partition
from sordino.exact.source import Words
from sordino.mechanism.one_coin import OneCoin

BATCH = 1 << 18
"""Counters of the blocks that are looked at together: 2 MB."""


@dataclass(frozen=True, eq=False)
class BlockCodes:
    """The codes and counters of a partition's blocks.

    Attributes:
        blocks: the partition.
        inner: the mechanism of each block size that occurs, by ascending size (its k is the size).

    Example:
        >>> from sordino.mechanism.randomized import RandomizedResponse
        >>> inner = tuple(RandomizedResponse(k, "1") for k in (2, 3))
        >>> BlockCodes(Partition.of([0, 0, 1, 1, 1]), inner).offsets
        [0, 2, 5]
    """

    blocks: Partition
    inner: tuple[OneCoin, ...]

    @cached_property
    def kind(self) -> NDArray[np.intp]:
        """Each block's place in `inner`, shape (m,)."""
        return np.searchsorted(np.array([mechanism.k for mechanism in self.inner]), self.blocks.sizes)

    @cached_property
    def offsets(self) -> list[int]:
        """Each block's first code, and after the last block the number of codes, m + 1 numbers of up to 65 bits."""
        return list(accumulate((self.inner[kind].outputs for kind in self.kind.tolist()), initial=0))

    @cached_property
    def first_code(self) -> Words:
        """Each block's first code, shape (m,)."""
        return np.array(self.offsets[:-1], dtype=np.uint64)

    @cached_property
    def first_counter(self) -> NDArray[np.intp]:
        """Each block's first counter, and after the last block the number of counters, shape (m + 1,)."""
        lengths = np.array([mechanism.counters for mechanism in self.inner])[self.kind]
        return np.concatenate(([0], np.cumsum(lengths)))

    @cached_property
    def offset_of(self) -> Words:
        """Each value's block's first code, shape (k,)."""
        return self.first_code[self.blocks.block]

    @cached_property
    def kind_of(self) -> NDArray[np.uint16]:
        """Each value's block's place in `inner`, shape (k,); there are fewer than 2^16 sizes below 2^31 values."""
        return self.kind[self.blocks.block].astype(np.uint16)

    def split(self, codes: Words) -> tuple[NDArray[np.intp], Words]:
        """Each code's block and inner code."""
        if self.blocks.m == 1:
            return np.zeros(len(codes), dtype=np.intp), codes
        if len(self.inner) == 1:
            outputs = np.uint64(self.inner[0].outputs)
            whole = codes // outputs
            inner = whole * outputs
            np.subtract(codes, inner, out=inner)
            return whole.view(np.intp), inner
        block = np.searchsorted(self.first_code, codes, side="right") - 1
        return block, codes - self.first_code[block]

    @property
    def by_size(self) -> Iterator[tuple[OneCoin, NDArray[np.intp], NDArray[np.intp]]]:
        """For each size: its mechanism, and the counters and values of its blocks, a row a block."""
        for mechanism, blocks in self._blocks_by_size():
            yield mechanism, *self._rows(mechanism, blocks)

    @property
    def batches(self) -> Iterator[tuple[OneCoin, NDArray[np.intp], NDArray[np.intp]]]:
        """The same, so many blocks at a time that what is made of them stays small."""
        for mechanism, blocks in self._blocks_by_size():
            many = max(1, BATCH // mechanism.counters)
            for first in range(0, len(blocks), many):
                yield mechanism, *self._rows(mechanism, blocks[first : first + many])

    def _blocks_by_size(self) -> Iterator[tuple[OneCoin, NDArray[np.intp]]]:
        for kind, mechanism in enumerate(self.inner):
            yield mechanism, np.flatnonzero(self.kind == kind)

    def _rows(self, mechanism: OneCoin, blocks: NDArray[np.intp]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """The counters and the values of some blocks of one size, shapes (blocks, counters) and (blocks, size)."""
        values = self.blocks.order[self.blocks.starts[blocks, None] + np.arange(mechanism.k)]
        return self.first_counter[blocks, None] + np.arange(mechanism.counters), values

    def spread(self, inner: list[NDArray[Any]]) -> NDArray[np.float64]:
        """Each value's number, which all values of a block share, of those of each of `inner`."""
        numbers = {float(array[0]) for array in inner}
        if len(numbers) == 1:
            return np.broadcast_to(np.float64(numbers.pop()), self.blocks.k)
        result = np.empty(self.blocks.k)
        for array, (_, _, values) in zip(inner, self.by_size, strict=True):
            result[values] = array
        return result
