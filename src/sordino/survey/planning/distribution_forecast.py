"""What a plan will show about the distribution of a number, before anybody is asked."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sordino.survey.questions.distribution import DistributionQuestion


@dataclass(frozen=True)
class FunctionErrors:
    """Expected standard errors of a distribution function, over the edges between bins, and of ranges.

    Attributes:
        typical: the root of their mean square.
        largest: of them.
        ranges: of the share of each range that is asked.
    """

    typical: float
    largest: float
    ranges: tuple[float, ...]

    @classmethod
    def of(cls, errors: NDArray[np.float64], ranges: NDArray[np.float64]) -> "FunctionErrors":
        """Of the error at each edge, and of those of ranges."""
        return cls(float(np.sqrt((errors**2).mean())), float(errors.max()), tuple(ranges.tolist()))

    def json(self) -> dict[str, float | list[float]]:
        """For programs."""
        ranges: dict[str, float | list[float]] = {"stderr_ranges": list(self.ranges)} if self.ranges else {}
        return {"stderr": self.typical, "stderr_largest": self.largest} | ranges


@dataclass(frozen=True)
class DistributionForecast:
    """What will be shown about the distribution of a number.

    Attributes:
        question: of a plan.
        shares: of the bins, that the people are expected to have, shape (k,); None where nothing is known.
    """

    question: DistributionQuestion
    shares: NDArray[np.float64] | None

    @cached_property
    def plan(self) -> FunctionErrors:
        """Of this plan."""
        return FunctionErrors.of(self.question.errors(self.shares), self.question.range_errors(self.shares))

    @cached_property
    def uniform(self) -> FunctionErrors:
        """Under plain LDP at the least delta."""
        question = self.question
        return FunctionErrors.of(question.errors_uniform(self.shares), question.range_errors_uniform(self.shares))
