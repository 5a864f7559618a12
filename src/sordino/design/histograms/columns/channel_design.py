"""The channel of least variance under bounds between pairs of values, in floats: which columns, and how often.

The variance, summed over the values, of the best linear unbiased estimates at a prior is a convex function of how
often each extreme ray of the definition's cone is used as a column. Rays are added while a search finds one that pays
off, and the weights are solved for anew. What the search overlooks costs accuracy, never privacy.

Shapes: bounds (k, k) in nats; channel (k, m), rows of sum one up to rounding.
Cost: a second for 8 values, three for 16, some ten for 32, half a minute for 64, up to a minute or two for 128.
"""

from dataclasses import dataclass
from itertools import count

import numpy as np
from numpy.typing import NDArray

from sordino.design.coarse import coarse
from sordino.design.histograms.columns.column_weights import GAP, Weighting, best_weights, restore_sums, sparse
from sordino.design.histograms.columns.extreme_rays import climb, floors, random_rays, starting_rays
from sordino.design.histograms.columns.orbits import Orbits
from sordino.design.histograms.columns.ray_search import Worth, approach
from sordino.design.histograms.columns.symmetries import symmetries
from sordino.exact.arrays import Floats

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
"""Of a round, about."""

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
"""Of each kind."""

NEXT = 3
"""Columns out of use that are kept, for each value."""

COLUMNS, MOST_COLUMNS = (1, 2), 800
"""Columns in use that are kept for each entry of M, of many values and of few, and at most; what others combine to
becomes one. As many as entries are enough for the best channel, but weights on the way there use more: a search of few
values that lets those go finds them again for ever."""

MOST_ENTRIES = 1 << 16
"""Of a channel that a plan holds."""

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
        """Multiplications in the weights of one round, about."""
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
        variance = float(np.trace(np.linalg.inv((columns * weights) @ columns.T)) - squares) * stretch**2
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
