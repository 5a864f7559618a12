"""Sizes of subsets that meet a set, and what follows from them: how many share how many items, and what they hold."""

from fractions import Fraction
from math import comb
from typing import NamedTuple


class MeetingSizes(NamedTuple):
    """Sizes of subsets of the same items, of which one is a value and the others are codes.

    Attributes:
        items: how many items there are, K.
        chosen: how many of them are in a value, L.
        size: how many are in a code, w.
        least: how many a code that meets the value shares with it, at least, t.

    Example:
        >>> sizes = MeetingSizes(items=6, chosen=2, size=3, least=1)
        >>> sizes.counts, sizes.sides
        ([4, 12, 4], (16, 4))
    """

    items: int
    chosen: int
    size: int
    least: int

    @property
    def values(self) -> int:
        """How many values there are."""
        return comb(self.items, self.chosen)

    @property
    def codes(self) -> int:
        """How many codes there are."""
        return comb(self.items, self.size)

    @property
    def counts(self) -> list[int]:
        """How many codes share 0, 1, ... items with a value."""
        rest = self.items - self.chosen
        most = min(self.chosen, self.size)
        return [comb(self.chosen, shared) * comb(rest, self.size - shared) for shared in range(most + 1)]

    @property
    def sides(self) -> tuple[int, int]:
        """How many codes meet a value, and how many do not."""
        counts = self.counts
        return sum(counts[self.least :]), sum(counts[: self.least])

    def held(self, meeting: Fraction) -> tuple[Fraction, Fraction]:
        """The probabilities that a code holds an item of the value, and another item: a and b.

        Args:
            meeting: the probability of a code that meets the value.
        """
        (on, off), counts = self.sides, self.counts
        each = [(1 - meeting) / off if shared < self.least else meeting / on for shared in range(len(counts))]
        own = sum((shared * count * each[shared] for shared, count in enumerate(counts)), Fraction(0))
        return own / self.chosen, (self.size - own) / (self.items - self.chosen)
