"""What a plan's reports say about a covariance matrix."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations_with_replacement

import numpy as np

from sordino.blocks.block import Plot
from sordino.blocks.charts import CorrelationChart
from sordino.estimation.intervals.forged import Limits, moved_covariances
from sordino.estimation.means_and_covariances import NormalEstimate, covariances
from sordino.mechanism.channel import Aggregate
from sordino.printable import join_label, join_names
from sordino.survey.kinds.estimate_rows import EstimateRow
from sordino.survey.kinds.numbers.numbers_question import NumbersQuestion
from sordino.survey.kinds.numbers.numbers_result import NumbersResult
from sordino.survey.kinds.quantities import MeasuredNumber, Quantities, Values, head_of, limits_of, moment_scale
from sordino.survey.kinds.question import Floats


@dataclass(frozen=True, eq=False, repr=False)
class CovarianceResult(NumbersResult):
    """A covariance matrix, shape (a, a), and the nearest one that noise cannot have made impossible."""

    noun = "covariance"
    about = "numbers"

    @staticmethod
    def estimates(question: NumbersQuestion, aggregate: Aggregate) -> tuple[NormalEstimate, Floats]:
        found = covariances(question.told_by, aggregate, None, question.ranges)
        return found, found.nearest_covariance

    @staticmethod
    def move(question: NumbersQuestion, aggregate: Aggregate, forged: int) -> tuple[Floats, float]:
        return moved_covariances(question.told_by, aggregate, question.ranges, forged)

    @cached_property
    def possible(self) -> Limits:
        # Popoviciu: none is larger than the product of two halves of ranges; and no variance is below 0.
        ranges = self.question.ranges
        most = np.outer(ranges.half, ranges.half)
        return np.where(np.eye(ranges.d, dtype=np.bool_), 0.0, -most), most

    @cached_property
    def labels(self) -> list[tuple[str, tuple[int, ...]]]:
        names = self.question.attribute_names
        pairs = combinations_with_replacement(range(len(names)), 2)
        return [(join_names([names[j], names[k]] if j < k else [names[j]]), (j, k)) for j, k in pairs]

    @cached_property
    def titles(self) -> list[str]:
        said = self.question.titles
        return [join_label([said[place] for place in dict.fromkeys(places)]) for _, places in self.labels]

    def _quantities(self, rows: Sequence[EstimateRow], values: Values) -> Iterator[Quantities]:
        question = self.question
        lacking = frozenset(question.attribute_names[place] for place in question.missing_shares)
        for (_, places), row in zip(self.labels, rows, strict=True):
            names = [question.attribute_names[place] for place in places]
            name, scale = f"covariance of {row['value']}", moment_scale([question.intervals[place] for place in places])
            ends = tuple(float(end[places]) for end in self.possible)
            about_it = {**head_of(row), "attribute": name}
            told = MeasuredNumber(about_it, limits_of(row, *ends), scale, is_share=False)
            # Of complete cases it is of other people where other numbers may be missing.
            about = "covariance", frozenset(names), lacking - frozenset(names)
            yield Quantities(question.name, name, about, {one: values[one] for one in names}, {about: told})

    @property
    def _chart(self) -> Plot:
        return Plot(CorrelationChart, self._correlation_chart)

    def _correlation_chart(self) -> CorrelationChart:
        """The correlations of the fitted matrix, which noise cannot have made impossible."""
        names = self.question.titles
        fitted = np.zeros((len(names), len(names))) if self.fitted is None else self.fitted
        note = (
            "Correlations of the fitted covariances, without intervals: see the intervals of the covariances."
            " A number with a fitted variance of zero has no correlations."
        )
        return CorrelationChart(tuple(names), fitted, note)
