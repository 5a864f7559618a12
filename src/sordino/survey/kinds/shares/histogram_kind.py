"""The kind of question that asks for the shares of an attribute's values.

[[ask]]
histogram = "smoker"
"""

from collections.abc import Collection, Hashable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from sordino.definition.sampling import Answer, AnswerType
from sordino.document.schema.strict_table import StrictTable
from sordino.domain.attribute import Attribute, Domain
from sordino.domain.grid import Grid
from sordino.errors import SordinoError
from sordino.query.query import Query
from sordino.query.statistic import Value
from sordino.survey.kinds.question import PlanFacts, SharesPart, SharesQuestion
from sordino.survey.kinds.shares.shares_kind import SharesKind, channel_of_shares
from sordino.survey.schema.attribute_part import AttributePart, MetricPart, ProtectPart, Text
from sordino.survey.schema.promise import Definition, definition_of

if TYPE_CHECKING:
    from sordino.design.sample_questions import Compared
    from sordino.survey.kinds.terms import ChoiceTerms, Chosen
    from sordino.survey.schema.attribute_table import AskedSurvey


class HistogramSettings(StrictTable):
    """What is asked.

    Attributes:
        histogram: the attribute.
    """

    histogram: Text | None = None


class HistogramPart(SharesPart):
    """A question about the shares of an attribute's values, and how it is answered.

    Attributes:
        histogram: the attribute.
    """

    histogram: str

    @property
    def names(self) -> tuple[str, ...]:
        return (self.histogram,)

    @property
    def once(self) -> str:
        return self.histogram


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

    kind = "histogram"

    @property
    def name(self) -> str:
        return self.part.histogram

    @property
    def attributes(self) -> tuple[Attribute, ...]:
        """The attribute alone."""
        return (self.attribute,)

    def asked_of(self, name: str) -> str:
        del name
        return "shares"

    @property
    def histogram_of(self) -> Attribute:
        return self.attribute

    @property
    def domain(self) -> Domain:
        return self.attribute.finite

    @cached_property
    def definition(self) -> Definition:
        return definition_of(self.domain, self.protect)

    @property
    def metric(self) -> tuple[MetricPart, str] | None:
        """The distances between its values, if they are protected by these."""
        return None if self.protect.metric is None else (self.protect.metric, self.protect.epsilon or "")

    @cached_property
    def query(self) -> Query:
        return Query(Value(self.name), self.mechanism)

    @property
    def types(self) -> tuple[AnswerType, ...]:
        return ((Answer(((self.place,),), self.certificate.level(self.definition.epsilon), linear=True),),)

    def column(self, values: Mapping[str, NDArray[Any]]) -> NDArray[Any]:
        return values[self.name]

    @property
    def notes(self) -> tuple[str, ...]:
        """What a block of a map is, and what a missing answer counts as."""
        blocks, domain, others = self.protect.blocks, self.domain, super().notes
        if blocks is None or not blocks.tiles:
            return others
        height, width = blocks.tiles
        divides = isinstance(domain, Grid) and not domain.rows % height and not domain.columns % width
        return f"A block is {'' if divides else 'at most '}{height} x {width} cells of the map.", *others


class HistogramKind(SharesKind[HistogramSettings, HistogramPart, HistogramQuestion]):
    """Shares of an attribute's values."""

    def attributes(self, settings: HistogramSettings) -> tuple[str, ...]:
        return (settings.histogram or "",)

    def mistakes(
        self, where: str, settings: HistogramSettings, survey: "AskedSurvey", before: Collection[Hashable]
    ) -> Iterator[SordinoError]:
        del before
        name = settings.histogram or ""
        if name in survey.attribute and survey.attribute[name].number is not None:
            step = "ask for its distribution or mean, or write categories instead of number"
            yield SordinoError(f"{where}.histogram must be of categories or a grid", found="a number", step=step)

    def statistics(
        self, settings: HistogramSettings, places: Mapping[str, int], categories: frozenset[str]
    ) -> "Iterator[Compared]":
        del categories
        yield (places[settings.histogram or ""],)

    def place_of_mistake(self, where: str, settings: HistogramSettings) -> str:
        del where
        return f"attribute.{settings.histogram}"

    def choose(self, settings: HistogramSettings, survey: "AskedSurvey", terms: "ChoiceTerms") -> "Chosen":
        """What is promised about its values, and how their shares are asked."""
        from sordino.survey.kinds.terms import Chosen
        from sordino.survey.schema.protect_table import protect_part

        (name,) = self.attributes(settings)
        domain, epsilon = survey.attribute_named(name).finite, survey.epsilon
        if terms.has_deltas and epsilon is not None:
            epsilon = terms.limits.of_statistic((terms.places[name],))
        protect = protect_part(domain, survey.attribute[name].protect, epsilon)
        channel = channel_of_shares(domain.k, definition_of(domain, protect), terms)
        return Chosen({"histogram": name, **channel}, {name: protect.dump()})

    def check_part(self, part: HistogramPart, attributes: Mapping[str, AttributePart], *, has_deltas: bool) -> None:
        del has_deltas
        if attributes[part.histogram].protect is None:
            raise SordinoError("a histogram must be of protected values, everything else of numbers")

    def question(self, part: HistogramPart, share: Fraction, people: int, plan: PlanFacts) -> HistogramQuestion:
        name, protect = part.histogram, plan.protects[part.histogram]
        if protect is None:
            raise SordinoError("a question must be about protected values", found=name)
        place = plan.places[name]
        return HistogramQuestion(part, share, people, plan.parts, plan.least, plan.attributes[name], protect, place)


HISTOGRAM = HistogramKind(("histogram",), HistogramSettings, HistogramPart, once=True)
