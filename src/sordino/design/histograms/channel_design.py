"""The channel of least variance under bounds between pairs of values, in floats: which columns, and how often.

The variance, summed over the values, of the best linear unbiased estimates at a prior is a convex function of how
often each extreme ray of the definition's cone is used as a column. Rays are added while a search finds one that pays
off, and the weights are solved for anew. What the search overlooks costs accuracy, never privacy.

Shapes: bounds (k, k) in nats; channel (k, m), rows of sum one up to rounding.
Cost: a second for 8 values, some seconds for 16, up to a minute for 32.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import count

import numpy as np
from numpy.typing import NDArray

from sordino.design.histograms.column_weights import GAP, Weighting, best_weights, restored, sparse
from sordino.design.histograms.extreme_rays import Score, climb, distinct, floors, random_rays, starting_rays
from sordino.design.reproducible import Floats, ReproducibleDraws, inverse, product, total

TOLERANCE = 1e-6
"""Stop where no ray is found that could lower the variance by more than this part of it."""

FEW_VALUES = 12
"""Up to this many values that tolerance holds; beyond, where rounds take seconds, the next."""

TOLERANCE_BEYOND = 1e-5
"""Rays are then found that promise ten times more, and bring about a millionth of the variance."""

FIRST_ACCURACY = 1e-3
"""Of the weights in the first rounds, which decide no more than where to search."""

FINER = 30
"""Weights are this much more accurate than the most that the last round's rays promised."""

NEXT = 3
"""Columns out of use that are kept, for each value."""

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


def design(bounds: Floats, prior: Floats) -> Design:
    """The best channel that the search finds, for at least two values.

    Args:
        bounds: positive off the diagonal, infinity where a pair is not protected, shape (k, k).
        prior: positive, of sum 1, shape (k,).
    """
    floor = floors(bounds)
    draws = ReproducibleDraws(SEARCH_SEED)
    rays, weights = _first(floor, prior, draws)
    # The variance is inversely quadratic in the columns' distances from (1, ..., 1), and nothing else changes if all
    # are stretched: so small bounds are solved as accurately as large ones.
    stretch = 1 / min(1.0, float(np.abs(_on_section(rays, prior) - 1).max()))

    def stretched(vectors: Floats) -> Floats:
        return 1 + stretch * (_on_section(vectors, prior) - 1)

    tolerance = TOLERANCE if len(prior) <= FEW_VALUES else TOLERANCE_BEYOND
    accuracy = FIRST_ACCURACY
    for number in count(1):
        used = best_weights(stretched(rays).T, weights, accuracy)
        score = _gain(used, stretched)
        found, worth = _search(rays, used, floor, score, draws, tolerance)
        most = max(float(worth.max(initial=0.0)), 0.0)
        found_none = most <= tolerance * used.total
        if number == MOST_ROUNDS or (found_none and accuracy == GAP):
            break
        kept = _kept(rays, used, prior, score, accuracy)
        accuracy = GAP if found_none else max(GAP, min(accuracy, most / used.total / FINER))
        fresh = found[np.argsort(-worth, kind="stable")][: 6 * len(prior)]
        fresh = fresh[score(fresh) > 0]
        more = np.concatenate([rays[kept], fresh])
        start = np.concatenate([used.weights[kept], np.zeros(len(fresh))])
        inside = _inside(stretched(more).T, start, product(more, prior) / more.max(axis=1))
        if inside is None:
            break
        rays, weights = more, inside
    return _finished(rays, used, prior, stretch, most)


def _on_section(rays: Floats, prior: Floats) -> Floats:
    """The multiples with prior . v = 1; rows of zeros stay."""
    height = product(rays, prior)
    scaled: Floats = rays / np.where(height > 0, height, 1.0)[..., None]
    return scaled


def _first(floor: Floats, prior: Floats, draws: ReproducibleDraws) -> tuple[Floats, Floats]:
    """Rays to begin with, and positive weights that combine them to ones.

    All starting rays get one small weight; what is then left of (1, ..., 1) is itself in the cone once the weight is
    small enough, because no bound is zero, and joins them.
    """
    rays = starting_rays(floor, draws)
    whole = total(rays, axis=0)
    part = 0.5 / whole.max()
    while True:
        rest = 1 - part * whole
        if (rest[None, :] >= floor * rest[:, None]).all():
            rays = np.concatenate([rays, rest[None, :] / rest.max()])
            parts = np.append(np.full(len(rays) - 1, part), rest.max())
            return rays, parts * product(rays, prior)
        part /= 2


def _inside(columns: Floats, weights: Floats, units: Floats) -> Floats | None:
    """Positive weights near these that combine the columns to ones; a column of one unit has the largest entry 1.

    None where rounding leaves no room for them: then the weights are as good as floats can tell.
    """
    for halvings in range(MOST_HALVINGS):
        inside = restored(columns, np.maximum(weights, LEAST_START / len(weights) / 2**halvings * units))
        if inside.min() > 0:
            return inside
    return None


def _gain(used: Weighting, stretched: Callable[[Floats], Floats]) -> Score:
    """What a ray would bring: |M^-1 v|^2 less its price, on the section; none for rows of zeros."""

    def score(rays: Floats) -> Floats:
        vectors = stretched(rays)
        gain: Floats = total(product(vectors, used.inverse) ** 2) - product(vectors, used.prices)
        gain[rays.max(axis=-1) == 0] = -np.inf
        return gain

    return score


def _search(
    rays: Floats, used: Weighting, floor: Floats, score: Score, draws: ReproducibleDraws, tolerance: float
) -> tuple[Floats, Floats]:
    """Rays that local search finds, with what they would bring; a wider search where the first brings nothing."""
    k = len(floor)
    for width in (1, 4):
        known = _joined(rays[np.argsort(-used.weights, kind="stable")[: k * k]], 3 * k * width, draws)
        found = distinct(climb(np.concatenate([random_rays(floor, 2 * k * width, draws), known]), floor, score))
        worth = score(found)
        if worth.max() > tolerance * used.total:
            break
    return found, worth


def _joined(rays: Floats, number: int, draws: ReproducibleDraws) -> Floats:
    """Vectors that are, value by value, the larger of two rays: in the cone too, and near what is good already."""
    first, second = draws.below(len(rays), 2, number)
    return np.asarray(np.maximum(rays[first], rays[second] * draws.uniform(number, 1)))


def _kept(rays: Floats, used: Weighting, prior: Floats, score: Score, accuracy: float) -> NDArray[np.bool_]:
    """The columns in use, as far as weights of this accuracy tell, and some others that matter next."""
    kept = _in_use(rays, used, prior, max(UNUSED, accuracy / len(rays)))
    kept[np.argsort(-score(rays), kind="stable")[: NEXT * len(prior)]] = True
    return kept


def _in_use(rays: Floats, used: Weighting, prior: Floats, least: float = UNUSED) -> NDArray[np.bool_]:
    """Whether some value gives a column more than this probability."""
    largest = _on_section(rays, prior).max(axis=1) * used.weights
    return np.asarray(largest > least)


def _finished(rays: Floats, used: Weighting, prior: Floats, stretch: float, most: float) -> Design:
    """The channel of the columns in use, and no more of them than its variance depends on."""
    in_use = _in_use(rays, used, prior)
    vectors = _on_section(rays[in_use], prior)
    columns = 1 + stretch * (vectors.T - 1)
    weights = sparse(columns, restored(columns, used.weights[in_use]))
    vectors, columns, weights = vectors[weights > 0], columns[:, weights > 0], weights[weights > 0]
    # The rows must sum to one to the last digits: as they are, not stretched.
    weights = restored(vectors.T, weights)
    variance = float(total(np.diag(inverse(product(columns * weights, columns.T)))) - total(prior * prior)) * stretch**2
    # For any W and prices m with |W v|^2 <= m . v on the cone's section, trace(M^-1) >= (trace W)^2 / sum(m).
    least = used.total**2 / (used.total + used.gap + most)
    gap = float(1 - (least - float(total(prior * prior))) * stretch**2 / variance)
    return Design(vectors.T * weights, variance, gap)
