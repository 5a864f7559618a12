"""Whom a row is about: a whole number of at most 64 bits, or a text, all of it; and which ids are repeated.

A text that spells such a number the usual way ("17", not "017") is that number, so that a table's format does not
matter.

Texts of any lengths in one buffer, as Arrow holds them: no row is an object of Python.

What they spell is worked out for all of them at once, eight bytes a step.

Which 64-bit words stand more than once, among many that come some at a time.

A product spreads words over buckets. In each bucket every word writes its number at a place of a small table, and
reads it again: whose number was written over has a word at its place that may be equal, and is compared with it. What
is touched stays in the processor's cache: a sort of all words takes four times as long.

Whoever knows the product's factor can choose words that all fall into one bucket, and then no part of them is small. Of
a factor that was drawn once the words were chosen, any two that differ share a bucket with a chance of 1 in 128 at
most, and so one has no more than n/128 others beside it on average.
Source: Dietzfelbinger, Hagerup, Katajainen and Penttonen 1997, a reliable randomized algorithm for the closest-pair
problem.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from sordino.errors import SordinoError
from sordino.exact.source import Words

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


@dataclass(frozen=True, eq=False, repr=False)
class RecordIds:
    """The ids of a batch of rows: those in `rows` are texts, all others whole numbers.

    Attributes:
        low: a whole number modulo 2^64, shape (n,); 0 in the rows of texts.
        high: 1 where it is negative, else 0.
    """

    low: Words
    high: Words
    rows: NDArray[np.intp]
    texts: Texts

    @classmethod
    def of(cls, ids: "ArrayLike | Sequence[str] | RecordIds") -> "RecordIds":
        """Ids of Python or NumPy, shape (n,): whole numbers of at most 64 bits, or texts."""
        if isinstance(ids, RecordIds):
            return ids
        array = np.asarray(ids)
        # Of the ids themselves: an array leaves out zeros at a text's end, and makes numbers beside texts texts too.
        given = cast("Sequence[object]", ids) if array.ndim == 1 and array.size and array.dtype.kind in "UO" else []
        if len(given) and all(isinstance(one, str) for one in given):
            try:
                return cls.of_texts(Texts.of(cast("Sequence[str]", given)))
            except UnicodeEncodeError:
                raise SordinoError("record ids must be texts", found="one that UTF-8 cannot hold") from None
        if array.size == 0 and array.ndim == 1:
            return cls.of_numbers(np.empty(0, dtype=np.uint64))
        if array.dtype.kind not in "iu" or array.ndim != 1:
            raise SordinoError(
                "record ids must be whole numbers or texts in one row", found=f"type {array.dtype}, {array.ndim} axes"
            )
        return cls.of_numbers(array)

    @classmethod
    def of_numbers(cls, numbers: NDArray[np.integer]) -> "RecordIds":
        """Whole numbers, shape (n,)."""
        high = np.broadcast_to(np.uint64(0), len(numbers))
        if numbers.min(initial=0) < 0:
            high = (numbers < 0).astype(np.uint64)
        low = numbers.view(np.uint64) if numbers.itemsize == WORD else numbers.astype(np.uint64)
        return cls(low, high, np.empty(0, dtype=np.intp), Texts.of([]))

    @classmethod
    def of_texts(cls, texts: Texts) -> "RecordIds":
        """Texts, some of which may spell numbers."""
        whole, numbers, negative = texts.whole_numbers()
        low, high = np.zeros((2, len(texts)), dtype=np.uint64)
        if not whole.size:
            return cls(low, high, np.arange(len(texts)), texts)
        low[whole], high[whole] = numbers, negative
        others = np.ones(len(texts), dtype=np.bool_)
        others[whole] = False
        rows = np.flatnonzero(others)
        return cls(low, high, rows, texts.take(rows))


def first_repeated(low: Words, high: Words) -> int | None:
    """The position of the first id of two words that stands before it already; None if all differ."""
    ordered = np.sort(low)
    if not (ordered[1:] == ordered[:-1]).any():
        return None
    # Equal low words are not yet equal ids. Equal ids keep their order in this sort.
    order = np.lexsort((high, low))
    same = np.ones(max(len(order) - 1, 0), dtype=np.bool_)
    for column in (low, high):
        ordered = column[order]
        same &= ordered[1:] == ordered[:-1]
    seconds = order[1:][same]
    return int(seconds.min()) if seconds.size else None


WORD, BLOCK = 8, 16
"""Bytes of a word, and of two."""

MASKS = np.array([(1 << 8 * count) - 1 for count in range(WORD + 1)], dtype="<u8")
"""What stays of a word of which so many bytes belong to a text."""

KEPT = np.array([b"\xff" * count + bytes(BLOCK - count) for count in range(BLOCK + 1)], dtype=f"V{BLOCK}")

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


BUCKETS = 256

SPREAD = 0x9E3779B97F4A7C15
"""An odd number near 2^64 over the golden ratio: the first bits of its products differ for words that are close."""

PLACES_A_WORD, MOST_PLACES = 4, 1 << 20
"""Places of a bucket's table: for each word, and at most, 4 MB."""

ROOM = 1 << 20
"""Words for which memory is asked for at once: of large pieces the system gives large pages."""

NONE = np.empty(0, dtype=np.uint64)


class RepeatedWords:
    """The words of some of the buckets.

    Attributes:
        buckets: whose words are kept, all by default; others are let go when they are added.
        factor: of the products, odd; the same for all parts of a comparison.

    Example:
        >>> words = RepeatedWords()
        >>> words.add(np.array([7, 5], dtype=np.uint64))
        >>> words.add(np.array([1, 7], dtype=np.uint64))
        >>> words.find_repeats().tolist()
        [7]
    """

    def __init__(self, buckets: range = range(BUCKETS), factor: int = SPREAD) -> None:
        self.buckets, self.factor = buckets, factor
        self.count = 0
        self._parts: list[tuple[Words, NDArray[np.intp]]] = []  # spread words by bucket, and where each bucket begins
        self._room = NONE

    def add(self, words: Words) -> None:
        """Some more words, shape (n,)."""
        spread = words * np.uint64(self.factor)
        bucket = (spread >> np.uint64(56)).astype(np.uint8)
        # Of bytes this is counting, not comparing.
        order = np.argsort(bucket, kind="stable")
        starts = np.concatenate([[0], np.cumsum(np.bincount(bucket, minlength=BUCKETS))])
        self._keep(spread, order[starts[self.buckets.start] : starts[self.buckets.stop]], starts)

    def drop_half(self) -> range:
        """Let the words of the second half of the buckets go; returns these buckets, none of one alone."""
        middle = (self.buckets.start + self.buckets.stop + 1) // 2
        gone, self.buckets = range(middle, self.buckets.stop), range(self.buckets.start, middle)
        parts, self._parts, self._room, self.count = self._parts, [], NONE, 0
        for spread, starts in parts:
            self._keep(spread, np.arange(starts[middle]), starts)
        return gone

    def find_repeats(self) -> Words:
        """Those that stand more than once, each once, ascending."""
        found = [_repeats(self._bucket(bucket)) for bucket in self.buckets]
        words = np.sort(np.concatenate([NONE, *found]) * np.uint64(pow(self.factor, -1, 1 << 64)))
        # NumPy's own way to have each once is a table of hashes, which takes seconds for a million.
        return np.delete(words, np.flatnonzero(words[1:] == words[:-1]))

    def _keep(self, spread: Words, order: NDArray[np.intp], starts: NDArray[np.intp]) -> None:
        """Words by their places, and where each bucket begins."""
        if len(self._room) < len(order):
            self._room = np.empty(max(ROOM, len(order)), dtype=np.uint64)
        kept, self._room = self._room[: len(order)], self._room[len(order) :]
        np.take(spread, order, out=kept, mode="clip")
        self._parts.append((kept, starts - starts[self.buckets.start]))
        self.count += len(kept)

    def _bucket(self, bucket: int) -> Words:
        pieces = [spread[starts[bucket] : starts[bucket + 1]] for spread, starts in self._parts]
        return np.concatenate([NONE, *pieces])


def _repeats(words: Words) -> Words:
    """Those of a bucket that stand more than once, some of them several times."""
    size = min(PLACES_A_WORD * len(words), MOST_PLACES - 1).bit_length()
    # Of a product's first bits the bucket has used eight.
    place = (words << np.uint64(8) >> np.uint64(64 - size)).view(np.intp)
    number = np.arange(len(words), dtype=np.uint32)
    table = np.empty(1 << size, dtype=np.uint32)
    table[place] = number
    last = table.take(place)
    lost = np.flatnonzero(last != number)
    others = words.take(lost)
    same = others == words.take(last.take(lost))
    # Two equal words have one place: either one of them kept it, or both lost it to a third.
    left = np.sort(others)
    return np.concatenate([others[same], left[1:][left[1:] == left[:-1]]])
