"""The kind of question that asks for means of numbers; of one that may be missing, that of those who have it.

[[ask]]
mean = ["age", "income"]
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from sordino.definition.bounded_dependence import Dependence
from sordino.document.schema.strict_table import StrictTable
from sordino.domain.moment import Factors, presence
from sordino.query.sampled import Sampled
from sordino.survey.kinds.names import Names, require_distinct
from sordino.survey.kinds.numbers.moments_kind import MomentsKind, MomentTerms, moment_facts
from sordino.survey.kinds.numbers.numbers_question import NumbersPart, NumbersQuestion
from sordino.survey.kinds.question import PlanFacts

if TYPE_CHECKING:
    from sordino.design.numbers.numbers_accuracy import Expected, NumbersAccuracy
    from sordino.design.sample_questions import Compared
    from sordino.estimation.moment_estimator import MomentEstimator


class MeanSettings(StrictTable):
    """What is asked.

    Attributes:
        mean: the numbers.
    """

    mean: Names | None = None


class MeanPart(NumbersPart):
    """A question about means, and how it is answered."""

    asked: Literal["mean"]


@dataclass(frozen=True)
class MeanQuestion(NumbersQuestion):
    """A question about means: each by itself, of those who have the number."""

    part: MeanPart

    kind = "mean"

    @property
    def of_complete(self) -> bool:
        """Each mean is of those who have its number, whatever else they lack."""
        return False

    @cached_property
    def uniform(self) -> Sampled:
        from sordino.design.numbers.level_limits import LevelLimits
        from sordino.design.numbers.optional_numbers import optional_means
        from sordino.design.numbers.sampled_mean import sampled_mean

        d = len(self.attribute_names)
        deltas, unknown = [self.least] * d, Dependence.unknown(d)
        if self.missing_shares:
            return optional_means(LevelLimits(deltas, self.least, unknown), range(d), self.missing_shares)
        return sampled_mean(deltas, self.least, unknown)

    def above_floor(self, *, search: bool) -> Fraction | None:
        """That of the worst variance of a mean, where it is asked alone."""
        del search
        if self.missing_shares or len(self.attribute_names) > 1 or len(self.query.queries) > 1:
            return None
        from sordino.audit.answers import level_of
        from sordino.design.numbers.least_variance import least_variance
        from sordino.estimation.moment_estimator import MomentEstimator

        (mechanism,) = self.query.mechanisms
        least = least_variance(level_of(mechanism))
        (worst,) = MomentEstimator.of(self.query).largest_variance()
        return None if least is None else Fraction(float(worst)) / Fraction(least) - 1

    has_singles = False

    def _expected(self, expected: "Expected") -> "NumbersAccuracy":
        from sordino.design.numbers.numbers_accuracy import expected_means

        return expected_means(expected, self.people)

    def _largest(self, estimator: "MomentEstimator") -> "NumbersAccuracy":
        from sordino.design.numbers.numbers_accuracy import largest_means

        return largest_means(estimator, self.ranges, self.people)

    def _moments_needed(self) -> tuple[Factors, ...]:
        return (*((place,) for place in range(len(self.attribute_names))), *map(presence, self.missing_shares))


class MeanKind(MomentsKind[MeanSettings, MeanPart, MeanQuestion]):
    """Means of numbers."""

    def attributes(self, settings: MeanSettings) -> tuple[str, ...]:
        return tuple(settings.mean or ())

    def check(self, settings: MeanSettings) -> None:
        require_distinct("mean", self.attributes(settings))

    def statistics(
        self, settings: MeanSettings, places: Mapping[str, int], categories: frozenset[str]
    ) -> "Iterator[Compared]":
        del categories
        for name in self.attributes(settings):
            yield (places[name],)

    def draw(self, settings: MeanSettings, terms: MomentTerms) -> Sampled:
        """A bit or a point about one number, or about several of one person."""
        from sordino.design.numbers.mean_among import mean_among
        from sordino.design.numbers.optional_numbers import optional_means

        del settings
        if terms.missing:
            return optional_means(terms.terms.limits, terms.asked, terms.missing, terms.terms.designs)
        return mean_among(terms.terms.limits, terms.asked, terms.terms.designs)

    def question(self, part: MeanPart, share: Fraction, people: int, plan: PlanFacts) -> MeanQuestion:
        return MeanQuestion(part, share, people, plan.parts, *moment_facts(part, plan))


MEAN = MeanKind(("mean",), MeanSettings, MeanPart)
