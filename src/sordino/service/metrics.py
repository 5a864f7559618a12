"""What whoever runs a collector watches: OpenMetrics and health, at a port of their own. Counts only, of nobody.

No metric names a report, a sender or an address; with a handful of senders even counts tell when somebody sent, so the
port is for the machine's own network.
"""

import asyncio
from collections.abc import Iterable
from functools import partial
from socket import socket
from time import perf_counter

from fastapi import Request, Response
from fastapi.responses import JSONResponse
from starlette.applications import Starlette
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sordino.service.readiness import PROBE_SECONDS, Health
from sordino.service.server import BackgroundServer
from sordino.service.storage.collection import Collection
from sordino.service.storage.uploaded_reports import Receipt
from sordino.service.writer import UploadWriter

ANSWER_SECONDS = 2 * PROBE_SECONDS
"""Seconds in which the collector's loop must answer."""

NOT_READY = {"status": "not ready", "checks": {}}
"""Before the store is open, and while the collector ends."""


class Metrics:
    """Counters of one collector."""

    def __init__(self) -> None:
        from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector

        self.registry = CollectorRegistry()
        self._reports = Counter(
            "sordino_reports", "Reports that came, by what became of them", ["outcome"], registry=self.registry
        )
        self._answers = Counter("sordino_answers", "Answers, by their status", ["status"], registry=self.registry)
        self._seconds = Histogram(
            "sordino_answer_seconds", "Seconds until an answer", ["method"], registry=self.registry
        )
        self._waiting = Gauge("sordino_waiting", "Uploads and questions that wait", registry=self.registry)
        self._writer: UploadWriter | None = None
        self._health: Health | None = None
        self._waiting.set_function(self._count_waiting)
        ProcessCollector(registry=self.registry)
        self._trouble = Gauge("sordino_store_trouble", "Whether the store refused last", registry=self.registry)
        self._trouble.set_function(lambda: float(self._writer is not None and self._writer.trouble is not None))
        self._plans = Gauge(
            "sordino_plan_reports", "Reports of a plan that are counted", ["plan"], registry=self.registry
        )
        self._closed = Gauge("sordino_plan_closed", "Whether a plan takes no more", ["plan"], registry=self.registry)

    def watch(self, writer: UploadWriter, health: Health, collections: Iterable[Collection]) -> None:
        """Show how much waits for a writer, the health of the collector, and how far its collections are."""
        self._writer, self._health = writer, health
        for collection in collections:
            plan = collection.plan.hash
            self._plans.labels(plan).set_function(partial(_reports_of, collection))
            self._closed.labels(plan).set_function(partial(_is_closed, collection))

    def stop_watching(self) -> None:
        """Ask a writer no more, whose loop is about to end; what was counted last stays."""
        self._writer, self._health = None, None

    def _count_waiting(self) -> float:
        return 0 if self._writer is None else self._writer.queue_length

    def count_receipt(self, receipt: Receipt) -> None:
        """Count the reports of an upload."""
        for outcome, number in (
            ("accepted", receipt.accepted),
            ("repeated", receipt.repeated),
            ("failed" if receipt.invited else "uninvited", receipt.failures),
        ):
            self._reports.labels(outcome).inc(number)

    def count_answers(self, application: ASGIApp) -> ASGIApp:
        """An application whose answers are counted; of methods that are none of HTTP's, all as one."""

        async def count_answer(scope: Scope, receive: Receive, send: Send) -> None:
            if scope["type"] != "http":
                await application(scope, receive, send)
                return
            begun, method = perf_counter(), scope["method"] if scope["method"] in ("GET", "POST") else "other"

            async def send_counted(message: Message) -> None:
                if message["type"] == "http.response.start":
                    self._seconds.labels(method).observe(perf_counter() - begun)
                    self._answers.labels(message["status"]).inc()
                await send(message)

            await application(scope, receive, send_counted)

        return count_answer

    @property
    def application(self) -> Starlette:
        """What the port of their own serves: `/livez`, `/readyz` and `/metrics`."""
        paths = {"/livez": self._livez, "/readyz": self._readyz, "/metrics": self._exposition}
        return Starlette(routes=[Route(path, answer) for path, answer in paths.items()])

    async def _livez(self, _: Request) -> Response:
        # One that waits for another collector's end lives, too.
        works = self._health is None or self._health.is_alive
        return JSONResponse({"status": "alive" if works else "not writing"}, 200 if works else 503)

    async def _readyz(self, _: Request) -> Response:
        if self._health is None or self._writer is None:
            return JSONResponse(NOT_READY, 503)
        # The store is asked on the collector's own loop, which may be ending.
        asking, loop = self._health.readiness(), self._writer.loop
        if loop.is_closed():
            asking.close()
            return JSONResponse(NOT_READY, 503)
        try:
            asked = asyncio.wrap_future(asyncio.run_coroutine_threadsafe(asking, loop))
            found = await asyncio.wait_for(asked, ANSWER_SECONDS)
        except TimeoutError:
            return JSONResponse(NOT_READY, 503)
        return JSONResponse({**found.word, "checks": dict(found.checks)}, found.status)

    async def _exposition(self, request: Request) -> Response:
        from prometheus_client.exposition import choose_encoder

        encode, media = choose_encoder(request.headers.get("accept", ""))
        return Response(encode(self.registry), media_type=media)


def _reports_of(collection: Collection) -> float:
    return collection.last_known[0]


def _is_closed(collection: Collection) -> float:
    return collection.last_known[1]


class MetricsServer(BackgroundServer):
    """Serves metrics on a thread, from when the block begins until it ends."""

    def __init__(self, metrics: Metrics, listener: socket) -> None:
        super().__init__(metrics.application, listener, "metrics")
