"""20,000 uploads that are none, without a network between: none fails the collector or leaves anything."""

import asyncio
import json
import random

import psutil
import pytest

from reports_sent import BINARY, JSON, ids_from
from sordino.service.collector import Collector
from sordino.service.storage.store import ReportStore

MEDIA = (
    BINARY,
    JSON,
    "",
    "text/plain",
    "application/vnd.sordino-reports; version=9",
    "multipart/form-data; boundary=x",
)


def bodies(draw):
    """Bytes of records that are cut or whose code the plan cannot send; JSON with one byte taken, changed or put in."""
    size = draw.randrange(0, 6)
    rows = b"".join(draw.randbytes(16) + bytes([draw.randrange(4, 256)]) for _ in range(size))
    whole = json.dumps({"reports": [{"id": draw.randbytes(16).hex(), "code": "99"} for _ in range(size)]}).encode()
    at = draw.randrange(len(whole))
    return draw.choice(
        (
            rows,
            rows[: draw.randrange(len(rows) + 1)] + b"\xff" * draw.randrange(17),
            draw.randbytes(draw.randrange(17)) + b"\xff",
            whole[:at] + draw.randbytes(1) + whole[at + 1 :],
            whole[:at] + whole[at + 1 :],
            whole[:at] + draw.randbytes(1) + whole[at:],
            b"[" * draw.randrange(3000),
        )
    )


async def post(application, path, media, body):
    """The status and the body of an answer; the body comes in two parts."""
    parts = [body[:7], body[7:]]
    said = []

    async def receive():
        return {"type": "http.request", "body": parts.pop(0), "more_body": bool(parts)}

    async def send(message):
        said.append(message)

    scope = {
        "type": "http",
        "http_version": "1.1",
        "method": "POST",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "headers": [(b"content-type", media.encode())],
    }
    await application(scope, receive, send)
    return said[0]["status"], b"".join(message.get("body", b"") for message in said)


@pytest.mark.long
def test_20000_uploads_that_are_none_leave_nothing(tmp_path, plan):
    draw = random.Random(11)
    store = ReportStore.open(tmp_path / "reports.sqlite", plan)
    collector = Collector(store)
    path, seen = f"/plans/{plan.hash}/reports", {}

    async def fuzz():
        application = collector.application
        async with collector._state.run(application):
            status, _ = await post(application, path, BINARY, ids_from(0, 1) + b"\1")
            assert status == 200
            for number in range(20_000):
                if number == 4000:
                    memory = psutil.Process().memory_info().rss
                status, body = await post(application, path, draw.choice(MEDIA[:2] * 4 + MEDIA), bodies(draw))
                seen[status] = seen.get(status, 0) + 1
                if status == 200:
                    assert json.loads(body)["accepted"] == 0
            assert psutil.Process().memory_info().rss - memory < 32 << 20

    asyncio.run(fuzz())
    assert set(seen) == {200, 400, 415}
    assert min(seen.values()) > 500
    again = ReportStore.open(tmp_path / "reports.sqlite", plan)
    assert again._database.rows("SELECT id, code FROM report") == [(ids_from(0, 1), 1)]
    again.close()
