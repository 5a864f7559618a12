"""Figures as PNG files: shares on maps, and shares with their intervals as bars.

Drawn with matplotlib's objects and the Agg canvas, never with pyplot: nothing global is changed. Lengths are inches at
160 pixels an inch; shown at two pixels to one of the page's, text of 11 points is 12 page pixels high. Cost: about a
second for two maps of 100,000 cells; below 400 kB.
"""

from collections.abc import Sequence

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap, LogNorm
from matplotlib.figure import Figure
from numpy.typing import NDArray

from sordino.domain.grid import Grid
from sordino.errors import SordinoError
from sordino.view.axes import DPI, INK, SIZE, colour_bar, degrees, png, share_axis
from sordino.view.lettering import families, fit, percent

Picture = np.ma.MaskedArray[tuple[int, int], np.dtype[np.float64]]

EMPTY = "#e9ecf0"
"""The ground of a map, seen where a cell has no positive share."""
BAR, WHISKER, TRUTH = "#8fb4d9", "#1f3f66", "#d1495b"
"""Told apart by lightness and shape too, not by hue alone."""
COLOURS = ListedColormap(colormaps["viridis_r"](np.linspace(0.08, 1, 256)))
"""Safe for the colour-blind and even in lightness: the darker, the more people; without the glaring yellow end."""
FINEST = 120
"""Cells per inch on a map at most: each takes a pixel and a third, and the file stays small."""
DECADES = 4
"""A share further than this below the largest has the lightest colour: it is noise, and no colour would tell it."""
MOST_BARS = 20
LABEL = (30, 2)
"""Letters in a line of a bar's label, and lines: what still reads well in one figure."""
WIDEST, NARROWEST_MAP, WIDEST_MAP, HIGHEST_MAP = 13.0, 2.5, 8.0, 6.0
LEFT, RIGHT, GAP, TOP, BOTTOM = 0.75, 0.3, 0.3, 0.45, 1.25
"""Inches around and between maps; the colour bar stands in the lower margin."""


def maps(grid: Grid, panels: Sequence[tuple[str, NDArray[np.float64]]], least: float = 0.0) -> bytes:
    """Maps side by side on one logarithmic colour scale.

    Args:
        grid: the cells, row by row from the south-west.
        panels: for each map its title and the share of people in each cell, shape (k,); where the share is zero, below
            zero or not finite, the empty ground shows; where cells are finer than pixels, the largest of each few.
        least: the share of one person; what is smaller is nobody, and not painted either.

    Raises:
        SordinoError: no map, or shares of another length than k.
    """
    if not panels:
        raise SordinoError("a figure must have at least one map", found="none")
    wide, high = _size(grid, len(panels))
    pictures = [_picture(grid, shares, wide, high, least) for _, shares in panels]
    limits = _limits(pictures)
    scale = LogNorm(*limits) if limits else None
    width, height = LEFT + len(panels) * (wide + GAP) - GAP + RIGHT, TOP + high + BOTTOM
    figure = Figure(figsize=(width, height), dpi=DPI, facecolor="white")
    for number, ((title, _), picture) in enumerate(zip(panels, pictures, strict=True)):
        left = LEFT + number * (wide + GAP)
        axes = figure.add_axes((left / width, BOTTOM / height, wide / width, high / height), facecolor=EMPTY)
        heading = fit(title, int(10 * wide))
        axes.set_title(heading, loc="left", fontsize=SIZE + 1, color=INK, fontfamily=families(), parse_math=False)
        extent = (grid.west, grid.east, grid.south, grid.north)
        axes.imshow(
            picture, COLOURS, scale, aspect="auto", interpolation="nearest", origin="lower", extent=extent, zorder=2
        )
        degrees(axes, wide, high, latitudes=number == 0)
        if not picture.count():
            axes.text(
                0.5,
                0.5,
                "no share above zero",
                ha="center",
                va="center",
                size=SIZE,
                color=INK,
                transform=axes.transAxes,
            )
    if limits:
        place = (LEFT / width, 0.62 / height, min(5.0, wide) / width, 0.14 / height)
        below = any((picture < limits[0]).any() for picture in pictures)
        colour_bar(figure, place, limits, COLOURS, below=below)
    return png(figure)


def bars(
    labels: Sequence[str],
    values: NDArray[np.float64],
    low: NDArray[np.float64],
    high: NDArray[np.float64],
    truth: NDArray[np.float64] | None = None,
) -> bytes:
    """Horizontal bars with intervals, the first label at the top; of more than 20 the 20 largest, and it says so.

    Args:
        labels: one text for each bar; a long one takes two lines, or ends early.
        values: shares, shape (k,); they may be negative or lie outside their intervals after post-processing.
        low: lower limits of the intervals, shape (k,).
        high: upper limits.
        truth: the true shares where they are known, shape (k,), as diamonds.

    Raises:
        SordinoError: no bar, or arrays of another length than the labels.
    """
    columns = [values, low, high] if truth is None else [values, low, high, truth]
    if not labels or any(len(column) != len(labels) for column in columns):
        lengths = ", ".join(str(len(column)) for column in columns)
        raise SordinoError(
            "bars must have labels, and as many numbers", found=f"{len(labels)} labels, {lengths} numbers"
        )
    shown = np.sort(np.argsort(-values, kind="stable")[:MOST_BARS])
    values, low, high, *known = (column[shown] for column in columns)
    at = np.arange(shown.size)
    texts = [fit(labels[index], *LABEL) for index in shown]
    line = 0.42 if any("\n" in text for text in texts) else 0.34
    figure = Figure(figsize=(7.3, 1.2 + line * shown.size), dpi=DPI, facecolor="white", layout="constrained")
    axes = figure.add_subplot()
    bar = axes.barh(at, values, height=0.62, color=BAR, label="estimate", zorder=2)
    interval = axes.hlines(at, low, high, color=WHISKER, linewidth=1.6, label="interval", zorder=3)
    for ends in (low, high):
        axes.plot(ends, at, "|", color=WHISKER, markersize=7, markeredgewidth=1.6, zorder=3)
    shapes = [bar, interval]
    for places in known:
        shapes += axes.plot(
            places, at, "D", color=TRUTH, markersize=6.5, markeredgecolor="white", label="truth", zorder=4
        )
    share_axis(axes, np.concatenate([values, low, high, *known]))
    axes.set_yticks(at, texts, fontsize=SIZE, color=INK, linespacing=1, fontfamily=families(), parse_math=False)
    axes.set_ylim(shown.size - 0.4, -0.6)
    _numbers(axes, values)
    rest = f"; the {MOST_BARS} largest of {len(labels):,}" if shown.size < len(labels) else ""
    axes.set_xlabel("share of people" + rest, fontsize=SIZE, color=INK)
    axes.legend(
        handles=shapes, loc="lower left", bbox_to_anchor=(0, 1), ncols=3, frameon=False, fontsize=SIZE, labelcolor=INK
    )
    return png(figure)


def _picture(grid: Grid, shares: NDArray[np.float64], wide: float, high: float, least: float) -> Picture:
    """The shares of somebody by row and column; where the cells are too fine, the largest of each few."""
    if len(shares) != grid.k:
        raise SordinoError("a map must have one share for each cell", found=f"{len(shares)} shares, {grid.k} cells")
    cells = np.where(np.isfinite(shares), shares, 0).reshape(grid.rows, grid.columns)
    for axis, inches in enumerate((high, wide)):
        few = -int(-cells.shape[axis] // (inches * FINEST))
        cells = np.maximum.reduceat(cells, np.arange(0, cells.shape[axis], few), axis)
    # A person's share may come out of a division a little smaller than it went in.
    return np.ma.masked_where((cells <= 0) | (cells < least * (1 - 1e-9)), cells)


def _limits(pictures: Sequence[Picture]) -> tuple[float, float] | None:
    """The ends of one scale of at least one decade, so that it has ticks; None if every map is empty."""
    shown = np.concatenate([picture.compressed() for picture in pictures])
    if not shown.size:
        return None
    smallest, largest = float(shown.min()), float(shown.max())
    return min(max(smallest, largest / 10**DECADES), largest / 10), largest


def _size(grid: Grid, count: int) -> tuple[float, float]:
    """Width and height of each map: a mile is as long along as across at the middle latitude, within limits."""
    middle = np.radians((grid.south + grid.north) / 2)
    ratio = np.clip((grid.north - grid.south) / ((grid.east - grid.west) * np.cos(middle)), 0.2, 2.0)
    width = np.clip((WIDEST - LEFT - RIGHT + GAP) / count - GAP, NARROWEST_MAP, WIDEST_MAP)
    width = min(width, HIGHEST_MAP / ratio)
    return float(width), float(width * ratio)


def _numbers(axes: Axes, values: NDArray[np.float64]) -> None:
    """The values as a column of numbers on the right, three digits of the largest."""
    largest = float(100 * np.abs(values).max())
    decimals = 1 if largest == 0 else int(np.clip(2 - np.floor(np.log10(largest)), 1, 6))
    for place, value in enumerate(values):
        axes.annotate(
            percent(value, decimals),
            (1, place),
            xycoords=axes.get_yaxis_transform(),
            xytext=(56, 0),
            textcoords="offset points",
            ha="right",
            va="center_baseline",
            fontsize=SIZE,
            color=INK,
        )
