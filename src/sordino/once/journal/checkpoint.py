"""Where a ledger stood after its first lines, kept in the same file, so that whoever asks need not read them again.

It is worked out from the lines and never instead of them: whatever does not fit is thrown away, and the lines are read.

| part | what |
|---|---|
| head | how many lines, the last one's seal, a hash of all their seals in turn, and by what it was worked out |
| state | the balance |
| marks | 8 bytes for each line: a hash of what happened to what, so that a line that is lost is missed |

The seal covers all three under the ledger's own key: another ledger's checkpoint does not fit.
"""

import hmac
import json
import sqlite3
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from hashlib import blake2b, sha256
from typing import Any

import numpy as np

from sordino.document.sealed import canonical, hash_of
from sordino.once.journal.event import Event

TABLE = """
CREATE TABLE IF NOT EXISTS checkpoint (
    place INTEGER PRIMARY KEY,
    head TEXT NOT NULL,
    state BLOB NOT NULL,
    marks BLOB NOT NULL,
    seal TEXT NOT NULL
)
"""
"""Made by the first checkpoint; files without it are of the same version."""

MARK = np.dtype("<u8")
"""Type of a line's hash."""


@dataclass(frozen=True)
class Checkpoint:
    """Where a ledger stood.

    Attributes:
        last: the seal of the last of them.
        chain: a hash of all their seals in turn.
        basis: by what it was worked out: it fits nothing else.
    """

    lines: int
    last: str
    chain: str
    record: int
    basis: str
    state: bytes
    marks: bytes

    @property
    def head(self) -> dict[str, Any]:
        """What is said about the other parts."""
        words = {"lines": self.lines, "last": self.last, "chain": self.chain, "record": self.record}
        return {**words, "basis": self.basis, "state": hash_of(self.state), "marks": hash_of(self.marks)}

    def has(self, event: str, name: str) -> bool:
        """Whether one of the lines says that this happened to that; a hash of 64 bits tells."""
        return bool((np.frombuffer(self.marks, MARK) == np.frombuffer(_mark(event, name), MARK)).any())


def of_lines(before: Checkpoint | None, events: Iterable[Event], record: int, basis: str, state: bytes) -> Checkpoint:
    """The checkpoint after some more lines, at least one.

    Args:
        before: of the lines before; None for none.
        basis: by what the state was worked out.
    """
    added = tuple(events)
    marks = b"".join(_mark(event.event, event.id) for event in added)
    start, chain, known = (0, "", b"") if before is None else (before.lines, before.chain, before.marks)
    chain = chain_hash(added, chain)
    return Checkpoint(start + len(added), added[-1].seal, chain, record, basis, state, known + marks)


def chain_hash(events: Iterable[Event], chain: str = "") -> str:
    """A hash of the seals of lines in turn, and of those before."""
    for event in events:
        chain = sha256((chain + event.seal).encode("ascii")).hexdigest()
    return chain


def read_checkpoint(connection: sqlite3.Connection, key: str) -> Checkpoint | None:
    """The checkpoint within a transaction; None where there is none that is whole and this ledger's.

    Args:
        key: of the ledger, in hexadecimal digits.
    """
    with suppress(sqlite3.DatabaseError, ValueError, TypeError, KeyError, RecursionError):
        row = connection.execute("SELECT head, state, marks, seal FROM checkpoint WHERE place = 1").fetchone()
        if row is None:
            return None
        text, state, marks, seal = map(bytes, row)
        if not hmac.compare_digest(seal, _seal(key, text)):
            return None
        head = json.loads(text)
        lines, last, chain, record, basis = (head[name] for name in ("lines", "last", "chain", "record", "basis"))
        found = Checkpoint(lines, last, chain, record, basis, state, marks)
        return found if found.head == head and len(marks) == found.lines * MARK.itemsize else None
    return None


def write_checkpoint(connection: sqlite3.Connection, key: str, checkpoint: Checkpoint) -> None:
    """Put a checkpoint in the place of the last one, within a transaction."""
    text = canonical(checkpoint.head)
    connection.execute(TABLE)
    row = text.decode("ascii"), checkpoint.state, checkpoint.marks, _seal(key, text).decode("ascii")
    connection.execute("INSERT OR REPLACE INTO checkpoint VALUES (1, ?, ?, ?, ?)", row)


def drop_checkpoint(connection: sqlite3.Connection) -> None:
    """Put the checkpoint away, within a transaction."""
    connection.execute("DELETE FROM checkpoint")


def _seal(key: str, text: bytes) -> bytes:
    return hmac.new(bytes.fromhex(key), text, sha256).hexdigest().encode("ascii")


def _mark(event: str, name: str) -> bytes:
    return blake2b(f"{event} {name}".encode(), digest_size=MARK.itemsize).digest()
