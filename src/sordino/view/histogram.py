"""A histogram of numbered values with intervals as a PNG file: columns in the order of the numbers."""

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from sordino.errors import SordinoError
from sordino.view.axes import DPI, FAINT, INK, SIZE, png
from sordino.view.figures import BAR, TRUTH, WHISKER
from sordino.view.lettering import percent

MOST = 400
"""Columns at most: each keeps a pixel or two of a page."""
WIDE, HIGH = 7.3, 3.6


def columns(
    values: NDArray[np.float64],
    low: NDArray[np.float64],
    high: NDArray[np.float64],
    name: str,
    truth: NDArray[np.float64] | None = None,
) -> bytes:
    """Columns over the numbers 0..k-1, each with its interval.

    Args:
        values: shares, shape (k,).
        low: lower limits of the intervals, shape (k,).
        high: upper limits.
        name: of the attribute.
        truth: the true shares where they are known, shape (k,).

    Raises:
        SordinoError: more columns than can be told apart, or arrays of different lengths.
    """
    known = [] if truth is None else [truth]
    if not 1 <= len(values) <= MOST or {len(low), len(high), *map(len, known)} != {len(values)}:
        raise SordinoError(f"a histogram has 1 to {MOST} columns, each with its limits", found=f"{len(values)} columns")
    at = np.arange(len(values))
    figure = Figure(figsize=(WIDE, HIGH), dpi=DPI, facecolor="white", layout="constrained")
    axes = figure.add_subplot()
    axes.bar(at, values, width=0.8, color=BAR, label="estimate", zorder=2)
    axes.vlines(at, low, high, color=WHISKER, linewidth=min(1.6, 160 / len(values)), label="interval", zorder=3)
    for shares in known:
        axes.plot(at, shares, "D", color=TRUTH, markersize=max(2.0, 6 - len(values) / 40), label="truth", zorder=4)
    axes.set_xlim(-0.7, len(values) - 0.3)
    axes.set_ylim(min(0.0, float(values.min())), None)
    axes.xaxis.set_major_locator(MaxNLocator(12, integer=True))
    axes.yaxis.set_major_formatter(lambda share, _: percent(share))
    axes.set_xlabel(name, fontsize=SIZE, color=INK, parse_math=False)
    axes.set_ylabel("share of people", fontsize=SIZE, color=INK)
    axes.tick_params(labelsize=SIZE, labelcolor=INK, color=FAINT)
    axes.grid(axis="y", color=FAINT, linewidth=0.8, zorder=0)
    for spine in axes.spines.values():
        spine.set_color(FAINT)
    axes.spines[["top", "right"]].set_visible(False)
    figure.legend(loc="outside upper left", ncols=3, frameon=False, fontsize=SIZE, labelcolor=INK)
    return png(figure)
