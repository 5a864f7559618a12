"""Estimated numbers of one unit with their intervals, as points on a line: means and regression coefficients."""

from collections.abc import Sequence

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from sordino.errors import SordinoError
from sordino.view.axes import DPI, FAINT, INK, SIZE, STEPS, png
from sordino.view.lettering import MINUS, families, fit

POINT = "#1f3f66"
MOST_POINTS = 40
LABEL = (30, 2)
"""Letters in a line of a label, and lines."""


def points(
    labels: Sequence[str],
    numbers: tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]],
    unit: str,
    texts: Sequence[str] = (),
    *,
    zero: bool,
) -> bytes:
    """Points with intervals, the first label at the top; of more than 40 the first ones, and it says so.

    Args:
        labels: one text for each point.
        numbers: values, and lower and upper limits of their intervals, shape (k,) each.
        unit: what the axis says.
        texts: what stands on the right of each point; nothing by default.
        zero: whether the line where nothing is explained is drawn.

    Raises:
        SordinoError: no point, or arrays of another length than the labels.
    """
    values, low, high = numbers
    if not labels or any(len(column) != len(labels) for column in numbers):
        raise SordinoError("points must have labels, and as many numbers", found=f"{len(labels)} labels")
    if texts and len(texts) != len(labels):
        raise SordinoError("points must have as many texts as labels", found=f"{len(texts)}")
    count = min(len(labels), MOST_POINTS)
    at = np.arange(count)
    figure = Figure(figsize=(7.3, 1.2 + 0.36 * count), dpi=DPI, facecolor="white", layout="constrained")
    axes = figure.add_subplot()
    if zero:
        axes.axvline(0, color=INK, linewidth=1, zorder=1.8)
    axes.hlines(at, low[:count], high[:count], color=POINT, linewidth=1.8, zorder=2)
    for ends in (low, high):
        axes.plot(ends[:count], at, "|", color=POINT, markersize=7, markeredgewidth=1.6, zorder=2)
    axes.plot(values[:count], at, "o", color=POINT, markersize=7, markeredgecolor="white", zorder=3)
    names = [fit(label, *LABEL) for label in labels[:count]]
    axes.set_yticks(at, names, fontsize=SIZE, color=INK, linespacing=1, fontfamily=families(), parse_math=False)
    axes.set_ylim(count - 0.4, -0.6)
    axes.xaxis.set_major_locator(MaxNLocator(6, steps=STEPS))
    axes.tick_params(labelsize=SIZE, labelcolor=INK, color=FAINT)
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="x", color=FAINT, linewidth=0.8, zorder=0)
    for name, spine in axes.spines.items():
        spine.set_visible(name == "bottom")
        spine.set_color(FAINT)
    longest = max((len(text) for text in texts[:count]), default=0)
    for place, text in enumerate(texts[:count]):
        axes.annotate(
            text.replace("-", MINUS),
            (1, place),
            xycoords=axes.get_yaxis_transform(),
            xytext=(10 + 7 * longest, 0),
            textcoords="offset points",
            ha="right",
            va="center_baseline",
            fontsize=SIZE,
            color=INK,
            parse_math=False,
        )
    rest = f"; the first {count} of {len(labels):,}" if count < len(labels) else ""
    axes.set_xlabel(fit(unit, 60, 2) + rest, fontsize=SIZE, color=INK, parse_math=False)
    return png(figure)
