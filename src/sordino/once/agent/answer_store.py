"""A person's answers on their own device: a journal without terms, with one answer for each plan.

A plan is known by its hash, whatever its name and address. Of a plan that is answered through a ledger it stands here
which one that is, before anything is reserved there: no other ledger draws an answer to it, and this store none.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from sordino.document.files import cannot
from sordino.errors import RefusedError, SordinoError
from sordino.once.journal.contents import write_journal
from sordino.once.journal.event import ELSEWHERE, FREED, Event
from sordino.once.journal.journal import Journal, JournalLines, StoredAnswer, answer_in, ignore_step
from sordino.once.journal.journal_file import settle

ONCE = "a plan must be answered once"

T = TypeVar("T")


@dataclass(frozen=True)
class AnswerStore(Journal):
    """The file; every method opens it anew, so that nothing is shared with a fork."""

    @classmethod
    def open(cls, path: Path, step: Callable[[str], None] = ignore_step) -> "AnswerStore":
        """The store at a path, a new one if there is none; its folder is made too.

        Raises UnavailableError: the system refuses to make one.
        """
        if not path.exists():
            _make(path)
        return cls(path, step=step)

    def draw_once(self, plan: str, collector: str, draw: Callable[[], Mapping[str, Any]]) -> StoredAnswer:
        """The answer by a plan: the one that was drawn, or a new one, which is stored when this returns.

        Args:
            plan: its hash.
            collector: to whom a new one goes, and to nobody else.
            draw: gives what a collector gets, with fresh randomness; what it raises leaves nothing behind.

        Raises:
            DamagedError: a store that is not whole, in which nothing more is drawn.
            UnavailableError: the system refuses to write; the answer that was drawn is forgotten.
            RefusedError: the plan is answered through a ledger.
        """

        def draw_with_code() -> tuple[int, Mapping[str, Any]]:
            report = draw()
            return int(report["code"]), report

        with self._write(plan) as (lines, writer):
            known = answer_in(lines, plan)
            if known is not None:
                return known
            _require_place(lines, plan, None)
            self._draw(writer, plan, draw_with_code, collector)
        self.step("stored")
        made = self.find_answer(plan)
        if made is None:
            raise AssertionError("what was stored is there")
        return made

    def require_place(self, plan: str, path: Path | None) -> None:
        """Refuse an answer that would be a second one to a plan.

        Args:
            plan: its hash.
            path: of the ledger through which it would be drawn; None without one.

        Raises:
            RefusedError: the plan is answered through another ledger, or one is asked and it was answered without any.
        """
        _require_place(self._lines(plan), plan, path)

    def note_place(self, plan: str, path: Path) -> None:
        """Note that the answer to a plan is drawn through a ledger and nowhere else.

        Args:
            plan: its hash.
            path: of the ledger.

        Raises:
            RefusedError: the plan is answered through another ledger, or was answered without any.
        """
        with self._write(plan) as (lines, writer):
            _require_place(lines, plan, path)
            tries = _tries(lines, plan)
            if _place_after(tries) is None:
                writer.add(ELSEWHERE, f"{plan} {len(tries)}", {"journal": str(path)})
        # As an answer must: what was noted would be undone with the log, and another one be drawn here.
        settle(self.path, self.kind)
        self.step("ledger noted")

    def reserve_elsewhere(self, plan: str, path: Path, reserve: Callable[[], T], is_reserved: Callable[[], bool]) -> T:
        """Have a plan reserved in a ledger, which is noted before, while nothing is drawn here or through another one.

        Args:
            plan: its hash.
            path: of the ledger.
            reserve: reserves it there. Where it raises, and nothing is reserved, the plan is as if never asked.
            is_reserved: whether the ledger has it.

        Raises:
            RefusedError: the plan is answered through another ledger, or was answered without any.
        """
        while True:
            self.note_place(plan, path)
            # All that reserve or draw wait for each other here, so what is not reserved now is free.
            with self._write(plan) as (lines, writer):
                tries = _tries(lines, plan)
                if _place_after(tries) != str(path):
                    # Another try freed it meanwhile.
                    continue
                try:
                    return reserve()
                except SordinoError as error:
                    if not is_reserved():
                        writer.add(FREED, tries[-1].id, {})
                    refusal = error
            raise refusal

    def note_answered_elsewhere(self, plan: str, path: Path) -> None:
        """Note that a ledger holds an answer to a plan, perhaps from where another store of answers was.

        Args:
            plan: its hash.
            path: of the ledger.
        """
        lines = self._lines(plan)
        if not lines.damage and answer_in(lines, plan) is None and _place_after(_tries(lines, plan)) is None:
            self.note_place(plan, path)


def _make(path: Path) -> None:
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise cannot("write", path, error) from None
    try:
        write_journal(path, "", [])
    except SordinoError:
        # Another process of the same person made it meanwhile.
        if not path.exists():
            raise


def _tries(lines: JournalLines, plan: str) -> list[Event]:
    """The lines about a plan's other journals: each is followed by its end, if it was freed."""
    return [event for event in lines.events if event.event in (ELSEWHERE, FREED) and event.id.startswith(f"{plan} ")]


def _place_after(tries: list[Event]) -> str | None:
    """The journal through which a plan is answered; None where it is free."""
    if not tries or tries[-1].event == FREED:
        return None
    return str(tries[-1].body["journal"])


def _require_place(lines: JournalLines, plan: str, path: Path | None) -> None:
    # An answer that another process drew here meanwhile is this store's own.
    if path is not None and answer_in(lines, plan) is not None:
        step = "answer without --ledger: that answer is sent again, and no other is drawn"
        raise RefusedError(ONCE, found="an answer drawn without the ledger", step=step)
    place = _place_after(_tries(lines, plan))
    if place not in (None, str(path)):
        step = f"answer with --ledger {place}: what is stored there is sent again, and no other is drawn"
        raise RefusedError(ONCE, found=f"one that is answered through {place}", step=step)
