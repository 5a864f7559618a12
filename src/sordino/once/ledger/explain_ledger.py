"""What a ledger promises, what is left of it, and what its answers really revealed, in plain words.

Losses stand by collector and by attribute, beside what adding epsilons would say. Those of one version of the record
are of all of its answers together; those of versions add. Where terms cover changes, a version is a history, and losses
are between two of them. What is drawn counts, sent or not; a query whose answer is not drawn counts by its epsilon.
Units: nats, rounded up.
"""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby
from math import isinf

from sordino.accounting.filter import BayesianFilter
from sordino.definition.coordinate import CoordinateDP
from sordino.definition.pairwise import LDP
from sordino.errors import SordinoError
from sordino.exact.amount_text import loss_text, remaining_text
from sordino.exact.floats import up
from sordino.exact.nats import Nats, outward
from sordino.once.journal.event import MODELS
from sordino.once.ledger.balance import Entry, LedgerEntries
from sordino.once.ledger.ledger import Ledger
from sordino.once.ledger.ledger_decision import QuotaLeft
from sordino.once.ledger.ledger_terms import LedgerTerms
from sordino.once.ledger.reading import LedgerReading
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


@dataclass(frozen=True)
class RevealedLoss:
    """What some answers revealed.

    Attributes:
        name: of the collector that has them, or of the attribute that they are about.
        realized: the most that they really revealed together.
        added: the sum of their epsilons; infinite where an answer rules values out.
    """

    name: str
    queries: int
    realized: float
    added: float


def ledger_sentences(ledger: Ledger) -> tuple[str, ...]:
    """Sentences about a ledger."""
    reading = ledger.reading()
    damage = reading.trouble
    return (
        *_promise_sentences(ledger.terms),
        *(_damage_sentences(damage) if damage else _slack_sentences(reading)),
        *(() if damage else (*quota_sentences(reading.balance.quotas), *loss_sentences(ledger, reading.entries))),
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


def _slack_sentences(reading: LedgerReading) -> tuple[str, ...]:
    joint, accepted = reading.balance.joint, len(reading.entries.by_id)
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


def loss_sentences(ledger: Ledger, entries: LedgerEntries) -> tuple[str, ...]:
    """What the answers so far really revealed, by collector and by attribute, beside what adding epsilons would say."""
    terms = ledger.terms
    waiting = Counter(entry.query.collector for entry in entries.by_id.values() if not entry.sent)
    collectors = [
        f"{own.name} {_answers_there(own.queries, waiting[own.name])}, which revealed at most {_loss(own.realized)}"
        f" about you; {_sum(own)}."
        for own in losses_by_collector(terms, entries)
    ]
    attributes = [
        f"About {own.name!r}: {_answers(own.queries)}, which revealed at most {_loss(own.realized)} to somebody who"
        f" knows all else; {_sum(own)}."
        for own in losses_by_attribute(terms, entries)
    ]
    return (*collectors, *attributes)


def _answers(count: int) -> str:
    return "1 answer" if count == 1 else f"{count} answers"


def _answers_there(count: int, waiting: int) -> str:
    if waiting == count:
        return f"may have {_answers(count)}"
    return f"has {_answers(count)}" + (f" ({waiting} of them may not have arrived)" if waiting else "")


def _sum(own: RevealedLoss) -> str:
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


def losses_by_collector(terms: LedgerTerms, entries: LedgerEntries) -> tuple[RevealedLoss, ...]:
    """What each collector's answers revealed about the whole record, in the order of their names.

    Where some values are protected less than others: of what is protected.
    """
    ordered = sorted(entries.by_id.values(), key=lambda entry: entry.query.collector)
    found = []
    for name, own in groupby(ordered, key=lambda entry: entry.query.collector):
        group = list(own)
        realized, added = _record_loss(terms, group), _summed(terms, group)
        found.append(RevealedLoss(name, len(group), min(realized, added), added))
    return tuple(found)


def losses_by_attribute(terms: LedgerTerms, entries: LedgerEntries) -> tuple[RevealedLoss, ...]:
    """What all answers revealed about each attribute, to somebody who knows all others; without those never asked.

    At most what they revealed about the whole record; where terms cover changes what those that depend on the attribute
    revealed about the whole record.
    """
    found, each = [], [] if terms.changes else _attribute_losses(terms, entries)
    whole = math.inf if terms.protects else _record_loss(terms, list(entries.by_id.values()))
    for place, name in enumerate(terms.names):
        group = [entry for entry in entries.by_id.values() if name in entry.query.attribute_names]
        if group:
            realized, added = _record_loss(terms, group) if terms.changes else each[place], _summed(terms, group)
            found.append(RevealedLoss(name, len(group), min(realized, added, whole), added))
    return tuple(found)


def _record_loss(terms: LedgerTerms, entries: Sequence[Entry]) -> float:
    total = 0.0
    for version in _versions(entries):
        # Where some values are protected less than others, only what is protected counts.
        promise = terms.definition if terms.protects else LDP(0)
        counted = terms.filter_of(promise)
        for entry in version:
            if entry.code is None:
                # An answer may rule out values that nothing protects.
                own = counted.charge(entry.query.channel) if terms.protects else math.inf
                total = up(total + min(own, _level(terms, entry)))
            else:
                counted = counted.with_answer(entry.query.channel, entry.code)
        total = up(total + (counted.spent if terms.protects else counted.realized_loss.upper))
    return total


def _attribute_losses(terms: LedgerTerms, entries: LedgerEntries) -> list[float]:
    totals = [0.0] * len(terms.names)
    modelled = terms.numbers == terms.names and all(own.query.kind in MODELS for own in entries.by_id.values())
    domain = terms.box if modelled and terms.box is not None else terms.domain
    for version in _versions(entries.by_id.values()):
        counted = BayesianFilter(domain, CoordinateDP([Nats.of(0)] * len(totals)), nodes=terms.nodes)
        waiting = list(totals)
        for entry in version:
            if entry.code is not None:
                counted = counted.with_answer(entry.query.channel, entry.code)
                continue
            for place, name in enumerate(terms.names):
                if name in entry.query.attribute_names:
                    waiting[place] = up(waiting[place] + _level(terms, entry))
        totals = [up(total + own) for total, own in zip(waiting, counted.group_losses, strict=True)]
    return totals


def _versions(entries: Iterable[Entry]) -> list[list[Entry]]:
    ordered = sorted(entries, key=lambda entry: entry.record)
    return [list(own) for _, own in groupby(ordered, key=lambda entry: entry.record)]


def _summed(terms: LedgerTerms, entries: Iterable[Entry]) -> float:
    total = Nats.of(0)
    for entry in entries:
        level = _epsilon(terms, entry)
        if level is None:
            return math.inf
        total = total + level
    return total.ceil() if total.sign() else 0.0


def _level(terms: LedgerTerms, entry: Entry) -> float:
    level = _epsilon(terms, entry)
    return math.inf if level is None else level.ceil()


def _epsilon(terms: LedgerTerms, entry: Entry) -> Nats | None:
    """The least epsilon of a query, shortened; None where it satisfies none."""
    try:
        level = BayesianFilter(terms.domain, LDP(0), nodes=terms.nodes).epsilon_of(entry.query.channel)
    except SordinoError:
        return None
    return Nats(Fraction(level.around()[1]))
