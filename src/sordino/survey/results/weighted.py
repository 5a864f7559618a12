"""Estimates of a population whose public groups are known: by totals, or by how many people a report stands for.

Reports tell their public cell, so that each cell of the columns that are known is estimated by itself, and the cells
are added up with the weights that the known totals ask for (`CellWeights`). What adds up over people can be weighted:
shares, and means of numbers that everybody has. Covariances, coefficients, quantiles and shares within others cannot.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sordino.blocks.block import blocks_of
from sordino.blocks.tables import QuantityTable
from sordino.errors import SordinoError, SordinoErrors
from sordino.estimation.estimate import Method
from sordino.estimation.groups.calibration import CellWeights, KnownShares
from sordino.estimation.intervals.forged import Limits
from sordino.estimation.intervals.possible import possible_limits
from sordino.estimation.moments import NormalEstimate
from sordino.mechanism.aggregate import Aggregate
from sordino.survey.estimates.coverage import Coverage
from sordino.survey.planning.plan import Plan
from sordino.survey.questions.question import Question
from sordino.survey.results.groups import group_tallies, require_cells
from sordino.survey.results.known_totals import KnownTotals, contradictions, totals_of_plan
from sordino.survey.results.result import Result, Untold, results_so_far

Floats = NDArray[np.float64]

ADDITIVE = frozenset({"share", "cell", "mean", "missing", "bin", "range", "part"})
"""Kinds of numbers that are averages over people."""

OF_ALL = "missing"
"""The kind that is about everybody even where a number may be missing."""

LENT = 10
"""Reports of a cell about a question as many as which the variance of a report counts that all cells show together."""


@dataclass(frozen=True, eq=False)
class WeightedResult:
    """What a question's reports say of the population.

    Attributes:
        question: that they answer.
        table: whose rows these are, of all reports.
        places: of the rows that are weighted.
        estimate: of these.
        interval: lower and upper limits, shape (q,) each.
    """

    question: Question
    table: QuantityTable
    places: tuple[int, ...]
    estimate: NormalEstimate
    interval: Limits

    def rows(self) -> Iterator[dict[str, Any]]:
        """Each number for programs."""
        low, high = self.interval
        columns = {"estimate": self.estimate.value, "stderr": self.estimate.stderr, "low": low, "high": high}
        for at, place in enumerate(self.places):
            numbers = {name: float(column[at]) for name, column in columns.items()}
            yield {**self.table.key(place), **numbers}


@dataclass(frozen=True)
class ResponseRow:
    """How many people of a known group sent reports.

    Attributes:
        columns: the public ones.
        label: the values.
        reports: of these people.
        people: how many there are.
    """

    columns: str
    label: str
    reports: int
    people: int


@dataclass(frozen=True, eq=False)
class Weighted:
    """All that is weighted.

    Attributes:
        columns: by which the weights are made.
        weights: of the cells.
        results: of the questions that can be weighted.
        response: of all known groups.
        why: for other questions, by name, why they cannot.
        coverage: what intervals hold against.
    """

    columns: tuple[str, ...]
    weights: CellWeights
    results: tuple[WeightedResult, ...]
    response: tuple[ResponseRow, ...]
    why: Mapping[str, str] = field(default_factory=dict)
    coverage: Coverage = field(default_factory=Coverage)


@dataclass(frozen=True, eq=False)
class Unweighted:
    """Why the reports that there are cannot be weighted by what the survey knows of public groups.

    Attributes:
        columns: by which they would be.
        response: of all known groups.
        why: and what to do.
    """

    columns: tuple[str, ...]
    response: tuple[ResponseRow, ...]
    why: str


def weighted_by_survey(
    plan: Plan, aggregate: Aggregate, found: Sequence[Result], coverage: Coverage
) -> Weighted | Unweighted | None:
    """The same by the totals and weights of the survey, or why not yet; None where it has none of them.

    A tally that does not say which groups its reports are of, and forged reports, have nothing that could be weighted.
    """
    known = totals_of_plan(plan)
    columns = tuple(part.name for part in plan.cells.parts if part.totals is not None or part.weights is not None)
    if not columns or coverage.forged or not aggregate.cells:
        return None
    try:
        return weighted_results(plan, aggregate, found, coverage, known)
    except SordinoError as error:
        return Unweighted(columns, tuple(_response(plan, aggregate, known)), str(error))


def weighted_results(
    plan: Plan, aggregate: Aggregate, found: Sequence[Result], coverage: Coverage, known: Sequence[KnownTotals]
) -> Weighted:
    """Weight what reports say.

    Args:
        plan: that the reports belong to.
        aggregate: their tally.
        found: what all of them say, of each question.
        coverage: what intervals hold against; not against forged reports.
        known: totals; with the weights of the design, which the plan has.

    Raises:
        SordinoError: a tally that does not say which cells its reports are of, a known group without reports, totals
            that no weights agree with, reports of a group that nobody is known to be in, or forged reports.
        SordinoErrors: totals of different numbers of people.
    """
    if mistakes := list(contradictions(list(known))):
        raise SordinoErrors("the totals", mistakes)
    if coverage.finite:
        # Weights are about the population that totals are of, whatever else is about the people who reported.
        coverage = replace(coverage, finite=0)
        found = [one.with_coverage(coverage) for one in found]
    if coverage.forged:
        step = "leave the number of forged ones out"
        raise SordinoError("weighted estimates are of honest reports", found="forged ones", step=step)
    require_cells(plan, aggregate)
    parts = plan.cells.parts
    design = [part.name for part in parts if part.weights is not None]
    named = {name for one in known for name in one.columns} | set(design)
    columns = tuple(name for name in plan.cells.names if name in named)
    at = [plan.cells.names.index(name) for name in columns]
    tallies = _cell_tallies(plan, aggregate, at)
    places = np.array(list(tallies), dtype=np.intp).reshape(len(tallies), len(at))
    factors = np.ones(len(tallies))
    for axis, place in enumerate(at):
        weights = parts[place].weights
        if weights is not None:
            factors *= np.array([float(text) for text in weights])[places[:, axis]]
    reports = np.array([tally.n for tally in tallies.values()], dtype=np.int64)
    grouped = [_known_shares(one, columns, places) for one in known]
    fixed = [places[:, columns.index(name)] for name in design]
    cells = CellWeights.calibrate(reports, factors, grouped, fixed)
    each = [results_so_far(plan, tally, _quick(plan), coverage) for tally in tallies.values()]
    told, why = [], {}
    for place, whole in enumerate(found):
        try:
            told += list(_weigh(whole, [own[place] for own in each], cells, coverage))
        except SordinoError as error:
            why[whole.question.name] = str(error)
    return Weighted(columns, cells, tuple(told), tuple(_response(plan, aggregate, known)), why, coverage)


def _cell_tallies(plan: Plan, aggregate: Aggregate, at: Sequence[int]) -> dict[tuple[int, ...], Aggregate]:
    """The tally of each combination of some columns' values that has reports, in their order."""
    found: dict[tuple[int, ...], Aggregate] = {}
    for cell, counts in sorted(aggregate.cells.items()):
        places = plan.cells.places(cell)
        own = Aggregate(aggregate.fingerprint, plan.sampled.reports(counts), counts)
        key = tuple(places[place] for place in at)
        found[key] = found[key] + own if key in found else own
    return {key: tally for key, tally in sorted(found.items()) if tally.n}


def _known_shares(one: KnownTotals, columns: Sequence[str], places: NDArray[np.intp]) -> KnownShares:
    """The shares of a known grouping, and the group of each cell.

    Raises:
        SordinoError: reports of a group that nobody is known to be in.
    """
    axes = [columns.index(name) for name in one.columns]
    keys = [key for key, people in one.people.items() if people]
    groups = {key: group for group, key in enumerate(keys)}
    own = [tuple(int(row[axis]) for axis in axes) for row in places]
    if any(key not in groups for key in own):
        rule = f"totals by {', '.join(one.columns)} must be above 0 where there are reports"
        step = "correct the totals, or see whose reports these are"
        raise SordinoError(rule, found="reports of a group of nobody", step=step)
    shares = np.array([one.people[key] for key in keys], dtype=np.float64) / one.total
    return KnownShares(np.array([groups[key] for key in own], dtype=np.intp), shares)


def _quick(plan: Plan) -> Method | None:
    return "unbiased" if plan.about_shares else None


def _weigh(whole: Result, each: Sequence[Result], cells: CellWeights, coverage: Coverage) -> Iterator[WeightedResult]:
    """A question's numbers that add up over people.

    Raises:
        SordinoError: a cell whose reports do not tell the question, or nothing that adds up.
    """
    for one in (whole, *each):
        if isinstance(one, Untold):
            raise SordinoError(
                f"{whole.question.name} must be estimated in each cell of known people",
                found=f"a cell of {one.n:,} reports that do not tell it",
                step="wait for more reports, merge public values, or know fewer columns",
            )
    optional = any(attribute.optional for attribute in whole.question.attributes)
    done = 0
    for table in blocks_of(QuantityTable, whole.blocks()):
        places = tuple(
            place
            for place in range(table.count)
            if (kind := table.kind(place)) in ADDITIVE and (kind == OF_ALL or not optional)
        )
        if not places or "stderr" not in table.columns:
            continue
        done += len(places)
        numbers = [_numbers(one, table, places) for one in each]
        values, errors = (np.array([own[side] for own in numbers]) for side in (0, 1))
        counts = np.array([max(one.n, 1) for one in each], dtype=np.float64)[:, None]
        ends = _ends(whole.question, table, places)
        spread = table.columns["stderr"][list(places)] ** 2 * whole.n
        value, stderr = cells.weigh(values, errors_of_few(values, errors, counts, spread, ends))
        estimate = NormalEstimate(value, stderr, whole.n)
        limits = coverage.normal_limits(estimate, each=coverage.each(len(places)), expected=whole.question.people)
        yield WeightedResult(whole.question, table, places, estimate, possible_limits(value, limits, ends))
    if not done:
        raise SordinoError(
            f"{whole.question.name} must add up over people to be weighted",
            found="numbers that do not, or of those who have them alone",
            step="estimate it by groups (`by`)",
        )


def errors_of_few(
    values: Floats, errors: Floats, counts: Floats, spread: Floats, ends: tuple[Floats, Floats]
) -> Floats:
    """Standard errors of cells that may have few reports, whose own spread hardly says how much people differ.

    Args:
        values, errors: of each cell, shape (cells, q).
        counts: its reports, at least 1, shape (cells, 1).
        spread: the variance of one report among all, shape (q,).
        ends: within which the numbers are, shape (q,) each.
    """
    low, high = ends
    # Few people who answer alike seem to have no spread: it is taken as if one more stood at either end (Laplace).
    part = np.clip((values - low) / (high - low), 0, 1)
    likely = (counts * part + 1) / (counts + 2)
    more = np.maximum(likely * (1 - likely) - part * (1 - part), 0) * (high - low) ** 2 / counts
    # What is estimated from the reports themselves is too small by one of them.
    own = (errors**2 + more) * counts / np.maximum(counts - 1, 1)
    # The spread of all is as good as some more reports, and of a cell unlike the others may be smaller than its own.
    return np.sqrt(np.maximum(own, (counts * own + LENT * spread / counts) / (counts + LENT)))


def _numbers(result: Result, whole: QuantityTable, places: Sequence[int]) -> tuple[Floats, Floats]:
    """What one cell says of some rows of the whole: estimates and standard errors.

    A cell may lack some of them, as the mean of a number that nobody there has: its rows are found by what they are
    about, not by where they stand.

    Raises:
        SordinoError: a row that the cell lacks.
    """
    shares = result.shares
    if shares is not None:
        return shares.estimate.value[list(places)], shares.estimate.stderr[list(places)]
    found = {
        _identity(table, place): (table.columns["estimate"][place], table.columns["stderr"][place])
        for table in blocks_of(QuantityTable, result.blocks())
        if "stderr" in table.columns
        for place in range(table.count)
    }
    own = [found.get(_identity(whole, place)) for place in places]
    if None in own:
        label = whole.label(places[own.index(None)])
        raise SordinoError(
            f"{whole.question} must be estimated in each cell of known people",
            found=f"a cell of {result.n:,} reports that do not tell {label!r}",
            step="wait for more reports, merge public values, or know fewer columns",
        )
    values, errors = np.array(own, dtype=np.float64).T
    return values, errors


def _identity(table: QuantityTable, place: int) -> tuple[str, str]:
    """What a row is about, whichever rows stand beside it."""
    return table.kind(place), json.dumps(table.key(place), sort_keys=True)


def _ends(question: Question, table: QuantityTable, places: Sequence[int]) -> tuple[Floats, Floats]:
    """Within which the numbers are: shares between 0 and 1, means within their ranges."""
    ranges = {attribute.name: attribute for attribute in question.attributes}
    ends = [
        (ranges[table.label(place)].interval.low, ranges[table.label(place)].interval.high)
        if table.kind(place) == "mean"
        else (0.0, 1.0)
        for place in places
    ]
    low, high = np.array(ends, dtype=np.float64).T
    return low, high


def _response(plan: Plan, aggregate: Aggregate, known: Sequence[KnownTotals]) -> Iterator[ResponseRow]:
    """How many of each known group sent reports, those of nobody among them."""
    for one in known:
        labels = [plan.cells.parts[plan.cells.names.index(name)].labels for name in one.columns]
        counts = {label: tally.n for label, tally in group_tallies(plan, aggregate, one.columns)}
        for places, people in one.people.items():
            label = ", ".join(own[place] for own, place in zip(labels, places, strict=True))
            yield ResponseRow(", ".join(one.columns), label, counts[label], people)
