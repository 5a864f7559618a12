"""Multipliers that prove how little variance any channel under bounds between pairs of values can have, in floats.

What a channel tells at equal shares p is M = sum of w v v' / (p.v) over its columns v, with M p = (1, ..., 1). Columns
keep linear inequalities a.v >= 0, so a.(M b) >= 0 for every two of them. The least trace(M^-1) under these alone is a
floor for all channels; it is a convex problem, solved here by Newton steps inside a logarithmic wall. On lines and on a
grid its optimum was that of channels to .1 %; where many values bound each other directly it can be half of it.

Nothing here is a guarantee: `variance_floor` proves what follows from the multipliers, in exact rationals.

Entries of M are one for pairs of values that bounds treat alike: on lines they are half as many, on square grids an
eighth.

Shapes: inequalities (f, k), one a row; information M (k, k). Cost: some 40 steps of m^3 operations for m kinds of
pairs: 1 s for a line of 32 values, 4 s for a grid of 8 x 8.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, sparse

from sordino.estimation.solvers import inverse_trace, search_inverse, search_step
from sordino.exact.floats import Floats

GAP = 2e-3
"""Stop where the proved floor is this near, relatively, to the least of the problem."""

MOST_STEPS = 120
"""Newton steps; 30 to 50 are usual."""

SHRINK = 0.15
"""By what the wall falls from one problem to the next."""

CENTRED = 10
"""Largest number of steps for one height of the wall, and how much of it (a hundredth) they may leave."""

MOST_PRODUCTS = 60_000
"""Products of inequalities; beyond, only those of inequalities about a common value."""

KINDS_AT_ONCE = 256
"""Of pairs, whose second derivatives are worked out together."""

STARTS = 40
"""Vectors of the cone for each value, whose mean information is where the search starts."""


@dataclass(frozen=True)
class Multipliers:
    """What proves a floor.

    Attributes:
        prices: one for each value, shape (k,).
        first, second: inequalities, shape (m,), that are multiplied with each other.
        weights: >= 0, of these products, shape (m,).
        root: symmetric, shape (k, k), nearly the root of sym(prices p') less the weighted products.
    """

    prices: Floats
    first: NDArray[np.intp]
    second: NDArray[np.intp]
    weights: Floats
    root: Floats

    @property
    def floor(self) -> float:
        """Of trace(M^-1), but for rounding."""
        return float(2 * np.trace(self.root) - self.prices.sum())


def multipliers(inequalities: Floats, start: Floats, kinds: NDArray[np.intp]) -> Multipliers | None:
    """The best multipliers found, or None where there are none.

    Args:
        inequalities: rows a of a.v >= 0, at most two entries of each not zero, shape (f, k).
        start: some M with M p = 1 and a.(M b) > 0 for every two rows, shape (k, k).
        kinds: pairs for which entries of M may be taken to be the same, numbered from 0, symmetric, shape (k, k).
    """
    return _Relaxation(inequalities, start, kinds).run()


def pair_kinds(bounds: NDArray[np.intp]) -> NDArray[np.intp]:
    """Kinds of unordered pairs that no counting of bounds around them tells apart, shape (k, k).

    The colours of pairs are refined by the colours of both ways over each third value (Weisfeiler and Leman). Pairs
    that some exchange of values maps to each other are of one kind: M may be averaged over such exchanges.

    Args:
        bounds: equal numbers where bounds are equal, shape (k, k).
    """
    generator = np.random.default_rng(0)
    _, kinds = np.unique(2 * bounds + np.eye(len(bounds), dtype=np.intp), return_inverse=True)
    number = 0
    while kinds.max() + 1 > number:
        number = int(kinds.max()) + 1
        there, back = generator.integers(2**63, size=(2, number), dtype=np.uint64)
        ways = there[kinds] @ back[kinds] + there[kinds] * back[0]
        _, kinds = np.unique(ways, return_inverse=True)
    paired = np.minimum(kinds, kinds.T)
    return np.asarray(np.unique(paired, return_inverse=True)[1], dtype=np.intp).reshape(bounds.shape)


def starting_information(least: Floats) -> Floats:
    """What a channel of many columns inside the cone tells.

    Args:
        least: e^(-E[x, x']) for the bounds E, 0 where there is none, 1 on the diagonal, shape (k, k).
    """
    k, generator = len(least), np.random.default_rng(0)
    depth = -3 * float(np.log(least[least > 0].min()))
    levels = np.exp(generator.normal(size=(STARTS * k, k)) * generator.random((STARTS * k, 1)) * depth)
    vectors = np.concatenate([(levels[:, :, None] * least).max(axis=1), least])
    vectors /= vectors.mean(axis=1, keepdims=True)
    whole, part = vectors.mean(axis=0), 0.5
    whole, vectors = whole / whole.max(), vectors / np.sqrt(len(vectors) * whole.max())
    off = ~np.eye(k, dtype=np.bool_)
    while True:
        rest = 1 - part * whole
        if rest.min() > 0 and (rest[None, :] > least * rest[:, None])[off].all():
            break
        part /= 2
    rest = 1 - part / 2 * whole
    information: Floats = part / 2 * (vectors.T @ vectors) + np.outer(rest, rest) / rest.mean()
    return information


class _Relaxation:
    """Newton steps over one entry of M for each kind of pair."""

    def __init__(self, inequalities: Floats, start: Floats, kinds: NDArray[np.intp]) -> None:
        self.rows, self.k, self.kinds = inequalities, len(start), kinds
        self.number = int(kinds.max()) + 1
        self.counts = np.bincount(kinds.ravel())
        first, second = _pairs(inequalities)
        self.first, self.second, every = self._products(first, second)
        # Products that are the same for all M of this kind are one; the multiplier is shared among them.
        mixed = every @ np.random.default_rng(0).random(self.number)
        _, kept, self.group = np.unique(
            np.round(mixed / np.abs(mixed).max(), 12), return_index=True, return_inverse=True
        )
        self.shared = np.bincount(self.group)
        self.products = every[kept]
        sums = np.zeros((self.k, self.number))
        np.add.at(sums, (np.arange(self.k)[:, None], kinds), 1 / self.k)
        self.sums = np.unique(np.round(sums, 12), axis=0)
        self.point = self._over_kinds(start) / self.counts

    def _over_kinds(self, matrix: Floats) -> Floats:
        return np.bincount(self.kinds.ravel(), matrix.ravel(), self.number).astype(np.float64)

    def _products(
        self, first: NDArray[np.intp], second: NDArray[np.intp]
    ) -> "tuple[NDArray[np.intp], NDArray[np.intp], sparse.csr_array]":
        """a.(M b) for each product as a linear function of the entries; no more than two of a row are not zero."""
        places = np.argsort(self.rows == 0, axis=1, kind="stable")[:, :2]
        values = np.take_along_axis(self.rows, places, axis=1)
        columns = self.kinds[places[first][:, :, None], places[second][:, None, :]].reshape(len(first), 4)
        entries = (values[first][:, :, None] * values[second][:, None, :]).reshape(len(first), 4)
        at = np.repeat(np.arange(len(first)), 4)
        shape = (len(first), self.number)
        return first, second, sparse.csr_array(sparse.coo_array((entries.ravel(), (at, columns.ravel())), shape=shape))

    def run(self) -> Multipliers | None:
        wall = 0.3 * inverse_trace(self.point[self.kinds]) / self.products.shape[0]
        best: Multipliers | None = None
        for _ in range(MOST_STEPS // CENTRED):
            for _ in range(CENTRED):
                if not self._step(wall):
                    break
            found = self._multipliers(wall)
            if found is not None and (best is None or found.floor > best.floor):
                best = found
            least = inverse_trace(self.point[self.kinds])
            if best is not None and least - best.floor < GAP * least:
                break
            wall *= SHRINK
        return best

    def _height(self, point: Floats, wall: float) -> float:
        """trace(M^-1) and the wall; infinite outside."""
        slack = self.products @ point
        matrix = point[self.kinds]
        if slack.min() <= 0 or np.linalg.eigvalsh(matrix)[0] <= 0:
            return np.inf
        return float(inverse_trace(matrix) - wall * np.log(slack).sum())

    def _step(self, wall: float) -> bool:
        once: Floats = search_inverse(self.point[self.kinds])
        square, slack = once @ once, self.products @ self.point
        slope = -self._over_kinds(square) - wall * (self.products.T @ (1 / slack))
        curve = self._curve(once, square)
        weighted = self.products.multiply((1 / slack**2)[:, None]).tocsr()
        curve += wall * (self.products.T @ weighted).toarray()
        size = 1 / np.sqrt(np.diag(curve))
        try:
            factor = linalg.cho_factor(curve * size * size[:, None] + 1e-13 * np.eye(len(size)), lower=True)
        except linalg.LinAlgError:  # so near the wall that rounding leaves no curvature
            return False
        sums = self.sums * size
        missing = 1 - self.sums @ self.point
        free, bound = linalg.cho_solve(factor, -slope * size), linalg.cho_solve(factor, sums.T)
        step = (free - bound @ search_step(sums @ bound, sums @ free - missing)) * size
        fall = float(-(slope @ step))
        here, length = self._height(self.point, wall), 1.0
        while not self._height(self.point + length * step, wall) <= here - 0.01 * length * fall:
            length /= 2
            if length < 1e-9:
                return False
        self.point = self.point + length * step
        return fall > wall * CENTRED / 1000

    def _curve(self, once: Floats, square: Floats) -> Floats:
        """The second derivative of trace(M^-1): 2 trace(M^-1 D M^-2 C), for D and C with ones at a kind of pairs.

        M^-1 D M^-2 is the same for all pairs of a kind and order, so one of each is enough.
        """
        curve = np.zeros((self.number, self.number))
        order = np.argsort(self.kinds.ravel(), kind="stable")
        starts = np.concatenate([[0], np.cumsum(self.counts)[:-1]])
        x, z = np.divmod(order[starts], self.k)
        for first in range(0, self.number, KINDS_AT_ONCE):
            at = slice(first, first + KINDS_AT_ONCE)
            found = once[x[at], :, None] * square[z[at], None, :] + once[z[at], :, None] * square[x[at], None, :]
            curve[at] = np.add.reduceat(found.reshape(len(found), -1)[:, order], starts, axis=1)
        curve *= self.counts[:, None] / 2
        return np.asarray(curve + curve.T)

    def _multipliers(self, wall: float) -> Multipliers | None:
        """What the wall says of each product, with the prices that fit it best; None where they prove nothing."""
        each = wall / (self.products @ self.point)
        weights = (each / self.shared)[self.group]
        used = each[self.group] > 1e-9 * each.max()
        first, second, weights = self.first[used], self.second[used], weights[used]
        once = search_inverse(self.point[self.kinds])
        paired = sparse.csr_array(sparse.coo_array((weights, (first, second)), shape=(len(self.rows),) * 2))
        products = self.rows.T @ (paired @ self.rows)
        products = (products + products.T) / 2
        rows = (once @ once + products).mean(axis=1)
        prices = self.k * (2 * rows - rows.mean())
        values, vectors = np.linalg.eigh((prices[:, None] + prices) / (2 * self.k) - products)
        if values[0] <= 0 or prices.sum() <= 0:
            return None
        roots = np.sqrt(values)
        # All multiplied by one number: the best.
        scale = float(roots.sum() / prices.sum())
        root = (vectors * roots) @ vectors.T
        return Multipliers(prices * scale**2, first, second, weights * scale**2, scale * (root + root.T) / 2)


def _pairs(rows: Floats) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    first, second = np.triu_indices(len(rows))
    if len(first) > MOST_PRODUCTS:
        about = (rows != 0).astype(np.float64)
        common = (about @ about.T > 0)[first, second]
        first, second = first[common], second[common]
    return first.astype(np.intp), second.astype(np.intp)
