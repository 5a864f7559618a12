"""Dates of a survey: as people spell them, and as the numbers of days that they are.

dates = { from = 2024-01-01, to = 2024-12-31, step = "quarter" }
# number = { low = 2024-01-01, high = 2024-12-31, edges = [2024-01-01, 2024-04-01, 2024-07-01, 2024-10-01, 2024-12-31] }
"""

import re
from collections.abc import Collection, Mapping
from datetime import date, datetime, timedelta
from typing import Any

from sordino.domain.calendar import DAYS, EPOCH, MONTHS, date_of
from sordino.errors import SordinoError
from sordino.exact.messages import shown
from sordino.survey.reading.ask_table import named_attributes

EXAMPLE = "dates = [2024-01-01, 2026-12-31]"

STEPS = {
    word: step
    for step in ("week", *MONTHS)
    for word in (step, f"{step}s", f"{step}ly", *(("annual", "annually") if step == "year" else ()))
}
"""Words for the steps of dates. A day is none: the last two days would share a bin, as a number's ends are inside."""

MOST_DAYS = 31
"""Days that are told one by one where nothing says how dates are cut."""

MOST_STEPS = 27
"""Edges of weeks, months or quarters where nothing says by which of them: of half a year in weeks, two in months."""

PART = re.compile(r"([0-9]{4})(?:-(0[1-9]|1[0-2]))?")
"""A year, or a month of one."""


def as_dates(given: Any) -> Any:
    """Settings with dates in place of texts that are dates; everything else as it is."""
    if isinstance(given, list):
        return [as_dates(one) for one in given]
    return (date_of(given) or given) if isinstance(given, str) else given


def ends_to_write(low: object, high: object) -> str:
    """The ends as dates to write where years or months stand: their first and last days; else an example."""
    first, last = (PART.fullmatch(str(end)) for end in (low, high))
    if first is None or last is None or "0000" in (first[1], last[1]):
        return EXAMPLE
    month = int(last[2] or 12)
    after = date(int(last[1]) + month // 12, month % 12 + 1, 1) if last[1] < "9999" else date.max
    return f"dates = [{first[1]}-{first[2] or '01'}-01, {after - timedelta(days=1)}]"


def edges_by(step: object, low: date, high: date) -> list[date]:
    """The ends, and the first days of all weeks from the first, or of all calendar months, quarters or years, between.

    A last day that begins a step counts to the one before.

    Raises:
        SordinoError: an unknown step.
    """
    every = STEPS.get(step.lower()) if isinstance(step, str) else None
    if every is None:
        rule = 'step of dates must be "week", "month", "quarter" or "year"'
        raise SordinoError(rule, found=shown(step), step='write step = "month"')
    if every in DAYS:
        places = range(low.toordinal() + DAYS[every], high.toordinal() + 1, DAYS[every])
    else:
        first, length = 12 * low.year + low.month - 1, MONTHS[every]
        places = range((first // length + 1) * length, 12 * high.year + high.month, length)
    between = [date.fromordinal(one) if every in DAYS else date(one // 12, one % 12 + 1, 1) for one in places]
    return [low, *(day for day in between if day < high), high]


def step_of(low: date, high: date) -> str | None:
    """By which step of the calendar dates are cut where nothing says it; None of so few that each day is its own."""
    if (high - low).days < MOST_DAYS:
        return None
    return next((step for step in ("week", "month", "quarter") if len(edges_by(step, low, high)) <= MOST_STEPS), "year")


ENDS = ("low", "high")


def with_days(tables: Mapping[str, Any]) -> tuple[dict[str, Any], list[SordinoError]]:
    """A survey's tables with days in place of dates, given by a date where nothing else is said; and their mistakes."""
    attributes, mistakes = tables.get("attribute"), list[SordinoError]()
    if not isinstance(attributes, dict):
        return dict(tables), mistakes
    changed, dated = dict(attributes), set[str]()
    for name, attribute in attributes.items():
        number = attribute.get("number") if isinstance(attribute, dict) else None
        if not isinstance(number, dict):
            continue
        dates = [end for end in ENDS if isinstance(number.get(end), date)]
        if not dates:
            continue
        wrong = len(dates) < len(ENDS) or any(isinstance(number[end], datetime) for end in dates)
        if wrong:
            rule = f"attribute.{name}.number must have two dates as its ends, or two numbers"
            step = "write low = 1990-01-01, high = 2026-12-31"
            mistakes.append(SordinoError(rule, found=" and ".join(str(number.get(end)) for end in ENDS), step=step))
            # Nothing more is said about ends that were none.
            days = {end: float(i) for i, end in enumerate(ENDS)}
        else:
            days = in_days({name: own for name, own in number.items() if name in (*ENDS, "edges")})
            dated.add(name)
        changed[name] = {"input": "date", **attribute, "number": {**number, **days}}
    asks = tables.get("ask")
    if isinstance(asks, list):
        # What is asked of dates is given by dates.
        asks = [in_days(ask) if isinstance(ask, dict) and is_of_dates(ask, dated) else ask for ask in asks]
    return {**tables, "attribute": changed, **({} if asks is None else {"ask": asks})}, mistakes


def is_of_dates(ask: Mapping[str, Any], dated: Collection[str]) -> bool:
    """Whether a question names a number whose ends are dates, and no others."""
    named = {name for _, _, name in named_attributes([dict(ask)])}
    return bool(named) and named <= {*dated}


def in_days(given: Any) -> Any:
    """Settings with days since 1970-01-01 in place of dates; a time of a day stays what it is."""
    match given:
        case dict():
            return {name: in_days(own) for name, own in given.items()}
        case list():
            return [in_days(own) for own in given]
        case date() if not isinstance(given, datetime):
            return float(given.toordinal() - EPOCH)
    return given
