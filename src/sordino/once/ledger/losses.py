"""What the answers of a ledger really revealed, by collector and by attribute, beside what adding epsilons would say.

Realized losses of one version of the record are of all of its answers together; those of versions add. Where terms
cover changes, a version is a history, and losses are between two of them. What is drawn counts, sent or not; a query
whose answer is not drawn counts by its epsilon. Units: nats, rounded up.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby

from sordino.accounting.filter import BayesianFilter
from sordino.definition.coordinate import CoordinateDP
from sordino.definition.pairwise import LDP
from sordino.errors import SordinoError
from sordino.exact.nats import Nats
from sordino.exact.rounding import up
from sordino.once.journal.event import MODELS
from sordino.once.ledger.documents.ledger_terms import LedgerTerms
from sordino.once.ledger.standing import Book, Entry


@dataclass(frozen=True)
class RevealedLoss:
    """What some answers revealed.

    Attributes:
        name: of the collector that has them, or of the attribute that they are about.
        queries: how many.
        realized: the most that they really revealed together.
        added: the sum of their epsilons; infinite where an answer rules values out.
    """

    name: str
    queries: int
    realized: float
    added: float


def losses_by_collector(terms: LedgerTerms, book: Book) -> tuple[RevealedLoss, ...]:
    """What each collector's answers revealed about the whole record, in the order of their names.

    Where some values are protected less than others: of what is protected.
    """
    entries = sorted(book.entries.values(), key=lambda entry: entry.query.collector)
    found = []
    for name, own in groupby(entries, key=lambda entry: entry.query.collector):
        group = list(own)
        realized, added = _record_loss(terms, group), _summed(terms, group)
        found.append(RevealedLoss(name, len(group), min(realized, added), added))
    return tuple(found)


def losses_by_attribute(terms: LedgerTerms, book: Book) -> tuple[RevealedLoss, ...]:
    """What all answers revealed about each attribute, to somebody who knows all others; without those never asked.

    At most what they revealed about the whole record; where terms cover changes what those that depend on the attribute
    revealed about the whole record.
    """
    found, each = [], [] if terms.changes else _attribute_losses(terms, book)
    whole = math.inf if terms.protects else _record_loss(terms, list(book.entries.values()))
    for place, name in enumerate(terms.names):
        group = [entry for entry in book.entries.values() if name in entry.query.attribute_names]
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


def _attribute_losses(terms: LedgerTerms, book: Book) -> list[float]:
    """Of each attribute, to somebody who knows all others."""
    totals = [0.0] * len(terms.names)
    modelled = terms.numbers == terms.names and all(own.query.kind in MODELS for own in book.entries.values())
    domain = terms.box if modelled and terms.box is not None else terms.domain
    for version in _versions(book.entries.values()):
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
    """The sum of the epsilons, exactly before it is rounded."""
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
