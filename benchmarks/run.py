"""All figures against peers, as ratios in one run, in turn (ours, theirs, ours, ...); writes docs/benchmarks.md.

Ratios of times measured next to each other hold when the machine's speed drifts; single seconds do not.
"""

import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import perf_counter

import duckdb
import numpy as np

from sordino import (
    LDP,
    BlockLDP,
    Blockwise,
    Grid,
    HadamardResponse,
    Partition,
    RandomizedResponse,
    SystemSource,
    certify,
    estimate,
)
from sordino.engine.reports import privatize_table, tally_people, tally_table
from sordino.survey.plan import Plan
from sordino.survey.schema import Survey

ROOT = Path(__file__).parent.parent
PEERS = ROOT / ".venv-peers" / "bin" / "python"
ROUNDS = 5
VALUES = 2_000_000
ROWS = 10_000_000
WORDS = 1 << 15
US = Grid(25, 50, -130, -60, 125, 350)

SURVEY = {
    "version": 1,
    "epsilon": "1",
    "attribute": {"cell": {"categories": US.k, "protect": {"blocks": 25}}},
    "ask": [{"histogram": "cell"}],
}


def seconds(work: Callable[[], object]) -> float:
    start = perf_counter()
    work()
    return perf_counter() - start


def spread(ratios: list[float]) -> str:
    return f"{median(ratios):.3g} ({min(ratios):.3g} to {max(ratios):.3g})"


def against_pure_ldp(k: int) -> list[float]:
    mechanism = HadamardResponse(k, "1")
    values = np.random.default_rng(0).integers(0, k, VALUES)
    ratios = []
    for _ in range(ROUNDS):
        ours = seconds(lambda: mechanism.privatize(values)) / VALUES
        command = [str(PEERS), str(ROOT / "benchmarks" / "peer_hadamard.py"), str(k), "20000"]
        theirs = float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
        ratios.append(theirs / ours)
    return ratios


def against_words(mechanism: HadamardResponse | RandomizedResponse | Blockwise) -> list[float]:
    values = np.random.default_rng(0).integers(0, mechanism.k, VALUES)
    source = SystemSource()
    ratios = []
    for _ in range(ROUNDS):
        ours = seconds(lambda: mechanism.privatize(values, source))
        words = seconds(lambda: [source.words(WORDS) for _ in range(0, 2 * VALUES, WORDS)])
        ratios.append(ours / words)
    return ratios


def against_duckdb(folder: Path) -> dict[str, list[float]]:
    plan = Plan.of(Survey.read(SURVEY), ROWS)
    data = folder / "people.csv"
    duckdb.sql(
        f"COPY (SELECT CAST(floor(random() * {US.k}) AS INTEGER) AS cell FROM range({ROWS})) TO '{data}' (HEADER)"
    )

    def baseline() -> None:
        duckdb.sql(f"SELECT cell, count(*) FROM read_csv('{data}') GROUP BY cell").fetchall()

    def in_memory() -> None:
        estimate(plan.query.mechanism, tally_people(plan, data))

    def through(ending: str) -> Callable[[], None]:
        def work() -> None:
            reports = folder / f"reports{ending}"
            reports.unlink(missing_ok=True)
            privatize_table(plan, data, reports)
            estimate(plan.query.mechanism, tally_table(plan, [reports]))

        return work

    ways = {
        "reports tallied as they are made": in_memory,
        "reports written to Parquet and read again": through(".parquet"),
        "reports written to CSV and read again": through(".csv"),
    }
    baseline()
    ratios: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(ROUNDS):
        for name, work in ways.items():
            base = seconds(baseline)
            ratios[name].append(seconds(work) / base)
    return ratios


def peak_memory(folder: Path) -> float:
    """GiB that the command line needs for 10 million rows, privatize then estimate."""
    plan = folder / "plan.json"
    Plan.of(Survey.read(SURVEY), ROWS).save(plan)
    command = Path(sys.executable).with_name("sordino")
    reports = folder / "again.parquet"
    for arguments in (["privatize", plan, folder / "people.csv", "-o", reports], ["estimate", plan, reports, "--json"]):
        subprocess.run([command, *arguments], check=True, stdout=subprocess.DEVNULL)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 2**20


def main() -> None:
    blocks = Partition.of(US.tiles(5, 5))
    lines = [
        "# Benchmarks",
        "",
        f"Written by `make bench`: medians (and ranges) of {ROUNDS} ratios, each of two times measured one after the",
        f"other in one run on {os.cpu_count()} cores. Trust ratios, not seconds.",
        "",
        "| what | ratio |",
        "|---|---|",
    ]

    def line(what: str, value: str) -> None:
        lines.append(f"| {what} | {value} |")
        print(f"{what}: {value}", flush=True)

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for what, ratios in against_duckdb(folder).items():
            title = f"10 million CSV rows (numbers) from file to estimate, {what}: times DuckDB's read and group by"
            line(title, spread(ratios))
        line("10 million CSV rows, privatize and estimate by the command line: peak GiB", f"{peak_memory(folder):.2f}")
    for k in (1024, US.k):
        line(f"Hadamard response, k = {k:,}: pure-ldp 1.2.0's time over ours", spread(against_pure_ldp(k)))
    for title, mechanism in (
        ("Hadamard response, k = 1,024", HadamardResponse(1024, "1")),
        (f"Hadamard response, k = {US.k:,}", HadamardResponse(US.k, "1")),
        ("randomized response, k = 1,024", RandomizedResponse(1024, "1")),
        (f"blockwise, k = {US.k:,}, blocks of 25", Blockwise(blocks, "1")),
    ):
        line(f"{title}: privatize, times its two random words a value", spread(against_words(mechanism)))
    for title, work in (
        (f"Hadamard response, k = {US.k:,}", lambda: certify(HadamardResponse(US.k, "1"), LDP("1"))),
        (f"blockwise, k = {US.k:,}, blocks of 25", lambda: certify(Blockwise(blocks, "1"), BlockLDP("1", blocks))),
    ):
        line(f"{title}: exact certificate, seconds", spread([seconds(work) for _ in range(ROUNDS)]))
    target = ROOT / "docs" / "benchmarks.md"
    target.write_text("\n".join([*lines, ""]), encoding="utf-8")
    print(f"{target.relative_to(ROOT)}: written")


if __name__ == "__main__":
    main()
