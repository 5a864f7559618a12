"""Prices that prove how little variance channels of given columns can have, in floats.

For columns x whose weights sum them to ones, and M = sum of w x x', every symmetric Z and prices l with |Z x|^2 <= l.x
for each column make trace(M^-1) >= 2 trace(Z) - sum l. The best are found here by Newton steps inside a logarithmic
wall: the logarithms of l.x - |Z x|^2, which is concave. Where values are alike, columns are told by few coordinates
(`listed_floor`): each stands for several directions in which Z is the same (`gains`), some have no price, and a price
counts as often as its coordinate says (`costs`).

Nothing here is a guarantee: whoever uses a Z and prices looks at what they leave.

Shapes: columns (n, q), Z (q, q), prices (q,). Cost: some rounds of 50 steps of m (q^2 / 2)^2 operations, for the
m columns that matter: some hundreds.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sordino.design.coarse import Floats

GAP = 5e-4
"""Stop where no Z and prices can prove more than this beyond, relatively."""

ENOUGH = 5e-4
"""Of the sum of prices: what a column may be over them."""

MOST_ROUNDS = 20
"""Times that columns are added; 2 to 6 are usual."""

STEEPER = 12.0
"""By what the wall falls from one problem to the next."""

MOST_STEPS = 600
"""Newton steps; 40 to 80 are usual, some hundreds where columns differ by orders of magnitude."""

NEAR = 0.05
"""A problem is solved where a step would lower it by less."""

RIDGE = 1e-9
"""Of the mean square: added where columns do not span all coordinates."""


@dataclass(frozen=True)
class Coordinates:
    """What the coordinates of columns stand for.

    Attributes:
        gains: how often a coordinate's entry of Z counts in the trace, shape (q,).
        costs: how often its price counts in the sum, 0 where it has none, shape (q,); costs.x is the same for all x.
        free: which entries of Z may differ from 0, symmetric, the diagonal among them, shape (q, q).
    """

    gains: Floats
    costs: Floats
    free: NDArray[np.bool_]


def best_prices(columns: Floats, coordinates: Coordinates) -> tuple[Floats, Floats]:
    """Z and prices that nearly all columns allow, and that prove nearly the most; (q, q) and (q,).

    Solved for some columns, then again with those that do not allow what these do.
    """
    n, entries = len(columns), int(coordinates.free.sum()) + columns.shape[1]
    root = _mean_inverse(columns, coordinates)
    spread = ((columns @ root) * columns).sum(axis=1)
    chosen = np.zeros(n, dtype=np.bool_)
    chosen[np.argsort(-spread, kind="stable")[:entries]] = True
    chosen[np.random.default_rng(0).integers(n, size=2 * entries)] = True
    for _ in range(MOST_ROUNDS):
        root, prices = _RayPrices(columns[chosen], coordinates).run()
        over = ((columns @ root) ** 2).sum(axis=1) - columns @ prices
        if over.max() <= ENOUGH * (coordinates.costs @ prices):
            break
        most = np.argsort(-over, kind="stable")[:entries]
        chosen[most[over[most] > 0]] = True
    return root, prices


def _mean_inverse(columns: Floats, coordinates: Coordinates) -> Floats:
    mean = columns.T @ columns / len(columns)
    return np.asarray(np.linalg.inv(mean + RIDGE * np.trace(mean) * np.eye(len(mean)))) * coordinates.free


class _RayPrices:
    """Newton steps over the free entries of Z on and above its diagonal, and the prices."""

    def __init__(self, columns: Floats, coordinates: Coordinates) -> None:
        n, q = columns.shape
        self.columns, self.q, self.coordinates = columns, q, coordinates
        self.upper = np.nonzero(np.triu(coordinates.free))
        self.priced = np.flatnonzero(coordinates.costs)
        self.entries = len(self.upper[0])
        # All entries of Z from the free ones on and above the diagonal.
        self.spread = np.zeros((q, q, self.entries))
        self.spread[(*self.upper, np.arange(self.entries))] = 1
        self.spread[(*self.upper[::-1], np.arange(self.entries))] = 1
        # By how much 2 trace(Z) - sum l rises.
        self.rise = np.concatenate([2 * np.diag(coordinates.gains)[self.upper], -coordinates.costs[self.priced]])
        # Far from the wall all columns weigh alike: Z is near the inverse of their mean square, and prices are equal.
        root = _mean_inverse(columns, coordinates)
        self.height = 0.1 * n / float(((columns @ root) ** 2).sum(axis=1).max())
        whole = float((columns @ coordinates.costs).mean())
        self.point = np.concatenate([root[self.upper], coordinates.costs[self.priced] * (n / self.height / whole)])

    def run(self) -> tuple[Floats, Floats]:
        """The point where the wall is low enough."""
        for _ in range(MOST_STEPS):
            if self._step(self.height) < NEAR:
                root, prices = self._parts(self.point)
                told = float(self.coordinates.gains @ np.diag(root)) ** 2 / float(self.coordinates.costs @ prices)
                if len(self.columns) / self.height < GAP * told:
                    break
                self.height *= STEEPER
        return self._parts(self.point)

    def _parts(self, point: Floats) -> tuple[Floats, Floats]:
        prices = np.zeros(self.q)
        prices[self.priced] = point[self.entries :]
        return self.spread @ point[: self.entries], prices

    def _residuals(self, point: Floats) -> tuple[Floats, Floats]:
        """l.x - |Z x|^2 and Z x for every column."""
        root, prices = self._parts(point)
        told = self.columns @ root
        return self.columns @ prices - (told * told).sum(axis=1), told

    def _value(self, point: Floats, height: float) -> float:
        left, _ = self._residuals(point)
        if left.min() <= 0:
            return np.inf
        return float(-height * (self.rise @ point) - np.log(left).sum())

    def _step(self, height: float) -> float:
        """One step; by how much it promised to lower the problem, 0 where no step does."""
        left, told = self._residuals(self.point)
        (i, j), x, entries = self.upper, self.columns, self.entries
        slopes = np.concatenate([-2 * (told[:, i] * x[:, j] + told[:, j] * x[:, i]), x[:, self.priced]], axis=1)
        slopes[:, :entries][:, i == j] /= 2
        slopes /= left[:, None]
        slope = -height * self.rise - slopes.sum(axis=0)
        curve = slopes.T @ slopes
        # The second derivative of |Z x|^2 is 2 |D x|^2 = 2 trace(D x x' D).
        heavy = (x / left[:, None]).T @ x
        flat = self.spread.reshape(self.q * self.q, entries)
        curve[:entries, :entries] += (
            2 * flat.T @ np.tensordot(self.spread, heavy, (1, 0)).swapaxes(1, 2).reshape(self.q * self.q, entries)
        )
        size = 1 / np.sqrt(np.diag(curve))
        step = -size * np.linalg.solve(curve * size * size[:, None] + 1e-14 * np.eye(len(size)), size * slope)
        fall = float(-(slope @ step))
        here, length = self._value(self.point, height), 1.0
        while not self._value(self.point + length * step, height) <= here - 0.1 * length * fall:
            length /= 2
            if length < 1e-6:
                return 0.0
        self.point = self.point + length * step
        return fall
