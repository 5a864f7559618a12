"""One person's answer by a plan: fetch, reserve, draw, store, send, note.

Whenever it stops, answering again goes on where it stopped: an answer that was stored is sent again, never drawn again.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from sordino.errors import SordinoError
from sordino.once.agent.answer_store import AnswerStore
from sordino.once.agent.turn import Today, own_turn, utc_today
from sordino.survey.answering.draw import draw_report
from sordino.survey.answering.plan_report import PUBLIC
from sordino.survey.planning.plan import Plan


@dataclass(frozen=True)
class Answered:
    """What became of an answer.

    Attributes:
        plan: the hash of the plan.
        again: whether it was drawn before.
        taken_back: whether the person took it back, perhaps while it was sent: it is not to be counted.
    """

    plan: str
    again: bool
    taken_back: bool = False


def answer(
    store: AnswerStore,
    plan_hash: str,
    fetch: Callable[[], tuple[Plan, Mapping[str, Any]]],
    send: Callable[[bytes], None],
    *,
    period: str | None = None,
    today: Today = utc_today,
) -> Answered:
    """Answer once, and have it acknowledged; by a plan with a series only in the person's own period.

    What was taken back is not sent.

    Args:
        store: of the person's device.
        plan_hash: of the plan, by which its answer is known.
        fetch: gives the plan and the tables of the person's record; called where nothing was drawn yet.
        send: delivers the stored bytes, the same each time, and returns once they are acknowledged. What it raises, is
            raised: answer again then.
        period: the one that an invitation names, by its first day.
        today: the day of UTC by the device's clock.

    Raises:
        UnavailableError: the person's period is still to come.
        RefusedError: it is over, or another one than the invitation's; or the plan is answered through a ledger.
        SordinoErrors: all mistakes of the record, whatever question would have been drawn; never with a value.
        SordinoError: see `AnswerStore`.
    """
    kept, drawn = store.find(plan_hash), list[bytes]()
    if kept is None:
        store.require_ledger(plan_hash, None)
        plan, tables = fetch()
        turn = own_turn(store, plan, period)
        if turn is not None:
            turn.require(today())
            tables = turn.record_tables(tables)

        def draw() -> bytes:
            drawn.append(_upload(plan, tables))
            return drawn[-1]

        # Looked up by the plan's own hash: what was fetched is what is answered.
        kept = store.draw_once(plan.hash, draw)
    if not kept.acknowledged and not store.is_taken_back(plan_hash):
        store.step("sending")
        send(kept.body)
        store.step("delivered")
        store.note_acknowledged(plan_hash)
    return Answered(plan_hash, again=not drawn, taken_back=store.is_taken_back(plan_hash))


def take_back(store: AnswerStore, plan_hash: str, send: Callable[[bytes], None]) -> None:
    """Take an answer back: it is sent no more, and the collector forgets it. No other one is drawn, now or later.

    Args:
        store: of the person's device.
        plan_hash: of the plan.
        send: has the collector forget the stored report. What it raises, is raised: take it back again then.

    Raises:
        SordinoError: no answer is stored here; see also `AnswerStore`.
    """
    kept = store.find(plan_hash)
    if kept is None:
        step = "take it back on the device that drew it, or with its own --store"
        raise SordinoError("an answer to the plan must be stored here", found="no stored answer", step=step)
    # First, so that no later try sends it after all.
    store.note_taken_back(plan_hash)
    send(kept.body)


def upload_of(report: Mapping[str, Any]) -> bytes:
    """A report as a collector takes it: always the same bytes.

    Args:
        report: its id, its code, and what it says in clear.
    """
    return json.dumps({"reports": [dict(report)]}).encode()


def _upload(plan: Plan, tables: Mapping[str, Any]) -> bytes:
    """One new report; its id is drawn here, once."""
    report = draw_report(plan, dict(tables))
    return upload_of({name: report.document[name] for name in ("id", "code", PUBLIC) if name in report.document})
