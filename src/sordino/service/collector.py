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
| GET /, /plans/{hash}/form, verify | all | pages for browsers |
| GET /livez, /readyz | all | whether it runs; whether it can take reports |

Uploads are nearly all that a collector is asked: they are answered before a framework looks at the request, since
FastAPI takes longer for an empty answer than all that is done here for a report, its share of a commit included.

A form may stand on an institute's own page and send its report here. So browsers are allowed to let any page read what
everybody may read (plans, key, signatures, progress, the client's modules), and send reports. No cookies exist, and no
page from elsewhere may send a token: its header is not among those that are allowed.
"""

import asyncio
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sordino.document.invitation_list import HEADER, invitation_hash
from sordino.errors import RefusedError, SordinoError
from sordino.exact.messages import shown
from sordino.service.analyst import AnalystRoutes, DashboardPages, as_page
from sordino.service.budget import MOST_BYTES, UNCOUNTED
from sordino.service.client_pages import FOR_EVER, PLAN, add_client, compressed_response
from sordino.service.collection_progress import Progress
from sordino.service.collector_state import CollectorState, not_served
from sordino.service.openapi import ERASE_BODY, TALLY_BODY, UPLOAD_BODY, answer_media, responses
from sordino.service.problems import ProblemError, of_error, of_framework
from sordino.service.signing import Signer
from sordino.service.storage.collection import GRACE
from sordino.service.storage.invitations import link_hashes
from sordino.service.storage.store import ReportStore
from sordino.service.storage.uploaded_reports import Erasure, Receipt, Upload
from sordino.service.uploads import MOST_JSON, PACKED, read_id, read_json, unpack
from sordino.survey.planning.plan import Plan

AT_ONCE = 1 << 16
"""Bytes of an upload that are read while others wait; more are read on a thread of their own."""

ALLOWED = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Expose-Headers": "Retry-After",
}
"""On answers that any page may read."""

PACKED_TYPE = f"{PACKED}; version=1"
"""The content type of packed uploads as most senders write it."""


class UploadRoute:
    """`POST /plans/{hash}/reports`, and an application for all else.

    Args:
        state: whose writer keeps the reports.
        others: what answers whatever is no upload.
    """

    def __init__(self, state: CollectorState, others: ASGIApp) -> None:
        self._state, self._others = state, others

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """As servers call it (ASGI)."""
        plan = _uploaded_to(scope)
        try:
            if plan is None:
                await self._others(scope, receive, send)
            else:
                await self._respond(plan, scope, receive, send)
        except (ClientDisconnect, asyncio.CancelledError):
            # Half a body, or a collector that ends: there is nothing to keep, and nobody to tell.
            return

    async def _respond(self, plan: str, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        try:
            answer: Response = await self.keep(plan, request)
        except (SordinoError, ProblemError) as error:
            answer = await of_error(request, error)
            answer.headers.update(ALLOWED)
        await answer(scope, receive, send)

    async def keep(self, plan_hash: str, request: Request) -> JSONResponse:
        """Keep an upload; answers once it is on disk."""
        collection, kind = self._state.collection(plan_hash), _header(request.scope, "content-type") or ""
        most = MOST_BYTES if _media(kind) == PACKED else MOST_JSON
        with self._state.budget.share() as share:
            body = await share.body_of(request, most)
            if len(body) > AT_ONCE:
                upload = await asyncio.to_thread(_upload, collection.plan, kind, body)
            else:
                upload = _upload(collection.plan, kind, body)
            if (secret := _header(request.scope, HEADER)) is not None:
                upload = replace(upload, invitation=_invitation(collection.plan, upload, secret))
            # From here on the reports stand for it in the budget.
            body.clear()
            receipt = await self._state.writer.add(collection, upload)
        if self._state.metrics is not None:
            self._state.metrics.count_receipt(receipt)
        if not receipt.invited:
            raise _refuse_uninvited(upload)
        return _acknowledge(upload, receipt)


def _uploaded_to(scope: Scope) -> str | None:
    """The plan that an upload is for; None of other requests."""
    if scope["type"] != "http" or scope["method"] != "POST":
        return None
    match scope["path"].split("/"):
        case ["", "plans", plan, "reports"]:
            return str(plan)
    return None


def _header(scope: Scope, name: str) -> str | None:
    """The first header of a name in a request."""
    wanted = name.lower().encode()
    return next((text.decode("latin-1") for own, text in scope["headers"] if own == wanted), None)


def _invitation(plan: Plan, upload: Upload, secret: str) -> bytes:
    """The hash of the invitation that came with an upload, of the period of its first report: one comes by itself."""
    period = None if plan.series is None else plan.series.label(int(plan.cells.periods(upload.codes[:1])[0]))
    return invitation_hash(plan.hash, secret, period)


def _refuse_uninvited(upload: Upload) -> ProblemError:
    rule = "each report must come by itself, by an invitation that this collector knows"
    step = "open the whole link that you were sent, at its own address"
    if upload.invitation is None:
        found = "no invitation"
    else:
        found = "an invitation that is not known here" if len(upload) == 1 else f"{len(upload):,} reports together"
    return ProblemError(HTTPStatus.FORBIDDEN, RefusedError(rule, found=found, step=step))


def _receipt_answer(accepted: int, repeated: int, failures: int, failed: Sequence[Mapping[str, str]]) -> JSONResponse:
    counts = {"accepted": accepted, "repeated": repeated, "failures": failures}
    return JSONResponse({**counts, "failed": failed}, headers=ALLOWED)


ONE_KEPT = tuple(_receipt_answer(accepted, 1 - accepted, 0, ()) for accepted in (0, 1))
"""Answers to one report that is kept, made once: that it was there already, or is new."""


def _acknowledge(upload: Upload, receipt: Receipt) -> JSONResponse:
    if len(upload) == 1 and not receipt.failures:
        return ONE_KEPT[receipt.accepted]
    failed = [{"id": upload.id_at(place).hex(), "rule": rule} for place, rule in receipt.failed]
    return _receipt_answer(receipt.accepted, receipt.repeated, receipt.failures, failed)


def _media(content_type: str) -> str:
    return PACKED if content_type == PACKED_TYPE else content_type.partition(";")[0].strip().lower()


def _upload(plan: Plan, content_type: str, body: bytearray) -> Upload:
    if content_type == PACKED_TYPE:
        return unpack(plan, body)
    _, _, parameters = content_type.partition(";")
    match _media(content_type), parameters.replace(" ", "").lower():
        case ("application/json", _):
            return read_json(plan, body)
        case (media, "version=1") if media == PACKED:
            return unpack(plan, body)
    step = f"send {PACKED}; version=1, or application/json"
    error = SordinoError("reports must have a media type that is known", found=shown(content_type), step=step)
    raise ProblemError(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, error)


if TYPE_CHECKING:
    from sordino.service.metrics import Metrics


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
        self._state = CollectorState(
            store, least_people, signer, metrics, published=published, retain_days=retain_days, grace=grace
        )
        self._pages, self._progress = DashboardPages(), Progress(self._state.run_in_store, least_people)

    @property
    def application(self) -> ASGIApp:
        """What a server runs."""
        app = FastAPI(title="Sordino collector", version="1", lifespan=self._state.run, docs_url=None, redoc_url=None)
        for kind in (SordinoError, ProblemError):
            app.add_exception_handler(kind, of_error)
        for refused in (HTTPException, RequestValidationError):
            app.add_exception_handler(refused, of_framework)
        uploads = UploadRoute(self._state, CrossOrigin(app))
        analyst = AnalystRoutes(self._state, self._pages, self._progress)
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
        add_client(app, self._state)
        return uploads if self._state.metrics is None else self._state.metrics.count_answers(uploads)

    async def livez(self, response: Response) -> dict[str, str]:
        """Whether it runs."""
        response.status_code = 200 if self._state.health.is_alive else 503
        return {"status": "alive" if self._state.health.is_alive else "not writing"}

    async def readyz(self, response: Response) -> dict[str, str]:
        """Whether it can take reports; why not, is for whoever operates it."""
        found = await self._state.health.readiness()
        response.status_code = found.status
        return found.word

    async def plans(self) -> list[dict[str, str | None]]:
        """All plans that were ever served from the store, since which day, and since which day they are closed."""
        return [asdict(each) for each in await self._state.run_in_store(lambda store: store.served_plans)]

    async def key(self) -> dict[str, Any]:
        """The public key that signs the plans, and how it changed: each old key signed the next."""
        return {"algorithm": "Ed25519", "key": self._signer.public, "chain": await self._chain()}

    async def signature(self, plan_hash: str, request: Request) -> Response:
        """The signature of a plan's bytes."""
        signer, content = self._signer, await self._bytes(plan_hash)
        found = {
            "plan": plan_hash,
            "algorithm": "Ed25519",
            "key": signer.public,
            "signature": signer.signature(content),
            "chain": await self._chain(),
        }
        return compressed_response(request, json.dumps(found).encode(), "application/json")

    async def _chain(self) -> list[dict[str, str]]:
        return [link.document for link in await self._state.run_in_store(lambda store: store.key_chain)]

    async def plan_bytes(self, plan_hash: str, request: Request) -> Response:
        """The plan's bytes."""
        content = await self._bytes(plan_hash)
        return await asyncio.to_thread(compressed_response, request, content, "application/json", FOR_EVER)

    async def erase(self, plan_hash: str, request: Request) -> dict[str, str]:
        """Forget a report, for whoever knows its id, which only its sender does. What was there is not said.

        What is still on its way by a link is not counted either, if the link comes with the request as with the report.
        """
        collection = self._state.collection(plan_hash)
        with self._state.budget.share() as share:
            body = await share.body_of(request, UNCOUNTED)
        secret = request.headers.get(HEADER)
        links = () if secret is None else link_hashes(collection.plan, secret, collection.grace)
        await self._state.writer.erase(collection, Erasure(read_id(body), links))
        return {"outcome": "no code is kept under this id"}

    async def progress(self, plan_hash: str) -> dict[str, Any]:
        """How far the collection is."""
        found = await self._progress.of(self._state.collection(plan_hash))
        if (days := self._state.retain_days) is None:
            return found
        day = await self._state.run_in_store(lambda store: store.next_scrub_day(plan_hash, days))
        return found | {"retain_days": days, "next_scrub_day": day}

    async def dashboard(self, plan_hash: str, request: Request) -> Response:
        """A page to watch the collection on, whose estimates ask for a token."""
        return as_page(request, await self._pages.watch(self._state.collection(plan_hash).plan))

    async def _bytes(self, plan_hash: str) -> bytes:
        content = await self._state.run_in_store(lambda store: store.bytes_of(plan_hash))
        if content is None:
            raise not_served(plan_hash)
        return content

    @property
    def _signer(self) -> Signer:
        if self._state.signer is None:
            error = SordinoError("plans must be signed for that", found="no key", step="serve them with --key FILE")
            raise ProblemError(HTTPStatus.NOT_FOUND, error)
        return self._state.signer


OPEN: Mapping[str, re.Pattern[str]] = {
    "GET": re.compile(r"/key|/client/.+|/plans|/plans/[^/]+|/plans/[^/]+/(signature|progress)"),
    "POST": re.compile(r"/plans/[^/]+/(reports|erase)"),
}
"""The paths that pages from elsewhere may ask for, by method."""

PREFLIGHT = {
    **ALLOWED,
    "Access-Control-Allow-Headers": f"Content-Type, {HEADER}",
    "Access-Control-Max-Age": "86400",
}


class CrossOrigin:
    """An application whose public answers any page may read."""

    def __init__(self, application: ASGIApp) -> None:
        self._application = application

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """As servers call it (ASGI)."""
        if scope["type"] != "http":
            await self._application(scope, receive, send)
            return
        # The server itself sends no body as an answer to HEAD.
        asked = {**scope, "method": "GET"} if scope["method"] == "HEAD" else scope
        methods = [method for method, paths in OPEN.items() if paths.fullmatch(scope["path"])]
        if scope["method"] == "OPTIONS" and methods:
            answer = Response(None, 204, {**PREFLIGHT, "Access-Control-Allow-Methods": ", ".join(methods)})
            await answer(scope, receive, send)
            return

        async def send_open(message: Message) -> None:
            if message["type"] == "http.response.start":
                own = [(name.lower().encode(), text.encode()) for name, text in ALLOWED.items()]
                message = {**message, "headers": [*message["headers"], *own]}
            await send(message)

        await self._application(asked, receive, send_open if asked["method"] in methods else send)
