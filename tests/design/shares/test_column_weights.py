"""The weights' solver against sequential quadratic programming, its prices, and thinning to few columns."""

import numpy as np
import pytest
from scipy.optimize import minimize

from sordino.design.shares.optimal import best_weights, restore_sums, sparse


def columns_of(k, m, seed):
    """Random columns around (1, ..., 1) with mean entry 1, and one that makes equal weights feasible."""
    columns = np.random.default_rng(seed).dirichlet(np.full(k, 2.0), size=m).T * k
    rest = 1 - columns.mean(axis=1) * 0.3
    return np.column_stack([columns, rest / rest.mean()]), np.append(np.full(m, 0.3 / m), rest.mean())


def variance(columns, weights):
    return np.trace(np.linalg.inv((columns * weights) @ columns.T))


@pytest.mark.each_value
@pytest.mark.parametrize(("k", "m"), [(2, 3), (3, 7), (4, 12), (5, 20)])
@pytest.mark.parametrize("seed", range(3))
def test_weights_are_those_of_another_solver(k, m, seed):
    columns, start = columns_of(k, m, seed)
    used = best_weights(columns, start)
    other = minimize(
        lambda weights: variance(columns, weights),
        start,
        jac=lambda weights: -np.sum(np.linalg.solve((columns * weights) @ columns.T, columns) ** 2, axis=0),
        method="SLSQP",
        bounds=[(0, None)] * len(start),
        constraints={"type": "eq", "fun": lambda weights: columns @ weights - 1, "jac": lambda _: columns},
        options={"maxiter": 500, "ftol": 1e-12},
    )
    assert used.total == pytest.approx(other.fun, rel=1e-6)
    assert used.total == pytest.approx(variance(columns, used.weights), rel=1e-12)
    assert columns @ used.weights == pytest.approx(1, abs=1e-8)
    assert used.weights.min() > 0


@pytest.mark.parametrize("seed", range(3))
def test_no_column_pays_more_than_its_price(seed):
    columns, start = columns_of(4, 30, seed)
    used = best_weights(columns, start)
    gain = np.sum((used.inverse @ columns) ** 2, axis=0) - used.prices @ columns
    assert gain.max() < 1e-6 * used.total
    assert np.abs(gain * used.weights).max() < 1e-6 * used.total
    assert used.gap < 1e-6 * used.total


@pytest.mark.parametrize(("k", "m"), [(2, 30), (3, 50), (5, 200)])
def test_few_columns_do_the_same(k, m):
    columns, weights = columns_of(k, m, seed=1)
    left = sparse(columns, weights)
    assert left.min() >= 0
    assert 1 <= (left > 0).sum() <= k * (k + 1) / 2
    assert (columns * left) @ columns.T == pytest.approx((columns * weights) @ columns.T, abs=1e-12)


def test_tied_weights_vanish_together():
    columns = np.tile(np.eye(3) * 3, 4)
    left = sparse(columns, np.full(12, 1 / 12))
    assert (left > 0).sum() == 3
    assert sorted(left[left > 0]) == pytest.approx([1 / 3] * 3)


def test_restored_weights_combine_to_ones():
    columns, weights = columns_of(5, 20, seed=3)
    moved = weights * np.random.default_rng(0).uniform(0.99, 1.01, len(weights))
    assert np.abs(columns @ moved - 1).max() > 1e-4
    assert columns @ restore_sums(columns, moved) == pytest.approx(1, abs=1e-14)
