"""What changed: in each row the number before and after, and beside them the change with its interval.

A change that noise alone could make is hollow and quiet; one that is surely there is filled. Lengths are points.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Drawing
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from sordino.errors import SordinoError
from sordino.page.figures.axes import SIZE, STEPS, WIDTH, Sign, Style, legend, legend_height, lines_across
from sordino.page.figures.bars import AXIS, BELOW_NAME, LABEL, NAME, ROW, SIDE, WHISKER, zero_line
from sordino.page.figures.colours import GROUND, INK, MARK, QUIET
from sordino.page.figures.drawing import area, sheet
from sordino.page.figures.lettering import MINUS, fit

SIDES, BETWEEN = 196, 28
"""The width of what was told before and after, and the space to the change."""
APART = 0.09
"""How far before and after are from the middle of a row, in rows: intervals do not hide each other."""

THIN = 0.9
"""The thickness of an interval that holds with all others."""

BEFORE: Style = {"marker": "o", "linestyle": "", "color": QUIET, "markersize": 7, "markerfacecolor": GROUND}
AFTER: Style = {"marker": "o", "linestyle": "", "color": MARK, "markersize": 7.5, "markeredgecolor": GROUND}
SURE: Style = {"marker": "D", "linestyle": "", "color": MARK, "markersize": 7, "markeredgecolor": GROUND}
UNSURE: Style = {"marker": "D", "linestyle": "", "color": QUIET, "markersize": 6, "markerfacecolor": GROUND}

Interval = tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]
"""Values and their lower and upper limits, shape (k,) each."""


@dataclass(frozen=True, eq=False)
class Sides:
    """Some numbers of one scale, arrays of shape (k,).

    Attributes:
        before, after: in both collections.
        change: the difference.
        together: its lower and upper limits that hold together with those of all numbers of the question.
        sure: whether it surely changed.
    """

    before: Interval
    after: Interval
    change: Interval
    together: tuple[NDArray[np.float64], NDArray[np.float64]]
    sure: NDArray[np.bool_]


def changes(
    labels: Sequence[str], texts: Sequence[str], sides: Sides, units: tuple[str, str], *, zero: bool
) -> Drawing:
    """Rows of both numbers and of what changed, the first at the top.

    Args:
        labels: one for each row.
        texts: what stands on the right of each label.
        sides: the numbers.
        units: what the axes say, of the numbers and of the change.
        zero: whether the scale of the numbers has to hold 0.

    Raises:
        SordinoError: no row, or numbers of another length than the labels.
    """
    count = len(labels)
    columns = [*sides.before, *sides.after, *sides.change, *sides.together, sides.sure]
    if not count or len(texts) != count or any(len(column) != count for column in columns):
        raise SordinoError("changes must have labels, and as many numbers", found=f"{count} labels")
    signs: list[Sign] = [
        ("before, with its interval", {**BEFORE, "linestyle": "-", "linewidth": WHISKER}),
        ("after", {**AFTER, "linestyle": "-", "linewidth": WHISKER}),
    ]
    if sides.sure.any():
        signs.append(("change, surely not 0", {**SURE, "linestyle": "-", "linewidth": WHISKER}))
    if not sides.sure.all():
        signs.append(("change that noise alone may make", {**UNSURE, "linestyle": "-", "linewidth": WHISKER}))
    signs.append(("where its interval ends that holds with all others", {"color": QUIET, "linewidth": THIN}))
    top, right = legend_height(SIZE, len(signs)), WIDTH - 2 * SIDE - SIDES - BETWEEN
    drawing = sheet(WIDTH, top + ROW * count + AXIS)
    legend(drawing, SIZE, signs)
    both = _rows(drawing, (SIDE, SIDES), top, count)
    apart = _rows(drawing, (SIDE + SIDES + BETWEEN, right), top, count)
    for row, (label, text) in enumerate(zip(labels, texts, strict=True)):
        place = 1 - (top + ROW * row + NAME) / (drawing.get_size_inches()[1] * 72)
        style: Style = {"size": SIZE, "color": INK, "parse_math": False}
        drawing.text(4 / WIDTH, place, fit(label, LABEL - len(text)), **style)
        drawing.text(1 - 4 / WIDTH, place, text.replace("-", MINUS), ha="right", **style)
    at = np.arange(count, dtype=np.float64)
    _points(both, at - APART, sides.before, BEFORE)
    _points(both, at + APART, sides.after, AFTER)
    for which, marker in ((sides.sure, SURE), (~sides.sure, UNSURE)):
        value, low, high = (column[which] for column in sides.change)
        _points(apart, at[which], (value, low, high), marker)
    apart.hlines(at, *sides.together, color=QUIET, linewidth=THIN, zorder=2)
    zero_line(apart, count)
    _reach(both, [*sides.before, *sides.after], zero=zero)
    _reach(apart, [*sides.change, *sides.together], zero=True)
    for axes, most, unit in ((both, 4, units[0]), (apart, 3, units[1])):
        axes.xaxis.set_major_locator(MaxNLocator(most, steps=STEPS))
        axes.set_xlabel(fit(unit, 28), fontsize=SIZE, color=INK, parse_math=False)
    return drawing


def _rows(drawing: Drawing, across: tuple[float, float], top: float, count: int) -> Axes:
    left, width = across
    axes = area(drawing, left, top, width, ROW * count)
    above = BELOW_NAME / ROW
    axes.set_ylim(count - above, -above)
    lines_across(axes)
    axes.xaxis.set_major_formatter(lambda number, _: f"{number:.6g}".replace("-", MINUS))
    return axes


def _reach(axes: Axes, columns: Sequence[NDArray[np.float64]], *, zero: bool) -> None:
    """From a little below the least number to a little above the largest."""
    numbers = np.concatenate([*columns, [0.0] * zero])
    room = 0.06 * (numbers.max() - numbers.min()) or 1.0
    axes.set_xlim(numbers.min() - room, numbers.max() + room)


def _points(axes: Axes, at: NDArray[np.float64], numbers: Interval, style: Style) -> None:
    value, low, high = numbers
    axes.hlines(at, low, high, color=style["color"], linewidth=WHISKER, zorder=3)
    axes.plot(value, at, **style, zorder=4)
