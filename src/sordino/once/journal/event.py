"""The events of a journal, in the order in which they happened, each sealed by a hash of its own.

| event | id | body (public) | secret |
|---|---|---|---|
| record | the version's number | | a keyed hash of the record |
| asked | the query's | its words, its channel and the record's version | the record's hash, where terms cover changes |
| drawn | the query's, or the plan's | of a plan the report as its collector takes it, and the collector | the code |
| sent | the same | the code | |
| invited | the plan's: its answer is sent by an invitation | | |
| taken back | the plan's | whether the answer was acknowledged before | |
| period | the plan's | in which period of its series the person answers | |
| question | the plan's | which of its questions the person's report is about, drawn before the record is read | |
| elsewhere | the plan's, and which try | through which other journal it is answered | |
| freed | the same | | |

The first two are a ledger's. A try of another journal that reserved nothing there is freed. An answer is public once it
is sent, and the line that it was drawn never is. Sequence numbers decide what came first; times are information only.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import Any

from sordino.document.sealed import canonical

MODELS = ("linear", "truncated", "logistic")
"""What a query can ask about numbers."""

KINDS = (*MODELS, "category")
"""What a query of a file of its own can ask."""

PLAN_KIND = "plan"
"""What is asked by the plan of a survey, whose words hold its bytes."""

RECORD, ASKED, DRAWN, SENT = "record", "asked", "drawn", "sent"
TAKEN_BACK, ELSEWHERE, FREED, INVITED = "taken back", "elsewhere", "freed", "invited"

PERIOD, QUESTION = "period", "question"
"""What is chosen once for a plan: each line has its place, from 0, under the event's own name."""

NUMBER = re.compile(r"[0-9]{1,20}")
"""A code, or a version of the record, as a text."""


@dataclass(frozen=True)
class Event:
    """One line of a journal.

    Attributes:
        sequence: 1 for the first event, then without gaps.
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

    @cached_property
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
            whole = found.is_well_formed and seal == found.seal
        except (ValueError, TypeError, RecursionError):
            return None
        return found if whole else None

    @property
    def is_well_formed(self) -> bool:
        """Whether each part is of the kind that readers of events count on, whatever JSON it came from."""
        texts = (self.event, self.id, self.secret, self.time)
        whole = type(self.sequence) is int and all(isinstance(text, str) for text in texts)
        return whole and isinstance(self.body, dict) and self._has_own_body()

    def _has_own_body(self) -> bool:
        if self.event == ASKED:
            channel, record = self.body.get("channel"), self.body.get("record")
            return isinstance(channel, str) and type(record) is int and _is_query(self.body.get("query"))
        if self.event in (PERIOD, QUESTION):
            return type(self.body.get(self.event)) is int
        if self.event == ELSEWHERE:
            return isinstance(self.body.get("journal"), str)
        if self.event in (TAKEN_BACK, FREED, INVITED):
            return True
        if self.event == DRAWN and not (
            isinstance(self.body.get("report", {}), dict) and isinstance(self.body.get("collector", ""), str)
        ):
            return False
        number = {RECORD: self.id, DRAWN: self.secret, SENT: self.body.get("code")}.get(self.event)
        return isinstance(number, str) and NUMBER.fullmatch(number) is not None


def _is_query(words: object) -> bool:
    """Whether they name a query, its collector and what it asks; building its channel checks all else."""
    if not isinstance(words, dict):
        return False
    named = all(isinstance(words.get(name), str) for name in ("id", "collector", "epsilon", "hash"))
    if isinstance(words.get(PLAN_KIND), str):
        return named and type(words.get("question")) is int
    return named and any(kind in words for kind in KINDS)


def seal_of(*parts: Any) -> str:
    """A hash of some words."""
    return sha256(canonical({"parts": parts})).hexdigest()
