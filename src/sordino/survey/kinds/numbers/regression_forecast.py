"""What a plan will show about a regression, before anybody is asked: its coefficients, and how often it is refused."""

from collections.abc import Iterator
from functools import cached_property
from math import sqrt
from typing import Any

from sordino.design.numbers.numbers_accuracy import RARELY, Expected, NumbersAccuracy
from sordino.survey.kinds.numbers.numbers_forecast import NumbersForecast
from sordino.survey.kinds.question_forecast import HALF, TENTH, crowd

FIFTH = (
    "Assumes features with a standard deviation of a fifth of their ranges that are uncorrelated and explain half of"
    " the target; for a better forecast, give a public sample (`expect`)."
)
"""What the expected errors of coefficients rest on."""

OF_CATEGORIES = "Categories are assumed to be equally common and unrelated to everything else."
"""The same of features that are no numbers."""


SPREADS, STEPS, TRIED = (0.01, 0.25), 7, 50
"""Standard deviations of features that are tried, in parts of their ranges; how often the span is halved, and surveys
with each."""


class RegressionForecast(NumbersForecast):
    """What will be shown about coefficients."""

    @cached_property
    def refusal_rate(self) -> float:
        """The part of such surveys in which a regression is refused, since noise hides how its features vary."""
        return self.question.expectation(self.records).refusal_rate(self.question.people)

    @cached_property
    def people_needed(self) -> int | None:
        """Asked this question, for a regression that is rarely refused."""
        return self._rarely_refused if self.refusal_rate > RARELY else self.question.people

    @property
    def _rarely_refused(self) -> int | None:
        # Of people whom the plan expects it is the number that stands beside its results.
        if self.records is None or self.question.expected_people is not None:
            return self.question.rarely_refused
        return self.question.expectation(self.records).enough(self.question.people)

    @cached_property
    def warning(self) -> str | None:
        refused, often, about = self.refusal_rate, "about", ""
        if not self.is_known and refused <= RARELY:
            narrow = list(self._spread_by(TENTH))
            refused = max((each.refusal_rate(self.question.people) for each in narrow), default=0.0)
            often, about = "up to", ", if the features have a standard deviation of a tenth of their ranges"
            numbers = [each.enough(self.question.people) for each in narrow] if refused > RARELY else [0]
            needed = None if None in numbers else max(number or 0 for number in numbers)
        else:
            needed = self.people_needed
        if refused <= RARELY:
            return None
        enough = (
            "No number of people is enough: a feature hardly varies, or depends on the others"
            if needed is None
            else f"This becomes rare with {crowd(self.question, needed)}"
        )
        return (
            f"{self.question.name}: expect NO ANSWER in {often} {100 * refused:.0f} of 100 such surveys{about}: the"
            f" noise hides how the features vary, and the regression is refused. {enough}."
        )

    def _spread_by(self, spread: float) -> Iterator[Expected]:
        """What is expected of people whose features have this standard deviation, in parts of their ranges."""
        return map(self.question.expectation_of, self.question.spread_readings(spread))

    @cached_property
    def least_spread(self) -> float | None:
        """The standard deviation of features, in parts of their ranges, from which most regressions are estimated.

        Wherever their means lie. None where a quarter of the range is not enough, or a hundredth is.
        """

        def is_refused(spread: float) -> bool:
            rates = (each.refusal_rate(self.question.people, TRIED) for each in self._spread_by(spread))
            return any(rate > HALF for rate in rates)

        few, enough = SPREADS
        if is_refused(enough) or not is_refused(few):
            return None
        for _ in range(STEPS):
            middle = sqrt(few * enough)
            few, enough = (middle, enough) if is_refused(middle) else (few, middle)
        return enough

    def _spread_note(self, spread: float) -> str:
        features = [name for name in self.question.attribute_names[:-1] if name not in self.question.part.categorical]
        of = f"'{features[0]}'" if len(features) == 1 else "each feature that is a number"
        return (
            f"With {self.question.people:,} people it is estimated in most surveys if the standard deviation of {of} is"
            f" at least {spread:.2g} of its range, wherever in the range its mean lies."
        )

    def _parts(self, accuracy: NumbersAccuracy) -> Iterator[float]:
        """The standard error of each slope in parts of the target's range, over the whole range of its feature."""
        errors = accuracy.stderr
        *features, target = self.question.ranges.half
        _, *slopes = errors[: len(features) + 1]
        yield from (error * float(half / target) for error, half in zip(slopes, features, strict=True))
        # After the coefficients the share of complete cases, if they are of these.
        yield from errors[len(features) + 1 :]

    @property
    def fewest_reports(self) -> int | None:
        """One about each moment, and as many as a regression is rarely refused with; None where no number suffices."""
        needed = super().fewest_reports
        if needed is None or self.refusal_rate <= RARELY:
            return needed
        return None if self.people_needed is None else max(needed, self.people_needed)

    def _notes(self) -> Iterator[str]:
        if self.is_known:
            return
        yield FIFTH
        if self.question.part.base:
            yield OF_CATEGORIES
        if self.least_spread is not None:
            yield self._spread_note(self.least_spread)

    def json(self) -> dict[str, Any]:
        """Its queries, the expected errors, and how often it is refused."""
        known = {} if self.is_known else {"least_spread": self.least_spread}
        return super().json() | {"refused": self.refusal_rate, **known}
