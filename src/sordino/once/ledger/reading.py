"""What one step reads of a ledger: all of its lines, or only those after the checkpoint and those about its query.

A checkpoint is taken for the lines before it only if it is whole, this ledger's own, worked out by the same program
from the same terms, and if the line that it ends with is there. Anything that does not fit, is not whole or cannot be
read has all lines read instead, which finds the damage. So a step that reads little may miss damage to an old line that
it does not need: the checkpoint still counts what that line told.
"""

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property
from hashlib import sha256
from importlib.metadata import version
from platform import python_version
from typing import Literal

from sordino.errors import DamagedError, SordinoError
from sordino.once.journal.checkpoint import (
    Checkpoint,
    chain_hash,
    drop_checkpoint,
    of_lines,
    read_checkpoint,
    write_checkpoint,
)
from sordino.once.journal.contents import META, Contents, read_contents, read_lines, read_meta
from sordino.once.journal.event import ASKED, DRAWN, INVITED, PERIOD, RECORD, SENT, TAKEN_BACK, Event
from sordino.once.ledger.balance import Balance, LedgerEntries
from sordino.once.ledger.frozen_values import UnfrozenError, encode
from sordino.once.ledger.ledger_terms import LedgerTerms

Purpose = Literal["decide", "find"]
"""What a part of the lines is read for: to decide by the balance, or to find a query."""

Checked = Literal["none", "agrees", "differed"]
"""A checkpoint, once all lines were read: there was none, it says the same, or it was put away for another one."""

FIRST = 48
"""Lines up to which a ledger has no checkpoint: those of some sixteen queries. Each ask looks at all of them."""

EVERY = 15
"""Lines after which the next one is worth its writing: those of five queries."""

MOST_WAYS = 32
"""Ways in which open answers may turn out at most where a checkpoint is written: it holds a filter for each."""

LARGEST = 1 << 26
"""Bytes of a checkpoint at most."""

MEANING = 5
"""Counts what the words of a checkpoint meant, where the versions of the libraries do not tell."""


@dataclass(frozen=True)
class LedgerReading:
    """Lines of a ledger, read within one transaction.

    Attributes:
        meta: what stands beside the lines.
        earlier: of the lines that the checkpoint stands for those that were read, ascending.
        events: the lines after those, ascending; of a damaged ledger those that are whole.
        damage: what is not whole, in words; empty if nothing is known not to be.
        checkpoint: what stands for lines before; None if no line is missing.
        start: the balance after those; None if there are none, or nobody asked for it.
    """

    terms: LedgerTerms
    meta: Mapping[str, str]
    earlier: tuple[Event, ...]
    events: tuple[Event, ...]
    damage: tuple[str, ...] = ()
    checkpoint: Checkpoint | None = None
    start: Balance | None = None

    @classmethod
    def of_contents(cls, terms: LedgerTerms, contents: Contents) -> "LedgerReading":
        """All lines, and no checkpoint."""
        return cls(terms, contents.meta, (), contents.events, contents.damage)

    @property
    def head(self) -> int:
        """The number of lines."""
        return (0 if self.checkpoint is None else self.checkpoint.lines) + len(self.events)

    def about(self, name: str) -> tuple[Event, ...]:
        """The lines about a query or a plan, as far as they were read."""
        return tuple(event for event in (*self.earlier, *self.events) if event.id == name)

    @cached_property
    def entries(self) -> LedgerEntries:
        """What was asked and answered, as far as it was read."""
        return LedgerEntries.of(self.terms, (*self.earlier, *self.events))

    @cached_property
    def balance(self) -> Balance:
        """What may be asked next."""
        try:
            if self.start is None:
                return Balance.of(self.terms, self.events)
            return self.start.after_all(self.events)
        except SordinoError as error:
            rule = "a ledger's queries must be accepted by the filter as they were when they were asked"
            step = "answers are still sent again; ask nothing new, or use the Sordino that asked them"
            raise DamagedError(rule, found=f"today {error.rule}", step=step) from None

    @cached_property
    def trouble(self) -> tuple[str, ...]:
        """Why nothing new is asked, in words; empty if all is well."""
        if self.damage:
            return self.damage
        try:
            _ = self.balance
        except SordinoError as error:
            return (f"its decisions, {error.found}",)
        return ()

    def keep(self, connection: sqlite3.Connection) -> None:
        """Write a checkpoint of the balance within the transaction of this reading, where it is worth it."""
        if len(self.events) >= (FIRST if self.checkpoint is None else EVERY) and self.balance.most_ways <= MOST_WAYS:
            self._write(connection)

    def verify(self, connection: sqlite3.Connection) -> Checked:
        """Whether the checkpoint says what all lines say, which were read; one that does not is put away."""
        found = read_checkpoint(connection, self.meta["key"])
        if found is None:
            _ = self.balance
            return "none"
        first = replace(self, events=self.events[: found.lines])
        expected = first.next_checkpoint()
        rest = replace(
            self, earlier=first.events, events=self.events[found.lines :], checkpoint=expected, start=first.balance
        )
        _ = rest.balance
        if found == expected:
            return "agrees"
        # Too large a balance leaves none: one that does not fit must not stay.
        drop_checkpoint(connection)
        rest._write(connection)  # noqa: SLF001 - another reading
        return "differed"

    def next_checkpoint(self) -> Checkpoint | None:
        """The checkpoint after all lines; None before the first, and where the balance cannot be written."""
        if not self.events:
            return self.checkpoint
        try:
            content = self.balance.content
        except UnfrozenError:
            return None
        return of_lines(self.checkpoint, self.events, self.balance.version.number, basis_of(self.terms), content)

    def _write(self, connection: sqlite3.Connection) -> None:
        checkpoint = self.next_checkpoint()
        if checkpoint is not None and len(checkpoint.state) <= LARGEST:
            write_checkpoint(connection, self.meta["key"], checkpoint)


def read_all(connection: sqlite3.Connection, terms: LedgerTerms, *, replay: bool = False) -> LedgerReading:
    """All lines within a transaction.

    Args:
        replay: work out the balance from the lines, whatever a checkpoint says.

    Raises:
        sqlite3.DatabaseError: a file that is damaged beyond this way of reading.
    """
    contents = read_contents(connection)
    reading = LedgerReading.of_contents(terms, contents)
    checkpoint = None if replay or contents.damage else read_checkpoint(connection, contents.meta["key"])
    if checkpoint is None:
        return reading
    before, after = contents.events[: checkpoint.lines], contents.events[checkpoint.lines :]
    start = _start(terms, checkpoint)
    if start is None or chain_hash(before) != checkpoint.chain:
        return reading
    return LedgerReading(terms, contents.meta, before, after, (), checkpoint, start)


def read_part(connection: sqlite3.Connection, terms: LedgerTerms, name: str, *, to: Purpose) -> LedgerReading:
    """The lines after the checkpoint and those about a query within a transaction; all, where that is not enough.

    Raises as `read_all`.

    Args:
        to: decide by the balance, or find the query.
    """
    try:
        part = _part(connection, terms, name, to)
    except (sqlite3.DatabaseError, UnicodeDecodeError, OverflowError):
        part = None
    return read_all(connection, terms, replay=True) if part is None else part


def _part(connection: sqlite3.Connection, terms: LedgerTerms, name: str, to: Purpose) -> LedgerReading | None:
    """None where all lines must be read."""
    meta = read_meta(connection)
    checkpoint = read_checkpoint(connection, meta["key"]) if meta.keys() >= META.keys() else None
    if checkpoint is None:
        return None
    events = _from_last(connection, checkpoint, int(meta["head"]))
    earlier = _earlier(connection, checkpoint, name)
    start = _start(terms, checkpoint) if to == "decide" else None
    if events is None or earlier is None or (to == "decide" and start is None):
        return None
    return LedgerReading(terms, meta, earlier, events, (), checkpoint, start)


def _from_last(connection: sqlite3.Connection, checkpoint: Checkpoint, head: int) -> tuple[Event, ...] | None:
    """The lines after a checkpoint; None where one is lost, or the one that it ends with is another."""
    rows = read_lines(connection, "sequence >= ?", checkpoint.lines)
    events = [event for event in rows if event is not None]
    if len(events) < len(rows) or [event.sequence for event in events] != list(range(checkpoint.lines, head + 1)):
        return None
    return tuple(events[1:]) if events and events[0].seal == checkpoint.last else None


def _earlier(connection: sqlite3.Connection, checkpoint: Checkpoint, name: str) -> tuple[Event, ...] | None:
    """The last version of the record and the lines about a query, before a checkpoint; None where one is lost."""
    kinds = {RECORD: str(checkpoint.record)} | dict.fromkeys((ASKED, DRAWN, INVITED, SENT, PERIOD, TAKEN_BACK), name)
    events = []
    for kind, about in kinds.items():
        rows = read_lines(connection, "id = ? AND event = ? AND sequence <= ?", about, kind, checkpoint.lines)
        if None in rows or len(rows) != checkpoint.has(kind, about):
            return None
        events += [event for event in rows if event is not None]
    return tuple(sorted(events, key=lambda event: event.sequence))


def _start(terms: LedgerTerms, checkpoint: Checkpoint) -> Balance | None:
    """The balance of a checkpoint; None where it was worked out by something else."""
    if checkpoint.basis != basis_of(terms):
        return None
    try:
        return Balance.of_bytes(terms, checkpoint.state)
    except UnfrozenError:
        return None


def basis_of(terms: LedgerTerms) -> str:
    """By what a balance is worked out: the terms, the filter that they begin with, and the program."""
    begun = terms.filter()
    limits = encode((begun.domain, begun.definition, begun.rule, begun.nodes, begun.group, begun.changes))
    return " ".join((str(MEANING), *_versions(), terms.hash, sha256(limits).hexdigest()))


@cache
def _versions() -> tuple[str, ...]:
    return version("sordino"), version("numpy"), python_version()
