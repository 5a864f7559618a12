"""One person's answer by a plan: fetch, choose period and question, reserve, draw, store, send, note.

The same for a store of answers and for a ledger, whose filter decides in between. Whenever it stops, answering again
goes on where it stopped: an answer that was stored is sent again, never drawn again. It goes to the collector that it
is reserved for, and to no other: another one's quota decided nothing about it, and nobody agreed to send it there.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from sordino.errors import DamagedError, RefusedError, SordinoError
from sordino.exact.messages import shown
from sordino.exact.source import Source
from sordino.once.agent.answer_store import AnswerStore
from sordino.once.agent.turn import Today, own_turn, utc_today
from sordino.once.journal.event import QUESTION
from sordino.once.journal.journal import StoredAnswer
from sordino.once.ledger.ask import collector_words, draw_plan_answer
from sordino.once.ledger.ledger import Ledger
from sordino.once.ledger.quotas import collector_key
from sordino.survey.answering.report_draw import draw_question, draw_report
from sordino.survey.planning.plan import Plan

T = TypeVar("T")


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
    journal: AnswerStore | Ledger,
    plan_hash: str,
    fetch: Callable[[], tuple[Plan, Mapping[str, Any]]],
    send: Callable[[bytes], None],
    *,
    collector: str,
    is_invited: bool = False,
    beside: AnswerStore | None = None,
    period: str | None = None,
    today: Today = utc_today,
    source: Source | None = None,
) -> Answered:
    """Answer once, and have it acknowledged; by a plan with a series only in the person's own period.

    What was taken back is not sent.

    Args:
        journal: in which the answer is stored; a ledger decides whether it is drawn.
        plan_hash: of the plan, by which its answer is known.
        fetch: gives the plan and the tables of the person's record; called where nothing was drawn yet.
        send: delivers the stored bytes, the same each time, and returns once they are acknowledged. What it raises, is
            raised: answer again then.
        collector: who asks: an address, or its host.
        is_invited: whether `send` uses an invitation, by which the answer must be taken back until it is acknowledged.
        beside: of a ledger the person's store of answers, in which stands through which ledger a plan is answered, in
            which period, and about which question where that is drawn first; without one nothing is known of other
            journals.
        period: the one that an invitation names, by its first day.
        today: the day of UTC by the device's clock.
        source: of random words; the operating system's by default.

    Raises:
        UnavailableError: the person's period is still to come.
        RefusedError: it is over, or another one than the invitation's; the answer is reserved for another collector;
            the plan is answered elsewhere; or the ledger does not accept it, or does not know what it asks. Nothing is
            drawn then, and nothing sent.
        SordinoErrors: all mistakes of the record, never with a value: whatever question would have been drawn, or of
            one that was drawn first, which stays.
        SordinoError: see `AnswerStore` and `Ledger`.
    """
    own = beside if isinstance(journal, Ledger) else journal
    place = journal.path.resolve() if isinstance(journal, Ledger) else None
    require_own_collector(journal, plan_hash, collector)
    known, is_new = journal.find_answer(plan_hash), False
    if known is None:
        if own is not None:
            own.require_place(plan_hash, place)
        plan, tables = fetch()
        # Before anything of the record is looked at: no refusal of it leads to another question.
        question = own_question(own, plan, source)
        turn = own_turn(journal if own is None else own, plan, period)
        if turn is not None:
            turn.require(today())
            tables = turn.record_tables(tables)
        try:
            known, is_new = _draw(journal, own, plan, tables, collector, source, question)
        except SordinoError:
            # Another process may have reserved it meanwhile, for another collector: that is the reason then.
            require_own_collector(journal, plan_hash, collector)
            raise
    elif own is not None and place is not None:
        own.note_answered_elsewhere(plan_hash, place)
    if known.upload:
        # Of what is sent, since another process may have stored it after the first look.
        _require_same(known.collector, collector)
    if is_invited and not known.sent:
        # Before it is looked up whether the answer was taken back: who takes it back looks the other way round.
        journal.note_invited(plan_hash)
    if not known.sent and not journal.is_taken_back(plan_hash):
        if not known.upload:
            found = "a query of a file under the plan's hash"
            raise SordinoError("a plan's hash must belong to the plan", found=found, step="give that query another id")
        upload = known.upload
        journal.deliver(plan_hash, lambda: send(upload))
    return Answered(plan_hash, again=not is_new, taken_back=journal.is_taken_back(plan_hash))


def own_question(store: AnswerStore | None, plan: Plan, source: Source | None = None) -> int | None:
    """The place of the question that a person's report is about, drawn now or earlier; None where it is drawn later.

    It is stored by the plan's hash: no other call, no ledger and no other collector of the plan draws another one.

    Args:
        store: in which the question stands; without one it is drawn by the ledger's key, which draws no other one.
        plan: that asks.
        source: of random words; the operating system's by default.

    Raises:
        DamagedError: a store that is not whole, in which nothing more is drawn.
    """
    if store is None or not plan.is_drawn_first:
        return None
    question = store.choose_once(QUESTION, plan.hash, lambda: draw_question(plan, source))
    if not 0 <= question < len(plan.questions):
        raise AssertionError("a store holds questions of the plan only")
    return question


def require_own_collector(journal: AnswerStore | Ledger, plan_hash: str, collector: str) -> None:
    """Refuse a collector other than the one that the answer to a plan is reserved for, if it is reserved.

    Args:
        journal: in which the answer is stored.
        plan_hash: of the plan.
        collector: an address, or its host.

    Raises:
        RefusedError: the answer is reserved for another one.
    """
    own = journal.find_collector(plan_hash)
    if own is not None:
        _require_same(own, collector)


def take_back(
    journal: AnswerStore | Ledger,
    plan_hash: str,
    send: Callable[[bytes], None],
    *,
    collector: str,
    is_invited: bool = False,
) -> None:
    """Take an answer back: it is sent no more, and the collector forgets it. No other one is drawn, now or later.

    What a ledger counts of it stays counted: it may have been seen.

    Args:
        journal: in which the answer is stored.
        plan_hash: of the plan.
        send: has the collector forget the stored report. What it raises, is raised: take it back again then.
        collector: that is asked to forget it: an address, or its host.
        is_invited: whether `send` uses an invitation.

    Raises:
        RefusedError: the answer is reserved for another collector; or it may be on its way by an invitation, which
            must go with this too. Nothing is sent then.
        SordinoError: no answer is stored here; see also `AnswerStore` and `Ledger`.
    """
    known = journal.find_answer(plan_hash)
    if known is None or not known.upload:
        rule = f"an answer to the plan must be stored in {journal.path}"
        step = "take it back on the device that drew it, with its own --store or --ledger"
        raise SordinoError(rule, found="no stored answer", step=step)
    _require_same(known.collector, collector)
    _require_invitation(journal, plan_hash, is_invited=is_invited)
    # First, so that no later try sends it after all.
    journal.note_taken_back(plan_hash)
    # Again, since another process may have begun to send it meanwhile.
    _require_invitation(journal, plan_hash, is_invited=is_invited)
    send(known.upload)


def _require_invitation(journal: AnswerStore | Ledger, plan_hash: str, *, is_invited: bool) -> None:
    if not is_invited and journal.needs_invitation(plan_hash):
        rule = "an answer that may be on its way by an invitation must be taken back by it; else it would be counted"
        step = "give the whole link that you were sent"
        raise RefusedError(rule, found="an address without an invitation", step=step)


def _require_same(own: str | None, collector: str) -> None:
    if own is None:
        step = "restore an undamaged copy: without it the answer is sent nowhere"
        raise DamagedError("a stored answer must have its collector", found="damage to it", step=step)
    if collector_key(own) != collector_key(collector):
        step = "give the plan's address there: the stored answer is sent only there, and no new one is drawn"
        rule = "an answer must go to the collector that it is reserved for, and to no other"
        raise RefusedError(rule, found=f"one for {shown(own)}", step=step)


def _draw(
    journal: AnswerStore | Ledger,
    own: AnswerStore | None,
    plan: Plan,
    tables: Mapping[str, Any],
    collector: str,
    source: Source | None,
    question: int | None,
) -> tuple[StoredAnswer, bool]:
    """The answer, and whether it is a new one; known by the plan's own hash: what was fetched is what is answered."""
    if not isinstance(journal, Ledger):
        made = list[Mapping[str, Any]]()

        def draw() -> Mapping[str, Any]:
            made.append(collector_words(draw_report(plan, dict(tables), source, question)))
            return made[0]

        return journal.draw_once(plan.hash, collector, draw), bool(made)

    def admit(reserve: Callable[[], T]) -> T:
        if own is None:
            return reserve()
        # Noted before anything is reserved: whatever ends this now, no answer is drawn elsewhere.
        is_reserved = lambda: journal.find(plan.hash) is not None  # noqa: E731
        return own.reserve_elsewhere(plan.hash, journal.path.resolve(), reserve, is_reserved)

    is_new = draw_plan_answer(journal, plan, collector, tables, source, admit, question)
    known = journal.find_answer(plan.hash)
    if known is None:
        raise AssertionError("what was stored is there")
    return known, is_new
