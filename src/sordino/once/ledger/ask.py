"""Ask a person's record a question, from a file or by a plan: reserve, draw, settle, send, note.

Whenever it stops, asking again goes on where it stopped: an answer that was stored is sent again, never drawn again.
Which query of a plan is drawn, whether it is accepted and in which words depends on the plan, the terms, the ledger's
key and the answers that were sent; on no record.
"""

import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from sordino.document.record_file import read_values
from sordino.errors import RefusedError, SordinoError
from sordino.exact.amount_text import loss_text
from sordino.exact.messages import checked
from sordino.exact.nats import in_nats
from sordino.exact.source import Source
from sordino.once.ledger.balance import Entry
from sordino.once.ledger.ledger import Ledger
from sordino.once.ledger.ledger_query import AskedQuery, PlanQuery, ledger_tables, public_tables, require_plan_fits
from sordino.once.ledger.ledger_terms import LedgerTerms
from sordino.once.ledger.person_record import PersonRecord
from sordino.survey.answering.plan_report import ID_BYTES, PUBLIC, PlanReport
from sordino.survey.planning.plan import Plan
from sordino.words.explain_filter import left_text

Words = TypeVar("Words", AskedQuery, PersonRecord)


@dataclass(frozen=True)
class Report:
    """What a collector gets.

    Attributes:
        again: whether it was drawn before, by this call's ledger.

    Example:
        >>> from sordino.once.ledger.ledger_terms import LedgerTerms
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
    made = list[int]()

    def draw() -> int:
        made.append(asked.draw(values, source))
        return made[0]

    entry = ledger.reserve(asked, values, draw)
    code = ledger.draw(asked, values, draw).code if entry.code is None else entry.code
    if code is None:
        raise AssertionError("an entry that was drawn has a code")
    report = Report(asked, code, again=not made)
    ledger.deliver(asked.id, lambda: send(report))
    return report


def _read(kind: type[Words], given: Words | Mapping[str, Any] | Path | str, terms: LedgerTerms) -> Words:
    if isinstance(given, Path | str):
        return kind.load(given, terms)
    return kind.read(dict(given), terms) if isinstance(given, Mapping) else given


def draw_plan_answer(
    ledger: Ledger,
    plan: Plan,
    collector: str,
    tables: Mapping[str, Any],
    source: Source | None = None,
    admit: Callable[[Callable[[], Entry]], Entry] = lambda reserve: reserve(),
    question: int | None = None,
) -> bool:
    """Reserve a plan's query, and draw its answer; whether it is a new one.

    Args:
        ledger: of the person.
        plan: that asks.
        collector: who asks.
        tables: of the record, with its period if the plan has a series.
        source: of random words; the operating system's by default.
        admit: has the query reserved where no other journal answers the plan.
        question: its place in the plan, where it was drawn before; by default it is drawn by the ledger's key.

    Raises:
        RefusedError: the ledger does not accept it, or does not know what it asks; nothing is drawn, and nothing sent.
        SordinoErrors: all mistakes of the record, whatever query would have been drawn; never with a value.
        SordinoError: see `Ledger.reserve`.
    """
    require_plan_fits(plan, ledger.terms)
    # By the ledger's terms alone, which are the same for every plan: a plan whose values differ where it does not ask
    # would learn of a record by whether it is refused.
    record = PersonRecord.read(ledger_tables(plan, ledger.terms, tables), ledger.terms)
    known_by_all = {one.name: one for one in plan.cells.attributes}
    values = read_values(public_tables(plan, tables), known_by_all, "the plan's")
    known = ledger.find(plan.hash)
    if known is None:
        query = PlanQuery.of(plan, ledger.terms, collector, ledger.public_stream(plan.hash), question)
    elif isinstance(known.query, PlanQuery):
        query = known.query
    else:
        found = "a query of a file under the plan's hash"
        raise SordinoError("a plan's hash must belong to the plan", found=found, step="give that query another id")

    made = list[int]()

    def draw() -> tuple[int, Mapping[str, Any]]:
        made.append(query.draw(record, source))
        public = [np.array([values[one.name]], dtype=np.int64) for one in plan.cells.attributes]
        cell = int(plan.cells.cell(public)[0]) if public else 0
        return made[0], collector_words(
            PlanReport(plan, query.report_code(made[0]), secrets.token_bytes(ID_BYTES), cell)
        )

    def reserve() -> Entry:
        try:
            return ledger.reserve(query, record, draw)
        except RefusedError as refusal:
            raise _with_remainder(ledger, query.collector, refusal) from None

    admit(reserve)
    ledger.draw(query, record, draw)
    return bool(made)


def collector_words(report: PlanReport) -> dict[str, Any]:
    """Of a report what goes to its collector, who knows the plan: its id, its code, and what it says in clear."""
    return {name: report.document[name] for name in ("id", "code", PUBLIC) if name in report.document}


def _with_remainder(ledger: Ledger, collector: str, refusal: RefusedError) -> RefusedError:
    """The refusal, and in words what is left; of the collector's quota too, if there are any."""
    balance, terms = ledger.balance(), ledger.terms
    left = f"{left_text(balance.joint)} of {in_nats(str(terms.epsilon))}"
    quota = balance.own_filter(collector)
    if quota is not None and terms.quotas is not None:
        key, own = quota
        left += f", and of the quota {left_text(own)} of {loss_text(terms.quotas.amount(key))},"
    step = f"nothing was drawn or sent; {left} is left, and a survey that asks for less may be accepted"
    return RefusedError(refusal.rule, found=refusal.found, step=step)
