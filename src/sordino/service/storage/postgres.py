"""A store in a PostgreSQL database, in a schema of its own, through psycopg.

`synchronous_commit` is on, so that a commit is on disk before anybody is told; one collector holds the schema, by an
advisory lock. A connection that breaks is made again at the next use, in a new session: another collector may have held
the lock meanwhile, so that what was known is looked up, never guessed.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from sordino.errors import HeldElsewhereError, SordinoError, UnavailableError
from sordino.service.storage.database import TABLES, VERSION, Database, require_version
from sordino.service.storage.uploaded_reports import ID_BYTES, Upload

if TYPE_CHECKING:
    import psycopg

LOCK = 0x50524452
"""The number of the advisory lock."""

SESSION = "SET search_path = sordino; SET synchronous_commit = on; SET lock_timeout = '2s'; SET TIME ZONE 'UTC'"

APPEND_ONLY = """
CREATE FUNCTION kept() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'a plan that was served stays as it was'; END $$;
CREATE TRIGGER kept BEFORE UPDATE OR DELETE ON plan FOR EACH ROW EXECUTE FUNCTION kept();
CREATE TRIGGER kept_all BEFORE TRUNCATE ON plan EXECUTE FUNCTION kept();
CREATE FUNCTION noted() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'an act that was noted stays as it was'; END $$;
CREATE TRIGGER noted BEFORE UPDATE OR DELETE ON act FOR EACH ROW EXECUTE FUNCTION noted();
CREATE TRIGGER noted_all BEFORE TRUNCATE ON act EXECUTE FUNCTION noted()
"""
"""What was served or noted cannot be taken away or changed, whoever writes by SQL."""

VERSION_QUERY = b"SELECT value::int FROM setting WHERE name = 'version'"

PLACES = "unnest(%s::bigint[]) WITH ORDINALITY AS sent (code, place)"
"""The codes of an upload with their places, from 1."""


class PostgresDatabase(Database):
    """Tables in the schema `sordino` of a database, new ones if there are none."""

    def __init__(self, address: str, *, holds: bool = True) -> None:
        from psycopg.conninfo import conninfo_to_dict

        with _clear("the database"):
            parts = conninfo_to_dict(address)
        # Whoever reads a message learns no password.
        self.name = f"the database {parts.get('dbname', '')} at {parts.get('host', 'this machine')}"
        self._address, self._is_exclusive = address, holds
        self._held: psycopg.Connection[tuple[Any, ...]] | None = None
        self._made = 0

    @classmethod
    def open(cls, address: str) -> Self:
        """The tables of a database.

        Raises:
            SordinoError: of another version.
            UnavailableError: nobody answers there, or another collector holds them.
        """
        database = cls(address)
        try:
            with database.transaction():
                database._require_tables()
        except BaseException:
            database.close()
            raise
        return database

    @classmethod
    def open_beside(cls, address: str) -> Self:
        """The tables of a database that a collector may hold: for what is looked up at each use, never for reports.

        Raises:
            SordinoError: of another version.
            UnavailableError: nobody answers there, or there are no tables.
        """
        database = cls(address, holds=False)
        try:
            require_version(database.name, database.version)
        except BaseException:
            database.close()
            raise
        return database

    @property
    def version(self) -> int:
        return int(self.rows(VERSION_QUERY.decode())[0][0])

    @property
    def session(self) -> int:
        return self._made if self._holds else self._made + 1

    @property
    def _holds(self) -> bool:
        return self._held is not None and not self._held.closed

    @property
    def _connection(self) -> "psycopg.Connection[tuple[Any, ...]]":
        """The connection, a new one if it broke; it holds the lock as long as it lives."""
        import psycopg

        if self._held is None or not self._holds:
            made = psycopg.connect(self._address, autocommit=True, connect_timeout=5)
            try:
                self._prepare(made)
            except BaseException:
                made.close()
                raise
            self._held = made
            self._made += 1
        return self._held

    def _prepare(self, made: "psycopg.Connection[tuple[Any, ...]]") -> None:
        import psycopg

        if not self._is_exclusive:
            made.execute(SESSION)
            return
        made.execute("CREATE SCHEMA IF NOT EXISTS sordino")
        made.execute(SESSION)
        try:
            # One that just ended may be gone in a moment.
            made.execute("SELECT pg_advisory_lock(%s)", (LOCK,))
        except psycopg.errors.LockNotAvailable:
            step = "stop the other collector"
            raise HeldElsewhereError(f"{self.name} must be free", found="another collector", step=step) from None
        if self._made:
            # Whoever held the lock meanwhile may have been of another version.
            try:
                require_version(self.name, made.execute(VERSION_QUERY).fetchall()[0][0])
            except SordinoError as error:
                raise UnavailableError(error.rule, found=error.found, step=error.step) from None

    def rows(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        with _clear(self.name):
            found = self._connection.execute(statement.replace("?", "%s").encode(), values)
            return [] if found.description is None else found.fetchall()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        with _clear(self.name), self._connection.transaction():
            yield

    def insert(self, plan: int, upload: Upload) -> bool:
        words = f"INSERT INTO report SELECT %s, substr(%s::bytea, 1 + %s * (place::int - 1), %s), code FROM {PLACES} "  # noqa: S608 - ours
        connection = self._connection
        connection.execute("SAVEPOINT upload")
        done = connection.execute(
            f"{words} ON CONFLICT DO NOTHING".encode(), (plan, upload.ids, ID_BYTES, ID_BYTES, _signed_codes(upload))
        )
        all_new: bool = done.rowcount == len(upload)
        if not all_new:
            connection.execute("ROLLBACK TO upload")
        connection.execute("RELEASE upload")
        return all_new

    def known_ids(self, plan: int, upload: Upload) -> Sequence[tuple[bytes, int | None]]:
        ids = [upload.id_at(place) for place in range(len(upload))]
        found = self.rows("SELECT id, code FROM report WHERE plan = ? AND id = ANY(?::bytea[])", plan, ids)
        return [(bytes(key), code) for key, code in found]

    def lock_record(self) -> None:
        self.rows("LOCK TABLE act IN EXCLUSIVE MODE")

    def vacuum(self) -> None:
        self.rows("VACUUM report, used_invitation")

    def close(self) -> None:
        if self._held is not None:
            self._held.close()

    def _require_tables(self) -> None:
        if self.rows("SELECT to_regclass('sordino.setting')") == [(None,)]:
            for statement in filter(str.strip, TABLES.format(bytes="BYTEA", clustered="").split(";")):
                self.rows(statement)
            self.rows(APPEND_ONLY)
            self.rows("INSERT INTO setting VALUES ('version', ?)", str(VERSION))
        require_version(self.name, self.version)


def _signed_codes(upload: Upload) -> list[int]:
    signed: list[int] = upload.codes.view(np.int64).tolist()
    return signed


@contextmanager
def _clear(name: str) -> Iterator[None]:
    """What PostgreSQL refuses, in words of ours; its own name values."""
    import psycopg

    try:
        yield
    except psycopg.errors.DiskFull:
        raise UnavailableError(f"{name} must be written", found="a disk that is full", step="make room") from None
    except psycopg.Error as error:
        found = "nobody who answers" if error.sqlstate is None else f"a refusal ({type(error).__name__})"
        step = "see that it runs and may be written, and try again"
        raise UnavailableError(f"{name} must be written", found=found, step=step) from None
