"""A question's result where people were drawn in groups, as schools: the same numbers, with errors by clusters.

Each number is estimated again without the reports of each cluster, whatever kind of question it is of, so that what
has no mean over people has its interval too. What is fitted has none.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import isnan

import numpy as np

from sordino.blocks.block import Block, BlockGroup, Plot, blocks_of
from sordino.blocks.charts import (
    BarChart,
    Chart,
    ColumnChart,
    CorrelationChart,
    DensityChart,
    FunctionChart,
    MapChart,
    PointChart,
    Shares,
)
from sordino.blocks.finding import Finding
from sordino.blocks.tables import Columns, QuantityTable
from sordino.estimation.intervals.cluster_errors import ClusterErrors
from sordino.estimation.intervals.share_interval import errors_to_either_side
from sordino.exact.floats import Floats
from sordino.survey.kinds.coverage import Coverage
from sordino.survey.kinds.quantities import Measured, MeasuredNumber, Quantities
from sordino.survey.kinds.question import Question
from sordino.survey.kinds.shares.shares_result import MOST_COLUMNS, QuestionResult

KEPT: tuple[type[Chart], ...] = (MapChart, DensityChart, CorrelationChart, FunctionChart)
"""Charts without limits of rows."""

REDRAWN: tuple[type[Chart], ...] = (BarChart, ColumnChart, PointChart)
"""Charts of the rows of a table; all others are left out."""


@dataclass(frozen=True, eq=False, repr=False)
class ClusteredResult(QuestionResult):
    """What reports say of a question, with errors by clusters.

    Attributes:
        single: the result, with errors of people drawn one by one.
        without: results without each cluster.
        errors: by clusters.
        coverage: what intervals hold against.
    """

    single: QuestionResult
    without: tuple[QuestionResult, ...]
    errors: ClusterErrors
    coverage: Coverage

    @property
    def question(self) -> Question:
        return self.single.question

    @property
    def n(self) -> int:
        return self.single.n

    def with_coverage(self, coverage: Coverage) -> "ClusteredResult":
        own = replace(coverage, clusters=self.coverage.clusters)
        return replace(self, single=self.single.with_coverage(own), coverage=own)

    @cached_property
    def _numbers_without(self) -> list[dict[tuple[str, str], float]]:
        """Of each result without a cluster, all estimates by what they are about."""
        return [
            {
                table.identity(place): float(table.columns["estimate"][place])
                for table in blocks_of(QuantityTable, one.blocks())
                for place in range(table.count)
            }
            for one in self.without
        ]

    @cached_property
    def _stderr_by_row(self) -> dict[tuple[str, str], float]:
        """Standard errors by clusters; not numbers where some result without a cluster lacks a row."""
        found: dict[tuple[str, str], float] = {}
        shares = self.single.shares
        for number, table in enumerate(blocks_of(QuantityTable, self.single.blocks())):
            value = table.columns["estimate"]
            rows = [table.identity(place) for place in range(table.count)]
            if shares is not None and number == 0:
                # Of many values one by one takes long.
                others = [one.shares.estimate.value for one in self.without if one.shares is not None]
            else:
                others = [np.array([own.get(row, np.nan) for row in rows]) for own in self._numbers_without]
            found |= dict(zip(rows, self.errors.stderr(value, np.array(others)).tolist(), strict=True))
        return found

    def _stderr(self, table: QuantityTable) -> Floats:
        return np.array([self._stderr_by_row[table.identity(place)] for place in range(table.count)])

    def _columns(self, table: QuantityTable, coverage: Coverage) -> Columns:
        """The columns of a table with standard errors and limits by clusters."""
        columns, places, stderr = table.columns, range(table.count), self._stderr(table)
        single = columns["low"], columns["high"]
        ends, each = ends_of(self.question, table, places), coverage.each(self._count)
        stderr, (low, high) = self.errors.widen(columns["estimate"], stderr, single, ends, each)
        return {**columns, "stderr": stderr, "low": low, "high": high}

    @cached_property
    def _count(self) -> int:
        return sum(table.count for table in blocks_of(QuantityTable, self.single.blocks()))

    @cached_property
    def design_effects(self) -> Floats:
        """Of each number with a standard error, its variance over that of as many people drawn one by one."""
        tables = [one for one in blocks_of(QuantityTable, self.single.blocks()) if "stderr" in one.columns]
        own, single = (
            np.concatenate([*columns, np.empty(0)])
            for columns in (map(self._stderr, tables), (one.columns["stderr"] for one in tables))
        )
        known = np.isfinite(own) & (single > 0)
        found: Floats = (own[known] / single[known]) ** 2
        return found

    @cached_property
    def _base(self) -> QuestionResult:
        """What has limits but no standard errors, as quantiles, has them by clusters here."""
        return self.single.count_clusters(self.without, self.errors)

    def blocks(self) -> tuple[Block, ...]:
        blocks = self._base.blocks()
        first = next(blocks_of(QuantityTable, blocks), None)
        return tuple(self._show(blocks, first))

    def _show(self, blocks: Sequence[Block], first: QuantityTable | None) -> Iterator[Block]:
        table = next(blocks_of(QuantityTable, blocks), first)
        for block in blocks:
            match block:
                case BlockGroup():
                    if parts := tuple(self._show(block.parts, first)):
                        yield replace(block, parts=parts)
                case QuantityTable():
                    yield self._table(block)
                case Plot() if block.of in REDRAWN and table is not None:
                    yield from self._redraw(block, self._table(table))
                case Plot() if block.of not in KEPT:
                    pass
                case _:
                    yield block

    def _table(self, table: QuantityTable) -> QuantityTable:
        return replace(table, columns=self._columns(table, self.coverage)) if "stderr" in table.columns else table

    def _redraw(self, plot: Plot, table: QuantityTable) -> Iterator[Plot]:
        if plot.of is not ColumnChart or table.count <= MOST_COLUMNS:
            chart = _with_limits(plot.chart(), table)
            yield from () if chart is None else (Plot(plot.of, lambda: chart),)

    def findings(self) -> Iterator[Finding]:
        first = next(blocks_of(QuantityTable, self._base.blocks()))

        def columns(count: int | None) -> Columns:
            return self._columns(first, self.coverage if count is None else self.coverage.for_all(count))

        yield from self._base.findings_with(columns)

    def rows(self) -> Iterator[dict[str, object]]:
        for table in blocks_of(QuantityTable, self.blocks()):
            yield from table.rows()

    def quantities(self) -> Iterator[Quantities]:
        """Numbers with limits by clusters; a standard error is what a normal law would have to have for such limits."""
        others: list[dict[object, Quantities]] = [{own.key: own for own in one.quantities()} for one in self.without]
        for own in self._base.quantities():
            several = [some.get(own.key) for some in others]
            if all(one is not None for one in several):
                told = [one for one in several if one is not None]
                measured = self._measure(own.measured, [one.measured for one in told])
                shown = self._measure(own.shown, [one.shown for one in told])
                yield replace(own, measured=measured, shown=shown)

    def _measure(self, own: Measured, others: Sequence[Measured]) -> Measured:
        return {
            key: one if isnan(one.number.stderr) else self._measure_number(one, [each[key] for each in others])
            for key, one in own.items()
            if all(key in each for each in others)
        }

    def _measure_number(self, one: MeasuredNumber, others: Sequence[MeasuredNumber]) -> MeasuredNumber:
        number, each = one.number, self.coverage.each(self._count)
        value = np.array([number.value])
        stderr = self.errors.stderr(value, np.array([[other.number.value] for other in others]))
        single, ends = (
            (np.array([low]), np.array([high]))
            for low, high in ((number.low, number.high), (number.least, number.most))
        )
        stderr, (low, high) = self.errors.widen(value, stderr, single, ends, each)
        # Whoever makes a difference of it reaches as far as a normal law does.
        normal = float(stderr[0]) * self.errors.away(each) / errors_to_either_side(each)
        return replace(one, number=replace(number, stderr=normal, low=float(low[0]), high=float(high[0])))


def _with_limits(chart: Chart, table: QuantityTable) -> Chart | None:
    """A chart of a table's rows with its limits; None where the chart is of other numbers."""
    columns = table.columns
    if isinstance(chart, BarChart | ColumnChart):
        rows = np.array(table.readable if isinstance(chart, BarChart) else range(table.count), dtype=np.intp)
        estimate, low, high, stderr = (columns[name][rows] for name in ("estimate", "low", "high", "stderr"))
        shares = Shares(estimate, low, high, chart.shares.fitted, chart.shares.truth, stderr)
        return replace(chart, shares=shares)
    if isinstance(chart, PointChart) and np.array_equal(chart.drawn[0], columns["estimate"]):
        own = tuple(table.numbers(place) for place in range(table.count))
        return replace(chart, drawn=(columns["estimate"], columns["low"], columns["high"]), own=own)
    return None


def ends_of(question: Question, table: QuantityTable, places: Sequence[int]) -> tuple[Floats, Floats]:
    """Within which numbers are: shares between 0 and 1, differences of two from -1, means within their ranges."""
    ranges = {attribute.name: attribute for attribute in question.attributes}

    def ends(place: int) -> tuple[float, float]:
        if table.kind(place) == "mean":
            # A distribution's own row says no more than that it is the mean.
            interval = ranges.get(table.label(place), question.attributes[0]).interval
            return interval.low, interval.high
        if table.is_in_points(place):
            return -1.0, 1.0
        return (0.0, 1.0) if table.is_share(place) else (-np.inf, np.inf)

    low, high = np.array([ends(place) for place in places], dtype=np.float64).reshape(-1, 2).T
    return low, high
