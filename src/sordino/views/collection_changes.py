"""What changed between two collections: the difference of each number that both tell, with an interval of its own.

The collections are taken for independent: other people, or at least other noise. Where the same people answered both,
and answer alike, differences are surer than is said. Of many numbers the largest changes are those with the most noise:
what is shown first are changes that all intervals of their question together still tell from 0.
"""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property, partial
from math import isnan, nan
from typing import Any, ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sordino.blocks.block import Block, BlockGroup, Plot
from sordino.blocks.charts import ChangeChart, Sides, WithLimits
from sordino.blocks.digits import round_row
from sordino.blocks.sentence import Purpose, Sentence
from sordino.blocks.tables import TextTable
from sordino.domain.bins import plain
from sordino.domain.calendar import iso_date
from sordino.domain.grid import Grid
from sordino.errors import SordinoError, SordinoErrors
from sordino.estimation.intervals.independent_difference import WithInterval, difference
from sordino.estimation.intervals.simultaneous import bonferroni
from sordino.mechanism.channel import Aggregate
from sordino.survey.kinds.coverage import Coverage
from sordino.survey.kinds.estimate_rows import IN_ORDER, LARGEST
from sordino.survey.kinds.quantities import Ends, Head, Measured, Quantities, Range, Values, label_of
from sordino.survey.planning.plan import Plan
from sordino.survey.results.result import Result, Untold, results
from sordino.views.view import NotApplicable, View, ViewPart, ViewSource, table_row

POINTS = ("% of people", "percentage points")

OWN = ("own units", "change in own units")

UNLIKE = ("each on its own scale", "each on its own scale")

SCALES = (
    "Each row is drawn on its own scale, as a part of what is possible: means and quantiles of their range;"
    " covariances of the largest that two ranges allow; coefficients where the feature's whole range would make the"
    " target's. Rows are not to be compared."
)

NO_SHARES = "Numbers that are no shares of people."

ChangeRow: TypeAlias = dict[str, Any]
"""What changed, and `before`, `after`, `change`, its `stderr` (None of a quantile), `low`, `high`, and `sure`."""

COLUMNS = ("before", "after", "change", "std. error", "from", "to", "beyond noise")
"""Columns of a table of changes after the first."""

INDEPENDENT = (
    "The collections are treated as independent: if the same people answered both, and answered alike, intervals are"
    " wider than needed."
)

AVERAGED = (
    "The {which} reports are of {count} of a series, {days}, and are compared as one: the mean over these reports. What"
    " changed within a series its own estimates show."
)

OVERLAPPING = (
    "Both collections have reports of {count}, from {first} to {last}: what differs is then between the people of two"
    " collections, and no change over time. Who answered in both is counted on both sides."
)

BACKWARDS = "The later reports are of days before the earlier ones: each change is from the later days to the earlier."

ALONE = "'Only alone': its own interval excludes 0, which happens by chance when so many numbers are compared."

SIDE_NAMES = {"before", "after"}
"""Numbers of a row that are no changes, errors or limits."""

BothSides: TypeAlias = tuple[tuple[Mapping[Hashable, Quantities], Mapping[Hashable, Quantities]], float]
"""All that both collections tell, and the confidence of its limits."""

Place: TypeAlias = Grid | frozenset[str] | Range
"""The values of one attribute."""

NAMED = 3
"""Labels that only one side has, of which so many are named."""

STEP = "compare collections with the same values; for each by itself: `sordino.estimate`"


@dataclass(frozen=True)
class ChangedRow:
    """One number that both collections tell.

    Attributes:
        about: what it is, as a row of the later estimates says it.
        before, after: it in both.
        change: the difference.
        together: the same, with limits that hold together with those of all numbers of its question.
        scale: on which numbers of several units are drawn (`MeasuredNumber`).
        is_share: whether it is a share of people.
        is_date: whether it is about a date, in days since 1970-01-01: itself, or of a share the ends of its range.
        title: of the row, as people read it.
    """

    about: Head
    before: WithInterval
    after: WithInterval
    change: WithInterval
    together: WithInterval
    scale: Ends
    is_share: bool
    is_date: bool
    title: str

    @property
    def label(self) -> str:
        """Of the row in files."""
        return label_of(self.about, is_date=self.is_date)

    @property
    def has_dates(self) -> bool:
        """Whether both sides are dates, and changes days."""
        return self.is_date and not self.is_share

    @property
    def sure(self) -> bool:
        """Whether noise alone would seldom make any number of the question seem to change so far."""
        return self.together.low > 0 or self.together.high < 0

    @property
    def sure_alone(self) -> bool:
        """Whether it is beyond noise by its own interval, and not among all numbers of the question."""
        return not self.sure and (self.change.low > 0 or self.change.high < 0)

    @property
    def size(self) -> float:
        """How large the change is: of a share itself; of other numbers, whose units differ, in its own errors."""
        reach = self.together.high - self.together.low
        return abs(self.change.value) / (1 if self.is_share or not reach else reach)

    def json(self) -> ChangeRow:
        """For programs."""
        found = self.change
        numbers = {"before": self.before.value, "after": self.after.value, "change": found.value}
        stderr = None if isnan(found.stderr) else found.stderr
        limits = {"stderr": stderr, "low": found.low, "high": found.high}
        return {**self.about, **numbers, **limits, "sure": self.sure}


@dataclass(frozen=True)
class Changed:
    """What one question tells of both collections.

    Attributes:
        name: of the later question.
        title: of the same, as people read it.
        each: the confidence of each interval.
        rows: all numbers that both tell, in the later question's order.
        shown: what people are shown in place of rows that are too many and too fine; else none.
    """

    name: str
    title: str
    each: float
    rows: tuple[ChangedRow, ...]
    shown: tuple[ChangedRow, ...]

    @cached_property
    def all_rows(self) -> tuple[ChangedRow, ...]:
        """All numbers that both tell, then the parts of a range that people read in place of many bins."""
        known = [row.about for row in self.rows]
        return (*self.rows, *(row for row in self.shown if row.about not in known))

    @cached_property
    def readable(self) -> tuple[ChangedRow, ...]:
        """What people can read of it, in the question's order."""
        return self.shown or self.rows

    @cached_property
    def sure(self) -> int:
        """How many of these have changed beyond noise."""
        return sum(row.sure for row in self.readable)

    def first(self, most: int = LARGEST) -> tuple[ChangedRow, ...]:
        """All that people can read, or of many so many: changes beyond noise, by size, then the largest shares.

        By what both tell together: whoever picks the largest changes of many finds noise.
        """
        if len(self.readable) <= IN_ORDER:
            return self.readable
        return tuple(sorted(self.readable, key=_rank)[:most])


@dataclass(frozen=True, eq=False)
class CollectionChanges(View):
    """What changed from an earlier collection of independent reports.

    Attributes:
        changed: of each later question what both estimate.
        not_comparable: what only one of them estimates, or of other values, and why, by name.
        n: the reports of both.
        coverage: how sure each interval is, or all of a question together.
        over_time: of each collection by a plan with a series, which days are compared as one.
    """

    name: ClassVar[str] = "change"
    settings: ClassVar[frozenset[str]] = frozenset({"before"})
    counts_clusters: ClassVar[bool] = True
    changed: tuple[Changed, ...]
    not_comparable: Mapping[str, str]
    n: tuple[int, int]
    coverage: Coverage
    over_time: tuple[str, ...] = ()

    @classmethod
    def of(cls, source: ViewSource) -> "CollectionChanges | NotApplicable":
        before, coverage = source.request.before, source.coverage
        if before is None or coverage.watched or coverage.forged:
            return NotApplicable("no earlier collection is given, for one look at honest reports")
        return cls.compare((before.plan, before.tally), (source.plan, source.tally), coverage)

    @classmethod
    def compare(
        cls, first: tuple[Plan, Aggregate], second: tuple[Plan, Aggregate], coverage: Coverage
    ) -> "CollectionChanges":
        """What changed from one collection to another, each a plan and the tally of its reports.

        Raises:
            SordinoError: two plans with the same periods.
            SordinoErrors: nothing that both tell, and why not.
        """
        if first[0].series is not None and first[0].series == second[0].series and first[0].hash != second[0].hash:
            rule = "two plans of one series must be one plan: what was asked otherwise is another series"
            raise SordinoError(rule, found="the same periods and two plans", step="compare reports of one of them")
        own = Coverage(coverage.confidence, clusters=coverage.clusters)
        before, after = (_estimate(plan, tally, own) for plan, tally in (first, second))
        changed, apart = changes(before, after, coverage)
        if not changed:
            raise SordinoErrors("the comparison", list(apart.values()))
        why = {name: str(error) for name, error in apart.items()}
        reports = sum(one.n for one in before), sum(one.n for one in after)
        days = _overlap(_days(*first), _days(*second))
        return cls(
            changed, why, reports, coverage, (*_over_time("earlier", *first), *_over_time("later", *second), *days)
        )

    @property
    def number_rows(self) -> list[ChangeRow]:
        """A row for each number that both tell."""
        return [row.json() for one in self.changed for row in one.all_rows]

    def rows(self, *, derived: bool = True) -> Iterator[dict[str, Any]]:
        del derived
        for one in self.changed:
            for row in one.all_rows:
                about = {"attribute": one.name, "value": row.label, "estimate": row.change.value}
                yield table_row(self.name, row.json() | about, one.name)

    def json(self) -> dict[str, Any]:
        how = {"n": list(self.n), "not_comparable": dict(self.not_comparable), "over_time": list(self.over_time)}
        return {self.name: {**how, "rows": self.number_rows}}

    def parts(self) -> Iterator[ViewPart]:
        """What both collections say of each question, which days they are of, and what is not compared."""
        for one in self.changed:
            yield ViewPart(one.name, change_blocks(one, self.coverage))
        for title, said in (("Over time", self.over_time), ("Not compared", self.not_comparable.values())):
            if said:
                yield ViewPart("", (BlockGroup(title, tuple(map(Sentence, said))),))


def change_blocks(changed: Changed, coverage: Coverage) -> tuple[Block, ...]:
    """What both collections say of a question, all of it or some, and how much of it changed beyond noise.

    Args:
        changed: a question.
        coverage: what intervals hold against.
    """
    rows = changed.first()
    together = len(rows) < len(changed.readable)
    cells = tuple(change_cells(row, together=together) for row in rows)
    alone = "all of them together" if coverage.simultaneous or together else "each change by itself"
    limits = f"Limits hold for {alone} with {100 * coverage.confidence:.15g} % confidence{coverage.drawn_in_words}."
    said = [Sentence(text) for text in (sure_in_words(changed, coverage), order_in_words(changed)) if text]
    plots: list[Block] = list(_plots(rows, together=together))
    scales = SCALES if len({row.scale for row in _rows_of_chart(rows, is_share=False)}) > 1 else ""
    notes = [Sentence(limits, Purpose.INTERVALS)]
    if len(plots) > 1:
        # Each figure beside words, where a figure beside the table would be too narrow.
        plots.insert(1, Sentence(scales or NO_SHARES, Purpose.CHART))
    elif scales:
        notes.append(Sentence(scales, Purpose.CHART))
    table = TextTable("", (changed.title, *COLUMNS), cells, tuple(notes))
    return (BlockGroup(changed.title[0].upper() + changed.title[1:], (*said, *plots, table)),)


def _plots(rows: Sequence[ChangedRow], *, together: bool) -> Iterator[Plot]:
    """One of the shares, and one of other numbers: of one range on one axis, of several each on its own scale."""
    for is_share in (True, False):
        some = _rows_of_chart(rows, is_share=is_share)
        if some:
            yield Plot(ChangeChart, partial(_chart, some, is_share=is_share, together=together))


def _chart(rows: Sequence[ChangedRow], *, is_share: bool, together: bool) -> ChangeChart:
    # The axis of dates would have days since 1970.
    has_unit = len({row.scale for row in rows}) == 1 and not any(row.has_dates for row in rows)
    units = POINTS if is_share else OWN if has_unit else UNLIKE
    return ChangeChart(
        tuple(row.title for row in rows),
        tuple(_text_with_sign(row, together=together) for row in rows),
        _sides(rows, together=together, own=units is OWN),
        units,
        has_zero=is_share,
        has_numbers=units is not UNLIKE,
    )


def _rows_of_chart(rows: Sequence[ChangedRow], *, is_share: bool) -> list[ChangedRow]:
    """Shares, or other numbers; not an intercept, which has no scale."""
    return [row for row in rows if row.is_share == is_share and np.isfinite(row.scale[1])]


def _text_with_sign(row: ChangedRow, *, together: bool) -> str:
    """A change with its sign: of shares in percentage points, of others in their own unit."""
    if row.is_share:
        text = round_row({"change": 100 * row.change.value, "stderr": 100 * row.change.stderr})["change"]
    else:
        text = change_cells(row, together=together)[3]
    return text if text.startswith("-") or not float(text.removesuffix(" days")) else f"+{text}"


def _sides(rows: Sequence[ChangedRow], *, together: bool, own: bool) -> Sides:
    starts, ends = np.array([(0.0, 100.0) if own else row.scale for row in rows]).T
    spans = (ends - starts) / 100

    def scale(numbers: Sequence[WithInterval], origin: NDArray[np.float64]) -> WithLimits:
        columns = np.array([[one.value, one.low, one.high] for one in numbers]).T
        value, low, high = (columns - origin) / spans
        return value, low, high

    changed = [row.together if together else row.change for row in rows]
    before, after = ([row.before for row in rows], [row.after for row in rows])
    nowhere = np.zeros_like(starts)
    return Sides(
        scale(before, starts),
        scale(after, starts),
        scale(changed, nowhere),
        scale([row.together for row in rows], nowhere)[1:],
        np.array([row.sure for row in rows]),
    )


def sure_in_words(changed: Changed, coverage: Coverage) -> str:
    """How many numbers of a question changed by more than noise explains, and how often that is said wrongly."""
    count, part = len(changed.readable), f"{100 * coverage.confidence:.15g} %"
    if count == 1:
        if not changed.sure:
            return f"Noise alone can explain the change: its {part} interval contains 0."
        return f"The change is larger than noise explains: its {part} interval excludes 0."
    # Of many the limits that are shown are those of all together.
    alone = f" {ALONE}" if count <= IN_ORDER and any(row.sure_alone for row in changed.readable) else ""
    if not changed.sure:
        return f"None of {count:,} changed by more than noise explains ({part} confidence for all together).{alone}"
    wrong = f"{100 - 100 * coverage.confidence:.3g}%"
    return (
        f"{changed.sure:,} of {count:,} changed by more than noise explains ({part} confidence for all together): noise"
        f" alone makes any change seem so in at most {wrong} of such comparisons.{alone}"
    )


def order_in_words(changed: Changed, most: int = LARGEST) -> str:
    """Which rows are shown of many, and how many are not; nothing where all are."""
    count = len(changed.readable)
    if count <= IN_ORDER:
        return ""
    ends = f"; {count - most:,} of {count:,} are not shown. Limits hold for all {count:,} together."
    if changed.sure >= most:
        return f"Shown are the {most} largest of the changes beyond noise{ends}"
    rest = "the largest shares" if changed.readable[0].is_share else "others in their order"
    sure = "change beyond noise" if changed.sure == 1 else "changes beyond noise, by size"
    return (f"First the {sure}, then " if changed.sure else "Shown are ") + rest + ends


def change_cells(row: ChangedRow, *, together: bool) -> tuple[str, ...]:
    """A row of a table that people read: its label, its numbers as far as known, and whether it is beyond noise.

    Args:
        row: of a question.
        together: whether limits are those that hold for all numbers of the question together.
    """
    told, limits = row.change, row.together if together else row.change
    numbers = {"before": row.before.value, "after": row.after.value, "change": told.value}
    numbers |= {} if isnan(told.stderr) else {"stderr": told.stderr}
    texts = round_row({**numbers, "low": limits.low, "high": limits.high})
    if row.has_dates:
        texts = {
            name: iso_date(numbers[name]) if name in SIDE_NAMES else f"{text} days" for name, text in texts.items()
        }
    names = ("before", "after", "change", "stderr", "low", "high")
    sure = "yes" if row.sure else "only alone" if row.sure_alone and not together else "no"
    return (row.title, *(texts.get(name, "") for name in names), sure)


def _rank(row: ChangedRow) -> tuple[float, ...]:
    """Where a row stands among many; of numbers that are no shares none is larger than another."""
    if row.sure:
        return 0, -row.size
    return 1, -(row.before.value + row.after.value) if row.is_share else 0


def changes(
    before: Sequence[Result], after: Sequence[Result], coverage: Coverage
) -> tuple[tuple[Changed, ...], dict[str, SordinoError]]:
    """The differences of all that both tell, and why others cannot be compared, by name.

    Args:
        before: what the earlier collection tells.
        after: the later one.
        coverage: how sure each interval is, or all of a question together; neither watched nor against forged reports.
    """
    first, second = _quantities(before, coverage.confidence), _quantities(after, coverage.confidence)
    apart = {result.question.name: result.why for result in (*before, *after) if isinstance(result, Untold)}
    both: dict[str, list[Hashable]] = {}
    for key, own in second.items():
        if key not in first:
            apart.setdefault(own.name, _error_of_one_side(own, "later"))
        elif first[key].values != own.values:
            apart[own.name] = why_apart(own.name, first[key].values, own.values)
        else:
            both.setdefault(own.question, []).append(key)
    for key, own in first.items():
        if key not in second:
            apart.setdefault(own.name, _error_of_one_side(own, "earlier"))
    titles = {result.question.name: result.question.title for result in after}
    found = []
    for name, keys in both.items():
        count = sum(_count_in_both(first[key], second[key]) for key in keys)
        all_at_once = bonferroni(coverage.confidence, count)
        together = _told_of(first, keys, before, all_at_once), _told_of(second, keys, after, all_at_once)
        each = all_at_once if coverage.simultaneous else coverage.confidence
        sides = together if coverage.simultaneous else (first, second)
        rows, shown = (
            tuple(row for key in keys for row in _changed_rows(part, key, (sides, each), (together, all_at_once)))
            for part in ("measured", "shown")
        )
        found.append(Changed(name, titles[name], each, rows, shown))
    return tuple(found), apart


def _error_of_one_side(own: Quantities, side: str) -> SordinoError:
    return SordinoError(
        f"{own.name} must be a question of both collections",
        found=f"in the {side} one alone",
        step="ask for it in both",
    )


def _quantities(results: Sequence[Result], each: float) -> dict[Hashable, Quantities]:
    own = Coverage(each)
    return {told.key: told for result in results for told in result.with_coverage(own).quantities()}


def _told_of(
    known: Mapping[Hashable, Quantities], keys: Sequence[Hashable], results: Sequence[Result], each: float
) -> dict[Hashable, Quantities]:
    """Some of it with another confidence; what is not told with that, as what nobody may have, has no limits."""
    questions = {known[key].question for key in keys}
    told = _quantities([result for result in results if result.question.name in questions], each)
    return {key: told[key] if key in told else _without_limits(known[key]) for key in keys}


def _without_limits(own: Quantities) -> Quantities:
    measured, shown = (
        {key: replace(one, number=replace(one.number, low=nan, high=nan)) for key, one in part.items()}
        for part in (own.measured, own.shown)
    )
    return replace(own, measured=measured, shown=shown)


def _count_in_both(before: Quantities, after: Quantities) -> int:
    first, second = (told.measured.keys() | told.shown.keys() for told in (before, after))
    return len(first & second)


def _changed_rows(part: str, key: Hashable, own: BothSides, together: BothSides) -> Iterator[ChangedRow]:
    (before, after), (before_together, after_together) = (
        (_part(first[key], part), _part(second[key], part)) for (first, second), _ in (own, together)
    )
    for each, later in after.items():
        if each in before:
            sides = before[each].number, later.number
            change = difference(*sides, own[1])
            all_at_once = difference(before_together[each].number, after_together[each].number, together[1])
            first, last = (side.possible for side in sides)
            kinds = later.scale, later.is_share, later.is_date
            yield ChangedRow(later.about, first, last, change, all_at_once, *kinds, later.title)


def _part(told: Quantities, part: str) -> Measured:
    return told.measured if part == "measured" else told.shown


def why_apart(name: str, before: Values, after: Values) -> SordinoError:
    """The rule, all that is found, and the next step.

    Args:
        name: of what is told.
        before: the values of its attributes in the earlier collection.
        after: in the later one.
    """
    found = [said for one in after if before[one] != after[one] for said in _apart(one, before[one], after[one])]
    return SordinoError(f"{name} must be of the same values in both collections", found="; ".join(found), step=STEP)


def _apart(name: str, before: Place, after: Place) -> Iterator[str]:
    if isinstance(before, frozenset) and isinstance(after, frozenset):
        for labels, side in ((before - after, "earlier"), (after - before, "later")):
            if labels:
                yield f"{_list_labels(labels)} of {name} in the {side} one alone"
    elif isinstance(before, Range) and isinstance(after, Range):
        if before.edges != after.edges:
            yield f"{name} {_reach(before, after)} before, {_reach(after, before)} after"
        if before.clip != after.clip:
            yield f"{name} is cut to its ends in the {'earlier' if before.clip else 'later'} one alone"
        if before.missing != after.missing:
            yield f"{name} may be missing in the {'earlier' if before.missing else 'later'} one alone"
    elif isinstance(before, Grid) and isinstance(after, Grid):
        yield f"{name} in {_cells(before)} before, {_cells(after)} after"
    else:
        yield f"{name} on a map in the {'earlier' if isinstance(before, Grid) else 'later'} one alone"


def _list_labels(labels: frozenset[str]) -> str:
    rest = f" and {len(labels) - NAMED:,} more" if len(labels) > NAMED else ""
    return ", ".join(map(repr, sorted(labels)[:NAMED])) + rest


def _reach(own: Range, other: Range) -> str:
    """From where to where, in how many bins; of as many between the same ends the first edge that differs."""
    bins, ends = len(own.edges) - 1, (own.edges[0], own.edges[-1])
    if bins == len(other.edges) - 1 and ends == (other.edges[0], other.edges[-1]):
        edge = next(edge for edge in own.edges if edge not in other.edges)
        return f"with a bin from {plain(edge)} on"
    return f"from {plain(ends[0])} to {plain(ends[1])}" + (f" in {bins:,} bins" if bins > 1 else "")


def _cells(grid: Grid) -> str:
    return (
        f"{grid.rows:,} by {grid.columns:,} cells from {plain(grid.south)} to {plain(grid.north)} north and"
        f" {plain(grid.west)} to {plain(grid.east)} east"
    )


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
