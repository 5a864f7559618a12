"""A person's answers on their own device: for each plan one, in a SQLite file that only they can open.

An answer is drawn within the transaction that stores it, which keeps every other process out from its beginning, and
leaves the device only once it is on the disk (`synchronous = EXTRA`: the journal's folder too). So whatever is killed,
and whenever: either nobody saw the answer that was drawn, or it is the one that stands here. A plan is known by its
hash, whatever its name and address. Of a plan that is answered through a ledger it stands here which one that is,
before anything is reserved there: no other ledger draws an answer to it, and this store none.
"""

import sqlite3
import stat
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from sordino.document.files import cannot, replace_whole, sync_folder
from sordino.document.private_file import new_private_file, require_private
from sordino.errors import DamagedError, RefusedError, SordinoError, UnavailableError
from sordino.exact.messages.brief import shown

APPLICATION = 0x50414E53
"""What says that a SQLite file is a store of answers ("PANS")."""

VERSION = 1
"""Of the file's table."""

WAIT = 60.0
"""Seconds that a transaction waits for another one."""

TABLE = """
CREATE TABLE answer (plan TEXT PRIMARY KEY, body BLOB NOT NULL, seal BLOB NOT NULL, acknowledged INTEGER NOT NULL)
WITHOUT ROWID
"""

PERIODS = "CREATE TABLE IF NOT EXISTS period (plan TEXT PRIMARY KEY, period INTEGER NOT NULL, seal BLOB NOT NULL)"
"""Of plans with a series, of which a store may know nothing yet: in which one the person answers."""

LEDGERS = """
CREATE TABLE IF NOT EXISTS through_ledger (plan TEXT PRIMARY KEY, path TEXT NOT NULL, tries INTEGER NOT NULL,
seal BLOB NOT NULL)
"""
"""Of plans that are answered through a ledger: which one, and how many tries may have reserved something there."""

TAKEN_BACK = "CREATE TABLE IF NOT EXISTS taken_back (plan TEXT PRIMARY KEY)"
"""Plans whose answers were taken back, wherever these are stored."""

ONCE = "a plan must be answered once"

REASONS = {
    sqlite3.SQLITE_FULL: "no room",
    sqlite3.SQLITE_IOERR: "an error of the disk",
    sqlite3.SQLITE_READONLY: "a file that may only be read",
    sqlite3.SQLITE_CANTOPEN: "a file that cannot be opened",
    sqlite3.SQLITE_PERM: "no right to it",
}
"""What SQLite refuses for, in words."""


@dataclass(frozen=True, repr=False)
class StoredAnswer:
    """What was drawn for a plan.

    Attributes:
        body: what a collector gets, the same bytes each time.
        acknowledged: whether a collector has said that it is kept.
    """

    body: bytes
    acknowledged: bool


def ignore_step(step: str) -> None:
    """What is told the name of each step."""
    del step


class AnswerStore:
    """The file; every method opens it anew, so that nothing is shared with a fork.

    Attributes:
        path: of the file.
        step: told the name of each step, for tests of what happens if there is no next one.
    """

    def __init__(self, path: Path, step: Callable[[str], None] = ignore_step) -> None:
        self.path, self.step = path, step

    @classmethod
    def open(cls, path: Path, step: Callable[[str], None] = ignore_step) -> "AnswerStore":
        """The store at a path, a new one if there is none; its folder is made too.

        Raises:
            UnavailableError: the system refuses to make one.
        """
        if not path.exists():
            _make(path)
        return cls(path, step)

    def find(self, plan: str) -> StoredAnswer | None:
        """The answer by a plan, if it was drawn.

        Args:
            plan: its hash.

        Raises:
            SordinoError: a file of another kind, of a newer version, or that others can open.
            DamagedError: a store that is not whole.
            UnavailableError: the system refuses.
        """
        with self._transaction() as connection:
            return self._rows(connection).get(plan)

    def draw_once(self, plan: str, draw: Callable[[], bytes]) -> StoredAnswer:
        """The answer by a plan: the one that was drawn, or a new one, which is on the disk when this returns.

        Args:
            plan: its hash.
            draw: gives what a collector gets, with fresh randomness; what it raises leaves nothing behind.

        Raises:
            DamagedError: a store that is not whole, in which nothing more is drawn.
            UnavailableError: the system refuses to write; the answer that was drawn is forgotten.
            RefusedError: the plan is answered through a ledger.
        """
        with self._transaction() as connection:
            known = self._rows(connection).get(plan)
            if known is not None:
                return known
            self._require_ledger(connection, plan, None)
            self.step("drawing")
            body = draw()
            self.step("drawn")
            connection.execute("INSERT INTO answer VALUES (?, ?, ?, 0)", (plan, body, _seal(plan, body)))
            self.step("storing")
        self.step("stored")
        return StoredAnswer(body, acknowledged=False)

    def choose_period_once(self, plan: str, choose: Callable[[], int]) -> int:
        """The period in which the person answers: the one that was chosen, or a new one, which is on the disk then.

        Args:
            plan: the hash of a plan with a series.
            choose: gives the place of a period, where none was chosen.

        Raises:
            DamagedError: a store that is not whole, in which nothing more is chosen.
            UnavailableError: the system refuses to write; the period that was drawn is forgotten.
        """
        with self._transaction() as connection:
            self._rows(connection)
            connection.execute(PERIODS)
            periods = dict[str, int]()
            for own, period, seal in connection.execute("SELECT plan, period, seal FROM period"):
                if type(period) is not int or seal != _seal(own, str(period).encode()):
                    raise _damage(self.path)
                periods[own] = period
            if plan not in periods:
                self.step("choosing a period")
                periods[plan] = choose()
                seal = _seal(plan, str(periods[plan]).encode())
                connection.execute("INSERT INTO period VALUES (?, ?, ?)", (plan, periods[plan], seal))
        self.step("period stored")
        return periods[plan]

    def require_ledger(self, plan: str, path: Path | None) -> None:
        """Refuse an answer that would be a second one to a plan.

        Args:
            plan: its hash.
            path: of the ledger through which it would be drawn; None without one.

        Raises:
            RefusedError: the plan is answered through another ledger, or was answered without any.
        """
        with self._transaction() as connection:
            self._require_ledger(connection, plan, path)

    def note_ledger(self, plan: str, path: Path) -> None:
        """Note, before anything is reserved, that the answer to a plan is drawn through a ledger and nowhere else.

        Args:
            plan: its hash.
            path: of the ledger.

        Raises:
            RefusedError: the plan is answered through another ledger, or was answered without any.
        """
        with self._transaction() as connection:
            self._require_ledger(connection, plan, path)
            connection.execute(
                "INSERT INTO through_ledger VALUES (?, ?, 1, ?) ON CONFLICT (plan) DO UPDATE SET tries = tries + 1",
                (plan, str(path), _seal(plan, str(path).encode())),
            )
        self.step("ledger noted")

    def note_ledger_answer(self, plan: str, path: Path) -> None:
        """Note that a ledger holds an answer to a plan, perhaps from where another store of answers was.

        Args:
            plan: its hash.
            path: of the ledger.
        """
        with self._transaction() as connection:
            self._rows(connection)
            connection.execute(LEDGERS)
            values = plan, str(path), _seal(plan, str(path).encode())
            connection.execute("INSERT INTO through_ledger VALUES (?, ?, 1, ?) ON CONFLICT (plan) DO NOTHING", values)

    def forget_ledger_try(self, plan: str) -> None:
        """Note that one try reserved nothing in its ledger: after as many as there were the plan is as if never asked.

        Args:
            plan: its hash.
        """
        with self._transaction() as connection:
            connection.execute("UPDATE through_ledger SET tries = tries - 1 WHERE plan = ?", (plan,))
            connection.execute("DELETE FROM through_ledger WHERE plan = ? AND tries <= 0", (plan,))

    def _require_ledger(self, connection: sqlite3.Connection, plan: str, path: Path | None) -> None:
        if plan in self._rows(connection):
            step = "answer without --ledger: that answer is sent again, and no other is drawn"
            raise RefusedError(ONCE, found="an answer drawn without the ledger", step=step)
        connection.execute(LEDGERS)
        ledgers = dict[str, str]()
        for own, ledger, seal in connection.execute("SELECT plan, path, seal FROM through_ledger"):
            if not isinstance(ledger, str) or seal != _seal(own, ledger.encode()):
                raise _damage(self.path)
            ledgers[own] = ledger
        if ledgers.get(plan, str(path)) != str(path):
            step = f"answer with --ledger {ledgers[plan]}: what is stored there is sent again, and no other is drawn"
            raise RefusedError(ONCE, found=f"one that is answered through {ledgers[plan]}", step=step)

    def note_taken_back(self, plan: str) -> None:
        """Note that the answer to a plan is taken back, wherever it is stored: it is not sent again.

        Args:
            plan: its hash.
        """
        with self._transaction() as connection:
            self._rows(connection)
            connection.execute(TAKEN_BACK)
            connection.execute("INSERT INTO taken_back VALUES (?) ON CONFLICT DO NOTHING", (plan,))

    def is_taken_back(self, plan: str) -> bool:
        """Whether the answer to a plan was taken back; the collector may still have to be told.

        Args:
            plan: its hash.
        """
        with self._transaction() as connection:
            self._rows(connection)
            connection.execute(TAKEN_BACK)
            return bool(connection.execute("SELECT 1 FROM taken_back WHERE plan = ?", (plan,)).fetchall())

    def note_acknowledged(self, plan: str) -> None:
        """Note that a collector keeps the answer: it is not sent again.

        Args:
            plan: its hash.
        """
        with self._transaction() as connection:
            connection.execute("UPDATE answer SET acknowledged = 1 WHERE plan = ?", (plan,))
            self.step("noting")
        self.step("noted")

    def _rows(self, connection: sqlite3.Connection) -> dict[str, StoredAnswer]:
        """All answers: if one of them is not whole, which plan it belongs to may not be known either."""
        _require_own_tables(self.path, connection)
        answers = {}
        for plan, body, seal, acknowledged in connection.execute("SELECT plan, body, seal, acknowledged FROM answer"):
            if seal != _seal(plan, body):
                raise _damage(self.path)
            answers[plan] = StoredAnswer(body, bool(acknowledged))
        return answers

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        """All of it on disk at the end, or nothing; no other process reads or writes meanwhile."""
        _require_private(self.path)
        with _clear(self.path), closing(_connect(self.path)) as connection:
            connection.execute("BEGIN IMMEDIATE")
            # A block that fails leaves the transaction to the closing connection, which undoes it.
            yield connection
            connection.execute("COMMIT")


def _make(path: Path) -> None:
    """A new file that only its owner can open, which has its name once it is whole."""
    with _clear(path), closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        connection.execute(f"PRAGMA application_id = {APPLICATION}")
        connection.execute(f"PRAGMA user_version = {VERSION}")
        connection.execute(TABLE)
        content = connection.serialize()
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise cannot("write", path, error) from None
    try:
        with replace_whole(path) as temporary, new_private_file(temporary) as file:
            file.write(content)
    except SordinoError:
        # Another process of the same person made it meanwhile.
        if not path.exists():
            raise
    sync_folder(path)


def _connect(path: Path) -> sqlite3.Connection:
    uri = f"{path.absolute().as_uri()}?mode=rw"
    connection = sqlite3.connect(uri, uri=True, timeout=WAIT, isolation_level=None)
    for pragma in ("synchronous = EXTRA", "fullfsync = ON", "trusted_schema = OFF"):
        connection.execute(f"PRAGMA {pragma}")
    return connection


def _require_private(path: Path) -> None:
    """Refuse what is no file, or open to others: whoever reads an answer before it is sent knows whose it is."""
    try:
        status = path.stat()
    except OSError as error:
        raise cannot("read", path, error) from None
    if not stat.S_ISREG(status.st_mode):
        raise SordinoError(
            f"{path} must be a store of answers", found="no file", step="name another file: --store FILE"
        )
    require_private(path, status)


def _require_own_tables(path: Path, connection: sqlite3.Connection) -> None:
    application, version = (
        connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version")
    )
    if not application and not connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
        # An emptied file, which never was a store: nothing says what was sent from it.
        raise _damage(path)
    if application != APPLICATION:
        raise SordinoError(
            f"{path} must be a store of answers", found="a different database", step="choose another --store"
        )
    if version > VERSION:
        step = "use the version of Sordino that made it"
        raise SordinoError(f"{path} must be of version {VERSION}", found=shown(version), step=step)
    if connection.execute("PRAGMA quick_check(1)").fetchone()[0] != "ok":
        raise _damage(path)


def _damage(path: Path) -> DamagedError:
    step = "restore an undamaged copy, and no older one: it is the only record of what was answered, and losses add"
    return DamagedError(f"{path} must be whole before anything is drawn", found="damage", step=step)


@contextmanager
def _clear(path: Path) -> Iterator[None]:
    """What SQLite refuses, in words of ours, which never hold an answer."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
        if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            found, step = "a process that has it open", "try again"
        elif code in REASONS:
            found, step = REASONS[code], "mend that, and try again"
        else:
            # Tables of another form, text that is none, pages that are not whole.
            raise _damage(path) from None
        raise UnavailableError(f"{path} must be possible to use", found=found, step=step) from None


def _seal(plan: object, body: object) -> bytes:
    """Of an answer, so that a changed one is noticed; of another kind of value than was written, none."""
    if not isinstance(plan, str) or not isinstance(body, bytes):
        return b""
    return sha256(plan.encode() + b"\n" + body).digest()
