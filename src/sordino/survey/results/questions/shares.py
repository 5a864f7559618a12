"""What a plan's reports say about the shares of an attribute's values, or of a table's cells."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sordino.domain.partition import Partition
from sordino.estimation.estimate import Estimate
from sordino.estimation.intervals.forged import Limits
from sordino.estimation.intervals.simultaneous import draws_noise
from sordino.estimation.joint.cells import Cells
from sordino.estimation.neighbours.choice import Choice
from sordino.survey.questions.question import SharesQuestion, TableQuestion
from sordino.survey.results.coverage import Coverage
from sordino.survey.results.questions.rows import IN_ORDER, LARGEST, EstimateRow, Numbers, numbers_at
from sordino.survey.results.surroundings import offer_of


@dataclass(frozen=True, eq=False)
class HistogramResult:
    """What a plan's reports say about the shares of an attribute's values, or of a table's cells.

    Attributes:
        question: that they answer.
        estimate: the shares.
        coverage: what intervals hold against.
    """

    question: SharesQuestion
    estimate: Estimate
    coverage: Coverage = field(default_factory=Coverage)

    @cached_property
    def offer(self) -> Choice | None:
        """What is expected of smoothed shares, where they were not asked for and are nearer to the truth."""
        return offer_of(self.question.domain, self.estimate)

    @cached_property
    def interval(self) -> Limits:
        """Lower and upper limits, shape (k,) each."""
        estimate, each = self.estimate, self.each
        return self._limits(estimate.interval(each), each, estimate.value, estimate.stderr, self.moved)

    @cached_property
    def each(self) -> float:
        """The confidence of each value's interval."""
        coverage = self.coverage
        # What holds at all times together holds together by Bonferroni alone.
        drawn = coverage.simultaneous and not coverage.watched
        return self.estimate.each_confidence(coverage.confidence) if drawn else coverage.each(self.count)

    @property
    def together(self) -> str:
        """How intervals are made to hold together, if they do: by draws of the noise of all, or by Bonferroni."""
        return "max-|z|" if draws_noise(self.estimate.mechanism) and not self.coverage.watched else "Bonferroni"

    @cached_property
    def moved(self) -> NDArray[np.float64]:
        """How far at most the forged reports can have moved each estimate, shape (k,)."""
        return self.estimate.moved(self.coverage.forged)

    @cached_property
    def cells(self) -> Cells:
        """Of a table its cells with their covariance, worked out once for all that shows them.

        Raises:
            SordinoError: too many cells, or a tally that does not tell how they go together.
        """
        question = self.question
        shape = question.shape if isinstance(question, TableQuestion) else (question.domain.k,)
        return Cells.of(shape, self.estimate)

    def sums(self, blocks: Partition) -> tuple[NDArray[np.float64], Limits]:
        """What the values of each block have together, shape (m,), and its limits.

        Raises:
            SordinoError: a tally that does not say how often each code was sent.
        """
        sums, each = self.estimate.sums(blocks), self.coverage.each(blocks.m)
        moved = self.coverage.forged * sums.swing / self.n
        return sums.value, self._limits(sums.interval(each), each, sums.value, sums.stderr, moved)

    def _limits(
        self,
        fixed: Limits,
        each: float,
        value: NDArray[np.float64],
        stderr: NDArray[np.float64],
        moved: NDArray[np.float64],
    ) -> Limits:
        """Limits of some shares, from those for one time."""
        n, expected, coverage = self.n, self.question.people, self.coverage
        part = coverage.forged / n
        low, high = coverage.limits(fixed, value, stderr, each=each, n=n, expected=expected, moved=moved, part=part)
        return np.clip(low, 0, 1), np.clip(high, 0, 1)

    def largest(self, count: int) -> NDArray[np.intp]:
        """The values with the largest fitted shares, in descending order; without a fit, the largest estimates.

        Among many values the largest estimates are those with the most noise; the fit takes it from them.
        """
        return np.argsort(-self.estimate.by_method, kind="stable")[:count]

    @cached_property
    def excerpt(self) -> NDArray[np.intp]:
        """The values that people read of: all, in the survey's order, or of many the largest."""
        return np.arange(self.count) if self.count <= IN_ORDER else self.largest(LARGEST)

    @property
    def fitted(self) -> NDArray[np.float64] | None:
        """A distribution near the estimate, shape (k,)."""
        return self.estimate.fitted

    @property
    def n(self) -> int:
        """The number of reports."""
        return self.estimate.n

    @property
    def count(self) -> int:
        """How many rows there are."""
        return self.question.domain.k

    def kind(self, _: int) -> str:
        """What a row is."""
        return "cell" if isinstance(self.question, TableQuestion) else "share"

    @cached_property
    def numbers(self) -> Numbers:
        """Of all values, in their own order: estimate, standard error and limits; and what was fitted, if anything."""
        (low, high), fitted = self.interval, self.fitted
        numbers = {"estimate": self.estimate.value, "stderr": self.estimate.stderr, "low": low, "high": high}
        numbers |= {} if fitted is None else {"fitted": fitted}
        return numbers | ({"moved": self.moved} if self.coverage.forged else {})

    @cached_property
    def label(self) -> Callable[[int], str]:
        """Of a value."""
        return self.question.domain.label

    def rows(self) -> Iterator[EstimateRow]:
        """All values, in their own order."""
        return map(self.row, range(self.count))

    def row(self, value: int) -> EstimateRow:
        """One value's attribute, label, estimate, standard error and limits; and its fitted share, if there is one."""
        head: EstimateRow = {"attribute": self.question.name, "value": self.label(value)}
        if isinstance(self.question, TableQuestion):
            head = {"attributes": self.question.asked, "value": self.question.labels(value)}
        return head | numbers_at(self.numbers, value)
