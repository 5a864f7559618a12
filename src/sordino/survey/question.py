"""One question of a plan: an attribute's values, what is promised about them, and how they are asked."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from sordino.audit.certify import Certificate, certify
from sordino.definition.matrix import PairwiseLDP
from sordino.definition.pairwise import LDP
from sordino.design.accuracy import Accuracy, expected_accuracy, subtracting_helps
from sordino.design.choose import best_mechanism, candidates
from sordino.query import Query
from sordino.survey.document import AttributePart, QueryPart, TablePart
from sordino.survey.freeze import thaw
from sordino.survey.promise import Definition, Domain, definition_of, domain_of


@dataclass(frozen=True)
class Question:
    """A question as the plan's document says it.

    Attributes:
        part: what is asked, and the mechanism's integers.
        attribute: the values, their columns and what is promised.
        share: of the people, who answer it.
        people: how many are expected to.
    """

    part: QueryPart
    attribute: AttributePart
    share: Fraction
    people: int

    @property
    def name(self) -> str:
        """Of the attribute."""
        return self.part.histogram

    @cached_property
    def domain(self) -> Domain:
        """The attribute's values."""
        return domain_of(self.attribute)

    @cached_property
    def definition(self) -> Definition:
        """The promise."""
        return definition_of(self.domain, self.attribute.protect)

    @cached_property
    def query(self) -> Query:
        """The mechanism, made of the document's integers."""
        mechanism = thaw(self.part.mechanism, self.definition, self.domain.k)
        return Query(self.name, mechanism, self.part.subtract_totals)

    @cached_property
    def certificate(self) -> Certificate:
        """The exact verdict on the document's integers under the document's promise."""
        return certify(self.query.mechanism, self.definition)

    @cached_property
    def expected(self) -> Accuracy:
        """How exact the estimates will be."""
        return expected_accuracy(self.query.mechanism, self.people, subtract_totals=self.query.subtract_totals)

    @cached_property
    def candidates(self) -> dict[str, Accuracy]:
        """How exact the estimates of each mechanism that keeps the promise would be, by its name."""
        made = candidates(self.domain.k, self.definition, designed=False)
        if isinstance(self.part.mechanism, TablePart):
            made[self.part.mechanism.name] = self.query.mechanism
        return {
            f"{name}, {mechanism.code_bits} bits": expected_accuracy(
                mechanism, self.people, subtract_totals=subtracting_helps(mechanism)
            )
            for name, mechanism in made.items()
        }

    @cached_property
    def uniform(self) -> Query:
        """The best way to ask it if every two values had to be protected alike, as well as any two are now."""
        definition = self.definition
        epsilon = definition.least if isinstance(definition, PairwiseLDP) else definition.epsilon
        mechanism = best_mechanism(self.domain.k, LDP(epsilon))
        return Query(self.name, mechanism, subtracting_helps(mechanism))

    @cached_property
    def expected_uniform(self) -> Accuracy:
        """How exact the estimates would be under uniform protection."""
        return expected_accuracy(self.uniform.mechanism, self.people, subtract_totals=self.uniform.subtract_totals)
