"""Axes in one style: degrees on maps, percentages under bars, a colour bar for shares; and a figure's bytes."""

from io import BytesIO

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Colormap, LogNorm
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, MaxNLocator
from numpy.typing import NDArray

from sordino.view.lettering import percent

Place = tuple[float, float, float, float]
"""Left, bottom, width and height, as parts of the figure."""
DPI = 160
"""A page shows two of these pixels in each of its own."""

INK, FAINT = "#1c2430", "#d5dae1"
"""Text, and guide lines."""
STEPS = [1, 2, 2.5, 5, 10]
"""Round numbers that ticks may be apart, times powers of ten."""
SIZE = 11
"""Points; titles have one more."""
LETTER = 0.09
"""Inches that a letter of this size takes on average."""


def degrees(axes: Axes, width: float, height: float, *, latitudes: bool) -> None:
    """Longitudes below and, on the first of several maps, latitudes on the left; the map's size is in inches."""
    _quiet(axes)
    axes.grid(color="white", linewidth=0.8, zorder=1)
    (west, east), (south, north) = axes.get_xlim(), axes.get_ylim()
    for most in range(8, 0, -1):
        across = _angles(west, east, most)
        texts = [_degree(angle, "WE") for angle in across]
        if sum(len(text) + 3 for text in texts) * LETTER <= width:
            break
    axes.set_xticks(across, texts)
    along = _angles(south, north, max(1, min(8, int(height / 0.5))))
    axes.set_yticks(along, [_degree(angle, "SN") for angle in along])
    axes.tick_params(labelleft=latitudes)
    # The outermost texts end with the map, so that those of neighbours never touch.
    for label, text, angle in zip(axes.get_xticklabels(), texts, across, strict=True):
        place = width * (angle - west) / (east - west)
        if min(place, width - place) < len(text) * LETTER / 2:
            label.set_horizontalalignment("left" if place < width / 2 else "right")


def share_axis(axes: Axes, numbers: NDArray[np.float64]) -> None:
    """Percentages along the lower edge that hold zero and all the numbers."""
    finite = numbers[np.isfinite(numbers)]
    first, last = finite.min(initial=0), finite.max(initial=0)
    room = (last - first) * 0.03
    axes.set_xlim(first - room * (first < 0), last + room if last > first else first + 1)
    axes.xaxis.set_major_locator(MaxNLocator(8, steps=STEPS))
    axes.xaxis.set_major_formatter(lambda share, _: percent(share))
    _quiet(axes)
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="x", color=FAINT, linewidth=0.8, zorder=0)
    axes.spines["left"].set_visible(False)
    axes.axvline(0, color=INK, linewidth=1, zorder=2.5)


def colour_bar(figure: Figure, place: Place, limits: tuple[float, float], colours: Colormap, *, below: bool) -> None:
    """A horizontal colour bar for shares; `below`: some lie below the scale, so the bar ends in an arrow."""
    sparse = limits[1] > 100 * limits[0]
    bar = figure.colorbar(
        ScalarMappable(LogNorm(*limits), colours),
        figure.add_axes(place),
        orientation="horizontal",
        extend="min" if below else "neither",
        ticks=LogLocator(subs=(1,) if sparse else (1, 2, 5), numticks=20),
        format=lambda share, _: percent(share),
    )
    bar.minorticks_off()
    bar.set_label("share of people (log scale)", fontsize=SIZE, color=INK)
    bar.outline.set_visible(False)
    bar.ax.tick_params(labelsize=SIZE, labelcolor=INK, color=INK)


def png(figure: Figure) -> bytes:
    """The figure as a PNG file, cut to what is drawn; the same bytes at each call: no date, no name of a program."""
    stream = BytesIO()
    FigureCanvasAgg(figure).print_figure(
        stream, format="png", dpi=DPI, bbox_inches="tight", pad_inches=0.1, metadata={"Software": None}
    )
    return stream.getvalue()


def _angles(first: float, last: float, most: int) -> list[float]:
    margin = 1e-9 * (last - first)
    angles = MaxNLocator(most, steps=STEPS).tick_values(first, last)
    return [float(angle) for angle in angles if first - margin <= angle <= last + margin]


def _degree(angle: float, sides: str) -> str:
    rounded = round(angle, 6)
    side = "" if rounded == 0 else f"\N{NO-BREAK SPACE}{sides[int(rounded > 0)]}"
    return f"{abs(rounded):.9g}\N{DEGREE SIGN}{side}"


def _quiet(axes: Axes) -> None:
    axes.tick_params(labelsize=SIZE, labelcolor=INK, color=FAINT)
    for spine in axes.spines.values():
        spine.set_color(FAINT)
    axes.spines[["top", "right"]].set_visible(False)
