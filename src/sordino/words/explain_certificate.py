"""A certificate in plain words, with the names of the values where they are known; all those of a plan."""

from collections.abc import Callable
from functools import cache

from sordino.audit.batch_certificate import DrawnBatch
from sordino.audit.certificate import Certificate, Witness
from sordino.audit.loss_certificate import LossCertificate
from sordino.blocks.sentence import Paragraph, limits
from sordino.definition.matrix import PairwiseLDP
from sordino.definition.metric import MetricLDP
from sordino.exact.amount_text import DIGITS, loss_text, loss_text_of
from sordino.exact.nats import Nats, in_nats, outward
from sordino.survey.kinds.question import CountedDomain, Question
from sordino.survey.planning.plan import Plan
from sordino.words.odds import PRIOR, beliefs
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


def batch_paragraph(batch: DrawnBatch) -> Paragraph:
    """What somebody learns who sees one report, and who sees all of a batch, and what that rests on."""
    alone, together = (beliefs(amount)[0] for amount in (batch.report_loss, batch.above))
    people, delta = f"{batch.people:,}", outward(batch.delta, DIGITS, up=True)
    suspicion = f"a suspicion of {PRIOR} % of a protected answer rises to at most"
    lines = [f"Someone who sees one report: {suspicion} {alone} % ({loss_text(batch.report_loss)})."]
    rises = f"{suspicion} {together} % ({loss_text(batch.above)})"
    exception = f", except with a probability of at most {delta}" if batch.is_hidden else ""
    lines.append(f"Someone who sees all {people} together: {rises}{exception}.")
    if batch.below.sign() > 0:
        lines.append(f"A test of the batch reveals {_at_least(batch.below)}: no analysis can show less.")
    else:
        lines.append("The tests that were tried reveal nothing beyond that probability.")
    if not batch.is_hidden:
        step = "shuffle more reports, or lower epsilon"
        lines.append(f"So such a batch is not shown to hide more than a single report does: {step}.")
    if len(batch.parts) > 1:
        lines.append("Each person is drawn for one question, and nobody sees for which.")
        each = dict.fromkeys(
            f"Known to be drawn for {name}: at most {loss_text(part.above)}, at least {_at_least(part.below)}."
            for name, part in zip(batch.names, batch.parts, strict=True)
        )
        lines += [*each][:FEW]
        lines += [f"{len(each) - FEW:,} other questions are not listed here."] if len(each) > FEW else []
    shuffler = f"someone other than the collector mixes at least {people} honest reports"
    alike = "the same public group, period and block"
    lines.append(f"This holds only if {shuffler} of {alike}, and passes on neither their order nor who sent them.")
    lines.append("A second report of the same person in the batch is not covered.")
    return Paragraph(f"In a batch of {people} shuffled reports", limits(*lines))


def _at_least(amount: Nats) -> str:
    return in_nats(outward(amount.around()[0], DIGITS, up=False))


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
