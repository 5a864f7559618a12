"""How much each statistic depends on each attribute, as a heat map: a row for each attribute."""

from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
from matplotlib import colormaps
from matplotlib.cm import ScalarMappable
from matplotlib.colors import ListedColormap, LogNorm
from matplotlib.figure import Figure as Drawing

from sordino.design.sample_questions import CategorySignDistribution, DistributionFunction, places_of
from sordino.design.stated_dependence import Statement
from sordino.exact.nats import outward
from sordino.show.html.figures.axes import FILE_SIZE as SIZE
from sordino.show.html.figures.colours import INK, SEA
from sordino.show.html.figures.lettering import fit

COLOURS = ListedColormap(colormaps["viridis_r"](np.linspace(0.08, 1, 256)))
"""Safe for the colour-blind and even in lightness: the darker, the more is told; without the glaring yellow end."""

FAINTEST = 0.001
"""Bounds below it have the lightest colour."""

MOST = 20
"""Attributes and statistics that are drawn at most; files have all."""

CELL = 0.62
"""Inches."""

DARK = 0.6
"""Where the scale is darker, numbers are white."""

LABEL = 18
"""Letters of a name at most."""


AFTER = {DistributionFunction: ", thresholds", CategorySignDistribution: ", sign"}
"""The name of a number whose distribution function is compared, or its sign, with a category."""


def dependence_map(statement: Statement) -> Drawing:
    """The bounds as colours and numbers, on a logarithmic scale; grey where a statistic tells the attribute itself."""
    asked = statement.asked
    rows, columns = range(min(asked.d, MOST)), asked.statistics[:MOST]
    bounds = {(bound.attribute, bound.statistic): bound for bound in statement.bounds}
    shown = [[bounds[i, statistic] for statistic in columns] for i in rows]
    values = np.array([[np.nan if cell.why == "own" else float(cell.bound) for cell in row] for row in shown])
    names = [fit(asked.names[i], LABEL) for i in rows]
    between = [", " if asked.is_histogram(s) else " \N{MULTIPLICATION SIGN} " for s in columns]
    labels = [
        sign.join(fit(asked.names[place], LABEL) for place in places_of(s)) + AFTER.get(type(s), "")
        for sign, s in zip(between, columns, strict=True)
    ]
    size = (3.2 + CELL * max(len(columns), 4), 2.6 + CELL * len(names))
    figure = Drawing(figsize=size, facecolor="white", layout="constrained")
    axes = figure.add_subplot(facecolor=SEA)
    scale = LogNorm(FAINTEST, 1, clip=True)
    axes.imshow(np.ma.masked_invalid(values), COLOURS, scale, aspect="equal", interpolation="nearest")
    text: dict[str, Any] = {"fontsize": SIZE, "color": INK, "parse_math": False}
    axes.set_yticks(range(len(names)), names, **text)
    axes.set_xticks(range(len(labels)), labels, rotation=45, ha="right", rotation_mode="anchor", **text)
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    for line, _ in pairwise(range(len(columns) + 1)):
        axes.axvline(line - 0.5, color="white", linewidth=1)
    for line, _ in pairwise(range(len(names) + 1)):
        axes.axhline(line - 0.5, color="white", linewidth=1)
    for row, cells in enumerate(shown):
        for column, cell in enumerate(cells):
            if cell.why != "own":
                ink = "white" if scale(float(cell.bound)) > DARK else INK
                number = short(cell.bound)
                axes.text(column, row, number, ha="center", va="center", size=SIZE - 2, color=ink, parse_math=False)
    left_out = "" if asked.d <= MOST and len(asked.statistics) <= MOST else f" (the first {MOST} of each)"
    axes.set_ylabel("attribute", fontsize=SIZE, color=INK)
    axes.set_xlabel(f"statistic{left_out}", fontsize=SIZE, color=INK)
    bar = figure.colorbar(
        ScalarMappable(scale, COLOURS), ax=axes, orientation="vertical", ticks=[0.001, 0.01, 0.1, 1], format="%g"
    )
    bar.minorticks_off()
    bar.set_label("bound on dependence (q)", fontsize=SIZE, color=INK)
    bar.outline.set_visible(False)
    bar.ax.tick_params(labelsize=SIZE, labelcolor=INK, color=INK)
    return figure


def short(bound: Fraction) -> str:
    """A bound in two digits, rounded up.

    Example:
        >>> short(Fraction("0.0101")), short(Fraction("0.1")), short(Fraction(1))
        ('.011', '.1', '1')
    """
    return outward(bound, 2, up=True).replace("0.", ".", 1) if bound else "0"
