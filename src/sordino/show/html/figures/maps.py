"""Shares on maps: one drawing each, all with the same classes of colour. Lengths are points."""

import json
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sordino.domain.grid import Grid
from sordino.errors import SordinoError
from sordino.show.html.figures.axes import LETTER, LETTERS, WIDE, degrees, quiet
from sordino.show.html.figures.colours import DARK, INK, LAND, LIGHT, QUIET, SEA, scale
from sordino.show.html.figures.drawing import area, sheet
from sordino.show.html.figures.lettering import percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Drawing


Picture = np.ma.MaskedArray[tuple[int, int], np.dtype[np.float64]]

LEFT, RIGHT, TOP, HIGHEST = 84, 16, 16, 640
"""Around a map; and how high it is at most."""

FINEST = 2
"""Points that a cell takes at least; the largest of several is shown where they are finer."""

DECADES = 4
"""A share further than this below the largest has the lightest colour: it is noise, and no colour would tell it."""

CLASSES = 9
"""Colours at most."""

ROUND = ((1, 1.5, 2, 3, 5, 7), (1, 2, 5), (1, 3), (1,))
"""Where classes may end, times powers of ten; the first that gives few enough of them is taken."""


def maps(grid: Grid, panels: Sequence[NDArray[np.float64]], least: float = 0.0) -> "list[Drawing]":
    """A map for each panel of shares, with a key of the colours that they have in common.

    Args:
        grid: the cells, row by row from the south-west.
        panels: the share of people in each cell, shape (k,); where it is zero, below zero or not finite, the sea shows;
            where cells are finer than two points, the largest of each few.
        least: the share of one person; what is smaller is nobody, and not painted either.

    Raises:
        SordinoError: no map, or shares of another length than k.
    """
    if not panels:
        raise SordinoError("a figure must have at least one map", found="no panels", step="give shares")
    wide, high = _size(grid)
    pictures = [_picture(grid, shares, wide, high, least) for shares in panels]
    bounds = classes(np.concatenate([picture.compressed() for picture in pictures]))
    below = any(bool((picture < bounds[0]).any()) for picture in pictures if picture.count())
    return [_map(grid, picture, bounds, (wide, high), below=below) for picture in pictures]


def classes(shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """Round bounds of at most nine classes that hold the shares, but for those that are noise; none of no shares.

    Example:
        >>> classes(np.array([1e-9, 2e-4, 0.011])).tolist()
        [1e-06, 3e-06, 1e-05, 3e-05, 0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03]
    """
    if not shares.size:
        return np.array([])
    last = float(shares.max())
    first = min(max(float(shares.min()), last / 10**DECADES), last)
    decades = range(int(np.floor(np.log10(first))), int(np.floor(np.log10(last))) + 2)
    for series in ROUND:
        ends = np.array([float(f"{digit}e{decade}") for decade in decades for digit in series])
        below, above = ends[ends <= first * (1 + 1e-9)], ends[ends > last * (1 + 1e-9)]
        inner = ends[(ends > first * (1 + 1e-9)) & (ends <= last * (1 + 1e-9))]
        found = np.concatenate([below[-1:], inner, above[:1]])
        if len(found) <= CLASSES + 1:
            break
    return found


def _map(
    grid: Grid, picture: Picture, bounds: NDArray[np.float64], lengths: tuple[float, float], *, below: bool
) -> "Drawing":
    wide, high = lengths
    width = LEFT + wide + RIGHT
    size = LETTERS * width
    key = TOP + high + 2 * size
    drawing = sheet(width, key + 3.8 * size)
    axes = area(drawing, LEFT, TOP, wide, high, SEA)
    extent = (grid.west, grid.east, grid.south, grid.north)
    axes.set_xlim(grid.west, grid.east)
    axes.set_ylim(grid.south, grid.north)
    draw_outline(axes, grid, LAND, QUIET)
    if picture.count():
        _cells(axes, picture, bounds, extent)
        _key(drawing, bounds, key, wide, size, below=below)
    else:
        axes.text(0.5, 0.5, "nobody anywhere", ha="center", va="center", size=size, color=INK, transform=axes.transAxes)
    degrees(axes, wide, high, size)
    return drawing


def _cells(
    axes: "Axes", picture: Picture, bounds: NDArray[np.float64], extent: tuple[float, float, float, float]
) -> None:
    found = np.digitize(picture.filled(0), bounds[1:-1])
    for screen in (LIGHT, DARK):
        colours = np.where(np.ma.getmaskarray(picture)[..., None], np.uint8(0), scale(len(bounds) - 1, screen)[found])
        axes.imshow(colours, aspect="auto", interpolation="none", origin="lower", extent=extent, zorder=2, gid=screen)


def _key(drawing: "Drawing", bounds: NDArray[np.float64], top: float, wide: float, size: float, *, below: bool) -> None:
    count = len(bounds) - 1
    axes = area(drawing, LEFT, top + 1.4 * size, min(wide, 80.0 * count), 0.7 * size)
    every = np.ma.masked_less(np.arange(count)[None] + 0.5, 0)
    _cells(axes, every, np.arange(count + 1.0), (0, count, 0, 1))
    quiet(axes, size)
    axes.set_yticks([])
    axes.spines[:].set_visible(False)
    texts = [percent(bound) for bound in bounds]
    longest = max(map(len, texts))
    step = next((n for n in range(1, count + 1) if longest * LETTER * size * count <= min(wide, 80 * count) * n), count)
    # Powers of ten are told before others.
    tens = [place for place, bound in enumerate(bounds) if np.isclose(np.log10(bound) % 1, (0, 1), atol=1e-9).any()]
    places = range(tens[0] % step if tens else 0, count + 1, step)
    axes.set_xticks(places, [texts[place] for place in places])
    axes.tick_params(length=0)
    axes.text(
        0,
        1.9,
        "share of people in a cell" + ("; the first colour also for less" if below else ""),
        ha="left",
        va="baseline",
        size=size,
        color=INK,
        transform=axes.transAxes,
    )


def _picture(grid: Grid, shares: NDArray[np.float64], wide: float, high: float, least: float) -> Picture:
    """The shares of somebody by row and column; where the cells are too fine, the largest of each few."""
    if len(shares) != grid.k:
        raise SordinoError("a map must have one share for each cell", found=f"{len(shares)} shares, {grid.k} cells")
    cells = np.where(np.isfinite(shares), shares, 0).reshape(grid.rows, grid.columns)
    for axis, length in enumerate((high, wide)):
        few = -int(-cells.shape[axis] * FINEST // length)
        cells = np.maximum.reduceat(cells, np.arange(0, cells.shape[axis], few), axis)
    # A person's share may come out of a division a little smaller than it went in.
    return np.ma.masked_where((cells <= 0) | (cells < least * (1 - 1e-9)), cells)


def _size(grid: Grid) -> tuple[float, float]:
    """Width and height of each map: a mile is as long along as across at the middle latitude, within limits."""
    middle = np.radians((grid.south + grid.north) / 2)
    ratio = np.clip((grid.north - grid.south) / ((grid.east - grid.west) * np.cos(middle)), 0.2, 2.0)
    width = min(WIDE - LEFT - RIGHT, HIGHEST / ratio)
    return float(width), float(width * ratio)


if TYPE_CHECKING:
    from matplotlib.axes import Axes


Points = NDArray[np.float64]

FINEST_LAND = 600
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
        from matplotlib.path import Path
        from matplotlib.transforms import Bbox

        low, high = np.array([grid.west, grid.south]), np.array([grid.east, grid.north])
        box = Bbox([low, high])
        rings, borders = ([_coarser(line, max(high - low) / FINEST_LAND) for line in lines] for lines in self)
        near = [
            ring
            for ring in rings
            if len(ring) > SMALLEST and (ring.min(axis=0) <= high).all() and (ring.max(axis=0) >= low).all()
        ]
        cut = [part for ring in near for part in Path(ring, closed=True).clip_to_bbox(box).to_polygons()]
        lines = [run for line in (*near, *borders) for run in _runs(line, low, high)]
        return LandOutline([np.asarray(part, dtype=np.float64) for part in cut], lines)


def _coarser(line: Points, step: float) -> Points:
    whole = np.round(line / step)
    kept: Points = line[np.concatenate([[True], (np.diff(whole, axis=0) != 0).any(axis=1)])]
    return kept


def _runs(line: Points, low: Points, high: Points) -> Iterator[Points]:
    ends = line[:-1], line[1:]
    meets = ((np.minimum(*ends) <= high) & (np.maximum(*ends) >= low)).all(axis=1)
    first, last = np.flatnonzero(np.diff(np.concatenate([[0], meets, [0]]))).reshape(-1, 2).T
    return (line[start : stop + 1] for start, stop in zip(first, last, strict=True))


@cache
def world() -> LandOutline:
    """The whole world."""
    found = json.loads((files("sordino.show.html.figures") / "outline.json").read_text(encoding="utf-8"))
    land, borders = (
        [np.cumsum(np.array(line).reshape(-1, 2), axis=0) / 100 for line in found[name]] for name in ("land", "borders")
    )
    return LandOutline(land, borders)


def draw_outline(axes: "Axes", grid: Grid, land: str, lines: str) -> None:
    """Paint land below the cells of a map, coasts and borders above them.

    Args:
        axes: the map's, in degrees.
        grid: what it shows.
        land: the colour of land.
        lines: the colour of coasts and borders.
    """
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    found = world().within(grid)
    ways = [(found.land, {"facecolor": land, "edgecolor": "none", "zorder": 1})]
    ways += [(found.borders, {"facecolor": "none", "edgecolor": lines, "linewidth": 0.5, "zorder": 3})]
    for parts, style in ways:
        if parts:
            axes.add_patch(PathPatch(Path.make_compound_path(*map(Path, parts)), **style))
