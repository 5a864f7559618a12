"""A latitude-longitude grid: positions on a map as a finite domain of cells, row by row from the south-west corner."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sordino.errors import SordinoError
from sordino.exact.messages.arguments import checked_class
from sordino.exact.messages.brief import shown
from sordino.exact.steady import ignore_float_errors

LARGEST = 2**31
"""Cells at most: their indices fit in the uniform choices of `exact.source`."""


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
    """A cell's centre with as many decimals as tell it from its neighbours'."""
    decimals = max(1, 2 - math.floor(math.log10(size)))
    text = f"{centre:.{decimals}f}".rstrip("0")
    return text + "0" if text.endswith(".") else text


def _side(degrees: str, sides: str) -> str:
    number = float(degrees)
    return f"{degrees.removeprefix('-')}\N{DEGREE SIGN}{'' if number == 0 else ' ' + sides[number < 0]}"
