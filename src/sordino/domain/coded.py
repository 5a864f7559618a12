"""Categories in a record of numbers: a category stands there as its index over 2^20, exactly in float64.

Whoever reads it there rounds nothing: no number of a record is between two categories. Whether somebody is in a
category is a moment of the record like others (`domain.moment.indicator`).
"""

import numpy as np
from numpy.typing import NDArray

from sordino.domain.interval import Interval
from sordino.domain.moment import MOST_NUMBERS

CODES = Interval(-MOST_NUMBERS, MOST_NUMBERS)
"""The range by which an index is scaled as numbers are: v goes to v / 2^20."""

MOST_CATEGORIES = 64
"""Of one attribute that is read together with another one."""


def categories_of(numbers: NDArray[np.float64], k: int) -> NDArray[np.intp]:
    """The index of each category, of numbers of a record; what is none is some category like any other.

    Example:
        >>> categories_of(CODES.scaled([0, 2, 1]), 3).tolist()
        [0, 2, 1]
    """
    index = np.nan_to_num(np.rint(numbers * MOST_NUMBERS))
    found: NDArray[np.intp] = np.clip(index, 0, k - 1).astype(np.intp)
    return found
