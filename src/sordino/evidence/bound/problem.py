"""What is maximised: a sum of scalar functions of affine or quadratic forms over the cube [-1, 1]^d, in floats.

Over a box a quadratic form, or a sum of many, is bounded coordinate by coordinate, exactly but for products of two
different ones, which count with both signs: what that adds falls with the square of the box. The smallest sum is less
the largest sum of the reflected functions, so one routine bounds both sides.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sordino.evidence.box_evidence import UNIT, BoxEvidence, forms_at
from sordino.evidence.shape import Floats, Shape

GREATEST_LOSS = 1e-300
"""Keeps quotients of step sizes finite where a coordinate does not matter."""


@dataclass(frozen=True, eq=False)
class Problem:
    """The sum over i < n of f_i(y' bends_i y + slopes_i . y + intercept_i): slopes (n, d), bends (n, d, d) or None."""

    shape: Shape
    slopes: NDArray[np.float64]
    intercepts: NDArray[np.float64]
    bends: NDArray[np.float64] | None = None

    @classmethod
    def of(cls, evidence: BoxEvidence, *, top: bool) -> "Problem":
        """The largest sum of the evidence, or less the smallest; it must have terms."""
        if top:
            return cls(evidence.shape, evidence.slopes, evidence.intercepts, evidence.bends)
        bends = None if evidence.bends is None else -evidence.bends
        return cls(evidence.shape.reflect(), -evidence.slopes, -evidence.intercepts, bends)

    @property
    def d(self) -> int:
        return int(self.slopes.shape[1])

    def value(self, points: Floats) -> Floats:
        """The sum at points of shape (m, d), shape (m,)."""
        total: Floats = self.shape.value(self.forms(points)).sum(axis=-1)
        return total

    def forms(self, points: Floats) -> Floats:
        """All forms at points of shape (..., d), shape (..., n)."""
        return forms_at(self.slopes, self.intercepts, self.bends, points)

    def pull(self, tilt: Floats, points: Floats) -> Floats:
        """The slope at points of shape (..., d) of the sum of all forms, weighed by `tilt`, shape (..., n)."""
        pull: Floats = tilt @ self.slopes
        if self.bends is None:
            return pull
        return pull + 2 * (np.tensordot(tilt, self.bends, 1) @ points[..., None])[..., 0]

    def highest(self, tilt: Floats, low: Floats, high: Floats) -> Floats:
        """At least the largest value over boxes, shape (m, d), of forms weighed by `tilt`, shape (..., m, n).

        Without the intercepts; but for rounding, which the margin contains.
        """
        pull = tilt @ self.slopes
        if self.bends is None:
            highest: Floats = np.maximum(pull * low, pull * high).sum(axis=-1)
            return highest
        return _highest(np.tensordot(tilt, self.bends, 1), pull, low, high)

    def ranges(self, low: Floats, high: Floats) -> tuple[Floats, Floats]:
        """Bounds, shape (m, n), on the affine forms over m boxes within the cube, rounded outward."""
        if self.bends is not None:
            ends = [
                sign * _highest(sign * self.bends, sign * self.slopes, low[:, None], high[:, None])
                for sign in (-1.0, 1.0)
            ]
            return ends[0] + self.intercepts - self._pad, ends[1] + self.intercepts + self._pad
        middle = ((low + high) / 2) @ self.slopes.T + self.intercepts
        spread = ((high - low) / 2) @ self.absolute.T + self._pad
        return middle - spread, middle + spread

    def faces(self, low: Floats, high: Floats) -> tuple[Floats, Floats]:
        """The boxes, cut to the face that holds the maximum in every coordinate in which the sum is monotone."""
        if self.bends is not None:
            # Where a sum of quadratic forms is monotone is not looked for.
            return low, high
        least, largest = self.shape.slope_range(*self.ranges(low, high))
        up, down = self._parts
        rising = least @ up + largest @ down >= 0
        falling = (largest @ up + least @ down <= 0) & ~rising
        return np.where(rising, high, low), np.where(falling, low, high)

    @cached_property
    def ceiling(self) -> float:
        """The sum of the largest values of the terms: an upper bound at once."""
        low, high = self.ranges(-np.ones((1, self.d)), np.ones((1, self.d)))
        return float(self.shape.highest(low, high).sum())

    @cached_property
    def steps(self) -> NDArray[np.float64]:
        """Step sizes of gradient ascent by coordinate, shape (d,), for the largest curvature of the concave parts."""
        bent = self.slopes * np.sqrt(self.shape.bend)[:, None]
        curvature = bent.T @ bent
        if self.bends is not None:
            curvature += 2 * np.tensordot(self.shape.steepest, np.abs(self.bends), 1)
        scale = np.sqrt(np.maximum(np.diag(curvature), GREATEST_LOSS))
        largest = float(np.linalg.eigvalsh(curvature / np.outer(scale, scale))[-1])
        steps: NDArray[np.float64] = 1 / (max(largest, 1.0) * scale**2)
        return np.minimum(steps, 1e30)

    @cached_property
    def _parts(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        return np.maximum(self.slopes, 0), np.minimum(self.slopes, 0)

    @cached_property
    def absolute(self) -> NDArray[np.float64]:
        """No form moves further with one coordinate, shape (n, d)."""
        absolute: NDArray[np.float64] = np.abs(self.slopes)
        return absolute if self.bends is None else absolute + 2 * np.abs(self.bends).sum(axis=2)

    @cached_property
    def _pad(self) -> NDArray[np.float64]:
        """The rounding of a form anywhere in the cube, shape (n,)."""
        rounds = 4 * self.d + 16 if self.bends is None else 16 * (self.d**2 + self.d + 1)
        pad: NDArray[np.float64] = rounds * UNIT * (self.absolute.sum(axis=1) + np.abs(self.intercepts))
        return pad


def _highest(bends: Floats, slopes: Floats, low: Floats, high: Floats) -> Floats:
    """At least the largest value of y' bends y + slopes . y over boxes, but for rounding: (..., d, d), (..., d)."""
    middle, half = (low + high) / 2, (high - low) / 2
    turned = (bends @ middle[..., None])[..., 0]
    line = np.abs((slopes + 2 * turned) * half)
    curved = bends * (half[..., :, None] * half[..., None, :])
    own = np.diagonal(curved, axis1=-2, axis2=-1)
    # With z in [-1, 1] own z^2 + line z is largest at its peak or at an end; products of two count with both signs.
    inner = (own < 0) & (line < -2 * own)
    alone = np.where(inner, line**2 / np.where(inner, -4 * own, 1.0), line + own)
    mixed = np.abs(curved).sum(axis=(-2, -1)) - np.abs(own).sum(axis=-1)
    highest: Floats = ((slopes + turned) * middle).sum(axis=-1) + alone.sum(axis=-1) + mixed
    return highest


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
