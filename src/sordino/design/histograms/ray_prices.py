"""Prices that prove how little variance channels of given columns can have, in floats.

For columns x with p.x = 1 whose weights sum them to ones, and M = sum of w x x', every symmetric Z and prices l with
|Z x|^2 <= l.x for each column make trace(M^-1) >= 2 trace(Z) - sum l. The best are found here by Newton steps inside a
logarithmic wall: the logarithms of l.x - |Z x|^2, which is concave.

Nothing here is a guarantee: whoever uses a Z and prices looks at what they leave.

Shapes: columns (n, k), Z (k, k), prices (k,). Cost: some 40 steps of n (k^2 / 2)^2 operations.
"""

import numpy as np

from sordino.design.reproducible import Floats, ReproducibleDraws

GAP = 5e-4
"""Stop where no Z and prices can prove more than this beyond, relatively."""

ENOUGH = 5e-4
"""Of the sum of prices: what a column may be over them."""

MOST_ROUNDS = 20
"""Times that columns are added; 2 to 6 are usual."""

STEEPER = 12.0
"""By what the wall falls from one problem to the next."""

MOST_STEPS = 150
"""Newton steps; 40 to 60 are usual."""

NEAR = 0.05
"""A problem is solved where a step would lower it by less."""


def best_prices(columns: Floats) -> tuple[Floats, Floats]:
    """Z and prices that nearly all columns allow, and that prove within ENOUGH of the most; all columns where few do.

    Solved for some columns, then again with those that do not allow what these do.
    """
    n, k = columns.shape
    entries = k * (k + 1) // 2 + k
    root = np.linalg.inv(columns.T @ columns / n)
    spread = ((columns @ root) * columns).sum(axis=1)
    chosen = np.zeros(n, dtype=np.bool_)
    chosen[np.argsort(-spread, kind="stable")[: 2 * entries]] = True
    chosen[ReproducibleDraws(0).below(n, 4 * entries)] = True
    for _ in range(MOST_ROUNDS):
        root, prices = _Prices(columns[chosen]).run()
        over = ((columns @ root) ** 2).sum(axis=1) - columns @ prices
        if over.max() <= ENOUGH * prices.sum():
            break
        most = np.argsort(-over, kind="stable")[: 2 * entries]
        chosen[most[over[most] > 0]] = True
    return root, prices


class _Prices:
    """Newton steps over the entries of Z on and above its diagonal, and the prices."""

    def __init__(self, columns: Floats) -> None:
        n, k = columns.shape
        self.columns, self.k = columns, k
        self.upper = np.triu_indices(k)
        # The k x k entries of a symmetric matrix from those on and above the diagonal.
        place = np.zeros((k, k), dtype=np.intp)
        place[self.upper] = np.arange(len(self.upper[0]))
        self.spread = np.eye(len(self.upper[0]))[np.maximum(place, place.T).ravel()]
        # By how much 2 trace(Z) - sum l rises.
        self.rise = np.concatenate([2 * np.eye(k)[self.upper], -np.ones(k)])
        # Far from the wall all columns weigh alike: Z is near the inverse of their mean square, and prices are equal.
        root = np.linalg.inv(columns.T @ columns / n)
        self.height = 0.1 * n / float(((columns @ root) ** 2).sum(axis=1).max())
        self.point = np.concatenate([root[self.upper], np.full(k, n / self.height / k)])

    def run(self) -> tuple[Floats, Floats]:
        """The point where the wall is low enough."""
        for _ in range(MOST_STEPS):
            root, prices = self._parts(self.point)
            if self._step(self.height) < NEAR:
                if len(self.columns) / self.height < GAP * float(np.trace(root)) ** 2 / float(prices.sum()):
                    break
                self.height *= STEEPER
        return self._parts(self.point)

    def _parts(self, point: Floats) -> tuple[Floats, Floats]:
        entries = len(self.upper[0])
        return (self.spread @ point[:entries]).reshape(self.k, self.k), point[entries:]

    def _left(self, point: Floats) -> tuple[Floats, Floats]:
        """l.x - |Z x|^2 and Z x for every column."""
        root, prices = self._parts(point)
        told = self.columns @ root
        return self.columns @ prices - (told * told).sum(axis=1), told

    def _value(self, point: Floats, height: float) -> float:
        left, _ = self._left(point)
        if left.min() <= 0:
            return np.inf
        return float(-height * (self.rise @ point) - np.log(left).sum())

    def _step(self, height: float) -> float:
        """One step; by how much a step promised to lower the problem, 0 where none does."""
        left, told = self._left(self.point)
        i, j = self.upper
        x, entries = self.columns, len(i)
        slopes = np.concatenate([-2 * (told[:, i] * x[:, j] + told[:, j] * x[:, i]), x], axis=1) / left[:, None]
        slopes[:, :entries][:, i == j] /= 2
        slope = -height * self.rise - slopes.sum(axis=0)
        curve = slopes.T @ slopes
        # The second derivative of |Z x|^2 is 2 |D x|^2 = 2 trace(D x x' D).
        heavy = (x / left[:, None]).T @ x
        spread = self.spread.reshape(self.k, self.k, entries)
        curve[:entries, :entries] += 2 * np.einsum("iaq,ab,ibr->qr", spread, heavy, spread, optimize=True)
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
