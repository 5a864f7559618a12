"""What a plan's reports say about the distribution of a number: rows of bins, of ranges, and of quantiles."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from sordino.domain.bins import plain
from sordino.estimation.distributions.distribution import DistributionEstimate, Limits
from sordino.estimation.estimate import Method
from sordino.mechanism.aggregate import Aggregate
from sordino.survey.questions.distribution import DistributionQuestion

Numbers: TypeAlias = dict[str, NDArray[np.float64]]
"""The columns of a table of estimates, by name."""

Row: TypeAlias = dict[str, str | float]


@dataclass(frozen=True, eq=False)
class DistributionResult:
    """What a plan's reports say about the distribution of a number.

    Attributes:
        question: that they answer.
        estimate: of the bins, the distribution function and its quantiles.
        confidence: of the interval of each bin, range and quantile by itself; of the band, that it holds everywhere.
    """

    question: DistributionQuestion
    estimate: DistributionEstimate
    confidence: float

    @classmethod
    def of(
        cls, question: DistributionQuestion, aggregate: Aggregate, method: Method | None, confidence: float
    ) -> "DistributionResult":
        """Estimate from the tally of the question's own reports."""
        mechanism = question.mechanism
        # The query's tally is that of its mechanism: what was read are its values.
        tally = Aggregate(mechanism.fingerprint, aggregate.n, aggregate.counts)
        found = DistributionEstimate.of(mechanism, tally, question.domain, question.level, method)
        return cls(question, found, confidence)

    @property
    def n(self) -> int:
        """The number of reports."""
        return self.estimate.n

    @property
    def fitted(self) -> NDArray[np.float64] | None:
        """The fitted share of each bin, shape (k,)."""
        return self.estimate.fitted

    @cached_property
    def interval(self) -> Limits:
        """Lower and upper limits of each bin's share by itself, shape (k,) each."""
        return self.estimate.interval(self.confidence)

    @cached_property
    def band(self) -> Limits:
        """Limits of the distribution function at all edges together, shape (k + 1,) each."""
        return self.estimate.band(self.confidence)

    @cached_property
    def quantiles(self) -> list[tuple[str, float, float, float]]:
        """Each quantile that is asked: its part of the people, and the number with its limits."""
        return [(text, *self.estimate.quantile(float(text), self.confidence)) for text in self.question.part.quantiles]

    @cached_property
    def ranges(self) -> list[Row]:
        """The share of each range that is asked, with the limits of an interval that holds by itself."""
        return [self._range(low, high) for low, high in self.question.ranges]

    def _range(self, first: int, last: int) -> Row:
        from scipy import special

        value, stderr, fitted = self.estimate.share_between(first, last)
        reach = float(special.ndtri((1 + self.confidence) / 2)) * stderr
        low, high = (min(max(value + side * reach, 0.0), 1.0) for side in (-1, 1))
        row: Row = self._between(first, last) | {"estimate": value, "stderr": stderr, "low": low, "high": high}
        return row if fitted is None else row | {"fitted": fitted}

    def _between(self, first: int, last: int) -> Row:
        edges = self.question.domain.edges
        return {"attribute": self.question.name, "from": edges[first], "to": edges[last]}

    @property
    def count(self) -> int:
        """How many rows there are: bins, ranges, quantiles."""
        return self.question.domain.k + len(self.ranges) + len(self.quantiles)

    def label(self, place: int) -> str:
        """Of one row in a table."""
        k = self.question.domain.k
        if place < k:
            return self.question.domain.label(place)
        if place < k + len(self.ranges):
            low, high = self.question.part.ranges[place - k]
            return f"{plain(low)} to {plain(high)}"
        return f"quantile {self.quantiles[place - k - len(self.ranges)][0]}"

    @cached_property
    def numbers(self) -> Numbers:
        """Of all rows the columns of a table; a quantile has no standard error and nothing that was fitted: NaN."""
        names = ("estimate", "stderr", "low", "high", *(() if self.fitted is None else ("fitted",)))
        return {name: np.array([row.get(name, np.nan) for row in self.rows()], dtype=np.float64) for name in names}

    def rows(self) -> Iterator[Row]:
        """All bins, then the ranges and the quantiles that are asked."""
        shares, fitted = self.estimate.shares, self.fitted
        (lows, highs), k = self.interval, self.question.domain.k
        for place in range(k):
            told = {"estimate": shares.value[place], "stderr": shares.stderr[place]}
            told |= {"low": lows[place], "high": highs[place]}
            told |= {} if fitted is None else {"fitted": fitted[place]}
            yield self._between(place, place + 1) | {name: float(number) for name, number in told.items()}
        yield from self.ranges
        for text, value, low, high in self.quantiles:
            yield {"attribute": self.question.name, "quantile": text, "estimate": value, "low": low, "high": high}
