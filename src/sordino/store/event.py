"""The events of a ledger, in the order in which they happened, each sealed by a hash of its own.

| event | id | body (public) | secret |
|---|---|---|---|
| record | the version's number | | a keyed hash of the record |
| asked | the query's | its words, its channel and the record's version | |
| drawn | the query's | | the code |
| sent | the query's | the code | |

An answer is public once it is sent. Sequence numbers decide what came first; times are information only.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from sordino.survey.document import canonical

RECORD, ASKED, DRAWN, SENT = "record", "asked", "drawn", "sent"


@dataclass(frozen=True)
class Event:
    """One line of a ledger.

    Attributes:
        sequence: 1 for the first event, then without gaps.
        event: what happened.
        id: to what.
        body: what everybody may know of it.
        secret: what stays on the device.
        time: when, by the device's clock: information only.
    """

    sequence: int
    event: str
    id: str
    body: Mapping[str, Any]
    secret: str
    time: str

    @property
    def seal(self) -> str:
        """A hash of all of it: a line that was changed by accident does not match it."""
        return seal_of(self.sequence, self.event, self.id, self.body, self.secret, self.time)

    @property
    def row(self) -> tuple[int | str, ...]:
        """As it stands in the table."""
        body = canonical(dict(self.body)).decode("ascii")
        return self.sequence, self.event, self.id, body, self.secret, self.time, self.seal

    @classmethod
    def of_row(cls, row: tuple[Any, ...]) -> "Event | None":
        """From the table's texts as bytes; None where it is not whole."""
        try:
            event, name, body, secret, time, seal = (bytes(text).decode("utf-8") for text in row[1:])
            found = cls(int(row[0]), event, name, json.loads(body), secret, time)
            return found if seal == found.seal and isinstance(found.body, dict) else None
        except (ValueError, TypeError, RecursionError):
            return None


def seal_of(*parts: Any) -> str:
    """A hash of some words."""
    return sha256(canonical({"parts": parts})).hexdigest()
