"""Points of a projective space over a prime field, and sums over hyperplanes by one Fourier transform.

A point is a line through the origin of F_q^t, named by its vector whose first non-zero coordinate is 1. Points are
numbered by that vector read as a number in base q with its leading 1: 1, then 1d, then 1dd, ... The point u's
hyperplane holds the points v with <u, v> = 0 mod q.

Source: Feldman, Nelson, Nguyen, Talwar 2022 (private frequency estimation by projective geometry).
"""

from dataclasses import dataclass
from functools import cached_property
from itertools import count
from math import isqrt, log

import numpy as np
from numpy.typing import NDArray
from scipy import fft

LARGEST_PRODUCTS = 1 << 19
"""Entries of the table of inner products: it stays in the processor's cache."""


@dataclass(frozen=True)
class ProjectiveSpace:
    """The points of F_q^t up to scale.

    Attributes:
        q: the prime order of the field.
        t: the dimension of the vectors, at least 2.
    """

    q: int
    t: int

    @classmethod
    def holding(cls, q: int, k: int) -> "ProjectiveSpace":
        """The smallest space over F_q with at least k points."""
        return next(space for t in count(2) if (space := cls(q, t)).points >= k)

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
        table = np.full(self.q**self.t, -1, dtype=np.int32)
        digits = self.digits(self.vectors)
        powers = self.q ** np.arange(self.t - 1, -1, -1)
        for scale in range(1, self.q):
            table[(digits * scale % self.q) @ powers] = np.arange(self.points, dtype=np.int32)
        return table

    def digits(self, vectors: NDArray[np.integer]) -> NDArray[np.int64]:
        """Coordinates of vectors given as numbers, shape (..., t), the leading one first."""
        return vectors.astype(np.int64)[..., None] // self.q ** np.arange(self.t - 1, -1, -1) % self.q

    def incident(self, u: int, v: int) -> bool:
        """Whether point v lies on point u's hyperplane."""
        product = 0
        a, b = int(self.vectors[u]), int(self.vectors[v])
        while a and b:
            product += (a % self.q) * (b % self.q)
            a, b = a // self.q, b // self.q
        return product % self.q == 0

    def chunks(self, vectors: NDArray[np.integer]) -> list[NDArray[np.integer]]:
        """Vectors cut into groups of coordinates for `dot`, the last coordinates first."""
        pieces, rest = [], vectors
        for _ in range(self._chunks):
            upper = rest // self._group
            pieces.append(rest - upper * self._group)
            rest = upper
        return pieces

    def dot(self, first: list[NDArray[np.integer]], second: list[NDArray[np.integer]]) -> NDArray[np.integer]:
        """Inner products mod q, elementwise, of vectors in chunks: a table look-up for each group of coordinates."""
        total: NDArray[np.integer] = np.zeros(np.broadcast_shapes(first[0].shape, second[0].shape), dtype=np.int64)
        for a, b in zip(first, second, strict=True):
            total += a * b if self._products is None else self._products[a * self._group + b]
        return total % self.q

    @cached_property
    def _group(self) -> int:
        """The power of q that holds a chunk: the largest whose products fit in a table, at least q itself."""
        group = self.q
        while (group * self.q) ** 2 <= LARGEST_PRODUCTS:
            group *= self.q
        return group

    @cached_property
    def _chunks(self) -> int:
        per_chunk = round(log(self._group, self.q))
        return -(-self.t // per_chunk)

    @cached_property
    def _products(self) -> NDArray[np.integer] | None:
        """Inner products mod q of all pairs of chunks; None where a chunk is one coordinate of a large field."""
        if self._group**2 > LARGEST_PRODUCTS:
            return None
        numbers, products = np.arange(self._group), np.zeros((self._group, self._group), dtype=np.int64)
        for _ in range(round(log(self._group, self.q))):
            products += np.multiply.outer(numbers % self.q, numbers % self.q)
            numbers //= self.q
        return (products % self.q).ravel().astype(np.min_scalar_type(self.q))

    def hyperplane_sums(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Sums of weights of shape (..., K) over each point's hyperplane, shape (..., K).

        Spread over all multiples of its point, a weight's Fourier transform at u is (q - 1) times the weight where v
        lies on u's hyperplane, and minus the weight where it does not: so the transform is q times the sum, less the
        total.
        """
        spread = np.zeros((*weights.shape[:-1], self.q**self.t))
        spread[..., 1:] = weights[..., self.point_of[1:]]
        shape = (*weights.shape[:-1], *(self.q,) * self.t)
        axes = tuple(range(-self.t, 0))
        transformed = fft.fftn(spread.reshape(shape), axes=axes).real.reshape(spread.shape)
        sums: NDArray[np.float64] = (transformed[..., self.vectors] + weights.sum(axis=-1, keepdims=True)) / self.q
        return sums


def is_prime(number: int) -> bool:
    """Whether a number is prime, by trial division."""
    return number > 1 and all(number % divisor for divisor in range(2, isqrt(number) + 1))


def _repunit(q: int, t: int) -> int:
    """1 + q + ... + q^(t-1)."""
    return int((q**t - 1) // (q - 1))
