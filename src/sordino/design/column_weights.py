"""How often to use each column: the weights that give the unbiased estimates the least variance, by Newton steps.

Given columns v_y with prior . v_y = 1, the channel with columns c_y v_y has, at the prior, the summed variance of the
best linear unbiased estimates trace(M^-1) - |prior|^2 (times n), where M = sum_y c_y v_y v_y'. This file minimises
trace(M^-1) over c >= 0 with sum_y c_y v_y = (1, ..., 1): convex, by a primal-dual interior point method.

Shapes: columns (k, m), weights (m,), prices (k,). Cost: a few tens of steps of m k^4 / 4 operations.
"""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import null_space

Floats: TypeAlias = NDArray[np.float64]

GAP = 1e-9
"""Stop at this relative gap between the weights and their prices."""

MOST_STEPS = 80
"""Newton steps; 15 to 30 are usual."""

ROUNDING = 1e-11
"""Relative sizes below this are rounding."""

TO_BOUNDARY = 0.98
"""The part of the way to the boundary that a step may go."""


@dataclass(frozen=True)
class Weighting:
    """The best use of some columns.

    Attributes:
        weights: c >= 0, shape (m,).
        prices: one multiplier for each value; a column v pays off iff |M^-1 v|^2 > prices . v, shape (k,).
        inverse: M^-1, shape (k, k).
        gap: the sum over the columns of weight times what it loses by being used.
    """

    weights: Floats
    prices: Floats
    inverse: Floats
    gap: float

    @property
    def total(self) -> float:
        """trace(M^-1)."""
        return float(np.trace(self.inverse))


def best_weights(columns: Floats, weights: Floats) -> Weighting:
    """The weights of least variance.

    Args:
        columns: shape (k, m), of rank k; some positive weights must combine them to ones.
        weights: positive weights to start from; they need not combine the columns to ones yet.
    """
    m = columns.shape[1]
    scale = float(np.trace(_inverse(columns, weights)))
    slope, _ = _derivatives(columns, weights, scale)
    prices = np.asarray(np.linalg.lstsq(columns.T, -slope, rcond=None)[0], dtype=np.float64)
    losses = np.maximum(slope + columns.T @ prices, 1 / m)
    for _ in range(MOST_STEPS):
        slope, factor = _derivatives(columns, weights, scale)
        missing = 1 - columns @ weights
        dual = slope + columns.T @ prices - losses
        product = float(weights @ losses)
        enough = -GAP * float(slope @ weights)  # the variance itself, in units of the scale
        if product < enough and np.abs(missing).max() < GAP and np.abs(dual * weights).max() < enough:
            break
        # Newton's system for slope + columns' prices = losses, columns weights = 1, weights losses = target, with the
        # second derivative B'B kept in factors: only k (k+1) / 2 + k unknowns, however many columns there are.
        target = 0.1 * product / m
        spread = weights / losses
        pull = slope + columns.T @ prices - target / weights
        rows = np.concatenate([factor, columns])
        system = (rows * spread) @ rows.T
        system[np.diag_indices(len(factor))] += 1
        right = (rows * spread) @ pull
        right[len(factor) :] += missing
        size = np.sqrt(np.diag(system))
        solution = np.linalg.solve(system / np.outer(size, size), right / size) / size
        step = spread * (rows.T @ solution - pull)
        price_step = -solution[len(factor) :]
        loss_step = target / weights - losses - losses / weights * step
        length = min(1.0, TO_BOUNDARY * _room(weights, step))
        slack = float((slope - target / weights) @ step)
        here = _barrier(columns, weights, target, scale)
        while (
            _barrier(columns, weights + length * step, target, scale) > here + 0.01 * length * slack and length > 1e-4
        ):
            length /= 2
        weights = weights + length * step
        length = min(1.0, TO_BOUNDARY * _room(losses, loss_step))
        prices, losses = prices + length * price_step, losses + length * loss_step
    inverse = _inverse(columns, weights)
    return Weighting(weights, prices * scale, inverse, float(weights @ losses) * scale)


def restored(columns: Floats, weights: Floats) -> Floats:
    """The weights moved by the least relative amount so that the columns combine to ones, up to rounding."""
    for _ in range(3):
        missing = 1 - columns @ weights
        gram = (columns * weights) @ columns.T
        weights = weights * (1 + columns.T @ np.linalg.solve(gram, missing))
    return weights


def sparse(columns: Floats, weights: Floats) -> Floats:
    """Weights of the same M with at most k (k+1) / 2 of them positive, shape (m,).

    M is linear in the weights: while more columns are in use than M has entries, some direction does not change M, and
    following it until a weight is zero leaves one column less (Caratheodory's argument).
    """
    first, second = np.triu_indices(len(columns))
    products = columns[first] * columns[second]
    size = np.abs(products).max(axis=0)
    free: Floats = null_space(products / size)
    left = weights.copy()
    while free.shape[1]:
        # One row that is moved though its weight is gone, or else one whose weight is emptied now.
        moved = np.linalg.norm(free, axis=1) * (left == 0)
        row = int(np.argmax(moved))
        if moved[row] < ROUNDING:
            direction = free[:, 0] / size
            share = np.divide(direction, left, out=np.zeros_like(left), where=left > 0)
            row = int(np.argmax(np.abs(share)))
            left = np.where(left > 0, left - direction / share[row], 0.0)
            left[left < ROUNDING * weights] = 0.0
            left[row] = 0.0
        # A reflection turns the directions so that only the first still moves this row, and that one goes. They stay
        # orthonormal, so that rounding does not grow.
        mirror = free[row].copy()
        mirror[0] += np.copysign(np.linalg.norm(mirror), mirror[0])
        free = (free - np.outer(free @ mirror, 2 * mirror / (mirror @ mirror)))[:, 1:]
    return left


def _inverse(columns: Floats, weights: Floats) -> Floats:
    inverse = np.asarray(np.linalg.inv((columns * weights) @ columns.T), dtype=np.float64)
    return (inverse + inverse.T) / 2


def _derivatives(columns: Floats, weights: Floats, scale: float) -> tuple[Floats, Floats]:
    """The slope of trace(M^-1) / scale by the weights, shape (m,), and B with B'B its second derivative.

    The slope is -v' M^-2 v; the second derivative is 2 (v' M^-1 u)(v' M^-2 u) for columns v and u. In eigenvectors of
    M^-1 = Q diag(l) Q' and with y = diag(l)^(1/2) Q'v it is a sum of (l_a + l_b) y_a y_b z_a z_b over all a and b.
    """
    level, basis = np.linalg.eigh((columns * weights) @ columns.T)
    level = 1 / level
    y = np.sqrt(level)[:, None] * (basis.T @ columns)
    slope = -(level @ y**2)
    first, second = np.triu_indices(len(level))
    size = np.sqrt((level[first] + level[second]) * np.where(first == second, 1.0, 2.0) / scale)
    return slope / scale, size[:, None] * y[first] * y[second]


def _barrier(columns: Floats, weights: Floats, target: float, scale: float) -> float:
    """What a step must lower: the variance, and a wall before weights of zero."""
    level = np.linalg.eigvalsh((columns * weights) @ columns.T)
    return float(np.sum(1 / level) / scale - target * np.sum(np.log(weights)))


def _room(values: Floats, step: Floats) -> float:
    """How many steps the positive values can go before one is zero."""
    falling = step < 0
    return float((values[falling] / -step[falling]).min()) if falling.any() else np.inf
