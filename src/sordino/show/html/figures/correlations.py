"""Correlations of a few numbers as a small heat map. Lengths are points."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Drawing
from numpy.typing import NDArray

from sordino.errors import SordinoError
from sordino.show.html.figures.axes import LETTER, SIZE, WIDTH
from sordino.show.html.figures.colours import INK, SEA
from sordino.show.html.figures.drawing import area, sheet
from sordino.show.html.figures.lettering import MINUS, fit

COLOURS = colormaps["RdBu_r"]
"""White in the middle: no correlation."""
MOST = 20
"""Numbers that are drawn at most."""
CELL, WIDEST = 34, 52
"""The sides of cells: of many numbers, and of few."""
BLACK, WHITE = "#000000", "#fefefe"
"""Letters on cells; no role of the page has these colours, so that they stay as they are."""
BRIGHT = 0.18
"""Relative luminance from which black letters are read better than white ones: on either side of it by 4.5:1."""
LABEL = 18
"""Letters of a name at most."""
KEY = 62
"""Below the cells: what the colours mean."""

NEARLY, ROUNDING = 0.99, 1e-9
"""What is shown of a correlation that would be rounded to 1; and what is 1 in floats."""


def correlations(names: Sequence[str], covariance: NDArray[np.float64]) -> Drawing:
    """Correlations as colours and numbers, the first name at the top left; of more than 20 the first, and it says so.

    The cells keep their colours on dark screens: their numbers stand on them in black or white, whichever reads better.

    Args:
        names: of the numbers.
        covariance: shape (d, d), without negative eigenvalues.

    Raises:
        SordinoError: no name, or a matrix of another size.
    """
    if not names or covariance.shape != (len(names), len(names)):
        raise SordinoError("a covariance matrix must have a name for each row", found=f"{len(names)} names")
    count = min(len(names), MOST)
    values = correlation(covariance)[:count, :count]
    labels = [fit(name, LABEL) for name in names[:count]]
    beside = LETTER * SIZE * max(map(len, labels)) + 10
    cell = max(CELL, min(WIDEST, (WIDTH - beside - 10) / count))
    side = cell * count
    above = 0.75 * beside + 12
    drawing = sheet(max(WIDTH, beside + side + 10), above + side + KEY)
    axes = area(drawing, beside, above, side, side, SEA)
    colours = _colours(values)
    axes.imshow(colours, aspect="auto", interpolation="none", extent=(-0.5, count - 0.5, count - 0.5, -0.5))
    text: dict[str, Any] = {"fontsize": SIZE, "color": INK, "parse_math": False}
    axes.set_yticks(range(count), labels, **text)
    axes.xaxis.tick_top()
    axes.set_xticks(range(count), labels, rotation=40, ha="left", rotation_mode="anchor", **text)
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    bright = luminance(colours[..., :3]) > BRIGHT
    for (row, column), value in np.ndenumerate(values):
        if np.isfinite(value):
            ink = BLACK if bright[row, column] else WHITE
            axes.text(column, row, short(value), ha="center", va="center_baseline", size=SIZE - 1, color=ink)
    left_out = f" (the first {count} of {len(names):,})" if count < len(names) else ""
    _key(drawing, beside, above + side + 14, left_out)
    return drawing


def correlation(covariance: NDArray[np.float64]) -> NDArray[np.float64]:
    """Correlations, shape (d, d); not a number where one of the two does not vary.

    Example:
        >>> correlation(np.array([[4.0, 3.0], [3.0, 9.0]])).tolist()
        [[1.0, 0.5], [0.5, 1.0]]
    """
    variances = np.diag(covariance)
    spread = np.sqrt(np.where(variances > 0, variances, np.nan))
    found: NDArray[np.float64] = np.clip(covariance / np.outer(spread, spread), -1, 1)
    return found


def short(value: float) -> str:
    r"""Two digits, with a true minus sign; 1 is only what is 1.

    Example:
        >>> short(-0.257), short(0.001), short(0.998), short(1)
        ('\u2212.26', '.00', '.99', '1')
    """
    value = min(max(value, -NEARLY), NEARLY) if abs(value) < 1 - ROUNDING else value
    return f"{value:z.2f}".replace("-", MINUS).replace("0.", ".", 1).replace("1.00", "1")


def luminance(colours: NDArray[np.uint8]) -> NDArray[np.float64]:
    """How bright colours of three bytes are, from 0 to 1, shape (...). Source: WCAG 2.2, relative luminance."""
    parts = colours / 255
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    bright: NDArray[np.float64] = linear @ np.array([0.2126, 0.7152, 0.0722])
    return bright


def _colours(values: NDArray[np.float64]) -> NDArray[np.uint8]:
    """Those of correlations, shape (..., 4); nothing where there is none."""
    colours: NDArray[np.uint8] = COLOURS((np.ma.masked_invalid(values) + 1) / 2, bytes=True)
    return colours


def _key(drawing: Drawing, left: float, top: float, left_out: str) -> None:
    """The scale of the colours."""
    axes: Axes = area(drawing, left, top, 200, 10)
    axes.imshow(_colours(np.linspace(-1, 1, 41))[None], aspect="auto", interpolation="none", extent=(-1, 1, 0, 1))
    axes.set_yticks([])
    axes.set_xticks([-1, 0, 1], [f"{MINUS}1", "0", f"1: correlation{left_out}"], fontsize=SIZE, color=INK)
    axes.get_xticklabels()[-1].set_horizontalalignment("left")
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
