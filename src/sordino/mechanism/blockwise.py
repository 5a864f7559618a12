"""Blockwise response: the block in the clear, and inside it a mechanism of its own.

Guarantee: block-structured eps-LDP, exactly: each inner mechanism is eps-LDP on its block, and codes of different
blocks never meet. A code is the block's offset plus the inner code. A named combinator: it holds other mechanisms.

Where codes and counters of blocks stand: those of each block's own mechanism, one block after the other.

A code is its block's first code plus the inner code, so that codes of different blocks never meet; counters likewise.
Blocks of one size have one mechanism, and what is done with them is done with all of them at once.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from itertools import accumulate
from math import lcm
from typing import Any, ClassVar, Self, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sordino.definition.bounds import read_epsilon
from sordino.definition.matrix import PairwiseLDP
from sordino.definition.pairwise import BlockLDP
from sordino.domain.value_partition import Partition
from sordino.errors import SordinoError
from sordino.evidence.finite import ColumnClass, ColumnStack, ValueClass
from sordino.exact.entries import Entries
from sordino.exact.messages import Brief, checked, checked_class, shown
from sordino.exact.nats import NatsLike
from sordino.exact.source import Stream, Words
from sordino.mechanism.channel import CHUNK, LARGEST_CODE_BITS, read_channel
from sordino.mechanism.draws.spelled_list import spelled_list
from sordino.mechanism.inner import INNER, Within, codes_in_blocks, inner_of_blocks
from sordino.mechanism.one_coin import OneCoin
from sordino.mechanism.supported import Reading, Support, SupportMechanism


@dataclass(frozen=True, eq=False)
class BlockCodes:
    """The codes and counters of a partition's blocks.

    Attributes:
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


@checked_class
@dataclass(frozen=True, init=False, repr=False)
class Blockwise(Brief, SupportMechanism):
    """One inner mechanism for each block of a partition; a block of one value is told as it is.

    Source: context-aware LDP paper, Section 6.1; randomized response inside where its exact variance is lower.

    Attributes:
        blocks: the partition.
        inner: the mechanism of each block size that occurs, by ascending size (its k is the size).

    Example:
        >>> import numpy as np
        >>> Blockwise(np.repeat(np.arange(1750), 25), "1").code_bits
        36
    """

    name: ClassVar[str] = "blockwise"

    blocks: Partition
    inner: tuple[OneCoin, ...]

    def __init__(
        self,
        blocks: Partition | Sequence[Sequence[int]] | ArrayLike,
        epsilon: NatsLike,
        within: Within = "best",
        code_bits: int = LARGEST_CODE_BITS,
    ) -> None:
        partition = Partition.of(blocks)
        bound = read_epsilon(epsilon)
        if within not in get_args(Within):
            raise SordinoError(f"within must be one of {', '.join(get_args(Within))}", found=shown(within))
        self._fill(partition, inner_of_blocks(partition, bound, within, min(code_bits, LARGEST_CODE_BITS)))

    @classmethod
    @checked
    def from_inner(cls, blocks: Partition, inner: Sequence[OneCoin]) -> Self:
        """The channel of a frozen plan: a mechanism for each block size that occurs."""
        by_size = tuple(sorted(inner, key=lambda mechanism: mechanism.k))
        if [mechanism.k for mechanism in by_size] != blocks.different_sizes:
            raise SordinoError("there must be one inner mechanism for each block size")
        mechanism = cls.__new__(cls)
        mechanism._fill(blocks, by_size)
        return mechanism

    @property
    def record(self) -> dict[str, Any]:
        return {"inner": [mechanism.document_fields for mechanism in self.inner]}

    @classmethod
    @checked
    def from_record(cls, entries: Entries, promise: object = None) -> Self:
        if not isinstance(promise, BlockLDP | PairwiseLDP):
            raise SordinoError("a blockwise mechanism needs a promise by blocks", found=type(promise).__name__)
        blocks = promise.partition if isinstance(promise, BlockLDP) else promise.components
        inner = [read_channel(own, INNER) for own in entries.inners("inner")]
        return cls.from_inner(blocks, inner)

    def _fill(self, blocks: Partition, inner: tuple[OneCoin, ...]) -> None:
        codes = sum(codes_in_blocks(blocks, mechanism) for mechanism in inner)
        if codes > 1 << LARGEST_CODE_BITS:
            raise SordinoError(f"a report must fit in {LARGEST_CODE_BITS} bits", found=f"{(codes - 1).bit_length()}")
        object.__setattr__(self, "k", blocks.k)
        object.__setattr__(self, "blocks", blocks)
        object.__setattr__(self, "inner", inner)

    @cached_property
    def _codes(self) -> BlockCodes:
        return BlockCodes(self.blocks, self.inner)

    @property
    def has_draw(self) -> bool:
        return all(mechanism.has_draw for mechanism in self.inner)

    @property
    def draw(self) -> Any:
        return ["blocks", spelled_list(self.blocks.block), "inner"]

    @property
    def parameters(self) -> str:
        partition = sha256(self.blocks.block.astype("<i8").tobytes()).hexdigest()
        return f"blockwise blocks={partition} " + " | ".join(mechanism.parameters for mechanism in self.inner)

    @property
    def outputs(self) -> int:
        return self._codes.offsets[-1]

    @property
    def counters(self) -> int:
        return int(self._codes.first_counter[-1])

    @cached_property
    def block_of_counter(self) -> NDArray[np.intp]:
        return np.repeat(np.arange(self.blocks.m), np.diff(self._codes.first_counter))

    @property
    def counts_codes(self) -> bool:
        return all(mechanism.counts_codes for mechanism in self.inner)

    @cached_property
    def denominator(self) -> int:
        return lcm(*(mechanism.denominator for mechanism in self.inner))

    @property
    def partition(self) -> Partition:
        return self.blocks

    @cached_property
    def reading(self) -> Reading:
        parts = [mechanism.reading for mechanism in self.inner]
        on, off, outside, alone = (
            self._codes.spread([getattr(part, name) for part in parts]) for name in ("on", "off", "outside", "alone")
        )
        whole = np.broadcast_to(np.bool_(self.blocks.m == 1), self.k)
        return Reading(on, off, outside, alone > 0, whole, np.broadcast_to(np.float64(0), self.k))

    @property
    def excess(self) -> NDArray[np.float64] | None:
        """Each counter's, from its block's mechanism; not kept, since counters can be several times the values."""
        excess = np.zeros(self.counters)
        for mechanism, rows, _ in self._codes.batches:
            if mechanism.excess is None:
                return None
            excess[rows] = mechanism.excess
        return excess

    @cached_property
    def _scales(self) -> list[int]:
        """What an inner weight counts on the common denominator, for each of `inner`."""
        return [self.denominator // mechanism.denominator for mechanism in self.inner]

    def weight(self, value: int, code: int) -> int:
        block = self.blocks.block.item(value)
        first = self._codes.offsets[block]
        if not first <= code < self._codes.offsets[block + 1]:
            return 0
        kind = self._codes.kind.item(block)
        return self._scales[kind] * self.inner[kind].weight(self.blocks.place.item(value), code - first)

    def marks(self, codes: Words) -> tuple[tuple[int, ...], NDArray[np.integer]]:
        block, inner = self._codes.split(codes)
        kinds = self._codes.kind[block]
        marks, weights = np.zeros((len(codes), self.k), dtype=np.int32), [0]
        for kind in np.flatnonzero(np.bincount(kinds)).tolist():
            mechanism, rows = self.inner[kind], np.flatnonzero(kinds == kind)
            own, found = mechanism.marks(inner[rows])
            values = self.blocks.order[self.blocks.starts[block[rows], None] + np.arange(mechanism.k)]
            marks[rows[:, None], values] = found + np.int32(len(weights))
            weights += [self._scales[kind] * weight for weight in own]
        return tuple(weights), marks

    def columns(self) -> Iterator[ColumnClass]:
        for stack in self.stacks():
            yield from stack

    def stacks(self) -> Iterator[ColumnStack]:
        for kind, (mechanism, scale) in enumerate(zip(self.inner, self._scales, strict=True)):
            blocks = np.flatnonzero(self._codes.kind == kind)
            values = self.blocks.order[self.blocks.starts[blocks, np.newaxis] + np.arange(mechanism.k)]
            offsets = [self._codes.offsets[block] for block in blocks.tolist()]
            for column in mechanism.columns():
                parts = (
                    ValueClass(
                        values[:, part.values], tuple((weight * scale, n) for weight, n in part.weights), part.shared
                    )
                    for part in column.parts
                )
                codes = [offset + column.code for offset in offsets]
                yield ColumnStack(self.k, column.count, codes, tuple(parts))

    def support(self, counters: NDArray[np.float64]) -> Support:
        support = np.empty((*counters.shape[:-1], self.k))
        group = np.empty_like(support)
        for mechanism, rows, values in self._codes.batches:
            inner = mechanism.support(counters[..., rows])
            support[..., values], group[..., values] = inner.support, inner.group
        return Support(support, group)

    def forward(self, p: NDArray[np.float64]) -> NDArray[np.float64]:
        law = np.empty((*p.shape[:-1], self.counters))
        for mechanism, rows, values in self._codes.batches:
            law[..., rows] = mechanism.forward(p[..., values])
        return law

    def adjoint(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        expected = np.empty((*weights.shape[:-1], self.k))
        for mechanism, rows, values in self._codes.batches:
            expected[..., values] = mechanism.adjoint(weights[..., rows])
        return expected

    def code_values(self, functional: NDArray[np.float64]) -> NDArray[np.float64]:
        if not self.counts_codes:
            return super().code_values(functional)
        contributions = np.zeros(self.outputs)
        for mechanism, rows, values in self._codes.by_size:
            touched = functional[values].any(axis=1)
            for row, inside in zip(rows[touched], values[touched], strict=True):
                contributions[row] = mechanism.code_values(functional[inside])
        return contributions

    def second_moments(
        self, functionals: NDArray[np.float64], law: NDArray[np.float64], *, subtract_totals: bool = False
    ) -> NDArray[np.float64]:
        """The sum over the blocks: reports of one add nothing to the others' values."""
        moments = np.zeros((len(functionals), len(functionals)))
        for mechanism, row, inside, touching in self._nonzero_blocks(functionals):
            own = functionals[np.ix_(touching, inside)]
            found = mechanism.second_moments(own, law[row], subtract_totals=subtract_totals)
            moments[np.ix_(touching, touching)] += found
        return moments

    def square_weights(self, functionals: NDArray[np.float64], *, subtract_totals: bool = False) -> NDArray[np.float64]:
        """Block by block: counters of one weigh nothing in functionals of the others' values."""
        weights = np.zeros((len(functionals), self.counters))
        for mechanism, row, inside, touching in self._nonzero_blocks(functionals):
            own = functionals[np.ix_(touching, inside)]
            weights[np.ix_(touching, row)] = mechanism.square_weights(own, subtract_totals=subtract_totals)
        return weights

    def _nonzero_blocks(
        self, functionals: NDArray[np.float64]
    ) -> Iterator[tuple[OneCoin, NDArray[np.intp], NDArray[np.intp], NDArray[np.intp]]]:
        """For each block its mechanism, counters and values, and the functionals that are not zero on all of these."""
        for mechanism, rows, values in self._codes.by_size:
            for row, inside in zip(rows, values, strict=True):
                touching = np.flatnonzero(functionals[:, inside].any(axis=1))
                if touching.size:
                    yield mechanism, row, inside, touching

    def moment(self, p: NDArray[np.float64]) -> NDArray[np.float64]:
        moment = np.empty(p.shape)
        for mechanism, _, values in self._codes.batches:
            moment[..., values] = mechanism.moment(p[..., values])
        return moment

    def reports(self, counters: NDArray[np.integer]) -> int:
        return sum(mechanism.reports(counters[row]) for mechanism, rows, _ in self._codes.by_size for row in rows)

    def possible(self, counters: NDArray[np.integer]) -> bool:
        return all(mechanism.possible(counters[..., rows]) for mechanism, rows, _ in self._codes.by_size)

    def block_shares(self, law: NDArray[np.float64]) -> NDArray[np.float64]:
        shares = np.empty((*law.shape[:-1], self.blocks.m))
        for mechanism, rows, values in self._codes.batches:
            shares[..., self.blocks.block[values[:, 0]]] = mechanism.block_shares(law[..., rows])[..., 0]
        return shares

    def are_impossible(self, codes: NDArray[np.integer]) -> NDArray[np.bool_]:
        wrong = np.zeros(len(codes), dtype=np.bool_)
        if any(not mechanism.counts_codes for mechanism in self.inner):
            block, inner = self._codes.split(codes.astype(np.uint64, copy=False))
            if len(self.inner) == 1:
                return self.inner[0].are_impossible(inner)
            for kind, mechanism in enumerate(self.inner):
                rows = np.flatnonzero(self._codes.kind[block] == kind)
                wrong[rows] = mechanism.are_impossible(inner[rows])
        return wrong

    def _count(self, codes: Words, group: NDArray[np.intp], groups: int) -> NDArray[np.int64]:
        if self.counts_codes:
            return super()._count(codes, group, groups)
        block, inner = self._codes.split(codes)
        if groups > 1:
            block = block + group * self.blocks.m
        if len(self.inner) == 1:
            return self.inner[0]._count(inner, block, groups * self.blocks.m).reshape(groups, self.counters)
        counts = np.empty((groups, self.counters), dtype=np.int64)
        kinds = np.tile(self._codes.kind, groups)
        for kind, (mechanism, columns, _) in enumerate(self._codes.by_size):
            own, rows = np.flatnonzero(kinds == kind), np.flatnonzero(kinds[block] == kind)
            rank = np.empty(len(kinds), dtype=np.intp)
            rank[own] = np.arange(len(own))
            each = mechanism._count(inner[rows], rank[block[rows]], len(own))
            counts[:, columns] = each.reshape(groups, *columns.shape)
        return counts

    @property
    def _chunk(self) -> int:
        # Few calls of each inner mechanism: its fixed cost is shared by many values.
        return min(CHUNK * len(self.inner), 1 << 20)

    def _sample(self, values: NDArray[np.intp], stream: Stream) -> Words:
        place = self.blocks.place.take(values)
        if len(self.inner) == 1:
            codes = self.inner[0]._sample(place, stream)
        else:
            kinds = self._codes.kind_of[values]
            order = np.argsort(kinds, kind="stable")
            codes = np.empty(len(values), dtype=np.uint64)
            ends = np.cumsum(np.bincount(kinds, minlength=len(self.inner)))
            for mechanism, rows in zip(self.inner, np.split(order, ends[:-1]), strict=True):
                if rows.size:
                    codes[rows] = mechanism._sample(place[rows], stream.take(rows))
        codes += self._codes.offset_of.take(values)
        return codes


BATCH = 1 << 18
"""Counters of the blocks that are looked at together: 2 MB."""
