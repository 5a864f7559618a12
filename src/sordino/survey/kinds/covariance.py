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

from sordino.definition.dependence import Dependence
from sordino.document.schema.strict_table import StrictTable
from sordino.domain.moment import Factors
from sordino.errors import SordinoError
from sordino.query.sampled import Sampled
from sordino.survey.frozen.question_part import NumbersPart
from sordino.survey.kinds.moments import MomentsKind, MomentTerms, moment_facts, pair_statistics
from sordino.survey.kinds.names import Names, require_distinct
from sordino.survey.questions.facts import PlanFacts
from sordino.survey.questions.numbers import NumbersQuestion

if TYPE_CHECKING:
    from sordino.design.dependence.sample_questions import Compared


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

    @cached_property
    def uniform(self) -> Sampled:
        """The queries of plain LDP that keeps the least delta."""
        from sordino.design.numbers.missing.complete_moments import complete_covariance
        from sordino.design.numbers.sampled_moments import sampled_moments

        d = len(self.attribute_names)
        deltas, unknown = [self.least] * d, Dependence.unknown(d)
        if self.missing_shares:
            return complete_covariance(deltas, self.least, unknown, range(d), self.missing_shares)
        return sampled_moments(deltas, self.least, unknown)

    def _moments_needed(self) -> tuple[Factors, ...]:
        from sordino.estimation.moments import covariance_statistics

        return covariance_statistics(range(len(self.attribute_names)))


class CovarianceKind(MomentsKind[CovarianceSettings, CovariancePart, CovarianceQuestion]):
    """A covariance matrix."""

    def attributes(self, settings: CovarianceSettings) -> tuple[str, ...]:
        """The numbers."""
        return tuple(settings.covariance or ())

    def check(self, settings: CovarianceSettings) -> None:
        """Two numbers or more, each named once."""
        names = self.attributes(settings)
        require_distinct("covariance", names)
        if len(names) < 2:
            raise SordinoError(
                "a covariance must be of two numbers or more", found="one number", step="ask for its mean"
            )

    def statistics(
        self, settings: CovarianceSettings, places: Mapping[str, int], categories: frozenset[str]
    ) -> "Iterator[Compared]":
        """Each number by itself, and each two."""
        del categories
        yield from pair_statistics(self.attributes(settings), places)

    def draw(self, settings: CovarianceSettings, terms: MomentTerms) -> Sampled:
        """A sign of one number or of a product of two, or the signs of several."""
        from sordino.design.numbers.mean_among import among
        from sordino.design.numbers.missing.complete_moments import complete_covariance
        from sordino.design.numbers.sampled_moments import sampled_moments

        del settings
        known = terms.deltas, terms.epsilon, terms.terms.unknown
        if terms.missing:
            return complete_covariance(*known, terms.asked, terms.missing)
        pairs = list(combinations_with_replacement(sorted(terms.asked), 2))
        return among(sampled_moments(*known, pairs), terms.asked)

    def question(self, part: CovariancePart, share: Fraction, people: int, plan: PlanFacts) -> CovarianceQuestion:
        """About covariances."""
        return CovarianceQuestion(part, share, people, *moment_facts(part, plan))


COVARIANCE = CovarianceKind(("covariance",), CovarianceSettings, CovariancePart)
