"""What the reports of a plan with a series say: every period's estimates, curves through them, and lasting changes.

The period is a public column of the plan, so that each period is estimated from its own reports alone, as a group is. A
period of no reports or too few has no estimate: it is a gap. Periods after the last one with reports are not shown.
"""

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sordino.blocks.block import blocks_of
from sordino.blocks.tables import QuantityTable
from sordino.domain.answers.series import Series
from sordino.estimation.estimate import Method
from sordino.estimation.intervals.simultaneous import bonferroni
from sordino.mechanism.aggregate import Aggregate
from sordino.survey.estimates.coverage import Coverage
from sordino.survey.estimates.surroundings import Public
from sordino.survey.frozen.public_part import LEAST_REPORTS
from sordino.survey.frozen.series_part import PERIOD
from sordino.survey.planning.plan import Plan
from sordino.survey.results.groups import GroupedResults, PublicGroup, estimate_group, group_tallies
from sordino.survey.results.over_time.quantity_series import QuantitySeries
from sordino.survey.results.result import Result
from sordino.survey.results.sourced_aggregate import counts_hash

MOST_CURVES = 100
"""Numbers of a question with curves: of more, those that people read."""

RowKey: TypeAlias = tuple[str, int, str, str]
"""Where a row stands among those of its question: the table's name and place, the row's kind and label."""

Remember: TypeAlias = Callable[[Hashable, Callable[[], PublicGroup]], PublicGroup]
"""What gives the estimates of a period by all that they depend on, or has them worked out."""


@dataclass(frozen=True, eq=False)
class SeriesQuestion:
    """What one question says over time.

    Attributes:
        name: of it.
        readable: the numbers that people read, in its order.
        others: those that programs have beside.
    """

    name: str
    readable: tuple[QuantitySeries, ...]
    others: tuple[QuantitySeries, ...]


@dataclass(frozen=True, eq=False)
class PlanSeries:
    """Every question over time.

    Attributes:
        series: the periods.
        groups: the people of each period up to the last with reports, as groups by the period.
        questions: in the plan's order, those with an estimate of some period.
    """

    series: Series
    groups: GroupedResults
    questions: tuple[SeriesQuestion, ...]

    @cached_property
    def gaps(self) -> tuple[str, ...]:
        """Periods with too few reports."""
        return tuple(group.label for group in self.groups.groups if group.results is None)

    def rows(self) -> Iterator[tuple[str, str, dict[str, Any]]]:
        """Of each row of curves and changes the question, the label, and all of it for programs."""
        for question in self.questions:
            for one in (*question.readable, *question.others):
                yield from ((question.name, one.label, row) for row in one.rows(self.series.label))


def _work_out(_: Hashable, estimate: Callable[[], PublicGroup]) -> PublicGroup:
    return estimate()


def plan_series(
    plan: Plan,
    aggregate: Aggregate,
    found: tuple[Result, ...],
    coverage: Coverage,
    *,
    method: Method | None = None,
    public: Public | None = None,
    least: int = LEAST_REPORTS,
    smoothed: bool = False,
    remember: Remember = _work_out,
) -> PlanSeries | None:
    """Estimate all questions in each period; None of a plan without a series, and where any period may be forged.

    Args:
        plan: that the reports belong to.
        aggregate: their tally.
        found: what all reports together say, which chooses the rows that people read.
        coverage: what intervals hold against.
        method: how distributions are fitted, as `results` takes it.
        public: numbers that may go with shares, as `results` takes them.
        least: reports without which a period is not estimated.
        smoothed: whether there are curves while intervals are watched, too; their bands hold for one look all the same.
        remember: has the estimates of periods, of which those that have ended do not change.

    Raises:
        RefusedError: a tally that does not say of which periods its reports are.
    """
    series = plan.series
    if series is None or coverage.forged:
        return None
    tallies = group_tallies(plan, aggregate, (PERIOD,))
    last = max((place for place, (_, own) in enumerate(tallies) if own.n), default=-1)
    tallies = tallies[: last + 1]
    each = replace(coverage, finite=0, parts=series.periods)
    if coverage.simultaneous:
        each = replace(each, confidence=bonferroni(coverage.confidence, sum(own.n >= least for _, own in tallies) or 1))

    def of_period_alone(label: str, own: Aggregate) -> PublicGroup:
        if own.n < least:
            return PublicGroup(label, own, None)
        # What is known beside the reports is given by who asks once.
        known = _work_out if public else remember
        key = plan.hash, label, counts_hash(own), each, method
        return known(key, lambda: estimate_group(plan, label, own, method, each, public))

    groups = tuple(of_period_alone(label, own) for label, own in tallies)
    of_period = GroupedResults((PERIOD,), groups, each, least, (), ())
    with_bands = smoothed or not coverage.watched
    questions = (
        _question(place, result, of_period, coverage, series, with_bands=with_bands)
        for place, result in enumerate(found)
    )
    return PlanSeries(series, of_period, tuple(one for one in questions if one is not None))


def _question(
    place: int, whole: Result, groups: GroupedResults, coverage: Coverage, series: Series, *, with_bands: bool
) -> SeriesQuestion | None:
    """What one question says over time; None where no period has an estimate."""
    estimated = [at for at, group in enumerate(groups.groups) if group.results is not None]
    by_period = [dict(_rows(group.tables[place])) for group, _ in groups.with_results]
    reports = {at: own[place].n for at, (_, own) in zip(estimated, groups.with_results, strict=True)}
    readable, others = list[RowKey](), list[RowKey]()
    for table in blocks_of(QuantityTable, whole.blocks()):
        read = set(table.readable)
        for at in range(table.count):
            (readable if at in read else others).append(_key(table, at))
    if len(readable) + len(others) > MOST_CURVES:
        readable, others = readable[:MOST_CURVES], []
    count = max(1, len(readable) + len(others))
    band = coverage.each(count * max(1, len(groups.groups))) if with_bands else None

    def over_time(keys: list[RowKey]) -> Iterator[QuantitySeries]:
        for key in keys:
            own = [(period, *rows[key]) for period, rows in zip(estimated, by_period, strict=True) if key in rows]
            if own:
                periods, tables, places = zip(*own, strict=True)
                own_reports = np.array([reports[period] for period in periods])
                yield _over_time(tables, places, (np.array(periods), own_reports), coverage, (band, count), series)

    question = SeriesQuestion(whole.question.name, tuple(over_time(readable)), tuple(over_time(others)))
    return question if question.readable or question.others else None


def _rows(tables: Sequence[QuantityTable]) -> Iterator[tuple[RowKey, tuple[QuantityTable, int]]]:
    for table in tables:
        for at in range(table.count):
            yield _key(table, at), (table, at)


def _key(table: QuantityTable, at: int) -> RowKey:
    return table.about, table.order, table.kind(at), table.label(at)


def _over_time(
    tables: tuple[QuantityTable, ...],
    places: tuple[int, ...],
    periods: tuple[NDArray[np.intp], NDArray[np.intp]],
    coverage: Coverage,
    band: tuple[float | None, int],
    series: Series,
) -> QuantitySeries:
    """One number of several tables, one a period, with the reports of each."""
    first, at = tables[0], places[0]
    numbers = [table.numbers(place) for table, place in zip(tables, places, strict=True)]
    estimate, stderr, low, high = (
        np.array([row.get(name, np.nan) for row in numbers]) for name in ("estimate", "stderr", "low", "high")
    )
    label = first.label if first.readable_label is None else first.readable_label
    return QuantitySeries(
        question=first.question,
        key=first.key(at),
        label=label(at),
        kind=first.kind(at),
        is_share=first.are_shares,
        is_date=first.has_dates(at),
        periods=periods[0],
        reports=periods[1],
        estimate=estimate,
        stderr=stderr,
        low=low,
        high=high,
        confidence=first.confidence,
        watched=coverage.watched,
        band_confidence=band[0],
        change_confidence=bonferroni(coverage.confidence, band[1]),
        season=series.season,
    )
