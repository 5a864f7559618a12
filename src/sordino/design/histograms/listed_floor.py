"""A floor of the variance for few kinds of values, proved by looking at every extreme ray: .1 % below what is reached.

With columns v, p.v = 1 at equal shares p, whose weights w sum them to ones, M = sum of w v v' is what a channel tells.
For every Z and prices l with |Z v|^2 <= l.v + t for all columns, trace(M^-1) >= 2 trace(Z) - sum l - t, and the best
multiple of them proves (trace Z)^2 / (sum l + t). |Z v|^2 - l.v is convex, so its largest value t is at one of the
extreme rays, all of which are known (`every_ray`). It is worked out in floats, and t holds what their rounding can be.
The Z and prices that nearly prove the most are found by Newton steps inside a logarithmic wall, the logarithms of
l.v - |Z v|^2, which is concave (`best_prices`): nothing of what is proved rests on how they were found.

Values that bounds treat alike (`value_classes`) are told together. Z and l can be alike for them too. In an extreme
ray a class of them has two levels at most: an entry strictly between the largest and the smallest of its class could be
moved to either side, for only the bounds from outside, the same for all, and the two could hold it. So c of the m have
one level and m - c another, c from 1 to m/2, and both levels stand in a ray of two values that represent the class:
for each c the largest t is at such a ray. A column is then told by y = (sum of v) / m^(1/2) for each class, and
d = (c (m - c) / m)^(1/2) times the difference of its levels, the length of what the sum leaves. Where nothing bounds
a class from above, columns are sums of those of one of its values alone and of one with a single level.

Columns are stretched about ones by a power of two s, so that small bounds lose no digits: 1 + s (v - 1), for which
trace(M^-1) - 1/k is that of the columns v divided by s^2.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import comb, prod, sqrt

import numpy as np
from numpy.typing import NDArray

from sordino.design.histograms.every_ray import LARGEST_BOUND, ROUNDING, UNPROTECTED, Whole, every_ray, powers
from sordino.design.histograms.value_classes import ValueClasses
from sordino.exact.arrays import Floats

LARGEST_LISTED = 12
"""Values at most, two of each class: 1 s for 9, four times as much for each more."""

MOST_COLUMNS = 200_000
"""Kinds of columns at most, where values are alike."""

SEEDS = 3
"""Ways of raising the bounds that are tried until no two sums of them agree."""

ALIKE = 5
"""Decimal digits to which columns are one for the search of Z and prices."""

HALF = 2.0**-53
"""What one operation of floats rounds, relatively."""

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


@dataclass(frozen=True)
class ListedColumns:
    """Every extreme column, stretched.

    Attributes:
        entries: d of each class of several values, then y of each class, shape (n, q).
        stretch: s.
        error: of an entry at most, missing bounds included.
    """

    entries: Floats
    coordinates: Coordinates
    stretch: float
    error: float


def can_list(classes: ValueClasses, most_values: int = LARGEST_LISTED) -> bool:
    """Whether there are few enough columns."""
    values, several = sum(len(rows) for rows in classes.rows), prod(map(len, _counts(classes)))
    return values <= most_values and (several == 1 or several * comb(2 * values - 2, values - 1) <= MOST_COLUMNS)


def listed_floor(classes: ValueClasses) -> Fraction | None:
    """A floor of trace(M^-1) for channels that keep bounds; None where all the tries to list the rays fail."""
    k = classes.k
    if k == 1:
        return Fraction(1)
    columns = listed_columns(classes)
    if columns is None:
        return None
    _, first = np.unique(np.round(columns.entries, ALIKE), axis=0, return_index=True)
    root, prices = best_prices(columns.entries[first], columns.coordinates)
    told = proved_floor(columns, root, prices)
    return Fraction(1, k) + Fraction(columns.stretch) ** 2 * (told - Fraction(1, k))


def listed_columns(classes: ValueClasses) -> ListedColumns | None:
    """Every extreme column; None where all the tries to list the rays fail."""
    bounds = classes.representative_bounds
    rays = next((found for seed in range(SEEDS) if (found := every_ray(bounds, seed)) is not None), None)
    return None if rays is None else every_column(classes, rays)


def every_column(classes: ValueClasses, rays: Whole) -> ListedColumns:
    """The columns that all rays of the representatives stand for."""
    k, sizes = classes.k, np.array(classes.sizes, dtype=np.float64)
    high, low, count = _levels(classes, powers(rays))
    mean = (count * high + (sizes - count) * low).sum(axis=1, keepdims=True) / k
    high, low = high / mean, low / mean
    away = max(float(np.abs(high - 1).max()), float(np.abs(low - 1).max()))
    stretch = float(np.ldexp(1.0, int(np.floor(np.log2(max(1.0, 1 / away))))))
    high, low = 1 + stretch * (high - 1), 1 + stretch * (low - 1)
    several = sizes > 1
    differences = np.sqrt(count * (sizes - count) / sizes) * (high - low)
    sums = (count * high + (sizes - count) * low) / np.sqrt(sizes)
    entries = np.concatenate([differences[:, several], sums], axis=1)
    largest = max(1.0, float(np.abs(high).max()), float(np.abs(low).max()))
    # The powers, their sum, the quotient, the difference and the sum are off by a few roundings each. Before they are
    # stretched, levels are at most k.
    off = stretch * k * (4 * ROUNDING + (3 * len(sizes) + 8) * HALF)
    if _lacks_bounds(classes):
        off += k * UNPROTECTED * (largest + 1)
    # Both d and y move by at most m^(1/2) times as much as the levels do.
    error = 2 * sqrt(sizes.max()) * (off + 16 * HALF * largest)
    free = np.eye(entries.shape[1], dtype=np.bool_)
    free[several.sum() :, several.sum() :] = True
    gains = np.concatenate([sizes[several] - 1, np.ones(len(sizes))])
    costs = np.concatenate([np.zeros(several.sum()), np.sqrt(sizes)])
    return ListedColumns(entries, Coordinates(gains, costs, free), stretch, error)


def _lacks_bounds(classes: ValueClasses) -> bool:
    """Whether a column can lack a bound of `every_ray`: no single level of a free class lies above all others."""
    held = [number for number in range(len(classes.sizes)) if not classes.is_free(number)]
    return not held or any(
        bound is None or bound >= LARGEST_BOUND
        for number in held
        for other, bound in enumerate(classes.bounds[number])
        if other != number or classes.sizes[number] > 1
    )


def _counts(classes: ValueClasses) -> list[NDArray[np.int64]]:
    """For each class how many of its values may have the first level."""
    return [
        np.arange(1, size // 2 + 1) if len(rows) > 1 else np.array([size])
        for size, rows in zip(classes.sizes, classes.rows, strict=True)
    ]


def _levels(classes: ValueClasses, weights: Floats) -> tuple[Floats, Floats, Floats]:
    """Both levels of each class in each column, and how many of its values have the first; shape (n, b) each."""
    number = len(classes.sizes)
    counts = np.stack([part.ravel() for part in np.meshgrid(*_counts(classes), indexing="ij")], axis=1)
    first = weights[:, [rows[0] for rows in classes.rows]]
    last = weights[:, [rows[-1] for rows in classes.rows]]
    high, low = (np.repeat(part, len(counts), axis=0) for part in (first, last))
    count = np.tile(counts.astype(np.float64), (len(weights), 1))
    alone = np.eye(number)[[at for at in range(number) if classes.is_free(at)]]
    return (
        np.concatenate([high, alone]),
        np.concatenate([low, np.zeros_like(alone)]),
        np.concatenate([count, np.ones_like(alone)]),
    )


def proved_floor(columns: ListedColumns, root: Floats, prices: Floats) -> Fraction:
    """The floor of trace(M^-1), stretched, that Z and prices prove, whatever they are.

    Args:
        root: Z, symmetric and 0 where it is not free, made so here.
        prices: l, 0 where there is none, made so here.
    """
    coordinates = columns.coordinates
    root = np.where(coordinates.free, (root + root.T) / 2, 0.0)
    prices = np.where(coordinates.costs > 0, prices, 0.0)
    whole = Fraction(excess(columns, root, prices))
    for cost, price in zip(coordinates.costs.tolist(), prices.tolist(), strict=True):
        # The square root of a class's size, rounded to where it adds.
        whole += Fraction(price) * Fraction(float(np.nextafter(cost, np.inf if price > 0 else 0.0)))
    trace = Fraction(0)
    for gain, entry in zip(coordinates.gains.tolist(), np.diag(root).tolist(), strict=True):
        trace += Fraction(gain) * Fraction(entry)
    return trace**2 / whole if whole > 0 and trace > 0 else Fraction(0)


def excess(columns: ListedColumns, root: Floats, prices: Floats) -> float:
    """What |Z x|^2 - l.x is at most for every column x, whatever floats round."""
    told = columns.entries @ root
    left = float(((told * told).sum(axis=1) - columns.entries @ prices).max())
    return left + _rounding(float(np.abs(columns.entries).max()), columns.error, root, prices)


def _rounding(largest: float, error: float, root: Floats, prices: Floats) -> float:
    """What |Z x|^2 - l.x may be off, with a factor of two for the rounding of this sum itself.

    Sums of q products in any order are off by q roundings of the sum of their sizes.
    """
    q = len(root)
    row, price = float(np.abs(root).sum(axis=1).max()), float(np.abs(prices).sum())
    entry = row * (error + (q + 2) * HALF * largest)
    reach = row * (largest + error)
    square = q * (2 * reach * entry + entry**2 + (q + 2) * HALF * reach**2)
    return 2 * (square + price * (error + (q + 2) * HALF * (largest + error)))


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
