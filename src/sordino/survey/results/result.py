"""Estimates with their labels: the rows that tables, files and pages show."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations_with_replacement
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from sordino.domain.partition import Partition
from sordino.errors import SordinoError
from sordino.estimation.estimate import Estimate, Method, estimate
from sordino.estimation.intervals.forged import Limits, require_fewer
from sordino.estimation.intervals.forged_numbers import moved_coefficients, moved_covariances, moved_means
from sordino.estimation.intervals.simultaneous import draws_noise
from sordino.estimation.missing.given import MeansGiven
from sordino.estimation.moments import NormalEstimate, covariances, means
from sordino.estimation.neighbours.choice import Choice
from sordino.estimation.regression import least_squares, projected_least_squares
from sordino.mechanism.aggregate import Aggregate
from sordino.survey.planning.plan import Plan, Question
from sordino.survey.questions.distribution import DistributionQuestion
from sordino.survey.questions.numbers import NumbersQuestion
from sordino.survey.questions.question import SharesQuestion, TableQuestion
from sordino.survey.results.coverage import Coverage
from sordino.survey.results.distribution import DistributionResult, Numbers
from sordino.survey.results.joint import fitted_together
from sordino.survey.results.surroundings import Public, offer_of, require_public, surroundings_of

EstimateRow: TypeAlias = dict[str, str | float | list[str]]
"""What is estimated, its label, estimate, standard error and limits; and what was fitted, if anything.

Of a cell of a table the attributes and their values are lists."""


@dataclass(frozen=True, eq=False)
class HistogramResult:
    """What a plan's reports say about the shares of an attribute's values, or of a table's cells.

    Attributes:
        question: that they answer.
        estimate: the shares.
        coverage: what intervals hold against.
    """

    question: SharesQuestion
    estimate: Estimate
    coverage: Coverage = field(default_factory=Coverage)

    @cached_property
    def offer(self) -> Choice | None:
        """What is expected of smoothed shares, where they were not asked for and are nearer to the truth."""
        return offer_of(self.question.domain, self.estimate)

    @cached_property
    def interval(self) -> Limits:
        """Lower and upper limits, shape (k,) each."""
        estimate, each = self.estimate, self.each
        return self._limits(estimate.interval(each), each, estimate.value, estimate.stderr, self.moved)

    @cached_property
    def each(self) -> float:
        """The confidence of each value's interval."""
        coverage = self.coverage
        # What holds at all times together holds together by Bonferroni alone.
        drawn = coverage.simultaneous and not coverage.watched
        return self.estimate.each_confidence(coverage.confidence) if drawn else coverage.each(self.count)

    @property
    def together(self) -> str:
        """How intervals are made to hold together, if they do: by draws of the noise of all, or by Bonferroni."""
        return "max-|z|" if draws_noise(self.estimate.mechanism) and not self.coverage.watched else "Bonferroni"

    @cached_property
    def moved(self) -> NDArray[np.float64]:
        """How far at most the forged reports can have moved each estimate, shape (k,)."""
        return self.estimate.moved(self.coverage.forged)

    def sums(self, blocks: Partition) -> tuple[NDArray[np.float64], Limits]:
        """What the values of each block have together, shape (m,), and its limits.

        Raises:
            SordinoError: a tally that does not say how often each code was sent.
        """
        sums, each = self.estimate.sums(blocks), self.coverage.each(blocks.m)
        moved = self.coverage.forged * sums.swing / self.n
        return sums.value, self._limits(sums.interval(each), each, sums.value, sums.stderr, moved)

    def _limits(
        self,
        fixed: Limits,
        each: float,
        value: NDArray[np.float64],
        stderr: NDArray[np.float64],
        moved: NDArray[np.float64],
    ) -> Limits:
        """Limits of some shares, from those for one time."""
        n, expected, coverage = self.n, self.question.people, self.coverage
        part = coverage.forged / n
        low, high = coverage.limits(fixed, value, stderr, each=each, n=n, expected=expected, moved=moved, part=part)
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
        numbers |= {} if fitted is None else {"fitted": fitted}
        return numbers | ({"moved": self.moved} if self.coverage.forged else {})

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
        estimate: of the means, shape (a,), and then the shares of who lacks a number that may be missing; the
            covariances, shape (a, a); or the coefficients, shape (1 + a,), with the intercept first. Of all but shares
            in the units of the data.
        fitted: a covariance matrix or coefficients that noise cannot have made impossible; None for means.
        coverage: what intervals hold against.
        moved: how far at most the forged reports can have moved each number, of the estimate's shape.
        part: what these are of the reports' weight.
    """

    question: NumbersQuestion
    estimate: NormalEstimate
    fitted: NDArray[np.float64] | None
    coverage: Coverage
    moved: NDArray[np.float64]
    part: float

    together = "Bonferroni"
    """How intervals are made to hold together, if they do."""

    @classmethod
    def of(cls, question: NumbersQuestion, aggregate: Aggregate, coverage: Coverage) -> "NumbersResult":
        """Estimate what is asked from the tally of the question's own reports."""
        ranges, asked = question.ranges, question.told_by
        estimate: NormalEstimate
        fitted: NDArray[np.float64] | None = None
        match question.part.asked:
            case "mean":
                estimate, move = means(asked, aggregate, None, ranges), moved_means
            case "covariance":
                estimate, move = (covariance := covariances(asked, aggregate, None, ranges)), moved_covariances
                fitted = covariance.projected
            case "regression":
                last = ranges.d - 1
                estimate, move = least_squares(asked, aggregate, last, None, ranges), moved_coefficients
                fitted = projected_least_squares(asked, aggregate, last, None, ranges).value
        nothing = np.zeros(estimate.value.shape), 0.0
        moved, part = move(asked, aggregate, ranges, coverage.forged) if coverage.forged else nothing
        return cls(question, estimate, fitted, coverage, moved, part)

    @property
    def n(self) -> int:
        """The number of reports."""
        return self.estimate.n

    @cached_property
    def interval(self) -> Limits:
        """Lower and upper limits, of the estimate's shape."""
        estimate, n, expected = self.estimate, self.n, self.question.people
        if isinstance(estimate, MeansGiven):
            return estimate.within(self._reach)
        return self.coverage.limits(
            estimate.interval(self.each),
            estimate.value,
            estimate.stderr,
            each=self.each,
            n=n,
            expected=expected,
            moved=self.moved,
            part=self.part,
        )

    @property
    def each(self) -> float:
        """The confidence of each number's interval."""
        # What is not told counts too: whether it is depends on how confident its interval is.
        rows = self.estimate.value.size if isinstance(self.estimate, MeansGiven) else self.count
        return self.coverage.each(rows)

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
                told = [(name, j) for j, name in enumerate(names) if j not in self._untold]
                told += [(f"{names[j]} missing", len(names) + i) for i, j in enumerate(self.question.missing)]
                return [(name, (place,)) for name, place in told]
            case "covariance":
                pairs = combinations_with_replacement(range(len(names)), 2)
                return [(f"{names[j]}, {names[k]}" if j < k else names[j], (j, k)) for j, k in pairs]
            case "regression":
                return [(name, (j,)) for j, name in enumerate(["intercept", *self.question.ranges.names[:-1]])]

    @cached_property
    def _untold(self) -> tuple[int, ...]:
        """The places of numbers that nobody may have: none has a mean then."""
        return self.estimate.untold(self._reach) if isinstance(self.estimate, MeansGiven) else ()

    @property
    def _reach(self) -> float:
        """How many standard errors limits are from an estimate."""
        return self.coverage.errors(self.n, self.question.people, self.each)

    @property
    def notes(self) -> tuple[str, ...]:
        """What is not told of the question, and why."""
        step = "ask more people, or leave it out"
        rule = "so few reports tell that anybody has the number that its mean is not told"
        return tuple(f"{self.question.asked[j]}: {rule}: {step}" for j in self._untold)

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
        numbers |= {"moved": self.moved} if self.coverage.forged else {}
        return {name: column[at] for name, column in numbers.items()}

    def label(self, place: int) -> str:
        """Of one row."""
        return self.labels[place][0]

    def rows(self) -> Iterator[EstimateRow]:
        """What is estimated, in the order of the question."""
        return (_row(self, place) for place in range(self.count))


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
    coverage: Coverage | None = None,
    public: Public | None = None,
) -> tuple[Result, ...]:
    """Estimate all questions of a plan from its tally, each from the reports of the people who answered it.

    Args:
        plan: that the reports belong to.
        aggregate: their tally.
        method: how distributions are fitted; by default each question's own (`default_method`), and where tables share
            attributes, one to all of them (`joint_fit`).
        coverage: what intervals are to hold against; by default each by itself with 95% confidence.
        public: by the names of questions, numbers that are public and may go with the shares of their values, shape
            (k,), for the method "smoothed".

    Raises:
        SordinoError: no question is answered, or a method that no histogram allows.
    """
    coverage = Coverage() if coverage is None else coverage
    parts = zip(plan.questions, plan.sampled.split(aggregate), strict=True)
    public = public or {}
    require_public([one.name for one in plan.questions if isinstance(one, SharesQuestion)], public, method)
    found = tuple(_result(question, own, method, coverage, public.get(question.name)) for question, own in parts)
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


def _result(
    question: Question, own: Aggregate, method: Method | None, coverage: Coverage, public: NDArray[np.float64] | None
) -> Result:
    """What a question's own reports say about it."""
    if own.n == 0:
        why = SordinoError(f"{question.name} must have been answered", found="no reports about it")
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
            why = SordinoError(error.rule, found=error.found, step="ask more people, or fewer numbers")
            return Untold(question, own.n, why)
    elif isinstance(question, DistributionQuestion):
        result = DistributionResult.of(question, own, method, coverage)
        if result.why is not None:
            return Untold(question, own.n, result.why)
    else:
        subtract, known = question.part.subtract_totals, surroundings_of(question.domain, public)
        shares = estimate(question.mechanism, own, method, subtract_totals=subtract, known=known)
        result = HistogramResult(question, shares, coverage)
    return result
