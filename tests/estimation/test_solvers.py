"""Equations of searches and estimates at singular matrices, whatever a processor's last bits make of them."""

import ast
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

import sordino
from in_one import in_one
from sordino import SordinoError
from sordino.estimation.solvers import (
    Undetermined,
    bounded_part,
    inverse_trace,
    positive_part,
    search_inverse,
    search_step,
    solve_estimate,
    trust_region,
)

REFUSAL = Undetermined("features must differ", "leave one out")

PACKAGE = Path(sordino.__file__).parent

# Formulas with their own refusal, and unimodular rows of small whole numbers, whose determinant is looked at before.
OWN = {"design/shares/best_mechanism.py"}


def singular(size=4):
    rows = np.random.default_rng(2).normal(size=(size - 1, size))
    return rows.T @ rows


def test_a_search_takes_the_shortest_step_where_there_are_many():
    matrix = singular()
    along = np.linalg.svd(matrix)[2][-1]
    right = matrix @ np.arange(1.0, 5)
    exactly = np.vstack([[2.0, 2.0], [2.0, 2.0]])
    assert search_step(exactly, np.array([4.0, 4.0])) == pytest.approx([1, 1])
    found = search_inverse(np.diag([4.0, 0.0, 1e-30])) @ np.array([1.0, 0.0, 1.0])
    assert found == pytest.approx([0.25, 0, 1e30])
    # LAPACK may or may not call this one singular: the equations hold both ways, along the direction nothing is asked.
    assert matrix @ search_step(matrix, right) == pytest.approx(right, rel=1e-6)
    assert abs(matrix @ along).max() < 1e-12


def test_a_search_ends_where_nothing_is_finite():
    assert np.isnan(search_step(np.full((2, 2), np.nan), np.ones(2))).all()
    broken = np.array([[np.inf, 0.0], [0.0, 0.0]])
    assert not np.isfinite(search_step(broken, np.ones((2, 3)))).all()


def test_a_stack_of_matrices_with_a_singular_one_is_inverted():
    stack = np.stack([np.eye(2), np.ones((2, 2)), 2 * np.eye(2)])
    assert search_inverse(stack) == pytest.approx(np.stack([np.eye(2), np.full((2, 2), 0.25), np.eye(2) / 2]))


def test_a_design_that_tells_nothing_in_one_direction_is_never_the_best():
    assert inverse_trace(np.diag([1.0, 2.0])) == 1.5
    assert inverse_trace(np.zeros((2, 2))) == np.inf
    assert inverse_trace(singular()) > 1e10


@pytest.mark.parametrize("scale", [1.0, 1e-50, 1e50])
def test_an_estimate_is_refused_where_its_equations_leave_it_open(scale):
    units = np.diag([1.0, 1e9, 1e-9, 1.0]) * scale
    whole = units @ (singular() + np.eye(4)) @ units
    truth = np.arange(1.0, 5) / np.diag(units)
    assert solve_estimate(whole, whole @ truth, REFUSAL) == pytest.approx(truth, rel=1e-6)
    with pytest.raises(SordinoError, match=r"features must differ; found equations .*: leave one out"):
        solve_estimate(units @ singular() @ units, np.ones(4), REFUSAL)
    with pytest.raises(SordinoError, match="features must differ"):
        solve_estimate(np.full((2, 2), np.nan), np.ones(2), REFUSAL)


def test_designs_and_estimates_solve_equations_in_one_place():
    bare = []
    for room in ("design", "estimation", "survey"):
        for path in sorted((PACKAGE / room).rglob("*.py")):
            name = path.relative_to(PACKAGE).as_posix()
            calls = [node for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.Attribute)]
            found = {ast.unparse(node) for node in calls} & {"np.linalg.solve", "np.linalg.inv", "linalg.solve"}
            bare += [f"{name}: {one}" for one in found if name not in OWN | {"estimation/solvers.py"}]
    assert not bare


def value(matrix, vector, point):
    return point @ matrix @ point / 2 - vector @ point


def indefinite(rng, p):
    entries = rng.normal(size=(p, p))
    return entries + entries.T


def in_ball(radius):
    return lambda t: t * min(1, radius / max(np.linalg.norm(t), 1e-300))


@in_one("seed", range(10))
def test_no_start_of_a_general_optimizer_ends_lower_in_the_ball(seed):
    rng = np.random.default_rng(seed)
    p, radius = int(rng.integers(1, 7)), float(rng.uniform(0.1, 3))
    matrix, vector = indefinite(rng, p), rng.normal(size=p) * rng.choice([1e-8, 0.1, 1, 10])
    found = trust_region(matrix, vector, radius)
    assert np.linalg.norm(found) <= radius * (1 + 1e-12)
    inside = {"type": "ineq", "fun": lambda t: radius**2 - t @ t, "jac": lambda t: -2 * t}
    for start in rng.normal(size=(12, p)):
        other = minimize(
            lambda t: value(matrix, vector, t),
            radius * start / np.linalg.norm(start),
            jac=lambda t: matrix @ t - vector,
            constraints=[inside],
            method="SLSQP",
            options={"maxiter": 300},
        )
        # The optimizer may leave the ball by a hair.
        assert value(matrix, vector, found) <= value(matrix, vector, in_ball(radius)(other.x)) + 1e-9


def test_no_point_of_a_grid_is_lower():
    rng = np.random.default_rng(3)
    angle, length = np.meshgrid(np.linspace(0, 2 * np.pi, 721), np.linspace(0, 1, 101))
    grid = np.stack([length * np.cos(angle), length * np.sin(angle)], axis=-1).reshape(-1, 2)
    for _ in range(30):
        matrix, vector = indefinite(rng, 2), rng.normal(size=2) * rng.choice([0, 1e-6, 1])
        found = value(matrix, vector, trust_region(matrix, vector, 1))
        least = (np.einsum("ij,jk,ik->i", grid, matrix, grid) / 2 - grid @ vector).min()
        assert least - 0.02 <= found <= least + 1e-12


@in_one(
    ("matrix", "vector", "radius", "expected"),
    [
        # Inside; on the boundary of a convex form; a ball so large that it does not bind.
        (np.diag([1.0, 2.0]), [0.5, 0.5], 1, [0.5, 0.25]),
        (np.eye(2), [3.0, 4.0], 1, [0.6, 0.8]),
        (np.diag([1e-3, 1.0]), [1.0, 0.0], 1e6, [1000.0, 0.0]),
        # A singular form that has a minimum: the shortest one.
        (np.diag([0.0, 2.0]), [0.0, 1.0], 1, [0.0, 0.5]),
        # The hard case: nothing pulls along the lowest eigenvector, yet the minimum lies there; either way.
        (np.diag([-1.0, 1.0]), [0.0, 1.0], 1, [np.sqrt(0.75), 0.5]),
        (np.diag([-1.0, 1.0]), [0.0, 0.0], 2, [2.0, 0.0]),
        (np.diag([-1.0, -1.0, 1.0]), [0.0, 0.0, 1.0], 1, [np.sqrt(0.75), 0.0, 0.5]),
        # All but the hard case.
        (np.diag([-1.0, 1.0]), [1e-14, 1.0], 1, [np.sqrt(0.75), 0.5]),
        # Where the pull across is so strong that it is none.
        (np.diag([-1.0, 1.0]), [0.0, 8.0], 1, [0.0, 1.0]),
    ],
)
def test_known_minima_in_the_ball(matrix, vector, radius, expected):
    found = trust_region(matrix, np.array(vector), radius)
    np.testing.assert_allclose(np.abs(found), expected, rtol=1e-9, atol=1e-12)


@given(st.integers(1, 6), st.integers(0, 2**32 - 1), st.sampled_from([1e-6, 1.0, 1e6]), st.floats(1e-3, 1e3))
def test_the_minimum_in_the_ball_meets_the_conditions_that_only_a_global_one_meets(p, seed, scale, radius):
    rng = np.random.default_rng(seed)
    matrix, vector = scale * indefinite(rng, p), scale * rng.normal(size=p)
    found = trust_region(matrix, vector, radius)
    gradient = matrix @ found - vector
    level = max(0.0, -gradient @ found / (found @ found))
    noise = 1e-9 * scale * (1 + radius)
    assert np.linalg.norm(gradient + level * found) <= noise
    assert np.linalg.eigvalsh(matrix)[0] + level >= -1e-7 * scale * (1 + 1 / radius)
    assert level * (radius - np.linalg.norm(found)) <= noise


@in_one("seed", range(40))
def test_the_bounded_part_is_nearest(seed):
    """What is nearest in a convex set sees all of it at a right angle from the matrix, or beyond."""
    rng = np.random.default_rng(seed)
    p = 1 + seed % 6
    matrix = indefinite(rng, p) * rng.choice([0.3, 1.0, 5.0])
    found = bounded_part(matrix)
    assert np.linalg.eigvalsh(found).min() > -1e-12
    assert np.diagonal(found).max() <= 1 + 1e-12
    np.testing.assert_allclose(bounded_part(found), found, atol=1e-9)
    corners = [np.outer(signs, signs) for signs in product([-1.0, 1.0], repeat=p)]
    random = [root.T @ root for root in rng.normal(size=(200, p, p))]
    inside = [one / max(1, one.diagonal().max()) for one in random]
    scale = 1 + np.abs(matrix).max()
    assert max(np.sum((matrix - found) * (one - found)) for one in (*corners, *inside)) <= 1e-6 * scale


@pytest.mark.parametrize("seed", range(6))
def test_the_positive_part_is_nearest(seed):
    rng = np.random.default_rng(seed)
    p = int(rng.integers(1, 5))
    matrix = indefinite(rng, p)
    found = positive_part(matrix)
    assert np.linalg.eigvalsh(found).min() > -1e-12
    np.testing.assert_array_equal(found, found.T)
    np.testing.assert_allclose(positive_part(found), found, atol=1e-12)

    # Every positive semidefinite matrix is a square.
    def distance(root):
        return np.sum((root.reshape(p, p) @ root.reshape(p, p).T - matrix) ** 2)

    other = min(minimize(distance, rng.normal(size=p * p)).fun for _ in range(4))
    assert np.sum((found - matrix) ** 2) <= other + 1e-6
    assert np.sum((found - matrix) ** 2) >= other - 1e-6


def test_what_has_no_minimum_is_refused():
    eye, one = np.eye(2), np.ones(2)
    for call in (
        lambda: trust_region(np.array([[1.0, 2.0], [0.0, 1.0]]), one, 1),
        lambda: trust_region(np.ones((2, 3)), one, 1),
        lambda: trust_region(np.full((2, 2), np.nan), one, 1),
        lambda: trust_region(eye, np.ones(3), 1),
        lambda: trust_region(eye, np.array([np.inf, 0]), 1),
        lambda: trust_region(eye, one, 0),
        lambda: trust_region(eye, one, np.inf),
        lambda: trust_region(eye, one, np.nan),
        lambda: positive_part(np.zeros((0, 0))),
    ):
        with pytest.raises(SordinoError):
            call()
