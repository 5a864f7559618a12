"""Periods of a series in a table of people: a date within one, its place from 0, or its first day, as SQL."""

from sordino.domain.answers.series import DAYS, MONTHS, Series
from sordino.tables.duckdb import TEXT, literal, quote

A_DAY = r"\d{4}-\d{2}-\d{2}([ T].*)?"
"""A date, or a time of that day."""

A_PLACE = r"\d{1,4}"


def period_index(column: str, series: Series) -> str:
    """The place of each row's period; -1 of what is no day of the series and no place.

    Args:
        column: of dates, times, texts, or whole numbers.
        series: whose periods these are.
    """
    text = f"CAST({quote(column)} AS {TEXT})"
    day, place = f"TRY_CAST({text}[:10] AS DATE)", f"TRY_CAST({text} AS INTEGER)"
    start, end = series.starts(0), series.ends(series.periods - 1)
    if series.every in DAYS:
        since = f"date_diff('day', DATE '{start}', {day}) // {DAYS[series.every]}"
    else:
        months = f"12 * (year({day}) - {start.year}) + month({day}) - {start.month}"
        # Of a period that has begun the last month counts once its day has come.
        since = f"({months} - CAST(day({day}) < {start.day} AS INTEGER)) // {MONTHS[series.every]}"
    is_day = f"regexp_full_match({text}, {literal(A_DAY)}) AND {day} BETWEEN DATE '{start}' AND DATE '{end}'"
    is_place = f"regexp_full_match({text}, {literal(A_PLACE)}) AND {place} < {series.periods}"
    found = f"CASE WHEN {is_place} THEN {place} WHEN {is_day} THEN {since} ELSE -1 END"
    return f"coalesce(CAST({found} AS INTEGER), -1)"
