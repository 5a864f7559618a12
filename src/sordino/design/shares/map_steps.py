"""How much the cells of a map may be told apart for each row and each column between them, by distances over the Earth.

A bound of a nats for each row and b for each column (`MetricLDP.grid`) promises epsilon times distance over `per` if
a i + b j <= epsilon d(i, j) / per for every number of rows and columns, where d(i, j) is the least distance of two
centres so far apart. All of them are looked at, so that the date line, poles and parallels need no rule of their own.
How a and b share what there is: as the noise of a product of two geometric channels is least.
"""

from fractions import Fraction
from math import floor

import numpy as np

from sordino.definition.bounds import LARGEST_EPSILON
from sordino.design.coarse import coarse_number, exponential
from sordino.domain.grid import Grid, cell_sizes, least_distances
from sordino.errors import SordinoError
from sordino.exact.floats import Floats
from sordino.exact.nats import Nats

MARGIN = 1e-6
"""Of every step, left over for the rounding of floats, which is below 1e-8."""

DIGITS = 6
"""Significant decimal digits of a step, rounded down."""

CLOSEST = 1e-3
"""Kilometres between two centres at least: of closer ones floats tell the distance no more."""

SHAPES = [2 ** (power / 2) for power in range(-8, 9)]
"""How much more of epsilon a kilometre along a parallel may get than one along a meridian."""


def map_steps(grid: Grid, per: Fraction, epsilon: Nats) -> tuple[Nats, Nats]:
    """The nats for each row and for each column.

    Args:
        per: kilometres.
        epsilon: what two cells may be told apart by whose centres lie so far apart.

    Example:
        >>> us = Grid(south=25, north=50, west=-130, east=-60, rows=125, columns=350)
        >>> [str(step) for step in map_steps(us, Fraction(100), Nats.of("1"))]
        ['15759/100000', '101507/1000000']
    """
    distances = least_distances(grid)
    closest = float(distances.ravel()[1:].min())
    if closest < CLOSEST:
        rule = "a map with a metric must have cells whose centres lie at least a metre apart"
        found = f"{1000 * closest:.2g} m"
        raise SordinoError(rule, found=found, step="take larger cells, or end the map before the pole")
    height, width, _ = cell_sizes(grid)
    best, least = (0.0, 0.0), np.inf
    for shape in SHAPES:
        row, column = height, width * shape
        scale = _scale(distances, row, column) * epsilon.floor() * (1 - MARGIN) / float(per)
        steps = row * scale, column * scale
        noise = coarse_number(_noise(steps[0]) * _noise(steps[1]))
        if noise < least:
            best, least = steps, noise
    row_step, column_step = map(_rounded_down, best)
    return row_step, column_step


def _scale(distances: Floats, row: float, column: float) -> float:
    by_steps = row * np.arange(distances.shape[0])[:, None] + column * np.arange(distances.shape[1])
    return float((distances.ravel()[1:] / by_steps.ravel()[1:]).min())


def _noise(step: float) -> float:
    """The variance of one report's estimate on a long line under a geometric channel with that step.

    Its inverse has (1 + f^2) / (1 - f)^2 at a value and -f / (1 - f)^2 beside it, for f = e^-step.
    """
    factor = float(exponential(np.array([-min(step, LARGEST_EPSILON)]))[0])
    return ((1 + factor**2) ** 2 + 2 * factor**2) / max(1 - factor, np.finfo(float).tiny ** (1 / 5)) ** 4


def _rounded_down(step: float) -> Nats:
    """A short decimal that is no larger; what no coin could keep is as much as the largest bound."""
    amount = Fraction(min(coarse_number(step), LARGEST_EPSILON))
    places = DIGITS - 1 - int(np.floor(np.log10(float(amount))))
    return Nats(Fraction(floor(amount * Fraction(10) ** places)) / Fraction(10) ** places)
