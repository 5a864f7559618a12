"""The kind of question that asks for a covariance matrix of numbers; of complete cases, where some may be missing.

[[ask]]
covariance = ["age", "income", "weight"]
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations_with_replacement
from typing import TYPE_CHECKING, Literal

from sordino.definition.bounded_dependence import Dependence
from sordino.document.schema.strict_table import StrictTable
from sordino.domain.moment import Factors
from sordino.errors import SordinoError
from sordino.query.sampled import Sampled
from sordino.survey.kinds.names import Names, require_distinct
from sordino.survey.kinds.numbers.moments_kind import MomentsKind, MomentTerms, moment_facts, pair_statistics
from sordino.survey.kinds.numbers.numbers_question import NumbersPart, NumbersQuestion
from sordino.survey.kinds.question import PlanFacts

if TYPE_CHECKING:
    from sordino.design.numbers.numbers_accuracy import Expected, NumbersAccuracy
    from sordino.design.sample_questions import Compared
    from sordino.estimation.moment_estimator import MomentEstimator


class CovarianceSettings(StrictTable):
    """What is asked.

    Attributes:
        covariance: the numbers.
    """

    covariance: Names | None = None


class CovariancePart(NumbersPart):
    """A question about a covariance matrix, and how it is answered."""

    asked: Literal["covariance"]


@dataclass(frozen=True)
class CovarianceQuestion(NumbersQuestion):
    """A question about the covariances of each two numbers, and their variances."""

    part: CovariancePart

    kind = "covariance"

    @cached_property
    def uniform(self) -> Sampled:
        from sordino.design.numbers.complete_moments import complete_covariance
        from sordino.design.numbers.sampled_moments import sampled_moments

        d = len(self.attribute_names)
        deltas, unknown = [self.least] * d, Dependence.unknown(d)
        if self.missing_shares:
            return complete_covariance(deltas, self.least, unknown, range(d), self.missing_shares)
        return sampled_moments(deltas, self.least, unknown)

    def _expected(self, expected: "Expected") -> "NumbersAccuracy":
        from sordino.design.numbers.numbers_accuracy import expected_covariances

        return expected_covariances(expected, self.people)

    def _largest(self, estimator: "MomentEstimator") -> "NumbersAccuracy":
        from sordino.design.numbers.numbers_accuracy import largest_covariances

        return largest_covariances(estimator, self.ranges, self.people)

    def _moments_needed(self) -> tuple[Factors, ...]:
        from sordino.estimation.means_and_covariances import covariance_statistics

        return covariance_statistics(range(len(self.attribute_names)))


class CovarianceKind(MomentsKind[CovarianceSettings, CovariancePart, CovarianceQuestion]):
    """A covariance matrix."""

    def attributes(self, settings: CovarianceSettings) -> tuple[str, ...]:
        return tuple(settings.covariance or ())

    def check(self, settings: CovarianceSettings) -> None:
        names = self.attributes(settings)
        require_distinct("covariance", names)
        if len(names) < 2:
            raise SordinoError(
                "a covariance must be of two numbers or more", found="one number", step="ask for its mean"
            )

    def statistics(
        self, settings: CovarianceSettings, places: Mapping[str, int], categories: frozenset[str]
    ) -> "Iterator[Compared]":
        del categories
        yield from pair_statistics(self.attributes(settings), places)

    def draw(self, settings: CovarianceSettings, terms: MomentTerms) -> Sampled:
        """A sign of one number or of a product of two, or the signs of several."""
        from sordino.design.numbers.complete_moments import complete_covariance
        from sordino.design.numbers.mean_among import among
        from sordino.design.numbers.sampled_moments import sampled_moments

        del settings
        known = terms.amounts
        if terms.missing:
            return complete_covariance(*known, terms.asked, terms.missing)
        pairs = list(combinations_with_replacement(sorted(terms.asked), 2))
        return among(sampled_moments(*known, pairs), terms.asked)

    def question(self, part: CovariancePart, share: Fraction, people: int, plan: PlanFacts) -> CovarianceQuestion:
        return CovarianceQuestion(part, share, people, plan.parts, *moment_facts(part, plan))


COVARIANCE = CovarianceKind(("covariance",), CovarianceSettings, CovariancePart)
