"""A survey frozen into a plan, with what its questions will show."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from sordino.errors import SordinoError
from sordino.estimation.intervals.share_interval import require_confidence
from sordino.survey.planning.expectations import Expectations, expected_of_sample, expected_of_survey
from sordino.survey.planning.forecast import forecasts, require_learnable
from sordino.survey.planning.least_epsilon import find_epsilon
from sordino.survey.planning.plan import Plan
from sordino.survey.planning.sample_size import require_accuracy, sample_size
from sordino.survey.reading.open_epsilon import open_survey
from sordino.survey.reading.survey_file import Survey
from sordino.survey.schema.attribute_part import MOST_PEOPLE
from sordino.verbs.plan_forecast import PlanForecast


def make_plan(
    survey: object,
    people: int | None,
    accuracy: float | None = None,
    confidence: float = 0.95,
    expect: Any = None,
    progress: Callable[[int], None] = lambda _: None,
) -> PlanForecast:
    """The plan of a survey, and what its questions will show.

    Args:
        survey: a survey, its tables, or the path of its file.
        people: how many are expected to answer; or
        accuracy: what the intervals are to be at most to each side, as `sample_size` says, of a series those of each
            period; or both, of a survey without an epsilon, for the least one that gives it (`find_epsilon`).
        confidence: of these intervals.
        expect: a public sample of people like those who will answer, a frame or the path of a table; otherwise what the
            survey expects of its attributes counts.
        progress: called with the number of questions whose mechanism is chosen since the last call.

    Raises:
        SordinoError: neither people nor an accuracy; both of a survey with an epsilon, or none that is enough; a survey
            with mistakes, or from which nothing can be learned.
    """
    if people is None and accuracy is None:
        raise SordinoError(
            "people or an accuracy must be given",
            found="neither",
            step="give `people`, or `accuracy`, 0.01 for a percentage point, or both to find the least epsilon",
        )
    if accuracy is not None:
        require_accuracy(accuracy, confidence)
    if people is None or accuracy is None:
        return _make_plan(Survey.of(survey), people, accuracy, confidence, expect, progress)
    Plan.require_people(people)
    opened = open_survey(survey)

    def make(epsilon: str) -> PlanForecast:
        return _make_plan(opened(epsilon), people, None, confidence, expect, progress)

    found = find_epsilon(make, accuracy, confidence)
    return replace(make(found.epsilon), least=found)


def _make_plan(
    asked: Survey,
    people: int | None,
    accuracy: float | None,
    confidence: float,
    expect: Any,
    progress: Callable[[int], None],
) -> PlanForecast:
    made = Plan.of(asked, MOST_PEOPLE if people is None else people, progress)
    by_default = forecasts(made)
    require_learnable(by_default)
    known = expected_of_survey(made.questions, asked) if expect is None else _of_sample(made, expect)
    made = made if expect is None else made.with_expected(known)
    if accuracy is not None:
        made = made.for_people(sample_size(made, accuracy, confidence, known))
    # Where nothing is expected the forecasts are those of the same plan: no regression is simulated again.
    same = accuracy is None and all(own is None for own in known)
    found = by_default if same else forecasts(made, known)
    return PlanForecast(made, found, confidence, readings=asked.readings)


def forecast_plan(plan: Plan, people: int | None, confidence: float, expect: Any = None) -> PlanForecast:
    """What the questions of a plan will show.

    Args:
        plan: frozen.
        people: how many are expected to answer; by default as many as the plan expects.
        confidence: of the intervals.
        expect: as of `make_plan`; by default what the plan expects of its people counts.

    Raises:
        SordinoError: a confidence outside (0, 1), no such number of people, or a sample that is none.
    """
    require_confidence(confidence)
    if people is not None:
        Plan.require_people(people)
    asked = plan if people is None else plan.for_people(people)
    return PlanForecast(asked, forecasts(asked, None if expect is None else _of_sample(asked, expect)), confidence)


def _of_sample(plan: Plan, sample: Any) -> Expectations:
    # Tables are read by libraries that are large: only a sample needs them.
    from sordino.tables.public_sample import read_expected
    from sordino.tables.values import people_table

    return expected_of_sample(plan.questions, read_expected(plan, people_table(plan, sample)))
