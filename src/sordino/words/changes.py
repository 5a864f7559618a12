"""What changed beyond noise, and which rows are shown of many, in words."""

from math import isnan

from sordino.blocks.digits import round_row
from sordino.domain.answers.days import iso_date
from sordino.survey.estimates.coverage import Coverage
from sordino.survey.estimates.rows import IN_ORDER, LARGEST
from sordino.survey.results.change import Changed, ChangedRow

COLUMNS = ("before", "after", "change", "std. error", "from", "to", "beyond noise")
"""Of a table of changes, after the first."""

INDEPENDENT = (
    "The collections are treated as independent: if the same people answered both, and answered alike, intervals are"
    " wider than needed."
)

AVERAGED = (
    "The {which} reports are of {count} of a series, {days}, and are compared as one: the mean over these reports. What"
    " changed within a series its own estimates show."
)

OVERLAPPING = (
    "Both collections have reports of {count}, from {first} to {last}: what differs is then between the people of two"
    " collections, and no change over time. Who answered in both is counted on both sides."
)

BACKWARDS = "The later reports are of days before the earlier ones: each change is from the later days to the earlier."

ALONE = "'Only alone': its own interval excludes 0, which happens by chance when so many numbers are compared."


SIDES = {"before", "after"}
"""Numbers of a row that are no changes, errors or limits."""


def sure_in_words(changed: Changed, coverage: Coverage) -> str:
    """How many numbers of a question changed by more than noise explains, and how often that is said wrongly."""
    count, part = len(changed.readable), f"{100 * coverage.confidence:.15g}%"
    if count == 1:
        if not changed.sure:
            return f"Noise alone can explain the change: its {part} interval contains 0."
        return f"The change is larger than noise explains: its {part} interval excludes 0."
    # Of many the limits that are shown are those of all together.
    alone = f" {ALONE}" if count <= IN_ORDER and any(row.sure_alone for row in changed.readable) else ""
    if not changed.sure:
        return f"None of {count:,} changed by more than noise explains ({part} confidence for all together).{alone}"
    wrong = f"{100 - 100 * coverage.confidence:.3g}%"
    return (
        f"{changed.sure:,} of {count:,} changed by more than noise explains ({part} confidence for all together): noise"
        f" alone makes any change seem so in at most {wrong} of such comparisons.{alone}"
    )


def order_in_words(changed: Changed, most: int = LARGEST) -> str:
    """Which rows are shown of many, and how many are not; nothing where all are."""
    count = len(changed.readable)
    if count <= IN_ORDER:
        return ""
    ends = f"; {count - most:,} of {count:,} are not shown. Limits hold for all {count:,} together."
    if changed.sure >= most:
        return f"Shown are the {most} largest of the changes beyond noise{ends}"
    rest = "the largest shares" if changed.readable[0].is_share else "others in their order"
    sure = "change beyond noise" if changed.sure == 1 else "changes beyond noise, by size"
    return (f"First the {sure}, then " if changed.sure else "Shown are ") + rest + ends


def change_cells(row: ChangedRow, *, together: bool) -> tuple[str, ...]:
    """A row of a table that people read: its label, its numbers as far as known, and whether it is beyond noise.

    Args:
        row: of a question.
        together: whether limits are those that hold for all numbers of the question together.
    """
    told, limits = row.change, row.together if together else row.change
    numbers = {"before": row.before.value, "after": row.after.value, "change": told.value}
    numbers |= {} if isnan(told.stderr) else {"stderr": told.stderr}
    texts = round_row({**numbers, "low": limits.low, "high": limits.high})
    if row.has_dates:
        texts = {name: iso_date(numbers[name]) if name in SIDES else f"{text} days" for name, text in texts.items()}
    names = ("before", "after", "change", "stderr", "low", "high")
    sure = "yes" if row.sure else "only alone" if row.sure_alone and not together else "no"
    return (row.label, *(texts.get(name, "") for name in names), sure)
