"""Whether bounds for each row and column of a map keep a promise by distances over the Earth: the checker's own view.

Centres are points in space here, and their distance the angle of the chord between them; who chooses the steps reckons
with latitudes on the sphere. The check is in floats: off by less than 1e-8 of a distance, where steps must leave 1e-7.
"""

import numpy as np
from numpy.typing import NDArray

from sordino.domain.grid import Grid
from sordino.exact.nats import Nats

LEFT = 1e-7
"""Of each bound: more than floats can be off by."""

RADIUS = 6_371_008.8
"""Metres: the mean radius of the Earth."""

BATCH = 1 << 18


def keeps_distances(grid: Grid, row_step: Nats, column_step: Nats, rate: float) -> bool:
    """Whether no two cells may be told apart by more than their centres' distance allows.

    Rows may by the sum of so many row steps, and columns alike, which is added; the rate is nats for each metre.
    """
    # Two meridians are the closer the nearer to a pole: of pairs of rows one of them is the map's first or last.
    latitudes = np.deg2rad(np.linspace(grid.south, grid.north, 2 * grid.rows + 1)[1::2])
    angles = np.deg2rad((grid.east - grid.west) / grid.columns) * np.arange(grid.columns)
    rows, columns = row_step.ceil(), column_step.ceil()
    count = max(1, BATCH // grid.columns)
    for first in range(0, grid.rows, count):
        apart = np.arange(first, min(first + count, grid.rows))
        told = (rows * apart)[:, None] + columns * np.arange(grid.columns)
        for end, others in ((latitudes[0], latitudes[apart]), (latitudes[-1], latitudes[::-1][apart])):
            if bool((told > rate * (1 - LEFT) * _distances(end, others, angles)).any()):
                return False
    return True


def _distances(latitude: float, others: NDArray[np.float64], angles: NDArray[np.float64]) -> NDArray[np.float64]:
    """Metres from a point on the first meridian to points on others, shape (others, angles)."""
    east = np.cos(others)[:, None] * np.sin(angles)
    outward = np.cos(others)[:, None] * np.cos(angles) - np.cos(latitude)
    up = (np.sin(others) - np.sin(latitude))[:, None]
    chord = np.sqrt(east**2 + outward**2 + up**2)
    return np.asarray(2 * RADIUS * np.arcsin(np.minimum(chord / 2, 1)))
