"""An estimate with its labels: the rows that tables, files and pages show."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sordino.estimation.estimate import Estimate, Method, estimate
from sordino.mechanism.aggregate import Aggregate
from sordino.survey.plan import Plan


@dataclass(frozen=True, eq=False)
class Result:
    """What a plan's reports say.

    Attributes:
        plan: that the reports belong to.
        estimate: the shares.
        confidence: of each interval by itself.
    """

    plan: Plan
    estimate: Estimate
    confidence: float

    @classmethod
    def of(cls, plan: Plan, aggregate: Aggregate, method: Method = "simplex", confidence: float = 0.95) -> "Result":
        """Estimate a plan's question from its tally."""
        query = plan.query
        shares = estimate(query.mechanism, aggregate, method, subtract_totals=query.subtract_totals)
        result = cls(plan, shares, confidence)
        _ = result.interval  # a bad confidence fails here, not while a page is drawn
        return result

    @cached_property
    def interval(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Lower and upper limits, shape (k,) each."""
        return self.estimate.interval(self.confidence)

    def largest(self, count: int) -> NDArray[np.intp]:
        """The values with the largest estimates, in descending order."""
        return np.argsort(-self.estimate.value, kind="stable")[:count]

    def row(self, value: int) -> dict[str, str | float]:
        """One value's label, estimate, standard error and limits."""
        low, high = self.interval
        return {
            "value": self.plan.domain.label(value),
            "estimate": float(self.estimate.value[value]),
            "stderr": float(self.estimate.stderr[value]),
            "low": float(low[value]),
            "high": float(high[value]),
        }
