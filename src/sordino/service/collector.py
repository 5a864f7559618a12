"""The collector over HTTP: takes reports of plans, acknowledges what is on disk, and tells what they say together.

Nobody's answers come here, only reports, which keep the plan's promise before they are sent. An upload may be repeated
whole until it is answered: each report is counted once. Addresses and times of uploads are not kept.

| path | who | what |
|---|---|---|
| GET /plans | all | all plans ever served from the store, and since which day |
| GET /key | all | the public key that signs plans |
| GET /plans/{hash} | all | the plan's bytes |
| GET /plans/{hash}/signature | all | the signature of the bytes |
| POST /plans/{hash}/reports | devices, relays | an upload, packed or JSON: how many are kept, and which failed |
| GET /plans/{hash}/progress | all | how many reports there are, and whether more are taken |
| GET /plans/{hash}/estimates | analyst | what the reports say |
| GET /plans/{hash}/dashboard | all | a page to watch the collection on |
| GET /plans/{hash}/page | analyst | what the reports say as a page, with intervals that hold while more come in |
| GET, POST /plans/{hash}/aggregate | analyst | the tally; another collector's tally to add |
| GET /plans/{hash}/reports | analyst | the reports as Parquet |
| POST /plans/{hash}/scrub | analyst | forgets codes that are counted |
| POST /plans/{hash}/close | analyst | takes no more reports, for ever |
| GET /plans/{hash}/form, verify | all | the browser client (`pages`) |
| GET /health | all | whether it runs |
"""

import asyncio
from dataclasses import asdict
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse
from starlette.exceptions import HTTPException

from sordino.errors import SordinoError
from sordino.exact.messages.brief import shown
from sordino.service.analyst import AnalystRoutes, progress_of
from sordino.service.dashboard import DashboardPages, as_page
from sordino.service.desk import MOST_BYTES, Desk, body_of, not_served
from sordino.service.openapi import TALLY_BODY, UPLOAD_BODY, responses
from sordino.service.pages import add_pages
from sordino.service.problems import ProblemError, of_error, of_framework
from sordino.service.signing import Signer
from sordino.service.storage.reports import Receipt, Upload
from sordino.service.storage.store import ReportStore
from sordino.service.uploads import MOST_JSON, PACKED, read_json, unpack
from sordino.survey.planning.plan import Plan

if TYPE_CHECKING:
    from sordino.service.metrics import Metrics

AT_ONCE = 1 << 16
"""Bytes of an upload that are read while others wait; more are read on a thread of their own."""

FEW = 1000
"""Failed reports that are told while others wait; more are told from a thread of their own."""

PLAN = "/plans/{plan_hash}"


class Collector:
    """The routes, over a store that the collector alone uses from now on, and gives back when it ends.

    Args:
        store: what it keeps.
        least_people: reports without which no estimate is told.
        signer: of the plans.
        metrics: what it counts for whoever runs it.
    """

    def __init__(
        self,
        store: ReportStore,
        least_people: int = 1,
        signer: Signer | None = None,
        metrics: "Metrics | None" = None,
    ) -> None:
        if signer is not None:
            store.require_signer(signer.public)
        self._desk, self._pages = Desk(store, least_people, signer, metrics), DashboardPages()

    @property
    def application(self) -> FastAPI:
        """What a server runs."""
        app = FastAPI(
            title="Sordino collector", version="1", lifespan=self._desk.running, docs_url=None, redoc_url=None
        )
        for kind in (SordinoError, ProblemError):
            app.add_exception_handler(kind, of_error)
        for refused in (HTTPException, RequestValidationError):
            app.add_exception_handler(refused, of_framework)
        if self._desk.metrics is not None:
            app.middleware("http")(self._desk.metrics.count_answer)
        analyst = AnalystRoutes(self._desk, self._pages)
        for method, path, answer, body in (
            ("GET", "/health", self.health, None),
            ("GET", "/key", self.key, None),
            ("GET", "/plans", self.plans, None),
            ("GET", PLAN, self.frozen, None),
            ("GET", f"{PLAN}/signature", self.signature, None),
            ("GET", f"{PLAN}/progress", self.progress, None),
            ("POST", f"{PLAN}/reports", self.reports, UPLOAD_BODY),
            ("GET", f"{PLAN}/reports", analyst.reports, None),
            ("GET", f"{PLAN}/estimates", analyst.estimates, None),
            ("GET", f"{PLAN}/dashboard", self.dashboard, None),
            ("GET", f"{PLAN}/page", analyst.page, None),
            ("GET", f"{PLAN}/aggregate", analyst.aggregate, None),
            ("POST", f"{PLAN}/aggregate", analyst.merge, TALLY_BODY),
            ("POST", f"{PLAN}/scrub", analyst.scrub, None),
            ("POST", f"{PLAN}/close", analyst.close, None),
        ):
            told, extra = responses(path, body, for_analyst=getattr(answer, "__self__", None) is analyst)
            app.add_api_route(path, answer, methods=[method], responses=told, openapi_extra=extra)
        add_pages(app)
        return app

    async def health(self) -> dict[str, str]:
        """That it runs."""
        return {"status": "ok"}

    async def plans(self) -> list[dict[str, str | None]]:
        """All plans that were ever served from the store, since which day, and since which day they are closed."""
        return [asdict(each) for each in await self._desk.of_store(lambda store: store.served)]

    async def key(self) -> dict[str, str]:
        """The public key that signs the plans."""
        return {"algorithm": "Ed25519", "key": self._signer.public}

    async def signature(self, plan_hash: str) -> dict[str, str]:
        """The signature of a plan's bytes."""
        signer, content = self._signer, await self._bytes(plan_hash)
        return {
            "plan": plan_hash,
            "algorithm": "Ed25519",
            "key": signer.public,
            "signature": signer.signature(content),
        }

    async def frozen(self, plan_hash: str) -> Response:
        """The plan's bytes."""
        headers = {"Cache-Control": "public, max-age=31536000, immutable"}
        return Response(await self._bytes(plan_hash), media_type="application/json", headers=headers)

    async def reports(self, plan_hash: str, request: Request) -> JSONResponse:
        """Keep an upload; answers once it is on disk."""
        collection, kind = self._desk.collection(plan_hash), request.headers.get("content-type", "")
        body = await body_of(request, MOST_BYTES if _media(kind) == PACKED else MOST_JSON)
        if len(body) > AT_ONCE:
            upload = await asyncio.to_thread(_upload, collection.plan, kind, body)
        else:
            upload = _upload(collection.plan, kind, body)
        receipt = await asyncio.wrap_future(self._desk.writer.add(collection, upload))
        if self._desk.metrics is not None:
            self._desk.metrics.count_receipt(receipt)
        if len(receipt.failed) > FEW:
            return await asyncio.to_thread(_acknowledged, upload, receipt)
        return _acknowledged(upload, receipt)

    async def progress(self, plan_hash: str) -> dict[str, Any]:
        """How far the collection is."""
        return await self._desk.of_store(progress_of(self._desk.collection(plan_hash)))

    async def dashboard(self, plan_hash: str) -> HTMLResponse:
        """A page to watch the collection on, whose estimates ask for the analyst's token."""
        return as_page(await asyncio.to_thread(self._pages.watch, self._desk.collection(plan_hash).plan))

    async def _bytes(self, plan_hash: str) -> bytes:
        """Of a plan that was ever served."""
        content = await self._desk.of_store(lambda store: store.bytes_of(plan_hash))
        if content is None:
            raise not_served(plan_hash)
        return content

    @property
    def _signer(self) -> Signer:
        if self._desk.signer is None:
            error = SordinoError("plans must be signed for that", found="no key", step="serve them with --key FILE")
            raise ProblemError(HTTPStatus.NOT_FOUND, error)
        return self._desk.signer


def _acknowledged(upload: Upload, receipt: Receipt) -> JSONResponse:
    failed = [{"id": upload.id_at(place).hex(), "rule": rule} for place, rule in receipt.failed]
    return JSONResponse({"accepted": receipt.accepted, "repeated": receipt.repeated, "failed": failed})


def _media(content_type: str) -> str:
    return content_type.partition(";")[0].strip().lower()


def _upload(plan: Plan, content_type: str, body: bytes) -> Upload:
    _, _, parameters = content_type.partition(";")
    match _media(content_type), parameters.replace(" ", "").lower():
        case ("application/json", _):
            return read_json(body)
        case (media, "version=1") if media == PACKED:
            return unpack(plan, body)
    step = f"send {PACKED}; version=1, or application/json"
    error = SordinoError("reports must have a media type that is known", found=shown(content_type), step=step)
    raise ProblemError(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, error)
