"""Uploads over HTTP against the bare store: rows with unique random ids, committed, in the same batches, in one run."""

import asyncio
import os
import secrets
import socket
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from pairs import ROUNDS
from sordino.service.uploads import PACKED, code_bytes
from sordino.survey.planning.plan import Plan
from sordino.survey.reading.schema import Survey

TITLE = "Collecting"
HEADER = ("reports in an upload", "connections", "bare store, reports/s", "collector, reports/s", "ratio", "asked")
NOTE = (
    "Uploads of packed reports to `sordino serve` on this machine, acknowledged after a commit that is on disk, "
    "against rows with the same kind of ids in a bare SQLite table (write-ahead log, synchronous = FULL, the ids its "
    "primary key): as many rows in a commit as reports in an upload, or as connections for single reports. The client "
    "shares the machine."
)
SERVE = [sys.executable, "-c", "from sordino.cli.start import main; main()", "serve"]
CASES = ((1000, 8, 300_000), (1, 64, 20_000))


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


async def send(port: int, head: bytes, batch: int, uploads: int) -> None:
    """One connection, an upload after the other."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    for _ in range(uploads):
        body = b"".join(os.urandom(16) + b"\1" for _ in range(batch))
        writer.write(head + body)
        answer = await reader.readuntil(b"\r\n\r\n")
        length = next(int(line[15:]) for line in answer.lower().split(b"\r\n") if line.startswith(b"content-length:"))
        if not answer.startswith(b"HTTP/1.1 200") or b'"failed":[]' not in await reader.readexactly(length):
            raise SystemExit(answer.decode())
    writer.close()


def collected(folder: Path, plan: Plan, batch: int, connections: int, reports: int) -> float:
    """Reports a second, from the first to the last answer."""
    store = folder / f"served-{secrets.token_hex(4)}.sqlite"
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    words = [*SERVE, str(folder / "plan.json"), "--store", str(store), "--port", str(port)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        try:
            while "/plans/" not in process.stdout.readline():
                pass
            size = batch * (16 + code_bytes(plan))
            head = f"POST /plans/{plan.hash}/reports HTTP/1.1\r\nHost: here\r\nContent-Type: {PACKED}; version=1\r\n"
            head += f"Content-Length: {size}\r\n\r\n"

            async def all_of_them() -> None:
                each = reports // batch // connections
                await asyncio.gather(*(send(port, head.encode(), batch, each) for _ in range(connections)))

            begun = time.perf_counter()
            asyncio.run(all_of_them())
            return reports // batch // connections * connections * batch / (time.perf_counter() - begun)
        finally:
            process.terminate()


def rows() -> Iterator[tuple[str, ...]]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        plan = made_plan(folder)
        for batch, connections, reports in CASES:
            pairs = []
            for _ in range(ROUNDS):
                store = bare(folder, batch if batch > 1 else connections, reports)
                pairs.append((store, collected(folder, plan, batch, connections, reports)))
            ratios = [over / under for under, over in pairs]
            speeds = [f"{statistics.median(column):,.0f}" for column in zip(*pairs, strict=True)]
            ratio = f"{statistics.median(ratios):.2f} ({min(ratios):.2f}-{max(ratios):.2f})"
            yield f"{batch:,}", str(connections), *speeds, ratio, "0.70"
