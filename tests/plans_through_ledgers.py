"""Plans answered through a ledger alone, as `sordino answer` does beside a store: entries, and reports as collected."""

import json
from dataclasses import dataclass

from sordino.once.agent.answer import answer, take_back
from sordino.once.ledger.balance import Entry


@dataclass(frozen=True)
class LedgerAnswer:
    """What stands in the ledger then."""

    entry: Entry
    again: bool

    @property
    def report(self):
        return self.entry.report


def answer_plan(ledger, plan_hash, collector, fetch, send):
    """Answer once; `send` gets the report."""
    made = answer(ledger, plan_hash, fetch, lambda body: send(report_in(body)), collector=collector)
    return LedgerAnswer(ledger.find(plan_hash), made.again)


def take_plan_back(ledger, plan_hash, send, collector=None):
    """Take the answer back; `send` gets the report."""
    own = ledger.find_collector(plan_hash) if collector is None else collector
    take_back(ledger, plan_hash, lambda body: send(report_in(body)), collector=own or "c")


def report_in(body):
    """The one report of an upload."""
    (report,) = json.loads(body)["reports"]
    return report
