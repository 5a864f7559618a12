"""What a kind of question gives, from its settings in a survey to its result.

A kind lies whole in a folder of this room, with a line in `KINDS`. Nothing outside asks of which kind a question is:
whoever reads surveys, makes plans, answers or estimates calls what stands here, or a property of `Question`.
`sordino.testing.check_kind` holds a kind to all of it.

Plans are read by processes that design nothing: designs, forecasts and results are imported where they are used.
"""

from abc import ABC, abstractmethod
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar

from sordino.document.schema.strict_table import StrictTable
from sordino.errors import SordinoError
from sordino.mechanism.channel import Aggregate
from sordino.printable import join_label
from sordino.survey.kinds.question import Floats, PlanFacts, Question, QuestionPart
from sordino.survey.schema.attribute_part import AttributePart

if TYPE_CHECKING:
    from sordino.design.sample_questions import Compared
    from sordino.survey.kinds.question_forecast import Forecast
    from sordino.survey.kinds.shares.fitted_forecast import FittedForecast
    from sordino.survey.kinds.shares.shares_result import QuestionResult
    from sordino.survey.kinds.terms import ChoiceTerms, Chosen, EstimateTerms, Refusal
    from sordino.survey.schema.attribute_table import AskedSurvey

SettingsT = TypeVar("SettingsT", bound=StrictTable)
PartT = TypeVar("PartT", bound=QuestionPart)
QuestionT = TypeVar("QuestionT", bound=Question)


@dataclass(frozen=True)
class Kind(ABC, Generic[SettingsT, PartT, QuestionT]):
    """A kind of question.

    Attributes:
        words: the settings of `[[ask]]` of which one says that it is asked.
        settings: these, and all others that go with them, each None by default.
        part: what a plan holds of it.
        once: whether it can be asked of an attribute only once.
        of_several: whether it is about attributes of which several categories apply, and about no others.
    """

    words: tuple[str, ...]
    settings: type[SettingsT]
    part: type[PartT]
    once: bool = False
    of_several: bool = False

    # In a survey

    @abstractmethod
    def attributes(self, settings: SettingsT) -> tuple[str, ...]:
        """The attributes that a question names, in the order of its values."""

    def question_name(self, settings: SettingsT) -> str:
        """The name of the question that is asked, as `Question.name` of a plan has it."""
        return join_label(self.attributes(settings))

    def check(self, settings: SettingsT) -> None:
        """Refuse settings that do not go together, whatever the attributes are.

        Raises:
            SordinoError: with what to write instead.
        """

    def each(self, settings: SettingsT) -> Sequence[SettingsT]:
        """What a person can be asked of it, each by itself."""
        return (settings,)

    def asked_once(self, settings: SettingsT) -> Iterable[Hashable]:
        """What no other question of the kind may ask; nothing where `once` says it, or it may be asked again."""
        del settings
        return ()

    def attribute_references(self, word: str, given: object) -> Mapping[str, object]:
        """Of a setting that nobody has checked, where names of attributes stand, and what stands there."""
        return {word: given}

    @abstractmethod
    def mistakes(
        self, where: str, settings: SettingsT, survey: "AskedSurvey", before: Collection[Hashable]
    ) -> Iterator[SordinoError]:
        """What does not fit the attributes of a survey, as far as they are there.

        Args:
            where: the question stands, as ask.0.
            settings: of the question.
            survey: that asks it.
            before: what the questions of the same kind that stand before it ask (`asked_once`).
        """

    @abstractmethod
    def statistics(
        self, settings: SettingsT, places: Mapping[str, int], categories: frozenset[str]
    ) -> "Iterator[Compared]":
        """The statistics that it may ask, on whose dependence a sample may say something.

        Args:
            settings: of the question.
            places: of the attributes by name.
            categories: those that are no numbers.
        """

    def thresholds(self, settings: SettingsT) -> Sequence[str]:
        """The numbers of whose distribution function it may ask, at each edge between their bins."""
        del settings
        return ()

    # In a plan

    def place_of_mistake(self, where: str, settings: SettingsT) -> str:
        """Where in the survey stands what cannot be chosen for."""
        word = next(word for word in self.words if getattr(settings, word) is not None)
        return f"{where}.{word}"

    @abstractmethod
    def choose(self, settings: SettingsT, survey: "AskedSurvey", terms: "ChoiceTerms") -> "Chosen":
        """How it is asked.

        Raises:
            SordinoError: no channel can answer it within the promise and a report's bits.
        """

    @abstractmethod
    def check_part(self, part: PartT, attributes: Mapping[str, AttributePart], *, has_deltas: bool) -> None:
        """Refuse a part that does not fit the attributes of its plan, all of which are there.

        Raises:
            SordinoError: about other attributes than it can be.
        """

    @abstractmethod
    def question(self, part: PartT, share: Fraction, people: int, plan: PlanFacts) -> QuestionT:
        """The question of a part.

        Raises:
            SordinoError: the plan promises nothing that it could keep.
        """

    @abstractmethod
    def forecast(self, question: QuestionT, expected: Floats | None, fitted: "FittedForecast") -> "Forecast":
        """What it will show.

        Args:
            question: of the plan.
            expected: what the people are like (`Question.expected_of_sample`); None where nothing is known.
            fitted: of all joint questions about shares of the plan.
        """

    # Of reports

    @abstractmethod
    def result(self, question: QuestionT, own: Aggregate, terms: "EstimateTerms") -> "QuestionResult | Refusal":
        """What the tally of its own reports says, or why it does not answer the question."""


AnyKind: TypeAlias = Kind[Any, Any, Any]
