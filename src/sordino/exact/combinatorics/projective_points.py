"""Points of a projective space over a finite field, their multiples and their inner products.

A point is a line through the origin of F_q^t, named by its vector whose first non-zero coordinate is 1. Points are
numbered by that vector read as a number in base q with its leading 1: 1, then 1d, then 1dd, ... The point u's
hyperplane holds the points v with <u, v> = 0 in F_q.

Source: Feldman, Nelson, Nguyen, Talwar 2022 (private frequency estimation by projective geometry).
"""

from dataclasses import dataclass
from functools import cached_property
from itertools import count

import numpy as np
from numpy.typing import NDArray

from sordino.exact.combinatorics.field import Elements, Field
from sordino.exact.combinatorics.hadamard_matrix import transform

LARGEST_PRODUCTS = 1 << 19
"""Entries of the table of inner products: it stays in the processor's cache."""

LARGEST_IMAGES = 1 << 12
"""Entries of a table of the images of several coordinates, unless one coordinate has more."""


@dataclass(frozen=True)
class ProjectiveSpace:
    """The points of F_q^t, t >= 1, up to scale."""

    q: int
    t: int

    @classmethod
    def smallest_for(cls, q: int, k: int) -> "ProjectiveSpace":
        """The smallest space over F_q with at least k points."""
        return next(space for t in count(2) if (space := cls(q, t)).points >= k)

    @cached_property
    def field(self) -> Field:
        return Field(self.q)

    @property
    def points(self) -> int:
        """K = (q^t - 1) / (q - 1)."""
        return _repunit(self.q, self.t)

    @property
    def hyperplane(self) -> int:
        """Points of a hyperplane: (q^(t-1) - 1) / (q - 1)."""
        return _repunit(self.q, self.t - 1)

    @property
    def meet(self) -> int:
        """Points that two hyperplanes share: (q^(t-2) - 1) / (q - 1)."""
        return _repunit(self.q, self.t - 2)

    @property
    def vectors_in_all(self) -> int:
        """q^t."""
        return int(self.q**self.t)

    @property
    def affine(self) -> int:
        """Points off a hyperplane: q^(t-1)."""
        return int(self.q ** (self.t - 1))

    @cached_property
    def vectors(self) -> NDArray[np.intp]:
        """Each point's canonical vector as a number in base q, shape (K,)."""
        leading = self.q ** np.arange(self.t)
        return np.concatenate([power + np.arange(power) for power in leading.tolist()])

    @cached_property
    def point_of(self) -> NDArray[np.int32]:
        """The point of each vector, shape (q^t,); the zero vector has none: -1."""
        table = np.full(self.vectors_in_all, -1, dtype=np.int32)
        for scale in range(1, self.q):
            table[self.multiple(self.vectors, scale)] = np.arange(self.points, dtype=np.int32)
        return table

    def multiple(self, vectors: Elements, scale: int) -> Elements:
        """Vectors, as numbers, times an element of the field."""
        return self.map_coordinates(vectors, self.field.multiply(np.arange(self.q), np.full(self.q, scale)))

    def map_coordinates(self, vectors: Elements, images: Elements) -> Elements:
        """Vectors, as numbers, with each coordinate a replaced by images[a]; images[0] is 0.

        Several coordinates are looked up at a time.
        """
        table = images = images.astype(np.intp)
        while len(table) * self.q <= min(LARGEST_IMAGES, self.vectors_in_all):
            table = (images[:, None] * len(table) + table).ravel()
        mapped, rest, unit = np.zeros_like(vectors), vectors, 1
        while unit < self.vectors_in_all:
            upper = rest // len(table)
            mapped += table[rest - upper * len(table)] * unit
            rest, unit = upper, unit * len(table)
        return mapped

    def digits(self, vectors: Elements) -> NDArray[np.int64]:
        """Coordinates of vectors given as numbers, shape (..., t), the leading one first."""
        return vectors.astype(np.int64)[..., None] // self.q ** np.arange(self.t - 1, -1, -1) % self.q

    def incident(self, u: int, v: int) -> bool:
        """Whether point v lies on point u's hyperplane."""
        product = 0
        a, b = int(self.vectors[u]), int(self.vectors[v])
        while a and b:
            product = self.field.plus(product, self.field.times(a % self.q, b % self.q))
            a, b = a // self.q, b // self.q
        return product == 0

    def chunks(self, vectors: Elements, length: int) -> list[Elements]:
        """Vectors of so many coordinates cut into groups for `dot`, the last coordinates first."""
        pieces, rest = [], vectors
        for _ in range(-(-length // self._per_chunk) - 1):
            upper = rest // self._group
            pieces.append(rest - upper * self._group)
            rest = upper
        return [*pieces, rest]

    def dot(self, first: list[Elements], second: list[Elements]) -> Elements:
        """Inner products in F_q, elementwise, of vectors in chunks: a table look-up for each group of coordinates."""
        if self._products is None:
            return self.field.total(self.field.multiply(a, b) for a, b in zip(first, second, strict=True))
        return self.field.total(self._products[a * self._group + b] for a, b in zip(first, second, strict=True))

    @cached_property
    def _per_chunk(self) -> int:
        """Coordinates of a chunk: as many as have a table of products that fits, at least one."""
        length = 1
        while self.q ** (2 * length + 2) <= LARGEST_PRODUCTS:
            length += 1
        return length

    @property
    def _group(self) -> int:
        return int(self.q**self._per_chunk)

    @cached_property
    def _products(self) -> Elements | None:
        """Inner products in F_q of all pairs of chunks; None where a chunk is one coordinate of a large field."""
        if self._group**2 > LARGEST_PRODUCTS:
            return None
        numbers, terms = np.arange(self._group), []
        for _ in range(self._per_chunk):
            terms.append(self.field.multiply(numbers[:, None] % self.q, numbers[None, :] % self.q))
            numbers = numbers // self.q
        return self.field.total(terms).ravel().astype(np.min_scalar_type(self.q))


def _repunit(q: int, t: int) -> int:
    return int((q**t - 1) // (q - 1))


@dataclass(frozen=True, eq=False)
class DimensionStep:
    """From the sums for F_q^s to those for F_q^(s+1).

    Attributes:
        slices: where the transform over F_q^s has the multiple b of each of its points, shape (b's, K).
        planes: of all sums over planes, shape (q, K), the place of the one for each (1, m c) by its vector m c from 1
            on, shape (q^s - 1,).
    """

    s: int
    slices: NDArray[np.intp]
    planes: NDArray[np.intp]


@dataclass(frozen=True)
class HyperplaneSums:
    """Sums over all hyperplanes of a space, by Fourier transforms of as many numbers as its points.

    The points (1, v') of F_q^(s+1) are F_q^s, and the others the points of F_q^s. On the hyperplane of (0, c) lie the
    (1, v') with <c, v'> = 0, on that of (1, m c), m not 0, those with <c, v'> = -1/m, on that of (1, 0) none. The sums
    over all planes <c, v'> = e of F_q^s are a transform of q numbers: the transform over F_q^s at the multiples of c.
    So sums for s + 1 follow from those for s. Real Hadamard transforms where q is a power of two, exact for integers
    below 2^53.

    Source: the projection-slice theorem for finite Radon transforms. Cost: K log K for K points.
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
