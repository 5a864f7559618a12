"""All extreme rays of a few values' bounds, against every tree of tight bounds, in whole numbers."""

from decimal import Decimal, localcontext
from itertools import product
from math import comb

import numpy as np
import pytest

from in_one import in_one
from sordino import Nats
from sordino.design.histograms.every_ray import (
    APART,
    BITS,
    LARGEST_BOUND,
    ROUNDING,
    _fresh,
    powers,
    raised_bounds,
    vertices,
)


def trees(k):
    """All labelled trees, by their codes of Pruefer."""
    for code in product(range(k), repeat=k - 2):
        degree = [1 + code.count(x) for x in range(k)]
        edges = []
        for x in code:
            leaf = degree.index(1)
            edges.append((leaf, x))
            degree[leaf] -= 1
            degree[x] -= 1
        yield [*edges, tuple(x for x in range(k) if degree[x] == 1)]


def by_trees(bounds):
    """Every u that keeps the bounds and holds one with equality along each edge of some tree."""
    k = len(bounds)
    found = set()
    for edges in trees(k):
        for turned in product((False, True), repeat=k - 1):
            u = {0: 0}
            while len(u) < k:
                for (x, z), turn in zip(edges, turned, strict=True):
                    high, low = (z, x) if turn else (x, z)
                    if low in u and high not in u:
                        u[high] = u[low] + bounds[high][low]
                    elif high in u and low not in u:
                        u[low] = u[high] - bounds[high][low]
            if all(u[x] - u[z] <= bounds[x][z] for x in u for z in u):
                found.add(tuple(u[x] - max(u.values()) for x in range(k)))
    return found


def random_whole(generator, k, low):
    bounds = generator.integers(low, 1000, size=(k, k)) * 10**6 + generator.integers(10**6, size=(k, k))
    np.fill_diagonal(bounds, 0)
    return bounds


@in_one(("k", "low"), [(2, 1), (3, 1), (4, 1), (4, 600), (5, 100)])
def test_all_vertices_are_found(k, low):
    bounds = random_whole(np.random.default_rng(k), k, low)
    found = vertices(bounds)
    assert {tuple(row) for row in found.tolist()} == by_trees(bounds.tolist())
    assert len(found) == len(by_trees(bounds.tolist()))


@pytest.mark.parametrize("k", [6, 7, 8])
def test_bounds_that_imply_no_others_have_as_many_vertices_as_is_known(k):
    # Develin and Sturmfels: a generic tropical polytope of k points has (2k-2 choose k-1) vertices of this kind.
    assert len(vertices(random_whole(np.random.default_rng(k), k, 600))) == comb(2 * k - 2, k - 1)


def test_rows_are_new_once_and_those_that_differ_are_never_taken_for_one():
    known, rows = np.array([[0, 5], [1, 2]]), np.array([[3, 4], [1, 2], [3, 4], [7, 0]])
    assert sorted(_fresh(known, rows).tolist()) == [[3, 4], [7, 0]]
    first, second = 2 * np.random.default_rng(0).integers(1 << 62, size=2) + 1
    # Both have the same sum.
    assert _fresh(known, np.array([[0, 0], [second, -first]])) is None


def test_bounds_with_a_relation_are_refused():
    line = 10 * np.abs(np.arange(4)[:, None] - np.arange(4))
    assert vertices(line) is None


def test_raised_bounds_lie_a_little_above():
    texts = [["0", "1/3", "ln 2"], ["7/5", "0", "29"], ["31", "1000", "0"]]
    bounds = [[Nats.of(text) for text in row] for row in texts]
    bounds[2][1] = None
    raised = raised_bounds(bounds, 0)
    with localcontext(prec=60):
        exact = [[0, Decimal(1) / 3, Decimal(2).ln()], [Decimal("1.4"), 0, 29], [LARGEST_BOUND, LARGEST_BOUND, 0]]
        for x in range(3):
            assert raised[x, x] == 0
            for z in range(3):
                over = Decimal(int(raised[x, z])) - exact[x][z] * 2**BITS
                assert x == z or 0 < over <= APART + 1


def test_powers_are_within_what_is_promised():
    logarithms = -np.random.default_rng(0).integers(0, 2**58, size=200)
    logarithms[:60] = -(2 ** np.arange(60))
    logarithms = np.maximum(logarithms, -(200 << BITS))
    with localcontext(prec=50):
        for logarithm, found in zip(logarithms.tolist(), powers(logarithms).tolist(), strict=True):
            exact = (Decimal(logarithm) / 2**BITS).exp()
            assert abs(Decimal(found) / exact - 1) <= Decimal(ROUNDING)
