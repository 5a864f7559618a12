"""The SQLite file of a journal: made for its owner only, opened for one transaction at a time.

Write-ahead log, synchronous EXTRA. `settle` moves all that is committed into the file itself and empties the log, so
that no later damage to the log can undo it. Connections live as long as one transaction: none is shared with a fork.
The header, its first 100 bytes, is most of it the same in every journal and holds no answer: one that was changed is
noticed before SQLite reads by it, and written anew where what follows is whole.
Source: https://www.sqlite.org/fileformat2.html, section 1.3.
"""

import sqlite3
import stat
import struct
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from time import monotonic, sleep
from typing import NamedTuple

from sordino.document.files import cannot, finish_new_name, replace_whole, sync_folder
from sordino.document.private_file import is_of_another, new_private_file, require_private
from sordino.errors import DamagedError, SordinoError, UnavailableError

APPLICATION = 0x536F7264
"""Marks the files of Sordino ("Sord")."""

VERSION = 3
"""Version of the lines, in the header, and sealed beside the lines, so that a changed number is told from another
version."""

SIZE = 100
"""Bytes of a header."""

PAGE = 4096
"""Bytes of a page."""

MAGIC = b"SQLite format 3\0"

WITH_LOG, WITHOUT_LOG = b"\x02\x02", b"\x01\x01"
"""Marks of a file that is read by a write-ahead log, and of one that is read as it stands."""

FIXED = (
    (0, MAGIC),
    (16, PAGE.to_bytes(2)),
    # No reserved bytes, and fractions that SQLite requires.
    (20, b"\x00\x40\x20\x20"),
    # The format of the schema.
    (44, struct.pack(">I", 4)),
    # No vacuum that moves pages; UTF-8; our version; again no vacuum; our mark.
    (52, struct.pack(">5I", 0, 1, VERSION, 0, APPLICATION)),
)
"""Where a header says what it always says, and what."""

VERSIONS = slice(18, 20)
"""Place of these marks."""

PAGES = slice(28, 32)
"""The number of pages."""

FREE = slice(32, 40)
"""The list of unused pages."""

OUR_VERSION, OUR_MARK = slice(60, 64), slice(68, 72)


def is_sound(header: bytes) -> bool:
    """Whether a file begins as every journal of this version does."""
    if len(header) < SIZE or header[VERSIONS] not in (WITH_LOG, WITHOUT_LOG):
        return False
    return all(header[start : start + len(value)] == value for start, value in FIXED)


def other_version(header: bytes | bytearray) -> int | None:
    """The version of what claims to be a journal of another one."""
    found = int.from_bytes(header[OUR_VERSION])
    return found if header[OUR_MARK] == struct.pack(">I", APPLICATION) and found != VERSION else None


def with_new_header(content: bytearray) -> bytearray:
    """The same file, to be read as it stands, in whole pages, with whatever its header should say."""
    restored = content + bytes(-len(content) % PAGE)
    for start, value in FIXED:
        restored[start : start + len(value)] = value
    restored[VERSIONS] = WITHOUT_LOG
    restored[PAGES] = struct.pack(">I", len(restored) // PAGE)
    # What is unused is not read.
    restored[FREE] = bytes(8)
    return restored


class JournalKind(NamedTuple):
    """What a journal is called.

    Attributes:
        step: what to do where there is none.
    """

    noun: str
    step: str


LEDGER = JournalKind("ledger", "make one with `sordino ledger new`")

STORE = JournalKind("store of answers", "name another file: --store FILE")

WAIT = 60.0
"""Seconds that a transaction waits for another one."""

PAUSE = 0.005
"""Seconds between two tries where SQLite itself does not wait."""

NO_ROOM = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR)
"""What SQLite reports of a full disk, among others."""

REASONS = {
    sqlite3.SQLITE_FULL: "no room",
    sqlite3.SQLITE_IOERR: "an error of the disk",
    sqlite3.SQLITE_READONLY: "a file that may only be read",
    sqlite3.SQLITE_CANTOPEN: "a file that cannot be opened",
}
"""What SQLite refuses for, in words."""

LOGS = ("-wal", "-shm")
"""Endings of the files that SQLite keeps beside an open one."""

TABLES = (
    "CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL, seal TEXT NOT NULL)",
    """CREATE TABLE events (
    sequence INTEGER PRIMARY KEY,
    event TEXT NOT NULL,
    id TEXT NOT NULL,
    body TEXT NOT NULL,
    secret TEXT NOT NULL,
    time TEXT NOT NULL,
    seal TEXT NOT NULL,
    UNIQUE (id, event)
)""",
)


@contextmanager
def new_database(path: Path) -> Iterator[sqlite3.Connection]:
    """A new file that only its owner can open; it has its name once it is whole and was read again.

    Raises SordinoError: something has that name, or the system refuses: then nothing is left.
    """
    with sqlite_errors(path), closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        connection.execute(f"PRAGMA page_size = {PAGE}")
        connection.execute("BEGIN")
        make_tables(connection)
        yield connection
        connection.execute("COMMIT")
        content = bytearray(connection.serialize())
    # SQLite would report too late that there is no room to move a log into its file.
    content[VERSIONS] = WITH_LOG
    with replace_whole(path) as temporary:
        try:
            with new_private_file(temporary) as file:
                file.write(content)
            _require_room(path, temporary)
        finally:
            for ending in LOGS:
                with suppress(OSError):
                    temporary.with_name(temporary.name + ending).unlink()
    sync_folder(path)


def make_tables(connection: sqlite3.Connection) -> None:
    """Make a file a journal without lines, within a transaction."""
    connection.execute(f"PRAGMA application_id = {APPLICATION}")
    connection.execute(f"PRAGMA user_version = {VERSION}")
    for table in TABLES:
        connection.execute(table)


def _require_room(path: Path, temporary: Path) -> None:
    with sqlite_errors(path), closing(connect(temporary)) as connection:
        if connection.execute("PRAGMA quick_check(1)").fetchone() != (b"ok",):
            raise UnreadableError(path, "another file than was written")


@contextmanager
def transaction(path: Path, *, write: bool, kind: JournalKind = LEDGER) -> Iterator[sqlite3.Connection]:
    """A transaction that is committed when the block ends well, and otherwise changes nothing.

    One that writes keeps all others that write out from its beginning.

    Raises:
        UnreadableError: a file that cannot be read as a journal of this version.
        SordinoError: no journal of this user's alone, or the system refuses.
    """
    require_own(path, kind)
    _require_header(path, kind)
    with sqlite_errors(path, kind), closing(connect(path)) as connection:
        connection.execute("BEGIN IMMEDIATE" if write else "BEGIN")
        yield connection
        # A block that fails leaves the transaction to the closing connection, which undoes it.
        connection.execute("COMMIT")


def settle(path: Path, kind: JournalKind = LEDGER) -> None:
    """All that is committed into the file itself, synchronized, and the log emptied.

    Raises:
        UnreadableError: a file that cannot be read as a journal of this version.
        SordinoError: other transactions did not end in time.
    """
    require_own(path, kind)
    _require_header(path, kind)
    deadline = monotonic() + WAIT
    with sqlite_errors(path, kind), closing(connect(path)) as connection:
        while _checkpoint(connection):
            # SQLite does not wait for a process that does the same.
            if monotonic() > deadline:
                raise _busy(path)
            sleep(PAUSE)


def _checkpoint(connection: sqlite3.Connection) -> bool:
    """Empty the log; whether it could not be done for other processes."""
    try:
        busy, _, _ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    except sqlite3.OperationalError as error:
        if not _is_busy(error):
            raise
        return True
    return bool(busy)


def require_own(path: Path, kind: JournalKind = LEDGER) -> None:
    """Refuse a file that is not its owner's alone, or that is not one file of one name."""
    try:
        status = path.stat()
    except OSError as error:
        raise cannot("read", path, error) from None
    if not stat.S_ISREG(status.st_mode):
        found = "a folder" if path.is_dir() else "no file"
        raise SordinoError(f"{path} must be a {kind.noun}", found=found, step=kind.step)
    if is_of_another(status):
        step = f"run it as its owner, or {kind.step}"
        raise SordinoError(f"{path} must be your own {kind.noun}", found="somebody else's file", step=step)
    require_private(path, status)
    if status.st_nlink != 1:
        finish_new_name(path)
        status = path.stat()
    if status.st_nlink != 1:
        # Two names have two logs, of which each knows half.
        raise SordinoError(f"{path} must have one name", found=f"{status.st_nlink}", step="remove the other names")


def _require_header(path: Path, kind: JournalKind) -> None:
    try:
        with path.open("rb") as file:
            header = file.read(SIZE)
    except OSError as error:
        raise cannot("read", path, error) from None
    if not is_sound(header):
        raise UnreadableError(path, "a changed header", kind)


def connect(path: Path) -> sqlite3.Connection:
    """A connection to a file that is there, which waits for others, and for the disk."""
    uri = f"{path.absolute().as_uri()}?mode=rw"
    connection = sqlite3.connect(uri, uri=True, timeout=WAIT, isolation_level=None)
    try:
        connection.text_factory = bytes
        connection.execute("PRAGMA synchronous = EXTRA")
        connection.execute("PRAGMA fullfsync = ON")
        connection.execute("PRAGMA trusted_schema = OFF")
    except sqlite3.Error:
        connection.close()
        raise
    return connection


@contextmanager
def sqlite_errors(path: Path, kind: JournalKind = LEDGER) -> Iterator[None]:
    """SQLite's refusals in our words; they never hold a value."""
    try:
        yield
    except sqlite3.OperationalError as error:
        if _is_busy(error):
            raise _busy(path) from None
        if _code(error) == sqlite3.SQLITE_ERROR:
            # What the tables lack, not what the system does.
            raise UnreadableError(path, "tables of another form", kind) from None
        step = "check that the disk has room" if _code(error) in NO_ROOM else ""
        raise UnavailableError(f"{path} must be possible to use", found=_reason(error), step=step) from None
    except (sqlite3.DatabaseError, UnicodeDecodeError):
        raise UnreadableError(path, "broken tables", kind) from None


def _code(error: sqlite3.Error) -> int:
    """Which kind of refusal it is; 0 for those of Python's own, which have none."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


def _reason(error: sqlite3.Error) -> str:
    """Why, by SQLite's name of the refusal: its words may quote what stands in the file."""
    return REASONS.get(_code(error), getattr(error, "sqlite_errorname", "a refusal of the system"))


class UnreadableError(DamagedError):
    """A file that SQLite cannot read as it is."""

    def __init__(self, path: Path, found: str, kind: JournalKind = LEDGER) -> None:
        super().__init__(f"{path} must be a whole {kind.noun}", found=found, step="restore an undamaged copy")


def _is_busy(error: sqlite3.Error) -> bool:
    return _code(error) in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL)


def _busy(path: Path) -> UnavailableError:
    return UnavailableError(f"{path} must be free", found="a process that has it open", step="try again")
