"""The record of what was done to a collection: who closed, scrubbed, exported, and who may.

An act is a line of JSON with its number, its day and the name of the token (or `console`: the operator's own account on
the machine). Each has a hash over the hash before it and its own line, so that no line can be changed, left out or put
in without changing all hashes after it; the database refuses to change or delete one. Somebody with rights on the whole
database can still write a new chain, or cut off its end: compare the last hash with one kept elsewhere (each act's hash
stands in the log).

An act is noted before it is done: what stands there may have failed, and nothing that was done is missing.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass

from sordino.errors import DamagedError
from sordino.exact.messages.brief import shown
from sordino.service.storage.database import Database
from sordino.service.storage.day import today

BEGIN = hashlib.sha256(b"sordino record 1\n").hexdigest()
"""What stands before the first act's hash."""


@dataclass(frozen=True)
class Act:
    """One line of the record.

    Attributes:
        line: the act as JSON.
        hash: over the hash before it, a line break and the line.
    """

    line: str
    hash: str

    @classmethod
    def after(cls, previous: str, line: str) -> "Act":
        """The next act."""
        return cls(line, hashlib.sha256(f"{previous}\n{line}".encode()).hexdigest())


class ActRecord:
    """The record of a store. `note` runs within a transaction, which keeps all others out."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def note(self, by: str, act: str, **about: object) -> Act:
        """Note an act before it is done.

        Args:
            by: the name of a token, or `CONSOLE` (`tokens`).
            act: what is done.
            about: what it is done to.
        """
        self._database.lock_record()
        rows = self._database.rows("SELECT number, hash FROM act ORDER BY number DESC LIMIT 1")
        number, previous = rows[0] if rows else (0, BEGIN)
        line = json.dumps({"number": number + 1, "day": today(), "by": by, "act": act, **about})
        made = Act.after(previous, line)
        self._database.rows("INSERT INTO act VALUES (?, ?, ?)", number + 1, made.line, made.hash)
        return made

    def after(self, number: int) -> list[tuple[int, Act]]:
        """The acts behind the first `number`, each with its own."""
        rows = self._database.rows("SELECT number, line, hash FROM act WHERE number > ? ORDER BY number", number)
        return [(own, Act(line, hashed)) for own, line, hashed in rows]

    def acts(self) -> list[Act]:
        """All of them, checked.

        Raises:
            DamagedError: one was changed, left out or put in.
        """
        rows = self._database.rows("SELECT number, line, hash FROM act ORDER BY number")
        acts = [Act(line, hashed) for _, line, hashed in rows]
        require_chain(acts)
        return acts


def require_chain(acts: Sequence[Act]) -> None:
    """Refuse a record that is not what was noted.

    Raises:
        DamagedError: it names the first act that does not follow from those before it.
    """
    previous = BEGIN
    for number, act in enumerate(acts, 1):
        if act != Act.after(previous, act.line) or json.loads(act.line).get("number") != number:
            step = "compare it with the log and with backups: somebody wrote into the database"
            raise DamagedError("each act must follow from those before it", found=f"act {shown(number)}", step=step)
        previous = act.hash
