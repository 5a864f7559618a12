"""One thread that writes for all: what waits while a commit runs is committed together by the next one.

Of large uploads a commit takes some at a time, so that a device's report waits for two short commits at most, whatever
others send.

Who waits is told on the loop that asked, all of a commit at once: a thread that wakes a loop for each of them waits for
the interpreter as often.
"""

import logging
from asyncio import AbstractEventLoop, Future
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from typing import Any, TypeVar

from sordino.errors import DamagedError, SordinoError, UnavailableError
from sordino.service.log import log_event
from sordino.service.storage.collection import Collection
from sordino.service.storage.store import ReportStore
from sordino.service.storage.uploaded_reports import Erasure, Receipt, Upload

MOST_WAITING = 256
"""Questions and small uploads that wait at most: more are refused at once, and may come again."""

MOST_LARGE = 128
"""The same of large uploads, which keep nobody else out. What they hold together has a budget (`budget`)."""

SMALL = 256
"""Reports of an upload that is written by the next commit; a larger one waits its turn."""

MOST_TOGETHER = 1 << 16
"""Reports of large uploads in one commit, or one upload of more."""

T = TypeVar("T")


class FullQueueError(UnavailableError):
    """More than can wait: it may come again."""


class EndingError(UnavailableError):
    """A writer that ends."""


class StoreTroubleError(UnavailableError):
    """The store refuses, in words for everybody: the particulars, such as its name, are in the log.

    Attributes:
        is_full: whether it has no room.
    """

    def __init__(self, *, is_full: bool) -> None:
        self.is_full = is_full
        step = "send the same again later; whoever operates the collector finds the reason in its log"
        super().__init__("the collector must be able to use its store", found="a refusal", step=step)


@dataclass(eq=False)
class _Queued:
    """A function of the store; or an upload to a collection, or a report that it forgets."""

    future: "Future[Any]"
    work: Any
    collection: Collection | None = None

    @property
    def is_large(self) -> bool:
        return isinstance(self.work, Upload) and len(self.work) > SMALL


class UploadWriter:
    """Writes uploads of many connections into a store, which nobody else may use while the writer runs.

    Args:
        store: where it writes.
        loop: see the attribute.

    Attributes:
        loop: on which it is asked, and tells.
        trouble: the particulars of what the store last refused; None once a commit succeeded.
    """

    def __init__(self, store: ReportStore, loop: AbstractEventLoop) -> None:
        self._store, self.loop = store, loop
        self.trouble: str | None = None
        self._waiting: SimpleQueue[_Queued | None] = SimpleQueue()
        self._lock, self._jobs, self._stopped = Lock(), Counter[bool](), False
        self._thread = Thread(target=self._run, name="writer", daemon=True)
        self._thread.start()

    @property
    def queue_length(self) -> int:
        """Uploads and questions that wait."""
        return self._jobs.total()

    @property
    def works(self) -> bool:
        """Whether somebody writes what waits."""
        return self._thread.is_alive()

    def add(self, collection: Collection, upload: Upload) -> "Future[Receipt]":
        """Keep an upload; the receipt comes when it is on disk.

        Raises:
            FullQueueError: too many others wait.
        """
        return self._put(_Queued(self.loop.create_future(), upload, collection))

    def erase(self, collection: Collection, erasure: Erasure) -> "Future[None]":
        """Forget a report; done when it is on disk.

        Raises:
            FullQueueError: too many others wait.
        """
        return self._put(_Queued(self.loop.create_future(), erasure, collection))

    def do(self, job: Callable[[ReportStore], T], *, always: bool = False) -> "Future[T]":
        """Call a function of the store between two commits, always if it is the next part of a longer job.

        Raises:
            FullQueueError: too many others wait.
        """
        return self._put(_Queued(self.loop.create_future(), job), always=always)

    def probe(self) -> "Future[int | None]":
        """See that the store answers, and after trouble that it can commit: the bytes that its disk has free, if known.

        Raises:
            UnavailableError: the writer has ended, or the store refuses.
        """

        def probe(store: ReportStore) -> int | None:
            if self.trouble is not None:
                store.commit_probe()
                self._note_commit()
            return store.probe()

        return self.do(probe, always=True)

    def stop(self) -> None:
        """Write what waits, and end; from another thread than the loop's, which is told meanwhile."""
        with self._lock:
            self._stopped = True
            self._waiting.put(None)
        self._thread.join()

    def _put(self, one: _Queued, *, always: bool = False) -> "Future[Any]":
        with self._lock:
            if self._stopped:
                step = "send again when it is back"
                raise EndingError("the collector must be running", found="one that ends", step=step)
            if self._jobs[one.is_large] >= (MOST_LARGE if one.is_large else MOST_WAITING) and not always:
                rule, found = "the collector must keep up", "too many uploads at once"
                raise FullQueueError(rule, found=found, step="send again a little later")
            self._jobs[one.is_large] += 1
            # Within the lock, so that nothing comes behind the end.
            self._waiting.put(one)
        return one.future

    def _run(self) -> None:
        large, more = deque[_Queued](), True
        while more or large:
            waiting, more = self._together(large) if more else ([], False)
            waiting += _some_of(large)
            with self._lock:
                self._jobs.subtract(one.is_large for one in waiting)
            groups: dict[tuple[Collection, type], list[_Queued]] = defaultdict(list)
            for one in waiting:
                if one.collection is not None:
                    groups[one.collection, type(one.work)].append(one)
            for (collection, kind), group in groups.items():
                write = self._add if kind is Upload else self._erase
                self._settle(group, partial(write, collection, [one.work for one in group]))
            for one in waiting:
                if one.collection is None:
                    self._settle([one], partial(_run_job, one.work, self._store))

    def _together(self, large: deque[_Queued]) -> tuple[list[_Queued], bool]:
        """All that wait but large uploads, which join others of theirs; and whether more may come.

        Waits until there is something to do.
        """
        found: list[_Queued] = []
        with suppress(Empty):
            one = self._waiting.get(block=not large)
            while one is not None:
                (large if one.is_large else found).append(one)
                one = self._waiting.get_nowait()
            return found, False
        return found, True

    def _settle(self, waiting: list[_Queued], work: Callable[[], Iterable[Any]]) -> None:
        """Have each told its result, or whatever went wrong; the thread goes on."""
        try:
            tell = partial(_tell, waiting, list(work()))
        except (UnavailableError, DamagedError) as error:
            tell = partial(_tell_error, waiting, self._note_trouble(error))
        except Exception as error:  # noqa: BLE001 - raised again where the result is awaited
            tell = partial(_tell_error, waiting, error)
        # On a loop that has ended nobody waits.
        with suppress(RuntimeError):
            self.loop.call_soon_threadsafe(tell)

    def _add(self, collection: Collection, uploads: list[Upload]) -> list[Receipt]:
        receipts = collection.add(uploads)
        self._note_commit()
        return receipts

    def _erase(self, collection: Collection, erasures: list[Erasure]) -> list[None]:
        collection.erase(erasures)
        self._note_commit()
        return [None] * len(erasures)

    def _note_commit(self) -> None:
        if self.trouble is not None:
            self.trouble = None
            log_event("the store's trouble has ended")

    def _note_trouble(self, error: SordinoError) -> StoreTroubleError:
        if self.trouble is None:
            log_event("the store refuses", logging.ERROR, error=str(error))
        self.trouble = str(error)
        return StoreTroubleError(is_full="full" in error.found)


def _some_of(large: deque[_Queued]) -> list[_Queued]:
    found, reports = list[_Queued](), 0
    while large and (not found or reports + len(large[0].work) <= MOST_TOGETHER):
        found.append(large.popleft())
        reports += len(found[-1].work)
    return found


def _run_job(job: Callable[[ReportStore], Any], store: ReportStore) -> list[Any]:
    return [job(store)]


def _tell(waiting: list[_Queued], results: list[Any]) -> None:
    for one, result in zip(waiting, results, strict=True):
        # Who has gone away is told nothing; what they sent is written all the same.
        if not one.future.done():
            one.future.set_result(result)


def _tell_error(waiting: list[_Queued], error: Exception) -> None:
    for one in waiting:
        if not one.future.done():
            one.future.set_exception(error)
