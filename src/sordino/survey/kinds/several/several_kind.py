"""The kind of question that asks to whom each of some categories applies, of which several may apply to one person.

[[ask]]
several = "symptoms"

Guarantee: any two combinations of categories, none of them and "not asked" among these, are protected from each other
by the attribute's epsilon. Whatever is asked, how many categories apply is not shown.
"""

from collections.abc import Collection, Hashable, Iterator, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING

from sordino.document.schema.strict_table import StrictTable
from sordino.errors import SordinoError
from sordino.mechanism.channel import Aggregate
from sordino.survey.kinds.kind import Kind
from sordino.survey.kinds.question import Floats, PlanFacts
from sordino.survey.kinds.several.several_question import SeveralPart, SeveralQuestion
from sordino.survey.schema.amounts import canonical_epsilon
from sordino.survey.schema.attribute_part import AttributePart, Text

if TYPE_CHECKING:
    from sordino.design.sample_questions import Compared
    from sordino.survey.kinds.question_forecast import Forecast
    from sordino.survey.kinds.several.several_result import SeveralResult
    from sordino.survey.kinds.shares.fitted_forecast import FittedForecast
    from sordino.survey.kinds.terms import ChoiceTerms, Chosen, EstimateTerms, Refusal
    from sordino.survey.schema.attribute_table import AskedSurvey


class SeveralSettings(StrictTable):
    """What is asked.

    Attributes:
        several: the attribute.
    """

    several: Text | None = None


class SeveralKind(Kind[SeveralSettings, SeveralPart, SeveralQuestion]):
    """Shares of categories of which several apply."""

    def attributes(self, settings: SeveralSettings) -> tuple[str, ...]:
        return (settings.several or "",)

    def mistakes(
        self, where: str, settings: SeveralSettings, survey: "AskedSurvey", before: Collection[Hashable]
    ) -> Iterator[SordinoError]:
        """None but what is wrong with any question about other attributes than it can be."""
        del where, settings, survey, before
        return iter(())

    def statistics(
        self, settings: SeveralSettings, places: Mapping[str, int], categories: frozenset[str]
    ) -> "Iterator[Compared]":
        del categories
        yield (places[settings.several or ""],)

    def place_of_mistake(self, where: str, settings: SeveralSettings) -> str:
        del where
        return f"attribute.{settings.several}"

    def choose(self, settings: SeveralSettings, survey: "AskedSurvey", terms: "ChoiceTerms") -> "Chosen":
        """The way with the least variance of the shares of the categories."""
        from sordino.design.shares.several_ways import distinct_best_way
        from sordino.document.codec import encode
        from sordino.survey.kinds.terms import Chosen
        from sordino.survey.schema.expected_people import expected_of_combinations, expected_of_marks

        (name,) = self.attributes(settings)
        table, choices = survey.attribute[name], survey.attribute_named(name).choices
        own = table.protect.epsilon if table.protect is not None else None
        epsilon = own or survey.epsilon
        if terms.has_deltas and epsilon is not None:
            epsilon = terms.limits.of_statistic((terms.places[name],))
        if epsilon is None:
            raise SordinoError("there must be an epsilon", step='set epsilon = "1" in the survey or in `protect`')
        combinations = expected_of_combinations(table.expected, choices) if choices.is_listed else None
        marks = expected_of_marks(table.expected, choices)
        best = distinct_best_way(choices, epsilon, (combinations, marks), terms.code_bits, terms.designs)
        how = {"way": best.way, "mechanism": encode(best.mechanism), "subtract_totals": best.subtract_totals}
        return Chosen({"several": name, **how}, {name: {"epsilon": str(epsilon)}})

    def check_part(self, part: SeveralPart, attributes: Mapping[str, AttributePart], *, has_deltas: bool) -> None:
        del has_deltas
        own = attributes[part.several]
        if own.protect is None or not own.is_protected_whole:
            raise SordinoError("categories of which several apply must be protected as a whole", found=part.several)

    def question(self, part: SeveralPart, share: Fraction, people: int, plan: PlanFacts) -> SeveralQuestion:
        name = part.several
        protect = plan.protects[name]
        if protect is None:
            raise SordinoError("a question must be about protected values", found=name)
        epsilon, place = canonical_epsilon(protect.epsilon or ""), plan.places[name]
        return SeveralQuestion(part, share, people, plan.parts, plan.least, plan.attributes[name], place, epsilon)

    def forecast(self, question: SeveralQuestion, expected: Floats | None, fitted: "FittedForecast") -> "Forecast":
        from sordino.survey.kinds.several.several_forecast import SeveralForecast

        return SeveralForecast(question, question.expected_people if expected is None else expected, fitted.parts)

    def result(self, question: SeveralQuestion, own: Aggregate, terms: "EstimateTerms") -> "SeveralResult | Refusal":
        """The share of each category; nothing while one of those that are drawn has no report."""
        from sordino.survey.kinds.several.several_result import SeveralResult
        from sordino.survey.kinds.terms import Refusal

        try:
            return SeveralResult.of(question, own, terms.coverage)
        except SordinoError as why:
            return Refusal(why, lambda: 4 * question.asked_way.times)


SEVERAL = SeveralKind(("several",), SeveralSettings, SeveralPart, once=True, of_several=True)
