"""Ask a person's record a question: reserve, draw, settle, send, note.

Whenever it stops, asking again goes on where it stopped: an answer that was stored is sent again, never drawn again.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from sordino.exact.messages.arguments import checked
from sordino.exact.source import Source
from sordino.once.ledger.documents.asked_query import AskedQuery
from sordino.once.ledger.documents.ledger_terms import LedgerTerms
from sordino.once.ledger.documents.person_record import PersonRecord
from sordino.once.ledger.ledger import Ledger

Words = TypeVar("Words", AskedQuery, PersonRecord)


@dataclass(frozen=True)
class Report:
    """What a collector gets.

    Attributes:
        query: what was asked.
        code: the answer.
        again: whether it was drawn before, by this call's ledger.

    Example:
        >>> from sordino.once.ledger.documents.ledger_terms import LedgerTerms
        >>> smoker = {"smoker": {"categories": ["yes", "no"]}}
        >>> terms = LedgerTerms.read({"version": 1, "epsilon": "1", "attribute": smoker})
        >>> asked = {"version": 1, "id": "q", "collector": "c", "epsilon": "1", "category": "smoker"}
        >>> report = Report(AskedQuery.read(asked, terms), 1, again=False)
        >>> report.json()["code"]
        '1'
    """

    query: AskedQuery
    code: int
    again: bool

    def json(self) -> dict[str, str]:
        """For the collector: the same words each time it is sent."""
        return {
            "id": self.query.id,
            "collector": self.query.collector,
            "query": self.query.hash,
            "code": str(self.code),
        }


@checked
def ask(
    ledger: Ledger,
    query: AskedQuery | Mapping[str, Any] | Path | str,
    record: PersonRecord | Mapping[str, Any] | Path | str,
    send: Callable[[Report], None],
    source: Source | None = None,
) -> Report:
    """Answer a query, if the ledger accepts it.

    Args:
        ledger: of the person.
        query: what is asked; or the tables of its file, or the path of it.
        record: the person's values; or the tables of their file, or the path of it.
        send: delivers the report; called once the answer is on the disk. What it raises, is raised: ask again then.
        source: of random words; the operating system's by default.

    Raises:
        RefusedError: the ledger does not accept the query.
        SordinoError: see `Ledger.reserve`.

    Example:
        >>> from tempfile import TemporaryDirectory
        >>> terms = {"version": 1, "epsilon": "1", "attribute": {"smoker": {"categories": ["yes", "no"]}}}
        >>> query = {"version": 1, "id": "q", "collector": "c", "epsilon": "0.5", "category": "smoker"}
        >>> record = {"version": 1, "record": {"smoker": "no"}}
        >>> sent = []
        >>> with TemporaryDirectory() as folder:
        ...     ledger = Ledger.make(f"{folder}/me.ledger", terms)
        ...     codes = {ask(ledger, query, record, send=sent.append).code for _ in range(5)}
        >>> len(codes), len(sent)
        (1, 5)
    """
    # The record before the query: what is told about it is the same, whatever is asked.
    values = _read(PersonRecord, record, ledger.terms)
    asked = _read(AskedQuery, query, ledger.terms)
    drawn = []

    def draw() -> int:
        code = asked.draw(values, source)
        drawn.append(code)
        return code

    entry = ledger.reserve(asked, values, draw)
    if entry.code is None:
        entry = ledger.draw(asked, values, draw)
    if entry.code is None:
        raise AssertionError("an entry that was drawn has a code")
    report = Report(asked, entry.code, again=not drawn)
    ledger.deliver(asked.id, lambda: send(report))
    return report


def _read(kind: type[Words], given: Words | Mapping[str, Any] | Path | str, terms: LedgerTerms) -> Words:
    if isinstance(given, Path | str):
        return kind.load(given, terms)
    return kind.read(dict(given), terms) if isinstance(given, Mapping) else given
