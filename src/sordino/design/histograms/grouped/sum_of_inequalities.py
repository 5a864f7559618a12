"""How often to count each of several inequalities, so that their sum leaves the most variance, in floats.

Every column v keeps v'N v <= 0. trace(J^-1), for what a channel tells beyond shares that are known, is at least
(trace N^(1/2))^2 / (-1'N 1), both on vectors of sum zero. Of all sums N of several such matrices one says most: it
makes 2 trace N^(1/2) + 1'N 1 largest, which is concave. Newton steps inside a logarithmic wall find it.

Inequalities may speak of more than the column: of entries y that the column fixes. Whatever y is, a form of (v, y) is
at least what is left of it where y = -K^-1 B v makes it least, for the part K of y alone and B of both: N is that.

Shapes: matrices (n, d, d) for d entries, the first k of them the column's. Cost: some tens of steps of n^2 d^2 and
n d^3 operations.
"""

from dataclasses import dataclass

import numpy as np

from sordino.design.coarse import Floats

MOST_STEPS = 60
"""Newton steps; 10 to 35 are usual."""

ENOUGH = 2e-4
"""Stop where no weights can bring more, relatively."""

WALL = 0.1
"""What the first wall may cost, relatively."""

STEEPER = 6.0
"""By what the wall falls from one problem to the next."""

NEAR = 0.3
"""A problem is solved where a step would bring less than this part of what the wall costs."""

TO_BOUNDARY = 0.95
"""The part of the way to the walls that a step may go."""

FRESH = 0.01
"""The part of the weights that new inequalities start with at most."""

SMALLEST = 1e-12
"""A part that is too small to start with."""

STEEP = 3.0
"""How much more the smallest eigenvalue counts than zero, in logarithms, until none is negative."""

LEAST = 1e-9
"""Of the largest eigenvalue: what is less says nothing."""


def contrasts(k: int) -> Floats:
    """An orthonormal basis of the vectors of sum zero, as columns, shape (k, k-1)."""
    basis, _ = np.linalg.qr(np.column_stack([np.ones(k), np.eye(k)[:, 1:]]))
    return np.asarray(basis[:, 1:])


@dataclass(frozen=True)
class _Sum:
    """A sum of inequalities, looked at.

    Attributes:
        lift: takes v to (v, y), shape (d, k).
        inner: K, shape (d-k, d-k).
        spread: eigenvectors of N on vectors of sum zero, shape (k, k-1).
        roots: of their eigenvalues.
        cost: -1'N 1.
    """

    lift: Floats
    inner: Floats
    spread: Floats
    roots: Floats
    cost: float

    @property
    def value(self) -> float:
        return 2 * float(self.roots.sum()) - self.cost

    @property
    def moments(self) -> Floats:
        """Mean products of (v, y) where no sum says more, for columns of mean one, shape (d, d)."""
        apart = (self.spread / self.roots) @ self.spread.T * (self.cost / self.roots.sum())
        found: Floats = self.lift @ (1 + apart) @ self.lift.T
        return found


def best_sum(matrices: Floats, weights: Floats, k: int) -> tuple[Floats, Floats] | None:
    """Weights, shape (n,), and where mean products lie that they leave, shape (d, d); None where nothing is said.

    Args:
        matrices: of the inequalities.
        weights: to start from; 0 of new inequalities.
        k: entries of the column.
    """
    start = _started(matrices, weights, k)
    if start is None:
        return None
    weights, here = start
    scale = (float(here.roots.sum()) / here.cost) ** 2
    weights = scale * weights
    here = _looked_at(matrices, weights, k) or here
    height = WALL * here.value / len(weights)
    for _ in range(MOST_STEPS):
        try:
            step, rise = _newton(matrices, weights, here, height)
        except np.linalg.LinAlgError:
            # So near the walls that floats cannot tell: what is found is good.
            break
        moved = _along(matrices, weights, here, step, height, rise)
        if moved is not None:
            weights, here = moved
        if moved is None or rise < NEAR * height * len(weights):
            if height * len(weights) < ENOUGH * here.value:
                break
            height /= STEEPER
    return weights, here.moments


def eliminated(matrix: Floats, k: int) -> tuple[Floats, Floats]:
    """N, shape (k, k), and what takes v to (v, y), shape (d, k)."""
    if len(matrix) == k:
        return matrix, np.eye(k)
    lift = np.concatenate([np.eye(k), -np.linalg.solve(matrix[k:, k:], matrix[k:, :k])])
    return matrix[:k] @ lift, lift


def _looked_at(matrices: Floats, weights: Floats, k: int) -> _Sum | None:
    """None where it is not definite, or says nothing."""
    whole = np.tensordot(weights, matrices, 1)
    inner = whole[k:, k:]
    if len(inner) and np.linalg.eigvalsh(inner)[0] <= LEAST * np.abs(inner).max():
        return None
    matrix, lift = eliminated(whole, k)
    basis = contrasts(k)
    turned = basis.T @ matrix @ basis
    values, vectors = np.linalg.eigh((turned + turned.T) / 2)
    cost = -float(matrix.sum())
    if values[0] <= LEAST * values[-1] or cost <= 0:
        return None
    return _Sum(lift, inner, basis @ vectors, np.sqrt(values), cost)


def _started(matrices: Floats, weights: Floats, k: int) -> tuple[Floats, _Sum] | None:
    """Positive weights of a sum that says something, new ones as large as may be."""
    fresh = weights == 0
    if fresh.all():
        weights = _definite(matrices, np.full(len(weights), 1 / len(weights)), k)
        found = _looked_at(matrices, weights, k)
        return None if found is None else (weights, found)
    part = FRESH
    while part > SMALLEST:
        tried = np.where(fresh, part * weights.sum() / max(1, int(fresh.sum())), weights)
        found = _looked_at(matrices, tried, k)
        if found is not None:
            return tried, found
        part /= 4
    return None


def _definite(matrices: Floats, weights: Floats, k: int) -> Floats:
    """Weights of a sum that is positive definite, found by raising its smallest eigenvalues; or some others."""
    basis = contrasts(k)
    turned = basis.T @ matrices[:, :k, :k] @ basis
    for _ in range(2 * MOST_STEPS):
        values, vectors = np.linalg.eigh(np.tensordot(weights, turned, 1))
        if values[0] > LEAST * values[-1]:
            break
        heat = np.exp(STEEP * (values[0] - values) / max(-values[0], LEAST * values[-1]))
        slope = np.tensordot(turned, (vectors * heat) @ vectors.T, ((1, 2), (0, 1)))
        weights = weights * np.exp(slope / np.abs(slope).max())
        weights /= weights.sum()
    return weights


def _newton(matrices: Floats, weights: Floats, here: _Sum, height: float) -> tuple[Floats, float]:
    """A step, and by how much it promises to raise the value and the wall."""
    n, k = len(matrices), here.lift.shape[1]
    roots, lifted = here.roots, here.lift @ here.spread
    turned = lifted.T @ matrices @ lifted
    whole = here.lift.sum(axis=1)
    slope = np.einsum("gaa,a->g", turned, 1 / roots) + (matrices @ whole) @ whole + height / weights
    # The second derivative of 2 trace N^(1/2) along H is minus the sum of H_ij^2 / (r_i r_j (r_i + r_j)).
    turned *= 1 / np.sqrt(roots[:, None] * roots * (roots[:, None] + roots))
    flat = turned.reshape(n, -1)
    curve = flat @ flat.T
    if len(whole) > k:
        # Of y that makes the form least: what each inequality would move it by.
        ends = here.lift @ np.column_stack([here.spread / np.sqrt(roots), np.ones(k)])
        pulls = np.linalg.inv(np.linalg.cholesky(here.inner)) @ matrices[:, k:] @ ends
        flat = pulls.reshape(n, -1)
        curve += 2 * flat @ flat.T
    system = weights[:, None] * curve * weights + height * np.eye(n)
    step = weights * np.linalg.solve(system, weights * slope)
    return step, float(slope @ step)


def _along(
    matrices: Floats, weights: Floats, here: _Sum, step: Floats, height: float, rise: float
) -> tuple[Floats, _Sum] | None:
    """The weights after as much of a step as raises the value and the wall; None where none does."""
    length = min(1.0, TO_BOUNDARY / max(float((-step / weights).max()), TO_BOUNDARY))
    while length > SMALLEST:
        tried = weights + length * step
        found = _looked_at(matrices, tried, here.lift.shape[1])
        gain = -np.inf if found is None else found.value - here.value + height * np.log(tried / weights).sum()
        if found is not None and gain >= 0.1 * length * rise:
            return tried, found
        length /= 4
    return None
