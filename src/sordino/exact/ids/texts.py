"""Texts of any lengths in one buffer, as Arrow holds them: no row is an object of Python.

What they spell is worked out for all of them at once, eight bytes a step.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import DTypeLike, NDArray

from sordino.exact.source import Words

WORD, BLOCK = 8, 16
"""Bytes of a word, and of two."""

MASKS = np.array([(1 << 8 * count) - 1 for count in range(WORD + 1)], dtype="<u8")
"""What stays of a word of which so many bytes belong to a text."""

KEPT = np.array([b"\xff" * count + bytes(BLOCK - count) for count in range(BLOCK + 1)], dtype=f"V{BLOCK}")
"""The same of blocks."""

MARGIN = 3 * WORD
"""Bytes of zeros before the first text and after the last one: a word that reaches beyond a text can be read."""

PIECE = 1 << 14
"""Texts that are looked at together, for as long as they stay in the processor's cache."""

MOST_DIGITS = 20
"""Digits of a whole number of 64 bits."""

ZERO, MINUS = ord("0"), ord("-")

ZEROS, CARRIES, OVER = (np.uint64(byte * 0x0101010101010101) for byte in (ZERO, 0x80 - 10, 0x80))
"""Eight digits 0; what moves each byte from 10 on past 127; and the bits that tell so."""

JOINED = [
    (np.uint64(mask), np.uint64((base << bits) + 1), np.uint64(bits))
    for mask, base, bits in (
        (0x0F0F0F0F0F0F0F0F, 10, 8),
        (0x00FF00FF00FF00FF, 100, 16),
        (0x0000FFFF0000FFFF, 10**4, 32),
    )
]
"""Digits, pairs of them and fours of them: which bits they have, by what a product joins two, and where it has them."""

EIGHT_DIGITS = 10**8
TOP, REST = divmod((1 << 64) - 1, EIGHT_DIGITS**2)
"""The largest number: its first digits, and its last 16."""

ALL = np.uint64((1 << 64) - 1)

Mask: TypeAlias = NDArray[np.bool_]


@dataclass(frozen=True, eq=False, repr=False)
class Texts:
    """Some texts.

    Attributes:
        data: their bytes, each text in one piece, between margins of zeros.
        starts: where each begins, shape (n,).
        lengths: in bytes, shape (n,).
    """

    data: NDArray[np.uint8]
    starts: NDArray[np.int64]
    lengths: NDArray[np.int64]

    @classmethod
    def of(cls, texts: Sequence[str]) -> "Texts":
        """Those of a list."""
        encoded = [text.encode() for text in texts]
        ends = np.cumsum([0, *map(len, encoded)])
        return cls.split_at(np.frombuffer(b"".join(encoded), dtype=np.uint8), ends)

    @classmethod
    def split_at(cls, data: NDArray[np.uint8], ends: NDArray[np.int64]) -> "Texts":
        """Those that stand one after the other, from each of the places up to the next one; their bytes are copied."""
        first, last = (int(ends[0]), int(ends[-1])) if ends.size else (0, 0)
        held = np.empty(last - first + 2 * MARGIN, dtype=np.uint8)
        held[:MARGIN] = held[len(held) - MARGIN :] = 0
        held[MARGIN : len(held) - MARGIN] = data[first:last]
        return cls(held, ends[:-1] + (MARGIN - first), np.diff(ends))

    def __len__(self) -> int:
        return len(self.starts)

    def take(self, rows: NDArray[np.intp] | slice) -> "Texts":
        """Some of them."""
        return Texts(self.data, self.starts[rows], self.lengths[rows])

    def blocks(self) -> Iterator[tuple[NDArray[np.intp], Words]]:
        """First to last 16 bytes: which texts have so many, and two words of each; zeros where the text has ended."""
        blocks = self._from_each_place(KEPT.dtype)
        rows = np.flatnonzero(self.lengths)
        # Nearly always all texts have a byte, and none more than a block.
        starts, left = (
            (self.starts, self.lengths) if len(rows) == len(self) else (self.starts[rows], self.lengths[rows])
        )
        while rows.size:
            yield rows, _words_of(blocks[starts]) & _words_of(KEPT.take(left, mode="clip"))
            longer = left > BLOCK
            if not longer.any():
                return
            rows, starts, left = rows[longer], starts[longer] + BLOCK, left[longer] - BLOCK

    def whole_numbers(self) -> tuple[NDArray[np.intp], Words, Mask]:
        """The texts that spell a whole number of at most 64 bits the usual way: "17" and "-17", not "017", "+17", "-0".

        Their rows; the numbers modulo 2^64; and which are negative, from -2^63 on. Others are below 2^64.
        """
        first = self.data[self.starts]
        rows = np.flatnonzero((first >= MINUS) & (first <= ord("9")) & (self.lengths <= MOST_DIGITS))
        # Some at a time: what is made of them stays in the processor's cache.
        found = [self._numbers(rows[start : start + PIECE]) for start in range(0, max(len(rows), 1), PIECE)]
        rows, numbers, negative = (np.concatenate(some) for some in zip(*found, strict=True))
        return rows, numbers, negative

    def _numbers(self, rows: NDArray[np.intp]) -> tuple[NDArray[np.intp], Words, Mask]:
        """The same among some texts of at most 20 bytes."""
        first = self.data[self.starts[rows]]
        negative = first == MINUS
        starts, digits = self.starts[rows] + negative, self.lengths[rows] - negative
        usual = (digits > 0) & ((self.data[starts] != ZERO) | ((digits == 1) & ~negative))
        ends, words = starts + digits, self._from_each_place("<u8")
        parts = [np.zeros(len(rows), dtype=np.uint64)] * 3
        for part in range(-(-int(digits.max(initial=0)) // WORD)):
            left = np.clip(digits - part * WORD, 0, WORD)
            parts[part], spelt = _eight_digits(words[ends - (part + 1) * WORD], MASKS[WORD - left])
            usual &= spelt
        rest, top = parts[1] * np.uint64(EIGHT_DIGITS) + parts[0], parts[2]
        usual &= (top < TOP) | ((top == TOP) & (rest <= REST))
        number = top * np.uint64(EIGHT_DIGITS**2) + rest
        usual &= ~negative | (number <= np.uint64(1 << 63))
        number = (number ^ negative * ALL) + negative
        return rows[usual], number[usual], negative[usual]

    def _from_each_place(self, kind: DTypeLike) -> NDArray[Any]:
        """The bytes from each place on, as many as the type has."""
        size = np.dtype(kind).itemsize
        return np.ndarray(len(self.data) - size + 1, dtype=kind, buffer=self.data, strides=(1,))


def _eight_digits(words: Words, before: Words) -> tuple[Words, Mask]:
    """The numbers that words spell, but for the bits before their digits; and whether they do."""
    digits = ((words & ~before) | (ZEROS & before)) ^ ZEROS
    spelt: Mask = ((digits + CARRIES | digits) & OVER) == 0
    for mask, joins, bits in JOINED:
        digits = (digits & mask) * joins >> bits
    return digits, spelt


def _words_of(blocks: NDArray[np.void]) -> Words:
    """Two words of each block, shape (n, 2)."""
    return blocks.view("<u8").reshape(-1, 2)
