"""The memory of a collector while it takes millions of reports: what it holds must not grow with what it has taken."""

import os
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import psutil

from collecting import asked, collector, head_of, made_plan, serving

TITLE = "A collector's memory"
HEADER = ("reports taken", "MiB resident", "reports/s of the last step", "MiB of the store")
NOTE = (
    "`sordino serve` on this machine while 8 connections upload packed reports, 5,000 together: what its process holds "
    "after each million, and the store on the disk. What grows at first is SQLite's cache, of 64 MiB at most. "
    "`REPORTS=...` takes another number of millions."
)
MILLIONS = int(os.environ.get("REPORTS", "5"))
MILLION, BATCH, CONNECTIONS = 10**6, 5_000, 8


def rows() -> Iterator[tuple[str, ...]]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        head = head_of(made_plan(folder), BATCH)
        with serving(collector(folder)) as (number, port):
            process, taken = psutil.Process(number), 0
            for reports in (BATCH * CONNECTIONS, *([MILLION] * MILLIONS)):
                begun = time.perf_counter()
                asked(port, head, BATCH, CONNECTIONS, reports // BATCH)
                seconds, taken = time.perf_counter() - begun, taken + reports
                store = sum(path.stat().st_size for path in folder.glob("served-*"))
                held = process.memory_info().rss
                yield f"{taken:,}", f"{held / 2**20:,.0f}", f"{reports / seconds:,.0f}", f"{store / 2**20:,.0f}"
