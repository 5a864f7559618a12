"""The series of a plan in plain words: who answers when, and why once is enough to keep the promise over years."""

from collections.abc import Iterator

from sordino.domain.calendar import Series
from sordino.survey.planning.plan import Plan


def period_name(series: Series, period: int) -> str:
    """A period as a person says it.

    Example:
        >>> from datetime import date
        >>> period_name(Series(52, "week", date(2026, 1, 5)), 1), period_name(Series(9, "day", date(2026, 1, 5)), 0)
        ('the week of 2026-01-12', '2026-01-05')
    """
    return series.label(period) if series.every == "day" else f"the {series.every} of {series.label(period)}"


def series_summary(plan: Plan) -> str:
    """That a person answers in one period; nothing of a plan that asks at one time."""
    series = plan.series
    if series is None:
        return ""
    within = " Bounds on dependence must hold in each period." if plan.document.dependence is not None else ""
    return (
        f"Each person answers once, in one of {series.periods:,} {series.every}s, drawn without looking at the answers;"
        f" every report shows which.{within}"
    )


def series_sentences(plan: Plan) -> Iterator[str]:
    """When a person answers, and what the promise covers then."""
    series = plan.series
    if series is None:
        return
    last = series.periods - 1
    season = f", with a season of {series.season:,}" if series.season is not None else ""
    yield (
        f"The series has {series.periods:,} periods, each a {series.every}, from {series.starts(0)} to"
        f" {series.ends(last)} (days of UTC){season}."
    )
    yield (
        "A person's period is drawn on the device, each with the same probability, or comes with an invitation, before"
        " anything is answered; it is never drawn again, and a period that was missed is not replaced by another one."
    )
    yield (
        "A report depends on the answers in that period only: whatever the answers were in all other periods, and"
        " however they changed, one report reveals no more than is promised here. A second answer, in this or in"
        " another series, counts again."
    )
    if plan.promise is not None:
        yield (
            "The smaller factors of single attributes are about the answers in that period; about answers in other"
            " periods, which may depend on all of these together, the factor of the whole report holds."
        )
