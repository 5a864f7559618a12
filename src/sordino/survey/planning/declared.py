"""The dependence that a survey declares, or takes from a statement, in the words of its plan."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path

from sordino.definition.dependence import Dependence
from sordino.design.dependence.sample_questions import CategorySignDistribution, SampleNumber, cells_of
from sordino.design.dependence.stated import Statement
from sordino.errors import SordinoError
from sordino.survey.frozen.parts import (
    CategorySignBoundPart,
    DependencePart,
    StatisticPart,
    TableBoundPart,
    ThresholdBoundPart,
)
from sordino.survey.planning.questions_for_sample import questions_for_sample, statistics_of
from sordino.survey.planning.statement import dependence_for, load_statement, statement_sentences
from sordino.survey.reading.schema import Survey


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
