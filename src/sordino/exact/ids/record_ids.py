"""Who a row is about: a whole number of at most 64 bits, or a text, all of it. A keyed source makes 128 bits of either.

A text that spells such a number the usual way ("17", not "017") is that number, so that a table's format does not
matter.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sordino.errors import SordinoError
from sordino.exact.ids.texts import WORD, Texts
from sordino.exact.source import Words


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
