"""Where a ledger stands after its events: what was asked and answered, and what may still be asked.

A function of the events alone, in their order; of the decisions, one of public events alone. Versions of the record are
different records: what was lost about an earlier one stays lost, and what is lost about the next one adds to it. Terms
may cover some changes: the filter is of histories then, and a version is one of those, with so many changes. They are
counted by the hashes that stand with the queries, for this device alone: until there are more of them nothing but such
a hash and the count depends on whether the record changed.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from sordino.accounting.joint_filter import JointFilter
from sordino.errors import SordinoError
from sordino.exact.messages import shown
from sordino.once.journal.event import ASKED, DRAWN, PLAN_KIND, RECORD, SENT, Event
from sordino.once.ledger.frozen_values import decode, encode
from sordino.once.ledger.ledger_decision import LedgerDecision, QuotaDecision, QuotaLeft, quota_left
from sordino.once.ledger.ledger_query import LedgerQuery, query_of_document, unread_query
from sordino.once.ledger.ledger_terms import LedgerTerms

RESTORE = "restore the ledger from a copy, and ask nothing new until then"
"""Where a line cannot follow those before it."""

FEW_CODES = 16
"""Largest number of a plan's codes of which each is looked at while the answer is out."""

CHANGES = 4
"""Digits of how often a record changed; terms cover fewer."""

State = Literal["reserved", "sampled", "sent"]


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
        digest: a keyed hash of the record, as it was when it was last read; empty where it is not known.
        changes: of the record within the version, as many as the terms cover at most; secret, as the hash is.
    """

    number: int = 0
    digest: str = ""
    changes: int = 0


@dataclass(frozen=True)
class LedgerEntries:
    """What stands in a ledger, without decisions.

    Attributes:
        by_id: in the order in which they were accepted, by the queries' ids.
        versions: of the record, the last one last.
    """

    by_id: Mapping[str, Entry]
    versions: tuple[Version, ...]

    @classmethod
    def of(cls, terms: LedgerTerms, events: Iterable[Event]) -> "LedgerEntries":
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
class Balance:
    """What may be asked next.

    Attributes:
        joint: the filter of all that was asked.
        version: of the record, the one that queries are about now.
        own: for each quota the filter of the queries that it bounds, by the collector's key; empty without quotas.
    """

    terms: LedgerTerms
    joint: JointFilter
    version: Version = field(default_factory=Version)
    own: Mapping[str, JointFilter] = field(default_factory=dict)

    @classmethod
    def of(cls, terms: LedgerTerms, events: Iterable[Event]) -> "Balance":
        """From all events of a ledger.

        Raises SordinoError: an event that cannot follow the earlier ones: a query that the filter does not accept.
        """
        own = {key: JointFilter.of(begun) for key, begun in terms.quota_filters().items()}
        return cls(terms, JointFilter.of(terms.filter()), own=own).after_all(events)

    @classmethod
    def of_bytes(cls, terms: LedgerTerms, content: bytes) -> "Balance":
        """From what `content` gave, by the same terms.

        Raises UnfrozenError: other bytes, or parts that have other fields today.
        """
        joint, number, secret, own = decode(content)
        return cls(terms, joint, Version(number, secret[CHANGES:], int(secret[:CHANGES], 16)), own)

    @property
    def content(self) -> bytes:
        """All of it but the terms, exactly: equal standings, and no others, give equal bytes.

        Raises UnfrozenError: parts that cannot be written.
        """
        version = self.version
        # As one text, whose length is the same whatever changed: no other part can equal it and be written once.
        secret = f"{version.changes:0{CHANGES}x}{version.digest}"
        return encode((self.joint, version.number, secret, dict(self.own)))

    @property
    def most_ways(self) -> int:
        """In how many ways open answers may turn out, all of them or those that a quota bounds."""
        return max(len(each.ways) for each in (self.joint, *self.own.values()))

    @property
    def quotas(self) -> tuple[QuotaLeft, ...]:
        """What is left of each quota, that of all others last."""
        return tuple(quota_left(self.terms, key, own, self.joint) for key, own in self.own.items())

    def own_filter(self, collector: str) -> tuple[str, JointFilter] | None:
        """The quota that bounds a collector's queries, by its key, and the filter of these; None without quotas."""
        if self.terms.quotas is None:
            return None
        key = self.terms.quotas.key(collector)
        return key, self.own[key]

    def after_all(self, events: Iterable[Event]) -> "Balance":
        """Where it stands after some more events."""
        balance = self
        for event in events:
            balance = balance.after(event)
        return balance

    def after(self, event: Event) -> "Balance":
        """Where it stands after one more event; what is drawn and not sent changes nothing."""
        if event.event == RECORD:
            following = self.next_version(event.secret)
            if event.id != str(following.version.number):
                found = f"an event that is not version {following.version.number}"
                raise SordinoError("versions of a record must be counted", found=found, step=RESTORE)
            return following
        if event.event == ASKED:
            query = query_of_document(event.body["query"], self.terms)
            if query.id != event.id or query.fingerprint != event.body["channel"]:
                rule = "a query must build the channel that it was asked by"
                raise SordinoError(rule, found=f"the channel {query.fingerprint}", step=RESTORE)
            # What the terms cover stands with the query on the device itself; more changes have a line of their own.
            balance = self.with_record(event.secret) if event.secret else self
            if event.body["record"] != balance.version.number:
                rule = f"a query must be about the record's last version, {balance.version.number}"
                raise SordinoError(rule, found=f"version {shown(event.body['record'])}", step=RESTORE)
            return balance._with_query(query)  # noqa: SLF001 - another balance
        if event.event == SENT:
            return self._with_answer(event.id, int(event.body["code"]))
        return self

    def with_record(self, digest: str) -> "Balance":
        """Where it stands once the record is read: the same but for what is secret, where terms cover a change."""
        version = self.version
        if not version.number or (digest != version.digest and version.changes >= self.terms.changes):
            return self.next_version(digest)
        changes = version.changes + (digest != version.digest)
        return replace(self, version=Version(version.number, digest, changes))

    def next_version(self, digest: str) -> "Balance":
        """Where it stands for another version of the record, about which nothing was asked yet."""
        joint, own = self.joint, self.own
        if self.version.number:
            joint, own = joint.changed(), {key: each.changed() for key, each in own.items()}
        return Balance(self.terms, joint, Version(self.version.number + 1, digest), own)

    def decide(self, query: LedgerQuery) -> LedgerDecision:
        """Whether a query may be asked about this version of the record; nothing changes."""
        pending = _is_pending(query)
        self.joint.require_room(query.channel, pending=pending)
        decision, quota = self.joint.decide(query.channel), self.own_filter(query.collector)
        if quota is None:
            return LedgerDecision(decision.accepted, decision.loss)
        key, own = quota
        own.require_room(query.channel, pending=pending)
        by_quota = own.decide(query.channel)
        return LedgerDecision(decision.accepted, decision.loss, QuotaDecision(key, by_quota.accepted, by_quota.loss))

    def _with_query(self, query: LedgerQuery) -> "Balance":
        pending, quota = _is_pending(query), self.own_filter(query.collector)
        joint, own = self.joint.with_query(query.id, query.channel, pending=pending), self.own
        if quota is not None:
            key, before = quota
            own = {**own, key: before.with_query(query.id, query.channel, pending=pending)}
        return replace(self, joint=joint, own=own)

    def _with_answer(self, name: str, code: int) -> "Balance":
        own = {key: each.with_answer(name, code) if name in each.open_names else each for key, each in self.own.items()}
        return replace(self, joint=self.joint.with_answer(name, code), own=own)


def _is_pending(query: LedgerQuery) -> bool:
    """Whether it counts by the most that it can add until its answer is sent: a plan's queries can have many codes."""
    return query.kind == PLAN_KIND and query.channel.outputs > FEW_CODES
