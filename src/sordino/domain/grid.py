"""A latitude-longitude grid: a map's cells, row by row from the south-west corner, and distances between them.

The Earth is taken as a sphere of its mean radius; a way over it differs from that over the ellipsoid by .6 % at most.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from sordino.errors import SordinoError
from sordino.exact.floats import ignore_float_errors
from sordino.exact.messages import checked_class, shown

LARGEST = 2**31
"""Largest number of cells: their indices fit in the uniform choices of `exact.source`."""


@checked_class
@dataclass(frozen=True)
class Grid:
    """Equal cells between two parallels and two meridians.

    Attributes:
        south, north, west, east: the edges, in degrees; positions on an edge belong to the grid.
        rows, columns: cells from south to north and from west to east.

    Example:
        >>> import numpy as np
        >>> us = Grid(south=25, north=50, west=-130, east=-60, rows=125, columns=350)
        >>> us.k, us.locate(np.array([25.1]), np.array([-129.7]))
        (43750, array([1]))
    """

    south: float
    north: float
    west: float
    east: float
    rows: int
    columns: int

    def __post_init__(self) -> None:
        if not -90 <= self.south < self.north <= 90:
            rule, step = "south must lie below north, within -90..90", "give degrees north, the smaller as south"
            raise SordinoError(rule, found=" and ".join(map(shown, (self.south, self.north))), step=step)
        if not -180 <= self.west < self.east <= 180:
            rule, step = "west must lie left of east, within -180..180", "give degrees east, the smaller as west"
            raise SordinoError(rule, found=" and ".join(map(shown, (self.west, self.east))), step=step)
        whole = all(count >= 1 and count % 1 == 0 for count in (self.rows, self.columns))
        if not whole or self.k > LARGEST:
            rule, found = "a grid must have 1 to 2^31 cells", f"{shown(self.rows)} x {shown(self.columns)}"
            raise SordinoError(rule, found=found, step="take other numbers of rows and columns")

    @property
    def k(self) -> int:
        """The number of cells."""
        return self.rows * self.columns

    @ignore_float_errors
    def locate(self, latitude: NDArray[np.float64], longitude: NDArray[np.float64]) -> NDArray[np.intp]:
        """The cell of each position, shape (n,); -1 where it lies outside the grid or is not a number."""
        with np.errstate(invalid="ignore"):
            inside = (latitude >= self.south) & (latitude <= self.north)
            inside &= (longitude >= self.west) & (longitude <= self.east)
        row = _cell(np.where(inside, latitude, self.south), self.south, self.north, self.rows)
        column = _cell(np.where(inside, longitude, self.west), self.west, self.east, self.columns)
        return np.where(inside, row * self.columns + column, -1)

    def label(self, index: int) -> str:
        """The centre of one cell as "latitude,longitude" in degrees."""
        row, column = divmod(index, self.columns)
        height, width = (self.north - self.south) / self.rows, (self.east - self.west) / self.columns
        latitude = _degrees(self.south + (row + 0.5) * height, height)
        return f"{latitude},{_degrees(self.west + (column + 0.5) * width, width)}"

    def place(self, index: int) -> str:
        r"""The centre of one cell as people say it.

        Example:
            >>> Grid(-10, 10, -10, 10, 2, 2).place(2)
            '5.0\xb0 N, 5.0\xb0 W'
        """
        latitude, longitude = self.label(index).split(",")
        return f"{_side(latitude, 'NS')}, {_side(longitude, 'EW')}"

    def tiles(self, height: int, width: int) -> NDArray[np.intp]:
        """Each cell's tile, shape (k,), when tiles of height x width cells are cut from the south-west corner."""
        if height < 1 or width < 1:
            raise SordinoError("a tile must have at least one row and column of cells", found=f"{height} x {width}")
        across = -(-self.columns // width)
        row, column = np.divmod(np.arange(self.k), self.columns)
        tile: NDArray[np.intp] = (row // height) * across + column // width
        return tile


def _cell(position: NDArray[np.float64], low: float, high: float, cells: int) -> NDArray[np.intp]:
    """The cell of each position between low and high: an inner edge belongs to the upper cell, the last to the last."""
    edges = np.linspace(low, high, cells + 1)
    cell = np.clip(((position - low) * (cells / (high - low))).astype(np.intp), 0, cells - 1)
    # The product may round across an edge: the edges themselves decide.
    cell += (position >= edges[cell + 1]) & (cell < cells - 1)
    cell -= position < edges[cell]
    return cell


def _degrees(centre: float, size: float) -> str:
    decimals = max(1, 2 - math.floor(math.log10(size)))
    text = f"{centre:.{decimals}f}".rstrip("0")
    return text + "0" if text.endswith(".") else text


def _side(degrees: str, sides: str) -> str:
    number = float(degrees)
    return f"{degrees.removeprefix('-')}\N{DEGREE SIGN}{'' if number == 0 else ' ' + sides[number < 0]}"


EARTH_RADIUS = 6371.0088
"""Kilometres: the mean radius of the International Union of Geodesy and Geophysics."""

KILOMETRES: Mapping[str, Fraction] = {"km": Fraction(1), "m": Fraction(1, 1000), "miles": Fraction("1.609344")}


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
