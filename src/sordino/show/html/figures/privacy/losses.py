"""The most that a report can reveal beside what is promised, as horizontal bars in nats. Lengths are points."""

from math import isfinite

from sordino.blocks.charts import LossChart
from sordino.errors import SordinoError
from sordino.show.html.figures.axes import SIZE, WIDTH
from sordino.show.html.figures.bars import AXIS, BAR_HEIGHT, LINE, ROW, middles, names, row_plane
from sordino.show.html.figures.colours import BAR, MARK
from sordino.show.html.figures.scenes.legend import Sign, Stroke, legend, legend_height
from sordino.show.html.figures.scenes.plane import plain_number, ticks, with_room
from sordino.show.html.figures.scenes.scene import Outline, Scene

MOST_ROWS = 40
BOUND = 2.4
"""The thickness of the line at a bound."""
SIGNS = [Sign("the most that a report can reveal", Stroke(BAR, 10)), Sign("what is promised", Stroke(MARK, BOUND))]


def losses(chart: LossChart) -> Scene:
    """A bar for each loss, and a line where its bound is; of more than 40 rows the first, and it says so.

    A loss without bound reaches the right edge, beyond all that is promised.

    Raises:
        SordinoError: no row, or arrays of another length than the labels.
    """
    count = len(chart.labels)
    if not count or {len(chart.texts), len(chart.losses), len(chart.bounds)} != {count}:
        raise SordinoError("losses must have labels, and as many bounds", found=f"{count} labels")
    shown = min(count, MOST_ROWS)
    reached, bounds = chart.losses[:shown], chart.bounds[:shown]
    top = legend_height(SIZE, len(SIGNS))
    scene = Scene(WIDTH, top + ROW * shown + AXIS)
    legend(scene, SIZE, SIGNS)
    plane = row_plane(scene, top, shown, with_room([reached, bounds], 0.05, base=0.0))
    names(plane, chart.labels[:shown], chart.texts[:shown])
    numbers = ticks(plane.across, 5)
    plane.guides_upright(numbers)
    (zero,) = plane.x([0.0]).tolist()
    for down, loss, bound in zip(
        middles(plane, shown).tolist(), plane.x(reached).tolist(), plane.x(bounds).tolist(), strict=True
    ):
        scene.rectangle(zero, down - BAR_HEIGHT / 2, loss - zero, BAR_HEIGHT, BAR)
        if isfinite(bound):
            scene.add(Outline([[(bound, down - LINE), (bound, down + LINE)]], MARK, BOUND))
    rest = f"; the first {shown} of {count:,}" if shown < count else ""
    plane.axis_below(numbers, list(map(plain_number(6), numbers)), SIZE, [f"nats{rest}"])
    return scene
