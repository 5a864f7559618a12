"""Which values can be exchanged without changing the bounds between them: reflections of a line, rotations of a circle.

A permutation of the values that leaves bounds and prior as they are takes channels that keep the bounds to others of
the same variance, and the variance is convex: so some best channel uses a column as often as all columns that such
permutations make of it. A design then has one weight for an orbit of columns, and its information one entry for an
orbit of pairs: on 8 x 8 cells eight times fewer of both.

What is overlooked costs time, never accuracy or privacy: any group of such permutations serves.

Shapes: labels (k, k), permutations (g, k). Cost: a step looks at k values; most matrices need few.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

Labels = NDArray[np.intp]
Permutations = NDArray[np.intp]

LARGEST_GROUP = 512
"""Permutations at most: of a larger group, as of bounds that are all equal, a part is used."""

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
    """Those that leave the first values where they are."""
    return np.asarray((group[:, :number] == np.arange(number)).all(axis=1))


def _colours(labels: Labels) -> NDArray[np.intp]:
    """Values that may be exchanged have one colour: the same labels on, from and to them."""
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
