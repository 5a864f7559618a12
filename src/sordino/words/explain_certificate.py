"""A certificate in plain words, with the names of the values where they are known; all those of a plan."""

from collections.abc import Callable
from functools import cache

from sordino.audit.certificate import Certificate, Witness
from sordino.audit.loss_certificate import LossCertificate
from sordino.blocks.sentence import Paragraph, limits
from sordino.definition.matrix import PairwiseLDP
from sordino.definition.metric import MetricLDP
from sordino.exact.amount_text import loss_text, loss_text_of
from sordino.exact.nats import Nats
from sordino.survey.kinds.question import CountedDomain, Question
from sordino.survey.planning.plan import Plan
from sordino.words.odds_by_attribute import coordinate_sentences

LONGEST = 60
"""Letters of a value's name at most."""

FEW = 8
"""Numbers whose deltas are listed at most."""


def plan_certificates(plan: Plan) -> tuple[Paragraph, ...]:
    """The verdict on all attributes, under no heading, then that on each histogram, under its name if it is not all."""
    several = len(plan.questions) > 1
    attributes = () if plan.promise is None else (Paragraph("", coordinate_sentences(plan.promise)),)
    # Questions that are asked alike have equal amounts.
    amount = cache(loss_text_of)
    shares = tuple(
        Paragraph(question.title if several else "", limits(*certificate_sentences(certificate, question, amount)))
        for question, certificate in plan.certificates
    )
    return attributes + shares


def certificate_sentences(
    certificate: Certificate,
    question: Question | None = None,
    amount: Callable[[Nats, Nats], str] = loss_text_of,
) -> tuple[str, ...]:
    """The verdict, and where least is left of a bound.

    Args:
        certificate: of a mechanism.
        question: whose values it is about, by whose names they are called; by their numbers without it.
        amount: a loss and its bound in words.
    """
    if certificate.witness is None:
        return ("No two values are protected from each other, so there is no promise to break.",)
    witness = certificate.witness
    of = "" if witness.attribute is None else f" of attribute {witness.attribute}"
    one, two = witness_names(witness, question)
    where = f"a report distinguishes {one} from {two}{of}"
    if witness.loss is None:
        return (f"The promise is BROKEN without bound: {where} with certainty, since {two} can never cause it.",)
    verdict = "The promise holds" if certificate.holds else "The promise is BROKEN"
    loss = amount(witness.loss, certificate.slack + witness.loss)
    return (
        f"{verdict}: checked on every output in exact integers.",
        f"Tightest case: {where} by a loss of {loss}{_ends(question)}.",
    )


def _ends(question: Question | None) -> str:
    """The two values that lie furthest apart, where values are protected by distances, and what they may lose."""
    promise = None if question is None else question.value_promise
    if question is None or question.shares is None or question.shares.metric is None:
        return ""
    if not isinstance(promise, MetricLDP | PairwiseLDP):
        return ""
    one, other = (value_name(value, question.values) for value in promise.furthest)
    return f"; the values that lie furthest apart, {one} and {other}, may differ by {loss_text(promise.epsilon)}"


def witness_names(witness: Witness, question: Question | None) -> tuple[str, str]:
    """Two values that a code distinguishes, by name; answers of a number, which are rounded first, have none."""
    if question is not None and question.values is None:
        return "one number", "another"
    domain = None if question is None else question.values
    kind = "" if question is not None else "the value "
    return f"{kind}{value_name(witness.value, domain)}", value_name(witness.other, domain)


def value_name(value: int, domain: "CountedDomain | None") -> str:
    """What a value is called: by its label, shortened, or by its number."""
    label = value_label(value, domain)
    return label if domain is None else repr(label if len(label) <= LONGEST else label[: LONGEST - 3] + "...")


def value_label(value: int, domain: "CountedDomain | None") -> str:
    """The label of a value; its number where its mechanism's values have none, as the points of a number."""
    return str(value) if domain is None else domain.label(value)


def verdict_sentences(verdict: LossCertificate) -> tuple[str, ...]:
    """Whether the promise is proved, where least is left, and both accountings of dependence."""
    where = "the whole record" if verdict.number is None else f"number {verdict.number}"
    left = f"{abs(verdict.slack.floor()):.6g} nats"
    first = (
        f"The promise holds; least is left for {where}: {left}."
        if verdict.holds
        else f"The promise is not proved: {where} may lose {left} more than it allows."
    )
    each = [
        f"Number {place} loses at most {tight:.6g} nats by the tight accounting, which decides, and {paper:.6g} by the"
        " published one."
        for place, (tight, paper) in enumerate(zip(verdict.deltas, verdict.published, strict=True))
    ][:FEW]
    more = len(verdict.deltas) - len(each)
    return (first, *each, *([f"{more:,} other numbers are not listed here."] if more else []))
