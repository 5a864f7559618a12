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
| POST /plans/{hash}/erase | whoever knows a report's id | forgets the report |
| GET /plans/{hash}/progress | all | how many reports there are, of each public group too, and whether more are taken |
| GET /plans/{hash}/estimates | reader; all if published | what the reports say; `?by=region` by groups too |
| GET /plans/{hash}/dashboard | all | a page to watch the collection on |
| GET /plans/{hash}/page | reader | what the reports say as a page, with intervals that hold while more come in |
| GET /plans/{hash}/aggregate | analyst; all if published | the tally, by collectors |
| POST /plans/{hash}/aggregate | analyst | other collectors' tallies, each report once |
| GET /plans/{hash}/reports | analyst | the reports as Parquet |
| POST /plans/{hash}/scrub | operator | forgets codes that are counted |
| POST /plans/{hash}/close | operator | takes no more reports, of a period too, for ever |
| GET /plans/{hash}/form, verify | all | the browser client (`pages`) |
| GET /livez, /readyz | all | whether it runs; whether it can take reports |
"""

from dataclasses import asdict
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp

from sordino.document.invitation_list import HEADER
from sordino.errors import SordinoError
from sordino.service.analyst import AnalystRoutes
from sordino.service.budget import UNCOUNTED
from sordino.service.dashboard import DashboardPages, as_page
from sordino.service.desk import Desk, not_served
from sordino.service.openapi import ERASE_BODY, TALLY_BODY, UPLOAD_BODY, answer_media, responses
from sordino.service.pages import add_pages
from sordino.service.problems import ProblemError, of_error, of_framework
from sordino.service.signing import Signer
from sordino.service.storage.collection import GRACE
from sordino.service.storage.invitations import link_hashes
from sordino.service.storage.reports import Erasure
from sordino.service.storage.store import ReportStore
from sordino.service.upload_route import UploadRoute
from sordino.service.uploads import read_id
from sordino.service.web.cross_origin import CrossOrigin
from sordino.service.web.progress import Progress

if TYPE_CHECKING:
    from sordino.service.monitoring.metrics import Metrics

PLAN = "/plans/{plan_hash}"


class Collector:
    """The routes, over a store that the collector alone uses from now on, and gives back when it ends.

    Args:
        store: what it keeps.
        least_people: reports without which no estimate is shown.
        signer: of the plans.
        metrics: what it counts for whoever runs it.
        published: whether everybody is told tallies and estimates, from so many reports on.
        grace: days after the end of a period of a series, in which its reports are still taken.
        retain_days: after which all codes are scrubbed, again and again (`retention`).
    """

    def __init__(
        self,
        store: ReportStore,
        least_people: int = 1,
        signer: Signer | None = None,
        metrics: "Metrics | None" = None,
        *,
        published: bool = False,
        retain_days: int | None = None,
        grace: int = GRACE,
    ) -> None:
        if signer is not None:
            store.require_signer(signer.public)
        self._desk = Desk(
            store, least_people, signer, metrics, published=published, retain_days=retain_days, grace=grace
        )
        self._pages, self._progress = DashboardPages(), Progress(self._desk.of_store, least_people)

    @property
    def application(self) -> ASGIApp:
        """What a server runs."""
        app = FastAPI(title="Sordino collector", version="1", lifespan=self._desk.run, docs_url=None, redoc_url=None)
        for kind in (SordinoError, ProblemError):
            app.add_exception_handler(kind, of_error)
        for refused in (HTTPException, RequestValidationError):
            app.add_exception_handler(refused, of_framework)
        uploads, analyst = UploadRoute(self._desk, app), AnalystRoutes(self._desk, self._pages, self._progress)
        for method, path, answer, body in (
            ("GET", "/livez", self.livez, None),
            ("GET", "/readyz", self.readyz, None),
            ("GET", "/key", self.key, None),
            ("GET", "/plans", self.plans, None),
            ("GET", PLAN, self.plan_bytes, None),
            ("GET", f"{PLAN}/signature", self.signature, None),
            ("GET", f"{PLAN}/progress", self.progress, None),
            ("POST", f"{PLAN}/reports", uploads.keep, UPLOAD_BODY),
            ("GET", f"{PLAN}/reports", analyst.reports, None),
            ("GET", f"{PLAN}/estimates", analyst.estimates, None),
            ("GET", f"{PLAN}/dashboard", self.dashboard, None),
            ("GET", f"{PLAN}/page", analyst.page, None),
            ("POST", f"{PLAN}/erase", self.erase, ERASE_BODY),
            ("GET", f"{PLAN}/aggregate", analyst.aggregate, None),
            ("POST", f"{PLAN}/aggregate", analyst.merge, TALLY_BODY),
            ("POST", f"{PLAN}/scrub", analyst.scrub, None),
            ("POST", f"{PLAN}/close", analyst.close, None),
        ):
            media = answer_media(method, path) if path.startswith(PLAN) else None
            told, extra = responses(path, body, media, for_analyst=getattr(answer, "__self__", None) is analyst)
            shape = Response if media else JSONResponse
            app.add_api_route(path, answer, methods=[method], responses=told, openapi_extra=extra, response_class=shape)
        add_pages(app)
        served = CrossOrigin(uploads)
        return served if self._desk.metrics is None else self._desk.metrics.count_answers(served)

    async def livez(self, response: Response) -> dict[str, str]:
        """Whether it runs."""
        response.status_code = 200 if self._desk.health.is_alive else 503
        return {"status": "alive" if self._desk.health.is_alive else "not writing"}

    async def readyz(self, response: Response) -> dict[str, str]:
        """Whether it can take reports; why not, is for whoever operates it."""
        found = await self._desk.health.readiness()
        response.status_code = found.status
        return found.word

    async def plans(self) -> list[dict[str, str | None]]:
        """All plans that were ever served from the store, since which day, and since which day they are closed."""
        return [asdict(each) for each in await self._desk.of_store(lambda store: store.served_plans)]

    async def key(self) -> dict[str, Any]:
        """The public key that signs the plans, and how it changed: each old key signed the next."""
        return {"algorithm": "Ed25519", "key": self._signer.public, "chain": await self._chain()}

    async def signature(self, plan_hash: str) -> dict[str, Any]:
        """The signature of a plan's bytes."""
        signer, content = self._signer, await self._bytes(plan_hash)
        return {
            "plan": plan_hash,
            "algorithm": "Ed25519",
            "key": signer.public,
            "signature": signer.signature(content),
            "chain": await self._chain(),
        }

    async def _chain(self) -> list[dict[str, str]]:
        return [link.document for link in await self._desk.of_store(lambda store: store.key_chain)]

    async def plan_bytes(self, plan_hash: str) -> Response:
        """The plan's bytes."""
        headers = {"Cache-Control": "public, max-age=31536000, immutable"}
        return Response(await self._bytes(plan_hash), media_type="application/json", headers=headers)

    async def erase(self, plan_hash: str, request: Request) -> dict[str, str]:
        """Forget a report, for whoever knows its id, which only its sender does. What was there is not said.

        What is still on its way by a link is not counted either, if the link comes with the request as with the report.
        """
        collection = self._desk.collection(plan_hash)
        with self._desk.budget.share() as share:
            body = await share.body_of(request, UNCOUNTED)
        secret = request.headers.get(HEADER)
        links = () if secret is None else link_hashes(collection.plan, secret, collection.grace)
        await self._desk.writer.erase(collection, Erasure(read_id(body), links))
        return {"outcome": "no code is kept under this id"}

    async def progress(self, plan_hash: str) -> dict[str, Any]:
        """How far the collection is."""
        found = await self._progress.of(self._desk.collection(plan_hash))
        if (days := self._desk.retain_days) is None:
            return found
        day = await self._desk.of_store(lambda store: store.next_scrub_day(plan_hash, days))
        return found | {"retain_days": days, "next_scrub_day": day}

    async def dashboard(self, plan_hash: str) -> HTMLResponse:
        """A page to watch the collection on, whose estimates ask for a token."""
        return as_page(await self._pages.watch(self._desk.collection(plan_hash).plan))

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
