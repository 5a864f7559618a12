"""Estimated numbers of one unit with their intervals, as points on a line: means and regression coefficients."""

from collections.abc import Sequence

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from sordino.errors import SordinoError
from sordino.view.axes import DPI, FAINT, INK, SIZE, STEPS, png
from sordino.view.lettering import families, fit

POINT = "#1f3f66"
MOST_POINTS = 40
LABEL = (30, 2)
"""Letters in a line of a label, and lines."""


def points(
    labels: Sequence[str],
    numbers: tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]],
    unit: str,
    *,
    zero: bool,
) -> bytes:
    """Points with intervals, the first label at the top; of more than 40 the first ones, and it says so.

    Args:
        labels: one text for each point.
        numbers: values, and lower and upper limits of their intervals, shape (k,) each.
        unit: what the axis says.
        zero: whether the line where nothing is explained is drawn.

    Raises:
        SordinoError: no point, or arrays of another length than the labels.
    """
    values, low, high = numbers
    if not labels or any(len(column) != len(labels) for column in numbers):
        raise SordinoError("points must have labels, and as many numbers", found=f"{len(labels)} labels")
    count = min(len(labels), MOST_POINTS)
    at = np.arange(count)
    figure = Figure(figsize=(7.3, 1.2 + 0.36 * count), dpi=DPI, facecolor="white", layout="constrained")
    axes = figure.add_subplot()
    if zero:
        axes.axvline(0, color=INK, linewidth=0.9, zorder=1)
    axes.hlines(at, low[:count], high[:count], color=POINT, linewidth=1.8, zorder=2)
    axes.plot(values[:count], at, "o", color=POINT, markersize=7, markeredgecolor="white", zorder=3)
    texts = [fit(label, *LABEL) for label in labels[:count]]
    axes.set_yticks(at, texts, fontsize=SIZE, color=INK, linespacing=1, fontfamily=families(), parse_math=False)
    axes.set_ylim(count - 0.4, -0.6)
    axes.xaxis.set_major_locator(MaxNLocator(6, steps=STEPS))
    axes.tick_params(labelsize=SIZE, labelcolor=INK, color=FAINT)
    axes.grid(axis="x", color=FAINT, linewidth=0.8, zorder=0)
    for name, spine in axes.spines.items():
        spine.set_visible(name == "bottom")
        spine.set_color(FAINT)
    rest = f"; the first {count} of {len(labels):,}" if count < len(labels) else ""
    axes.set_xlabel(fit(unit, 60, 2) + rest, fontsize=SIZE, color=INK, parse_math=False)
    return png(figure)
