"""How often to use each column: the weights that give the unbiased estimates the least variance, by Newton steps.

Given columns v_y with prior . v_y = 1, the channel with columns c_y v_y has, at the prior, the summed variance of the
best linear unbiased estimates trace(M^-1) - |prior|^2 (times n), where M = sum_y c_y v_y v_y'. This file minimises
trace(M^-1) over c >= 0 with sum_y c_y v_y = (1, ..., 1): convex, by a primal-dual interior point method.

Shapes: columns (k, m), weights (m,), prices (k,). Cost: a few tens of steps of m^3 operations.
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

SHORTEST = 1e-4
"""Steps are not shortened below this part."""

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
        weights: positive weights to start from, near such ones.
    """
    scale = float(np.trace(_inverse(columns, weights)))
    slope = _slope(columns, weights) / scale
    prices = np.asarray(np.linalg.lstsq(columns.T, -slope, rcond=None)[0], dtype=np.float64)
    losses = np.maximum(slope + columns.T @ prices, 1 / len(weights))
    for _ in range(MOST_STEPS):
        slope = _slope(columns, weights) / scale
        product = float(weights @ losses)
        apart = float(np.abs((slope + columns.T @ prices - losses) * weights).max())
        enough = -GAP * float(slope @ weights)  # the variance itself, in units of the scale
        if product < enough and apart < enough:
            break
        target = max(0.1 * product, 0.01 * enough) / len(weights)
        step, price_step = _newton(columns, weights, slope + columns.T @ prices - target / weights, losses, scale)
        loss_step = target / weights - losses - losses / weights * step
        length = min(1.0, TO_BOUNDARY * _room(weights, step))
        fall = float((slope - target / weights) @ step)
        here = _barrier(columns, weights, target, scale)
        while _barrier(columns, weights + length * step, target, scale) > here + 0.01 * length * fall:
            length /= 2
            if length < SHORTEST:
                break
        weights = weights + length * step
        exact = restored(columns, weights)
        weights = exact if exact.min() > 0 else weights
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


def _slope(columns: Floats, weights: Floats) -> Floats:
    """The slope of trace(M^-1) by the weights: -|M^-1 v|^2 for each column v, shape (m,)."""
    slope: Floats = -np.sum((_inverse(columns, weights) @ columns) ** 2, axis=0)
    return slope


def _newton(columns: Floats, weights: Floats, pull: Floats, losses: Floats, scale: float) -> tuple[Floats, Floats]:
    """The step of weights and prices to where slope + columns' prices = target / weights and columns combine to ones.

    The second derivative of trace(M^-1) by the weights of columns v and u is 2 (v' M^-1 u)(v' M^-2 u). Along steps that
    keep sum_y c_y v_y it is the same for v - (1, ..., 1), which loses fewer digits where columns are nearly flat.
    """
    k, m = columns.shape
    inverse = _inverse(columns, weights)
    flat = columns - 1
    system = np.zeros((m + k, m + k))
    system[:m, :m] = 2 / scale * (flat.T @ inverse @ flat) * (flat.T @ inverse @ inverse @ flat)
    system[np.arange(m), np.arange(m)] += losses / weights
    size = np.append(1 / np.sqrt(np.diag(system)[:m]), np.ones(k))
    system[:m, m:] = columns.T
    system[m:, :m] = columns
    right = np.concatenate([-pull, 1 - columns @ weights])
    solution = size * np.linalg.solve(size[:, None] * system * size, size * right)
    return solution[:m], solution[m:]


def _barrier(columns: Floats, weights: Floats, target: float, scale: float) -> float:
    """What a step must lower: the variance, and a wall before weights of zero."""
    level = np.linalg.eigvalsh((columns * weights) @ columns.T)
    return float(np.sum(1 / level) / scale - target * np.sum(np.log(weights)))


def _room(values: Floats, step: Floats) -> float:
    """How many steps the positive values can go before one is zero."""
    falling = step < 0
    return float((values[falling] / -step[falling]).min()) if falling.any() else np.inf
