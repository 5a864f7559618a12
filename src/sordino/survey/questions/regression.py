"""A question of a plan about a regression all of whose features are numbers."""

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Literal

from sordino.definition.dependence import Dependence
from sordino.domain.moment import Factors
from sordino.query.sampled import Sampled
from sordino.survey.frozen.question_part import CategoryWithSign, NumbersPart, TableOf
from sordino.survey.questions.numbers import NumbersQuestion


class RegressionPart(NumbersPart):
    """A question about coefficients, and how it is answered; the target is its last number."""

    asked: Literal["regression"]

    @property
    def features(self) -> list[str]:
        """All but the target."""
        return self.numbers[:-1]

    @property
    def tables(self) -> frozenset[TableOf]:
        """Each two of its categories."""
        return frozenset(map(frozenset, combinations(self.categorical, 2)))

    @property
    def signs(self) -> frozenset[CategoryWithSign]:
        """Each category with each of its numbers."""
        numbers = set(self.numbers) - self.categorical
        return frozenset((category, number) for category in self.categorical for number in numbers)


@dataclass(frozen=True)
class RegressionQuestion(NumbersQuestion):
    """A question about how some numbers explain another one."""

    part: RegressionPart

    @property
    def name(self) -> str:
        """What is explained, and by what."""
        return f"regression of {self.attribute_names[-1]} on {', '.join(self.attribute_names[:-1])}"

    @property
    def _target(self) -> int:
        return len(self.attribute_names) - 1

    @cached_property
    def uniform(self) -> Sampled:
        """The queries of plain LDP that keeps the least delta."""
        from sordino.design.numbers.missing.complete_moments import complete_regression
        from sordino.design.numbers.sampled_moments import sampled_moments

        d = len(self.attribute_names)
        deltas, unknown = [self.least] * d, Dependence.unknown(d)
        if self.missing_shares:
            return complete_regression(deltas, self.least, unknown, range(d), self.missing_shares)
        return sampled_moments(deltas, self.least, unknown, target=self._target)

    def _moments_needed(self) -> tuple[Factors, ...]:
        from sordino.estimation.regression import regression_statistics

        return regression_statistics(self._target, range(self._target))
