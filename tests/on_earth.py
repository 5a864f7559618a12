"""Grids on all parts of the Earth, and the distances of all pairs of their cells, from points in space."""

import numpy as np

from sordino import Grid

RADIUS = np.longdouble("6371.0088")

GRIDS = {
    "states": Grid(25, 50, -130, -60, 5, 14),
    "globe": Grid(-90, 90, -180, 180, 6, 12),
    "date line": Grid(-20, 10, -180, 180, 3, 36),
    "north pole": Grid(60, 90, -30, 150, 8, 9),
    "south": Grid(-55, -20, 100, 160, 7, 10),
    "over the equator": Grid(-10, 40, -10, 10, 10, 4),
    "town": Grid(48.8, 48.9, 2.25, 2.42, 6, 8),
    "row": Grid(40, 41, 0, 10, 1, 20),
    "column": Grid(40, 60, 0, 1, 20, 1),
}


def apart(grid):
    """Kilometres between all pairs of cells in extended floats, and their rows and columns, shapes (k, k)."""
    rows, columns = np.divmod(np.arange(grid.k), grid.columns)
    pi = np.longdouble("3.14159265358979323846264338327950288")
    south, north, west, east = (
        np.longdouble(edge) * pi / 180 for edge in (grid.south, grid.north, grid.west, grid.east)
    )
    latitude = south + (rows + np.longdouble("0.5")) * (north - south) / grid.rows
    longitude = west + (columns + np.longdouble("0.5")) * (east - west) / grid.columns
    flat = np.cos(latitude)
    points = np.stack([flat * np.cos(longitude), flat * np.sin(longitude), np.sin(latitude)], axis=1)
    chord = np.sqrt(((points[:, None] - points[None]) ** 2).sum(axis=2))
    distances = 2 * RADIUS * np.arcsin(np.minimum(chord / 2, 1))
    return distances, np.abs(rows[:, None] - rows), np.abs(columns[:, None] - columns)
