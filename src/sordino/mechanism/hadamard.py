"""Hadamard response: a code from the value's own half of the codes with odds e^eps against the other half.

Guarantee: eps-LDP, exactly. Value x owns row x + 1 of the Sylvester matrix of order K > k; over 2^64 K / 2, codes with
entry +1 weigh T and the others 2^64 - T, with T the largest integer that T <= e^eps (2^64 - T) allows. Cost: two
words a value, log2 K bits a report, K log K additions an estimate. Source: context-aware LDP paper, Sections 2 and 6.1.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from sordino.evidence.finite import ColumnClass, ValueClass
from sordino.exact.coin import WORD
from sordino.exact.combinatorics.hadamard_matrix import order, parity, transform
from sordino.exact.entries import Entries
from sordino.exact.messages import checked, checked_class
from sordino.exact.nats import NatsLike
from sordino.exact.source import Stream, Words
from sordino.mechanism.one_coin import OneCoin
from sordino.mechanism.supported import Support


@checked_class
@dataclass(frozen=True, init=False)
class HadamardResponse(OneCoin):
    """Hadamard response over k values.

    Example:
        >>> HadamardResponse(43_750, "1").code_bits
        16
    """

    name: ClassVar[str] = "hadamard"

    def __init__(self, k: int, epsilon: NatsLike) -> None:
        self._set_size(k)
        self._set_epsilon(epsilon)

    @classmethod
    @checked
    def from_threshold(cls, k: int, threshold: int) -> Self:
        """The channel of a frozen plan, with its own integer; certify tells what it guarantees."""
        mechanism = cls.__new__(cls)
        mechanism._set_size(k)
        mechanism._set_threshold(threshold)
        return mechanism

    @classmethod
    @checked
    def from_record(cls, entries: Entries, promise: object = None) -> Self:
        del promise
        return cls.from_threshold(entries.whole("k"), entries.integer("threshold"))

    @property
    def sides(self) -> tuple[int, int]:
        return self.outputs // 2, self.outputs // 2

    @property
    def parameters(self) -> str:
        return f"hadamard k={self.k} threshold={self.threshold}"

    @cached_property
    def outputs(self) -> int:
        return order(self.k)

    @property
    def denominator(self) -> int:
        """2^64 K / 2."""
        return WORD * (self.outputs // 2)

    @cached_property
    def miss(self) -> NDArray[np.float64]:
        return np.broadcast_to(np.float64(0.5), self.k)

    def weight(self, value: int, code: int) -> int:
        """T where row value + 1 is +1 at the code, else 2^64 - T."""
        return WORD - self.threshold if ((value + 1) & code).bit_count() & 1 else self.threshold

    def columns(self) -> Iterator[ColumnClass]:
        """One class: each row is +1 on half of the K outputs. On code 1 the values 0 and 1 differ."""
        half = self.outputs // 2
        weights = ((self.threshold, half), (WORD - self.threshold, half))
        yield ColumnClass(self.k, self.outputs, 1, (ValueClass(np.arange(self.k), weights, (half // 2,)),))

    def supports(self, codes: Words) -> NDArray[np.bool_]:
        """By the entry of row value + 1."""
        shared = codes[:, None] & np.arange(1, self.k + 1, dtype=np.uint64)
        even: NDArray[np.bool_] = np.bitwise_count(shared) % 2 == 0
        return even

    def support(self, weights: NDArray[np.float64]) -> Support:
        """Sums over the +1 entries of each row: (total + H w) / 2."""
        rows = transform(weights)
        total = rows[..., :1]
        own = rows[..., 1 : self.k + 1]
        return Support((total + own) / 2, np.broadcast_to(total, own.shape))

    @property
    def support_sizes(self) -> NDArray[np.float64]:
        """Half of the values and half of the column sum of their rows."""
        rows = np.zeros(self.outputs)
        rows[1 : self.k + 1] = 1
        return (self.k + transform(rows)) / 2

    def forward(self, p: NDArray[np.float64]) -> NDArray[np.float64]:
        """The law of the code: (1 + (2 hit - 1) H p) / K, with p on rows 1..k."""
        rows = np.zeros((*p.shape[:-1], self.outputs))
        rows[..., 1 : self.k + 1] = p
        tilt = (2 * self.threshold - WORD) / WORD
        law: NDArray[np.float64] = (p.sum(axis=-1, keepdims=True) + tilt * transform(rows)) / self.outputs
        return law

    def sample_uniform(self, stream: Stream) -> Words:
        code = stream.next()
        code >>= np.uint64(65 - self.outputs.bit_length())
        return code

    def _sample(self, values: NDArray[np.intp], stream: Stream) -> Words:
        # A uniform code; where it is on the wrong half, flipping the row's lowest bit moves it to the other half:
        # exact.
        row = values.astype(np.uint64)
        row += np.uint64(1)
        against = stream.next() >= np.uint64(self.threshold)
        code = self.sample_uniform(stream)
        wrong = parity(row, code)
        wrong ^= against.view(np.uint8)
        lowest = row & (~row + np.uint64(1))
        lowest *= wrong
        code ^= lowest
        return code
