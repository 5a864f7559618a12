"""Shares and losses as bars: values by their names, columns over numbers, losses beside what is promised.

Lengths are points.
"""

from collections.abc import Sequence
from dataclasses import replace
from math import isfinite

import numpy as np
from numpy.typing import NDArray

from sordino.blocks.charts import LossChart, Shares
from sordino.errors import SordinoError
from sordino.show.html.figures.axes import LETTERS, SIZE, WIDE, WIDTH
from sordino.show.html.figures.colours import BAR, INK, MARK, TRUTH
from sordino.show.html.figures.lettering import fit, in_print, percent
from sordino.show.html.figures.scenes.legend import Mark, Sign, Stroke, legend, legend_height
from sordino.show.html.figures.scenes.plane import Plane, level_line, plain_number, ticks, ticks_below, with_room
from sordino.show.html.figures.scenes.scene import Outline, Scene, Text

MOST_ROWS = 40

BOUND = 2.4
"""The thickness of the line at a bound."""

SIGNS = [Sign("the most that a report can reveal", Stroke(BAR, 10)), Sign("what is promised", Stroke(MARK, BOUND))]

MOST = 400
"""Columns at most: each keeps a pixel or two of a page."""

LEFT, RIGHT, HIGH, BELOW = 130, 16, 380, 84

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


def columns(shares: Shares, name: str, at: NDArray[np.float64] | None = None) -> Scene:
    """Columns over numbers: the fitted shares, and the estimates with their intervals.

    Args:
        shares: of the values.
        name: of the attribute.
        at: the numbers, ascending, shape (k,); 0..k-1 by default.

    Raises:
        SordinoError: more columns than can be told apart, or arrays of different lengths.
    """
    count = len(shares.estimate)
    if not 1 <= count <= MOST or {len(column) for column in shares.columns} != {count}:
        raise SordinoError(f"a histogram has 1 to {MOST} columns, each with its limits", found=f"{count} columns")
    size = LETTERS * WIDE
    signs = signs_of(shares)
    top = legend_height(size, len(signs))
    scene = Scene(WIDE, top + HIGH + BELOW)
    legend(scene, size, signs)
    at, thin = np.arange(count, dtype=np.float64) if at is None else at, 25 / count
    gap = float(np.diff(at).min(initial=np.inf)) if count > 1 else 1.0
    ends = float(at[0] - 0.7 * gap), float(at[-1] + 0.7 * gap)
    plane = Plane(scene, LEFT, top, WIDE - LEFT - RIGHT, HIGH, ends, with_room(shares.columns, 0.05, base=0.0))
    written = plain_number(12)
    numbers = ticks_below(plane, 10, size, written, integer=bool((at % 1 == 0).all()))
    parts = ticks(plane.upward, 6)
    plane.guides_level(parts)
    across = plane.x(at)
    if shares.fitted is not None:
        (zero,), width = plane.y([0.0]).tolist(), 0.8 * gap * plane.width / (ends[1] - ends[0])
        for middle, end in zip(across.tolist(), plane.y(shares.fitted).tolist(), strict=True):
            scene.rectangle(middle - width / 2, end, width, zero - end, BAR)
    level_line(plane, 0.0)
    limits = zip(across.tolist(), plane.y(shares.low).tolist(), plane.y(shares.high).tolist(), strict=True)
    lines = [[(middle, low), (middle, high)] for middle, low, high in limits]
    scene.add(Outline(lines, MARK, max(1.0, min(WHISKER, 4 * thin))))
    _of(DOT, 16 * thin).draw(scene, across, plane.y(shares.estimate))
    if shares.truth is not None:
        _of(DIAMOND, 16 * thin).draw(scene, across, plane.y(shares.truth))
    plane.axis_left(parts, list(map(percent, parts)), size)
    said = f"{fit(name, 40)}; upward the share of people"
    plane.axis_below(numbers, list(map(written, numbers)), size, [said])
    return scene


def _of(mark: Mark, size: float) -> Mark:
    size = max(2.5, min(mark.size, size))
    return replace(mark, size=size, thick=1.0 if size > 5 else 0.0)


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
