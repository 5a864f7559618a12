"""Permutations that leave bounds as they are: a group of them, and what it makes of columns and of their weights."""

from itertools import combinations

import numpy as np
import pytest

from in_one import in_one
from sordino import HighLowLDP, PairwiseLDP
from sordino.design.shares.optimal import best_weights, sparse
from sordino.design.shares.symmetries import LARGEST_GROUP, Orbits, classes_of, sensitive_classes, symmetries


def circle(k):
    steps = np.abs(np.subtract.outer(np.arange(k), np.arange(k)))
    return np.minimum(steps, k - steps)


def line(k):
    return np.abs(np.subtract.outer(np.arange(k), np.arange(k)))


def grid(rows, columns):
    first, second = np.divmod(np.arange(rows * columns), columns)
    return (
        np.abs(np.subtract.outer(first, first))
        + 50 * np.abs(np.subtract.outer(second, second)) * (rows != columns)
        + (np.abs(np.subtract.outer(second, second)) * (rows == columns))
    )


CASES = [
    (line(7), 2, 4),
    (circle(9), 18, 1),
    (grid(4, 4), 8, 3),
    (grid(3, 5), 4, 6),
    (1 - np.eye(12, dtype=int), 12, 1),
    (np.random.default_rng(0).integers(0, 1000, (10, 10)), 1, 10),
    (np.triu(np.ones((6, 6), dtype=int)), 1, 6),
]


@in_one(("labels", "number", "orbits"), CASES)
def test_groups_of_known_bounds(labels, number, orbits):
    found = symmetries(labels)
    assert len(found) == number <= LARGEST_GROUP
    assert found[0].tolist() == list(range(len(labels)))
    assert all((labels[image][:, image] == labels).all() for image in found)
    rows = {tuple(row) for row in found.tolist()}
    assert {tuple(np.array(a)[list(b)].tolist()) for a in rows for b in rows} == rows
    assert len(Orbits(found).value_counts) == orbits


def test_no_bounds_take_long():
    # Every permutation of 64 values, and bounds of two sizes at random: the search ends in both.
    assert len(symmetries(1 - np.eye(64, dtype=int))) == 64
    assert len(symmetries(np.random.default_rng(1).integers(0, 2, (64, 64)))) == 1


@pytest.mark.parametrize("labels", [circle(6), line(6), grid(2, 3), line(6) + np.diag([9, 0, 0, 0, 0, 0])])
@pytest.mark.parametrize("m", [8])
def test_columns_stand_for_all_their_images(labels, m):
    generator = np.random.default_rng(m)
    orbits = Orbits(symmetries(labels))
    columns = generator.dirichlet(np.full(6, 2.0), size=m).T * 6
    weights = np.full(m, 0.3 / m)
    rest = 1 - orbits.combine(columns.T, weights)
    columns, weights = np.column_stack([columns, rest / rest.mean()]), np.append(weights, rest.mean())
    every = np.concatenate(list(orbits.images(columns)), axis=1)
    number = len(orbits.permutations)
    assert every @ np.tile(weights, number) / number == pytest.approx(np.ones(6))
    together = best_weights(columns, weights, orbits=orbits)
    apart = best_weights(every, np.tile(weights, number) / number)
    assert together.total == pytest.approx(apart.total, rel=1e-7)
    assert orbits.average(together.inverse) == pytest.approx(together.inverse)
    gain = np.sum((together.inverse @ every) ** 2, axis=0) - together.prices @ every
    assert gain.max() < 1e-6 * together.total
    few = sparse(columns, together.weights, orbits)
    assert (few > 0).sum() <= len(orbits.pair_counts)
    rays, parts = orbits.expand(columns.T, few)
    assert rays.T @ parts == pytest.approx(np.ones(6))
    assert (rays.T * parts) @ rays == pytest.approx(np.linalg.inv(together.inverse), rel=1e-6)


def test_one_of_all_images_is_chosen():
    orbits = Orbits(symmetries(circle(5)))
    ray = np.array([1.0, 0.2, 0.3, 0.4, 0.5])
    chosen = orbits.representatives(np.concatenate([ray[orbits.permutations], np.ones((2, 5))]))
    assert len(chosen) == 2
    assert sorted(chosen[0]) == sorted(ray)


@in_one("seed", range(6))
def test_two_values_are_of_one_class_where_exchanging_them_changes_nothing(seed):
    generator = np.random.default_rng(seed)
    bounds = [[int(generator.integers(3, 5)) if x != z else 0 for z in range(5)] for x in range(5)]
    alike = set()
    for x, z in combinations(range(5), 2):
        order = list(range(5))
        order[x], order[z] = z, x
        if [[bounds[i][j] for j in order] for i in order] == bounds:
            alike.add((x, z))
    sizes = classes_of(PairwiseLDP(bounds).bounds).sizes
    assert sum(size * (size - 1) // 2 for size in sizes) == len(alike)
    assert sum(sizes) == 5


def test_two_values_that_bound_each_other_differently_are_no_class():
    bounds = [[0, 3, 4], [4, 0, 4], [4, 4, 0]]
    assert classes_of(PairwiseLDP(bounds).bounds).sizes == (1, 1, 1)


def test_sensitive_values_are_a_class_of_their_matrix():
    matrix = [[0 if x == z else "1" if x < 2 else None for z in range(5)] for x in range(5)]
    found = classes_of(PairwiseLDP(matrix).bounds)
    expected = sensitive_classes(HighLowLDP(5, [0, 1], "1"))
    assert (found.sizes, found.bounds) == (expected.sizes, expected.bounds)
    assert [found.is_free(number) for number in range(2)] == [False, True]
    assert found.rows == ((0, 1), (2,))
