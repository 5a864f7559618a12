"""Estimated numbers of one unit with their intervals, as points in rows: means and regression coefficients."""

from collections.abc import Sequence

import numpy as np
from matplotlib.figure import Figure as Drawing
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from sordino.errors import SordinoError
from sordino.page.figures.axes import SIZE, STEPS, WIDTH, legend, legend_height
from sordino.page.figures.bars import AXIS, DOT, ROW, WHISKER, rows, whiskers, zero_line
from sordino.page.figures.colours import INK
from sordino.page.figures.drawing import sheet
from sordino.page.figures.lettering import MINUS, fit

MOST_POINTS = 40
UNIT = 56
"""Letters in a line of what the axis says."""


def points(
    labels: Sequence[str],
    numbers: tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]],
    unit: str,
    texts: Sequence[str] = (),
    *,
    zero: bool,
) -> Drawing:
    """Points with intervals, the first label at the top; of more than 40 the first ones, and it says so.

    Args:
        labels: one text for each point.
        numbers: values, and lower and upper limits of their intervals, shape (k,) each.
        unit: what the axis says.
        texts: what stands on the right of each label; nothing by default.
        zero: whether the line where nothing is explained is drawn.

    Raises:
        SordinoError: no point, or arrays of another length than the labels.
    """
    if not labels or any(len(column) != len(labels) for column in numbers):
        raise SordinoError("points must have labels, and as many numbers", found=f"{len(labels)} labels")
    if texts and len(texts) != len(labels):
        raise SordinoError("points must have as many texts as labels", found=f"{len(texts)}")
    count = min(len(labels), MOST_POINTS)
    value, low, high = (column[:count] for column in numbers)
    top = legend_height(SIZE, 1)
    lines = fit(unit, UNIT, 2).split("\n")
    if count < len(labels):
        lines.append(f"the first {count} of {len(labels):,}")
    drawing = sheet(WIDTH, top + ROW * count + AXIS + 17 * (len(lines) - 1))
    legend(drawing, SIZE, [("estimate, with its interval", {**DOT, "linestyle": "-", "linewidth": WHISKER})])
    shown = [text.replace("-", MINUS) for text in texts[:count]] or [""] * count
    axes = rows(drawing, top, labels[:count], shown)
    if zero:
        zero_line(axes, count)
    whiskers(axes, (value, low, high))
    axes.xaxis.set_major_locator(MaxNLocator(5, steps=STEPS))
    axes.set_xlabel("\n".join(lines), fontsize=SIZE, color=INK, parse_math=False)
    return drawing
