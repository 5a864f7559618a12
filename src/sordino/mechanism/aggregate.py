"""The tally of reports: an integer vector that adds, with a fingerprint that forbids mixing mechanisms."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from sordino.errors import SordinoError
from sordino.exact.messages.brief import Brief


@dataclass(frozen=True, eq=False, repr=False)
class Aggregate(Brief):
    """What the reports of one mechanism add up to.

    Attributes:
        fingerprint: of the mechanism that made the reports.
        n: the number of reports.
        counts: int64, shape (counters,): how often each code was reported, or what the mechanism counts instead.
        cells: the same by the public cell that reports name, of cells that occur; empty where they name none.

    Example:
        >>> from sordino import RandomizedResponse
        >>> mechanism = RandomizedResponse(2, "1")
        >>> (mechanism.tally([0, 1, 1]) + mechanism.tally([1])).counts
        array([1, 3])
    """

    fingerprint: str
    n: int
    counts: NDArray[np.int64]
    cells: Mapping[int, NDArray[np.int64]] = field(default_factory=dict)

    def __add__(self, other: "Aggregate") -> "Aggregate":
        """The tally of both sets of reports of one mechanism."""
        if self.fingerprint != other.fingerprint:
            rule, found = "only tallies of one mechanism add", f"{self.fingerprint} and {other.fingerprint}"
            raise SordinoError(rule, found=found, step="aggregate each plan's reports apart")
        cells = dict(self.cells)
        for cell, counts in other.cells.items():
            cells[cell] = cells[cell] + counts if cell in cells else counts
        return Aggregate(self.fingerprint, self.n + other.n, self.counts + other.counts, cells)
