"""Blocks of the verdict on a plan: what a report can reveal about each attribute, and how each question was checked."""

from collections.abc import Iterable, Iterator
from math import inf, nan
from typing import TypeAlias

import numpy as np

from sordino.audit.certificate import Certificate
from sordino.blocks.block import BlockGroup, Plot
from sordino.blocks.charts import LossChart
from sordino.blocks.sentence import Purpose, limits
from sordino.blocks.tables import TextTable
from sordino.exact.amount_text import DIGITS, loss_text_beside, loss_text_of
from sordino.exact.nats import Nats, upward
from sordino.survey.kinds.question import Question
from sordino.survey.planning.coordinates import CoordinatePromise
from sordino.survey.planning.plan import Plan
from sordino.words.explain_certificate import certificate_sentences, witness_names
from sordino.words.odds_by_attribute import coordinate_sentences

OF_LOSSES = "What one report can reveal at most, and what is promised"
WITHOUT_BOUND = "without bound"
"""A loss where a report decides between two values."""
OF_ATTRIBUTES = "The certificate of each attribute"


def certificate_blocks(plan: Plan) -> Iterator[BlockGroup]:
    """A group of all attributes, and one of each question with a promise about its values."""
    if plan.promise is not None:
        yield promise_group(plan.promise)
    for question, certificate in plan.certificates:
        about = f" for {question.title}" if len(plan.questions) > 1 else ""
        said = limits(*certificate_sentences(certificate, question))
        yield BlockGroup(f"The certificate{about}", said)


def losses_group(plan: Plan) -> BlockGroup | None:
    """A figure of the most that a report can reveal, beside what is promised; None where nothing is protected.

    A row for each attribute with a promise of its own and for the whole record, and one for the two values of each
    question that a report distinguishes best.
    """
    rows: list[_Row] = []
    if (promise := plan.promise) is not None:
        titles = map(promise.title, range(len(promise.names)))
        rows += zip(titles, promise.losses, promise.deltas, strict=True)
        rows.append(("the whole record", promise.level, promise.epsilon))
    for question, certificate in plan.certificates:
        rows += _pair(certificate, question, f"{question.title}: ")
    return _losses(rows)


def certificate_group(certificate: Certificate) -> BlockGroup | None:
    """The same figure of a mechanism's two values that a code distinguishes best."""
    return _losses(_pair(certificate))


_Row: TypeAlias = tuple[str, Nats | None, Nats | None]
"""What is protected, the largest loss (None: infinite) and its bound."""


def _pair(certificate: Certificate, question: Question | None = None, of: str = "") -> list[_Row]:
    witness = certificate.witness
    if witness is None:
        return []
    about = "" if witness.attribute is None else f", attribute {witness.attribute}"
    one, other = witness_names(witness, question)
    bound = None if witness.loss is None else certificate.slack + witness.loss
    return [(f"{of}{one} against {other}{about}", witness.loss, bound)]


def _losses(rows: Iterable[_Row]) -> BlockGroup | None:
    """The figure of some rows; None of none."""
    found = list(rows)
    if not found:
        return None
    losses = np.array([inf if loss is None else loss.ceil() for _, loss, _ in found])
    bounds = np.array([nan if bound is None else bound.ceil() for _, _, bound in found])
    texts = tuple(
        WITHOUT_BOUND if loss is None or bound is None else loss_text_of(loss, bound) for _, loss, bound in found
    )
    chart = LossChart(tuple(name for name, _, _ in found), texts, losses, bounds)
    return BlockGroup(OF_LOSSES, (Plot(LossChart, lambda: chart),))


def promise_group(promise: CoordinatePromise) -> BlockGroup:
    """The most that a report can reveal about each attribute, beside what is promised."""
    header = ("attribute", "revealed at most, nats", "promised, nats", "depends on a dependence bound")
    rows = [
        (
            f"{promise.title(i)}, which of {bins} bins" if (bins := promise.bins_of(i)) else promise.title(i),
            loss_text_beside(promise.losses[i], promise.deltas[i]),
            upward(promise.deltas[i], DIGITS),
            "yes" if promise.depends_on_bound(i) else "no",
        )
        for i in range(len(promise.names))
    ]
    level = loss_text_beside(promise.level, promise.epsilon)
    rows.append(("the whole record", level, upward(promise.epsilon, DIGITS), "no"))
    # What each reaches stands in the rows.
    said = tuple(sentence for sentence in coordinate_sentences(promise) if sentence.purpose is not Purpose.REACHED)
    return BlockGroup(OF_ATTRIBUTES, (TextTable("", header, tuple(rows), said),))
