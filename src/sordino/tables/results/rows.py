"""Rows that are made of estimates, as a table has them: shares within others, margins, differences, pooled numbers.

`kind` says which a row is. Where it is about a share among some people, `given` is the attribute and `within` its value
that these have; `minus` is the value whose share, or among whose people the share, is taken off.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from sordino.survey.results.associations import associations
from sordino.survey.results.groups import GroupedResults
from sordino.survey.results.over_time.plan_series import PlanSeries
from sordino.survey.results.pooled import PooledResult
from sordino.survey.results.poststratified import Poststratified
from sordino.survey.results.result import Result
from sordino.survey.results.table import table_results
from sordino.survey.results.weighted import Unweighted, Weighted

Row: TypeAlias = Mapping[str, Any]
"""What is told, as `estimate --json` says it."""

GROUP_DIFFERENCE = "group difference"
"""What a group has more than others."""

EQUALITY = "equality"
"""A test of whether all groups are alike."""

KINDS = {"margins": "margin", "conditional": "conditional", "differences": "difference"}
"""Of the lists of `estimate --json` that are about tables."""


def rows_made(
    found: Sequence[Result],
    pooled: Sequence[PooledResult],
    known: Sequence[Poststratified],
    between: Sequence[Row],
    groups: GroupedResults | None = None,
    weighted: Weighted | Unweighted | None = None,
    series: PlanSeries | None = None,
) -> Iterator[dict[str, Any]]:
    """All that is told beside the questions' own rows, with `kind` and the `question` or questions that it is made of.

    Args:
        found: what reports say of each question.
        pooled: quantities that several questions tell.
        known: tables by margins that are known otherwise.
        between: differences of two shares.
        groups: estimates by groups, whose differences are made of them.
        weighted: estimates by known totals of public groups.
        series: curves over periods, and what changed for good.
    """
    for row in between:
        yield _row("between", row, row["attribute"]) | {"minus": row["minus"]}
    for result in pooled:
        yield from (_row("pooled", row, "; ".join(result.questions)) for row in result.rows())
    for table in table_results(found):
        yield from (_row(KINDS[kind], row, table.question.name) for kind, row in table.rows())
    for row in associations(found).rows():
        yield _row("association", row, ", ".join(row["table"]))
    for one in known:
        yield from (_row("poststratified", row, one.table.question.name) for row in one.rows())
    if isinstance(weighted, Weighted):
        yield from _of_weighted(weighted)
    for question, label, row in () if series is None else series.rows():
        yield _row(row["kind"], row | {"attribute": question, "value": label}, question)
    if groups is not None:
        yield from _of_groups(groups, with_tables=len(found) > 0)


def _of_weighted(weighted: Weighted) -> Iterator[dict[str, Any]]:
    for result in weighted.results:
        name = result.question.name
        for at, row in enumerate(result.rows()):
            yield _row("weighted", {"attribute": name, **row, "value": result.table.label(result.places[at])}, name)


def _of_groups(groups: GroupedResults, *, with_tables: bool) -> Iterator[dict[str, Any]]:
    """Of tables what is made of each group's cells; what is pooled, tests of equality, and differences of groups."""
    for group, own in groups.with_results if with_tables else ():
        of_group = {"group": group.label}
        for table in table_results(own):
            yield from (_row(KINDS[kind], row | of_group, table.question.name) for kind, row in table.rows())
    for group in groups.groups:
        for pooled in group.pooled:
            names = "; ".join(pooled.questions)
            yield from (_row("pooled", row | {"group": group.label}, names) for row in pooled.rows())
    for test in groups.tests:
        adjusted = {} if test.adjusted is None else {"p_adjusted": test.adjusted}
        about = {"attribute": groups.name, "value": test.name}
        numbers = {"statistic": test.test.statistic, "degrees": test.test.degrees, "p": test.test.p_value}
        yield _row(EQUALITY, {**about, **numbers, **adjusted}, test.question)
    for difference in groups.differences:
        for name, label, row in difference.rows():
            yield _row(GROUP_DIFFERENCE, row | {"attribute": name, "value": label}, name)


def _row(kind: str, row: Row, question: str) -> dict[str, Any]:
    """A row whose attributes and values are texts."""
    value = row["value"] if isinstance(row["value"], str) else ", ".join(row["value"])
    attribute = row["attribute"] if "attribute" in row else ", ".join(row["attributes"])
    told = {**row, "attribute": attribute, "value": value, "kind": kind, "question": question}
    if "given" in row:
        told |= {"given": ", ".join(row["given"]), "within": ", ".join(row["given"].values())}
    if isinstance(row.get("minus"), Mapping):
        told |= {"minus": ", ".join(row["minus"].values())}
    return told
