"""Sums of weights over all hyperplanes of a projective space, by Fourier transforms of as many numbers as its points.

The points (1, v') of F_q^(s+1) are F_q^s, and the others the points of F_q^s. On the hyperplane of (0, c) lie the
(1, v') with <c, v'> = 0, on that of (1, m c), m not 0, those with <c, v'> = -1/m, on that of (1, 0) none. The sums over
all planes <c, v'> = e of F_q^s are a transform of q numbers: the transform over F_q^s at the multiples of c. So sums
for s + 1 follow from those for s. Real Hadamard transforms where q is a power of two, exact for integers below 2^53.

Source: the projection-slice theorem for finite Radon transforms. Cost: K log K for K points.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sordino.exact.combinatorics.hadamard import transform
from sordino.exact.combinatorics.projective import ProjectiveSpace


@dataclass(frozen=True, eq=False)
class DimensionStep:
    """From the sums for F_q^s to those for F_q^(s+1).

    Attributes:
        s: the dimension.
        slices: where the transform over F_q^s has the multiple b of each of its points, shape (b's, K).
        planes: of all sums over planes, shape (q, K), the place of the one for each (1, m c) by its vector m c from 1
            on, shape (q^s - 1,).
    """

    s: int
    slices: NDArray[np.intp]
    planes: NDArray[np.intp]


@dataclass(frozen=True)
class HyperplaneSums:
    """Sums over the hyperplanes of a space.

    Attributes:
        space: its points.
    """

    space: ProjectiveSpace

    def of(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Sums of weights of shape (..., K) over each point's hyperplane, shape (..., K)."""
        sums = np.zeros((*weights.shape[:-1], 1))
        for level in self._levels:
            points = level.slices.shape[1]
            planes = self._over_planes(weights[..., points : points + self.space.q**level.s], level)
            planes += sums[..., None, :]
            others = weights[..., :points].sum(axis=-1, keepdims=True)
            inside = planes.reshape(*planes.shape[:-2], -1).take(level.planes, axis=-1)
            sums = np.concatenate([planes[..., 0, :], others, inside], axis=-1)
        return sums

    def _over_planes(self, weights: NDArray[np.float64], level: DimensionStep) -> NDArray[np.float64]:
        """Sums of weights of shape (..., q^s) over <c, v'> = e, shape (..., q, K): e = 0 first."""
        q = self.space.q
        if self.space.field.binary:
            slices = transform(weights).take(level.slices, axis=-1)
            return transform(slices.swapaxes(-1, -2)).swapaxes(-1, -2) / q
        from scipy import fft

        axes = tuple(range(-level.s, 0))
        spectrum = fft.fftn(weights.reshape(*weights.shape[:-1], *(q,) * level.s), axes=axes).reshape(weights.shape)
        return fft.irfft(spectrum.take(level.slices, axis=-1), n=q, axis=-2)

    @cached_property
    def _levels(self) -> list[DimensionStep]:
        """For s = 1..t-1.

        For a power of two the characters are signs of traces: trace(<y, v>) is a bitwise inner product of v and the
        trace masks of y's coordinates, and the sum over the plane of e stands at e's trace mask. For a prime half of
        the multiples give the others by conjugation, and the sum of e stands at e.
        """
        q, field = self.space.q, self.space.field
        vectors = ProjectiveSpace(q, self.space.t - 1).vectors
        multiples = np.array([self.space.multiple(vectors, scale) for scale in range(q)])
        inverses = np.array([field.inverse(m) for m in range(1, q)])
        rows = field.subtract(np.zeros_like(inverses), inverses)
        slices = multiples[: q // 2 + 1]
        if field.binary:
            rows, slices = field.trace_masks[rows], self.space.map_coordinates(multiples, field.trace_masks)
        levels = []
        for s in range(1, self.space.t):
            points = ProjectiveSpace(q, s).points
            planes = np.empty(q**s, dtype=np.intp)
            planes[multiples[1:, :points]] = rows[:, None] * points + np.arange(points)
            levels.append(DimensionStep(s, slices[:, :points].copy(), planes[1:]))
        return levels
