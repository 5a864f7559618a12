"""A question of a plan as all else knows it: what it is about, what it promises, and what is expected of it.

Whatever only some kinds (`survey.kinds`) have is a property that gives nothing by default: nobody asks for the kind.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sordino.audit.certificate import Certificate
from sordino.definition.pairwise import LDP
from sordino.definition.sampling import AnswerType
from sordino.distinct import DistinctParts
from sordino.document.schema.strict_table import StrictTable, setting
from sordino.domain.attribute import Attribute, Domain
from sordino.domain.bins import Bins
from sordino.domain.finite_record import Record
from sordino.domain.interval import Interval
from sordino.domain.scaled import Measured, Ranges
from sordino.errors import SordinoError
from sordino.exact.nats import Nats
from sordino.mechanism.base import Mechanism
from sordino.mechanism.channel import Aggregate
from sordino.printable import SEPARATOR, join_label
from sordino.query.query import Query
from sordino.query.sampled import Sampled
from sordino.survey.kinds.promised_channel import PromisedChannel
from sordino.survey.schema.amounts import canonical_epsilon
from sordino.survey.schema.attribute_part import MetricPart, ProtectPart
from sordino.survey.schema.expected_part import ExpectedPart, round_as_stored
from sordino.survey.schema.promise import Definition

if TYPE_CHECKING:
    from sordino.design.accuracy import Accuracy, SharesAccuracy
    from sordino.domain.choices import ItemSets
    from sordino.estimation.moment_estimator import MeanReadings
    from sordino.query.bin import Bin
    from sordino.survey.schema.attribute_table import AskedSurvey


class PlanFacts(NamedTuple):
    """What a question has of its plan.

    Attributes:
        attributes: by name.
        protects: what is promised about the values of each, in the document's words; None where nothing is.
        places: of the attributes by name, as statistics name them.
        epsilon: the most that a report may reveal about the whole record; None where attributes have no deltas.
        least: the smallest delta; None where attributes have none.
        parts: what the plan's questions have in common.
    """

    attributes: Mapping[str, Attribute]
    protects: Mapping[str, ProtectPart | None]
    places: Mapping[str, int]
    epsilon: Nats | None
    least: Nats | None
    parts: DistinctParts

    def amounts(self, names: Sequence[str]) -> tuple[Nats, Nats]:
        """The most that an answer read off some attributes may reveal of them, and the smallest delta of the plan.

        Without deltas both are the least of what is promised about each of these.

        Raises:
            SordinoError: an attribute of which nothing is promised, or not one level for all its values.
        """
        if self.epsilon is not None and self.least is not None:
            return self.epsilon, self.least
        own = least_level(names, self.protects)
        return own, own


def least_level(names: Iterable[str], protects: Mapping[str, ProtectPart | None]) -> Nats:
    """The least epsilon of some attributes: what reveals no more of them together keeps the promise of each.

    Of blocks and sensitive values too: where no two values differ by more than epsilon, none that are protected do.

    Raises:
        SordinoError: an attribute of which nothing is promised, or not one level for all its values.
    """
    levels = []
    for name in names:
        own = protects[name]
        if own is None or own.epsilon is None or own.metric is not None:
            found = f"{name!r} with {'no promise' if own is None else 'distances or bounds for pairs'}"
            raise SordinoError("numbers and what is read with them must have an epsilon of their own", found=found)
        levels.append(canonical_epsilon(own.epsilon))
    return min(levels)


class MeanReading(NamedTuple):
    """How a question's reports tell the mean of a number that everybody has.

    Attributes:
        query: that is answered.
        place: of the number among those of the query.
        ranges: of its numbers.
        ends: of this one.
        known: what the plan expects to be read of the people; None where nothing is known.
        bins: in which the number is asked; None where it is asked itself.
    """

    query: Sampled
    place: int
    ranges: Ranges
    ends: Interval
    known: "MeanReadings | None"
    bins: Bins | None = None

    def tally(self, aggregate: Aggregate) -> Aggregate:
        """The question's own tally as one of the query, which has the same codes."""
        return replace(aggregate, fingerprint=self.query.fingerprint)


class ForgedWeight(NamedTuple):
    """How much one forged report can weigh.

    Attributes:
        people: as many as these; infinite where reports do not depend on the values.
        within: in what, as words.
    """

    people: float
    within: str


TableOf = frozenset[str]
"""The attributes of a table, in any order."""

CategoryWithSign = tuple[str, str]
"""A category, and the number whose sign goes with it."""


class QuestionPart(StrictTable, ABC):
    """A question of a plan, and how it is answered.

    Attributes:
        weight: a person answers it with probability weight over the sum of all weights.
    """

    weight: int = setting(ge=1, le=1 << 20)

    @property
    @abstractmethod
    def names(self) -> tuple[str, ...]:
        """The attributes that it is about, in the order of its values."""

    @property
    def once(self) -> Hashable:
        """What no other part of its kind can be about; None where several can be about the same."""
        return None

    reads_numbers: ClassVar[bool] = False
    """Whether one level of epsilon is promised about all that it reads, as for numbers, not about pairs of values."""

    counts_numbers: ClassVar[bool] = False
    """Whether it reads a number as one of its bins, by the edges that stand at the attribute."""

    @property
    def joined_names(self) -> tuple[str, ...]:
        """The attributes in place of whose histograms it is asked."""
        return ()

    @property
    def tables(self) -> frozenset[TableOf]:
        """The tables of categories that a bound on dependence may be about."""
        return frozenset()

    @property
    def signs(self) -> frozenset[CategoryWithSign]:
        """The categories with a number's sign that such a bound may be about."""
        return frozenset()

    @property
    def thresholds(self) -> frozenset[str]:
        """The numbers about whose distribution function such a bound may be."""
        return frozenset()


Floats = NDArray[np.float64]

CountedDomain: TypeAlias = "Domain | Record | Bin | ItemSets"
"""What a mechanism's values are: an attribute's, the cells of several, the bins of a number, or sets of items."""


class AskedQuestion(ABC):
    """What was asked, as its name, its attributes and the number of people say it: a question, or one of several."""

    if TYPE_CHECKING:
        # Fields of some, properties of others.
        @property
        def share(self) -> Fraction:
            """The part of the people who answer it."""

        @property
        def people(self) -> int:
            """How many are expected to."""

        @property
        def attributes(self) -> tuple[Attribute, ...]:
            """The attributes that it asks for, in the order of its values."""

    kind: ClassVar[str]
    """What is asked, in the word that asks it in a survey."""

    @property
    @abstractmethod
    def name(self) -> str:
        """What it is called; no other question of the plan has the same name."""

    def name_of(self, names: Sequence[str], join: Callable[[Sequence[str]], str] = join_label) -> str:
        """What a question about attributes of such names is called."""
        return join(names)

    @cached_property
    def title(self) -> str:
        """What people read as its name: the questions that they were asked, where the survey has words."""
        titles = [attribute.title for attribute in self.attributes]
        # Texts of the survey stand in quotation marks of their own, whatever commas they hold.
        return self.name if titles == self.attribute_names else self.name_of(titles, SEPARATOR.join)

    @property
    def quoted_title(self) -> str:
        """Title within a sentence; a bare name in quotation marks."""
        return repr(self.name) if self.title == self.name else self.title

    def asked_of(self, name: str) -> str:
        """What is estimated of one of its attributes, such as 'shares' or 'table with age'."""
        others = join_label([other for other in self.attribute_names if other != name])
        return f"{self.kind} with {others}" if others else self.kind

    @property
    def form(self) -> str:
        """What questions of its kind and size have in common, such as 'histogram of 4 values'."""
        count = len(self.attributes)
        return f"{self.kind} of {count:,} {'number' if count == 1 else 'numbers'}"

    @property
    def whose(self) -> str:
        """Its title, and of whom, where it is not of everybody."""
        return self.title

    @cached_property
    def attribute_names(self) -> list[str]:
        """Their names."""
        return [attribute.name for attribute in self.attributes]

    @property
    @abstractmethod
    def code_bits(self) -> int:
        """Of a report about it."""

    @property
    def bins(self) -> Bins | None:
        """Bins of the number that it is about; None of what is not counted in bins of its own."""
        return None

    @property
    def values(self) -> "CountedDomain | None":
        """What its mechanism takes, by name; None where it is no single mechanism."""
        return None

    def above_floor(self, *, search: bool) -> Fraction | None:
        """By how much its variance exceeds the least that is proved of all channels, relatively; None without one.

        Args:
            search: whether a floor is searched for where no formula has it.
        """
        del search
        return None


@dataclass(frozen=True)
class Question(AskedQuestion):
    """A question of a plan.

    Attributes:
        part: what is asked, and the integers of its mechanism.
        share: of the people, who answer it.
        people: how many are expected to.
        parts: what the plan's questions have in common.
    """

    part: QuestionPart
    share: Fraction
    people: int
    parts: DistinctParts = field(repr=False, compare=False)

    @property
    @abstractmethod
    def query(self) -> Query | Sampled:
        """What is drawn and answered."""

    @property
    def code_bits(self) -> int:
        return self.query.code_bits

    @property
    def is_joined(self) -> bool:
        """Whether it stands in place of the histograms of its attributes."""
        return bool(self.part.joined_names)

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
    def certified_values(self) -> int:
        """How many values a certificate goes through."""
        return 0 if self.values is None else self.values.k

    @abstractmethod
    def column(self, values: Mapping[str, NDArray[Any]]) -> NDArray[Any] | Measured:
        """What is drawn from, of people's values by attribute, shape (n,): looked at before, each in its domain."""

    @property
    def shares(self) -> "SharesQuestion | None":
        """Itself, if shares of values that are counted are asked."""
        return None

    is_table: ClassVar[bool] = False
    """Whether it is about the combinations of several attributes' values."""

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

    def floor_in_words(self, above: Fraction, percentage: str) -> str:
        """How near its channel is to the best, where a floor is known.

        Args:
            above: by how much its variance exceeds the floor, relatively.
            percentage: the same as text, rounded up.
        """
        del above
        return (
            f"The variance of the {self.title} is at most {percentage} above that of the best mechanism with this"
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


class SharesPart(QuestionPart, ABC):
    """A question about shares of values, and how it is answered.

    Attributes:
        mechanism: its name and its integers, as they are frozen.
        subtract_totals: whether estimates are shifted to the known share of their block.
        expected: what the people are expected to be like; answers do not depend on it. None where nothing is known.
    """

    mechanism: dict[str, Any]
    subtract_totals: bool
    expected: ExpectedPart | None = None


class UniformPart(NamedTuple):
    """All that the best mechanism under uniform protection depends on: a number of values, and the level."""

    k: int
    level: Nats


class ShiftPart(NamedTuple):
    """All that decides whether estimates are shifted to the total."""

    mechanism: Mechanism


class AccuracyPart(NamedTuple):
    """All that the errors of shares depend on where all values are alike."""

    channel: PromisedChannel
    people: int
    subtract_totals: bool


class LeveragePart(NamedTuple):
    """All that the weight of a forged report depends on."""

    channel: PromisedChannel
    subtract_totals: bool


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
        return {attribute.name: attribute.table_domain for attribute in self.attributes}

    @property
    def shape(self) -> tuple[int, ...]:
        """How many values each of its attributes has."""
        return tuple(domain.k for domain in self.domains.values())

    @property
    def form(self) -> str:
        return f"{self.kind} of {self.domain.k:,} values"

    def labels(self, value: int) -> list[str]:
        """Of one value, by attribute."""
        return [self.domain.label(value)]

    def value_title(self, value: int) -> str:
        """What people read as one value: its label in the survey's words."""
        said = zip(self.attributes, self.labels(value), strict=True)
        return join_label([attribute.phrasing.value(label) for attribute, label in said])

    def row_head(self, value: int) -> dict[str, Any]:
        """What a row about one value says that it is about."""
        return {"attribute": self.name, "value": self.domain.label(value)}

    @property
    def subject(self) -> frozenset[str]:
        """What its shares are of: those of two plans are compared where it is the same."""
        return frozenset(self.attribute_names)

    is_joint: ClassVar[bool] = True
    """Whether its values are the attributes' own, so that its shares go together with those of other questions."""

    @property
    def histogram_of(self) -> Attribute | None:
        """The attribute whose own values are counted, if it is one alone: it may be smoothed by public numbers."""
        return None

    @property
    def shares(self) -> "SharesQuestion":
        return self

    @property
    def value_promise(self) -> Definition:
        return self.definition

    @property
    def values(self) -> CountedDomain:
        return self.domain

    @property
    @abstractmethod
    def query(self) -> Query | Sampled:
        """What is drawn and answered."""

    @cached_property
    def channel(self) -> PromisedChannel:
        """The document's integers under the document's promise."""
        return PromisedChannel.of(self.part.mechanism, self.definition, self.domain.k, self.parts)

    @property
    def mechanism(self) -> Mechanism:
        """The mechanism, made of the document's integers."""
        return self.channel.mechanism

    @property
    def certificate(self) -> Certificate:
        """The exact verdict on the document's integers under the document's promise."""
        return self.channel.certificate

    @property
    def metric(self) -> tuple[MetricPart, str] | None:
        """The distances by which the values are protected, and the epsilon of their unit; None without any."""
        return None

    @property
    def notes(self) -> tuple[str, ...]:
        """What else is to be known of the promise: what a missing answer counts as."""
        several = len(self.attributes) > 1
        return tuple(
            f"A missing answer{f' to {one.quoted_title}' if several else ''} counts as {one.missing!r} and is"
            " protected as that category is."
            for one in self.attributes
            # That a number is missing is said of the whole plan.
            if one.missing is not None and not one.optional
        )

    @cached_property
    def expected_people(self) -> Floats | None:
        """The shares that the plan expects, shape (k,); None where nothing is known."""
        return None if self.part.expected is None else self.part.expected.shares(self.domain.k)

    def expected_document(self, expected: Floats) -> Any:
        return ExpectedPart.of(expected).dump()

    def expected_of_sample(self, values: NDArray[Any]) -> Floats:
        """The shares of the values, shape (k,)."""
        return round_as_stored(np.bincount(values, minlength=self.mechanism.k) / len(values))

    def expected_of_survey(self, survey: "AskedSurvey") -> Floats | None:
        """The shares, shape (k,), each attribute independent of the others."""
        from sordino.survey.schema.expected_people import expected_values

        given = {attribute: survey.attribute[attribute.name].expected for attribute in self.attributes}
        if all(expected is None for expected in given.values()):
            return None
        shares = np.ones(1)
        for attribute, expected in given.items():
            shares = np.multiply.outer(shares, expected_values(expected, attribute)).reshape(-1)
        return round_as_stored(shares)

    @cached_property
    def accuracy(self) -> "Accuracy":
        """How exact the unbiased estimates will be, if all values are alike."""
        from sordino.design.accuracy import expected_accuracy

        asked, people, shift = self.mechanism.without_cache, self.people, self.part.subtract_totals
        part = AccuracyPart(self.channel, people, shift)
        return self.parts.of(part, lambda: expected_accuracy(asked, people, subtract_totals=shift))

    def forecast(self, shares: Floats | None = None) -> "SharesAccuracy":
        """How exact what is shown will be, for people with these shares of the values, all alike by default."""
        from sordino.design.accuracy import expected_shares

        asked, subtract_totals = self.mechanism.without_cache, self.part.subtract_totals
        return expected_shares(asked, self.people, subtract_totals=subtract_totals, shares=shares)

    def largest_error(self, shares: Floats | None = None) -> float:
        """The largest expected standard error of a share, of such people; or whatever people are like."""
        from sordino.design.accuracy import largest_error

        asked, subtract_totals = self.mechanism.without_cache, self.part.subtract_totals
        return largest_error(asked, self.people, subtract_totals=subtract_totals, shares=shares)

    def forecast_uniform(self, shares: Floats | None = None) -> "SharesAccuracy":
        """The same under uniform protection."""
        from sordino.design.accuracy import expected_shares

        uniform, helps = self.uniform.without_cache, self.uniform_subtracts
        return expected_shares(uniform, self.people, subtract_totals=helps, shares=shares)

    @cached_property
    def uniform(self) -> Mechanism:
        """The best way to ask it if all values of all attributes had to be protected as well as any two are now."""
        from sordino.definition.matrix import PairwiseLDP
        from sordino.definition.metric import MetricLDP
        from sordino.design.shares.best_mechanism import best_mechanism

        definition, k = self.definition, self.domain.k
        own = definition.least if isinstance(definition, PairwiseLDP | MetricLDP) else definition.epsilon
        level = self.least or own
        return self.parts.of(UniformPart(k, level), lambda: best_mechanism(k, LDP(level)).without_cache)

    @property
    def uniform_subtracts(self) -> bool:
        """Whether estimates are shifted to the total then."""
        from sordino.design.accuracy import subtracting_helps

        uniform = self.uniform
        return self.parts.of(ShiftPart(uniform), lambda: subtracting_helps(uniform.without_cache))

    @property
    def typical_error(self) -> float:
        return self.accuracy.stderr

    def above_floor(self, *, search: bool) -> Fraction | None:
        from sordino.survey.kinds.shares.above_floor import AboveFloor

        part = AboveFloor(self.domain.k, self.definition, self.accuracy.total_variance, search)
        return self.parts.of(part, part.excess)

    def floor_in_words(self, above: Fraction, percentage: str) -> str:
        from sordino.survey.kinds.shares.above_floor import summed_variance_in_words

        return summed_variance_in_words(self.title, above, percentage)

    @property
    def asked_in_words(self) -> str:
        return f"{self.quoted_title}, one of {self.domain.k:,} values"

    @property
    def forged_weight(self) -> ForgedWeight:
        from sordino.estimation.unbiased import leverage

        shift = self.part.subtract_totals
        part = LeveragePart(self.channel, shift)
        people = self.parts.of(part, lambda: leverage(self.mechanism, subtract_totals=shift))
        return ForgedWeight(people, "an estimate")
