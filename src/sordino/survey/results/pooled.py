"""Quantities that several questions of a plan tell, each as one number of all their reports.

A table tells its margins, and the cells of the tables within it; every question about a number's mean, its covariances
or a regression with it tells the mean. The rows of each question stay what they are.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from math import prod

from sordino.domain.attribute import Domain
from sordino.errors import SordinoError
from sordino.estimation.intervals.forged import Limits
from sordino.estimation.intervals.possible import possible_limits
from sordino.estimation.joint.cells import sums_over
from sordino.estimation.joint.common_numbers import Distribution, common_numbers, expected_numbers
from sordino.estimation.joint.pooled import PooledPart, pool, tells_sums
from sordino.estimation.moments import NormalEstimate
from sordino.mechanism.aggregate import Aggregate
from sordino.survey.planning.plan import Plan, Question
from sordino.survey.questions.numbers import NumbersQuestion
from sordino.survey.questions.question import HistogramQuestion, SharesQuestion, TableQuestion
from sordino.survey.results.coverage import Coverage
from sordino.survey.results.questions.rows import EstimateRow
from sordino.survey.results.questions.shares import HistogramResult
from sordino.survey.results.result import Result

FEWEST = 2
"""Questions that are pooled."""


@dataclass(frozen=True, eq=False)
class PooledResult:
    """What several questions say of one quantity.

    Attributes:
        name: of it.
        heads: what each number is, as a row says it.
        questions: that are pooled, by name, in the plan's order.
        estimate: of all their reports.
        expected: how many people are expected to answer them.
        coverage: what intervals hold against; not against forged reports.
        ends: within which the numbers are.
    """

    name: str
    heads: tuple[EstimateRow, ...]
    questions: tuple[str, ...]
    estimate: NormalEstimate
    expected: int
    coverage: Coverage
    ends: tuple[float, float]

    @cached_property
    def interval(self) -> Limits:
        """Lower and upper limits, shape (m,) each, within what is possible."""
        each = self.coverage.each(len(self.heads))
        limits = self.coverage.normal_limits(self.estimate, each=each, expected=self.expected)
        return possible_limits(self.estimate.value, limits, self.ends)

    def label(self, place: int) -> str:
        """Of one row."""
        value = self.heads[place]["value"]
        return ", ".join(value) if isinstance(value, list) else str(value)

    def rows(self) -> Iterator[EstimateRow]:
        """Each number, with the names of the questions that tell it."""
        (low, high), found = self.interval, self.estimate
        columns = {"estimate": found.value, "stderr": found.stderr, "low": low, "high": high}
        for place, head in enumerate(self.heads):
            numbers = {name: float(column[place]) for name, column in columns.items()}
            yield head | numbers | {"pooled": list(self.questions)}


def pooled_results(plan: Plan, aggregate: Aggregate, found: Sequence[Result], coverage: Coverage) -> list[PooledResult]:
    """All that two questions or more tell; nothing where reports may be forged, of which nothing bounds the weight.

    Args:
        plan: that the reports belong to.
        aggregate: their tally.
        found: what they say of each question.
        coverage: what intervals hold against.
    """
    if coverage.forged:
        return []
    return [*_shares(found, coverage), *_means(plan, aggregate, coverage)]


def _shares(found: Sequence[Result], coverage: Coverage) -> Iterator[PooledResult]:
    told = [result for result in found if isinstance(result, HistogramResult)]
    asked = [tuple(result.question.asked) for result in told]
    targets = {frozenset(names): names for names in (*asked, *((name,) for names in asked for name in names))}
    domains = {name: domain for result in told for name, domain in _domains(result.question).items()}
    for key, names in targets.items():
        count = prod(domains[name].k for name in names)
        telling = [
            result
            for result in told
            if key <= set(result.question.asked) and tells_sums(result.question.mechanism, count)
        ]
        # Counted before anything is worked out: most quantities are of one question, which has them already.
        if len(telling) >= FEWEST:
            parts = [(result.question, _part(result, names)) for result in telling]
            labels = product(*([domains[name].label(value) for value in range(domains[name].k)] for name in names))
            heads = tuple(_head(names, values) for values in labels)
            yield _pooled(", ".join(names), heads, parts, coverage, (0.0, 1.0))


def _head(names: tuple[str, ...], values: tuple[str, ...]) -> EstimateRow:
    if len(names) == 1:
        return {"attribute": names[0], "value": values[0]}
    return {"attributes": list(names), "value": list(values)}


def _part(result: HistogramResult, names: tuple[str, ...]) -> PooledPart:
    question = result.question
    sums = sums_over(question.shape, [question.asked.index(name) for name in names])
    subtract = question.part.subtract_totals
    return PooledPart.of_shares(result.estimate, sums, subtract_totals=subtract, shares=question.known)


def _domains(question: SharesQuestion) -> dict[str, Domain]:
    attributes = question.attributes if isinstance(question, TableQuestion) else ()
    attributes = (question.attribute,) if isinstance(question, HistogramQuestion) else attributes
    return {attribute.name: attribute.finite for attribute in attributes}


def _means(plan: Plan, aggregate: Aggregate, coverage: Coverage) -> Iterator[PooledResult]:
    """Whether a question's own answer is told or not: which are pooled depends on how many reports there are alone."""
    asked = zip(plan.questions, plan.sampled.split(aggregate), strict=True)
    told = [
        (question, own) for question, own in asked if isinstance(question, NumbersQuestion) and not question.of_complete
    ]
    # What may be missing has no mean of everybody; a number beside it has.
    asking = Counter(name for question, _ in told for name in question.everybody)
    numbers = [name for name, count in asking.items() if count >= FEWEST]
    for name in numbers:
        telling = [(question, own, question.asked.index(name)) for question, own in told if name in question.everybody]
        likely, parts = _likely(telling), []
        for question, own, place in telling:
            with suppress(SordinoError):
                parts.append((question, PooledPart.of_mean(question.query, own, place, question.of_record, likely)))
        if len(parts) >= FEWEST:
            ends = parts[0][0].intervals[parts[0][0].asked.index(name)]
            head: EstimateRow = {"attribute": f"mean of {name}", "value": name}
            yield _pooled(f"mean of {name}", (head,), parts, coverage, (ends.low, ends.high))


def _likely(telling: Sequence[tuple[NumbersQuestion, Aggregate, int]]) -> Distribution:
    """How a number is distributed by all questions together, from what the plan expects on."""
    # Forecasts are loaded where something is weighed by them.
    from sordino.design.numbers.numbers_accuracy import unknown_records

    known = [(place, question.known or {}) for question, _, place in telling]
    start = expected_numbers(known, unknown_records(1)[:, 0])
    return common_numbers([(question.query, own, place) for question, own, place in telling], start)


def _pooled(
    name: str,
    heads: tuple[EstimateRow, ...],
    parts: Sequence[tuple[Question, PooledPart]],
    coverage: Coverage,
    ends: tuple[float, float],
) -> PooledResult:
    questions = tuple(question.name for question, _ in parts)
    expected = sum(question.people for question, _ in parts)
    return PooledResult(name, heads, questions, pool([part for _, part in parts]), expected, coverage, ends)
