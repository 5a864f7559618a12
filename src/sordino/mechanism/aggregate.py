"""The tally of reports: an integer vector that adds, with a fingerprint that forbids mixing mechanisms."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sordino.errors import SordinoError


@dataclass(frozen=True, eq=False)
class Aggregate:
    """How often each code was reported.

    Attributes:
        fingerprint: of the mechanism that made the reports.
        counts: int64, shape (outputs,).
    """

    fingerprint: str
    counts: NDArray[np.int64]

    @property
    def n(self) -> int:
        """The number of reports."""
        return int(self.counts.sum())

    def __add__(self, other: "Aggregate") -> "Aggregate":
        """The tally of both sets of reports.

        Raises:
            SordinoError: reports of different mechanisms.
        """
        if self.fingerprint != other.fingerprint:
            raise SordinoError(
                "only tallies of one mechanism add",
                found=f"{self.fingerprint} and {other.fingerprint}",
                step="aggregate each plan's reports apart",
            )
        return Aggregate(self.fingerprint, self.counts + other.counts)
