"""What a plan's reports say about the distribution of a number: rows of bins, of ranges, and of quantiles."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from sordino.domain.bins import plain
from sordino.errors import SordinoError
from sordino.estimation.distributions.distribution import DistributionEstimate, Limits
from sordino.estimation.distributions.range_shares import RangeShares
from sordino.estimation.estimate import Method
from sordino.estimation.intervals.possible import possible_limits
from sordino.estimation.intervals.simultaneous import bonferroni
from sordino.mechanism.aggregate import Aggregate
from sordino.query.bin import MISSING
from sordino.survey.questions.distribution import DistributionQuestion
from sordino.survey.results.coverage import Coverage
from sordino.survey.results.questions.rows import Numbers, numbers_at

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
        if self.estimate.subpopulation.tells(self._errors, self.n):
            return None
        rule = f"{self.question.name}: reports must tell that somebody has the number, for its distribution among them"
        return SordinoError(rule, found="so few that nobody may", step=self.coverage.step("leave it out"))

    def awaited(self) -> int | None:
        """From how many reports on it is expected to be told, where it is not."""
        from sordino.survey.results.awaited import distribution_awaited

        return distribution_awaited(self.question, self._errors_of)

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
        return self._bins["low"], self._bins["high"]

    @property
    def _errors(self) -> float:
        """How many standard errors limits are from an estimate."""
        return self._errors_of(self.n)

    def _errors_of(self, n: int) -> float:
        return self.coverage.errors(n, self.question.people, self.each)

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
        moved = self.coverage.forged * self.estimate.below.leverage / self.n
        return self._widened((-fixed, fixed), value, stderr, moved, bonferroni(confidence, edges))[1]

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
    def _bins(self) -> Numbers:
        return self._columns(self.estimate.of_bins)

    @cached_property
    def ranges(self) -> list[Row]:
        """The share of each range that is asked, with the limits of an interval that holds by itself."""
        return self._between(self.question.ranges)

    @cached_property
    def parts(self) -> list[Row]:
        """The same of parts of the range with as many bins each; none where bins are few enough to be shown."""
        edges = np.linspace(0, self.question.domain.k, self._parts + 1).round().astype(np.intp).tolist()
        return self._between(list(pairwise(edges)))

    @property
    def _parts(self) -> int:
        return PARTS if self.question.domain.k > MOST_SHOWN else 0

    def _between(self, ranges: Sequence[tuple[int, int]]) -> list[Row]:
        return self._rows(ranges, self._columns(self.estimate.between(ranges))) if ranges else []

    def _columns(self, shares: RangeShares) -> Numbers:
        """What is told of the shares of some ranges, bins among them."""
        forged, fitted = self.coverage.forged, self.fitted
        moved = forged * shares.leverage / self.n if forged else np.zeros_like(shares.value)
        low, high = self._widened(shares.within(self._errors), shares.value, shares.stderr, moved, self.each)
        columns = {"estimate": shares.value, "stderr": shares.stderr}
        columns |= {"low": np.clip(low, 0, 1), "high": np.clip(high, 0, 1)}
        columns |= {} if fitted is None else {"fitted": shares.inside @ fitted}
        return columns | ({"moved": moved} if forged else {})

    def _rows(self, ranges: Iterable[tuple[int, int]], columns: Numbers) -> list[Row]:
        name, edges = self.question.name, self.question.domain.edges
        return [
            {"attribute": name, "from": edges[first], "to": edges[last], **numbers_at(columns, place)}
            for place, (first, last) in enumerate(ranges)
        ]

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
        yield from self._rows(pairwise(range(self.question.domain.k + 1)), self._bins)
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
        reach = self._errors * stderr
        low, high = map(float, possible_limits(value, (value - reach, value + reach)))
        told = {"estimate": value, "stderr": stderr, "low": low, "high": high}
        return {"attribute": self.question.name, "value": MISSING} | told
