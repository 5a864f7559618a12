"""What a ledger promises and what is left of it, in plain words."""

from collections.abc import Iterable
from fractions import Fraction
from math import isinf

from sordino.exact.amount_text import loss_text, remaining_text
from sordino.exact.nats import Nats, outward
from sordino.once.ledger.documents.ledger_terms import LedgerTerms
from sordino.once.ledger.ledger import Ledger
from sordino.once.ledger.ledger_decision import QuotaLeft
from sordino.once.ledger.losses import RevealedLoss, losses_by_attribute, losses_by_collector
from sordino.once.ledger.reading import LedgerLines
from sordino.once.ledger.standing import Book
from sordino.words.explain_filter import left_sentences, left_text, promise_sentences
from sordino.words.odds import PRIOR, beliefs, factor

ONE = "A person has one ledger, for all collectors: a second one, or an older copy, would allow as much again."

VERSIONS = (
    "A changed record counts as a new record: what was revealed about the earlier one stays revealed, and losses add.",
    "Refusals may show that the record changed, and when.",
)

MAY_CHANGE = (
    "The record may change {often} within the promise: whether it did shows in answers alone, and by no more than that."
)

UNPROTECTED_CHANGES = "A change between values that are not protected from each other may be seen in answers."

PROTECTED_HISTORIES = (
    "The same holds between any two histories of the record that change at most {often} each, where at every answer the"
    " record of one is protected from that of the other, or equal to it."
)

CHANGES_MORE = (
    "If it changes more often, a new record begins, which transcripts and refusals may show: the promise is not between"
    " such a history and others. What was revealed before stays revealed, losses add, and {more} covered from then on."
)

SECRET = (
    "Anyone who can read the ledger can try out records against the hash in it: keep it as secret as the record.",
    "`sordino ledger export` writes neither a record nor a hash of one.",
)

NAMES = (
    "Quotas go by the names under which collectors ask. One that asks under several, or under those of others, gets at"
    " most their quotas together; what is promised about all answers together holds whoever asks."
)

WITHIN = "against beliefs, before any answer, about the rest that the bounds on dependence allow"


def ledger_sentences(ledger: Ledger) -> tuple[str, ...]:
    """Sentences about a ledger."""
    reading = ledger.reading()
    damage = reading.trouble
    return (
        *_promise_sentences(ledger.terms),
        *(_damage_sentences(damage) if damage else _slack_sentences(reading)),
        *(() if damage else (*quota_sentences(reading.standing.quotas), *loss_sentences(ledger, reading.book))),
        *((NAMES,) if ledger.terms.quotas else ()),
        ONE,
        *_change_sentences(ledger.terms),
        *SECRET,
    )


def _times(terms: LedgerTerms) -> str:
    return "once" if terms.changes == 1 else f"{terms.changes} times"


def _change_sentences(terms: LedgerTerms) -> tuple[str, ...]:
    if not terms.changes:
        return VERSIONS
    more = "one more change is" if terms.changes == 1 else f"{terms.changes} more changes are"
    shown = (UNPROTECTED_CHANGES,) if terms.protects else ()
    return MAY_CHANGE.format(often=_times(terms)), *shown, CHANGES_MORE.format(more=more)


def _promise_sentences(terms: LedgerTerms) -> tuple[str, ...]:
    if terms.protects:
        histories = (PROTECTED_HISTORIES.format(often=_times(terms)),) if terms.changes else ()
        return (*promise_sentences(terms.filter()), *histories)
    most, least = beliefs(terms.epsilon)
    changes = "1 change" if terms.changes == 1 else f"{terms.changes} changes"
    two = f"histories of the record with at most {changes}" if terms.changes else "records"
    odds = (
        f"change the odds between any two {two} by a factor of at most {factor(terms.epsilon)}"
        f" (epsilon = {terms.epsilon})."
    )
    about = [
        f"About {name!r}: a factor of at most {factor(delta)}, {WITHIN}"
        f" (all other attributes together at most {outward(terms.rest[name], 4, up=True)})."
        for name, delta in terms.deltas.items()
    ]
    return (
        f"Whatever is asked and answered, all answers together {odds}",
        f"A suspicion of {PRIOR} % rises to at most {most} % and falls no lower than {least} %.",
        *about,
    )


def _slack_sentences(reading: LedgerLines) -> tuple[str, ...]:
    joint, accepted = reading.standing.joint, len(reading.book.entries)
    counted = (
        f"Until they are sent, some count by their epsilons: queries that add up to {left_text(joint)} are accepted."
    )
    waiting = f"{len(joint.open_names)} answers may not have been sent: each counts as every answer that it may be."
    return (
        f"So far {accepted} {'query was' if accepted == 1 else 'queries were'} accepted.",
        *left_sentences(joint.worst),
        *([waiting] if joint.open_names else []),
        *([] if joint.is_exact else [counted]),
    )


def quota_sentences(quotas: Iterable[QuotaLeft]) -> tuple[str, ...]:
    """What the answers to each collector with a quota revealed by themselves, and what is left of it."""
    return tuple(
        f"The answers to {'all other collectors together' if own.collector is None else repr(own.collector)} may reveal"
        f" at most {loss_text(Nats.of(own.quota))} by themselves: so far at most {_loss(own.spent)}; queries that"
        f" add up to {remaining_text(Fraction(own.remaining))} are accepted."
        for own in quotas
    )


def loss_sentences(ledger: Ledger, book: Book) -> tuple[str, ...]:
    """What the answers so far really revealed, by collector and by attribute, beside what adding epsilons would say."""
    terms = ledger.terms
    collectors = [
        f"{own.name} has {_answers(own.queries)}, which revealed at most {_loss(own.realized)} about you; {_sum(own)}."
        for own in losses_by_collector(terms, book)
    ]
    attributes = [
        f"About {own.name!r}: {_answers(own.queries)}, which revealed at most {_loss(own.realized)} to somebody who"
        f" knows all else; {_sum(own)}."
        for own in losses_by_attribute(terms, book)
    ]
    return (*collectors, *attributes)


def _answers(count: int) -> str:
    return "1 answer" if count == 1 else f"{count} answers"


def _sum(own: RevealedLoss) -> str:
    """What adding epsilons would say."""
    if own.queries == 1:
        return f"its epsilon is {_loss(own.added)}"
    return f"adding their epsilons would say {_loss(own.added)}"


def _loss(amount: float) -> str:
    return "no bounded amount (some values are ruled out)" if isinf(amount) else loss_text(Fraction(amount))


def _damage_sentences(damage: tuple[str, ...]) -> tuple[str, ...]:
    return (
        f"The ledger is damaged ({', '.join(damage)}): lines may be missing, so no new query is answered.",
        "Undamaged answers can still be sent again.",
    )
