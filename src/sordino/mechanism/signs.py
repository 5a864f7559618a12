"""Several numbers of a record at once, by the signs of a few that are drawn: s-coordinate randomized response.

Guarantee: epsilon-LDP over all m numbers, exactly. A subset of s of the m numbers is drawn without looking at them;
each is rounded to a sign without bias; the report is a pattern of s signs, uniform on either side of one coin: the
patterns with at most `tolerance` disagreements, A of them, and the B = 2^s - A others. T is the largest threshold with
B T <= e^epsilon A (2^64 - T). Code = rank of the subset x 2^s + pattern, at most 64 bits.
A drawn number's sign has the mean c x, c = C(s - 1, tolerance) (T / A - (2^64 - T) / B) / 2^64, so the noise of each
number is m / (s c^2). s = 1 is a bit of one drawn number, within 1 % of the best for epsilon <= 0.2; s = m with a
tolerance of nearly m / 2 is Duchi's response of the whole cube. Cost: s + 3 words a person.
For s > 1 a report tells of several numbers together: what it tells about another attribute takes a bound on the total
variation of their joint law (`Dependence.of_rest`), never bounds for each of them.
Source: corrected statements to the BCDP paper; Duchi, Jordan and Wainwright 2018 for s = m.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from math import comb, prod
from typing import Self

import numpy as np
from numpy.typing import NDArray

from sordino.definition.bounds import read_epsilon
from sordino.definition.sampling import Answer, AnswerType
from sordino.domain.statistic import Moments
from sordino.errors import SordinoError
from sordino.exact.coin import WORD, largest_threshold
from sordino.exact.combinatorics.subsets import members
from sordino.exact.messages.arguments import checked, checked_class
from sordino.exact.messages.brief import shown
from sordino.exact.nats import Nats, NatsLike
from sordino.exact.sign import SignCoins
from sordino.exact.source import Stream, Words, uniform_below, uniform_below_either
from sordino.mechanism.aggregate import Aggregate
from sordino.mechanism.channel import CHUNK, LARGEST_CODE_BITS
from sordino.mechanism.number import NumberChannel
from sordino.mechanism.signed import means_of_signs, require_informative, signs_drawn, variances_of_signs

LARGEST_PATTERN = 16
"""Signs in a report at most: their patterns are listed."""

ROUNDING = SignCoins((WORD,))
"""Rounds a number to a sign whose mean is the number."""


@checked_class
@dataclass(frozen=True, init=False)
class SignResponse(NumberChannel):
    """The signs of some of m numbers.

    Attributes:
        m: how many numbers a record has.
        threshold: the coin's T: at most `tolerance` signs are wrong with probability T / 2^64.
        size: how many numbers are drawn.
        tolerance: disagreements that the likely patterns have at most.

    Example:
        >>> SignResponse(8, "2", 2).noise().round(3).tolist()[0]
        10.576
    """

    m: int
    threshold: int
    size: int
    tolerance: int

    def __init__(self, m: int, epsilon: NatsLike, size: int, tolerance: int = 0) -> None:
        self._set_patterns(m, size, tolerance)
        self._set_threshold(largest_threshold(read_epsilon(epsilon), self._outside, self._within))

    @classmethod
    @checked
    def from_threshold(cls, m: int, threshold: int, size: int, tolerance: int = 0) -> Self:
        """The channel of a frozen plan, with its own integers; `level` tells what it guarantees."""
        mechanism = cls.__new__(cls)
        mechanism._set_patterns(m, size, tolerance)
        mechanism._set_threshold(threshold)
        return mechanism

    @classmethod
    @checked
    def best(cls, m: int, epsilon: NatsLike, code_bits: int = LARGEST_CODE_BITS) -> Self:
        """The size and tolerance with the least noise among those whose reports fit in so many bits."""
        if m < 1:
            raise SordinoError("there must be numbers to tell of", found=shown(m))
        if not 1 <= code_bits <= LARGEST_CODE_BITS or (2 * m - 1).bit_length() > code_bits:
            raise SordinoError(
                f"a report must have at most {LARGEST_CODE_BITS} bits, "
                f"and enough for one of {shown(m)} numbers and its sign",
                found=shown(code_bits),
            )
        sizes = range(1, min(m, LARGEST_PATTERN) + 1)
        fitting = [size for size in sizes if ((comb(m, size) << size) - 1).bit_length() <= code_bits]
        # More than half of the signs wrong tells what fewer tell with the opposite signs.
        found = [cls(m, epsilon, size, tolerance) for size in fitting for tolerance in range((size + 1) // 2)]
        return max(found, key=lambda mechanism: mechanism.size * mechanism.slope**2)

    def _set_patterns(self, m: int, size: int, tolerance: int) -> None:
        if type(size) is not int or not 1 <= size <= min(m, LARGEST_PATTERN):
            raise SordinoError(
                f"the signs of 1 to {LARGEST_PATTERN} numbers must be reported, of all at most",
                found=f"{shown(size)} of {shown(m)}",
            )
        if type(tolerance) is not int or not 0 <= tolerance < size:
            raise SordinoError(f"0 to {size - 1} of {size} signs may disagree", found=shown(tolerance))
        if comb(m, size) << size > 1 << LARGEST_CODE_BITS:
            raise SordinoError(
                f"a report must fit in {LARGEST_CODE_BITS} bits",
                found=f"{shown(size)} of {shown(m)} signs",
                step="draw fewer",
            )
        for name, value in (("m", m), ("size", size), ("tolerance", tolerance)):
            object.__setattr__(self, name, value)

    def _set_threshold(self, threshold: int) -> None:
        if type(threshold) is not int or not self._within << 64 - self.size <= threshold < WORD:
            raise SordinoError(
                f"a sign response's threshold must be a whole number from {self._within} 2^{64 - self.size} to 2^64-1",
                found=shown(threshold),
            )
        object.__setattr__(self, "threshold", threshold)

    @property
    def level(self) -> Nats:
        """The loss of a report at most, exactly: the ratio of a likely pattern to another one."""
        return Nats.log(Fraction(self._outside * self.threshold, self._within * (WORD - self.threshold)))

    def codes(self, which: int) -> Sequence[int]:
        """Both of a number; or all."""
        return range(2 * which, 2 * which + 2) if self.size == 1 else range(self.outputs)

    def probability(self, record: Sequence[float], code: int) -> Fraction:
        """Pr(code | record), in the integers of the sampler."""
        rank, pattern = divmod(code, 1 << self.size)
        chosen = members(np.array([rank], dtype=np.uint64), self.m, self.size)[0].tolist()
        positive = [ROUNDING.weight(record[place]) for place in chosen]
        likely = Fraction(0)
        for flips in self._flips[: self._within].tolist():
            bits = [(pattern ^ flips) >> place & 1 for place in range(self.size)]
            parts = zip(positive, bits, strict=True)
            likely += Fraction(prod(one if bit else WORD - one for one, bit in parts), WORD**self.size)
        on, off = Fraction(self.threshold, self._within), Fraction(WORD - self.threshold, self._outside)
        return (likely * on + (1 - likely) * off) / (WORD * comb(self.m, self.size))

    @cached_property
    def slope(self) -> Fraction:
        """c: the mean of a drawn number's sign at 1."""
        on, off = Fraction(self.threshold, self._within), Fraction(WORD - self.threshold, self._outside)
        return comb(self.size - 1, self.tolerance) * (on - off) / WORD

    @property
    def parameters(self) -> str:
        """All that defines the channel, as canonical text."""
        return f"signs m={self.m} size={self.size} tolerance={self.tolerance} threshold={self.threshold}"

    @cached_property
    def moments(self) -> Moments:
        """The numbers themselves."""
        return Moments.first(self.m)

    @property
    def types(self) -> tuple[AnswerType, ...]:
        """One number each; or where several are drawn, one answer that may be about any of them."""
        names = self.moments.names
        if self.size > 1:
            return ((Answer(names, self.level),),)
        return tuple((Answer((name,), self.level, linear=True),) for name in names)

    @property
    def outputs(self) -> int:
        """C(m, s) 2^s."""
        return comb(self.m, self.size) << self.size

    @property
    def informative(self) -> bool:
        """Whether likely patterns are likelier than others."""
        return self.slope > 0

    @property
    def counters(self) -> int:
        """For each number its signs -1 and +1; then for each two numbers the four pairs of their signs, if s > 1."""
        return 2 * self.m + 4 * len(self._pairs[0])

    @property
    def counts_codes(self) -> bool:
        """Where one number is drawn."""
        return self.size == 1

    def reports(self, counters: NDArray[np.integer]) -> int:
        """Each report has s signs."""
        return int(counters[: 2 * self.m].sum()) // self.size

    def possible(self, counters: NDArray[np.integer]) -> bool:
        """If each report has s different signs, each pair of which it counts."""
        # The numbers first, then whatever tallies there are, then the two signs.
        signs = np.moveaxis(counters[..., : 2 * self.m].reshape(*counters.shape[:-1], self.m, 2), -2, 0)
        drawn = signs.sum(axis=-1)
        total = drawn.sum(axis=0)
        right = bool((total % self.size == 0).all() and (drawn * self.size <= total).all())
        if self.size == 1:
            return right
        cells = np.moveaxis(counters[..., 2 * self.m :].reshape(*counters.shape[:-1], -1, 2, 2), -3, 0)
        counted = np.zeros_like(signs)
        np.add.at(counted, self._pairs[0], cells.sum(axis=-1))
        np.add.at(counted, self._pairs[1], cells.sum(axis=-2))
        return right and bool((counted == (self.size - 1) * signs).all())

    def means(self, aggregate: Aggregate) -> NDArray[np.float64]:
        """The mean sign of those for whom the number was drawn, over c, shape (m,)."""
        return means_of_signs(self._signs(aggregate), self._scales, self.moments.names)

    def covariance(self, aggregate: Aggregate) -> NDArray[np.float64]:
        """Given who was drawn, shape (m, m); between two numbers from the pairs of signs of the people with both."""
        signs, names = self._signs(aggregate), self.moments.names
        covariance = np.diag(variances_of_signs(signs, self._scales, names))
        if self.size == 1:
            return covariance
        means, drawn, scale = self.means(aggregate), signs_drawn(signs, names), self._scales[0]
        cells = aggregate.counts[2 * self.m :].reshape(-1, 2, 2)
        first, second = self._pairs
        each = np.array([-scale, scale])
        # The sum of (g_j - mean_j)(g_k - mean_k) over the people who have both.
        products = np.einsum(
            "pab,pa,pb->p", cells.astype(np.float64), each - means[first, None], each - means[second, None]
        )
        covariance[first, second] = covariance[second, first] = products / (drawn[first] * drawn[second])
        return covariance

    def noise(self) -> NDArray[np.float64]:
        """The number m / (s c^2), the same for all."""
        require_informative(self.informative)
        return np.full(self.m, float(self.m / (self.size * self.slope**2)))

    def _sample(self, values: NDArray[np.float64], stream: Stream) -> Words:
        return self._answer(values, stream, stream)

    def _answer(self, records: NDArray[np.float64], public: Stream, stream: Stream) -> Words:
        subsets = comb(self.m, self.size)
        codes = uniform_below(subsets, public) if subsets > 1 else np.zeros(len(records), dtype=np.uint64)
        chosen, people = members(codes, self.m, self.size), np.arange(len(records))
        codes <<= np.uint64(self.size)
        for place in range(self.size):
            bits = ROUNDING.positive(records[people, chosen[:, place]], stream.next())
            codes |= bits.astype(np.uint64) << np.uint64(place)
        outside = stream.next() >= np.uint64(self.threshold)
        choice = uniform_below_either((self._within, self._outside), outside, stream).view(np.int64)
        choice += outside * self._within
        codes ^= self._flips[choice]
        return codes

    def _count(self, codes: Words, group: NDArray[np.intp], groups: int) -> NDArray[np.int64]:
        counts = np.zeros(groups * self.counters, dtype=np.int64)
        for start in range(0, len(codes), CHUNK):
            piece, first = codes[start : start + CHUNK], group[start : start + CHUNK] * self.counters
            chosen = members(piece >> np.uint64(self.size), self.m, self.size)
            bits = (piece[:, None] >> np.arange(self.size, dtype=np.uint64) & np.uint64(1)).astype(np.intp)
            for place in range(self.size):
                np.add.at(counts, first + 2 * chosen[:, place] + bits[:, place], 1)
            for low, high in combinations(range(self.size), 2):
                pair = _pair_rank(chosen[:, low], chosen[:, high])
                np.add.at(counts, first + 2 * self.m + 4 * pair + 2 * bits[:, low] + bits[:, high], 1)
        return counts.reshape(groups, self.counters)

    def _signs(self, aggregate: Aggregate) -> NDArray[np.int64]:
        return self.own_counts(aggregate)[: 2 * self.m].reshape(-1, 2)

    @cached_property
    def _scales(self) -> NDArray[np.float64]:
        """1 / c for each number."""
        require_informative(self.informative)
        return np.full(self.m, float(1 / self.slope))

    @property
    def _within(self) -> int:
        """A: patterns with at most `tolerance` disagreements."""
        return sum(comb(self.size, wrong) for wrong in range(self.tolerance + 1))

    @property
    def _outside(self) -> int:
        """B: all others."""
        return (1 << self.size) - self._within

    @cached_property
    def _flips(self) -> Words:
        """All patterns of disagreements, those with few first."""
        patterns = np.arange(1 << self.size, dtype=np.uint64)
        return patterns[np.argsort(np.bitwise_count(patterns), kind="stable")]

    @cached_property
    def _pairs(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """All pairs j < k of numbers that a report can have both, by their rank."""
        if self.size == 1:
            return np.empty(0, dtype=np.intp), np.empty(0, dtype=np.intp)
        high, low = np.tril_indices(self.m, -1)
        return low, high


def _pair_rank(low: NDArray[np.intp], high: NDArray[np.intp]) -> NDArray[np.intp]:
    """The place of the pair low < high among all, ordered by the higher one."""
    rank: NDArray[np.intp] = high * (high - 1) // 2 + low
    return rank
