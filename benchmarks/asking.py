"""Asking a ledger that was asked before, against asking it for the second time."""

import tempfile
from collections.abc import Iterator
from pathlib import Path
from time import process_time
from typing import Any

from pairs import RATIOS, ratios, spread
from sordino import Ledger, ask
from sordino.once.journal.contents import sealed_meta
from sordino.once.journal.event import ASKED, DRAWN, RECORD, SENT, Event
from sordino.once.journal.journal_file import transaction
from sordino.once.ledger.ledger_query import AskedQuery
from sordino.once.ledger.ledger_terms import LedgerTerms
from sordino.once.ledger.person_record import PersonRecord

TITLE = "Asking an old ledger"
NOTE = (
    "Processor time of an ask (reserve, draw, settle, note) that is answered anew by a ledger that answered so many "
    "queries before, over that of a ledger that answered one; the mean of fifteen asks, among which three checkpoints "
    "are written. Peers: none."
)
HEADER = RATIOS

BEFORE = (100, 1000, 10_000)
AT_ONCE = 15
"""Asks of one figure: after each five a checkpoint is written."""

KINDS: dict[str, tuple[dict[str, Any], dict[str, Any], dict[str, Any]]] = {
    "categories": (
        {"smoker": {"categories": ["yes", "no"]}, "region": {"categories": ["north", "south", "west"]}},
        {"category": "smoker"},
        {"smoker": "no", "region": "south"},
    ),
    "numbers": (
        {"age": {"number": {"low": 18, "high": 90}}, "sleep": {"number": {"low": 0, "high": 12}}},
        {"linear": {"theta": {"sleep": 1}, "low": 0, "high": 12}},
        {"age": 44, "sleep": 7.5},
    ),
}
"""Attributes, what is asked, and a record."""


class Asked:
    """A ledger that answered some queries."""

    def __init__(self, path: Path, kind: str, number: int) -> None:
        attributes, self._model, own = KINDS[kind]
        self._terms = LedgerTerms.read({"version": 1, "epsilon": "1", "attribute": attributes})
        self._record = PersonRecord.read({"version": 1, "record": own}, self._terms)
        self._ledger, self._count = Ledger.make(path, self._terms), 0
        key = self._ledger.contents().meta["key"]
        events = [Event(1, RECORD, "1", {}, self._record.digest(bytes.fromhex(key)), "")]
        for place in range(number):
            query, code = self._next(), str(place % 2)
            words = {"query": dict(query.document), "channel": query.fingerprint, "record": 1}
            for event, body, secret in ((ASKED, words, ""), (DRAWN, {}, code), (SENT, {"code": code}, "")):
                events.append(Event(len(events) + 1, event, query.id, body, secret, ""))
        with transaction(path, write=True) as connection:
            connection.executemany("INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?)", [each.row for each in events])
            head = sealed_meta({"head": str(len(events))})
            connection.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?, ?)", head)
        # The first ask works out what all lines tell.
        self.seconds(1)

    def _next(self) -> AskedQuery:
        self._count += 1
        words = {"version": 1, "id": f"q{self._count}", "collector": "c", "epsilon": "0.00005"}
        return AskedQuery.read({**words, **self._model}, self._terms)

    def seconds(self, number: int = AT_ONCE) -> float:
        """Of an ask, of the processor."""
        queries = [self._next() for _ in range(number)]
        start = process_time()
        for query in queries:
            ask(Ledger(self._ledger.path), query, self._record, lambda _: None)
        return (process_time() - start) / number


def rows() -> Iterator[tuple[str, ...]]:
    for kind in KINDS:
        for number in BEFORE:
            with tempfile.TemporaryDirectory() as folder:
                old = Asked(Path(folder) / "old.ledger", kind, number)
                new = (Asked(Path(folder) / f"{place}.ledger", kind, 1) for place in range(1000))
                found = ratios(old.seconds, lambda new=new: next(new).seconds(4))
            yield f"{kind}, {number:,} queries", "at most 3", spread(found)
