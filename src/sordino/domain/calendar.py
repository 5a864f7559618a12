"""Dates as numbers, and the periods of a series: days, weeks, months, quarters or years, each with its first day.

A day belongs to one period or to none. Days are those of UTC, the same for a device and a collector.
Dates are numbers of days since 1970-01-01.
"""

from bisect import bisect_right
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cached_property
from math import isfinite

from sordino.domain.categories import Categories
from sordino.errors import SordinoError
from sordino.exact.messages import shown

DAYS = {"day": 1, "week": 7}

MONTHS = {"month": 1, "quarter": 3, "year": 12}

LENGTHS = (*DAYS, *MONTHS)
"""How long a period may be."""

MOST_PERIODS = 1_000
"""Nineteen years of weeks: a period is shown from 100 reports on, and each costs a fit of all that a plan asks."""

LAST_SHARED_DAY = 28


@dataclass(frozen=True)
class Series:
    """The periods of a plan's series (`plan.series`); period `i` is counted from 0.

    Attributes:
        every: how long each is: "day", "week", "month", "quarter" or "year".
        season: after how many periods a season comes again; None where none is declared. It occurs at least twice.

    Raises:
        SordinoError: a setting that cannot hold, with a step.

    Example:
        >>> weeks = Series(52, "week", date(2026, 1, 5))
        >>> weeks.label(1), weeks.starts(1).day, weeks.ends(1).isoformat(), weeks.at(date(2026, 1, 14))
        ('2026-01-12', 12, '2026-01-18', 1)
        >>> weeks.at(date(2026, 1, 4)) is weeks.at(date(2027, 1, 4)) is None
        True
    """

    periods: int
    every: str
    start: date
    season: int | None = None

    def __post_init__(self) -> None:
        if self.every not in LENGTHS:
            rule, step = f"every must be one of {', '.join(LENGTHS)}", 'write every = "week"'
            raise SordinoError(rule, found=shown(self.every), step=step)
        if not 2 <= self.periods <= MOST_PERIODS:
            rule, step = f"periods must be at least 2 and at most {MOST_PERIODS:,}", "take longer periods"
            step = step if self.periods > MOST_PERIODS else "leave [series] out to ask once"
            raise SordinoError(rule, found=shown(self.periods), step=step)
        if self.every in MONTHS and self.start.day > LAST_SHARED_DAY:
            rule = f"start must be a day that every month has, from 1 to {LAST_SHARED_DAY}"
            raise SordinoError(rule, found=shown(self.start.day), step="begin with the first day of a month")
        if self.season is not None and not 2 <= self.season <= self.periods // 2:
            rule = "season must be at least 2 periods, and come at least twice in the series"
            found = f"{shown(self.season)} of {self.periods} periods"
            raise SordinoError(rule, found=found, step="leave it out: a season that comes once is followed as a bend")
        try:
            _ = self._first_days
        except (ValueError, OverflowError):
            rule, step = "a series must end before the year 10000", "begin earlier, or take fewer periods"
            raise SordinoError(rule, found=f"{self.periods} periods from {self.start}", step=step) from None

    def starts(self, i: int) -> date:
        """The first day of period `i`."""
        return self._first_days[i]

    def ends(self, i: int) -> date:
        """The last day of period `i`."""
        return self._first_days[i + 1] - timedelta(days=1)

    @property
    def last_day(self) -> date:
        return self.ends(self.periods - 1)

    def label(self, i: int) -> str:
        """What reports, tables and results call period `i`: its first day, as 2026-01-05."""
        return self.starts(i).isoformat()

    @property
    def labels(self) -> list[str]:
        return [self.label(i) for i in range(self.periods)]

    def at(self, day: date) -> int | None:
        """The period of a day; None before the first and after the last."""
        i = bisect_right(self._first_days, day) - 1
        return i if 0 <= i < self.periods else None

    def open_at(self, day: date, grace: int) -> list[int]:
        """The periods of which a report may still arrive: that of a day, and the one before within some days.

        Args:
            grace: days after the end of a period, in which a report that was drawn in it may be under way.
        """
        i = bisect_right(self._first_days, day) - 1
        first = i - 1 if i >= 0 and (day - self._first_days[i]).days < grace else i
        return [period for period in range(max(first, 0), i + 1) if period < self.periods]

    @cached_property
    def _first_days(self) -> tuple[date, ...]:
        """Of each period, and of what comes after the last."""
        return tuple(self._day_after(i) for i in range(self.periods + 1))

    def _day_after(self, periods: int) -> date:
        if self.every in DAYS:
            return self.start + timedelta(days=periods * DAYS[self.every])
        months = 12 * self.start.year + self.start.month - 1 + periods * MONTHS[self.every]
        return date(months // 12, months % 12 + 1, self.start.day)


@dataclass(frozen=True, repr=False)
class Periods(Categories):
    """The periods of a series as they stand in a table of people: by any of their days."""

    series: Series


EPOCH = date(1970, 1, 1).toordinal()

DATES = (date(1, 1, 1).toordinal() - EPOCH, date(9999, 12, 31).toordinal() - EPOCH)
"""The first and the last date of four digits."""


def iso_date(days: float) -> str:
    """The nearest date; a number that is beyond all dates as it is.

    Example:
        >>> iso_date(0.4), iso_date(-1.0), iso_date(float("inf"))
        ('1970-01-01', '1969-12-31', 'inf')
    """
    if not (isfinite(days) and DATES[0] <= round(days) <= DATES[1]):
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
