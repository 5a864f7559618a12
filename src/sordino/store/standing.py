"""Where a ledger stands after its events: what was asked and answered, and what may still be asked.

A function of the events alone, in their order; of the decisions, one of public events alone. Versions of the record are
different records: each has a filter of its own, and starts with what the earlier ones have left, whatever the answers
about them that are still out turn out to be.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Literal

from sordino.accounting.joint import JointFilter
from sordino.accounting.state import Decision
from sordino.errors import SordinoError
from sordino.exact.nats import Nats
from sordino.store.event import ASKED, DRAWN, RECORD, SENT, Event
from sordino.survey.asked_query import AskedQuery
from sordino.survey.ledger_terms import LedgerTerms

State = Literal["reserved", "sampled", "sent"]

ROUNDING = Fraction(1, 10**9)
"""Nats by which certified bounds of one loss, worked out on two machines, may differ."""


@dataclass(frozen=True)
class Entry:
    """A query that was accepted.

    Attributes:
        query: what was asked, and by whom.
        record: the version of the record that it is about.
        sequence: its place among all events.
        time: when it was accepted, by the device's clock.
        code: its answer, once it is drawn.
        sent: whether the answer is known to have been sent.
    """

    query: AskedQuery
    record: int
    sequence: int
    time: str
    code: int | None = None
    sent: bool = False

    @property
    def state(self) -> State:
        """How far it has come."""
        return "sent" if self.sent else "reserved" if self.code is None else "sampled"


@dataclass(frozen=True)
class Version:
    """A version of the record.

    Attributes:
        number: 1 for the first; 0 before anything was asked.
        spent: in nats, exactly, as text: what earlier versions have spent.
        digest: a keyed hash of the record; empty where it is not known.
    """

    number: int = 0
    spent: str = "0"
    digest: str = ""


@dataclass(frozen=True)
class Book:
    """What stands in a ledger, without decisions.

    Attributes:
        entries: in the order in which they were accepted, by the queries' ids.
        versions: of the record, the last one last.
    """

    entries: Mapping[str, Entry]
    versions: tuple[Version, ...]

    @classmethod
    def of(cls, terms: LedgerTerms, events: Iterable[Event]) -> "Book":
        """From whole events, some of which may be missing."""
        entries: dict[str, Entry] = {}
        versions = [Version()]
        for event in events:
            entry = entries.get(event.id)
            if event.event == RECORD:
                versions.append(Version(int(event.id), event.body["spent"], event.secret))
            elif event.event == ASKED:
                query = AskedQuery(event.body["query"], terms)
                entries[event.id] = Entry(query, event.body["record"], event.sequence, event.time)
            elif entry is not None and event.event == DRAWN:
                entries[event.id] = replace(entry, code=int(event.secret))
            elif entry is not None and event.event == SENT:
                entries[event.id] = replace(entry, code=int(event.body["code"]), sent=True)
        return cls(entries, tuple(versions))


@dataclass(frozen=True, eq=False)
class Standing:
    """What may be asked next.

    Attributes:
        terms: the promise.
        version: of the record, the one that questions are about now.
        joint: the filter of that version; None where nothing is left for it.
        asked: the queries about that version, by their ids.
    """

    terms: LedgerTerms
    version: Version = field(default_factory=Version)
    joint: JointFilter | None = None
    asked: Mapping[str, AskedQuery] = field(default_factory=dict)

    @classmethod
    def of(cls, terms: LedgerTerms, events: Iterable[Event]) -> "Standing":
        """From all events of a ledger.

        Raises:
            SordinoError: an event that cannot follow the earlier ones: a query that the filter does not accept.
        """
        standing = cls.start(terms)
        for event in events:
            standing = standing.after(event)
        return standing

    @classmethod
    def start(cls, terms: LedgerTerms) -> "Standing":
        """Before anything was asked."""
        return cls(terms, joint=_joint(terms, "0"))

    def after(self, event: Event) -> "Standing":
        """Where it stands after one more event; what is drawn and not sent changes nothing."""
        if event.event == RECORD:
            following = self.with_record(event.secret)
            spent = Nats.of(event.body["spent"])
            if event.id != str(following.version.number) or spent + ROUNDING < following.version.spent:
                raise SordinoError("a version of the record must start with what is left", found="another amount")
            return self._starting(replace(following.version, spent=event.body["spent"]))
        if event.event == ASKED:
            query = AskedQuery.of_document(event.body["query"], self.terms)
            if query.id != event.id or query.channel.fingerprint != event.body["channel"]:
                raise SordinoError("a query must build the channel that it was asked by", found="another channel")
            if self.joint is None or event.body["record"] != self.version.number:
                raise SordinoError("a query must be about the record's last version", found="another one")
            return replace(self, joint=self.joint.asked(query.id, query.channel), asked={**self.asked, query.id: query})
        if event.event == SENT and self.joint is not None and event.id in self.asked:
            return replace(self, joint=self.joint.answered(event.id, int(event.body["code"])))
        return self

    def with_record(self, digest: str) -> "Standing":
        """Where it stands for another version of the record, about which nothing was asked yet."""
        spent = Nats.of(self.version.spent).rational
        if self.joint is not None and self.version.number:
            spent += Fraction(self.joint.spent)
        return self._starting(Version(self.version.number + 1, str(spent), digest))

    def _starting(self, version: Version) -> "Standing":
        return Standing(self.terms, version, _joint(self.terms, version.spent))

    @property
    def record_body(self) -> dict[str, str]:
        """What everybody may know of the version."""
        return {"spent": self.version.spent}

    def decide(self, query: AskedQuery) -> Decision:
        """Whether a query may be asked about this version of the record; nothing changes.

        Raises:
            SordinoError: a query that does not fit the record, or too many answers that are out.
        """
        if self.joint is None:
            return Decision(False, (Nats.of(self.version.spent) + query.channel.epsilon).ceil())
        self.joint.require_room(query.channel)
        decision = self.joint.decide(query.channel)
        return Decision(decision.accepted, (Nats.of(self.version.spent) + Fraction(decision.loss)).ceil())

    @property
    def spent(self) -> float:
        """Nats, rounded up: what all answers about all versions may have told, whatever those that are out are."""
        before = Nats.of(self.version.spent)
        return before.ceil() if self.joint is None else (before + Fraction(self.joint.spent)).ceil()

    @property
    def remaining(self) -> float:
        """Nats, rounded down: a query with at most this epsilon is accepted; larger ones may be."""
        return 0.0 if self.joint is None else self.joint.remaining

    @property
    def waiting(self) -> tuple[str, ...]:
        """The queries about this version whose answers are not known to have been sent."""
        return () if self.joint is None else self.joint.waiting


def _joint(terms: LedgerTerms, spent: str) -> JointFilter | None:
    start = terms.filter(spent)
    return None if start is None else JointFilter.of(start)
