"""What is asked only because of earlier answers, in plain words: what all others send, and what that reveals."""

from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from functools import cache
from typing import NamedTuple

from sordino.definition.combined import largest_bound
from sordino.definition.high_low import HighLowLDP
from sordino.domain.categories import SHOWN, Categories
from sordino.domain.condition import revealing_attributes, revealing_places
from sordino.exact.nats import Nats
from sordino.survey.kinds.question import Question
from sordino.survey.planning.plan import Plan
from sordino.survey.schema.amounts import canonical_epsilon
from sordino.words.odds import factor


class WeakerReport(NamedTuple):
    """A report that reveals more of whether an attribute is asked than a report about that does.

    Attributes:
        name: of the attribute.
        question: that the report answers.
        most: nats that it may reveal; None where it may show for certain.
        level: nats that a report about the attribute may reveal.
    """

    name: str
    question: Question
    most: Nats | None
    level: Nats


def condition_sentences(plan: Plan) -> Iterator[str]:
    """Of each attribute that is not asked of all when it is, what others answer, and what never leaves."""
    conditional = {name: own for name, own in plan.attributes.items() if own.only_if}
    weaker = _weaker_reports(plan)
    for name, attribute in conditional.items():
        when = " and ".join(_condition(plan, *own) for own in attribute.only_if)
        own = plan.quoted_title(name)
        unasked = (
            repr(attribute.phrasing.value(attribute.not_asked))
            if attribute.not_asked is not None
            else "that the number is missing"
        )
        reports = "" if not weaker[name] else f"by reports about {own} "
        yield (
            f"{own} is asked only if {when}. Everybody else answers {unasked}, through the same channel: {reports}"
            f"whether somebody was asked is protected as the answer is."
        )
        yield from (_in_words(plan, report) for report in weaker[name])
        if attribute.not_asked is None:
            yield (
                f"Who is not asked for {own}, and who is asked and gives no number, both count as missing: results"
                " describe those who have the number."
            )
    asked = {name for question in plan.questions for name in question.attribute_names}
    deciding = dict.fromkeys(other for own in conditional.values() for other, _ in own.only_if)
    if names := ", ".join(plan.quoted_title(other) for other in deciding if other not in asked):
        yield (
            f"The device needs the answer to {names} to know what is asked. No question is about that: a report"
            " reveals no more of it than of the answers that depend on it."
        )


def condition_summary(plan: Plan) -> str:
    """Of what more is revealed than of the answers to it: one sentence, or none."""
    found = [report for own in _weaker_reports(plan).values() for report in own]
    certain = [report for report in found if report.most is None]
    if not found:
        return ""
    asked = dict.fromkeys(plan.quoted_title(report.name) for report in certain or found)
    about = _few(dict.fromkeys(report.question.quoted_title for report in certain or found))
    if certain:
        proofs = {_proof(plan, report) for report in certain}
        proof = proofs.pop() if len(proofs) == 1 else f"whether people were asked for {_few(asked)}"
        return f"Reports about {about} can show for certain {proof}."
    those = "it" if len(asked) == 1 else "them"
    what = f"whether people were asked for {_few(asked)}"
    return f"Reports about {about} reveal more of {what} than reports about {those} do."


def weaker_report_sentences(plan: Plan) -> tuple[str, ...]:
    """Which reports reveal more of whether somebody was asked than those about the answer; mostly none does."""
    return tuple(_in_words(plan, report) for own in _weaker_reports(plan).values() for report in own)


def _in_words(plan: Plan, report: WeakerReport) -> str:
    about, name = report.question.quoted_title, plan.quoted_title(report.name)
    if report.most is None:
        return f"A report about {about} can show for certain {_proof(plan, report)}."
    return (
        f"A report about {about} changes the odds of whether {name} was asked by a factor of up to"
        f" {factor(report.most)}, which is more than a report about {name} does: {factor(report.level)}."
    )


def _proof(plan: Plan, report: WeakerReport) -> str:
    """What a report shows for certain; by sensitive values alone that somebody has none, and so was not asked."""
    name, promise = plan.quoted_title(report.name), report.question.value_promise
    decides = dict(plan.attributes[report.name].only_if)
    (about, *others), domains = report.question.attribute_names, plan.attributes
    domain = domains[about].domain
    if not others and about in decides and isinstance(promise, HighLowLDP) and isinstance(domain, Categories):
        sensitive = {domain.label(value) for value in promise.sensitive.tolist()}
        rest = [label for label in map(domain.label, range(domain.k)) if label not in sensitive]
        if sensitive.issuperset(decides[about]):
            answers = " or ".join(repr(domains[about].phrasing.value(label)) for label in rest[:SHOWN])
            answers += ", ..." if len(rest) > SHOWN else ""
            return f"that somebody answered {answers}, and so was not asked for {name}"
    return f"whether {name} was asked"


def _few(names: Iterable[str]) -> str:
    """The first names, and that there are more."""
    shown = [*names]
    return ", ".join(shown[:SHOWN]) + (", ..." if len(shown) > SHOWN else "")


def _weaker_reports(plan: Plan) -> Mapping[str, list[WeakerReport]]:
    """By attribute the reports that reveal more of whether it is asked than its own epsilon allows.

    Deltas bound what any report reveals, and need no word: there nothing is protected by itself.
    """
    parts, revealing = plan.document.attributes, revealing_attributes(plan.attributes)
    own = {name: parts[name].protect for name in revealing}
    levels = {name: canonical_epsilon(one.epsilon) for name, one in own.items() if one is not None and one.epsilon}
    found: dict[str, list[WeakerReport]] = {name: [] for name in revealing}
    if not levels:
        return found
    related, least = set(levels).union(*revealing.values()), min(set(levels.values()))
    # Most questions are alike in what they promise.
    bound, exceeds = cache(largest_bound), cache(_exceeds)

    def bound_of_answers(question: Question, name: str, others: AbstractSet[str]) -> Nats | None:
        """The largest bound of two answers that differ as people do who are asked or not; 0 where it says nothing."""
        places = revealing_places(name, others, question.attribute_names)
        shares, promise = question.shares, question.value_promise
        if not places or promise is None or (plan.promise is not None and shares is None):
            return Nats.of(0)
        return bound(shares.definition, shares.shape, places) if shares is not None else promise.epsilon

    for question in plan.questions:
        # Of more places the bound is no smaller: most questions of a plan are looked at once.
        if not exceeds(bound_of_answers(question, "", related), least):
            continue
        for name, level in levels.items():
            most = bound_of_answers(question, name, revealing[name])
            if most is None or most > level:
                found[name].append(WeakerReport(name, question, most, level))
    return found


def _condition(plan: Plan, name: str, labels: Iterable[str]) -> str:
    values = plan.attributes[name].phrasing.value
    return f"{plan.quoted_title(name)} is {' or '.join(repr(values(label)) for label in labels)}"


def _exceeds(bound: Nats | None, level: Nats) -> bool:
    return bound is None or bound > level
