"""Reports that a collector has acknowledged, in a SQLite file: each once, and none before it is on disk.

A report is a code under an id of 16 random bytes that its sender draws once: what is sent again has the same id and the
same code, and is counted once. Another code under a known id is refused. One process writes; a commit is whole on disk
before anybody is told (write-ahead log, `synchronous = FULL`), so that a crash loses nothing that was acknowledged.
Cost: a commit for as many uploads as wait; on opening one pass over all codes.
"""

import hashlib
import secrets
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from sordino.errors import DamagedError, RefusedError, SordinoError, UnavailableError
from sordino.exact.messages.brief import shown
from sordino.exact.source import Words
from sordino.mechanism.aggregate import Aggregate
from sordino.survey.planning.plan import Plan

ID_BYTES = 16
"""Of a report's id."""

VERSION = 1
"""Of the file's tables."""

APPLICATION = 0x50524452
"""What says that a SQLite file is a store of reports."""

AT_A_TIME = 1 << 18
"""Codes that are read together."""

TABLES = """
CREATE TABLE report (id BLOB PRIMARY KEY, code INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE served (plan TEXT PRIMARY KEY, since TEXT NOT NULL);
CREATE TABLE setting (name TEXT PRIMARY KEY, value TEXT NOT NULL);
"""


@dataclass(frozen=True, eq=False)
class Upload:
    """Reports that came together.

    Attributes:
        ids: of each report, 16 bytes.
        codes: of each, shape (n,).
    """

    ids: Sequence[bytes]
    codes: Words


@dataclass(frozen=True)
class Receipt:
    """What became of an upload.

    Attributes:
        accepted: reports that are new, and on disk.
        repeated: reports that were there already, with the same code.
        failed: places of the others in the upload, and why.
    """

    accepted: int
    repeated: int
    failed: tuple[tuple[int, str], ...]


class ReportStore:
    """The acknowledged reports of one plan.

    Attributes:
        plan: whose reports they are.
        aggregate: their tally.

    Use it from one thread.
    """

    def __init__(self, plan: Plan, connection: sqlite3.Connection) -> None:
        self.plan = plan
        self._connection = connection
        self.aggregate: Aggregate = plan.sampled.tally(np.empty(0, dtype=np.uint64))
        for codes in self.codes():
            self.aggregate += plan.sampled.tally(codes)

    @classmethod
    def open(cls, path: Path, plan: Plan) -> Self:
        """The store of a plan's reports, a new one if there is no file.

        Raises:
            SordinoError: a file of another kind, of a newer version, or of another plan.
            UnavailableError: the system refuses, or another collector has the file open.
        """
        with _clear(path):
            connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=1.0)
            # Held from the first write until the end: a second collector would count reports that this one does not.
            connection.execute("PRAGMA locking_mode = EXCLUSIVE")
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute("BEGIN IMMEDIATE")
            found = [connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version")]
            tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
            if not tables:
                for statement in filter(str.strip, TABLES.split(";")):
                    connection.execute(statement)
                connection.execute(f"PRAGMA application_id = {APPLICATION}")
                connection.execute(f"PRAGMA user_version = {VERSION}")
            elif found[0] != APPLICATION:
                raise SordinoError(f"{path} must be a store of reports", found="another database")
            elif found[1] > VERSION:
                step = "serve it by the version of Sordino that made it"
                raise SordinoError(f"{path} must be of version {VERSION}", found=shown(found[1]), step=step)
            _serve(path, connection, plan)
            connection.execute("COMMIT")
            return cls(plan, connection)

    def add(self, uploads: Sequence[Upload]) -> list[Receipt]:
        """Keep the reports of some uploads, in one commit; what is returned is on disk.

        Raises:
            RefusedError: the store is closed to reports.
            UnavailableError: the system refuses to write, as a full disk does; nothing of these uploads is kept.
        """
        if self.closed:
            raise RefusedError("a closed plan takes no reports", found="one that came late", step="keep it to yourself")
        made, fresh = [], []
        with self._transaction():
            for upload in uploads:
                receipt, new = self._keep(upload)
                made.append(receipt)
                fresh.append(new)
        for codes in fresh:
            self.aggregate += self.plan.sampled.tally(codes)
        return made

    def _keep(self, upload: Upload) -> tuple[Receipt, Words]:
        """Put what is new into the table, within a transaction; the receipt, and the new codes."""
        if self._sendable(upload.codes).all():
            rows = zip(upload.ids, upload.codes.view(np.int64).tolist(), strict=True)
            connection, before = self._connection, self._connection.total_changes
            connection.execute("SAVEPOINT upload")
            connection.executemany("INSERT OR IGNORE INTO report VALUES (?, ?)", rows)
            all_new = connection.total_changes - before == len(upload.codes)
            if not all_new:
                connection.execute("ROLLBACK TO upload")
            connection.execute("RELEASE upload")
            if all_new:
                return Receipt(len(upload.codes), 0, ()), upload.codes
        return self._keep_one_by_one(upload)

    def _keep_one_by_one(self, upload: Upload) -> tuple[Receipt, Words]:
        """The same where some are known, or no reports of the plan."""
        new, repeated, failed = np.zeros(len(upload.codes), dtype=np.bool_), 0, []
        sendable = self._sendable(upload.codes)
        for place, (key, code) in enumerate(zip(upload.ids, upload.codes.view(np.int64).tolist(), strict=True)):
            if not sendable[place]:
                failed.append((place, "a code must be one that the plan can send"))
                continue
            known = self._connection.execute("SELECT code FROM report WHERE id = ?", (key,)).fetchone()
            if known is None:
                self._connection.execute("INSERT INTO report VALUES (?, ?)", (key, code))
                new[place] = True
            elif known[0] == code:
                repeated += 1
            else:
                failed.append((place, "an id must be of one report"))
        return Receipt(int(new.sum()), repeated, tuple(failed)), upload.codes[new]

    def _sendable(self, codes: Words) -> NDArray[np.bool_]:
        """Which codes a report of the plan can have."""
        sampled = self.plan.sampled
        below = codes <= np.uint64(sampled.outputs - 1)
        return below & ~sampled.impossible(np.where(below, codes, 0).astype(np.uint64))

    def codes(self) -> Iterator[Words]:
        """All codes that were acknowledged, in the order of their ids."""
        found = self._connection.execute("SELECT code FROM report")
        while rows := found.fetchmany(AT_A_TIME):
            yield np.array(rows, dtype=np.int64).ravel().view(np.uint64)

    @property
    def closed(self) -> bool:
        """Whether no more reports are taken."""
        return self._setting("closed") is not None

    def close_to_reports(self) -> None:
        """Take no more reports, for ever."""
        with self._transaction():
            self._set("closed", _now())

    @property
    def served(self) -> list[tuple[str, str]]:
        """The hashes of all plans that were ever served from the file, and since when; nothing is ever taken away."""
        return self._connection.execute("SELECT plan, since FROM served ORDER BY since, plan").fetchall()

    def new_token(self) -> str | None:
        """The analyst's token, told once: only its hash is kept. None if there is one already."""
        if self._setting("token") is not None:
            return None
        token = secrets.token_urlsafe(32)
        with self._transaction():
            self._set("token", _hashed(token))
        return token

    def is_token(self, token: str) -> bool:
        """Whether it is the analyst's."""
        return secrets.compare_digest(_hashed(token), self._setting("token") or "")

    def close(self) -> None:
        """Give the file back."""
        self._connection.close()

    def _setting(self, name: str) -> str | None:
        row = self._connection.execute("SELECT value FROM setting WHERE name = ?", (name,)).fetchone()
        return None if row is None else str(row[0])

    def _set(self, name: str, value: str) -> None:
        self._connection.execute("INSERT OR IGNORE INTO setting VALUES (?, ?)", (name, value))

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        """All of it on disk at the end, or nothing."""
        with _clear(None):
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._connection.execute("COMMIT")
            except BaseException:
                # A full disk may have ended the transaction itself.
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise


def _serve(path: Path, connection: sqlite3.Connection, plan: Plan) -> None:
    """Note that the plan is served; a file is about one."""
    served = [row[0] for row in connection.execute("SELECT plan FROM served")]
    if served not in ([], [plan.hash]):
        step = "collect each plan's reports in a file of their own"
        raise SordinoError(f"{path} must hold reports of the plan", found="those of another", step=step)
    connection.execute("INSERT OR IGNORE INTO served VALUES (?, ?)", (plan.hash, _now()))


@contextmanager
def _clear(path: Path | None) -> Iterator[None]:
    """What SQLite refuses, in words of ours."""
    name = "the store" if path is None else str(path)
    try:
        yield
    except sqlite3.OperationalError as error:
        busy = error.sqlite_errorcode in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
        step = "stop the other collector" if busy else "make room, or mend the rights, and send again"
        found = "another process that has it open" if busy else str(error)
        raise UnavailableError(f"{name} must be written", found=found, step=step) from None
    except sqlite3.DatabaseError:
        raise DamagedError(f"{name} must be a whole SQLite file", found="another file") from None


def _hashed(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


def _now() -> str:
    """The day: when exactly a plan was served is nobody's business."""
    return datetime.now(UTC).date().isoformat()
