"""What changed: in each row the number before and after, and beside them the change with its interval.

A change that noise alone could make is hollow and quiet; one whose interval excludes 0 is filled. Lengths are points.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sordino.blocks.charts import Sides, WithLimits
from sordino.errors import SordinoError
from sordino.show.html.figures.axes import SIZE, WIDTH
from sordino.show.html.figures.bars import AXIS, ROW, SIDE, WHISKER, middles, names, row_plane, zero_lines
from sordino.show.html.figures.colours import GROUND, MARK, QUIET
from sordino.show.html.figures.lettering import MINUS, fit
from sordino.show.html.figures.scenes.legend import Mark, Sign, Stroke, legend, legend_height
from sordino.show.html.figures.scenes.plane import Plane, plain_number, ticks_below, with_room
from sordino.show.html.figures.scenes.scene import Outline, Scene

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
