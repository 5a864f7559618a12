"""Draw the answer to a plan from a person's record, if their ledger accepts it: choose a query, reserve, draw.

Which query is drawn, whether it is accepted and in which words depends on the plan, the terms, the ledger's key and the
answers that were sent; on no record.
"""

import secrets
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from sordino.document.record_file import read_values
from sordino.errors import RefusedError, SordinoError
from sordino.exact.amount_text import loss_text
from sordino.exact.nats import in_nats
from sordino.exact.source import Source
from sordino.once.ledger.documents.person_record import PersonRecord
from sordino.once.ledger.documents.plan_query import PlanQuery, ledger_tables, public_tables, require_plan_fits
from sordino.once.ledger.ledger import Ledger
from sordino.once.ledger.standing import Entry
from sordino.survey.answering.plan_report import ID_BYTES, PUBLIC, PlanReport
from sordino.survey.planning.plan import Plan
from sordino.words.explain_filter import left_text


def draw_plan_answer(
    ledger: Ledger,
    plan: Plan,
    collector: str,
    tables: Mapping[str, Any],
    source: Source | None = None,
    admit: Callable[[Callable[[], Entry]], Entry] = lambda reserve: reserve(),
) -> bool:
    """Reserve a plan's query, and draw its answer; whether it is a new one.

    Args:
        ledger: of the person.
        plan: that asks.
        collector: who asks.
        tables: of the record, with its period if the plan has a series.
        source: of random words; the operating system's by default.
        admit: has the query reserved where no other journal answers the plan.

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
        query = PlanQuery.of(plan, ledger.terms, collector, ledger.public_stream(plan.hash))
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
    standing, terms = ledger.standing(), ledger.terms
    left = f"{left_text(standing.joint)} of {in_nats(str(terms.epsilon))}"
    quota = standing.own_filter(collector)
    if quota is not None and terms.quotas is not None:
        key, own = quota
        left += f", and of the quota {left_text(own)} of {loss_text(terms.quotas.amount(key))},"
    step = f"nothing was drawn or sent; {left} is left, and a survey that asks for less may be accepted"
    return RefusedError(refusal.rule, found=refusal.found, step=step)
