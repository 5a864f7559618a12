"""What is maximised: a sum of scalar functions of affine forms over the cube [-1, 1]^d, in floats.

The smallest sum is less the largest sum of the reflected functions, so one routine bounds both sides.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sordino.evidence.box_evidence import UNIT, BoxEvidence
from sordino.evidence.shape import Floats, Shape

GREATEST_LOSS = 1e-300
"""Keeps quotients of step sizes finite where a coordinate does not matter."""


@dataclass(frozen=True, eq=False)
class Problem:
    """The sum over i < n of f_i(slopes_i . y + intercept_i): n functions, slopes (n, d), intercepts (n,)."""

    shape: Shape
    slopes: NDArray[np.float64]
    intercepts: NDArray[np.float64]

    @classmethod
    def of(cls, evidence: BoxEvidence, *, top: bool) -> "Problem":
        """The largest sum of the evidence, or less the smallest; it must have terms."""
        if top:
            return cls(evidence.shape, evidence.slopes, evidence.intercepts)
        return cls(evidence.shape.reflect(), -evidence.slopes, -evidence.intercepts)

    @property
    def d(self) -> int:
        return int(self.slopes.shape[1])

    def value(self, points: Floats) -> Floats:
        """The sum at points of shape (m, d), shape (m,)."""
        total: Floats = self.shape.value(points @ self.slopes.T + self.intercepts).sum(axis=-1)
        return total

    def ranges(self, low: Floats, high: Floats) -> tuple[Floats, Floats]:
        """Bounds, shape (m, n), on the affine forms over m boxes within the cube, rounded outward."""
        middle = ((low + high) / 2) @ self.slopes.T + self.intercepts
        spread = ((high - low) / 2) @ self._absolute.T + self._pad
        return middle - spread, middle + spread

    def faces(self, low: Floats, high: Floats) -> tuple[Floats, Floats]:
        """The boxes, cut to the face that holds the maximum in every coordinate in which the sum is monotone."""
        least, largest = self.shape.slope_range(*self.ranges(low, high))
        up, down = self._parts
        rising = least @ up + largest @ down >= 0
        falling = (largest @ up + least @ down <= 0) & ~rising
        return np.where(rising, high, low), np.where(falling, low, high)

    @cached_property
    def ceiling(self) -> float:
        """The sum of the largest values of the terms: an upper bound at once."""
        spread = self._absolute.sum(axis=1) + self._pad
        return float(self.shape.highest(self.intercepts - spread, self.intercepts + spread).sum())

    @cached_property
    def steps(self) -> NDArray[np.float64]:
        """Step sizes of gradient ascent by coordinate, shape (d,), for the largest curvature of the concave parts."""
        bent = self.slopes * np.sqrt(self.shape.bend)[:, None]
        curvature = bent.T @ bent
        scale = np.sqrt(np.maximum(np.diag(curvature), GREATEST_LOSS))
        largest = float(np.linalg.eigvalsh(curvature / np.outer(scale, scale))[-1])
        steps: NDArray[np.float64] = 1 / (max(largest, 1.0) * scale**2)
        return np.minimum(steps, 1e30)

    @cached_property
    def _parts(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        return np.maximum(self.slopes, 0), np.minimum(self.slopes, 0)

    @cached_property
    def _absolute(self) -> NDArray[np.float64]:
        return np.abs(self.slopes)

    @cached_property
    def _pad(self) -> NDArray[np.float64]:
        """The rounding of a form anywhere in the cube, shape (n,)."""
        pad: NDArray[np.float64] = (4 * self.d + 16) * UNIT * (self._absolute.sum(axis=1) + np.abs(self.intercepts))
        return pad


def _cells() -> Floats:
    ends, parts = ((-1.0, 0.0), (1.0, 0.0)), ((-0.5, 0.5), (0.5, 0.5))
    pairs = [(one, other) for one in (*ends, *parts) for other in (*ends, *parts)]
    # The same end twice tells nothing.
    return np.array([(u, v, r, s) for (u, r), (v, s) in pairs if (u, r) != (v, s) or r])


CELLS = _cells()
"""The number of one record, of the other, and how far each stands for others; in the cube's coordinates."""

REACHES = CELLS[:, 2:].T ** 2 / 2
"""What a bend of 1 costs each cell: where the sum is large, and where it is small."""

SQUARES = REACHES.sum(axis=0)
"""Both together."""
