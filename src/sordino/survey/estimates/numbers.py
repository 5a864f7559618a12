"""What a plan's reports say about means, a covariance matrix or a regression."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations_with_replacement
from math import nan

import numpy as np
from numpy.typing import NDArray

from sordino.blocks.block import Block, BlockGroup, Heading, Plot
from sordino.blocks.charts import CorrelationChart, PointChart
from sordino.blocks.finding import Finding
from sordino.blocks.sentence import Purpose, Sentence
from sordino.blocks.tables import QuantityTable
from sordino.estimation.estimated_moments import read_moments
from sordino.estimation.intervals.forged import Limits
from sordino.estimation.intervals.forged_numbers import moved_coefficients, moved_covariances, moved_means
from sordino.estimation.intervals.possible import possible_limits
from sordino.estimation.missing.complete_cases import COMPLETE, CompleteCases
from sordino.estimation.moments import MeansGiven, NormalEstimate, covariances, means
from sordino.estimation.regression import least_squares, projected_least_squares
from sordino.mechanism.aggregate import Aggregate
from sordino.query.bin import MISSING
from sordino.survey.estimates.coverage import Coverage
from sordino.survey.estimates.quantities import (
    Measured,
    MeasuredNumber,
    Quantities,
    Values,
    head_of,
    limits_of,
    moment_scale,
    values_of,
)
from sordino.survey.estimates.rows import EstimateRow, Numbers, numbers_at
from sordino.survey.estimates.shares import QuestionResult
from sordino.survey.estimates.shown.number_charts import coefficient_chart, correlation_chart, means_chart
from sordino.survey.estimates.shown.number_findings import clearest, middle_finding
from sordino.survey.questions.numbers import NumbersQuestion

FITTED = "Fitted are the closest values that real data can have; noise can make unbiased ones impossible."


@dataclass(frozen=True, eq=False, repr=False)
class NumbersResult(QuestionResult):
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
        complete: the share of people who have all the numbers, its standard error and its limits for one look, where a
            covariance matrix or coefficients are of these; else None.
    """

    question: NumbersQuestion
    estimate: NormalEstimate
    fitted: NDArray[np.float64] | None
    coverage: Coverage
    moved: NDArray[np.float64]
    part: float
    complete: tuple[float, float, tuple[float, float]] | None = None

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
                fitted = covariance.nearest_covariance
            case "regression":
                last = ranges.d - 1
                estimate, move = least_squares(asked, aggregate, last, None, ranges), moved_coefficients
                fitted = projected_least_squares(asked, aggregate, last, None, ranges).value
        nothing = np.zeros(estimate.value.shape), 0.0
        moved, part = move(asked, aggregate, ranges, coverage.forged) if coverage.forged else nothing
        cases = read_moments(question.query)
        found = cls(question, estimate, fitted, coverage, moved, part)
        if not isinstance(cases, CompleteCases):
            return found
        share = cases.share(aggregate)
        # It is one row more, and so makes each interval surer.
        each = coverage.each(found.count + 1)
        return replace(found, complete=(*share, cases.share_limits(aggregate, 1 - each)))

    @property
    def n(self) -> int:
        """The number of reports."""
        return self.estimate.n

    def with_coverage(self, coverage: Coverage) -> "NumbersResult":
        """The same with other intervals."""
        return replace(self, coverage=coverage)

    @cached_property
    def interval(self) -> Limits:
        """Lower and upper limits, of the estimate's shape."""
        estimate, n, expected = self.estimate, self.n, self.question.people
        if isinstance(estimate, MeansGiven):
            return estimate.within(self._reach) if self.coverage.watched else estimate.interval(self.each)
        limits = self.coverage.limits(
            self._fixed_limits,
            estimate.value,
            estimate.stderr,
            each=self.each,
            n=n,
            expected=expected,
            moved=self.moved,
            part=self.part,
        )
        return possible_limits(estimate.value, limits, self.possible)

    @property
    def _fixed_limits(self) -> Limits:
        """Limits for one look at honest reports; what is made of them for more knows of normal ones."""
        normal = self.coverage.watched or self.coverage.forged
        return NormalEstimate.interval(self.estimate, self.each) if normal else self.estimate.interval(self.each)

    @cached_property
    def possible(self) -> Limits:
        """The ends of what each number can be, of the estimate's shape; a coefficient can be any."""
        ranges = self.question.ranges
        match self.question.part.asked:
            case "mean":
                shares = len(self.question.missing_shares)
                return np.array([*ranges.low, *[0.0] * shares]), np.array([*ranges.high, *[1.0] * shares])
            case "covariance":
                # Popoviciu: none is larger than the product of two halves of ranges; and no variance is below 0.
                most = np.outer(ranges.half, ranges.half)
                return np.where(np.eye(ranges.d, dtype=np.bool_), 0.0, -most), most
            case "regression":
                endless = np.full(self.estimate.value.shape, np.inf)
                return -endless, endless

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
        names = self.question.attribute_names
        match self.question.part.asked:
            case "mean":
                told = [(name, j) for j, name in enumerate(names) if j not in self._untold]
                told += [(f"{names[j]} missing", len(names) + i) for i, j in enumerate(self.question.missing_shares)]
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
        return self._errors_of(self.n)

    def _errors_of(self, n: int) -> float:
        return self.coverage.errors(n, self.question.people, self.each)

    @property
    def notes(self) -> tuple[str, ...]:
        """What is not told of the question, and why."""
        rule = "too few reports show that anybody has this number, so its mean is not estimated"
        said = f"{rule}: {self.coverage.step('leave it out')}"
        return tuple(f"{self.question.attribute_names[j]}: {said}{self._reports_needed(j)}" for j in self._untold)

    def _reports_needed(self, place: int) -> str:
        # Forecasts are loaded where something is not told.
        from sordino.survey.estimates.awaited import means_awaited
        from sordino.survey.forecasts.forecast import in_two_digits

        found = means_awaited(self.question, place, self._errors_of)
        if found is None:
            return ""
        # Of people who are as forecasts take them so many would have told it.
        when = "are" if found > self.n else "were"
        return f" (about {in_two_digits(found)} reports {when} expected to be enough)"

    @property
    def count(self) -> int:
        """How many rows there are: of all labels, and of the share of complete cases."""
        return len(self.labels) + (self.complete is not None)

    @cached_property
    def numbers(self) -> Numbers:
        """Of what is estimated, in the order of the question, the columns of a table."""
        (low, high), at = self.interval, tuple(zip(*(place for _, place in self.labels), strict=True))
        numbers = {"estimate": self.estimate.value, "stderr": self.estimate.stderr, "low": low, "high": high}
        numbers |= {} if self.fitted is None else {"fitted": self.fitted}
        numbers |= {"moved": self.moved} if self.coverage.forged else {}
        found = {name: column[at] for name, column in numbers.items()}
        return {
            name: np.append(column, self._complete[name]) if self._complete else column
            for name, column in found.items()
        }

    @cached_property
    def _complete(self) -> dict[str, float]:
        """Of the share of complete cases, the same numbers; none where everybody is one."""
        if self.complete is None:
            return {}
        share, stderr, limits = self.complete
        if self.coverage.watched:
            limits = share - self._reach * stderr, share + self._reach * stderr
        low, high = possible_limits(share, limits)
        fitted = float(np.clip(share, 0, 1))
        return {"estimate": share, "stderr": stderr, "low": float(low), "high": float(high), "fitted": fitted}

    def quantities(self) -> Iterator[Quantities]:
        """Each mean and covariance by itself, all coefficients together; the share of complete cases, if of these."""
        question, rows = self.question, list(self.rows())
        values = {one.name: values_of(one) for one in question.attributes}
        told, others = rows[: len(self.labels)], rows[len(self.labels) :]
        yield from (self._regression_quantities if question.part.asked == "regression" else self._moment_quantities)(
            told, values
        )
        for row in others:
            measured: Measured = {COMPLETE: MeasuredNumber(head_of(row), limits_of(row, 0.0, 1.0))}
            key = (COMPLETE, question.part.asked, frozenset(question.attribute_names))
            yield Quantities(question.name, f"{COMPLETE} of the {question.name}", key, values, measured)

    def _regression_quantities(self, rows: Sequence[EstimateRow], values: Values) -> Iterator[Quantities]:
        """Those of one regression; what others are compared to is in the names of the rows."""
        *features, target = self.question.attribute_names
        *widths, own = (2 * self.question.ranges.half).tolist()
        measured: Measured = {
            str(row["value"]): MeasuredNumber(head_of(row), limits_of(row), (0.0, own / width), is_share=False)
            for width, row in zip([nan, *widths], rows, strict=True)
        }
        key, name = ("regression", target, frozenset(features), frozenset(measured)), self.question.name
        yield Quantities(name, name, key, values, measured)

    def _moment_quantities(self, rows: Sequence[EstimateRow], values: Values) -> Iterator[Quantities]:
        """Means and shares of who lacks a number, or covariances, each by itself."""
        question, numbers = self.question, len(self.question.attribute_names)
        lacking = [question.attribute_names[place] for place in question.missing_shares]
        for (_, places), row, is_date in zip(self.labels, rows, self.dates[: len(rows)], strict=True):
            # After the means the shares of who lacks a number.
            share = places[0] >= numbers
            names = [lacking[places[0] - numbers]] if share else [question.attribute_names[place] for place in places]
            kind = "share" if share else question.part.asked
            name = f"{kind} of {row['value']}"
            ranges = [question.intervals[question.attribute_names.index(one)] for one in names]
            scale = (0.0, 1.0) if share else moment_scale(ranges)
            ends = tuple(float(end[places]) for end in self.possible)
            about_it = {**head_of(row), "attribute": name}
            told = MeasuredNumber(about_it, limits_of(row, *ends), scale, share, is_date)
            # Of complete cases it is of other people where other numbers may be missing.
            others = frozenset(lacking) - frozenset(names) if question.of_complete else frozenset()
            about = kind, frozenset(names), others
            yield Quantities(question.name, name, about, {one: values[one] for one in names}, {about: told})

    def kind(self, place: int) -> str:
        """What a row is: a mean, a covariance or a coefficient; or missing, after the means; or complete, last."""
        if place == len(self.labels):
            return "complete"
        (_, (first, *_)) = self.labels[place]
        # A regression on categories has more coefficients than attributes.
        lacking = self.question.part.asked == "mean" and first >= len(self.question.attribute_names)
        return MISSING if lacking else self.noun

    @cached_property
    def dates(self) -> tuple[bool, ...]:
        """Which rows are means of dates."""
        if self.question.part.asked != "mean":
            return (False,) * self.count
        numbers = [attribute.is_date for attribute in self.question.attributes]
        # After the means stand the shares of who lacks a number.
        return tuple(place < len(numbers) and numbers[place] for _, (place,) in self.labels)

    def label(self, place: int) -> str:
        """Of one row."""
        return COMPLETE if place == len(self.labels) else self.labels[place][0]

    def rows(self) -> Iterator[EstimateRow]:
        """What is estimated, in the order of the question."""
        name, numbers = self.question.name, self.numbers
        for place in range(self.count):
            head: EstimateRow = {"attribute": name, "value": self.label(place)}
            yield head | numbers_at(numbers, place)

    def blocks(self) -> tuple[Block, ...]:
        """What is estimated with its intervals, and a chart of it."""
        facts: dict[str, object] = (
            {"simultaneous": self.together, "each": self.each} if self.coverage.simultaneous else {}
        )
        facts |= {"untold": "; ".join(self.notes)} if self.notes else {}
        heading = Heading(
            self.question.name, self.question.part.asked, tuple(self.question.attribute_names), self.n, facts
        )
        whose = self.question.whose
        match self.question.part.asked:
            case "mean":
                chart = Plot(
                    PointChart, lambda: means_chart(self.question, self.labels, self.numbers, self.own_rows, self.dates)
                )
            case "regression":
                chart = Plot(PointChart, lambda: coefficient_chart(self.question, self.numbers, self.own_rows))
            case "covariance":
                chart = Plot(CorrelationChart, lambda: correlation_chart(self.question.attribute_names, self.fitted))
        return heading, BlockGroup(whose[0].upper() + whose[1:], (chart, self._table))

    def findings(self) -> Iterator[Finding]:
        """The first mean; or which covariance or coefficient is farthest from 0, if any is beyond noise."""
        question, confidence = self.question, self.coverage.confidence
        if question.part.asked == "mean":
            # Where nobody may have any of the numbers, only the shares of who lacks them are estimated.
            if self.kind(0) == self.noun:
                place = self.labels[0][1]
                whose = f"{self.label(0)}{' among those who have it' if question.attributes[place[0]].optional else ''}"
                possible = tuple(float(end[place]) for end in self.possible)
                is_date = self.dates[0]
                yield middle_finding(whose, "mean", self.own_rows[0], possible, confidence, is_date=is_date)
            return
        # Neither a variance, at two equal places, nor the intercept, at 0, relates two numbers.
        related = [at for at, (_, place) in enumerate(self.labels) if place[0] != (*place, 0)[1]]
        wide = self.with_coverage(self.coverage.for_all(len(related))).own_rows
        yield from clearest(question.whose, self.noun, [(self.label(at), wide[at]) for at in related], confidence)

    @property
    def _table(self) -> QuantityTable:
        name = self.question.name
        said = [self.coverage.sentence("number", self.together)]
        said += [] if self.fitted is None else [Sentence(FITTED, Purpose.COLUMNS)]
        said += [Sentence(text, Purpose.POPULATION) for text in (*self._complete_cases, *(f"{n}." for n in self.notes))]
        return QuantityTable(
            question=name,
            about=self.about,
            columns=self.numbers,
            label=self.label,
            kind=self.kind,
            key=lambda place: {"attribute": name, "value": self.label(place)},
            confidence=self.coverage.confidence,
            title=f"{self.n:,} reports; {self.question.whose}",
            noun=self.noun,
            are_shares=False,
            is_date=self.dates.__getitem__,
            sentences=tuple(said),
        )

    @property
    def _complete_cases(self) -> Iterator[str]:
        """Of whom it is, and of how many; nothing where it is of everybody, or of each number by itself."""
        if self.complete is not None:
            low, high = (100 * self.numbers[end][-1] for end in ("low", "high"))
            yield (
                f"These results describe only the people who have all of these numbers, {low:.1f} to {high:.1f} % of"
                f" everyone (the row {COMPLETE!r})."
            )

    @property
    def own_rows(self) -> tuple[dict[str, float], ...]:
        """The numbers of all rows, in their own units."""
        return tuple(numbers_at(self.numbers, place) for place in range(self.count))
