"""Sizes that figures share, and the axes of those that a library draws. Lengths are points."""

from typing import TYPE_CHECKING

from sordino.show.html.figures.colours import INK, RULE

if TYPE_CHECKING:
    from matplotlib.axes import Axes

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


def degrees(axes: "Axes", width: float, height: float, size: float) -> None:
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


def quiet(axes: "Axes", size: float) -> None:
    """Texts of one size, thin lines, and no edges above and on the right."""
    axes.tick_params(labelsize=size, labelcolor=INK, color=RULE, which="both")
    for spine in axes.spines.values():
        spine.set_color(RULE)
    axes.spines[["top", "right"]].set_visible(False)


def _angles(first: float, last: float, most: int) -> list[float]:
    from matplotlib.ticker import MaxNLocator

    margin = 1e-9 * (last - first)
    angles = MaxNLocator(most, steps=STEPS).tick_values(first, last)
    return [float(angle) for angle in angles if first - margin <= angle <= last + margin]


def _degree(angle: float, sides: str) -> str:
    rounded = round(angle, 6)
    side = "" if rounded == 0 else f"\N{NO-BREAK SPACE}{sides[int(rounded > 0)]}"
    return f"{abs(rounded):.9g}\N{DEGREE SIGN}{side}"
