"""Which values can be exchanged without changing the bounds between them: reflections of a line, rotations of a circle.

A permutation of the values that leaves bounds and prior as they are takes channels that keep the bounds to others of
the same variance, and the variance is convex: so some best channel uses a column as often as all columns that such
permutations make of it. A design then has one weight for an orbit of columns, and its information one entry for an
orbit of pairs: on 8 x 8 cells eight times fewer of both.

What is overlooked costs time, never accuracy or privacy: any group of such permutations serves.

Shapes: labels (k, k), permutations (g, k). Cost: a step looks at k values; most matrices need few.

What a group of permutations makes of columns: averages over it, and one of all that are alike.

Shapes: permutations (g, k), the first of which moves nothing; columns (k, m); rays (n, k).

Values that bounds treat alike: two are of one class where exchanging them changes no bound.

Shapes: a class's bounds (b, b) for b classes: between two of its members on the diagonal, None where there is none.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sordino.definition.high_low import HighLowLDP
from sordino.design.integer_channel import BoundRows
from sordino.design.shares.extreme_rays import distinct
from sordino.exact.floats import Floats
from sordino.exact.nats import Nats

Labels = NDArray[np.intp]

Permutations = NDArray[np.intp]

LARGEST_GROUP = 512
"""Largest number of permutations: of a larger group, as of bounds that are all equal, a part is used."""

STEPS = 20
"""Values that are looked at in search of one permutation, for each value that it moves."""

BASE = 3
"""Values whose images are varied: those of a line, a circle or a grid determine all others."""

MOST_FAILURES = 8
"""Searches without a result, or with one that makes the group too large, before what is found is enough."""


def symmetries(labels: Labels) -> Permutations:
    """A group of permutations s with labels[s][:, s] equal to labels; the first moves nothing.

    Example:
        >>> symmetries(np.array([[0, 1, 2], [1, 0, 1], [2, 1, 0]])).tolist()
        [[0, 1, 2], [2, 1, 0]]
    """
    k = len(labels)
    group = np.arange(k)[None, :]
    generators: list[list[int]] = []
    colours, failures = _colours(labels), 0
    for fixed in range(min(BASE, k)):
        for image in range(fixed + 1, k):
            images = [*range(fixed), image]
            known = image in group[_stabilizers(group, fixed), fixed]
            if known or colours[image] != colours[fixed] or not _agrees(labels, images):
                continue
            found = _extend(labels, colours, images)
            larger = None if found is None else _generate([*generators, found])
            if found is None or larger is None:
                failures += 1
                if failures == MOST_FAILURES:
                    return group
            else:
                generators.append(found)
                group = larger
    return group


def _stabilizers(group: Permutations, number: int) -> NDArray[np.bool_]:
    return np.asarray((group[:, :number] == np.arange(number)).all(axis=1))


def _colours(labels: Labels) -> NDArray[np.intp]:
    seen = np.column_stack([np.diag(labels), np.sort(labels, axis=1), np.sort(labels, axis=0).T])
    return np.unique(seen, axis=0, return_inverse=True)[1].ravel()


def _extend(labels: Labels, colours: NDArray[np.intp], images: list[int]) -> list[int] | None:
    """A permutation that begins with these images; None where none is found in so many steps."""
    k = len(labels)
    left = STEPS * k
    trail: list[Iterator[int]] = [iter(_next(labels, colours, images))]
    while trail and left:
        left -= 1
        if len(images) == k:
            return images
        image = next(trail[-1], None)
        if image is None:
            trail.pop()
            images = images[:-1]
        else:
            images = [*images, image]
            trail.append(iter(_next(labels, colours, images) if len(images) < k else ()))
    return None


def _agrees(labels: Labels, images: list[int]) -> bool:
    """Whether the bounds among the first values are those among their images."""
    first = len(images)
    return bool((labels[np.ix_(images, images)] == labels[:first, :first]).all())


def _next(labels: Labels, colours: NDArray[np.intp], images: list[int]) -> list[int]:
    """Where the next value can go beside these: first where all move by one distance, as in a rotation."""
    value, k = len(images), len(labels)
    fits = colours == colours[value]
    fits &= (labels[:, images] == labels[value, :value]).all(axis=1)
    fits &= (labels[images] == labels[:value, value, None]).all(axis=0)
    fits[images] = False
    places = np.flatnonzero(fits)
    order = np.argsort((places - images[-1] - 1) % k, kind="stable")
    return [int(place) for place in places[order]]


def _generate(generators: list[list[int]]) -> Permutations | None:
    """All products of these permutations; None where they are too many."""
    first = tuple(range(len(generators[0])))
    known, new = {first}, [first]
    while new:
        made = []
        for row in new:
            for generator in generators:
                combined = tuple(row[place] for place in generator)
                if combined not in known:
                    known.add(combined)
                    made.append(combined)
                    if len(known) > LARGEST_GROUP:
                        return None
        new = made
    return np.array(sorted(known), dtype=np.intp)


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


@dataclass(frozen=True)
class ValueClasses:
    """Classes of values and the bounds between them.

    Attributes:
        sizes: how many values each class has.
        bounds: row by row; on the diagonal those between two values of the class, not read for a class of one.
    """

    sizes: tuple[int, ...]
    bounds: tuple[tuple[Nats | None, ...], ...]

    @property
    def k(self) -> int:
        return sum(self.sizes)

    def is_free(self, number: int) -> bool:
        """Whether nothing bounds how likely a column is for a value of this class."""
        row = list(self.bounds[number])
        if self.sizes[number] == 1:
            del row[number]
        return all(bound is None for bound in row)

    @property
    def rows(self) -> tuple[tuple[int, ...], ...]:
        """For each class its rows in `representative_bounds`: two of a class of several values, one of a free one."""
        found, following = [], 0
        for number, size in enumerate(self.sizes):
            count = 1 if size == 1 or self.is_free(number) else 2
            found.append(tuple(range(following, following + count)))
            following += count
        return tuple(found)

    @property
    def representative_bounds(self) -> BoundRows:
        """Bounds between values that stand for their classes."""
        numbers = [number for number, rows in enumerate(self.rows) for _ in rows]
        return [[self.bounds[x][other] for other in numbers] for x in numbers]


def classes_of(bounds: BoundRows) -> ValueClasses:
    """The classes of values between which there are bounds."""
    k = len(bounds)
    known: dict[Nats | None, int] = {}
    names = np.array([[known.setdefault(bound, len(known)) for bound in row] for row in bounds])
    members: list[list[int]] = []
    for x in range(k):
        for others in members:
            if _are_exchangeable(names, others[0], x):
                others.append(x)
                break
        else:
            members.append([x])
    first = [others[0] for others in members]
    rows = tuple(
        tuple(bounds[x][others[1] if x == others[0] and len(others) > 1 else others[0]] for others in members)
        for x in first
    )
    return ValueClasses(tuple(len(others) for others in members), rows)


def sensitive_classes(definition: HighLowLDP) -> ValueClasses:
    """Sensitive values and the others."""
    sensitive = len(definition.sensitive)
    return ValueClasses((sensitive, definition.k - sensitive), ((definition.epsilon, definition.epsilon), (None, None)))


def _are_exchangeable(names: "np.ndarray[tuple[int, ...], np.dtype[np.int64]]", x: int, other: int) -> bool:
    others = np.delete(np.arange(len(names)), [x, other])
    towards = (names[x, others] == names[other, others]).all() and (names[others, x] == names[others, other]).all()
    return bool(towards and names[x, other] == names[other, x])
