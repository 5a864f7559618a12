"""What is known of a maximum over the cube: bounds on it, a point that attains the lower one, and how to improve them.

Three ways: a function that is concave everywhere has its maximum where Newton's steps end (`concave`), one that is
convex everywhere at a corner (`corners`), any other by branch and bound (`search`). Sides are values: every step gives
a new one, and one that was improved for a dry run leaves no trace.
"""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sordino.evidence.box import BoxEvidence


class Side(Protocol):
    """Bounds on the largest value of a sum, but for the evidence's margin."""

    @property
    def upper(self) -> float:
        """No point of the cube has a larger value."""

    @property
    def lower(self) -> float:
        """The value at `point`."""

    @property
    def incumbent(self) -> float:
        """The value at a point that little work leads to from there; at least `lower`."""

    @property
    def point(self) -> NDArray[np.float64]:
        """The best point found, shape (d,)."""

    def with_report(self, evidence: BoxEvidence, report: BoxEvidence) -> "Side | None":
        """The same for evidence that has one more report: the bounds are carried over, nothing is solved.

        Args:
            evidence: all reports.
            report: the new one alone, part of it.

        Returns:
            None where the new terms do not fit this way to the maximum.
        """

    def tighten(self, enough: float) -> "tuple[Side, int]":
        """Closer bounds, and how many boxes were bounded for them; 0 where nothing can be gained.

        Args:
            enough: an upper bound that is low enough to stop.
        """
