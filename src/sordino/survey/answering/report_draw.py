"""A report by a plan from one person's record: the public draw of a question, its statistic, its mechanism.

Guarantee: the plan's own, since what is drawn from is what was certified. How many words are drawn depends on the words
alone. The whole record is looked at before anything is drawn, so that no refusal depends on the question. Where the
question was drawn before (`ask = "drawn"`), only its own attributes must be there. A refusal depends on the question
then, so that whoever draws it must store it first: a record without its values would otherwise be tried until another
question comes up, and which question a report is about would depend on the record.
"""

import secrets
from collections.abc import Mapping
from datetime import date
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sordino.document.record_file import read_values
from sordino.domain.calendar import Series, date_of
from sordino.domain.interval import Interval
from sordino.domain.scaled import Measured
from sordino.errors import SordinoError, SordinoErrors
from sordino.exact.source import Source, SystemSource, uniform_below
from sordino.survey.answering.plan_report import ID_BYTES, PlanReport
from sordino.survey.kinds.question import Question
from sordino.survey.planning.plan import Plan
from sordino.survey.schema.series_table import PERIOD


def draw_report(
    plan: Plan, tables: dict[str, Any], source: Source | None = None, question: int | None = None
) -> PlanReport:
    """One report; every call is a new release, and losses add.

    Args:
        plan: that asks.
        tables: of the record's file. What the plan asks and its public columns must be there; what it only protects
            may be.
        source: of random words; fresh ones of the operating system by default.
        question: its place, where it was drawn and stored before: only what it needs must be in the record. By default
            it is drawn once the whole record was found right.

    Raises:
        SordinoErrors: all mistakes of the record, whatever question would have been drawn; never with a value.
    """
    values, source = read_record(plan, tables, question), SystemSource() if source is None else source
    place = draw_question(plan, source) if question is None else question
    own = plan.questions[place]
    column = own.column(question_arrays(own, values))
    read: Any = column[:] if isinstance(column, Measured) else column
    code = plan.sampled.offsets[place] + int(own.query.privatize(read, source)[0])
    cell = plan.cells.cell([np.array([values[one.name]], dtype=np.int64) for one in plan.cells.attributes])
    return PlanReport(plan, code, secrets.token_bytes(ID_BYTES), int(cell[0]) if plan.cells.attributes else 0)


def draw_question(plan: Plan, source: Source | None = None) -> int:
    """The place of one person's question by the plan's weights; every call is another draw.

    Args:
        plan: that asks.
        source: of random words; fresh ones of the operating system by default.
    """
    return int(plan.sampled.draw(1, SystemSource() if source is None else source)[0])


def read_record(plan: Plan, tables: dict[str, Any], question: int | None = None) -> dict[str, float | int]:
    """What a plan reads of a record, by attribute: what it asks for, and its public columns.

    Args:
        plan: that asks.
        tables: of the record's file. What the plan asks and its public columns must be there; what it only protects
            may be.
        question: the place of the only question whose attributes must be there; all by default. Whatever else is there
            is looked at too, so that a wrong value is refused whatever was drawn.

    Raises:
        SordinoErrors: all mistakes of the record; never with a value.
    """
    public = {one.name: one for one in plan.cells.attributes}
    named = _with_period(plan.series, tables)
    return read_values(named, {**plan.attributes, **public}, "the plan's", [*plan.asked_names(question), *public])


def _with_period(series: "Series | None", tables: dict[str, Any]) -> dict[str, Any]:
    """The tables with the first day of the period of a series, of which a record may name any day.

    Raises:
        SordinoErrors: no day of any period.
    """
    record = tables.get("record")
    if series is None or not isinstance(record, Mapping):
        return tables
    if PERIOD not in record:
        rule = f"a record must name the {series.every} in which the person answers, drawn or assigned before"
        step = f"write {PERIOD} = {series.starts(0)}, or have `sordino answer` draw and keep it"
        raise SordinoErrors("the record", [SordinoError(rule, found=f"none for {PERIOD!r}", step=step)])
    given = record[PERIOD]
    day = date_of(given) if isinstance(given, str) else given if type(given) is date else None
    period = None if day is None else series.at(day)
    if period is None:
        rule = f"the record's {PERIOD!r} must be a day of the series, {series.starts(0)} to {series.last_day}"
        found = "a day before or after it" if day is not None else "no day"
        mistake = SordinoError(rule, found=found, step=f"write a date, such as {PERIOD} = {series.starts(0)}")
        raise SordinoErrors("the record", [mistake])
    return {**tables, "record": {**record, PERIOD: series.label(period)}}


def question_arrays(question: Question, values: Mapping[str, float | int]) -> dict[str, NDArray[Any]]:
    """What a question asks of one person."""
    return {
        one.name: np.array([values[one.name]], dtype=np.float64 if isinstance(one.domain, Interval) else np.intp)
        for one in question.attributes
    }


def draw_period(series: Series, source: Source | None = None) -> int:
    """The period of one person, each with the same probability; every call is another draw.

    Args:
        series: of the plan.
        source: of random words; fresh ones of the operating system by default.

    Example:
        >>> from datetime import date
        >>> draw_period(Series(2, "week", date(2026, 1, 5))) in (0, 1)
        True
    """
    words = (SystemSource() if source is None else source).public(1, "period")
    return int(uniform_below(series.periods, words)[0])
