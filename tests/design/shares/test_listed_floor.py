"""Floors of few values: a channel comes as near as is said, and nothing false is proved whatever floats found."""

from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import product
from math import comb

import numpy as np
import pytest

from in_one import in_one
from sordino import Nats, PairwiseLDP, optimal_channel
from sordino.design.shares.extreme_rays import floors
from sordino.design.shares.listed_floor import (
    APART,
    BITS,
    LARGEST_BOUND,
    ROUNDING,
    _fresh,
    _rounding,
    best_prices,
    every_column,
    every_ray,
    listed_floor,
    powers,
    proved_floor,
    raised_bounds,
    vertices,
)
from sordino.design.shares.symmetries import ValueClasses, classes_of
from sordino.design.shares.variance_floor import matrix_floor, uniform_floor


def nats_of(matrix):
    return [[None if entry == np.inf else Nats.of(entry) for entry in row] for row in matrix]


@pytest.mark.parametrize("unprotected", [0.0, 0.4])
@pytest.mark.parametrize(("k", "seed"), [(2, 0), (3, 0), (3, 1), (4, 0), (4, 1)])
def test_a_channel_comes_within_a_thousandth(witness, k, seed, unprotected):
    matrix = witness.random_bounds(np.random.default_rng([seed, k]), k, unprotected)
    least = witness.least_variance(witness.all_rays(floors(np.array(matrix, dtype=float)))) + 1 / k
    assert 0.999 * least <= listed_floor(classes_of(nats_of(matrix))) <= least * (1 + 1e-6)


@pytest.mark.long
def test_ten_values_that_all_differ():
    # No bound follows from two others: there are as many extreme columns as there can be.
    bounds = np.random.default_rng(10).integers(32, 65, size=(10, 10)) * (1 - np.eye(10, dtype=int))
    definition = PairwiseLDP([[f"{bound}/64" for bound in row] for row in bounds.tolist()])
    assert 0.99 < matrix_floor(definition) / Fraction(optimal_channel(definition).total_variance) <= 1


def test_small_bounds_have_a_floor_too():
    matrices = ([[0, b, b], [b, 0, Fraction(b) / 2], [b, b, 0]] for b in ("0.00001", "0.001"))
    small, large = (listed_floor(classes_of(nats_of(matrix))) for matrix in matrices)
    # At bounds so small the variance is inversely quadratic in them.
    assert (small - Fraction(1, 3)) / (large - Fraction(1, 3)) == pytest.approx(10**4, rel=2e-3)


@in_one("seed", range(4))
@in_one("part", [1e-6, 1e-3, 0.1])
def test_prices_that_do_not_fit_prove_less_and_nothing_false(seed, part):
    generator = np.random.default_rng(seed)
    # Three alike, and two of their own.
    bounds = nats_of([[[0, 1, 2][abs((x > 2) * (x - 2) - (z > 2) * (z - 2))] or 1 for z in range(5)] for x in range(5)])
    classes = classes_of(bounds)
    assert classes.sizes == (3, 1, 1)
    columns = every_column(classes, every_ray(classes.representative_bounds))
    root, prices = best_prices(columns.entries, columns.coordinates)
    least = float(proved_floor(columns, root, prices))
    moved = proved_floor(
        columns,
        root * (1 + part * generator.normal(size=root.shape)),
        prices * (1 + part * (generator.normal(size=prices.shape) - 1)),
    )
    assert moved <= least * 1.0006


def test_columns_are_known_within_their_error():
    classes = classes_of(nats_of([[0, 1, 2], [np.inf, 0, 3], [np.inf, 1, 0]]))
    columns = every_column(classes, every_ray(classes.representative_bounds))
    # The last two values may be told without the first: of the columns that keep a bound of 30 nats, one is nearly so.
    without = np.array([0.0, *(3 * np.array([np.e**3, 1]) / (np.e**3 + 1))])
    nearest = np.abs(columns.entries - without).max(axis=1).min()
    assert columns.stretch == 1
    assert nearest <= 1e-7
    assert 3 * 3 * np.exp(-30) <= columns.error <= 1e-11


@pytest.mark.parametrize("seed", range(3))
def test_rounding_is_allowed_for(seed):
    generator = np.random.default_rng(seed)
    k = 7
    root, prices = generator.normal(size=(k, k)) * 10.0 ** generator.integers(0, 5, size=(k, 1)), generator.random(k)
    root = (root + root.T) / 2
    columns = generator.random((20, k)) * k
    told = columns @ root
    found = (told * told).sum(axis=1) - columns @ prices
    allowed = _rounding(float(columns.max()), 2.0**-50, root, prices)
    for column, value in zip(columns.tolist(), found.tolist(), strict=True):
        off = [Fraction(x) + Fraction(int(generator.choice([-1, 1])), 2**50) for x in column]
        rows = [sum(Fraction(z) * x for z, x in zip(row, off, strict=True)) for row in root.tolist()]
        exact = sum(row**2 for row in rows) - sum(Fraction(p) * x for p, x in zip(prices.tolist(), off, strict=True))
        assert abs(exact - Fraction(value)) <= allowed
    assert allowed <= 1e-9 * float(np.abs(found).max())


@pytest.mark.parametrize(("k", "epsilon"), [(2, "1"), (5, "0.01"), (12, "1"), (64, "4")])
def test_values_that_are_all_alike_have_the_floor_of_ldp(k, epsilon):
    found = listed_floor(ValueClasses((k,), ((Nats.of(epsilon),),))) - Fraction(1, k)
    assert 0.999 <= found / uniform_floor(k, Nats.of(epsilon)) <= 1


@pytest.mark.parametrize("classes", [(3, 2), (4, 1), (2, 2, 1)])
def test_classes_have_the_floor_of_their_values(classes):
    bounds = [[Fraction(1 + 2 * abs(x - z) + (x > z), 2) for z in range(len(classes))] for x in range(len(classes))]
    owner = [number for number, size in enumerate(classes) for _ in range(size)]
    matrix = nats_of([[bounds[x][z] for z in owner] for x in owner])
    assert classes_of(matrix).sizes == classes
    singly = ValueClasses((1,) * len(owner), tuple(map(tuple, matrix)))
    assert listed_floor(classes_of(matrix)) == pytest.approx(listed_floor(singly), rel=6e-4)


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
