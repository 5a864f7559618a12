"""What the reports of a plan with a series say: every period's estimates, curves through them, and lasting changes.

The period is a public column of the plan, so that each period is estimated from its own reports alone, as a group is. A
period of no reports or too few has no estimate: it is a gap. Periods after the last one with reports are not shown.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sordino.blocks.block import BlockGroup, Plot, blocks_of
from sordino.blocks.charts import SeriesChart
from sordino.blocks.digits import in_percent, round_dates, round_row
from sordino.blocks.finding import Finding, Topic
from sordino.blocks.sentence import Purpose, Sentence
from sordino.blocks.tables import QuantityTable, TextTable
from sordino.domain.calendar import Series
from sordino.errors import SordinoError
from sordino.estimation.intervals.possible import possible_limits
from sordino.estimation.intervals.share_interval import errors_to_either_side
from sordino.estimation.intervals.simultaneous import bonferroni
from sordino.estimation.lasting_change import LastingChange, lasting_change
from sordino.estimation.smooth_series import SmoothedSeries, pooled_errors, smooth_series
from sordino.exact.floats import Floats
from sordino.mechanism.channel import Aggregate
from sordino.survey.kinds.coverage import Coverage
from sordino.survey.results.cell_tallies import group_tallies
from sordino.survey.results.result import Result
from sordino.survey.results.sourced_aggregate import counts_hash
from sordino.survey.schema.series_table import PERIOD
from sordino.views.group_results import GroupedResults, PublicGroup, estimate_group
from sordino.views.view import NotApplicable, Places, View, ViewPart, ViewSource, table_row, work_out

MOST_CURVES = 100
"""Numbers of a question with curves: of more, those that people read."""

RowKey: TypeAlias = tuple[str, int, str, str]
"""Where a row stands among those of its question: the table's name and place, the row's kind and label."""


FEWEST = 2
"""Estimates between which something can change."""

MOST_FINDINGS = 8
"""Questions whose changes are among the findings."""

MOST_PANELS = 6
"""Numbers of a question that are drawn; files and JSON have all."""

TWO = 2

MOST_GAPS = 8
"""Periods with too few reports that are named."""

OWN_PERIOD = "Each {every} is estimated from its own reports alone; they are of different people."

CURVE = "A smoothed number borrows from other {every}s; its band holds in each {every} by itself."

WATCHED_CURVE = (
    "Each estimate's own interval holds at all times together; the curve's band holds for one look, at a time chosen"
    " beforehand, such as the end of a {every}. Changes are tested once: by an estimate of its own, or in the JSON"
    " estimates."
)

PLACE = "The date is where the means before and after differ most clearly: a change can be older, newer or gradual."

NO_CURVE = "Not smoothed: that takes six {every}s with an estimate, and intervals for one look at the reports."


@dataclass(frozen=True, eq=False)
class QuantitySeries:
    """A number in each period.

    Attributes:
        question: that estimates it, by name.
        asked: this question as people read it.
        key: what it is about, for programs.
        label: of it.
        title: of it, for people.
        kind: what it is, as files and JSON have it.
        is_share: whether it is a share of people.
        is_date: whether it is a date, in days since 1970-01-01.
        periods: whose estimates there are, ascending, shape (m,).
        estimate, stderr, low, high: in these periods, shape (m,); a standard error may be NaN.
        reports: about the question in these periods, shape (m,).
        confidence: of each interval.
        watched: whether intervals hold at all times together. No change is looked for then: it would be found at last.
        band_confidence: of the band in each period, for one look; None where there is no band.
        change_confidence: of the limits of its change, so that those of all numbers of the question hold together.
        season: its length in periods; None where none is declared.
    """

    question: str
    asked: str
    key: Mapping[str, Any]
    label: str
    title: str
    kind: str
    is_share: bool
    is_date: bool
    periods: NDArray[np.intp]
    estimate: Floats
    stderr: Floats
    low: Floats
    high: Floats
    reports: NDArray[np.intp]
    confidence: float
    watched: bool
    band_confidence: float | None
    change_confidence: float
    season: int | None = None

    @cached_property
    def errors(self) -> Floats:
        """Of each estimate the standard error, or half its interval as of a normal one; pooled (`pooled_errors`).

        A watched interval is wider than what is known at one time, and stands for no standard error.
        """
        half = (self.high - self.low) / (2 * errors_to_either_side(self.confidence))
        half = np.full_like(half, np.nan) if self.watched else half
        own = np.where(np.isfinite(self.stderr), self.stderr, half)
        return pooled_errors(own, self.reports) if np.isfinite(own).all() else own

    @cached_property
    def _usable(self) -> NDArray[np.bool_]:
        return np.isfinite(self.errors) & (self.errors > 0)

    @property
    def first(self) -> int:
        """The period at which the curve begins."""
        return int(self.periods[0])

    @cached_property
    def curve(self) -> SmoothedSeries | None:
        """From the first to the last period with an estimate; None where these are too few, or without a band."""
        if self.band_confidence is None or not self._usable.any():
            return None
        values = np.full((2, int(self.periods[-1]) - self.first + 1), np.nan)
        usable = self.periods[self._usable] - self.first
        values[:, usable] = self.estimate[self._usable], self.errors[self._usable]
        for season in (self.season, None):
            try:
                return smooth_series(values[0], values[1], season)
            except SordinoError:
                # A season that has not come twice yet is followed as a bend.
                continue
        return None

    @cached_property
    def whole_band(self) -> tuple[Floats, Floats]:
        """Limits of the curve in each of its periods, beyond what is possible too; none without a curve."""
        if self.curve is None or self.band_confidence is None:
            nothing = np.empty(0)
            return nothing, nothing
        return self.curve.interval(self.band_confidence)

    @cached_property
    def band(self) -> tuple[Floats, Floats]:
        """The same between what is possible."""
        if self.curve is None or not self.is_share:
            return self.whole_band
        low, high = possible_limits(self.curve.value, self.whole_band, (0.0, 1.0))
        return np.asarray(low), np.asarray(high)

    @cached_property
    def change(self) -> LastingChange | None:
        """The clearest change, by unsmoothed estimates; None where these are too few or watched."""
        if self.watched or self._usable.sum() < FEWEST:
            return None
        return lasting_change(self.estimate[self._usable], self.errors[self._usable])

    @property
    def since(self) -> int | None:
        """The period since which it is otherwise, if it is."""
        return None if self.change is None else int(self.periods[self._usable][self.change.since])

    @cached_property
    def limits(self) -> tuple[float, float]:
        """Of the change: they hold together with those at all periods, of all numbers of the question."""
        return (np.nan, np.nan) if self.change is None else self.change.interval(self.change_confidence)

    @property
    def has_changed(self) -> bool:
        """Whether noise alone would seldom make any number of the question seem to change at any period."""
        low, high = self.limits
        return bool(low > 0 or high < 0)

    def rows(self, period: Callable[[int], str]) -> list[dict[str, Any]]:
        """The curve, for programs, a row for each period; then the change.

        Args:
            period: the name of a period.
        """
        found: list[dict[str, Any]] = []
        if self.curve is not None:
            for at, (value, stderr, low, high) in enumerate(
                zip(self.curve.value, self.curve.stderr, *self.band, strict=True)
            ):
                numbers = {"estimate": float(value), "stderr": float(stderr), "low": float(low), "high": float(high)}
                found.append({**self.key, "period": period(self.first + at), **numbers, "kind": "smoothed"})
        if self.change is not None and self.since is not None:
            low, high = self.limits
            change = {"before": self.change.before, "after": self.change.after, "estimate": self.change.change}
            limits = {"stderr": self.change.stderr, "low": low, "high": high, "sure": self.has_changed}
            found.append({**self.key, "period": period(self.since), **change, **limits, "kind": "change since"})
        return found


@dataclass(frozen=True, eq=False)
class SeriesQuestion:
    """What one question says over time.

    Attributes:
        readable: the numbers that people read, in its order.
        others: those that programs have beside.
    """

    name: str
    readable: tuple[QuantitySeries, ...]
    others: tuple[QuantitySeries, ...]


@dataclass(frozen=True, eq=False)
class PlanSeries(View):
    """Every question over time.

    Attributes:
        series: the periods.
        groups: the people of each period up to the last with reports, as groups by the period.
        questions: in the plan's order, those with an estimate of some period.
    """

    name: ClassVar[str] = "series"
    settings: ClassVar[frozenset[str]] = frozenset({"least", "smoothed", "remember"})
    places: ClassVar[Places] = Places(page=-1, terminal=-2, notebook=-1, rows=7, json=5, live=3)
    about_all: ClassVar[bool] = True
    series: Series
    groups: GroupedResults
    questions: tuple[SeriesQuestion, ...]

    @cached_property
    def gaps(self) -> tuple[str, ...]:
        """Periods with too few reports."""
        return tuple(group.label for group in self.groups.groups if group.results is None)

    @classmethod
    def of(cls, source: ViewSource) -> "PlanSeries | NotApplicable":
        """All questions in each period.

        Raises:
            RefusedError: a tally that does not say of which periods its reports are.
        """
        plan, coverage, asked = source.plan, source.coverage, source.request
        series = plan.series
        if series is None or coverage.forged:
            return NotApplicable("the plan has no series, or any period may be forged")
        tallies = group_tallies(plan, source.tally, (PERIOD,))
        last = max((place for place, (_, own) in enumerate(tallies) if own.n), default=-1)
        tallies = tallies[: last + 1]
        each = replace(coverage, finite=0, parts=series.periods)
        if coverage.simultaneous:
            count = sum(own.n >= asked.least for _, own in tallies) or 1
            each = replace(each, confidence=bonferroni(coverage.confidence, count))

        def of_period_alone(label: str, own: Aggregate) -> PublicGroup:
            if own.n < asked.least:
                return PublicGroup(label, own, None)
            # What is known beside the reports is given by who asks once.
            known = work_out if source.public else asked.remember
            key = plan.hash, label, counts_hash(own), each, source.method
            found: PublicGroup = known(key, lambda: estimate_group(source, label, own, each))
            return found

        groups = tuple(of_period_alone(label, own) for label, own in tallies)
        of_period = GroupedResults((PERIOD,), groups, each, asked.least, (), ())
        with_bands = asked.smoothed or not coverage.watched
        questions = (
            _question(place, result, of_period, coverage, series, with_bands=with_bands)
            for place, result in enumerate(source.results)
        )
        return PlanSeries(series, of_period, tuple(one for one in questions if one is not None))

    def rows(self, *, derived: bool = True) -> Iterator[dict[str, Any]]:
        del derived
        for question, label, row in self._curve_rows():
            yield table_row(row["kind"], row | {"attribute": question, "value": label}, question)

    def json(self) -> dict[str, Any]:
        rows = [row for _, _, row in self._curve_rows()]
        periods = [
            {"period": group.label, "n": group.n, "estimated": group.results is not None}
            for group in self.groups.groups
        ]
        estimates = [
            {("period" if name == "group" else name): value for name, value in row.items()}
            for table in self.tables()
            for row in table.rows()
        ]
        own = {"every": self.series.every, "season": self.series.season, "periods": periods, "rows": estimates}
        changed = [_without_kind(row) for row in rows if row["kind"] == "change since"]
        return {"series": {**own, "smoothed": [row for row in rows if row["kind"] == "smoothed"], "changed": changed}}

    def live_json(self) -> dict[str, Any]:
        # How many reports a period of few has is revealed to nobody, as in the progress.
        found: dict[str, Any] = self.json()["series"]
        return {
            "series": {
                **found,
                "periods": [one if one["estimated"] else {**one, "n": None} for one in found["periods"]],
            }
        }

    def parts(self) -> Iterator[ViewPart]:
        yield ViewPart("over time", tuple(_question_groups(self)))

    def findings(self) -> Iterator[Finding]:
        for question in self.questions[:MOST_FINDINGS]:
            if said := next(changes_in_words(question, self), ""):
                yield Finding(Topic.SERIES, said, bool(changed_quantities(question)))

    def tables(self) -> list[QuantityTable]:
        return self.groups.tables()

    def _curve_rows(self) -> Iterator[tuple[str, str, dict[str, Any]]]:
        for question in self.questions:
            for one in (*question.readable, *question.others):
                yield from ((question.name, one.label, row) for row in one.rows(self.series.label))


def _question_groups(found: PlanSeries) -> Iterator[BlockGroup]:
    every = found.series.every
    for question in found.questions:
        shown = panels(question)
        if not shown:
            continue
        plots = tuple(Plot(SeriesChart, partial(series_chart, found, one)) for one in shown)
        more = len(question.readable) - len(shown)
        said = [*changes_in_words(question, found), OWN_PERIOD.format(every=every)]
        said.append((NO_CURVE if shown[0].curve is None else CURVE).format(every=every))
        if shown[0].curve is not None and shown[0].watched:
            said.append(WATCHED_CURVE.format(every=every))
        if more and not _is_complement(question):
            said.append(f"The first {len(shown)} of {len(question.readable):,} numbers; files and JSON have all.")
        said += _gaps(found)
        table = _single_table(found, shown[0]) if len(shown) == 1 else _table(found, shown)
        sentences = (Sentence(text, Purpose.METHOD) for text in said)
        yield BlockGroup(f"{shown[0].asked} by {every}", (*plots, *sentences, table))


def _without_kind(row: dict[str, Any]) -> dict[str, Any]:
    named = {("since" if name == "period" else name): value for name, value in row.items() if name != "kind"}
    return {("change" if name == "estimate" else name): value for name, value in named.items()}


def panels(question: SeriesQuestion) -> Sequence[QuantitySeries]:
    """The numbers that are drawn: of two shares the second is what the first leaves; quantiles come before bins."""
    if _is_complement(question):
        return question.readable[:1]
    return sorted(question.readable, key=lambda one: one.is_share)[:MOST_PANELS]


def _is_complement(question: SeriesQuestion) -> bool:
    return len(question.readable) == TWO and all(one.is_share and one.kind == "share" for one in question.readable)


def changes_in_words(question: SeriesQuestion, found: PlanSeries) -> Iterator[str]:
    """What changed for good by more than noise explains, the clearest first; or that nothing did."""
    every, sure = found.series.every, f"{100 * found.groups.coverage.confidence:.15g} %"
    if found.groups.coverage.simultaneous and question.readable:
        sure = f"{100 * (1 - (1 - question.readable[0].change_confidence) * _count(question)):.15g} %"
    changed = changed_quantities(question)
    yield from (_change_in_words(one, found, sure) for one in changed)
    if changed:
        yield PLACE
    elif any(one.change is not None for one in _main_quantities(question)):
        together = f"{sure} confidence for all {every}s and its numbers together"
        yield f"{panels(question)[0].asked}: noise alone can explain all changes ({together})."


def changed_quantities(question: SeriesQuestion) -> list[QuantitySeries]:
    """What changed for good by more than noise explains."""
    return [one for one in _main_quantities(question) if one.change is not None and one.has_changed]


def _main_quantities(question: SeriesQuestion) -> Sequence[QuantitySeries]:
    return panels(question) if _is_complement(question) else question.readable


def _count(question: SeriesQuestion) -> int:
    return len(question.readable) + len(question.others)


def _change_in_words(one: QuantitySeries, found: PlanSeries, sure: str) -> str:
    change, (low, high) = one.change, one.limits
    since = "" if one.since is None else found.series.label(one.since)
    sign = 1.0 if change is not None and change.change > 0 else -1.0
    size = 0.0 if change is None else abs(change.change)
    ends = sorted((sign * low, sign * high))
    scale, unit = (100.0, " percentage points") if one.is_share else (1.0, " days" if one.is_date else "")
    numbers = {"estimate": scale * size, "low": scale * ends[0], "high": scale * ends[1]}
    texts = round_row(numbers)
    of = one.asked if one.title in one.asked else f"{one.title} of {one.asked}"
    about = one.title if one.title == one.asked else f"{one.title} ({one.asked})"
    what = f"the share of {about}" if one.is_share else of
    side = ("later" if one.is_date else "higher") if sign > 0 else "earlier" if one.is_date else "lower"
    together = f"{sure} interval for all {found.series.every}s and numbers together"
    return (
        f"Since {since} {what} has been {side} than before, by {texts['estimate']}{unit} on average"
        f" ({together} {texts['low']} to {texts['high']})."
    )


def series_chart(found: PlanSeries, one: QuantitySeries) -> SeriesChart:
    """One number over time."""
    count = len(found.groups.groups)

    def spread(first: int, column: Floats) -> Floats:
        whole = np.full(count, np.nan)
        whole[first : first + len(column)] = column
        return whole

    columns = []
    for column in (one.estimate, one.low, one.high):
        whole = np.full(count, np.nan)
        whole[one.periods] = column
        columns.append(whole)
    curve = None if one.curve is None else spread(one.first, one.curve.value)
    band = None if one.curve is None else (spread(one.first, one.band[0]), spread(one.first, one.band[1]))
    return SeriesChart(
        name=_name(one),
        every=found.series.every,
        periods=tuple(found.series.labels[:count]),
        estimates=(columns[0], columns[1], columns[2]),
        curve=curve,
        band=band,
        since=one.since if one.has_changed else None,
        is_share=one.is_share,
        is_date=one.is_date,
    )


def _name(one: QuantitySeries) -> str:
    # A value may have a name that is part of its question.
    is_own = one.title == one.asked if one.is_share else one.title in one.asked
    return one.asked if is_own else f"{one.asked}: {one.title}"


def _gaps(found: PlanSeries) -> Iterator[str]:
    if found.gaps:
        rest = f" and {len(found.gaps) - MOST_GAPS:,} more" if len(found.gaps) > MOST_GAPS else ""
        named = ", ".join(found.gaps[:MOST_GAPS])
        yield f"Fewer than {found.groups.least:,} reports, so no estimate: {named}{rest}."


def _single_table(found: PlanSeries, one: QuantitySeries) -> TextTable:
    """One number: its estimates with their intervals, and the curve with its band."""
    sure = f"{100 * one.confidence:.15g} % from"
    header: tuple[str, ...] = (f"{found.series.every} of", "reports", "estimate", sure, "to")
    header = header if one.curve is None else (*header, "smoothed", "band from", "to")
    at = {period: place for place, period in enumerate(one.periods.tolist())}
    rows = []
    for place, group in enumerate(found.groups.groups):
        cells: tuple[str, ...] = ("gap", "", "")
        if place in at:
            cells = _cells(one, *(float(column[at[place]]) for column in (one.estimate, one.low, one.high)))
        if one.curve is not None:
            cells = (*cells, *_curve_cells(one, place))
        rows.append((group.label, f"{group.n:,}", *cells))
    return TextTable(f"{_name(one)} by {found.series.every}", header, tuple(rows))


def _table(found: PlanSeries, shown: Sequence[QuantitySeries]) -> TextTable:
    """Several numbers: of each the curve with half its band, or where there is none the estimate with its interval."""
    header = (f"{found.series.every} of", "reports", *(one.title for one in shown))
    rows = []
    for place, group in enumerate(found.groups.groups):
        cells = []
        for one in shown:
            at = np.flatnonzero(one.periods == place)
            if one.curve is not None:
                own = place - one.first
                is_there = 0 <= own < len(one.curve.value)
                columns = (one.curve.value, *one.whole_band)
            else:
                own, is_there = int(at[0]) if len(at) else 0, len(at) > 0
                columns = (one.estimate, one.low, one.high)
            cells.append(_short_cell(one, *(float(column[own]) for column in columns)) if is_there else "gap")
        rows.append((group.label, f"{group.n:,}", *cells))
    what = "smoothed, ± half its band"
    what = what if shown[0].curve is not None else "estimates, ± half the interval"
    return TextTable(f"{shown[0].question} by {found.series.every}: {what}", header, tuple(rows))


def _curve_cells(one: QuantitySeries, place: int) -> tuple[str, ...]:
    own = place - one.first
    if one.curve is None or not 0 <= own < len(one.curve.value):
        return "", "", ""
    return _cells(one, float(one.curve.value[own]), float(one.band[0][own]), float(one.band[1][own]))


def _short_cell(one: QuantitySeries, value: float, low: float, high: float) -> str:
    scale = 100.0 if one.is_share else 1.0
    rounded = (round_dates if one.is_date else round_row)(
        {"estimate": scale * value, "stderr": scale * (high - low) / 2}
    )
    return f"{rounded['estimate']} ± {rounded['stderr']}{' %' if one.is_share else ''}"


def _cells(one: QuantitySeries, estimate: float, low: float, high: float) -> tuple[str, ...]:
    rounded = in_percent if one.is_share else round_dates if one.is_date else round_row
    return tuple(rounded({"estimate": estimate, "low": low, "high": high}).values())


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
    first, at = tables[0], places[0]
    numbers = [table.numbers(place) for table, place in zip(tables, places, strict=True)]
    estimate, stderr, low, high = (
        np.array([row.get(name, np.nan) for row in numbers]) for name in ("estimate", "stderr", "low", "high")
    )
    return QuantitySeries(
        question=first.question,
        key=first.key(at),
        label=first.label(at),
        title=first.label_read(at),
        asked=first.question_read,
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
