"""Blocks of what is estimated by groups: their reports, every quantity by group, differences and tests of equality."""

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import accumulate
from typing import Any

import numpy as np

from sordino.blocks.block import Block, BlockGroup, Plot
from sordino.blocks.charts import PointChart
from sordino.blocks.sentence import Purpose, Sentence
from sordino.blocks.tables import QuantityTable, TextTable
from sordino.survey.estimates.coverage import Coverage
from sordino.survey.estimates.rows import IN_ORDER
from sordino.survey.results.change import ChangedRow
from sordino.survey.results.groups import REST, GroupDifference, GroupedResults

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


def grouped_blocks(found: GroupedResults) -> Iterator[Block]:
    """All that is shown by groups."""
    yield _reports(found)
    for tables in _tables_by_question(found):
        shown: list[Block] = []
        for table in tables:
            shown += [*_panels(table, found), table]
        if shown:
            yield BlockGroup(f"{tables[0].question} by {found.name}", tuple(shown))
    for about, parts in _pooled_by_name(found).items():
        table = _stack(found.name, parts, found.coverage)
        yield BlockGroup(f"From several questions together: {about} by {found.name}", (table,))
    refused = tuple(
        Sentence(f"{group}: {question} is not estimated; {why}", Purpose.REFUSAL)
        for group, question, why in found.untold
    )
    if refused:
        yield BlockGroup(f"Not estimated by {found.name}", refused)
    yield from _difference_groups(found)
    if found.tests:
        yield BlockGroup(f"Are the groups by {found.name} equal?", (_tests(found),))


def grouped_tables(found: GroupedResults) -> list[QuantityTable]:
    """The tables of all questions, for frames, files and JSON: the rows of each group, then the next group's."""
    return [table for tables in _tables_by_question(found) for table in sorted(tables, key=lambda own: own.order)]


def groups_json(found: GroupedResults) -> dict[str, Any]:
    """For programs: the groups with their reports, every quantity by group, differences, and tests of equality."""
    groups = [{"group": group.label, "n": group.n, "estimated": group.results is not None} for group in found.groups]
    differences = [row for difference in found.differences for _, _, row in difference.rows()]
    return {
        "by": list(found.by),
        "groups": groups,
        "group_rows": [row for table in grouped_tables(found) for row in table.rows()],
        "group_pooled": [
            row | {"group": group.label} for group in found.groups for result in group.pooled for row in result.rows()
        ],
        "group_untold": [{"group": group, "attribute": name, "why": why} for group, name, why in found.untold],
        "group_differences": differences,
        "group_tests": [test.json() for test in found.tests],
    }


def _reports(found: GroupedResults) -> BlockGroup:
    """How many reports each group has, and which have too few."""
    title, said = f"Reports by {found.name}", [Sentence(OWN_SURVEY, Purpose.POPULATION)]
    header: tuple[str, ...] = (found.name, "reports")
    rows: list[tuple[str, ...]] = [(group.label, f"{group.n:,}") for group in found.groups]
    if len(found.with_results) < len(found.groups):
        header = (*header, "estimates")
        told = ["yes" if group.results is not None else f"too few reports ({group.n:,})" for group in found.groups]
        rows = [(*row, text) for row, text in zip(rows, told, strict=True)]
        said.append(Sentence(f"A group is estimated from {found.least:,} reports on.", Purpose.POPULATION))
    return BlockGroup(title, (TextTable(title, header, tuple(rows), tuple(said)),))


def _tables_by_question(found: GroupedResults) -> Iterator[list[QuantityTable]]:
    """Of each question its tables, each with the rows of all groups that have it."""
    labels = [group.label for group, _ in found.with_results]
    for own in zip(*(group.tables for group, _ in found.with_results), strict=True):
        parts: dict[tuple[str, str, int], list[tuple[str, QuantityTable]]] = {}
        for label, tables in zip(labels, own, strict=True):
            for table in tables:
                kind = table.kind(0) if table.count else ""
                parts.setdefault((table.about, kind, table.order), []).append((label, table))
        yield [_stack(found.name, several, found.coverage) for several in parts.values()]


def _pooled_by_name(found: GroupedResults) -> dict[str, list[tuple[str, QuantityTable]]]:
    """What several questions say together, by its name: of each group that they say it of."""
    parts: dict[str, list[tuple[str, QuantityTable]]] = {}
    for group in found.groups:
        for result in group.pooled:
            parts.setdefault(result.name, []).append((group.label, result.table()))
    return parts


def _stack(grouping: str, parts: Sequence[tuple[str, QuantityTable]], coverage: Coverage) -> QuantityTable:
    """The tables of several groups as one."""
    first = parts[0][1]
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
        title=f"{first.about} by {grouping}",
        noun=first.noun,
        are_shares=first.are_shares,
        sentences=(coverage.sentence(ROW), *(one for one in first.sentences if one.purpose not in OF_INTERVALS)),
        order=first.order,
        grouping=grouping,
        group=lambda place: parts[int(which[place])][0],
        readable_label=lambda place: at(place)[0].label_read(at(place)[1]),
        is_date=lambda place: at(place)[0].has_dates(at(place)[1]),
    )


def _panels(table: QuantityTable, found: GroupedResults) -> Iterator[Plot]:
    """A point for each group: of shares all in one chart, of other numbers in a chart for each of the first."""
    by_label: dict[str, list[int]] = {}
    for place in table.readable:
        by_label.setdefault(table.label(place), []).append(place)
    several = [(label, places) for label, places in by_label.items() if len(places) > 1]
    if not several:
        return
    if not table.are_shares:
        for label, places in several[:MOST_PANELS]:
            yield Plot(PointChart, partial(_panel, table, f"{table.about}: {label}, by {found.name}", places))
        return
    # Of two shares the second is what the first leaves.
    shown = several[:1] if len(by_label) == len(several) == TWO else several
    about = f"{table.about}: {several[0][0]}" if len(shown) == 1 else table.about
    places = [place for _, own in shown for place in own]
    yield Plot(PointChart, partial(_panel, table, f"{about}, by {found.name}", places, with_labels=len(shown) > 1))


def _panel(table: QuantityTable, what: str, places: Sequence[int], *, with_labels: bool = False) -> PointChart:
    groups = ["" if table.group is None else table.group(place) for place in places]
    if with_labels:
        groups = [f"{table.label(place)}: {group}" for place, group in zip(places, groups, strict=True)]
    numbers = {name: column[list(places)] for name, column in table.columns.items()}
    own = tuple(table.numbers(place) for place in places)
    drawn = numbers["estimate"], numbers["low"], numbers["high"]
    unit = "share of people" if table.are_shares else what
    dates = tuple(table.has_dates(place) for place in places)
    return PointChart(what, tuple(groups), drawn, own, unit, (), has_zero=False, note=f"{what}.", dates=dates)


def _difference_groups(found: GroupedResults) -> Iterator[BlockGroup]:
    """Of each question the differences of all groups."""
    rows: dict[str, list[tuple[GroupDifference, ChangedRow]]] = {}
    for difference in found.differences:
        for changed in difference.changed:
            some = changed.readable if len(changed.readable) <= IN_ORDER else changed.first()
            rows.setdefault(changed.name, []).extend((difference, row) for row in some)
    for name, own in rows.items():
        table = _difference_table(name, own, found)
        yield BlockGroup(f"By {found.name}: {table.title}", (table,))


def _difference_table(
    name: str, rows: Sequence[tuple[GroupDifference, ChangedRow]], found: GroupedResults
) -> QuantityTable:
    numbers = [row.change for _, row in rows]
    columns = {"estimate": [one.value for one in numbers], "stderr": [one.stderr for one in numbers]}
    columns |= {"low": [one.low for one in numbers], "high": [one.high for one in numbers]}
    if not np.isfinite(columns["stderr"]).all():
        del columns["stderr"]
    minus = rows[0][0].minus
    other = "all other people" if minus == REST else minus
    return QuantityTable(
        question=name,
        about=name,
        columns={column: np.array(values, dtype=np.float64) for column, values in columns.items()},
        label=lambda place: rows[place][1].label,
        kind=lambda _: "group difference",
        key=lambda place: {**rows[place][1].about, "minus": rows[place][0].minus},
        confidence=found.coverage.confidence,
        title=f"{name}: each group minus {other}",
        noun="difference",
        are_shares=False,
        sentences=(found.coverage.sentence("difference"), Sentence(INDEPENDENT, Purpose.METHOD)),
        grouping=found.name,
        group=lambda place: rows[place][0].group,
        unit=lambda place: " days" if rows[place][1].has_dates else "",
    )


def _tests(found: GroupedResults) -> TextTable:
    adjusted = any(test.adjusted is not None for test in found.tests)
    header = ("tested", "groups", "chi squared", "degrees", "p-value", *(("adjusted",) if adjusted else ()))
    rows = tuple(
        (
            test.name,
            str(test.groups),
            f"{test.test.statistic:.2f}",
            str(test.test.degrees),
            _p_value(test.test.p_value),
            *(() if test.adjusted is None else (_p_value(test.adjusted),)),
        )
        for test in found.tests
    )
    said = (Sentence(WALD, Purpose.METHOD), *((Sentence(HOLM, Purpose.METHOD),) if adjusted else ()))
    return TextTable(f"Are the groups by {found.name} equal?", header, rows, said)


def _p_value(p_value: float) -> str:
    return "< 0.0001" if p_value < 1e-4 else f"{p_value:.4f}"
