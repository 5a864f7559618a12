"""What a plan's reports say about means; of numbers that may be missing, among those who have them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sordino.blocks.block import Plot
from sordino.blocks.charts import PointChart, Shares
from sordino.blocks.finding import Finding
from sordino.domain.bins import MISSING
from sordino.domain.interval import Interval
from sordino.estimation.intervals.forged import Limits, moved_means
from sordino.estimation.intervals.moment_limits import RatioRows
from sordino.estimation.intervals.quotient import QuotientRows
from sordino.estimation.means_and_covariances import MeansGiven, NormalEstimate, means
from sordino.mechanism.channel import Aggregate
from sordino.survey.kinds.coverage import Coverage
from sordino.survey.kinds.estimate_rows import EstimateRow
from sordino.survey.kinds.number_findings import middle_finding
from sordino.survey.kinds.numbers.numbers_question import NumbersQuestion
from sordino.survey.kinds.numbers.numbers_result import NumbersResult
from sordino.survey.kinds.quantities import MeasuredNumber, Quantities, Values, head_of, limits_of, moment_scale
from sordino.survey.kinds.question import Floats


@dataclass(frozen=True, eq=False, repr=False)
class MeanResult(NumbersResult):
    """Means of numbers, then the shares of who lacks a number that may be missing."""

    noun = "mean"
    about = "number"

    def __post_init__(self) -> None:
        if self.batch is not None and isinstance(self.estimate, MeansGiven):
            self.batch.add(self.question, self.estimate, self._quotient_rows)

    @staticmethod
    def estimates(question: NumbersQuestion, aggregate: Aggregate) -> tuple[NormalEstimate, None]:
        return means(question.told_by, aggregate, None, question.ranges), None

    @staticmethod
    def move(question: NumbersQuestion, aggregate: Aggregate, forged: int) -> tuple[Floats, float]:
        return moved_means(question.told_by, aggregate, question.ranges, forged)

    @cached_property
    def interval(self) -> Limits:
        """Lower and upper limits, of the estimate's shape."""
        estimate = self.estimate
        if isinstance(estimate, MeansGiven):
            return estimate.within(self._reach) if self.coverage.watched else self._single_limits
        return super().interval

    @cached_property
    def _single_limits(self) -> Limits:
        estimate, batch = self.estimate, self.batch
        if batch is None or not isinstance(estimate, MeansGiven):
            return estimate.interval(self.each)
        likely, asked = batch.limits(self.question, self.coverage), self._quotients
        return estimate.interval_with(None if likely is None or asked is None else asked.within(likely), self.each)

    def _quotient_rows(self, coverage: Coverage) -> QuotientRows | None:
        """What the limits of means among those who have the numbers are made of."""
        estimate = self.estimate
        if coverage == self.coverage:
            asked = self._quotients
        else:
            asked = estimate.quotients(self._each_of(coverage)) if isinstance(estimate, MeansGiven) else None
        return None if asked is None else asked.rows

    @cached_property
    def _quotients(self) -> RatioRows | None:
        return self.estimate.quotients(self.each) if isinstance(self.estimate, MeansGiven) else None

    @cached_property
    def possible(self) -> Limits:
        ranges, shares = self.question.ranges, len(self.question.missing_shares)
        return np.array([*ranges.low, *[0.0] * shares]), np.array([*ranges.high, *[1.0] * shares])

    def _each_of(self, coverage: Coverage) -> float:
        # What is not told counts too: whether it is depends on how confident its interval is.
        return (
            coverage.each(self.estimate.value.size)
            if isinstance(self.estimate, MeansGiven)
            else super()._each_of(coverage)
        )

    @cached_property
    def labels(self) -> list[tuple[str, tuple[int, ...]]]:
        names = self.question.attribute_names
        told = [(name, j) for j, name in enumerate(names) if j not in self._untold]
        told += [(f"{names[j]} missing", len(names) + i) for i, j in enumerate(self.question.missing_shares)]
        return [(name, (place,)) for name, place in told]

    @cached_property
    def titles(self) -> list[str]:
        attributes, lacking = self.question.attributes, list(self.question.missing_shares)
        count = len(attributes)
        return [
            attributes[place].title_with_unit
            if place < count
            else f"{attributes[lacking[place - count]].title} missing"
            for _, (place,) in self.labels
        ]

    @cached_property
    def _untold(self) -> tuple[int, ...]:
        """The places of numbers that nobody may have: none has a mean then."""
        return self.estimate.untold(self._reach) if isinstance(self.estimate, MeansGiven) else ()

    @property
    def notes(self) -> tuple[str, ...]:
        rule = "too few reports show that anybody has this number, so its mean is not estimated"
        said = f"{rule}: {self.coverage.step('leave it out')}"
        return tuple(f"{self.question.attributes[j].title}: {said}{self._reports_needed(j)}" for j in self._untold)

    def _reports_needed(self, place: int) -> str:
        # Forecasts are loaded where something is not told.
        from sordino.survey.kinds.question_forecast import in_two_digits
        from sordino.survey.kinds.reports_needed import reports_for_means

        found = reports_for_means(self.question, place, self._errors_of)
        if found is None:
            return ""
        # Of people who are as forecasts take them so many would have told it.
        when = "are" if found > self.n else "were"
        return f" (about {in_two_digits(found)} reports {when} expected to be enough)"

    def _quantities(self, rows: Sequence[EstimateRow], values: Values) -> Iterator[Quantities]:
        question, numbers = self.question, len(self.question.attribute_names)
        lacking = list(question.missing_shares)
        for (_, (place,)), row, is_date in zip(self.labels, rows, self.dates[: len(rows)], strict=True):
            # After the means the shares of who lacks a number.
            share = place >= numbers
            own = lacking[place - numbers] if share else place
            named, kind = question.attribute_names[own], "share" if share else "mean"
            name = f"{kind} of {row['value']}"
            scale = (0.0, 1.0) if share else moment_scale([question.intervals[own]])
            ends = tuple(float(end[place]) for end in self.possible)
            about_it = {**head_of(row), "attribute": name}
            told = MeasuredNumber(about_it, limits_of(row, *ends), scale, share, is_date)
            about = kind, frozenset([named]), frozenset[str]()
            yield Quantities(question.name, name, about, {named: values[named]}, {about: told})

    def kind(self, place: int) -> str:
        (_, (first,)) = self.labels[place]
        return MISSING if first >= len(self.question.attribute_names) else self.noun

    @cached_property
    def dates(self) -> tuple[bool, ...]:
        numbers = [attribute.is_date for attribute in self.question.attributes]
        # After the means stand the shares of who lacks a number.
        return tuple(place < len(numbers) and numbers[place] for _, (place,) in self.labels)

    def findings(self) -> Iterator[Finding]:
        # Where nobody may have any of the numbers, only the shares of who lacks them are estimated.
        if self.kind(0) == self.noun:
            yield self._middle_finding(self.own_rows[0])

    @property
    def leading_name(self) -> str:
        return f"mean of {self.labels[0][0]}"

    def findings_from(self, shares: Shares, together: Limits) -> Iterator[Finding]:
        del together
        yield self._middle_finding({"estimate": shares.estimate[0], "low": shares.low[0], "high": shares.high[0]})

    def _middle_finding(self, row: Mapping[str, float]) -> Finding:
        question, place = self.question, self.labels[0][1]
        whose = f"{self.readable(0)}{' among those who have it' if question.attributes[place[0]].optional else ''}"
        possible = tuple(float(end[place]) for end in self.possible)
        return middle_finding(whose, "mean", row, possible, self.coverage.confidence, is_date=self.dates[0])

    @property
    def _chart(self) -> Plot:
        return Plot(PointChart, self._means_chart)

    def _means_chart(self) -> PointChart:
        """Numbers of one range on one axis; of several, whose units may differ, each on a scale of its own."""
        question, columns = self.question, self.numbers
        # Of numbers that may be missing the shares of those who lack them follow.
        ends = [*question.intervals, *(Interval(0, 1) for _ in question.missing_shares)]
        names = tuple(self.titles)
        scales = [(end.low, end.high) for end in (ends[place[0]] for _, place in self.labels)]
        about = "means and shares" if question.missing_shares else "means"
        drawn, what = (columns["estimate"], columns["low"], columns["high"]), f"{len(names)} {about}"
        note = f"The numbers on the right are the {about}."
        own, dates = self.own_rows, self.dates
        if len(set(scales)) == 1:
            return PointChart(what, names, drawn, own, "mean", (), has_zero=False, note=note, dates=dates)
        note += " Each row has its own scale; do not compare rows."
        unit = "each on its own scale, over its whole range"
        return PointChart(what, names, drawn, own, unit, scales, has_zero=False, note=note, dates=dates)
