"""A survey frozen into a plan, with what its questions will show."""

from sordino.survey.planning.forecast import Forecast, forecasts, require_learnable
from sordino.survey.planning.plan import Plan
from sordino.survey.reading.schema import Survey


def freeze(survey: object, people: int) -> tuple[Plan, tuple[Forecast, ...]]:
    """The plan of a survey, and what its questions will show, for people of whom nothing is known."""
    made = Plan.of(Survey.of(survey), people)
    found = forecasts(made)
    require_learnable(found)
    return made, found
