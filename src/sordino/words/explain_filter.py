"""What a filter promises and what is left of it, in plain words; what an odometer shows.

Numbers round against the promise: what was revealed is rounded up, what is left down.
Source: the definitions' own sentences, said of all answers together.
"""

from collections.abc import Callable
from fractions import Fraction
from math import isfinite, isinf
from typing import Any

from sordino.accounting.approximate import ApproximateFilter
from sordino.accounting.filter import BayesianFilter
from sordino.accounting.joint_filter import JointFilter, PrivacyFilter
from sordino.accounting.odometer import Odometer
from sordino.accounting.quota import OTHERS, QuotaFilter
from sordino.blocks.sentence import Purpose
from sordino.definition.bayesian import BayesianCoordinateDP
from sordino.definition.coordinate import CoordinateDP
from sordino.domain.box import Box
from sordino.domain.categories import Categories
from sordino.domain.finite_record import Record
from sordino.exact.amount_text import loss_text, remaining_text
from sordino.exact.nats import outward
from sordino.words.odds import factor, promise

TOGETHER = "the set of all answers"

FEW = 5
"""Values whose names are spelled out at most."""

ANSWERS = "It holds if every answer has fresh randomness and every answer that was drawn is counted."

CHANGES = "If the record changes, tell the filter: what is revealed about two versions adds and never cancels."

NO_CHANGES = "It holds for one unchanged record: nothing is promised once the record has changed."

FEW_CHANGES = (
    "The record may change at most {often}, at any time, without the filter knowing. If it changes again, tell the"
    " filter: what is revealed before and after adds."
)

OUTSIDE = "Nothing is promised about a record outside the box."


def counted_sentences(
    known: BayesianFilter | JointFilter | QuotaFilter | ApproximateFilter | Odometer,
) -> tuple[str, ...]:
    """What was promised, what binds, what is left, and on what it rests."""
    match known:
        case JointFilter():
            return _joint(known)
        case QuotaFilter():
            return (*counted_sentences(known.promise), *_quotas(known))
        case ApproximateFilter():
            return _approximate(known)
        case Odometer():
            return _odometer(known)
        case _:
            return (*promise_sentences(known), *left_sentences(known), *_conditions(known))


def _joint(known: JointFilter) -> tuple[str, ...]:
    worst, waiting = known.worst, len(known.open_names)
    out = (f"Answers still open: {waiting}. Each counts as every answer that it may be.",) if waiting else ()
    if not isinstance(worst, BayesianFilter):
        return (*left_sentences(worst), *out)
    return (*promise_sentences(worst), *left_sentences(worst), *out, *_conditions(worst))


def _quotas(known: QuotaFilter) -> tuple[str, ...]:
    lines = []
    for name in known.collectors:
        spent = _amount_in_words(known.spent_by(name), loss_text)
        left = _amount_in_words(known.remaining_for(name), remaining_text)
        who = "all other collectors together" if name == OTHERS else repr(name)
        lines.append(
            f"The answers to {who} by themselves distinguish two records by at most {spent}; its further queries whose"
            f" epsilons add up to at most {left} are accepted."
        )
    return tuple(lines)


def left_sentences(known: PrivacyFilter, start: str = "") -> tuple[str, ...]:
    """What was lost, what binds and what is left.

    Args:
        known: the filter.
        start: what each sentence begins with, up to its colon.
    """
    binding = known.binding
    if isinf(binding.left):
        clauses = ["no query can break the promise: every query is accepted."]
    else:
        apart, rest = _amount_in_words(binding.spent, loss_text), left_text(known)
        clauses = [
            f"least is left between {binding.about}: the answers so far distinguish them by at most {apart}.",
            f"queries whose epsilons add up to at most {rest} are accepted; larger ones if no answer reveals too much.",
        ]
    return tuple(start + clause if start else clause[0].upper() + clause[1:] for clause in clauses)


def left_text(known: PrivacyFilter | JointFilter) -> str:
    """What is surely left: queries whose epsilons add up to no more are accepted."""
    if isinstance(known, JointFilter):
        return left_text(known.worst) if known.is_exact else _amount_in_words(known.remaining, remaining_text)
    exactly = known.binding.exactly
    if exactly is not None and exactly >= 0:
        return remaining_text(exactly)
    return _amount_in_words(known.remaining, remaining_text)


def _approximate(known: ApproximateFilter) -> tuple[str, ...]:
    chance = outward(known.delta_probability, 3, up=True)
    first = (
        "The epsilons are used up: queries are now accepted by what answers really revealed."
        if known.halted
        else "Queries are accepted by their epsilons alone, as long as those allow it."
    )
    return (
        (
            f"Any set of answers is at most {factor(known.epsilon)} times as likely under one record as under another,"
            f" plus a probability of {chance}."
        ),
        first,
        *(left_sentences(known.exact, "By what was really revealed: ") if known.exact is not None else ()),
        ANSWERS,
    )


def _odometer(known: Odometer) -> tuple[str, ...]:
    lines = []
    for reading in known.readings:
        realized, separate, epsilons = (
            _amount_in_words(amount, loss_text) for amount in (reading.realized, reading.separate, reading.epsilons)
        )
        lines.append(
            f"The answers distinguish {reading.about} by at most {realized}; added up one by one, by {separate}; by"
            f" their epsilons, {epsilons}."
        )
    return (*lines, "An odometer promises nothing about further answers; a filter does.")


def promise_sentences(known: BayesianFilter) -> tuple[str, ...]:
    """The definition's sentences, of all answers, without what they say of a second report."""
    said = promise(known.definition, _labels(known.domain, known.definition), TOGETHER)
    return tuple(sentence.text for sentence in said if sentence.purpose is not Purpose.REPEATED)


def _labels(domain: Any, definition: Any) -> tuple[str, ...] | None:
    """Names of the attributes, where the promise is about each; of few values."""
    if isinstance(definition, CoordinateDP | BayesianCoordinateDP):
        return tuple(domain.names) if isinstance(domain, Record) else None
    if isinstance(domain, Categories) and domain.k <= FEW:
        return tuple(domain.label(value) for value in range(domain.k))
    return None


def _conditions(known: BayesianFilter) -> tuple[str, ...]:
    changes = NO_CHANGES if isinstance(known.definition, BayesianCoordinateDP) else CHANGES
    if known.changes:
        changes = FEW_CHANGES.format(often="once" if known.changes == 1 else f"{known.changes} times")
    return (ANSWERS, changes, *((OUTSIDE,) if isinstance(known.domain, Box) else ()))


def _amount_in_words(amount: float, say: Callable[[Fraction], str]) -> str:
    return say(Fraction(amount)) if isfinite(amount) else "infinitely many nats"
