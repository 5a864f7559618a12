"""What a plan will show about a histogram that it asks within tables, beside the same question asked by itself."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import isfinite
from typing import Any, NamedTuple

import numpy as np

from sordino.design.accuracy import LARGEST, subtracting_helps, worst_variance
from sordino.design.shares.best_mechanism import best_mechanism
from sordino.distinct import DistinctParts
from sordino.estimation.joint.table_cells import sums_over
from sordino.estimation.unbiased import Functionals, unit_variance
from sordino.survey.kinds.promised_channel import PromisedChannel
from sordino.survey.kinds.question import Floats, SharesQuestion
from sordino.survey.kinds.question_forecast import (
    HALF,
    Forecast,
    ForecastTable,
    finite,
    in_two_digits,
    needed_for,
    unlearned_warning,
)
from sordino.survey.kinds.shares.joined_histogram import JoinedHistogram

ALIKE = "Assumes that all values are equally common."
"""What the expected errors rest on where nothing is known."""


class MarginPart(NamedTuple):
    """All that the variance of a table's margin depends on.

    Attributes:
        channel: the integers with their promise.
        subtract_totals: whether estimates are shifted to the known total.
        shape: of the table.
        axis: of the attribute in it.
    """

    channel: PromisedChannel
    subtract_totals: bool
    shape: tuple[int, ...]
    axis: int


class AlonePart(NamedTuple):
    """All that the variance of a histogram asked by itself depends on: the channel that the best one is alike."""

    channel: PromisedChannel
    k: int
    shares: bytes


@dataclass(frozen=True)
class JoinedForecast(Forecast):
    """What will be shown about a histogram asked together with others.

    The precision of a share is the sum, over the tables, of the people asked over the variance of one report: what the
    weights of the pooled estimate give at the true shares.

    Attributes:
        question: the histogram.
        cells: of each of its tables the shares that are expected, shape (cells,); None where nothing is known.
        parts: what forecasts have in common.
    """

    question: JoinedHistogram
    cells: tuple[Floats | None, ...]
    parts: DistinctParts

    @cached_property
    def variance(self) -> Floats:
        """Expected, of each share, shape (k,)."""
        precision = np.zeros(self.question.domain.k)
        for table, cells in zip(self.question.tables, self.cells, strict=True):
            k = table.domain.k
            shares = np.full(k, 1 / k) if cells is None else cells
            precision += table.people / self._margin(table).expected_variances(shares)
        variance: Floats = 1 / precision
        return variance

    @cached_property
    def alone(self) -> Floats:
        """The same where each person answers one of the questions, shape (k,)."""
        table, k = self.question.tables[0], self.question.domain.k
        part = AlonePart(table.channel, k, self.shares.tobytes())

        def unit() -> Floats:
            mechanism = best_mechanism(k, table.definition)
            law = mechanism.forward(self.shares)
            return unit_variance(mechanism, law, subtract_totals=subtracting_helps(mechanism))

        return self.parts.of(part, unit) / self.people_alone

    @property
    def people_alone(self) -> float:
        """How many people would be asked it, if each of them answered one question."""
        return sum(table.people / len(table.shape) for table in self.question.tables)

    @cached_property
    def shares(self) -> Floats:
        """That are expected, shape (k,); all alike where nothing is known."""
        k = self.question.domain.k
        known = [
            self.question.margin(table, cells)
            for table, cells in zip(self.question.tables, self.cells, strict=True)
            if cells is not None
        ]
        return known[0] if known else np.full(k, 1 / k)

    @property
    def is_known(self) -> bool:
        """Whether something is expected of the people."""
        return any(cells is not None for cells in self.cells)

    @property
    def stderr(self) -> float:
        """The root mean square of the shares' expected standard errors."""
        return float(np.sqrt(self.variance.mean()))

    @property
    def gain(self) -> float:
        """People needed for the same squared error one question at a time, over those needed together."""
        return float(self.alone.sum() / self.variance.sum())

    @property
    def attributes_in_report(self) -> tuple[int, int]:
        """About how many attributes a report is at once: at least, and at most."""
        counts = [len(table.shape) for table in self.question.tables]
        return min(counts), max(counts)

    @property
    def _largest(self) -> float:
        common = np.argsort(-self.shares, kind="stable")[:LARGEST]
        return float(np.sqrt(self.variance[common].mean()))

    @property
    def people_needed(self) -> int | None:
        return needed_for(self.question.people, self._largest, HALF)

    @property
    def warning(self) -> str | None:
        return unlearned_warning(self.question, "a share", self._largest)

    @cached_property
    def largest_part(self) -> float:
        """Whatever people are like, unless something is expected of them."""
        if self.is_known:
            return self.assumed_part
        precision = np.zeros(self.question.domain.k)
        for table in self.question.tables:
            squares = self._margin(table).squares_of_value
            inside = sums_over(table.shape, [self.question.axis(table)]) > 0
            own = np.where(inside, squares, -np.inf).max(axis=1)
            others = np.where(inside, -np.inf, squares).max(axis=1)
            precision += table.people / worst_variance(own, others)
        return float(np.sqrt(1 / precision.min()))

    @property
    def assumed_part(self) -> float:
        return float(np.sqrt(self.variance.max()))

    def errors(self) -> Iterator[tuple[str, float]]:
        yield f"share of {self.question.name}", self.stderr

    def tables(self) -> Sequence[ForecastTable]:
        """How exact the shares will be, and what asking one question at a time would give."""
        question, (least, most) = self.question, self.attributes_in_report
        alone = float(np.sqrt(self.alone.mean()))
        survey = round(question.people / float(question.share))
        by_itself = in_two_digits(round(survey * self.gain)) if isfinite(self.gain) else "no number is enough"
        rows = [
            ("standard error of a share", f"{self.stderr:.3g}", f"{alone:.3g}"),
            ("people who are asked it", f"{question.people:,}", f"{self.people_alone:,.0f}"),
            (
                "people in the survey for the same squared error",
                f"{survey:,}",
                by_itself,
            ),
            ("attributes in a report", f"{least}" if least == most else f"{least} to {most}", "1"),
            ("bits a report", f"{question.code_bits}", ""),
        ]
        notes = () if self.is_known else (ALIKE,)
        return (ForecastTable(("expected", "asked together", "one at a time"), rows, notes),)

    def json(self) -> dict[str, Any]:
        """Expected errors, those one at a time, and the tables that tell it."""
        return {
            "together": [table.name for table in self.question.tables],
            "expected": {"stderr": finite(self.stderr), "squared_error": finite(float(self.variance.sum()))},
            "expected_alone": {
                "stderr": finite(float(np.sqrt(self.alone.mean()))),
                "squared_error": finite(float(self.alone.sum())),
            },
        }

    def _margin(self, table: SharesQuestion) -> Functionals:
        axis, shift = self.question.axis(table), table.part.subtract_totals
        part = MarginPart(table.channel, shift, table.shape, axis)
        return self.parts.of(part, lambda: Functionals(table.mechanism, sums_over(table.shape, [axis]), shift))
