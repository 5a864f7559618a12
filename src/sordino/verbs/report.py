"""The verb `report`: one person's report by a plan, drawn on their own device."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sordino.document.record_file import load_tables
from sordino.exact.messages import checked
from sordino.survey.answering.plan_report import PlanReport, require_report_name
from sordino.survey.answering.report_draw import draw_report
from sordino.survey.planning.plan import Plan


@checked
def report(
    plan: Plan | Path | str, record: Mapping[str, Any] | Path | str, *, output: Path | str | None = None
) -> PlanReport:
    """Draw one person's report: a question without looking at the record, its statistic, its mechanism.

    **Every call is a new release, and losses add**: a person sends one report by a plan, and sends the same one again
    where it may not have arrived. Words come from the operating system, and from nowhere else.

    Args:
        plan: a plan, or the path of its file, which is certified before anything is drawn.
        record: the person's values, as the tables of a record's file, or the path of one.
        output: the file of the report to write (.jsonl), never over another one.

    Returns:
        The report: what a collector gets is its `document`.

    Raises:
        SordinoErrors: all mistakes of the record, whatever question would have been drawn; never with a value.
        SordinoError: no plan, no record, or a file that cannot be written.
        RefusedError: a plan that breaks its promise.

    Example:
        >>> from sordino import plan
        >>> asked = {"version": 1, "epsilon": "1", "attribute": {"age": {"number": {"low": 0, "high": 120}}}}
        >>> frozen = plan({**asked, "ask": [{"mean": "age"}]}, people=10_000)
        >>> report(frozen, {"version": 1, "record": {"age": 44}}).document["question"]
        0
    """
    frozen = plan if isinstance(plan, Plan) else Plan.load(plan)
    if output is not None:
        require_report_name(Path(output))
    made = draw_report(frozen, dict(record) if isinstance(record, Mapping) else load_tables(record))
    if output is not None:
        made.save(output)
    return made
