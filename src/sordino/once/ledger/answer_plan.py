"""Answer a plan from a person's record, if their ledger accepts it: choose a query, reserve, draw, settle, send, note.

Whenever it stops, answering again goes on where it stopped: what was stored is sent again, and nothing is drawn twice.
Which query is drawn, whether it is accepted and in which words depends on the plan, the terms, the ledger's key and the
answers that were sent; on no record.
"""

import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sordino.document.record_file import read_values
from sordino.errors import RefusedError, SordinoError
from sordino.exact.amount_text import loss_text
from sordino.exact.messages.arguments import checked
from sordino.exact.nats import in_nats
from sordino.exact.source import Source
from sordino.once.ledger.documents.person_record import PersonRecord
from sordino.once.ledger.documents.plan_query import PlanQuery, ledger_tables, public_tables, require_plan_fits
from sordino.once.ledger.ledger import Ledger
from sordino.once.ledger.standing import Entry
from sordino.survey.answering.plan_report import ID_BYTES, PUBLIC, PlanReport
from sordino.survey.planning.plan import Plan
from sordino.words.explain_filter import left_text

Fetched = tuple[Plan, Mapping[str, Any]]


@dataclass(frozen=True)
class LedgerAnswer:
    """What became of an answer.

    Attributes:
        entry: of the ledger.
        again: whether it was drawn before.
    """

    entry: Entry
    again: bool

    @property
    def report(self) -> Mapping[str, Any]:
        """What its collector gets."""
        if self.entry.report is None:
            raise AssertionError("a plan's answer that was drawn has a report")
        return self.entry.report


@checked
def answer_plan(
    ledger: Ledger,
    plan_hash: str,
    collector: str,
    fetch: Callable[[], Fetched],
    send: Callable[[Mapping[str, Any]], None],
    source: Source | None = None,
) -> LedgerAnswer:
    """Answer a plan once, if the ledger accepts it, and have the answer acknowledged.

    Args:
        ledger: of the person.
        plan_hash: of the plan, by which its answer is known.
        collector: who asks.
        fetch: gives the plan, and the tables of the record; called where nothing was drawn yet.
        send: delivers the report, the same each time, and returns once it is acknowledged. What it raises, is raised:
            answer again then.
        source: of random words; the operating system's by default.

    Raises:
        RefusedError: the ledger does not accept it, or does not know what it asks; nothing is drawn, and nothing sent.
        SordinoErrors: all mistakes of the record, whatever query would have been drawn; never with a value.
        SordinoError: see `Ledger.reserve`.
    """
    known = ledger.find(plan_hash)
    drawn = known is not None and known.code is not None
    entry = known if known is not None and drawn else _draw(ledger, collector, fetch, source)
    if not entry.sent:
        ledger.settle(entry.query)
        answered = LedgerAnswer(entry, again=drawn)
        ledger.step("sending")
        send(answered.report)
        ledger.step("delivered")
        ledger.note_sent(entry.query)
        entry = replace(entry, sent=True)
    return LedgerAnswer(entry, again=drawn)


def take_plan_back(ledger: Ledger, plan_hash: str, send: Callable[[Mapping[str, Any]], None]) -> None:
    """Take the answer to a plan back: it is sent no more, and its collector forgets it. No other one is drawn.

    What it can have revealed stays counted: it may have been seen.

    Args:
        ledger: of the person.
        plan_hash: of the plan.
        send: has the collector forget the report. What it raises, is raised: take it back again then.

    Raises:
        SordinoError: no answer is stored here.
    """
    entry = ledger.find(plan_hash)
    if entry is None or entry.report is None:
        rule = "an answer to the plan must be stored in the ledger"
        raise SordinoError(rule, found="no stored answer", step="take it back with the ledger that drew it")
    # First, so that no later try sends it after all.
    ledger.note_sent(entry.query)
    send(entry.report)


def _draw(ledger: Ledger, collector: str, fetch: Callable[[], Fetched], source: Source | None) -> Entry:
    """Reserve the plan's query and draw its answer."""
    plan, tables = fetch()
    require_plan_fits(plan, ledger.terms)
    # By the ledger's terms alone, which are the same for every plan: a plan whose values differ where it does not ask
    # would learn of a record by whether it is refused.
    record = PersonRecord.read(ledger_tables(plan, ledger.terms, tables), ledger.terms)
    known_by_all = {one.name: one for one in plan.cells.attributes}
    values = read_values(public_tables(plan, tables), known_by_all, "the plan's")
    known = ledger.find(plan.hash)
    if known is None:
        query = PlanQuery.of(plan, ledger.terms, collector, ledger.public_stream(plan.hash))
    elif isinstance(known.query, PlanQuery):
        query = known.query
    else:
        found = "a query of a file under the plan's hash"
        raise SordinoError("a plan's hash must belong to the plan", found=found, step="give that query another id")

    def draw() -> tuple[int, dict[str, Any]]:
        code = query.draw(record, source)
        public = [np.array([values[one.name]], dtype=np.int64) for one in plan.cells.attributes]
        cell = int(plan.cells.cell(public)[0]) if public else 0
        report = PlanReport(plan, query.report_code(code), secrets.token_bytes(ID_BYTES), cell)
        return code, {name: report.document[name] for name in ("id", "code", PUBLIC) if name in report.document}

    try:
        ledger.reserve(query, record, draw)
    except RefusedError as refusal:
        raise _with_remainder(ledger, query.collector, refusal) from None
    return ledger.draw(query, record, draw)


def _with_remainder(ledger: Ledger, collector: str, refusal: RefusedError) -> RefusedError:
    """The refusal, and in words what is left; of the collector's quota too, if there are any."""
    standing, terms = ledger.standing(), ledger.terms
    left = f"{left_text(standing.joint)} of {in_nats(str(terms.epsilon))}"
    quota = standing.own_filter(collector)
    if quota is not None and terms.quotas is not None:
        key, own = quota
        left += f", and of the quota {left_text(own)} of {loss_text(terms.quotas.amount(key))},"
    step = f"nothing was drawn or sent; {left} is left, and a survey that asks for less may be accepted"
    return RefusedError(refusal.rule, found=refusal.found, step=step)
