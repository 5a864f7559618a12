"""What surely changed, and which rows are shown of many, in words."""

from math import isnan

from sordino.survey.results.change import Changed, ChangedRow
from sordino.survey.results.coverage import Coverage
from sordino.words.digits import rounded

COLUMNS = ("before", "after", "change", "std. error", "from", "to", "sure")
"""Of a table of changes, after the first."""

INDEPENDENT = (
    "The collections are taken for independent: where the same people answered both, and answer alike, changes are"
    " surer than is said."
)


def sure_in_words(changed: Changed, coverage: Coverage) -> str:
    """How many numbers of a question surely changed."""
    count, confidence = len(changed.readable), f"{100 * coverage.confidence:.15g}% confidence"
    if count == 1:
        return f"{'It surely changed' if changed.sure else 'Noise alone may be the change'} ({confidence})."
    sure = f"{changed.sure:,} of {count:,}" if changed.sure else f"None of {count:,}"
    return f"{sure} surely changed: intervals that hold for all of them together with {confidence} leave out 0."


def order_in_words(changed: Changed, most: int) -> str:
    """Which rows are shown of many, and how many are not; nothing where all are."""
    count = len(changed.readable)
    if count <= most:
        return ""
    ends = f"; {count - most:,} of {count:,} are not shown. Limits hold for all {count:,} together."
    if changed.sure >= most:
        return f"Shown are the {most} largest of the sure changes{ends}"
    rest = "the largest shares" if changed.readable[0].is_share else "others in their order"
    sure = "sure change" if changed.sure == 1 else "sure changes, by size"
    return (f"First the {sure}, then " if changed.sure else "Shown are ") + rest + ends


def change_cells(row: ChangedRow, *, together: bool) -> tuple[str, ...]:
    """A row of a table that people read: its label, its numbers as far as the change is known, and whether it is sure.

    Args:
        row: of a question.
        together: whether limits are those that hold for all numbers of the question together.
    """
    told, limits = row.change, row.together if together else row.change
    numbers = {"before": row.before.value, "after": row.after.value, "change": told.value}
    numbers |= {} if isnan(told.stderr) else {"stderr": told.stderr}
    texts = rounded({**numbers, "low": limits.low, "high": limits.high})
    names = ("before", "after", "change", "stderr", "low", "high")
    return (row.label, *(texts.get(name, "") for name in names), "yes" if row.sure else "no")
