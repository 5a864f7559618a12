"""What a plan's reports say of groups of people who share public values: each group as a survey of its own.

Reports name their public cell in clear, so that a group's reports are known, and its estimates are those of these
reports alone. Groups have no reports in common, so that their estimates are independent: differences have intervals
made of both sides', and equality is tested by Wald's test. A group of too few reports is named, not estimated.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from math import prod
from typing import Any

import numpy as np

from sordino.blocks.block import blocks_of
from sordino.blocks.tables import QuantityTable
from sordino.document.schema.nearest import nearest
from sordino.errors import RefusedError, SordinoError
from sordino.estimation.estimate import Method
from sordino.estimation.intervals.simultaneous import bonferroni
from sordino.exact.messages.brief import shown
from sordino.mechanism.aggregate import Aggregate
from sordino.survey.estimates.coverage import Coverage
from sordino.survey.estimates.surroundings import Public
from sordino.survey.frozen.public_part import LEAST_REPORTS
from sordino.survey.planning.plan import Plan
from sordino.survey.results.change import Changed, ChangedRow, changes
from sordino.survey.results.group_tests import GroupTest, equality_tests
from sordino.survey.results.pooled import PooledResult, pooled_results
from sordino.survey.results.result import Result, Untold, results_so_far
from sordino.survey.results.sourced_aggregate import without

MOST_GROUPS = 1000
"""That are estimated together."""

SIDES = ("before", "after", "change")
"""Of a row of changes what a difference of groups calls otherwise, or leaves out."""

REST = "rest"
"""What a group is compared to by default: all people of the other groups."""


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
        minus: the group that is taken off, or the rest.
        changed: of each question the differences, its numbers being those after and the others' those before.
        sides: what the others' reports say, and the group's.
    """

    group: str
    minus: str
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
        question: whose number it is.
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
class GroupedResults:
    """What reports say by groups.

    Attributes:
        by: the public columns.
        groups: in the order of their values.
        coverage: what intervals hold against.
        least: reports without which a group is not estimated.
        differences: between each estimated group and the rest, or one group; none where reports are watched.
        tests: of equality over all estimated groups; none where reports are watched.
    """

    by: tuple[str, ...]
    groups: tuple[PublicGroup, ...]
    coverage: Coverage
    least: int
    differences: tuple[GroupDifference, ...]
    tests: tuple[GroupTest, ...]

    @property
    def name(self) -> str:
        """Of the public columns."""
        return ", ".join(self.by)

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
                ClearestDifference(difference, each.name, row) for each in changed for row in each.readable if row.sure
            ]
        return min(found, key=lambda one: one.relative_width, default=None)

    @property
    def untold(self) -> Iterator[tuple[str, str, str]]:
        """Of each question that a group of enough reports does not answer: the group, the question, and why."""
        for group, results in self.with_results:
            yield from ((group.label, one.question.name, str(one.why)) for one in results if isinstance(one, Untold))


def grouped_results(
    plan: Plan,
    aggregate: Aggregate,
    by: Sequence[str],
    coverage: Coverage,
    *,
    method: Method | None = None,
    public: Public | None = None,
    least: int = LEAST_REPORTS,
    against: str = REST,
) -> GroupedResults:
    """Estimate all questions by groups.

    Args:
        plan: that the reports belong to.
        aggregate: their tally.
        by: public columns, whose combinations of values are the groups.
        coverage: what intervals hold against.
        method: how distributions are fitted, as `results` takes it.
        public: numbers that may go with shares, as `results` takes them.
        least: reports without which a group is not estimated.
        against: the label of the group that others are compared to; the rest of the people by default.

    Raises:
        SordinoError: no such public column, too many groups, or no such group.
        RefusedError: a tally that does not say which groups its reports are of, or forged reports.
    """
    tallies = group_tallies(plan, aggregate, by)
    if coverage.forged:
        step = "leave one of them out"
        raise RefusedError("groups are of honest reports: a forged one names any group", found="forged ones", step=step)
    each = _each(coverage, sum(tally.n >= least for _, tally in tallies))
    groups = tuple(
        estimate_group(plan, label, tally, method, each, public)
        if tally.n >= least
        else PublicGroup(label, tally, None)
        for label, tally in tallies
    )
    known = [group.label for group in groups]
    if against != REST and against not in known:
        named = repr(against) + nearest([against], known)
        raise SordinoError("groups must be compared to one of them", found=named, step="write it as its rows do")
    found = GroupedResults(tuple(by), groups, coverage, least, (), ())
    if coverage.watched:
        # Intervals of differences, and tests, hold for one look.
        return found
    differences = tuple(_differences(plan, aggregate, found, against))
    tests = equality_tests([own for _, own in found.with_results], all_at_once=coverage.simultaneous)
    return replace(found, differences=differences, tests=tests)


def estimate_group(
    plan: Plan, label: str, tally: Aggregate, method: Method | None, coverage: Coverage, public: Public | None
) -> PublicGroup:
    """What a group of enough reports says."""
    found = results_so_far(plan, tally, method, coverage, public)
    return PublicGroup(label, tally, found, tuple(pooled_results(plan, tally, found, coverage)))


def columns_of(plan: Plan, by: str) -> tuple[str, ...]:
    """Public columns as a command names them, with commas between; none of an empty text."""
    return (by,) if by in plan.cells.names else tuple(by.split(",")) if by else ()


def group_tallies(plan: Plan, aggregate: Aggregate, by: Sequence[str]) -> list[tuple[str, Aggregate]]:
    """The tally of each group, in the order of their values, those without reports among them.

    Args:
        plan: that the reports belong to.
        aggregate: their tally.
        by: public columns, each once.

    Raises:
        SordinoError: no such public column, or too many groups.
        RefusedError: a tally that does not say which groups its reports are of.
    """
    names = plan.cells.names
    unknown = [name for name in by if name not in names]
    if unknown or not by or len(set(by)) < len(by):
        known = f"public are: {', '.join(names)}" if names else "a survey names them as [public.NAME]"
        found = repr(unknown[0]) + nearest(unknown[:1], names) if unknown else shown(list(by))
        raise SordinoError("groups must be by public columns of the plan, each once", found=found, step=known)
    at = [names.index(name) for name in by]
    count = prod(plan.cells.shape[place] for place in at)
    if count > MOST_GROUPS:
        step = "group by fewer columns"
        raise SordinoError(f"groups must be at most {MOST_GROUPS:,}", found=f"{count:,}", step=step)
    require_cells(plan, aggregate)
    nobody = plan.sampled.tally(np.empty(0, dtype=np.uint64))
    tallies = dict.fromkeys(product(*(range(plan.cells.shape[place]) for place in at)), nobody)
    for cell, counts in aggregate.cells.items():
        places = plan.cells.places(cell)
        own = Aggregate(aggregate.fingerprint, plan.sampled.reports(counts), counts)
        tallies[tuple(places[place] for place in at)] += own
    labels = [plan.cells.parts[place].labels for place in at]
    return [
        (", ".join(own[place] for own, place in zip(labels, places, strict=True)), tally)
        for places, tally in tallies.items()
    ]


def reports_by_cell(plan: Plan, aggregate: Aggregate) -> dict[int, int]:
    """How many reports name each public cell, of a tally that says which."""
    return {cell: plan.sampled.reports(own) for cell, own in aggregate.cells.items()}


def group_counts(plan: Plan, reports: Mapping[int, int], name: str) -> dict[str, int]:
    """How many reports name each value of a public column, from how many name each cell."""
    at = plan.cells.names.index(name)
    places = np.array([*reports], dtype=np.int64) // prod(plan.cells.shape[at + 1 :]) % plan.cells.shape[at]
    counts = np.zeros(plan.cells.shape[at], dtype=np.int64)
    np.add.at(counts, places, [*reports.values()])
    return dict(zip(plan.cells.parts[at].labels, counts.tolist(), strict=True))


def require_cells(plan: Plan, aggregate: Aggregate) -> None:
    """Refuse a tally that does not say which public values each of its reports names.

    Raises:
        RefusedError: with how many reports say nothing of it.
    """
    rest = aggregate.n - sum(plan.sampled.reports(counts) for counts in aggregate.cells.values())
    if rest:
        raise RefusedError(
            "estimates by groups need a tally by public values",
            found=f"{rest:,} reports without any",
            step="aggregate the reports of this plan again",
        )


def _differences(plan: Plan, aggregate: Aggregate, found: GroupedResults, against: str) -> Iterator[GroupDifference]:
    """Of each estimated group to the rest of the people, or to one group."""
    base = next((own for group, own in found.with_results if group.label == against), None)
    compared = [(group, own) for group, own in found.with_results if group.label != against]
    if len(found.with_results) < 2 or (against != REST and base is None):
        return
    coverage = _each(found.coverage, len(compared))
    for group, own in compared:
        other = base
        if other is None:
            whole = Aggregate(aggregate.fingerprint, aggregate.n, aggregate.counts)
            rest = without(whole, group.tally, aggregate.n - group.n)
            other = results_so_far(plan, rest, _quick(plan), coverage)
        changed, _ = changes(other, own, coverage)
        yield GroupDifference(group.label, against, changed, (other, own))


def _each(coverage: Coverage, count: int) -> Coverage:
    """What the intervals of each of some groups hold against, so that those of all hold together where they are to."""
    if not coverage.simultaneous:
        return coverage
    return replace(coverage, confidence=bonferroni(coverage.confidence, count))


def _quick(plan: Plan) -> Method | None:
    """Without fitting, which takes time, where no quantile is read off what is fitted."""
    return None if any(question.reads_fitted for question in plan.questions) or not plan.about_shares else "unbiased"
