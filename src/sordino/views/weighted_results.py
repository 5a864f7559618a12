"""Estimates of a population whose public groups are known: by totals, or by how many people a report stands for.

Reports tell their public cell, so that each cell of the columns that are known is estimated by itself, and the cells
are added up with the weights that the known totals ask for (`CellWeights`). What adds up over people can be weighted:
shares, and means of numbers that everybody has. Covariances, coefficients, quantiles and shares within others cannot.
"""

import csv
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from io import StringIO
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sordino.blocks.block import BlockGroup, blocks_of
from sordino.blocks.sentence import Purpose, Sentence
from sordino.blocks.tables import NET, QuantityTable, TextTable
from sordino.document.files import read_text, read_toml
from sordino.document.schema.nearest import nearest
from sordino.errors import SordinoError, SordinoErrors
from sordino.estimation.calibration import CellWeights, KnownShares
from sordino.estimation.intervals.forged import Limits
from sordino.estimation.intervals.possible import possible_limits
from sordino.estimation.means_and_covariances import NormalEstimate
from sordino.estimation.share_estimate import Method
from sordino.exact.messages import shown
from sordino.mechanism.channel import Aggregate
from sordino.printable import join_label
from sordino.survey.kinds.coverage import Coverage
from sordino.survey.kinds.estimate_rows import IN_ORDER
from sordino.survey.kinds.question import Question
from sordino.survey.planning.plan import Plan
from sordino.survey.results.cell_tallies import group_tallies, require_cells
from sordino.survey.results.result import Result, Untold, results_so_far
from sordino.survey.schema.expected_people import ROUNDED
from sordino.survey.schema.public_column import read_totals
from sordino.views.view import Folding, NotApplicable, Places, View, ViewPart, ViewSource, table_row

MEANT = (
    "Each group counts as many people as it is known to have. Totals and weights are taken to be known without error;"
    " within a group those who sent reports are taken for a random part of it."
)

ADDITIVE = frozenset({"share", "cell", "mean", "missing", "bin", "range", NET, "part"})
"""Kinds of numbers that are averages over people."""

OF_ALL = "missing"
"""The kind that is about everybody even where a number may be missing."""

LENT = 10
"""Reports of a cell about a question as many as which the variance of a report counts that all cells show together."""

Floats = NDArray[np.float64]

TOTAL = "total"
"""The column of a CSV file with numbers of people."""


@dataclass(frozen=True)
class KnownTotals:
    """How many people have each combination of some public values.

    Attributes:
        columns: public ones.
        people: by the places of the values in these columns; no people have the others.
    """

    columns: tuple[str, ...]
    people: Mapping[tuple[int, ...], int]

    @property
    def total(self) -> int:
        """All people."""
        return sum(self.people.values())


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
        reports: of these people.
        people: how many there are.
    """

    columns: str
    label: str
    reports: int
    people: int


@dataclass(frozen=True, eq=False)
class Weighted(View):
    """All that is weighted, or why nothing is yet by what the survey knows of public groups.

    Attributes:
        columns: by which the weights are made.
        weights: of the cells; None where nothing is weighted.
        results: of the questions that can be weighted.
        response: of all known groups.
        why: for other questions, by name, why they cannot; of an empty name why nothing is.
        coverage: what intervals hold against.
    """

    name: ClassVar[str] = "weighted"
    settings: ClassVar[frozenset[str]] = frozenset({"totals"})
    places: ClassVar[Places] = Places(page=3, terminal=5, notebook=2, rows=6, json=3, live=2)
    folding: ClassVar[Folding] = Folding.TABLES
    columns: tuple[str, ...]
    weights: CellWeights | None
    results: tuple[WeightedResult, ...]
    response: tuple[ResponseRow, ...]
    why: Mapping[str, str] = field(default_factory=dict)
    coverage: Coverage = field(default_factory=Coverage)

    @classmethod
    def of(cls, source: ViewSource) -> "Weighted | NotApplicable":
        """Weighted by the totals that are given, else by the totals and weights of the survey.

        Raises:
            SordinoError: as `read_known_totals` and `weighted_results`, of totals that are given.
        """
        plan, tally, found, coverage = source.plan, source.tally, source.results, source.coverage
        if source.request.totals is not None:
            return weighted_results(plan, tally, found, coverage, read_known_totals(plan, source.request.totals))
        known = totals_of_plan(plan)
        columns = tuple(part.name for part in plan.cells.parts if part.totals is not None or part.weights is not None)
        if not columns:
            return NotApplicable("no totals or weights of public groups are known")
        if coverage.forged or not tally.cells:
            return NotApplicable("a tally by public groups, of honest reports, is needed")
        try:
            return weighted_results(plan, tally, found, coverage, known)
        except SordinoError as error:
            return Weighted(columns, None, (), tuple(_response(plan, tally, known)), {"": str(error)}, coverage)

    def rows(self, *, derived: bool = True) -> Iterator[dict[str, Any]]:
        del derived
        for result in self.results:
            name = result.question.name
            for place, row in zip(result.places, result.rows(), strict=True):
                yield table_row("weighted", {"attribute": name, **row, "value": result.table.label(place)}, name)

    def json(self) -> dict[str, Any]:
        found: dict[str, Any] = {
            "weighted": [row for result in self.results for row in result.rows()],
            "weighted_by": list(self.columns),
        }
        if self.weights is not None:
            each = self.weights.of_report
            limits = {"least": float(each.min()), "most": float(each.max())}
            found["weights"] = {**limits, "design_effect": self.weights.design_effect}
        return found | {"response": [asdict(row) for row in self.response], "not_weighted": dict(self.why)}

    def parts(self) -> Iterator[ViewPart]:
        yield ViewPart(self.name, tuple(self._groups()))

    def _groups(self) -> Iterator[BlockGroup]:
        by, several = " and ".join(self.columns), len({row.columns for row in self.response}) > 1
        if self.response:
            rows = tuple(
                (
                    f"{row.columns}: {row.label}" if several else row.label,
                    f"{row.reports:,}",
                    f"{row.people:,}",
                    _percent(row.reports, row.people),
                )
                for row in self.response
            )
            title = f"Who sent reports, by {by}"
            yield BlockGroup(title, (TextTable(title, (by, "reports", "people", "of these, %"), rows),))
        if self.weights is None:
            text = f"Not weighted by {by}: {self.why['']}"
            yield BlockGroup(f"Weighted by {by}", (Sentence(text, Purpose.REFUSAL),))
            return
        tables = (_table(one, self) for one in self.results)
        yield BlockGroup(f"Weighted by {by}", (_weights(self, self.weights), *tables))
        for name, why in self.why.items():
            yield BlockGroup(f"{name}: not weighted", (Sentence(f"{name}: not weighted; {why}", Purpose.REFUSAL),))


def _weights(found: Weighted, weights: CellWeights) -> Sentence:
    each = weights.of_report
    text = (
        f"A report counts {each.min():.3g} to {each.max():.3g} times the average one, by {' and '.join(found.columns)};"
        f" unequal weights alone make variances {weights.design_effect:.3g} times as large. {MEANT}"
    )
    return Sentence(text, Purpose.METHOD)


def _table(one: WeightedResult, found: Weighted) -> QuantityTable:
    low, high = one.interval
    return QuantityTable(
        question=one.question.name,
        about=one.table.about,
        columns={"estimate": one.estimate.value, "stderr": one.estimate.stderr, "low": low, "high": high},
        label=lambda at: one.table.label(one.places[at]),
        kind=lambda _: "weighted",
        key=lambda at: one.table.key(one.places[at]),
        confidence=found.coverage.confidence,
        excerpt=range(min(len(one.places), IN_ORDER)),
        title=f"{one.table.about}, weighted by {' and '.join(found.columns)}",
        noun=one.table.noun,
        are_shares=one.table.are_shares,
        readable_label=lambda at: one.table.label_read(one.places[at]),
        is_date=lambda at: one.table.has_dates(one.places[at]),
        in_points=lambda at: one.table.is_in_points(one.places[at]),
        asked=one.table.asked,
        sentences=(found.coverage.sentence("number"),),
    )


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f}" if whole else "-"


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
        rule = f"totals by {join_label(one.columns)} must be above 0 where there are reports"
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
    return table.kind(place), json.dumps(table.key(place), sort_keys=True)


def _ends(question: Question, table: QuantityTable, places: Sequence[int]) -> tuple[Floats, Floats]:
    """Within which the numbers are: shares between 0 and 1, differences of two from -1, means within their ranges."""
    attributes = {attribute.name: attribute for attribute in question.attributes}
    ends = []
    for place in places:
        if table.kind(place) == "mean":
            # A distribution's own row says no more than that it is the mean.
            interval = attributes.get(table.label(place), question.attributes[0]).interval
            ends.append((interval.low, interval.high))
        else:
            ends.append((-1.0 if table.is_in_points(place) else 0.0, 1.0))
    low, high = np.array(ends, dtype=np.float64).T
    return low, high


def _response(plan: Plan, aggregate: Aggregate, known: Sequence[KnownTotals]) -> Iterator[ResponseRow]:
    for one in known:
        labels = [plan.cells.parts[plan.cells.names.index(name)].labels for name in one.columns]
        counts = {label: tally.n for label, tally in group_tallies(plan, aggregate, one.columns)}
        for places, people in one.people.items():
            label = join_label([own[place] for own, place in zip(labels, places, strict=True)])
            yield ResponseRow(join_label(one.columns), label, counts[label], people)


def totals_of_plan(plan: Plan) -> tuple[KnownTotals, ...]:
    """Those that the survey gave."""
    return tuple(
        KnownTotals((part.name,), {(place,): count for place, count in enumerate(part.totals)})
        for part in plan.cells.parts
        if part.totals is not None
    )


def read_known_totals(plan: Plan, given: Mapping[str, Any] | Path | str) -> tuple[KnownTotals, ...]:
    """Those that an analyst gives.

    Args:
        plan: whose public columns they are of.
        given: by public column the people of each value; or the path of a TOML file of such tables, or of a CSV file.

    Raises:
        SordinoError: an unreadable file.
        SordinoErrors: all mistakes: another column, a value that is none of its or that is not named, what is no whole
            number of people, and totals of different numbers of people.
    """
    name = str(given) if isinstance(given, Path | str) else "the totals"
    if isinstance(given, Path | str) and Path(given).suffix.lower() == ".csv":
        return (_of_csv(plan, Path(given)),)
    tables = read_toml(Path(given)) if isinstance(given, Path | str) else dict(given)
    mistakes: list[SordinoError] = []
    found = []
    for column, numbers in tables.items():
        part = next((part for part in plan.cells.parts if part.name == column), None)
        if part is None:
            mistakes.append(_no_column(column, plan))
            continue
        try:
            totals = read_totals(numbers, list(part.labels), column)
            found.append(KnownTotals((column,), {(place,): count for place, count in enumerate(totals)}))
        except SordinoErrors as errors:
            mistakes += errors.errors
    if not tables:
        step = "write a table for a column: [region], then north = 12000"
        mistakes.append(SordinoError("totals must be of a public column", found="no column", step=step))
    mistakes += contradictions(found)
    if mistakes:
        raise SordinoErrors(name, mistakes)
    return tuple(found)


def contradictions(found: "list[KnownTotals] | tuple[KnownTotals, ...]") -> Iterator[SordinoError]:
    """Totals of different numbers of people: they cannot be of the same population."""
    for one in found[1:]:
        if abs(one.total - found[0].total) > ROUNDED * found[0].total:
            names = join_label(found[0].columns), join_label(one.columns)
            seen = f"{found[0].total:,} people by {names[0]} and {one.total:,} by {names[1]}"
            step = "give totals of the same population"
            yield SordinoError("totals of all columns must be of equally many people", found=seen, step=step)


def _no_column(column: object, plan: Plan) -> SordinoError:
    names = plan.cells.names
    found, step = repr(str(column)) + nearest([str(column)], names), f"public are: {', '.join(names) or 'none'}"
    return SordinoError("totals must be of public columns of the plan", found=found, step=step)


def _of_csv(plan: Plan, path: Path) -> KnownTotals:
    """The people of combinations of values, a row each.

    Raises:
        SordinoError: no such table, with the first mistake.
    """
    try:
        rows = [row for row in csv.reader(StringIO(read_text(path).removeprefix("\ufeff"))) if row]
    except csv.Error as error:
        raise SordinoError(f"{path} must be a CSV table", found=str(error), step="look for a quote too many") from None
    header = [name.strip() for name in rows[0]] if rows else []
    columns = [name for name in header if name != TOTAL]
    if header.count(TOTAL) != 1 or not columns or len(set(columns)) < len(columns):
        rule = f"{path} must have a column for each of some public columns, and {TOTAL}"
        raise SordinoError(rule, found=", ".join(header) or "no columns", step="name them in its first line")
    if unknown := [name for name in columns if name not in plan.cells.names]:
        raise _no_column(unknown[0], plan)
    labels = {part.name: list(part.labels) for part in plan.cells.parts}
    people: dict[tuple[int, ...], int] = {}
    for number, row in enumerate(rows[1:], start=2):
        cells = dict(zip(header, (cell.strip() for cell in row), strict=False))
        wrong = [name for name in columns if cells.get(name) not in labels[name]]
        if len(row) != len(header) or wrong:
            found = shown(cells.get(wrong[0])) if wrong else f"{len(row)} cells"
            step = "write the values as the survey names them"
            raise SordinoError(f"{path}, row {number}: values must be of the public columns", found=found, step=step)
        places = tuple(labels[name].index(cells[name]) for name in columns)
        if places in people or not cells[TOTAL].isdecimal() or len(cells[TOTAL]) > len(str(1 << 53)):
            found = "a combination again" if places in people else shown(cells[TOTAL])
            rule = f"{path}, row {number}: each combination must have one whole number of people"
            raise SordinoError(rule, found=found, step="write it once, as 6100")
        people[places] = int(cells[TOTAL])
    if not sum(people.values()):
        raise SordinoError(f"{path} must hold totals of somebody", found="nobody", step="write how many there are")
    return KnownTotals(tuple(columns), people)
