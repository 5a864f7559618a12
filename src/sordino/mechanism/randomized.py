"""k-ary randomized response: the true value with odds e^eps against each other one.

Guarantee: eps-LDP, exactly. Weights over 2^64 (k - 1): (k - 1) T for the truth and 2^64 - T for each other value,
with T the largest integer that (k - 1) T <= e^eps (2^64 - T) allows. Best for few values or a large epsilon. Cost:
two words a value.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from sordino.evidence.finite import ColumnClass, ValueClass
from sordino.exact.coin import WORD
from sordino.exact.entries import Entries
from sordino.exact.messages import checked, checked_class
from sordino.exact.nats import NatsLike
from sordino.exact.source import Stream, Words, uniform_below
from sordino.exact.word_arithmetic import select
from sordino.mechanism.one_coin import OneCoin
from sordino.mechanism.supported import Support


@checked_class
@dataclass(frozen=True, init=False)
class RandomizedResponse(OneCoin):
    """Randomized response over k values; k = 1 is the constant channel.

    Source: Warner 1965 for k = 2; context-aware LDP paper, (10).

    Example:
        >>> RandomizedResponse(2, "ln 3").hit
        array([0.75, 0.75])
    """

    name: ClassVar[str] = "randomized"

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
        return 1, self.k - 1

    @property
    def draw(self) -> Any:
        return ["sides", "threshold", ["run", "v", "k", 1]]

    @property
    def parameters(self) -> str:
        return f"randomized k={self.k} threshold={self.threshold}"

    @property
    def outputs(self) -> int:
        return self.k

    @property
    def denominator(self) -> int:
        return WORD * (self.k - 1) if self.k > 1 else 1

    @cached_property
    def hit(self) -> NDArray[np.float64]:
        return np.broadcast_to(np.float64(self.threshold / WORD if self.k > 1 else 1.0), self.k)

    @cached_property
    def miss(self) -> NDArray[np.float64]:
        return np.broadcast_to(np.float64((WORD - self.threshold) / self.denominator if self.k > 1 else 0.0), self.k)

    def weight(self, value: int, code: int) -> int:
        """(k - 1) T where the code is the value, else 2^64 - T."""
        if self.k == 1:
            return 1
        return (self.k - 1) * self.threshold if code == value else WORD - self.threshold

    def columns(self) -> Iterator[ColumnClass]:
        """One class: on its k outputs each value is once told truly."""
        weights: tuple[tuple[int, int], ...] = ((self.weight(0, 0), 1),)
        if self.k > 1:
            weights += ((self.weight(0, 1), self.k - 1),)
        yield ColumnClass(self.k, self.k, 0, (ValueClass(np.arange(self.k), weights, (0, 0)),))

    def supports(self, codes: Words) -> NDArray[np.bool_]:
        own: NDArray[np.bool_] = codes[:, None] == np.arange(self.k, dtype=np.uint64)
        return own

    def support(self, weights: NDArray[np.float64]) -> Support:
        return Support(weights, np.broadcast_to(weights.sum(axis=-1, keepdims=True), weights.shape))

    def forward(self, p: NDArray[np.float64]) -> NDArray[np.float64]:
        law: NDArray[np.float64] = self.hit * p + self.miss * (p.sum(axis=-1, keepdims=True) - p)
        return law

    def _sample(self, values: NDArray[np.intp], stream: Stream) -> Words:
        # What the draw says, in fewer steps: most numbers are asked through two values.
        if self.k == 2:
            return flip_bits(values, np.uint64(self.threshold), stream)
        if self.k == 1:
            return super()._sample(values, stream)
        lie = stream.next() >= np.uint64(self.threshold)
        truth = values.astype(np.uint64)
        other = uniform_below(self.k - 1, stream)
        other += other >= truth
        return select(lie, other, truth)


def flip_bits(bits: NDArray[np.intp], thresholds: Words | np.uint64, stream: Stream) -> Words:
    """Bits by randomized response, each told truly with probability T / 2^64, its own T or all one's."""
    lie = stream.next() >= thresholds
    stream.next()
    return bits.view(np.uint64) ^ lie
