"""What pages from elsewhere may ask a collector, and HEAD for whatever GET answers.

A form may stand on an institute's own page and send its report here. So browsers are allowed to let any page read what
everybody may read (plans, key, signatures, progress, the client's modules), and send reports. No cookies exist, and no
page from elsewhere may send a token: its header is not among those that are allowed.
"""

import re
from collections.abc import Mapping

from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sordino.document.invitation_list import HEADER

OPEN: Mapping[str, re.Pattern[str]] = {
    "GET": re.compile(r"/key|/client/.+|/plans|/plans/[^/]+|/plans/[^/]+/(signature|progress)"),
    "POST": re.compile(r"/plans/[^/]+/(reports|erase)"),
}
"""The paths that pages from elsewhere may ask for, by method."""

ALLOWED = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Expose-Headers": "Retry-After",
}

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
