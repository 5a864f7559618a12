"""What stands in a record of numbers and is none: a category, as its index over 2^20, and a missing number, NaN.

Indices over 2^20 are exact in float64, and no number of a record is between two categories: who reads them rounds
nothing. Whether somebody is in a category, or has a number, is an indicator, of which moments are made as of numbers.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sordino.domain.interval import Interval

MOST_PLACES = 1 << 20
"""Attributes of one record."""

CODES = Interval(-MOST_PLACES, MOST_PLACES)
"""The range by which an index is scaled as numbers are: v goes to v / 2^20."""

MOST_CATEGORIES = 64
"""Of one attribute that is read together with another one."""


@dataclass(frozen=True, slots=True)
class Indicator:
    """Whether an attribute has one of its categories, or a number is given: 1 where it holds, -1 where it does not.

    Attributes:
        place: of the attribute in the record.
        category: which; None for a number that may be missing: whether it is given.

    Example:
        >>> Indicator(1, 2).values(CODES.scaled([2, 0])).tolist(), Indicator(0).values(np.array([0.5, np.nan])).tolist()
        ([1.0, -1.0], [1.0, -1.0])
    """

    place: int
    category: int | None = None

    def values(self, column: NDArray[np.float64]) -> NDArray[np.float64]:
        """Of its attribute in some records, shape (n,)."""
        holds = ~np.isnan(column) if self.category is None else column == CODES.scaled([self.category])
        found: NDArray[np.float64] = 2.0 * holds - 1
        return found


def categories_of(numbers: NDArray[np.float64], k: int) -> NDArray[np.intp]:
    """The index of each category, of numbers of a record; what is none is some category like any other.

    Example:
        >>> categories_of(CODES.scaled([0, 2, 1]), 3).tolist()
        [0, 2, 1]
    """
    index = np.nan_to_num(np.rint(numbers * MOST_PLACES))
    found: NDArray[np.intp] = np.clip(index, 0, k - 1).astype(np.intp)
    return found
