"""A survey frozen into a plan, with what its questions will show."""

from dataclasses import dataclass
from math import sqrt
from typing import Any

from sordino.errors import SordinoError
from sordino.survey.forecasts.forecast import Forecast
from sordino.survey.frozen.parts import MOST_PEOPLE
from sordino.survey.planning.expected import Expectations, expected_of_sample, expected_of_survey
from sordino.survey.planning.forecast import forecasts, require_learnable
from sordino.survey.planning.people_for import half_width, people_for, require_accuracy, too_many_people
from sordino.survey.planning.plan import Plan
from sordino.survey.reading.schema import Survey


@dataclass(frozen=True)
class Frozen:
    """A plan, and what is expected of it.

    Attributes:
        plan: of the survey.
        forecasts: what each of its questions will show.
        confidence: of the intervals of an accuracy.
    """

    plan: Plan
    forecasts: tuple[Forecast, ...]
    confidence: float

    @property
    def periods(self) -> int:
        """Of its series; 1 without."""
        return 1 if self.plan.series is None else self.plan.series.periods

    def widest(self) -> tuple[Forecast, float]:
        """The question with the widest interval, of one period in a series, and half of it in parts of all possible."""
        each = sqrt(self.periods)
        widths = [(each * half_width(forecast, self.confidence), forecast) for forecast in self.forecasts]
        width, forecast = max(widths, key=lambda found: found[0])
        return forecast, width


def freeze(
    survey: object, people: int | None, accuracy: float | None = None, confidence: float = 0.95, expect: Any = None
) -> Frozen:
    """The plan of a survey, and what its questions will show.

    Args:
        survey: a survey, its tables, or the path of its file.
        people: how many are expected to answer; or
        accuracy: what the intervals are to be at most to each side, as `people_for` says; of a series those of each
            period.
        confidence: of these intervals.
        expect: a public sample of people like those who will answer, a frame or the path of a table; otherwise what the
            survey expects of its attributes counts.

    Raises:
        SordinoError: neither people nor an accuracy, or both; a survey with mistakes, or from which nothing can be
            learned.
    """
    if (people is None) == (accuracy is None):
        found = "neither" if people is None else "both"
        raise SordinoError(
            "either people or an accuracy must be given",
            found=found,
            step="give --people N, or --accuracy 0.01 for a percentage point",
        )
    asked = Survey.of(survey)
    if accuracy is not None:
        require_accuracy(accuracy, confidence)
    made = Plan.of(asked, MOST_PEOPLE if people is None else people)
    by_default = forecasts(made)
    require_learnable(by_default)
    known = expected_of_survey(made.questions, asked) if expect is None else _of_sample(made, expect)
    made = made if expect is None else made.with_expected(known)
    if accuracy is not None:
        periods = 1 if made.series is None else made.series.periods
        # Of a series each period's own intervals are so accurate.
        needed = periods * people_for(made, accuracy, confidence, known)
        if needed > MOST_PEOPLE:
            raise too_many_people(accuracy)
        made = made.for_people(needed)
    # Where nothing is expected the forecasts are those of the same plan: no regression is simulated again.
    same = accuracy is None and all(own is None for own in known)
    return Frozen(made, by_default if same else forecasts(made, known), confidence)


def _of_sample(plan: Plan, sample: Any) -> Expectations:
    # Tables are read by libraries that are large: only a sample needs them.
    from sordino.tables.expected import read_expected
    from sordino.tables.values import people_table

    return expected_of_sample(plan.questions, read_expected(plan, people_table(plan, sample)))
