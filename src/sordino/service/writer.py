"""One thread that writes for all: what waits while a commit runs is committed together by the next one."""

from concurrent.futures import Future
from queue import Empty, Full, Queue
from threading import Thread
from typing import Any

from sordino.errors import SordinoError, UnavailableError
from sordino.service.store import Receipt, ReportStore, Upload

MOST_WAITING = 256
"""Uploads that wait at most: more are refused at once, and may come again."""

Job = tuple[Any, "Future[Any]"]


class FullQueueError(UnavailableError):
    """More uploads than can wait."""


class UploadWriter:
    """Writes uploads of many connections into a store, which nobody else may use while the writer runs."""

    def __init__(self, store: ReportStore) -> None:
        self._store = store
        self._waiting: Queue[Job | None] = Queue(MOST_WAITING)
        self._thread = Thread(target=self._run, name="writer", daemon=True)
        self._thread.start()

    def add(self, upload: Upload) -> "Future[Receipt]":
        """Keep an upload; the receipt comes when it is on disk.

        Raises:
            FullQueueError: too many others wait.
        """
        return self._put(upload)

    def do(self, job: Any) -> "Future[Any]":
        """Call a function of the store between two commits."""
        return self._put(job)

    def stop(self) -> None:
        """Write what waits, and end."""
        self._waiting.put(None)
        self._thread.join()

    def _put(self, job: Any) -> "Future[Any]":
        future: Future[Any] = Future()
        try:
            self._waiting.put_nowait((job, future))
        except Full:
            raise FullQueueError("the collector must keep up", found="too many uploads at once", step="retry") from None
        return future

    def _run(self) -> None:
        while True:
            jobs, more = self._together()
            uploads = [(job, future) for job, future in jobs if isinstance(job, Upload)]
            if uploads:
                self._write(uploads)
            for job, future in jobs:
                if not isinstance(job, Upload):
                    _settle(future, job, self._store)
            if not more:
                return

    def _together(self) -> tuple[list[Job], bool]:
        """All jobs that wait, at least one; and whether the writer goes on."""
        jobs: list[Job] = []
        job = self._waiting.get()
        while job is not None:
            jobs.append(job)
            try:
                job = self._waiting.get_nowait()
            except Empty:
                return jobs, True
        return jobs, False

    def _write(self, uploads: list[Job]) -> None:
        try:
            receipts = self._store.add([upload for upload, _ in uploads])
        except SordinoError as error:
            for _, future in uploads:
                future.set_exception(error)
            return
        for (_, future), receipt in zip(uploads, receipts, strict=True):
            future.set_result(receipt)


def _settle(future: "Future[Any]", job: Any, store: ReportStore) -> None:
    try:
        future.set_result(job(store))
    except SordinoError as error:
        future.set_exception(error)
