"""High-low response: a sensitive value answers by an inner mechanism, another value mostly tells itself.

Guarantee: high-low eps-LDP, exactly. Another value hides with probability R / 2^64 behind a uniform code of the inner
mechanism, else it is told as it is; R is the least whole number for which no inner code favours a sensitive value by
more than e^eps. Codes are the inner ones, then one for each value that is not sensitive. A named combinator: it holds
another mechanism. Cost: two words a value.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from hashlib import sha256
from math import lcm
from typing import Any, ClassVar, Self, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sordino.definition.bounds import read_epsilon
from sordino.definition.high_low import HighLowLDP, read_sensitive
from sordino.definition.matrix import PairwiseLDP
from sordino.domain.value_partition import Partition
from sordino.errors import SordinoError
from sordino.evidence.finite import ColumnClass, ValueClass
from sordino.exact.coin import WORD, least_weight
from sordino.exact.entries import Entries
from sordino.exact.messages import Brief, checked, checked_class, shown
from sordino.exact.nats import NatsLike
from sordino.exact.source import Stream, Words
from sordino.mechanism.channel import LARGEST_CODE_BITS, read_channel
from sordino.mechanism.draws.draw_program import draw_hidden
from sordino.mechanism.draws.spelled_list import spelled_list
from sordino.mechanism.inner import INNER, Within, offered_wide
from sordino.mechanism.one_coin import OneCoin
from sordino.mechanism.subset_selection import SubsetSelection
from sordino.mechanism.supported import Reading, Support, SupportMechanism


@checked_class
@dataclass(frozen=True, eq=False, init=False, repr=False)
class HighLow(Brief, SupportMechanism):
    """High-low response over k values.

    Source: context-aware LDP paper, Section 5.1, (13) to (16) as corrected; the inner mechanism by its exact
    variance.

    Attributes:
        sensitive: shape (s,), the sensitive values, ascending.
        inner: the mechanism over the s sensitive values.
        hidden: the weight R out of 2^64 with which another value is not told as it is.

    Example:
        >>> HighLow(6, [0, 1], "1").total_variance.__round__(4)
        3.4506
    """

    name: ClassVar[str] = "high-low"

    sensitive: NDArray[np.intp]
    inner: OneCoin
    hidden: int

    def __init__(
        self,
        k: int,
        sensitive: ArrayLike,
        epsilon: NatsLike,
        within: Within = "best",
        code_bits: int = LARGEST_CODE_BITS,
    ) -> None:
        values, bound = read_sensitive(k, sensitive), read_epsilon(epsilon)
        if within not in get_args(Within):
            raise SordinoError(f"within must be one of {', '.join(get_args(Within))}", found=shown(within))
        most = 1 << min(code_bits, LARGEST_CODE_BITS)
        choices = offered_wide(len(values), bound, within)
        outputs = [inner.outputs + k - len(values) for inner in choices]
        if min(outputs) > most:
            least = (min(outputs) - 1).bit_length()
            raise SordinoError(f"a report must fit in {code_bits} bits", found=f"at least {least} needed")
        fitting = [
            self.from_inner(k, values, inner, min(least_weight(bound, _heaviest(inner)), WORD))
            for inner, codes in zip(choices, outputs, strict=True)
            if codes <= most
        ]
        best = min(fitting, key=lambda one: one.total_variance)
        self._fill(k, values, best.inner, best.hidden)

    @classmethod
    @checked
    def from_inner(cls, k: int, sensitive: ArrayLike, inner: OneCoin, hidden: int) -> Self:
        """The channel of a frozen plan, with its own integers; certify tells what it guarantees."""
        values = read_sensitive(k, sensitive)
        if inner.k != len(values):
            raise SordinoError(f"the inner mechanism must be about {len(values)} sensitive values", found=f"{inner.k}")
        if not 0 <= hidden <= WORD:
            raise SordinoError("the weight of hiding must lie in 0..2^64", found=shown(hidden))
        if (codes := inner.outputs + k - len(values)) > 1 << LARGEST_CODE_BITS:
            raise SordinoError(f"a report must fit in {LARGEST_CODE_BITS} bits", found=f"{codes} codes")
        mechanism = cls.__new__(cls)
        mechanism._fill(k, values, inner, hidden)
        return mechanism

    @property
    def record(self) -> dict[str, Any]:
        return {"inner": self.inner.document_fields, "hidden": str(self.hidden)}

    @classmethod
    @checked
    def from_record(cls, entries: Entries, promise: object = None) -> Self:
        if not isinstance(promise, HighLowLDP | PairwiseLDP):
            raise SordinoError("a high-low mechanism needs sensitive values", found=type(promise).__name__)
        sensitive = promise.sensitive if isinstance(promise, HighLowLDP) else promise.protected_values
        inner = read_channel(entries.inner("inner"), INNER)
        return cls.from_inner(promise.k, sensitive, inner, entries.integer("hidden"))

    def _fill(self, k: int, sensitive: NDArray[np.intp], inner: OneCoin, hidden: int) -> None:
        for name, value in (("k", k), ("sensitive", sensitive), ("inner", inner), ("hidden", hidden)):
            object.__setattr__(self, name, value)

    @cached_property
    def others(self) -> NDArray[np.intp]:
        """The values that are not sensitive, ascending."""
        return np.flatnonzero(np.bincount(self.sensitive, minlength=self.k) == 0)

    @cached_property
    def _place(self) -> NDArray[np.intp]:
        """Each value's place among the sensitive ones, shape (k,), or -1 less its place among the others."""
        place = np.empty(self.k, dtype=np.intp)
        place[self.sensitive] = np.arange(len(self.sensitive))
        place[self.others] = -1 - np.arange(len(self.others))
        return place

    @property
    def has_draw(self) -> bool:
        return self.inner.has_draw

    @property
    def draw(self) -> Any:
        return ["hide", spelled_list(self.sensitive), "inner", "hidden"]

    @property
    def parameters(self) -> str:
        sensitive = sha256(self.sensitive.astype("<i8").tobytes()).hexdigest()
        return f"high-low k={self.k} sensitive={sensitive} hidden={self.hidden} | {self.inner.parameters}"

    @property
    def outputs(self) -> int:
        return self.inner.outputs + len(self.others)

    @property
    def counters(self) -> int:
        return self.inner.counters + len(self.others)

    @cached_property
    def denominator(self) -> int:
        return lcm(self.inner.denominator, WORD * sum(self.inner.sides))

    @property
    def _behind(self) -> int:
        return self.hidden * (self.denominator // (WORD * sum(self.inner.sides)))

    @property
    def _other_weight(self) -> int:
        return (WORD - self.hidden) * (self.denominator // WORD)

    @cached_property
    def reading(self) -> Reading:
        """In units of the sensitive values' share, which the group's share tells.

        A group share g is p_A + h (1 - p_A) with h = hidden / 2^64; a supporting share is hit p + miss (p_A - p) + h m
        (1 - p_A), where m is the share of supporting codes among all inner ones.
        """
        reading = np.zeros((3, self.k))
        reading[:, self.sensitive] = np.array(self._own)[:, None]
        reading[0, self.others] = self._told_alone
        on, off, outside = reading
        sensitive = self._place >= 0
        alone, entering = ~sensitive | (self.inner.sides[1] == 0), np.where(sensitive, self.hidden / WORD, 0.0)
        return Reading(on, off, outside, alone, np.zeros(self.k, dtype=np.bool_), entering)

    @property
    def _own(self) -> tuple[float, float, float]:
        """What a report adds to a sensitive value's estimate: `on`, `off` and `outside`, for all of them alike."""
        if not self._informative:
            return np.inf, -np.inf, 0.0
        hidden, (on, off) = self.hidden / WORD, self.inner.sides
        if len(self.sensitive) == 1:
            # One sensitive value: p is p_A itself.
            return 1.0, -hidden / (1 - hidden), -hidden / (1 - hidden)
        hit, miss, uniform = float(self.inner.hit[0]), float(self.inner.miss[0]), on / (on + off)
        # p = (s - a g - b) / gap, from p_A = (g - h) / (1 - h).
        gap, slope = hit - miss, (miss - hidden * uniform) / (1 - hidden)
        shift = hidden * (uniform - miss) / (1 - hidden)
        return (1 - slope - shift) / gap, (-slope - shift) / gap, -shift / gap

    @property
    def _told_alone(self) -> float:
        """What the code of a value that is not sensitive adds to its estimate."""
        return WORD / (WORD - self.hidden) if self._informative else np.inf

    @property
    def total_variance(self) -> float:
        """All sensitive values are alike, and so are all others: one of each tells the sum, however many there are."""
        if not self._informative:
            return np.inf
        size, hidden, (on, off) = len(self.sensitive), self.hidden / WORD, self.inner.sides
        rest = self.k - size
        group = (size + hidden * rest) / self.k
        support = float(self.inner.hit[0]) + (size - 1) * float(self.inner.miss[0]) + hidden * rest * on / (on + off)
        chances = (support / self.k, group - support / self.k, 1 - group)
        sensitive = sum(chance * amount**2 for chance, amount in zip(chances, self._own, strict=True))
        return size * sensitive + rest * self._told_alone / self.k - 1 / self.k

    @property
    def _informative(self) -> bool:
        inner = self.inner
        return self.hidden < WORD and (len(self.sensitive) == 1 or bool((inner.hit > inner.miss).all()))

    @cached_property
    def excess(self) -> NDArray[np.float64] | None:
        """What all contributions of a code exceed 1 by, shared by all values."""
        if not self.inner.counts_codes:
            return None
        reading = self.reading
        on, off, outside = (values[self.sensitive[0]] for values in (reading.on, reading.off, reading.outside))
        size = len(self.sensitive)
        hidden = (on - off) * self.inner.support_sizes + size * off
        told = reading.on[self.others] + size * outside
        return (np.concatenate((hidden, told)) - 1) / self.k

    def weight(self, value: int, code: int) -> int:
        place = int(self._place[value])
        if code >= self.inner.outputs:
            return self._other_weight if code - self.inner.outputs == -1 - place else 0
        if place >= 0:
            return (self.denominator // self.inner.denominator) * self.inner.weight(place, code)
        possible = any(self.inner.weight(one, code) for one in range(min(2, self.inner.k)))
        return self._behind if possible else 0

    def marks(self, codes: Words) -> tuple[tuple[int, ...], NDArray[np.integer]]:
        """The inner ones, behind which the others hide; 0 but for the one value that a code tells."""
        scale = self.denominator // self.inner.denominator
        marks = np.zeros((len(codes), self.k), dtype=np.int32)
        inner = np.flatnonzero(codes < self.inner.outputs)
        told = np.flatnonzero(codes >= self.inner.outputs)
        own, found = self.inner.marks(codes[inner])
        marks[inner[:, None], self.sensitive] = found + np.int32(3)
        sendable = inner[~self.inner.are_impossible(codes[inner])]
        marks[sendable[:, None], self.others] = 1
        marks[told, self.others[(codes[told] - np.uint64(self.inner.outputs)).astype(np.intp)]] = 2
        return (0, self._behind, self._other_weight, *(scale * weight for weight in own)), marks

    def columns(self) -> Iterator[ColumnClass]:
        """The inner classes, behind which the others hide; and the codes that tell these."""
        scale = self.denominator // self.inner.denominator
        for column in self.inner.columns():
            parts = [
                ValueClass(
                    self.sensitive[part.values], tuple((w * scale, count) for w, count in part.weights), part.shared
                )
                for part in column.parts
            ]
            parts.append(ValueClass(self.others, ((self._behind, column.count),)))
            yield ColumnClass(self.k, column.count, column.code, tuple(parts))
        count = len(self.others)
        weights = ((self._other_weight, 1), (0, count - 1)) if count > 1 else ((self._other_weight, 1),)
        yield ColumnClass(self.k, count, self.inner.outputs, (ValueClass(self.others, weights, (0, 0)),))

    def support(self, counters: NDArray[np.float64]) -> Support:
        """The inner support of sensitive values; another value's own code is its support and its group."""
        split = self.inner.counters
        inner = self.inner.support(counters[..., :split])
        support = np.empty((*counters.shape[:-1], self.k))
        group = np.empty_like(support)
        support[..., self.sensitive], group[..., self.sensitive] = inner.support, inner.group
        support[..., self.others] = group[..., self.others] = counters[..., split:]
        return Support(support, group)

    def forward(self, p: NDArray[np.float64]) -> NDArray[np.float64]:
        own, hidden = p[..., self.others], self.hidden / WORD
        law = self.inner.forward(p[..., self.sensitive])
        law = law + hidden * own.sum(axis=-1, keepdims=True) * self._uniform
        return np.concatenate((law, (1 - hidden) * own), axis=-1)

    def adjoint(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        inner, told = weights[..., : self.inner.counters], weights[..., self.inner.counters :]
        hidden = self.hidden / WORD
        expected = np.empty((*weights.shape[:-1], self.k))
        expected[..., self.sensitive] = self.inner.adjoint(inner)
        expected[..., self.others] = (1 - hidden) * told + hidden * (inner @ self._uniform)[..., None]
        return expected

    def code_values(self, functional: NDArray[np.float64]) -> NDArray[np.float64]:
        """Of inner codes by the values that they support; of the others by the value that they tell."""
        if not self.counts_codes:
            return super().code_values(functional)
        self._require_informative()
        on, off, outside = self._own
        own, inner = functional[self.sensitive], self.inner.reading
        total = own.sum()
        # What the inner mechanism adds, taken apart into how much is supported and how much there is in all.
        against, step = float(inner.against[0]), float(inner.on[0] - inner.against[0])
        hidden = off * total + (on - off) * (self.inner.code_values(own) - against * total) / step
        return np.concatenate((hidden, outside * total + self._told_alone * functional[self.others]))

    def second_moments(
        self, functionals: NDArray[np.float64], law: NDArray[np.float64], *, subtract_totals: bool = False
    ) -> NDArray[np.float64]:
        """Those of inner codes by how often these support two values, those of the others by the value that is told."""
        if not isinstance(self.inner, SubsetSelection):
            return super().second_moments(functionals, law, subtract_totals=subtract_totals)
        own, alone, split = functionals[:, self.sensitive], self._insensitive_part(functionals), self.inner.counters
        hidden = self.inner.second_moments_by(*self._own[:2], own, law[:split])
        hidden += (alone * law[split:]) @ alone.T
        return hidden

    def square_weights(self, functionals: NDArray[np.float64], *, subtract_totals: bool = False) -> NDArray[np.float64]:
        """Those of inner codes as of theirs, with what these add here; of the others the squares themselves."""
        if not isinstance(self.inner, SubsetSelection):
            return super().square_weights(functionals, subtract_totals=subtract_totals)
        hidden = self.inner.square_weights_by(*self._own[:2], functionals[:, self.sensitive])
        return np.concatenate((hidden, self._insensitive_part(functionals) ** 2), axis=1)

    def _insensitive_part(self, functionals: NDArray[np.float64]) -> NDArray[np.float64]:
        """What the codes of values that are not sensitive add, shape (m, others)."""
        total = functionals[:, self.sensitive].sum(axis=1, keepdims=True)
        alone: NDArray[np.float64] = self._own[2] * total + self._told_alone * functionals[:, self.others]
        return alone

    @cached_property
    def _uniform(self) -> NDArray[np.float64]:
        if self.inner.counts_codes:
            return np.full(self.inner.counters, 1 / self.inner.counters)
        on, off = self.inner.sides
        return np.append(np.full(self.inner.k, on / (on + off)), 1.0)

    def reports(self, counters: NDArray[np.integer]) -> int:
        return self.inner.reports(counters[: self.inner.counters]) + int(counters[self.inner.counters :].sum())

    @property
    def counts_codes(self) -> bool:
        return self.inner.counts_codes

    def possible(self, counters: NDArray[np.integer]) -> bool:
        return self.inner.possible(counters[..., : self.inner.counters])

    def block_shares(self, law: NDArray[np.float64]) -> NDArray[np.float64]:
        return self._total(law)

    @cached_property
    def partition(self) -> Partition:
        """No report surely tells whether a value is sensitive: one block."""
        return Partition(np.broadcast_to(np.intp(0), self.k))

    def are_impossible(self, codes: NDArray[np.integer]) -> NDArray[np.bool_]:
        """Inner codes that the inner mechanism cannot send, and telling where nothing is told."""
        wrong = np.full(len(codes), self.hidden == WORD)
        rows = np.flatnonzero(codes < self.inner.outputs)
        wrong[rows] = self.inner.are_impossible(codes[rows])
        return wrong

    def _total(self, law: NDArray[np.float64]) -> NDArray[np.float64]:
        total: NDArray[np.float64] = law[..., self.inner.counters :].sum(axis=-1, keepdims=True)
        return total + self.inner.block_shares(law[..., : self.inner.counters])

    def _count(self, codes: Words, group: NDArray[np.intp], groups: int) -> NDArray[np.int64]:
        inner, told = np.flatnonzero(codes < self.inner.outputs), np.flatnonzero(codes >= self.inner.outputs)
        counts = np.empty((groups, self.counters), dtype=np.int64)
        counts[:, : self.inner.counters] = self.inner._count(codes[inner], group[inner], groups)
        size = len(self.others)
        at = group[told] * size + (codes[told] - np.uint64(self.inner.outputs)).astype(np.intp)
        counts[:, self.inner.counters :] = np.bincount(at, minlength=groups * size).reshape(groups, size)
        return counts

    def _sample(self, values: NDArray[np.intp], stream: Stream) -> Words:
        own, inner = self._place[values], self.inner
        return draw_hidden(own, self.hidden, inner.outputs, inner._sample, inner.sample_uniform, stream)


def _heaviest(inner: OneCoin) -> Fraction:
    """A supporting code's probability over that of a uniform code, times 2^64."""
    on, off = inner.sides
    return Fraction((inner.threshold if off else WORD) * (on + off), on)
