"""The outline of land and of countries, to see on a map where a cell lies: Natural Earth 1:50m, public domain.

`scripts/make_outline.py` makes the file; the browser's form reads the same one.
"""

import json
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import PathPatch
from matplotlib.path import Path
from matplotlib.transforms import Bbox
from numpy.typing import NDArray

from sordino.domain.grid import Grid

Points = NDArray[np.float64]

FINEST = 600
"""Steps across a map, of which two points of an outline are at least one apart."""
SMALLEST = 4
"""Points of a ring that is left out: an island of a few steps."""


class LandOutline(NamedTuple):
    """Land and borders.

    Attributes:
        land: rings of points, longitude and latitude in degrees, each of shape (n, 2).
        borders: lines between countries, as `land`.
    """

    land: list[Points]
    borders: list[Points]

    def within(self, grid: Grid) -> "LandOutline":
        """What lies in a grid: land cut at its edges, and of lines (coast and borders) the segments that meet it.

        Its `land` is empty where the grid is sea all over; its lines stand in `borders`, coasts among them.
        """
        low, high = np.array([grid.west, grid.south]), np.array([grid.east, grid.north])
        box = Bbox([low, high])
        rings, borders = ([_coarser(line, max(high - low) / FINEST) for line in lines] for lines in self)
        near = [
            ring
            for ring in rings
            if len(ring) > SMALLEST and (ring.min(axis=0) <= high).all() and (ring.max(axis=0) >= low).all()
        ]
        cut = [part for ring in near for part in Path(ring, closed=True).clip_to_bbox(box).to_polygons()]
        lines = [run for line in (*near, *borders) for run in _runs(line, low, high)]
        return LandOutline([np.asarray(part, dtype=np.float64) for part in cut], lines)


def _coarser(line: Points, step: float) -> Points:
    """The line with its points on a lattice of so many degrees, repeated ones once."""
    whole = np.round(line / step)
    kept: Points = line[np.concatenate([[True], (np.diff(whole, axis=0) != 0).any(axis=1)])]
    return kept


def _runs(line: Points, low: Points, high: Points) -> Iterator[Points]:
    """The longest parts of a line of which every segment meets a box by its own one."""
    ends = line[:-1], line[1:]
    meets = ((np.minimum(*ends) <= high) & (np.maximum(*ends) >= low)).all(axis=1)
    first, last = np.flatnonzero(np.diff(np.concatenate([[0], meets, [0]]))).reshape(-1, 2).T
    return (line[start : stop + 1] for start, stop in zip(first, last, strict=True))


@cache
def world() -> LandOutline:
    """The whole world."""
    found = json.loads((files("sordino.show.html.figures.world") / "outline.json").read_text(encoding="utf-8"))
    land, borders = (
        [np.cumsum(np.array(line).reshape(-1, 2), axis=0) / 100 for line in found[name]] for name in ("land", "borders")
    )
    return LandOutline(land, borders)


def draw_outline(axes: Axes, grid: Grid, land: str, lines: str) -> None:
    """Paint land below the cells of a map, coasts and borders above them.

    Args:
        axes: the map's, in degrees.
        grid: what it shows.
        land: the colour of land.
        lines: the colour of coasts and borders.
    """
    found = world().within(grid)
    ways = [(found.land, {"facecolor": land, "edgecolor": "none", "zorder": 1})]
    ways += [(found.borders, {"facecolor": "none", "edgecolor": lines, "linewidth": 0.5, "zorder": 3})]
    for parts, style in ways:
        if parts:
            axes.add_patch(PathPatch(Path.make_compound_path(*map(Path, parts)), **style))
