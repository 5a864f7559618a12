"""A question of a plan as all else knows it: what it is about, what it promises, and what is expected of it.

Whatever only some kinds (`survey.kinds`) have is a property that gives nothing by default: nobody asks for the kind.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sordino.audit.certify import Certificate, certify
from sordino.definition.pairwise import LDP
from sordino.definition.sampling import AnswerType
from sordino.document.codec import thaw_over
from sordino.domain.attribute import Attribute, Domain
from sordino.domain.measured import Measured
from sordino.domain.record import Record
from sordino.exact.nats import Nats
from sordino.mechanism.base import Mechanism
from sordino.query.query import Query
from sordino.query.sampled import Sampled
from sordino.survey.frozen.expected_part import ExpectedPart, round_as_stored
from sordino.survey.frozen.parts import MetricPart
from sordino.survey.frozen.promise import Definition
from sordino.survey.frozen.question_part import QuestionPart, SharesPart
from sordino.survey.questions.facts import ForgedWeight, MeanReading

if TYPE_CHECKING:
    from sordino.design.accuracy import Accuracy
    from sordino.design.histograms.shares_accuracy import SharesAccuracy
    from sordino.estimation.mean_readings import MeanReadings
    from sordino.query.bin import Bin
    from sordino.survey.attributes.asked_survey import AskedSurvey

Floats = NDArray[np.float64]

CountedDomain: TypeAlias = "Domain | Record | Bin"
"""What a mechanism's values are: an attribute's, the cells of several together, or the bins of a number."""


@dataclass(frozen=True)
class Question(ABC):
    """A question of a plan.

    Attributes:
        part: what is asked, and the integers of its mechanism.
        share: of the people, who answer it.
        people: how many are expected to.
    """

    part: QuestionPart
    share: Fraction
    people: int

    @property
    @abstractmethod
    def kind(self) -> str:
        """What is asked, in the word that asks it in a survey."""

    @property
    @abstractmethod
    def name(self) -> str:
        """What it is called; no other question of the plan has the same name."""

    @property
    def whose(self) -> str:
        """The same, and of whom, where it is not of everybody."""
        return self.name

    if TYPE_CHECKING:
        # A field of some, a property of others.
        @property
        def attributes(self) -> tuple[Attribute, ...]:
            """The attributes that it asks for, in the order of its values."""

    @property
    def attribute_names(self) -> list[str]:
        """Their names."""
        return [attribute.name for attribute in self.attributes]

    @property
    @abstractmethod
    def query(self) -> Query | Sampled:
        """What is drawn and answered."""

    @property
    @abstractmethod
    def types(self) -> tuple[AnswerType, ...]:
        """What an answer is about, in the plan's places, and the most that it can tell."""

    @property
    @abstractmethod
    def certificate(self) -> Certificate:
        """The exact verdict on the document's integers."""

    @property
    def value_promise(self) -> "Definition | None":
        """What is promised about its values; None where the certificate is about the whole record."""
        return None

    @property
    def values(self) -> "CountedDomain | None":
        """What its mechanism takes, by name; None where it is no single mechanism."""
        return None

    @abstractmethod
    def column(self, values: Mapping[str, NDArray[Any]]) -> NDArray[Any] | Measured:
        """What is drawn from, of people's values by attribute, shape (n,): looked at before, each in its domain."""

    @property
    def shares(self) -> "SharesQuestion | None":
        """Itself, if shares of values that are counted are asked."""
        return None

    @property
    def is_table(self) -> bool:
        """Whether it is about the combinations of several attributes' values."""
        return False

    def mean_reading(self, name: str) -> MeanReading | None:
        """How its reports tell the mean of a number, if they do; of everybody, not of complete cases."""
        del name
        return None

    @property
    def together(self) -> int:
        """How many queries one person answers, at most."""
        return 1

    @property
    def of_complete(self) -> bool:
        """Whether estimates are of those who have all its numbers, of several that may be missing."""
        return False

    @property
    def reads_fitted(self) -> bool:
        """Whether some estimate is read off what is fitted, as quantiles are."""
        return False

    @property
    @abstractmethod
    def expected_people(self) -> "Floats | MeanReadings | None":
        """What the plan expects of the people; None where nothing is known."""

    @abstractmethod
    def expected_document(self, expected: Floats) -> Any:
        """What the plan's document holds of people who are like these (`expected_of_sample`)."""

    @abstractmethod
    def expected_of_sample(self, values: NDArray[Any]) -> Floats:
        """What a sample's people let expect: shares of the values, or scaled records.

        Raises:
            SordinoError: nobody has what the question is of.
        """

    @abstractmethod
    def expected_of_survey(self, survey: "AskedSurvey") -> Floats | None:
        """What a survey's settings `expected` let expect, likewise; None where they say nothing."""

    @property
    @abstractmethod
    def typical_error(self) -> float:
        """The root mean square of the expected standard errors, each in a unit of its own."""

    def above_floor(self, *, search: bool) -> Fraction | None:
        """By how much its variance exceeds the least that is proved of all channels, relatively; None without one.

        Args:
            search: whether a floor is searched for where no formula has it.
        """
        del search
        return None

    def floor_in_words(self, above: Fraction, percentage: str) -> str:
        """How near its channel is to the best, where a floor is known.

        Args:
            above: by how much its variance exceeds the floor, relatively.
            percentage: the same as text, rounded up.
        """
        del above
        return (
            f"The variance of the {self.name} is at most {percentage} above that of the best mechanism with this"
            " guarantee, each at its own worst number."
        )

    @property
    @abstractmethod
    def asked_in_words(self) -> str:
        """What somebody is asked for."""

    @property
    def forged_weight(self) -> ForgedWeight | None:
        """How much one forged report can weigh in its estimates; None where that is said with each."""
        return None


@dataclass(frozen=True)
class SharesQuestion(Question):
    """A question about the shares of values that are counted: of an attribute's, or of a table's cells.

    Attributes:
        part: what is asked, and the mechanism's integers.
        least: the smallest delta of the plan, at which plain LDP would have to ask; None where attributes have none.
    """

    part: SharesPart
    least: Nats | None

    @property
    @abstractmethod
    def domain(self) -> Domain | Record:
        """The values."""

    @property
    @abstractmethod
    def definition(self) -> Definition:
        """The promise about each two values."""

    @property
    def domains(self) -> Mapping[str, Domain]:
        """Of each attribute the values by which it is counted."""
        return {attribute.name: attribute.finite for attribute in self.attributes}

    @property
    def shape(self) -> tuple[int, ...]:
        """How many values each of its attributes has."""
        return tuple(domain.k for domain in self.domains.values())

    def labels(self, value: int) -> list[str]:
        """Of one value, by attribute."""
        return [self.domain.label(value)]

    def row_head(self, value: int) -> dict[str, Any]:
        """What a row about one value says that it is about."""
        return {"attribute": self.name, "value": self.domain.label(value)}

    @property
    def subject(self) -> frozenset[str]:
        """What its shares are of: those of two plans are compared where it is the same."""
        return frozenset(self.attribute_names)

    @property
    def is_joint(self) -> bool:
        """Whether its values are the attributes' own, so that its shares go together with those of other questions."""
        return True

    @property
    def histogram_of(self) -> Attribute | None:
        """The attribute whose own values are counted, if it is one alone: it may be smoothed by public numbers."""
        return None

    @property
    def shares(self) -> "SharesQuestion":
        """Itself."""
        return self

    @property
    def value_promise(self) -> Definition:
        """The promise."""
        return self.definition

    @property
    def values(self) -> CountedDomain:
        """The values."""
        return self.domain

    @property
    @abstractmethod
    def query(self) -> Query | Sampled:
        """What is drawn and answered."""

    @cached_property
    def mechanism(self) -> Mechanism:
        """The mechanism, made of the document's integers."""
        return thaw_over(self.part.mechanism, self.definition, self.domain.k)

    @cached_property
    def certificate(self) -> Certificate:
        """The exact verdict on the document's integers under the document's promise."""
        return certify(self.mechanism, self.definition)

    @property
    def metric(self) -> tuple[MetricPart, str] | None:
        """The distances by which the values are protected, and the epsilon of their unit; None without any."""
        return None

    @property
    def notes(self) -> tuple[str, ...]:
        """What else is to be known of the promise: what a missing answer counts as."""
        several = len(self.attributes) > 1
        return tuple(
            f"A missing answer{f' to {one.name!r}' if several else ''} counts as {one.missing!r} and is protected as"
            " that category is."
            for one in self.attributes
            if one.missing is not None
        )

    @cached_property
    def expected_people(self) -> Floats | None:
        """The shares that the plan expects, shape (k,); None where nothing is known."""
        return None if self.part.expected is None else self.part.expected.shares(self.domain.k)

    def expected_document(self, expected: Floats) -> Any:
        """The shares, in whole parts."""
        return ExpectedPart.of(expected).dump()

    def expected_of_sample(self, values: NDArray[Any]) -> Floats:
        """The shares of the values, shape (k,)."""
        return round_as_stored(np.bincount(values, minlength=self.mechanism.k) / len(values))

    def expected_of_survey(self, survey: "AskedSurvey") -> Floats | None:
        """The shares, shape (k,), each attribute independent of the others."""
        from sordino.survey.attributes.expected import expected_shares

        given = {name: survey.attribute[name].expected for name in self.attribute_names}
        if all(expected is None for expected in given.values()):
            return None
        shares = np.ones(1)
        for name, expected in given.items():
            domain = self.domains[name]
            own = np.full(domain.k, 1 / domain.k) if expected is None else expected_shares(expected, domain)
            shares = np.multiply.outer(shares, own).reshape(-1)
        return round_as_stored(shares)

    @cached_property
    def accuracy(self) -> "Accuracy":
        """How exact the unbiased estimates will be, if all values are alike."""
        from sordino.design.accuracy import expected_accuracy

        return expected_accuracy(self.mechanism.without_cache, self.people, subtract_totals=self.part.subtract_totals)

    def forecast(self, shares: Floats | None = None) -> "SharesAccuracy":
        """How exact what is shown will be, for people with these shares of the values, all alike by default."""
        from sordino.design.histograms.shares_accuracy import expected_shares

        asked, subtract_totals = self.mechanism.without_cache, self.part.subtract_totals
        return expected_shares(asked, self.people, subtract_totals=subtract_totals, shares=shares)

    def largest_error(self, shares: Floats | None = None) -> float:
        """The largest expected standard error of a share, of such people; or whatever people are like."""
        from sordino.design.accuracy import largest_error

        asked, subtract_totals = self.mechanism.without_cache, self.part.subtract_totals
        return largest_error(asked, self.people, subtract_totals=subtract_totals, shares=shares)

    def forecast_uniform(self, shares: Floats | None = None) -> "SharesAccuracy":
        """The same under uniform protection."""
        from sordino.design.accuracy import subtracting_helps
        from sordino.design.histograms.shares_accuracy import expected_shares

        uniform = self.uniform.without_cache
        helps = subtracting_helps(uniform)
        return expected_shares(uniform, self.people, subtract_totals=helps, shares=shares)

    @cached_property
    def uniform(self) -> Mechanism:
        """The best way to ask it if all values of all attributes had to be protected as well as any two are now."""
        from sordino.definition.matrix import PairwiseLDP
        from sordino.definition.metric import MetricLDP
        from sordino.design.histograms.best_mechanism import best_mechanism

        definition = self.definition
        epsilon = definition.least if isinstance(definition, PairwiseLDP | MetricLDP) else definition.epsilon
        return best_mechanism(self.domain.k, LDP(self.least or epsilon)).without_cache

    @property
    def typical_error(self) -> float:
        """That of a share, if all values are alike."""
        return self.accuracy.stderr

    def above_floor(self, *, search: bool) -> Fraction | None:
        """That of the variances' sum at equal shares."""
        from sordino.survey.questions.above_floor import summed_variance_above

        return summed_variance_above(self.domain.k, self.definition, self.accuracy.total_variance, search=search)

    def floor_in_words(self, above: Fraction, percentage: str) -> str:
        """How near the summed variance is to the least."""
        from sordino.survey.questions.above_floor import summed_variance_in_words

        return summed_variance_in_words(self.name, above, percentage)

    @property
    def asked_in_words(self) -> str:
        """One of its values."""
        return f"{self.name!r}, one of {self.domain.k:,} values"

    @property
    def forged_weight(self) -> ForgedWeight:
        """In a share."""
        from sordino.estimation.unbiased import leverage

        return ForgedWeight(leverage(self.mechanism, subtract_totals=self.part.subtract_totals), "an estimate")
