"""What the reports of a plan say, with labels."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa

from sordino.blocks.arrow_rows import ArrowRows
from sordino.blocks.block import Block, Heading, blocks_of
from sordino.blocks.displayed import WithFigures
from sordino.blocks.notebook_cell import NotebookCell, WithCell
from sordino.blocks.summary import summary
from sordino.blocks.tables import QuantityTable
from sordino.document.files import write_text
from sordino.errors import SordinoError
from sordino.estimation.estimate import Method
from sordino.mechanism.aggregate import Aggregate
from sordino.printable import printable
from sordino.show.associations import association_blocks
from sordino.show.cells import tables_of
from sordino.show.derived import pooled_blocks
from sordino.show.findings import finding_blocks
from sordino.show.groups import grouped_blocks, grouped_tables
from sordino.show.series import series_blocks, series_tables
from sordino.show.weighted import weighted_blocks
from sordino.survey.estimates.coverage import Coverage
from sordino.survey.planning.plan import Plan
from sordino.survey.results.associations import Associations, associations
from sordino.survey.results.between import Asked, share_differences
from sordino.survey.results.groups import REST, GroupedResults, grouped_results
from sordino.survey.results.known_totals import read_known_totals
from sordino.survey.results.margins import read_margins
from sordino.survey.results.over_time.plan_series import PlanSeries, plan_series
from sordino.survey.results.pooled import PooledResult, pooled_results
from sordino.survey.results.poststratified import Poststratified, poststratify
from sordino.survey.results.result import Result, Untold, results
from sordino.survey.results.table import TableResult, table_results
from sordino.survey.results.weighted import Unweighted, Weighted, weighted_by_survey, weighted_results
from sordino.tables.results.estimates import table_of
from sordino.tables.results.geojson import is_map_name, map_features, write_map
from sordino.tables.results.rows import rows_made
from sordino.tables.results.tidy import tidy, write_tidy
from sordino.tables.weighted.public import read_public

MOST_NAMED = 5
"""Questions without an estimate that a text names."""


@dataclass(frozen=True, eq=False, repr=False)
class PlanEstimate(ArrowRows, WithCell, WithFigures):
    """What the reports of a plan say about each of its questions.

    Attributes:
        plan: that the reports belong to.
        results: of each question, in the plan's order.
        coverage: what intervals hold against.
        pooled: what several questions tell, each quantity as one number of all their reports (`rows()`): the margins of
            tables, and the means that covariances and regressions need too.
        groups: the same by groups of people who share public values; None where nobody asked for it.
        weighted: by known totals of public groups, or by what reports stand for, or why not yet; None where nothing
            is known of these.
        series: estimates of each period, curves and lasting changes; None of a plan without a series.

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
    pooled: Sequence[PooledResult] = ()
    groups: GroupedResults | None = None
    weighted: Weighted | Unweighted | None = None
    series: PlanSeries | None = None

    def __repr__(self) -> str:
        untold = [f"  {printable(one.name)}: not estimated" for one in self._headings if not one.is_estimated]
        lines = [summary(self._title, self._tables, "to_arrow(), page(path)"), *untold[:MOST_NAMED]]
        lines += [f"  ... {len(untold) - MOST_NAMED:,} more not estimated"] if len(untold) > MOST_NAMED else []
        return "\n".join(lines)

    @property
    def _title(self) -> str:
        names = [heading.name for heading in self._headings]
        about = names[0] if len(names) == 1 else f"{len(names):,} questions"
        return f"PlanEstimate of {about} from {self.n:,} reports, {100 * self.confidence:.15g}% intervals"

    def notebook_cell(self) -> NotebookCell:
        """Figures and tables of the first questions, as on the page."""
        parts = [("", tuple(finding_blocks(self.results, self.associations, self.groups, self.series)))]
        parts += [] if self.series is None else [("over time", tuple(series_blocks(self.series)))]
        parts += [(one.question.name, blocks) for one, blocks in zip(self.results, self.blocks, strict=True)]
        parts += [(one.name, tuple(pooled_blocks(one))) for one in self.pooled]
        parts += [] if self.weighted is None else [("weighted", tuple(weighted_blocks(self.weighted)))]
        parts += [] if self.groups is None else [(self.groups.name, tuple(grouped_blocks(self.groups)))]
        parts.append(("associations", tuple(association_blocks(self.associations))))
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
        """Of all questions."""
        own = [table for blocks in self.blocks for table in tables_of(blocks)]
        own += [] if self.series is None else series_tables(self.series)
        return own if self.groups is None else [*own, *grouped_tables(self.groups)]

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
        self._require_honest()
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

    @cached_property
    def associations(self) -> Associations:
        """Which attributes of tables go together: of each two a test of independence and Cramér's V, as `rows()`.

        Empty where intervals are watched or hold against forged reports: a test holds for one look at honest reports.
        """
        return associations(self.results)

    def poststratified(self, margins: Mapping[str, Any] | Path | str) -> list[Poststratified]:
        """The tables if their people had the margins that are known otherwise, of a census for instance.

        Args:
            margins: by attribute the shares or counts of all its values, `{"age": {"young": 0.31, ...}}`; or the path
                of a TOML file of such tables, or of a CSV file with the columns attribute, value, and share or count.

        Returns:
            Of each table with one of these attributes its `rows()`: the cells, raked to all known shares, and the
            values of each attribute whose shares are not known; with `why` they could not be raked, if so.

        Raises:
            SordinoErrors: all mistakes of the margins.
            SordinoError: an unreadable file, or no such table.
        """
        self._require_honest()
        return poststratify(self.results, read_margins(self.plan, margins))

    def difference(self, question: str, first: str, second: str) -> dict[str, Any]:
        """What one value's share has more than another's of the same question, with the error of the difference.

        Args:
            question: its name, as of the rows; of a table the attributes with commas.
            first: the value's label.
            second: that of the value whose share is taken off.

        Raises:
            SordinoError: no such question or value, or a tally that does not say how often each code was sent.
        """
        return share_differences(self.results, [(question, first, second)], self.coverage)[0]

    def _require_honest(self) -> None:
        if self.coverage.forged:
            rule, step = (
                "shares within others are estimated only without forged reports",
                "estimate again without forged ones",
            )
            raise SordinoError(rule, found="intervals against forged ones", step=step)

    def to_arrow(self, *, derived: bool = False) -> pa.Table:
        """A row for each value, number or coefficient of the questions that are answered; then those that are pooled.

        Columns: `attribute` (the question; of a pooled row what it is about), `value` (its label), `estimate`,
        `stderr`, `low`, `high`; `fitted`, null where nothing is fitted; `moved`, where reports may be forged; `kind`:
        share, cell, mean, missing (the share of who lacks a number), covariance, coefficient, complete, bin, part (of
        the range of many bins), range, quantile or pooled; and, where several questions are pooled, the `question` of
        each row, or the questions; with derived rows `given`, `within` and `minus` too.

        Args:
            derived: whether the margins of tables, shares within others and their differences follow, as in the file
                that `save` writes; of large tables these are many.
        """
        made = rows_made(self.results if derived else (), self.pooled, (), (), self.groups, self.weighted, self.series)
        return table_of(self._tables, made)

    def to_tidy(self, *, derived: bool = True) -> pa.Table:
        """A row for each quantity, in columns that are the same whatever was asked, as broom's `tidy()` names them.

        Columns: `question`, `attribute`, `term`, `group`, `kind`, `given`, `within`, `minus`, `estimate`, `std.error`,
        `conf.low`, `conf.high`, `conf.level`, `fitted`, `fitted.low`, `fitted.high`, `moved`, `statistic`, `df`,
        `p.value`, `p.adjusted`; values in the survey's order. They are those of the files that `save` writes.

        Args:
            derived: as of `to_arrow`.
        """
        return tidy(self.to_arrow(derived=derived), self.confidence)

    def to_geojson(self, question: str | None = None) -> dict[str, Any]:
        """The cells of the maps that were asked, as a GeoJSON FeatureCollection with the columns of `to_tidy`.

        Args:
            question: one map's name; all maps by default.

        Raises:
            SordinoError: no such map.
        """
        return map_features(self.results, question)

    def save(
        self,
        path: Path | str,
        *,
        margins: Mapping[str, Any] | Path | str | None = None,
        differences: Sequence[Asked] = (),
        overwrite: bool = False,
    ) -> None:
        """Write all rows in the columns of `to_tidy`, or the maps of `to_geojson` where the name ends in .geojson.

        After the questions' own rows come those that are made of them: what several questions tell, and of tables
        margins, conditional shares and their differences.

        Args:
            path: of the file: .csv, .csv.gz, .parquet, .arrow, .sav (SPSS), .geojson.
            margins: shares that are known otherwise, to have tables by them too, as `poststratified` takes them.
            differences: of two shares, each as `difference` takes it.
            overwrite: whether a file that is there is replaced.

        Raises:
            SordinoError: another ending, no map, a file that may not be overwritten, or the system refuses to write.
            UnavailableError: pyreadstat is not installed, which .sav needs.
        """
        if is_map_name(Path(path)):
            write_map(self.results, Path(path), overwrite=overwrite)
            return
        known = [] if margins is None else self.poststratified(margins)
        between = share_differences(self.results, differences, self.coverage)
        made = rows_made(self.results, self.pooled, known, between, self.groups, self.weighted, self.series)
        write_tidy(self._tables, made, self.confidence, Path(path), overwrite=overwrite)

    def page(
        self, path: Path | str, *, margins: Mapping[str, Any] | Path | str | None = None, overwrite: bool = False
    ) -> None:
        """Write a self-contained HTML page with maps, bars and explanations.

        Args:
            path: of the page.
            margins: shares that are known otherwise, to show tables by them too, as `poststratified` takes them.
            overwrite: whether a file that is there is replaced.

        Raises:
            SordinoError: the file exists and may not be overwritten, or the system refuses to write.
        """
        # Drawing libraries take a second to load: only what draws waits for them.
        from sordino.show.html.estimate_page import estimate_page

        known = [] if margins is None else self.poststratified(margins)
        write_text(
            Path(path),
            estimate_page(
                self.plan,
                self.results,
                poststratified=known,
                pooled=self.pooled,
                groups=self.groups,
                weighted=self.weighted,
                series=self.series,
            ),
            overwrite=overwrite,
        )


def estimate_plan(
    plan: Plan,
    tally: Aggregate,
    method: Method | None,
    coverage: Coverage,
    public: Any = None,
    *,
    by: Sequence[str] = (),
    against: str = REST,
    totals: Mapping[str, Any] | Path | str | None = None,
    progress: Callable[[int], None] = lambda _: None,
) -> PlanEstimate:
    """What a tally says, as `sordino.estimate` says.

    Args:
        plan: that the reports belong to.
        tally: of the reports.
        method: how distributions are fitted.
        coverage: what intervals hold against.
        public: a table of public numbers, for the method "smoothed".
        by: public columns by which people are grouped.
        against: the group that others are compared to; the rest of the people by default.
        totals: how many people public groups have, as `read_known_totals` takes them; those of the survey by default.
        progress: called with the number of questions estimated since the last call.

    Raises:
        SordinoError: as `results`, `read_public`, `grouped_results`, `read_known_totals`, and `weighted_results`.
    """
    numbers = None if public is None else read_public(plan, public)
    found = results(plan, tally, method, coverage, numbers, progress)
    groups = None
    if by and coverage.finite:
        step = "leave one of them out: a group has other people than all"
        raise SordinoError("estimates by groups describe a population", found="by and finite together", step=step)
    if by:
        groups = grouped_results(plan, tally, by, coverage, method=method, public=numbers, against=against)
    weighted: Weighted | Unweighted | None = weighted_by_survey(plan, tally, found, coverage)
    if totals is not None:
        weighted = weighted_results(plan, tally, found, coverage, read_known_totals(plan, totals))
    over_time = plan_series(plan, tally, found, coverage, method=method, public=numbers)
    pooled = pooled_results(plan, tally, found, coverage)
    return PlanEstimate(plan, found, coverage, pooled, groups, weighted, over_time)
