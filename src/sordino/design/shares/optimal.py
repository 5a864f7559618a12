"""The integer channel of least variance under any bounds between pairs of values, for at most 128 values.

The bounds are read and checked, the channel is designed in floats (`design`) and rounded to integers that keep
every bound exactly (`integer_channel`): the promise rests on the last step alone.

Shapes: bounds (k, k), bounds[x][x'] limiting ln Pr(y|x) - ln Pr(y|x'); weights (k, m), rows of sum 2^64.

Source: context-aware LDP paper, Definition 2 (bounds that differ from pair to pair).
Cost: a second for 8 values, some seconds for 16, about ten for 32, up to a minute or two beyond.

The channel of least variance under bounds between pairs of values, in floats: which columns, and how often.

The variance, summed over the values, of the best linear unbiased estimates at a prior is a convex function of how
often each extreme ray of the definition's cone is used as a column. Rays are added while a search finds one that pays
off, and the weights are solved for anew. What the search overlooks costs accuracy, never privacy.

Shapes: bounds (k, k) in nats; channel (k, m), rows of sum one up to rounding.
Cost: a second for 8 values, three for 16, some ten for 32, half a minute for 64, up to a minute or two for 128.

How often to use each column: the weights that give the unbiased estimates the least variance, by Newton steps.

Given columns v_y with prior . v_y = 1, the channel with columns c_y v_y has, at the prior, the summed variance of the
best linear unbiased estimates trace(M^-1) - |prior|^2 (times n), where M = sum_y c_y v_y v_y'. This file minimises
trace(M^-1) over c >= 0 with sum_y c_y v_y = (1, ..., 1): convex, by a primal-dual interior point method. Where a group
exchanges values, each column stands for all of its images, used alike: M and the sum are means over the group.

Shapes: columns (k, m), weights (m,), prices (k,). Cost: a few tens of steps of m^3 operations.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import count

import numpy as np
from numpy.typing import NDArray

from sordino.design.coarse import coarse
from sordino.design.integer_channel import integer_channel
from sordino.design.shares.extreme_rays import Worth, approach, climb, floors, random_rays, starting_rays
from sordino.design.shares.symmetries import Orbits, symmetries
from sordino.errors import SordinoError
from sordino.estimation.solvers import inverse_trace, search_inverse, search_step
from sordino.exact.floats import Floats
from sordino.exact.messages import shown
from sordino.exact.nats import Nats

LARGEST_K = 128
"""Beyond this a search would take too long."""

SMALLEST_BOUND = 1e-6
"""Nats. Below this, estimates would need more than 10^12 people, and floats would design them badly."""

UNBOUNDED = 1000.0
"""Nats. Larger finite bounds are designed as this one: neither limits a channel of 64-bit weights."""


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


def optimal_weights(
    bounds: Sequence[Sequence[Nats | None]], prior: Floats | None = None, known: Floats | None = None
) -> tuple[tuple[int, ...], ...]:
    """Integer weights of the channel of least summed variance, one row for each value.

    k rows that each sum to 2^64; weight [x][y] is at most e^bounds[x][x'] times weight [x'][y], exactly. Raises
    SordinoError: no square matrix of at most 128 values, a negative bound, values that cannot be told apart, or shares
    that are not positive or do not sum to one.

    Args:
        bounds: k rows of k bounds >= 0 in nats, None where a pair is not protected; the diagonal is not read.
        prior: the shares at which the variance is least, shape (k,), all positive; equal shares by default.
        known: a channel that keeps the bounds, for the search to begin with, shape (k, m).

    Example:
        >>> three = Nats.log(3)
        >>> weights = optimal_weights([[None, three], [three, None]])
        >>> [[round(weight / 2**64, 9) for weight in row] for row in weights]
        [[0.75, 0.25], [0.25, 0.75]]
    """
    limits = _read_bounds(bounds)
    k = len(limits)
    if k == 1:
        return integer_channel(np.ones((1, 1)), bounds)
    shares = np.full(k, 1 / k) if prior is None else _read_prior(prior, k)
    return integer_channel(design(limits, shares, known).channel, bounds)


def _read_bounds(bounds: Sequence[Sequence[Nats | None]]) -> Floats:
    k = len(bounds)
    if not 1 <= k <= LARGEST_K:
        step = "group the values into blocks, or choose a mechanism for LDP, blocks or sensitive values"
        raise SordinoError(f"a channel is designed for 1 to {LARGEST_K} values", found=shown(k), step=step)
    if any(len(row) != k for row in bounds):
        raise SordinoError(f"bounds must be a square matrix of {k} rows", found=f"{[len(row) for row in bounds]}")
    limits = np.zeros((k, k))
    for i, row in enumerate(bounds):
        for j, bound in enumerate(row):
            if i == j:
                continue
            if bound is not None and bound.sign() < 0:
                raise SordinoError("bounds must not be negative", found=f"{bound} from value {i} to value {j}")
            # Rounded down, so that the design stays on the safe side of what is rounded exactly later.
            limits[i, j] = np.inf if bound is None else min(bound.floor(), UNBOUNDED)
            if limits[i, j] < SMALLEST_BOUND:
                raise SordinoError(
                    f"values can be distinguished only where both bounds between them are at least {SMALLEST_BOUND:g} "
                    "nats, and otherwise nothing can be estimated",
                    found=f"{bound} from value {i} to value {j}",
                    step="merge the two values into one or raise the bound",
                )
    return limits


def _read_prior(prior: Floats, k: int) -> Floats:
    shares = np.asarray(prior, dtype=np.float64)
    if shares.shape != (k,):
        raise SordinoError(f"the prior must hold {k} shares", found=f"shape {shares.shape}")
    if not (np.isfinite(shares).all() and (shares > 0).all() and abs(shares.sum() - 1) <= 1e-6):
        rule = "the prior's shares must be positive and sum to one"
        found = f"a smallest share of {shares.min():g} and a sum of {shares.sum():g}"
        raise SordinoError(rule, found=found, step="give values that you do not expect a small share")
    normal: Floats = shares / shares.sum()
    return normal


TOLERANCE = 1e-6
"""Stop where no ray is found that could lower the variance by more than this part of it."""

FEW_VALUES = 12
"""Up to this many values that tolerance holds; beyond, where rounds take seconds, the next."""

TOLERANCE_BEYOND = 1e-5
"""Rays are then found that promise ten times more, and bring about a millionth of the variance."""

STALLED, STALLED_FALL = 3, 5e-4
"""Beyond few values, stop also where so many rounds lowered the variance by no more than this part of it each."""

SOME_VALUES, MOST_WORK, MORE_WORK = 32, 10_000_000_000, 60_000_000_000
"""Multiplications in the weights' solver, of up to so many values and of more: stop beyond, some seconds later for 32
values and ten for 64. Counted, not timed, so that a design does not depend on the machine's load."""

NEWTON_STEPS = 8

ALL_MOVES = 20
"""Up to this many values each ray is improved by all moves, and a search that found nothing is made again from four
times as many starts; beyond, by those moves that promise most: of 32 values a round takes a third of the time, and the
variance falls twice as far in ten seconds."""

FIRST_ACCURACY = 1e-2
"""Of the weights in the first rounds, which decide no more than where to search."""

FINEST_BEYOND = 1e-6
"""Of the weights in the last round, where all moves would be too many."""

FINER, FINER_THAN_FALL = 30, 10
"""Weights are this much more accurate than the most that the last round's rays promised, and than its gain."""

STARTS, FRESH = (1, 3), (3, 6)
"""Starts of each kind, and rays that are added, for each value: of many values, and of few."""

MOST_STARTS = 160

NEXT = 3
"""Columns out of use that are kept, for each value."""

COLUMNS, MOST_COLUMNS = (1, 2), 800
"""Columns in use that are kept for each entry of M, of many values and of few, and at most; what others combine to
becomes one. As many as entries are enough for the best channel, but weights on the way there use more: a search of few
values that lets those go finds them again for ever."""

MOST_ENTRIES = 1 << 16

MOST_ROUNDS = 300
"""Rounds of the search; 1 to 50 are usual."""

UNUSED = 1e-8
"""Columns that no value gives a larger probability are left out."""

LEAST_START = 0.01
"""The sum of the probabilities that columns out of use get, so that the weights' solver starts inside."""

MOST_HALVINGS = 40
"""How often that sum is halved at most."""

SEARCH_SEED = 20
"""Starts of the search are drawn from a fixed seed: a design, not a person's report, must come out the same twice."""


@dataclass(frozen=True)
class Design:
    """A channel in floats, before it is rounded to integers.

    Attributes:
        channel: Pr(column | value), shape (k, m).
        total_variance: n times the summed variances of the best linear unbiased estimates at the prior.
        gap: how far, relatively, a better channel could lie below, if the search overlooked no ray.
    """

    channel: Floats
    total_variance: float
    gap: float


def design(bounds: Floats, prior: Floats, known: Floats | None = None) -> Design:
    """The best channel that the search finds, for at least two values.

    Args:
        bounds: positive off the diagonal, infinity where a pair is not protected, shape (k, k).
        prior: positive, of sum 1, shape (k,).
        known: columns of channels that keep the bounds, to begin with beside others, shape (k, m).
    """
    return _Rounds(bounds, prior, known).run()


class _Rounds:
    """Rays, and the weights that the best channel of these gives them, better from round to round."""

    def __init__(self, bounds: Floats, prior: Floats, known: Floats | None) -> None:
        self.floor, self.prior = floors(bounds), prior
        self.orbits = Orbits(symmetries(_labels(self.floor, prior)))
        self.draws = np.random.default_rng(SEARCH_SEED)
        rays = starting_rays(self.floor, self.draws)
        if known is not None:
            rays = np.concatenate([rays, known.T])
        self.rays, self.weights = _first(self.orbits.representatives(rays), self.floor, prior, self.orbits)
        # The variance is inversely quadratic in the columns' distances from (1, ..., 1), and nothing else changes if
        # all are stretched: so small bounds are solved as accurately as large ones.
        self.stretch = 1 / min(1.0, float(np.abs(_on_section(self.rays, prior) - 1).max()))
        self.few = len(prior) <= FEW_VALUES
        self.tolerance = TOLERANCE if self.few else TOLERANCE_BEYOND
        self.finest = GAP if len(prior) <= SOME_VALUES else FINEST_BEYOND
        self.most_work = MOST_WORK if len(prior) <= SOME_VALUES else MORE_WORK

    def run(self) -> Design:
        accuracy, totals, work = FIRST_ACCURACY, [np.inf], 0
        for number in count(1):
            used = best_weights(self._stretch(self.rays).T, self.weights, accuracy, self.orbits)
            worth = Worth(used.inverse, used.prices, self.prior, self.stretch)
            found, worths = self._find_rays(used, worth)
            most = max(float(worths.max(initial=0.0)), 0.0)
            fall = totals[-1] / used.total - 1
            totals.append(used.total)
            work += self._work()
            enough = most <= self.tolerance * used.total or number == MOST_ROUNDS or work > self.most_work
            enough = enough or (not self.few and totals[-STALLED - 1 :][0] < used.total * (1 + STALLED * STALLED_FALL))
            if enough and accuracy == self.finest:
                break
            accuracy = max(self.finest, min(accuracy, most / used.total / FINER, fall / FINER_THAN_FALL))
            accuracy = self.finest if enough else accuracy
            if not self._extend(used, worth, found[np.argsort(-worths, kind="stable")]):
                break
        return self._finish(used, most)

    def _work(self) -> int:
        m, k, number = len(self.rays), len(self.prior), len(self.orbits.permutations)
        return NEWTON_STEPS * (m**3 + number * m * m * k)

    def _extend(self, used: Weighting, worth: Worth, found: Floats) -> bool:
        """Add rays, the best first, and let go those of no use; False where rounding leaves no room for more."""
        kept = self._columns_in_use(used)
        kept[np.argsort(-worth(self.rays), kind="stable")[: NEXT * len(self.prior)]] = True
        fresh = found[: FRESH[self.few] * len(self.prior)]
        fresh = fresh[worth(fresh) > 0]
        rays, start = self._without(~kept, used)
        rays, start = np.concatenate([rays, fresh]), np.append(start, np.zeros(len(fresh)))
        units = (rays @ self.prior) / rays.max(axis=1)
        inside = _inside(self.orbits.rows(self._stretch(rays).T), start, units)
        if inside is not None:
            self.rays, self.weights = rays, inside
        return inside is not None

    def _columns_in_use(self, used: Weighting) -> NDArray[np.bool_]:
        """The columns in use, no more than could be needed or sent: those that are used most."""
        largest = _on_section(self.rays, self.prior).max(axis=1) * used.weights
        order = np.argsort(-largest, kind="stable")
        fitting = np.cumsum(self.orbits.sizes(self.rays[order])) < MOST_ENTRIES // len(self.prior)
        fitting[min(COLUMNS[self.few] * len(self.orbits.pair_counts), MOST_COLUMNS) :] = False
        kept = largest > UNUSED
        kept[order[~fitting]] = False
        return np.asarray(kept)

    def _without(self, gone: NDArray[np.bool_], used: Weighting) -> tuple[Floats, Floats]:
        """The other columns, and one that all of these combine to, with their weights."""
        rays, weights = self.rays[~gone], used.weights[~gone]
        if gone.any():
            left = self.orbits.combine(_on_section(self.rays[gone], self.prior), used.weights[gone])
            rays = np.concatenate([rays, left[None, :] / left.max()])
            weights = np.append(weights, left @ self.prior)
        return rays, weights

    def _sendable(self, used: Weighting) -> Weighting:
        """The best use of no more columns than a table may have, images among them."""
        in_use = _in_use(self.rays, used, self.prior)
        if self.orbits.sizes(self.rays[in_use]).sum() * len(self.prior) <= MOST_ENTRIES:
            return used
        self.rays, start = self._without(~self._columns_in_use(used), used)
        return best_weights(self._stretch(self.rays).T, start, self.finest, self.orbits)

    def _stretch(self, rays: Floats) -> Floats:
        return 1 + self.stretch * (_on_section(rays, self.prior) - 1)

    def _find_rays(self, used: Weighting, worth: Worth) -> tuple[Floats, Floats]:
        """Rays that local search finds, with what they would bring; a wider search where the first brings nothing."""
        k = len(self.floor)
        for width in (1, 4):
            best = self.rays[np.argsort(-used.weights, kind="stable")[: k * k]]
            number = min(STARTS[self.few] * k * width, MOST_STARTS)
            drawn, joined = random_rays(self.floor, number, self.draws), _joins(best, number, self.draws)
            found = self.orbits.representatives(approach(np.concatenate([drawn, joined]), self.floor, worth))
            if k <= ALL_MOVES:
                found = self.orbits.representatives(climb(found, self.floor, worth))
            worths = worth(found)
            if worths.max() > self.tolerance * used.total or k > ALL_MOVES:
                break
        return found, worths

    def _finish(self, used: Weighting, most: float) -> Design:
        """The channel of the columns in use, and no more of them than its variance depends on."""
        used = self._sendable(used)
        prior, orbits = self.prior, self.orbits
        in_use = _in_use(self.rays, used, prior)
        vectors = _on_section(self.rays[in_use], prior)
        columns = 1 + self.stretch * (vectors.T - 1)
        weights = sparse(columns, restore_sums(orbits.rows(columns), used.weights[in_use]), orbits)
        vectors, weights = orbits.expand(vectors[weights > 0], weights[weights > 0])
        columns = 1 + self.stretch * (vectors.T - 1)
        # The rows must sum to one to the last digits: as they are, not stretched.
        weights = restore_sums(vectors.T, weights)
        squares, stretch = float(prior @ prior), self.stretch
        variance = (inverse_trace((columns * weights) @ columns.T) - squares) * stretch**2
        # For any W and prices m with |W v|^2 <= m . v on the cone's section, trace(M^-1) >= (trace W)^2 / sum(m).
        least = used.total**2 / (used.total + used.gap + most)
        return Design(vectors.T * weights, variance, float(1 - (least - squares) * stretch**2 / variance))


def _labels(floor: Floats, prior: Floats) -> NDArray[np.intp]:
    """Numbers that are equal for pairs of values with equal bounds; on the diagonal for values with equal shares."""
    _, labels = np.unique(coarse(floor).ravel(), return_inverse=True)
    _, shares = np.unique(coarse(prior), return_inverse=True)
    labels = labels.reshape(floor.shape)
    labels[np.arange(len(floor)), np.arange(len(floor))] = floor.size + shares.ravel()
    return np.asarray(labels)


def _on_section(rays: Floats, prior: Floats) -> Floats:
    """The multiples with prior . v = 1; rows of zeros stay."""
    height = rays @ prior
    return rays / np.where(height > 0, height, 1.0)[..., None]


def _first(rays: Floats, floor: Floats, prior: Floats, orbits: Orbits) -> tuple[Floats, Floats]:
    """Rays to begin with, and positive weights that combine them and their images to ones.

    All of these get one small weight; what is then left of (1, ..., 1) is itself in the cone once the weight is small
    enough, because no bound is zero, and joins them.
    """
    sums = orbits.combine(rays, np.ones(len(rays)))
    part = 0.5 / sums.max()
    while True:
        rest = 1 - part * sums
        if (rest[None, :] >= floor * rest[:, None]).all():
            rays = np.concatenate([rays, rest[None, :] / rest.max()])
            parts = np.append(np.full(len(rays) - 1, part), rest.max())
            return rays, parts * (rays @ prior)
        part /= 2


def _inside(rows: Floats, weights: Floats, units: Floats) -> Floats | None:
    """Positive weights near these that combine columns to ones; a column of one unit has the largest entry 1.

    None where rounding leaves no room for them: then the weights are as good as floats can tell.
    """
    for halvings in range(MOST_HALVINGS):
        inside = restore_sums(rows, np.maximum(weights, LEAST_START / len(weights) / 2**halvings * units))
        if inside.min() > 0:
            return inside
    return None


def _joins(rays: Floats, number: int, draws: np.random.Generator) -> Floats:
    """Vectors that are, value by value, the larger of two rays: in the cone too, and near what is good already."""
    first, second = draws.integers(len(rays), size=(2, number))
    return np.asarray(np.maximum(rays[first], rays[second] * draws.random((number, 1))))


def _in_use(rays: Floats, used: Weighting, prior: Floats, least: float = UNUSED) -> NDArray[np.bool_]:
    """Whether some value gives a column more than this probability."""
    largest = _on_section(rays, prior).max(axis=1) * used.weights
    return np.asarray(largest > least)


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


class _Repeated:
    """Columns as a group repeats them."""

    def __init__(self, columns: Floats, orbits: Orbits) -> None:
        self.columns, self.orbits = columns, orbits
        self.rows = orbits.rows(columns)

    def information(self, weights: Floats) -> Floats:
        return self.orbits.average((self.columns * weights) @ self.columns.T)

    def inverse(self, weights: Floats) -> Floats:
        """M^-1."""
        return search_inverse(self.information(weights))

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
        accuracy: the relative gap between the weights and their prices to stop at.
        orbits: the group by which each column is repeated; none by default.
    """
    of = _Repeated(columns, orbits or Orbits(np.arange(len(columns))[None, :]))
    rows = of.rows
    found = of.inverse(weights)
    scale = float(np.trace(found))
    slope = of.slope(found) / scale
    # The prices that explain the slope best, by least squares.
    prices = search_step(rows @ rows.T, rows @ -slope)
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
    return Weighting(weights, of.orbits.spread(prices) * scale, found, gap)


def restore_sums(columns: Floats, weights: Floats) -> Floats:
    """The weights moved by the least relative amount so that the columns combine to ones, up to rounding."""
    for _ in range(3):
        missing = 1 - columns @ weights
        weights = weights * (1 + columns.T @ search_step((columns * weights) @ columns.T, missing))
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
    solution = size * search_step(size[:, None] * system * size, size * np.concatenate([pull, missing]))
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
