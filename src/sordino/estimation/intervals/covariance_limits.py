"""Limits of covariances and variances, made of those of the three means that each is made of.

A covariance is a second moment less the product of two means, S - x y, each told by reports of its own. Each has limits
by the likelihood of what its reports add (`moment_limits`): of few people who are far from most others, far to one side
only. Means belong together if the squares of their distances from the estimates, each over the distance of its limit on
that side, add up to at most 1, as deviances of independent reports do; the limits of the covariance are its least and
its largest value over all such means. Where many reports make errors small that is the normal interval. Where x and y
are in the middle, so that the product has no slope there, and where nobody was seen who is far from the others, it is
what those means allow; of a sum it is Zou and Donner's. Estimates from the same reports go together: distances are
taken along their correlation.

Cost: some thousand sums for each covariance.
Sources: Zou and Donner 2008 (limits of sums from those of the parts); Venzon and Moolgavkar 1988 (limits of a function
as its extremes over a likelihood's region).
"""

import numpy as np
from numpy.typing import NDArray

from sordino.exact.floats import Floats

Limits = tuple[Floats, Floats]

AROUND, ACROSS = 48, 24
"""Directions that are looked at, by their two angles: extremes lie near one of them."""

ROWS = 1 << 8
"""Covariances at a time, for each of which all directions are held."""

HALVINGS = 24
"""Of the step from the best direction to a better one."""


def covariance_limits(parts: NDArray[np.intp], means: Floats, limits: Limits, covariance: Floats) -> Limits:
    """Lower and upper limits of S - x y on scaled numbers, shape (m,) each.

    Args:
        parts: the places of each one's second moment and two means, shape (m, 3); of a variance the means are the same,
            and the second moment is told as 2 x^2 - 1.
        means: the estimates of all, shape (moments,).
        limits: of all, each with the confidence that the limits found have.
        covariance: of the estimates, shape (moments, moments).

    Example:
        >>> square, limits = np.array([[0, 1, 1]]), (np.array([0.8, -0.1]), np.array([1.0, 0.1]))
        >>> low, high = covariance_limits(square, np.array([0.9, 0.0]), limits, np.zeros((2, 2)))
        >>> low.round(4).tolist(), high.round(4).tolist()
        ([0.9], [1.0])
    """
    low, high = limits
    square = parts[:, 1] == parts[:, 2]
    center, below, above = (np.array(each[parts]) for each in (means, means - low, high - means))
    center[square, 0] = (center[square, 0] + 1) / 2
    half = np.where(square, 0.5, 1.0)
    below[:, 0], above[:, 0] = half * below[:, 0], half * above[:, 0]
    away = np.maximum(below, 0.0), np.maximum(above, 0.0)
    axes = _axes(correlations(covariance)[parts[:, :, None], parts[:, None, :]])
    ends: tuple[Floats, Floats] = np.empty(len(parts)), np.empty(len(parts))
    for first in range(0, len(parts), ROWS):
        rows = slice(first, first + ROWS)
        own = center[rows], (away[0][rows], away[1][rows]), axes[rows]
        for end, sign in zip(ends, (-1.0, 1.0), strict=True):
            end[rows] = _extreme(*own, sign)
    return ends


def sum_limit(slopes: Floats, away: Limits, together: Floats) -> Floats:
    """How far limits of sums of slopes times means are from the estimates on one side, shape (..., sums).

    Args:
        slopes: shape (..., sums, moments).
        away: how far the limit of each mean is where its slope is above 0, and where it is below, shape (moments,)
            each: of the sums' lower limits the means' lower and upper ones, of their upper ones the other way round.
        together: the correlations of the estimates, shape (moments, moments).

    Example:
        >>> slopes, below, above = np.array([[1.0, -1.0]]), np.array([3.0, 0.0]), np.array([0.0, 4.0])
        >>> sum_limit(slopes, (below, above), np.eye(2)).tolist(), sum_limit(slopes, (above, below), np.eye(2)).tolist()
        ([5.0], [0.0])
    """
    less, more = away
    moved = slopes * np.where(slopes > 0, less, more)
    found: Floats = np.sqrt(np.maximum(((moved @ together) * moved).sum(axis=-1), 0.0))
    return found


def correlations(covariance: Floats) -> Floats:
    """Of estimates, by their covariance; those of one without noise are 0, but with itself."""
    errors = np.sqrt(np.diagonal(covariance))
    both = np.outer(errors, errors)
    found: Floats = np.divide(covariance, both, out=np.zeros_like(both), where=both > 0)
    np.fill_diagonal(found, 1.0)
    return found


def _axes(correlation: Floats) -> Floats:
    """What makes independent directions into ones that go together so, shape (m, 3, 3)."""
    sizes, directions = np.linalg.eigh(correlation)
    axes: Floats = directions * np.sqrt(np.maximum(sizes, 0.0))[:, None, :]
    return axes


def _extreme(center: Floats, away: tuple[Floats, Floats], axes: Floats, sign: float) -> Floats:
    """The largest of S - x y over all means that belong together, shape (m,); or the least, with the sign -1."""
    around, across = np.meshgrid(
        np.linspace(0, 2 * np.pi, AROUND, endpoint=False), np.linspace(0, np.pi, ACROSS), indexing="ij"
    )
    grid = np.stack([np.sin(across) * np.cos(around), np.sin(across) * np.sin(around), np.cos(across)], axis=-1)
    tried = np.broadcast_to(grid.reshape(1, -1, 3), (len(center), AROUND * ACROSS, 3))
    best, found = _best(tried, center, away, axes, sign)
    step, moves = np.pi / ACROSS, np.stack(np.meshgrid(*[[-1.0, 0.0, 1.0]] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
    for _ in range(HALVINGS):
        tried = best[:, None, :] + step * moves
        tried = tried / np.linalg.norm(tried, axis=2, keepdims=True)
        best, found = _best(tried, center, away, axes, sign)
        step /= 2
    return sign * found


def _best(
    tried: Floats, center: Floats, away: tuple[Floats, Floats], axes: Floats, sign: float
) -> tuple[Floats, Floats]:
    """Of some directions the one of the largest value times the sign, shape (m, 3), and this, shape (m,)."""
    moved = tried @ axes.swapaxes(1, 2)
    below, above = away
    second, left, right = np.moveaxis(
        center[:, None, :] + moved * np.where(moved < 0, below[:, None, :], above[:, None, :]), 2, 0
    )
    value = sign * (second - left * right)
    at = np.argmax(value, axis=1)[:, None]
    return np.take_along_axis(tried, at[:, :, None], axis=1)[:, 0], np.take_along_axis(value, at, axis=1)[:, 0]
