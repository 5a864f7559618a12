"""Writes lines into a journal within a transaction, and new journals."""

from collections.abc import Sequence
from pathlib import Path
from secrets import token_bytes
from sqlite3 import Connection
from typing import Any

from sordino.once.journal.contents import sealed_meta
from sordino.once.journal.database import new_database
from sordino.once.journal.event import SINCE_2, Event
from sordino.once.journal.header import VERSION

KEY_BYTES = 32
"""Of the key under which a ledger hashes the record, and seals its checkpoint."""


class Writer:
    """Adds lines within a transaction, to a journal that has so many."""

    def __init__(self, connection: Connection, head: int, time: str) -> None:
        self._connection, self._head, self._time = connection, head, time

    def add(self, event: str, name: str, body: dict[str, Any], secret: str = "") -> Event:
        """One line, and the new number of lines; in a file of an older version the version that knows such lines."""
        self._head += 1
        if event in SINCE_2:
            _write_meta(self._connection, {"version": str(VERSION)})
            self._connection.execute(f"PRAGMA user_version = {VERSION}")
        line = Event(self._head, event, name, body, secret, self._time)
        self._connection.execute("INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?)", line.row)
        _write_meta(self._connection, {"head": str(self._head)})
        return line


def _write_meta(connection: Connection, meta: dict[str, str]) -> None:
    """Set texts that stand beside the lines."""
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
