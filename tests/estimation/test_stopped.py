"""Shares after stopping: against a grid and against scipy; standard errors; bad input."""

import numpy as np
import pytest
from scipy.optimize import minimize

from sordino import SordinoError, estimate_stopped


def test_two_values_against_a_grid():
    rng = np.random.default_rng(2)
    log = np.log(rng.random((500, 2)))
    grid = np.linspace(0, 1, 100_001)[1:-1]
    likelihood = np.exp(log)
    totals = sum(np.log(p * grid + q * (1 - grid)) for p, q in likelihood)
    found = estimate_stopped(log)
    assert found.value[0] == pytest.approx(grid[totals.argmax()], abs=2e-3)
    bend = np.gradient(np.gradient(totals, grid), grid)[totals.argmax()]
    assert found.stderr[0] == pytest.approx((-bend) ** -0.5, rel=0.02)


def test_many_values_against_a_general_optimizer():
    rng = np.random.default_rng(3)
    likelihood = rng.random((400, 6)) ** 3

    def loss(free):
        shares = np.exp(free - free.max())
        return -np.log(likelihood @ (shares / shares.sum())).sum()

    best = minimize(loss, np.zeros(6), options={"maxiter": 2000}).fun
    found = estimate_stopped(np.log(likelihood) + rng.normal(size=(400, 1)))
    assert found.value.sum() == pytest.approx(1.0)
    assert -np.log(likelihood @ found.value).sum() <= best + 0.02


def test_impossible_values_are_given_no_share():
    log = np.log([[0.5, 0.5, 1.0], [0.5, 0.25, 1.0]])
    log[:, 2] = -np.inf
    assert estimate_stopped(np.repeat(log, 50, axis=0)).value[2] == 0.0


def test_bad_input_is_refused():
    for log in (np.zeros(3), np.empty((0, 2)), np.array([[np.nan, 0.0]]), np.array([[np.inf, 0.0]])):
        with pytest.raises(SordinoError, match="row of logarithms"):
            estimate_stopped(log)
    with pytest.raises(SordinoError, match="explain"):
        estimate_stopped(np.full((2, 2), -np.inf))
