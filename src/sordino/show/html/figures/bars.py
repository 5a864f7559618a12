"""Shares with their intervals as horizontal bars: each has its name above it. Lengths are points."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sordino.blocks.charts import Shares
from sordino.errors import SordinoError
from sordino.show.html.figures.axes import SIZE, WIDTH
from sordino.show.html.figures.colours import BAR, INK, MARK, TRUTH
from sordino.show.html.figures.lettering import fit, in_print, percent
from sordino.show.html.figures.scenes.legend import Mark, Sign, Stroke, legend, legend_height
from sordino.show.html.figures.scenes.plane import Plane, ticks, with_room
from sordino.show.html.figures.scenes.scene import Outline, Scene, Text

MOST_BARS = 40
LABEL = 54
"""Letters of a line at most, which a name and a number on its right share."""
ROW, NAME, BELOW_NAME = 46, 17, 33
"""From one name to the next; from the upper end of a row to its name's base, and to the middle of its bar."""
SIDE, AXIS = 20, 46
"""On the left and right of the bars; below them."""
BAR_HEIGHT = 16
LINE = 12.4
"""Half the height of the line at zero."""
WHISKER, END = 1.8, 5
"""The thickness of an interval's line; how far its ends reach above and below."""
DOT = Mark("dot", 7.5, MARK)
DIAMOND = Mark("diamond", 7, TRUTH)


def bars(labels: Sequence[str], shares: Shares) -> Scene:
    """The fitted share as a bar, the estimate as a dot with its interval; of more than 40 the 40 largest.

    Args:
        labels: one text for each bar, the first at the top; a long one ends early.
        shares: estimates may be negative; intervals need not hold the fitted share.

    Raises:
        SordinoError: no bar, or arrays of another length than the labels.
    """
    if not labels or any(len(column) != len(labels) for column in shares.columns):
        lengths = ", ".join(str(len(column)) for column in shares.columns)
        raise SordinoError(
            "bars must have labels, and as many numbers", found=f"{len(labels)} labels, {lengths} numbers"
        )
    shown = np.sort(np.argsort(-shares.best_known, kind="stable")[:MOST_BARS])
    some = shares.of(shown)
    signs = signs_of(some)
    top = legend_height(SIZE, len(signs))
    scene = Scene(WIDTH, top + ROW * shown.size + AXIS)
    legend(scene, SIZE, signs)
    plane = row_plane(scene, top, shown.size, with_room(some.columns, 0.03, base=0.0))
    names(plane, [labels[index] for index in shown], [in_print(row["estimate"]) for row in some.percentages()])
    numbers = ticks(plane.across, 5)
    plane.guides_upright(numbers)
    at = middles(plane, shown.size)
    if some.fitted is not None:
        (zero,) = plane.x([0.0]).tolist()
        for down, end in zip(at.tolist(), plane.x(some.fitted).tolist(), strict=True):
            scene.rectangle(zero, down - BAR_HEIGHT / 2, end - zero, BAR_HEIGHT, BAR)
    zero_lines(plane, at)
    whiskers(plane, at, (some.estimate, some.low, some.high))
    if some.truth is not None:
        DIAMOND.draw(scene, plane.x(some.truth), at)
    rest = f"; the {MOST_BARS} largest of {len(labels):,}" if shown.size < len(labels) else ""
    plane.axis_below(numbers, list(map(percent, numbers)), SIZE, ["share of people" + rest])
    return scene


def row_plane(
    scene: Scene, top: float, count: int, ends: tuple[float, float], left: float = SIDE, width: float = WIDTH - 2 * SIDE
) -> Plane:
    """A plane of so many rows from that far below the upper edge, with numbers across."""
    return Plane(scene, left, top, width, ROW * count, ends, (count, 0))


def middles(plane: Plane, count: int) -> NDArray[np.float64]:
    """Where what each row shows has its middle, shape (count,)."""
    return plane.top + BELOW_NAME + ROW * np.arange(count, dtype=np.float64)


def names(plane: Plane, labels: Sequence[str], texts: Sequence[str]) -> None:
    """The name of each row, and a text on its right, above what is drawn in it."""
    edge = SIDE - 4
    for row, (label, text) in enumerate(zip(labels, texts, strict=True)):
        base = plane.top + ROW * row + NAME
        name = fit(label, LABEL - len(text))
        plane.scene.add(Text(SIDE - edge, base, name, SIZE), Text(WIDTH - SIDE + edge, base, text, SIZE, "end"))


def whiskers(
    plane: Plane,
    at: NDArray[np.float64],
    numbers: tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]],
) -> None:
    """A dot in each row with its interval."""
    value, low, high = map(plane.x, numbers)
    for down, first, last in zip(at.tolist(), low.tolist(), high.tolist(), strict=True):
        ends = [[(end, down - END), (end, down + END)] for end in (first, last)]
        plane.scene.add(Outline([[(first, down), (last, down)], *ends], MARK, WHISKER))
    DOT.draw(plane.scene, value, at)


def zero_lines(plane: Plane, at: NDArray[np.float64]) -> None:
    """Where nothing is, in each row; names stand free of it."""
    (zero,) = plane.x([0.0]).tolist()
    for down in at.tolist():
        plane.scene.add(Outline([[(zero, down - LINE), (zero, down + LINE)]], INK, 1.2))


def signs_of(shares: Shares) -> list[Sign]:
    """What dots, bars and diamonds mean."""
    signs = [Sign("estimate, with its interval", Stroke(MARK, WHISKER), DOT)]
    if shares.fitted is not None:
        signs.append(Sign("fitted: a valid distribution near the estimates", Stroke(BAR, 10)))
    return [*signs, Sign("truth", mark=DIAMOND)] if shares.truth is not None else signs
