"""What a plan will show about categories of which several apply, before anybody is asked, by each way of asking."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import ceil
from typing import Any, NamedTuple

import numpy as np

from sordino.design.shares.several_ways import PromisedWays, SeveralWay, best_way, ways_to_ask
from sordino.distinct import DistinctParts
from sordino.mechanism.channel import LARGEST_CODE_BITS
from sordino.survey.kinds.question import Floats
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
from sordino.survey.kinds.several.several_question import AskedWay, SeveralQuestion
from sordino.survey.schema.expected_people import expected_of_marks

COMBINED = "Assumes that all combinations are equally common."
"""What the expected errors rest on, in short."""

ALIKE = (
    f"{COMBINED} Write what is expected of each category in the survey"
    " (`expected`), or give a public sample, for what is likelier (`expect`)."
)
"""What the expected errors rest on."""

WORTH = 0.1
"""Part of the people, at least, for which fewer names are offered."""

WAYS = {
    "combination": "all that apply as one value",
    "category": "one category, drawn at random",
    "meeting": "a random group that meets what applies",
}
"""The ways to ask, in words."""


class FewerNames(NamedTuple):
    """All that the largest number of names that needs fewer people depends on."""

    asked: AskedWay


@dataclass(frozen=True)
class SeveralForecast(Forecast):
    """What will be shown about the shares of categories.

    Attributes:
        question: of a plan.
        read: the shares of what is read, as `SeveralQuestion.expected_people`; None where nothing is known.
        parts: what was forecast of other questions.
    """

    question: SeveralQuestion
    read: Floats | None
    parts: DistinctParts = field(default_factory=DistinctParts, repr=False, compare=False)

    @cached_property
    def plan(self) -> Floats:
        """The standard error of the share of each mark."""
        return self.question.errors(self.read)

    @cached_property
    def uniform(self) -> Floats:
        """The same at the least delta of the plan, by the best way then."""
        return self._errors(self.question.uniform_way)

    def _errors(self, way: SeveralWay) -> Floats:
        found: Floats = np.sqrt(way.variances(*self._expected) / self.question.people)
        return found

    @cached_property
    def _expected(self) -> tuple[Floats | None, Floats]:
        """The shares of combinations and of marks, as `SeveralQuestion.split_read`."""
        return self.question.split_read(self.read)

    @cached_property
    def ways(self) -> list[tuple[str, str, float]]:
        """Each way that keeps the promise: its name, its mechanism, and the root mean square of the standard errors."""
        question = self.question
        unnamed, epsilon, (_, marks) = question.choices.without_names, question.definition.epsilon, self._expected
        asked = PromisedWays(unnamed, epsilon, LARGEST_CODE_BITS, marks.tobytes())
        found = self.parts.of(asked, lambda: tuple(ways_to_ask(unnamed, epsilon, LARGEST_CODE_BITS, marks)))
        return [(way.way, way.mechanism.name, _typical(self._errors(way))) for way in found]

    @cached_property
    def fewer_names(self) -> tuple[int, float] | None:
        """The largest number of names at most that saves a tenth of the people, and the part of them that it needs.

        Both for people whose combinations of so many names are equally common, whom this plan asks too; None where no
        number saves so many.
        """
        question = self.question
        return self.parts.of(FewerNames(question.asked_alike), lambda: _fewer_names(question))

    @property
    def _fewer_names_note(self) -> str:
        if self.fewer_names is None:
            return ""
        (most, part), own = self.fewer_names, self.question
        people = f"{in_two_digits(ceil(own.people * part))} people instead of {own.people:,}"
        return (
            f"At most {most} instead of {own.choices.most} names (several = {most}): about {people} for the same error,"
            f" if all combinations of at most {most} are equally common."
        )

    @property
    def people_needed(self) -> int | None:
        """Asked this question, for intervals that say something; None where no number suffices."""
        return needed_for(self.question.people, float(self.plan.max()), HALF)

    @property
    def warning(self) -> str | None:
        return unlearned_warning(self.question, "the share of a category", float(self.plan.max()))

    @property
    def largest_part(self) -> float:
        """The largest expected standard error; of unknown people the worst."""
        if self.read is not None:
            return float(self.plan.max())
        return float(np.sqrt(self.question.asked_way.largest_variance() / self.question.people))

    @property
    def assumed_part(self) -> float:
        """That of people whose combinations are equally common, where nothing is expected."""
        return float(self.plan.max())

    @property
    def fewest_reports(self) -> int | None:
        return self.question.asked_way.times

    @property
    def assumption(self) -> str:
        return COMBINED if self.read is None else ""

    @property
    def offer(self) -> str:
        return f"{self.question.name}: {self._fewer_names_note}" if self.fewer_names is not None else ""

    def errors(self) -> Iterator[ExpectedError]:
        name = f"share of a category of {self.question.name}"
        yield ExpectedError(name, _typical(self.plan), _typical(self.uniform))

    def tables(self) -> Sequence[ForecastTable]:
        question, best = self.question, _typical(self.plan)
        marks = zip(question.choices.marks, self.plan, self.uniform, strict=True)
        rows = [
            ("standard error of the share of a category", f"{best:.3g}", f"{_typical(self.uniform):.3g}"),
            *((f"... of {mark!r}", f"{own:.3g}", f"{other:.3g}") for mark, own, other in marks),
        ]
        header = ("ways to ask that keep the promise", "mechanism", "std. error", "people for this plan's")
        ways = [
            (
                f"{WAYS[way]}{' (this plan)' if self._is_asked(way, name) else ''}",
                name,
                f"{error:.3g}",
                f"{question.people * (error / best) ** 2:,.0f}",
            )
            for way, name, error in self.ways
        ]
        notes = (*((ALIKE,) if self.read is None else ()), self._fewer_names_note)
        return (
            ForecastTable(("expected", "this plan", "uniform LDP"), rows, notes),
            ForecastTable(header, ways, title=""),
        )

    def _is_asked(self, way: str, name: str) -> bool:
        return (way, name) == (self.question.part.way, self.question.mechanism.name)

    def json(self) -> dict[str, Any]:
        """The expected errors of each category, and of each way to ask."""
        question = self.question
        return {
            "asked": question.kind,
            "way": question.part.way,
            "mechanism": question.part.mechanism,
            "expected": {"stderr": _typical(self.plan), "stderr_largest": float(self.plan.max())}
            | {"stderr_each": dict(zip(question.choices.marks, self.plan.tolist(), strict=True))},
            "expected_uniform": {"stderr": _typical(self.uniform), "stderr_largest": float(self.uniform.max())},
            "fewer_names": self.fewer_names and dict(zip(("several", "part"), self.fewer_names, strict=True)),
            "ways": [{"way": way, "mechanism": name, "stderr": finite(error)} for way, name, error in self.ways],
        }


def _fewer_names(question: SeveralQuestion) -> tuple[int, float] | None:
    choices = question.choices.without_names
    for most in range(choices.most - 1, 0, -1):
        fewer = replace(choices, most=most)
        alike = np.full(fewer.k, 1 / fewer.k) if fewer.is_listed else None
        marks = expected_of_marks(None, fewer)
        asked = np.isin(choices.values, fewer.values) / fewer.k if choices.is_listed else None
        best = best_way(fewer, question.definition.epsilon, alike, marks, LARGEST_CODE_BITS)
        part = float(best.variances(alike, marks).mean() / question.asked_way.variances(asked, marks).mean())
        if part <= 1 - WORTH:
            return most, part
    return None


def _typical(errors: Floats) -> float:
    return float(np.sqrt((errors**2).mean()))
