"""A question of a plan about the shares of an attribute's values: what is promised about them, how they are asked."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sordino.audit.certify import Certificate, certify
from sordino.definition.matrix import PairwiseLDP
from sordino.definition.metric import MetricLDP
from sordino.definition.pairwise import LDP
from sordino.definition.sampling import Answer, AnswerType
from sordino.design.accuracy import Accuracy, expected_accuracy, subtracting_helps
from sordino.design.histograms.shares_accuracy import SharesAccuracy, expected_shares
from sordino.document.codec import thaw_over
from sordino.domain.attribute import Attribute, Domain
from sordino.exact.nats import Nats
from sordino.mechanism.base import Mechanism
from sordino.mechanism.table import ChannelTable
from sordino.query.query import Query
from sordino.query.statistic import Value
from sordino.survey.frozen.parts import ProtectPart
from sordino.survey.frozen.plan_fields import HistogramPart
from sordino.survey.frozen.promise import Definition, definition_of


@dataclass(frozen=True)
class HistogramQuestion:
    """A question about an attribute's values as the plan's document says it.

    Attributes:
        part: what is asked, and the mechanism's integers.
        attribute: that it is about.
        protect: what is promised about its values, in the document's words.
        place: of the attribute among those of the plan.
        share: of the people, who answer it.
        people: how many are expected to.
        least: the smallest delta of the plan, at which plain LDP would have to ask; None where attributes have none.
    """

    part: HistogramPart
    attribute: Attribute
    protect: ProtectPart
    place: int
    share: Fraction
    people: int
    least: Nats | None = None

    @property
    def name(self) -> str:
        """Of the attribute."""
        return self.part.histogram

    @property
    def domain(self) -> Domain:
        """The attribute's values."""
        return self.attribute.finite

    @cached_property
    def definition(self) -> Definition:
        """The promise."""
        return definition_of(self.domain, self.protect)

    @property
    def asked(self) -> list[str]:
        """The names of the attributes that it asks for."""
        return [self.name]

    @cached_property
    def mechanism(self) -> Mechanism:
        """The mechanism, made of the document's integers."""
        return thaw_over(self.part.mechanism, self.definition, self.domain.k)

    @cached_property
    def query(self) -> Query:
        """What is drawn and answered."""
        return Query(Value(self.name), self.mechanism)

    @property
    def types(self) -> tuple[AnswerType, ...]:
        """What an answer is about, and the most that it can tell."""
        return ((Answer(((self.place,),), self.definition.epsilon, linear=True),),)

    @cached_property
    def certificate(self) -> Certificate:
        """The exact verdict on the document's integers under the document's promise."""
        return certify(self.mechanism, self.definition)

    @cached_property
    def expected(self) -> Accuracy:
        """How exact the unbiased estimates will be, if all values are alike."""
        return expected_accuracy(self.mechanism.bare, self.people, subtract_totals=self.part.subtract_totals)

    def forecast(self, shares: NDArray[np.float64] | None = None) -> SharesAccuracy:
        """How exact what is shown will be, for people with these shares of the values, all alike by default."""
        asked, subtract_totals = self.mechanism.bare, self.part.subtract_totals
        return expected_shares(asked, self.people, subtract_totals=subtract_totals, shares=shares)

    def forecast_uniform(self, shares: NDArray[np.float64] | None = None) -> SharesAccuracy:
        """The same under uniform protection."""
        uniform = self.uniform.bare
        helps = subtracting_helps(uniform)
        return expected_shares(uniform, self.people, subtract_totals=helps, shares=shares)

    def candidates(self, shares: NDArray[np.float64] | None = None) -> dict[str, Accuracy]:
        """How exact the estimates of each mechanism that keeps the promise would be, by its name."""
        from sordino.design.histograms.best_mechanism import candidates

        made = candidates(self.domain.k, self.definition, designed=False)
        known = {mechanism.fingerprint for mechanism in made.values()}
        if isinstance(self.mechanism, ChannelTable) and self.mechanism.fingerprint not in known:
            made[self.mechanism.name] = self.mechanism
        found = {}
        for name in list(made):
            # Let go as soon as it is told: what a mechanism works out for millions of values is large.
            mechanism = made.pop(name)
            words = f"{name}, {mechanism.code_bits} bit{'' if mechanism.code_bits == 1 else 's'}"
            helps = subtracting_helps(mechanism)
            found[words] = expected_accuracy(mechanism, self.people, subtract_totals=helps, shares=shares)
        return found

    @cached_property
    def uniform(self) -> Mechanism:
        """The best way to ask it if all values of all attributes had to be protected as well as any two are now."""
        from sordino.design.histograms.best_mechanism import best_mechanism

        definition = self.definition
        epsilon = definition.least if isinstance(definition, PairwiseLDP | MetricLDP) else definition.epsilon
        return best_mechanism(self.domain.k, LDP(self.least or epsilon)).bare
