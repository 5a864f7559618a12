"""Sums over hyperplanes against the dense incidence matrix."""

import numpy as np
import pytest

from sordino.exact.combinatorics.projective_points import HyperplaneSums, ProjectiveSpace

PRIMES = [ProjectiveSpace(q, t) for q, t in ((3, 2), (3, 4), (5, 3), (7, 3), (13, 2), (31, 3))]
BINARY = [
    ProjectiveSpace(q, t) for q, t in ((2, 2), (2, 6), (4, 2), (4, 5), (8, 3), (16, 3), (32, 2), (64, 2), (128, 2))
]
LARGE_FIELD = ProjectiveSpace(1009, 2)


def incidence(space, inner_products):
    digits = space.digits(space.vectors)
    return inner_products(space.q, digits, digits) == 0


@pytest.mark.parametrize("space", [*PRIMES, *BINARY, LARGE_FIELD], ids=str)
def test_sums_are_those_of_the_incident_points(space, inner_products):
    weights = np.random.default_rng(1).normal(size=(2, 3, space.points))
    before = weights.copy()
    expected = weights @ incidence(space, inner_products)
    np.testing.assert_allclose(HyperplaneSums(space).of(weights), expected, atol=1e-9)
    np.testing.assert_allclose(HyperplaneSums(space).of(weights[0, 0]), expected[0, 0], atol=1e-9)
    np.testing.assert_array_equal(weights, before)


@pytest.mark.parametrize("space", BINARY, ids=str)
def test_sums_of_integers_are_exact_for_powers_of_two(space, inner_products):
    weights = np.random.default_rng(2).integers(0, 2**30, space.points)
    expected = weights @ incidence(space, inner_products)
    np.testing.assert_array_equal(HyperplaneSums(space).of(weights.astype(np.float64)), expected)


@pytest.mark.parametrize("space", [ProjectiveSpace(2, 14), ProjectiveSpace(4, 7), ProjectiveSpace(8, 5)], ids=str)
def test_sums_in_large_spaces_are_right_at_some_points(space, inner_products):
    rng = np.random.default_rng(3)
    weights, some = rng.integers(0, 100, space.points), rng.integers(0, space.points, 20)
    digits = space.digits(space.vectors)
    expected = (inner_products(space.q, digits[some], digits) == 0) @ weights
    np.testing.assert_array_equal(HyperplaneSums(space).of(weights.astype(np.float64))[some], expected)
