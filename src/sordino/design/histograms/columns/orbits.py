"""What a group of permutations makes of columns: averages over it, and one of all that are alike.

Shapes: permutations (g, k), the first of which moves nothing; columns (k, m); rays (n, k).
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from sordino.design.histograms.columns.extreme_rays import distinct
from sordino.exact.arrays import Floats

ALIKE = 40
"""Binary digits of the number by which one of the images of a ray is chosen."""


class Orbits:
    """A group, and the values and pairs of values that it takes to each other."""

    def __init__(self, permutations: NDArray[np.intp]) -> None:
        """`permutations` must be closed under composition, shape (g, k)."""
        self.permutations = permutations
        k = permutations.shape[1]
        first = np.full((k, k), k * k, dtype=np.intp)
        for image in permutations:
            pair = image[:, None] * k + image
            first = np.minimum(first, np.minimum(pair, pair.T))
        _, self.pairs = np.unique(first.ravel(), return_inverse=True)
        self.pairs = self.pairs.ravel()
        self.pair_counts = np.bincount(self.pairs)
        _, self.values = np.unique(first[np.arange(k), np.arange(k)], return_inverse=True)
        self.values = self.values.ravel()
        self.value_counts = np.bincount(self.values)
        self._key = np.random.default_rng(k).random(k)

    @property
    def trivial(self) -> bool:
        """Whether nothing but leaving all where it is belongs to the group."""
        return len(self.permutations) == 1

    def average(self, matrix: Floats) -> Floats:
        """The mean of what the group makes of a symmetric matrix, shape (k, k)."""
        if self.trivial:
            return matrix
        sums = np.bincount(self.pairs, matrix.ravel())
        return np.asarray((sums / self.pair_counts)[self.pairs].reshape(matrix.shape))

    def rows(self, columns: Floats) -> Floats:
        """The mean of each orbit of values, for each column: all that the mean over the group tells, shape (r, m)."""
        if self.trivial:
            return columns
        found = np.zeros((len(self.value_counts), columns.shape[1]))
        for value, row in zip(self.values, columns, strict=True):
            found[value] += row
        return found / self.value_counts[:, None]

    def spread(self, prices: Floats) -> Floats:
        """Prices l of values that cost a column v what these prices of orbits cost its rows: l . v, shape (k,)."""
        return np.asarray((prices / self.value_counts)[self.values])

    def combine(self, rays: Floats, weights: Floats) -> Floats:
        """The sum of rays with their weights, each spread evenly over its images, shape (k,)."""
        return np.asarray((self.rows(rays.T) @ weights)[self.values])

    def images(self, columns: Floats) -> Iterator[Floats]:
        """The columns, as each permutation makes them."""
        for image in self.permutations:
            yield columns[image]

    def products(self, columns: Floats) -> Floats:
        """The entries that differ of each column's mean v v', shape (number of orbits of pairs, m)."""
        found = [np.bincount(self.pairs, (column[:, None] * column).ravel()) / self.pair_counts for column in columns.T]
        return np.array(found).T

    def sizes(self, rays: Floats) -> Floats:
        """How many different images each ray has, itself among them."""
        if self.trivial:
            return np.ones(len(rays))
        keys = np.sort(self._keys(rays), axis=1)
        return np.asarray(1.0 + (keys[:, 1:] != keys[:, :-1]).sum(axis=1))

    def _keys(self, rays: Floats) -> Floats:
        """A number for each image of each ray, equal for equal ones."""
        return np.asarray(np.rint(np.ldexp(rays[:, self.permutations] @ self._key, ALIKE)))

    def representatives(self, rays: Floats) -> Floats:
        """The rays without repetitions and images of each other, each as one of its images."""
        if self.trivial:
            return distinct(rays)
        best = np.argmax(self._keys(rays), axis=1)
        return distinct(np.take_along_axis(rays, self.permutations[best], axis=1))

    def expand(self, rays: Floats, weights: Floats) -> tuple[Floats, Floats]:
        """All images of rays, each once, with their parts of the weights."""
        if self.trivial:
            return rays, weights
        found, parts = [], []
        for ray, weight in zip(rays, weights, strict=True):
            images = distinct(ray[self.permutations]) * ray.max()
            found.append(images)
            parts.append(np.full(len(images), weight / len(images)))
        return np.concatenate(found), np.concatenate(parts)
