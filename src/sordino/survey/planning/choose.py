"""From a survey to the content of its plan: which mechanism or channel answers each question."""

from collections.abc import Callable
from fractions import Fraction
from math import prod
from typing import Any

from sordino.definition.dependence import Dependence
from sordino.errors import SordinoError
from sordino.mechanism.channel import LARGEST_CODE_BITS
from sordino.survey.attributes.public_table import PublicTable
from sordino.survey.frozen.dependence_bounds import dependence_of
from sordino.survey.frozen.promise import attribute_words
from sordino.survey.frozen.series_part import period_part
from sordino.survey.kinds.terms import ChoiceTerms
from sordino.survey.planning.declared import declared_dependence
from sordino.survey.planning.questionnaire import questionnaire
from sordino.survey.reading.schema import Survey


def public_words(name: str, table: PublicTable) -> dict[str, Any]:
    """A public column in the words of a plan."""
    return {"name": name, "columns": [table.column or name], **table.words}


def choose(survey: Survey, people: int, progress: Callable[[int], None] = lambda _: None) -> dict[str, Any]:
    """The attributes and queries of a plan.

    Args:
        survey: checked.
        people: how many are expected to answer.
        progress: called with the number of questions done since the last call.

    Raises:
        SordinoError: a question that no channel can answer within the promise and a report's bits.
    """
    # A disjoint union of m codes of b bits needs b + log2 m bits at most.
    code_bits = LARGEST_CODE_BITS - (len(survey.questions) - 1).bit_length()
    content: dict[str, Any] = {"people": people}
    columns = [public_words(name, table) for name, table in (survey.public or {}).items()]
    if survey.series is not None:
        content["series"] = survey.series.words
        columns.append(period_part(survey.series.series).dump())
    if columns:
        # So do the public values beside it.
        code_bits -= (prod(len(column["labels"]) for column in columns) - 1).bit_length()
        content["public"] = columns
        if code_bits < 1:
            rule, step = "public values must leave room for a code in 64 bits", "merge some of them"
            raise SordinoError(rule, found=f"{len(columns)} columns of many values", step=step)
    dependence = None
    if survey.by_coordinates:
        part = declared_dependence(survey)
        dependence = dependence_of(part, survey.places)
        content |= {"epsilon": str(survey.epsilon)}
        content |= {} if part is None else {"dependence": part.dump()}
    attributes = {name: attribute_words(survey.attribute_named(name)) for name in survey.attribute}
    unknown, total = dependence or Dependence.unknown(len(survey.places)), sum(ask.weight for ask in survey.questions)
    queries = []
    for i, each in enumerate(survey.ask):
        for ask in each.questions:
            terms = ChoiceTerms(people, Fraction(ask.weight, total), dependence, unknown, code_bits)
            try:
                chosen = ask.kind.choose(ask.settings, survey, terms)
            except SordinoError as error:
                where = ask.kind.place_of_mistake(f"ask.{i}", ask.settings)
                raise SordinoError(f"{where}: {error.rule}", found=error.found, step=error.step) from None
            for name, protect in chosen.protects.items():
                attributes[name]["protect"] = protect
            queries.append({**chosen.part, "weight": ask.weight})
            progress(1)
    words = questionnaire(survey)
    return {**content, "attributes": attributes, "queries": queries} | ({} if words is None else {"words": words})
