"""Axes in one style: degrees beside maps, percentages under bars, numbers under columns. Lengths are points."""

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure as Drawing
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from sordino.page.figures.colours import INK, RULE
from sordino.page.figures.lettering import percent

WIDTH = 440
"""Of a drawing that stands beside its table."""
WIDE = 960
"""Of one that has the page's width to itself."""
LETTERS = 0.0284
"""Size of the letters as a part of the width: 10 pixels and a half where a screen has 400, margins taken off."""
SIZE = 12.5
"""Letters of a drawing of the first width."""
FILE_SIZE = 11
"""Letters of drawings that are made as files; titles have one more."""
LETTER = 0.62
"""What a letter takes of its size on average."""
STEPS = [1, 2, 2.5, 5, 10]
"""Round numbers that ticks may be apart, times powers of ten."""


Style: TypeAlias = dict[str, Any]
"""How the drawing library shall draw a line or a marker."""
Sign: TypeAlias = tuple[str, Style]
"""What a sign means, and the line or the marker that it is."""
LINE = 1.7
"""From one line of a legend to the next, in its letters."""


def degrees(axes: Axes, width: float, height: float, size: float) -> None:
    """Longitudes below and latitudes on the left of a map of that width and height."""
    quiet(axes, size)
    axes.grid(color=RULE, linewidth=1, zorder=1)
    (west, east), (south, north) = axes.get_xlim(), axes.get_ylim()
    letter = LETTER * size
    for most in range(8, 0, -1):
        across = _angles(west, east, most)
        texts = [_degree(angle, "WE") for angle in across]
        if sum(len(text) + 3 for text in texts) * letter <= width:
            break
    axes.set_xticks(across, texts)
    along = _angles(south, north, max(1, min(8, int(height / (2 * size)))))
    axes.set_yticks(along, [_degree(angle, "SN") for angle in along])
    # The outermost texts end with the map.
    for label, text, angle in zip(axes.get_xticklabels(), texts, across, strict=True):
        place = width * (angle - west) / (east - west)
        if min(place, width - place) < len(text) * letter / 2:
            label.set_horizontalalignment("left" if place < width / 2 else "right")


def share_axis(axes: Axes, numbers: NDArray[np.float64]) -> None:
    """Percentages along the lower edge that hold zero and all the numbers."""
    finite = numbers[np.isfinite(numbers)]
    first, last = finite.min(initial=0), finite.max(initial=0)
    room = (last - first) * 0.03
    axes.set_xlim(first - room * (first < 0), last + room if last > first else first + 1)
    axes.xaxis.set_major_locator(MaxNLocator(5, steps=STEPS))
    percentages(axes.xaxis)
    lines_across(axes)


def legend_height(size: float, lines: int) -> float:
    """What a legend of so many lines takes, with the space below it."""
    return size * (LINE * lines + 1.2)


def legend(drawing: Drawing, size: float, signs: Sequence[Sign]) -> None:
    """At the drawing's upper edge what its signs mean, a line for each."""
    width, height = drawing.get_size_inches() * 72
    left, middle, right = (size * letters / width for letters in (0.4, 1.4, 2.4))
    for number, (text, style) in enumerate(signs):
        line = 1 - size * LINE * (number + 0.5) / height
        ends = [left, middle, right]
        drawing.add_artist(Line2D(ends, [line] * 3, markevery=[1], solid_capstyle="butt", **style))
        drawing.text(right + size * 0.6 / width, line, text, va="center_baseline", size=size, color=INK)


def lines_across(axes: Axes) -> None:
    """Guide lines from a scale below, and no edge but the lower one."""
    quiet(axes, SIZE)
    axes.set_yticks([])
    axes.grid(axis="x", color=RULE, linewidth=1, zorder=0)
    axes.spines["left"].set_visible(False)


def percentages(axis: Axis) -> None:
    """Shares as percentages."""
    axis.set_major_formatter(lambda share, _: percent(share))


def quiet(axes: Axes, size: float) -> None:
    """Texts of one size, thin lines, and no edges above and on the right."""
    axes.tick_params(labelsize=size, labelcolor=INK, color=RULE, which="both")
    for spine in axes.spines.values():
        spine.set_color(RULE)
    axes.spines[["top", "right"]].set_visible(False)


def _angles(first: float, last: float, most: int) -> list[float]:
    margin = 1e-9 * (last - first)
    angles = MaxNLocator(most, steps=STEPS).tick_values(first, last)
    return [float(angle) for angle in angles if first - margin <= angle <= last + margin]


def _degree(angle: float, sides: str) -> str:
    rounded = round(angle, 6)
    side = "" if rounded == 0 else f"\N{NO-BREAK SPACE}{sides[int(rounded > 0)]}"
    return f"{abs(rounded):.9g}\N{DEGREE SIGN}{side}"
