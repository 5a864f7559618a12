"""Charts of means, covariances and coefficients."""

from collections.abc import Mapping, Sequence

import numpy as np

from sordino.blocks.charts import CorrelationChart, PointChart
from sordino.domain.interval import Interval
from sordino.survey.estimates.rows import Numbers
from sordino.survey.questions.numbers import NumbersQuestion
from sordino.survey.questions.question import Floats

Rows = tuple[Mapping[str, float], ...]
"""The numbers of all rows, in their own units."""


def means_chart(
    question: NumbersQuestion,
    labels: Sequence[tuple[str, tuple[int, ...]]],
    columns: Numbers,
    own: Rows,
    dates: tuple[bool, ...],
) -> PointChart:
    """Numbers of one range on one axis; of several, whose units may differ, each on a scale of its own."""
    # Of numbers that may be missing the shares of those who lack them follow.
    ends = [*question.intervals, *(Interval(0, 1) for _ in question.missing_shares)]
    names = tuple(name for name, _ in labels)
    scales = [(end.low, end.high) for end in (ends[place[0]] for _, place in labels)]
    about = "means and shares" if question.missing_shares else "means"
    drawn, what = (columns["estimate"], columns["low"], columns["high"]), f"{len(names)} {about}"
    note = f"The numbers on the right are the {about}."
    if len(set(scales)) == 1:
        return PointChart(what, names, drawn, own, "mean", (), has_zero=False, note=note, dates=dates)
    note += " Each row has its own scale; do not compare rows."
    unit = "each on its own scale, over its whole range"
    return PointChart(what, names, drawn, own, unit, scales, has_zero=False, note=note, dates=dates)


def coefficient_chart(question: NumbersQuestion, columns: Numbers, rows: Rows) -> PointChart:
    """Each coefficient times its feature's range: all in the target's unit, so that they can be compared."""
    *features, target = question.ranges.names
    widths = 2 * question.ranges.half[:-1]
    # After the intercept; the share of complete cases may follow.
    of_features = slice(1, 1 + len(features))
    value, low, high = (widths * columns[name][of_features] for name in ("estimate", "low", "high"))
    note = (
        "A point is a coefficient times the range of its feature, so that features can be compared; the numbers on"
        " the right are the coefficients in their own units."
    )
    if question.part.base:
        note += " For a category it is the difference from the base category, all else equal."
    what, own = f"{len(features)} coefficients that explain {target}", rows[of_features]
    unit = f"change of {target} over the whole range of the feature"
    return PointChart(what, tuple(features), (value, low, high), own, unit, (), has_zero=True, note=note)


def correlation_chart(names: Sequence[str], covariance: Floats | None) -> CorrelationChart:
    """The correlations of the fitted matrix, which noise cannot have made impossible."""
    fitted = np.zeros((len(names), len(names))) if covariance is None else covariance
    note = (
        "Correlations of the fitted covariances, without intervals: see the intervals of the covariances."
        " A number with a fitted variance of zero has no correlations."
    )
    return CorrelationChart(tuple(names), fitted, note)
