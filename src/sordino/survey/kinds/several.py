"""The kind of question that asks to whom each of some categories applies, of which several may apply to one person.

[[ask]]
several = "symptoms"

Guarantee: any two combinations of categories, none of them and "not asked" among these, are protected from each other
by the attribute's epsilon. Whatever is asked, how many categories apply is not shown.
"""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from sordino.document.schema.strict_table import StrictTable
from sordino.errors import SordinoError
from sordino.mechanism.aggregate import Aggregate
from sordino.survey.frozen.amounts import canonical_epsilon
from sordino.survey.frozen.parts import AttributePart, Text
from sordino.survey.frozen.question_part import SeveralPart
from sordino.survey.kinds.kind import Kind
from sordino.survey.questions.facts import PlanFacts
from sordino.survey.questions.question import Floats
from sordino.survey.questions.several import SeveralQuestion

if TYPE_CHECKING:
    from sordino.design.dependence.sample_questions import Compared
    from sordino.survey.attributes.asked_survey import AskedSurvey
    from sordino.survey.estimates.several import SeveralResult
    from sordino.survey.forecasts.fitted_forecast import FittedForecast
    from sordino.survey.forecasts.forecast import Forecast
    from sordino.survey.kinds.terms import ChoiceTerms, Chosen, EstimateTerms, Refusal


class SeveralSettings(StrictTable):
    """What is asked.

    Attributes:
        several: the attribute.
    """

    several: Text | None = None


class SeveralKind(Kind[SeveralSettings, SeveralPart, SeveralQuestion]):
    """Shares of categories of which several apply."""

    def attributes(self, settings: SeveralSettings) -> tuple[str, ...]:
        """The attribute."""
        return (settings.several or "",)

    def mistakes(
        self, where: str, settings: SeveralSettings, survey: "AskedSurvey", before: Sequence[SeveralSettings]
    ) -> Iterator[SordinoError]:
        """None but what is wrong with any question about other attributes than it can be."""
        del where, settings, survey, before
        return iter(())

    def statistics(
        self, settings: SeveralSettings, places: Mapping[str, int], categories: frozenset[str]
    ) -> "Iterator[Compared]":
        """The attribute itself."""
        del categories
        yield (places[settings.several or ""],)

    def place_of_mistake(self, where: str, settings: SeveralSettings) -> str:
        """It is the attribute that has too many values."""
        del where
        return f"attribute.{settings.several}"

    def choose(self, settings: SeveralSettings, survey: "AskedSurvey", terms: "ChoiceTerms") -> "Chosen":
        """The way with the least variance of the shares of the categories."""
        from sordino.design.histograms.several_ways import best_way
        from sordino.design.numbers.drawn_answers import highest_levels
        from sordino.document.codec import freeze
        from sordino.survey.attributes.several import expected_of_combinations, expected_of_marks
        from sordino.survey.kinds.terms import Chosen

        (name,) = self.attributes(settings)
        table, choices = survey.attribute[name], survey.attribute_named(name).choices
        own = table.protect.epsilon if table.protect is not None else None
        epsilon = own or survey.epsilon
        if terms.dependence is not None and epsilon is not None:
            deltas = [survey.delta(place) for place in survey.places]
            (epsilon,) = highest_levels([(survey.places.index(name),)], deltas, epsilon, terms.dependence)
        if epsilon is None:
            raise SordinoError("there must be an epsilon", step='set epsilon = "1" in the survey or in `protect`')
        combinations = expected_of_combinations(table.expected, choices) if choices.is_listed else None
        marks = expected_of_marks(table.expected, choices)
        best = best_way(choices, epsilon, combinations, marks, terms.code_bits)
        how = {"way": best.way, "mechanism": freeze(best.mechanism), "subtract_totals": best.subtract_totals}
        return Chosen({"several": name, **how}, {name: {"epsilon": str(epsilon)}})

    def check_part(self, part: SeveralPart, attributes: Mapping[str, AttributePart], *, has_deltas: bool) -> None:
        """Any two combinations are protected from each other."""
        del has_deltas
        own = attributes[part.several]
        if own.protect is None or not own.is_protected_whole:
            raise SordinoError("categories of which several apply must be protected as a whole", found=part.several)

    def question(self, part: SeveralPart, share: Fraction, people: int, plan: PlanFacts) -> SeveralQuestion:
        """About the categories."""
        name = part.several
        protect = plan.protects[name]
        if protect is None:
            raise SordinoError("a question must be about protected values", found=name)
        epsilon, place = canonical_epsilon(protect.epsilon or ""), plan.places.index(name)
        return SeveralQuestion(part, share, people, plan.least, plan.attributes[name], place, epsilon)

    def forecast(self, question: SeveralQuestion, expected: Floats | None, fitted: "FittedForecast") -> "Forecast":
        """Of the share of each category, by each way."""
        from sordino.survey.forecasts.several_forecast import SeveralForecast

        del fitted
        return SeveralForecast(question, question.expected_people if expected is None else expected)

    def result(self, question: SeveralQuestion, own: Aggregate, terms: "EstimateTerms") -> "SeveralResult | Refusal":
        """The share of each category; nothing while one of those that are drawn has no report."""
        from sordino.survey.estimates.several import SeveralResult
        from sordino.survey.kinds.terms import Refusal

        try:
            return SeveralResult.of(question, own, terms.coverage)
        except SordinoError as why:
            return Refusal(why, lambda: 4 * question.asked_way.times)


SEVERAL = SeveralKind(("several",), SeveralSettings, SeveralPart, once=True, of_several=True)
