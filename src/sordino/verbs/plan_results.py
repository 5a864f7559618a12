"""What the reports of a plan say, with labels."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import isfinite
from pathlib import Path
from typing import Any

import pyarrow as pa

from sordino.blocks.arrow_rows import ArrowRows
from sordino.blocks.block import Block, Heading, blocks_of
from sordino.blocks.digits import error_in_percent, to_span
from sordino.blocks.displayed import WithFigures
from sordino.blocks.notebook_cell import NotebookCell, WithCell
from sordino.blocks.summary import summary
from sordino.blocks.tables import QuantityTable, TextTable
from sordino.document.files import write_text
from sordino.errors import SordinoError
from sordino.estimation.share_estimate import Method
from sordino.exact.messages import checked
from sordino.mechanism.channel import Aggregate
from sordino.printable import printable
from sordino.show.estimate_rows import FULL, tables_of
from sordino.show.findings import finding_blocks
from sordino.survey.kinds.coverage import Coverage
from sordino.survey.planning.plan import Plan
from sordino.survey.results.result import Result, Untold, results
from sordino.tables.public_numbers import read_public
from sordino.tables.results.geojson import is_map_name, map_features, write_map
from sordino.tables.results.tidy import table_of, tidy, write_tidy
from sordino.views import make_views
from sordino.views.table_results import TableResult, require_honest, table_results
from sordino.views.view import Given, ViewRequest, Views, ViewSource

MOST_NAMED = 5
"""Questions without an estimate that a text names."""


MOST_FORMS = 16
"""Kinds of question that have a row of their own."""


def _share_errors(blocks: Sequence[Block]) -> Iterator[float]:
    for table in blocks_of(QuantityTable, blocks):
        if table.are_shares and "stderr" in table.columns:
            yield from table.columns["stderr"].tolist()


def _form_row(form: str, own: Sequence[tuple[int, Sequence[float]]]) -> tuple[str, ...]:
    reports, errors = [n for n, _ in own], sorted(error for _, found in own for error in found if isfinite(error))
    ends = [errors[0], errors[-1]] if errors else []
    return (
        f"{len(own):,} x {form}",
        to_span([f"{n:,}" for n in (min(reports), max(reports))]),
        to_span([error_in_percent(error) for error in ends]),
    )


@dataclass(frozen=True, eq=False, repr=False)
class PlanEstimate(ArrowRows, WithCell, WithFigures):
    """What the reports of a plan say about each of its questions.

    Attributes:
        plan: that the reports belong to.
        results: of each question, in the plan's order.
        coverage: what intervals hold against.
        views: what is made of several results, by name, as far as it applies: `together` (histograms that the plan
            asks as tables), `pooled` (what several questions estimate together), `groups` (by public columns),
            `weighted` (by known totals of public groups), `series` (every period, curves and lasting changes), `tables`
            (margins, conditional shares and their differences), `associations` (of attributes of tables),
            `differences` (of two shares), `clusters` (people drawn in groups), `raked` (tables with known margins).
            Each has `rows()`, `json()` and `blocks()`; `absent` says why others do not apply.

    Example:
        >>> from sordino import aggregate, estimate, plan, privatize
        >>> asked = {"version": 1, "epsilon": "2", "attribute": {"smoker": {"categories": ["yes", "no"]}}}
        >>> frozen = plan({**asked, "ask": [{"histogram": "smoker"}]}, people=3000)
        >>> people = pa.table({"smoker": ["yes", "no", "no"] * 1000})
        >>> found = estimate(frozen, aggregate(frozen, privatize(frozen, people)))
        >>> found.n, found.to_arrow().column("value").to_pylist()
        (3000, ['yes', 'no'])
    """

    plan: Plan
    results: tuple[Result, ...]
    coverage: Coverage
    views: Views

    def __repr__(self) -> str:
        untold = [f"  {printable(one.readable)}: not estimated" for one in self._headings if not one.is_estimated]
        lines = [summary(self._title, self._tables, "to_arrow(), page(path)"), *untold[:MOST_NAMED]]
        lines += [f"  ... {len(untold) - MOST_NAMED:,} more not estimated"] if len(untold) > MOST_NAMED else []
        return "\n".join(lines)

    @property
    def _title(self) -> str:
        names = [heading.readable for heading in self._headings]
        about = names[0] if len(names) == 1 else f"{len(names):,} questions"
        return f"PlanEstimate of {about} from {self.n:,} reports, {100 * self.confidence:.15g} % intervals"

    def notebook_cell(self) -> NotebookCell:
        """Figures and tables of the first questions, as on the page."""
        before, after = (
            [(part.name, part.blocks) for view in some for part in view.parts()]
            for some in self.views.before_and_after("notebook")
        )
        own = [(one.question.name, blocks) for one, blocks in zip(self.results, self.blocks, strict=True)]
        parts = [("", tuple(finding_blocks(self.results, self.views))), *before, *own, *after]
        return NotebookCell(self._title, parts, f"{self.plan.hash} {self.n} {self.coverage}", "page(path)")

    @cached_property
    def blocks(self) -> tuple[tuple[Block, ...], ...]:
        """What is shown of each question, whoever shows it."""
        return tuple(result.blocks() for result in self.results)

    @property
    def _headings(self) -> list[Heading]:
        return [heading for blocks in self.blocks for heading in blocks_of(Heading, blocks)]

    @property
    def _tables(self) -> list[QuantityTable]:
        own = [table for blocks in self.blocks for table in tables_of(blocks)]
        before, after = self.views.before_and_after("rows")
        lead, rest = ([table for view in some for table in view.tables()] for some in (before, after))
        return [*lead, *own, *rest]

    @property
    def confidence(self) -> float:
        """Of each interval by itself, or of all intervals of a question together."""
        return self.coverage.confidence

    @property
    def n(self) -> int:
        """The number of reports, about all questions."""
        return sum(result.n for result in self.results)

    @property
    def untold(self) -> Mapping[str, str]:
        """The questions that the reports do not answer, and why."""
        return {found.question.name: str(found.why) for found in self.results if isinstance(found, Untold)}

    def table(self, *attributes: str) -> TableResult:
        """A table that was asked: its `margin`, `conditional` shares, and each `difference` of two.

        Args:
            attributes: all of the table's, in any order.

        Raises:
            SordinoError: no such table, or one that the reports do not tell.

        Example:
            >>> from sordino import aggregate, estimate, plan, privatize
            >>> two = {name: {"categories": ["yes", "no"]} for name in ("smoker", "vegan")}
            >>> asked = {"version": 1, "epsilon": "2", "attribute": two, "ask": [{"table": ["smoker", "vegan"]}]}
            >>> people = pa.table({"smoker": ["yes", "no", "no"] * 1000, "vegan": ["no", "no", "yes"] * 1000})
            >>> frozen = plan(asked, people=3000)
            >>> table = estimate(frozen, aggregate(frozen, privatize(frozen, people))).table("smoker", "vegan")
            >>> [row["given"] for row in table.conditional("vegan", given="smoker")][::2]
            [{'smoker': 'yes'}, {'smoker': 'no'}]
        """
        require_honest(self.coverage)
        tables = table_results(self.results)
        wanted = [table for table in tables if set(table.attributes) == set(attributes)]
        if not wanted:
            known = "; ".join(table.question.name for table in tables) or "none"
            raise SordinoError(
                "a table must have been asked and estimated",
                found=", ".join(attributes) or "none",
                step=f"estimated are: {known}",
            )
        return wanted[0]

    @checked
    def with_views(
        self, *, margins: Given | None = None, differences: Sequence[tuple[str, str, str]] = ()
    ) -> "PlanEstimate":
        """The same estimates, with views of known margins and of differences.

        Args:
            margins: shares or counts that are known otherwise of an attribute's values, by which tables are raked:
                `{"age": {"young": 0.31, ...}}`; or the path of a TOML file of such tables, or of a CSV file with the
                columns attribute, value, and share or count.
            differences: of two shares each: a question as the rows name it, a value's label, and that of the value
                whose share is subtracted.

        Raises:
            SordinoError: an unreadable file, no such table, question or value, or a tally that does not say how often
                each code was sent.
            SordinoErrors: all mistakes of the margins, or of the differences.

        Example:
            >>> from sordino import aggregate, estimate, plan, privatize
            >>> asked = {"version": 1, "epsilon": "2", "attribute": {"smoker": {"categories": ["yes", "no"]}}}
            >>> frozen = plan({**asked, "ask": [{"histogram": "smoker"}]}, people=3000)
            >>> people = pa.table({"smoker": ["yes", "no", "no"] * 1000})
            >>> found = estimate(frozen, aggregate(frozen, privatize(frozen, people)))
            >>> found.with_views(differences=[("smoker", "yes", "no")]).views["differences"].each[0]["minus"]
            'no'
        """
        given = {"margins": margins} if margins is not None else {}
        settings = {**given, **({"differences": differences} if differences else {})}
        return replace(self, views=self.views.with_settings(**settings))

    def overview(self) -> TextTable:
        """The kinds of question, most frequent first: reports about each, and the standard errors of shares."""
        forms: dict[str, list[tuple[int, list[float]]]] = {}
        for result, blocks in zip(self.results, self.blocks, strict=True):
            forms.setdefault(result.question.form, []).append((result.n, list(_share_errors(blocks))))
        frequent = sorted(forms.items(), key=lambda form: -len(form[1]))
        rows = [_form_row(form, own) for form, own in frequent[:MOST_FORMS]]
        rest = [one for _, own in frequent[MOST_FORMS:] for one in own]
        rows += [_form_row(f"other kinds, {len(frequent) - MOST_FORMS:,}", rest)] if rest else []
        return TextTable("", ("questions", "reports, each", "std. error of shares"), tuple(rows))

    def to_arrow(self, *, derived: bool = False) -> pa.Table:
        """A row for each value, number or coefficient of the questions that are answered; then those that are pooled.

        Columns: `attribute` (the question; of a pooled row what it is about), `value` (its label), `estimate`,
        `stderr`, `low`, `high`; `fitted`, null where nothing is fitted; `moved`, where reports may be forged; `kind`:
        share, cell, mean, missing (the share of who lacks a number), covariance, coefficient, complete, bin, part (of
        the range of many bins), range, net (a scale's upper range minus its lower one), quantile or pooled; and, where
        several questions are pooled, the `question` of each row, or the questions; with derived rows `given`, `within`
        and `minus` too.

        Args:
            derived: whether the margins of tables, shares within others and their differences follow, as in the file
                that `save` writes; of large tables these are many.
        """
        return table_of(self._tables, self.views.rows(derived=derived))

    def to_tidy(self, *, derived: bool = True) -> pa.Table:
        """A row for each quantity, in columns that are the same whatever was asked, as broom's `tidy()` names them.

        Columns: `question`, `attribute`, `term`, `group`, `kind`, `given`, `within`, `minus`, `estimate`, `std.error`,
        `conf.low`, `conf.high`, `conf.level`, `fitted`, `fitted.low`, `fitted.high`, `moved`, `statistic`, `df`,
        `p.value`, `p.adjusted`, `question.text`, `label`; values in the survey's order. They are those
        of the files that `save` writes.

        Args:
            derived: as of `to_arrow`.
        """
        return tidy(table_of(self._tables, self.views.rows(derived=derived), FULL), self.confidence)

    def to_geojson(self, question: str | None = None) -> dict[str, Any]:
        """The cells of the maps that were asked, as a GeoJSON FeatureCollection with the columns of `to_tidy`.

        Args:
            question: one map's name; all maps by default.

        Raises:
            SordinoError: no such map.
        """
        return map_features(self.results, question)

    def save(self, path: Path | str, *, overwrite: bool = False) -> None:
        """Write all rows in the columns of `to_tidy`, or the maps of `to_geojson` where the name ends in .geojson.

        After the questions' own rows come those of all views.

        Args:
            path: of the file: .csv, .csv.gz, .parquet, .arrow, .sav (SPSS), .geojson.
            overwrite: whether a file that is there is replaced.

        Raises:
            SordinoError: another ending, no map, a file that may not be overwritten, or the system refuses to write.
            UnavailableError: pyreadstat is not installed, which .sav needs.
        """
        if is_map_name(Path(path)):
            write_map(self.results, Path(path), overwrite=overwrite)
            return
        write_tidy(self._tables, self.views.rows(), self.confidence, Path(path), overwrite=overwrite)

    def page(self, path: Path | str, *, overwrite: bool = False) -> None:
        """Write a self-contained HTML page with maps, bars and explanations.

        Args:
            path: of the page.
            overwrite: whether a file that is there is replaced.

        Raises:
            SordinoError: the file exists and may not be overwritten, or the system refuses to write.
        """
        # Drawing libraries take a second to load: only what draws waits for them.
        from sordino.show.html.estimate_page import estimate_page

        write_text(Path(path), estimate_page(self.plan, self.results, views=self.views), overwrite=overwrite)


def estimate_plan(
    plan: Plan,
    tally: Aggregate,
    method: Method | None,
    coverage: Coverage,
    public: Any = None,
    request: ViewRequest | None = None,
    *,
    progress: Callable[[int], None] = lambda _: None,
) -> PlanEstimate:
    """What a tally says, as `sordino.estimate` says.

    Args:
        plan: that the reports belong to.
        tally: of the reports.
        method: how distributions are fitted.
        coverage: what intervals hold against.
        public: a table of public numbers, for the method "smoothed".
        request: what is asked of views.
        progress: called with the number of questions estimated since the last call.

    Raises:
        SordinoError: as `results`, `read_public`, and the views.
    """
    numbers = None if public is None else read_public(plan, public)
    found = results(plan, tally, method, coverage, numbers, progress)
    source = ViewSource(plan, tally, found, coverage, method, numbers, request or ViewRequest())
    return PlanEstimate(plan, found, coverage, make_views(source))
