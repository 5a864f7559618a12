"""What Spark costs by the number of people, beside DuckDB on the same machine; writes the table of docs/scale.md.

make bench-spark MILLIONS="1 10"
"""

import json
import os
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from importlib import metadata
from pathlib import Path
from typing import NamedTuple

import duckdb
import numpy as np
import psutil
from pyarrow import parquet
from pyspark.sql import SparkSession

from sordino import KeyedSource, Plan, Survey, aggregate, privatize
from sordino.tables.spark.session import ALONE, LIGHT, QUIET

ROOT = Path(__file__).parents[1]
REPORT = ROOT / "docs" / "scale.md"
BEGIN, END = "<!-- measured: make bench-spark -->", "<!-- end -->"

K = 43_750
SURVEY = {
    "version": 1,
    "epsilon": "1",
    "attribute": {"cell": {"categories": K, "protect": {"blocks": 25}}},
    "ask": [{"histogram": "cell"}],
}
KEY = KeyedSource(bytes(range(32)), "benchmark")
FILES = 8
"""Of which a folder of people consists."""

HEADER = (
    "million rows",
    "engine",
    "privatize, s",
    "processor s per million",
    "aggregate, s",
    "processor s per million",
    "both, of DuckDB's time",
    "MB read",
    "MB shuffled",
    "MB written",
)
SHUFFLED = "Shuffle Write Metrics", "Shuffle Bytes Written"


class Cost(NamedTuple):
    """Of one step: seconds on the clock, and of all processors together."""

    wall: float
    processor: float


def spent(engine: str) -> float:
    """Processor seconds of this process, and with Spark of all that it has started."""
    me = psutil.Process()
    if engine == "duckdb":
        # Meanwhile Spark's idle processes end, and nobody counts their seconds any more.
        return sum(me.cpu_times()[:2])
    return sum(sum(process.cpu_times()[:4]) for process in [me, *me.children(recursive=True)])


def cost(engine: str, step: Callable[[], object]) -> Cost:
    start, before = time.perf_counter(), spent(engine)
    step()
    return Cost(time.perf_counter() - start, spent(engine) - before)


def make_people(folder: Path, millions: int) -> Path:
    """A folder of people: whole ids, each once, in no order, and a cell of a map."""
    people = folder / "people"
    people.mkdir()
    rows = millions * 1_000_000
    each = rows // FILES
    for file in range(FILES):
        ids = f"(range + {file * each}) * 7919 % 1000000007 AS id"
        cells = f"CAST(floor(random() * {K}) AS INTEGER) AS cell"
        duckdb.execute(f"COPY (SELECT {ids}, {cells} FROM range({each})) TO '{people}/{file}.parquet'")
    duckdb.execute(f"COPY (FROM '{people}/*.parquet') TO '{folder}/people.parquet'")
    return people


def stored(path: Path, columns: list[str]) -> int:
    """Bytes of some columns of a Parquet file, or of all files of a folder."""
    files = [parquet.read_metadata(file) for file in ([path] if path.is_file() else path.glob("*.parquet"))]
    groups = [file.row_group(group) for file in files for group in range(file.num_row_groups)]
    chunks = [group.column(place) for group in groups for place in range(group.num_columns)]
    return sum(chunk.total_compressed_size for chunk in chunks if chunk.path_in_schema in columns)


def bytes_shuffled(log: Path, first: int) -> tuple[int, int]:
    """What the tasks in Spark's own log have shuffled since a place, and its end."""
    (file,) = [path for path in log.iterdir() if path.name.startswith("app-")]
    moved, (group, metric) = 0, SHUFFLED
    with file.open("rb") as events:
        events.seek(first)
        for line in events:
            event = json.loads(line)
            if event["Event"] == "SparkListenerTaskEnd":
                moved += event.get("Task Metrics", {}).get(group, {}).get(metric, 0)
        return moved, events.tell()


def session(log: Path) -> SparkSession:
    settings = {
        **ALONE,
        **LIGHT,
        **QUIET,
        "spark.executor.extraJavaOptions": LIGHT["spark.driver.extraJavaOptions"],
        "spark.sql.shuffle.partitions": "8",
        "spark.eventLog.enabled": "true",
        "spark.eventLog.dir": f"file://{log}",
        "spark.eventLog.rolling.enabled": "false",
        "spark.eventLog.compress": "false",
    }
    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master("local-cluster[2,1,1024]")
    for name, value in settings.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


def measure(plan: Plan, millions: int, log: Path, place: int) -> tuple[list[list[str]], int]:
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        people = make_people(folder, millions)
        tallies, seconds = {}, {}
        for engine, table, reports in (
            ("spark", people, folder / "reports"),
            ("duckdb", folder / "people.parquet", folder / "reports.parquet"),
        ):
            released = cost(engine, partial(privatize, plan, table, KEY, id_column="id", output=reports, engine=engine))
            counted = cost(engine, lambda o=reports, e=engine: tallies.update({e: aggregate(plan, o, engine=e)}))
            shuffled, place = bytes_shuffled(log, place)
            seconds[engine] = released.wall + counted.wall, released.processor + counted.processor
            # Ids are read to be compared, and again for the reports.
            read = stored(table, ["id"]) + stored(table, ["id", "cell"]) + stored(reports, ["plan", "code"])
            row = [str(millions), engine]
            for one in (released, counted):
                row += [f"{one.wall:.1f}", f"{one.processor / millions:.2f}"]
            moved = [f"{count / 1e6:,.1f}" for count in (read, shuffled, stored(reports, ["plan", "code"]))]
            rows.append([*row, "", *moved])
        (clock, processor), (own_clock, own_processor) = seconds["spark"], seconds["duckdb"]
        rows[0][6] = f"{clock / own_clock:.1f} on the clock, {processor / own_processor:.1f} of processors"
        for row in rows:
            print("|", " | ".join(row), "|", flush=True)
        if not np.array_equal(tallies["spark"].counts, tallies["duckdb"].counts):
            raise SystemExit("the tallies differ")
    return rows, place


def main(sizes: list[int]) -> None:
    plan = Plan.of(Survey.read(SURVEY), 1_000_000)
    with tempfile.TemporaryDirectory() as name:
        log = Path(name)
        spark = session(log)
        # What is loaded once, by Java and by Python, is loaded here.
        warm = spark.range(100_000).selectExpr("id", f"CAST(id % {K} AS INT) AS cell")
        aggregate(plan, privatize(plan, warm, KEY, id_column="id"))
        _, place = bytes_shuffled(log, 0)
        rows = []
        for millions in sizes:
            more, place = measure(plan, millions, log, place)
            rows += more
        spark.stop()
    table = [f"| {' | '.join(HEADER)} |", "|---" * len(HEADER) + "|", *(f"| {' | '.join(row)} |" for row in rows)]
    note = (
        f"Sordino {metadata.version('sordino')}, PySpark {metadata.version('pyspark')}, two executors of one core on a "
        f"machine of {os.cpu_count()} cores, load {os.getloadavg()[1]:.1f} at the end."
    )
    text = REPORT.read_text(encoding="utf-8")
    before, rest = text.split(BEGIN)
    _, after = rest.split(END)
    lines = [BEGIN, note, "", *table, END]
    REPORT.write_text(before + "\n".join(lines) + after, encoding="utf-8")


if __name__ == "__main__":
    main([int(size) for size in sys.argv[1:]] or [1, 10])
