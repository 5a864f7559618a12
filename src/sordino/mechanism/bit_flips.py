"""Patterns of m bits, of which some are flipped: the pattern of flips is drawn from a table of whole weights.

With flips that are independent it is m randomized responses; the best tables for the signs of several numbers are not,
because an attribute is told by its own sign and, as far as others depend on it, by theirs: tables let the one be worth
less where the other is worth more. Randomized response on s coordinates is such a table too.

Guarantee: the weights are whole numbers over 2^64, and all codes are alike but for the names of the patterns: a code
favours one pattern over another by the ratio of two weights. No float decides which bits are flipped. The channel is a
convolution, which Hadamard's transform inverts: the mean of sent sign c is the sign times the table's slope, the sum
over the flips of +weight or -weight where bit c is flipped.
Cost: one word a pattern, and mostly one look-up.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from hashlib import sha256
from itertools import accumulate
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from sordino.errors import SordinoError
from sordino.evidence.finite import ColumnClass, ValueClass
from sordino.exact.coin import WORD
from sordino.exact.combinatorics.hadamard_matrix import transform
from sordino.exact.entries import Entries
from sordino.exact.messages import Brief, checked, checked_class
from sordino.exact.source import Stream, Words
from sordino.mechanism.base import LEAST_SINGULAR, Mechanism

LARGEST_PATTERN = 12
"""Largest number of bits: a table has 2^m weights."""

SINGLE = 64
"""Codes up to which each is looked at by itself."""

FINER = 6
"""Bits of a word beyond those that number the patterns: at most one in 2^6 words is searched for."""

LARGEST_GUIDE_BITS = 16
"""Largest number of first bits of a word that are told apart."""


@checked_class
@dataclass(frozen=True, init=False, repr=False)
class BitFlips(Brief, Mechanism):
    """Patterns of bits, some of them flipped.

    Attributes:
        table: 2^m whole weights >= 1 with sum 2^64; bit c of a place says that bit c is flipped.

    Example:
        >>> BitFlips((3 << 62, 1 << 62)).probabilities().tolist()
        [[0.75, 0.25], [0.25, 0.75]]
    """

    name: ClassVar[str] = "flips"

    table: tuple[int, ...]

    def __init__(self, table: Sequence[int]) -> None:
        bits = len(table).bit_length() - 1
        whole = all(type(weight) is int and weight >= 1 for weight in table)
        if not 1 <= bits <= LARGEST_PATTERN or len(table) != 1 << bits or not whole or sum(table) != WORD:
            rule = f"a table must have 2^m whole weights >= 1 with sum 2^64, m from 1 to {LARGEST_PATTERN}"
            raise SordinoError(rule, found=f"{len(table)} others")
        object.__setattr__(self, "k", len(table))
        object.__setattr__(self, "table", tuple(table))

    @property
    def record(self) -> dict[str, Any]:
        return {"table": list(map(str, self.table))}

    @classmethod
    @checked
    def from_record(cls, entries: Entries, promise: object = None) -> Self:
        del promise
        return cls(entries.integers("table"))

    @property
    def draw(self) -> Any:
        return ["^", "v", ["pick", "table"]]

    @property
    def parameters(self) -> str:
        return f"flips k={self.k} table={sha256(repr(self.table).encode()).hexdigest()}"

    @property
    def outputs(self) -> int:
        return self.k

    @property
    def denominator(self) -> int:
        return WORD

    def weight(self, value: int, code: int) -> int:
        return self.table[value ^ code]

    def marks(self, codes: Words) -> tuple[tuple[int, ...], NDArray[np.integer]]:
        number: dict[int, int] = {}
        place = np.array([number.setdefault(weight, len(number)) for weight in self.table], dtype=np.int32)
        return tuple(number), place[np.arange(self.k) ^ codes.astype(np.intp)[:, None]]

    @property
    def flips(self) -> tuple[int, ...]:
        return self.table

    def columns(self) -> Iterator[ColumnClass]:
        """Each code by itself; of more than `SINGLE` one class, since each has every weight, on some pattern.

        The largest ratio between any two patterns is then attained, and that within a block of them is not above it.
        """
        flips: dict[int, list[int]] = {}
        for pattern, weight in enumerate(self.table):
            flips.setdefault(weight, []).append(pattern)
        if self.k > SINGLE:
            weights = tuple(sorted((weight, len(patterns)) for weight, patterns in flips.items()))
            yield ColumnClass(self.k, self.k, 0, (ValueClass(np.arange(self.k), weights),))
            return
        for code in range(self.k):
            parts = (ValueClass(np.array(own) ^ code, ((weight, 1),)) for weight, own in flips.items())
            yield ColumnClass(self.k, 1, code, tuple(parts))

    @property
    def informative(self) -> bool:
        return bool((np.abs(self._eigenvalues) >= LEAST_SINGULAR).all())

    def forward(self, p: NDArray[np.float64]) -> NDArray[np.float64]:
        return transform(transform(p) * self._eigenvalues) / self.k

    def adjoint(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        return self.forward(weights)

    def code_values(self, functional: NDArray[np.float64]) -> NDArray[np.float64]:
        """A division of characters; of those that the functional does not have nothing needs to be told."""
        wanted = transform(functional) / self.k
        wanted[np.abs(wanted) < LEAST_SINGULAR * np.abs(wanted).max()] = 0
        if np.any((wanted != 0) & (np.abs(self._eigenvalues) < LEAST_SINGULAR)):
            raise SordinoError(
                "reports must depend on the values to be estimated from",
                found="bits that are flipped half of the time",
                step="raise epsilon",
            )
        quotients = np.divide(wanted, self._eigenvalues, where=wanted != 0, out=np.zeros(self.k))
        return transform(quotients)

    def slope(self, bit: int) -> Fraction:
        """The mean of the sent sign of a bit at +1, exactly."""
        signed = (-weight if flips >> bit & 1 else weight for flips, weight in enumerate(self.table))
        return Fraction(sum(signed), WORD)

    def _sample(self, values: NDArray[np.intp], stream: Stream) -> Words:
        flips = self._guide.patterns(stream.next()).astype(np.uint64)
        flips ^= values.view(np.uint64)
        return flips

    @cached_property
    def _eigenvalues(self) -> NDArray[np.float64]:
        """Of each character the mean sign of the flips; that of bit c is its slope."""
        return transform(np.array(self.table, dtype=np.float64)) / WORD

    @cached_property
    def _guide(self) -> "Guide":
        return Guide.of(self.table)


@dataclass(frozen=True, eq=False)
class Guide:
    """Draws from a table of 2^m whole weights with sum 2^64, by one word each and mostly one look-up.

    The word w is in pattern p where the weights of all patterns before p together are <= w, and with that of p above
    it: exactly what a search among the ends of the patterns finds. Nearly always the first bits of a word say which one
    that is; the few words that begin like an end are searched for. Which words these are depends on the words only.

    Attributes:
        bits: of a word, which are looked up.
        answers: for each beginning of a word its pattern, or 2^m where more than one begins so, shape (2^bits,).
        lasts: the last word of each pattern, shape (2^m,).
    """

    bits: int
    answers: NDArray[np.unsignedinteger]
    lasts: Words

    @classmethod
    def of(cls, table: Sequence[int]) -> Self:
        """Of weights >= 1."""
        size, length = len(table), len(table).bit_length() - 1
        bits = max(length, min(LARGEST_GUIDE_BITS, length + FINER))
        lasts = np.array([end - 1 for end in accumulate(table)], dtype=np.uint64)
        least = np.arange(1 << bits, dtype=np.uint64) << np.uint64(64 - bits)
        first, last = (np.searchsorted(lasts, end) for end in (least, least + np.uint64((1 << 64 - bits) - 1)))
        return cls(bits, np.where(first == last, first, size).astype(np.min_scalar_type(size)), lasts)

    def patterns(self, words: Words) -> NDArray[np.unsignedinteger]:
        """The pattern that each uniform word is in, shape (n,)."""
        found = self.answers.take((words >> np.uint64(64 - self.bits)).view(np.int64))
        unsure = np.flatnonzero(found == len(self.lasts))
        found[unsure] = np.searchsorted(self.lasts, words[unsure])
        return found
