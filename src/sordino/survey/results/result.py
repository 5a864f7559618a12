"""What a plan's reports say about each of its questions: the results that tables, files and pages show."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sordino.blocks.block import Block, BlockGroup, Heading, LateSentence
from sordino.blocks.sentence import Purpose
from sordino.blocks.summary import Summarized
from sordino.errors import SordinoError
from sordino.estimation.estimate import Method, estimate
from sordino.estimation.intervals.forged import require_fewer
from sordino.mechanism.aggregate import Aggregate
from sordino.survey.planning.plan import Plan, Question
from sordino.survey.questions.distribution import DistributionQuestion
from sordino.survey.questions.joint import fitted_together
from sordino.survey.questions.numbers import NumbersQuestion
from sordino.survey.questions.question import SharesQuestion, TableQuestion
from sordino.survey.results.coverage import Coverage
from sordino.survey.results.questions.distribution import DistributionResult
from sordino.survey.results.questions.numbers import NumbersResult
from sordino.survey.results.questions.rows import EstimateRow
from sordino.survey.results.questions.shares import HistogramResult
from sordino.survey.results.questions.single_moments import SingleMoments
from sordino.survey.results.surroundings import Public, require_public, surroundings_of


@dataclass(frozen=True, repr=False)
class Untold(Summarized):
    """A question that the reports do not answer.

    Attributes:
        question: that they do not answer.
        n: the number of reports.
        why: what is missing, and what to do.
        awaiting: how many reports are expected to answer it, of people whom the plan expects; it may take a second to
            be found.
        suggested: how many of people who are as these reports say; None where they say too little.
        instead: what they do tell of its attributes, each by itself; None where they are too few for that too.
    """

    question: Question
    n: int
    why: SordinoError
    awaiting: Callable[[], int | None] = field(default=lambda: None)
    suggested: Callable[[], int | None] = field(default=lambda: None)
    instead: SingleMoments | None = None

    @cached_property
    def from_reports(self) -> int | None:
        """Reports that are expected to answer it, as these suggest; None where they say too little."""
        return self.suggested()

    @cached_property
    def awaited(self) -> int | None:
        """Reports that are expected to answer it: as these suggest, else of people whom the plan expects; or None."""
        return self.awaiting() if self.from_reports is None else self.from_reports

    def rows(self) -> Iterator[EstimateRow]:
        """What is given instead."""
        return iter(()) if self.instead is None else self.instead.rows()

    def blocks(self) -> tuple[Block, ...]:
        """Why the question is not answered, and what is given instead."""
        name, instead = self.question.name, () if self.instead is None else (self.instead.table,)
        facts: dict[str, Any] = {"untold": str(self.why)}
        if self.instead is not None:
            facts |= {"instead": [single.label for single in self.instead.singles]}
        heading = Heading(name, _asked(self.question), tuple(self.question.asked), self.n, facts, is_estimated=False)
        why = LateSentence(self.why_in_words, Purpose.REFUSAL)
        return heading, BlockGroup(f"{name}: not told by {self.n:,} reports", (why, *instead))

    def why_in_words(self) -> str:
        """Why, what to do, and how many reports are expected to tell it where that is known."""
        if self.awaited is None:
            return str(self.why)
        # Forecasts are loaded where something is not told.
        from sordino.survey.planning.forecast import in_two_digits

        reports, known = f"About {in_two_digits(self.awaited)} reports", self.question.known is not None
        if self.from_reports is not None:
            return f"{self.why} {reports} are expected to, if the features vary as these reports suggest."
        if self.awaited <= self.n:
            people = "people were as the plan expects them" if known else "people were as forecasts take unknown ones"
            return f"{self.why} {reports} were expected to, if {people}."
        people = "people are as the plan expects them" if known else "people are as forecasts take unknown ones"
        return f"{self.why} {reports} are expected to, if {people}: of others more may."


def _asked(question: Question) -> str:
    """What kind of question it is."""
    if isinstance(question, NumbersQuestion):
        return question.part.asked
    if isinstance(question, DistributionQuestion):
        return "distribution"
    return "table" if isinstance(question, TableQuestion) else "histogram"


Result: TypeAlias = HistogramResult | DistributionResult | NumbersResult | Untold
"""What a plan's reports say about one of its questions."""


def results(
    plan: Plan,
    aggregate: Aggregate,
    method: Method | None = None,
    coverage: Coverage | None = None,
    public: Public | None = None,
) -> tuple[Result, ...]:
    """Estimate all questions of a plan from its tally, each from the reports of the people who answered it.

    Args and returns as of `results_so_far`.

    Raises:
        SordinoError: no question is answered, or a method that no histogram allows.
    """
    found = results_so_far(plan, aggregate, method, coverage, public)
    untold = [result for result in found if isinstance(result, Untold)]
    if len(untold) == len(found) and all(result.instead is None for result in untold):
        # Why one that was answered is not told says more than that others were not.
        raise max(untold, key=lambda result: result.n).why
    return found


def results_so_far(
    plan: Plan,
    aggregate: Aggregate,
    method: Method | None = None,
    coverage: Coverage | None = None,
    public: Public | None = None,
) -> tuple[Result, ...]:
    """The same of a collection that goes on, of which nothing may be told yet.

    Args:
        plan: that the reports belong to.
        aggregate: their tally.
        method: how distributions are fitted; by default each question's own (`default_method`), and where tables share
            attributes, one to all of them (`joint_fit`).
        coverage: what intervals are to hold against; by default each by itself with 95% confidence.
        public: by the names of questions, numbers that are public and may go with the shares of their values, shape
            (k,), for the method "smoothed".

    Raises:
        SordinoError: a method that no histogram allows.
    """
    coverage = Coverage() if coverage is None else coverage
    parts = zip(plan.questions, plan.sampled.split(aggregate), strict=True)
    public = public or {}
    require_public([one.name for one in plan.questions if isinstance(one, SharesQuestion)], public, method)
    found = tuple(_result(question, own, method, coverage, public.get(question.name)) for question, own in parts)
    return found if method is not None else _agreeing(found)


def _agreeing(found: tuple[Result, ...]) -> tuple[Result, ...]:
    """The same, what is fitted to tables and histograms of the same attributes being one distribution's."""
    places = [place for place, result in enumerate(found) if isinstance(result, HistogramResult)]
    shares = [result for result in found if isinstance(result, HistogramResult)]
    together = fitted_together([result.question for result in shares], [result.estimate for result in shares])
    agreeing = list(found)
    for place, estimated in together:
        agreeing[places[place]] = replace(shares[place], estimate=estimated)
    return tuple(agreeing)


def _require_bounded(question: Question, n: int, forged: int) -> None:
    """Refuse what forged reports could move to anything, or what nothing bounds."""
    require_fewer(forged, n)
    numbers = question.attributes if isinstance(question, NumbersQuestion) else ()
    numbers = (question.attribute,) if isinstance(question, DistributionQuestion) else numbers
    lacking = [number.name for number in numbers if number.optional]
    if forged and lacking:
        rule = "what forged reports can move is bounded for numbers that everybody has"
        found = f"{lacking[0]!r}, which may be missing"
        raise SordinoError(rule, found=found, step="estimate it without a number of forged reports")


def _regression_awaited(question: NumbersQuestion, own: Aggregate) -> int | None:
    from sordino.survey.results.awaited import regression_awaited

    return regression_awaited(question, own) if question.part.asked == "regression" else None


def _numbers_awaited(question: NumbersQuestion) -> int | None:
    # Forecasts are loaded where something is not told.
    from sordino.survey.results.awaited import numbers_awaited

    return numbers_awaited(question)


def _result(
    question: Question, own: Aggregate, method: Method | None, coverage: Coverage, public: NDArray[np.float64] | None
) -> Result:
    """What a question's own reports say about it."""
    if own.n == 0:
        why = SordinoError(f"{question.name} must have been answered", found="no reports about it", step="collect more")
        return Untold(question, own.n, why)
    try:
        _require_bounded(question, own.n, coverage.forged)
    except SordinoError as error:
        return Untold(question, own.n, error)
    result: HistogramResult | DistributionResult | NumbersResult
    if isinstance(question, NumbersQuestion):
        try:
            result = NumbersResult.of(question, own, coverage)
        except SordinoError as error:
            why = SordinoError(error.rule, found=error.found, step=coverage.step("fewer numbers"))
            instead, suggested = SingleMoments.of(question, own, coverage), partial(_regression_awaited, question, own)
            return Untold(question, own.n, why, partial(_numbers_awaited, question), suggested, instead)
    elif isinstance(question, DistributionQuestion):
        result = DistributionResult.of(question, own, method, coverage)
        if result.why is not None:
            return Untold(question, own.n, result.why, result.awaited)
    else:
        subtract, known = question.part.subtract_totals, surroundings_of(question.domain, public)
        shares = estimate(question.mechanism, own, method, subtract_totals=subtract, known=known)
        result = HistogramResult(question, shares, coverage)
    return result
