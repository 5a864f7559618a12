"""Who runs an application over HTTP, within bounds: for a collector, and for its metrics.

A connection is bounded in its head, in the time of each part of a request, and in how many there are. httptools, which
reads requests for uvicorn, bounds none of these, so that a peer could hold a connection and the memory of its head for
ever, and one header of 100 MB keeps all others waiting. Here a head has a length, and a look at all connections now and
then gives up those whose peer keeps the collector waiting. Where there are too many, the one that has waited longest
makes room. All that a connection holds is then a head, what it reads at once, and the end of an answer; of bodies see
`budget`. A body must say its length: what has no end is refused at its head.
"""

import asyncio
import json
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager, suppress
from http import HTTPStatus
from socket import socket
from threading import Thread, current_thread, main_thread
from time import monotonic
from typing import Any, Self

import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.flow_control import FlowControl
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from sordino.errors import SordinoError
from sordino.process import listen_within
from sordino.service.log import log_config

PAUSE = 0.5
"""Seconds between two looks at all connections."""

BACKLOG = 256
"""Connections that wait to be taken."""


try:
    from resource import RLIM_INFINITY, RLIMIT_NOFILE, getrlimit
except ImportError:
    # Windows knows no such limit.
    FILES = -1
else:
    FILES, _ = getrlimit(RLIMIT_NOFILE)
    FILES = -1 if FILES == RLIM_INFINITY else FILES


MOST_CONNECTIONS = 512 if FILES < 0 else min(512, FILES // 2)
"""Largest number of connections at a time: at most half of the files that the process may open."""

MOST_HEAD = 1 << 15
"""Bytes of a head, or of what stands between two requests."""

MOST_PIPELINED = 16
"""Requests that a connection may send before the first is answered."""

HEAD_SECONDS = 10.0
"""Seconds that a head may take, from the start of its connection or from the last answer."""

BODY_SECONDS = 30.0
"""From a head's end until its whole body is there, or what it has at least until then; and so on."""

LEAST_RATE = 1 << 16
"""Bytes of a body a second, on average over each `BODY_SECONDS`: a long one may come by a slow line, and none that has
come for the most part can be held on to."""

ANSWER_SECONDS, RECEIPT_SECONDS = 600.0, 30.0
"""In which the answer to a question must be read, which may be long; and any other answer, as that to an upload."""

MOST_UNREAD = 1 << 15
"""Bytes that wait for a peer to read them when more are written; these are at most one part of an answer."""

LINGER_SECONDS, MOST_DROPPED = 2.0, 1 << 20
"""In which whoever is refused may read why, and bytes that are dropped meanwhile: a connection that is closed before
all that was sent is read takes its last words with it."""

LAST_SECONDS = 30.0
"""That requests have to end when the collector is told to."""

REFUSALS = {
    400: SordinoError("a request must be one of HTTP/1.1", found="bytes that are none", step="send HTTP/1.1"),
    408: SordinoError("a request must come whole in time", found="a part", step="send it again, in smaller uploads"),
    411: SordinoError("a body must have a length", found="a body without one", step="send Content-Length"),
    431: SordinoError(
        f"the head of a request must have at most {MOST_HEAD} bytes", found="a longer one", step="send fewer headers"
    ),
}
"""What is said of a request that no route sees, by the status."""


class BoundedFlow(FlowControl):
    """Reads no more of a connection while whole requests wait for their turn.

    uvicorn reads on whenever a request is answered, so that a peer who reads no answers fills the queue with bodies.

    Args:
        transport: what is read.
        waiting: the requests that wait.
    """

    def __init__(self, transport: asyncio.Transport, waiting: Collection[object]) -> None:
        super().__init__(transport)
        self._waiting = waiting

    def resume_reading(self) -> None:
        """Read on, unless requests wait."""
        if not self._waiting:
            super().resume_reading()


class BoundedProtocol(HttpToolsProtocol):
    """One connection; whoever serves calls `look` now and then.

    Attributes:
        since: when its peer was last given time, by a clock that knows an order within a millisecond.
    """

    def __init__(self, *arguments: Any, **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        # The bytes since the last turn from a head to a body or back; what is wrong with a head.
        self._outside, self._turns, self._in_body, self._wrong = 0, 0, False, HTTPStatus.BAD_REQUEST
        # Bytes of a body since its peer was last given time.
        self._inside = 0
        self._is_refused = False
        # The request that is being answered, or was last; `cycle` is the last one that came.
        self._current: Any = None
        # When its peer was last given time; since when an answer is not read; when all ends.
        self.since, self._unread, self._end = monotonic(), float("inf"), float("inf")

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        """Take a connection, and give up another one where there are too many."""
        super().connection_made(transport)
        transport.set_write_buffer_limits(MOST_UNREAD)
        self.flow = BoundedFlow(transport, self.pipeline)
        if len(self.connections) > MOST_CONNECTIONS:
            held: Iterable[Any] = self.connections
            others = (each for each in held if each is not self and each.is_awaiting_peer)
            min(others, key=lambda each: each.since, default=self).transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget requests that wait, and let the one that is being answered know that nobody hears it.

        uvicorn tells the last one that came, which is another one if several came at once.
        """
        self.pipeline.clear()
        if self._current is not None and not self._current.response_complete:
            self._current.disconnected = True
            self._current.message_event.set()
        super().connection_lost(exc)

    @property
    def is_awaiting_peer(self) -> bool:
        """Whether its peer has something to say or to read."""
        if self.transport.is_closing():
            return False
        return self._in_body or not self._is_answering or self.transport.get_write_buffer_size() > 0

    @property
    def _is_answering(self) -> bool:
        # None before the first request, whatever uvicorn's types say.
        request: Any = self.cycle
        return request is not None and not request.response_complete

    def data_received(self, data: bytes) -> None:
        """Read what comes, a head by at most its bound at once."""
        if self._is_refused:
            self._outside += len(data)
            if self._outside > MOST_DROPPED:
                self.transport.abort()
        while data and not self._is_refused and not self.transport.is_closing():
            # Bytes of a body are counted where they are kept.
            part, data = (data, b"") if self._in_body else (data[:MOST_HEAD], data[MOST_HEAD:])
            turns = self._turns
            self._inside += len(part)
            super().data_received(part)
            self._outside = 0 if self._in_body or turns != self._turns else self._outside + len(part)
            if self._outside > MOST_HEAD:
                self._refuse(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE)

    def on_message_begin(self) -> None:
        """A head begins."""
        if len(self.pipeline) >= MOST_PIPELINED:
            raise ValueError("too many requests at once")
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """A head is whole, and a body begins."""
        for name, _ in self.headers:
            if name == b"transfer-encoding":
                self._wrong = HTTPStatus.LENGTH_REQUIRED
                raise ValueError("a body without a length")
        self._turns, self._in_body, self.since, self._inside = self._turns + 1, True, monotonic(), 0
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        """A body is whole; most are empty."""
        self._turns, self._in_body = self._turns + 1, False
        super().on_message_complete()

    def on_response_complete(self) -> None:
        """A request is answered: the next one has its time from now on."""
        self.since = monotonic()
        super().on_response_complete()

    def _start_asgi_task(self, cycle: Any, app: Any) -> None:
        self._current = cycle
        super()._start_asgi_task(cycle, app)

    def _unsupported_upgrade_warning(self) -> None:
        # Without uvicorn's advice to install something, which is of no use to a collector.
        self.logger.warning("Unsupported upgrade request.")

    def send_400_response(self, msg: str) -> None:
        """Refuse what the parser could not read, or what was wrong with a head."""
        del msg
        self._refuse(self._wrong)

    def shutdown(self) -> None:
        """The collector ends: so does the connection, when its request has had its last time."""
        self._end = monotonic() + LAST_SECONDS
        super().shutdown()

    @property
    def _reading_seconds(self) -> float:
        is_question = self._current is not None and self._current.scope["method"] == "GET"
        return ANSWER_SECONDS if is_question else RECEIPT_SECONDS

    def look(self) -> None:
        """Give the connection up if its peer has kept it waiting for too long."""
        now = monotonic()
        if self.transport.get_write_buffer_size():
            self._unread = min(self._unread, now)
        else:
            self._unread = float("inf")
        if now > self._end or now - self._unread > self._reading_seconds:
            self.transport.abort()
        elif self._is_refused or self.transport.is_closing() or self.pipeline:
            return
        elif self._in_body and now - self.since > BODY_SECONDS:
            if self._inside >= LEAST_RATE * (now - self.since) and not self.cycle.response_started:
                self.since, self._inside = now, 0
                return
            # What has been answered before its body was there has nothing more to hear.
            if self.cycle.response_started:
                self.transport.abort()
            else:
                self._refuse(HTTPStatus.REQUEST_TIMEOUT)
        elif not self._in_body and not self._is_answering and now - self.since > HEAD_SECONDS:
            self._refuse(HTTPStatus.REQUEST_TIMEOUT)

    def _refuse(self, status: HTTPStatus) -> None:
        if self._is_refused or self.transport.is_closing():
            return
        body = json.dumps({**REFUSALS[status].problem(), "status": status}).encode()
        own = (b"content-type", b"application/problem+json"), (b"content-length", b"%d" % len(body))
        headers = [*self.server_state.default_headers, *own, (b"connection", b"close")]
        lines = b"".join(b"%s: %s\r\n" % line for line in headers)
        self.transport.write(STATUS_LINE[status] + lines + b"\r\n" + body)
        if self._is_answering:
            self.transport.close()
        else:
            self.transport.write_eof()
            self._is_refused, self._end = True, min(self._end, monotonic() + LINGER_SECONDS)


class BoundedServer(uvicorn.Server):
    """Serves an application over connections with bounds.

    Args:
        application: what it serves.
        settings: of uvicorn.
    """

    def __init__(self, application: ASGIApp, **settings: Any) -> None:
        config = uvicorn.Config(
            application,
            **{"log_level": "warning", **settings},
            log_config=log_config(),
            http=BoundedProtocol,
            ws="none",
            access_log=False,
            server_header=False,
            # Addresses that a proxy may tell are not read.
            proxy_headers=False,
            # On every answer, whoever gives it.
            headers=[("X-Content-Type-Options", "nosniff")],
            backlog=BACKLOG,
            # Connections end by themselves before that.
            timeout_graceful_shutdown=int(LAST_SECONDS) + 10,
        )
        super().__init__(config)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Hear signals while it serves, but for those that this process was told to ignore."""
        if current_thread() is not main_thread():
            yield
            return
        with listen_within(self.handle_exit):
            yield

    async def serve(self, sockets: list[socket] | None = None) -> None:
        """Serve until told to end, and look at all connections meanwhile."""
        looking = asyncio.create_task(self._look())
        try:
            await super().serve(sockets)
        finally:
            looking.cancel()
            with suppress(asyncio.CancelledError):
                await looking

    async def _look(self) -> None:
        while True:
            await asyncio.sleep(PAUSE)
            for connection in list(self.server_state.connections):
                if isinstance(connection, BoundedProtocol):
                    connection.look()


class BackgroundServer:
    """Serves an application on a thread, from when the block begins until it ends."""

    def __init__(self, application: ASGIApp, listener: socket, name: str) -> None:
        self._server = BoundedServer(application, lifespan="off")
        self._thread = Thread(target=self._server.run, args=([listener],), name=name, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.should_exit = True
        # A peer that reads nothing keeps no collector from its end: the thread is a daemon.
        self._thread.join(2 * LAST_SECONDS)
