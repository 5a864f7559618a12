"""A plan as an entry for the registry of deployments of differential privacy, of OpenDP and NIST, in YAML.

The fields are those of the registry's records of 2026, of its third tier. What they mean: Nanayakkara, Ghazi, Vadhan,
"Practitioners' Perspectives on a Differential Privacy Deployment Registry", arXiv 2509.13509. What a plan knows is
filled in, and never stronger than it is: an epsilon stands there only where it holds between any two records, and is
rounded up. What only people know has to be filled in.

YAML is written only: texts of several lines as blocks, which people can read, all else as JSON has it. Every reader of
YAML 1.1 or 1.2 reads it as the document that it was written of.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sordino.definition.pairwise import LDP
from sordino.domain.attribute import Attribute
from sordino.domain.choices import Choices
from sordino.domain.interval import Interval
from sordino.exact.nats import Nats
from sordino.printable import printable
from sordino.query.query import Query
from sordino.query.sampled import Sampled
from sordino.query.together import Together
from sordino.survey.planning.plan import Plan
from sordino.survey.schema.questionnaire_part import in_language
from sordino.words.explain_plan import NEARLY, codes_sentence, explanation
from sordino.words.explain_questionnaire import survey_title
from sordino.words.public_columns import public_sentences

OPEN = "To be filled in"
"""Where only people know."""

COUNTED = (
    "Reports are counted. All else is computed from the counts: shares, means, intervals, and the distribution that"
    " fits them best."
)

ONE_REPORT = (
    "Each person is asked once and sends one report, so that nothing is composed. A second report from the same person"
    " adds its loss to the first."
)

ADJACENT = (
    "The local model: any two records that one person may have are adjacent. One report is covered, about the whole"
    " record; a second report from the same person is not."
)

BEFORE = (
    "None on answers. The plan was made before anybody was asked, from the survey and from public statements about"
    " people alone."
)

TIER = 3
"""The registry's tier with all of its fields."""


@dataclass(frozen=True)
class PublicationFacts:
    """What a plan does not know about its publication; empty where it has to be filled in.

    Attributes:
        curator: who publishes; who asks, by the survey's words, by default.
        use: what for; the survey's purpose by default.
        region: whose people, or whose laws.
        sector: as the registry has it: Technology, Healthcare, Education, Government.
        published: a date, YYYY-MM-DD.
    """

    curator: str = ""
    use: str = ""
    region: str = ""
    sector: str = ""
    published: str = ""
    authors: tuple[str, ...] = ()


def whole_epsilon(plan: Plan) -> Nats | None:
    """What holds between any two records, whatever is believed; None where some are protected less, or not at all."""
    if plan.promise is not None:
        return plan.promise.epsilon
    definitions = [question.value_promise for question in plan.questions]
    epsilons = [definition.epsilon for definition in definitions if isinstance(definition, LDP)]
    return max(epsilons) if len(epsilons) == len(definitions) else None


def deployment_entry(plan: Plan, facts: PublicationFacts, version: str) -> dict[str, Any]:
    """The entry, its fields in the registry's order.

    Args:
        plan: frozen.
        facts: what it does not know.
        version: of the package.
    """
    title = survey_title(plan)
    name = title or OPEN
    slug = re.sub(r"[^a-z0-9]+", "-", f"{title} {facts.published[:4]}".lower()).strip("-")
    own = {
        "basic": _basic(plan, facts, name),
        "dp_variant": _variant(plan),
        "privacy_loss": _loss(plan),
        "deployment_model": _model(plan),
        "accounting": {
            "post_processing": COUNTED,
            "composition": ONE_REPORT,
        },
        "implementation": _implementation(plan, version),
        "administrative": {
            "sources": _list([f"The plan, public and frozen: {plan.hash}"]),
            "registry_authors": list(facts.authors) or [OPEN],
        },
    }
    return {"url_slug": slug if title else OPEN, "status": "Draft", "tier": TIER, "deployment": own}


def open_fields(entry: Mapping[str, Any], path: str = "") -> Iterator[str]:
    """The fields of an entry that have to be filled in, by their paths."""
    for name, value in entry.items():
        place = f"{path}.{name}" if path else name
        if isinstance(value, Mapping):
            yield from open_fields(value, place)
        elif OPEN in str(value):
            yield place


def _basic(plan: Plan, facts: PublicationFacts, name: str) -> dict[str, Any]:
    asked = ", ".join(question.name for question in plan.questions)
    return {
        "name": name,
        "data_curators": [
            {"data_curator_name": facts.curator or _sentence_of_survey(plan, "by"), "data_curator_type": OPEN},
        ],
        "intended_use": facts.use or _sentence_of_survey(plan, "purpose"),
        "data_product_type": "Summary statistics",
        "data_product_region": facts.region or OPEN,
        "description": f"Estimates from about {plan.people:,} randomized reports, with intervals: {asked}.",
        "publication_date": facts.published or OPEN,
        "data_product_sector": facts.sector or OPEN,
    }


def _sentence_of_survey(plan: Plan, field: str) -> str:
    words = plan.document.words
    text = None if words is None else getattr(words, field)
    return OPEN if words is None or text is None else in_language(text, words.languages[0])


def _variant(plan: Plan) -> dict[str, Any]:
    epsilon = whole_epsilon(plan)
    clear = ["How many people report, and that a person does.", *public_sentences(plan)]
    if len(plan.questions) > 1:
        clear.insert(1, "Which question a person was assigned, at random and whatever the answers are.")
    custom = {
        "input_metric": "Whether two records are one person's possible answers: all are at distance 1.",
        "bound_on_input_distance": "1",
        "output_measure": "The largest absolute log-ratio of the probabilities of a report, in nats.",
        "bound_on_output_distance": "Different for different pairs of answers, and not for all of them finite: see the"
        " details of the privacy parameters.",
    }
    return {
        "variant_name": "Custom" if epsilon is None else "Pure DP",
        **({} if epsilon is not None else custom),
        "data_domain": _list([_attribute_line(name, each) for name, each in plan.attributes.items()]),
        "unprotected_quantities": _list(clear),
    }


def _attribute_line(name: str, attribute: Attribute) -> str:
    domain = attribute.domain
    if isinstance(domain, Interval):
        missing = ", or missing" if attribute.missing is not None else ""
        return f"{name!r}: a number from {domain.low:g} to {domain.high:g}{missing}."
    if isinstance(domain, Choices):
        return f"{name!r}: any of several categories."
    return f"{name!r}: one of {domain.k:,} values."


def _loss(plan: Plan) -> dict[str, Any]:
    epsilon = whole_epsilon(plan)
    said = explanation(plan)
    promise = plan.promise
    pairs = zip(promise.names, promise.deltas, strict=True) if promise is not None else ()
    deltas = [
        f"About {name!r} a report reveals at most {delta} nats to anyone whose beliefs are within the plan's bounds on"
        " dependence; to everybody else, epsilon applies."
        for name, delta in pairs
        if promise is not None and delta < promise.epsilon
    ]
    return {
        "privacy_unit": "Person-level, for one report",
        "privacy_unit_details": ADJACENT,
        "privacy_parameters": {} if epsilon is None else {"epsilon": epsilon.ceil()},
        "privacy_parameters_details": _list([*(sentence.text for sentence in said.summary), *deltas]),
    }


def _model(plan: Plan) -> dict[str, Any]:
    trusted = "public columns alone" if plan.cells.names else "none of the answers"
    actors = [
        "The person's device: draws the report before anything is sent, and is trusted with the answers.",
        f"The collector and analysts: see reports, and are trusted with {trusted}.",
        "Whoever watches the network: sees that a report is sent, and at most what the collector sees.",
    ]
    return {
        "model_name": "Local",
        "model_name_details": (
            "Answers are randomized on the device. No answer leaves it otherwise"
            f"{', except those to public columns, which are sent as they are' if plan.cells.names else ''}."
        ),
        "actors": _list(actors),
        "release_type": "One release",
        "release_type_details": "One report of each person, whatever is estimated from it and however often.",
        "data_source_type": "Static",
        "data_source_type_details": "A person's report is never drawn again; other people's may still come in.",
        "access_type": "Non-interactive",
        "access_type_details": f"{codes_sentence(plan.sampled.code_bits)} Nobody can query a device.",
    }


def _implementation(plan: Plan, version: str) -> dict[str, Any]:
    said = explanation(plan)
    nearly = [line for paragraph in said.details if paragraph.heading == NEARLY for line in paragraph.lines]
    asked = [f"{question.name}: {', '.join(_mechanism_names(question.query))}." for question in plan.questions]
    how = [
        f"Sordino {version}. The plan holds every mechanism as whole numbers, and how its reports are drawn.",
        "No floating-point number decides a report; random words come from the operating system.",
        "Whenever the plan is read, its mechanisms are compared with the promise in exact arithmetic (certify).",
        "The number of random words and the length of a report do not depend on the answer.",
    ]
    return {
        "preprocessing_and_hyperparameter_tuning": BEFORE,
        "mechanisms": _list([*asked, *how]),
        "justification": _list(
            ["Each question has the candidate mechanism with the lowest exact variance under its promise.", *nearly]
        )
        + f"- Why this epsilon: {OPEN}\n",
    }


def _list(lines: list[str]) -> str:
    return "".join(f"- {line}\n" for line in lines)


def _mechanism_names(query: Query | Sampled | Together) -> list[str]:
    """What answers a query, each once: `RandomizedResponse` as "randomized response"."""
    if isinstance(query, Query):
        return [re.sub(r"(?<!^)(?=[A-Z])", " ", type(query.mechanism).__name__).lower()]
    return list(dict.fromkeys(name for one in query.queries for name in _mechanism_names(one)))


Value = str | int | float | bool | Sequence["Value"] | Mapping[str, "Value"]
"""What a document may hold."""


def yaml_text(document: Mapping[str, Value]) -> str:
    r"""A document as YAML, with control characters of its texts as what they are.

    Example:
        >>> print(yaml_text({"name": "a: b", "tiers": [1, 2], "text": "- one\n- two\n"}), end="")
        name: "a: b"
        tiers:
          - 1
          - 2
        text: |
          - one
          - two
    """
    return "".join(f"{line}\n" for line in _mapping_lines(document))


def _mapping_lines(document: Mapping[str, Value]) -> Iterator[str]:
    for name, value in document.items():
        first, *rest = _value(value)
        yield f"{name}:{first}"
        yield from rest


def _value(value: Value) -> Iterator[str]:
    match value:
        case str() if "\n" in value:
            yield " |"
            yield from (f"  {printable(line)}".rstrip() for line in value.rstrip("\n").split("\n"))
        case str():
            yield f" {json.dumps(printable(value), ensure_ascii=False)}"
        case bool() | int() | float():
            yield f" {json.dumps(value)}"
        case Mapping():
            yield "" if value else " {}"
            yield from (f"  {line}" for line in _mapping_lines(value))
        case _:
            yield "" if value else " []"
            for item in value:
                first, *rest = _mapping_lines(item) if isinstance(item, Mapping) else [next(_value(item)).lstrip()]
                yield f"  - {first}"
                yield from (f"    {line}" for line in rest)
