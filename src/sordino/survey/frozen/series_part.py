"""The series of a frozen plan: its periods, of which every report shows one, as a public column that a device draws.

The period is a public column of its own name, the last one of the plan, whose labels are the first days of the periods.
So whatever is done with public columns is done with periods; that a person draws theirs, and waits for it, is all that
is new.
"""

from collections.abc import Sequence
from datetime import date
from typing import TYPE_CHECKING, Annotated

from sordino.document.schema.limits import ValueLimits
from sordino.document.schema.strict_table import StrictTable
from sordino.errors import SordinoError
from sordino.exact.messages.brief import shown
from sordino.survey.frozen.parts import Count
from sordino.survey.frozen.public_part import PublicPart

if TYPE_CHECKING:
    from sordino.domain.answers.series import Series

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
        from sordino.domain.answers.series import Series

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
