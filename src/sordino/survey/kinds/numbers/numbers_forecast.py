"""What a plan will show about means and covariances, before anybody is asked."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sordino.design.numbers.numbers_accuracy import NumbersAccuracy
from sordino.estimation.moment_estimator import moment_names
from sordino.survey.kinds.numbers.numbers_question import NumbersQuestion
from sordino.survey.kinds.question_forecast import (
    ExpectedError,
    Forecast,
    ForecastTable,
    Z,
    needed_for,
    nothing_learned,
)

SPREAD = "Assumes uncorrelated numbers with a standard deviation of a fifth of their ranges."
"""What the expected errors of means and covariances rest on."""

AT_MOST = f"{SPREAD} `At most` holds whatever people are like."
"""Assumptions behind the expected errors of means and covariances."""


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
    def people_needed(self) -> int | None:
        people = self.question.people
        found = [
            needed_for(people, error, most) for error, most in zip(self.plan.stderr, self.plan.largest, strict=True)
        ]
        return None if None in found else max(number or 0 for number in found)

    @cached_property
    def warning(self) -> str | None:
        worst = [
            label
            for label, error, most in zip(self.plan.labels, self.plan.stderr, self.plan.largest, strict=True)
            if Z * error >= most
        ]
        return (
            nothing_learned(self.question, f"the {self.question.kind} of {worst[0]}", self.people_needed)
            if worst
            else None
        )

    @property
    def largest_part(self) -> float:
        """Of a mean in parts of its range, of a covariance of a product of ranges, of a coefficient of its effect.

        Of people as assumed, where nothing is expected: their largest covariances rest on that.
        """
        return self.assumed_part

    @property
    def assumed_part(self) -> float:
        return max(self._parts(self.plan))

    @property
    def worst_part(self) -> float:
        """The largest whatever people are like, where nothing is expected; infinite where nothing bounds it."""
        if self.is_known:
            return self.assumed_part
        return inf if self.largest is None else max(self._parts(self.largest))

    @cached_property
    def largest(self) -> NumbersAccuracy | None:
        """The largest errors of unknown people; None of coefficients, and where people are expected to be such."""
        return None if self.is_known else self.question.largest_forecast()

    def _parts(self, accuracy: NumbersAccuracy) -> Iterator[float]:
        errors, most = accuracy.stderr, accuracy.largest
        yield from (error / (2 * half) for error, half in zip(errors, most, strict=True))

    @property
    def fewest_reports(self) -> int | None:
        return len(moment_names(self.question.query))

    @property
    def assumption(self) -> str:
        return "" if self.is_known else SPREAD

    def errors(self) -> Iterator[ExpectedError]:
        for label, own, uniform in zip(self.plan.labels, self.plan.stderr, self.uniform.stderr, strict=True):
            alone = f"{self.question.kind} of {label}"
            name = alone if self.question.name in (label, alone) else f"{self.question.name}: {label}"
            yield ExpectedError(name, float(own), float(uniform), unit="")

    def tables(self) -> Sequence[ForecastTable]:
        """The expected standard errors, the largest of unknown people, and those under LDP at the least delta."""
        question = self.question
        columns = [("this plan", self.plan, question.query), ("uniform LDP", self.uniform, question.uniform)]
        if self.largest is not None:
            columns.insert(1, ("at most", self.largest, question.query))
        errors = [[f"{error:.3g}" for error in each.stderr] for _, each, _ in columns]
        rows = list(zip(self.plan.labels, *errors, strict=True))
        rows.append((f"bits a report ({question.channel_name})", *(str(asked.code_bits) for _, _, asked in columns)))
        header = ("expected standard error", *(title for title, _, _ in columns))
        return (ForecastTable(header, rows, tuple(self._notes())),)

    def _notes(self) -> Iterator[str]:
        if not self.is_known:
            yield AT_MOST

    def json(self) -> dict[str, Any]:
        return {
            "asked": self.question.kind,
            "mechanism": self.question.channel_name,
            "attributes": self.question.attribute_names,
            "queries": self.question.part.queries,
            "expected": self.plan.json(),
            "expected_uniform": self.uniform.json(),
            "refused": 0.0,
            **({} if self.largest is None else {"expected_largest": self.largest.json()}),
        }


class MeanForecast(NumbersForecast):
    """What will be shown about means: of unknown people the largest errors of all populations are known."""

    @property
    def largest_part(self) -> float:
        return self.worst_part
