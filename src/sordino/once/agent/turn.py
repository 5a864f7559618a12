"""When it is a person's turn, by a plan with a series: in one of its periods, which is drawn or assigned once.

The period is stored before anything is answered, and is never another one: neither a later draw nor another invitation
changes it, so that nobody chooses when to answer by what the answer is. Days are those of UTC.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any, Literal

from sordino.domain.calendar import Series
from sordino.errors import RefusedError, SordinoError, UnavailableError
from sordino.once.journal.event import PERIOD
from sordino.once.journal.journal import Journal
from sordino.survey.answering.report_draw import draw_period
from sordino.survey.planning.plan import Plan
from sordino.survey.schema.series_table import PERIOD as PERIOD_COLUMN
from sordino.words.series_sentences import period_name

Today = Callable[[], date]


def utc_today() -> date:
    """The day in Greenwich, by this device's clock."""
    return datetime.now(UTC).date()


@dataclass(frozen=True)
class Turn:
    """A person's period.

    Attributes:
        period: its place, from 0.
    """

    series: Series
    period: int

    @property
    def label(self) -> str:
        """As reports have it: the first day."""
        return self.series.label(self.period)

    @property
    def name(self) -> str:
        """As a person says it."""
        return period_name(self.series, self.period)

    def state(self, day: date) -> Literal["later", "now", "over"]:
        """Whether it is still to come, has begun, or has ended."""
        if day < self.series.starts(self.period):
            return "later"
        return "now" if day <= self.series.ends(self.period) else "over"

    def sentence(self, day: date) -> str:
        """The same in words for the person."""
        name, last = self.name, self.series.ends(self.period)
        match self.state(day):
            case "later":
                return f"Your turn is {name}. Run this again then: nothing was drawn or sent."
            case "over":
                return (
                    f"Your turn was {name}, until {last}. Nothing was drawn or sent; no other period takes its place."
                )
        return f"It is your turn, until {last}. You answer once, in this period alone."

    def require(self, day: date) -> None:
        """Refuse to answer in any other period.

        Raises:
            UnavailableError: the period is still to come.
            RefusedError: it is over.
        """
        rule, name = "an answer must be drawn in the period that is its own", self.name
        match self.state(day):
            case "later":
                raise UnavailableError(rule, found=f"{name}, which is still to come", step="run this again then")
            case "over":
                step = "leave it: no other period takes its place"
                raise RefusedError(rule, found=f"{name}, which is over", step=step)

    def record_tables(self, tables: Mapping[str, Any]) -> dict[str, Any]:
        """A record's tables with its period.

        Raises:
            SordinoError: a record that has one.
        """
        record = tables.get("record")
        if not isinstance(record, Mapping):
            return dict(tables)
        if PERIOD_COLUMN in record:
            step = "take it out of [record]"
            raise SordinoError("a record must not say its period: it is drawn, or comes by invitation", step=step)
        return {**tables, "record": {**record, PERIOD_COLUMN: self.label}}


def own_turn(journal: Journal, plan: Plan, assigned: str | None) -> Turn | None:
    """The person's period, drawn or taken from an invitation now, or earlier; None of a plan that asks at one time.

    Args:
        journal: in which the period stands.
        plan: that asks.
        assigned: the first day of the period that the invitation names; None where there is none.

    Raises:
        SordinoError: an assigned period that is none of the plan's, or not the one that is stored.
    """
    series = plan.series
    if series is None:
        if assigned is not None:
            step = "ask for a link of this plan"
            raise SordinoError("an invitation to this plan must name no period", found="a period", step=step)
        return None
    if assigned is not None and assigned not in series.labels:
        step = "ask for the right link"
        raise SordinoError("an invitation must name a period of the plan", found="another day", step=step)
    given = None if assigned is None else series.labels.index(assigned)
    period = journal.choose_once(PERIOD, plan.hash, lambda: draw_period(series) if given is None else given)
    if given not in (None, period):
        rule = f"your period was chosen before, and stays: {period_name(series, period)}"
        found = f"an invitation for {period_name(series, given or 0)}"
        raise RefusedError(rule, found=found, step="answer by the first link, in its period")
    if not 0 <= period < series.periods:
        raise AssertionError("a journal holds periods of the plan only")
    return Turn(series, period)
