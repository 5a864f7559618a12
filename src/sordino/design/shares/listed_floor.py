"""A floor of the variance for few kinds of values, proved by looking at every extreme ray: .1 % below what is reached.

With columns v, p.v = 1 at equal shares p, whose weights w sum them to ones, M = sum of w v v' is what a channel tells.
For every Z and prices l with |Z v|^2 <= l.v + t for all columns, trace(M^-1) >= 2 trace(Z) - sum l - t, and the best
multiple of them proves (trace Z)^2 / (sum l + t). |Z v|^2 - l.v is convex, so its largest value t is at one of the
extreme rays, all of which are known (`every_ray`). It is worked out in floats, and t holds what their rounding can be.
The Z and prices that nearly prove the most are found by Newton steps inside a logarithmic wall, the logarithms of
l.v - |Z v|^2, which is concave (`best_prices`): nothing of what is proved rests on how they were found.

Values that bounds treat alike (`ValueClasses`) are told together. Z and l can be alike for them too. In an extreme
ray a class of them has two levels at most: an entry strictly between the largest and the smallest of its class could be
moved to either side, for only the bounds from outside, the same for all, and the two could hold it. So c of the m have
one level and m - c another, c from 1 to m/2, and both levels stand in a ray of two values that represent the class:
for each c the largest t is at such a ray. A column is then told by y = (sum of v) / m^(1/2) for each class, and
d = (c (m - c) / m)^(1/2) times the difference of its levels, the length of what the sum leaves. Where nothing bounds
a class from above, columns are sums of those of one of its values alone and of one with a single level.

Columns are stretched about ones by a power of two s, so that small bounds lose no digits: 1 + s (v - 1), for which
trace(M^-1) - 1/k is that of the columns v divided by s^2.

Every extreme ray of the columns that bounds between few values allow: proved to be all of them, in whole numbers.

In logarithms a column u keeps u_x - u_x' <= E[x, x']. With bounds that are whole numbers of units, each a little above
what is meant and of no special relation to the others, these inequalities are a simple polytope: in every vertex k - 1
of them are tight and form a tree, and each of the k - 1 edges away from it, along which one part of the tree falls,
ends in one other vertex. All vertices are joined by edges (Balinski), so the walk that follows every edge finds all.
There are up to (2k-2 choose k-1): 3,432 for 8 values, 705,432 for 12. Convex functions are largest at one of them.

Shapes: rays (n, k). Cost: .1 s for 8 values, four times as much for each more: 20 s and a gigabyte for 12.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import ceil, comb, prod, sqrt

import numpy as np
from numpy.typing import NDArray

from sordino.design.coarse import exponential
from sordino.design.integer_channel import BoundRows
from sordino.design.shares.symmetries import ValueClasses
from sordino.estimation.solvers import search_inverse, search_step
from sordino.exact.floats import Floats

LARGEST_LISTED = 12
"""Largest number of values, two of each class: 1 s for 9, four times as much for each more."""

MOST_COLUMNS = 200_000
"""Largest number of kinds of columns, where values are alike."""

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

Whole = NDArray[np.int64]


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
    return search_inverse(mean + RIDGE * np.trace(mean) * np.eye(len(mean))) * coordinates.free


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
        step = -size * search_step(curve * size * size[:, None] + 1e-14 * np.eye(len(size)), size * slope)
        fall = float(-(slope @ step))
        here, length = self._value(self.point, height), 1.0
        while not self._value(self.point + length * step, height) <= here - 0.1 * length * fall:
            length /= 2
            if length < 1e-6:
                return 0.0
        self.point = self.point + length * step
        return fall


BITS = 50
"""Logarithms are whole numbers of 2^-BITS nats."""

LARGEST_BOUND = 30
"""Nats. Larger bounds, and missing ones, count as this: `UNPROTECTED` is what they may differ."""

UNPROTECTED = 2.0**-43
"""At least 1 / (e^LARGEST_BOUND - 1). A column whose entries sum to k keeps every bound too, once k times this is added
to each entry."""

APART = 1 << 22
"""Largest number of units by which bounds are raised, so that no two sums of them agree: 4e-9 nats."""

BATCH = 2048
"""Vertices whose edges are followed at once."""

DIGIT = 7
"""Binary digits of a logarithm looked up at once."""

ROUNDING = 2.0**-48
"""What `powers` differ from e^u at most, relatively: eighteen roundings of 2^-53 each."""


def every_ray(bounds: BoundRows, seed: int = 0) -> Whole | None:
    """All vertices, in units of 2^-BITS nats with their largest entry 0; None where two sums of bounds agree.

    Args:
        bounds: of at least two values, each positive, None where a pair is not protected.
    """
    return vertices(raised_bounds(bounds, seed))


def raised_bounds(bounds: BoundRows, seed: int) -> Whole:
    """Bounds in units of 2^-BITS nats, none below what is meant; zeros on the diagonal."""
    k = len(bounds)
    most = LARGEST_BOUND << BITS
    raised = np.full((k, k), most, dtype=np.int64)
    for x, row in enumerate(bounds):
        for other, bound in enumerate(row):
            if bound is not None and bound < LARGEST_BOUND:
                raised[x, other] = min(most, ceil(bound.around()[1] * 2**BITS))
    raised += 1 + np.random.default_rng(seed).integers(APART - 1, size=(k, k))
    np.fill_diagonal(raised, 0)
    return raised


def vertices(raised: Whole) -> Whole | None:
    """All u, up to a constant, in which k - 1 of the inequalities u_x - u_x' <= raised[x, x'] are tight."""
    k = len(raised)
    paths = raised.copy()
    for middle in range(k):
        paths = np.minimum(paths, paths[:, middle, None] + paths[None, middle, :])
    # The shortest paths to a value are a tree of tight bounds.
    front = (paths[:, 0] - paths[:, 0].max())[None, :]
    before, found = front[:0], [front]
    while len(front):
        ends = []
        for first in range(0, len(front), BATCH):
            some = _edge_ends(front[first : first + BATCH], raised)
            if some is None:
                return None
            ends.append(some)
        # An edge's ends are as many steps from the start, or one step more or less.
        fresh = _fresh(np.concatenate([before, front]), np.concatenate(ends))
        if fresh is None:
            return None
        before, front = front, fresh
        found.append(fresh)
    return np.concatenate(found)


def _edge_ends(front: Whole, raised: Whole) -> Whole | None:
    """The vertices at the other ends of all edges, shape (n (k-1), k); None unless every vertex is simple."""
    n, k = front.shape
    room = raised + front[:, None, :] - front[:, :, None]
    tight = (room == 0) & ~np.eye(k, dtype=np.bool_)
    if (room < 0).any() or (tight.sum(axis=(1, 2)) != k - 1).any():
        return None
    high, low = (part.reshape(n, k - 1) for part in np.nonzero(tight)[1:])
    # Rows u_high - u_low; what takes one of them to -1 and leaves the others 0, with the first value at rest.
    rows, at = np.zeros((n, k - 1, k)), np.indices((n, k - 1))
    rows[(*at, high)], rows[(*at, low)] = 1.0, -1.0
    if (np.abs(np.linalg.det(rows[:, :, 1:])) < 1 / 2).any():
        return None
    moves = np.zeros((n, k - 1, k))
    moves[:, :, 1:] = np.rint(-search_inverse(rows[:, :, 1:])).swapaxes(1, 2)
    if (rows @ moves.swapaxes(1, 2) != -np.eye(k - 1)).any():
        return None
    closing = moves[:, :, :, None] > moves[:, :, None, :]
    steps = np.where(closing, room[:, None], np.iinfo(np.int64).max).min(axis=(2, 3))
    ends = (front[:, None, :] + steps[:, :, None] * moves.astype(np.int64)).reshape(-1, k)
    return np.asarray(ends - ends.max(axis=1, keepdims=True))


def _fresh(known: Whole, rows: Whole) -> Whole | None:
    """Each of the rows that is not known, once; None where two that differ cannot be told apart by what they sum to."""
    both = np.concatenate([known, rows])
    # Sums that overflow are as good: whatever agrees in them is compared.
    keys = both @ (2 * np.random.default_rng(0).integers(1 << 62, size=rows.shape[1]) + 1)
    order = np.argsort(keys, kind="stable")
    repeated = np.flatnonzero(keys[order][1:] == keys[order][:-1])
    if (both[order[repeated]] != both[order[repeated + 1]]).any():
        return None
    first = np.ones(len(both), dtype=np.bool_)
    first[order[repeated + 1]] = False
    first[: len(known)] = False
    return both[first]


def powers(logarithms: Whole) -> Floats:
    """e^u for u <= 0 in units of 2^-BITS nats, each within ROUNDING of it, relatively."""
    left, found = -logarithms, np.ones(logarithms.shape)
    for table in _tables():
        found *= table[left & (len(table) - 1)]
        left = left >> DIGIT
    return found


@lru_cache(maxsize=1)
def _tables() -> tuple[Floats, ...]:
    """e^-(d 2^(DIGIT place) 2^-BITS) for every digit d."""
    return tuple(exponential(-np.ldexp(np.arange(1 << DIGIT), DIGIT * place - BITS)) for place in range(9))
