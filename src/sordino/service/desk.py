"""What all routes of a collector share: its store behind one writer, its plans, and who the analyst is."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from http import HTTPStatus
from typing import TYPE_CHECKING, TypeVar

from fastapi import FastAPI, Request

from sordino.errors import SordinoError, UnavailableError
from sordino.exact.messages.brief import shown
from sordino.mechanism.aggregate import Aggregate
from sordino.service.budget import BodyBudget
from sordino.service.problems import ProblemError
from sordino.service.signing import Signer
from sordino.service.storage.collection import Collection
from sordino.service.storage.store import ReportStore
from sordino.service.writer import UploadWriter

if TYPE_CHECKING:
    from sordino.service.metrics import Metrics

T = TypeVar("T")


class Desk:
    """A store that is served, by one writer while the application runs.

    Attributes:
        least_people: reports without which no estimate is shown.
        signer: of the plans; None if they are not signed.
        metrics: what is counted for whoever runs the collector.
        published: whether everybody is told tallies and estimates.
        budget: of the bodies that come.
    """

    def __init__(
        self,
        store: ReportStore,
        least_people: int,
        signer: Signer | None,
        metrics: "Metrics | None" = None,
        *,
        published: bool = False,
    ) -> None:
        self.least_people, self.signer, self.metrics, self.published = least_people, signer, metrics, published
        self.budget, self._store = BodyBudget(), store
        self._writer: UploadWriter | None = None

    @asynccontextmanager
    async def run(self, _: FastAPI) -> AsyncIterator[None]:
        """From the application's start to its end, when what was taken is written, and the store given back."""
        self._writer = UploadWriter(self._store, asyncio.get_running_loop())
        if self.metrics is not None:
            self.metrics.watch(self._writer)
        try:
            yield
        finally:
            await asyncio.to_thread(self._writer.stop)
            self._store.close()

    @property
    def writer(self) -> UploadWriter:
        """Who writes into the store."""
        if self._writer is None:
            raise UnavailableError("a collector must be started", found="one that is not", step="run its application")
        return self._writer

    async def of_store(self, job: Callable[[ReportStore], T]) -> T:
        """What a function of the store finds, between two commits."""
        return await self.writer.do(job)

    def parts(self, steps: Callable[[], Iterator[T]]) -> Iterator[T]:
        """The parts of a long job on the store, between which uploads are written; for a thread of its own."""
        running = steps()

        async def next_part() -> T | None:
            return await self.writer.do(lambda _: next(running, None), always=True)

        while (part := asyncio.run_coroutine_threadsafe(next_part(), self.writer.loop).result()) is not None:
            yield part

    def collection(self, asked: str) -> Collection:
        """The reports of a plan that is served.

        Raises:
            ProblemError: another plan.
        """
        found = self._store.collections.get(asked)
        if found is None:
            raise not_served(asked)
        return found

    async def tally(self, collection: Collection) -> Aggregate:
        """What all reports of a plan add up to, if they are enough.

        Raises:
            ProblemError: too few.
        """
        tally = await self.of_store(lambda _: collection.aggregate)
        if tally.n < self.least_people:
            rule = f"estimates must be of {self.least_people} reports or more"
            raise ProblemError(HTTPStatus.CONFLICT, SordinoError(rule, found=shown(tally.n), step="wait for more"))
        return tally

    async def is_analyst(self, request: Request) -> bool:
        """Whether the analyst's token came with a request."""
        kind, _, token = request.headers.get("authorization", "").partition(" ")
        return kind.lower() == "bearer" and await self.of_store(lambda store: store.is_token(token))

    async def require_analyst(self, request: Request) -> None:
        """Refuse whoever has no token."""
        if not await self.is_analyst(request):
            rule, step = "this needs the analyst's token", "send it as Authorization: Bearer TOKEN"
            sent = request.headers.get("authorization")
            error = SordinoError(rule, found="a token of no analyst" if sent else "no token", step=step)
            raise ProblemError(HTTPStatus.UNAUTHORIZED, error, {"WWW-Authenticate": "Bearer"})


def not_served(asked: str) -> ProblemError:
    """What is said of another plan."""
    step = "GET /plans lists them"
    return ProblemError(
        HTTPStatus.NOT_FOUND, SordinoError("the plan must be served here", found=shown(asked), step=step)
    )
