"""`sordino ledger` and `sordino ask`: a person's ledger, and the questions that it admits."""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import asdict
from fractions import Fraction
from math import inf, isfinite
from pathlib import Path
from typing import Any

import click

from sordino.cli.options import FILE, as_json_option
from sordino.cli.output import print_json, print_lines, print_table
from sordino.cli.say import say
from sordino.errors import DamagedError, UnavailableError
from sordino.exact.amount_text import loss_text, loss_text_of
from sordino.once.ledger.ask import Report
from sordino.once.ledger.ask import ask as answer
from sordino.once.ledger.balance import Entry
from sordino.once.ledger.explain_ledger import (
    RevealedLoss,
    ledger_sentences,
    loss_sentences,
    losses_by_attribute,
    losses_by_collector,
    quota_sentences,
)
from sordino.once.ledger.ledger import Ledger
from sordino.once.ledger.ledger_decision import LedgerDecision, QuotaLeft, refusal_of
from sordino.once.ledger.ledger_query import AskedQuery
from sordino.once.ledger.person_record import PersonRecord
from sordino.once.ledger.reading import Checked, LedgerReading
from sordino.once.ledger.transcript import export_transcript, import_transcript
from sordino.words.explain_filter import left_text

CHECKPOINTS: Mapping[Checked, str] = {
    "none": "All lines were recomputed; there is no checkpoint.",
    "agrees": "All lines were recomputed; the checkpoint agrees.",
    "differed": "All lines were recomputed; the checkpoint disagreed and was discarded.",
}
"""What `--verify` found."""


@click.group()
def ledger() -> None:
    """Keep a person's ledger: what all collectors together have asked, and what may still be asked."""


@ledger.command()
@click.argument("ledger", type=FILE)
@click.argument("terms", type=FILE)
@as_json_option
def new(ledger: Path, terms: Path, *, as_json: bool) -> None:
    """Make one person's LEDGER from a TERMS file: the record's attributes, and the most that all answers may reveal.

    A person has one ledger, for all collectors. Only its owner can open it. The terms never change.
    """
    made = Ledger.make(ledger, terms)
    if as_json:
        print_json({"ledger": str(ledger), "terms": made.terms.hash, "epsilon": str(made.terms.epsilon)})
        return
    say(f"{ledger}: {made.terms.hash}")
    print_lines(ledger_sentences(made))


@ledger.command()
@click.argument("ledger", type=FILE)
@click.option("--verify", is_flag=True, help="Recompute what is left from all lines, and compare the checkpoint.")
@as_json_option
def show(ledger: Path, *, verify: bool, as_json: bool) -> None:
    """Print what a LEDGER has left, its tightest limit, and each query that it accepted."""
    opened, checkpoint = Ledger.open(ledger), None
    if verify:
        # What is damaged is shown below.
        with suppress(DamagedError):
            checkpoint = opened.verify()
    # What agrees with all lines need not be worked out from them again.
    reading = opened.reading(replay=verify and checkpoint != "agrees")
    summary = _summary(opened, reading)
    if as_json:
        print_json({"ledger": str(ledger), **summary, "checkpoint": checkpoint})
        return
    say(f"{ledger}: {summary['terms']}")
    if checkpoint is not None:
        say(CHECKPOINTS[checkpoint])
    for line in summary["damage"]:
        say(f"damage to {line}")
    if summary["remaining"] is not None:
        joint = reading.balance.joint
        spent = joint.spent if isfinite(joint.spent) else joint.worst.spent
        say(
            f"Revealed so far: at most {loss_text(Fraction(spent))}. Least is left between {summary['binds']}: queries "
            f"of {left_text(joint)} together are accepted, whatever they ask; larger ones may be."
        )
    header = ("id", "sequence", "collector", "asks", "epsilon", "record", "state", "code", "time")
    rows = [tuple("-" if entry[name] is None else str(entry[name]) for name in header) for entry in summary["entries"]]
    if rows:
        print_table("", header, rows)
    if not summary["damage"]:
        print_lines((*quota_sentences(reading.balance.quotas), *loss_sentences(opened, reading.entries)))


@ledger.command()
@click.argument("ledger", type=FILE)
@as_json_option
def explain(ledger: Path, *, as_json: bool) -> None:
    """Say in plain words what all answers of a LEDGER can have revealed, and what is not protected."""
    opened = Ledger.open(ledger)
    sentences = ledger_sentences(opened)
    if as_json:
        print_json({"ledger": str(ledger), "terms": opened.terms.hash, "explanation": list(sentences)})
        return
    print_lines(sentences)


@ledger.command()
@click.argument("ledger", type=FILE)
@click.option("-o", "--output", type=FILE, required=True, help="The transcript to write (JSON Lines).")
@as_json_option
def export(ledger: Path, output: Path, *, as_json: bool) -> None:
    """Write the public part of a LEDGER: queries, and the answers that were sent; no record, and no hash of one."""
    opened = Ledger.open(ledger)
    events = export_transcript(opened, output)
    if as_json:
        print_json({"transcript": str(output), "events": events, "whole": not opened.contents().damage})
        return
    say(f"{output}: {events} events")


@ledger.command("import")
@click.argument("transcript", type=FILE)
@click.argument("ledger", type=FILE)
@as_json_option
def import_command(transcript: Path, ledger: Path, *, as_json: bool) -> None:
    """Check a TRANSCRIPT query by query, and make a LEDGER from it that makes decisions but answers nothing."""
    made = import_transcript(transcript, ledger)
    if as_json:
        print_json({"ledger": str(ledger), **_summary(made, made.reading())})
        return
    accepted = len(made.entries().by_id)
    say(f"{ledger}: {accepted} quer{'y' if accepted == 1 else 'ies'}, each of which the filter accepts; it only checks")


@click.command()
@click.argument("ledger", type=FILE)
@click.argument("query", type=FILE)
@click.option("--record", type=FILE, help="The person's values (TOML).")
@click.option("--dry-run", is_flag=True, help="Only say whether the query would be accepted; nothing changes.")
@as_json_option
def ask(ledger: Path, query: Path, record: Path | None, *, dry_run: bool, as_json: bool) -> None:
    """Answer a QUERY about a record, if the LEDGER accepts it, and print the answer for its collector.

    The answer is on the disk before it is printed. The same query always gets the same answer. A refusal changes
    nothing and ends with exit code 3. A changed record counts as another one, whose losses add, unless the terms cover
    the change.
    """
    opened = Ledger.open(ledger)
    # The record before the query: what is told about it is the same, whatever is asked.
    values = None if record is None else PersonRecord.load(record, opened.terms)
    asked = AskedQuery.load(query, opened.terms)
    if dry_run:
        _print_decision(opened, asked, values, as_json=as_json)
        return
    if values is None:
        raise click.UsageError("Missing option '--record'.")

    def send(report: Report) -> None:
        # Both flush: what cannot be delivered fails here, before it counts as sent.
        try:
            if as_json:
                print_json(report.json())
            else:
                say(f"{asked.id}, for {asked.collector}: {report.code}")
        except OSError as error:
            raise UnavailableError(
                "the answer must reach standard output to count as sent",
                found=(error.strerror or "a refusal").lower(),
                step="ask again: the same answer is sent, and no other is drawn",
            ) from None

    report = answer(opened, asked, values, send)
    if not as_json and report.again:
        say("This answer was drawn earlier; it was not drawn again.")


def _print_decision(ledger: Ledger, query: AskedQuery, record: PersonRecord | None, *, as_json: bool) -> None:
    known = ledger.find(query.id)
    if known is not None and known.query.hash == query.hash:
        decision = LedgerDecision(by_promise=True, loss=ledger.balance().joint.spent)
    else:
        decision = ledger.decide(query, record)
    loss, accepted, quota = decision.loss, decision.accepted, decision.refusing_quota
    if as_json:
        print_json(
            {
                "id": query.id,
                "query": query.hash,
                "accepted": accepted,
                "loss": loss if isfinite(loss) else None,
                "known": known is not None,
                "limit": None if accepted else "promise" if quota is None else "quota",
            }
        )
        return
    if quota is not None:
        refusal = refusal_of(ledger.terms, decision)
        say(f"{query.id} would be refused: {refusal.rule}, and would reveal {refusal.found}")
        return
    verdict = "accepted" if accepted else "refused"
    if not isfinite(loss):
        say(f"{query.id} would be {verdict}: an answer could rule out values that are protected")
        return
    most = loss_text_of(Fraction(loss), ledger.terms.epsilon)
    say(f"{query.id} would be {verdict}: all answers would reveal at most {most}")


def _summary(ledger: Ledger, reading: LedgerReading) -> dict[str, Any]:
    entries, trouble = reading.entries, reading.trouble
    joint = None if trouble else reading.balance.joint
    return {
        "terms": ledger.terms.hash,
        "epsilon": str(ledger.terms.epsilon),
        "changes": ledger.terms.changes,
        "binds": joint and joint.worst.binding.about,
        "spent": joint and (joint.spent if isfinite(joint.spent) else None),
        "remaining": joint and joint.remaining,
        "record": entries.versions[-1].number,
        "waiting": joint and list(joint.open_names),
        "checks_only": reading.meta.get("copy") != "no",
        "damage": list(trouble),
        "quotas": [] if trouble else _amounts(reading.balance.quotas),
        "collectors": [] if trouble else _amounts(losses_by_collector(ledger.terms, entries)),
        "attributes": [] if trouble else _amounts(losses_by_attribute(ledger.terms, entries)),
        "entries": [_entry(entry) for entry in entries.by_id.values()],
    }


def _amounts(each: Iterable[RevealedLoss | QuotaLeft]) -> list[dict[str, Any]]:
    return [{name: None if value == inf else value for name, value in asdict(own).items()} for own in each]


def _entry(entry: Entry) -> dict[str, Any]:
    return {
        "sequence": entry.sequence,
        "id": entry.query.id,
        "collector": entry.query.collector,
        "query": entry.query.hash,
        "asks": entry.query.kind,
        "epsilon": entry.query.document["epsilon"],
        "record": entry.record,
        "state": entry.state,
        "code": None if entry.code is None else str(entry.code),
        "time": entry.time,
    }
