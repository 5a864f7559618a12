"""The seam of a store: what it asks of a database. SQLite and PostgreSQL are a file each.

The words of SQL that both know are the store's, with `?` for values. A database runs them, keeps what a transaction
wrote or nothing of it, and says in words of ours what it refuses.
"""

import secrets
from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sordino.errors import SordinoError
from sordino.exact.messages import shown
from sordino.service.storage.uploaded_reports import Upload

VERSION = 6
"""Version of the tables."""

SCRUBBED = "scrubbed"
"""The tally of a store's own reports whose codes are gone; of all others the source is named."""

TABLES = """
CREATE TABLE plan (number INTEGER PRIMARY KEY, hash TEXT NOT NULL UNIQUE, body {bytes} NOT NULL, since TEXT NOT NULL);
CREATE TABLE closed (plan INTEGER PRIMARY KEY, since TEXT NOT NULL);
CREATE TABLE report (plan INTEGER NOT NULL, id {bytes} NOT NULL, code BIGINT, PRIMARY KEY (plan, id)){clustered};
CREATE TABLE tally (plan INTEGER NOT NULL, source TEXT NOT NULL, counts {bytes} NOT NULL,
    erased BIGINT NOT NULL DEFAULT 0, PRIMARY KEY (plan, source));
CREATE TABLE setting (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE invitation (plan INTEGER PRIMARY KEY, hashes {bytes} NOT NULL);
CREATE TABLE used_invitation (plan INTEGER PRIMARY KEY, bits {bytes} NOT NULL);
CREATE TABLE token (name TEXT PRIMARY KEY, role TEXT NOT NULL, hash TEXT NOT NULL UNIQUE, since TEXT NOT NULL,
    expires TEXT, revoked TEXT);
CREATE TABLE act (number INTEGER PRIMARY KEY, line TEXT NOT NULL, hash TEXT NOT NULL);
"""
"""Plans are numbered from 1; a report whose code was scrubbed has none; tallies are counters as little-endian int64 and
say how many reports their source was made to forget before. A plan that takes reports by invitation has a row in both
tables of them, as `Invitations` has it: what a commit writes over stands by itself, since SQLite writes rows whole."""


def today() -> str:
    """The day in Greenwich, as 2026-11-22."""
    return datetime.now(UTC).date().isoformat()


def require_version(name: str, found: int) -> None:
    """Refuse tables of another version.

    Raises:
        SordinoError: of an earlier or a newer one.
    """
    if found != VERSION:
        step = "serve it by the version of Sordino that made it"
        raise SordinoError(f"{name} must be of version {VERSION}", found=shown(found), step=step)


class Database(ABC):
    """Tables of one store, held by one collector from when it is opened until it is closed.

    Use it from one thread.
    """

    name: str
    """What it is called in messages; without a password."""

    @property
    def session(self) -> int:
        """Another number as soon as the next statement is on another connection: others may have written in between."""
        return 0

    @property
    def free_bytes(self) -> int | None:
        """What the disk has free; None of a database that is a machine's of its own."""
        return None

    @property
    @abstractmethod
    def version(self) -> int:
        """Of the tables."""

    @abstractmethod
    def rows(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        """What a statement finds, or no rows.

        Raises:
            UnavailableError: the system refuses.
        """

    @abstractmethod
    def transaction(self) -> AbstractContextManager[None]:
        """All that is written within, on disk at the end, or nothing.

        Raises:
            UnavailableError: the system refuses; whether it was written is then not known.
        """

    @abstractmethod
    def insert(self, plan: int, upload: Upload) -> bool:
        """Put reports in, within a transaction, if none of their ids is known and none stands twice; else nothing."""

    @abstractmethod
    def known_ids(self, plan: int, upload: Upload) -> Sequence[tuple[bytes, int | None]]:
        """The ids of an upload that are there, with their codes as signed integers."""

    def lock_record(self) -> None:  # noqa: B027 - most databases need nothing
        """Keep other connections from noting acts until the transaction ends; needless where there are none."""

    def touch(self) -> None:
        """Write a row within a transaction, so that its commit waits for the disk."""
        words = "INSERT INTO setting VALUES ('probe', ?) ON CONFLICT (name) DO UPDATE SET value = EXCLUDED.value"
        self.rows(words, secrets.token_hex(4))

    @property
    def socket_path(self) -> Path | None:
        """Where others reach the collector that has the store open; None where they may open it too."""
        return None

    def back_up(self, path: Path) -> None:
        """Copy all tables into a new file, as they are after the last commit.

        Raises:
            SordinoError: a database with means of its own.
            UnavailableError: the system refuses.
        """
        del path
        step = "use its own: pg_dump --schema=sordino, pg_restore"
        raise SordinoError("a backup must be of a SQLite store", found="a database server", step=step)

    @abstractmethod
    def vacuum(self) -> None:
        """Leave in the database's files as little of what was written over as it can."""

    @abstractmethod
    def close(self) -> None:
        """Give it back."""
