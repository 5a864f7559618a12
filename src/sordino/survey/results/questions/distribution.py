"""What a plan's reports say about the distribution of a number: rows of bins, of ranges, and of quantiles."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from sordino.domain.bins import plain
from sordino.errors import SordinoError
from sordino.estimation.distributions.distribution import DistributionEstimate, Limits
from sordino.estimation.estimate import Method
from sordino.estimation.intervals.simultaneous import bonferroni
from sordino.mechanism.aggregate import Aggregate
from sordino.query.bin import MISSING
from sordino.survey.questions.distribution import DistributionQuestion
from sordino.survey.results.coverage import Coverage
from sordino.survey.results.questions.rows import Numbers

Row: TypeAlias = dict[str, str | float]


PARTS, MOST_SHOWN = 8, 15
"""Of a number's range, of which people are shown the shares; and bins that are shown themselves."""


@dataclass(frozen=True, eq=False)
class DistributionResult:
    """What a plan's reports say about the distribution of a number.

    Attributes:
        question: that they answer.
        estimate: of the bins, the distribution function and its quantiles.
        coverage: what the intervals of bins, ranges and quantiles hold against; of the band, which holds everywhere.
    """

    question: DistributionQuestion
    estimate: DistributionEstimate
    coverage: Coverage

    together = "Bonferroni"
    """How intervals are made to hold together, if they do."""

    @classmethod
    def of(
        cls, question: DistributionQuestion, aggregate: Aggregate, method: Method | None, coverage: Coverage
    ) -> "DistributionResult":
        """Estimate from the tally of the question's own reports."""
        mechanism = question.mechanism
        # The query's tally is that of its mechanism: what was read are its values.
        tally = Aggregate(mechanism.fingerprint, aggregate.n, aggregate.counts)
        # What is smoothed by default is not smoothed twice.
        own = None if method == "smoothed" else method
        spikes = bool(question.part.spikes)
        found = DistributionEstimate.of(mechanism, tally, question.domain, question.level, own, spikes=spikes)
        return cls(question, found, coverage)

    @property
    def why(self) -> SordinoError | None:
        """Why nothing is told: that as far as the reports say nobody may have the number; None where it is told."""
        if self.estimate.among.tells(self._errors, self.n):
            return None
        rule = f"{self.question.name}: reports must tell that somebody has the number, for its distribution among them"
        return SordinoError(rule, found="so few that nobody may", step="ask more people, or leave it out")

    @property
    def n(self) -> int:
        """The number of reports."""
        return self.estimate.n

    @property
    def fitted(self) -> NDArray[np.float64] | None:
        """The fitted share of each bin, shape (k,)."""
        return self.estimate.fitted

    @property
    def each(self) -> float:
        """The confidence of each interval, those of the parts among them."""
        return self.coverage.each(self.count + self._parts)

    @cached_property
    def interval(self) -> Limits:
        """Lower and upper limits of each bin's share, shape (k,) each."""
        return self._limits(self.estimate.within(self._errors), *self.estimate.of_bins, self.moved)

    @property
    def _errors(self) -> float:
        """How many standard errors limits are from an estimate."""
        return self.coverage.errors(self.n, self.question.people, self.each)

    @cached_property
    def moved(self) -> NDArray[np.float64]:
        """How far at most the forged reports can have moved the share of each bin, shape (k,)."""
        k = self.question.domain.k
        return self.estimate.shares.moved(self.coverage.forged)[:k] if self.coverage.forged else np.zeros(k)

    @cached_property
    def band(self) -> Limits:
        """Limits of the distribution function at all edges together, shape (k + 1,) each."""
        confidence = self.coverage.confidence
        return self.estimate.band(
            confidence, self._away(self.estimate.critical(confidence) * self.estimate.stderr, confidence)
        )

    @cached_property
    def quantiles(self) -> list[tuple[str, float, float, float]]:
        """Each quantile that is asked: its part of the people, and the number with its limits."""
        return [(text, *self.quantile(float(text))) for text in self.question.part.quantiles]

    def quantile(self, part: float) -> tuple[float, float, float]:
        """Where the curve reaches a part of the people, and the limits of that quantile."""
        reach = self.estimate.reach(part, self.each) * self.estimate.errors_at(part)
        return self.estimate.quantile(part, self.each, self._away(reach, self.each))

    def _away(self, fixed: NDArray[np.float64], confidence: float) -> NDArray[np.float64]:
        """How far limits are from the function at each edge, if as far as this at one time: at all edges and times."""
        value, stderr, edges = np.zeros_like(fixed), self.estimate.stderr, self.question.domain.k - 1
        moved = self.coverage.forged * self.estimate.leverage / self.n
        return self._widened((-fixed, fixed), value, stderr, moved, bonferroni(confidence, edges))[1]

    def _limits(
        self, fixed: Limits, value: NDArray[np.float64], stderr: NDArray[np.float64], moved: NDArray[np.float64]
    ) -> Limits:
        """Limits of some shares, from those for one time."""
        low, high = self._widened(fixed, value, stderr, moved, self.each)
        return np.clip(low, 0, 1), np.clip(high, 0, 1)

    def _widened(
        self,
        fixed: Limits,
        value: NDArray[np.float64],
        stderr: NDArray[np.float64],
        moved: NDArray[np.float64],
        each: float,
    ) -> Limits:
        n, expected, part = self.n, self.question.people, self.coverage.forged / self.n
        return self.coverage.limits(fixed, value, stderr, each=each, n=n, expected=expected, moved=moved, part=part)

    @cached_property
    def ranges(self) -> list[Row]:
        """The share of each range that is asked, with the limits of an interval that holds by itself."""
        return [self._range(low, high) for low, high in self.question.ranges]

    @cached_property
    def parts(self) -> list[Row]:
        """The same of parts of the range with as many bins each; none where bins are few enough to be shown."""
        edges = np.linspace(0, self.question.domain.k, self._parts + 1).round().astype(np.intp).tolist()
        return [self._range(low, high) for low, high in pairwise(edges)]

    @property
    def _parts(self) -> int:
        return PARTS if self.question.domain.k > MOST_SHOWN else 0

    def _range(self, first: int, last: int) -> Row:
        value, stderr, fitted = self.estimate.share_between(first, last)
        forged = self.coverage.forged
        moved = forged * self.estimate.leverage_between(first, last) / self.n if forged else 0.0
        ends = self.estimate.within_between(first, last, self._errors)
        low, high = self._limits(ends, np.array([value]), np.array([stderr]), np.array([moved]))
        row: Row = self._between(first, last) | {"estimate": value, "stderr": stderr}
        row |= {"low": float(low[0]), "high": float(high[0])}
        row |= {} if fitted is None else {"fitted": fitted}
        return row | ({"moved": moved} if forged else {})

    def _between(self, first: int, last: int) -> Row:
        edges = self.question.domain.edges
        return {"attribute": self.question.name, "from": edges[first], "to": edges[last]}

    @property
    def count(self) -> int:
        """How many rows there are: bins, ranges, who lacks the number where it may be missing, quantiles."""
        asked = len(self.question.ranges) + len(self.question.part.quantiles)
        return self.question.domain.k + asked + self.question.optional

    def kind(self, place: int) -> str:
        """What a row is: a bin, a range, missing or a quantile."""
        k, asked = self.question.domain.k, self.question.domain.k + len(self.ranges)
        if place < asked:
            return "bin" if place < k else "range"
        return MISSING if place < asked + self.question.optional else "quantile"

    def label(self, place: int) -> str:
        """Of one row in a table."""
        k = self.question.domain.k
        if place < k:
            return self.question.domain.label(place)
        if place < k + len(self.ranges):
            low, high = self.question.part.ranges[place - k]
            return f"{plain(low)} to {plain(high)}"
        told = place - k - len(self.ranges) - self.question.optional
        return MISSING if told < 0 else f"quantile {self.quantiles[told][0]}"

    @cached_property
    def numbers(self) -> Numbers:
        """Of all rows the columns of a table; what a row has not, as a quantile its standard error, is NaN."""
        names = ("estimate", "stderr", "low", "high", *(() if self.fitted is None else ("fitted",)))
        names += ("moved",) if self.coverage.forged else ()
        return {name: np.array([row.get(name, np.nan) for row in self.rows()], dtype=np.float64) for name in names}

    def rows(self) -> Iterator[Row]:
        """All bins, the ranges that are asked, who lacks the number, and the quantiles that are asked."""
        (values, errors), fitted = self.estimate.of_bins, self.fitted
        (lows, highs), k = self.interval, self.question.domain.k
        for place in range(k):
            told = {"estimate": values[place], "stderr": errors[place]}
            told |= {"low": lows[place], "high": highs[place]}
            told |= {} if fitted is None else {"fitted": fitted[place]}
            told |= {"moved": self.moved[place]} if self.coverage.forged else {}
            yield self._between(place, place + 1) | {name: float(number) for name, number in told.items()}
        yield from self.ranges
        if self.missing is not None:
            yield self.missing
        for text, value, low, high in self.quantiles:
            yield {"attribute": self.question.name, "quantile": text, "estimate": value, "low": low, "high": high}

    @cached_property
    def missing(self) -> Row | None:
        """The share of the people who lack the number; None where everybody has it."""
        if self.estimate.missing is None:
            return None
        value, stderr = self.estimate.missing
        ends = (np.array([value + side * self._errors * stderr]) for side in (-1, 1))
        low, high = (float(np.clip(end, 0, 1)[0]) for end in ends)
        told = {"estimate": value, "stderr": stderr, "low": low, "high": high}
        return {"attribute": self.question.name, "value": MISSING} | told
