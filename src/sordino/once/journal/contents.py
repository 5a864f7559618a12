"""What a journal's file holds, and whether it is whole; and what writes lines into it.

Each line carries a hash of its own, and the number of lines stands beside the terms, so that a line that was changed or
is missing is noticed. Of a damaged file every whole line is kept; nothing is ever written to it again.
"""

import re
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from secrets import token_bytes
from sqlite3 import Connection
from typing import Any, TypeAlias

from sordino.document.sealed import version_error
from sordino.errors import DamagedError, SordinoError
from sordino.once.journal.checkpoint import read_checkpoint
from sordino.once.journal.event import Event, seal_of
from sordino.once.journal.journal_file import (
    LEDGER,
    VERSION,
    JournalKind,
    UnreadableError,
    new_database,
    other_version,
    with_new_header,
)

META = {"version": "[0-9]{1,9}", "terms": ".*", "key": "[0-9a-f]{64}", "head": "[0-9]{1,18}", "copy": "yes|no"}
"""What stands beside the lines, and the form of each text: a store of answers has the empty text as its terms."""

LARGEST = 1 << 28
"""Bytes of a damaged file that is read at most."""

DatabaseRow: TypeAlias = tuple[object, ...]

ALL_META = "SELECT name, value, seal FROM meta"

COLUMNS = "sequence, event, id, body, secret, time, seal"


@dataclass(frozen=True)
class Contents:
    """The lines of a journal.

    Attributes:
        meta: version, terms, key, head (the number of lines) and copy, as texts.
        events: the whole lines, ascending.
        damage: what is not whole, in words; empty if all is.
    """

    meta: Mapping[str, str]
    events: tuple[Event, ...]
    damage: tuple[str, ...]

    @property
    def head(self) -> int:
        """The number of lines."""
        return len(self.events)

    def about(self, name: str) -> tuple[Event, ...]:
        """The lines about a query or a plan."""
        return tuple(event for event in self.events if event.id == name)


def read_contents(connection: sqlite3.Connection) -> Contents:
    """All lines within a transaction.

    Raises:
        sqlite3.DatabaseError: a file that is damaged beyond this way of reading.
    """
    found = [bytes(text).decode("utf-8", "replace") for (text,) in connection.execute("PRAGMA integrity_check(1)")]
    damage = [] if found == ["ok"] else ["the file's tables"]
    meta = connection.execute(ALL_META).fetchall()
    events = connection.execute(f"SELECT {COLUMNS} FROM events ORDER BY sequence").fetchall()  # noqa: S608 - constant
    contents = _check(meta, events, damage)
    checkpoint = None if contents.damage else read_checkpoint(connection, contents.meta["key"])
    if checkpoint is not None and checkpoint.lines > len(contents.events):
        # It was sealed after lines that are not there: the number of lines is an older one.
        return replace(contents, damage=(f"lines that are missing of {checkpoint.lines}",))
    return contents


def read_meta(connection: sqlite3.Connection) -> dict[str, str]:
    """The whole texts beside the lines, within a transaction; no line is read.

    Raises SordinoError: another version, or no terms; sqlite3.DatabaseError: damage beyond this way of reading.
    """
    return _whole_texts(connection.execute(ALL_META))


def read_lines(connection: sqlite3.Connection, where: str, *values: int | str) -> list[Event | None]:
    """Some lines in their order within a transaction; None for each that is not whole.

    Raises:
        sqlite3.DatabaseError: a file that is damaged beyond this way of reading.
    """
    command = f"SELECT {COLUMNS} FROM events WHERE {where} ORDER BY sequence"  # noqa: S608 - only constants are given
    return [Event.of_row(row) for row in connection.execute(command, values)]


def salvage(path: Path, kind: JournalKind = LEDGER) -> Contents:
    """What is whole in a file that cannot be read otherwise, from a copy in memory; the file is not touched.

    Its header is written anew, since most of it is known. Memory: a few times the file.
    """
    with path.open("rb") as file:
        content = bytearray(file.read(LARGEST + 1))
    if len(content) > LARGEST:
        found = f"a damaged file of more than {LARGEST >> 20} MiB"
        step = f"give the {kind.noun} itself, or an undamaged copy"
        raise SordinoError(f"{path} must be a {kind.noun}", found=found, step=step)
    try:
        meta, events = _rows(with_new_header(content))
    except (sqlite3.Error, UnicodeDecodeError, OverflowError, MemoryError):
        raise UnreadableError(path, "no table that can be read", kind) from None
    version = other_version(content)
    try:
        contents = _check(meta, events, ["the file"])
    except DamagedError:
        if version is not None:
            raise version_error(f"{path}, a {kind.noun}", VERSION, version) from None
        if meta:
            raise
        raise DamagedError(
            f"{path} must be a {kind.noun}",
            found="a different file, or one that is damaged at its beginning",
            step=f"restore an undamaged copy, or {kind.step}",
        ) from None
    if version is not None and "version" not in contents.meta:
        # The first journals sealed no version.
        raise version_error(f"{path}, a {kind.noun}", VERSION, version)
    return contents


def _rows(content: bytearray) -> tuple[list[DatabaseRow], list[DatabaseRow]]:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        connection.text_factory = bytes
        connection.deserialize(content)
        meta = list(_readable(connection, ALL_META))
        events = {}
        for order in ("ASC", "DESC"):
            for row in _readable(connection, f"SELECT {COLUMNS} FROM events ORDER BY sequence {order}"):  # noqa: S608
                if isinstance(row[0], int):
                    events[row[0]] = row
    return meta, [events[sequence] for sequence in sorted(events)]


def sealed_meta(meta: Mapping[str, str]) -> list[tuple[str, str, str]]:
    """Rows of the table beside the lines."""
    return [(name, value, seal_of(name, value)) for name, value in meta.items()]


def _readable(connection: sqlite3.Connection, command: str) -> Iterator[DatabaseRow]:
    with suppress(sqlite3.DatabaseError, UnicodeDecodeError):
        yield from connection.execute(command)


def _whole_texts(meta: Iterable[DatabaseRow]) -> dict[str, str]:
    known: dict[str, str] = {}
    for row in meta:
        with suppress(ValueError, TypeError, KeyError):
            name, value, seal = (bytes(text).decode("utf-8") for text in row)  # type: ignore[call-overload]
            if seal == seal_of(name, value) and re.fullmatch(META[name], value, re.DOTALL):
                known[name] = value
    version = int(known.get("version", VERSION))
    if version != VERSION:
        raise version_error("a ledger" if known.get("terms", "?") else "a store of answers", VERSION, version)
    if "terms" not in known:
        rule = "a ledger must have its terms, and a store of answers none"
        raise DamagedError(rule, found="damage to them", step="restore an undamaged copy of the file")
    return known


def _check(meta: Iterable[DatabaseRow], rows: Iterable[DatabaseRow], damage: list[str]) -> Contents:
    known = _whole_texts(meta)
    events, broken = [], 0
    for row in rows:
        event = Event.of_row(row)
        broken += event is None
        events += [event] if event is not None else []
    damage += [f"its {name}" for name in META if name not in known]
    head = int(known.get("head", "-1"))
    if broken:
        damage.append(f"{broken} of its lines")
    elif head >= 0 and [event.sequence for event in events] != list(range(1, head + 1)):
        damage.append(f"lines that are missing of {head}")
    return Contents(known, tuple(events), tuple(damage))


KEY_BYTES = 32
"""Length of the key under which a ledger hashes the record and seals its checkpoint."""


class Writer:
    """Adds lines within a transaction, to a journal that has so many."""

    def __init__(self, connection: Connection, head: int, time: str) -> None:
        self._connection, self._head, self._time = connection, head, time

    def add(self, event: str, name: str, body: dict[str, Any], secret: str = "") -> Event:
        """One line, and the new number of lines."""
        self._head += 1
        line = Event(self._head, event, name, body, secret, self._time)
        self._connection.execute("INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?)", line.row)
        _write_meta(self._connection, {"head": str(self._head)})
        return line


def _write_meta(connection: Connection, meta: dict[str, str]) -> None:
    connection.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?, ?)", sealed_meta(meta))


def write_journal(path: Path, terms: str, events: Sequence[Event], *, copy: bool = False) -> None:
    """Write the file of a new journal.

    Args:
        terms: of a ledger, in their canonical text; empty for a store of answers.
        copy: whether it only checks.
    """
    with new_database(path) as connection:
        fill_journal(connection, terms, events, copy=copy)


def fill_journal(connection: Connection, terms: str, events: Sequence[Event], *, copy: bool = False) -> None:
    """The same into tables that are empty, within a transaction."""
    meta = {"version": str(VERSION), "terms": terms, "key": token_bytes(KEY_BYTES).hex()}
    _write_meta(connection, {**meta, "copy": "yes" if copy else "no", "head": str(len(events))})
    rows = [event.row for event in events]
    connection.executemany("INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?)", rows)
