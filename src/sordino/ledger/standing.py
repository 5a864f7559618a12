"""Where a ledger stands after its events: what was asked and answered, and what may still be asked.

A function of the events alone, in their order; of the decisions, one of public events alone. Versions of the record are
different records: what was lost about an earlier one stays lost, and what is lost about the next one adds to it.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import isinf
from typing import Any, Literal

from sordino.accounting.joint import JointFilter
from sordino.accounting.state import Decision, FilterState
from sordino.errors import RefusedError, SordinoError
from sordino.exact.messages.brief import shown
from sordino.exact.nats import in_nats, outward
from sordino.ledger.documents.asked_query import query_of_document, unread_query
from sordino.ledger.documents.ledger_query import LedgerQuery
from sordino.ledger.documents.ledger_terms import LedgerTerms
from sordino.ledger.documents.query_table import PLAN_KIND
from sordino.ledger.frozen_values import freeze, thaw
from sordino.ledger.journal.event import ASKED, DRAWN, RECORD, SENT, Event

RESTORE = "restore the ledger from a copy, and ask nothing new until then"
"""Where a line cannot follow those before it."""

FEW_CODES = 16
"""Of a plan's query, each of which is looked at while its answer is out."""

State = Literal["reserved", "sampled", "sent"]


def refusal_of(terms: LedgerTerms, loss: float) -> RefusedError:
    """The refusal of a query with which answers could reveal so much."""
    if isinf(loss):
        rule = "no answer may rule out values that the ledger's terms protect"
        step = "ask through a mechanism whose every code can come from each protected value"
        return RefusedError(
            rule, found="a query with an answer that does, or with too many codes to look at each", step=step
        )
    rule = f"all answers together must reveal at most {in_nats(str(terms.epsilon))}"
    if terms.protects:
        rule = "all answers together must keep the bounds of the ledger's terms for every two values"
    found = f"up to {outward(Fraction(loss), 6, up=True)} with this query"
    return RefusedError(rule, found=found, step="ask with a smaller epsilon, or not at all")


@dataclass(frozen=True)
class Entry:
    """A query that was accepted.

    Attributes:
        record: the version of the record that it is about.
        sequence: its place among all events.
        time: when it was accepted, by the device's clock.
        code: its answer, once it is drawn.
        sent: whether the answer is known to have been sent.
        report: of a plan what its collector gets, once it is drawn.
    """

    query: LedgerQuery
    record: int
    sequence: int
    time: str
    code: int | None = None
    sent: bool = False
    report: Mapping[str, Any] | None = None

    @property
    def state(self) -> State:
        """How far it has come."""
        return "sent" if self.sent else "reserved" if self.code is None else "sampled"


@dataclass(frozen=True)
class Version:
    """A version of the record.

    Attributes:
        number: 1 for the first; 0 before anything was asked.
        digest: a keyed hash of the record; empty where it is not known.
    """

    number: int = 0
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
                versions.append(Version(int(event.id), event.secret))
            elif event.event == ASKED:
                query = unread_query(event.body["query"], terms)
                entries[event.id] = Entry(query, event.body["record"], event.sequence, event.time)
            elif entry is not None and event.event == DRAWN:
                entries[event.id] = replace(entry, code=int(event.secret), report=event.body.get("report"))
            elif entry is not None and event.event == SENT:
                entries[event.id] = replace(entry, code=int(event.body["code"]), sent=True)
        return cls(entries, tuple(versions))


@dataclass(frozen=True, eq=False)
class Standing:
    """What may be asked next.

    Attributes:
        joint: the filter of all that was asked.
        version: of the record, the one that queries are about now.
    """

    terms: LedgerTerms
    joint: JointFilter
    version: Version = field(default_factory=Version)

    @classmethod
    def of(cls, terms: LedgerTerms, events: Iterable[Event]) -> "Standing":
        """From all events of a ledger.

        Raises SordinoError: an event that cannot follow the earlier ones: a query that the filter does not accept.
        """
        return cls(terms, JointFilter.of(terms.filter())).after_all(events)

    @classmethod
    def of_bytes(cls, terms: LedgerTerms, content: bytes) -> "Standing":
        """From what `content` gave, by the same terms.

        Raises UnfrozenError: other bytes, or parts that have other fields today.
        """
        joint, number, digest = thaw(content)
        return cls(terms, joint, Version(number, digest))

    @property
    def content(self) -> bytes:
        """All of it but the terms, exactly: equal standings, and no others, give equal bytes.

        Raises UnfrozenError: parts that cannot be written.
        """
        return freeze((self.joint, self.version.number, self.version.digest))

    def after_all(self, events: Iterable[Event]) -> "Standing":
        """Where it stands after some more events."""
        standing = self
        for event in events:
            standing = standing.after(event)
        return standing

    def after(self, event: Event) -> "Standing":
        """Where it stands after one more event; what is drawn and not sent changes nothing."""
        if event.event == RECORD:
            following = self.with_record(event.secret)
            if event.id != str(following.version.number):
                found = f"an event that is not version {following.version.number}"
                raise SordinoError("versions of a record must be counted", found=found, step=RESTORE)
            return following
        if event.event == ASKED:
            query = query_of_document(event.body["query"], self.terms)
            if query.id != event.id or query.fingerprint != event.body["channel"]:
                rule = "a query must build the channel that it was asked by"
                raise SordinoError(rule, found=f"the channel {query.fingerprint}", step=RESTORE)
            if event.body["record"] != self.version.number:
                rule = f"a query must be about the record's last version, {self.version.number}"
                raise SordinoError(rule, found=f"version {shown(event.body['record'])}", step=RESTORE)
            return replace(self, joint=self.joint.with_query(query.id, query.channel, pending=_is_pending(query)))
        if event.event == SENT:
            return replace(self, joint=self.joint.with_answer(event.id, int(event.body["code"])))
        return self

    def with_record(self, digest: str) -> "Standing":
        """Where it stands for another version of the record, about which nothing was asked yet."""
        joint = self.joint.changed() if self.version.number else self.joint
        return Standing(self.terms, joint, Version(self.version.number + 1, digest))

    def decide(self, query: LedgerQuery) -> Decision[FilterState]:
        """Whether a query may be asked about this version of the record; nothing changes."""
        self.joint.require_room(query.channel, pending=_is_pending(query))
        return self.joint.decide(query.channel)


def _is_pending(query: LedgerQuery) -> bool:
    """Whether it counts by the most that it can add until its answer is sent: a plan's queries can have many codes."""
    return query.kind == PLAN_KIND and query.channel.outputs > FEW_CODES
