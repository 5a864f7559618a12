"""How strongly attributes go together, as a heat map: half of a symmetric matrix. Lengths are points."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib import colormaps
from matplotlib.figure import Figure as Drawing
from numpy.typing import NDArray

from sordino.show.html.figures.axes import LETTER, SIZE, WIDTH
from sordino.show.html.figures.colours import INK, QUIET, SEA
from sordino.show.html.figures.correlations import BLACK, BRIGHT, CELL, KEY, LABEL, MOST, WHITE, WIDEST, luminance
from sordino.show.html.figures.drawing import area, sheet
from sordino.show.html.figures.lettering import fit

COLOURS = colormaps["Blues"]
"""White where attributes are independent."""

UNTESTED = "\N{EN DASH}"


def associations(names: Sequence[str], strengths: NDArray[np.float64], sure: NDArray[np.bool_]) -> Drawing:
    """Cramér's V as numbers, coloured where independence is ruled out; of more than 20 attributes the first.

    The first attribute stands at the top, the last one on the right; a pair stands once.

    Args:
        names: of the attributes.
        strengths: shape (d, d), symmetric; not a number where there is no test.
        sure: where independence is ruled out, shape (d, d).
    """
    count = min(len(names), MOST)
    labels = [fit(name, LABEL) for name in names[:count]]
    beside = LETTER * SIZE * max(map(len, labels)) + 10
    across = count - 1
    cell = max(CELL, min(WIDEST, (WIDTH - beside - 10) / across))
    side = cell * across
    above = 0.75 * beside + 12
    drawing = sheet(max(WIDTH, beside + side + 10), above + side + KEY)
    axes = area(drawing, beside, above, side, side)
    # Rows are the attributes but the last, columns those but the first.
    values = np.where(np.tri(count, k=0, dtype=np.bool_), np.nan, strengths[:count, :count])[:-1, 1:]
    colours = _colours(np.where(sure[: count - 1, 1:count], values, np.nan))
    axes.imshow(colours, aspect="auto", interpolation="none", extent=(-0.5, across - 0.5, across - 0.5, -0.5))
    text: dict[str, Any] = {"fontsize": SIZE, "color": INK, "parse_math": False}
    axes.set_yticks(range(across), labels[:-1], **text)
    axes.xaxis.tick_top()
    axes.set_xticks(range(across), labels[1:], rotation=40, ha="left", rotation_mode="anchor", **text)
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    bright = luminance(colours[..., :3]) > BRIGHT
    for (row, column), value in np.ndenumerate(values):
        if column < row:
            continue
        if not np.isfinite(value):
            axes.text(column, row, UNTESTED, ha="center", va="center_baseline", size=SIZE - 1, color=QUIET)
            continue
        ink = (BLACK if bright[row, column] else WHITE) if sure[row, column + 1] else QUIET
        axes.text(column, row, short(value), ha="center", va="center_baseline", size=SIZE - 1, color=ink)
    left_out = f" (the first {count} of {len(names):,})" if count < len(names) else ""
    _key(drawing, beside, above + side + 14, left_out)
    return drawing


def short(value: float) -> str:
    """Two digits.

    Example:
        >>> short(0.257), short(0.0), short(1.0)
        ('.26', '.00', '1')
    """
    return f"{value:.2f}".replace("0.", ".", 1).replace("1.00", "1")


def _colours(values: NDArray[np.float64]) -> NDArray[np.uint8]:
    """Those of strengths, shape (..., 4); nothing where there is none."""
    # A square root tells weak associations apart.
    colours: NDArray[np.uint8] = COLOURS(np.sqrt(np.ma.masked_invalid(values)), bytes=True)
    return colours


def _key(drawing: Drawing, left: float, top: float, left_out: str) -> None:
    """The scale of the colours."""
    axes = area(drawing, left, top, 200, 10, SEA)
    scale = _colours(np.linspace(0, 1, 101))[None]
    axes.imshow(scale, aspect="auto", interpolation="none", extent=(0, 1, 0, 1))
    axes.set_yticks([])
    axes.set_xticks([0, 0.5, 1], ["0", ".5", f"1: Cramér's V{left_out}"], fontsize=SIZE, color=INK)
    axes.get_xticklabels()[-1].set_horizontalalignment("left")
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
