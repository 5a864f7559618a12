"""Curves on logarithmic axes as a PNG file: some numbers over another, panel by panel, in one style each.

Drawn like the other figures, with matplotlib's objects and the Agg canvas; lengths are inches.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from sordino.errors import SordinoError
from sordino.view.axes import DPI, FAINT, INK, SIZE, png

ACROSS = 2
"""Panels in a row."""
WIDE, HIGH = 4.6, 3.4
MARKERS = "osD^vPX"
"""Families are told apart by shape and lightness, not by hue alone."""
DASHES = ("solid", "dashed", "dotted")


@dataclass(frozen=True)
class Curve:
    """One line of a panel.

    Attributes:
        family: sets its colour and marker.
        variant: sets its dashes.
        heights: positive numbers, one for each place along the axis.
    """

    family: str
    variant: str
    heights: Sequence[float]


def curves(places: Sequence[float], panels: Sequence[tuple[str, Sequence[Curve]]], *, along: str, upward: str) -> bytes:
    """Panels of curves over the same places, with one legend above.

    Args:
        places: positive, where all the curves have their points.
        panels: for each its title and its curves.
        along: what the places are.
        upward: what the heights are.

    Raises:
        SordinoError: no panel or place, or a curve of another length.
    """
    every = [curve for _, own in panels for curve in own]
    if not every or not places or any(len(curve.heights) != len(places) for curve in every):
        lengths = ", ".join(sorted({str(len(curve.heights)) for curve in every})) or "no curve"
        raise SordinoError("curves must have a point for each place", found=f"{len(places)} places, {lengths}")
    families = list(dict.fromkeys(curve.family for curve in every))
    variants = list(dict.fromkeys(curve.variant for curve in every))
    shades = colormaps["viridis_r"](np.linspace(0.15, 1, len(families)))
    colours = dict(zip(families, shades, strict=True))
    markers = {family: MARKERS[i % len(MARKERS)] for i, family in enumerate(families)}
    dashes = {variant: DASHES[i % len(DASHES)] for i, variant in enumerate(variants)}
    down = -(-len(panels) // ACROSS)
    figure = Figure(figsize=(WIDE * ACROSS, HIGH * down + 0.6), dpi=DPI, facecolor="white", layout="constrained")
    grid = figure.subplots(down, ACROSS, squeeze=False, sharex=True, sharey=True).ravel()
    for axes, (title, own) in zip(grid, panels, strict=False):
        for curve in own:
            colour, marker = colours[curve.family], markers[curve.family]
            axes.plot(
                places, curve.heights, marker, ls=dashes[curve.variant], color=colour, markersize=4, linewidth=1.4
            )
        axes.set_title(title, loc="left", fontsize=SIZE + 1, color=INK, parse_math=False)
        _style(axes)
    for axes in grid[len(panels) :]:
        axes.set_visible(False)
    figure.supxlabel(along, fontsize=SIZE, color=INK)
    figure.supylabel(upward, fontsize=SIZE, color=INK)
    shapes = [Line2D([], [], color=colours[name], marker=markers[name], ls="", label=name) for name in families]
    shapes += [Line2D([], [], color=INK, ls=dashes[name], label=name) for name in variants]
    figure.legend(
        handles=shapes, loc="outside upper center", ncols=len(shapes), frameon=False, fontsize=SIZE, labelcolor=INK
    )
    return png(figure)


def _style(axes: Axes) -> None:
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.tick_params(labelsize=SIZE, labelcolor=INK, color=FAINT, which="both")
    axes.grid(color=FAINT, linewidth=0.8, zorder=0)
    for spine in axes.spines.values():
        spine.set_color(FAINT)
    axes.spines[["top", "right"]].set_visible(False)
