"""Curves: some numbers on a logarithmic axis over another, panel by panel, in one style each.

Lengths are inches.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Drawing
from matplotlib.lines import Line2D

from sordino.errors import SordinoError
from sordino.show.html.figures.axes import FILE_SIZE as SIZE
from sordino.show.html.figures.axes import LETTER
from sordino.show.html.figures.colours import INK, RULE

ACROSS = 2
"""Panels in a row."""
WIDE, HIGH = 4.6, 3.4
ALONE = 7.0
"""The width of a single panel."""
SIGN = 0.6
"""A legend's sign and the space around it."""
MARKERS = "osD^vPX"
"""Families are told apart by shape and lightness, not by hue alone."""
DASHES = ("solid", "dashed", "dotted")


@dataclass(frozen=True)
class Curve:
    """One line of a panel.

    Attributes:
        family: sets its colour and marker.
        variant: sets its dashes; empty where all are of one kind.
        heights: positive numbers, one for each place along the axis.
        band: as many lower and upper numbers, to shade what lies between; none by default.
        places: its own places, where panels have different axes; those of all curves by default.
    """

    family: str
    variant: str
    heights: Sequence[float]
    band: tuple[Sequence[float], Sequence[float]] | None = None
    places: Sequence[float] | None = None


def curves(
    places: Sequence[float],
    panels: Sequence[tuple[str, Sequence[Curve]]],
    *,
    along: str,
    upward: str,
    linear: bool = False,
) -> Drawing:
    """Panels of curves over the same places, with one legend above.

    Args:
        places: where all the curves have their points; positive unless linear.
        panels: for each its title and its curves.
        along: what the places are.
        upward: what the heights are.
        linear: whether places lie along a linear axis, not a logarithmic one.

    Raises:
        SordinoError: no panel or place, or a curve of another length.
    """
    every = [curve for _, own in panels for curve in own]
    if not every or not places or any(len(curve.heights) != len(curve.places or places) for curve in every):
        lengths = ", ".join(sorted({str(len(curve.heights)) for curve in every})) or "no curve"
        raise SordinoError("curves must have a point for each place", found=f"{len(places)} places, {lengths}")
    families = list(dict.fromkeys(curve.family for curve in every))
    variants = list(dict.fromkeys(curve.variant for curve in every))
    shades = colormaps["viridis_r"](np.linspace(0.15, 1, len(families)))
    colours = dict(zip(families, shades, strict=True))
    markers = {family: MARKERS[i % len(MARKERS)] for i, family in enumerate(families)}
    dashes = {variant: DASHES[i % len(DASHES)] for i, variant in enumerate(variants)}
    across = min(ACROSS, len(panels))
    down = -(-len(panels) // across)
    width = max(WIDE * across, ALONE)
    figure = Drawing(figsize=(width, HIGH * down + 0.6), facecolor="white", layout="constrained")
    one_axis = all(curve.places is None for curve in every)
    grid = figure.subplots(down, across, squeeze=False, sharex=one_axis, sharey=one_axis).ravel()
    for number, (axes, (title, own)) in enumerate(zip(grid, panels, strict=False)):
        for curve in own:
            colour, marker = colours[curve.family], markers[curve.family]
            axes.plot(
                curve.places or places,
                curve.heights,
                marker,
                ls=dashes[curve.variant],
                color=colour,
                markersize=4,
                linewidth=1.4,
            )
            if curve.band is not None:
                axes.fill_between(curve.places or places, *curve.band, color=colour, alpha=0.2, linewidth=0)
        axes.set_title(title, loc="left", fontsize=SIZE + 1, color=INK, parse_math=False)
        _style(axes, linear=linear)
        # Below the last panel of each column stands no other.
        axes.tick_params(labelbottom=number + across >= len(panels) or not one_axis)
    for axes in grid[len(panels) :]:
        axes.set_visible(False)
    figure.supxlabel(along, fontsize=SIZE, color=INK)
    figure.supylabel(upward, fontsize=SIZE, color=INK)
    shapes = [Line2D([], [], color=colours[name], marker=markers[name], ls="", label=name) for name in families]
    shapes += [Line2D([], [], color=INK, ls=dashes[name], label=name) for name in variants if name]
    figure.legend(
        handles=shapes,
        loc="outside upper center",
        ncols=_ncols(shapes, width),
        frameon=False,
        fontsize=SIZE,
        labelcolor=INK,
    )
    return figure


def _ncols(shapes: Sequence[Line2D], width: float) -> int:
    """As many signs in a row of the legend as fit: a column is as wide as its widest label."""
    widest = max(len(str(shape.get_label())) for shape in shapes) * LETTER * SIZE / 72 + SIGN
    return max(1, min(len(shapes), int(width / widest)))


def _style(axes: Axes, *, linear: bool) -> None:
    axes.set_xscale("linear" if linear else "log")
    axes.set_yscale("log")
    axes.tick_params(labelsize=SIZE, labelcolor=INK, color=RULE, which="both")
    axes.grid(color=RULE, linewidth=0.8, zorder=0)
    for spine in axes.spines.values():
        spine.set_color(RULE)
    axes.spines[["top", "right"]].set_visible(False)
