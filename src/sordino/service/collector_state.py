"""What all routes of a collector share: its store behind one writer, its plans, and who the analyst is."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import ExitStack, asynccontextmanager, suppress
from http import HTTPStatus
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, TypeVar

from fastapi import FastAPI, Request

from sordino.errors import RefusedError, SordinoError, UnavailableError
from sordino.exact.messages import shown
from sordino.mechanism.channel import Aggregate
from sordino.service.budget import BodyBudget
from sordino.service.console import control_socket, operate
from sordino.service.log import log_event
from sordino.service.problems import ProblemError
from sordino.service.readiness import Health
from sordino.service.signing import Signer
from sordino.service.storage.acts import SCRUB
from sordino.service.storage.collection import GRACE, Collection
from sordino.service.storage.store import ReportStore
from sordino.service.storage.tokens import CONSOLE, TokenHolder
from sordino.service.writer import UploadWriter

if TYPE_CHECKING:
    from sordino.service.metrics import Metrics

T = TypeVar("T")

LOOK_SECONDS = 3600.0
"""Seconds between two looks whether codes are to be scrubbed."""


class CollectorState:
    """A store that is served, by one writer while the application runs.

    Attributes:
        least_people: reports without which no estimate is shown.
        signer: of the plans; None if they are not signed.
        metrics: what is counted for whoever runs the collector.
        published: whether everybody is told tallies and estimates.
        retain_days: after which all codes are scrubbed, again and again; None if they are kept.
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
        grace: int = GRACE,
        retain_days: int | None = None,
    ) -> None:
        for collection in store.collections.values():
            collection.grace = grace
        self.least_people, self.signer, self.metrics, self.published = least_people, signer, metrics, published
        self.budget, self._store, self.retain_days = BodyBudget(), store, retain_days
        self._writer: UploadWriter | None = None
        self._health: Health | None = None

    @asynccontextmanager
    async def run(self, _: FastAPI) -> AsyncIterator[None]:
        """From the application's start to its end, when what was taken is written, and the store given back."""
        self._writer = UploadWriter(self._store, asyncio.get_running_loop())
        self._health = Health(self._writer)
        if self.metrics is not None:
            self.metrics.watch(self._writer, self._health, self._store.collections.values())
        self._store.begin_log()
        log_event(
            "the collector has started",
            version=version("sordino"),
            plans=[*self._store.collections],
            acts=self._store.acts_logged,
            last_act=self._store.last_hash,
        )
        path = self._store.socket_path
        with ExitStack() as stack:
            if path is not None:
                try:
                    stack.enter_context(control_socket(path, self._run_command))
                except UnavailableError as error:
                    # A file system may have no sockets; a collector collects without.
                    log_event("there is no control socket", logging.WARNING, error=str(error))
            stack.callback(self._writer.stop)
            ending = asyncio.Event()
            retaining = asyncio.create_task(self._retain(ending))
            try:
                yield
            finally:
                ending.set()
                if self.metrics is not None:
                    self.metrics.stop_watching()
                await asyncio.to_thread(stack.close)
                # The writer has refused the next part of what it did.
                await retaining
                self._end()
                log_event("the collector has stopped")

    async def _retain(self, ending: asyncio.Event) -> None:
        while not ending.is_set() and self.retain_days is not None:
            for collection in self._store.collections.values():
                with suppress(SordinoError):
                    # What the store refuses is in the log, and tried again.
                    await self._scrub_if_due(collection, self.retain_days)
            with suppress(TimeoutError):
                await asyncio.wait_for(ending.wait(), LOOK_SECONDS)

    async def _scrub_if_due(self, collection: Collection, days: int) -> None:
        plan = collection.plan.hash
        if await self.run_in_store(lambda store: store.scrub_is_due(plan, days)):
            async with self.note_deed(CONSOLE, SCRUB, plan=plan, because=f"--retain {days}"):
                await asyncio.to_thread(lambda: sum(self.parts(collection.scrub)))
            await self.run_in_store(lambda store: store.note_scrubbed(plan))

    def _end(self) -> None:
        with suppress(UnavailableError):
            self._store.log_acts()
        self._store.close()

    def _run_command(self, command: Mapping[str, Any]) -> dict[str, Any]:
        """Run what whoever may open the store asks for, between two commits; for a thread of its own."""

        async def run() -> dict[str, Any]:
            return await self.run_in_store(lambda store: operate(store, command))

        return asyncio.run_coroutine_threadsafe(run(), self.writer.loop).result()

    @property
    def health(self) -> Health:
        """Of the store and its writer."""
        if self._health is None:
            raise _not_started()
        return self._health

    @property
    def writer(self) -> UploadWriter:
        """Who writes into the store."""
        if self._writer is None:
            raise _not_started()
        return self._writer

    async def run_in_store(self, job: Callable[[ReportStore], T]) -> T:
        """What a function of the store finds, between two commits."""
        return await self.writer.do(job)

    def parts(self, steps: Callable[[], Iterator[T]]) -> Iterator[T]:
        """The parts of a long job on the store, between which uploads are written; for a thread of its own."""
        running = steps()

        async def next_part() -> T | None:
            return await self.writer.do(lambda _: next(running, None), always=True)

        while (part := asyncio.run_coroutine_threadsafe(next_part(), self.writer.loop).result()) is not None:
            yield part

    @property
    def collections(self) -> Mapping[str, Collection]:
        """The reports of each plan that is served."""
        return self._store.collections

    def collection(self, asked: str) -> Collection:
        """The reports of a plan that is served.

        Raises:
            ProblemError: another plan.
        """
        found = self.collections.get(asked)
        if found is None:
            raise not_served(asked)
        return found

    async def tally(self, collection: Collection) -> Aggregate:
        """What all reports of a plan add up to, if they are enough.

        Raises:
            ProblemError: too few.
        """
        tally = await self.run_in_store(lambda _: collection.aggregate)
        self.require_enough(tally)
        return tally

    def require_enough(self, tally: Aggregate) -> None:
        """Refuse to show what too few reports say.

        Raises:
            ProblemError: too few.
        """
        if tally.n < self.least_people:
            rule = f"estimates must be of {self.least_people} reports or more"
            raise ProblemError(HTTPStatus.CONFLICT, SordinoError(rule, found=shown(tally.n), step="wait for more"))

    async def holder_of(self, request: Request) -> TokenHolder | None:
        """Who holds the token that came with a request; None without one that is valid."""
        kind, _, token = request.headers.get("authorization", "").partition(" ")
        if kind.lower() != "bearer":
            return None
        return await self.run_in_store(lambda store: store.holder_of(token))

    async def require_role(self, request: Request, role: str) -> TokenHolder:
        """Who asks, if they may do what a role may.

        Raises:
            ProblemError: no valid token (unknown, expired and revoked ones are refused alike), or one of a lesser role.
        """
        holder = await self.holder_of(request)
        if holder is None:
            rule, step = "this needs a token", "send a valid one as Authorization: Bearer TOKEN"
            sent = request.headers.get("authorization")
            if sent:
                log_event("a token that is not valid came", logging.WARNING)
            error = SordinoError(rule, found="a token that is not valid here" if sent else "no token", step=step)
            raise ProblemError(HTTPStatus.UNAUTHORIZED, error, {"WWW-Authenticate": "Bearer"})
        if not holder.may(role):
            step = "ask whoever operates the collector"
            error = RefusedError(f"this needs a token of the role {role}", found=holder.role, step=step)
            raise ProblemError(HTTPStatus.FORBIDDEN, error)
        return holder

    @asynccontextmanager
    async def note_deed(self, by: str, deed: str, **about: str) -> AsyncIterator[None]:
        """Note that a deed begins, before it does, and whether it was done.

        What ends the deed may keep its end from being noted too; the beginning then has none.
        """
        begun = await self.run_in_store(lambda store: store.begin(by, deed, **about))
        try:
            yield
        except BaseException:
            with suppress(SordinoError):
                await self.run_in_store(lambda store: store.end(begun, by, deed, done=False))
            raise
        await self.run_in_store(lambda store: store.end(begun, by, deed, done=True))


def _not_started() -> UnavailableError:
    return UnavailableError("a collector must be started", found="one that is not", step="run its application")


def not_served(asked: str) -> ProblemError:
    """What is said of another plan."""
    step = "GET /plans lists them"
    return ProblemError(
        HTTPStatus.NOT_FOUND, SordinoError("the plan must be served here", found=shown(asked), step=step)
    )
