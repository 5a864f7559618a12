"""The kind of question that asks for means of numbers; of one that may be missing, that of those who have it.

[[ask]]
mean = ["age", "income"]
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from sordino.definition.dependence import Dependence
from sordino.document.schema.strict_table import StrictTable
from sordino.domain.moment import Factors, presence
from sordino.query.sampled import Sampled
from sordino.survey.frozen.question_part import NumbersPart
from sordino.survey.kinds.moments import MomentsKind, MomentTerms, moment_facts
from sordino.survey.kinds.names import Names, require_distinct
from sordino.survey.questions.facts import PlanFacts
from sordino.survey.questions.numbers import NumbersQuestion

if TYPE_CHECKING:
    from sordino.design.dependence.sample_questions import Compared


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

    @property
    def of_complete(self) -> bool:
        """Each mean is of those who have its number, whatever else they lack."""
        return False

    @cached_property
    def uniform(self) -> Sampled:
        """The queries of plain LDP that keeps the least delta."""
        from sordino.design.numbers.missing.optional_means import optional_means
        from sordino.design.numbers.sampled_mean import sampled_mean

        d = len(self.attribute_names)
        deltas, unknown = [self.least] * d, Dependence.unknown(d)
        if self.missing_shares:
            return optional_means(deltas, self.least, unknown, range(d), self.missing_shares)
        return sampled_mean(deltas, self.least, unknown)

    def above_floor(self, *, search: bool) -> Fraction | None:
        """That of the worst variance of a mean, where it is asked alone."""
        from sordino.audit.answers import level_of
        from sordino.design.numbers.least_variance import least_variance
        from sordino.estimation.moment_estimator import MomentEstimator

        del search
        if self.missing_shares or len(self.attribute_names) > 1 or len(self.query.queries) > 1:
            return None
        (mechanism,) = self.query.mechanisms
        least = least_variance(level_of(mechanism))
        (worst,) = MomentEstimator.of(self.query).largest_variance()
        return None if least is None else Fraction(float(worst)) / Fraction(least) - 1

    def _moments_needed(self) -> tuple[Factors, ...]:
        """The mean of each number, and who has it."""
        return (*((place,) for place in range(len(self.attribute_names))), *map(presence, self.missing_shares))


class MeanKind(MomentsKind[MeanSettings, MeanPart, MeanQuestion]):
    """Means of numbers."""

    def attributes(self, settings: MeanSettings) -> tuple[str, ...]:
        """The numbers."""
        return tuple(settings.mean or ())

    def check(self, settings: MeanSettings) -> None:
        """Each number is named once."""
        require_distinct("mean", self.attributes(settings))

    def statistics(
        self, settings: MeanSettings, places: Mapping[str, int], categories: frozenset[str]
    ) -> "Iterator[Compared]":
        """Each number by itself."""
        del categories
        for name in self.attributes(settings):
            yield (places[name],)

    def draw(self, settings: MeanSettings, terms: MomentTerms) -> Sampled:
        """A bit or a point about one number, or about several of one person."""
        from sordino.design.numbers.mean_among import mean_among
        from sordino.design.numbers.missing.optional_means import optional_means

        del settings
        known = terms.deltas, terms.epsilon, terms.terms.unknown
        if terms.missing:
            return optional_means(*known, terms.asked, terms.missing)
        return mean_among(*known, terms.asked)

    def question(self, part: MeanPart, share: Fraction, people: int, plan: PlanFacts) -> MeanQuestion:
        """About means."""
        return MeanQuestion(part, share, people, *moment_facts(part, plan))


MEAN = MeanKind(("mean",), MeanSettings, MeanPart)
