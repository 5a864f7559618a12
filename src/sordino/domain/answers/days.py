"""Dates as numbers: days since 1970-01-01."""

from datetime import date
from math import isfinite

EPOCH = date(1970, 1, 1).toordinal()

DAYS = (date(1, 1, 1).toordinal() - EPOCH, date(9999, 12, 31).toordinal() - EPOCH)
"""The first and the last date of four digits."""


def iso_date(days: float) -> str:
    """The nearest date; a number that is beyond all dates as it is.

    Example:
        >>> iso_date(0.4), iso_date(-1.0), iso_date(float("inf"))
        ('1970-01-01', '1969-12-31', 'inf')
    """
    if not (isfinite(days) and DAYS[0] <= round(days) <= DAYS[1]):
        return f"{days:.6g}"
    return date.fromordinal(EPOCH + round(days)).isoformat()


def date_of(text: str) -> date | None:
    """The date that a text is; None of any other.

    Example:
        >>> date_of("2026-01-05"), date_of("20260105"), date_of("2026-1-5")
        (datetime.date(2026, 1, 5), None, None)
    """
    try:
        found = date.fromisoformat(text)
    except ValueError:
        return None
    return found if found.isoformat() == text else None


def first_day(year: int) -> int:
    """Of a year from 1 to 9999, in days."""
    return date(year, 1, 1).toordinal() - EPOCH
