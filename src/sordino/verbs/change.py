"""What changed between two collections, as a verb."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import pyarrow as pa

from sordino.blocks.arrow_rows import ArrowRows
from sordino.blocks.block import BlockGroup
from sordino.blocks.displayed import WithFigures
from sordino.blocks.notebook_cell import NotebookCell, WithCell
from sordino.blocks.sentence import Sentence
from sordino.blocks.summary import MOST_ROWS, lines_of
from sordino.document.files import write_text
from sordino.errors import SordinoError, SordinoErrors
from sordino.exact.messages.arguments import checked
from sordino.mechanism.aggregate import Aggregate
from sordino.printable import printable
from sordino.show.changes import change_blocks
from sordino.survey.estimates.coverage import Coverage
from sordino.survey.planning.plan import Plan
from sordino.survey.results.change import Changed, changes
from sordino.survey.results.result import Result, results
from sordino.tables.results.changes import all_rows, changes_table, write_changes
from sordino.verbs.collect import tally_of
from sordino.verbs.plan_given import PlanLike, read_plan
from sordino.words.changes import AVERAGED, BACKWARDS, COLUMNS, OVERLAPPING, change_cells
from sordino.words.explain_questionnaire import survey_title

MOST_NAMED = 5
"""Questions without a change that a text names."""


@dataclass(frozen=True, eq=False, repr=False)
class PlanChange(ArrowRows, WithCell, WithFigures):
    """What changed between two collections of independent reports.

    Attributes:
        changed: of each later question what both tell.
        not_comparable: what only one of them tells, or of other values, and why, by name.
        n: the reports of both.
        coverage: how sure each interval is, or all of a question together.
        title: of the later survey; empty where it has none.
        over_time: of each collection by a plan with a series, which days are compared as one.

    Of many numbers those with the largest changes are those with the most noise: a row is `sure` if its interval leaves
    out 0 even where it is to hold together with those of all numbers of its question.

    Example:
        >>> from sordino import plan, privatize
        >>> asked = {"version": 1, "epsilon": "4", "attribute": {"smoker": {"categories": ["yes", "no"]}}}
        >>> frozen = plan({**asked, "ask": [{"histogram": "smoker"}]}, 3000)
        >>> reports = privatize(frozen, pa.table({"smoker": ["yes", "no", "no"] * 1000}))
        >>> found = change(frozen, reports, frozen, reports)
        >>> found.to_arrow()["label"].to_pylist(), found.n
        (['yes', 'no'], (3000, 3000))
    """

    changed: tuple[Changed, ...]
    not_comparable: Mapping[str, str]
    n: tuple[int, int]
    coverage: Coverage
    title: str = ""
    over_time: tuple[str, ...] = ()

    @property
    def _title(self) -> str:
        sure = f"{100 * self.coverage.confidence:.15g}% intervals"
        return f"PlanChange from {self.n[0]:,} reports to {self.n[1]:,}, {sure}"

    def __repr__(self) -> str:
        readable = [(one, row) for one in self.changed for row in one.first()]
        rows = [
            (f"{one.name}: {cells[0]}", *cells[3:4], *cells[5:])
            for one, row in readable[:MOST_ROWS]
            for cells in [change_cells(row, together=len(one.first()) < len(one.readable))]
        ]
        header = ("", *COLUMNS[2:3], *COLUMNS[4:])
        text = lines_of(
            self._title, header, rows, sum(len(one.readable) for one in self.changed), "to_arrow(), page(path)"
        )
        apart = [f"  {printable(name)}: not comparable" for name in list(self.not_comparable)[:MOST_NAMED]]
        return "\n".join([text, *apart])

    def notebook_cell(self) -> NotebookCell:
        """What the page shows of each question."""
        parts = [(one.name, change_blocks(one, self.coverage)) for one in self.changed]
        if self.over_time:
            parts.append(("", (BlockGroup("Over time", tuple(map(Sentence, self.over_time))),)))
        if self.not_comparable:
            said = tuple(map(Sentence, self.not_comparable.values()))
            parts.append(("", (BlockGroup("Not compared", said),)))
        return NotebookCell(self._title, parts, f"{self.n} {self.coverage} {self.rows()[:MOST_ROWS]}", "page(path)")

    def rows(self) -> list[dict[str, Any]]:
        """A row for each number that both tell, as `sordino change --json` prints it."""
        return [row.json() for one in self.changed for row in all_rows(one)]

    def to_arrow(self) -> pa.Table:
        """The same as a table, with the columns `question` and `label` for what each row is about."""
        return changes_table(self.changed)

    def save(self, path: Path | str, *, overwrite: bool = False) -> None:
        """Write that table: .csv, .csv.gz or .parquet.

        Raises:
            SordinoError: the file exists and may not be overwritten, or the system refuses to write.
        """
        write_changes(self.changed, Path(path), overwrite=overwrite)

    def page(self, path: Path | str, *, overwrite: bool = False) -> None:
        """Write a self-contained HTML page: both estimates side by side, and what changed, with its interval.

        Raises:
            SordinoError: the file exists and may not be overwritten, or the system refuses to write.
        """
        # Drawing libraries take a second to load: only what draws waits for them.
        from sordino.show.html.change_page import change_page

        page = change_page(
            self.changed, self.not_comparable, self.n, self.coverage, self.title, over_time=self.over_time
        )
        write_text(Path(path), page, overwrite=overwrite)


@checked
def change(
    plan: PlanLike,
    reports: Any,
    later_plan: PlanLike,
    later_reports: Any,
    *,
    confidence: float = 0.95,
    simultaneous: bool = False,
) -> PlanChange:
    """Say what changed between two collections: of each number that both tell the difference, with its interval.

    Shares of values and cells, bins and quantiles, means, covariances and coefficients of the same attributes with the
    same values or ranges, whichever plans asked for them. The collections are taken for independent: where the same
    people answered both, and answer alike, differences are surer than is said.

    Args:
        plan: of the earlier collection, or the path of its file.
        reports: its tally, or reports as `aggregate` takes them.
        later_plan: of the later collection; may be the same one.
        later_reports: its tally, or reports.
        confidence: of each interval by itself.
        simultaneous: whether all intervals of a question hold together with it.

    Raises:
        SordinoError: no plan, no reports, a confidence outside (0, 1), or two plans with the same periods.
        SordinoErrors: nothing that both tell, and why not.

    Example:
        >>> from sordino import plan, privatize
        >>> asked = {"version": 1, "epsilon": "4", "attribute": {"smoker": {"categories": ["yes", "no"]}}}
        >>> frozen = plan({**asked, "ask": [{"histogram": "smoker"}]}, 6000)
        >>> before = privatize(frozen, pa.table({"smoker": ["yes", "no", "no"] * 2000}))
        >>> after = privatize(frozen, pa.table({"smoker": ["no", "no", "no"] * 2000}))
        >>> fewer = change(frozen, before, frozen, after).rows()[0]
        >>> fewer["value"], fewer["high"] < -0.2
        ('yes', True)
    """
    first, second = read_plan(plan, "change"), read_plan(later_plan, "change")
    tallies = tally_of(first, reports), tally_of(second, later_reports)
    return change_of((first, tallies[0]), (second, tallies[1]), Coverage(confidence, simultaneous))


def change_of(first: tuple[Plan, Aggregate], second: tuple[Plan, Aggregate], coverage: Coverage) -> PlanChange:
    """What changed from one collection to another, as `sordino.change` says."""
    if first[0].series is not None and first[0].series == second[0].series and first[0].hash != second[0].hash:
        rule = "two plans of one series must be one plan: what was asked otherwise is another series"
        raise SordinoError(rule, found="the same periods and two plans", step="compare reports of one of them")
    before, after = (_estimate(plan, tally, Coverage(coverage.confidence)) for plan, tally in (first, second))
    changed, apart = changes(before, after, coverage)
    if not changed:
        raise SordinoErrors("the comparison", list(apart.values()))
    why = {name: str(error) for name, error in apart.items()}
    reports = sum(one.n for one in before), sum(one.n for one in after)
    over_time = (
        *_over_time("earlier", *first),
        *_over_time("later", *second),
        *_overlap(_days(*first), _days(*second)),
    )
    return PlanChange(changed, why, reports, coverage, survey_title(second[0]), over_time)


def _over_time(which: str, plan: Plan, tally: Aggregate) -> Iterator[str]:
    """That the reports of a series count together, and of which days they are; of other plans nothing."""
    series, periods = plan.series, _periods(plan, tally)
    if series is not None and periods:
        count = f"{len(periods):,} {series.every}{'' if len(periods) == 1 else 's'}"
        days = f"{series.starts(periods[0])} to {series.ends(periods[-1])}"
        yield AVERAGED.format(which=which, count=count, days=days)


def _periods(plan: Plan, tally: Aggregate) -> list[int]:
    """The periods that reports are of, in their order; none of a plan without a series."""
    if plan.series is None:
        return []
    return sorted({cell % plan.series.periods for cell, own in tally.cells.items() if plan.sampled.reports(own)})


def _days(plan: Plan, tally: Aggregate) -> list[tuple[date, date]]:
    """The first and the last day of each period that reports are of."""
    series = plan.series
    return [] if series is None else [(series.starts(one), series.ends(one)) for one in _periods(plan, tally)]


def _overlap(before: list[tuple[date, date]], after: list[tuple[date, date]]) -> Iterator[str]:
    """That what is called later is of the same days, or of earlier ones; of other plans nothing."""
    if not before or not after:
        return
    both = [
        (max(first, start), min(last, end))
        for first, last in before
        for start, end in after
        if max(first, start) <= min(last, end)
    ]
    if both:
        count = sum((last - first).days + 1 for first, last in both)
        yield OVERLAPPING.format(count=f"{count:,} day{'' if count == 1 else 's'}", first=both[0][0], last=both[-1][1])
    elif after[-1][1] < before[0][0]:
        yield BACKWARDS


def _estimate(plan: Plan, tally: Aggregate, coverage: Coverage) -> tuple[Result, ...]:
    """What `estimate` shows; without fitting, which takes time, where no quantile is read off what is fitted."""
    fitted = any(question.reads_fitted for question in plan.questions)
    return results(plan, tally, None if fitted else "unbiased", coverage)
