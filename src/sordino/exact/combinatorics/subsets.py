"""Subsets of 0..n-1 of one size, as bit masks or lists of members, in the order of the masks: ranking and tallying.

The subset of rank r is found coordinate by coordinate: of the subsets of the first i + 1 elements with s members,
C(i, s) do not have element i, and these come first. So the rank of p1 < p2 < ... is the sum of the C(p_i, i).
"""

from functools import cache
from math import comb

import numpy as np
from numpy.typing import NDArray

from sordino.exact.source import LARGEST_WORD, Words

LARGEST_LIST = 1 << 20
"""Largest number of subsets listed in a table, 8 MB; a look-up beats finding a subset element by element."""

LARGEST_DIGIT = 8
"""Largest number of bits that are counted together."""

MOST_COUNTERS = 1 << 16
"""Largest number of counters of all groups' digits, where there is a choice: they stay in the processor's cache."""


def unrank(ranks: Words, n: int, sizes: tuple[int, int], second: NDArray[np.bool_]) -> Words:
    """The masks of n <= 63 bits of ranks below C(n, size), of the first size, or the second where `second` holds."""
    if max(comb(n, size) for size in sizes) <= LARGEST_LIST:
        place = second * np.intp(comb(n, sizes[0]))
        place += ranks.view(np.intp)
        return _both(n, sizes).take(place).astype(np.uint64)
    left = sizes[0] + second * (sizes[1] - sizes[0])
    rank, masks = ranks.copy(), np.zeros(len(ranks), dtype=np.uint64)
    for element in range(n - 1, -1, -1):
        without = np.array([comb(element, size) for size in range(n + 1)], dtype=np.uint64)[left]
        has = rank >= without
        rank -= has * without
        masks |= has.astype(np.uint64) << np.uint64(element)
        left = left - has
    return masks


def members(ranks: Words, n: int, size: int) -> NDArray[np.intp]:
    """The elements, ascending, of the subsets of some ranks below C(n, size) <= 2^64, shape (rows, size)."""
    if comb(n, size) * size <= LARGEST_LIST:
        return _listed_members(n, size)[ranks.astype(np.intp)]
    return _members(ranks, n, size)


def members_of_sizes(ranks: Words, n: int, sizes: NDArray[np.intp], most: int) -> NDArray[np.intp]:
    """`members` of subsets of each row's own size of at most `most`, shape (rows, most); n behind the last one.

    All rows take as many steps, whatever their sizes.
    """
    rank, found = ranks.copy(), np.empty((len(ranks), most), dtype=np.intp)
    for left in range(most, 0, -1):
        below, has = _subsets_below(n, left), sizes >= left
        # The largest element is the last one below which at most `rank` subsets can be chosen.
        largest = np.searchsorted(below, rank, side="right") - 1
        found[:, left - 1] = n + has * (largest - n)
        rank -= has * below[largest]
    return found


def ranks_of(elements: NDArray[np.intp], n: int) -> Words:
    """The ranks of subsets by their ascending members, shape (rows, size), where C(n, size) <= 2^64."""
    ranks = np.zeros(len(elements), dtype=np.uint64)
    for place in range(elements.shape[1]):
        ranks += _subsets_below(n, place + 1)[elements[:, place]]
    return ranks


@cache
def _subsets_below(n: int, size: int) -> Words:
    """How many subsets of a size have all members below each element, shape (n,); at most 2^64 - 1."""
    below = np.array([min(comb(element, size), LARGEST_WORD) for element in range(n)], dtype=np.uint64)
    below.setflags(write=False)
    return below


def _members(ranks: Words, n: int, size: int) -> NDArray[np.intp]:
    return members_of_sizes(ranks, n, np.full(len(ranks), size), size)


@cache
def _listed_members(n: int, size: int) -> NDArray[np.intp]:
    listed = _members(np.arange(comb(n, size), dtype=np.uint64), n, size)
    listed.setflags(write=False)
    return listed


@cache
def _both(n: int, sizes: tuple[int, int]) -> NDArray[np.unsignedinteger]:
    both = np.concatenate([_all_masks(n, size) for size in sizes])
    narrow = both.astype(np.uint32) if n <= 32 else both
    narrow.setflags(write=False)
    return narrow


@cache
def _all_masks(n: int, size: int) -> Words:
    if not 0 <= size <= n:
        return np.empty(0, dtype=np.uint64)
    if size == 0:
        return np.zeros(1, dtype=np.uint64)
    return np.concatenate((_all_masks(n - 1, size), _all_masks(n - 1, size - 1) | np.uint64(1 << (n - 1))))


def bit_counts(masks: Words, n: int, group: NDArray[np.intp], groups: int) -> NDArray[np.int64]:
    """How often each of n bits is set in the masks of each group, shape (groups, n).

    Each digit's values are counted, then the bits of each value: cheap where there are fewer counters than masks.
    """
    counters = min(MOST_COUNTERS, len(masks) // 2) // groups
    size = min(max(counters.bit_length() - 1, 1), LARGEST_DIGIT, n)
    digits = -(-n // size)
    counts = np.empty((groups, digits, size), dtype=np.int64)
    # In floats, whose products are fast, and exact to 2^53.
    bits = (np.arange(1 << size)[:, None] >> np.arange(size) & 1).astype(np.float64)
    first, value = group << size, np.empty_like(masks)
    at = value.view(np.intp)
    for digit in range(digits):
        np.right_shift(masks, np.uint64(size * digit), out=value)
        at &= (1 << size) - 1
        at += first
        each = np.bincount(at, minlength=groups << size).reshape(groups, -1)
        counts[:, digit] = each.astype(np.float64) @ bits
    return counts.reshape(groups, -1)[:, :n]
