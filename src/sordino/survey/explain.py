"""What a promise means, in plain words: odds, beliefs, and what is not protected. One function for any of them.

Numbers round against the promise: the most that can be learned is rounded up, never down. Source: the bounds on
posterior odds of the context-aware LDP paper, Section 3.1, with the evidence of one report.
"""

from collections.abc import Sequence
from fractions import Fraction
from math import isfinite

import numpy as np

from sordino.accounting.filter import BayesianFilter
from sordino.audit.certify import Certificate
from sordino.definition.bayesian import BayesianCoordinateDP
from sordino.definition.coordinate import CoordinateDP
from sordino.definition.high_low import HighLowLDP
from sordino.definition.matrix import PairwiseLDP
from sordino.definition.pairwise import LDP, BlockLDP
from sordino.domain.grid import Grid
from sordino.errors import SordinoError
from sordino.estimation.unbiased import leverage
from sordino.exact.nats import in_nats, outward, upward
from sordino.mechanism.base import Mechanism
from sordino.survey.numbers import NumbersQuestion
from sordino.survey.odds import SAME, factor, promise, short
from sordino.survey.odds_by_attribute import coordinate_promise
from sordino.survey.plan import Plan, Question
from sordino.survey.promise import Definition
from sordino.survey.question import HistogramQuestion

FEW = 5
"""Values whose names are spelled out at most."""


def explain(thing: object) -> tuple[str, ...]:
    """Sentences about a definition, a mechanism, a certificate, a plan or a filter.

    Raises:
        SordinoError: nothing that can be explained.

    Example:
        >>> for line in explain(LDP("ln 1.8")): print(line)
        Whatever else somebody knows, one report changes the odds between any two answers by a factor of at most 1.8.
        A suspicion of 1 in 10 becomes at most 1 in 6 and at least 1 in 17.2.
        A second report about the same answer multiplies the factors.
    """
    match thing:
        case LDP() | BlockLDP() | HighLowLDP() | PairwiseLDP() | CoordinateDP() | BayesianCoordinateDP():
            return promise(thing)
        case Certificate():
            return _certificate(thing)
        case Mechanism():
            return _mechanism(thing)
        case Plan():
            return _plan(thing)
        case BayesianFilter():
            return thing.explain()
        case _:
            raise SordinoError(
                "only a definition, a mechanism, a certificate, a plan or a filter can be explained",
                found=type(thing).__name__,
            )


def _certificate(certificate: Certificate) -> tuple[str, ...]:
    if certificate.witness is None:
        return ("No two values are protected from each other, so nothing can be broken.",)
    witness = certificate.witness
    code = "one of its codes" if witness.code is None else f"code {witness.code}"
    of = "" if witness.attribute is None else f" of attribute {witness.attribute}"
    where = f"{code}, between the values {witness.value} and {witness.other}{of}"
    if witness.loss is None:
        return (f"The promise is broken without bound: {where}, the second can never cause the code.",)
    verdict = "The promise holds" if certificate.holds else "The promise is BROKEN"
    return (
        f"{verdict}: checked on every output in exact integers.",
        (
            f"Least is left of a bound at {where}: a loss of {upward(witness.loss, 9)} of"
            f" {in_nats(upward(certificate.slack + witness.loss, 9))}."
        ),
        f"What is left there: {in_nats(outward(Fraction(certificate.slack.floor()), 3, up=False))}.",
    )


def _mechanism(mechanism: Mechanism) -> tuple[str, ...]:
    return (
        _codes(mechanism.code_bits),
        _forged(leverage(mechanism)),
    )


def _forged(people: float) -> str:
    if not isfinite(people):
        return "Nothing can be estimated from its reports: they do not depend on the values."
    return f"One forged report can weigh as much as {short(Fraction(people), up=True)} people in an estimate."


def _plan(plan: Plan) -> tuple[str, ...]:
    codes = _codes(plan.sampled.code_bits)
    if plan.promise is not None:
        ground = plan.document.dependence.ground if plan.document.dependence is not None else ()
        return (*_asked(plan), *coordinate_promise(plan.promise), *ground, *_forging(plan), codes)
    if len(plan.histograms) == 1:
        (question,) = plan.histograms
        asked = (
            f"Each person is asked once for {question.name!r}, one of {question.domain.k} values, and sends one report."
        )
        return (asked, *_histogram(question, "one report"), codes)
    lines = [*_asked(plan)[:1], _about_others(plan.histograms)]
    for question, share in zip(plan.histograms, _asked(plan)[1:], strict=True):
        lines += [share, *_histogram(question, f"one report about {question.name!r}")]
    return (*lines, "A second report of the same person, about whatever, multiplies the factors.", codes)


def _asked(plan: Plan) -> tuple[str, ...]:
    """Who is asked what."""
    if len(plan.questions) == 1:
        return (f"Each person is asked once for {_what(plan.questions[0])}, and sends one report.",)
    return (
        (
            f"Each person is asked one of {len(plan.questions)} questions, once; which one is drawn without looking at"
            " any answer, and every report tells it."
        ),
        *(
            f"About {outward(100 * question.share, 3, up=False)} % are asked for {_what(question)}."
            for question in plan.questions
        ),
    )


def _what(question: Question) -> str:
    if isinstance(question, NumbersQuestion):
        return question.name
    return f"{question.name!r}, one of {question.domain.k} values"


def _forging(plan: Plan) -> list[str]:
    """How much forged reports can weigh in shares."""
    lines = []
    for question in plan.histograms:
        weighs = leverage(question.mechanism, subtract_totals=question.part.subtract_totals)
        lines.append(f"{question.name!r}: {_forged(weighs)}")
    return lines


def _about_others(questions: Sequence[HistogramQuestion]) -> str:
    """What a report about one attribute can tell about another."""
    start = (
        "A report about one attribute tells about another too, for somebody who knows how the two depend on each other:"
        " it changes the odds of its answers"
    )
    bounds = [question.definition.epsilon for question in questions if _bounded(question.definition)]
    if len(bounds) == len(questions):
        return f"{start} by a factor of at most {factor(max(bounds))}."
    names = ", ".join(repr(question.name) for question in questions if not _bounded(question.definition))
    return (
        f"{start} without limit where it is about {names}, since not all of these values are protected from each other."
    )


def _bounded(definition: Definition) -> bool:
    """Whether every two values are protected from each other."""
    if isinstance(definition, PairwiseLDP):
        return bool(np.isfinite(definition.floors[~np.eye(definition.k, dtype=np.bool_)]).all())
    return isinstance(definition, LDP)


def _histogram(question: HistogramQuestion, report: str) -> tuple[str, ...]:
    mechanism, blocks, domain = question.mechanism, question.protect.blocks, question.domain
    lines = []
    if blocks and blocks.tiles:
        height, width = blocks.tiles
        divides = isinstance(domain, Grid) and not domain.rows % height and not domain.columns % width
        lines.append(f"A block is {'' if divides else 'at most '}{height} x {width} cells of the map.")
    if question.attribute.missing is not None:
        lines.append(f"A missing answer counts as {question.attribute.missing!r} and is protected as that category is.")
    labels = tuple(domain.label(value) for value in range(domain.k)) if domain.k <= FEW else None
    forged = _forged(leverage(mechanism, subtract_totals=question.part.subtract_totals))
    said = promise(question.definition, labels, report)
    return (*lines, *(line for line in said if report == "one report" or line != SAME), forged)


def _codes(code_bits: int) -> str:
    return f"A report is a code of {code_bits} bit{'' if code_bits == 1 else 's'}."
