"""A store in a SQLite file: write-ahead log, `synchronous = FULL`, one process.

A commit is whole on disk before anybody is told, so that a crash loses nothing that was acknowledged.
"""

import json
import shutil
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any, Self

import numpy as np

from sordino.document.files import cannot, replace_whole, require_new, sync_folder
from sordino.document.private_file import make_private, new_private_file
from sordino.errors import DamagedError, HeldElsewhereError, SordinoError, UnavailableError
from sordino.exact.messages import shown
from sordino.service.storage.database import TABLES, VERSION, Database, require_version
from sordino.service.storage.uploaded_reports import ID_BYTES, Upload

APPLICATION = 0x50524452
"""What says that a SQLite file is a store of reports."""

CACHE = 64 << 10
"""KiB of pages in memory: the places of random ids are all over the table."""

ENDINGS = "", "-wal", "-shm"
"""Endings of the files that SQLite keeps; new ones have the first one's rights."""

APPEND_ONLY = """
CREATE TRIGGER kept BEFORE DELETE ON plan BEGIN SELECT RAISE(ABORT, 'a plan that was served stays listed'); END;
CREATE TRIGGER same BEFORE UPDATE ON plan BEGIN SELECT RAISE(ABORT, 'a plan that was served stays as it was'); END;
CREATE TRIGGER once BEFORE INSERT ON plan
WHEN EXISTS (SELECT 1 FROM plan WHERE number = NEW.number OR hash = NEW.hash)
BEGIN SELECT RAISE(ABORT, 'a plan that was served stays as it was'); END;
CREATE TRIGGER noted BEFORE DELETE ON act BEGIN SELECT RAISE(ABORT, 'an act that was noted stays noted'); END;
CREATE TRIGGER as_noted BEFORE UPDATE ON act BEGIN SELECT RAISE(ABORT, 'an act that was noted stays as it was'); END;
CREATE TRIGGER noted_once BEFORE INSERT ON act WHEN EXISTS (SELECT 1 FROM act WHERE number = NEW.number)
BEGIN SELECT RAISE(ABORT, 'an act that was noted stays as it was'); END
"""
"""What was served or noted cannot be taken away or changed by writing rows; a row that is replaced is no deletion to
SQLite."""


class SqliteDatabase(Database):
    """Tables in a file, a new one if there is none."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.name, self._connection = str(path), connection

    @classmethod
    def open(cls, path: Path) -> Self:
        """The tables of a file.

        Raises:
            SordinoError: a file of another kind, or of another version.
            UnavailableError: the system refuses, or another collector has the file open.
        """
        _require_place(path)
        # Codes stand beside ids: both are for whoever runs the collector. What is refused here, SQLite refuses too.
        with suppress(OSError):
            new_private_file(path).close()
        with _clear(str(path), f"make room, or mend the rights of {path.parent}, and start again"):
            connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=1.0)
            try:
                # Held until the end: a second collector would count reports that this one does not.
                connection.execute("PRAGMA locking_mode = EXCLUSIVE")
                connection.execute("PRAGMA journal_mode = WAL")
                connection.execute("PRAGMA synchronous = FULL")
                # Codes that are scrubbed are written over.
                connection.execute("PRAGMA secure_delete = ON")
                connection.execute(f"PRAGMA cache_size = -{CACHE}")
                connection.execute("BEGIN IMMEDIATE")
                _require_tables(path, connection)
                connection.execute("COMMIT")
                for ending in ENDINGS:
                    make_private(path.with_name(path.name + ending))
            except BaseException:
                connection.close()
                raise
            return cls(path, connection)

    @property
    def free_bytes(self) -> int | None:
        with suppress(OSError):
            return shutil.disk_usage(Path(self.name).resolve().parent).free
        return None

    @property
    def version(self) -> int:
        return int(self.rows("PRAGMA user_version")[0][0])

    def rows(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        with _clear(self.name):
            return self._connection.execute(statement, values).fetchall()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        with _clear(self.name):
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._connection.execute("COMMIT")
            except BaseException:
                # A full disk may have ended the transaction itself.
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    def insert(self, plan: int, upload: Upload) -> bool:
        # One statement for all rows: the interpreter serves others while it runs, and it is undone by itself.
        words = "INSERT INTO report SELECT :plan, substr(:ids, 1 + :bytes * key, :bytes), value FROM json_each(:codes)"
        try:
            self._connection.execute(words, _upload_values(plan, upload))
        except sqlite3.IntegrityError:
            return False
        return True

    def known_ids(self, plan: int, upload: Upload) -> Sequence[tuple[bytes, int | None]]:
        # CROSS JOIN keeps the order: each id is looked up, the table is not walked.
        words = (
            "SELECT report.id, report.code FROM json_each(:codes) AS sent CROSS JOIN report "
            "ON report.plan = :plan AND report.id = substr(:ids, 1 + :bytes * sent.key, :bytes)"
        )
        with _clear(self.name):
            return self._connection.execute(words, _upload_values(plan, upload)).fetchall()

    @property
    def socket_path(self) -> Path | None:
        return socket_of(Path(self.name))

    def back_up(self, path: Path) -> None:
        """See the base class. Commits wait meanwhile: some seconds a gigabyte."""
        try:
            with replace_whole(path) as temporary:
                new_private_file(temporary).close()
                with _clear(str(path)), closing(sqlite3.connect(temporary)) as copy:
                    self._connection.backup(copy)
                    copy.execute("PRAGMA journal_mode = DELETE")
        except OSError as error:
            raise cannot("write", path, error) from None
        sync_folder(path)

    def vacuum(self) -> None:
        with _clear(self.name):
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def close(self) -> None:
        self._connection.close()


def _require_place(path: Path) -> None:
    """Refuse a path at which no file can be: SQLite says of all of them that it cannot open the file.

    Raises:
        SordinoError: there is no such folder, or a folder has the name.
        UnavailableError: the system does not show it.
    """
    folder = path.parent
    try:
        has_folder, is_folder = folder.is_dir(), path.is_dir()
    except OSError as error:
        raise cannot("reach", path, error) from None
    if not has_folder:
        found = "a file of that name" if folder.exists() else "none"
        raise SordinoError(f"the folder {folder} must be there", found=found, step="make it, or name another place")
    if is_folder:
        raise SordinoError(f"{path} must be a file", found="a folder", step="name a file in it")


def socket_of(path: Path) -> Path:
    """The socket of the collector that has a file open."""
    return path.with_name(f"{path.name}-control")


def restore_backup(backup: Path, path: Path) -> None:
    """Make a store of a backup, at a name that is free.

    Raises:
        SordinoError: no backup of a store, or something has the name.
        DamagedError: a backup that is not whole.
        UnavailableError: the system refuses.
    """
    # What another store of the name has left would be taken for this one's.
    for own in (path, *(path.with_name(f"{path.name}{ending}") for ending in ("-wal", "-shm", "-journal"))):
        require_new(own)
    if not backup.is_file():
        raise SordinoError("a backup must be a file", found=shown(str(backup)), step="name the file of a backup")
    try:
        with replace_whole(path) as temporary:
            new_private_file(temporary).close()
            uri = f"{backup.absolute().as_uri()}?mode=ro"
            with _clear(str(backup)), closing(sqlite3.connect(uri, uri=True)) as kept:
                if kept.execute("PRAGMA application_id").fetchone()[0] != APPLICATION:
                    rule = f"{backup} must be a store of reports"
                    raise SordinoError(rule, found="a different database", step="name another file")
                if kept.execute("PRAGMA integrity_check").fetchone()[0] != "ok":
                    raise DamagedError(f"{backup} must be whole", found="damage", step="take an earlier backup")
                with closing(sqlite3.connect(temporary)) as made:
                    kept.backup(made)
    except OSError as error:
        raise cannot("write", path, error) from None
    sync_folder(path)


def _upload_values(plan: int, upload: Upload) -> dict[str, object]:
    """What statements about an upload name: the codes as signed integers, which is how SQLite holds 64 bits."""
    codes = json.dumps(upload.codes.view(np.int64).tolist())
    return {"plan": plan, "ids": upload.ids, "bytes": ID_BYTES, "codes": codes}


def _require_tables(path: Path, connection: sqlite3.Connection) -> None:
    application, version = (
        connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version")
    )
    if not connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
        _make(connection)
    elif application != APPLICATION:
        raise SordinoError(f"{path} must be a store of reports", found="a different database", step="name another file")
    else:
        require_version(str(path), version)


def _make(connection: sqlite3.Connection) -> None:
    for statement in filter(str.strip, TABLES.format(bytes="BLOB", clustered=" WITHOUT ROWID").split(";")):
        connection.execute(statement)
    for statement in APPEND_ONLY.split("END;"):
        connection.execute(statement if statement.rstrip().endswith("END") else f"{statement} END")
    connection.execute(f"PRAGMA application_id = {APPLICATION}")
    connection.execute(f"PRAGMA user_version = {VERSION}")


@contextmanager
def _clear(name: str, remedy: str = "make room, or mend the rights, and try again") -> Iterator[None]:
    try:
        yield
    except sqlite3.OperationalError as error:
        busy = error.sqlite_errorcode in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
        step = "stop the other collector" if busy else remedy
        found = "another process that has it open" if busy else str(error)
        kind = HeldElsewhereError if busy else UnavailableError
        raise kind(f"{name} must be written", found=found, step=step) from None
    except sqlite3.DatabaseError:
        step = "name another file, or get an undamaged copy"
        raise DamagedError(f"{name} must be a whole SQLite file", found="another file", step=step) from None
