"""How often to use each column: the weights that give the unbiased estimates the least variance, by Newton steps.

Given columns v_y with prior . v_y = 1, the channel with columns c_y v_y has, at the prior, the summed variance of the
best linear unbiased estimates trace(M^-1) - |prior|^2 (times n), where M = sum_y c_y v_y v_y'. This file minimises
trace(M^-1) over c >= 0 with sum_y c_y v_y = (1, ..., 1): convex, by a primal-dual interior point method. Where a group
exchanges values, each column stands for all of its images, used alike: M and the sum are means over the group.

Shapes: columns (k, m), weights (m,), prices (k,). Cost: a few tens of steps of m^3 operations.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from sordino.design.histograms.columns.orbits import Orbits
from sordino.exact.arrays import Floats

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


MOST_THINNING = 1 << 27
"""Operations: columns that are no more than M has entries are thinned for no more, since most are needed then."""


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


class _Repeated:
    """Columns as a group repeats them."""

    def __init__(self, columns: Floats, orbits: Orbits) -> None:
        self.columns, self.orbits = columns, orbits
        self.rows = orbits.rows(columns)

    def information(self, weights: Floats) -> Floats:
        """M."""
        return self.orbits.average((self.columns * weights) @ self.columns.T)

    def inverse(self, weights: Floats) -> Floats:
        """M^-1."""
        return np.linalg.inv(self.information(weights)).astype(np.float64)

    def slope(self, found: Floats) -> Floats:
        """The slope of trace(M^-1) by the weights: -|M^-1 v|^2 for each column v, shape (m,)."""
        return np.asarray(-((self.columns.T @ found) ** 2).sum(axis=1))

    def curvature(self, found: Floats) -> Floats:
        """The second derivative of trace(M^-1) by the weights of columns v and u: 2 (v' M^-1 u)(v' M^-2 u).

        Along steps that keep sum_y c_y v_y it is the same for v - (1, ..., 1), which loses fewer digits where columns
        are nearly flat. Of images of u, the mean.
        """
        flat = self.columns - 1
        k, m = flat.shape
        once = flat.T @ found
        number = len(self.orbits.permutations)
        if number * m > k * k:
            return self._curvature_by_pairs(flat, found)
        curved = np.zeros((m, m))
        twice = once @ found
        for image in self.orbits.images(flat):
            curved += (once @ image) * (twice @ image)
        return curved * (2 / number)

    def _curvature_by_pairs(self, flat: Floats, found: Floats) -> Floats:
        """The same by the means D of the columns' products: 2 trace(D M^-1 E M^-2), where images are many."""
        k, m = flat.shape
        orbits = self.orbits
        products = orbits.products(flat)
        means = products.T[:, orbits.pairs].reshape(m * k, k)
        # D M^-1 of each column, then M^-2 before that.
        right = (means @ found).reshape(m, k, k)
        square = found @ found
        both = (right.transpose(0, 2, 1).reshape(m * k, k) @ square).reshape(m, k * k)
        sums = np.array([np.bincount(orbits.pairs, row) for row in both])
        curved = sums @ products
        return curved + curved.T


def best_weights(columns: Floats, weights: Floats, accuracy: float = GAP, orbits: Orbits | None = None) -> Weighting:
    """The weights of least variance.

    Args:
        columns: shape (k, m), of rank k; some positive weights must combine them to ones.
        weights: positive weights to start from, near such ones.
        accuracy: the relative gap between the weights and their prices to stop at.
        orbits: the group by which each column is repeated; none by default.
    """
    of = _Repeated(columns, orbits or Orbits(np.arange(len(columns))[None, :]))
    rows = of.rows
    found = of.inverse(weights)
    scale = float(np.trace(found))
    slope = of.slope(found) / scale
    # The prices that explain the slope best, by least squares.
    prices = np.linalg.solve(rows @ rows.T, rows @ -slope)
    losses = np.maximum(slope + rows.T @ prices, 1 / len(weights))
    for _ in range(MOST_STEPS):
        found = of.inverse(weights)
        slope = of.slope(found) / scale
        gap = float(weights @ losses)
        apart = float(np.abs((slope + rows.T @ prices - losses) * weights).max())
        enough = -accuracy * float(slope @ weights)  # the variance itself, in units of the scale
        if gap < enough and apart < enough:
            break
        target = max(0.1 * gap, 0.01 * enough) / len(weights)
        pull = slope + rows.T @ prices - target / weights
        curved = of.curvature(found) / scale
        step, price_step = _newton(curved, rows, losses / weights, -pull, 1 - rows @ weights)
        loss_step = target / weights - losses - losses / weights * step
        fall = float((slope - target / weights) @ step)
        weights = _along(of, weights, step, fall, partial(_barrier, of, target=target, scale=scale))
        length = min(1.0, TO_BOUNDARY * _room(losses, loss_step))
        prices, losses = prices + length * price_step, losses + length * loss_step
    found = of.inverse(weights)
    gap = float(weights @ losses) * scale
    return Weighting(weights, of.orbits.spread(prices.astype(np.float64)) * scale, found, gap)


def restore_sums(columns: Floats, weights: Floats) -> Floats:
    """The weights moved by the least relative amount so that the columns combine to ones, up to rounding."""
    for _ in range(3):
        missing = 1 - columns @ weights
        weights = weights * (1 + columns.T @ np.linalg.solve((columns * weights) @ columns.T, missing))
    return weights


def sparse(columns: Floats, weights: Floats, orbits: Orbits | None = None) -> Floats:
    """Weights of the same M with at most k (k+1) / 2 of them positive, shape (m,); fewer where a group repeats them.

    M is linear in the weights: while more columns are in use than M has entries, some direction does not change M, and
    following it until a weight is zero leaves one column less (Caratheodory's argument).
    """
    products = (orbits or Orbits(np.arange(len(columns))[None, :])).products(columns)
    if products.size * len(weights) > MOST_THINNING and len(weights) <= len(products):
        return weights
    # Only designs wait for scipy.
    from scipy.linalg import null_space

    size = np.abs(products).max(axis=0)
    free = null_space(products / size, rcond=ROUNDING)
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
        mirror[0] += np.copysign(np.linalg.norm(mirror), mirror[0])
        free = (free - (free @ mirror)[:, None] * (2 * mirror / (mirror @ mirror)))[:, 1:]
    return left


def _newton(curved: Floats, rows: Floats, walls: Floats, pull: Floats, missing: Floats) -> tuple[Floats, Floats]:
    """The step of weights and prices: (curved + walls) step + rows' prices = pull, and rows step = missing."""
    r, m = rows.shape
    system = np.zeros((m + r, m + r))
    system[:m, :m] = curved
    system[np.arange(m), np.arange(m)] += walls
    size = np.append(1 / np.sqrt(np.diag(system)[:m]), np.ones(r))
    system[:m, m:] = rows.T
    system[m:, :m] = rows
    solution = size * np.linalg.solve(size[:, None] * system * size, size * np.concatenate([pull, missing]))
    return solution[:m], solution[m:]


def _along(of: _Repeated, weights: Floats, step: Floats, fall: float, barrier: Callable[[Floats], float]) -> Floats:
    """The weights after as much of a step as lowers the barrier, made to combine to ones."""
    length = min(1.0, TO_BOUNDARY * _room(weights, step))
    here = barrier(weights)
    while barrier(weights + length * step) > here + 0.01 * length * fall:
        length /= 2
        if length < SHORTEST:
            break
    weights = weights + length * step
    exact = restore_sums(of.rows, weights)
    return exact if exact.min() > 0 else weights


def _barrier(of: _Repeated, weights: Floats, target: float, scale: float) -> float:
    """What a step must lower: the variance, and a wall before weights of zero."""
    matrix = of.information(weights)
    if weights.min() <= 0:
        return np.inf
    values = np.linalg.eigvalsh(matrix)
    if values[0] <= 0:
        return np.inf
    return float((1 / values).sum()) / scale - target * float(np.log(weights).sum())


def _room(values: Floats, step: Floats) -> float:
    """How many steps the positive values can go before one is zero."""
    falling = step < 0
    return float((values[falling] / -step[falling]).min()) if falling.any() else np.inf
