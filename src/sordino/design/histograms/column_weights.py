"""How often to use each column: the weights that give the unbiased estimates the least variance, by Newton steps.

Given columns v_y with prior . v_y = 1, the channel with columns c_y v_y has, at the prior, the summed variance of the
best linear unbiased estimates trace(M^-1) - |prior|^2 (times n), where M = sum_y c_y v_y v_y'. This file minimises
trace(M^-1) over c >= 0 with sum_y c_y v_y = (1, ..., 1): convex, by a primal-dual interior point method.

Shapes: columns (k, m), weights (m,), prices (k,). Cost: a few tens of steps of m^3 operations.
"""

from dataclasses import dataclass

import numpy as np

from sordino.design.reproducible import Floats, inverse, is_definite, logarithm, null_space, product, solve, total

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
        return float(total(np.diag(self.inverse)))


def best_weights(columns: Floats, weights: Floats, accuracy: float = GAP) -> Weighting:
    """The weights of least variance.

    Args:
        columns: shape (k, m), of rank k; some positive weights must combine them to ones.
        weights: positive weights to start from, near such ones.
        accuracy: the relative gap between the weights and their prices to stop at.
    """
    scale = _variance(columns, weights)
    slope = _slope(columns, weights) / scale
    # The prices that explain the slope best, by least squares.
    prices = solve(product(columns, columns.T), product(columns, -slope))
    losses = np.maximum(slope + product(columns.T, prices), 1 / len(weights))
    for _ in range(MOST_STEPS):
        slope = _slope(columns, weights) / scale
        gap = float(total(weights * losses))
        apart = float(np.abs((slope + product(columns.T, prices) - losses) * weights).max())
        enough = -accuracy * float(total(slope * weights))  # the variance itself, in units of the scale
        if gap < enough and apart < enough:
            break
        target = max(0.1 * gap, 0.01 * enough) / len(weights)
        pull = slope + product(columns.T, prices) - target / weights
        step, price_step = _newton(columns, weights, pull, losses, scale)
        loss_step = target / weights - losses - losses / weights * step
        length = min(1.0, TO_BOUNDARY * _room(weights, step))
        fall = float(total((slope - target / weights) * step))
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
    return Weighting(weights, prices * scale, _inverse(columns, weights), float(total(weights * losses)) * scale)


def restored(columns: Floats, weights: Floats) -> Floats:
    """The weights moved by the least relative amount so that the columns combine to ones, up to rounding."""
    for _ in range(3):
        missing = 1 - product(columns, weights)
        weights = weights * (1 + product(columns.T, solve(product(columns * weights, columns.T), missing)))
    return weights


def sparse(columns: Floats, weights: Floats) -> Floats:
    """Weights of the same M with at most k (k+1) / 2 of them positive, shape (m,).

    M is linear in the weights: while more columns are in use than M has entries, some direction does not change M, and
    following it until a weight is zero leaves one column less (Caratheodory's argument).
    """
    first, second = np.triu_indices(len(columns))
    products = columns[first] * columns[second]
    size = np.abs(products).max(axis=0)
    free = null_space(products / size, ROUNDING)
    left = weights.copy()
    while free.shape[1]:
        # One row that is moved though its weight is gone, or else one whose weight is emptied now.
        moved = np.abs(free).max(axis=1) * (left == 0)
        row = int(np.argmax(moved))
        if moved[row] < ROUNDING:
            direction = free[:, 0] / size
            share = np.divide(direction, left, out=np.zeros_like(left), where=left > 0)
            row = int(np.argmax(np.abs(share)))
            left = np.where(left > 0, left - direction / share[row], 0.0)
            left[left < ROUNDING * weights] = 0.0
            left[row] = 0.0
        # A reflection turns the directions so that only the first still moves this row, and that one goes. They stay
        # as independent as they were, so that rounding does not grow.
        mirror = free[row].copy()
        mirror[0] += np.copysign(np.sqrt(total(mirror * mirror)), mirror[0])
        free = (free - product(free, mirror)[:, None] * (2 * mirror / total(mirror * mirror)))[:, 1:]
    return left


def _variance(columns: Floats, weights: Floats) -> float:
    """trace(M^-1)."""
    return float(total(np.diag(_inverse(columns, weights))))


def _inverse(columns: Floats, weights: Floats) -> Floats:
    return inverse(product(columns * weights, columns.T))


def _slope(columns: Floats, weights: Floats) -> Floats:
    """The slope of trace(M^-1) by the weights: -|M^-1 v|^2 for each column v, shape (m,)."""
    return -total(product(columns.T, _inverse(columns, weights)) ** 2)


def _newton(columns: Floats, weights: Floats, pull: Floats, losses: Floats, scale: float) -> tuple[Floats, Floats]:
    """The step of weights and prices to where slope + columns' prices = target / weights and columns combine to ones.

    The second derivative of trace(M^-1) by the weights of columns v and u is 2 (v' M^-1 u)(v' M^-2 u). Along steps that
    keep sum_y c_y v_y it is the same for v - (1, ..., 1), which loses fewer digits where columns are nearly flat.
    """
    k, m = columns.shape
    found = _inverse(columns, weights)
    flat = columns - 1
    system = np.zeros((m + k, m + k))
    once = product(flat.T, found)
    system[:m, :m] = 2 / scale * product(once, flat) * product(once, once.T)
    system[np.arange(m), np.arange(m)] += losses / weights
    size = np.append(1 / np.sqrt(np.diag(system)[:m]), np.ones(k))
    system[:m, m:] = columns.T
    system[m:, :m] = columns
    right = np.concatenate([-pull, 1 - product(columns, weights)])
    solution = size * solve(size[:, None] * system * size, size * right)
    return solution[:m], solution[m:]


def _barrier(columns: Floats, weights: Floats, target: float, scale: float) -> float:
    """What a step must lower: the variance, and a wall before weights of zero."""
    matrix = product(columns * weights, columns.T)
    if weights.min() <= 0 or not is_definite(matrix):
        return np.inf
    return float(total(np.diag(inverse(matrix)))) / scale - target * float(total(logarithm(weights)))


def _room(values: Floats, step: Floats) -> float:
    """How many steps the positive values can go before one is zero."""
    falling = step < 0
    return float((values[falling] / -step[falling]).min()) if falling.any() else np.inf
