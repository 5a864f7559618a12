"""Projective spaces over prime fields: points, hyperplanes and sums, against the vectors themselves."""

from itertools import combinations, product

import numpy as np
import pytest

from sordino.exact.projective import ProjectiveSpace, is_prime

SPACES = [ProjectiveSpace(q, t) for q, t in ((2, 2), (2, 5), (3, 2), (3, 4), (5, 3), (7, 3), (13, 2), (31, 3))]
LARGE_FIELD = ProjectiveSpace(1009, 2)


def canonical(space):
    """All vectors whose first non-zero coordinate is 1, in the order of their numbers."""
    vectors = product(range(space.q), repeat=space.t)
    return np.array([v for v in vectors if next((c for c in v if c), 0) == 1])


@pytest.mark.parametrize("space", SPACES, ids=str)
def test_points_are_the_vectors_with_a_leading_one(space):
    vectors = canonical(space)
    assert len(vectors) == space.points
    np.testing.assert_array_equal(space.digits(space.vectors), vectors)


@pytest.mark.parametrize("space", SPACES, ids=str)
def test_every_multiple_of_a_vector_is_the_same_point(space):
    powers = space.q ** np.arange(space.t)[::-1]
    for scale in range(1, space.q):
        multiples = canonical(space) * scale % space.q @ powers
        np.testing.assert_array_equal(space.point_of[multiples], np.arange(space.points))
    assert space.point_of[0] == -1
    assert space.vectors_in_all == len(space.point_of)


@pytest.mark.parametrize("space", SPACES, ids=str)
def test_hyperplanes_have_their_sizes_and_sums(space):
    vectors = canonical(space)
    incident = vectors @ vectors.T % space.q == 0
    some = range(0, space.points, max(1, space.points // 40))
    for u in some:
        assert [space.incident(u, v) for v in some] == incident[u, list(some)].tolist()
    assert set(incident.sum(axis=1)) == {space.hyperplane}
    assert space.points - space.hyperplane == space.affine
    assert {int((incident[u] & incident[v]).sum()) for u, v in combinations(some, 2)} == {space.meet}
    weights = np.random.default_rng(1).normal(size=(2, space.points))
    np.testing.assert_allclose(space.hyperplane_sums(weights), weights @ incident, atol=1e-9)


@pytest.mark.parametrize("space", [*SPACES, LARGE_FIELD], ids=str)
def test_inner_products_by_chunks_are_those_of_the_coordinates(space):
    rng = np.random.default_rng(2)
    first, second = rng.integers(0, space.q**space.t, size=(2, 500))
    expected = (space.digits(first) * space.digits(second)).sum(axis=1) % space.q
    np.testing.assert_array_equal(space.dot(space.chunks(first), space.chunks(second)), expected)


def test_the_smallest_space_is_taken():
    assert ProjectiveSpace.holding(3, 13) == ProjectiveSpace(3, 3)
    assert ProjectiveSpace.holding(3, 14) == ProjectiveSpace(3, 4)
    assert ProjectiveSpace.holding(3, 1) == ProjectiveSpace(3, 2)


def test_primes_are_told_from_other_numbers():
    sieve = [n for n in range(2, 2000) if not any(n % d == 0 for d in range(2, n))]
    assert [n for n in range(-3, 2000) if is_prime(n)] == sieve
