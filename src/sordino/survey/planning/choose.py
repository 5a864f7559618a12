"""From a survey to the content of its plan: which mechanism or channel answers each question."""

from fractions import Fraction
from itertools import combinations_with_replacement
from typing import Any

from sordino.definition.combined import combined_definition
from sordino.definition.dependence import Dependence
from sordino.definition.pairwise import LDP
from sordino.design.accuracy import subtracting_helps
from sordino.design.histograms.best_mechanism import best_mechanism
from sordino.design.numbers.categorical.sampled_regression import sampled_regression
from sordino.design.numbers.drawn_answers import highest_levels, highest_table_level
from sordino.design.numbers.mean_among import among, mean_among
from sordino.design.numbers.missing.complete_moments import complete_covariance, complete_regression
from sordino.design.numbers.missing.optional_means import optional_means
from sordino.design.numbers.sampled_moments import sampled_moments
from sordino.document.codec import freeze
from sordino.document.queries import freeze_queries
from sordino.domain.record import Record
from sordino.errors import SordinoError
from sordino.estimation.moment_estimator import moment_names
from sordino.exact.nats import Nats
from sordino.mechanism.channel import LARGEST_CODE_BITS
from sordino.survey.attributes.protect import protect_part
from sordino.survey.frozen.dependence_bounds import dependence_of
from sordino.survey.frozen.promise import Definition, attribute_words, definition_of
from sordino.survey.planning.declared import declared_dependence
from sordino.survey.planning.distribution import distribution_query
from sordino.survey.reading.ask_table import AskTable
from sordino.survey.reading.regression import base_of
from sordino.survey.reading.schema import Survey


def choose(survey: Survey, people: int) -> dict[str, Any]:
    """The attributes and queries of a plan.

    Args:
        survey: checked.
        people: how many are expected to answer.

    Raises:
        SordinoError: a question that no channel can answer within the promise and a report's bits.
    """
    # A disjoint union of m codes of b bits needs b + log2 m bits at most.
    code_bits = LARGEST_CODE_BITS - (len(survey.questions) - 1).bit_length()
    content: dict[str, Any] = {"people": people}
    dependence = None
    if survey.by_coordinates:
        part = declared_dependence(survey)
        dependence = dependence_of(part, survey.places)
        content |= {"epsilon": str(survey.epsilon)}
        content |= {} if part is None else {"dependence": part.model_dump(exclude_none=True)}
    attributes = {name: attribute_words(survey.named(name)) for name in survey.attribute}
    queries = []
    for i, ask in ((i, question) for i, each in enumerate(survey.ask) for question in each.questions):
        try:
            if ask.table is not None:
                protected, query = _table(survey, ask.table, dependence, code_bits)
                for name, protect in protected.items():
                    attributes[name].setdefault("protect", protect)
            elif ask.histogram is not None:
                protect, query = _histogram(survey, ask.histogram, dependence, code_bits)
                attributes[ask.histogram]["protect"] = protect
            elif ask.distribution is not None:
                known = dependence or Dependence.unknown(len(survey.places))
                query = distribution_query(survey, ask.distribution, ask, known)
            else:
                query = _numbers(survey, people, ask, dependence or Dependence.unknown(len(survey.places)), code_bits)
        except SordinoError as error:
            where = f"attribute.{ask.histogram}" if ask.histogram is not None else f"ask.{i}.{ask.kind}"
            raise SordinoError(f"{where}: {error.rule}", found=error.found, step=error.step) from None
        queries.append({**query, "weight": ask.weight})
    return {**content, "attributes": attributes, "queries": queries}


def _histogram(
    survey: Survey, name: str, dependence: Dependence | None, code_bits: int
) -> tuple[dict[str, Any], dict[str, Any]]:
    """What is promised about an attribute's values, and how their shares are asked."""
    domain, epsilon = survey.named(name).finite, survey.epsilon
    if dependence is not None and epsilon is not None:
        deltas = [survey.delta(place) for place in survey.places]
        (epsilon,) = highest_levels([(survey.places.index(name),)], deltas, epsilon, dependence)
    protect = protect_part(domain, survey.attribute[name].protect, epsilon)
    mechanism = best_mechanism(domain.k, definition_of(domain, protect), code_bits)
    query = {"histogram": name, "mechanism": freeze(mechanism), "subtract_totals": subtracting_helps(mechanism)}
    return protect.model_dump(exclude_none=True), query


def _table(
    survey: Survey, names: list[str], dependence: Dependence | None, code_bits: int
) -> tuple[dict[str, dict[str, Any]], dict[str, Any]]:
    """What is promised about each attribute's values, unless it is a delta, and how the shares of cells are asked."""
    domains = {name: survey.named(name).finite for name in names}
    record = Record(domains)
    query: dict[str, Any] = {"table": names}
    protected: dict[str, dict[str, Any]] = {}
    if dependence is not None and survey.epsilon is not None:
        deltas = [survey.delta(place) for place in survey.places]
        places = tuple(sorted(survey.places.index(name) for name in names))
        level = highest_table_level(places, deltas, survey.epsilon, dependence)
        query["epsilon"] = str(level)
        definition: Definition = LDP(level)
    else:
        parts = {
            name: protect_part(domain, survey.attribute[name].protect, survey.epsilon)
            for name, domain in domains.items()
        }
        protected = {name: part.model_dump(exclude_none=True) for name, part in parts.items()}
        promises = [definition_of(domains[name], part) for name, part in parts.items()]
        definition = combined_definition(promises, record.shape)
    mechanism = best_mechanism(record.k, definition, code_bits)
    return protected, {**query, "mechanism": freeze(mechanism), "subtract_totals": subtracting_helps(mechanism)}


def _numbers(survey: Survey, people: int, ask: AskTable, dependence: Dependence, code_bits: int) -> dict[str, Any]:
    """How a question about numbers is asked."""
    deltas, epsilon = [survey.delta(name) for name in survey.places], survey.epsilon or Nats.of(0)
    asked = [survey.places.index(name) for name in ask.attributes]
    missing = {
        survey.places.index(name): survey.named(name).missing_share
        for name in ask.attributes
        if survey.attribute[name].lacking
    }
    coded = [place for place in asked if survey.attribute[survey.places[place]].number is None]
    sizes = {place: survey.named(survey.places[place]).finite.k for place in coded}
    if missing and ask.regression is not None:
        drawn = complete_regression(deltas, epsilon, dependence, asked, missing, sizes)
    elif missing:
        optional = optional_means if ask.mean is not None else complete_covariance
        drawn = optional(deltas, epsilon, dependence, asked, missing)
    elif ask.mean is not None:
        drawn = mean_among(deltas, epsilon, dependence, asked)
    elif ask.covariance is not None:
        pairs = list(combinations_with_replacement(sorted(asked), 2))
        drawn = among(sampled_moments(deltas, epsilon, dependence, pairs), asked)
    else:
        *features, target = asked
        chosen = (
            sampled_regression(deltas, epsilon, dependence, target, features, sizes)
            if sizes
            else sampled_moments(deltas, epsilon, dependence, target=target, features=features)
        )
        drawn = among(chosen, asked)
    share = Fraction(ask.weight, sum(other.weight for other in survey.questions))
    told = len(moment_names(drawn))
    if people * share < told:
        found = f"{int(people * share)} for {told} numbers to be told"
        raise SordinoError("there must be a person for each number that is told", found=found, step="ask more people")
    if drawn.code_bits > code_bits:
        raise SordinoError(f"a report must fit in {code_bits} bits", found=f"{drawn.code_bits}", step="ask less")
    part: dict[str, Any] = {"numbers": list(ask.attributes), "asked": ask.kind, "queries": freeze_queries(drawn)}
    base = None if ask.regression is None else base_of(ask.regression, {n: survey.named(n) for n in ask.attributes})
    return part if base is None else part | {"base": base}
