"""Quantities that several questions of a plan tell, each as one number of all their reports.

A table tells its margins, and the cells of the tables within it; every question about a number's mean, its covariances
or a regression with it tells the mean. The rows of each question stay what they are.

Of histograms that a plan asks together, as tables, the pooled shares are what the survey asked for: they stand before
all else, and the tables' cells below.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import product
from math import prod
from typing import Any, ClassVar, Self, TypeAlias

import numpy as np

from sordino.blocks.block import BlockGroup, Plot
from sordino.blocks.charts import BarChart, Shares
from sordino.blocks.finding import Finding
from sordino.blocks.sentence import Purpose, Sentence
from sordino.blocks.tables import QuantityTable
from sordino.domain.attribute import Attribute
from sordino.errors import SordinoError
from sordino.estimation.intervals.forged import Limits
from sordino.estimation.intervals.possible import possible_limits
from sordino.estimation.joint.common_numbers import Distribution, common_numbers, expected_numbers
from sordino.estimation.joint.pooled_shares import PooledDeviation, PooledPart, pool, tells_sums
from sordino.estimation.joint.table_cells import sums_over
from sordino.estimation.means_and_covariances import NormalEstimate
from sordino.mechanism.channel import Aggregate
from sordino.printable import SEPARATOR, join_label
from sordino.survey.kinds.coverage import Coverage
from sordino.survey.kinds.estimate_rows import IN_ORDER, LARGEST, UNBIASED, EstimateRow
from sordino.survey.kinds.question import MeanReading, Question
from sordino.survey.kinds.shares.largest_share import largest_share, share_of_two
from sordino.survey.kinds.shares.shares_result import HistogramResult
from sordino.survey.planning.plan import Plan
from sordino.survey.results.result import Result, Untold, joint_shares
from sordino.views.view import Folding, NotApplicable, Places, View, ViewPart, ViewSource, table_row

TITLE = "From several questions together"

FEWEST = 2
"""Questions that are pooled."""

MOST_FINDINGS = 8
"""Histograms asked together whose findings are said."""


@dataclass(frozen=True, eq=False)
class PooledResult:
    """What several questions say of one quantity.

    Attributes:
        heads: what each number is, as a row says it.
        questions: that are pooled, by name, in the plan's order.
        estimate: of all their reports.
        expected: how many people are expected to answer them.
        coverage: what intervals hold against; not against forged reports.
        ends: within which the numbers are.
        is_date: whether they are dates, in days since 1970-01-01.
        attributes: that the numbers are of, by name.
        is_joined: whether it is a histogram in whose place the questions are asked.
    """

    name: str
    heads: tuple[EstimateRow, ...]
    questions: tuple[str, ...]
    estimate: NormalEstimate
    expected: int
    coverage: Coverage
    ends: tuple[float, float]
    is_date: bool = False
    attributes: Mapping[str, Attribute] = field(default_factory=dict)
    is_joined: bool = False

    @property
    def title(self) -> str:
        """What people read as its name."""
        titles = [attribute.title for attribute in self.attributes.values()]
        return self.name if titles == list(self.attributes) else f"{self.what}{SEPARATOR.join(titles)}"

    @property
    def what(self) -> str:
        """What its name begins with, before the attributes."""
        label = self.label(0)
        return self.name.removesuffix(label) if self.name.endswith(f" of {label}") else ""

    @cached_property
    def interval(self) -> Limits:
        """Lower and upper limits, shape (m,) each, within what is possible."""
        each = self.coverage.each(len(self.heads))
        limits = self.coverage.normal_limits(self.estimate, each=each, expected=self.expected)
        return possible_limits(self.estimate.value, limits, self.ends)

    def label(self, place: int) -> str:
        """Of one row."""
        value = self.heads[place]["value"]
        return join_label(value) if isinstance(value, list) else str(value)

    def label_read(self, place: int) -> str:
        """Label of one row in the survey's words."""
        value = self.heads[place]["value"]
        if self.what:
            return self.attributes[str(value)].title_with_unit
        values = value if isinstance(value, list) else [value]
        return join_label(
            [own.phrasing.value(str(one)) for own, one in zip(self.attributes.values(), values, strict=True)]
        )

    @cached_property
    def excerpt(self) -> Sequence[int]:
        """The places that people read: of many the largest."""
        places = range(len(self.heads))
        if len(places) > IN_ORDER:
            return [*map(int, np.argsort(-self.estimate.value, kind="stable")[:LARGEST])]
        return places

    @property
    def _how(self) -> str:
        """How it was found, in words."""
        count, names = len(self.questions), "; ".join(self.questions)
        weighted = "each weighted by its precision in the population that all of them together show"
        if not self.is_joined:
            return f"Pooled from {count:,} questions ({names}), {weighted}."
        if count == 1:
            return "Asked together with others: read off the table of all of them."
        return f"Asked together with others: pooled from {count:,} tables, {weighted}."

    def table(self) -> QuantityTable:
        """The numbers as they are shown: of many the largest are read."""
        low, high = self.interval
        names = self.name if self.is_joined else "; ".join(self.questions)
        title = f"{self.estimate.n:,} reports; {self.title}, pooled"
        if self.is_joined:
            title = f"{self.estimate.n:,} reports; all {len(self.heads):,} values"
        return QuantityTable(
            question=names,
            about=self.title,
            columns={"estimate": self.estimate.value, "stderr": self.estimate.stderr, "low": low, "high": high},
            label=self.label,
            readable_label=self.label_read,
            kind=lambda _: "share" if self.is_joined else "pooled",
            key=lambda place: self.heads[place],
            confidence=self.coverage.confidence,
            excerpt=self.excerpt,
            title=title,
            are_shares=not self.what,
            is_date=lambda _: self.is_date,
            asked=self.title if self.is_joined else "",
            sentences=(
                *((Sentence(UNBIASED, Purpose.COLUMNS),) if self.is_joined else ()),
                Sentence(self._how, Purpose.METHOD),
                self.coverage.sentence("number"),
            ),
        )

    def rows(self) -> Iterator[EstimateRow]:
        """Each number, with the names of the questions that tell it."""
        (low, high), found = self.interval, self.estimate
        columns = {"estimate": found.value, "stderr": found.stderr, "low": low, "high": high}
        for place, head in enumerate(self.heads):
            numbers = {name: float(column[place]) for name, column in columns.items()}
            yield head | numbers | {"pooled": list(self.questions)}


@dataclass(frozen=True, eq=False)
class PooledResults(View):
    """All that two questions or more say.

    Attributes:
        each: quantities, each with its numbers.
    """

    name: ClassVar[str] = "pooled"
    places: ClassVar[Places] = Places(page=1, terminal=2, notebook=1, rows=2, json=1, live=1)
    folding: ClassVar[Folding] = Folding.PARTS
    about_all: ClassVar[bool] = True
    absent_json: ClassVar[Mapping[str, Any]] = {"pooled": []}
    each: tuple[PooledResult, ...]

    @classmethod
    def of(cls, source: ViewSource) -> "Self | NotApplicable":
        each = tuple(pooled_results(source.plan, source.tally, source.results, source.coverage, joined=False))
        return cls(each) if each else NotApplicable("no two questions say the same of honest reports")

    def rows(self, *, derived: bool = True) -> Iterator[dict[str, Any]]:
        del derived
        return pooled_rows(self.each)

    def json(self) -> dict[str, Any]:
        return {"pooled": [row for result in self.each for row in result.rows()]}

    def findings_of(self, result: Result) -> Iterable[Finding] | None:
        if isinstance(result, Untold):
            return None
        for pooled in self.each:
            if pooled.name == result.leading_name:
                together = replace(pooled, coverage=pooled.coverage.for_all(len(pooled.heads))).interval
                return [*result.findings_from(_shares_of(pooled), together)]
        return None

    def parts(self) -> Iterator[ViewPart]:
        for result in self.each:
            yield ViewPart(result.title, (BlockGroup(f"{TITLE}: {result.title}", (result.table(),)),))

    @property
    def fold_title(self) -> str:
        return TITLE


@dataclass(frozen=True, eq=False)
class JoinedResults(View):
    """The histograms of a plan that asks them together.

    Attributes:
        each: in the order in which tables name them.
    """

    name: ClassVar[str] = "together"
    places: ClassVar[Places] = Places(page=-3, terminal=-3, notebook=-3, rows=-1, json=0, live=0)
    about_all: ClassVar[bool] = True
    each: tuple[PooledResult, ...]

    @classmethod
    def of(cls, source: ViewSource) -> "Self | NotApplicable":
        if not any(question.is_joined for question in source.plan.questions):
            return NotApplicable("each question is asked by itself")
        each = tuple(pooled_results(source.plan, source.tally, source.results, source.coverage, joined=True))
        return cls(each) if each else NotApplicable("no reports, or forged ones, whose weight in a margin has no bound")

    def rows(self, *, derived: bool = True) -> Iterator[dict[str, Any]]:
        del derived
        return iter(())

    def tables(self) -> list[QuantityTable]:
        return [result.table() for result in self.each]

    def json(self) -> dict[str, Any]:
        return {self.name: [row for result in self.each for row in result.rows()]}

    def parts(self) -> Iterator[ViewPart]:
        # As one part: what holds for all of them is printed once.
        yield ViewPart(self.name, tuple(map(_group_of, self.each)))

    def findings(self) -> Iterator[Finding]:
        """Which answer has the largest share, of two the share of one, of the first histograms."""
        for result in self.each[:MOST_FINDINGS]:
            count = len(result.heads)
            if count > 1:
                together = replace(result, coverage=result.coverage.for_all(count)).interval
                said = result.title, _quote_labels(result), _shares_of(result), together, result.coverage.confidence
                # What is joined is protected as a whole: of two answers the survey's first is what was asked about.
                yield largest_share(*said) if count > 2 else share_of_two(*said, 0)


def _group_of(result: PooledResult) -> BlockGroup:
    return BlockGroup("Shares", (Plot(BarChart, lambda: _bars_of(result)), result.table()), result.title)


def _shares_of(result: PooledResult) -> Shares:
    return Shares(result.estimate.value, *result.interval, stderr=result.estimate.stderr)


def _bars_of(result: PooledResult) -> BarChart:
    places = np.array(result.excerpt, dtype=np.intp)
    return BarChart(tuple(map(result.label_read, places.tolist())), _shares_of(result).of(places))


def _quote_labels(result: PooledResult) -> Callable[[int], str]:
    return lambda place: repr(result.label_read(place))


def pooled_rows(results: Iterable[PooledResult]) -> Iterator[dict[str, Any]]:
    """The numbers of all, as rows of frames and files."""
    for result in results:
        names = "; ".join(result.questions)
        yield from (table_row("pooled", row, names) for row in result.rows())


def pooled_results(
    plan: Plan, aggregate: Aggregate, found: Sequence[Result], coverage: Coverage, *, joined: bool | None = None
) -> list[PooledResult]:
    """All that two questions or more tell, and the histograms in whose place tables are asked.

    Nothing where reports may be forged, of which nothing bounds the weight.

    Args:
        plan: that the reports belong to.
        aggregate: their tally.
        found: what they say of each question.
        coverage: what intervals hold against.
        joined: whether only such histograms are worked out, or only all else; None for both.
    """
    if coverage.forged:
        return []
    return [*_shares(found, coverage, joined=joined), *(() if joined else _means(plan, aggregate, coverage))]


def _shares(found: Sequence[Result], coverage: Coverage, *, joined: bool | None) -> Iterator[PooledResult]:
    told = list(joint_shares(found))
    asked = [tuple(result.question.attribute_names) for result in told]
    targets = {frozenset(names): names for names in (*asked, *((name,) for names in asked for name in names))}
    domains = {name: domain for result in told for name, domain in result.question.domains.items()}
    together = {name for result in told if result.question.is_joined for name in result.question.attribute_names}
    by_name: dict[str, list[HistogramResult]] = {}
    for result in told:
        for name in dict.fromkeys(result.question.attribute_names):
            by_name.setdefault(name, []).append(result)
    for key, names in targets.items():
        count = prod(domains[name].k for name in names)
        telling = [
            result
            for result in by_name[names[0]]
            if key <= set(result.question.attribute_names) and tells_sums(result.question.mechanism, count)
        ]
        # Counted before anything is worked out: most quantities are of one question, which has them already.
        is_joined = len(names) == 1 and names[0] in together
        if joined not in (None, is_joined):
            continue
        if is_joined or len(telling) >= FEWEST:
            parts = [(result.question, _part(result, names)) for result in telling]
            labels = product(*([domains[name].label(value) for value in range(domains[name].k)] for name in names))
            heads = tuple(_head(names, values) for values in labels)
            own = {each.name: each for question, _ in parts for each in question.attributes}
            pooled = _pool(join_label(names), heads, parts, coverage, (0.0, 1.0))
            yield replace(pooled, attributes={name: own[name] for name in names}, is_joined=is_joined)


def _head(names: tuple[str, ...], values: tuple[str, ...]) -> EstimateRow:
    if len(names) == 1:
        return {"attribute": names[0], "value": values[0]}
    return {"attributes": list(names), "value": list(values)}


def _part(result: HistogramResult, names: tuple[str, ...]) -> PooledPart:
    question = result.question
    sums = sums_over(question.shape, [question.attribute_names.index(name) for name in names])
    subtract = question.part.subtract_totals
    return PooledPart.of_shares(result.estimate, sums, subtract_totals=subtract, shares=question.expected_people)


def _means(plan: Plan, aggregate: Aggregate, coverage: Coverage) -> Iterator[PooledResult]:
    """Whether a question's own answer is told or not: which are pooled depends on how many reports there are alone."""
    asked = list(zip(plan.questions, plan.sampled.split(aggregate), strict=True))
    # What may be missing has no mean of everybody; a number beside it has.
    asking = Counter(name for question, _ in asked for name in question.attribute_names if question.mean_reading(name))
    numbers = [name for name, count in asking.items() if count >= FEWEST]
    for name in numbers:
        telling = [
            (one, reading.tally(own), reading) for one, own in asked if (reading := one.mean_reading(name)) is not None
        ]
        likely = _likely([(own, reading) for _, own, reading in telling])
        own, ends = plan.attributes[name], telling[0][2].ends
        about = partial(replace, attributes={name: own})
        if len(parts := _parts(telling, partial(PooledPart.of_mean, likely=likely))) >= FEWEST:
            head: EstimateRow = {"attribute": f"mean of {name}", "value": name}
            found = _pool(f"mean of {name}", (head,), parts, coverage, (ends.low, ends.high))
            yield about(found, is_date=own.is_date)
            center = found.estimate
            squares = _parts(telling, partial(PooledPart.of_square, likely=likely, center=float(center.value[0])))
            if len(squares) >= FEWEST:
                head = {"attribute": f"standard deviation of {name}", "value": name}
                found = _pool(f"standard deviation of {name}", (head,), squares, coverage, (0.0, ends.width / 2))
                yield about(replace(found, estimate=PooledDeviation.of(found.estimate, center)))


Telling: TypeAlias = tuple[Question, Aggregate, MeanReading]
"""A question that tells a number's mean, its tally, and how this is read."""


def _parts(telling: Sequence[Telling], of: Callable[..., PooledPart]) -> list[tuple[Question, PooledPart]]:
    """What each tells, of those that tell it and that somebody answered."""
    parts = []
    for question, own, (query, place, ranges, _, _, bins) in telling:
        with suppress(SordinoError):
            parts.append((question, of(query, own, place, ranges, bins=bins)))
    return parts


def _likely(telling: Sequence[tuple[Aggregate, MeanReading]]) -> Distribution:
    # Forecasts are loaded where something is weighed by them.
    from sordino.design.numbers.numbers_accuracy import unknown_records

    start = expected_numbers([(one.place, one.known or {}) for _, one in telling], unknown_records(1)[:, 0])
    return common_numbers([(one.query, own, one.place) for own, one in telling], start)


def _pool(
    name: str,
    heads: tuple[EstimateRow, ...],
    parts: Sequence[tuple[Question, PooledPart]],
    coverage: Coverage,
    ends: tuple[float, float],
) -> PooledResult:
    questions = tuple(question.name for question, _ in parts)
    expected = sum(question.people for question, _ in parts)
    return PooledResult(name, heads, questions, pool([part for _, part in parts]), expected, coverage, ends)
