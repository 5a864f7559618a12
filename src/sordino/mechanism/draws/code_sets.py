"""Sets of codes that support a value, as draws name them: from which of the two sides a coin takes a uniform code.

Every value has a set among the same codes: a run of them, the masks that hold its bit, the points on its hyperplane,
the translates that hold it, the subsets that meet its own. `draw` gives a uniform code of the value's set, or of all
others, by as many words for each value; `uniform` one of all that are sent. Units: values 0..k-1 and codes are whole
numbers.
Cost: vectorized; tables of points and masks where they are small.
"""

from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from math import comb
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sordino.exact.combinatorics.meeting_sizes import MeetingSizes
from sordino.exact.combinatorics.subsets import members, members_of_sizes, ranks_of, unrank
from sordino.exact.source import Stream, Words, uniform_below, uniform_below_either

if TYPE_CHECKING:
    from sordino.exact.combinatorics.projective_points import ProjectiveSpace

Values: TypeAlias = NDArray[np.intp]


class CodeSet(Protocol):
    """A set of codes for each value."""

    @property
    def bounds(self) -> tuple[int, int]:
        """How many choices lead to a code of the set, and how many to another; each code of a side has as many."""

    @abstractmethod
    def choose_codes(self, values: Values, other: NDArray[np.bool_], choice: Words) -> Words:
        """The code of each value that a choice below its bound leads to."""

    @abstractmethod
    def uniform(self, stream: Stream) -> Words:
        """A uniform code of all that are sent."""


def draw_side(codes: CodeSet, threshold: int, values: Values, stream: Stream) -> Words:
    """A code of the value's set with probability threshold / 2^64, else one of the others; uniform on either side."""
    other = stream.next() >= np.uint64(threshold)
    on, off = codes.bounds
    # A set of all codes leaves no choice, whatever the coin says.
    if not off:
        other[:] = False
    return codes.choose_codes(values, other, uniform_below_either((on, max(off, 1)), other, stream))


@dataclass(frozen=True, eq=False)
class Run:
    """`length` neighbouring codes of `codes`, from the value on."""

    codes: int
    length: int

    @property
    def bounds(self) -> tuple[int, int]:
        return self.length, self.codes - self.length

    def choose_codes(self, values: Values, other: NDArray[np.bool_], choice: Words) -> Words:
        """The others come in order without the run."""
        codes = choice.view(np.int64)
        moved = (codes >= values) * self.length
        codes += values + other * (moved - values)
        return codes.view(np.uint64)

    def uniform(self, stream: Stream) -> Words:
        return uniform_below(self.codes, stream)


@dataclass(frozen=True, eq=False)
class Masks:
    """Masks of `count` bits of which `size` are 1: those with the value's bit."""

    count: int
    size: int

    @property
    def bounds(self) -> tuple[int, int]:
        """Ranks among the masks of all other bits."""
        return comb(self.count - 1, self.size - 1), comb(self.count - 1, self.size)

    def choose_codes(self, values: Values, other: NDArray[np.bool_], choice: Words) -> Words:
        """The other members are a subset of the other values, which keep their order without the true one."""
        others = unrank(choice, self.count - 1, (self.size - 1, self.size), other)
        bit = np.uint64(1) << values.astype(np.uint64)
        # Minus a bit is that bit and all above it: added once more, the members there move up by one.
        codes: Words = others & -bit
        codes += others
        bit *= ~other
        codes |= bit
        return codes

    def uniform(self, stream: Stream) -> Words:
        ranks = uniform_below(comb(self.count, self.size), stream)
        return unrank(ranks, self.count, (self.size, self.size), np.zeros(len(ranks), dtype=np.bool_))


@dataclass(frozen=True, eq=False)
class Points:
    """Points of a projective space on the hyperplane of the value's point.

    Attributes:
        is_listed: whether a choice is a place among the points of a side, in ascending order; else it is the free
            coordinates of a vector on or off the hyperplane, which names its point.
    """

    space: "ProjectiveSpace"
    count: int
    is_listed: bool

    @property
    def bounds(self) -> tuple[int, int]:
        """Points; or vectors, of which a point on the hyperplane has one for each multiple."""
        on, off = self.space.hyperplane, self.space.affine
        return (on, off) if self.is_listed else (off - 1, off)

    def choose_codes(self, values: Values, other: NDArray[np.bool_], choice: Words) -> Words:
        """From the list, or solved for the coordinate at which the value's vector has its leading 1."""
        if self.is_listed:
            choice += other * np.uint64(self.space.hyperplane)
            listed: Words = self._point_lists[values, choice.astype(np.intp)].astype(np.uint64)
            return listed
        # A uniform vector w with <u, w> = 0 and w != 0, or with <u, w> = 1, names a uniform point on or off the
        # hyperplane. All coordinates are free but the one of u's leading 1, which is solved for.
        choice += ~other
        pivot = self._pivots[values]
        # The quotient of two numbers below 2^32 never rounds up to a whole one.
        high = (choice / pivot).astype(np.int64)
        low = choice.astype(np.int64) - high * pivot
        product = self.space.dot([chunk[values] for chunk in self._below], self.space.chunks(low, self.space.t - 1))
        solved = self.space.field.subtract(other.view(np.uint8), product)
        codes: Words = self.space.point_of[(high * self.space.q + solved) * pivot + low].astype(np.uint64)
        return codes

    def uniform(self, stream: Stream) -> Words:
        return uniform_below(self.space.points, stream)

    @cached_property
    def _pivots(self) -> NDArray[np.int32]:
        """The power of q at which each value's vector has its leading 1, shape (k,)."""
        q, t = self.space.q, self.space.t
        lengths = np.searchsorted(q ** np.arange(t), self.space.vectors[: self.count], side="right")
        return (q ** (lengths - 1)).astype(np.int32)

    @cached_property
    def _below(self) -> list[NDArray[np.integer]]:
        """Each value's vector without its leading 1, in chunks of shape (k,)."""
        vectors = (self.space.vectors[: self.count] - self._pivots).astype(np.int32)
        return self.space.chunks(vectors, self.space.t - 1)

    @cached_property
    def _point_lists(self) -> NDArray[np.int32]:
        """For each value the points on its hyperplane, then those off it, shape (k, K)."""
        vectors = self.space.chunks(self.space.vectors, self.space.t)
        values = [chunk[: self.count, None] for chunk in vectors]
        off = self.space.dot(values, [chunk[None, :] for chunk in vectors]) != 0
        return np.argsort(off, axis=1, kind="stable").astype(np.int32)


@dataclass(frozen=True, eq=False)
class Translates:
    """Translates, modulo a prime, of multiples of a base set, ascending: those that hold the value.

    Code a p + c is c + g_a D, with D the base set and g_a the multipliers, shape (m,).
    """

    p: int
    multipliers: NDArray[np.intp]
    base: NDArray[np.intp]

    @property
    def bounds(self) -> tuple[int, int]:
        """A family, and an element of the base set or another."""
        families, size = len(self.multipliers), len(self.base)
        return families * size, families * (self.p - size)

    def choose_codes(self, values: Values, other: NDArray[np.bool_], choice: Words) -> Words:
        """The translate of that family whose multiple of the element is the value."""
        chosen, size = choice.astype(np.int64), len(self.base)
        family = chosen // size
        family ^= other * (family ^ (chosen // (self.p - size)))
        width = size + other * (self.p - 2 * size)
        place = chosen - family * width + other * size
        element = self._elements[place] * self.multipliers[family]
        # The quotient by a constant takes as long for every number; numpy's remainder does not.
        shift = values + self.p - (element - element // self.p * self.p)
        shift -= self.p * (shift >= self.p)
        return (family * self.p + shift).astype(np.uint64)

    def uniform(self, stream: Stream) -> Words:
        return uniform_below(len(self.multipliers) * self.p, stream)

    @cached_property
    def _elements(self) -> NDArray[np.intp]:
        """The base set, then all else, shape (p,)."""
        return np.concatenate((self.base, np.setdiff1d(np.arange(self.p), self.base)))


@dataclass(frozen=True, eq=False)
class Meeting:
    """Subsets of some items that share at least `sizes.least` of them with the value; both by their ranks."""

    sizes: MeetingSizes

    @property
    def bounds(self) -> tuple[int, int]:
        return self.sizes.sides

    def choose_codes(self, values: Values, other: NDArray[np.bool_], choice: Words) -> Words:
        """By how many items are shared, then which of the value's, then which of the others."""
        items, chosen, size, _ = self.sizes
        shared, left = self._shared_items(other, choice)
        which = left // self._rests[shared]
        left -= which * self._rests[shared]
        # Behind the value's own items stands one behind all items, which sorts last.
        own = np.full((len(values), chosen + 1), items)
        own[:, :chosen] = members(values.view(np.uint64), items, chosen)
        within = members_of_sizes(which, chosen, shared, min(chosen, size))
        beside = members_of_sizes(left, items - chosen, size - shared, size)
        for place in range(chosen):
            # The others keep their order without the value's own items, which are passed in ascending order.
            beside += beside >= own[:, place, np.newaxis]
        both = np.concatenate((np.take_along_axis(own, within, axis=1), beside), axis=1)
        both.sort(axis=1)
        return ranks_of(both[:, :size], items)

    def uniform(self, stream: Stream) -> Words:
        return uniform_below(self.sizes.codes, stream)

    def _shared_items(self, other: NDArray[np.bool_], choice: Words) -> tuple[NDArray[np.intp], Words]:
        """How many items each code shares, and the choice among those that share so many."""
        on, off = self._starts
        found = self.sizes.least + np.searchsorted(on[1:], choice, side="right")
        found += other * (np.searchsorted(off[1:], choice, side="right") - found)
        return found, choice - np.concatenate((off, on))[found]

    @cached_property
    def _starts(self) -> tuple[Words, Words]:
        """The first choice of each number of shared items, on either side."""
        counts, least = self.sizes.counts, self.sizes.least
        on, off = (
            np.array([*accumulate(own[:-1], initial=0)], dtype=np.uint64) for own in (counts[least:], counts[:least])
        )
        return on, off

    @cached_property
    def _rests(self) -> Words:
        """In how many ways a code that shares 0, 1, ... items has others; 1 where no code shares so many."""
        items, chosen, size, _ = self.sizes
        ways = [comb(items - chosen, size - shared) for shared in range(min(chosen, size) + 1)]
        return np.array([max(own, 1) for own in ways], dtype=np.uint64)


def read_set(name: str, arguments: list[Any]) -> CodeSet:
    """The set of a draw, of numbers and lists of numbers that were worked out."""
    if name == "run":
        return Run(arguments[0], arguments[1])
    if name == "masks":
        return Masks(arguments[0], arguments[1])
    if name == "points":
        # Most plans have no points, and a device that reads one of these does not wait for fields of primes.
        from sordino.exact.combinatorics.projective_points import ProjectiveSpace

        q, t, count, is_listed = arguments
        return Points(ProjectiveSpace(q, t), count, bool(is_listed))
    if name == "meeting":
        return Meeting(MeetingSizes(*arguments))
    p, multipliers, base = arguments
    return Translates(p, np.array(multipliers, dtype=np.intp), np.array(base, dtype=np.intp))
