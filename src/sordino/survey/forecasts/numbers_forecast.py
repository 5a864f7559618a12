"""What a plan will show about means, covariances or coefficients, before anybody is asked."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sordino.design.numbers.numbers_accuracy import RARELY, NumbersAccuracy
from sordino.estimation.moment_estimator import moment_names
from sordino.survey.forecasts.forecast import Forecast, ForecastTable, Z, crowd, needed_for, nothing_learned
from sordino.survey.questions.numbers import NumbersQuestion

FIFTH = (
    "Assumes features with a standard deviation of a fifth of their ranges that are uncorrelated and explain half of"
    " the target; for a better forecast, give a public sample (`expect`)."
)
"""What the expected errors of coefficients rest on."""

OF_CATEGORIES = "Categories are assumed to be equally common and unrelated to everything else."
"""The same of features that are no numbers."""


@dataclass(frozen=True)
class NumbersForecast(Forecast):
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
        return self.records is not None or self.question.expected_people is not None

    @cached_property
    def plan(self) -> NumbersAccuracy:
        """Of this plan."""
        return self.question.forecast(self.records)

    @cached_property
    def uniform(self) -> NumbersAccuracy:
        """Under plain LDP at the least delta."""
        return self.question.forecast_uniform(self.records)

    @cached_property
    def refusal_rate(self) -> float:
        """The part of such surveys in which a regression is refused, since noise hides how its features vary."""
        if self.question.part.asked != "regression":
            return 0.0
        return self.question.expectation(self.records).refusal_rate(self.question.people)

    @cached_property
    def people_needed(self) -> int | None:
        """Asked this question, for intervals that say something or a regression that is rarely refused."""
        people = self.question.people
        if self.question.part.asked == "regression":
            return self._rarely_refused if self.refusal_rate > RARELY else people
        found = [
            needed_for(people, error, most) for error, most in zip(self.plan.stderr, self.plan.largest, strict=True)
        ]
        return None if None in found else max(number or 0 for number in found)

    @property
    def _rarely_refused(self) -> int | None:
        # Of people whom the plan expects it is the number that stands beside its results.
        if self.records is None or self.question.expected_people is not None:
            return self.question.rarely_refused
        return self.question.expectation(self.records).enough(self.question.people)

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
            nothing_learned(self.question, f"the {self.question.part.asked} of {worst[0]}", self.people_needed)
            if worst
            else None
        )

    def _refusal(self) -> str | None:
        refused, about = self.refusal_rate, ""
        if not self.is_known and refused <= RARELY:
            narrow = self.question.expectation(self.question.narrow)
            refused, about = (
                narrow.refusal_rate(self.question.people),
                ", if the features have a standard deviation of a tenth of their ranges",
            )
            needed = narrow.enough(self.question.people) if refused > RARELY else 0
        else:
            needed = self.people_needed
        if refused <= RARELY:
            return None
        enough = (
            "No number of people is enough: a feature hardly varies, or depends on the others"
            if needed is None
            else f"This becomes rare with {crowd(self.question, needed)}"
        )
        return (
            f"{self.question.name}: expect NO ANSWER in about {100 * refused:.0f} of 100 such surveys{about}: the noise"
            f" hides how the features vary, and the regression is refused. {enough}."
        )

    @property
    def largest_part(self) -> float:
        """Of a mean in parts of its range, of a covariance of a product of halves, of a coefficient of its effect.

        Of an intercept, of which nothing says what is possible, there is none.
        """
        return max(self._parts())

    def _parts(self) -> Iterator[float]:
        """The standard error of each number in parts of all that is possible."""
        errors, most = self.plan.stderr, self.plan.largest
        if self.question.part.asked != "regression":
            yield from (error / (2 * half) for error, half in zip(errors, most, strict=True))
            return
        *features, target = self.question.ranges.half
        _, *slopes = errors[: len(features) + 1]
        yield from (error * float(half / target) for error, half in zip(slopes, features, strict=True))
        # After the coefficients the share of complete cases, if they are of these.
        yield from errors[len(features) + 1 :]

    @property
    def fewest_reports(self) -> int | None:
        """One about each moment, and as many as a regression is rarely refused with; None where no number suffices."""
        needed = len(moment_names(self.question.query))
        if self.refusal_rate <= RARELY:
            return needed
        return None if self.people_needed is None else max(needed, self.people_needed)

    def errors(self) -> Iterator[tuple[str, float]]:
        """Of each number that is estimated."""
        for label, error in zip(self.plan.labels, self.plan.stderr, strict=True):
            yield f"{self.question.name}: {label}", float(error)

    def tables(self) -> Sequence[ForecastTable]:
        """The expected standard errors, and those under LDP at the least delta."""
        question, other = self.question, self.uniform
        rows = [
            (label, f"{error:.3g}", f"{uniform:.3g}")
            for label, error, uniform in zip(self.plan.labels, self.plan.stderr, other.stderr, strict=True)
        ]
        bits = (str(question.query.code_bits), str(question.uniform.code_bits))
        rows.append((f"bits a report ({question.channel_name})", *bits))
        notes: tuple[str, ...] = ()
        if not self.is_known and question.part.asked == "regression":
            notes = (FIFTH, OF_CATEGORIES) if question.part.base else (FIFTH,)
        return (ForecastTable(("expected standard error", "this plan", "uniform LDP"), rows, notes),)

    def json(self) -> dict[str, Any]:
        """Its queries, and the expected errors."""
        return {
            "asked": self.question.kind,
            "mechanism": self.question.channel_name,
            "attributes": self.question.attribute_names,
            "queries": self.question.part.queries,
            "expected": self.plan.json(),
            "expected_uniform": self.uniform.json(),
            "refused": self.refusal_rate,
        }
