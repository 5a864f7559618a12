"""Blocks of what changed between two collections; of many numbers, changes beyond noise come first."""

from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from sordino.blocks.block import Block, BlockGroup, Plot
from sordino.blocks.charts import ChangeChart, Sides, WithLimits
from sordino.blocks.digits import round_row
from sordino.blocks.sentence import Purpose, Sentence
from sordino.blocks.tables import TextTable
from sordino.estimation.intervals.independent_difference import WithInterval
from sordino.survey.estimates.coverage import Coverage
from sordino.survey.results.change import Changed, ChangedRow
from sordino.words.changes import COLUMNS, change_cells, order_in_words, sure_in_words

POINTS = ("% of people", "percentage points")
OWN = ("own units", "change in own units")
UNLIKE = ("each on its own scale", "each on its own scale")
SCALES = (
    "Each row is drawn on its own scale, as a part of what is possible: means and quantiles of their range;"
    " covariances of the largest that two ranges allow; coefficients where the feature's whole range would make the"
    " target's. Rows are not to be compared."
)

NO_SHARES = "Numbers that are no shares of people."


def change_blocks(changed: Changed, coverage: Coverage) -> tuple[Block, ...]:
    """What both collections say of a question, all of it or some, and how much of it changed beyond noise.

    Args:
        changed: a question.
        coverage: what intervals hold against.
    """
    rows = changed.first()
    together = len(rows) < len(changed.readable)
    cells = tuple(change_cells(row, together=together) for row in rows)
    alone = "all of them together" if coverage.simultaneous or together else "each change by itself"
    limits = f"Limits hold for {alone} with {100 * coverage.confidence:.15g}% confidence."
    said = [Sentence(text) for text in (sure_in_words(changed, coverage), order_in_words(changed)) if text]
    plots: list[Block] = list(_plots(rows, together=together))
    scales = SCALES if len({row.scale for row in _rows_of_chart(rows, is_share=False)}) > 1 else ""
    notes = [Sentence(limits, Purpose.INTERVALS)]
    if len(plots) > 1:
        # Each figure beside words, where a figure beside the table would be too narrow.
        plots.insert(1, Sentence(scales or NO_SHARES, Purpose.CHART))
    elif scales:
        notes.append(Sentence(scales, Purpose.CHART))
    table = TextTable("", (changed.name, *COLUMNS), cells, tuple(notes))
    return (BlockGroup(changed.name[0].upper() + changed.name[1:], (*said, *plots, table)),)


def _plots(rows: Sequence[ChangedRow], *, together: bool) -> Iterator[Plot]:
    """One of the shares, and one of other numbers: of one range on one axis, of several each on its own scale."""
    for is_share in (True, False):
        some = _rows_of_chart(rows, is_share=is_share)
        if some:
            yield Plot(ChangeChart, partial(_chart, some, is_share=is_share, together=together))


def _chart(rows: Sequence[ChangedRow], *, is_share: bool, together: bool) -> ChangeChart:
    # The axis of dates would have days since 1970.
    has_unit = len({row.scale for row in rows}) == 1 and not any(row.has_dates for row in rows)
    units = POINTS if is_share else OWN if has_unit else UNLIKE
    return ChangeChart(
        tuple(row.label for row in rows),
        tuple(_text_with_sign(row, together=together) for row in rows),
        _sides(rows, together=together, own=units is OWN),
        units,
        has_zero=is_share,
        has_numbers=units is not UNLIKE,
    )


def _rows_of_chart(rows: Sequence[ChangedRow], *, is_share: bool) -> list[ChangedRow]:
    """Shares, or other numbers; not an intercept, which has no scale."""
    return [row for row in rows if row.is_share == is_share and np.isfinite(row.scale[1])]


def _text_with_sign(row: ChangedRow, *, together: bool) -> str:
    """A change with its sign: of shares in percentage points, of others in their own unit."""
    if row.is_share:
        text = round_row({"change": 100 * row.change.value, "stderr": 100 * row.change.stderr})["change"]
    else:
        text = change_cells(row, together=together)[3]
    return text if text.startswith("-") or not float(text.removesuffix(" days")) else f"+{text}"


def _sides(rows: Sequence[ChangedRow], *, together: bool, own: bool) -> Sides:
    """In their own units, or as parts of a hundred of each row's scale."""
    starts, ends = np.array([(0.0, 100.0) if own else row.scale for row in rows]).T
    spans = (ends - starts) / 100

    def scale(numbers: Sequence[WithInterval], origin: NDArray[np.float64]) -> WithLimits:
        columns = np.array([[one.value, one.low, one.high] for one in numbers]).T
        value, low, high = (columns - origin) / spans
        return value, low, high

    changed = [row.together if together else row.change for row in rows]
    before, after = ([row.before for row in rows], [row.after for row in rows])
    nowhere = np.zeros_like(starts)
    return Sides(
        scale(before, starts),
        scale(after, starts),
        scale(changed, nowhere),
        scale([row.together for row in rows], nowhere)[1:],
        np.array([row.sure for row in rows]),
    )
