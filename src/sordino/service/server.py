"""Who runs an application over HTTP, within bounds: for a collector, and for its metrics."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from socket import socket
from threading import Thread, current_thread, main_thread
from typing import Any, Self

import uvicorn
from starlette.types import ASGIApp

from sordino.process.stops import listen_within
from sordino.service.connection import LAST_SECONDS, BoundedProtocol
from sordino.service.log import log_config

PAUSE = 0.5
"""Seconds between two looks at all connections."""

BACKLOG = 256
"""Connections that wait to be taken."""


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
