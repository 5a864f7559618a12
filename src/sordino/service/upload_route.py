"""Uploads, which are nearly all that a collector is asked: answered before a framework looks at the request.

FastAPI takes longer for an empty answer than all that is done here for a report, its share of a commit included.
"""

import asyncio
from dataclasses import replace
from http import HTTPStatus

from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.types import Receive, Scope, Send

from sordino.document.invitation_list import HEADER, invitation_hash
from sordino.errors import RefusedError, SordinoError
from sordino.exact.messages.brief import shown
from sordino.service.budget import MOST_BYTES
from sordino.service.desk import Desk
from sordino.service.problems import ProblemError, of_error
from sordino.service.storage.reports import Receipt, Upload
from sordino.service.uploads import MOST_JSON, PACKED, read_json, unpack
from sordino.survey.planning.plan import Plan

AT_ONCE = 1 << 16
"""Bytes of an upload that are read while others wait; more are read on a thread of their own."""


class UploadRoute:
    """`POST /plans/{hash}/reports`, and an application for all else.

    Args:
        desk: whose writer keeps the reports.
        others: what answers whatever is no upload.
    """

    def __init__(self, desk: Desk, others: Starlette) -> None:
        self._desk, self._others = desk, others

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
        await answer(scope, receive, send)

    async def keep(self, plan_hash: str, request: Request) -> JSONResponse:
        """Keep an upload; answers once it is on disk."""
        collection, kind = self._desk.collection(plan_hash), request.headers.get("content-type", "")
        most = MOST_BYTES if _media(kind) == PACKED else MOST_JSON
        with self._desk.budget.share() as share:
            body = await share.body_of(request, most)
            if len(body) > AT_ONCE:
                upload = await asyncio.to_thread(_upload, collection.plan, kind, body)
            else:
                upload = _upload(collection.plan, kind, body)
            upload = replace(upload, invitation=_invitation(collection.plan, upload, request))
            # From here on the reports stand for it in the budget.
            body.clear()
            receipt = await self._desk.writer.add(collection, upload)
        if self._desk.metrics is not None:
            self._desk.metrics.count_receipt(receipt)
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


def _invitation(plan: Plan, upload: Upload, request: Request) -> bytes | None:
    """The hash of the invitation that came with an upload, of the period of its first report: one comes by itself."""
    secret = request.headers.get(HEADER)
    if secret is None:
        return None
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


def _acknowledge(upload: Upload, receipt: Receipt) -> JSONResponse:
    failed = [{"id": upload.id_at(place).hex(), "rule": rule} for place, rule in receipt.failed]
    counts = {"accepted": receipt.accepted, "repeated": receipt.repeated, "failures": receipt.failures}
    return JSONResponse({**counts, "failed": failed})


def _media(content_type: str) -> str:
    return content_type.partition(";")[0].strip().lower()


def _upload(plan: Plan, content_type: str, body: bytearray) -> Upload:
    _, _, parameters = content_type.partition(";")
    match _media(content_type), parameters.replace(" ", "").lower():
        case ("application/json", _):
            return read_json(plan, body)
        case (media, "version=1") if media == PACKED:
            return unpack(plan, body)
    step = f"send {PACKED}; version=1, or application/json"
    error = SordinoError("reports must have a media type that is known", found=shown(content_type), step=step)
    raise ProblemError(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, error)
