"""What a plan will show about the distribution of a number, before anybody is asked.

Standard errors of the unbiased function are exact. How far the fitted one is from the truth has no formula: some
surveys are simulated, always the same ones, and fitted as reports are.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sordino.design.shares.fitted_distance import ExpectedEstimates
from sordino.distinct import DistinctParts
from sordino.domain.bins import DEFAULT_BINS, MOST_ON_SCALE, plain, shortest
from sordino.estimation.number_distribution import DistributionEstimate
from sordino.mechanism.base import Mechanism
from sordino.mechanism.channel import Aggregate
from sordino.survey.kinds.distribution.distribution_question import MOST_SHOWN, AskedDistribution, DistributionQuestion
from sordino.survey.kinds.question_forecast import (
    HALF,
    ExpectedError,
    Forecast,
    ForecastTable,
    needed_for,
    unlearned_warning,
)

BINS_DRAWN, FEWEST_DRAWS, MOST_DRAWS = 1 << 12, 8, 40
"""Of all simulated surveys together; how many of these at least, and at most."""


EVEN = "Assumes that people are evenly spread between the ends."
"""What the expected errors of a distribution rest on."""

EVENLY = f"{EVEN} The fitted function is less accurate where the distribution is less smooth."
"""What the expected errors of a distribution function rest on."""


@dataclass(frozen=True)
class FunctionErrors:
    """Expected standard errors of a distribution function, over the edges between bins, and of ranges.

    Attributes:
        typical: the root of their mean square.
        largest: of them.
        ranges: of the share of each range that is asked.
        net: of the difference of the shares of two ranges at the ends of a whole-number scale; else of none.
    """

    typical: float
    largest: float
    ranges: tuple[float, ...]
    net: tuple[float, ...]

    @classmethod
    def of(cls, errors: NDArray[np.float64], ranges: NDArray[np.float64], net: NDArray[np.float64]) -> "FunctionErrors":
        """Of the error at each edge, of those of ranges, and of that of their difference."""
        typical = float(np.sqrt((errors**2).mean()))
        return cls(typical, float(errors.max()), tuple(ranges.tolist()), tuple(net.tolist()))

    def json(self) -> dict[str, float | list[float]]:
        """For programs."""
        ranges: dict[str, float | list[float]] = {"stderr_ranges": list(self.ranges)} if self.ranges else {}
        net: dict[str, float | list[float]] = {"stderr_net": self.net[0]} if self.net else {}
        return {"stderr": self.typical, "stderr_largest": self.largest} | ranges | net


class DistributionOutlook(NamedTuple):
    """All that is expected of a distribution depends on: the question, and shares of the people as bytes of floats."""

    asked: AskedDistribution
    shares: bytes | None


@dataclass(frozen=True, eq=False)
class DistributionErrors:
    """How exact a distribution will be: alike for all numbers that are asked alike.

    Attributes:
        question: one of those.
        shares: of the bins, that the people are expected to have, shape (k,); None where nothing is known.
    """

    question: DistributionQuestion
    shares: NDArray[np.float64] | None

    @cached_property
    def plan(self) -> FunctionErrors:
        """Of this plan."""
        question, shares = self.question, self.shares
        return FunctionErrors.of(question.errors(shares), question.range_errors(shares), question.net_errors(shares))

    @cached_property
    def uniform(self) -> FunctionErrors:
        """Under plain LDP at the least delta."""
        question, shares = self.question, self.shares
        net = question.net_errors(shares, uniform=True)
        return FunctionErrors.of(question.errors_uniform(shares), question.range_errors_uniform(shares), net)

    @cached_property
    def largest(self) -> float:
        """The largest standard error of what is asked for."""
        return self.question.largest_error(self.shares)

    @cached_property
    def fitted_error(self) -> float:
        """The root mean square, over the edges between bins, of the error of the fitted function."""
        return self._fitted_error(self.question.mechanism, self.question.level)

    @cached_property
    def fitted_uniform(self) -> float:
        """The same under plain LDP at the least delta."""
        question = self.question
        if question.uniform.fingerprint == question.mechanism.fingerprint:
            return self.fitted_error
        return self._fitted_error(question.uniform, min(question.level, question.least.floor()))

    def _fitted_error(self, mechanism: Mechanism, level: float) -> float:
        question, rng, squares = self.question, np.random.default_rng(0), 0.0
        bins, spikes = question.domain, bool(question.part.spikes)
        read = question.expected_errors(self.shares)
        law = ExpectedEstimates(mechanism, question.people, subtract_totals=False, shares=read).law
        truth = np.cumsum(read[: bins.k] / read[: bins.k].sum())[:-1]
        draws = int(np.clip(BINS_DRAWN // bins.k, FEWEST_DRAWS, MOST_DRAWS))
        for _ in range(draws):
            tally = Aggregate(mechanism.fingerprint, question.people, rng.multinomial(question.people, law))
            fitted = DistributionEstimate.of(mechanism, tally, bins, level, spikes=spikes).fitted
            squares += 0.0 if fitted is None else float(((np.cumsum(fitted)[:-1] - truth) ** 2).mean())
        return float(np.sqrt(squares / draws))


@dataclass(frozen=True)
class DistributionForecast(Forecast):
    """What will be shown about the distribution of a number.

    Attributes:
        question: of a plan.
        shares: of the bins, that the people are expected to have, shape (k,); None where nothing is known.
        parts: what was forecast of other questions.
    """

    question: DistributionQuestion
    shares: NDArray[np.float64] | None
    parts: DistinctParts = field(default_factory=DistinctParts, repr=False, compare=False)

    @cached_property
    def outlook(self) -> DistributionErrors:
        """How exact it will be, whatever its name."""
        known = None if self.shares is None else self.shares.tobytes()
        part = DistributionOutlook(self.question.asked_distribution, known)
        return self.parts.of(part, lambda: DistributionErrors(self.question, self.shares))

    @property
    def plan(self) -> FunctionErrors:
        """Of this plan."""
        return self.outlook.plan

    @property
    def uniform(self) -> FunctionErrors:
        """Under plain LDP at the least delta."""
        return self.outlook.uniform

    @property
    def fitted_error(self) -> float:
        """The root mean square, over the edges between bins, of the error of the fitted function."""
        return self.outlook.fitted_error

    @property
    def fitted_uniform(self) -> float:
        """The same under plain LDP at the least delta."""
        return self.outlook.fitted_uniform

    @property
    def people_needed(self) -> int | None:
        """Asked this question, for intervals that say something; None where no number suffices."""
        return needed_for(self.question.people, self.plan.largest, HALF)

    @property
    def warning(self) -> str | None:
        unlearned = unlearned_warning(self.question, "the distribution function", self.plan.largest)
        return " ".join(filter(None, (unlearned, self._scale_warning))) or None

    @property
    def _scale_warning(self) -> str | None:
        """Warning about a likely whole-number scale in 256 undeclared bins."""
        bins, ends = self.question.domain, self.question.domain.ends
        is_whole = ends.low == int(ends.low) and ends.high == int(ends.high) and ends.width <= MOST_ON_SCALE
        if self.question.part.bins != DEFAULT_BINS or not is_whole:
            return None
        return (
            f"{self.question.title} is asked in {bins.k} bins, each {shortest(ends.width / bins.k)} wide: where answers"
            f" are whole numbers, write scale = [{plain(ends.low)}, {plain(ends.high)}] in place of `number`."
        )

    @property
    def largest_part(self) -> float:
        """Of the ranges and the quantiles that are asked for, else of the function at every edge between bins."""
        return self.outlook.largest

    @property
    def assumed_part(self) -> float:
        """That of people who are evenly spread, where nothing is expected."""
        return self.question.largest_error(self.question.expected_errors(self.shares))

    @property
    def whole_part(self) -> float | None:
        part = self.question.part
        return self.question.largest_error(self.shares, whole=True) if part.ranges or part.quantiles else None

    @property
    def accuracy_note(self) -> str:
        part, name = self.question.part, self.question.name
        if not (part.ranges or part.quantiles):
            about = f"Of {name} these intervals are for the share of people below each edge"
            return f"{about}; those of its bins may be up to twice as wide."
        each = [("range", len(part.ranges)), ("quantile", len(part.quantiles))]
        asked = " and ".join(f"{noun}{'' if count == 1 else 's'}" for noun, count in each if count)
        shares = "" if part.ranges else ", in the share of people below"
        return f"Of {name} these intervals are for the requested {asked}{shares}."

    @property
    def assumption(self) -> str:
        return EVEN if self.shares is None else ""

    def errors(self) -> Iterator[ExpectedError]:
        """Of the ranges and quantiles that are asked; where neither is, of a bin, or of the function of many bins."""
        question, plan, uniform, own = self.question, self.plan, self.uniform, self.question.name
        ranges = [question.domain.title(*ends) for ends in question.part.ranges]
        for title, error, other in zip(ranges, plan.ranges, uniform.ranges, strict=True):
            yield ExpectedError(f"share of {own} from {title}", error, other)
        for error, other in zip(plan.net, uniform.net, strict=True):
            yield ExpectedError(f"share of {own} from {question.net_title}", error, other)
        unit = "days" if question.attribute.is_date else question.attribute.phrasing.unit
        for quantile in question.part.quantiles:
            error, other = (question.quantile_error(quantile, self.shares, uniform=each) for each in (False, True))
            yield ExpectedError(f"{question.quantile_title(quantile)} of {own}", error, other, unit)
        if ranges or question.part.quantiles:
            return
        if question.domain.k > MOST_SHOWN:
            yield ExpectedError(f"share of {own} below an edge", plan.typical, uniform.typical)
        else:
            error, other = (question.bin_error(self.shares, uniform=each) for each in (False, True))
            yield ExpectedError(f"share of a bin of {own}", error, other)

    def tables(self) -> Sequence[ForecastTable]:
        """The expected standard errors of the function and of ranges, and those under LDP at the least delta."""
        question, plan, uniform = self.question, self.plan, self.uniform
        rows = [
            ("standard error of the distribution function", f"{plan.typical:.3g}", f"{uniform.typical:.3g}"),
            ("... at the worst edge of a bin", f"{plan.largest:.3g}", f"{uniform.largest:.3g}"),
            ("error of the fitted function", f"{self.fitted_error:.3g}", f"{self.fitted_uniform:.3g}"),
            *(
                (f"standard error of the share from {question.domain.title(low, high)}", f"{own:.3g}", f"{other:.3g}")
                for (low, high), own, other in zip(question.part.ranges, plan.ranges, uniform.ranges, strict=True)
            ),
            *(
                (f"standard error of the share from {question.net_title}", f"{own:.3g}", f"{other:.3g}")
                for own, other in zip(plan.net, uniform.net, strict=True)
            ),
            ("bits a report", str(question.mechanism.code_bits), str(question.uniform.code_bits)),
        ]
        notes = (EVENLY if self.shares is None else "",)
        return (ForecastTable(("expected", "this plan", "uniform LDP"), rows, notes),)

    def json(self) -> dict[str, Any]:
        return {
            "asked": self.question.kind,
            "mechanism": self.question.part.mechanism,
            "expected": self.plan.json() | {"fitted": self.fitted_error},
            "expected_uniform": self.uniform.json() | {"fitted": self.fitted_uniform},
        }
