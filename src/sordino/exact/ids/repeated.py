"""Which 64-bit words stand more than once, among many that come some at a time.

A product spreads words over buckets. In each bucket every word writes its number at a place of a small table, and
reads it again: whose number was written over has a word at its place that may be equal, and is compared with it. What
is touched stays in the processor's cache: a sort of all words takes four times as long.

Whoever knows the product's factor can choose words that all fall into one bucket, and then no part of them is small. Of
a factor that was drawn once the words were chosen, any two that differ share a bucket with a chance of 1 in 128 at
most, and so one has no more than n/128 others beside it on average.
Source: Dietzfelbinger, Hagerup, Katajainen and Penttonen 1997, a reliable randomized algorithm for the closest-pair
problem.
"""

import numpy as np
from numpy.typing import NDArray

from sordino.exact.source import Words

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
        count: how many are kept.

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
