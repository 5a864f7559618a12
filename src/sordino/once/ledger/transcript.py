"""The public part of a ledger as JSON Lines: terms, versions of the record, queries and the answers that were sent.

No record, no hash of one, and no answer that may not have been sent, unless it was taken back. The same ledger always
gives the same bytes. From a transcript anybody works out the decisions again; `import_transcript` does, at every query.
What it makes only checks: an answer that the transcript lacks may have been drawn, so it could be drawn twice.
"""

import json
from pathlib import Path
from typing import Any

from sordino.document.files import read_text, write_text
from sordino.document.formats import TRANSCRIPT
from sordino.document.kinds import explain_kind
from sordino.document.sealed import canonical, hash_of
from sordino.errors import DamagedError, RefusedError, SordinoError
from sordino.once.journal.contents import write_journal
from sordino.once.journal.event import ASKED, RECORD, SENT, Event
from sordino.once.ledger.balance import Balance
from sordino.once.ledger.ledger import Ledger
from sordino.once.ledger.ledger_terms import LedgerTerms

PUBLIC = (RECORD, ASKED, SENT)
"""Events that everybody may see."""


def transcript(ledger: Ledger) -> str:
    """The public lines of a ledger; of a damaged one those that are whole, and marked so.

    Raises SordinoError: no ledger, or nothing that is whole.
    """
    contents = ledger.contents()
    public = [event for event in contents.events if event.event in PUBLIC]
    head = TRANSCRIPT.stamp({"terms": ledger.terms.document, "whole": not contents.damage})
    lines = [head, *(_line(number, event) for number, event in enumerate(public, 1))]
    text = "".join(canonical(line).decode("ascii") + "\n" for line in lines)
    return text + canonical({"events": len(public), "hash": hash_of(text.encode())}).decode("ascii") + "\n"


def export_transcript(ledger: Ledger, path: Path) -> int:
    """Write the public lines of a ledger; how many events they are.

    Raises SordinoError: something has that name, or the system refuses.
    """
    text = transcript(ledger)
    write_text(path, text)
    return text.count("\n") - 2


def import_transcript(source: Path, path: Path) -> Ledger:
    """Make a ledger that only checks from a transcript, once each of its queries is found to be acceptable."""
    try:
        terms, events = read_transcript(source)
        _require_accepted(terms, events, source)
    except SordinoError:
        raise
    except (AttributeError, KeyError, TypeError, ValueError, OverflowError, RecursionError):
        raise TRANSCRIPT.foreign("other words", str(source)) from None
    write_journal(path, terms.text, events, copy=True)
    return Ledger.open(path)


def read_transcript(source: Path) -> tuple[LedgerTerms, list[Event]]:
    """The terms and the events of a transcript."""
    text = read_text(source)
    end = text.rfind("\n", 0, -1) + 1
    with explain_kind(source, "transcript"):
        head, *lines = [_object(line, source) for line in text.splitlines()] or [{}]
        TRANSCRIPT.require(head, str(source))
    last = lines.pop() if lines else {}
    if not text.endswith("\n") or last != {"events": len(lines), "hash": hash_of(text[:end].encode())}:
        raise DamagedError(f"{source} must be a whole transcript", found="a cut or changed one", step="export it again")
    if head.get("whole") is not True:
        raise DamagedError(f"{source} must be of a whole ledger", found="one of a damaged ledger")
    events = [_event(number, line, source) for number, line in enumerate(lines, 1)]
    if len({(event.event, event.id) for event in events}) < len(events):
        raise DamagedError(f"{source} must say everything once", found="an event of one id twice")
    return LedgerTerms.of_document(head["terms"]), events


def _require_accepted(terms: LedgerTerms, events: list[Event], source: Path) -> None:
    try:
        Balance.of(terms, events)
    except SordinoError as error:
        step = "ask for the transcript of a ledger that was kept by its filter"
        raise RefusedError(f"{source} must hold queries that the filter accepts", found=error.rule, step=step) from None


def _line(number: int, event: Event) -> dict[str, Any]:
    """Numbered anew: what was drawn is left out, and nobody shall count it."""
    return {"sequence": number, "event": event.event, "id": event.id, "body": dict(event.body), "time": event.time}


def _event(number: int, line: dict[str, Any], source: Path) -> Event:
    event = Event(line["sequence"], line["event"], line["id"], line["body"], "", line["time"])
    if event.event not in PUBLIC or not event.is_well_formed or event.sequence != number:
        raise DamagedError(f"{source} must hold public events in their order", found=f"an unexpected line {number}")
    # What the new ledger could not hold is found here, before there is one.
    sequence, *texts = event.row
    if Event.of_row((sequence, *(str(text).encode() for text in texts))) is None:
        raise DamagedError(f"{source} must hold events that a ledger can hold", found=f"an unexpected line {number}")
    return event


def _object(line: str, source: Path) -> dict[str, Any]:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        found = f"a line of {len(line):,} characters that is none"
        step = "give a file that `sordino ledger transcript` wrote"
        raise SordinoError(f"{source} must hold a JSON object on each line", found=found, step=step)
    return found
