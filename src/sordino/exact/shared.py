"""The words of one batch for two readers, of whom only one is heard: both see the same words in the same order.

What a row draws is then the same whichever reader's answer is taken for it, and so is the time.
"""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from sordino.exact.source import Rows, Stream, Words


@dataclass
class _Pool:
    """The words that some rows have drawn: those of all rows by their number, and which have drawn them (None: all)."""

    stream: Stream
    count: int
    drawn: list[tuple[Words, NDArray[np.bool_] | None]] = field(default_factory=list)

    def words(self, number: int, rows: NDArray[np.intp] | None) -> Words:
        """The word of that number of some rows, or of all, which have drawn all before it."""
        if number == len(self.drawn):
            if rows is None:
                self.drawn.append((self.stream.next(), None))
            else:
                self.drawn.append((np.empty(self.count, dtype=np.uint64), np.zeros(self.count, dtype=np.bool_)))
        words, known = self.drawn[number]
        if known is not None:
            mine = np.arange(self.count) if rows is None else rows
            missing = mine[~known[mine]]
            words[missing] = self.stream.take(missing).next()
            known[missing] = True
        return words.copy() if rows is None else words[rows]


@dataclass
class _Reader:
    """A stream of some rows of a pool, or of all; `position` is the number of each row's next word, for all streams."""

    pool: _Pool
    rows: NDArray[np.intp] | None
    position: NDArray[np.intp]

    def next(self) -> Words:
        mine = slice(None) if self.rows is None else self.rows
        numbers = self.position[mine].copy()
        self.position[mine] += 1
        if numbers.size == 0 or numbers.min() == numbers.max():
            return self.pool.words(int(numbers.max(initial=0)), self.rows)
        rows = np.arange(self.pool.count)[mine]
        words = np.empty(len(rows), dtype=np.uint64)
        for number in np.unique(numbers).tolist():
            own = np.flatnonzero(numbers == number)
            words[own] = self.pool.words(number, rows[own])
        return words

    def take(self, rows: Rows) -> "_Reader":
        mine = np.arange(self.pool.count) if self.rows is None else self.rows
        return _Reader(self.pool, mine[rows], self.position)


def twin_streams(stream: Stream, count: int) -> tuple[Stream, Stream]:
    """Two streams of the same words for as many rows; the first may draw more of some than the second, or fewer."""
    pool = _Pool(stream, count)
    first, second = (_Reader(pool, None, np.zeros(count, dtype=np.intp)) for _ in range(2))
    return first, second
