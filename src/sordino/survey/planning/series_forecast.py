"""What a plan with a series will show of each period, and smoothed: widths of intervals, by how rough a number is.

A period has as many people as all others: its errors are those of the whole by the root of the number of periods. How
far a smoothed number is off depends on what it does, which nobody knows beforehand: so for some sizes of steps of a
random walk, in parts of all that is possible, as an accuracy is.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite, sqrt
from typing import Any

from sordino.domain.calendar import Series
from sordino.estimation.intervals.share_interval import errors_to_either_side
from sordino.estimation.smooth_series import smoothed_error
from sordino.survey.kinds.question_forecast import Forecast, finite
from sordino.survey.planning.plan import Plan

STEPS = (0.0, 0.0025, 0.005, 0.01, 0.02)
"""Standard deviations of a change from one period to the next, in parts of all that is possible."""


@dataclass(frozen=True)
class SeriesForecastRow:
    """The widest interval of a question.

    Attributes:
        question: by name.
        one_period: half its width from the reports of one period, in parts of all that is possible.
        smoothed: the same of the curve's band, for each step.
    """

    question: str
    one_period: float
    smoothed: tuple[float, ...]


@dataclass(frozen=True)
class SeriesForecast:
    """All questions.

    Attributes:
        series: the periods.
        people: of one period.
        rows: of the questions.
    """

    series: Series
    people: int
    rows: tuple[SeriesForecastRow, ...]

    def json(self) -> dict[str, Any]:
        """For programs; a width without end is null."""
        rows = [
            {
                "question": row.question,
                "one_period": finite(row.one_period),
                "smoothed": [
                    {"step": step, "half_width": finite(width)} for step, width in zip(STEPS, row.smoothed, strict=True)
                ],
            }
            for row in self.rows
        ]
        return {"every": self.series.every, "people": self.people, "questions": rows}


def series_forecast(plan: Plan, found: Sequence[Forecast], confidence: float = 0.95) -> SeriesForecast | None:
    """What each question will show over time; None of a plan without a series.

    Args:
        plan: frozen.
        found: what its questions will show of all people.
        confidence: of the intervals.
    """
    series = plan.series
    if series is None:
        return None
    errors = errors_to_either_side(confidence)
    rows = []
    for forecast in found:
        error = forecast.largest_part * sqrt(series.periods)
        known = isfinite(error) and error > 0
        parts = [smoothed_error(series.periods, step / error, series.season) if known else 1.0 for step in STEPS]
        smoothed = tuple(errors * error * part for part in parts)
        rows.append(SeriesForecastRow(forecast.question.name, errors * error, smoothed))
    return SeriesForecast(series, plan.people // series.periods, tuple(rows))
