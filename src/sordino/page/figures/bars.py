"""Shares with their intervals as horizontal bars: each has its name above it. Lengths are points."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Drawing
from numpy.typing import NDArray

from sordino.errors import SordinoError
from sordino.page.figures.axes import SIZE, WIDTH, Sign, Style, legend, legend_height, lines_across, share_axis
from sordino.page.figures.colours import BAR, GROUND, INK, MARK, TRUTH
from sordino.page.figures.drawing import area, sheet
from sordino.page.figures.lettering import fit, percent

MOST_BARS = 20
LABEL = 54
"""Letters of a line at most, which a name and a number on its right share."""
ROW, NAME, BELOW_NAME = 46, 17, 33
"""From one name to the next; from the upper end of a row to its name's base, and to the middle of its bar."""
SIDE, AXIS = 20, 46
"""On the left and right of the bars; below them."""
LINE = 0.27
"""Half the height of the line at zero, in rows."""
WHISKER = 1.8
"""The thickness of an interval's line."""
DOT: Style = {"marker": "o", "linestyle": "", "color": MARK, "markersize": 7.5, "markeredgecolor": GROUND}
DIAMOND: Style = {"marker": "D", "linestyle": "", "color": TRUTH, "markersize": 7, "markeredgecolor": GROUND}


@dataclass(frozen=True, eq=False)
class Shares:
    """Some values' shares, arrays of shape (k,).

    Attributes:
        estimate: what the reports say, with nothing changed.
        low, high: the ends of its interval.
        fitted: a distribution near it; None where nothing was fitted.
        truth: where it is known.
    """

    estimate: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    fitted: NDArray[np.float64] | None = None
    truth: NDArray[np.float64] | None = None

    @property
    def columns(self) -> list[NDArray[np.float64]]:
        """All that there is."""
        known = (column for column in (self.fitted, self.truth) if column is not None)
        return [self.estimate, self.low, self.high, *known]

    @property
    def leading(self) -> NDArray[np.float64]:
        """The fitted shares, or the estimates where nothing was fitted: what is the largest goes by them."""
        return self.estimate if self.fitted is None else self.fitted

    def of(self, values: NDArray[np.intp]) -> "Shares":
        """Those of some values."""
        fitted, truth = (None if column is None else column[values] for column in (self.fitted, self.truth))
        return Shares(self.estimate[values], self.low[values], self.high[values], fitted, truth)


def bars(labels: Sequence[str], shares: Shares) -> Drawing:
    """The fitted share as a bar, the estimate as a dot with its interval; of more than 20 the 20 largest.

    Args:
        labels: one text for each bar, the first at the top; a long one ends early.
        shares: estimates may be negative; intervals need not hold the fitted share.

    Raises:
        SordinoError: no bar, or arrays of another length than the labels.
    """
    if not labels or any(len(column) != len(labels) for column in shares.columns):
        lengths = ", ".join(str(len(column)) for column in shares.columns)
        raise SordinoError(
            "bars must have labels, and as many numbers", found=f"{len(labels)} labels, {lengths} numbers"
        )
    shown = np.sort(np.argsort(-shares.leading, kind="stable")[:MOST_BARS])
    some = shares.of(shown)
    signs = signs_of(some)
    top = legend_height(SIZE, len(signs))
    drawing = sheet(WIDTH, top + ROW * shown.size + AXIS)
    legend(drawing, SIZE, signs)
    axes = rows(drawing, top, [labels[index] for index in shown], percents(some.estimate))
    at = np.arange(shown.size)
    if some.fitted is not None:
        axes.barh(at, some.fitted, height=16 / ROW, color=BAR, zorder=2)
    whiskers(axes, (some.estimate, some.low, some.high))
    if some.truth is not None:
        axes.plot(some.truth, at, **DIAMOND, zorder=5)
    share_axis(axes, np.concatenate(some.columns))
    zero_line(axes, shown.size)
    rest = f"; the {MOST_BARS} largest of {len(labels):,}" if shown.size < len(labels) else ""
    axes.set_xlabel("share of people" + rest, fontsize=SIZE, color=INK)
    return drawing


def rows(drawing: Drawing, top: float, labels: Sequence[str], texts: Sequence[str]) -> Axes:
    """Axes of rows from that far below the upper edge, each with a name and a text above what is drawn in it."""
    inner = WIDTH - 2 * SIDE
    axes = area(drawing, SIDE, top, inner, ROW * len(labels))
    # What is drawn stands at whole numbers; a row begins so far above.
    above = BELOW_NAME / ROW
    axes.set_ylim(len(labels) - above, -above)
    across, edge = axes.get_yaxis_transform(), (SIDE - 4) / inner
    style: dict[str, Any] = {"size": SIZE, "color": INK, "transform": across, "parse_math": False}
    for row, (label, text) in enumerate(zip(labels, texts, strict=True)):
        line = row - (BELOW_NAME - NAME) / ROW
        axes.text(-edge, line, fit(label, LABEL - len(text)), **style)
        axes.text(1 + edge, line, text, ha="right", **style)
    lines_across(axes)
    return axes


def whiskers(axes: Axes, numbers: tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]) -> None:
    """A dot in each row with its interval."""
    value, low, high = numbers
    at = np.arange(len(value))
    axes.hlines(at, low, high, color=MARK, linewidth=WHISKER, zorder=3)
    for ends in (low, high):
        axes.plot(ends, at, "|", color=MARK, markersize=10, markeredgewidth=WHISKER, zorder=3)
    axes.plot(value, at, **DOT, zorder=4)


def zero_line(axes: Axes, count: int) -> None:
    """Where nothing is, in each of so many rows; names stand free of it."""
    at = np.arange(count)
    axes.vlines(np.zeros(count), at - LINE, at + LINE, color=INK, linewidth=1.2, zorder=2.5)


def signs_of(shares: Shares) -> list[Sign]:
    """What dots, bars and diamonds mean."""
    signs: list[Sign] = [("estimate, with its interval", {**DOT, "linestyle": "-", "linewidth": WHISKER})]
    if shares.fitted is not None:
        signs.append(("fitted: the distribution near the estimates", {"color": BAR, "linewidth": 10}))
    return [*signs, ("truth", DIAMOND)] if shares.truth is not None else signs


def percents(values: NDArray[np.float64]) -> list[str]:
    """Percentages with as many decimals as give the largest three digits."""
    largest = float(100 * np.abs(values).max())
    decimals = 1 if largest == 0 else int(np.clip(2 - np.floor(np.log10(largest)), 1, 6))
    return [percent(value, decimals) for value in values]
