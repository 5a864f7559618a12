"""What the kinds of question about moments of numbers share: means, covariances and regressions."""

from abc import abstractmethod
from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from functools import partial
from itertools import combinations_with_replacement
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from sordino.definition.bounded_dependence import Dependence
from sordino.document.schema.strict_table import StrictTable
from sordino.domain.attribute import Attribute
from sordino.errors import SordinoError
from sordino.exact.nats import Nats
from sordino.homes import Homes
from sordino.mechanism.channel import Aggregate
from sordino.printable import join_names
from sordino.query.sampled import Sampled
from sordino.survey.kinds.kind import Kind
from sordino.survey.kinds.numbers.numbers_question import NumbersPart, NumbersQuestion
from sordino.survey.kinds.question import Floats, PlanFacts
from sordino.survey.schema.attribute_part import AttributePart

if TYPE_CHECKING:
    from sordino.design.sample_questions import Compared
    from sordino.survey.kinds.numbers.numbers_forecast import NumbersForecast
    from sordino.survey.kinds.numbers.numbers_result import NumbersResult
    from sordino.survey.kinds.question_forecast import Forecast
    from sordino.survey.kinds.shares.fitted_forecast import FittedForecast
    from sordino.survey.kinds.terms import ChoiceTerms, Chosen, EstimateTerms, Refusal
    from sordino.survey.schema.attribute_table import AskedSurvey

SettingsT = TypeVar("SettingsT", bound=StrictTable)
PartT = TypeVar("PartT", bound=NumbersPart)
QuestionT = TypeVar("QuestionT", bound=NumbersQuestion)


NUMBERS = "survey.kinds.numbers"

RESULTS: "Homes[type[NumbersResult]]" = Homes(
    {word: f"{NUMBERS}.{word}_result:{word.title()}Result" for word in ("mean", "covariance", "regression")}
)
"""What reads the tallies of each kind, loaded where reports are."""

FORECASTS: "Homes[type[NumbersForecast]]" = Homes(
    {
        "mean": f"{NUMBERS}.numbers_forecast:MeanForecast",
        "covariance": f"{NUMBERS}.numbers_forecast:NumbersForecast",
        "regression": f"{NUMBERS}.regression_forecast:RegressionForecast",
    }
)
"""What forecasts the estimates of each kind."""


class MomentTerms(NamedTuple):
    """Within what queries about numbers are chosen.

    Attributes:
        terms: of all kinds.
        asked: the places of the attributes, in the order of the question.
        missing: the share of people who lack a number that may be missing, by its place.
        categories: how many values an attribute has that is no number, by its place.
    """

    terms: "ChoiceTerms"
    asked: Sequence[int]
    missing: Mapping[int, float]
    categories: Mapping[int, int]

    @property
    def amounts(self) -> tuple[Sequence[Nats], Nats, Dependence]:
        """The deltas of all attributes by their places, epsilon of the whole record, and the dependence."""
        limits = self.terms.limits
        return limits.deltas, limits.epsilon, limits.dependence


class MomentsKind(Kind[SettingsT, PartT, QuestionT]):
    """A kind of question that is answered by queries about moments of numbers."""

    @abstractmethod
    def draw(self, settings: SettingsT, terms: MomentTerms) -> Sampled:
        """The queries of which a person answers one.

        Raises:
            SordinoError: no channel can answer it within the promise.
        """

    def more(self, settings: SettingsT, survey: "AskedSurvey") -> Mapping[str, Any]:
        """What else the plan holds of it."""
        del settings, survey
        return {}

    def question_name(self, settings: SettingsT) -> str:
        return f"{self.words[0]} of {join_names(self.attributes(settings))}"

    def choose(self, settings: SettingsT, survey: "AskedSurvey", terms: "ChoiceTerms") -> "Chosen":
        """Queries that fit in a report, with a person for each moment at least."""
        from sordino.document.queries import freeze_queries
        from sordino.estimation.moment_estimator import moment_names
        from sordino.survey.kinds.terms import Chosen

        names, places = self.attributes(settings), terms.places
        tables = {name: survey.attribute[name] for name in names}
        missing = {
            places[n]: survey.attribute_named(n).missing_share for n, table in tables.items() if table.may_be_missing
        }
        sizes = {places[n]: survey.attribute_named(n).finite.k for n, table in tables.items() if table.number is None}
        asked = [places[name] for name in names]
        drawn = self.draw(settings, MomentTerms(terms, asked, missing, sizes))
        told = len(moment_names(drawn))
        if terms.people * terms.share < told:
            found = f"{int(terms.people * terms.share)} for {told} numbers to be told"
            step = "ask more people"
            raise SordinoError("there must be a person for each number that is estimated", found=found, step=step)
        if drawn.code_bits > terms.code_bits:
            rule = f"a report must fit in {terms.code_bits} bits"
            raise SordinoError(rule, found=f"{drawn.code_bits}", step="ask less")
        part = {"numbers": list(names), "asked": self.words[0], "queries": freeze_queries(drawn)}
        return Chosen({**part, **self.more(settings, survey)})

    def mistakes(
        self, where: str, settings: SettingsT, survey: "AskedSurvey", before: Collection[Hashable]
    ) -> Iterator[SordinoError]:
        del before
        yield from number_mistakes(f"{where}.{self.words[0]}", self.attributes(settings), survey)

    def check_part(self, part: PartT, attributes: Mapping[str, AttributePart], *, has_deltas: bool) -> None:
        del has_deltas
        part.require_numbers(attributes)

    def forecast(self, question: QuestionT, expected: Floats | None, fitted: "FittedForecast") -> "Forecast":
        del fitted
        return FORECASTS[self.words[0]](question, expected)

    def result(self, question: QuestionT, own: Aggregate, terms: "EstimateTerms") -> "NumbersResult | Refusal":
        """What is asked; where reports are too few for it, what they tell of each attribute by itself."""
        from sordino.survey.kinds.numbers.single_moments import SingleMoments
        from sordino.survey.kinds.terms import Refusal

        try:
            return RESULTS[self.words[0]].of(question, own, terms.coverage, terms.batch)
        except SordinoError as error:
            why = SordinoError(error.rule, found=error.found, step=terms.coverage.step("fewer numbers"))
            instead = SingleMoments.of(question, own, terms.coverage) if question.has_singles else None
            return Refusal(
                why, partial(_reports_needed, question), partial(self.suggest_reports, question, own), instead
            )

    def suggest_reports(self, question: QuestionT, own: Aggregate) -> int | None:
        """Reports that are expected to answer it, of people who are as these say; None where they say too little."""
        del question, own
        return None


class MomentFacts(NamedTuple):
    """What a question about numbers has of its plan.

    Attributes:
        attributes: in the queries' order.
        places: of these among those of the plan.
        epsilon: the most that an answer may reveal of them.
        least: the smallest delta; that epsilon where attributes have none.
        by_itself: whether each question is promised by itself: attributes have no deltas.
    """

    attributes: tuple[Attribute, ...]
    places: tuple[int, ...]
    epsilon: Nats
    least: Nats
    by_itself: bool


def moment_facts(part: NumbersPart, plan: PlanFacts) -> MomentFacts:
    """The attributes of a part, and what an answer may reveal.

    Raises:
        SordinoError: attributes of which nothing is promised.
    """
    epsilon, least = plan.amounts(part.numbers)
    attributes = tuple(plan.attributes[name] for name in part.numbers)
    places = tuple(plan.places[name] for name in part.numbers)
    return MomentFacts(attributes, places, epsilon, least, by_itself=plan.epsilon is None)


def number_mistakes(where: str, names: Sequence[str], survey: "AskedSurvey") -> Iterator[SordinoError]:
    """That an attribute of a survey is no number, as far as it is there."""
    counted = [name for name in names if name in survey.attribute and not survey.attribute[name].number]
    if counted:
        found, step = f"{counted[0]!r}, which has none", "ask for its histogram"
        yield SordinoError(f"{where} must be about numbers", found=found, step=step)


def _reports_needed(question: NumbersQuestion) -> int | None:
    # Forecasts are loaded where something is not told.
    from sordino.survey.kinds.reports_needed import reports_for_numbers

    return reports_for_numbers(question)


def pair_statistics(names: Sequence[str], places: Mapping[str, int]) -> "Iterator[Compared]":
    """Each of some numbers by itself, and the product of each two and of each with itself."""
    together = sorted(places[name] for name in names)
    for place in together:
        yield (place,)
    yield from combinations_with_replacement(together, 2)
