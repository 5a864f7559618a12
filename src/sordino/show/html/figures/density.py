"""A number's distribution: its density as a histogram, and its function within its band. Lengths are points."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sordino.domain.calendar import iso_date
from sordino.errors import SordinoError
from sordino.show.html.figures.axes import LETTERS, WIDE
from sordino.show.html.figures.bars import DOT, END, WHISKER
from sordino.show.html.figures.colours import BAR, INK, MARK
from sordino.show.html.figures.lettering import fit, percent
from sordino.show.html.figures.scenes.legend import Sign, Stroke, legend, legend_height
from sordino.show.html.figures.scenes.plane import Plane, plain_number, ticks, ticks_below, with_room
from sordino.show.html.figures.scenes.scene import Outline, Scene

LEFT, RIGHT, HIGH, BELOW = 130, 64, 340, 84
THICK = 2.4
"""The thickness of the curve."""

UNEVEN = 8
"""Times as wide as the narrowest bin is the widest one, at most, where columns are as wide as their bins."""

MOST_EDGES = 8
"""Edges that are named below columns of one width."""

Floats = NDArray[np.float64]


def density(edges: Floats, shares: Floats, name: str, *, dates: bool = False) -> Scene:
    """Columns as wide as the bins, whose areas are the shares; the scale is the share of a bin of the mean width.

    Where bins are much wider than others, columns of one width, whose heights are the shares: nobody reads off an area
    how many people are in a bin that is hardly seen.

    Args:
        edges: of the bins, shape (k + 1,).
        shares: of the bins, shape (k,).
        name: of the number.
        dates: whether it is a date, in days since 1970-01-01.

    Raises:
        SordinoError: arrays of different lengths.
    """
    _require_alike(len(edges), shares)
    widths = np.diff(edges)
    scene = Scene(WIDE, HIGH + BELOW)
    is_even, is_uneven = bool(np.allclose(widths, widths[0])), bool(widths.max() > UNEVEN * widths.min())
    heights = shares if is_uneven else shares * (widths.mean() / widths)
    across = np.arange(len(edges), dtype=np.float64) if is_uneven else edges
    ends, upward = (float(across[0]), float(across[-1])), (float(heights.min(initial=0)), float(heights.max()))
    plane = Plane(
        scene, LEFT, 6, WIDE - LEFT - RIGHT, HIGH - 6, ends, with_room([np.array(upward)], 0.05, base=upward[0])
    )
    parts = ticks(plane.upward, 5)
    plane.guides_level(parts)
    # One area: between columns of their own a screen would show seams.
    (zero,), places = plane.y([0.0]).tolist(), np.repeat(plane.x(across), 2)
    down = np.concatenate([[zero], np.repeat(plane.y(heights), 2), [zero]])
    scene.add(Outline([np.stack((places, down), axis=1)], fill=BAR, closed=True))
    what = "share of people in a bin" if is_even or is_uneven else "share of people in a bin of the mean width"
    scale = "; bins are drawn equally wide" if is_uneven else ""
    _finish(plane, parts, f"{fit(name, 40)}; upward the {what}{scale}", dates=dates, edges=edges if is_uneven else None)
    return scene


def curve(
    edges: Floats,
    function: Floats,
    band: tuple[Floats, Floats],
    quantiles: Sequence[tuple[float, ...]],
    name: str,
    *,
    steps: bool = False,
    dates: bool = False,
) -> Scene:
    """The distribution function, shaded between its limits, with quantiles and their intervals.

    Args:
        edges: where the function is told, shape (k + 1,).
        function: the share of people below each edge, shape (k + 1,).
        band: its lower and upper limits, shape (k + 1,) each.
        quantiles: for each its part of the people, the number, and the number's limits.
        name: of the number.
        steps: whether it rises at once where a bin begins, as where many people have equal numbers.
        dates: whether the number is a date, in days since 1970-01-01.

    Raises:
        SordinoError: arrays of different lengths.
    """
    _require_alike(len(edges) + 1, function, *band)
    signs = [
        Sign("fitted distribution function", Stroke(INK, THICK)),
        Sign("where the whole function lies", Stroke(BAR, 10, opacity=0.35)),
    ]
    if quantiles:
        signs.append(Sign("quantile, with its interval", Stroke(MARK, WHISKER), DOT))
    size = LETTERS * WIDE
    top = legend_height(size, len(signs))
    scene = Scene(WIDE, top + HIGH + BELOW)
    legend(scene, size, signs)
    ends = float(edges[0]), float(edges[-1])
    plane = Plane(scene, LEFT, top, WIDE - LEFT - RIGHT, HIGH, ends, (0, 1))
    parts = ticks((0, 1), 5)
    plane.guides_level(parts)
    low, high, middle = (_line(plane, edges, column, steps=steps) for column in (*band, function))
    scene.add(Outline([np.concatenate([low, high[::-1]])], fill=BAR, opacity=0.35, closed=True))
    scene.add(Outline([middle], INK, THICK))
    for part, *numbers in quantiles:
        (down,), (value, first, last) = plane.y([part]).tolist(), plane.x(numbers).tolist()
        caps = [[(end, down - END), (end, down + END)] for end in (first, last)]
        scene.add(Outline([[(first, down), (last, down)], *caps], MARK, WHISKER))
        DOT.draw(scene, np.array([value]), np.array([down]))
    which = "who do not exceed it" if steps else "below it"
    _finish(plane, parts, f"{fit(name, 40)}; upward the share of people {which}", dates=dates)
    return scene


def _line(plane: Plane, edges: Floats, function: Floats, *, steps: bool) -> Floats:
    """The places of a function's line; one of steps rises at once where it leaves an edge."""
    across, down = plane.x(edges), plane.y(function)
    if steps:
        across, down = np.repeat(across, 2)[:-1], np.repeat(down, 2)[1:]
    return np.stack((across, down), axis=1)


def _require_alike(count: int, *columns: Floats) -> None:
    if any(len(column) != count - 1 for column in columns):
        lengths = ", ".join(str(len(column)) for column in columns)
        raise SordinoError("a distribution must have a number for each place", found=f"{count} edges, {lengths}")


def _finish(plane: Plane, parts: list[float], below: str, *, dates: bool, edges: Floats | None = None) -> None:
    """The axes; of bins that are drawn equally wide with some of their edges below."""
    size = LETTERS * WIDE
    written = iso_date if dates else plain_number(12)
    if edges is None:
        numbers = ticks_below(plane, 6, size, written, dates=dates)
        texts = list(map(written, numbers))
    else:
        shown = range(0, len(edges), -(-len(edges) // MOST_EDGES))
        numbers, texts = list(map(float, shown)), [written(float(edges[place])) for place in shown]
    plane.axis_left(parts, list(map(percent, parts)), size)
    plane.axis_below(numbers, texts, size, [below])
