"""What a plan's reports say about a linear regression."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import nan

import numpy as np

from sordino.blocks.block import Plot
from sordino.blocks.charts import PointChart
from sordino.estimation.intervals.forged import Limits, moved_coefficients
from sordino.estimation.linear_regression import least_squares, projected_least_squares
from sordino.estimation.means_and_covariances import NormalEstimate
from sordino.mechanism.channel import Aggregate
from sordino.survey.kinds.estimate_rows import EstimateRow
from sordino.survey.kinds.numbers.numbers_question import NumbersQuestion
from sordino.survey.kinds.numbers.numbers_result import NumbersResult
from sordino.survey.kinds.quantities import Measured, MeasuredNumber, Quantities, Values, head_of, limits_of
from sordino.survey.kinds.question import Floats


@dataclass(frozen=True, eq=False, repr=False)
class RegressionResult(NumbersResult):
    """Coefficients, shape (1 + a,), with the intercept first, and those that noise cannot have made impossible."""

    noun = "coefficient"
    about = "feature"

    @staticmethod
    def estimates(question: NumbersQuestion, aggregate: Aggregate) -> tuple[NormalEstimate, Floats]:
        asked, ranges = question.told_by, question.ranges
        found = least_squares(asked, aggregate, ranges.d - 1, None, ranges)
        return found, projected_least_squares(asked, aggregate, ranges.d - 1, None, ranges).value

    @staticmethod
    def move(question: NumbersQuestion, aggregate: Aggregate, forged: int) -> tuple[Floats, float]:
        return moved_coefficients(question.told_by, aggregate, question.ranges, forged)

    @cached_property
    def stderr(self) -> Floats:
        """Standard errors, of the estimate's shape."""
        return self.estimate.stderr

    @cached_property
    def possible(self) -> Limits:
        endless = np.full(self.estimate.value.shape, np.inf)
        return -endless, endless

    @cached_property
    def labels(self) -> list[tuple[str, tuple[int, ...]]]:
        return [(name, (j,)) for j, name in enumerate(["intercept", *self.question.ranges.names[:-1]])]

    @cached_property
    def titles(self) -> list[str]:
        return ["intercept", *self.question.titles[:-1]]

    def _quantities(self, rows: Sequence[EstimateRow], values: Values) -> Iterator[Quantities]:
        """Those of one regression; what others are compared to is in the names of the rows."""
        *features, target = self.question.attribute_names
        *widths, own = (2 * self.question.ranges.half).tolist()
        measured: Measured = {
            str(row["value"]): MeasuredNumber(head_of(row), limits_of(row), (0.0, own / width), is_share=False)
            for width, row in zip([nan, *widths], rows, strict=True)
        }
        key, name = ("regression", target, frozenset(features), frozenset(measured)), self.question.name
        yield Quantities(name, name, key, values, measured)

    @property
    def _chart(self) -> Plot:
        return Plot(PointChart, self._coefficient_chart)

    def _coefficient_chart(self) -> PointChart:
        """Each coefficient times its feature's range: all in the target's unit, so that they can be compared."""
        question = self.question
        *features, target = question.titles
        widths = 2 * question.ranges.half[:-1]
        # After the intercept; the share of complete cases may follow.
        of_features = slice(1, 1 + len(features))
        value, low, high = (widths * self.numbers[name][of_features] for name in ("estimate", "low", "high"))
        note = (
            "A point is a coefficient times the range of its feature, so that features can be compared; the numbers on"
            " the right are the coefficients in their own units."
        )
        if question.part.base:
            note += " For a category it is the difference from the base category, all else equal."
        what, own = f"{len(features)} coefficients that explain {target}", self.own_rows[of_features]
        unit = f"change of {target} over the whole range of the feature"
        return PointChart(what, tuple(features), (value, low, high), own, unit, (), has_zero=True, note=note)
