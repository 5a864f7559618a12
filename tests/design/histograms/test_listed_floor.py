"""Floors of few values: a channel comes as near as is said, and nothing false is proved whatever floats found."""

from fractions import Fraction

import numpy as np
import pytest

from in_one import in_one
from sordino import Nats, PairwiseLDP, optimal_channel
from sordino.design.histograms.columns.extreme_rays import floors
from sordino.design.histograms.every_ray import every_ray
from sordino.design.histograms.listed_floor import _rounding, best_prices, every_column, listed_floor, proved_floor
from sordino.design.histograms.value_classes import ValueClasses, classes_of
from sordino.design.histograms.variance_floor import matrix_floor, uniform_floor


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
