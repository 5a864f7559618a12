"""A histogram of numbered values with intervals: columns in the order of the numbers. Lengths are points."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from sordino.blocks.charts import Shares
from sordino.errors import SordinoError
from sordino.show.html.figures.axes import LETTERS, WIDE
from sordino.show.html.figures.bars import DIAMOND, DOT, WHISKER, signs_of
from sordino.show.html.figures.colours import BAR, MARK
from sordino.show.html.figures.lettering import fit, percent
from sordino.show.html.figures.scenes.legend import Mark, legend, legend_height
from sordino.show.html.figures.scenes.plane import Plane, level_line, plain_number, ticks, ticks_below, with_room
from sordino.show.html.figures.scenes.scene import Outline, Scene

MOST = 400
"""Columns at most: each keeps a pixel or two of a page."""
LEFT, RIGHT, HIGH, BELOW = 130, 16, 380, 84


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
    """A mark of at most its size, with an edge only where that leaves something of it."""
    size = max(2.5, min(mark.size, size))
    return replace(mark, size=size, thick=1.0 if size > 5 else 0.0)
