"""Questions of a plan about shares, of an attribute's values or of the cells of several: promise and channel."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sordino.audit.certify import Certificate, certify
from sordino.definition.combined import combined_definition
from sordino.definition.matrix import PairwiseLDP
from sordino.definition.metric import MetricLDP
from sordino.definition.pairwise import LDP
from sordino.definition.sampling import Answer, AnswerType
from sordino.document.codec import thaw_over
from sordino.domain.attribute import Attribute, Domain
from sordino.domain.record import Record
from sordino.exact.nats import Nats
from sordino.mechanism.base import Mechanism
from sordino.mechanism.table import ChannelTable
from sordino.query.bin import Bin
from sordino.query.query import Query
from sordino.query.statistic import Value, Values
from sordino.survey.frozen.amounts import canonical_amount
from sordino.survey.frozen.parts import ProtectPart
from sordino.survey.frozen.plan_fields import HistogramPart, TablePart
from sordino.survey.frozen.promise import Definition, definition_of

if TYPE_CHECKING:
    from sordino.design.accuracy import Accuracy
    from sordino.design.histograms.shares_accuracy import SharesAccuracy

CountedDomain: TypeAlias = Domain | Record | Bin
"""What a mechanism's values are: an attribute's, the cells of several together, or the bins of a number."""


@dataclass(frozen=True)
class SharesQuestion(ABC):
    """A question about the shares of values as the plan's document says it: of an attribute's, or of a table's cells.

    Attributes:
        part: what is asked, and the mechanism's integers.
        share: of the people, who answer it.
        people: how many are expected to.
        least: the smallest delta of the plan, at which plain LDP would have to ask; None where attributes have none.
    """

    part: HistogramPart | TablePart
    share: Fraction
    people: int
    least: Nats | None

    @property
    @abstractmethod
    def name(self) -> str:
        """What it is called."""

    @property
    @abstractmethod
    def domain(self) -> Domain | Record:
        """The values."""

    @property
    def values(self) -> CountedDomain:
        """What the mechanism takes, by name."""
        return self.domain

    @property
    @abstractmethod
    def definition(self) -> Definition:
        """The promise."""

    @property
    @abstractmethod
    def asked(self) -> list[str]:
        """The names of the attributes that it asks for."""

    @property
    @abstractmethod
    def query(self) -> Query:
        """What is drawn and answered."""

    @property
    @abstractmethod
    def types(self) -> tuple[AnswerType, ...]:
        """What an answer is about, and the most that it can tell."""

    @property
    @abstractmethod
    def shape(self) -> tuple[int, ...]:
        """How many values each of these attributes has."""

    @abstractmethod
    def column(self, values: Mapping[str, NDArray[Any]]) -> NDArray[np.intp]:
        """What the channel takes of people's values by attribute, shape (n,): looked at before, each in its domain."""

    @cached_property
    def mechanism(self) -> Mechanism:
        """The mechanism, made of the document's integers."""
        return thaw_over(self.part.mechanism, self.definition, self.domain.k)

    @cached_property
    def certificate(self) -> Certificate:
        """The exact verdict on the document's integers under the document's promise."""
        return certify(self.mechanism, self.definition)

    @cached_property
    def known(self) -> NDArray[np.float64] | None:
        """The shares that the plan expects, shape (k,); None where nothing is known."""
        return None if self.part.expected is None else self.part.expected.shares(self.domain.k)

    @cached_property
    def expected(self) -> "Accuracy":
        """How exact the unbiased estimates will be, if all values are alike."""
        from sordino.design.accuracy import expected_accuracy

        return expected_accuracy(self.mechanism.bare, self.people, subtract_totals=self.part.subtract_totals)

    def forecast(self, shares: NDArray[np.float64] | None = None) -> "SharesAccuracy":
        """How exact what is shown will be, for people with these shares of the values, all alike by default."""
        from sordino.design.histograms.shares_accuracy import expected_shares

        asked, subtract_totals = self.mechanism.bare, self.part.subtract_totals
        return expected_shares(asked, self.people, subtract_totals=subtract_totals, shares=shares)

    def largest_error(self, shares: NDArray[np.float64] | None = None) -> float:
        """The largest expected standard error of a share, of such people; or whatever people are like."""
        from sordino.design.accuracy import largest_error

        asked, subtract_totals = self.mechanism.bare, self.part.subtract_totals
        return largest_error(asked, self.people, subtract_totals=subtract_totals, shares=shares)

    def forecast_uniform(self, shares: NDArray[np.float64] | None = None) -> "SharesAccuracy":
        """The same under uniform protection."""
        from sordino.design.accuracy import subtracting_helps
        from sordino.design.histograms.shares_accuracy import expected_shares

        uniform = self.uniform.bare
        helps = subtracting_helps(uniform)
        return expected_shares(uniform, self.people, subtract_totals=helps, shares=shares)

    def candidates(self, shares: NDArray[np.float64] | None = None) -> dict[str, "Accuracy"]:
        """How exact the estimates of each mechanism that keeps the promise would be, by its name."""
        from sordino.design.accuracy import expected_accuracy, subtracting_helps
        from sordino.design.histograms.best_mechanism import candidates

        made = candidates(self.domain.k, self.definition, designed=False)
        if isinstance(self.mechanism, ChannelTable):
            known = {mechanism.fingerprint for mechanism in made.values()}
            if self.mechanism.fingerprint not in known:
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


@dataclass(frozen=True)
class HistogramQuestion(SharesQuestion):
    """A question about an attribute's values.

    Attributes:
        part: what is asked, and the mechanism's integers.
        attribute: that it is about.
        protect: what is promised about its values, in the document's words.
        place: of the attribute among those of the plan.
    """

    part: HistogramPart
    attribute: Attribute
    protect: ProtectPart
    place: int

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
        """The attribute alone."""
        return [self.name]

    @property
    def shape(self) -> tuple[int, ...]:
        """Of the attribute."""
        return (self.domain.k,)

    @cached_property
    def query(self) -> Query:
        """The attribute's value."""
        return Query(Value(self.name), self.mechanism)

    @property
    def types(self) -> tuple[AnswerType, ...]:
        """The attribute alone, of which every answer is linear."""
        return ((Answer(((self.place,),), self.certificate.level(self.definition.epsilon), linear=True),),)

    def column(self, values: Mapping[str, NDArray[Any]]) -> NDArray[np.intp]:
        """The attribute's values as they are."""
        return values[self.name]


@dataclass(frozen=True)
class TableQuestion(SharesQuestion):
    """A question about the cells of several attributes: a value of each, the last one's run fastest.

    Guarantee: a person's cell is one value of one channel, certified as a whole under what the promises about its
    attributes' values say of two cells together (`definition.combined`), or, where attributes have deltas, under LDP at
    an epsilon of its own, which counts in full for each of its attributes.

    Attributes:
        part: what is asked, and the mechanism's integers.
        attributes: that it is about, in the order of the cells.
        protects: what is promised about the values of each, in the document's words; empty where they have deltas.
        places: of the attributes among those of the plan.
    """

    part: TablePart
    attributes: tuple[Attribute, ...]
    protects: tuple[ProtectPart, ...]
    places: tuple[int, ...]

    @property
    def name(self) -> str:
        """Of the attributes."""
        return ", ".join(self.part.table)

    @cached_property
    def domain(self) -> Record:
        """The cells."""
        return Record({attribute.name: attribute.finite for attribute in self.attributes})

    @cached_property
    def definition(self) -> Definition:
        """The promise about each two cells."""
        if self.part.epsilon is not None:
            return LDP(canonical_amount(self.part.epsilon))
        domains = [attribute.finite for attribute in self.attributes]
        promises = [definition_of(domain, part) for domain, part in zip(domains, self.protects, strict=True)]
        return combined_definition(promises, self.domain.shape)

    @property
    def asked(self) -> list[str]:
        """The attributes, in the order of the cells."""
        return self.part.table

    @property
    def shape(self) -> tuple[int, ...]:
        """Of each attribute, in the order of the cells."""
        return self.domain.shape

    @cached_property
    def query(self) -> Query:
        """The attributes' values together."""
        return Query(Values(*self.asked), self.mechanism)

    @property
    def types(self) -> tuple[AnswerType, ...]:
        """All its attributes together, each of which a cell tells."""
        places = tuple((place,) for place in self.places)
        return ((Answer(places, self.certificate.level(self.definition.epsilon), table=True),),)

    def labels(self, cell: int) -> list[str]:
        """The values of a cell, in the order of the attributes."""
        values = np.unravel_index(cell, self.domain.shape)
        return [a.finite.label(int(value)) for a, value in zip(self.attributes, values, strict=True)]

    def column(self, values: Mapping[str, NDArray[Any]]) -> NDArray[np.intp]:
        """The cells."""
        cells: NDArray[np.intp] = np.ravel_multi_index([values[name] for name in self.asked], self.domain.shape)
        return cells
