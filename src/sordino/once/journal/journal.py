"""A person's journal: one file on their device, in which each answer stands before it leaves, drawn once and for all.

A journal with terms is a ledger, whose filter decides what is answered; one without is a store of answers. Each step is
one transaction that keeps all other writers out. An answer that was drawn is on the disk, in the file itself, before it
is sent (`settle`). Of a damaged journal every whole answer is still sent; nothing is ever written to it again.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from sqlite3 import Connection
from typing import Any, ClassVar, Protocol

from sordino.document.sealed import canonical
from sordino.errors import DamagedError, SordinoError
from sordino.once.journal.contents import Contents, Writer, read_contents, salvage
from sordino.once.journal.event import ASKED, DRAWN, INVITED, SENT, TAKEN_BACK, Event
from sordino.once.journal.journal_file import LEDGER, STORE, JournalKind, UnreadableError, settle, transaction

Drawn = tuple[int, Mapping[str, Any]]
"""The code of a plan's answer, and its report as the collector takes it."""


class JournalLines(Protocol):
    """Lines that were read within one transaction."""

    @property
    def meta(self) -> Mapping[str, str]:
        """What stands beside the lines."""

    @property
    def damage(self) -> tuple[str, ...]:
        """What is not whole, in words; empty if nothing is known not to be."""

    @property
    def head(self) -> int:
        """The number of lines."""

    @property
    def events(self) -> tuple[Event, ...]:
        """The lines, ascending; of a ledger without those that a checkpoint stands for."""

    def about(self, name: str) -> tuple[Event, ...]:
        """The lines about a query or a plan."""


@dataclass(frozen=True, repr=False)
class StoredAnswer:
    """What was drawn.

    Attributes:
        upload: of a plan what its collector gets, the same bytes each time; empty of a query of a file.
        sent: whether a collector is known to have it.
        collector: whom it is for, as the journal names it; None where damage lost it.
    """

    code: int
    upload: bytes
    sent: bool
    collector: str | None = None


def now() -> str:
    """The device's clock."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def ignore_step(step: str) -> None:
    """What is told the name of each step."""
    del step


@dataclass(frozen=True)
class Journal:
    """The file; every method opens it anew, so that nothing is shared with a fork.

    Attributes:
        clock: what time it is, in words: information only.
        step: told the name of each step, for tests of what happens if there is no next one.
    """

    path: Path
    clock: Callable[[], str] = now
    step: Callable[[str], None] = ignore_step

    kind: ClassVar[JournalKind] = STORE

    def contents(self) -> Contents:
        """All its lines, or of a damaged file those that are whole.

        Raises:
            SordinoError: no journal of this kind, or nothing that is whole.
        """
        try:
            with transaction(self.path, write=False, kind=self.kind) as connection:
                contents = read_contents(connection)
        except UnreadableError:
            contents = salvage(self.path, self.kind)
        self._require_kind(contents.meta)
        return contents

    def find_answer(self, name: str) -> StoredAnswer | None:
        """The answer to a query or a plan, if it was drawn.

        Args:
            name: the query's id, or the plan's hash.

        Raises:
            SordinoError: no journal of this kind, or nothing that is whole.
        """
        return answer_in(self._lines(name), name)

    def find_collector(self, name: str) -> str | None:
        """Whom the answer to a query or a plan is reserved for; None where nothing is, or where damage lost it.

        Args:
            name: the query's id, or the plan's hash.
        """
        return collector_in(self._lines(name), name)

    def needs_invitation(self, plan: str) -> bool:
        """Whether an answer is taken back by an invitation alone: it may still be on its way by one.

        Args:
            plan: its hash.
        """
        events = {event.event: event for event in self._lines(plan).about(plan)}
        taken_back = events.get(TAKEN_BACK)
        acknowledged = SENT in events if taken_back is None else taken_back.body.get("acknowledged") is True
        return INVITED in events and not acknowledged

    def is_taken_back(self, plan: str) -> bool:
        """Whether the answer to a plan was taken back; the collector may still have to be told.

        Args:
            plan: its hash.
        """
        return any(event.event == TAKEN_BACK for event in self._lines(plan).about(plan))

    def deliver(self, name: str, send: Callable[[], None]) -> None:
        """Send an answer that was drawn: once it is settled, and noted once it was sent.

        Args:
            name: of what was answered.
            send: delivers it, and returns once it is acknowledged. What it raises, is raised: deliver it again then.

        Raises:
            SordinoError: no answer that is settled.
        """
        self.settle(name)
        self.step("sending")
        send()
        self.step("delivered")
        self.note_sent(name)

    def settle(self, name: str) -> None:
        """Make an answer outlast damage to the log, before it is sent.

        Args:
            name: of what was answered.

        Raises:
            SordinoError: no answer that is settled.
        """
        try:
            settle(self.path, self.kind)
        except UnreadableError:
            # Of a damaged file nothing is read but what is in the file itself.
            if answer_in(salvage(self.path, self.kind), name) is None:
                raise
        self.step("settled")

    def note_sent(self, name: str) -> None:
        """Note that an answer was sent; in a damaged journal, where nothing is written, it stays unknown.

        Args:
            name: of what was answered.

        Raises:
            SordinoError: no answer to it.
        """
        with suppress(UnreadableError), transaction(self.path, write=True, kind=self.kind) as connection:
            lines = self._read(connection, name)
            found = answer_in(lines, name)
            if found is None:
                rule = "an answer must be drawn before it is sent"
                raise SordinoError(rule, found="a query without an answer", step="draw it first")
            if not found.sent and not lines.damage:
                Writer(connection, lines.head, self.clock()).add(SENT, name, {"code": str(found.code)})
                self.step("noting")
        self.step("noted")

    def note_invited(self, plan: str) -> None:
        """Note that an answer is sent by an invitation, before it is; a damaged journal cannot note it.

        Args:
            plan: its hash.
        """
        with suppress(UnreadableError):
            with transaction(self.path, write=True, kind=self.kind) as connection:
                lines = self._read(connection, plan)
                if not lines.damage and all(event.event != INVITED for event in lines.about(plan)):
                    Writer(connection, lines.head, self.clock()).add(INVITED, plan, {})
            settle(self.path, self.kind)

    def note_taken_back(self, plan: str) -> None:
        """Note that the answer to a plan is taken back: it counts as one that was sent, and is not sent again.

        A damaged journal cannot note it.

        Args:
            plan: its hash.
        """
        with suppress(UnreadableError):
            self._take_back(plan)
            settle(self.path, self.kind)

    def _take_back(self, plan: str) -> None:
        with transaction(self.path, write=True, kind=self.kind) as connection:
            lines = self._read(connection, plan)
            if not lines.damage and all(event.event != TAKEN_BACK for event in lines.about(plan)):
                writer, found = Writer(connection, lines.head, self.clock()), answer_in(lines, plan)
                if found is not None and not found.sent:
                    # It may have been seen. As any that it might be it would stand in the way of all later questions.
                    writer.add(SENT, plan, {"code": str(found.code)})
                writer.add(TAKEN_BACK, plan, {"acknowledged": found is not None and found.sent})

    def choose_once(self, event: str, plan: str, choose: Callable[[], int]) -> int:
        """The period or the question of the person's answer: the one chosen before, or a new one, now on the disk.

        Args:
            event: `PERIOD` or `QUESTION`.
            plan: its hash.
            choose: gives a place, from 0, where none was chosen.

        Raises:
            DamagedError: a journal that is not whole, in which nothing more is chosen.
            UnavailableError: the system refuses to write; what was drawn is forgotten.
        """
        with self._write(plan) as (lines, writer):
            chosen = [int(line.body[event]) for line in lines.about(plan) if line.event == event]
            if not chosen:
                self.step(f"choosing a {event}")
                chosen.append(choose())
                writer.add(event, plan, {event: chosen[0]})
        settle(self.path, self.kind)
        self.step(f"{event} stored")
        return chosen[0]

    def _draw(self, writer: Writer, name: str, draw: Callable[[], int | Drawn], collector: str) -> Event:
        self.step("drawing")
        made = draw()
        self.step("drawn")
        code, report = (made, None) if isinstance(made, int) else made
        # In the order in which it will be read: what is sent is the same each time.
        body = {} if report is None else {"report": json.loads(canonical(dict(report))), "collector": collector}
        line = writer.add(DRAWN, name, body, str(code))
        self.step("storing")
        return line

    def _lines(self, name: str) -> JournalLines:
        del name
        return self.contents()

    def _read(self, connection: Connection, name: str) -> JournalLines:
        del name
        contents = read_contents(connection)
        self._require_kind(contents.meta)
        return contents

    @contextmanager
    def _write(self, name: str) -> Iterator[tuple[JournalLines, Writer]]:
        """All that is known about a query or a plan, and what adds lines, within a transaction.

        Raises:
            DamagedError: a journal that is not whole.
        """
        with transaction(self.path, write=True, kind=self.kind) as connection:
            lines = self._read(connection, name)
            self._require_whole(lines)
            yield lines, Writer(connection, lines.head, self.clock())

    def _require_kind(self, meta: Mapping[str, str]) -> None:
        """A ledger is never asked without its filter, and a store never by one."""
        found = LEDGER if meta["terms"] else STORE
        if found is not self.kind:
            step = "name a ledger by --ledger, a store of answers by --store"
            raise SordinoError(f"{self.path} must be a {self.kind.noun}", found=f"a {found.noun}", step=step)

    def _require_whole(self, lines: JournalLines) -> None:
        """In a damaged journal lines may be missing of what was answered: nothing more is asked."""
        if lines.damage:
            rule = f"{self.path} must be whole before anything new is asked"
            step = (
                "answers that are whole are still sent again; restore an undamaged copy, no older one, or ask no more"
            )
            raise DamagedError(rule, found="damage to " + ", ".join(lines.damage), step=step)


def answer_in(lines: JournalLines, name: str) -> StoredAnswer | None:
    """The answer to a query or a plan, if one of the lines says that it was drawn."""
    events = {event.event: event for event in lines.about(name)}
    drawn, sent = events.get(DRAWN), events.get(SENT)
    if drawn is None:
        # Of a damaged journal the other line may be whole.
        return None if sent is None else StoredAnswer(int(sent.body["code"]), b"", sent=True)
    upload = upload_of(drawn.body.get("report"))
    return StoredAnswer(int(drawn.secret), upload.encode(), sent=sent is not None, collector=collector_in(lines, name))


def collector_in(lines: JournalLines, name: str) -> str | None:
    """Whom the answer to a query or a plan is reserved for, if one of the lines says so."""
    for event in lines.about(name):
        words = event.body["query"] if event.event == ASKED else event.body
        if event.event in (ASKED, DRAWN) and "collector" in words:
            return str(words["collector"])
    return None


def upload_of(report: Mapping[str, Any] | None) -> str:
    """A report as a collector takes it: always the same text; empty where there is none."""
    return "" if report is None else json.dumps({"reports": [dict(report)]})
