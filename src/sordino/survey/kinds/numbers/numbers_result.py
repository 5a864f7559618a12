"""What results about moments of numbers have in common: means, a covariance matrix and a regression."""

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar, Self

import numpy as np

from sordino.blocks.block import Block, BlockGroup, Heading, Plot
from sordino.blocks.finding import Finding
from sordino.blocks.sentence import Purpose, Sentence
from sordino.blocks.tables import Columns, QuantityTable
from sordino.estimation.complete_cases import COMPLETE, CompleteCases
from sordino.estimation.intervals.forged import Limits
from sordino.estimation.intervals.possible import possible_limits
from sordino.estimation.intervals.share_interval import at_least_as_wide, errors_to_either_side
from sordino.estimation.means_and_covariances import NormalEstimate
from sordino.mechanism.channel import Aggregate
from sordino.survey.kinds.coverage import Coverage
from sordino.survey.kinds.estimate_rows import EstimateRow, Numbers, numbers_at
from sordino.survey.kinds.limit_batch import LimitBatch
from sordino.survey.kinds.number_findings import clearest
from sordino.survey.kinds.numbers.numbers_question import NumbersQuestion
from sordino.survey.kinds.quantities import Measured, MeasuredNumber, Quantities, Values, head_of, limits_of, values_of
from sordino.survey.kinds.question import Floats
from sordino.survey.kinds.shares.shares_result import QuestionResult

FITTED = "Fitted are the closest values that real data can have; noise can make unbiased ones impossible."


@dataclass(frozen=True, eq=False, repr=False)
class NumbersResult(QuestionResult):
    """What a plan's reports say about moments of numbers.

    Attributes:
        question: that they answer.
        estimate: of the means, shape (a,), and then the shares of who lacks a number that may be missing; the
            covariances, shape (a, a); or the coefficients, shape (1 + a,), with the intercept first. Of all but shares
            in the units of the data.
        fitted: a covariance matrix or coefficients that noise cannot have made impossible; None for means.
        coverage: what intervals hold against.
        moved: how far at most the forged reports can have moved each number, of the estimate's shape.
        part: what these are of the reports' weight.
        complete: the share of people who have all the numbers, its standard error and its limits for one look, where a
            covariance matrix or coefficients are of these; else None.
        batch: of the questions whose limits are looked for together; by default this one alone.
    """

    question: NumbersQuestion
    estimate: NormalEstimate
    fitted: Floats | None
    coverage: Coverage
    moved: Floats
    part: float
    complete: tuple[float, float, tuple[float, float]] | None = None
    batch: LimitBatch | None = None

    together = "Bonferroni"
    """How intervals are made to hold together, if they do."""

    noun: ClassVar[str]
    """What one number of it is."""

    about: ClassVar[str]
    """What the labels are."""

    @classmethod
    def of(
        cls, question: NumbersQuestion, aggregate: Aggregate, coverage: Coverage, batch: LimitBatch | None = None
    ) -> Self:
        """Estimate what is asked from the tally of the question's own reports.

        Args:
            batch: of the questions whose limits are looked for together.
        """
        estimate, fitted = cls.estimates(question, aggregate)
        nothing = np.zeros(estimate.value.shape), 0.0
        moved, part = cls.move(question, aggregate, coverage.forged) if coverage.forged else nothing
        cases = question.promised_queries.reader
        found = cls(question, estimate, fitted, coverage, moved, part, batch=batch)
        if not isinstance(cases, CompleteCases):
            return found
        share = cases.share(aggregate)
        # It is one row more, and so makes each interval surer.
        each = coverage.each(found.count + 1)
        return replace(found, complete=(*share, cases.share_limits(aggregate, 1 - each)))

    @staticmethod
    @abstractmethod
    def estimates(question: NumbersQuestion, aggregate: Aggregate) -> "tuple[NormalEstimate, Floats | None]":
        """What is estimated, and what is fitted to it, if anything."""

    @staticmethod
    @abstractmethod
    def move(question: NumbersQuestion, aggregate: Aggregate, forged: int) -> tuple[Floats, float]:
        """How far so many forged reports can have moved each number, and what these are of the reports' weight."""

    @property
    def n(self) -> int:
        """The number of reports."""
        return self.estimate.n

    def with_coverage(self, coverage: Coverage) -> Self:
        return replace(self, coverage=coverage)

    @cached_property
    def interval(self) -> Limits:
        """Lower and upper limits, of the estimate's shape."""
        estimate, n, expected = self.estimate, self.n, self.question.people
        limits = self.coverage.limits(
            self._fixed_limits,
            estimate.value,
            self.stderr,
            each=self.each,
            n=n,
            expected=expected,
            moved=self.moved,
            part=self.part,
        )
        return possible_limits(estimate.value, limits, self.possible)

    @cached_property
    def stderr(self) -> Floats:
        """Standard errors, of the estimate's shape; none below what its interval says."""
        limits = possible_limits(self.estimate.value, self._single_limits, self.possible)
        return at_least_as_wide(self.estimate.stderr, limits, errors_to_either_side(self.each))

    @cached_property
    def _single_limits(self) -> Limits:
        """Limits of each number by itself for one look at honest reports, beyond what is possible too."""
        return self.estimate.interval(self.each)

    @property
    def _fixed_limits(self) -> Limits:
        """Limits for one look at honest reports; what is made of them for more knows of normal ones."""
        if not (self.coverage.watched or self.coverage.forged):
            return self._single_limits
        reach = errors_to_either_side(self.each) * self.stderr
        return self.estimate.value - reach, self.estimate.value + reach

    @cached_property
    @abstractmethod
    def possible(self) -> Limits:
        """The ends of what each number can be, of the estimate's shape."""

    @property
    def each(self) -> float:
        """The confidence of each number's interval."""
        return self._each_of(self.coverage)

    def _each_of(self, coverage: Coverage) -> float:
        return coverage.each(self.count)

    @cached_property
    @abstractmethod
    def labels(self) -> list[tuple[str, tuple[int, ...]]]:
        """What is estimated, by name, and where it stands in the estimate."""

    @property
    def _reach(self) -> float:
        return self._errors_of(self.n)

    def _errors_of(self, n: int) -> float:
        return self.coverage.errors(n, self.question.people, self.each)

    @property
    def notes(self) -> tuple[str, ...]:
        """What is not told of the question, and why."""
        return ()

    @property
    def count(self) -> int:
        """How many rows there are: of all labels, and of the share of complete cases."""
        return len(self.labels) + (self.complete is not None)

    @cached_property
    def numbers(self) -> Numbers:
        """Of what is estimated, in the order of the question, the columns of a table."""
        (low, high), at = self.interval, tuple(zip(*(place for _, place in self.labels), strict=True))
        numbers = {"estimate": self.estimate.value, "stderr": self.stderr, "low": low, "high": high}
        numbers |= {} if self.fitted is None else {"fitted": self.fitted}
        numbers |= {"moved": self.moved} if self.coverage.forged else {}
        found = {name: column[at] for name, column in numbers.items()}
        return {
            name: np.append(column, self._complete[name]) if self._complete else column
            for name, column in found.items()
        }

    @cached_property
    def _complete(self) -> dict[str, float]:
        """Of the share of complete cases, the same numbers; none where everybody is one."""
        if self.complete is None:
            return {}
        share, stderr, limits = self.complete
        if self.coverage.watched:
            limits = share - self._reach * stderr, share + self._reach * stderr
        low, high = possible_limits(share, limits)
        fitted = float(np.clip(share, 0, 1))
        return {"estimate": share, "stderr": stderr, "low": float(low), "high": float(high), "fitted": fitted}

    def quantities(self) -> Iterator[Quantities]:
        """Each mean and covariance by itself, all coefficients together; the share of complete cases, if of these."""
        question, rows = self.question, list(self.rows())
        values = {one.name: values_of(one) for one in question.attributes}
        told, others = rows[: len(self.labels)], rows[len(self.labels) :]
        yield from self._quantities(told, values)
        for row in others:
            measured: Measured = {COMPLETE: MeasuredNumber(head_of(row), limits_of(row, 0.0, 1.0))}
            key = (COMPLETE, question.kind, frozenset(question.attribute_names))
            yield Quantities(question.name, f"{COMPLETE} of the {question.name}", key, values, measured)

    @abstractmethod
    def _quantities(self, rows: Sequence[EstimateRow], values: Values) -> Iterator[Quantities]:
        """All but the share of complete cases."""

    def kind(self, place: int) -> str:
        """What a row is: what one number is called; or complete, last."""
        return "complete" if place == len(self.labels) else self.noun

    @property
    def dates(self) -> tuple[bool, ...]:
        """Which rows are means of dates."""
        return (False,) * self.count

    def label(self, place: int) -> str:
        """Of one row."""
        return COMPLETE if place == len(self.labels) else self.labels[place][0]

    def readable(self, place: int) -> str:
        """Label of one row in the survey's words."""
        return COMPLETE if place == len(self.labels) else self.titles[place]

    @property
    @abstractmethod
    def titles(self) -> Sequence[str]:
        """What people read in place of the names of `labels`."""

    def rows(self) -> Iterator[EstimateRow]:
        name, numbers = self.question.name, self.numbers
        for place in range(self.count):
            head: EstimateRow = {"attribute": name, "value": self.label(place)}
            yield head | numbers_at(numbers, place)

    def blocks(self) -> tuple[Block, ...]:
        facts: dict[str, object] = (
            {"simultaneous": self.together, "each": self.each} if self.coverage.simultaneous else {}
        )
        facts |= {"untold": "; ".join(self.notes)} if self.notes else {}
        heading = Heading(
            self.question.name,
            self.question.kind,
            tuple(self.question.attribute_names),
            self.n,
            facts,
            title=self.question.title,
        )
        whose = self.question.whose
        return heading, BlockGroup(whose[0].upper() + whose[1:], (self._chart, self._table))

    def findings_with(self, columns: Callable[[int | None], Columns]) -> Iterator[Finding]:
        question, confidence = self.question, self.coverage.confidence
        # Neither a variance, at two equal places, nor the intercept, at 0, relates two numbers.
        related = [at for at, (_, place) in enumerate(self.labels) if place[0] != (*place, 0)[1]]
        wide = columns(len(related))
        rows = [(self.readable(at), numbers_at(wide, at)) for at in related]
        yield from clearest(question.whose, self.noun, rows, confidence)

    @property
    @abstractmethod
    def _chart(self) -> Plot:
        """What is estimated as a figure."""

    @property
    def _table(self) -> QuantityTable:
        name = self.question.name
        said = [self.coverage.sentence("number", self.together)]
        said += [] if self.fitted is None else [Sentence(FITTED, Purpose.COLUMNS)]
        said += [Sentence(text, Purpose.POPULATION) for text in (*self._complete_cases, *(f"{n}." for n in self.notes))]
        return QuantityTable(
            question=name,
            about=self.about,
            columns=self.numbers,
            label=self.label,
            asked=self.question.title,
            readable_label=self.readable,
            kind=self.kind,
            key=lambda place: {"attribute": name, "value": self.label(place)},
            confidence=self.coverage.confidence,
            title=f"{self.n:,} reports; {self.question.whose}",
            noun=self.noun,
            are_shares=False,
            is_date=self.dates.__getitem__,
            sentences=tuple(said),
        )

    @property
    def _complete_cases(self) -> Iterator[str]:
        """Of whom it is, and of how many; nothing where it is of everybody, or of each number by itself."""
        if self.complete is not None:
            low, high = (100 * self.numbers[end][-1] for end in ("low", "high"))
            yield (
                f"These results describe only the people who have all of these numbers, {low:.1f} to {high:.1f} % of"
                f" everyone (the row {COMPLETE!r})."
            )

    @property
    def own_rows(self) -> tuple[dict[str, float], ...]:
        """The numbers of all rows, in their own units."""
        return tuple(numbers_at(self.numbers, place) for place in range(self.count))
