"""Numbers as they were measured, which are scaled to [-1, 1] once it is known whose are read.

A person answers one question of several, and its numbers are all that is read of the record: those of everybody are
looked at, whoever is drawn, but only hers are scaled.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sordino.domain.interval import Interval
from sordino.domain.scaled import Scaled
from sordino.exact.messages.brief import Brief
from sordino.exact.source import Rows

PIECE = 1 << 13
"""Rows that are scaled together: their numbers stay in the processor's cache."""


@dataclass(frozen=True, eq=False, repr=False)
class Measured(Brief):
    """The numbers of some people, all of which have been looked at: none is NaN, one beyond an end counts as that end.

    Attributes:
        numbers: float64, shape (n,) each, in the data's unit.
        ranges: the ends of each.

    Example:
        >>> Measured((np.array([0.0, 5.0, 10.0]),), (Interval(0, 10),))[1:].records.tolist()
        [[0.0], [1.0]]
    """

    numbers: tuple[NDArray[np.float64], ...]
    ranges: tuple[Interval, ...]

    def __len__(self) -> int:
        return len(self.numbers[0])

    def __getitem__(self, rows: Rows) -> Scaled:
        taken = [column[rows] for column in self.numbers]
        records = np.empty((len(taken[0]), len(taken)))
        for start in range(0, len(records), PIECE):
            piece = slice(start, start + PIECE)
            for place, (column, ends) in enumerate(zip(taken, self.ranges, strict=True)):
                records[piece, place] = ends.scale(column[piece])
        return Scaled(records)
