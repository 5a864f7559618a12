"""The page of a change: two estimates side by side, and what changed, with its interval."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from sordino.estimation.intervals.independent_difference import WithInterval
from sordino.page.descriptions import changes_in_words
from sordino.page.figures.changes import Interval, Sides, changes
from sordino.page.page import Figure, PageTable, Section, Sentences, render
from sordino.survey.results.change import Changed, ChangedRow
from sordino.survey.results.coverage import Coverage
from sordino.words.changes import COLUMNS, INDEPENDENT, change_cells, order_in_words, sure_in_words
from sordino.words.digits import rounded

LARGEST = 15
"""Rows that are shown of many."""

POINTS = ("% of people", "percentage points")
PARTS = ("% of the range", "% of the range")
SCALES = (
    " Numbers are drawn as parts of what is possible: means and quantiles of their range; covariances of the largest"
    " that two ranges allow; coefficients where the feature's whole range would make the target's. The table has them"
    " in their own units."
)


def change_page(
    changed: Sequence[Changed], not_comparable: Mapping[str, str], n: tuple[int, int], coverage: Coverage
) -> str:
    """A self-contained HTML page.

    Args:
        changed: what both collections tell of each question.
        not_comparable: why others are not compared, by name.
        n: the reports of both.
        coverage: what intervals hold against.
    """
    sections = [_section(one, coverage) for one in changed]
    if not_comparable:
        sections.append(Section("Not compared", (Sentences(tuple(not_comparable.values())),)))
    lead = f"{n[0]:,} reports, then {n[1]:,}. {INDEPENDENT}"
    return render("What changed", lead, sections)


def _section(changed: Changed, coverage: Coverage) -> Section:
    rows = changed.first(LARGEST)
    together = len(rows) < len(changed.readable)
    cells = tuple(change_cells(row, together=together) for row in rows)
    confidence = f"{100 * coverage.confidence:.15g}% confidence"
    alone = "all of them together" if coverage.simultaneous or together else "each change by itself"
    said = (sure_in_words(changed, coverage), order_in_words(changed, LARGEST))
    note = f"Limits hold for {alone} with {confidence}."
    figures = list(_figures(rows, together=together))
    note += SCALES if any(not row.is_share for row in rows) else ""
    table = PageTable((changed.name, *COLUMNS), cells, note)
    name = changed.name[0].upper() + changed.name[1:]
    return Section(name, (Sentences(tuple(filter(None, said))), *figures, table))


def _figures(rows: Sequence[ChangedRow], *, together: bool) -> Iterator[Figure]:
    """One of the shares, and one of numbers of other units; none of an intercept, which has no scale."""
    drawn = [row for row in rows if np.isfinite(row.scale[1])]
    for units, is_share in ((POINTS, True), (PARTS, False)):
        some = [row for row in drawn if row.is_share == is_share]
        if some:
            labels, texts = [row.label for row in some], [_signed(row, together=together) for row in some]
            drawing = changes(labels, texts, _sides(some, together=together), units, zero=is_share)
            yield Figure(drawing, changes_in_words(labels, texts, [row.sure for row in some]))


def _signed(row: ChangedRow, *, together: bool) -> str:
    """A change with its sign: of shares in percentage points, of others in their own unit."""
    if row.is_share:
        text = rounded({"change": 100 * row.change.value, "stderr": 100 * row.change.stderr})["change"]
    else:
        text = change_cells(row, together=together)[3]
    return text if text.startswith("-") or not float(text) else f"+{text}"


def _sides(rows: Sequence[ChangedRow], *, together: bool) -> Sides:
    starts, ends = np.array([row.scale for row in rows]).T
    spans = (ends - starts) / 100

    def scaled(numbers: Sequence[WithInterval], origin: NDArray[np.float64]) -> Interval:
        columns = np.array([[one.value, one.low, one.high] for one in numbers]).T
        value, low, high = (columns - origin) / spans
        return value, low, high

    changed = [row.together if together else row.change for row in rows]
    before, after = ([row.before for row in rows], [row.after for row in rows])
    nowhere = np.zeros_like(starts)
    return Sides(
        scaled(before, starts),
        scaled(after, starts),
        scaled(changed, nowhere),
        scaled([row.together for row in rows], nowhere)[1:],
        np.array([row.sure for row in rows]),
    )
