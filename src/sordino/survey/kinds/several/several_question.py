"""A question of a plan about categories of which several apply: the combination, or one category that is drawn."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sordino.definition.pairwise import LDP
from sordino.definition.sampling import Answer, AnswerType
from sordino.document.codec import OF_ITEMS
from sordino.domain.attribute import Attribute
from sordino.domain.categories import Categories
from sordino.domain.choices import Choices, ItemSets
from sordino.domain.interval import Interval
from sordino.domain.scaled import Measured
from sordino.errors import SordinoError
from sordino.exact.nats import Nats
from sordino.mechanism.channel import LARGEST_CODE_BITS
from sordino.mechanism.meeting_subsets import MeetingSubsets
from sordino.query.number import Number
from sordino.query.query import Query
from sordino.query.sampled import Sampled
from sordino.query.statistic import Value
from sordino.survey.kinds.promised_channel import PromisedChannel
from sordino.survey.kinds.question import CountedDomain, Floats, ForgedWeight, SharesPart, SharesQuestion
from sordino.survey.schema.expected_part import round_as_stored

if TYPE_CHECKING:
    from sordino.design.shares.several_ways import SeveralWay
    from sordino.survey.schema.attribute_table import AskedSurvey


class SeveralPart(SharesPart):
    """A question about categories of which several apply, and how it is answered.

    Attributes:
        several: the attribute.
        way: whether the combination is one value of the mechanism; or one of the marks is drawn, uniformly, and its
            mechanism takes 0 for no and 1 for yes; or the mechanism takes the set of items that the combination makes.
        expected: the shares of what is read: of combinations; or of no and yes for each mark, each mark alike.
    """

    several: str
    way: Literal["combination", "category", "meeting"]

    @property
    def names(self) -> tuple[str, ...]:
        return (self.several,)

    @property
    def once(self) -> str:
        return self.several


ANSWERS = ("a category that does not apply", "one that applies")
"""What is said of one category."""

RARE = 1e-9
"""A share of people, at least, whose odds are finite."""


class AskedWay(NamedTuple):
    """All that a way to ask depends on.

    Attributes:
        channel: the integers with their promise.
        way: whether the mechanism is over combinations, over no and yes, or over sets of items.
        subtract_totals: whether estimates are shifted to the total.
        choices: the categories, unnamed.
    """

    channel: PromisedChannel
    way: str
    subtract_totals: bool
    choices: Choices


@dataclass(frozen=True)
class SeveralQuestion(SharesQuestion):
    """A question about categories of which several apply.

    Attributes:
        part: what is asked, and the mechanism's integers.
        attribute: that it is about.
        place: of the attribute among those of the plan.
        epsilon: between any two combinations.
    """

    part: SeveralPart
    attribute: Attribute
    place: int
    epsilon: Nats

    kind = "several"

    @property
    def name(self) -> str:
        return self.part.several

    @property
    def form(self) -> str:
        return f"several of {len(self.choices.labels):,} categories"

    def asked_of(self, name: str) -> str:
        del name
        return "share of each"

    @property
    def attributes(self) -> tuple[Attribute, ...]:
        """The attribute alone."""
        return (self.attribute,)

    @property
    def choices(self) -> Choices:
        """The categories."""
        return self.attribute.choices

    @property
    def definition(self) -> LDP:
        return LDP(self.epsilon)

    @property
    def by_category(self) -> bool:
        """Whether one of the marks is drawn."""
        return self.part.way == "category"

    @property
    def by_mark(self) -> bool:
        """Whether each mark is estimated by itself, of answers that are no or yes."""
        return self.part.way != "combination"

    @property
    def by_meeting(self) -> bool:
        """Whether combinations are filled up to sets of items."""
        return self.part.way == "meeting"

    @cached_property
    def channel(self) -> PromisedChannel:
        """The document's integers under the document's promise."""
        if not self.by_meeting:
            return super().channel
        choices = self.choices
        sets = ItemSets(choices).k
        channel = PromisedChannel.of(self.part.mechanism, self.definition, sets, self.parts, OF_ITEMS)
        sizes = channel.mechanism.set_sizes or ()
        if sizes[:2] != (choices.items, choices.most):
            rule = f"the mechanism of {self.name!r} must be about {choices.most} of {choices.items} items"
            raise SordinoError(rule, found=f"{' of '.join(map(str, sizes[1::-1]))}")
        return channel

    @cached_property
    def domain(self) -> Categories:
        if self.by_mark:
            return Categories(ANSWERS)
        return Categories([self.choices.label(int(value)) for value in self.choices.values])

    @property
    def values(self) -> CountedDomain:
        return ItemSets(self.choices) if self.by_meeting else self.domain

    def labels(self, value: int) -> list[str]:
        return [self.values.label(value)]

    @property
    def certified_values(self) -> int:
        """By meeting none of the sets is listed."""
        return self.domain.k

    @property
    def domains(self) -> Mapping[str, Categories]:
        return {self.name: self.domain}

    is_joint = False

    @cached_property
    def query(self) -> Query | Sampled:
        """The combination, or its set; or one of the marks, each a number that is read as one end of its range."""
        if not self.by_category:
            return Query(Value(self.name), self.mechanism)
        marks = len(self.choices.marks)
        return Sampled(tuple(Query(Number(place), self.mechanism) for place in range(marks)), (1,) * marks)

    @property
    def types(self) -> tuple[AnswerType, ...]:
        """The attribute alone, of which every answer is linear, whichever mark is drawn."""
        return ((Answer(((self.place,),), self.certificate.level(self.definition.epsilon), linear=True),),)

    def column(self, values: Mapping[str, NDArray[Any]]) -> NDArray[Any] | Measured:
        """The number of each combination, or of its set; or of each mark whether it applies, as 1 or 0."""
        own = values[self.name]
        if self.by_meeting:
            return self.choices.set_numbers(own)
        if not self.by_category:
            return self.choices.numbers(own)
        applies = self.choices.applies(own)
        ends = Interval(0, 1)
        return Measured(tuple(mark.astype(np.float64) for mark in applies.T), (ends,) * applies.shape[1])

    @cached_property
    def asked_way(self) -> "SeveralWay":
        """How it is asked, for how exact that is."""
        from sordino.design.shares.several_ways import SeveralWay

        way, shift, choices = self.part.way, self.part.subtract_totals, self.choices.without_names
        return self.parts.of(self.asked_alike, lambda: SeveralWay(way, self.mechanism.without_cache, shift, choices))

    @property
    def asked_alike(self) -> AskedWay:
        """All that the way to ask depends on."""
        return AskedWay(self.channel, self.part.way, self.part.subtract_totals, self.choices.without_names)

    @cached_property
    def uniform_way(self) -> "SeveralWay":
        """The best way at the least delta of the plan."""
        from sordino.design.shares.several_ways import distinct_best_way

        level = self.definition.epsilon if self.least is None else self.least
        return distinct_best_way(self.choices, level, self.split_read(None), LARGEST_CODE_BITS, self.parts)

    def split_read(self, read: Floats | None) -> tuple[Floats | None, Floats]:
        """The shares of combinations, where they are listed, and those of the marks.

        Where only the marks are known, combinations are what they are of independent categories.

        Args:
            read: what is read of the people, as `expected_people`; None where nothing is known.
        """
        from sordino.survey.schema.expected_people import expected_of_combinations, expected_of_marks

        choices = self.choices
        if read is None:
            alike = expected_of_combinations(None, choices) if choices.is_listed else None
            return alike, expected_of_marks(None, choices)
        if self.by_mark:
            answers = read.reshape(-1, 2)
            marks = answers[:, 1] / answers.sum(axis=1)
            given = dict(zip(choices.marks, np.clip(marks, RARE, 1 - RARE).tolist(), strict=True))
            return expected_of_combinations(given, choices) if choices.is_listed else None, marks
        return read, read @ choices.applies(choices.values)

    def errors(self, read: Floats | None) -> Floats:
        """The expected standard error of the share of each mark, shape (marks,)."""
        found: Floats = np.sqrt(self.asked_way.variances(*self.split_read(read)) / self.people)
        return found

    @cached_property
    def expected_people(self) -> Floats | None:
        """The shares of what is read, as the plan expects them; None where nothing is known."""
        cells = 2 * len(self.choices.marks) if self.by_mark else self.domain.k
        return None if self.part.expected is None else self.part.expected.shares(cells)

    def expected_of_sample(self, values: NDArray[Any]) -> Floats:
        """The shares of what is read: of combinations, or of the marks' answers."""
        if self.by_meeting:
            return self._read_of_marks(self.choices.marks_of_sets(values))
        if not self.by_category:
            return super().expected_of_sample(values)
        return self._read_of_marks((values.mean(axis=0) + 1) / 2)

    def expected_of_survey(self, survey: "AskedSurvey") -> Floats | None:
        """The same of independent categories, as the survey expects them."""
        from sordino.survey.schema.expected_people import expected_of_combinations, expected_of_marks

        given = survey.attribute[self.name].expected
        if given is None:
            return None
        if self.by_mark:
            return self._read_of_marks(expected_of_marks(given, self.choices))
        return round_as_stored(expected_of_combinations(given, self.choices))

    def _read_of_marks(self, marks: Floats) -> Floats:
        return round_as_stored(np.stack([1 - marks, marks], axis=1).reshape(-1) / len(marks))

    @property
    def typical_error(self) -> float:
        """That of the share of a category, if all combinations are alike."""
        return float(np.sqrt((self.errors(None) ** 2).mean()))

    def above_floor(self, *, search: bool) -> Fraction | None:
        del search
        return None

    @property
    def forged_weight(self) -> ForgedWeight:
        return ForgedWeight(self.asked_way.leverage(), "the share of a category")

    @property
    def asked_in_words(self) -> str:
        count = len(self.choices.labels)
        if self.by_category:
            unasked = "" if self.choices.not_asked is None else ", or that it was not asked"
            drawn = f"whether one of {count:,} categories applies, or that none does{unasked}"
            return f"{self.quoted_title}, {drawn}, drawn at random whatever applies"
        return f"{self.quoted_title}, all of {count:,} categories that apply, up to {self.choices.most}"

    @property
    def notes(self) -> tuple[str, ...]:
        how = " What is drawn is public, the answer to it is not." if self.by_category else ""
        said = f"Which categories of {self.quoted_title} apply, and how many, is protected as one value.{how}"
        return (said, *self._group_in_words, *super().notes)

    @property
    def _group_in_words(self) -> tuple[str, ...]:
        """By meeting what a report is, and why it looks like one of anybody else."""
        mechanism, choices = self.mechanism, self.choices
        if not isinstance(mechanism, MeetingSubsets):
            return ()
        most, size, least = choices.most, mechanism.size, mechanism.least
        unasked = "" if choices.not_asked is None else f", {choices.not_asked!r}"
        blanks = "1 blank" if most == 1 else f"{most} blanks"
        drawn = "one" if size == 1 else f"a group of {size}"
        shared = "at least one that applies" if least == 1 else f"at least {least} that apply"
        likelier = "One that applies is" if size == 1 else f"Groups with {shared} are"
        filled = "none applies, the blank counts" if most == 1 else f"fewer than {most} apply, blanks count"
        said = (
            f"A report about {self.quoted_title} is {drawn} of {len(choices.labels):,} categories{unasked} and {blanks}"
        )
        return (f"{said}, drawn at random. {likelier} more likely; where {filled} instead.",)
