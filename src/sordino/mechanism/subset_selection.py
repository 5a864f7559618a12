"""Subset selection: a random subset of the values, which holds the true value with odds above its share.

Guarantee: eps-LDP, exactly. A code is the mask of w of the k values. Over 2^64 C(k-1, w-1) (k - w), subsets with the
value weigh (k - w) T and the others w (2^64 - T), with T the largest integer that (k - w) T <= w e^eps (2^64 - T)
allows. No mechanism under LDP has a lower variance; w = 1 is randomized response. Its tally counts how often each value
was in the subset. Cost: two words a value, k bits a report.
Source: Ye and Barg 2018; Wang et al. 2016.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from math import comb
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from sordino.definition.bounds import read_epsilon
from sordino.errors import SordinoError
from sordino.evidence.finite import ColumnClass, ValueClass
from sordino.exact.coin import WORD
from sordino.exact.combinatorics.subsets import bit_counts
from sordino.exact.entries import Entries
from sordino.exact.messages import checked, checked_class, shown
from sordino.exact.nats import NatsLike
from sordino.exact.source import Words
from sordino.mechanism.one_coin import OneCoin
from sordino.mechanism.supported import Support

LARGEST = 64
"""Largest number of values: a code is a mask of 64 bits."""


@checked_class
@dataclass(frozen=True, init=False)
class SubsetSelection(OneCoin):
    """Subset selection over 2 to 64 values.

    Attributes:
        size: how many values a subset holds; by default the number with the lowest exact variance.

    Example:
        >>> mechanism = SubsetSelection(25, "1")
        >>> mechanism.size, mechanism.code_bits
        (7, 25)
    """

    name: ClassVar[str] = "subset"

    size: int

    def __init__(self, k: int, epsilon: NatsLike, size: int | None = None) -> None:
        self._set_size(k)
        self._set_subsets(best_size(k, float(read_epsilon(epsilon))) if size is None else size)
        self._set_epsilon(epsilon)

    @classmethod
    @checked
    def from_threshold(cls, k: int, threshold: int, size: int) -> Self:
        """The channel of a frozen plan, with its own integers; certify tells what it guarantees."""
        mechanism = cls.__new__(cls)
        mechanism._set_size(k)
        mechanism._set_subsets(size)
        mechanism._set_threshold(threshold)
        return mechanism

    @classmethod
    @checked
    def from_record(cls, entries: Entries, promise: object = None) -> Self:
        del promise
        return cls.from_threshold(entries.whole("k"), entries.integer("threshold"), entries.whole("size"))

    def _set_subsets(self, size: int) -> None:
        if not 2 <= self.k <= LARGEST:
            raise SordinoError(f"subsets must be of 2 to {LARGEST} values, a bit each", found=shown(self.k))
        if not 1 <= size < self.k:
            raise SordinoError(f"a subset must hold 1 to {self.k - 1} of {self.k} values", found=shown(size))
        object.__setattr__(self, "size", size)

    @property
    def record(self) -> dict[str, Any]:
        return {**super().record, "size": self.size}

    @property
    def sides(self) -> tuple[int, int]:
        return comb(self.k - 1, self.size - 1), comb(self.k - 1, self.size)

    @property
    def odds(self) -> tuple[int, int]:
        return self.k - self.size, self.size

    @property
    def draw(self) -> Any:
        return ["sides", "threshold", ["masks", "v", "k", "size"]]

    @property
    def parameters(self) -> str:
        return f"subset k={self.k} size={self.size} threshold={self.threshold}"

    @property
    def outputs(self) -> int:
        """Masks of k bits; those with another number of bits are never sent."""
        return 1 << self.k

    @property
    def denominator(self) -> int:
        """2^64 C(k-1, w-1) (k - w)."""
        return WORD * comb(self.k - 1, self.size - 1) * (self.k - self.size)

    @property
    def counters(self) -> int:
        """For each value the subsets that hold it; then all subsets."""
        return self.k + 1

    @cached_property
    def miss(self) -> NDArray[np.float64]:
        """Of the k - 1 values that a subset can hold beside x, it holds w - 1 with x and w without."""
        on, off = self.threshold * (self.size - 1), (WORD - self.threshold) * self.size
        return np.broadcast_to(np.float64((on + off) / (WORD * (self.k - 1))), self.k)

    @cached_property
    def excess(self) -> NDArray[np.float64]:
        """Nothing: every subset holds w values, so each report's contributions add up to 1."""
        return np.zeros(self.counters)

    def weight(self, value: int, code: int) -> int:
        """(k - w) T where the subset holds the value, else w (2^64 - T); zero for a mask of another size."""
        if code.bit_count() != self.size:
            return 0
        return (self.k - self.size) * self.threshold if code >> value & 1 else self.size * (WORD - self.threshold)

    def columns(self) -> Iterator[ColumnClass]:
        """One class. The first w values as a subset: value 0 is in it, value k - 1 is not."""
        on, off = self.sides
        weights = (((self.k - self.size) * self.threshold, on), (self.size * (WORD - self.threshold), off))
        held = range(2, min(3, self.k) + 1)
        shared = tuple(comb(self.k - some, self.size - some) if some <= self.size else 0 for some in held)
        yield ColumnClass(self.k, on + off, (1 << self.size) - 1, (ValueClass(np.arange(self.k), weights, shared),))

    def supports(self, codes: Words) -> NDArray[np.bool_]:
        members = codes[:, None] >> np.arange(self.k, dtype=np.uint64) & np.uint64(1)
        return members.astype(np.bool_)

    def support(self, counters: NDArray[np.float64]) -> Support:
        own = counters[..., :-1]
        return Support(own, np.broadcast_to(counters[..., -1:], own.shape))

    def forward(self, p: NDArray[np.float64]) -> NDArray[np.float64]:
        """How likely a subset is to hold each value; and that there is one."""
        total = p.sum(axis=-1, keepdims=True)
        return np.concatenate((self.hit * p + self.miss * (total - p), total), axis=-1)

    def adjoint(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        own, total = weights[..., :-1], weights[..., :-1].sum(axis=-1, keepdims=True)
        expected: NDArray[np.float64] = self.hit * own + self.miss * (total - own) + weights[..., -1:]
        return expected

    def second_moments(
        self, functionals: NDArray[np.float64], law: NDArray[np.float64], *, subtract_totals: bool = False
    ) -> NDArray[np.float64]:
        """In closed form; every subset adds 1 to all shares together, so that nothing is subtracted."""
        del subtract_totals
        return self.second_moments_by(float(self.reading.on[0]), float(self.reading.off[0]), functionals, law)

    def second_moments_by(
        self, on: float, off: float, functionals: NDArray[np.float64], law: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """The same, of a report that adds `on` to each value that its subset holds, and `off` to the others."""
        sums, held, both = functionals.sum(axis=1), functionals @ law[:-1], self.held_moments(functionals, law)
        crossed, step = np.outer(sums, held), on - off
        alike = off**2 * float(law[-1]) * np.outer(sums, sums)
        return alike + off * step * (crossed + crossed.T) + step**2 * both

    def held_moments(self, functionals: NDArray[np.float64], law: NDArray[np.float64]) -> NDArray[np.float64]:
        """The mean product of two functionals' sums over the values that a subset holds, shape (m, m).

        Tallies do not count how often two values were held together, but their shares tell it: of two values one of
        which is true a subset holds both with the chance `one`, of two that are not with the chance `none`.
        """
        hit, miss, (one, none) = float(self.hit[0]), float(self.miss[0]), self._two_held
        held, total = law[:-1], float(law[-1])
        shares = (held - miss * total) / (hit - miss)
        sums, alike = functionals.sum(axis=1), functionals @ functionals.T
        own = np.outer(functionals @ shares, sums)
        both = own + own.T - 2 * (functionals * shares) @ functionals.T
        rest = total * (np.outer(sums, sums) - alike)
        return (functionals * held) @ functionals.T + (one - none) * both + none * rest

    def square_weights(self, functionals: NDArray[np.float64], *, subtract_totals: bool = False) -> NDArray[np.float64]:
        del subtract_totals
        return self.square_weights_by(float(self.reading.on[0]), float(self.reading.off[0]), functionals)

    def square_weights_by(self, on: float, off: float, functionals: NDArray[np.float64]) -> NDArray[np.float64]:
        """The same, as `second_moments_by`.

        With F the functional, s its sum and H its sum over the held values, what is added is off s + (on - off) H. The
        mean of H^2 is that of F^2 over held values and of the products of two, as `held_moments` tells them.
        """
        hit, miss, (one, none) = float(self.hit[0]), float(self.miss[0]), self._two_held
        sums, squares = functionals.sum(axis=1, keepdims=True), functionals**2
        alike, step, turn = squares.sum(axis=1, keepdims=True), on - off, 2 * (one - none) / (hit - miss)
        held = 2 * off * step * sums * functionals + step**2 * (squares + turn * (sums * functionals - squares))
        always = off**2 * sums**2 + step**2 * (none - miss * turn) * (sums**2 - alike)
        return np.concatenate((held, always), axis=1)

    @property
    def _two_held(self) -> tuple[float, float]:
        """The chance to hold two values, if one of them is the true one, and if none is."""
        k, w, hit = self.k, self.size, float(self.hit[0])
        none = (w - 1) / (k - 1) / max(k - 2, 1) * (hit * (w - 2) + (1 - hit) * w)
        return hit * (w - 1) / (k - 1), none

    def reports(self, counters: NDArray[np.integer]) -> int:
        return int(counters[-1])

    def possible(self, counters: NDArray[np.integer]) -> bool:
        held, total = counters[..., :-1], counters[..., -1:]
        return bool((held <= total).all()) and bool((held.sum(axis=-1, keepdims=True) == self.size * total).all())

    def block_shares(self, law: NDArray[np.float64]) -> NDArray[np.float64]:
        return law[..., -1:]

    def are_impossible(self, codes: NDArray[np.integer]) -> NDArray[np.bool_]:
        wrong: NDArray[np.bool_] = np.bitwise_count(codes) != self.size
        return wrong

    def _count(self, codes: Words, group: NDArray[np.intp], groups: int) -> NDArray[np.int64]:
        held = bit_counts(codes, self.k, group, groups)
        return np.column_stack((held, held.sum(axis=1) // self.size))

    def _total(self, law: NDArray[np.float64]) -> NDArray[np.float64]:
        return law[..., -1:]


def best_size(k: int, epsilon: float) -> int:
    """The size with the lowest total variance at uniform values: one of the two next to k / (e^eps + 1)."""
    centre = math.floor(k / (math.exp(epsilon) + 1))
    sizes = {min(max(size, 1), max(k - 1, 1)) for size in (centre, centre + 1)}
    return min(sorted(sizes), key=lambda size: _unit_variance(k, size, epsilon))


def _unit_variance(k: int, size: int, epsilon: float) -> float:
    """The variance, times n, of each estimate at uniform values, where a subset holds any value equally often."""
    if k < 2:
        return math.inf
    ratio = math.exp(-epsilon) * (k - size) / size
    hit = 1 / (1 + ratio)
    miss = (hit * (size - 1) + (1 - hit) * size) / (k - 1)
    return size * (k - size) / (k * (hit - miss)) ** 2 if hit > miss else math.inf
