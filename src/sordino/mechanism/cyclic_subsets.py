"""Cyclic subsets: subset selection among the blocks of a 2-design instead of all subsets.

Guarantee: eps-LDP, exactly. Values are points modulo a prime p >= k; a code is a block of f points of a cyclic design
with m p blocks, each point in m f of them. Over 2^64 m f (p - f), blocks with the value weigh (p - f) T and the others
f (2^64 - T), with T the largest integer that (p - f) T <= e^eps f (2^64 - T) allows. Since any two points share equally
many blocks, the variance is that of subset selection over p values, the least there is under LDP, in log2 m p bits
instead of p: the choice beyond 64 values, where a subset does not fit into a word.
Cost: two words a value, m f p additions an estimate.
Source: Park, Nam, Lee 2023 (private estimation via block designs); Ye and Barg 2018.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import count, islice
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from sordino.definition.bounds import read_epsilon
from sordino.errors import SordinoError
from sordino.evidence.finite import ColumnClass, ValueClass
from sordino.exact.coin import WORD
from sordino.exact.combinatorics.cyclic_design import CyclicDesign, divisors
from sordino.exact.combinatorics.field import is_prime
from sordino.exact.entries import Entries
from sordino.exact.messages import checked, checked_class, shown
from sordino.exact.nats import NatsLike
from sordino.exact.source import Words
from sordino.mechanism.one_coin import OneCoin
from sordino.mechanism.supported import Support

LARGEST_CODES = 1 << 20
"""Largest number of blocks, each of which has a counter."""

LARGEST_WORK = 1 << 25
"""Largest number of additions of an estimate: points of all blocks."""

PRIMES = 6
"""How many primes from k on are looked at."""

TOLERANCE = 1e-3
"""A design with fewer blocks is taken if its variance is larger than the lowest by at most this share."""


@checked_class
@dataclass(frozen=True, init=False)
class CyclicSubsets(OneCoin):
    """Cyclic subsets over k values.

    Attributes:
        prime: p, the points of the design; at least k.
        order: h, of the subgroup whose classes make the base set; it divides p - 1. There are p (p - 1) / h blocks.
        size: f, the points of a block: a multiple of h or one more. By default all three have the lowest exact
            variance, but for a thousandth.

    Example:
        >>> mechanism = CyclicSubsets(1000, "4")
        >>> mechanism.prime, mechanism.size, mechanism.code_bits
        (1009, 18, 16)
    """

    name: ClassVar[str] = "cyclic"

    prime: int
    order: int
    size: int

    def __init__(self, k: int, epsilon: NatsLike, design: tuple[int, int, int] | None = None) -> None:
        self._set_size(k)
        self._set_design(best_designs(k, float(read_epsilon(epsilon)))[0] if design is None else design)
        self._set_epsilon(epsilon)

    @classmethod
    @checked
    def from_threshold(cls, k: int, threshold: int, design: tuple[int, int, int]) -> Self:
        """The channel of a frozen plan, with its own integers; certify tells what it guarantees."""
        mechanism = cls.__new__(cls)
        mechanism._set_size(k)
        mechanism._set_design(design)
        mechanism._set_threshold(threshold)
        return mechanism

    @classmethod
    @checked
    def from_record(cls, entries: Entries, promise: object = None) -> Self:
        del promise
        design = (entries.whole("prime"), entries.whole("order"), entries.whole("size"))
        return cls.from_threshold(entries.whole("k"), entries.integer("threshold"), design)

    def _set_design(self, design: tuple[int, int, int]) -> None:
        prime, order, size = design
        if not self.k <= prime <= LARGEST_CODES or not is_prime(prime):
            rule = f"the points of a cyclic design must be as many as a prime from k = {self.k} to {LARGEST_CODES}"
            raise SordinoError(rule, found=shown(prime))
        if order < 1 or (prime - 1) % order:
            raise SordinoError(f"a subgroup's order must divide {prime - 1}", found=shown(order))
        if not 1 <= size < prime or size % order > 1:
            rule = f"a block must hold 1 to {prime - 1} points, a multiple of {order} or one more"
            raise SordinoError(rule, found=shown(size))
        if not _fits(prime, order, size):
            raise SordinoError(
                f"a cyclic design must have at most {LARGEST_CODES} blocks, and {LARGEST_WORK} points in all of them",
                found=f"{prime * (prime - 1) // order} blocks of {size}",
            )
        for name, value in zip(("prime", "order", "size"), design, strict=True):
            object.__setattr__(self, name, value)

    @cached_property
    def design(self) -> CyclicDesign:
        """The blocks."""
        return CyclicDesign(self.prime, self.order, self.size)

    @property
    def record(self) -> dict[str, Any]:
        return {**super().record, "prime": self.prime, "order": self.order, "size": self.size}

    @property
    def sides(self) -> tuple[int, int]:
        families = self.design.families
        return families * self.size, families * (self.prime - self.size)

    @property
    def odds(self) -> tuple[int, int]:
        return self.prime - self.size, self.size

    @property
    def draw(self) -> Any:
        multipliers, base = self.design.multipliers.tolist(), self.design.base.tolist()
        return ["sides", "threshold", ["translates", "v", "prime", ["list", *multipliers], ["list", *base]]]

    @property
    def parameters(self) -> str:
        return f"cyclic k={self.k} prime={self.prime} order={self.order} size={self.size} threshold={self.threshold}"

    @property
    def outputs(self) -> int:
        return self.design.blocks

    @property
    def denominator(self) -> int:
        """2^64 m f (p - f)."""
        return WORD * self.sides[0] * (self.prime - self.size)

    @cached_property
    def miss(self) -> NDArray[np.float64]:
        """Of the p - 1 points beside x, a block holds f - 1 with x and f without, each equally often."""
        on, off = self.threshold * (self.size - 1), (WORD - self.threshold) * self.size
        return np.broadcast_to(np.float64((on + off) / (WORD * (self.prime - 1))), self.k)

    def weight(self, value: int, code: int) -> int:
        """(p - f) T where the block holds the value, else f (2^64 - T)."""
        if self.design.holds(np.array(code), np.array(value)):
            return (self.prime - self.size) * self.threshold
        return self.size * (WORD - self.threshold)

    def columns(self) -> Iterator[ColumnClass]:
        """One class. Where d is in the base set and d + 1 is not, the block of the base set minus d parts 0 and 1."""
        (on, off), (inside, outside) = self.sides, self.odds[::-1]
        weights = ((outside * self.threshold, on), (inside * (WORD - self.threshold), off))
        base = self.design.base
        last = next(int(d) for d in base if not self.design.holds(np.array(0), np.array((d + 1) % self.prime)))
        shared = on * (self.size - 1) // (self.prime - 1)
        part = ValueClass(np.arange(self.k), weights, (shared,))
        yield ColumnClass(self.k, on + off, -last % self.prime, (part,))

    def supports(self, codes: Words) -> NDArray[np.bool_]:
        return self.design.holds(codes.astype(np.intp)[:, None], np.arange(self.k))

    def support(self, weights: NDArray[np.float64]) -> Support:
        own = self.design.over_points(weights)[..., : self.k]
        return Support(own, np.broadcast_to(weights.sum(axis=-1, keepdims=True), own.shape))

    @property
    def support_sizes(self) -> NDArray[np.float64]:
        return self._block_sums(np.ones(self.k))

    def forward(self, p: NDArray[np.float64]) -> NDArray[np.float64]:
        (on, off), told, held = self.sides, self.threshold / WORD, self._block_sums(p)
        expected: NDArray[np.float64] = held * (told / on)
        expected += (p.sum(axis=-1, keepdims=True) - held) * ((1 - told) / off)
        return expected

    def code_values(self, functional: NDArray[np.float64]) -> NDArray[np.float64]:
        """By the sum of the functional over the values that each block holds."""
        self._require_informative()
        on, off = self.reading.on[0], self.reading.off[0]
        contributions: NDArray[np.float64] = (on - off) * self._block_sums(functional)
        contributions += off * functional.sum(axis=-1, keepdims=True)
        return contributions

    def _block_sums(self, amounts: NDArray[np.float64]) -> NDArray[np.float64]:
        """For each block the amounts of the values that it holds."""
        padded = np.zeros((*amounts.shape[:-1], self.prime))
        padded[..., : self.k] = amounts
        return self.design.over_blocks(padded)


def best_designs(k: int, epsilon: float) -> list[tuple[int, int, int]]:
    """Prime, order and size of the design with the lowest variance, then of the best with shorter codes, and so on.

    A design with fewer blocks may be worse by a tolerance.
    """
    variances = {design: _variance(k, design, epsilon) for design in _designs(k, epsilon)}
    if not variances:
        raise SordinoError(f"a cyclic design must have at most {LARGEST_CODES} blocks", found=f"more at k = {shown(k)}")
    chosen = []
    while variances:
        least = min(variances.values())
        near = [design for design, variance in variances.items() if variance <= (1 + TOLERANCE) * least]
        best = min(near, key=_blocks)
        chosen.append(best)
        shorter = (_blocks(best) - 1).bit_length() - 1
        variances = {design: v for design, v in variances.items() if _blocks(design) <= 1 << shorter}
    return chosen


def _designs(k: int, epsilon: float) -> Iterator[tuple[int, int, int]]:
    """Designs that fit: for each prime and order the sizes around the best share of the points, 1 / (e^eps + 1)."""
    if k > LARGEST_CODES:
        return
    for prime in islice((p for p in count(max(k, 2)) if is_prime(p)), PRIMES):
        centre = prime / (math.exp(min(epsilon, math.log(prime))) + 1)
        for order in divisors(prime - 1):
            if prime * (prime - 1) // order > LARGEST_CODES:
                continue
            below = math.floor(centre / order) * order
            # Blocks of one point are each there once for each family, for nothing.
            least = 1 if order == 1 else 2
            for size in sorted({below, below + 1, below + order, below + order + 1}):
                if least <= size < prime and size % order <= 1 and _fits(prime, order, size):
                    yield prime, order, size


def _fits(prime: int, order: int, size: int) -> bool:
    blocks = _blocks((prime, order, size))
    return blocks <= LARGEST_CODES and blocks * size <= LARGEST_WORK


def _blocks(design: tuple[int, int, int]) -> int:
    prime, order, _ = design
    return prime * (prime - 1) // order


def _variance(k: int, design: tuple[int, int, int], epsilon: float) -> float:
    """The variance, times n, of each estimate at uniform values."""
    prime, _, size = design
    hit = 1 / (1 + math.exp(-epsilon) * (prime - size) / size)
    miss = (hit * (size - 1) + (1 - hit) * size) / (prime - 1)
    held = (hit + (k - 1) * miss) / k
    return held * (1 - held) / (hit - miss) ** 2 if hit > miss else math.inf
