"""Estimates with their labels: the rows that tables, files and pages show."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations_with_replacement
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from sordino.errors import SordinoError
from sordino.estimation.estimate import Estimate, Method, estimate
from sordino.estimation.moments import NormalEstimate, covariances, means
from sordino.estimation.regression import least_squares, projected_least_squares
from sordino.mechanism.aggregate import Aggregate
from sordino.survey.planning.plan import Plan, Question
from sordino.survey.questions.distribution import DistributionQuestion
from sordino.survey.questions.numbers import NumbersQuestion
from sordino.survey.questions.question import SharesQuestion, TableQuestion
from sordino.survey.results.distribution import DistributionResult, Numbers
from sordino.survey.results.joint import fitted_together
from sordino.survey.results.watching import Limits, watched_limits

EstimateRow: TypeAlias = dict[str, str | float | list[str]]
"""What is estimated, its label, estimate, standard error and limits; and what was fitted, if anything.

Of a cell of a table the attributes and their values are lists."""


@dataclass(frozen=True, eq=False)
class HistogramResult:
    """What a plan's reports say about the shares of an attribute's values, or of a table's cells.

    Attributes:
        question: that they answer.
        estimate: the shares.
        confidence: of each interval by itself.
        watched: whether intervals hold at all times together while reports come in.
    """

    question: SharesQuestion
    estimate: Estimate
    confidence: float
    watched: bool = False

    @cached_property
    def interval(self) -> Limits:
        """Lower and upper limits, shape (k,) each."""
        estimate = self.estimate
        return self.limits(estimate.interval(self.confidence), estimate.value, estimate.stderr)

    def limits(self, fixed: Limits, value: NDArray[np.float64], stderr: NDArray[np.float64]) -> Limits:
        """Limits of some shares, from those for one time."""
        low, high = _watched(self, fixed, value, stderr) if self.watched else fixed
        return np.clip(low, 0, 1), np.clip(high, 0, 1)

    def largest(self, count: int) -> NDArray[np.intp]:
        """The values with the largest fitted shares, in descending order; without a fit, the largest estimates.

        Among many values the largest estimates are those with the most noise; the fit takes it from them.
        """
        return np.argsort(-self.estimate.by_method, kind="stable")[:count]

    @property
    def fitted(self) -> NDArray[np.float64] | None:
        """A distribution near the estimate, shape (k,)."""
        return self.estimate.fitted

    @property
    def n(self) -> int:
        """The number of reports."""
        return self.estimate.n

    @property
    def count(self) -> int:
        """How many rows there are."""
        return self.question.domain.k

    @cached_property
    def numbers(self) -> Numbers:
        """Of all values, in their own order: estimate, standard error and limits; and what was fitted, if anything."""
        (low, high), fitted = self.interval, self.fitted
        numbers = {"estimate": self.estimate.value, "stderr": self.estimate.stderr, "low": low, "high": high}
        return numbers | ({} if fitted is None else {"fitted": fitted})

    @cached_property
    def label(self) -> Callable[[int], str]:
        """Of a value."""
        return self.question.domain.label

    def rows(self) -> Iterator[EstimateRow]:
        """All values, in their own order."""
        return map(self.row, range(self.count))

    def row(self, value: int) -> EstimateRow:
        """One value's attribute, label, estimate, standard error and limits; and its fitted share, if there is one."""
        return _row(self, value)


@dataclass(frozen=True, eq=False)
class NumbersResult:
    """What a plan's reports say about means, a covariance matrix or a regression.

    Attributes:
        question: that they answer.
        estimate: of the means, shape (a,), the covariances, shape (a, a), or the coefficients, shape (1 + a,), with
            the intercept first; in the units of the data.
        fitted: a covariance matrix or coefficients that noise cannot have made impossible; None for means.
        confidence: of each interval by itself.
        watched: whether intervals hold at all times together while reports come in.
    """

    question: NumbersQuestion
    estimate: NormalEstimate
    fitted: NDArray[np.float64] | None
    confidence: float
    watched: bool = False

    @classmethod
    def of(
        cls, question: NumbersQuestion, aggregate: Aggregate, confidence: float, *, watched: bool = False
    ) -> "NumbersResult":
        """Estimate what is asked from the tally of the question's own reports."""
        ranges, asked, a = question.ranges, question.query, len(question.asked)
        match question.part.asked:
            case "mean":
                return cls(question, means(asked, aggregate, None, ranges), None, confidence, watched)
            case "covariance":
                covariance = covariances(asked, aggregate, None, ranges)
                return cls(question, covariance, covariance.projected, confidence, watched)
            case "regression":
                fit = least_squares(asked, aggregate, a - 1, None, ranges)
                projected = projected_least_squares(asked, aggregate, a - 1, None, ranges)
                return cls(question, fit, projected.value, confidence, watched)

    @property
    def n(self) -> int:
        """The number of reports."""
        return self.estimate.n

    @cached_property
    def interval(self) -> Limits:
        """Lower and upper limits, of the estimate's shape."""
        estimate, fixed = self.estimate, self.estimate.interval(self.confidence)
        return _watched(self, fixed, estimate.value, estimate.stderr) if self.watched else fixed

    @property
    def noun(self) -> str:
        """What one number of it is."""
        return {"mean": "mean", "covariance": "covariance", "regression": "coefficient"}[self.question.part.asked]

    @property
    def about(self) -> str:
        """What the labels are."""
        return {"mean": "number", "covariance": "numbers", "regression": "feature"}[self.question.part.asked]

    @cached_property
    def labels(self) -> list[tuple[str, tuple[int, ...]]]:
        """What is estimated, by name, and where it stands in the estimate."""
        names = self.question.asked
        match self.question.part.asked:
            case "mean":
                return [(name, (j,)) for j, name in enumerate(names)]
            case "covariance":
                pairs = combinations_with_replacement(range(len(names)), 2)
                return [(f"{names[j]}, {names[k]}" if j < k else names[j], (j, k)) for j, k in pairs]
            case "regression":
                return [(name, (j,)) for j, name in enumerate(["intercept", *names[:-1]])]

    @property
    def count(self) -> int:
        """How many rows there are."""
        return len(self.labels)

    @cached_property
    def numbers(self) -> Numbers:
        """Of what is estimated, in the order of the question, the columns of a table."""
        (low, high), at = self.interval, tuple(zip(*(place for _, place in self.labels), strict=True))
        numbers = {"estimate": self.estimate.value, "stderr": self.estimate.stderr, "low": low, "high": high}
        numbers |= {} if self.fitted is None else {"fitted": self.fitted}
        return {name: column[at] for name, column in numbers.items()}

    def label(self, place: int) -> str:
        """Of one row."""
        return self.labels[place][0]

    def rows(self) -> Iterator[EstimateRow]:
        """What is estimated, in the order of the question."""
        return (_row(self, place) for place in range(self.count))


def _watched(
    result: HistogramResult | NumbersResult, fixed: Limits, value: NDArray[np.float64], stderr: NDArray[np.float64]
) -> Limits:
    """Limits that hold at all times together, narrowest when all have answered who were expected to."""
    n, expected = result.n, result.question.people
    return watched_limits(fixed, value, stderr, n=n, expected=expected, confidence=result.confidence)


def _row(result: HistogramResult | NumbersResult, place: int) -> EstimateRow:
    row: EstimateRow = {"attribute": result.question.name, "value": result.label(place)}
    if isinstance(result.question, TableQuestion):
        row = {"attributes": result.question.asked, "value": result.question.labels(place)}
    return row | {name: float(column[place]) for name, column in result.numbers.items()}


@dataclass(frozen=True)
class Untold:
    """A question that the reports do not answer.

    Attributes:
        question: that they do not answer.
        n: the number of reports.
        why: what is missing, and what to do.
    """

    question: Question
    n: int
    why: SordinoError

    def rows(self) -> Iterator[EstimateRow]:
        """None."""
        return iter(())


Result: TypeAlias = HistogramResult | DistributionResult | NumbersResult | Untold
"""What a plan's reports say about one of its questions."""


def results(
    plan: Plan,
    aggregate: Aggregate,
    method: Method | None = None,
    confidence: float = 0.95,
    *,
    watched: bool = False,
) -> tuple[Result, ...]:
    """Estimate all questions of a plan from its tally, each from the reports of the people who answered it.

    Args:
        plan: that the reports belong to.
        aggregate: their tally.
        method: how distributions are fitted; by default each question's own (`default_method`), and where tables share
            attributes, one to all of them (`joint_fit`).
        confidence: of each interval by itself.
        watched: whether intervals are to hold at all times together, for whoever looks while reports come in.

    Raises:
        SordinoError: no question is answered, a confidence outside (0, 1), or a method that no histogram allows.
    """
    parts = zip(plan.questions, plan.sampled.split(aggregate), strict=True)
    found = tuple(_result(question, own, method, confidence, watched=watched) for question, own in parts)
    untold = [result for result in found if isinstance(result, Untold)]
    if len(untold) == len(found):
        raise untold[0].why
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


def _result(question: Question, own: Aggregate, method: Method | None, confidence: float, *, watched: bool) -> Result:
    """What a question's own reports say about it."""
    if own.n == 0:
        why = SordinoError(f"{question.name} must have been answered", found="no reports about it")
        return Untold(question, own.n, why)
    result: HistogramResult | DistributionResult | NumbersResult
    if isinstance(question, NumbersQuestion):
        try:
            result = NumbersResult.of(question, own, confidence, watched=watched)
        except SordinoError as error:
            why = SordinoError(error.rule, found=error.found, step="ask more people, or fewer numbers")
            return Untold(question, own.n, why)
    elif isinstance(question, DistributionQuestion):
        result = DistributionResult.of(question, own, method, confidence)
    else:
        shares = estimate(question.mechanism, own, method, subtract_totals=question.part.subtract_totals)
        result = HistogramResult(question, shares, confidence, watched)
    _ = result.interval  # a bad confidence fails here, not while a page is drawn
    return result
