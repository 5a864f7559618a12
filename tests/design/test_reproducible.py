"""Linear algebra without an open order of sums: against LAPACK, and bit for bit whatever the memory looks like."""

import ast
from decimal import Context, localcontext
from pathlib import Path

import numpy as np
import pytest

from in_one import in_one
from sordino.design import reproducible
from sordino.design.numbers.drawn_answers import apportioned
from sordino.design.reproducible import (
    ReproducibleDraws,
    coarse,
    exponential,
    inverse,
    is_definite,
    logarithm,
    null_space,
    product,
    solve,
    total,
)

EXACT = (
    "histograms/columns/channel_design",
    "histograms/columns/column_weights",
    "histograms/columns/extreme_rays",
    "integer_channel",
    "histograms/optimal",
    "histograms/columns/orbits",
    "histograms/columns/ray_search",
    "histograms/columns/symmetries",
    "reproducible",
)
"""The files whose floats end in a channel's last digits."""

ELSEWHERE = {"linalg", "exp", "log", "expm1", "log1p", "power", "sum", "dot", "matmul", "einsum", "trace", "random"}


def definite(generator, n):
    square = generator.normal(size=(n, n + 3))
    return square @ square.T + np.diag(10.0 ** generator.uniform(-3, 3, n))


@pytest.mark.parametrize("n", [1, 2, 5, 40])
def test_systems_are_solved(n):
    generator = np.random.default_rng(n)
    matrix, right = definite(generator, n), generator.normal(size=(n, 3))
    assert solve(matrix, right) == pytest.approx(np.linalg.solve(matrix, right), rel=1e-9, abs=1e-12)
    assert solve(matrix, right[:, 0]) == pytest.approx(solve(matrix, right)[:, 0], rel=1e-12)
    found = inverse(matrix)
    assert found == pytest.approx(np.linalg.inv(matrix), rel=1e-9, abs=1e-12)
    assert (found == found.T).all()
    assert is_definite(matrix)
    assert not is_definite(matrix - 1e4 * np.eye(n))
    edge = generator.normal(size=(n, 1))
    bordered = np.block([[matrix, edge], [edge.T, np.zeros((1, 1))]])
    assert bordered @ solve(bordered, np.ones(n + 1)) == pytest.approx(1, abs=1e-9)


def eliminated(matrix, right):
    """A system solved entry by entry: each one minus its products in the order of the pivots, nothing else."""
    rows = [[*row, value] for row, value in zip(matrix.tolist(), right.tolist(), strict=True)]
    n = len(rows)
    for i in range(n):
        largest = max(range(i, n), key=lambda row: abs(rows[row][i]))
        rows[i], rows[largest] = rows[largest], rows[i]
        for row in rows[i + 1 :]:
            factor = row[i] / rows[i][i]
            row[i + 1 :] = [one - factor * other for one, other in zip(row[i + 1 :], rows[i][i + 1 :], strict=True)]
    found = [row[n] for row in rows]
    for i in range(n - 1, -1, -1):
        found[i] /= rows[i][i]
        found[:i] = [one - row[i] * found[i] for one, row in zip(found[:i], rows, strict=False)]
    return found


@pytest.mark.parametrize("n", [1, 2, 7, 40, reproducible.ONE_PANEL])
def test_systems_are_solved_bit_for_bit_as_entry_by_entry(n):
    generator = np.random.default_rng(n)
    matrix, right = generator.normal(size=(n, n)), generator.normal(size=n)
    matrix[n // 2 :] = np.round(matrix[n // 2 :])  # equal pivots, of which the first counts, and exact zeros
    matrix += 3 * np.eye(n)[::-1]
    known = matrix.copy(), right.copy()
    assert solve(matrix, right).tolist() == eliminated(matrix, right)
    assert (matrix == known[0]).all()
    assert (right == known[1]).all()


@pytest.mark.parametrize("shape", [(3, 4), (1, 1), (20_000, 3), (5, 6, 7)])
def test_products_and_sums(shape):
    generator = np.random.default_rng(1)
    left, right = generator.normal(size=shape), generator.normal(size=(shape[-1], 2))
    found = product(left, right)
    assert found == pytest.approx(left @ right)
    assert product(left, right[:, 0]) == pytest.approx(left @ right[:, 0])
    assert (product(np.asfortranarray(left), np.asfortranarray(right)) == found).all()
    assert (product(np.flip(left, 0), right) == np.flip(found, 0)).all()
    for axis in range(left.ndim):
        assert total(left, axis) == pytest.approx(left.sum(axis=axis))
        assert (total(np.asfortranarray(left), axis) == total(left, axis)).all()
    assert total(np.zeros((0, 3)), 0).tolist() == [0, 0, 0]


def test_null_spaces():
    generator = np.random.default_rng(2)
    matrix = generator.normal(size=(6, 15))
    matrix[5] = matrix[0] - 2 * matrix[1]
    basis = null_space(matrix, 1e-11)
    assert basis.shape == (15, 10)
    assert np.linalg.matrix_rank(basis) == 10
    assert matrix @ basis == pytest.approx(0, abs=1e-12)
    assert null_space(np.eye(3), 1e-11).shape == (3, 0)


def test_exponentials_and_logarithms():
    values = np.concatenate([-np.geomspace(1e-9, 44, 50), np.linspace(0, 3, 7)])
    assert exponential(values) == pytest.approx(np.exp(values), rel=1e-15)
    positive = np.geomspace(1e-300, 1e300, 101)
    assert logarithm(positive) == pytest.approx(np.log(positive), rel=1e-15, abs=1e-15)
    assert logarithm(np.array([1.0])) == 0


def test_draws_are_the_same_for_ever():
    draws = ReproducibleDraws(20)
    assert draws.uniform(2).tolist() == [0.9056396761745207, 0.6862541570267026]
    below = draws.below(7, 3, 100)
    assert (below.min(), below.max(), below.shape) == (0, 6, (3, 100))


def test_coarse_numbers_forget_their_last_digits():
    generator = np.random.default_rng(3)
    values = 10.0 ** generator.uniform(-20, 20, 1000) * generator.choice([-1, 1], 1000)
    noisy = values * (1 + 1e-15 * generator.uniform(-1, 1, 1000))
    assert coarse(values) == pytest.approx(values, rel=2.0**-35)
    assert (coarse(values) == coarse(noisy)).all()
    assert coarse(np.array([0.0, 1.0, 0.75])).tolist() == [0, 1, 0.75]


@pytest.mark.parametrize("amount", [10, 1 << 16, 1 << 32])
def test_equal_shares_are_apportioned_in_their_order(amount):
    for seed in range(20):
        shares = np.array([1, 1, 1, 2, 2, 1e-9, 0]) * (1 + 1e-15 * np.random.default_rng(seed).uniform(-1, 1, 7))
        assert apportioned(shares, amount) == apportioned(np.array([1, 1, 1, 2, 2, 1e-9, 0]), amount)


@in_one("name", EXACT)
def test_designs_use_nothing_whose_order_is_open(name):
    """No matrix product, no library of linear algebra, no function that processors compute differently."""
    path = Path(reproducible.__file__).parent / f"{name}.py"
    for node in ast.walk(ast.parse(path.read_text())):
        assert not (isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult)), f"line {node.lineno}"
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "np":
            assert node.attr not in ELSEWHERE, f"line {node.lineno}"
        if isinstance(node, ast.ImportFrom):
            assert not (node.module or "").startswith("scipy")


def test_no_setting_of_decimals_changes_a_bit():
    values = np.linspace(-3, 3, 40)
    known = exponential(values), logarithm(np.abs(values))
    with localcontext(Context(prec=5)):
        assert (exponential(values) == known[0]).all()
        assert (logarithm(np.abs(values)) == known[1]).all()
