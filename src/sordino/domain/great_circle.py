"""Distances over the Earth between the centres of a grid's cells.

The Earth is taken as a sphere of its mean radius; a way over it differs from that over the ellipsoid by .6 % at most.
"""

from collections.abc import Mapping
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from sordino.domain.grid import Grid

EARTH_RADIUS = 6371.0088
"""Kilometres: the mean radius of the International Union of Geodesy and Geophysics."""

KILOMETRES: Mapping[str, Fraction] = {"km": Fraction(1), "m": Fraction(1, 1000), "miles": Fraction("1.609344")}
"""Of each unit of distance."""


def centre_latitudes(grid: Grid) -> NDArray[np.float64]:
    """Of each row, in radians, shape (rows,)."""
    height = (grid.north - grid.south) / grid.rows
    degrees = grid.south + (np.arange(grid.rows) + 0.5) * height
    return np.asarray(np.radians(degrees))


def least_distances(grid: Grid) -> NDArray[np.float64]:
    """The least distance of two centres that are so many rows and columns apart, in kilometres, shape (rows, columns).

    By the haversine formula, sin^2(d / 2R) = sin^2(p / 2) + cos(u) cos(v) sin^2(l / 2) for latitudes u and v = u + p
    and l between the meridians, whichever way round is shorter. Since 2 cos(u) cos(v) = cos(p) + cos(u + v), of all
    pairs of rows p apart the closest are the southernmost or the northernmost. Floats: within 1e-8 of the truth.
    """
    latitudes = centre_latitudes(grid)
    apart = np.radians((grid.north - grid.south) / grid.rows) * np.arange(grid.rows)
    across = np.radians((grid.east - grid.west) / grid.columns) * np.arange(grid.columns)
    cosines = np.cos(latitudes)
    narrowest = np.minimum(cosines[0] * cosines, (cosines[-1] * cosines)[::-1])
    square = np.sin(apart / 2)[:, None] ** 2 + narrowest[:, None] * np.sin(across / 2) ** 2
    found: NDArray[np.float64] = 2 * EARTH_RADIUS * np.arctan2(np.sqrt(square), np.sqrt(np.maximum(1 - square, 0)))
    return found


def cell_sizes(grid: Grid) -> tuple[float, float, float]:
    """Kilometres from row to row, and from column to column where a parallel of centres is shortest and longest."""
    height, width = (grid.north - grid.south) / grid.rows, (grid.east - grid.west) / grid.columns
    around = np.cos(centre_latitudes(grid)) * EARTH_RADIUS * float(np.radians(width))
    return EARTH_RADIUS * float(np.radians(height)), float(around.min()), float(around.max())
