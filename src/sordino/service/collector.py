"""The collector over HTTP: takes reports of one plan, acknowledges what is on disk, and tells what they say together.

Nobody's answers come here, only reports, which keep the plan's promise before they are sent. An upload may be repeated
whole until it is answered: each report is counted once. Addresses and times of uploads are not kept.

| path | who | what |
|---|---|---|
| GET /plans | all | the plans ever served from the store, and since when |
| GET /plans/{hash} | all | the plan's bytes |
| POST /plans/{hash}/reports | devices, relays | an upload, packed or JSON: how many are kept, and which failed |
| GET /plans/{hash}/progress | all | how many reports there are, and whether more are taken |
| GET /plans/{hash}/estimates | analyst | what the reports say |
| GET /plans/{hash}/dashboard | all | a page to watch the collection on |
| GET /plans/{hash}/page | analyst | what the reports say as a page, with intervals that hold while more come in |
| POST /plans/{hash}/close | analyst | takes no more reports, for ever |
| GET /plans/{hash}/form, verify | all | the browser client (`pages`) |
| GET /health | all | whether it runs |
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from http import HTTPStatus
from math import isfinite
from typing import Any, TypeVar

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse
from starlette.exceptions import HTTPException

from sordino.errors import SordinoError, UnavailableError
from sordino.exact.messages.brief import shown
from sordino.mechanism.aggregate import Aggregate
from sordino.service.dashboard import DashboardPages
from sordino.service.pages import add_pages
from sordino.service.problems import ProblemError, of_error, of_framework
from sordino.service.store import ReportStore, Upload
from sordino.service.uploads import PACKED, read_json, unpack
from sordino.service.writer import FullQueueError, UploadWriter
from sordino.survey.planning.plan import Plan
from sordino.survey.results.result import results

MOST_BYTES = 1 << 24
"""Of an upload's body."""

T = TypeVar("T")


class Collector:
    """The routes, over a store that the collector alone uses from now on, and gives back when it ends.

    Attributes:
        plan: whose reports are taken.
        least_people: reports without which no estimate is told.
    """

    def __init__(self, store: ReportStore, least_people: int = 1) -> None:
        self.plan, self.least_people, self._store = store.plan, least_people, store
        self._writer: UploadWriter | None = None
        self._pages = DashboardPages()

    @property
    def application(self) -> FastAPI:
        """What a server runs."""
        app = FastAPI(title="Sordino collector", version="1", lifespan=self._running, docs_url=None, redoc_url=None)
        for kind in (SordinoError, ProblemError):
            app.add_exception_handler(kind, of_error)
        for refused in (HTTPException, RequestValidationError):
            app.add_exception_handler(refused, of_framework)
        plan = "/plans/{plan_hash}"
        told: dict[str, Callable[..., Any]] = {
            "/health": self.health,
            "/plans": self.plans,
            plan: self.frozen,
            f"{plan}/progress": self.progress,
            f"{plan}/estimates": self.estimates,
            f"{plan}/dashboard": self.dashboard,
            f"{plan}/page": self.page,
        }
        for path, answer in told.items():
            app.add_api_route(path, answer, methods=["GET"])
        app.add_api_route(f"{plan}/reports", self.reports, methods=["POST"])
        app.add_api_route(f"{plan}/close", self.close, methods=["POST"])
        add_pages(app)
        return app

    @asynccontextmanager
    async def _running(self, _: FastAPI) -> AsyncIterator[None]:
        self._writer = UploadWriter(self._store)
        try:
            yield
        finally:
            # What was taken is written before the end.
            await asyncio.to_thread(self._writer.stop)
            self._store.close()

    async def health(self) -> dict[str, str]:
        """That it runs."""
        return {"status": "ok"}

    async def plans(self) -> list[dict[str, str]]:
        """All plans that were ever served from the store."""
        return [{"plan": key, "since": since} for key, since in await self._of_store(lambda store: store.served)]

    async def frozen(self, plan_hash: str) -> Response:
        """The plan's bytes."""
        self._require_plan(plan_hash)
        headers = {"Cache-Control": "public, max-age=31536000, immutable"}
        return Response(self.plan.bytes, media_type="application/json", headers=headers)

    async def reports(self, plan_hash: str, request: Request) -> dict[str, Any]:
        """Keep an upload; answers once it is on disk."""
        self._require_plan(plan_hash)
        upload = _upload(self.plan, request.headers.get("content-type", ""), await _body(request))
        try:
            receipt = await asyncio.wrap_future(self._writing.add(upload))
        except FullQueueError as error:
            raise ProblemError(HTTPStatus.TOO_MANY_REQUESTS, error, {"Retry-After": "1"}) from None
        except UnavailableError as error:
            full = HTTPStatus.INSUFFICIENT_STORAGE if "full" in error.found else HTTPStatus.SERVICE_UNAVAILABLE
            raise ProblemError(full, error, {"Retry-After": "10"}) from None
        failed = [{"id": upload.ids[place].hex(), "rule": rule} for place, rule in receipt.failed]
        return {"accepted": receipt.accepted, "repeated": receipt.repeated, "failed": failed}

    async def progress(self, plan_hash: str) -> dict[str, Any]:
        """How far the collection is."""
        self._require_plan(plan_hash)
        n, closed = await self._of_store(lambda store: (store.aggregate.n, store.closed))
        return {"plan": self.plan.hash, "reports": n, "people": self.plan.people, "closed": closed}

    async def estimates(self, plan_hash: str, request: Request, confidence: float = 0.95) -> dict[str, Any]:
        """What the reports say so far."""
        tally = await self._told_tally(plan_hash, request)
        return await asyncio.to_thread(_estimated, self.plan, tally, confidence)

    async def dashboard(self, plan_hash: str) -> HTMLResponse:
        """A page to watch the collection on, whose estimates ask for the analyst's token."""
        self._require_plan(plan_hash)
        return _page(await asyncio.to_thread(self._pages.watch, self.plan))

    async def page(self, plan_hash: str, request: Request, confidence: float = 0.95) -> HTMLResponse:
        """What the reports say so far, as a page."""
        tally = await self._told_tally(plan_hash, request)
        return _page(await asyncio.to_thread(self._pages.estimates, self.plan, tally, confidence))

    async def _told_tally(self, plan_hash: str, request: Request) -> Aggregate:
        """What all reports add up to, for the analyst, if they are enough."""
        self._require_plan(plan_hash)
        await self._require_analyst(request)
        tally = await self._of_store(lambda store: store.aggregate)
        if tally.n < self.least_people:
            rule = f"estimates must be of {self.least_people} reports or more"
            raise ProblemError(HTTPStatus.CONFLICT, SordinoError(rule, found=shown(tally.n), step="wait for more"))
        return tally

    async def close(self, plan_hash: str, request: Request) -> dict[str, Any]:
        """Take no more reports."""
        self._require_plan(plan_hash)
        await self._require_analyst(request)
        await self._of_store(lambda store: store.close_to_reports())
        return await self.progress(plan_hash)

    @property
    def _writing(self) -> UploadWriter:
        if self._writer is None:
            raise UnavailableError("a collector must be started", found="one that is not", step="run its application")
        return self._writer

    async def _of_store(self, job: Callable[[ReportStore], T]) -> T:
        done: T = await asyncio.wrap_future(self._writing.do(job))
        return done

    async def _require_analyst(self, request: Request) -> None:
        kind, _, token = request.headers.get("authorization", "").partition(" ")
        if kind.lower() != "bearer" or not await self._of_store(lambda store: store.is_token(token)):
            rule, step = "this is for whoever has the analyst's token", "send it as Authorization: Bearer TOKEN"
            error = SordinoError(rule, found="none, or another", step=step)
            raise ProblemError(HTTPStatus.UNAUTHORIZED, error, {"WWW-Authenticate": "Bearer"})

    def _require_plan(self, asked: str) -> None:
        if asked != self.plan.hash:
            error = SordinoError("the plan must be served here", found=shown(asked), step="GET /plans tells which are")
            raise ProblemError(HTTPStatus.NOT_FOUND, error)


def _page(text: str) -> HTMLResponse:
    """A page that no other one may show, and nobody on the way keeps; what it may do it says itself."""
    headers = {"Cache-Control": "no-store", "X-Frame-Options": "DENY", "X-Content-Type-Options": "nosniff"}
    return HTMLResponse(text, headers=headers)


def _estimated(plan: Plan, tally: Aggregate, confidence: float) -> dict[str, Any]:
    found = (row for result in results(plan, tally, None, confidence) for row in result.rows())
    # What cannot be told has no number in JSON.
    rows = [{key: None if isinstance(x, float) and not isfinite(x) else x for key, x in row.items()} for row in found]
    return {"plan": plan.hash, "n": tally.n, "confidence": confidence, "rows": rows}


def _upload(plan: Plan, content_type: str, body: bytes) -> Upload:
    kind, _, parameters = content_type.partition(";")
    match kind.strip().lower(), parameters.replace(" ", "").lower():
        case ("application/json", _):
            return read_json(body)
        case (media, "version=1") if media == PACKED:
            return unpack(plan, body)
    step = f"send {PACKED}; version=1, or application/json"
    error = SordinoError("reports must have a media type that is known", found=shown(content_type), step=step)
    raise ProblemError(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, error)


async def _body(request: Request) -> bytes:
    """The body, which is given up as soon as it is too long."""
    parts, length = [], 0
    async for part in request.stream():
        length += len(part)
        if length > MOST_BYTES:
            error = SordinoError(
                f"an upload must have at most {MOST_BYTES} bytes", found="more", step="send it in parts"
            )
            raise ProblemError(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, error)
        parts.append(part)
    return b"".join(parts)
