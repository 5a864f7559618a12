"""What a plan's reports say of groups of people who share public values: each group as a survey of its own.

Reports name their public cell in clear, so that a group's reports are known, and its estimates are those of these
reports alone. Groups have no reports in common, so that their estimates are independent: differences have intervals
made of both sides', and equality is tested by Wald's test. A group of too few reports is named, not estimated.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from math import isfinite, prod
from typing import Any

import numpy as np

from sordino.document.checked_tables import nearest
from sordino.errors import RefusedError, SordinoError
from sordino.estimation.estimate import Method
from sordino.estimation.groups.equality import EqualityTest, test_of_equality
from sordino.estimation.intervals.simultaneous import bonferroni
from sordino.exact.messages.brief import shown
from sordino.mechanism.aggregate import Aggregate
from sordino.survey.estimates.coverage import Coverage
from sordino.survey.estimates.quantities import Quantities
from sordino.survey.estimates.surroundings import Public
from sordino.survey.planning.plan import Plan
from sordino.survey.results.change import Changed, changes
from sordino.survey.results.result import Result, results_so_far
from sordino.survey.results.sourced_aggregate import without

LEAST_REPORTS = 100
"""Without which no estimate of a group is shown; a collector asks for as many before it shows any."""

MOST_GROUPS = 1000
"""That are estimated together."""

MOST_TESTED = 256
"""Values of a question whose covariance is worked out for a test."""

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
    """

    label: str
    tally: Aggregate
    results: tuple[Result, ...] | None

    @property
    def n(self) -> int:
        """The number of reports."""
        return self.tally.n


@dataclass(frozen=True, eq=False)
class GroupTest:
    """Whether groups have the same shares, or the same number.

    Attributes:
        question: that tells them.
        name: of what is tested.
        test: Wald's.
        groups: how many are compared.
        adjusted: the p-value by Holm where it is to hold for all tests together; None where it holds by itself.
    """

    question: str
    name: str
    test: EqualityTest
    groups: int
    adjusted: float | None = None

    def json(self) -> dict[str, Any]:
        """For programs."""
        found = {"statistic": self.test.statistic, "degrees": self.test.degrees, "p_value": self.test.p_value}
        adjusted = {} if self.adjusted is None else {"adjusted_p_value": self.adjusted}
        return {"attribute": self.question, "tested": self.name, "groups": self.groups, **found, **adjusted}


@dataclass(frozen=True, eq=False)
class GroupDifference:
    """What differs between a group and others.

    Attributes:
        group: whose numbers they are.
        minus: the group that is taken off, or the rest.
        changed: of each question the differences, its numbers being those after and the others' those before.
    """

    group: str
    minus: str
    changed: tuple[Changed, ...]

    def rows(self) -> Iterator[tuple[str, str, dict[str, Any]]]:
        """Of each difference the question, the label, and all of it for programs."""
        for changed in self.changed:
            for row in changed.rows:
                found = {name: number for name, number in row.json().items() if name not in SIDES}
                told = {"group": self.group, "minus": self.minus, **found, "estimate": row.change.value}
                yield changed.name, row.label, told


@dataclass(frozen=True, eq=False)
class GroupedResults:
    """What reports say by groups.

    Attributes:
        by: the public columns.
        groups: in the order of their values.
        coverage: what intervals hold against.
        least: reports without which a group is not estimated.
        differences: between each estimated group and the rest, or one group.
        tests: of equality over all estimated groups.
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
    def estimated(self) -> tuple[tuple[PublicGroup, tuple[Result, ...]], ...]:
        """The groups of enough reports, with what these say."""
        return tuple((group, group.results) for group in self.groups if group.results is not None)


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
        PublicGroup(label, tally, results_so_far(plan, tally, method, each, public) if tally.n >= least else None)
        for label, tally in tallies
    )
    known = [group.label for group in groups]
    if against != REST and against not in known:
        named = repr(against) + nearest([against], known)
        raise SordinoError("groups must be compared to one of them", found=named, step="write it as its rows do")
    found = GroupedResults(tuple(by), groups, coverage, least, (), ())
    differences = tuple(_differences(plan, aggregate, found, against))
    return replace(found, differences=differences, tests=_tests(found))


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


def group_counts(plan: Plan, aggregate: Aggregate, name: str) -> dict[str, int]:
    """How many reports name each value of a public column, those of a tally that says which."""
    part, at = plan.cells.parts[plan.cells.names.index(name)], plan.cells.names.index(name)
    counts = dict.fromkeys(part.labels, 0)
    for cell, own in aggregate.cells.items():
        counts[part.labels[plan.cells.places(cell)[at]]] += plan.sampled.reports(own)
    return counts


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
    base = next((own for group, own in found.estimated if group.label == against), None)
    compared = [(group, own) for group, own in found.estimated if group.label != against]
    if len(found.estimated) < 2 or (against != REST and base is None):
        return
    coverage = _each(found.coverage, len(compared))
    for group, own in compared:
        other = base
        if other is None:
            whole = Aggregate(aggregate.fingerprint, aggregate.n, aggregate.counts)
            rest = without(whole, group.tally, aggregate.n - group.n)
            other = results_so_far(plan, rest, _quick(plan), coverage)
        changed, _ = changes(other, own, coverage)
        yield GroupDifference(group.label, against, changed)


def _each(coverage: Coverage, count: int) -> Coverage:
    """What the intervals of each of some groups hold against, so that those of all hold together where they are to."""
    if not coverage.simultaneous:
        return coverage
    return replace(coverage, confidence=bonferroni(coverage.confidence, count))


def _quick(plan: Plan) -> Method | None:
    """Without fitting, which takes time, where no quantile is read off what is fitted."""
    return None if any(question.reads_fitted for question in plan.questions) or not plan.about_shares else "unbiased"


def _tests(found: GroupedResults) -> tuple[GroupTest, ...]:
    """Equality of each question's shares, or of each number, over all groups that tell it."""
    if len(found.estimated) < 2:
        return ()
    questions = zip(*(own for _, own in found.estimated), strict=True)
    tests = [test for own in questions for test in _question_tests(own)]
    return _holm(tests) if found.coverage.simultaneous else tuple(tests)


def _question_tests(own: Sequence[Result]) -> Iterator[GroupTest]:
    shares = [one for result in own if (one := result.shares) is not None]
    if len(shares) >= 2 and shares[0].count <= MOST_TESTED:
        functionals, name = np.eye(shares[0].count), shares[0].question.name
        covariances = [one.estimate.covariance(functionals) for one in shares]
        test = test_of_equality([one.estimate.value for one in shares], covariances)
        yield GroupTest(name, f"shares of {name}", test, len(shares))
        return
    told: dict[object, list[Quantities]] = {}
    for result in own:
        for quantities in result.quantities():
            told.setdefault(quantities.key, []).append(quantities)
    for several in told.values():
        if len(several) >= 2:
            yield from _number_tests(several)


def _number_tests(several: Sequence[Quantities]) -> Iterator[GroupTest]:
    """Of each number that all tell with a standard error."""
    parts = [one.shown or one.measured for one in several]
    for key, first in parts[0].items():
        numbers = [part[key].number for part in parts if key in part]
        numbers = [number for number in numbers if isfinite(number.stderr)]
        if len(numbers) < 2:
            continue
        test = test_of_equality(
            [np.array([number.value]) for number in numbers], [np.array([[number.stderr**2]]) for number in numbers]
        )
        names = [name for name in ("attribute", "value", "from", "to") if name in first.about]
        about = ", ".join(str(first.about[name]) for name in names)
        yield GroupTest(several[0].question, about, test, len(numbers))


def _holm(tests: Sequence[GroupTest]) -> tuple[GroupTest, ...]:
    """With p-values that hold for all tests together. Source: Holm 1979."""
    order = sorted(range(len(tests)), key=lambda place: tests[place].test.p_value)
    adjusted, largest = {}, 0.0
    for rank, place in enumerate(order):
        largest = max(largest, min(1.0, (len(tests) - rank) * tests[place].test.p_value))
        adjusted[place] = largest
    return tuple(replace(test, adjusted=adjusted[place]) for place, test in enumerate(tests))
