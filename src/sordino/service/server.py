"""Who runs an application over HTTP, within bounds: for a collector, and for its metrics."""

import asyncio
import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from copy import deepcopy
from socket import socket
from threading import Thread, current_thread, main_thread
from typing import Any, Self

import uvicorn
from starlette.types import ASGIApp
from uvicorn.config import LOGGING_CONFIG

from sordino.process.stops import listen_within
from sordino.service.connection import LAST_SECONDS, BoundedProtocol
from sordino.service.log import LOGGER, JsonLines

PAUSE = 0.5
"""Seconds between two looks at all connections."""

BACKLOG = 256
"""Connections that wait to be taken."""

AGAIN = 60.0
"""Seconds in which a warning or an error is not repeated."""


class SeldomRecords(logging.Filter):
    """Shows each warning and each error once in a while: whoever can cause one would fill a disk with it.

    Errors are the same if their exceptions have one type and were raised at one line.
    """

    def __init__(self) -> None:
        super().__init__()
        self._last: dict[tuple[object, ...], float] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether a record is shown."""
        if record.levelno not in (logging.WARNING, logging.ERROR):
            return True
        now, sort = time.monotonic(), (str(record.msg), *_raised_at(record))
        shown = now - self._last.get(sort, -AGAIN) >= AGAIN
        if shown:
            self._last[sort] = now
        return shown


def _raised_at(record: logging.LogRecord) -> tuple[object, ...]:
    """The type of a record's exception, and the line that raised it; nothing if it has none."""
    kind, _, trace = record.exc_info or (None, None, None)
    if trace is None:
        return (kind,)
    while trace.tb_next is not None:
        trace = trace.tb_next
    return kind, trace.tb_frame.f_code.co_filename, trace.tb_lineno


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
            log_config=_log_config(),
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


def _log_config() -> dict[str, Any]:
    config: dict[str, Any] = deepcopy(LOGGING_CONFIG)
    config["formatters"]["default"] = {"()": JsonLines}
    config["loggers"][LOGGER.name] = {"handlers": ["default"], "level": "INFO", "propagate": False}
    config["filters"] = {"seldom": {"()": SeldomRecords}}
    config["handlers"]["default"]["filters"] = ["seldom"]
    return config
