"""What changed between two collections, as a verb."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from sordino.blocks.arrow_rows import ArrowRows
from sordino.blocks.displayed import WithFigures
from sordino.blocks.notebook_cell import NotebookCell, WithCell
from sordino.blocks.summary import MOST_ROWS, lines_of
from sordino.document.files import write_text
from sordino.exact.messages import checked
from sordino.mechanism.channel import Aggregate
from sordino.printable import printable
from sordino.survey.kinds.coverage import Coverage
from sordino.survey.planning.plan import Plan
from sordino.tables.results.change_rows import changes_table, write_changes
from sordino.verbs.collect import tally_of
from sordino.verbs.plan_given import PlanLike, read_plan
from sordino.views.collection_changes import COLUMNS, Changed, CollectionChanges, change_cells
from sordino.words.explain_questionnaire import survey_title

MOST_NAMED = 5
"""Questions without a change that a text names."""


@dataclass(frozen=True, eq=False, repr=False)
class PlanChange(ArrowRows, WithCell, WithFigures):
    """What changed between two collections of independent reports.

    Attributes:
        view: all that is said of it.
        title: of the later survey; empty where it has none.

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

    view: CollectionChanges
    title: str = ""

    @property
    def changed(self) -> tuple[Changed, ...]:
        """Of each later question what both collections estimate."""
        return self.view.changed

    @property
    def coverage(self) -> Coverage:
        """What the intervals hold against."""
        return self.view.coverage

    @property
    def over_time(self) -> tuple[str, ...]:
        """Of a series, which days' reports are compared."""
        return self.view.over_time

    @property
    def not_comparable(self) -> Mapping[str, str]:
        """What only one of them estimates, or of other values, and why, by name."""
        return self.view.not_comparable

    @property
    def n(self) -> tuple[int, int]:
        """The reports of both."""
        return self.view.n

    @property
    def _title(self) -> str:
        sure = f"{100 * self.view.coverage.confidence:.15g} % intervals"
        return f"PlanChange from {self.n[0]:,} reports to {self.n[1]:,}, {sure}"

    def __repr__(self) -> str:
        readable = [(one, row) for one in self.changed for row in one.first()]
        rows = [
            (f"{one.title}: {cells[0]}", *cells[3:4], *cells[5:])
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
        parts = [(part.name, part.blocks) for part in self.view.parts()]
        return NotebookCell(
            self._title, parts, f"{self.n} {self.view.coverage} {self.rows()[:MOST_ROWS]}", "page(path)"
        )

    def rows(self) -> list[dict[str, Any]]:
        """A row for each number that both tell, as `sordino change --json` prints it."""
        return self.view.number_rows

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
        from sordino.show.html.estimate_page import change_page

        page = change_page(self.view, self.title)
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
    clusters: str | None = None,
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
        clusters: a public column of both plans by whose values people were drawn in groups, as schools.

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
    return change_of(
        (first, tallies[0]), (second, tallies[1]), Coverage(confidence, simultaneous, clusters=clusters or "")
    )


def change_of(first: tuple[Plan, Aggregate], second: tuple[Plan, Aggregate], coverage: Coverage) -> PlanChange:
    """What changed from one collection to another, as `sordino.change` says."""
    return PlanChange(CollectionChanges.compare(first, second, coverage), survey_title(second[0]))
