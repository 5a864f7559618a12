"""Unary encoding: a bit for each value, each answered by itself; the baselines RAPPOR and uRAP.

Guarantee: eps-LDP, or with sensitive values high-low eps-LDP, exactly. The own bit is set with probability T / 2^64 and
each other sensitive one with 1 - T / 2^64, with T the largest integer for which (T / (2^64 - T))^2 <= e^eps. A value
that is not sensitive sets its own bit with probability 1 - R / 2^64, with R the least that hides it well enough, and
no other bit of its kind is ever set. To compare with: subset selection has a lower variance in as many bits. Cost: a
word for each sensitive value, whatever the value.
Source: Erlingsson, Pihur, Korolova 2014 (the basic one-time RAPPOR); Murakami, Kawamoto 2019 (uRAP).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import comb

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sordino.definition.bounds import read_epsilon
from sordino.definition.high_low import read_sensitive
from sordino.errors import SordinoError
from sordino.evidence.finite import ColumnClass, ValueClass
from sordino.exact.arrays import Floats
from sordino.exact.coin import WORD, least_weight, most_weight
from sordino.exact.combinatorics.subsets import bit_counts
from sordino.exact.messages.arguments import checked_class
from sordino.exact.messages.brief import Brief, shown
from sordino.exact.nats import NatsLike
from sordino.exact.select import select
from sordino.exact.source import Stream, Words
from sordino.mechanism.supported import Reading, Support, SupportMechanism

LARGEST = 64
"""Values at most: a code has a bit for each."""


@checked_class
@dataclass(frozen=True, eq=False, init=False, repr=False)
class UnaryEncoding(Brief, SupportMechanism):
    """Unary encoding over at most 64 values.

    Attributes:
        sensitive: shape (s,), the values whose bits are noisy; all of them for RAPPOR.
        threshold: T.
        hidden: R, out of 2^64.

    Example:
        >>> float(UnaryEncoding(10, "1").variance(np.eye(10)[0])[1].round(3))
        3.918
    """

    sensitive: NDArray[np.intp]
    threshold: int
    hidden: int

    def __init__(self, k: int, epsilon: NatsLike, sensitive: ArrayLike | None = None) -> None:
        if not 1 <= k <= LARGEST:
            raise SordinoError(f"unary encoding needs 1 to {LARGEST} values, a bit each", found=shown(k))
        bound = read_epsilon(epsilon)
        values = np.arange(k) if sensitive is None else read_sensitive(k, sensitive)
        # By bisection: T^2 <= e^eps (2^64 - T)^2 holds up to the largest such T.
        threshold, step = WORD // 2, WORD // 4
        while step:
            if (threshold + step) ** 2 <= most_weight(bound, (WORD - threshold - step) ** 2):
                threshold += step
            step //= 2
        values.setflags(write=False)
        hidden = min(least_weight(bound, Fraction(WORD * threshold, WORD - threshold)), WORD)
        for name, setting in (("k", k), ("sensitive", values), ("threshold", threshold), ("hidden", hidden)):
            object.__setattr__(self, name, setting)

    @cached_property
    def _is_other(self) -> NDArray[np.bool_]:
        """Whether each value is not sensitive, shape (k,)."""
        is_other = np.ones(self.k, dtype=np.bool_)
        is_other[self.sensitive] = False
        return is_other

    @cached_property
    def others(self) -> NDArray[np.intp]:
        """The values that are not sensitive, ascending."""
        return np.setdiff1d(np.arange(self.k), self.sensitive)

    @property
    def parameters(self) -> str:
        sensitive = ",".join(map(str, self.sensitive.tolist()))
        return f"unary k={self.k} sensitive={sensitive} threshold={self.threshold} hidden={self.hidden}"

    @property
    def outputs(self) -> int:
        return 1 << self.k

    @property
    def counters(self) -> int:
        """For each value the reports with its bit; then all reports."""
        return self.k + 1

    @property
    def counts_codes(self) -> bool:
        """No: it counts bits, even of one value, whose two counters are as many as its codes."""
        return False

    @property
    def denominator(self) -> int:
        """2^64 for each noisy bit, and once more for hiding."""
        return int(WORD ** (len(self.sensitive) + 1))

    @cached_property
    def reading(self) -> Reading:
        hit, hidden = self.threshold / WORD, self.hidden / WORD
        noisy = Reading.of(np.full(self.k, hit), np.full(self.k, 1 - hit), alone=False)
        if not self.others.size:
            return noisy
        on, off = noisy.on.copy(), noisy.off.copy()
        on[self.others], off[self.others] = (1 / (1 - hidden) if hidden < 1 else np.inf), 0.0
        return Reading(on, off, noisy.outside, noisy.alone, noisy.whole, noisy.entering)

    def weight(self, value: int, code: int) -> int:
        """The product over the noisy bits, times the weight of hiding or of being told."""
        own = self._noise(code.bit_count() - (told := code & ~self._mask).bit_count())
        if value in self.sensitive:
            if told:
                return 0
            set_here = code >> value & 1
            # Its own bit is set as often as others are not.
            flip = WORD - self.threshold
            return own * WORD * self.threshold // flip if set_here else own * WORD * flip // self.threshold
        if told:
            return own * (WORD - self.hidden) if told == 1 << value else 0
        return own * self.hidden

    def columns(self) -> Iterator[ColumnClass]:
        """By how many noisy bits are set, and whether a value tells itself."""
        size, flip = len(self.sensitive), WORD - self.threshold
        for held in range(size + 1):
            noise, count = self._noise(held), comb(size, held)
            code = sum(1 << int(value) for value in self.sensitive[:held])
            weights = []
            if held:
                weights.append((noise // flip * self.threshold * WORD, comb(size - 1, held - 1)))
            if held < size:
                weights.append((noise // self.threshold * flip * WORD, comb(size - 1, held)))
            parts = [ValueClass(self.sensitive, tuple(weights))]
            if self.others.size:
                parts.append(ValueClass(self.others, ((noise * self.hidden, count),)))
            yield ColumnClass(self.k, count, code, tuple(parts))
            if self.others.size:
                rest = count * (len(self.others) - 1)
                told = ((noise * (WORD - self.hidden), count), *(((0, rest),) if rest else ()))
                code |= 1 << int(self.others[0])
                yield ColumnClass(self.k, count + rest, code, (ValueClass(self.others, told),))

    def support(self, counters: Floats) -> Support:
        own = counters[..., :-1]
        return Support(own, np.broadcast_to(counters[..., -1:], own.shape))

    def forward(self, p: Floats) -> Floats:
        total = p.sum(axis=-1, keepdims=True)
        return np.concatenate((p * self._own + (total - p) * self._foreign, total), axis=-1)

    def adjoint(self, weights: Floats) -> Floats:
        own = weights[..., :-1]
        foreign = own * self._foreign
        expected: Floats = own * self._own + foreign.sum(axis=-1, keepdims=True) - foreign
        return expected + weights[..., -1:]

    def reports(self, counters: NDArray[np.integer]) -> int:
        return int(counters[-1])

    def possible(self, counters: NDArray[np.integer]) -> bool:
        return bool((counters[..., :-1] <= counters[..., -1:]).all())

    def block_shares(self, law: Floats) -> Floats:
        return law[..., -1:]

    def are_impossible(self, codes: NDArray[np.integer]) -> NDArray[np.bool_]:
        """Two values that tell themselves."""
        told: NDArray[np.bool_] = np.bitwise_count(codes.astype(np.uint64) & np.uint64(~self._mask % WORD)) > 1
        return told

    @cached_property
    def _mask(self) -> int:
        """The noisy bits."""
        return sum(1 << int(value) for value in self.sensitive)

    @cached_property
    def _own(self) -> Floats:
        """How likely each value is to set its own bit, shape (k,)."""
        own = np.full(self.k, self.threshold / WORD)
        own[self.others] = (WORD - self.hidden) / WORD
        return own

    @cached_property
    def _foreign(self) -> Floats:
        """How likely each bit is to be set by another value, shape (k,)."""
        foreign = np.zeros(self.k)
        foreign[self.sensitive] = (WORD - self.threshold) / WORD
        return foreign

    def _noise(self, held: int) -> int:
        """The weight of so many noisy bits for a value that owns none of them."""
        return int((WORD - self.threshold) ** held * self.threshold ** (len(self.sensitive) - held))

    def _count(self, codes: Words, group: NDArray[np.intp], groups: int) -> NDArray[np.int64]:
        reports = np.bincount(group, minlength=groups)
        return np.column_stack((bit_counts(codes, self.k, group, groups), reports)).astype(np.int64, copy=False)

    def _sample(self, values: NDArray[np.intp], stream: Stream) -> Words:
        codes = np.zeros(len(values), dtype=np.uint64)
        own, foreign = np.uint64(self.threshold), np.uint64(WORD - self.threshold)
        for value in self.sensitive.tolist():
            bit = stream.next() < select(values == value, own, foreign)
            codes |= bit.astype(np.uint64) << np.uint64(value)
        coin = stream.next()
        if self.others.size and self.hidden < WORD:
            told = (coin >= np.uint64(self.hidden)) & self._is_other[values]
            codes |= told.astype(np.uint64) << values.astype(np.uint64)
        return codes
