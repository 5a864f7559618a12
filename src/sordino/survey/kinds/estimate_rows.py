"""What the rows of all results are made of: numbers with their labels."""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from sordino.blocks.tables import Columns

EstimateRow: TypeAlias = dict[str, str | float | list[str]]
"""What is estimated, its label, estimate, standard error and limits; and what was fitted, if anything.

Of a cell of a table the attributes and their values are lists."""

Numbers: TypeAlias = dict[str, NDArray[np.float64]]
"""The columns of a table of estimates, by name."""


IN_ORDER, LARGEST = 40, 15
"""Values that people read in the survey's order at most; of more, those with the largest shares, so many."""

UNBIASED = "Estimates are unbiased; noise can make them negative, and intervals are cut at 0."
"""What the estimates of shares are."""


def numbers_at(columns: Columns, place: int) -> dict[str, float]:
    """One row of the columns of a table."""
    return {name: float(column[place]) for name, column in columns.items()}
