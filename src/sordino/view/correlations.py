"""Correlations of a few numbers as a small heat map in a PNG file."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib import colormaps
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from numpy.typing import NDArray

from sordino.errors import SordinoError
from sordino.view.axes import DPI, INK, SIZE, png
from sordino.view.lettering import MINUS, families, fit

COLOURS = colormaps["RdBu_r"]
"""White in the middle: no correlation."""

GROUND = "#e9ecf0"
"""Where a number does not vary, so that it has no correlations."""

MOST = 20
"""Numbers that are drawn at most."""

CELL = 0.62
"""Inches."""

DARK = 0.6
"""Stronger correlations have white letters."""

LABEL = 18
"""Letters of a name at most."""


def correlations(names: Sequence[str], covariance: NDArray[np.float64]) -> bytes:
    """Correlations as colours and numbers, the first name at the top left; of more than 20 the first, and it says so.

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
    size = (2.8 + CELL * max(count, 3), 1.8 + CELL * max(count, 2))
    figure = Figure(figsize=size, dpi=DPI, facecolor="white", layout="constrained")
    axes = figure.add_subplot(facecolor=GROUND)
    scale = Normalize(-1, 1)
    axes.imshow(np.ma.masked_invalid(values), COLOURS, scale, aspect="equal", interpolation="nearest")
    text: dict[str, Any] = {"fontsize": SIZE, "color": INK, "fontfamily": families(), "parse_math": False}
    axes.set_yticks(range(count), [fit(name, LABEL, 2) for name in names[:count]], linespacing=1, **text)
    labels = [fit(name, LABEL) for name in names[:count]]
    axes.set_xticks(range(count), labels, rotation=45, ha="right", rotation_mode="anchor", **text)
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    for line in range(1, count):
        axes.axvline(line - 0.5, color="white", linewidth=1)
        axes.axhline(line - 0.5, color="white", linewidth=1)
    for (row, column), value in np.ndenumerate(values):
        if np.isfinite(value):
            ink = "white" if abs(value) > DARK else INK
            axes.text(column, row, short(value), ha="center", va="center", size=SIZE - 1, color=ink, parse_math=False)
    bar = figure.colorbar(ScalarMappable(scale, COLOURS), ax=axes, shrink=0.8, ticks=[-1, -0.5, 0, 0.5, 1], format="%g")
    left_out = f" (the first {count} of {len(names):,})" if count < len(names) else ""
    bar.set_label(f"correlation{left_out}", fontsize=SIZE, color=INK)
    bar.outline.set_visible(False)
    bar.ax.tick_params(labelsize=SIZE, labelcolor=INK, color=INK)
    return png(figure)


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
    r"""Two digits, with a true minus sign.

    Example:
        >>> short(-0.257), short(0.001), short(1)
        ('\u2212.26', '.00', '1')
    """
    return f"{value:z.2f}".replace("-", MINUS).replace("0.", ".", 1).replace("1.00", "1")
