"""How many people a survey takes, so that everything it asks is told as exactly as wanted.

An accuracy is the half-width of an interval, as polls say it ("within one percentage point"), in parts of all that is
possible: of a share, of a range and of a distribution function in shares, of a mean in parts of the number's range, of
a covariance in parts of what two numbers' ranges make possible, of a coefficient of what the feature's whole range
makes in the target's. An intercept, of which nothing says what is possible, counts not. Of a distribution it is about
its ranges and quantiles where these are asked for, else about its function. Of a series each period's own intervals are
so accurate.

What is expected of the people decides. Where nothing is, shares, distributions and means are taken at their worst,
covariances and coefficients as forecasts take them: at their worst numbers do not vary, and are not estimated.
"""

from math import ceil, isfinite

from sordino.errors import SordinoError
from sordino.estimation.intervals.share_interval import errors_to_either_side
from sordino.exact.messages import shown
from sordino.survey.kinds.question_forecast import Forecast
from sordino.survey.planning.expectations import Expectations
from sordino.survey.planning.forecast import forecasts
from sordino.survey.planning.plan import Plan
from sordino.survey.schema.attribute_part import MOST_PEOPLE

ROUNDING = 1e-12
"""Relative: a number of people that is whole but for rounding is not rounded up."""

TRIES = 60
"""Of larger and larger numbers, since errors of products of means fall a little faster than one over the root."""


def half_width(forecast: Forecast, confidence: float) -> float:
    """The widest interval that is expected, half of it, in parts of all that is possible."""
    return errors_to_either_side(confidence) * forecast.largest_part


def is_within(forecast: Forecast, accuracy: float, confidence: float) -> bool:
    """Whether a question is expected to be answered, its widest interval at most so far to each side."""
    fewest = forecast.fewest_reports
    is_answered = fewest is not None and fewest <= forecast.question.people
    return is_answered and half_width(forecast, confidence) <= accuracy * (1 + ROUNDING)


def sample_size(plan: Plan, accuracy: float, confidence: float, expected: Expectations | None = None) -> int:
    """The least number of people whose widest expected interval is at most so far to each side.

    Args:
        plan: of the survey, for any number of people: its mechanisms do not depend on it.
        accuracy: half-width of the widest interval, in parts of all that is possible, below 1.
        confidence: of each interval by itself, in (0, 1).
        expected: what the people are like.

    Raises:
        SordinoError: an accuracy or a confidence that is none, or more people than a plan can have.
    """
    require_accuracy(accuracy, confidence)
    times = periods_of(plan)
    many = plan.for_people(MOST_PEOPLE)
    people = max(_sample_size(each, accuracy, confidence) for each in forecasts(many, expected))
    for _ in range(TRIES):
        if times * people > MOST_PEOPLE:
            break
        found = forecasts(plan.for_people(people), expected)
        more = max(_sample_size(each, accuracy, confidence) for each in found)
        if more <= people:
            return times * people
        people = more
    raise too_many_people(accuracy)


def people_with(plan: Plan, forecast: Forecast, part: float, accuracy: float, confidence: float) -> int | None:
    """About how many people give an accuracy of a question whose largest error is this; None where no number does.

    Args:
        plan: whose forecast it is.
        part: the standard error with the plan's people, in parts of all that is possible.
    """
    times = errors_to_either_side(confidence) * part / accuracy
    needed = periods_of(plan) * forecast.question.people / forecast.question.share
    if not times**2 <= MOST_PEOPLE / float(needed):
        return None
    return max(1, ceil(float(needed) * times**2 * (1 - ROUNDING)))


def periods_of(plan: Plan) -> int:
    """Among how many periods the people are shared: those of a series, or 1."""
    return 1 if plan.series is None else plan.series.periods


def require_accuracy(accuracy: float, confidence: float) -> None:
    """Refuse what is none.

    Raises:
        SordinoError: an accuracy or a confidence outside (0, 1).
    """
    for name, given in (("accuracy", accuracy), ("confidence", confidence)):
        if not 0 < given < 1:
            step = "0.01 is one percentage point" if name == "accuracy" else ""
            raise SordinoError(f"{name} must lie between 0 and 1", found=shown(given), step=step)


def _sample_size(forecast: Forecast, accuracy: float, confidence: float) -> int:
    """How many people the whole survey needs for this question, as far as its errors at that many tell."""
    question = forecast.question
    wide = half_width(forecast, confidence)
    if not isfinite(wide):
        raise too_many_people(accuracy, question.name)
    times = wide / accuracy
    # Nobody's square, which floats may not hold.
    if times > MOST_PEOPLE:
        raise too_many_people(accuracy, question.name)
    needed = max(1, ceil(question.people * times**2 * (1 - ROUNDING)))
    fewest = forecast.fewest_reports
    if fewest is None:
        raise too_many_people(accuracy, question.name)
    needed = max(needed, fewest)
    if wide > accuracy * (1 + ROUNDING):
        needed = max(needed, question.people + 1)
    return ceil(needed / question.share)


def too_many_people(accuracy: float, name: str = "") -> SordinoError:
    """That an accuracy takes more people than a plan can have."""
    return SordinoError(
        f"an accuracy of {accuracy:g} must take at most {MOST_PEOPLE:,} people",
        found="more people" + (f" for {name}" if name else ""),
        step="take a larger number, raise epsilon, or ask less",
    )
