"""What a question will show once people have answered, and what it cannot be expected to answer: whatever its kind."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from math import ceil, isfinite
from typing import Any, NamedTuple

from sordino.blocks.digits import error_in_percent
from sordino.survey.kinds.question import AskedQuestion

Z = 1.96
"""Standard errors of a 95 % interval to either side."""

HALF = 0.5
"""The half-width of an interval of all numbers from 0 to 1."""

SHARE = "%"
"""Unit of a share, whose errors are parts of 1."""

TENTH = 0.1
"""An interval that says something: a tenth of all that is possible."""


class ForecastTable(NamedTuple):
    """Rows of a forecast.

    Attributes:
        header: above its columns.
        rows: of texts.
        notes: sentences below.
        title: above it, where the forecast's own would stand again.
    """

    header: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    notes: tuple[str, ...] = ()
    title: str | None = None


class ExpectedError(NamedTuple):
    """The expected standard error of a quantity, or of the typical one of its kind.

    Attributes:
        name: of the quantity.
        plan: the error.
        uniform: the error if every attribute had the strongest protection of the plan.
        unit: of both; empty of a number without one, per cent of a share.
    """

    name: str
    plan: float
    uniform: float
    unit: str = SHARE

    def text(self, error: float) -> str:
        """An error of this quantity in two digits, with its unit."""
        if not isfinite(error):
            return "nothing"
        return error_in_percent(error) if self.unit == SHARE else f"{float(f'{error:.2g}'):,.12g} {self.unit}".rstrip()


class Forecast(ABC):
    """What will be shown about a question."""

    question: AskedQuestion

    @property
    @abstractmethod
    def people_needed(self) -> int | None:
        """Asked this question, for intervals that say something; None where no number suffices."""

    @property
    @abstractmethod
    def warning(self) -> str | None:
        """Why it cannot be expected to be answered."""

    @property
    @abstractmethod
    def largest_part(self) -> float:
        """The largest expected standard error, in parts of all that is possible: what an accuracy bounds."""

    @property
    def assumed_part(self) -> float:
        """The same for the people whom the tables assume, or expect; smaller where an accuracy holds for others too."""
        return self.largest_part

    @property
    def worst_part(self) -> float:
        """The same whatever people are like; larger where an accuracy rests on the assumption. May be infinite."""
        return self.largest_part

    @property
    def whole_part(self) -> float | None:
        """The same of more than was asked for, which is shown too; None where nothing is."""
        return None

    @property
    def gain(self) -> float | None:
        """People needed one question at a time over those needed together with others; None where it is asked alone."""
        return None

    @property
    def accuracy_note(self) -> str:
        """What of the question an accuracy is about, where that is not all that is shown."""
        return ""

    @property
    def fewest_reports(self) -> int | None:
        """Reports of the question without which it is not answered, or often refused; None where no number suffices."""
        return 1

    @abstractmethod
    def tables(self) -> "Sequence[ForecastTable]":
        """What people read of it, beside uniform protection; worked out once, of many values it takes a while."""

    @abstractmethod
    def json(self) -> dict[str, Any]:
        """What programs read of it; without what all forecasts say."""

    @property
    def assumption(self) -> str:
        """Sentence about the people whom the expected errors assume; empty where something is expected of them."""
        return ""

    @property
    def offer(self) -> str:
        """Sentence about a change of the survey that would save many people; empty where none is known."""
        return ""

    @abstractmethod
    def errors(self) -> Iterator[ExpectedError]:
        """Each expected standard error."""


def finite(number: float) -> float | None:
    """For JSON, which has no infinity."""
    return number if isfinite(number) else None


def needed_for(people: int, error: float, most: float) -> int | None:
    """People for an interval that is a tenth of all that is possible, from the error with some; None without end."""
    if not isfinite(error):
        return None
    return max(1, ceil(people * (Z * error / (TENTH * most)) ** 2))


def unlearned_warning(question: AskedQuestion, what: str, error: float) -> str | None:
    """That a number from 0 to 1 will not be known better than that, if so."""
    return nothing_learned(question, what, needed_for(question.people, error, HALF)) if Z * error >= HALF else None


def nothing_learned(question: AskedQuestion, what: str, needed: int | None) -> str:
    """That an interval is as wide as all that is possible."""
    more = (
        "No number of people is enough"
        if needed is None
        else f"An interval a tenth as wide takes {crowd(question, needed)}"
    )
    return (
        f"{question.title}: NOTHING is learned with {question.people:,} people: the 95 % interval of {what} covers"
        f" its whole possible range. {more}."
    )


def crowd(question: AskedQuestion, needed: int) -> str:
    """A number of people in two digits, of the question and of the whole survey."""
    everybody = ceil(needed / question.share)
    return f"about {in_two_digits(everybody)} people" + (
        f" ({in_two_digits(needed)} asked this)" if question.share < 1 else ""
    )


def in_two_digits(people: int) -> str:
    """A number of people or reports, rounded up."""
    unit = 10 ** max(0, len(str(people)) - 2)
    rounded = -(-people // unit) * unit
    return f"{rounded:,}" if people < 10**15 else f"{float(rounded):.2g}"
