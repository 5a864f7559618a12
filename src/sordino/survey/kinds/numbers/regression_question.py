"""A question of a plan about a regression all of whose features are numbers."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from sordino.definition.bounded_dependence import Dependence
from sordino.document.queries import thaw_queries
from sordino.domain.interval import Interval
from sordino.domain.moment import Factor, Factors, place_of
from sordino.domain.scaled import CODES, Indicator, Ranges
from sordino.errors import SordinoError
from sordino.exact.messages import shown
from sordino.printable import join_names
from sordino.query.sampled import Sampled
from sordino.survey.kinds.numbers.numbers_question import NumbersPart, NumbersQuestion
from sordino.survey.kinds.question import CategoryWithSign, TableOf

if TYPE_CHECKING:
    from sordino.design.numbers.numbers_accuracy import Expected, NumbersAccuracy
    from sordino.estimation.linear_regression import RegressionColumns
    from sordino.estimation.moment_estimator import MeanReadings

MOST_VARIED = 0.5**0.5
"""Mean of a scaled number whose square is estimated worst without noise."""


class RegressionPart(NumbersPart):
    """A question about coefficients, and how it is answered; the target is its last number."""

    asked: Literal["regression"]

    @property
    def features(self) -> list[str]:
        return self.numbers[:-1]

    @property
    def tables(self) -> frozenset[TableOf]:
        return frozenset(map(frozenset, combinations(self.categorical, 2)))

    @property
    def signs(self) -> frozenset[CategoryWithSign]:
        numbers = set(self.numbers) - self.categorical
        return frozenset((category, number) for category in self.categorical for number in numbers)


@dataclass(frozen=True)
class RegressionQuestion(NumbersQuestion):
    """A question about how some numbers explain another one."""

    part: RegressionPart

    kind = "regression"

    @property
    def name(self) -> str:
        return self.name_of(self.attribute_names)

    def name_of(self, names: Sequence[str], join: Callable[[Sequence[str]], str] = join_names) -> str:
        return f"regression of {names[-1]} on {join(names[:-1])}"

    def asked_of(self, name: str) -> str:
        del name
        return self.name

    @property
    def _target(self) -> int:
        return len(self.attribute_names) - 1

    @cached_property
    def uniform(self) -> Sampled:
        from sordino.design.numbers.complete_moments import complete_regression
        from sordino.design.numbers.sampled_moments import sampled_moments

        d = len(self.attribute_names)
        deltas, unknown = [self.least] * d, Dependence.unknown(d)
        if self.missing_shares:
            return complete_regression(deltas, self.least, unknown, range(d), self.missing_shares)
        return sampled_moments(deltas, self.least, unknown, target=self._target)

    def _expected(self, expected: "Expected") -> "NumbersAccuracy":
        from sordino.design.numbers.numbers_accuracy import expected_coefficients

        return expected_coefficients(expected, self.people)

    def _moments_needed(self) -> tuple[Factors, ...]:
        from sordino.estimation.linear_regression import regression_statistics

        return regression_statistics(self._target, range(self._target))

    def largest_forecast(self) -> None:
        """None: the regressions of some people are refused."""

    @cached_property
    def rarely_refused(self) -> int | None:
        """From how many reports on, within a tenth, it is rarely refused; None where it always may be.

        Of people whom the plan expects. Seconds for many features: worked out once, as above.
        """
        return self.likely.enough(1)

    def spread_readings(self, spread: float) -> Iterator["MeanReadings"]:
        """What is read of people whose numbers, but for a target, have this standard deviation, in parts of the range.

        Of the populations that tell least of it: with means about where a report of the number varies most, or, where
        noise outweighs that, at one end but for a few people at the other.

        Args:
            spread: at most a quarter.
        """
        from sordino.design.numbers.numbers_accuracy import SPREAD

        numbers = self._numbers
        if not numbers:
            return
        around = self.unknown.copy()
        around[:, numbers] *= 2 * spread / SPREAD
        around[:, numbers] += min(MOST_VARIED, 1 - float(np.abs(around[:, numbers]).max()))
        yield self.readings(around)
        few = 0.5 - (0.25 - spread**2) ** 0.5
        if len(numbers) * few <= 1:
            low, high = self._at_one_end
            part = len(numbers) * few
            yield {one: (1 - part) * own + part * high[one] for one, own in low.items()}

    @property
    def _numbers(self) -> list[int]:
        return [j for j, name in enumerate(self.attribute_names[:-1]) if name not in self.part.categorical]

    @cached_property
    def _at_one_end(self) -> "tuple[MeanReadings, MeanReadings]":
        """What is read of people all of whose features are at their low ends; and of those with one at its high end."""
        base = self.unknown.copy()
        base[:, self._numbers] = -1
        rare = np.tile(base, (len(self._numbers), 1, 1))
        for place, own in zip(self._numbers, rare, strict=True):
            own[:, place] = 1
        return self.readings(base), self.readings(rare.reshape(-1, base.shape[1]))


@dataclass(frozen=True)
class CategoricalRegression(RegressionQuestion):
    """A regression with categorical features; `attributes` that are no numbers are these, `part.base` their base.

    A coefficient of a category is the difference that it makes to the target, against the base one.
    """

    @cached_property
    def categories(self) -> dict[int, int]:
        """How many there are of each feature of categories, by its place."""
        found = enumerate(self.attributes)
        return {j: one.finite.k for j, one in found if not isinstance(one.domain, Interval)}

    @cached_property
    def base(self) -> dict[int, int]:
        """The category of each to which the others are compared.

        Raises:
            SordinoError: one that is none of them.
        """
        found = {}
        for place, count in self.categories.items():
            attribute, named = self.attributes[place], (self.part.base or {}).get(self.attribute_names[place])
            labels = [attribute.finite.label(v) for v in range(count)]
            if named not in labels:
                raise SordinoError(
                    f"the base of {attribute.name!r} must be one of its categories",
                    found=shown(named),
                    step="name one of its categories",
                )
            found[place] = labels.index(named)
        return found

    @cached_property
    def intervals(self) -> tuple[Interval, ...]:
        """By which the columns of the record are scaled; of categories by their index."""
        return tuple(CODES if j in self.categories else one.interval for j, one in enumerate(self.attributes))

    @cached_property
    def ranges(self) -> Ranges:
        """Of the regression's columns: numbers, and indicators from 0 to 1, each named by both categories."""
        named = [self._label_and_range(column) for column in self._columns]
        names, ends = zip(*named, strict=True)
        return Ranges(names, tuple(end.low for end in ends), tuple(end.high for end in ends))

    @cached_property
    def titles(self) -> list[str]:
        """What people read in place of the names of the regression's columns."""
        said = []
        for column in self._columns:
            attribute = self.attributes[place_of(column)]
            title = attribute.title
            if isinstance(column, Indicator) and column.category is not None:
                value, base = (
                    attribute.phrasing.value(attribute.finite.label(category))
                    for category in (column.category, self.base[place_of(column)])
                )
                title = f"{title}: {value} against {base}"
            said.append(title)
        return said

    def _label_and_range(self, column: Factor) -> tuple[str, Interval]:
        place = place_of(column)
        if not isinstance(column, Indicator) or column.category is None:
            return self.attribute_names[place], self.attributes[place].interval
        label = self.attributes[place].finite.label
        return f"{self.attribute_names[place]}: {label(column.category)} against {label(self.base[place])}", Interval(
            0, 1
        )

    @cached_property
    def _columns(self) -> tuple[Factor, ...]:
        from sordino.estimation.linear_regression import regression_columns

        return regression_columns(len(self.attribute_names), self.categories, self.base)

    @cached_property
    def query(self) -> Sampled:
        from sordino.estimation.linear_regression import RegressionColumns

        asked = thaw_queries(self.part.queries)
        if asked.d != len(self.attribute_names):
            raise SordinoError(
                f"the queries must be about {len(self.attribute_names)} attributes", found=shown(asked.d)
            )
        if dict(asked.category_counts) != self.categories:
            rule = f"the queries must read categories as such, {shown(self.categories)} by place"
            raise SordinoError(rule, found=shown(dict(asked.category_counts)), step="get the plan again")
        columns = RegressionColumns(asked, self._columns)
        if not columns.moments_needed <= set(columns.estimator.moments.names):
            raise SordinoError(
                "the queries must cover every moment that is needed",
                found=f"{len(columns.moments_needed - set(columns.estimator.moments.names))} too few",
                step="get the plan again",
            )
        self._require_optional(asked)
        return asked

    @cached_property
    def told_by(self) -> "RegressionColumns":
        """What reads a tally of its reports: the moments of its columns."""
        from sordino.estimation.linear_regression import RegressionColumns

        return RegressionColumns(self.query, self._columns)

    @property
    def channel_name(self) -> str:
        missing = ", or that a number is missing" if self.of_complete else ""
        return f"one bit about a product, or a category with another one or with a number's sign{missing}"

    @cached_property
    def uniform(self) -> Sampled:
        from sordino.design.numbers.complete_moments import complete_regression
        from sordino.design.numbers.sampled_regression import sampled_regression

        d = len(self.attribute_names)
        deltas, unknown = [self.least] * d, Dependence.unknown(d)
        if self.missing_shares:
            return complete_regression(deltas, self.least, unknown, range(d), self.missing_shares, self.categories)
        return sampled_regression(deltas, self.least, unknown, d - 1, range(d - 1), self.categories)

    def _expectation(self, queries: Sampled, readings: "MeanReadings") -> "Expected":
        from sordino.design.numbers.numbers_accuracy import expected_by_tally
        from sordino.estimation.linear_regression import RegressionColumns

        return expected_by_tally(queries, RegressionColumns(queries, self._columns), self.ranges, readings)

    def unknown_with(self, shares: Mapping[str, NDArray[np.float64]]) -> NDArray[np.float64]:
        """Scaled records of people of whom no more is known: all other categories are equally common."""
        from sordino.design.numbers.numbers_accuracy import unknown_people

        own = {j: shares.get(self.attribute_names[j], np.full(k, 1 / k)) for j, k in self.categories.items()}
        return unknown_people(len(self.attribute_names), own)
