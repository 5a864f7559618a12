"""From a survey to the content of its plan: which mechanism or channel answers each question."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from math import prod
from pathlib import Path
from typing import Any, NamedTuple

from sordino.definition.bounded_dependence import Dependence
from sordino.design.numbers.level_limits import LevelLimits
from sordino.design.sample_questions import CategorySignDistribution, SampleNumber, cells_of
from sordino.design.stated_dependence import Statement
from sordino.distinct import DistinctParts
from sordino.errors import SordinoError
from sordino.exact.nats import Nats
from sordino.mechanism.channel import LARGEST_CODE_BITS
from sordino.survey.kinds.question import least_level
from sordino.survey.kinds.terms import ChoiceTerms
from sordino.survey.planning.joined_asks import planned_asks
from sordino.survey.planning.questions_for_sample import questions_for_sample, statistics_of
from sordino.survey.planning.statement import dependence_for, load_statement, statement_sentences
from sordino.survey.reading.survey_file import Survey
from sordino.survey.reading.survey_texts import OF_ABOUT, languages_of
from sordino.survey.schema.attribute_part import attribute_words
from sordino.survey.schema.attribute_table import AttributeTable
from sordino.survey.schema.dependence_bounds import (
    CategorySignBoundPart,
    DependencePart,
    StatisticPart,
    TableBoundPart,
    ThresholdBoundPart,
    dependence_of,
)
from sordino.survey.schema.public_column import PublicTable
from sordino.survey.schema.questionnaire_part import slider_step
from sordino.survey.schema.series_table import period_part


def public_words(name: str, table: PublicTable) -> dict[str, Any]:
    """A public column in the words of a plan."""
    return {"name": name, "columns": [table.column or name], **table.words}


class ChosenQuestions(NamedTuple):
    """How the questions of a survey are asked.

    Attributes:
        head: what else a plan holds of a survey: its public columns, periods, epsilon and dependence.
        protects: what is promised about the values of attributes, by name, in the words of a plan.
        queries: of the plan, in the order of the survey's questions.
    """

    head: dict[str, Any]
    protects: dict[str, dict[str, Any]]
    queries: list[dict[str, Any]]


def design_plan(survey: Survey, people: int, progress: Callable[[int], None] = lambda _: None) -> dict[str, Any]:
    """The attributes and queries of a plan.

    Args:
        survey: checked.
        people: how many are expected to answer.
        progress: called with the number of questions done since the last call.

    Raises:
        SordinoError: as of `design_questions`.
    """
    chosen = design_questions(survey, people, progress)
    counted = {name for ask in survey.questions if ask.kind.part.counts_numbers for name in ask.attributes}
    attributes = {
        name: attribute_words(survey.attribute_named(name), is_counted=name in counted) for name in survey.attribute
    }
    for name, protect in chosen.protects.items():
        attributes[name]["protect"] = protect
    words = questionnaire(survey)
    return {
        "people": people,
        **chosen.head,
        "attributes": attributes,
        "queries": chosen.queries,
        **({} if words is None else {"words": words}),
    }


def design_questions(survey: Survey, people: int, progress: Callable[[int], None] = lambda _: None) -> ChosenQuestions:
    """How the questions of a survey are asked: mechanisms, and what is promised.

    Args:
        survey: checked.
        people: how many are expected to answer.
        progress: called with the number of questions done since the last call.

    Raises:
        SordinoError: a question that no channel can answer within the promise and a report's bits.
    """
    content: dict[str, Any] = {}
    columns = [public_words(name, table) for name, table in (survey.public or {}).items()]
    if survey.series is not None:
        content["series"] = survey.series.words
        columns.append(period_part(survey.series.series).dump())
    code_bits = bits_of_a_code(survey, [len(column["labels"]) for column in columns])
    if columns:
        content["public"] = columns
        if code_bits < 1:
            rule, step = "public values must leave room for a code in 64 bits", "merge some of them"
            raise SordinoError(rule, found=f"{len(columns)} columns of many values", step=step)
    dependence, unknown = None, Dependence.unknown(len(survey.places))
    if survey.by_coordinates:
        part = declared_dependence(survey)
        dependence = unknown = dependence_of(part, survey.places)
        content |= {"epsilon": str(survey.epsilon)}
        content |= {} if part is None else {"dependence": part.dump()}
    limits = LevelLimits([survey.delta(name) for name in survey.places], survey.epsilon or Nats.of(0), unknown)
    places, designs = {name: place for place, name in enumerate(survey.places)}, DistinctParts()
    total = sum(ask.weight for ask in survey.questions)
    own = {} if survey.by_coordinates else {name: survey.protection(name) for name in _read_as_numbers(survey)}
    queries, protects = [], dict[str, dict[str, Any]]()
    for i, ask, is_joined in planned_asks(survey, code_bits, designs):
        share, has_deltas = Fraction(ask.weight, total), dependence is not None
        if ask.kind.part.reads_numbers and not has_deltas:
            limits = LevelLimits.uniform(len(places), least_level(ask.attributes, own))
            protects |= {name: own[name].dump() for name in ask.attributes}
        terms = ChoiceTerms(people, share, places, limits, has_deltas, code_bits, designs)
        try:
            chosen = ask.kind.choose(ask.settings, survey, terms)
        except SordinoError as error:
            where = ask.kind.place_of_mistake(f"ask.{i}", ask.settings)
            raise SordinoError(f"{where}: {error.rule}", found=error.found, step=error.step) from None
        protects |= chosen.protects
        queries.append({**chosen.part, **({"together": True} if is_joined else {}), "weight": ask.weight})
        progress(1)
    return ChosenQuestions(content, protects, queries)


def bits_of_a_code(survey: Survey, public: Sequence[int]) -> int:
    """How many bits a code may have, beside which question was drawn and the public values.

    Args:
        survey: checked.
        public: how many values each public column has, the periods of a series too.
    """
    # A disjoint union of m codes of b bits needs b + log2 m bits at most.
    return LARGEST_CODE_BITS - (len(survey.questions) - 1).bit_length() - (prod(public) - 1).bit_length()


def _read_as_numbers(survey: Survey) -> Iterator[str]:
    """The attributes that questions read as numbers, or with them."""
    for ask in survey.questions:
        yield from ask.attributes if ask.kind.part.reads_numbers else ()


WORDED = {"about", "section", "attribute", "public"}
"""The tables of a survey that have texts."""


def questionnaire(survey: Survey) -> dict[str, Any] | None:
    """The words of a survey; None where it has none.

    Args:
        survey: checked.
    """
    wordings = {name: _public_wording(table) for name, table in (survey.public or {}).items()}
    wordings |= {name: _wording_part(table) for name, table in survey.attribute.items()}
    named = {name: words for name, words in wordings.items() if words}
    if survey.about is None and survey.section is None and not named:
        return None
    sections = [section.dump() for section in survey.section or ()]
    listed = {name for section in sections for name in section["attributes"]}
    if rest := [name for name in survey.attribute if name not in listed]:
        sections.append({"attributes": rest})
    words: dict[str, Any] = {"languages": languages_of(survey.dump(include=WORDED))}
    if (about := survey.about) is not None:
        words |= about.dump(include=set(OF_ABOUT))
        words |= {} if about.until is None else {"until": about.until.isoformat()}
        words |= {} if about.consent is None else {"consent": about.consent.text}
        words |= {} if about.ask is None else {"ask": about.ask}
    return words | {"sections": sections, "attributes": named}


def _public_wording(table: PublicTable) -> dict[str, Any]:
    return table.dump(include={"text", "help", "labels"})


def _wording_part(table: AttributeTable) -> dict[str, Any]:
    words = {name: getattr(table, name) for name in ("text", "help", "labels", "unit")}
    if table.input == "slider":
        words |= {"input": "slider", "step": slider_step(table.step)}
    elif table.input == "date":
        words |= {"input": "date"}
    return {name: own for name, own in words.items() if own is not None}


def declared_dependence(survey: Survey) -> DependencePart | None:
    """The bounds of a survey, and what they rest on; None where it has none.

    Raises:
        SordinoError: a statement that cannot be read, or is about other attributes.
    """
    table, places = survey.dependence, survey.places
    if table is None:
        return None
    if table.file is not None:
        if not Path(table.file).exists():
            rule, step = (
                "dependence.file must be a statement",
                "make it from a sample with `sordino.dependence`",
            )
            raise SordinoError(rule, found=f"nothing at {table.file}", step=step)
        statement = load_statement(table.file)
        known = dependence_for(statement, questions_for_sample(survey))
        statistics = [
            StatisticPart(attribute=places[i], statistic=[places[place] for place in statistic], bound=str(bound))
            for (i, statistic), bound in sorted(known.statistics.items())
            if bound < 1
        ]
        rest = dict.fromkeys(places, "1")
        said = list(statement_sentences(statement))
        return DependencePart(
            rest=rest,
            statistics=statistics,
            tables=_of_tables(survey, known) or None,
            category_signs=_of_category_signs(survey, known) or None,
            thresholds=_threshold_parts(survey, known) or None,
            bins=_bins_by_number(statement) or None,
            ground=said,
        )
    given = dict.fromkeys(places, table.rest) if isinstance(table.rest, Fraction) else dict(table.rest or {})
    bounds = {name: str(given.get(name, Fraction(1))) for name in places}
    thresholds = _of_thresholds(places, table.thresholds or {})
    numbers = ", ".join(dict.fromkeys(bound.number for bound in thresholds))
    together = (
        f"Declared by the survey's author for {', '.join(name for name in places if name in given)}: how much the laws"
        " of all other attributes together may differ, in total variation, between two of its values."
    )
    below = (
        f"Declared by the survey's author for the distribution of {numbers}: how much the share of people below any one"
        " threshold between its bins may differ between two values of another attribute."
    )
    ground = [together] if table.rest is not None else []
    ground += [below] if thresholds else []
    among = f", among people with the same {', '.join(survey.public)}" if survey.public else ""
    among += ", in each period" if survey.series is not None else ""
    if among:
        ground = [f"{said.removesuffix('.')}{among}." for said in ground]
    return DependencePart(rest=bounds, statistics=[], thresholds=thresholds or None, ground=ground)


def _of_thresholds(
    places: Sequence[str], declared: Mapping[str, Mapping[str, Fraction] | Fraction]
) -> list[ThresholdBoundPart]:
    """The bounds for distribution functions that a survey declares: given some attributes, or all others alike."""
    return [
        ThresholdBoundPart(attribute=name, number=number, bound=str(bound))
        for number, given in sorted(declared.items())
        for name in places
        if name != number
        for bound in ([given[name]] if isinstance(given, Mapping) and name in given else [])
        + ([given] if isinstance(given, Fraction) else [])
    ]


def _of_tables(survey: Survey, known: Dependence) -> list[TableBoundPart]:
    """The bounds for what the survey asks of several categories: what a statement says of others, nothing would use."""
    places, asked = survey.places, statistics_of(survey)
    return [
        TableBoundPart(attribute=places[i], table=[places[place] for place in table], bound=str(bound))
        for (i, table), bound in sorted(known.tables.items())
        if bound < 1 and table in asked
    ]


def _of_category_signs(survey: Survey, known: Dependence) -> list[CategorySignBoundPart]:
    """The bounds for a category with a number's sign, where a regression of the survey asks them together."""
    places, asked = survey.places, statistics_of(survey)
    return [
        CategorySignBoundPart(attribute=places[i], category=places[pair[0]], number=places[pair[1]], bound=str(bound))
        for (i, pair), bound in sorted(known.category_signs.items())
        if bound < 1 and CategorySignDistribution(*pair) in asked
    ]


def _threshold_parts(survey: Survey, known: Dependence) -> list[ThresholdBoundPart]:
    """The bounds for distribution functions that a statement holds."""
    places = survey.places
    return [
        ThresholdBoundPart(attribute=places[i], number=places[number], bound=str(bound))
        for (i, number), bound in sorted(known.thresholds.items())
        if bound < 1
    ]


def _bins_by_number(statement: Statement) -> dict[str, int]:
    """The numbers of a statement whose bounds are about bins, and how many bins."""
    return {
        attribute.name: cells_of(attribute)
        for attribute in statement.asked.attributes
        if isinstance(attribute, SampleNumber) and attribute.edges and attribute.lipschitz is None
    }
