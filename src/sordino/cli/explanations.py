"""What commands print of a plan: its explanation, what it promises, and certificates."""

from collections.abc import Sequence
from functools import cache
from typing import Any

from sordino.audit.batch_certificate import BatchCertificate, DrawnBatch, PairBounds
from sordino.audit.certificate import Certificate
from sordino.blocks.sentence import Paragraph, limits, texts
from sordino.cli.output import print_lines
from sordino.cli.say import say
from sordino.exact.amount_text import DIGITS, loss_text_beside
from sordino.exact.nats import upward
from sordino.survey.kinds.question import CountedDomain
from sordino.survey.planning.coordinates import CoordinatePromise
from sordino.survey.planning.plan import Plan
from sordino.words.asked_attributes import ASKED
from sordino.words.bound_sources import bound_in_short, dependence_json
from sordino.words.condition_sentences import weaker_report_sentences
from sordino.words.explain_certificate import certificate_sentences, plan_certificates, value_label
from sordino.words.explain_plan import NEARLY, Explanation

MOST_SECTIONS = 20
"""Of a large survey, whose headings are printed."""


def print_explanation(explanation: Explanation, more: str | None, *, floor: bool = False) -> None:
    """What matters first; then all else under headings, or how to see it.

    Args:
        explanation: of a plan.
        more: the command that shows the rest; None to show it here.
        floor: whether to show how near the best possible the plan is in any case.
    """
    print_lines(texts(explanation.summary))
    if floor and more is not None:
        found = (paragraph.lines for paragraph in explanation.details if paragraph.heading == NEARLY)
        print_lines(next(found, ("For this plan, no lower bound on the variance is known.",)))
    if more is None:
        for paragraph in explanation.details:
            say("", paragraph.heading)
            print_lines(paragraph.lines)
        return
    count, heads = sum(len(paragraph.sentences) for paragraph in explanation.details), len(explanation.details)
    sentences, headings = "sentence" + "s" * (count != 1), "heading" + "s" * (heads != 1)
    say(f"{count:,} more {sentences}, under {heads} {headings}: {more}")


def print_asked(explanation: Explanation) -> None:
    """How the survey was read: each attribute with its values, what is estimated, of whom, and its protection."""
    print_paragraph(Paragraph(ASKED, limits(*explanation.asked)))


def print_questionnaire(explanation: Explanation, *, in_short: bool = False) -> None:
    """What people read, and what they see where there are no words for it; in short how much under each heading."""
    if in_short:
        first, *sections = explanation.questionnaire or [Paragraph("", ())]
        print_paragraph(first)
        counted = [f"  {one.heading or 'Without a heading'}: {_questions(len(one.lines))}" for one in sections]
        rest = len(counted) - MOST_SECTIONS
        say(*counted[:MOST_SECTIONS], *([f"  ... {rest:,} more sections"] if rest > 0 else []), "")
        if explanation.missing_words:
            say(*explanation.missing_words, "")
        return
    for paragraph in explanation.questionnaire:
        print_paragraph(paragraph)
    if explanation.missing_words:
        say(*explanation.missing_words, "")


def print_paragraph(paragraph: Paragraph) -> None:
    """Sentences below their heading, where there is one."""
    if paragraph.heading:
        say(paragraph.heading)
    if paragraph.heading or paragraph.lines:
        say(*(f"  {line}" for line in paragraph.lines), "")


def _questions(count: int) -> str:
    return f"{count:,} question{'' if count == 1 else 's'}"


def promise_rows(promise: CoordinatePromise) -> list[tuple[str, ...]]:
    """Each attribute's delta, what the plan reaches, and the dependence bound that it rests on."""
    # Many attributes have equal amounts.
    beside, short, rows = cache(loss_text_beside), cache(upward), []
    for i, delta in enumerate(promise.deltas):
        bins = promise.bins_of(i)
        label = f"{promise.title(i)} ({bins} bins)" if bins else promise.title(i)
        rests = bound_in_short(promise, i) if promise.depends_on_bound(i) else "nothing"
        rows.append((label, short(delta, DIGITS), beside(promise.losses[i], delta), rests))
    whole = upward(promise.epsilon, DIGITS), loss_text_beside(promise.level, promise.epsilon)
    return [*rows, ("the whole record", *whole, "")]


def count_alike(rows: Sequence[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Rows that differ in their names alone as one, with how many they are and the first name."""
    alike: dict[tuple[str, ...], list[str]] = {}
    for name, *cells in rows:
        alike.setdefault(tuple(cells), []).append(name)
    named = ((names, cells) for cells, names in alike.items())
    return [(names[0] if len(names) == 1 else f"{len(names):,} as {names[0]}", *cells) for names, cells in named]


def promise_json(promise: CoordinatePromise) -> dict[str, Any]:
    """Deltas and what the plan's integers reach, rounded up."""
    attributes = {
        name: {
            "delta": str(delta),
            "reached": reached.ceil(),
            "dependence": str(promise.dependence.of_rest(i)),
            "rests_on_dependence": promise.depends_on_bound(i),
            "bins": promise.bins_of(i),
        }
        for i, (name, delta, reached) in enumerate(zip(promise.names, promise.deltas, promise.losses, strict=True))
    }
    whole = {"epsilon": str(promise.epsilon), "reached": promise.level.ceil()}
    answers = [
        {"holds": found.holds, "slack": found.slack.floor() if found.slack.is_finite else None}
        for found in promise.certificates
    ]
    found = {"holds": promise.holds, "attributes": attributes, "record": whole}
    return found | dependence_json(promise) | {"answers": answers}


def certificate_json(certificate: Certificate, domain: "CountedDomain | None") -> dict[str, Any]:
    """A certificate for programs: exact amounts as text, slack rounded down to a float (null for minus infinity)."""
    witness = certificate.witness
    return {
        "holds": certificate.holds,
        "slack": certificate.slack.floor() if certificate.slack.is_finite else None,
        "slack_exact": str(certificate.slack),
        "witness": witness
        and {
            "code": None if witness.code is None else str(witness.code),
            "value": witness.value,
            "other": witness.other,
            "labels": [value_label(value, domain) for value in (witness.value, witness.other)],
            "loss": str(witness.loss) if witness.loss else None,
        },
    }


def batch_json(batch: DrawnBatch) -> dict[str, Any]:
    """Bounds of a batch for programs, in nats: `above` and `report` rounded up, `below` rounded down."""
    names = batch.names or ("",) * len(batch.parts)
    return {
        "shuffled": batch.people,
        "delta_probability": str(batch.delta),
        **_bounds_json(batch),
        "questions": [
            {
                "attribute": name,
                "share": str(part.size.share),
                **_bounds_json(part),
                "pairs": [
                    {"value": pair.value, "other": pair.other, "promised": str(pair.promised), **_bounds_json(pair)}
                    for pair in part.pairs
                ],
            }
            for name, part in zip(names, batch.parts, strict=True)
        ],
    }


def _bounds_json(bounds: DrawnBatch | BatchCertificate | PairBounds) -> dict[str, float]:
    return {"report": bounds.report_loss.ceil(), "above": bounds.above.ceil(), "below": bounds.below.floor()}


def certificates_json(plan: Plan) -> list[dict[str, Any]]:
    """The verdict on each question that is promised by itself."""
    return [
        {"attribute": question.name, **certificate_json(certificate, question.values)}
        for question, certificate in plan.certificates
    ]


def least_certificate(plan: Plan) -> dict[str, Any] | None:
    """The certificate that leaves least of its bound: if it holds, those of all histograms do."""
    slacks = [certificate.slack for _, certificate in plan.certificates]
    return certificates_json(plan)[min(range(len(slacks)), key=lambda i: slacks[i])] if slacks else None


def print_certificates(plan: Plan, *, in_short: bool = False) -> None:
    """The verdict on each attribute and each histogram; in short on all of them, and the tightest case."""
    found = plan_certificates(plan)
    if in_short and plan.promise is not None and plan.promise.holds:
        # What each attribute loses stands in the summary.
        found = (Paragraph("", found[0].sentences[:1]), *found[1:])
    if in_short and len(plan.certificates) > 1 and plan.certificate is not None and plan.certificate.holds:
        question, certificate = min(plan.certificates, key=lambda each: each[1].slack)
        say(f"All {len(plan.certificates):,} certificates hold, each checked on every output in exact integers.")
        (*_, case), head = certificate_sentences(certificate, question), found[: plan.promise is not None]
        found = (*head, Paragraph("", limits(f"{question.title}: {case[0].lower()}{case[1:]}")))
    for paragraph in found:
        if paragraph.heading:
            say(f"{paragraph.heading}:")
        print_lines(paragraph.lines)
    print_lines(weaker_report_sentences(plan))
