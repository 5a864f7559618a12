"""Random words from the operating system's entropy, and uniform choices without bias.

`SystemSource` hands out the operating system's words, and where many are drawn those of an AES-256-CTR stream that is
keyed from them: exact for ideal words, computationally secure under AES. Every batch it hands out is fresh memory that
nobody overwrites. Each thread has its own stream; a forked child draws a new key, so it never repeats its parent; a
source is never pickled or copied. There is no seed.
"""

import os
import secrets
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, NoReturn, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers import CipherContext


Words: TypeAlias = NDArray[np.uint64]

Rows: TypeAlias = NDArray[np.intp] | slice
"""Which values of a batch: their places, each once, or a run of them."""

LARGEST_BOUND = 2**32
"""Uniform choices from at most this many are made with half a word."""

LARGEST_WIDE_BOUND = 2**64
"""Uniform choices are from at most this many."""

LARGEST_WORD = 2**64 - 1

FEW = 1 << 10
"""Words of a thread that come from the operating system as they are: a person's report needs no stream of its own."""

ZEROS = bytes(1 << 16)
"""Plaintext of the stream; encrypted piece by piece, so that it stays in the processor's cache."""


class Stream(Protocol):
    """The random words of one batch of values: each call gives the next word of every value."""

    def next(self) -> Words:
        """The next word for each value of the batch."""

    def take(self, rows: Rows) -> "Stream":
        """The streams of some of the values: each goes on where it is, and no word is ever given twice."""


class Source(Protocol):
    """Where random words come from, for one batch of people (a fresh source: for any number of batches)."""

    def stream(self, values: NDArray[np.number]) -> Stream:
        """The words for the batch's values (a keyed source depends on them; a fresh one only on how many)."""

    def public(self, count: int, use: str = "question") -> Stream:
        """Words that do not depend on any value, for what everybody may know: which question a person is asked.

        Each use has words of its own: a question drawn within a question must not depend on how that was drawn.
        """

    def take(self, rows: Rows) -> "Source":
        """The source for some people of the batch."""


class SystemSource:
    """Fresh words: first the operating system's, then those of a stream that it keys; one a thread and process.

    Example:
        >>> SystemSource().words(3).dtype
        dtype('uint64')
    """

    # Forks above this process: process numbers can be used again, this count cannot go back.
    _forks: ClassVar[int] = 0

    def __init__(self) -> None:
        self._local = threading.local()

    def words(self, count: int) -> Words:
        """`count` uniform 64-bit words in memory of their own."""
        cipher = self._cipher_after(count)
        if cipher is None:
            return np.frombuffer(bytearray(secrets.token_bytes(8 * count)), dtype=np.uint64)
        result = np.empty(count, dtype=np.uint64)
        view = memoryview(result.view(np.uint8))  # type: ignore[arg-type]  # arrays are buffers; the stubs say so from 3.12
        for start in range(0, len(view), len(ZEROS)):
            piece = view[start : start + len(ZEROS)]
            cipher.update_into(ZEROS[: len(piece)] if len(piece) < len(ZEROS) else ZEROS, piece)
        return result

    def stream(self, values: NDArray[np.number]) -> Stream:
        return FreshStream(self.words, len(values))

    def public(self, count: int, use: str = "question") -> Stream:  # noqa: ARG002 - fresh words never repeat
        return FreshStream(self.words, count)

    def take(self, rows: Rows) -> "SystemSource":  # noqa: ARG002 - the rows are the protocol's
        return self

    def _cipher_after(self, count: int) -> "CipherContext | None":
        """The thread's stream for so many words more; None while it has drawn few."""
        own, owner = self._local, (SystemSource._forks, os.getpid())
        if getattr(own, "owner", None) != owner:
            # The owner last: a child that is interrupted here must not go on with its parent's stream.
            own.cipher, own.left, own.owner = None, FEW, owner
        own.left -= count
        if own.cipher is None and own.left < 0:
            # Loaded where it is needed: it takes a tenth of what a report does.
            from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

            key, start = secrets.token_bytes(32), secrets.token_bytes(16)
            own.cipher = Cipher(algorithms.AES(key), modes.CTR(start)).encryptor()
        cipher: CipherContext | None = own.cipher
        return cipher

    @classmethod
    def note_fork(cls) -> None:
        """In a forked child: every source that it inherited draws a new key."""
        cls._forks += 1

    def __reduce__(self) -> NoReturn:
        """A copied stream would repeat itself: refuse."""
        raise TypeError("a random source is never pickled or copied; make a new SystemSource() where you need one")


class FreshStream:
    """A batch's words from a source whose words depend on nothing but how many were drawn before."""

    def __init__(self, words: Callable[[int], Words], count: int) -> None:
        self._words = words
        self._count = count

    def next(self) -> Words:
        return self._words(self._count)

    def take(self, rows: Rows) -> "FreshStream":
        count = len(range(self._count)[rows]) if isinstance(rows, slice) else len(rows)
        return FreshStream(self._words, count)


def uniform_below(bound: int, stream: Stream) -> Words:
    """A uniform integer in 0..bound-1 for each value, exactly, by rejected words.

    Each word's upper half times the bound gives the choice in its upper half; the few products whose lower half falls
    in the uneven remainder are drawn again (at most bound / 2^32 of them). Beyond 2^32, the quotient of the whole word
    is the choice, and words past the last whole quotient are drawn again. `bound` is at most 2^64.
    Whether a word is rejected does not depend on the value.
    """
    if bound == 1 << 64:
        return stream.next()
    return uniform_below_either((bound, bound), None, stream)


def uniform_below_either(bounds: tuple[int, int], second: NDArray[np.bool_] | None, stream: Stream) -> Words:
    """A uniform integer below the first bound, or below the second where `second` holds (None: nowhere).

    A row draws again wherever either bound rejects its word, and keeps its choice if its own does not: how many words
    are drawn depends on the words alone.
    """
    narrow = max(bounds) <= LARGEST_BOUND
    word = stream.next()
    if narrow:
        word >>= np.uint64(32)
    find = _narrow if narrow else _wide
    choice, wrong = find(word, bounds[0])
    rejected = wrong
    if second is not None and bounds[0] != bounds[1]:
        other, other_wrong = find(word, bounds[1])
        # Without a branch a row: a coin's outcomes cannot be predicted.
        choice ^= second * (choice ^ other)
        rejected, wrong = wrong | other_wrong, wrong ^ (second & (wrong ^ other_wrong))
    again = np.flatnonzero(rejected)
    if again.size:
        coins = None if second is None else second[again]
        drawn, kept = uniform_below_either(bounds, coins, stream.take(again)), choice[again]
        kept ^= wrong[again] * (kept ^ drawn)
        choice[again] = kept
    return choice


def _narrow(word: Words, bound: int) -> tuple[Words, NDArray[np.bool_]]:
    """The choices of half words below a bound of at most 2^32, and which of them are rejected."""
    product = word * np.uint64(bound)
    wrong = product.astype(np.uint32) < np.uint32((1 << 32) % bound)
    product >>= np.uint64(32)
    return product, wrong


def _wide(word: Words, bound: int) -> tuple[Words, NDArray[np.bool_]]:
    """The same of whole words and bounds of at most 2^64, by division; of 2^64 the word itself."""
    choice = word // np.uint64(min((1 << 64) // bound, LARGEST_WORD))
    return choice, choice > np.uint64(bound - 1)


if hasattr(os, "register_at_fork"):  # where processes fork
    os.register_at_fork(after_in_child=SystemSource.note_fork)


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
