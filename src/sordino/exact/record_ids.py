"""Who a row is about: a whole number of at most 64 bits, or a text, all of it. A keyed source makes 128 bits of either.

A text that spells such a number the usual way ("17", not "017") is that number, so that a table's format does not
matter. Texts are held as Arrow holds them, their UTF-8 bytes one after another: no row is an object of Python.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sordino.errors import SordinoError
from sordino.exact.source import Words

WORD, BLOCK = 8, 16
"""Bytes of a word, and of two."""

MASKS = np.array([(1 << 8 * count) - 1 for count in range(WORD + 1)], dtype="<u8")
"""What stays of a word of which so many bytes belong to a text."""


@dataclass(frozen=True, eq=False, repr=False)
class Texts:
    """Texts of any lengths in one buffer.

    Attributes:
        data: their bytes, each text in one piece.
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
        lengths = np.array([len(text) for text in encoded], dtype=np.int64)
        return cls(np.frombuffer(b"".join(encoded), dtype=np.uint8), np.cumsum(lengths) - lengths, lengths)

    def blocks(self) -> Iterator[tuple[NDArray[np.intp], Words, Words]]:
        """First to last 16 bytes: which texts have so many, and two words of each; zeros where the text has ended."""
        padded = np.concatenate([self.data, np.zeros(BLOCK, dtype=np.uint8)])
        # A word may begin at any byte.
        words = np.ndarray(len(padded) - WORD + 1, dtype="<u8", buffer=padded, strides=(1,))
        rows = np.flatnonzero(self.lengths)
        starts, left = self.starts[rows], self.lengths[rows]
        while rows.size:
            low = words[starts] & MASKS[np.minimum(left, WORD)]
            high = words[starts + WORD] & MASKS[np.clip(left - WORD, 0, WORD)]
            yield rows, low, high
            longer = left > BLOCK
            rows, starts, left = rows[longer], starts[longer] + BLOCK, left[longer] - BLOCK


@dataclass(frozen=True, eq=False, repr=False)
class RecordIds:
    """The ids of a batch of rows.

    Attributes:
        numbers: shape (n, 2), low and high words: a whole number modulo 2^64, and 1 if it is negative, else 0; zeros in
            the rows of texts.
        rows: those of texts.
        texts: theirs.
    """

    numbers: Words
    rows: NDArray[np.intp]
    texts: Texts

    @classmethod
    def of(cls, ids: "ArrayLike | Sequence[str] | RecordIds") -> "RecordIds":
        """Ids of Python or NumPy, shape (n,): whole numbers of at most 64 bits, or texts.

        Raises:
            SordinoError: neither whole numbers nor texts.
        """
        if isinstance(ids, RecordIds):
            return ids
        array = np.asarray(ids)
        if array.ndim == 1 and array.size and array.dtype.kind in "UO" and all(isinstance(one, str) for one in array):
            # Of the ids themselves: an array leaves out zeros at a text's end.
            return cls._of_texts(list(cast("Sequence[str]", ids)))
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
        words = np.empty((len(numbers), 2), dtype=np.uint64)
        words[:, 0], words[:, 1] = numbers.astype(np.uint64, copy=False), numbers < 0
        return cls(words, np.empty(0, dtype=np.intp), Texts.of([]))

    @classmethod
    def _of_texts(cls, texts: list[str]) -> "RecordIds":
        numbers = [_number(text) for text in texts]
        words = [(0, 0) if number is None else (number % 2**64, int(number < 0)) for number in numbers]
        rows = [row for row, number in enumerate(numbers) if number is None]
        told = Texts.of([texts[row] for row in rows])
        return cls(np.array(words, dtype=np.uint64).reshape(-1, 2), np.array(rows, dtype=np.intp), told)


def first_repeated(ids: Words) -> int | None:
    """The position of the first id of 128 bits that stands before it already; None if all differ."""
    ordered = np.sort(ids[:, 0])
    if not (ordered[1:] == ordered[:-1]).any():
        return None
    # Equal low words are not yet equal ids. Equal ids keep their order in this sort.
    order = np.lexsort((ids[:, 1], ids[:, 0]))
    same = np.ones(max(len(order) - 1, 0), dtype=np.bool_)
    for column in ids.T:
        ordered = column[order]
        same &= ordered[1:] == ordered[:-1]
    seconds = order[1:][same]
    return int(seconds.min()) if seconds.size else None


def _number(text: str) -> int | None:
    """The whole number of at most 64 bits that a text spells the usual way."""
    digits = text.removeprefix("-")
    if digits.isascii() and digits.isdigit() and len(digits) <= 20 and str(int(text)) == text:
        number = int(text)
        return number if -(2**63) <= number < 2**64 else None
    return None
