"""Projective spaces over finite fields: points, hyperplanes and inner products, against the vectors themselves."""

from itertools import combinations, product

import numpy as np

from in_one import in_one
from sordino.exact.combinatorics.projective_points import ProjectiveSpace

PRIMES = ((2, 2), (2, 5), (3, 2), (3, 4), (5, 3), (7, 3), (13, 2), (31, 3))
BINARY = ((4, 2), (4, 4), (8, 3), (16, 2), (32, 2), (64, 2), (128, 2))
SPACES = [ProjectiveSpace(q, t) for q, t in (*PRIMES, *BINARY)]
LARGE = [ProjectiveSpace(1009, 2), ProjectiveSpace(4, 11), ProjectiveSpace(128, 3)]


def canonical(space):
    """All vectors whose first non-zero coordinate is 1, in the order of their numbers."""
    vectors = product(range(space.q), repeat=space.t)
    return np.array([v for v in vectors if next((c for c in v if c), 0) == 1])


@in_one("space", SPACES)
def test_points_are_the_vectors_with_a_leading_one(space):
    vectors = canonical(space)
    assert len(vectors) == space.points
    np.testing.assert_array_equal(space.digits(space.vectors), vectors)


@in_one("space", SPACES)
def test_every_multiple_of_a_vector_is_the_same_point(space, inner_products):
    scales, powers = np.arange(1, space.q)[:, None], space.q ** np.arange(space.t)[::-1]
    columns = [inner_products(space.q, scales, column[:, None]) for column in canonical(space).T]
    multiples = np.tensordot(powers, columns, axes=1)
    expected = np.broadcast_to(np.arange(space.points), multiples.shape)
    np.testing.assert_array_equal(space.point_of[multiples], expected)
    assert space.point_of[0] == -1
    assert space.vectors_in_all == len(space.point_of)


@in_one("space", SPACES)
def test_hyperplanes_have_their_sizes(space, inner_products):
    vectors = canonical(space)
    incident = inner_products(space.q, vectors, vectors) == 0
    some = range(0, space.points, max(1, space.points // 40))
    for u in some:
        assert [space.incident(u, v) for v in some] == incident[u, list(some)].tolist()
    assert set(incident.sum(axis=1)) == {space.hyperplane}
    assert space.points - space.hyperplane == space.affine
    assert {int((incident[u] & incident[v]).sum()) for u, v in combinations(some, 2)} == {space.meet}


@in_one("space", [*SPACES, *LARGE])
def test_inner_products_by_chunks_are_those_of_the_coordinates(space, inner_products):
    rng = np.random.default_rng(2)
    for length in {space.t, space.t - 1, 1}:
        first, second = rng.integers(0, space.q**length, size=(2, 200))
        expected = inner_products(space.q, space.digits(first), space.digits(second))
        chunks = [chunk[:, None] for chunk in space.chunks(first, length)]
        np.testing.assert_array_equal(space.dot(chunks, space.chunks(second, length)), expected)


def test_the_smallest_space_is_taken():
    assert ProjectiveSpace.smallest_for(3, 13) == ProjectiveSpace(3, 3)
    assert ProjectiveSpace.smallest_for(3, 14) == ProjectiveSpace(3, 4)
    assert ProjectiveSpace.smallest_for(3, 1) == ProjectiveSpace(3, 2)


@in_one("space", [*SPACES, *LARGE])
def test_images_of_vectors_are_those_of_each_coordinate(space):
    rng = np.random.default_rng(3)
    images = np.append(0, rng.integers(0, space.q, space.q - 1))
    vectors = np.append(rng.integers(0, space.vectors_in_all, (3, 50)).ravel(), [0, space.vectors_in_all - 1])
    expected = images[space.digits(vectors)] @ space.q ** np.arange(space.t)[::-1]
    np.testing.assert_array_equal(space.map_coordinates(vectors, images), expected)


def test_several_coordinates_are_looked_up_at_a_time():
    """Of a space of a million points: a division of all vectors for each of eleven coordinates takes long."""
    taken = []

    class Noted(np.ndarray):
        def __floordiv__(self, other):
            taken.append(other)
            return np.asarray(self) // other

    space = ProjectiveSpace(4, 11)
    vectors = np.arange(100).view(Noted)
    space.map_coordinates(vectors, np.arange(4))
    assert taken == [4**6]
