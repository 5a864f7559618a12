"""Estimated numbers with their intervals, as points in rows: means and regression coefficients.

Numbers of one unit share an axis. Of several units each row has a scale of its own, from one end of what is possible to
the other, and both ends stand beside it.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sordino.domain.answers.days import iso_date
from sordino.errors import SordinoError
from sordino.show.html.figures.axes import SIZE, WIDTH
from sordino.show.html.figures.bars import AXIS, DOT, ROW, WHISKER, middles, names, row_plane, whiskers, zero_lines
from sordino.show.html.figures.colours import MARK, QUIET
from sordino.show.html.figures.lettering import MINUS, fit
from sordino.show.html.figures.scenes.legend import Sign, Stroke, legend, legend_height
from sordino.show.html.figures.scenes.plane import LINE, Plane, plain_number, ticks_below, with_room
from sordino.show.html.figures.scenes.scene import MIDDLE, Outline, Scene, Text

MOST_POINTS = 40
THIN = 0.9
"""The thickness of a row's own scale."""
BESIDE, ROOM = 0.02, 0.2
"""From a scale to the names of its ends, and for these, in scales."""
UNIT = 56
"""Letters in a line of what the axis says."""

Floats = NDArray[np.float64]


def points(
    labels: Sequence[str],
    numbers: tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]],
    unit: str,
    texts: Sequence[str] = (),
    *,
    scales: Sequence[tuple[float, float]] = (),
    zero: bool,
    dates: Sequence[bool] = (),
) -> Scene:
    """Points with intervals, the first label at the top; of more than 40 the first ones, and it says so.

    Args:
        labels: one text for each point.
        numbers: values, and lower and upper limits of their intervals, shape (k,) each.
        unit: what the axis says.
        texts: what stands on the right of each label; nothing by default.
        scales: the ends of each row's own scale; none where all share one.
        zero: whether the line where nothing is explained is drawn.
        dates: which rows are of dates, in days since 1970-01-01; none by default.

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
    scene = Scene(WIDTH, top + ROW * count + AXIS + LINE * SIZE * (len(lines) - 1))
    legend(scene, SIZE, [Sign("estimate, with its interval", Stroke(MARK, WHISKER), DOT)])
    are_dates = [*dates[:count]] or [False] * count
    shown = [""] * count
    if texts:
        shown = [text if day else text.replace("-", MINUS) for text, day in zip(texts, are_dates, strict=False)]
    ends = (-ROOM, 1 + ROOM) if scales else with_room([value, low, high, np.zeros(int(zero))], 0.05)
    plane = row_plane(scene, top, count, ends)
    names(plane, labels[:count], shown)
    at = middles(plane, count)
    written = iso_date if all(are_dates) else plain_number(6)
    places = [] if scales else ticks_below(plane, 5, SIZE, written, dates=all(are_dates))
    plane.guides_upright(places)
    if scales:
        value, low, high = _on_own_scales(plane, at, (value, low, high), scales[:count], are_dates)
    if zero:
        zero_lines(plane, at)
    whiskers(plane, at, (value, low, high))
    plane.axis_below(places, list(map(written, places)), SIZE, lines)
    return scene


def _on_own_scales(
    plane: Plane,
    at: Floats,
    numbers: tuple[Floats, Floats, Floats],
    scales: Sequence[tuple[float, float]],
    dates: Sequence[bool],
) -> tuple[Floats, Floats, Floats]:
    """The numbers as parts of their own scales, shape (k,) each, after these are drawn with their ends."""
    starts, ends = np.array(scales).T
    left, right = plane.x([0.0, 1.0]).tolist()
    before, after = plane.x([-BESIDE, 1 + BESIDE]).tolist()
    plain = plain_number(6)
    for down, first, last, is_date in zip(at.tolist(), starts.tolist(), ends.tolist(), dates, strict=True):
        base, written = down + MIDDLE * SIZE, iso_date if is_date else plain
        plane.scene.add(
            Outline([[(left, down), (right, down)]], QUIET, THIN),
            Text(before, base, written(first), SIZE, "end"),
            Text(after, base, written(last), SIZE),
        )
    value, low, high = ((column - starts) / (ends - starts) for column in numbers)
    return value, low, high
