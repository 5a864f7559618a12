"""What the reports say of each attribute of a question by itself, where they do not answer the question.

A regression or covariance that too few reports tell is refused; the same reports tell the means of its numbers and the
shares of its categories far better. Of complete cases they are of these, and where it is not sure that there are any,
the share of complete cases alone is left.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from sordino.blocks.sentence import Purpose, Sentence
from sordino.blocks.tables import QuantityTable
from sordino.domain.interval import Interval
from sordino.domain.moment import Factor, Factors, place_of
from sordino.domain.scaled import Completeness, Indicator
from sordino.errors import SordinoError
from sordino.estimation.complete_cases import COMPLETE, CompleteCases
from sordino.estimation.estimated_moments import EstimatedMoments, MomentReader
from sordino.estimation.intervals.forged import Limits
from sordino.estimation.intervals.possible import possible_limits
from sordino.estimation.means_and_covariances import EstimatedMeans, NormalEstimate
from sordino.estimation.moment_estimator import MomentEstimator
from sordino.mechanism.channel import Aggregate
from sordino.survey.kinds.coverage import Coverage
from sordino.survey.kinds.estimate_rows import EstimateRow, Numbers, numbers_at
from sordino.survey.kinds.numbers.numbers_question import NumbersQuestion


class Single(NamedTuple):
    """One moment, and how it is shown.

    Attributes:
        kind: mean, share or complete.
        label: of its row.
        ends: that it lies between, where the moment is -1 and where it is 1.
    """

    kind: str
    label: str
    ends: Interval


@dataclass(frozen=True, eq=False)
class SingleMoments:
    """Means and shares of the attributes of a question, each by itself.

    Attributes:
        question: that was asked.
        singles: what each number is.
        parts: estimates of these, one after the other.
        coverage: what intervals hold against; not against forged reports.
    """

    question: NumbersQuestion
    singles: tuple[Single, ...]
    parts: tuple[NormalEstimate, ...]
    coverage: Coverage

    together = "Bonferroni"
    """How intervals are made to hold together, if they do."""

    @classmethod
    def of(cls, question: NumbersQuestion, aggregate: Aggregate, coverage: Coverage) -> "SingleMoments | None":
        """From the tally of the question's own reports; None where these are too few for that too."""
        if coverage.forged:
            return None
        known = MomentEstimator.of(question.query).moments.names
        complete = [name for name in known if isinstance(name[0], Completeness)]
        own = [name for name in known if len(name) == 1 + len(complete) and name not in complete]
        own.sort(key=lambda name: (place_of(name[0]), known.index(name)))
        read = [_read(question, aggregate, own, complete), _read(question, aggregate, complete, [])]
        found = [part for part in read if part is not None]
        if not found:
            return None
        singles = tuple(single for some, _ in found for single in some)
        return cls(question, singles, tuple(part for _, part in found), coverage)

    @cached_property
    def estimate(self) -> NormalEstimate:
        """Of all numbers, shape (m,)."""
        value, stderr = (np.concatenate([getattr(part, name) for part in self.parts]) for name in ("value", "stderr"))
        return NormalEstimate(value, stderr, self.parts[0].n)

    @property
    def n(self) -> int:
        """The number of reports."""
        return self.estimate.n

    @property
    def count(self) -> int:
        """How many rows there are."""
        return len(self.singles)

    @property
    def each(self) -> float:
        """The confidence of each number's interval."""
        return self.coverage.each(self.count)

    @cached_property
    def interval(self) -> Limits:
        """Lower and upper limits, shape (m,) each, within what is possible."""
        if self.coverage.watched:
            limits = self.coverage.normal_limits(self.estimate, each=self.each, expected=self.question.people)
        else:
            low, high = zip(*(part.interval(self.each) for part in self.parts), strict=True)
            limits = np.concatenate(low), np.concatenate(high)
        ends = np.array([(one.ends.low, one.ends.high) for one in self.singles]).T
        return possible_limits(self.estimate.value, limits, (ends[0], ends[1]))

    @cached_property
    def numbers(self) -> Numbers:
        """The columns of a table."""
        (low, high), found = self.interval, self.estimate
        return {"estimate": found.value, "stderr": found.stderr, "low": low, "high": high}

    def kind(self, place: int) -> str:
        """What a row is."""
        return self.singles[place].kind

    def label(self, place: int) -> str:
        """Of one row."""
        return self.singles[place].label

    def rows(self) -> Iterator[EstimateRow]:
        """Each number, in the order of the question's attributes."""
        for place in range(self.count):
            head: EstimateRow = {"attribute": self.question.name, "value": self.label(place)}
            yield head | numbers_at(self.numbers, place)

    @property
    def table(self) -> QuantityTable:
        """The numbers as a block."""
        name, among = self.question.name, ""
        if self.question.of_complete:
            among = " among those who have all these numbers"
        return QuantityTable(
            question=name,
            about="attribute",
            columns=self.numbers,
            label=self.label,
            kind=self.kind,
            key=lambda place: {"attribute": name, "value": self.label(place)},
            confidence=self.coverage.confidence,
            title=f"{self.n:,} reports; each attribute by itself{among}",
            are_shares=False,
            sentences=(
                Sentence(f"Shown instead of the {name}: each attribute by itself{among}.", Purpose.POPULATION),
                self.coverage.sentence("number", self.together),
            ),
        )


def _read(
    question: NumbersQuestion, aggregate: Aggregate, names: Sequence[Factors], complete: Sequence[Factors]
) -> tuple[list[Single], NormalEstimate] | None:
    """Some moments, what they are and their estimates; None where the reports are too few."""
    if not names:
        return None
    estimator = MomentEstimator.of(question.query, [*names, *complete])
    reader: MomentReader = CompleteCases.of(estimator) or estimator if complete else estimator
    wanted = [name[:-1] if complete else name for name in names]
    try:
        told = EstimatedMoments.of(reader, aggregate, wanted, question.of_record.names)
    except SordinoError:
        return None
    singles = [_single(question, name[0]) for name in names]
    half, middle = np.array([(one.ends.width / 2, (one.ends.low + one.ends.high) / 2) for one in singles]).T
    stderr = half * np.sqrt(np.maximum(np.diagonal(told.covariance), 0.0))
    found = NormalEstimate(middle + half * told.means, stderr, aggregate.n)
    if not isinstance(reader, MomentEstimator):
        return singles, found
    at = np.array([reader.moments.names.index(name) for name in wanted])
    return singles, EstimatedMeans(found.value, stderr, found.n, reader, aggregate, at, middle, half)


def _single(question: NumbersQuestion, factor: Factor) -> Single:
    if isinstance(factor, Completeness):
        return Single("complete", COMPLETE, Interval(0, 1))
    attribute = question.attributes[place_of(factor)]
    if isinstance(factor, Indicator) and factor.category is not None:
        return Single("share", f"{attribute.name}: {attribute.finite.label(factor.category)}", Interval(0, 1))
    return Single("mean", attribute.name, attribute.interval)
