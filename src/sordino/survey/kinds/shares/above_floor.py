"""How near a question's channel is to the best there can be, where a bound on all channels is proved.

Of values that are all alike, or alike within blocks, the bound is a formula at equal shares
(`design.shares.variance_floor`). Where bounds differ from value to value it is found by a search of seconds: made
where somebody asks for it. Where the bound lies far below, nobody knows how good the
channel is: said so. Percentages round against the channel.
"""

from fractions import Fraction
from math import isfinite
from typing import NamedTuple

from sordino.definition.pairwise import LDP, BlockLDP
from sordino.design.shares.variance_floor import definition_floor

QUICK = 300
"""Kinds of pairs that a floor may solve for together where somebody waits for it: a second or two."""

QUICK_LISTED = 10
"""Values that all differ of which every extreme column is looked at there: some three seconds."""

ROUNDING = Fraction(1, 10**9)
"""A variance that lies above its floor by no more, relatively, is the floor."""

TELLING = Fraction(1, 10)
"""A floor further below, relatively, says little about how good a channel is."""


class AboveFloor(NamedTuple):
    """All that decides how far a sum of variances lies above its floor.

    Attributes:
        k: how many values.
        definition: that is promised about them.
        total: of the variances, for one person.
        search: whether a floor is searched for where no formula has it.
    """

    k: int
    definition: object
    total: float
    search: bool

    def excess(self) -> Fraction | None:
        """By how much the sum exceeds the floor, relatively; None where there is none."""
        if not (self.search or isinstance(self.definition, LDP | BlockLDP)):
            return None
        floor = quick_floor(self.k, self.definition)
        return None if not floor or not isfinite(self.total) else Fraction(self.total) / floor - 1


def quick_floor(k: int, definition: object) -> Fraction | None:
    """The floor of k values under a definition that a plan is held against; None where there is none."""
    return definition_floor(k, definition, QUICK, QUICK_LISTED)


def summed_variance_in_words(name: str, above: Fraction, percentage: str) -> str:
    """How near a summed variance is to the least.

    Args:
        name: of the question.
        above: by how much it exceeds the floor, relatively.
        percentage: the same as text, rounded up.
    """
    common = "if all values are equally common"
    if above <= ROUNDING:
        return f"No mechanism with this guarantee has a lower total variance of the {name}, {common}."
    least = f"The total variance of the {name} is at most {percentage} above a lower bound for all mechanisms with this"
    unproved = " The true gap may be much smaller." if above > TELLING else ""
    return f"{least} guarantee, {common}.{unproved}"
