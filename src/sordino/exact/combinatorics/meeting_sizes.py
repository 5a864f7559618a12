"""Sizes of subsets that meet a set, and what follows from them: how many share how many items, and what they hold."""

from collections.abc import Callable
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

    def holding_chances(self, meeting: Fraction) -> tuple[Fraction, Fraction]:
        """The probabilities that a code holds an item of the value, and another item: a and b.

        Args:
            meeting: the probability of a code that meets the value.
        """
        shared, beside = self._means(meeting, lambda own, others: (own, others))
        return shared / self.chosen, beside / (self.items - self.chosen)

    def pair_chances(self, meeting: Fraction) -> tuple[Fraction, Fraction]:
        """The probabilities that a code holds two items of which the value has one, and two of which it has none.

        Args:
            meeting: as of `holding_chances`.
        """
        rest = self.items - self.chosen
        one, none = self._means(meeting, lambda own, others: (own * others, others * (others - 1)))
        return one / (self.chosen * rest), none / max(rest * (rest - 1), 1)

    def _means(self, meeting: Fraction, of: Callable[[int, int], tuple[int, int]]) -> tuple[Fraction, Fraction]:
        """Means of two whole numbers that depend on how many items a code holds of the value, and how many others."""
        (on, off), totals = self.sides, [Fraction(0), Fraction(0)]
        for shared, count in enumerate(self.counts):
            chance = count * ((1 - meeting) / off if shared < self.least else meeting / on)
            totals = [total + chance * own for total, own in zip(totals, of(shared, self.size - shared), strict=True)]
        return totals[0], totals[1]
