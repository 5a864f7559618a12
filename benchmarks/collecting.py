"""Uploads over HTTP against the bare store: rows with unique random ids, committed, in the same batches, in one run."""

import os
import re
import secrets
import selectors
import socket
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pairs import ROUNDS
from sordino import Plan, Survey
from sordino.service.uploads import PACKED, code_bytes

TITLE = "Collecting"
HEADER = ("reports in an upload", "connections", "beside", "reports/s there", "collector, reports/s", "ratio", "asked")
NOTE = (
    "Uploads of packed reports to `sordino serve` on this machine, acknowledged after a commit that is on disk. Beside "
    "it rows with the same kind of ids in a bare SQLite table (write-ahead log, synchronous = FULL, the ids its "
    "primary key), so many in a commit. A single report's row is committed by itself, as by a store that acknowledges "
    "each before the next. A commit of 64 rows no single sender can ask for; the collector makes one for 64 who wait. "
    "What requests cost without any store says the last line: the same server, whose handler reads the body and "
    "answers. The client shares the machine."
)
SERVE = "from sordino.cli.start import main; main()"
CASES = (
    # Reports in an upload, connections, all reports, rows in a commit of the bare store, what is asked.
    (1000, 8, 300_000, 1000, "0.70"),
    (1, 1, 4_000, 1, "0.70"),
    (1, 64, 20_000, 1, "0.70"),
    (1, 64, 20_000, 64, ""),
    (1, 64, 20_000, None, ""),
)
EMPTY = """
import socket, sys, uvicorn
from starlette.responses import JSONResponse
async def application(scope, receive, send):
    while (await receive()).get("more_body"):
        pass
    await JSONResponse({"accepted": 1, "repeated": 0, "failures": 0, "failed": []})(scope, receive, send)
listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
listener.bind(("127.0.0.1", 0))
listener.listen()
print(f"http://127.0.0.1:{listener.getsockname()[1]}/plans/{sys.argv[1]}", flush=True)
config = uvicorn.Config(application, lifespan="off", log_level="warning", access_log=False, proxy_headers=False)
uvicorn.Server(config).run([listener])
"""


def made_plan(folder: Path) -> Plan:
    tables = {"version": 1, "epsilon": "1", "attribute": {"x": {"categories": 4}}, "ask": [{"histogram": "x"}]}
    plan = Plan.of(Survey.read(tables), 1000)
    plan.save(folder / "plan.json")
    return plan


def bare(folder: Path, batch: int, reports: int) -> float:
    """Rows a second."""
    connection = sqlite3.connect(folder / f"bare-{secrets.token_hex(4)}.sqlite", isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("CREATE TABLE report (id BLOB PRIMARY KEY, code INTEGER NOT NULL) WITHOUT ROWID")
    begun = time.perf_counter()
    for _ in range(reports // batch):
        connection.execute("BEGIN")
        connection.executemany("INSERT INTO report VALUES (?, 1)", [(os.urandom(16),) for _ in range(batch)])
        connection.execute("COMMIT")
    seconds = time.perf_counter() - begun
    connection.close()
    return reports / seconds


def asked(port: int, head: bytes, batch: int, connections: int, uploads: int) -> float:
    """Seconds until all uploads are acknowledged, an upload after the other on each connection."""
    left, waiting, told = uploads, selectors.DefaultSelector(), dict.fromkeys(range(connections), b"")

    def send(connection: socket.socket, number: int) -> None:
        nonlocal left
        if not left:
            waiting.unregister(connection)
            connection.close()
            return
        left -= 1
        told[number] = b""
        connection.sendall(head + b"".join(os.urandom(16) + b"\1" for _ in range(batch)))

    begun = time.perf_counter()
    for number in told:
        connection = socket.create_connection(("127.0.0.1", port))
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        waiting.register(connection, selectors.EVENT_READ, number)
        send(connection, number)
    while waiting.get_map():
        for key, _ in waiting.select():
            told[key.data] += key.fileobj.recv(1 << 16)
            answer, _, body = told[key.data].partition(b"\r\n\r\n")
            length = re.search(rb"content-length: (\d+)", answer, re.IGNORECASE)
            if length is None or len(body) < int(length[1]):
                continue
            if not answer.startswith(b"HTTP/1.1 200") or b'"failed":[]' not in body:
                raise SystemExit(told[key.data].decode())
            send(key.fileobj, key.data)
    return time.perf_counter() - begun


@contextmanager
def serving(words: list[str]) -> Iterator[tuple[int, int]]:
    """A server in a process of its own: its number, and its port."""
    with subprocess.Popen([sys.executable, "-c", *words], stdout=subprocess.PIPE, text=True) as process:
        try:
            while not (found := re.search(r":(\d+)/plans/", process.stdout.readline())):
                pass
            yield process.pid, int(found[1])
        finally:
            process.terminate()


def collector(folder: Path) -> list[str]:
    """The words that start one with a new store."""
    store = folder / f"served-{secrets.token_hex(4)}.sqlite"
    return [SERVE, "serve", str(folder / "plan.json"), "--store", str(store), "--port", "0"]


def head_of(plan: Plan, batch: int) -> bytes:
    """What stands above each upload."""
    head = f"POST /plans/{plan.hash}/reports HTTP/1.1\r\nHost: here\r\nContent-Type: {PACKED}; version=1\r\n"
    return f"{head}Content-Length: {batch * (16 + code_bytes(plan))}\r\n\r\n".encode()


def served(words: list[str], plan: Plan, batch: int, connections: int, reports: int) -> float:
    """Reports a second, from the first to the last answer."""
    with serving(words) as (_, port):
        return reports / asked(port, head_of(plan, batch), batch, connections, reports // batch)


def rows() -> Iterator[tuple[str, ...]]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        plan = made_plan(folder)
        for batch, connections, reports, committed, wanted in CASES:
            pairs = []
            for _ in range(ROUNDS):
                if committed is None:
                    beside = served([EMPTY, plan.hash], plan, batch, connections, reports)
                else:
                    beside = bare(folder, committed, reports)
                pairs.append((beside, served(collector(folder), plan, batch, connections, reports)))
            ratios = [over / under for under, over in pairs]
            speeds = [f"{statistics.median(column):,.0f}" for column in zip(*pairs, strict=True)]
            ratio = f"{statistics.median(ratios):.2f} ({min(ratios):.2f}-{max(ratios):.2f})"
            what = "an empty handler" if committed is None else f"rows, {committed:,} in a commit"
            yield f"{batch:,}", str(connections), what, *speeds, ratio, wanted
