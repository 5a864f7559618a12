"""Numbers with their intervals, a row each; of changes the numbers before and after too.

A change that noise alone could make is hollow and quiet; one whose interval excludes 0 is filled. Lengths are points.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sordino.blocks.charts import Sides, WithLimits
from sordino.domain.calendar import iso_date
from sordino.errors import SordinoError
from sordino.show.html.figures.axes import SIZE, WIDTH
from sordino.show.html.figures.bars import (
    AXIS,
    DOT,
    ROW,
    SIDE,
    WHISKER,
    middles,
    names,
    row_plane,
    whiskers,
    zero_lines,
)
from sordino.show.html.figures.colours import GROUND, MARK, QUIET
from sordino.show.html.figures.lettering import MINUS, fit
from sordino.show.html.figures.scenes.legend import Mark, Sign, Stroke, legend, legend_height
from sordino.show.html.figures.scenes.plane import LINE, Plane, plain_number, ticks_below, with_room
from sordino.show.html.figures.scenes.scene import MIDDLE, Outline, Scene, Text

SIDES, BETWEEN = 196, 28
"""The width of what was told before and after, and the space to the change."""

APART = 0.09
"""How far before and after are from the middle of a row, in rows: intervals do not hide each other."""

THIN = 0.9
"""The thickness of an interval that holds with all others."""

BEFORE = Mark("dot", 7, GROUND, QUIET)

AFTER = Mark("dot", 7.5, MARK)

SURE = Mark("diamond", 7, MARK)

UNSURE = Mark("diamond", 6, GROUND, QUIET)

LINES = {BEFORE: Stroke(QUIET, WHISKER), AFTER: Stroke(MARK, WHISKER)}

MOST_POINTS = 40

BESIDE, ROOM = 0.02, 0.2
"""From a scale to the names of its ends, and for these, in scales."""

UNIT = 56
"""Letters in a line of what the axis says."""

Floats = NDArray[np.float64]


LINES |= {SURE: LINES[AFTER], UNSURE: LINES[BEFORE]}


"""Of the interval of each."""


def changes(
    labels: Sequence[str],
    texts: Sequence[str],
    sides: Sides,
    units: tuple[str, str],
    *,
    zero: bool,
    numbered: bool = True,
) -> Scene:
    """Rows of both numbers and of what changed, the first at the top.

    Args:
        labels: one for each row.
        texts: what stands on the right of each label.
        sides: the numbers.
        units: what the axes say, of the numbers and of the change.
        zero: whether the scale of the numbers has to hold 0.
        numbered: whether numbers stand at the axes; not where each row has a scale of its own.

    Raises:
        SordinoError: no row, or numbers of another length than the labels.
    """
    count = len(labels)
    columns = [*sides.before, *sides.after, *sides.change, *sides.together, sides.sure]
    if not count or len(texts) != count or any(len(column) != count for column in columns):
        raise SordinoError("changes must have labels, and as many numbers", found=f"{count} labels")
    signs = [Sign("before, with its interval", LINES[BEFORE], BEFORE), Sign("after", LINES[AFTER], AFTER)]
    if sides.sure.any():
        signs.append(Sign("change beyond noise: its interval excludes 0", LINES[SURE], SURE))
    if not sides.sure.all():
        signs.append(Sign("change that noise alone can explain", LINES[UNSURE], UNSURE))
    signs.append(Sign("the end of its interval that holds for all together", Stroke(QUIET, THIN)))
    top, right = legend_height(SIZE, len(signs)), WIDTH - 2 * SIDE - SIDES - BETWEEN
    scene = Scene(WIDTH, top + ROW * count + AXIS)
    legend(scene, SIZE, signs)
    numbers = [*sides.before, *sides.after, np.zeros(int(zero))]
    both = row_plane(scene, top, count, with_room(numbers, 0.06), SIDE, SIDES)
    reach = with_room([*sides.change, *sides.together, np.zeros(1)], 0.06)
    apart = row_plane(scene, top, count, reach, SIDE + SIDES + BETWEEN, right)
    at = middles(both, count)
    written = plain_number(6)
    for plane, most, unit in ((both, 4, units[0]), (apart, 3, units[1])):
        places = ticks_below(plane, most, SIZE, written) if numbered else []
        plane.guides_upright(places)
        plane.axis_below(places, list(map(written, places)), SIZE, [fit(unit, 28)])
    names(both, labels, [text.replace("-", MINUS) for text in texts])
    together = zip(at.tolist(), *(apart.x(ends).tolist() for ends in sides.together), strict=True)
    scene.add(Outline([[(low, down), (high, down)] for down, low, high in together], QUIET, THIN))
    zero_lines(apart, at)
    _points(both, at - APART * ROW, sides.before, BEFORE)
    _points(both, at + APART * ROW, sides.after, AFTER)
    for which, mark in ((sides.sure, SURE), (~sides.sure, UNSURE)):
        value, low, high = (column[which] for column in sides.change)
        _points(apart, at[which], (value, low, high), mark)
    return scene


def _points(plane: Plane, at: NDArray[np.float64], numbers: WithLimits, mark: Mark) -> None:
    value, low, high = map(plane.x, numbers)
    ends = zip(at.tolist(), low.tolist(), high.tolist(), strict=True)
    line = LINES[mark]
    lines = [[(first, down), (last, down)] for down, first, last in ends]
    plane.scene.add(Outline(lines, line.colour, line.thick))
    mark.draw(plane.scene, value, at)


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
