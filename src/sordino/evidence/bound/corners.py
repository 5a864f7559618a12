"""The largest value of a convex sum: at a corner of the cube. The sums at all corners are kept and added to.

Cost: 2^d values for each new term; for d up to 10.
"""

from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np
from numpy.typing import NDArray

from sordino.evidence.box import BoxEvidence

LARGEST_DIMENSION = 10
"""Beyond it corners are searched, not listed."""


@dataclass(frozen=True, eq=False)
class Corners:
    """Some evidence's sum at each corner, or less the sum.

    Attributes:
        top: whether the largest sum is sought, or less the smallest.
        sums: shape (2^d,).
    """

    top: bool
    sums: NDArray[np.float64]

    @classmethod
    def of(cls, evidence: BoxEvidence, *, top: bool) -> "Corners":
        """All corners at once."""
        return cls(top, _sums(evidence, top=top))

    @cached_property
    def upper(self) -> float:
        return float(self.sums.max())

    @property
    def lower(self) -> float:
        return self.upper

    @property
    def point(self) -> NDArray[np.float64]:
        best: NDArray[np.float64] = corners(len(self.sums).bit_length() - 1)[int(np.argmax(self.sums))]
        return best

    @property
    def incumbent(self) -> float:
        return self.lower

    def with_report(self, evidence: BoxEvidence, report: BoxEvidence) -> "Corners | None":
        del evidence
        shape = report.shape
        fits = shape.concave if not self.top else shape.convex
        return Corners(self.top, self.sums + _sums(report, top=self.top)) if fits else None

    def tighten(self, enough: float) -> tuple["Corners", int]:  # noqa: ARG002 - nothing is left to gain
        return self, 0


def _sums(evidence: BoxEvidence, *, top: bool) -> NDArray[np.float64]:
    t = corners(evidence.box.d) @ evidence.slopes.T + evidence.intercepts
    sums: NDArray[np.float64] = evidence.shape.value(t).sum(axis=1)
    return sums if top else -sums


@cache
def corners(d: int) -> NDArray[np.float64]:
    """All corners of the cube, shape (2^d, d)."""
    places = np.arange(2**d)[:, None] >> np.arange(d)
    result = np.where(places & 1, 1.0, -1.0)
    result.setflags(write=False)
    return result
