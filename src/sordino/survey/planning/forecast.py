"""What a plan will show once people have answered, and what it cannot be expected to answer: before anybody is asked.

Forecasts are of the estimates that are shown. They rest on what the people are like, as the plan holds it; where
nothing is known all values are taken to be alike and numbers to spread by a fifth of their range.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import ceil, isfinite
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from sordino.design.accuracy import Accuracy
from sordino.design.histograms.shares_accuracy import SharesAccuracy
from sordino.design.numbers.numbers_accuracy import RARELY, NumbersAccuracy
from sordino.errors import SordinoError
from sordino.survey.planning.distribution_forecast import DistributionForecast
from sordino.survey.planning.expected import Expectations, nothing_expected
from sordino.survey.planning.fitted_forecast import FittedForecast
from sordino.survey.planning.plan import MOST_PEOPLE, Plan, Question
from sordino.survey.questions.distribution import DistributionQuestion
from sordino.survey.questions.numbers import NumbersQuestion
from sordino.survey.questions.question import SharesQuestion

Z = 1.96
"""Standard errors of a 95 % interval to either side."""

HALF = 0.5
"""The half-width of an interval of all numbers from 0 to 1."""

TENTH = 0.1
"""An interval that says something: a tenth of all that is possible."""


@dataclass(frozen=True)
class FittedDistance:
    """How far fitted shares are expected to be from the truth.

    Attributes:
        plan, uniform: of this plan and under uniform protection; where nothing is known of the people, first of a few
            common values, then of values that are all alike.
    """

    plan: tuple[float, ...]
    uniform: tuple[float, ...]


@dataclass(frozen=True)
class SharesForecast:
    """What will be shown about the shares of an attribute's values.

    Attributes:
        question: of a plan.
        shares: that the people are expected to have, shape (k,); None where nothing is known.
        fitted: of all such questions of the plan.
        place: of this one among them.
    """

    question: SharesQuestion
    shares: NDArray[np.float64] | None
    fitted: FittedForecast
    place: int

    @classmethod
    def alone(cls, question: SharesQuestion, shares: NDArray[np.float64] | None) -> "SharesForecast":
        """Of a question that no other one is fitted together with."""
        return cls(question, shares, FittedForecast([question], [shares]), 0)

    @cached_property
    def plan(self) -> SharesAccuracy:
        """Of this plan."""
        return self.question.forecast(self.shares)

    @cached_property
    def uniform(self) -> SharesAccuracy:
        """Under uniform protection."""
        return self.question.forecast_uniform(self.shares)

    @cached_property
    def distance(self) -> FittedDistance:
        """Expected total variation between the fitted shares and the truth."""
        fitted, at = self.fitted, self.place
        if self.shares is not None:
            return FittedDistance((fitted.plan[at],), (fitted.uniform[at],))
        return FittedDistance(
            (fitted.plan_concentrated[at], fitted.plan[at]), (fitted.uniform_concentrated[at], fitted.uniform[at])
        )

    @cached_property
    def candidates(self) -> dict[str, Accuracy]:
        """How exact the estimates of each mechanism that keeps the promise would be, by its name."""
        return self.question.candidates(self.shares)

    @property
    def people_needed(self) -> int | None:
        """Asked this question, for intervals that say something; None where no number suffices."""
        return _needed(self.question.people, self.plan.largest, HALF)

    @property
    def warning(self) -> str | None:
        """Why it cannot be expected to be answered."""
        return _unlearned(self, "a share")


@dataclass(frozen=True)
class NumbersForecast:
    """What will be shown about means, covariances or coefficients.

    Attributes:
        question: of a plan.
        records: scaled numbers that the people are expected to be like, shape (n, d); None for what the plan expects.
    """

    question: NumbersQuestion
    records: NDArray[np.float64] | None

    @property
    def is_known(self) -> bool:
        """Whether anything is known of the people."""
        return self.records is not None or self.question.known is not None

    @cached_property
    def plan(self) -> NumbersAccuracy:
        """Of this plan."""
        return self.question.forecast(self.records)

    @cached_property
    def uniform(self) -> NumbersAccuracy:
        """Under plain LDP at the least delta."""
        return self.question.forecast_uniform(self.records)

    @cached_property
    def refused(self) -> float:
        """The part of such surveys in which a regression is refused, since noise hides how its features vary."""
        if self.question.part.asked != "regression":
            return 0.0
        return self.question.expecting(self.records).refused(self.question.people)

    @cached_property
    def people_needed(self) -> int | None:
        """Asked this question, for intervals that say something or a regression that is rarely refused."""
        people = self.question.people
        if self.question.part.asked == "regression":
            return self._rarely_refused if self.refused > RARELY else people
        found = [_needed(people, error, most) for error, most in zip(self.plan.stderr, self.plan.largest, strict=True)]
        return None if None in found else max(number or 0 for number in found)

    @property
    def _rarely_refused(self) -> int | None:
        # Of people whom the plan expects it is the number that stands beside its results.
        if self.records is None or self.question.known is not None:
            return self.question.rarely_refused
        return self.question.expecting(self.records).enough(self.question.people)

    @cached_property
    def warning(self) -> str | None:
        """Why it cannot be expected to be answered."""
        if self.question.part.asked == "regression":
            return self._refusal()
        worst = [
            label
            for label, error, most in zip(self.plan.labels, self.plan.stderr, self.plan.largest, strict=True)
            if Z * error >= most
        ]
        return (
            _nothing(self.question, f"the {self.question.part.asked} of {worst[0]}", self.people_needed)
            if worst
            else None
        )

    def _refusal(self) -> str | None:
        refused, about = self.refused, ""
        if not self.is_known and refused <= RARELY:
            narrow = self.question.expecting(self.question.narrow)
            refused, about = narrow.refused(self.question.people), ", if the features spread by a tenth of their ranges"
            needed = narrow.enough(self.question.people) if refused > RARELY else 0
        else:
            needed = self.people_needed
        if refused <= RARELY:
            return None
        enough = (
            "No number of people suffices: a feature hardly varies, or depends on the others"
            if needed is None
            else f"Rarely with {_crowd(self.question, needed)}"
        )
        return (
            f"{self.question.name}: expect NO ANSWER in about {100 * refused:.0f} of 100 such surveys{about}: the noise"
            f" hides how the features vary, and the regression is refused. {enough}."
        )


@dataclass(frozen=True)
class CurveForecast(DistributionForecast):
    """What will be shown about a distribution, and how many people that takes."""

    @property
    def people_needed(self) -> int | None:
        """Asked this question, for intervals that say something; None where no number suffices."""
        return _needed(self.question.people, self.plan.largest, HALF)

    @property
    def warning(self) -> str | None:
        """Why it cannot be expected to be answered."""
        return _unlearned(self, "the distribution function")


Forecast: TypeAlias = SharesForecast | CurveForecast | NumbersForecast


def forecasts(plan: Plan, expected: Expectations | None = None) -> tuple[Forecast, ...]:
    """What each question of a plan will show.

    Args:
        plan: frozen.
        expected: what the people who will answer are like, question by question; by default, and where nothing is said
            of a question, what the plan expects.
    """
    given = nothing_expected(plan) if expected is None else expected
    known = [
        question.known if own is None and not isinstance(question, NumbersQuestion) else own
        for question, own in zip(plan.questions, given, strict=True)
    ]
    shares = [place for place, question in enumerate(plan.questions) if isinstance(question, SharesQuestion)]
    fitted = FittedForecast(plan.about_shares, [known[place] for place in shares])
    found: list[Forecast] = []
    for place, (question, own) in enumerate(zip(plan.questions, known, strict=True)):
        if isinstance(question, NumbersQuestion):
            found.append(NumbersForecast(question, own))
        elif isinstance(question, DistributionQuestion):
            found.append(CurveForecast(question, own))
        else:
            found.append(SharesForecast(question, own, fitted, shares.index(place)))
    return tuple(found)


def require_learnable(found: Sequence[Forecast]) -> None:
    """Refuse a survey of which no question could be answered by however many people.

    Raises:
        SordinoError: an epsilon so small that nothing can be learned.
    """
    needed = [forecast.people_needed for forecast in found]
    if all(number is None or number > MOST_PEOPLE for number in needed):
        raise SordinoError(
            "a survey must ask something that can be learned",
            found=f"reports that would need more than {MOST_PEOPLE:,} people",
            step="raise epsilon, or protect fewer values from each other",
        )


def warnings(found: Sequence[Forecast]) -> tuple[str, ...]:
    """What cannot be expected to be answered."""
    return tuple(forecast.warning for forecast in found if forecast.warning is not None)


def _needed(people: int, error: float, most: float) -> int | None:
    """For an interval that is a tenth of all that is possible."""
    if not isfinite(error):
        return None
    return max(1, ceil(people * (Z * error / (TENTH * most)) ** 2))


def _unlearned(forecast: SharesForecast | CurveForecast, what: str) -> str | None:
    """That numbers from 0 to 1 will not be known better than that, if so."""
    wide = Z * forecast.plan.largest >= HALF
    return _nothing(forecast.question, what, forecast.people_needed) if wide else None


def _nothing(question: Question, what: str, needed: int | None) -> str:
    """That an interval is as wide as all that is possible."""
    more = "No number of people suffices" if needed is None else f"A tenth of that takes {_crowd(question, needed)}"
    return (
        f"{question.name}: NOTHING is learned with {question.people:,} people: the 95 % interval of {what} is as wide"
        f" as all that is possible. {more}."
    )


def _crowd(question: Question, needed: int) -> str:
    """A number of people in two digits, of the question and of the whole survey."""
    everybody = ceil(needed / question.share)
    return f"about {in_two_digits(everybody)} people" + (
        f" ({in_two_digits(needed)} asked this)" if question.share < 1 else ""
    )


def in_two_digits(people: int) -> str:
    """A number of people or reports, rounded up."""
    unit = 10 ** max(0, len(str(people)) - 2)
    rounded = -(-people // unit) * unit
    return f"{rounded:,}" if people < 10**15 else f"{float(rounded):.2g}"
