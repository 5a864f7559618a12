"""What a plan will show about shares of values, cells or sides, before anybody is asked."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import isfinite
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from sordino.definition.high_low import HighLowLDP
from sordino.definition.pairwise import LDP, BlockLDP
from sordino.design.accuracy import LARGEST, Accuracy, SharesAccuracy, expected_accuracy, subtracting_helps
from sordino.design.shares.best_mechanism import candidates
from sordino.exact.nats import Nats
from sordino.mechanism.channel_table import ChannelTable
from sordino.survey.kinds.promised_channel import PromisedChannel
from sordino.survey.kinds.question import SharesQuestion
from sordino.survey.kinds.question_forecast import HALF, Forecast, ForecastTable, finite, needed_for, unlearned_warning
from sordino.survey.kinds.shares.fitted_forecast import FittedForecast

ALIKE = (
    "Assumes that all values are equally common. Fitted shares are usually closer to the truth when most people have a"
    " few of the values: the first number is for shares proportional to one over the rank (Zipf's law), with"
    " independent attributes. For a better forecast, give a public sample (`expect`)."
)
"""What the expected errors of shares rest on."""


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

    def errors(self) -> Iterator[tuple[str, float]]:
        yield f"share of {self.question.name}", self.plan.stderr

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
        notes = (ALIKE,) if self.shares is None else ()
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
