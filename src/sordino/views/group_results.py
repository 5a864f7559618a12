"""What a plan's reports say of groups of people who share public values: each group as a survey of its own.

Reports name their public cell in clear, so that a group's reports are known, and its estimates are those of these
reports alone. Groups have no reports in common, so that their estimates are independent: differences have intervals
made of both sides', and equality is tested by Wald's test. A group of too few reports is named, not estimated.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import accumulate
from math import isfinite
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sordino.blocks.block import Block, BlockGroup, Plot, blocks_of
from sordino.blocks.charts import PointChart
from sordino.blocks.digits import round_row
from sordino.blocks.finding import Finding, Topic, in_brackets
from sordino.blocks.sentence import Purpose, Sentence
from sordino.blocks.tables import QuantityTable, TextTable
from sordino.document.schema.nearest import named_label, nearest_labels
from sordino.domain.phrasing import NO_WORDS
from sordino.errors import RefusedError, SordinoError
from sordino.estimation.intervals.contrast import tells_covariance
from sordino.estimation.intervals.simultaneous import bonferroni
from sordino.estimation.share_estimate import Method
from sordino.estimation.tests import ChiSquareTest, added_by_few_counts, adjust_p_values, equality_test
from sordino.estimation.unbiased import Decoded
from sordino.mechanism.channel import Aggregate
from sordino.printable import join_label
from sordino.survey.kinds.coverage import Coverage
from sordino.survey.kinds.estimate_rows import IN_ORDER
from sordino.survey.kinds.quantities import MeasuredNumber, Quantities
from sordino.survey.kinds.shares.shares_result import HistogramResult
from sordino.survey.planning.plan import Plan
from sordino.survey.results.cell_tallies import group_tallies, group_titles
from sordino.survey.results.result import Result, Untold, results_so_far
from sordino.survey.results.sourced_aggregate import without
from sordino.views.collection_changes import Changed, ChangedRow, changes
from sordino.views.people_in_clusters import SHARED, share_clusters
from sordino.views.pooled_results import TITLE, PooledResult, pooled_results, pooled_rows
from sordino.views.share_differences import IN_POINTS
from sordino.views.table_results import table_results, table_rows
from sordino.views.view import Folding, NotApplicable, Places, View, ViewPart, ViewSource, table_row

SIDES = ("before", "after", "change")
"""Of a row of changes what a difference of groups calls otherwise, or leaves out."""

REST, OTHERS = "rest", "all other people"
"""What a group is compared to by default, in rows and in sentences: the people of all other groups together."""

MOST_TESTED = 256
"""Values of a question whose covariance is worked out for a test."""

FEWEST = 2
"""Groups that are compared."""

FEWEST_REPORTS = 30
"""Of each group about a number that is tested: fewer hardly tell its standard error."""

LARGEST_EXCESS = 0.3
"""Of what few counts add to the variance of the statistic of shares, relative to it."""

GROUP_DIFFERENCE, EQUALITY = "group difference", "equality"
"""Kinds of rows: what a group has more than others, and a test of whether all groups are alike."""

ROW = "row"
"""What an interval is about, where a table has the rows of all groups."""

OF_INTERVALS = {Purpose.INTERVALS, Purpose.CONFIDENCE}
"""What is said of intervals once for all groups."""

MOST_PANELS = 6
"""Charts of a question, each of one number over all groups."""

TWO = 2

OWN_SURVEY = "Each group is estimated from its own reports alone."

INDEPENDENT = "Groups have no reports in common: the errors of both sides count in a difference."

WALD = (
    "A small p-value means that the groups differ: if they were equal, so large a difference would be as improbable as"
    " that (Wald test with the covariance that the reports have)."
)

HOLM = "Adjusted p-values hold for all tests together (Holm)."

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class GroupTest:
    """Whether groups have the same shares, or the same number.

    Attributes:
        question: that tells them.
        name: of what is tested.
        test: Wald's.
        groups: how many are compared.
        adjusted: the p-value by Holm where it is to hold for all tests together; None where it holds by itself.
        title: what is tested, as people read it; empty where the name is that.
    """

    question: str
    name: str
    test: ChiSquareTest
    groups: int
    adjusted: float | None = None
    title: str = ""

    def json(self) -> dict[str, Any]:
        """For programs."""
        found = {"statistic": self.test.statistic, "degrees": self.test.degrees, "p_value": self.test.p_value}
        adjusted = {} if self.adjusted is None else {"adjusted_p_value": self.adjusted}
        return {"attribute": self.question, "tested": self.name, "groups": self.groups, **found, **adjusted}


@dataclass(frozen=True, eq=False)
class PublicGroup:
    """People who share some public values.

    Attributes:
        label: the values, with commas between.
        tally: of their reports.
        results: what these say of each question; None where they are too few.
        pooled: what several questions say together of these people.
    """

    label: str
    tally: Aggregate
    results: tuple[Result, ...] | None
    pooled: tuple[PooledResult, ...] = ()

    @property
    def n(self) -> int:
        """The number of reports."""
        return self.tally.n

    @cached_property
    def tables(self) -> tuple[tuple[QuantityTable, ...], ...]:
        """Of each question the tables of its quantities; nothing of a group of too few reports."""
        return tuple(tuple(blocks_of(QuantityTable, one.blocks())) for one in self.results or ())


@dataclass(frozen=True, eq=False)
class GroupDifference:
    """What differs between a group and others.

    Attributes:
        group: whose numbers they are.
        minus: the group that is taken off, or the rest, as `rest_word` has it.
        is_from_rest: whether all other people are taken off.
        changed: of each question the differences, its numbers being those after and the others' those before.
        sides: what the others' reports say, and the group's.
    """

    group: str
    minus: str
    is_from_rest: bool
    changed: tuple[Changed, ...]
    sides: tuple[Sequence[Result], Sequence[Result]]

    def rows(self) -> Iterator[tuple[str, str, dict[str, Any]]]:
        """Of each difference the question, the label, and all of it for programs."""
        for changed in self.changed:
            for row in changed.rows:
                found = {name: number for name, number in row.json().items() if name not in SIDES}
                told = {"group": self.group, "minus": self.minus, **found, "estimate": row.change.value}
                yield changed.name, row.label, told


@dataclass(frozen=True, eq=False)
class ClearestDifference:
    """A number in which a group differs from others beyond noise.

    Attributes:
        of: the two sides.
        question: whose number it is, as people read it.
        row: it on both sides.
    """

    of: GroupDifference
    question: str
    row: ChangedRow

    @property
    def relative_width(self) -> float:
        """The width of the interval, as a part of the difference."""
        together = self.row.together
        return (together.high - together.low) / abs(together.value)


@dataclass(frozen=True, eq=False)
class GroupedResults(View):
    """What reports say by groups.

    Attributes:
        by: the public columns.
        groups: in the order of their values.
        coverage: what intervals hold against.
        least: reports without which a group is not estimated.
        differences: between each estimated group and the rest, or one group; none where reports are watched.
        tests: of equality over all estimated groups; none where reports are watched.
        titles: of groups as people read them, by their labels; a label that is missing is read as it is.
        columns_title: the public columns as people read them.
        apart: why groups are not compared; empty where they are, or may not be.
    """

    name: ClassVar[str] = "groups"
    settings: ClassVar[frozenset[str]] = frozenset({"by", "against", "least"})
    places: ClassVar[Places] = Places(page=4, terminal=-1, notebook=3, rows=8, json=4, live=4)
    folding: ClassVar[Folding] = Folding.SECTIONS
    replaces_all: ClassVar[bool] = True
    counts_clusters: ClassVar[bool] = True
    by: tuple[str, ...]
    groups: tuple[PublicGroup, ...]
    coverage: Coverage
    least: int
    differences: tuple[GroupDifference, ...]
    tests: tuple[GroupTest, ...]
    titles: Mapping[str, str] = field(default_factory=dict)
    columns_title: str = ""
    apart: str = ""

    @classmethod
    def of(cls, source: ViewSource) -> "GroupedResults | NotApplicable":
        """All questions by the public columns that are asked for.

        Raises:
            SordinoError: no such public column, too many groups, no such group, or intervals of who reported.
            RefusedError: a tally that does not say which groups its reports are of, or forged reports.
        """
        asked, coverage = source.request, source.coverage
        if not asked.by:
            return NotApplicable("no public column is asked for")
        if coverage.finite:
            step = "leave one of them out: a group has other people than all"
            raise SordinoError("estimates by groups describe a population", found="by and finite together", step=step)
        tallies = group_tallies(source.plan, source.tally, asked.by)
        if coverage.forged:
            rule, step = "groups are of honest reports: a forged one names any group", "leave one of them out"
            raise RefusedError(rule, found="forged ones", step=step)
        each = _each(coverage, sum(tally.n >= asked.least for _, tally in tallies))
        groups = tuple(
            estimate_group(source, label, tally, each) if tally.n >= asked.least else PublicGroup(label, tally, None)
            for label, tally in tallies
        )
        against, labels = asked.against, [group.label for group in groups]
        base = None if against is None else named_label(against, labels)
        if against is not None and base is None and against != rest_word(groups):
            named = repr(against) + nearest_labels(against, labels)
            raise SordinoError("groups must be compared to one of them", found=named, step="write it as its rows do")
        titles, plan = group_titles(source.plan, asked.by), source.plan
        columns = join_label([plan.phrasings.get(name, NO_WORDS).title(name) for name in asked.by])
        found = GroupedResults(tuple(asked.by), groups, coverage, asked.least, (), (), titles, columns)
        if coverage.watched:
            # Intervals of differences, and tests, hold for one look.
            return found
        if coverage.clusters and share_clusters(source.plan, coverage.clusters, [group.tally for group in groups]):
            return replace(found, apart=SHARED.format(column=coverage.clusters))
        differences = tuple(_differences(source.plan, source.tally, found, base))
        if coverage.clusters:
            # The chi-square distribution of their statistic is that of people drawn one by one.
            return replace(found, differences=differences)
        tests = equality_tests([own for _, own in found.with_results], all_at_once=coverage.simultaneous)
        return replace(found, differences=differences, tests=tests)

    @property
    def columns_label(self) -> str:
        """The names of the public columns."""
        return join_label(self.by)

    @property
    def columns_read(self) -> str:
        """The public columns as people read them."""
        return self.columns_title or self.columns_label

    def title(self, label: str) -> str:
        """A group as people read it."""
        return self.titles.get(label, label)

    @property
    def others(self) -> str:
        """Who are taken off in all differences, in words."""
        return OTHERS if self.differences[0].is_from_rest else self.title(self.differences[0].minus)

    @property
    def fold_title(self) -> str:
        return f"Estimates by {self.columns_read}"

    def rows(self, *, derived: bool = True) -> Iterator[dict[str, Any]]:
        for group, own in self.with_results if derived else ():
            yield from (row | {"group": group.label} for row in table_rows(table_results(own)))
        for group in self.groups:
            yield from (row | {"group": group.label} for row in pooled_rows(group.pooled))
        for test in self.tests:
            adjusted = {} if test.adjusted is None else {"p_adjusted": test.adjusted}
            about = {"attribute": self.columns_label, "value": test.name}
            numbers = {"statistic": test.test.statistic, "degrees": test.test.degrees, "p": test.test.p_value}
            yield table_row(EQUALITY, {**about, **numbers, **adjusted}, test.question)
        for difference in self.differences:
            for name, label, row in difference.rows():
                yield table_row(GROUP_DIFFERENCE, row | {"attribute": name, "value": label}, name)

    def json(self) -> dict[str, Any]:
        groups = [{"group": group.label, "n": group.n, "estimated": group.results is not None} for group in self.groups]
        pooled = [(group.label, row) for group in self.groups for result in group.pooled for row in result.rows()]
        return {
            "by": list(self.by),
            "groups": groups,
            "group_rows": [row for table in self.tables() for row in table.rows()],
            "group_pooled": [row | {"group": label} for label, row in pooled],
            "group_untold": [{"group": group, "attribute": name, "why": why} for group, name, why in self.untold],
            "group_differences": [row for difference in self.differences for _, _, row in difference.rows()],
            "group_tests": [test.json() for test in self.tests],
        }

    def parts(self) -> Iterator[ViewPart]:
        yield ViewPart(self.columns_read, (_reports(self),), stays_open=True)
        yield ViewPart(self.columns_read, tuple(_estimate_groups(self)))
        if self.tests:
            group = BlockGroup(f"Are the groups by {self.columns_read} equal?", (_tests(self),))
            yield ViewPart(self.columns_read, (group,), stays_open=True)

    def findings(self) -> Iterator[Finding]:
        if self.differences:
            clearest = self.clearest()
            text = _none_in_words(self) if clearest is None else _difference_in_words(clearest, self)
            yield Finding(Topic.GROUPS, text, clearest is not None)

    def tables(self) -> list[QuantityTable]:
        return [table for tables in _tables_by_question(self) for table in sorted(tables, key=lambda own: own.order)]

    def names_few(self, least: int) -> bool:
        return any(0 < group.n < least for group in self.groups)

    @cached_property
    def with_results(self) -> tuple[tuple[PublicGroup, tuple[Result, ...]], ...]:
        """The groups of enough reports, with what these say."""
        return tuple((group, group.results) for group in self.groups if group.results is not None)

    def clearest(self) -> ClearestDifference | None:
        """The difference that is the farthest from 0 for the width of its interval, if any is beyond noise.

        Its limits hold together with those of all numbers of all questions of all groups that are compared.
        """
        count = len(self.differences) * max((len(one.changed) for one in self.differences), default=0)
        coverage, found = self.coverage.for_all(count), list[ClearestDifference]()
        for difference in self.differences:
            changed, _ = changes(*difference.sides, coverage)
            found += [
                ClearestDifference(difference, each.title, row) for each in changed for row in each.readable if row.sure
            ]
        return min(found, key=lambda one: one.relative_width, default=None)

    @property
    def untold(self) -> Iterator[tuple[str, str, str]]:
        """Of each question that a group of enough reports does not answer: the group, the question, and why."""
        for group, results in self.with_results:
            yield from ((group.label, one.question.name, str(one.why)) for one in results if isinstance(one, Untold))


def _none_in_words(groups: GroupedResults) -> str:
    """That no difference is clear by intervals that hold together, beside which one by its own interval may be."""
    rows = [row for difference in groups.differences for one in difference.changed for row in one.readable]
    part, count = f"{100 * groups.coverage.confidence:.15g} %", len(rows)
    which = f"the {part} intervals that hold for all {count:,} differences together all contain 0"
    which = which if count > 1 else f"the {part} interval of the only difference contains 0"
    text = f"By {groups.columns_read}: no group differs from {groups.others} beyond noise: {which}."
    alone = sum(row.change.low > 0 or row.change.high < 0 for row in rows)
    if not alone or count == 1:
        return text
    own = "1 of them differs from 0 by its own interval, which does"
    own = own if alone == 1 else f"{alone:,} of them differ from 0 by their own intervals, which do"
    return f"{text} {own} not count that {count:,} were looked at."


def _difference_in_words(clearest: ClearestDifference, groups: GroupedResults) -> str:
    row, sign, others = clearest.row, 1 if clearest.row.together.value > 0 else -1, groups.others
    ends = sorted((sign * row.together.low, sign * row.together.high))
    scale = 100 if row.is_share else 1
    numbers = dict(zip(("estimate", "low", "high"), (sign * row.together.value, *ends), strict=True))
    texts = round_row({name: scale * number for name, number in numbers.items()})
    texts["estimate"] += " percentage points" if row.is_share else " days" if row.has_dates else ""
    share = in_brackets(texts, groups.coverage.confidence, "all differences")
    side = ("later", "earlier") if row.has_dates else ("higher", "lower")
    group, of = groups.title(clearest.of.group), "the share of " if row.is_share else ""
    about = row.title if row.title in clearest.question else f"{row.title} ({clearest.question})"
    return f"By {groups.columns_read}: {of}{about} is {side[sign < 0]} in {group} than among {others}, by {share}."


def _estimate_groups(found: GroupedResults) -> Iterator[BlockGroup]:
    for tables in _tables_by_question(found):
        shown: list[Block] = []
        for table in tables:
            shown += [*_panels(table, found), table]
        if shown:
            yield BlockGroup(f"{tables[0].question_read} by {found.columns_read}", tuple(shown))
    for about, parts in _pooled_by_name(found).items():
        table = _stack(found, parts)
        yield BlockGroup(f"{TITLE}: {about} by {found.columns_read}", (table,))
    refused = tuple(
        Sentence(f"{found.title(group)}: {question} is not estimated; {why}", Purpose.REFUSAL)
        for group, question, why in found.untold
    )
    if refused:
        yield BlockGroup(f"Not estimated by {found.columns_read}", refused)
    yield from _difference_groups(found)


def _reports(found: GroupedResults) -> BlockGroup:
    title, said = f"Reports by {found.columns_read}", [Sentence(OWN_SURVEY, Purpose.POPULATION)]
    header: tuple[str, ...] = (found.columns_read, "reports")
    rows: list[tuple[str, ...]] = [(found.title(group.label), f"{group.n:,}") for group in found.groups]
    if len(found.with_results) < len(found.groups):
        header = (*header, "estimates")
        told = ["yes" if group.results is not None else f"too few reports ({group.n:,})" for group in found.groups]
        rows = [(*row, text) for row, text in zip(rows, told, strict=True)]
        said.append(Sentence(f"A group is estimated from {found.least:,} reports on.", Purpose.POPULATION))
    said += [Sentence(found.apart, Purpose.REFUSAL)] if found.apart else []
    return BlockGroup(title, (TextTable(title, header, tuple(rows), tuple(said)),))


def _tables_by_question(found: GroupedResults) -> Iterator[list[QuantityTable]]:
    labels = [group.label for group, _ in found.with_results]
    for own in zip(*(group.tables for group, _ in found.with_results), strict=True):
        parts: dict[tuple[str, str, int], list[tuple[str, QuantityTable]]] = {}
        for label, tables in zip(labels, own, strict=True):
            for table in tables:
                kind = table.kind(0) if table.count else ""
                parts.setdefault((table.about, kind, table.order), []).append((label, table))
        yield [_stack(found, several) for several in parts.values()]


def _pooled_by_name(found: GroupedResults) -> dict[str, list[tuple[str, QuantityTable]]]:
    """What several questions say together, by its name: of each group that they say it of."""
    parts: dict[str, list[tuple[str, QuantityTable]]] = {}
    for group in found.groups:
        for result in group.pooled:
            parts.setdefault(result.name, []).append((group.label, result.table()))
    return parts


def _stack(found: GroupedResults, parts: Sequence[tuple[str, QuantityTable]]) -> QuantityTable:
    first, coverage = parts[0][1], found.coverage
    names = [name for name in first.columns if all(name in table.columns for _, table in parts)]
    starts = list(accumulate((table.count for _, table in parts), initial=0))
    which = np.repeat(np.arange(len(parts)), [table.count for _, table in parts])

    def at(place: int) -> tuple[QuantityTable, int]:
        own = int(which[place])
        return parts[own][1], place - starts[own]

    readable = [start + place for start, (_, table) in zip(starts, parts, strict=False) for place in table.readable]
    return QuantityTable(
        question=first.question,
        about=first.about,
        columns={name: np.concatenate([table.columns[name] for _, table in parts]) for name in names},
        label=lambda place: at(place)[0].label(at(place)[1]),
        kind=lambda place: at(place)[0].kind(at(place)[1]),
        key=lambda place: at(place)[0].key(at(place)[1]),
        confidence=coverage.confidence,
        excerpt=readable,
        title=f"{first.about} by {found.columns_read}",
        noun=first.noun,
        are_shares=first.are_shares,
        sentences=(coverage.sentence(ROW), *_sentences_of([table for _, table in parts])),
        order=first.order,
        grouping=found.columns_label,
        group=lambda place: parts[int(which[place])][0],
        readable_group=lambda place: found.title(parts[int(which[place])][0]),
        readable_grouping=found.columns_read,
        readable_label=lambda place: at(place)[0].label_read(at(place)[1]),
        is_date=lambda place: at(place)[0].has_dates(at(place)[1]),
        in_points=lambda place: at(place)[0].is_in_points(at(place)[1]),
        asked=first.asked,
    )


def _sentences_of(tables: Sequence[QuantityTable]) -> Iterator[Sentence]:
    """What is said of any group's numbers; how they were made only where it is the same of all."""
    every = [frozenset(table.sentences) for table in tables]
    for one in dict.fromkeys(one for table in tables for one in table.sentences):
        is_shown = one.purpose is not Purpose.METHOD or all(one in said for said in every)
        if is_shown and one.purpose not in OF_INTERVALS:
            yield one


def _panels(table: QuantityTable, found: GroupedResults) -> Iterator[Plot]:
    """A point for each group: of shares all in one chart, of other numbers in a chart for each of the first."""
    by_label: dict[str, list[int]] = {}
    for place in table.readable:
        by_label.setdefault(table.label_read(place), []).append(place)
    several = [(label, places) for label, places in by_label.items() if len(places) > 1]
    if not several:
        return
    if not table.are_shares:
        for label, places in several[:MOST_PANELS]:
            yield Plot(PointChart, partial(_panel, table, f"{table.about}: {label}, by {found.columns_read}", places))
        return
    # Of two shares the second is what the first leaves.
    shown = several[:1] if len(by_label) == len(several) == TWO else several
    about = f"{table.about}: {several[0][0]}" if len(shown) == 1 else table.about
    places = [place for _, own in shown for place in own]
    yield Plot(
        PointChart, partial(_panel, table, f"{about}, by {found.columns_read}", places, with_labels=len(shown) > 1)
    )


def _panel(table: QuantityTable, what: str, places: Sequence[int], *, with_labels: bool = False) -> PointChart:
    groups = [table.group_read(place) for place in places]
    if with_labels:
        groups = [f"{table.label_read(place)}: {group}" for place, group in zip(places, groups, strict=True)]
    numbers = {name: column[list(places)] for name, column in table.columns.items()}
    own = tuple(table.numbers(place) for place in places)
    drawn = numbers["estimate"], numbers["low"], numbers["high"]
    unit = "share of people" if table.are_shares else what
    dates = tuple(table.has_dates(place) for place in places)
    return PointChart(what, tuple(groups), drawn, own, unit, (), has_zero=False, note=f"{what}.", dates=dates)


def _difference_groups(found: GroupedResults) -> Iterator[BlockGroup]:
    rows: dict[tuple[str, str], list[tuple[GroupDifference, ChangedRow]]] = {}
    for difference in found.differences:
        for changed in difference.changed:
            some = changed.readable if len(changed.readable) <= IN_ORDER else changed.first()
            rows.setdefault((changed.name, changed.title), []).extend((difference, row) for row in some)
    for (name, title), own in rows.items():
        table = _difference_table(name, title, own, found)
        yield BlockGroup(f"By {found.columns_read}: {table.title}", (table,))


def _difference_table(
    name: str, title: str, rows: Sequence[tuple[GroupDifference, ChangedRow]], found: GroupedResults
) -> QuantityTable:
    numbers = [row.change for _, row in rows]
    columns = {"estimate": [one.value for one in numbers], "stderr": [one.stderr for one in numbers]}
    columns |= {"low": [one.low for one in numbers], "high": [one.high for one in numbers]}
    if not np.isfinite(columns["stderr"]).all():
        del columns["stderr"]
    return QuantityTable(
        question=name,
        about=title,
        asked=title,
        columns={column: np.array(values, dtype=np.float64) for column, values in columns.items()},
        label=lambda place: rows[place][1].label,
        readable_label=lambda place: rows[place][1].title,
        kind=lambda _: GROUP_DIFFERENCE,
        key=lambda place: {**rows[place][1].about, "minus": rows[place][0].minus},
        confidence=found.coverage.confidence,
        title=f"{title}: each group minus {found.others}",
        noun="difference",
        are_shares=False,
        in_points=lambda place: rows[place][1].is_share,
        sentences=(
            found.coverage.sentence("difference"),
            *([Sentence(IN_POINTS, Purpose.COLUMNS)] if any(row.is_share for _, row in rows) else ()),
            Sentence(INDEPENDENT, Purpose.METHOD),
        ),
        grouping=found.columns_label,
        group=lambda place: rows[place][0].group,
        readable_group=lambda place: found.title(rows[place][0].group),
        readable_grouping=found.columns_read,
        unit=lambda place: " days" if rows[place][1].has_dates else "",
    )


def _tests(found: GroupedResults) -> TextTable:
    adjusted = any(test.adjusted is not None for test in found.tests)
    header = ("tested", "groups", "chi squared", "degrees", "p-value", *(("adjusted",) if adjusted else ()))
    rows = tuple(
        (
            test.title or test.name,
            str(test.groups),
            f"{test.test.statistic:.2f}",
            str(test.test.degrees),
            _p_value(test.test.p_value),
            *(() if test.adjusted is None else (_p_value(test.adjusted),)),
        )
        for test in found.tests
    )
    said = (Sentence(WALD, Purpose.METHOD), *((Sentence(HOLM, Purpose.METHOD),) if adjusted else ()))
    return TextTable(f"Are the groups by {found.columns_read} equal?", header, rows, said)


def _p_value(p_value: float) -> str:
    return "< 0.0001" if p_value < 1e-4 else f"{p_value:.4f}"


def estimate_group(source: ViewSource, label: str, tally: Aggregate, coverage: Coverage) -> PublicGroup:
    """What a group of enough reports says."""
    found = results_so_far(source.plan, tally, source.method, coverage, source.public)
    pooled = () if coverage.clusters else tuple(pooled_results(source.plan, tally, found, coverage))
    return PublicGroup(label, tally, found, pooled)


def rest_word(groups: Sequence[PublicGroup]) -> str:
    """What rows call all other people: `rest`, or what no group is called."""
    labels, word = {group.label for group in groups}, REST
    while word in labels:
        word = OTHERS if word == REST else f"({word})"
    return word


def _differences(
    plan: Plan, aggregate: Aggregate, found: GroupedResults, against: str | None
) -> Iterator[GroupDifference]:
    base = next((own for group, own in found.with_results if group.label == against), None)
    compared = [(group, own) for group, own in found.with_results if group.label != against]
    if len(found.with_results) < 2 or (against is not None and base is None):
        return
    coverage = _each(found.coverage, len(compared))
    for group, own in compared:
        other = base
        if other is None:
            # Public cells are many, and say only which clusters people are of.
            whole, part = (one if coverage.clusters else replace(one, cells={}) for one in (aggregate, group.tally))
            rest = without(whole, part, aggregate.n - group.n)
            other = results_so_far(plan, rest, _quick(plan), coverage)
        changed, _ = changes(other, own, coverage)
        minus = rest_word(found.groups) if against is None else against
        yield GroupDifference(group.label, minus, against is None, changed, (other, own))


def _each(coverage: Coverage, count: int) -> Coverage:
    """What the intervals of each of some groups hold against, so that those of all hold together where they are to."""
    if not coverage.simultaneous:
        return coverage
    return replace(coverage, confidence=bonferroni(coverage.confidence, count))


def _quick(plan: Plan) -> Method | None:
    # Fitting takes time, which nothing needs where no quantile is read off what is fitted.
    return None if any(question.reads_fitted for question in plan.questions) or not plan.about_shares else "unbiased"


def equality_tests(groups: Sequence[Sequence[Result]], *, all_at_once: bool) -> tuple[GroupTest, ...]:
    """Equality of each question's shares, or of each number, over all groups that tell it.

    Args:
        groups: of each the results of all questions.
        all_at_once: whether p-values are to hold for all tests together too.
    """
    tests = (
        [test for own in zip(*groups, strict=True) for test in _question_tests(own)] if len(groups) >= FEWEST else []
    )
    if all_at_once:
        levels = adjust_p_values([test.test.p_value for test in tests])
        tests = [replace(test, adjusted=float(level)) for test, level in zip(tests, levels, strict=True)]
    return tuple(tests)


def _question_tests(own: Sequence[Result]) -> Iterator[GroupTest]:
    shares = [one for result in own if (one := result.shares) is not None]
    if len(shares) >= FEWEST and shares[0].count <= MOST_TESTED and tells_covariance(shares[0].question.mechanism):
        name, covariances = shares[0].question.name, _common_covariances(shares)
        if _excess(shares, covariances) <= LARGEST_EXCESS:
            test = equality_test([one.estimate.value for one in shares], covariances)
            title = f"shares of {shares[0].question.title}"
            yield GroupTest(name, f"shares of {name}", test, len(shares), title=title)
        return
    told: dict[object, list[tuple[int, Quantities]]] = {}
    for result in (one for one in own if one.n >= FEWEST_REPORTS):
        for quantities in result.quantities():
            told.setdefault(quantities.key, []).append((result.n, quantities))
    for several in told.values():
        if len(several) >= FEWEST:
            yield from _number_tests(several)


def _common_covariances(shares: Sequence[HistogramResult]) -> list[Floats]:
    """The covariance of each group's shares if all groups have the same, which all their reports together tell.

    Equal shares make equal laws of codes: few reports of one group, some of whose codes nobody sent, tell less of it.
    """
    n = sum(one.n for one in shares)
    law = sum((one.n * one.estimate.law for one in shares), np.zeros_like(shares[0].estimate.law)) / n
    question = shares[0].question
    whole = Decoded(question.mechanism, law)
    covariance = whole.covariance(np.eye(shares[0].count), subtract_totals=question.part.subtract_totals)
    return [covariance / one.n for one in shares]


def _excess(shares: Sequence[HistogramResult], covariances: Sequence[Floats]) -> float:
    """What few counts add to the variance of the statistic, relative to it, as `IndependenceTest.excess`.

    A group that is nearly all people moves their common shares, and so differs little from them.
    """
    low, high = shares[0].question.mechanism.contribution_range
    contributions = np.broadcast_to(high - low, shares[0].count)
    n, found = sum(one.n for one in shares), 0.0
    for one, covariance in zip(shares, covariances, strict=True):
        variances = np.diagonal(covariance)
        varying = variances > 0
        added = added_by_few_counts(variances[varying], contributions[varying], one.n)
        found += (1 - one.n / n) ** 2 * added
    return found / (2 * max(shares[0].count - 1, 1) * (len(shares) - 1))


def _number_tests(several: Sequence[tuple[int, Quantities]]) -> Iterator[GroupTest]:
    parts = [(n, one.shown or one.measured) for n, one in several]
    for key, first in parts[0][1].items():
        told = [(n, part[key]) for n, part in parts if key in part and isfinite(part[key].number.stderr)]
        if len(told) >= FEWEST:
            test = equality_test([np.array([one.number.value]) for _, one in told], _variances(told))
            own = first.about["attribute"] if "attribute" in first.about else join_label(first.about["attributes"])
            about, title = (f"{own}, {label}" for label in (first.label, first.title))
            yield GroupTest(several[0][1].question, about, test, len(told), title=title)


def _variances(told: Sequence[tuple[int, MeasuredNumber]]) -> list[Floats]:
    """The variance of each group's number; of a share that of all reports, which says more where it is rare."""
    own = [one.number.stderr**2 for _, one in told]
    if told[0][1].is_share:
        all_reports = sum(n for n, _ in told)
        each = sum(n * n * variance for (n, _), variance in zip(told, own, strict=True)) / all_reports
        own = [each / n for n, _ in told]
    return [np.array([[variance]]) for variance in own]
