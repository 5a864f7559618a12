"""The page of a change: two estimates side by side, and what changed, with its interval."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from sordino.blocks.digits import rounded
from sordino.estimation.intervals.independent_difference import WithInterval
from sordino.show.html.descriptions import changes_in_words
from sordino.show.html.figures.changes import Interval, Sides, changes
from sordino.show.html.page import Figure, PageTable, Section, SectionPart, Sentences, render
from sordino.survey.results.change import Changed, ChangedRow
from sordino.survey.results.coverage import Coverage
from sordino.words.changes import COLUMNS, INDEPENDENT, change_cells, order_in_words, sure_in_words
from sordino.words.coverage import POPULATION

POINTS = ("% of people", "percentage points")
OWN = ("own units", "change in own units")
UNLIKE = ("each on its own scale", "each on its own scale")
SCALES = (
    "Each row is drawn on a scale of its own, as a part of what is possible: means and quantiles of their range;"
    " covariances of the largest that two ranges allow; coefficients where the feature's whole range would make the"
    " target's. Rows are not to be compared."
)

NO_SHARES = "Numbers that are no shares of people."


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
    lead = f"{n[0]:,} reports, then {n[1]:,}. {INDEPENDENT} {' '.join(POPULATION)}"
    return render("What changed", lead, sections)


def _section(changed: Changed, coverage: Coverage) -> Section:
    rows = changed.first()
    together = len(rows) < len(changed.readable)
    cells = tuple(change_cells(row, together=together) for row in rows)
    confidence = f"{100 * coverage.confidence:.15g}% confidence"
    alone = "all of them together" if coverage.simultaneous or together else "each change by itself"
    said = (sure_in_words(changed, coverage), order_in_words(changed))
    note = f"Limits hold for {alone} with {confidence}."
    figures = list(_figures(rows, together=together))
    scales = SCALES if len({row.scale for row in _drawn(rows, is_share=False)}) > 1 else ""
    beside: tuple[SectionPart, ...] = ()
    if len(figures) > 1:
        # Each figure beside words, where a figure beside the table would be too narrow.
        beside, scales = (Sentences((scales or NO_SHARES,)), figures.pop()), ""
    table = PageTable((changed.name, *COLUMNS), cells, f"{note} {scales}".strip())
    name = changed.name[0].upper() + changed.name[1:]
    return Section(name, (Sentences(tuple(filter(None, said))), *figures, *beside, table))


def _figures(rows: Sequence[ChangedRow], *, together: bool) -> Iterator[Figure]:
    """One of the shares, and one of other numbers: of one range on one axis, of several each on its own scale."""
    for is_share in (True, False):
        some = _drawn(rows, is_share=is_share)
        if some:
            scales = {row.scale for row in some}
            units = POINTS if is_share else OWN if len(scales) == 1 else UNLIKE
            labels, texts = [row.label for row in some], [_signed(row, together=together) for row in some]
            sides = _sides(some, together=together, own=units is OWN)
            drawing = changes(labels, texts, sides, units, zero=is_share, numbered=units is not UNLIKE)
            yield Figure(drawing, changes_in_words(labels, texts, [row.sure for row in some]))


def _drawn(rows: Sequence[ChangedRow], *, is_share: bool) -> list[ChangedRow]:
    """Shares, or other numbers; not an intercept, which has no scale."""
    return [row for row in rows if row.is_share == is_share and np.isfinite(row.scale[1])]


def _signed(row: ChangedRow, *, together: bool) -> str:
    """A change with its sign: of shares in percentage points, of others in their own unit."""
    if row.is_share:
        text = rounded({"change": 100 * row.change.value, "stderr": 100 * row.change.stderr})["change"]
    else:
        text = change_cells(row, together=together)[3]
    return text if text.startswith("-") or not float(text) else f"+{text}"


def _sides(rows: Sequence[ChangedRow], *, together: bool, own: bool) -> Sides:
    """In their own units, or as parts of a hundred of each row's scale."""
    starts, ends = np.array([(0.0, 100.0) if own else row.scale for row in rows]).T
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
