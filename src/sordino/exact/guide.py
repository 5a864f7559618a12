"""Draws from tables of whole weights with sum 2^64, by one word each and mostly one look-up.

The word w is in pattern p where the weights of all patterns before p together are <= w, and with that of p above it:
exactly what a search among the ends of the patterns finds. Nearly always the first bits of a word say which one that
is; the few words that begin like an end are searched for. Which words these are depends on the words only.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Self

import numpy as np
from numpy.typing import NDArray

from sordino.exact.source import Words

FINER = 6
"""Bits of a word beyond those that number the patterns: at most one in 2^6 words is searched for."""

LARGEST_GUIDE = 1 << 16
"""First bits that are told apart at most."""


@dataclass(frozen=True, eq=False)
class Guide:
    """Several tables of at most 2^m weights, m from 1 to 15.

    Attributes:
        size: 2^m; shorter tables have no other patterns.
        bits: of a word, which are looked up.
        answers: for each table and each beginning of a word, its pattern, or `size` where more than one begins so;
            shape (tables 2^bits,).
        lasts: for each table the last word of each pattern, shape (tables, size).
    """

    size: int
    bits: int
    answers: NDArray[np.unsignedinteger]
    lasts: Words

    @classmethod
    def of(cls, tables: Sequence[Sequence[int]]) -> Self:
        """Of tables of weights >= 1, each as many as a power of two."""
        size = max(map(len, tables))
        bits = max(size.bit_length() - 1, min(LARGEST_GUIDE.bit_length() - 1, size.bit_length() - 1 + FINER))
        ends = [[*accumulate(table)] + [1 << 64] * (size - len(table)) for table in tables]
        lasts = np.array([[end - 1 for end in table] for table in ends], dtype=np.uint64)
        least = np.arange(1 << bits, dtype=np.uint64) << np.uint64(64 - bits)
        most = least + np.uint64((1 << 64 - bits) - 1)
        answers = []
        for own in lasts:
            first, last = np.searchsorted(own, least), np.searchsorted(own, most)
            answers.append(np.where(first == last, first, size))
        return cls(size, bits, np.concatenate(answers).astype(np.min_scalar_type(size)), lasts)

    def patterns(self, words: Words, tables: NDArray[np.intp] | None = None) -> NDArray[np.unsignedinteger]:
        """The pattern that each word is in, shape (n,).

        Args:
            words: uniform, shape (n,).
            tables: which table each is for, shape (n,); the only one by default.
        """
        at = (words >> np.uint64(64 - self.bits)).view(np.int64)
        if tables is not None:
            at += tables << self.bits
        found = self.answers.take(at)
        unsure = np.flatnonzero(found == self.size)
        for table, lasts in enumerate(self.lasts):
            own = unsure if tables is None else unsure[tables[unsure] == table]
            found[own] = np.searchsorted(lasts, words[own])
        return found
