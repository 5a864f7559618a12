"""A histogram of numbered values with intervals: columns in the order of the numbers. Lengths are points."""

import numpy as np
from matplotlib.figure import Figure as Drawing
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from sordino.errors import SordinoError
from sordino.page.figures.axes import LETTERS, STEPS, WIDE, Style, legend, legend_height, percentages, quiet
from sordino.page.figures.bars import DIAMOND, DOT, WHISKER, Shares, signs_of
from sordino.page.figures.colours import BAR, INK, MARK, RULE
from sordino.page.figures.drawing import area, sheet
from sordino.page.figures.lettering import fit

MOST = 400
"""Columns at most: each keeps a pixel or two of a page."""
LEFT, RIGHT, HIGH, BELOW = 130, 16, 380, 84


def columns(shares: Shares, name: str, at: NDArray[np.float64] | None = None) -> Drawing:
    """Columns over numbers: the fitted shares, and the estimates with their intervals.

    Args:
        shares: of the values.
        name: of the attribute.
        at: the numbers, ascending, shape (k,); 0..k-1 by default.

    Raises:
        SordinoError: more columns than can be told apart, or arrays of different lengths.
    """
    count = len(shares.estimate)
    if not 1 <= count <= MOST or {len(column) for column in shares.columns} != {count}:
        raise SordinoError(f"a histogram has 1 to {MOST} columns, each with its limits", found=f"{count} columns")
    size = LETTERS * WIDE
    signs = signs_of(shares)
    top = legend_height(size, len(signs))
    drawing = sheet(WIDE, top + HIGH + BELOW)
    legend(drawing, size, signs)
    axes = area(drawing, LEFT, top, WIDE - LEFT - RIGHT, HIGH)
    at, thin = np.arange(count, dtype=np.float64) if at is None else at, 25 / count
    gap = float(np.diff(at).min(initial=np.inf)) if count > 1 else 1.0
    if shares.fitted is not None:
        axes.bar(at, shares.fitted, width=0.8 * gap, color=BAR, zorder=2)
    axes.vlines(at, shares.low, shares.high, color=MARK, linewidth=max(1.0, min(WHISKER, 4 * thin)), zorder=3)
    axes.plot(at, shares.estimate, **DOT | _of(max(2.5, min(7.5, 16 * thin))), zorder=4)
    if shares.truth is not None:
        axes.plot(at, shares.truth, **DIAMOND | _of(max(2.5, min(7, 16 * thin))), zorder=5)
    axes.axhline(0, color=INK, linewidth=1, zorder=2.5)
    axes.set_xlim(at[0] - 0.7 * gap, at[-1] + 0.7 * gap)
    axes.xaxis.set_major_locator(MaxNLocator(10, integer=bool((at % 1 == 0).all())))
    axes.yaxis.set_major_locator(MaxNLocator(6, steps=STEPS))
    percentages(axes.yaxis)
    quiet(axes, size)
    axes.grid(axis="y", color=RULE, linewidth=1, zorder=0)
    axes.set_xlabel(f"{fit(name, 40)}; upward the share of people", fontsize=size, color=INK, parse_math=False)
    return drawing


def _of(size: float) -> Style:
    """A marker of this size, with an edge only where that leaves something of it."""
    return {"markersize": size, "markeredgewidth": 1 if size > 5 else 0}
