"""The kind of question that asks how many people's number lies above a threshold: one bit of it, read without rounding.

[[ask]]
above = "age"
threshold = 65                                                 # what equals it lies above

Guarantee: LDP between the two sides, at an epsilon that keeps every attribute's delta, whatever the number is. A side
is not linear in the number: bounds on the dependence of its mean, and of its distribution function at edges of bins,
say nothing about it, only those for all other attributes together.
"""

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sordino.definition.pairwise import LDP
from sordino.definition.sampling import Answer, AnswerType
from sordino.document.schema.strict_table import StrictTable
from sordino.domain.attribute import Attribute, Domain
from sordino.domain.bins import Bins, plain
from sordino.domain.categories import Categories
from sordino.errors import SordinoError
from sordino.printable import SEPARATOR
from sordino.query.bin import Bin
from sordino.query.query import Query
from sordino.survey.kinds.numbers.moments_kind import number_mistakes
from sordino.survey.kinds.question import Floats, PlanFacts, SharesPart, SharesQuestion
from sordino.survey.kinds.shares.shares_kind import SharesKind, channel_of_shares
from sordino.survey.schema.amounts import canonical_amount
from sordino.survey.schema.attribute_part import AttributePart, Text
from sordino.survey.schema.expected_part import round_as_stored

if TYPE_CHECKING:
    from sordino.design.sample_questions import Compared
    from sordino.survey.kinds.terms import ChoiceTerms, Chosen
    from sordino.survey.schema.attribute_table import AskedSurvey


class AboveSettings(StrictTable):
    """What is asked.

    Attributes:
        above: the number.
        threshold: where it is cut.
    """

    above: Text | None = None
    threshold: float | None = None


class AbovePart(SharesPart):
    """A question about the side of a threshold on which a number lies, and how it is answered.

    Attributes:
        above: the number.
        threshold: where it is cut; what equals it lies above.
        epsilon: for the two sides, in nats, as text.
    """

    above: str
    threshold: float
    epsilon: str

    @property
    def names(self) -> tuple[str, ...]:
        return (self.above,)

    @property
    def once(self) -> tuple[str, str]:
        return self.above, plain(self.threshold)

    reads_numbers = True


@dataclass(frozen=True)
class AboveQuestion(SharesQuestion):
    """A question about the side of a threshold on which a number lies.

    Attributes:
        part: what is asked, and the mechanism's integers.
        attribute: that it is about.
        place: of the attribute among those of the plan.
    """

    part: AbovePart
    attribute: Attribute
    place: int

    kind = "above"

    @property
    def name(self) -> str:
        return self.name_of([self.part.above])

    def name_of(self, names: Sequence[str], join: Callable[[Sequence[str]], str] = SEPARATOR.join) -> str:
        del join
        return f"{names[0]} from {plain(self.part.threshold)}"

    @property
    def attributes(self) -> tuple[Attribute, ...]:
        """The number."""
        return (self.attribute,)

    def asked_of(self, name: str) -> str:
        del name
        return f"share from {plain(self.part.threshold)} on"

    @cached_property
    def sides(self) -> Bins:
        """The two sides."""
        ends = self.attribute.interval
        return Bins.from_edges([ends.low, self.part.threshold, ends.high], ends)

    @cached_property
    def domain(self) -> Categories:
        threshold = plain(self.part.threshold)
        return Categories([f"below {threshold}", f"{threshold} and above"])

    @property
    def domains(self) -> Mapping[str, Domain]:
        return {self.attribute.name: self.domain}

    @property
    def subject(self) -> frozenset[str]:
        """The number with its threshold: that of others is another one."""
        return frozenset([self.name])

    is_joint = False

    @property
    def definition(self) -> LDP:
        return LDP(canonical_amount(self.part.epsilon))

    @cached_property
    def query(self) -> Query:
        return Query(Bin(self.attribute.name, self.sides), self.mechanism)

    @property
    def types(self) -> tuple[AnswerType, ...]:
        return ((Answer(((self.place,),), self.certificate.level(self.definition.epsilon)),),)

    def column(self, values: Mapping[str, NDArray[Any]]) -> NDArray[Any]:
        """The numbers of some people; where the plan clips, one beyond an end counts as that end."""
        numbers = values[self.attribute.name]
        return np.clip(numbers, self.sides.edges[0], self.sides.edges[-1]) if self.attribute.clip else numbers

    def expected_of_sample(self, values: NDArray[Any]) -> Floats:
        """The shares of the sides, shape (2,)."""
        return super().expected_of_sample(self.sides.locate(values))

    def expected_of_survey(self, survey: "AskedSurvey") -> Floats | None:
        """The shares of the sides, shape (2,)."""
        from sordino.survey.schema.expected_people import expected_bins, expected_spread

        table = survey.attribute[self.attribute.name]
        if table.expected is None or table.number is None:
            return None
        if expected_spread(table.expected, self.attribute.interval) is not None:
            return round_as_stored(expected_bins(table.expected, self.sides))
        # Within a bin people are taken to be evenly spread.
        bins = table.number.default_bins
        known = np.concatenate([[0.0], np.cumsum(expected_bins(table.expected, bins))])
        below = float(np.interp(self.part.threshold, bins.edges, known))
        return round_as_stored(np.array([below, 1 - below]))

    @property
    def asked_in_words(self) -> str:
        return f"{self.attribute.quoted_title}, whether it is {plain(self.part.threshold)} or above"


class AboveKind(SharesKind[AboveSettings, AbovePart, AboveQuestion]):
    """A share above a threshold."""

    def attributes(self, settings: AboveSettings) -> tuple[str, ...]:
        return (settings.above or "",)

    def question_name(self, settings: AboveSettings) -> str:
        return f"{settings.above} from {plain(settings.threshold or 0.0)}"

    def check(self, settings: AboveSettings) -> None:
        if settings.threshold is None:
            step = "write threshold = 65, in the unit of the data"
            raise SordinoError("a question above a threshold must have one", found="no threshold", step=step)

    def asked_once(self, settings: AboveSettings) -> Iterable[Hashable]:
        return ((settings.above, plain(settings.threshold or 0.0)),)

    def mistakes(
        self, where: str, settings: AboveSettings, survey: "AskedSurvey", before: Collection[Hashable]
    ) -> Iterator[SordinoError]:
        """It is of a number that everybody has, within its range, and each threshold is asked once."""
        (name,), threshold = self.attributes(settings), settings.threshold or 0.0
        yield from number_mistakes(f"{where}.above", [name], survey)
        number = survey.attribute[name].number if name in survey.attribute else None
        if number is None:
            return
        if survey.attribute[name].may_be_missing:
            step = "ask for its distribution, which also estimates the share of people without it"
            rule = f"{where}.above must be a number that everybody has"
            yield SordinoError(rule, found=f"{name!r}, which may be missing", step=step)
        if not number.low < threshold < number.high:
            step = f"take a number between {plain(number.low)} and {plain(number.high)}"
            yield SordinoError(f"{where}.threshold must lie within the range", found=plain(threshold), step=step)
        if any(asked in before for asked in self.asked_once(settings)):
            step = "ask it once, with a larger weight"
            yield SordinoError(f"{where}.threshold must be asked once", found=f"{plain(threshold)} again", step=step)

    def statistics(
        self, settings: AboveSettings, places: Mapping[str, int], categories: frozenset[str]
    ) -> "Iterator[Compared]":
        """None: bounds of a sample serve edges of bins and means, and a side is neither."""
        del settings, places, categories
        return iter(())

    def choose(self, settings: AboveSettings, survey: "AskedSurvey", terms: "ChoiceTerms") -> "Chosen":
        from sordino.survey.kinds.terms import Chosen

        del survey
        (name,) = self.attributes(settings)
        level = terms.limits.of_attribute(terms.places[name])
        part: dict[str, Any] = {"above": name, "threshold": settings.threshold, "epsilon": str(level)}
        return Chosen(part | channel_of_shares(2, LDP(level), terms))

    def check_part(self, part: AbovePart, attributes: Mapping[str, AttributePart], *, has_deltas: bool) -> None:
        """It is about a number that everybody has, and cuts its range in two."""
        del has_deltas
        number = attributes[part.above].number
        if number is None or attributes[part.above].missing is not None:
            raise SordinoError("a threshold must be of a number that everybody has", found="an attribute that is not")
        if not number.low < part.threshold < number.high:
            raise SordinoError("a threshold must lie within the number's range", found=plain(part.threshold))

    def question(self, part: AbovePart, share: Fraction, people: int, plan: PlanFacts) -> AboveQuestion:
        name = part.above
        return AboveQuestion(part, share, people, plan.parts, plan.least, plan.attributes[name], plan.places[name])


ABOVE = AboveKind(("above",), AboveSettings, AbovePart)
