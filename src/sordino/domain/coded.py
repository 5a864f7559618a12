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
        >>> Indicator(1, 2).values(CODES.scale([2, 0])).tolist(), Indicator(0).values(np.array([0.5, np.nan])).tolist()
        ([1.0, -1.0], [1.0, -1.0])
    """

    place: int
    category: int | None = None

    def values(self, column: NDArray[np.float64]) -> NDArray[np.float64]:
        """Of its attribute in some records, shape (n,)."""
        holds = ~np.isnan(column) if self.category is None else column == CODES.scale([self.category])
        return 2.0 * holds - 1


@dataclass(frozen=True, slots=True)
class Completeness:
    """Whether all of some numbers are given: what is made of a complete case counts as it is, and of any other as 0.

    By itself it is 1 where all are given, and -1 elsewhere, as an `Indicator` is.

    Attributes:
        places: of the numbers that may be missing, in ascending order.

    Example:
        >>> Completeness((0, 1)).holds(np.array([[0.5, 0.5], [0.5, np.nan]])).tolist()
        [True, False]
    """

    places: tuple[int, ...]

    def holds(self, records: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Of some records, shape (n, d), which are complete, shape (n,)."""
        missing = np.isnan(records[:, list(self.places)])
        holds: NDArray[np.bool_] = np.logical_and.reduce(~missing, axis=1)
        return holds


def categories_of(numbers: NDArray[np.float64], k: int) -> NDArray[np.intp]:
    """The index of each category, of numbers of a record; what is none is some category like any other.

    Example:
        >>> categories_of(CODES.scale([0, 2, 1]), 3).tolist()
        [0, 2, 1]
    """
    index = np.nan_to_num(np.rint(numbers * MOST_PLACES))
    found: NDArray[np.intp] = np.clip(index, 0, k - 1).astype(np.intp)
    return found
