"""Processes that privatize the pieces of a table, whose reports come back in the order of the rows.

Each reads its own pieces of the file and draws its own words: fresh ones by a key of its own from the operating system
or those that a key and the rows' ids give anywhere. They are forked from a process that has loaded what all need and
done nothing else: they share its second of processor time and its memory, and inherit nobody's words. The pieces go
round, and nobody is more than a piece ahead of whoever writes: memory stays bounded.
"""

import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from multiprocessing import forkserver, get_all_start_methods, get_context, resource_tracker
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Self

from sordino.errors import SordinoError, UnavailableError
from sordino.exact.keyed import KeyedSource
from sordino.process import postpone
from sordino.survey.planning.plan import Plan
from sordino.survey.planning.plan_fields import PlanDocument
from sordino.tables.duckdb import read_alone
from sordino.tables.jobs.drawn import Drawn, draw_reports
from sordino.tables.release import Release
from sordino.tables.values import read_people

MOST_ROWS = 1 << 20
"""Reports that are sent together at most."""


@dataclass(frozen=True)
class Share:
    """What one process does.

    Attributes:
        table: a Parquet file.
        id_column: tells its rows apart, if a column does.
        key: the key and the task of a keyed source, where rows have ids.
        fresh: whether their words are fresh ones nevertheless.
        pieces: of the rows, which it takes in this order.
    """

    document: PlanDocument
    table: Path
    id_column: str | None
    key: tuple[bytes, str] | None = field(repr=False)
    fresh: bool
    pieces: Sequence[range]


class Workers:
    """Processes at work, until they are stopped.

    Use it in a `with` statement: whatever ends it ends the processes.
    """

    def __init__(self, shares: Sequence[Share]) -> None:
        """Start a process for each share; the pieces of all, taken in turn, are those of the table.

        Raises:
            SordinoError: the system starts no process.
            UnavailableError: it cannot fork any, as Windows.
        """
        if "forkserver" not in get_all_start_methods():
            step = "leave `jobs` out, or use Linux, macOS, or Linux within Windows (WSL)"
            raise UnavailableError("several jobs must be forked", found="a system without fork", step=step)
        self._shares = shares
        self._at_work: list[tuple[BaseProcess, Connection]] = []
        context = get_context("forkserver")
        try:
            prepare()
            with _deaf_to_interrupts():
                for share in shares:
                    here, there = context.Pipe(duplex=False)
                    process = context.Process(target=work, args=(share, there), daemon=True)
                    self._at_work.append((process, here))
                    process.start()
                    # Of this end nobody has another one: when its process ends, so does what is received.
                    there.close()
        except OSError as error:
            self.stop()
            rule = f"the system must allow {len(shares)} more processes"
            raise UnavailableError(rule, found=error.strerror or "a refusal", step="ask for fewer jobs") from None
        except BaseException:
            self.stop()
            raise

    @classmethod
    def of(
        cls,
        plan: Plan,
        table: Path,
        release: Release,
        keyed: KeyedSource | None,
        pieces: Sequence[range],
        *,
        fresh: bool,
    ) -> Self:
        """Start processes that privatize a table's pieces, no more than there are pieces."""
        key = None if keyed is None else keyed.handed_over()
        count, ids = min(release.jobs, len(pieces)), release.id_column
        return cls([Share(plan.document, table, ids, key, fresh, pieces[turn::count]) for turn in range(count)])

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def draw_all(self) -> Iterator[Drawn]:
        """What all pieces send, in the order of the rows.

        Raises:
            SordinoError: what a process found wrong with its piece, or that it ended before it was done.
        """
        for turn in range(sum(len(share.pieces) for share in self._shares)):
            process, connection = self._at_work[turn % len(self._at_work)]
            while (some := _receive(process, connection)) is not None:
                yield some

    def stop(self) -> None:
        """End all processes, and wait until they have ended."""
        for process, connection in self._at_work:
            connection.close()
            if process.pid is not None:
                process.kill()
        for process, _ in self._at_work:
            if process.pid is not None:
                process.join()
        self._at_work = []


def prepare() -> None:
    """Start the process that others are forked from, if there is none: it loads what they need while others work."""
    with _deaf_to_interrupts():
        forkserver.set_forkserver_preload([__name__])
        forkserver.ensure_running()


def work(share: Share, connection: Connection) -> None:
    """In a process of its own: send what is drawn of each piece, and after it None; or else what is wrong with it."""
    read_alone()
    # Without whoever started it there is nothing to do.
    with suppress(BrokenPipeError, ConnectionResetError):
        try:
            for some in _drawn_of(share):
                connection.send(some)
        except (SordinoError, MemoryError) as error:
            connection.send(error)


def _drawn_of(share: Share) -> Iterator[Drawn | None]:
    plan = Plan(share.document)
    keyed = None if share.key is None else KeyedSource(*share.key)
    for piece in share.pieces:
        held: list[Drawn] = []
        people = read_people(plan, share.table, share.id_column, piece)
        for some in draw_reports(plan, people, keyed, fresh=share.fresh):
            held.append(some)
            if sum(len(one.codes) for one in held) >= MOST_ROWS:
                yield Drawn.concatenate(held)
                held = []
        if held:
            yield Drawn.concatenate(held)
        yield None


def _receive(process: BaseProcess, connection: Connection) -> Drawn | None:
    """What a process drew next; None at the end of a piece."""
    try:
        message: Drawn | BaseException | None = connection.recv()
    except (EOFError, OSError):
        process.join()
        raise UnavailableError(
            "each job must work until it is done",
            found=f"one that ended with {process.exitcode}",
            step="with fewer jobs it needs less memory; scripts must call it under `if __name__ == '__main__'`",
        ) from None
    if isinstance(message, BaseException):
        raise message
    return message


@contextmanager
def _deaf_to_interrupts() -> Iterator[None]:
    # It lets signals through once it is started: before, so that it does not do so here.
    resource_tracker.ensure_running()
    with postpone(signal.SIGINT):
        yield
