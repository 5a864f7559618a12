"""An estimate with its labels: the rows that tables, files and pages show."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sordino.errors import SordinoError
from sordino.estimation.estimate import Estimate, Method, estimate
from sordino.mechanism.aggregate import Aggregate
from sordino.survey.plan import Plan
from sordino.survey.question import Question


@dataclass(frozen=True, eq=False)
class Result:
    """What a plan's reports say about one of its questions.

    Attributes:
        question: that they answer.
        estimate: the shares.
        confidence: of each interval by itself.
    """

    question: Question
    estimate: Estimate
    confidence: float

    @classmethod
    def of(
        cls, plan: Plan, aggregate: Aggregate, method: Method = "simplex", confidence: float = 0.95
    ) -> tuple["Result", ...]:
        """Estimate all questions of a plan from its tally, each from the reports of the people who answered it.

        Raises:
            SordinoError: a question that nobody answered, or what `estimate` refuses.
        """
        results = []
        for question, own in zip(plan.questions, plan.sampled.split(aggregate), strict=True):
            query = question.query
            if own.n == 0:
                raise SordinoError(f"{question.name} must have been answered", found="no reports about it")
            shares = estimate(query.mechanism, own, method, subtract_totals=query.subtract_totals)
            results.append(cls(question, shares, confidence))
            _ = results[-1].interval  # a bad confidence fails here, not while a page is drawn
        return tuple(results)

    @cached_property
    def interval(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Lower and upper limits, shape (k,) each."""
        return self.estimate.interval(self.confidence)

    def largest(self, count: int) -> NDArray[np.intp]:
        """The values with the largest estimates, in descending order."""
        return np.argsort(-self.estimate.value, kind="stable")[:count]

    def row(self, value: int) -> dict[str, str | float]:
        """One value's attribute, label, estimate, standard error and limits."""
        low, high = self.interval
        return {
            "attribute": self.question.name,
            "value": self.question.domain.label(value),
            "estimate": float(self.estimate.value[value]),
            "stderr": float(self.estimate.stderr[value]),
            "low": float(low[value]),
            "high": float(high[value]),
        }
