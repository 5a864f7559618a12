"""A question of a plan about a regression some of whose features are categories: its columns, and how it is asked."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sordino.definition.dependence import Dependence
from sordino.document.queries import thaw_queries
from sordino.domain.coded import CODES, Indicator
from sordino.domain.interval import Interval
from sordino.domain.moment import Factor, place_of
from sordino.domain.ranges import Ranges
from sordino.errors import SordinoError
from sordino.exact.messages.brief import shown
from sordino.query.sampled import Sampled
from sordino.survey.questions.regression import RegressionQuestion

if TYPE_CHECKING:
    from sordino.design.numbers.numbers_accuracy import Expected
    from sordino.estimation.categorical.columns import RegressionColumns
    from sordino.estimation.mean_readings import MeanReadings


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
        from sordino.estimation.categorical.columns import regression_columns

        return regression_columns(len(self.attribute_names), self.categories, self.base)

    @cached_property
    def query(self) -> Sampled:
        """What is drawn and answered, made of the document's integers."""
        from sordino.estimation.categorical.columns import RegressionColumns

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
        from sordino.estimation.categorical.columns import RegressionColumns

        return RegressionColumns(self.query, self._columns)

    @property
    def channel_name(self) -> str:
        """How it is asked, in a few words."""
        missing = ", or that a number is missing" if self.of_complete else ""
        return f"one bit about a product, or a category with another one or with a number's sign{missing}"

    @cached_property
    def uniform(self) -> Sampled:
        """The queries of plain LDP that keeps the least delta."""
        from sordino.design.numbers.categorical.sampled_regression import sampled_regression
        from sordino.design.numbers.missing.complete_moments import complete_regression

        d = len(self.attribute_names)
        deltas, unknown = [self.least] * d, Dependence.unknown(d)
        if self.missing_shares:
            return complete_regression(deltas, self.least, unknown, range(d), self.missing_shares, self.categories)
        return sampled_regression(deltas, self.least, unknown, d - 1, range(d - 1), self.categories)

    def _expectation(self, queries: Sampled, readings: "MeanReadings") -> "Expected":
        from sordino.design.numbers.categorical.expected import expected_by_tally
        from sordino.estimation.categorical.columns import RegressionColumns

        return expected_by_tally(queries, RegressionColumns(queries, self._columns), self.ranges, readings)

    def unknown_with(self, shares: Mapping[str, NDArray[np.float64]]) -> NDArray[np.float64]:
        """Scaled records of people of whom no more is known: all other categories are equally common."""
        from sordino.design.numbers.categorical.expected import unknown_people

        own = {j: shares.get(self.attribute_names[j], np.full(k, 1 / k)) for j, k in self.categories.items()}
        return unknown_people(len(self.attribute_names), own)

    @property
    def narrow(self) -> NDArray[np.float64]:
        """The same with half the spread of each number."""
        halved: NDArray[np.float64] = self.unknown * [
            1.0 if j in self.categories else 0.5 for j in range(len(self.attribute_names))
        ]
        return halved
