"""The series of a frozen plan: its periods, of which every report shows one, as a public column that a device draws.

The period is a public column of its own name, the last one of the plan, whose labels are the first days of the periods.
So whatever is done with public columns is done with periods; that a person draws theirs, and waits for it, is all that
is new.

[series]
periods = 52
every = "week"                  # or day, month, quarter, year
start = 2026-01-05              # the first day of the first period
season = 13                     # perhaps: after how many periods a season comes again
"""

from collections.abc import Iterator, Sequence
from datetime import date, datetime
from typing import Annotated, Any

from sordino.document.checked_tables import is_list_of, try_tables
from sordino.document.schema.limits import ValueLimits
from sordino.document.schema.strict_table import StrictTable
from sordino.domain.calendar import Series
from sordino.errors import SordinoError, SordinoErrors
from sordino.exact.messages import shown
from sordino.survey.schema.attribute_part import Count
from sordino.survey.schema.own_columns import columns_of, looks
from sordino.survey.schema.public_column import PublicPart

PERIOD = "period"
"""The public column of a plan with a series, and the column of a table of people that it is read from."""


class SeriesPart(StrictTable):
    """The periods of a plan: consecutive, each as long as `every` says.

    Attributes:
        periods: how many there are, from 2 to 1,000.
        every: day, week, month, quarter or year.
        start: the first day of the first period, as 2026-01-05; at most the 28th where periods are months or longer.
        season: after how many periods a season comes again, at most half of them; None where none is declared.
    """

    periods: Count
    every: str
    start: Annotated[str, ValueLimits(min_length=10, max_length=10)]
    season: Count | None = None

    def _check(self) -> None:
        _ = self.series

    @property
    def series(self) -> "Series":
        """The periods with their days.

        Raises:
            SordinoError: settings that cannot hold.
        """
        from sordino.domain.calendar import Series

        try:
            start = date.fromisoformat(self.start)
        except ValueError:
            start = None
        if start is None or start.isoformat() != self.start:
            raise SordinoError("start must be a date", found=shown(self.start), step="write it as 2026-01-05")
        return Series(self.periods, self.every, start, self.season)


def period_part(series: "Series") -> PublicPart:
    """The public column of a series."""
    return PublicPart(name=PERIOD, labels=series.labels, columns=[PERIOD])


def require_periods(series: "Series", public: Sequence[PublicPart]) -> None:
    """Refuse a plan whose last public column is not its periods.

    Raises:
        SordinoError: another column, or none.
    """
    if not public or public[-1] != period_part(series):
        rule = f"the last public column of a plan with a series must be {PERIOD!r}, with the first day of each period"
        raise SordinoError(rule, found="another column" if public else "no public column")


EXAMPLE = "write start = 2026-01-05"


class SeriesTable(StrictTable):
    """The periods of a survey.

    Attributes:
        periods: how many.
        every: day, week, month, quarter or year.
        start: the first day of the first period: a date, or a text as "2026-01-05".
        season: after how many periods a season comes again; none by default.
    """

    periods: int
    every: str
    start: Any
    season: int | None = None

    def _check(self) -> None:
        try:
            _ = self.series
        except SordinoError as error:
            raise SordinoErrors("the series", [error]) from None

    @property
    def series(self) -> Series:
        """The periods with their days.

        Raises:
            SordinoError: settings that cannot hold.
        """
        return Series(self.periods, self.every, _read_day(self.start), self.season)

    @property
    def words(self) -> dict[str, Any]:
        """In the words of a plan."""
        return self.dump() | {"start": self.series.start.isoformat()}


def series_mistakes(tables: dict[str, Any]) -> Iterator[SordinoError]:
    """What a survey with a series cannot have: another column of periods, bounds of one time, an earlier end.

    Args:
        tables: of the survey, unchecked.
    """
    if not isinstance(series := tables.get("series"), dict):
        return
    for kind in ("attribute", "public"):
        named = tables.get(kind)
        for name, table in named.items() if isinstance(named, dict) else ():
            if PERIOD in _looks_of(str(name), table):
                rule = f"{kind}.{name} must not be named {PERIOD!r}, nor read that column, in a survey with [series]"
                step = "name it otherwise, and set `column`"
                yield SordinoError(rule, found="the name of the series' own column", step=step)
    dependence = tables.get("dependence")
    if isinstance(dependence, dict) and "file" in dependence:
        yield SordinoError(
            "dependence.file must not be set in a survey with [series]: its bounds are about the time of its sample",
            found="a statement",
            step="declare bounds that hold in each period (rest, thresholds)",
        )
    about = tables.get("about")
    until = about.get("until") if isinstance(about, dict) else None
    read, mistakes = try_tables(SeriesTable, series)
    if read is None or mistakes:
        # Said of the table by itself.
        return
    last = read.series
    if isinstance(until, date) and not isinstance(until, datetime) and until < last.ends(last.periods - 1):
        rule = f"about.until must not be before the last period ends, on {last.ends(last.periods - 1)}"
        yield SordinoError(rule, found=shown(until.isoformat()), step="leave it out, or take fewer periods")


def _looks_of(name: str, table: object) -> set[str]:
    """What a table of a survey is called, and the columns that it reads, as a reader takes them."""
    given = table.get("column") if isinstance(table, dict) else None
    known = isinstance(table, dict) and (given is None or isinstance(given, str) or is_list_of(given, str))
    columns = columns_of(name, given, grid="grid" in table) if known and isinstance(table, dict) else ()
    return {looks(name), *map(looks, columns)}


def _read_day(given: object) -> date:
    if isinstance(given, date) and not isinstance(given, datetime):
        return given
    try:
        day = date.fromisoformat(given) if isinstance(given, str) else None
    except ValueError:
        day = None
    if day is None or day.isoformat() != given:
        raise SordinoError("start must be a date", found=shown(given), step=EXAMPLE)
    return day
