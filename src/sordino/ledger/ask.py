"""Ask a person's record a question: reserve, draw, settle, send, note.

Whenever it stops, asking again goes on where it stopped: an answer that was stored is sent again, never drawn again.
"""

from collections.abc import Callable
from dataclasses import dataclass

from sordino.exact.source import Source
from sordino.ledger.documents.asked_query import AskedQuery
from sordino.ledger.documents.person_record import PersonRecord
from sordino.ledger.ledger import Ledger


@dataclass(frozen=True)
class Report:
    """What a collector gets.

    Attributes:
        query: what was asked.
        code: the answer.
        again: whether it was drawn before, by this call's ledger.
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


def ask(
    ledger: Ledger,
    query: AskedQuery,
    record: PersonRecord,
    send: Callable[[Report], None],
    source: Source | None = None,
) -> Report:
    """Answer a query, if the ledger accepts it.

    Args:
        ledger: of the person.
        query: what is asked.
        record: the person's values.
        send: delivers the report; called once the answer is on the disk. What it raises, is raised: ask again then.
        source: of random words; the operating system's by default.

    Raises:
        RefusedError: the ledger does not accept the query.
        SordinoError: see `Ledger.reserve`.
    """
    drawn = []

    def draw() -> int:
        code = query.draw(record, source)
        drawn.append(code)
        return code

    entry = ledger.reserve(query, record)
    if entry.code is None:
        entry = ledger.draw(query, record, draw)
    ledger.settle(query)
    if entry.code is None:
        raise AssertionError("an entry that was drawn has a code")
    report = Report(query, entry.code, again=not drawn)
    ledger.step("sending")
    send(report)
    ledger.step("delivered")
    ledger.note_sent(query)
    return report
