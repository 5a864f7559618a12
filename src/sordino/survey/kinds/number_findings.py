"""What means, covariances and coefficients say first: a mean with its interval, or the number farthest from 0."""

from collections.abc import Iterator, Mapping, Sequence

from sordino.blocks.digits import round_dates, round_row
from sordino.blocks.finding import Finding, Topic, in_brackets

Row = Mapping[str, float]


def middle_finding(
    whose: str, which: str, row: Row, possible: Sequence[float], confidence: float, *, is_date: bool
) -> Finding:
    """A mean or a median, or that nothing is known of it.

    Args:
        whose: it is: the number, and of which people.
        which: of the two.
        row: the number and its limits.
        possible: the ends of what it can be.
        confidence: of the interval.
        is_date: whether it is a date, in days since 1970-01-01.
    """
    if (row["low"], row["high"]) == tuple(possible):
        text = f"{whose}: the reports do not say where the {which} is; more are needed."
        return Finding(Topic.NUMBERS, text, is_sure=False)
    texts = (round_dates if is_date else round_row)(row)
    return Finding(Topic.NUMBERS, f"{whose}: the {which} is {in_brackets(texts, confidence)}.")


def clearest(whose: str, noun: str, rows: Sequence[tuple[str, Row]], confidence: float) -> Iterator[Finding]:
    """The number that is the farthest from 0 for the width of its interval, if its interval excludes 0.

    Args:
        whose: they are.
        noun: what each is.
        rows: their labels, and the numbers with limits that hold together.
        confidence: of all limits together.
    """
    if not rows:
        return
    sure = [(label, row) for label, row in rows if row["low"] > 0 or row["high"] < 0]
    of = f"all {len(rows):,} {noun}s" if len(rows) > 1 else ""
    if not sure:
        which = f"none of {len(rows):,} {noun}s" if of else f"the {noun} of {rows[0][0]}"
        negated = "is" if of else "is not"
        text = f"{whose}: {which} {negated} beyond noise: every interval contains 0."
        yield Finding(Topic.ASSOCIATION, text, is_sure=False)
        return
    label, row = min(sure, key=lambda one: (one[1]["high"] - one[1]["low"]) / abs(one[1]["estimate"]))
    side = "above" if row["low"] > 0 else "below"
    number = f"{noun} of {label}"
    # The covariance of two numbers is the question itself.
    which = f"the {whose}" if whose.startswith(number) else f"{whose}: the {number}"
    text = f"{which} is {side} 0, {in_brackets(round_row(row), confidence, of)}."
    yield Finding(Topic.ASSOCIATION, text)
