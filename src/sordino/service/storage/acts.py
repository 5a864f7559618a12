"""The record of what was done to a collection: who closed, scrubbed, exported, and who may.

An act is a line of JSON with its number, its day and the name of the token (or `console`: the operator's own account on
the machine). Each has a hash over the hash before it and its own line, so that no line can be changed, left out or put
in without changing all hashes after it; the database refuses to change or delete one. Somebody with rights on the whole
database can still write a new chain, or cut off its end: compare the last hash with one kept elsewhere (each act's hash
stands in the log).

What is one commit (a token, a key, closing, tallies of others) is noted in that commit: it stands there only if it was
done. What is more than one (a scrub, an export, a backup) is noted twice: `begun` before anything is done, then `done`
or `failed`, with the number of the beginning (`of`). A beginning without an end is of a deed that still runs, or whose
process ended: it may have been done. So nothing that was done is missing, and nothing stands as done that was not.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from sordino.errors import DamagedError
from sordino.exact.messages import shown
from sordino.service.storage.database import Database, today

BEGIN = hashlib.sha256(b"sordino record 1\n").hexdigest()
"""What stands before the first act's hash."""

BACKUP, SCRUB = "backup", "scrub"
REPORTS_EXPORT, TALLY_EXPORT = "export of reports", "export of the tally"
"""Deeds of more than one commit."""

BEGUN = "begun"
"""Last word of an act whose end is noted as an act of its own."""


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
        """Note an act.

        Args:
            by: the name of a token, or `CONSOLE` (`tokens`).
            act: what is done in this transaction; or what is begun, or has ended.
            about: what it is done to.
        """
        self._database.lock_record()
        rows = self._database.rows("SELECT number, hash FROM act ORDER BY number DESC LIMIT 1")
        number, previous = rows[0] if rows else (0, BEGIN)
        line = json.dumps({"number": number + 1, "day": today(), "by": by, "act": act, **about})
        made = Act.after(previous, line)
        self._database.rows("INSERT INTO act VALUES (?, ?, ?)", number + 1, made.line, made.hash)
        return made

    def begin(self, by: str, deed: str, **about: object) -> int:
        """Note that a deed of more than one commit begins: the act's number."""
        return int(json.loads(self.note(by, f"{deed} {BEGUN}", **about).line)["number"])

    def end(self, begun: int, by: str, deed: str, *, done: bool) -> None:
        """Note how a deed ended that began by an act of this number."""
        self.note(by, f"{deed} {'done' if done else 'failed'}", of=begun)

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


def find_unended(lines: Iterable[Mapping[str, object]]) -> list[object]:
    """The numbers of acts that began and have no end: what they are about may have been done."""
    known = list(lines)
    ended = {line.get("of") for line in known}
    return [line["number"] for line in known if str(line["act"]).endswith(f" {BEGUN}") and line["number"] not in ended]


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
