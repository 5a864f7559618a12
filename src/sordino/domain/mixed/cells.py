"""A number's range as cells, for bounds that hold for every number of a cell: what a filter of many attributes keeps.

Nothing is rounded on the device: a cell stands for all numbers in it, and bounds are the largest and the smallest of
what holds for any of them. Units: those of the data.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sordino.domain.bins import plain
from sordino.domain.interval import Interval
from sordino.errors import SordinoError
from sordino.exact.messages.arguments import checked_class
from sordino.exact.messages.brief import shown

CELLS = 64
"""Of a number: two of them together are a table of some thousand entries."""

MOST_CELLS = 1 << 12


@checked_class
@dataclass(frozen=True)
class NumberCells:
    """Equally wide cells that cover a range, each with both of its ends; and perhaps one for who has no number.

    Example:
        >>> NumberCells(Interval(0, 10), 5, missing=True).k
        6
    """

    ends: Interval
    count: int = CELLS
    missing: bool = False

    def __post_init__(self) -> None:
        if type(self.count) is not int or not 1 <= self.count <= MOST_CELLS:
            raise SordinoError(f"a range must have 1 to {MOST_CELLS} cells", found=shown(self.count))

    @property
    def k(self) -> int:
        """How many cells, that of who has no number among them, the last."""
        return self.count + self.missing

    @cached_property
    def edges(self) -> NDArray[np.float64]:
        """Where cells begin and end, shape (count + 1,)."""
        edges = np.linspace(self.ends.low, self.ends.high, self.count + 1)
        edges[-1] = self.ends.high
        return edges

    def label(self, index: int) -> str:
        """The ends of a cell."""
        if index == self.count:
            return "missing"
        return f"{plain(float(self.edges[index]))} to {plain(float(self.edges[index + 1]))}"
