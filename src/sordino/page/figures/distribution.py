"""A number's distribution: its density as a histogram, and its function within its band. Lengths are points."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Drawing
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from sordino.errors import SordinoError
from sordino.page.figures.axes import (
    LETTERS,
    STEPS,
    WIDE,
    Sign,
    legend,
    legend_height,
    percentages,
    quiet,
)
from sordino.page.figures.bars import DOT, WHISKER
from sordino.page.figures.colours import BAR, INK, MARK, RULE
from sordino.page.figures.drawing import area, sheet
from sordino.page.figures.lettering import fit

LEFT, RIGHT, HIGH, BELOW = 130, 64, 340, 84
THICK = 2.4
"""The thickness of the curve."""

Floats = NDArray[np.float64]


def density(edges: Floats, shares: Floats, name: str) -> Drawing:
    """Columns as wide as the bins, whose areas are the shares; the scale is the share of a bin of the mean width.

    Args:
        edges: of the bins, shape (k + 1,).
        shares: of the bins, shape (k,).
        name: of the number.

    Raises:
        SordinoError: arrays of different lengths.
    """
    _require_alike(len(edges), shares)
    widths = np.diff(edges)
    drawing = sheet(WIDE, HIGH + BELOW)
    axes = area(drawing, LEFT, 6, WIDE - LEFT - RIGHT, HIGH - 6)
    heights = shares * (widths.mean() / widths)
    axes.stairs(heights, edges, fill=True, color=BAR, zorder=2)
    even = np.allclose(widths, widths[0])
    what = "share of people in a bin" if even else "share of people in a bin of the mean width"
    _finish(axes, edges, f"{fit(name, 40)}; upward the {what}")
    axes.set_ylim(min(0.0, float(heights.min())), None)
    return drawing


def curve(
    edges: Floats, function: Floats, band: tuple[Floats, Floats], quantiles: Sequence[tuple[float, ...]], name: str
) -> Drawing:
    """The distribution function, shaded between its limits, with quantiles and their intervals.

    Args:
        edges: where the function is told, shape (k + 1,).
        function: the share of people below each edge, shape (k + 1,).
        band: its lower and upper limits, shape (k + 1,) each.
        quantiles: for each its part of the people, the number, and the number's limits.
        name: of the number.

    Raises:
        SordinoError: arrays of different lengths.
    """
    _require_alike(len(edges) + 1, function, *band)
    signs: list[Sign] = [
        ("fitted distribution function", {"color": INK, "linewidth": THICK}),
        ("where the whole function lies", {"color": BAR, "alpha": 0.35, "linewidth": 10}),
    ]
    if quantiles:
        signs.append(("quantile, with its interval", {**DOT, "linestyle": "-", "linewidth": WHISKER}))
    size = LETTERS * WIDE
    top = legend_height(size, len(signs))
    drawing = sheet(WIDE, top + HIGH + BELOW)
    legend(drawing, size, signs)
    axes = area(drawing, LEFT, top, WIDE - LEFT - RIGHT, HIGH)
    axes.fill_between(edges, *band, color=BAR, alpha=0.35, linewidth=0, zorder=2)
    axes.plot(edges, function, color=INK, linewidth=THICK, zorder=3)
    for part, value, low, high in quantiles:
        axes.hlines(part, low, high, color=MARK, linewidth=WHISKER, zorder=4)
        axes.plot([low, high], [part, part], "|", color=MARK, markersize=10, markeredgewidth=WHISKER, zorder=4)
        axes.plot([value], [part], **DOT, zorder=5)
    axes.set_ylim(0, 1)
    _finish(axes, edges, f"{fit(name, 40)}; upward the share of people below it")
    return drawing


def _require_alike(count: int, *columns: Floats) -> None:
    if any(len(column) != count - 1 for column in columns):
        lengths = ", ".join(str(len(column)) for column in columns)
        raise SordinoError("a distribution must have a number for each place", found=f"{count} edges, {lengths}")


def _finish(axes: Axes, edges: Floats, below: str) -> None:
    size = LETTERS * WIDE
    axes.set_xlim(edges[0], edges[-1])
    axes.xaxis.set_major_locator(MaxNLocator(6, steps=STEPS))
    axes.xaxis.set_major_formatter(lambda number, _: f"{number:.12g}")
    axes.yaxis.set_major_locator(MaxNLocator(5, steps=STEPS))
    percentages(axes.yaxis)
    quiet(axes, size)
    axes.grid(axis="y", color=RULE, linewidth=1, zorder=0)
    axes.set_xlabel(below, fontsize=size, color=INK, parse_math=False)
