"""A person's ledger: one file on their device, for all collectors, that never lets all answers tell more than agreed.

The order is reserve, draw, settle, send, note: a query is written down before its answer is drawn, the answer is on the
disk before it leaves, and whoever asks again gets the same answer. Each step is one transaction that keeps all other
writers out, so queries that come at once are admitted jointly. An answer counts as any that it might be until it is
known to have been sent.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from sqlite3 import Connection
from typing import Any, ClassVar

from sordino.document.kinds import explain_kind
from sordino.errors import RefusedError, SordinoError
from sordino.exact.keyed import KeyedSource
from sordino.exact.messages import checked
from sordino.exact.source import Stream
from sordino.once.journal.contents import Writer, read_meta, salvage, write_journal
from sordino.once.journal.event import ASKED, RECORD
from sordino.once.journal.journal import Drawn, Journal
from sordino.once.journal.journal_file import LEDGER, JournalKind, UnreadableError, transaction
from sordino.once.ledger.balance import Balance, Entry, LedgerEntries
from sordino.once.ledger.ledger_decision import LedgerDecision, refusal_of
from sordino.once.ledger.ledger_query import LedgerQuery
from sordino.once.ledger.ledger_terms import LedgerTerms, terms_of_text
from sordino.once.ledger.person_record import PersonRecord
from sordino.once.ledger.reading import Checked, LedgerReading, Purpose, read_all, read_part


@dataclass(frozen=True)
class Ledger(Journal):
    """The file of a ledger; every method opens it anew.

    Attributes:
        clock: what time it is, in words: information only.
        step: told the name of each step, for tests of what happens if there is no next one.

    Example:
        >>> from tempfile import TemporaryDirectory
        >>> terms = {"version": 1, "epsilon": "1", "attribute": {"smoker": {"categories": ["yes", "no"]}}}
        >>> with TemporaryDirectory() as folder:
        ...     ledger = Ledger.make(f"{folder}/me.ledger", terms)
        ...     float(ledger.balance().joint.remaining)
        1.0
    """

    kind: ClassVar[JournalKind] = LEDGER

    @classmethod
    @checked
    def make(cls, path: Path | str, terms: LedgerTerms | Mapping[str, Any] | Path | str) -> "Ledger":
        """A new ledger, which only its owner can open.

        Args:
            path: where nothing is yet.
            terms: what it promises; or the tables of their file, or the path of it.

        Raises:
            SordinoError: something has that name, or the system refuses.
            SordinoErrors: all mistakes of the terms.
        """
        if not isinstance(terms, LedgerTerms):
            terms = LedgerTerms.read(dict(terms)) if isinstance(terms, Mapping) else LedgerTerms.load(terms)
        write_journal(Path(path), terms.text, [])
        return cls(Path(path))

    @classmethod
    @checked
    def open(cls, path: Path | str) -> "Ledger":
        """A ledger that exists.

        Raises:
            SordinoError: no ledger of this user's alone, of a newer version, or so damaged that its terms are lost.
        """
        ledger = cls(Path(path))
        with explain_kind(ledger.path, "ledger"):
            _ = ledger.terms
        return ledger

    @cached_property
    def terms(self) -> LedgerTerms:
        """What it promises; it never changes."""
        try:
            with transaction(self.path, write=False) as connection:
                meta: Mapping[str, str] = read_meta(connection)
        except UnreadableError:
            meta = salvage(self.path).meta
        self._require_kind(meta)
        return terms_of_text(meta["terms"])

    def reading(self, *, replay: bool = False) -> LedgerReading:
        """All its lines, or of a damaged file those that are whole, and where it stands after them.

        Args:
            replay: work the balance out from all lines, without the checkpoint.

        Raises:
            SordinoError: no ledger, or nothing that is whole.
        """
        try:
            with transaction(self.path, write=False) as connection:
                return read_all(connection, self.terms, replay=replay)
        except UnreadableError:
            return LedgerReading.of_contents(self.terms, salvage(self.path))

    def entries(self) -> LedgerEntries:
        """What was asked and answered."""
        return self.reading(replay=True).entries

    def balance(self, *, replay: bool = False) -> Balance:
        """What may be asked next.

        Args:
            replay: work it out from all lines, without the checkpoint.

        Raises:
            SordinoError: a damaged ledger, in which nothing more is asked.
        """
        reading = self.reading(replay=replay)
        self._require_whole(reading)
        return reading.balance

    def verify(self) -> Checked:
        """Work the balance out from all lines, and the checkpoint again if it is another.

        Raises:
            SordinoError: a damaged ledger, in which nothing is written.
        """
        with transaction(self.path, write=True) as connection:
            reading = read_all(connection, self.terms, replay=True)
            self._require_whole(reading)
            return reading.verify(connection)

    def trouble(self) -> tuple[str, ...]:
        """Why nothing new is asked, in words; empty if all is well."""
        return self.reading().trouble

    def find(self, name: str) -> Entry | None:
        """What was asked under an id, and answered; None if nothing was.

        Raises:
            SordinoError: no ledger, or nothing that is whole.
        """
        return self._part(name, to="find").entries.by_id.get(name)

    def public_stream(self, name: str) -> Stream:
        """Random words for one public choice: by the ledger's key and a name, whatever the record, always the same.

        Args:
            name: of what is chosen.

        Raises:
            SordinoError: a damaged ledger.
        """
        reading = self._part(name, to="find")
        self._require_whole(reading)
        source = KeyedSource(bytes.fromhex(reading.meta["key"]), f"public choice {name}")
        return source.for_records([0]).public(1)

    def decide(self, query: LedgerQuery, record: PersonRecord | None = None) -> LedgerDecision:
        """Whether a new query would be accepted; nothing changes.

        Args:
            query: what is asked.
            record: without it, as it was when it was last asked about.

        Raises:
            SordinoError: a damaged ledger, or a query that does not fit.
        """
        self._require_own_terms(query)
        reading = self._part(query.id, to="decide")
        self._require_whole(reading)
        return self._replay(reading, record).decide(query)

    def reserve(self, query: LedgerQuery, record: PersonRecord, draw: Callable[[], int | Drawn] | None = None) -> Entry:
        """Write a query down, if it is accepted; a query that stands there already is found again.

        Where the terms cover changes of the record its answer is drawn in the same transaction, as `draw` would later:
        it must be about the record of then, and whether it can be must not show whether that is another one by now.

        Raises:
            RefusedError: not accepted.
            SordinoError: a record outside the terms, whatever is asked; the query's id belongs to another one, its
            answer got lost about an earlier version of the record, a damaged ledger, or a query that does not fit,
            whatever the record.
        """
        record.require_of(self.terms)
        if self.terms.changes and draw is None:
            rule = "where terms cover changes, an answer must be drawn as its query is reserved"
            raise SordinoError(rule, found="no draw", step="give reserve what draws the answer")

        def write(connection: Connection, reading: LedgerReading, known: Entry | None) -> Entry | RefusedError:
            if known is not None:
                return known
            query.require_fit()
            balance = self._replay(reading, record)
            decision = balance.decide(query)
            reading.keep(connection)
            if not decision.accepted:
                return refusal_of(self.terms, decision)
            writer, version = Writer(connection, reading.head, self.clock()), balance.version
            if version.number != reading.entries.versions[-1].number:
                writer.add(RECORD, str(version.number), {}, version.digest)
            body = {"query": dict(query.document), "channel": query.fingerprint, "record": version.number}
            asked = writer.add(ASKED, query.id, body, version.digest if self.terms.changes else "")
            self.step("reserving")
            entry = Entry(query, version.number, asked.sequence, asked.time)
            return self._write_answer(writer, entry, draw) if draw is not None and self.terms.changes else entry

        entry = self._change_entry(query, record, write, to="decide")
        self.step("reserved")
        return entry

    def draw(self, query: LedgerQuery, record: PersonRecord, draw: Callable[[], int | Drawn]) -> Entry:
        """Draw the answer of a query that is reserved, once and for all; one that is drawn is found again.

        Args:
            query: what was reserved.
            record: as it was then.
            draw: gives the answer's code, of a plan with its report, with fresh randomness; called within the
                transaction that stores it.

        Raises:
            SordinoError: not reserved, another version of the record, or a damaged ledger.
        """

        def write(connection: Connection, reading: LedgerReading, known: Entry | None) -> Entry:
            if known is None:
                rule = "a query must be reserved before its answer is drawn"
                raise SordinoError(rule, found="one that is not reserved", step="call reserve first")
            return self._write_answer(Writer(connection, reading.head, self.clock()), known, draw)

        entry = self._change_entry(query, record, write, to="find")
        self.step("stored")
        return entry

    def _lines(self, name: str) -> LedgerReading:
        return self._part(name, to="find")

    def _read(self, connection: Connection, name: str) -> LedgerReading:
        return read_part(connection, self.terms, name, to="find")

    def _write_answer(self, writer: Writer, entry: Entry, draw: Callable[[], int | Drawn]) -> Entry:
        line = self._draw(writer, entry.query.id, draw, entry.query.collector)
        return replace(entry, code=int(line.secret), report=line.body.get("report"))

    def _part(self, name: str, *, to: Purpose) -> LedgerReading:
        try:
            with transaction(self.path, write=False) as connection:
                return read_part(connection, self.terms, name, to=to)
        except UnreadableError:
            return LedgerReading.of_contents(self.terms, salvage(self.path))

    def _change_entry(
        self,
        query: LedgerQuery,
        record: PersonRecord,
        write: Callable[[Connection, LedgerReading, Entry | None], Entry | RefusedError],
        *,
        to: Purpose,
    ) -> Entry:
        """A query's entry, found with its answer or written within a transaction of its own.

        Only an answer that is drawn is taken from a damaged ledger: what is missing there may have been sent. Raises
        RefusedError: what `write` gives instead of an entry; the transaction is committed.
        """
        self._require_own_terms(query)
        try:
            with transaction(self.path, write=True) as connection:
                reading = read_part(connection, self.terms, query.id, to=to)
                known = self._find_entry(reading, query, record)
                if known is not None and known.code is not None:
                    return known
                self._require_whole(reading)
                found = write(connection, reading, known)
        except UnreadableError:
            reading = LedgerReading.of_contents(self.terms, salvage(self.path))
            known = self._find_entry(reading, query, record)
            if known is not None and known.code is not None:
                return known
            self._require_whole(reading)
            raise
        if isinstance(found, RefusedError):
            raise found
        return found

    def _find_entry(self, reading: LedgerReading, query: LedgerQuery, record: PersonRecord) -> Entry | None:
        if reading.meta.get("copy") == "yes":
            rule = f"{self.path} must be the person's own ledger"
            found = "one made from a transcript, which only checks"
            raise SordinoError(rule, found=found, step="ask the ledger itself")
        entry = reading.entries.by_id.get(query.id)
        if entry is None:
            return None
        if entry.query.hash != query.hash:
            raise SordinoError(
                "a query's id must belong to one query for ever",
                found=f"{query.id!r}, which belongs to a different query",
                step="give the new query a new id",
            )
        if entry.code is None and not reading.damage:
            last = reading.entries.versions[-1]
            if entry.record != last.number or last.digest != _digest(reading, record):
                rule = "a query must be answered about the record that it was reserved for"
                found = "a record that has changed since, and no answer"
                raise RefusedError(rule, found=found, step="ask under another id; until then it counts as any answer")
        return entry

    def _replay(self, reading: LedgerReading, record: PersonRecord | None) -> Balance:
        balance = reading.balance
        if record is None:
            return balance if balance.version.number else balance.with_record("")
        return balance.with_record(_digest(reading, record))

    def _require_own_terms(self, query: LedgerQuery) -> None:
        if query.terms.hash != self.terms.hash:
            found = f"one read by the terms {query.terms.hash[:12]}, not {self.terms.hash[:12]}"
            step = "read the query again by this ledger's terms"
            raise SordinoError("a query must be read by the ledger's own terms", found=found, step=step)


def _digest(reading: LedgerReading, record: PersonRecord) -> str:
    return record.digest(bytes.fromhex(reading.meta["key"]))
