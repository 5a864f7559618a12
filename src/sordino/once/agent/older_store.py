"""Stores of answers of the first format, SQLite tables that were changed: made into journals, whole or not at all.

The same file, within one transaction: whoever waits for it, a program of either format, finds the other tables then,
and whatever is killed, and whenever, SQLite has all of one format or all of the other.
"""

import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

from sordino.errors import DamagedError, SordinoError
from sordino.exact.messages.brief import shown
from sordino.once.journal.database import STORE, connect, make_tables, require_own, sqlite_errors
from sordino.once.journal.event import DRAWN, ELSEWHERE, NUMBER, PERIOD, SENT, TAKEN_BACK, Event
from sordino.once.journal.header import MAGIC, OUR_MARK, SIZE
from sordino.once.journal.journal import now
from sordino.once.journal.writer import fill_journal

APPLICATION = b"PANS"
"""What says that a SQLite file is a store of answers of the first format."""

VERSION = 1
"""Of its tables."""

COLUMNS = {
    "answer": "plan, body, seal, acknowledged",
    "period": "plan, period, seal",
    "through_ledger": "plan, path, seal",
    "taken_back": "plan",
}
"""Of the tables; all but the first may be missing."""


def is_older_store(path: Path) -> bool:
    """Whether a file begins as a store of the first format does; what was killed while it wrote is undone before."""
    try:
        if path.with_name(f"{path.name}-journal").exists():
            with sqlite_errors(path, STORE), closing(connect(path)) as connection:
                connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        with path.open("rb") as file:
            header = file.read(SIZE)
    except OSError:
        return False
    return header.startswith(MAGIC) and header[OUR_MARK] == APPLICATION


def convert_store(path: Path, step: Callable[[str], None]) -> None:
    """Make a store of the first format a journal of the same answers.

    Args:
        path: of the store.
        step: told the name of each step.

    Raises:
        DamagedError: a store that is not whole; it stays as it is.
        SordinoError: one of a newer version, not the person's alone, or the system refuses.
    """
    require_own(path, STORE)
    with sqlite_errors(path, STORE), closing(connect(path)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        if connection.execute("PRAGMA application_id").fetchone() != (int.from_bytes(APPLICATION),):
            # Another process converted it meanwhile.
            return
        events = list(_events(path, connection))
        for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
            connection.execute(f"DROP TABLE {name.decode()}")
        make_tables(connection)
        fill_journal(connection, "", events)
        step("converting")
        connection.execute("COMMIT")
        step("converted")
        with suppress(sqlite3.OperationalError):
            # Who else has it open goes on without a log.
            connection.execute("PRAGMA journal_mode = WAL")


def _events(path: Path, connection: sqlite3.Connection) -> Iterator[Event]:
    """What stands in the tables, as lines."""
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version != VERSION:
        rule, step = f"{path} must be of version {VERSION}", "use the version of Sordino that made it"
        raise SordinoError(rule, found=shown(version), step=step)
    if connection.execute("PRAGMA quick_check(1)").fetchone() != (b"ok",):
        raise _damage(path)
    for place, (event, name, body, secret) in enumerate(_lines(path, connection), 1):
        line = Event(place, event, name, body, secret, now())
        if not line.is_well_formed:
            raise _damage(path)
        yield line


def _lines(path: Path, connection: sqlite3.Connection) -> Iterator[tuple[str, str, dict[str, Any], str]]:
    """Event, id, body and secret of each."""
    for plan, body, seal, acknowledged in _rows(connection, "answer"):
        text, code = _text(path, body), _code(body)
        if seal != _seal(plan, body) or not NUMBER.fullmatch(code):
            raise _damage(path)
        yield DRAWN, _text(path, plan), {"upload": text}, code
        if acknowledged:
            yield SENT, _text(path, plan), {"code": code}, ""
    for plan, period, seal in _rows(connection, "period"):
        if type(period) is not int or seal != _seal(plan, str(period).encode()):
            raise _damage(path)
        yield PERIOD, _text(path, plan), {"period": period}, ""
    for plan, ledger, seal in _rows(connection, "through_ledger"):
        if seal != _seal(plan, ledger):
            raise _damage(path)
        yield ELSEWHERE, f"{_text(path, plan)} 0", {"journal": _text(path, ledger)}, ""
    for (plan,) in _rows(connection, "taken_back"):
        yield TAKEN_BACK, _text(path, plan), {}, ""


def _rows(connection: sqlite3.Connection, table: str) -> list[tuple[Any, ...]]:
    """All rows of a table, texts as bytes; none where an older store lacks it."""
    names = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    if table != "answer" and table.encode() not in names:
        return []
    return connection.execute(f"SELECT {COLUMNS[table]} FROM {table} ORDER BY plan").fetchall()  # noqa: S608 - constants


def _text(path: Path, content: object) -> str:
    if not isinstance(content, bytes):
        raise _damage(path)
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        raise _damage(path) from None


def _code(body: bytes) -> str:
    """Of an upload; empty where there is none."""
    try:
        return str(json.loads(body)["reports"][0]["code"])
    except (ValueError, TypeError, KeyError, IndexError, RecursionError):
        return ""


def _seal(plan: object, content: object) -> bytes:
    """As the first format had it; of another kind of value than was written, none."""
    if not isinstance(plan, bytes) or not isinstance(content, bytes):
        return b""
    return sha256(plan + b"\n" + content).digest()


def _damage(path: Path) -> DamagedError:
    step = "restore an undamaged copy, and no older one: it is the only record of what was answered, and losses add"
    return DamagedError(f"{path} must be whole before anything new is asked", found="damage", step=step)
