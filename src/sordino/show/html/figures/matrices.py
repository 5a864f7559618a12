"""Matrices of a few numbers or attributes as small heat maps: correlations, and strengths of association.

Lengths are points.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sordino.errors import SordinoError
from sordino.show.html.figures.axes import LETTER, SIZE, WIDTH
from sordino.show.html.figures.colours import INK, QUIET, SEA
from sordino.show.html.figures.drawing import area, sheet
from sordino.show.html.figures.lettering import MINUS, fit

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Drawing

CORRELATIONS, STRENGTHS = "RdBu_r", "Blues"
"""Colours: white where there is no correlation, or attributes are independent."""
UNTESTED = "\N{EN DASH}"
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


def correlations(names: Sequence[str], covariance: NDArray[np.float64]) -> "Drawing":
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
    colours = _correlation_colours(values)
    drawing, axes, corner = _matrix(labels, labels, labels, colours, SEA)
    bright = luminance(colours[..., :3]) > BRIGHT
    for place, value in np.ndenumerate(values):
        if np.isfinite(value):
            _write(axes, place, short(value), BLACK if bright[place] else WHITE)
    key = (-1, 0, 1), (f"{MINUS}1", "0", f"1: correlation{_left_out(count, names)}")
    _draw_key(drawing, corner, _correlation_colours(np.linspace(-1, 1, 41)), *key)
    return drawing


def associations(names: Sequence[str], strengths: NDArray[np.float64], sure: NDArray[np.bool_]) -> "Drawing":
    """Cramér's V as numbers, coloured where independence is ruled out; of more than 20 attributes the first.

    The first attribute stands at the top, the last one on the right; a pair stands once.

    Args:
        names: of the attributes.
        strengths: shape (d, d), symmetric; not a number where there is no test.
        sure: where independence is ruled out, shape (d, d).
    """
    count = min(len(names), MOST)
    labels = [fit(name, LABEL) for name in names[:count]]
    # Rows are the attributes but the last, columns those but the first.
    values = np.where(np.tri(count, k=0, dtype=np.bool_), np.nan, strengths[:count, :count])[:-1, 1:]
    is_sure = sure[: count - 1, 1:count]
    colours = _strength_colours(np.where(is_sure, values, np.nan))
    drawing, axes, corner = _matrix(labels, labels[:-1], labels[1:], colours)
    bright = luminance(colours[..., :3]) > BRIGHT
    for place, value in np.ndenumerate(values):
        if place[1] >= place[0]:
            ink = QUIET if not is_sure[place] else BLACK if bright[place] else WHITE
            _write(axes, place, short_strength(value) if np.isfinite(value) else UNTESTED, ink)
    key = (0, 0.5, 1), ("0", ".5", f"1: Cramér's V{_left_out(count, names)}")
    _draw_key(drawing, corner, _strength_colours(np.linspace(0, 1, 101)), *key, SEA)
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


def short_strength(value: float) -> str:
    """Two digits of a number between 0 and 1.

    Example:
        >>> short_strength(0.257), short_strength(0.0), short_strength(1.0)
        ('.26', '.00', '1')
    """
    return f"{value:.2f}".replace("0.", ".", 1).replace("1.00", "1")


def luminance(colours: NDArray[np.uint8]) -> NDArray[np.float64]:
    """How bright colours of three bytes are, from 0 to 1, shape (...). Source: WCAG 2.2, relative luminance."""
    parts = colours / 255
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    bright: NDArray[np.float64] = linear @ np.array([0.2126, 0.7152, 0.0722])
    return bright


def _correlation_colours(values: NDArray[np.float64]) -> NDArray[np.uint8]:
    """Bytes of colours, shape (..., 4); nothing where there is no correlation."""
    from matplotlib import colormaps

    colours: NDArray[np.uint8] = colormaps[CORRELATIONS]((np.ma.masked_invalid(values) + 1) / 2, bytes=True)
    return colours


def _strength_colours(values: NDArray[np.float64]) -> NDArray[np.uint8]:
    """Bytes of colours, shape (..., 4); nothing where there is no strength."""
    from matplotlib import colormaps

    # A square root tells weak associations apart.
    colours: NDArray[np.uint8] = colormaps[STRENGTHS](np.sqrt(np.ma.masked_invalid(values)), bytes=True)
    return colours


def _matrix(
    labels: Sequence[str], rows: Sequence[str], columns: Sequence[str], colours: NDArray[np.uint8], ground: str = "none"
) -> "tuple[Drawing, Axes, tuple[float, float]]":
    """The cells without numbers, with room for all labels, and where the key begins."""
    beside, across = LETTER * SIZE * max(map(len, labels)) + 10, len(columns)
    side = across * max(CELL, min(WIDEST, (WIDTH - beside - 10) / across))
    above = 0.75 * beside + 12
    drawing = sheet(max(WIDTH, beside + side + 10), above + side + KEY)
    axes = area(drawing, beside, above, side, side, ground)
    axes.imshow(colours, aspect="auto", interpolation="none", extent=(-0.5, across - 0.5, across - 0.5, -0.5))
    text: dict[str, Any] = {"fontsize": SIZE, "color": INK, "parse_math": False}
    axes.set_yticks(range(across), rows, **text)
    axes.xaxis.tick_top()
    axes.set_xticks(range(across), columns, rotation=40, ha="left", rotation_mode="anchor", **text)
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    return drawing, axes, (beside, above + side + 14)


def _write(axes: "Axes", place: tuple[int, ...], text: str, ink: str) -> None:
    row, column = place
    axes.text(column, row, text, ha="center", va="center_baseline", size=SIZE - 1, color=ink)


def _left_out(count: int, names: Sequence[str]) -> str:
    return f" (the first {count} of {len(names):,})" if count < len(names) else ""


def _draw_key(
    drawing: "Drawing",
    corner: tuple[float, float],
    colours: NDArray[np.uint8],
    at: Sequence[float],
    labels: Sequence[str],
    ground: str = "none",
) -> None:
    axes: Axes = area(drawing, *corner, 200, 10, ground)
    axes.imshow(colours[None], aspect="auto", interpolation="none", extent=(at[0], at[-1], 0, 1))
    axes.set_yticks([])
    axes.set_xticks(at, labels, fontsize=SIZE, color=INK)
    axes.get_xticklabels()[-1].set_horizontalalignment("left")
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
