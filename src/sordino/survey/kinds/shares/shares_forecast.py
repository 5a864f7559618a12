"""What a plan will show about shares of values, cells or sides, before anybody is asked."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import isfinite
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from sordino.definition.high_low import HighLowLDP
from sordino.definition.pairwise import LDP, BlockLDP
from sordino.design.accuracy import (
    LARGEST,
    Accuracy,
    SharesAccuracy,
    expected_accuracy,
    subtracting_helps,
    worst_variance,
)
from sordino.design.shares.best_mechanism import best_mechanism, candidates
from sordino.design.shares.joined_questions import CellsChannel, margin_shares
from sordino.distinct import DistinctParts
from sordino.estimation.joint.table_cells import sums_over
from sordino.estimation.unbiased import Functionals, unit_variance
from sordino.exact.nats import Nats, outward
from sordino.mechanism.channel_table import ChannelTable
from sordino.survey.kinds.promised_channel import PromisedChannel
from sordino.survey.kinds.question import Floats, SharesQuestion
from sordino.survey.kinds.question_forecast import (
    HALF,
    ExpectedError,
    Forecast,
    ForecastTable,
    finite,
    in_two_digits,
    needed_for,
    unlearned_warning,
)
from sordino.survey.kinds.shares.fitted_forecast import FittedForecast
from sordino.survey.kinds.shares.joined_histogram import JoinedHistogram

ALIKE = (
    "Assumes that all values are equally common. Fitted shares are usually closer to the truth when most people have a"
    " few of the values: the first number is for shares proportional to one over the rank (Zipf's law), with"
    " independent attributes. For a better forecast, give a public sample (`expect`)."
)
"""What the expected errors of shares rest on."""

EVEN = "Assumes that all values are equally common."
"""What those of shares rest on beside which nothing is fitted."""


MOST_VALUES = 1 << 20
"""Largest number of values for which a floor is worked out."""


class OutlookPart(NamedTuple):
    """All that is expected of the shares of some values depends on.

    Attributes:
        channel: the integers with their promise, of a plan.
        subtract_totals: whether estimates are shifted to the known share of their block.
        people: who are expected to be asked.
        least: the smallest delta of the plan; None where attributes have none.
        shares: that the people are expected to have, as the bytes of floats; None where nothing is known.
    """

    channel: PromisedChannel
    subtract_totals: bool
    people: int
    least: Nats | None
    shares: bytes | None

    @classmethod
    def of(cls, question: SharesQuestion, shares: NDArray[np.float64] | None) -> Self:
        """Of a question."""
        known = None if shares is None else shares.tobytes()
        return cls(question.channel, question.part.subtract_totals, question.people, question.least, known)


@dataclass(frozen=True, eq=False)
class SharesOutlook:
    """How exact shares will be by the integers of a plan and by other mechanisms: alike for all that are asked alike.

    Attributes:
        question: one of those.
        shares: that the people are expected to have, shape (k,); None where nothing is known.
    """

    question: SharesQuestion
    shares: NDArray[np.float64] | None

    @cached_property
    def plan(self) -> SharesAccuracy:
        """Of this plan."""
        return self.question.forecast(self.shares)

    @cached_property
    def uniform(self) -> SharesAccuracy:
        """Under uniform protection."""
        return self.question.forecast_uniform(self.shares)

    @cached_property
    def largest_error(self) -> float:
        """The largest expected standard error of a share."""
        return self.question.largest_error(self.shares)

    @cached_property
    def largest_if_alike(self) -> float:
        """The same of people whose values are equally common."""
        k = self.question.domain.k
        return self.question.largest_error(np.full(k, 1 / k))

    @cached_property
    def candidates(self) -> dict[str, Accuracy]:
        """How exact the estimates of each mechanism that keeps the promise would be, by its name."""
        question = self.question
        made = candidates(question.domain.k, question.definition, designed=False)
        if isinstance(question.mechanism, ChannelTable):
            known = {mechanism.fingerprint for mechanism in made.values()}
            if question.mechanism.fingerprint not in known:
                made[question.mechanism.name] = question.mechanism
        found = {}
        for name in list(made):
            # Let go as soon as it is told: what a mechanism works out for millions of values is large.
            mechanism = made.pop(name)
            words = f"{name}, {mechanism.code_bits} bit{'' if mechanism.code_bits == 1 else 's'}"
            helps = subtracting_helps(mechanism)
            found[words] = expected_accuracy(mechanism, question.people, subtract_totals=helps, shares=self.shares)
        return found


@dataclass(frozen=True)
class FittedDistance:
    """How far fitted shares are expected to be from the truth.

    Attributes:
        plan, uniform: of this plan and under uniform protection; where nothing is known of the people, first of a few
            common values, then of values that are all alike.
    """

    plan: tuple[float, ...]
    uniform: tuple[float, ...]


@dataclass(frozen=True)
class SharesForecast(Forecast):
    """What will be shown about the shares of an attribute's values.

    Attributes:
        question: of a plan.
        shares: that the people are expected to have, shape (k,); None where nothing is known.
        fitted: of all such questions of the plan.
        place: of this one among them.
    """

    question: SharesQuestion
    shares: NDArray[np.float64] | None
    fitted: FittedForecast
    place: int

    @classmethod
    def of(
        cls, question: SharesQuestion, shares: NDArray[np.float64] | None, fitted: FittedForecast
    ) -> "SharesForecast":
        """Of a question, among those that are fitted together if it is one; by default of whom the plan expects."""
        shares = question.expected_people if shares is None else shares
        place = fitted.places.get(id(question))
        if place is None:
            return cls(question, shares, FittedForecast([question], [shares], fitted.parts), 0)
        return cls(question, shares, fitted, place)

    @cached_property
    def outlook(self) -> SharesOutlook:
        """What is expected of it, whatever its name."""
        return self.fitted.parts.of(OutlookPart.of(self.question, self.shares), self._outlook)

    def _outlook(self) -> SharesOutlook:
        return SharesOutlook(self.question, self.shares)

    @property
    def plan(self) -> SharesAccuracy:
        """Of this plan."""
        return self.outlook.plan

    @property
    def uniform(self) -> SharesAccuracy:
        """Under uniform protection."""
        return self.outlook.uniform

    @cached_property
    def distance(self) -> FittedDistance:
        """Expected total variation between the fitted shares and the truth."""
        fitted, at = self.fitted, self.place
        if self.shares is not None:
            return FittedDistance((fitted.plan[at],), (fitted.uniform[at],))
        return FittedDistance(
            (fitted.plan_concentrated[at], fitted.plan[at]), (fitted.uniform_concentrated[at], fitted.uniform[at])
        )

    @property
    def candidates(self) -> dict[str, Accuracy]:
        """How exact the estimates of each mechanism that keeps the promise would be, by its name."""
        return self.outlook.candidates

    @property
    def people_needed(self) -> int | None:
        """Asked this question, for intervals that say something; None where no number suffices."""
        return needed_for(self.question.people, self.plan.largest, HALF)

    @property
    def warning(self) -> str | None:
        return unlearned_warning(self.question, "a share", self.plan.largest)

    @property
    def largest_part(self) -> float:
        return self.outlook.largest_error

    @property
    def assumed_part(self) -> float:
        """That of people whose values are equally common, where nothing is expected."""
        if self.shares is not None:
            return self.largest_part
        return self.outlook.largest_if_alike

    @property
    def assumption(self) -> str:
        return EVEN if self.shares is None else ""

    def errors(self) -> Iterator[ExpectedError]:
        yield ExpectedError(f"share of {self.question.name}", self.plan.stderr, self.uniform.stderr)

    @cached_property
    def total_variation_floor(self) -> float | None:
        """The least that any mechanism with the guarantee can reach in all populations; None where none is proved."""
        from sordino.design.minimax_floor import total_variation_floor

        definition, k = self.question.definition, self.question.domain.k
        if k > MOST_VALUES or not isinstance(definition, LDP | BlockLDP | HighLowLDP):
            return None
        values = k if isinstance(definition, LDP) else None
        return total_variation_floor(definition, self.question.people, values).total_variation

    @cached_property
    def accuracy_rows(self) -> list[tuple[str, ...]]:
        """This plan beside uniform protection."""
        question, plan, uniform, distance = self.question, self.plan, self.uniform, self.distance
        more = uniform.total_variance / plan.total_variance
        people = f"{question.people * more:,.0f}" if isfinite(more) else "no number is enough"
        rows = [("standard error of a share", f"{plan.stderr:.3g}", f"{uniform.stderr:.3g}")]
        if self.shares is None and plan.one_block is not None:
            rows.append(("... if all people are in one block", f"{plan.one_block:.3g}", f"{uniform.stderr:.3g}"))
        if self.shares is not None and len(self.shares) > LARGEST:
            rows.append((f"... of the {LARGEST} largest", f"{plan.largest:.3g}", f"{uniform.largest:.3g}"))
        return [
            *rows,
            ("total variation of the fitted shares", _range(distance.plan), _range(distance.uniform)),
            ("people needed for the same squared error", f"{question.people:,}", people),
            ("bits a report", str(question.mechanism.code_bits), str(question.uniform.code_bits)),
        ]

    def tables(self) -> Sequence[ForecastTable]:
        """How exact the shares will be, and what other mechanisms that keep the promise would give."""
        best, people = self.plan.total_variance, self.question.people
        candidates = [
            (name, f"{found.stderr:.3g}", f"{people * found.total_variance / best:,.0f}")
            for name, found in self.candidates.items()
            if isfinite(found.total_variance)
        ]
        notes: tuple[str, ...] = (ALIKE,) if self.shares is None else ()
        if self.total_variation_floor:
            floor = outward(Fraction(self.total_variation_floor), 3, up=False)
            notes += (
                f"With any mechanism, this guarantee costs a total variation of at least {floor} in some population.",
            )
        header = ("mechanisms with this guarantee", "std. error", "people for this plan's variance")
        return (
            ForecastTable(("expected", "this plan", "uniform LDP"), self.accuracy_rows, notes),
            ForecastTable(header, candidates, title=""),
        )

    def json(self) -> dict[str, Any]:
        """Expected errors, and those of other mechanisms; null for infinity."""
        people = self.question.people
        return {
            "mechanism": self.question.part.mechanism,
            "expected": _shares_json(self.plan, self.distance.plan, people),
            "expected_uniform": _shares_json(self.uniform, self.distance.uniform, people),
            "candidates": {name: _candidate_json(found, people) for name, found in self.candidates.items()},
            "total_variation_floor": self.total_variation_floor,
            "leverage": finite(self.question.forged_weight.people),
        }


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
    def variance_alone(self) -> Floats:
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
        return float(self.variance_alone.sum() / self.variance.sum())

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

    @property
    def assumption(self) -> str:
        return "" if self.is_known else EVEN

    def errors(self) -> Iterator[ExpectedError]:
        # Asked together or one at a time, all attributes are protected alike.
        yield ExpectedError(f"share of {self.question.name}", self.stderr, self.stderr)

    def tables(self) -> Sequence[ForecastTable]:
        """How exact the shares will be, and what asking one question at a time would give."""
        question, (least, most) = self.question, self.attributes_in_report
        alone = float(np.sqrt(self.variance_alone.mean()))
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
        notes = () if self.is_known else (EVEN,)
        return (ForecastTable(("expected", "asked together", "one at a time"), rows, notes),)

    def json(self) -> dict[str, Any]:
        """Expected errors, those one at a time, and the tables that tell it."""
        return {
            "together": [table.name for table in self.question.tables],
            "expected": {"stderr": finite(self.stderr), "squared_error": finite(float(self.variance.sum()))},
            "expected_alone": {
                "stderr": finite(float(np.sqrt(self.variance_alone.mean()))),
                "squared_error": finite(float(self.variance_alone.sum())),
            },
        }

    def _margin(self, table: SharesQuestion) -> Functionals:
        axis, shift = self.question.axis(table), table.part.subtract_totals
        part = MarginPart(table.channel, shift, table.shape, axis)
        return self.parts.of(part, lambda: margin_shares(CellsChannel(table.mechanism, shift), table.shape, axis))


def _range(distances: Sequence[float]) -> str:
    return " to ".join(f"{distance:.3g}" for distance in distances)


def _shares_json(accuracy: SharesAccuracy, distances: Sequence[float], people: int) -> dict[str, float | None]:
    """Expected errors for programs; `squared_error` is summed over the values. Null for infinity.

    `total_variation_concentrated` is there where nothing is known of the people.
    """
    return {
        "stderr": finite(accuracy.stderr),
        "stderr_largest": finite(accuracy.largest),
        "stderr_one_block": accuracy.one_block,
        "squared_error": finite(accuracy.total_variance / people),
        "total_variation": finite(distances[-1]),
    } | ({"total_variation_concentrated": finite(distances[0])} if len(distances) > 1 else {})


def _candidate_json(accuracy: Accuracy, people: int) -> dict[str, float | None]:
    return {"stderr": finite(accuracy.stderr), "squared_error": finite(accuracy.total_variance / people)}
