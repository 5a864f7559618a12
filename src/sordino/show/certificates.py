"""Blocks of the verdict on a plan: what a report can reveal about each attribute, and how each question was checked."""

from collections.abc import Iterator

from sordino.blocks.block import BlockGroup
from sordino.blocks.sentence import Purpose, limits
from sordino.blocks.tables import TextTable
from sordino.exact.amount_text import DIGITS, loss_text_beside
from sordino.exact.nats import upward
from sordino.survey.planning.plan import Plan
from sordino.survey.questions.coordinates import CoordinatePromise
from sordino.words.explain_certificate import certificate_sentences
from sordino.words.odds_by_attribute import coordinate_sentences

OF_ATTRIBUTES = "The certificate of each attribute"


def certificate_blocks(plan: Plan) -> Iterator[BlockGroup]:
    """A group of all attributes, and one of each question with a promise about its values."""
    if plan.promise is not None:
        yield promise_group(plan.promise)
    for question, certificate in plan.certificates:
        about = f" for {question.name}" if len(plan.questions) > 1 else ""
        said = limits(*certificate_sentences(certificate, question.values))
        yield BlockGroup(f"The certificate{about}", said)


def promise_group(promise: CoordinatePromise) -> BlockGroup:
    """The most that a report can reveal about each attribute, beside what is promised."""
    header = ("attribute", "revealed at most, nats", "promised, nats", "depends on a dependence bound")
    rows = [
        (
            f"{name}, which of {bins} bins" if (bins := promise.bins_of(i)) else name,
            loss_text_beside(promise.losses[i], promise.deltas[i]),
            upward(promise.deltas[i], DIGITS),
            "yes" if promise.relies(i) else "no",
        )
        for i, name in enumerate(promise.names)
    ]
    level = loss_text_beside(promise.level, promise.epsilon)
    rows.append(("the whole record", level, upward(promise.epsilon, DIGITS), "no"))
    # What each reaches stands in the rows.
    said = tuple(sentence for sentence in coordinate_sentences(promise) if sentence.purpose is not Purpose.REACHED)
    return BlockGroup(OF_ATTRIBUTES, (TextTable("", header, tuple(rows), said),))
