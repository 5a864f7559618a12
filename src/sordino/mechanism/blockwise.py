"""Blockwise response: the block in the clear, and inside it a mechanism of its own.

Guarantee: block-structured eps-LDP, exactly: each inner mechanism is eps-LDP on its block, and codes of different
blocks never meet. A code is the block's offset plus the inner code. A named combinator: it holds other mechanisms.
Source: context-aware LDP paper, Section 6.1; randomized response inside where its exact variance is lower.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from math import lcm
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sordino.definition.pairwise import read_epsilon
from sordino.domain.partition import Partition
from sordino.errors import SordinoError
from sordino.evidence.finite import ColumnClass, ValueClass
from sordino.exact.nats import Nats, NatsLike
from sordino.exact.source import Stream, Words
from sordino.mechanism.base import CHUNK, Mechanism, Support
from sordino.mechanism.hadamard import HadamardResponse
from sordino.mechanism.one_coin import OneCoin
from sordino.mechanism.projective import ProjectiveResponse
from sordino.mechanism.randomized import RandomizedResponse

Within = Literal["randomized", "hadamard", "projective", "best"]
"""The mechanism inside each block; "best" takes the lowest exact variance at uniform values, block size by block
size."""

INNER: Mapping[str, type[RandomizedResponse | HadamardResponse | ProjectiveResponse]] = {
    "randomized": RandomizedResponse,
    "hadamard": HadamardResponse,
    "projective": ProjectiveResponse,
}
"""The mechanisms by name, as surveys choose among them and plans freeze them."""


@dataclass(frozen=True, init=False)
class Blockwise(Mechanism):
    """One inner mechanism for each block of a partition; a block of one value is told as it is.

    Attributes:
        blocks: the partition.
        inner: the mechanism of each block size that occurs, by ascending size (its k is the size).

    Example:
        >>> import numpy as np
        >>> Blockwise(np.repeat(np.arange(1750), 25), "1").code_bits
        16
    """

    blocks: Partition
    inner: tuple[OneCoin, ...]

    def __init__(
        self, blocks: Partition | Sequence[Sequence[int]] | ArrayLike, epsilon: NatsLike, within: Within = "best"
    ) -> None:
        partition = Partition.of(blocks)
        bound = read_epsilon(epsilon)
        if within not in get_args(Within):
            raise SordinoError(f"within must be one of {', '.join(get_args(Within))}", found=repr(within))
        self._fill(partition, tuple(_inner(size, bound, within) for size in np.unique(partition.sizes).tolist()))

    @classmethod
    def from_inner(cls, blocks: Partition, inner: Sequence[OneCoin]) -> "Blockwise":
        """The channel of a frozen plan: a mechanism for each block size that occurs."""
        by_size = tuple(sorted(inner, key=lambda mechanism: mechanism.k))
        if [mechanism.k for mechanism in by_size] != np.unique(blocks.sizes).tolist():
            raise SordinoError("there must be one inner mechanism for each block size")
        mechanism = cls.__new__(cls)
        mechanism._fill(blocks, by_size)
        return mechanism

    def _fill(self, blocks: Partition, inner: tuple[OneCoin, ...]) -> None:
        object.__setattr__(self, "k", blocks.k)
        object.__setattr__(self, "blocks", blocks)
        object.__setattr__(self, "inner", inner)

    @cached_property
    def _kind(self) -> NDArray[np.intp]:
        """Each block's place in `inner`, shape (m,)."""
        return np.searchsorted(np.array([mechanism.k for mechanism in self.inner]), self.blocks.sizes)

    @cached_property
    def _offsets(self) -> NDArray[np.intp]:
        """Each block's first code, and after the last block the number of codes, shape (m + 1,)."""
        outputs = np.array([mechanism.outputs for mechanism in self.inner])[self._kind]
        return np.concatenate(([0], np.cumsum(outputs)))

    @cached_property
    def _offset_of(self) -> Words:
        """Each value's block's first code, shape (k,)."""
        return self._offsets[self.blocks.block].astype(np.uint64)

    @cached_property
    def _kind_of(self) -> NDArray[np.uint16]:
        """Each value's block's place in `inner`, shape (k,); there are fewer than 2^16 sizes below 2^31 values."""
        return self._kind[self.blocks.block].astype(np.uint16)

    @property
    def parameters(self) -> str:
        """All that defines the channel, as canonical text (the partition by its hash)."""
        partition = sha256(self.blocks.block.astype("<i8").tobytes()).hexdigest()
        return f"blockwise blocks={partition} " + " | ".join(mechanism.parameters for mechanism in self.inner)

    @property
    def outputs(self) -> int:
        """The inner codes of all blocks, one block after the other."""
        return int(self._offsets[-1])

    @cached_property
    def denominator(self) -> int:
        """A common multiple of the inner denominators."""
        return lcm(*(mechanism.denominator for mechanism in self.inner))

    @property
    def partition(self) -> Partition:
        """The blocks."""
        return self.blocks

    @cached_property
    def hit(self) -> NDArray[np.float64]:
        """Each value's, from its block's mechanism."""
        return self._spread([mechanism.hit for mechanism in self.inner])

    @cached_property
    def miss(self) -> NDArray[np.float64]:
        """Each value's, from its block's mechanism."""
        return self._spread([mechanism.miss for mechanism in self.inner])

    def weight(self, value: int, code: int) -> int:
        """The inner weight on the common denominator; zero outside the value's block."""
        block = int(self.blocks.block[value])
        if block != int(np.searchsorted(self._offsets, code, side="right")) - 1:
            return 0
        mechanism = self.inner[int(self._kind[block])]
        scale = self.denominator // mechanism.denominator
        return scale * mechanism.weight(int(self.blocks.place[value]), code - int(self._offsets[block]))

    def columns(self) -> Iterator[ColumnClass]:
        """The classes of every block's inner mechanism."""
        scaled = [
            [
                (column, [(part.values, tuple((w * scale, c) for w, c in part.weights)) for part in column.parts])
                for column in mechanism.columns()
            ]
            for mechanism in self.inner
            for scale in [self.denominator // mechanism.denominator]
        ]
        for block, (kind, offset) in enumerate(zip(self._kind.tolist(), self._offsets[:-1].tolist(), strict=True)):
            values = self.blocks.values(block)
            for column, parts in scaled[kind]:
                classes = tuple(ValueClass(values[places], weights) for places, weights in parts)
                yield ColumnClass(self.k, column.count, offset + column.code, classes)

    def support(self, weights: NDArray[np.float64]) -> Support:
        """Each block by its inner mechanism, all blocks of one size at once."""
        support = np.empty((*weights.shape[:-1], self.k))
        group = np.empty_like(support)
        for mechanism, codes, values in self._by_size:
            inner = mechanism.support(weights[..., codes])
            support[..., values], group[..., values] = inner.support, inner.group
        return Support(support, group)

    def forward(self, p: NDArray[np.float64]) -> NDArray[np.float64]:
        """The law of the code."""
        law = np.empty(self.outputs)
        for mechanism, codes, values in self._by_size:
            for row, own in zip(codes, values, strict=True):
                law[row] = mechanism.forward(p[own])
        return law

    @property
    def _by_size(self) -> Iterator[tuple[Mechanism, NDArray[np.intp], NDArray[np.intp]]]:
        """For each size: its mechanism, and the codes and values of its blocks, a row a block."""
        for kind, mechanism in enumerate(self.inner):
            blocks = np.flatnonzero(self._kind == kind)
            values = self.blocks.order[self.blocks.starts[blocks, None] + np.arange(mechanism.k)]
            yield mechanism, self._offsets[blocks, None] + np.arange(mechanism.outputs), values

    def _spread(self, inner: list[NDArray[np.float64]]) -> NDArray[np.float64]:
        result = np.empty(self.k)
        for array, (_, _, values) in zip(inner, self._by_size, strict=True):
            result[values] = array
        return result

    @property
    def _chunk(self) -> int:
        # Few calls of each inner mechanism: its fixed cost is shared by many values.
        return min(CHUNK * len(self.inner), 1 << 20)

    def _sample(self, values: NDArray[np.intp], stream: Stream) -> Words:
        place = self.blocks.place[values]
        if len(self.inner) == 1:
            codes = self.inner[0]._sample(place, stream)
        else:
            kinds = self._kind_of[values]
            order = np.argsort(kinds, kind="stable")
            codes = np.empty(len(values), dtype=np.uint64)
            ends = np.cumsum(np.bincount(kinds, minlength=len(self.inner)))
            for mechanism, rows in zip(self.inner, np.split(order, ends[:-1]), strict=True):
                if rows.size:
                    codes[rows] = mechanism._sample(place[rows], stream.take(rows))
        codes += self._offset_of[values]
        return codes


def _inner(size: int, epsilon: Nats, within: Within) -> OneCoin:
    """The mechanism of a block of one size."""
    if size == 1:
        return RandomizedResponse(1, epsilon)
    return min(offered(size, epsilon, within), key=lambda mechanism: mechanism.total_variance)


def offered(k: int, epsilon: NatsLike, within: Within = "best") -> list[OneCoin]:
    """The mechanisms over k values that can keep this epsilon.

    Raises:
        SordinoError: none can.
    """
    made: list[OneCoin] = []
    refusals = []
    for name, make in INNER.items():
        if within in (name, "best"):
            try:
                made.append(make(k, epsilon))
            except SordinoError as refusal:
                refusals.append(refusal)
    if not made:
        raise refusals[0]
    return made
