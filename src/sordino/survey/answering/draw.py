"""A report by a plan from one person's record: the public draw of a question, its statistic, its mechanism.

Guarantee: the plan's own, since what is drawn from is what was certified. The whole record is looked at before anything
is drawn, so that no refusal depends on the question; how many words are drawn depends on the words alone.
"""

import secrets
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sordino.document.record_file import read_values
from sordino.domain.interval import Interval
from sordino.exact.source import Source, SystemSource
from sordino.survey.answering.plan_report import ID_BYTES, PlanReport
from sordino.survey.planning.plan import Plan
from sordino.survey.questions.question import Question


def draw_report(plan: Plan, tables: dict[str, Any], source: Source | None = None) -> PlanReport:
    """One report; every call is a new release, and losses add.

    Args:
        plan: that asks.
        tables: of the record's file. What the plan asks and its public columns must be there; what it only protects
            may be.
        source: of random words; fresh ones of the operating system by default.

    Raises:
        SordinoErrors: all mistakes of the record, whatever question would have been drawn; never with a value.
    """
    values = read_record(plan, tables)
    columns = [question.column(question_arrays(question, values)) for question in plan.questions]
    code = int(plan.sampled.privatize(columns, SystemSource() if source is None else source)[0])
    cell = plan.cells.cell([np.array([values[one.name]], dtype=np.int64) for one in plan.cells.attributes])
    return PlanReport(plan, code, secrets.token_bytes(ID_BYTES), int(cell[0]) if plan.cells.attributes else 0)


def read_record(plan: Plan, tables: dict[str, Any]) -> dict[str, float | int]:
    """What a plan reads of a record, by attribute: what it asks for, and its public columns.

    Args:
        plan: that asks.
        tables: of the record's file. What the plan asks and its public columns must be there; what it only protects
            may be.

    Raises:
        SordinoErrors: all mistakes of the record, whatever question would have been drawn; never with a value.
    """
    asked = {name: None for question in plan.questions for name in question.attribute_names}
    public = {one.name: one for one in plan.cells.attributes}
    return read_values(tables, {**plan.attributes, **public}, "the plan's", [*asked, *public])


def question_arrays(question: Question, values: Mapping[str, float | int]) -> dict[str, NDArray[Any]]:
    """What a question asks of one person."""
    return {
        one.name: np.array([values[one.name]], dtype=np.float64 if isinstance(one.domain, Interval) else np.intp)
        for one in question.attributes
    }
