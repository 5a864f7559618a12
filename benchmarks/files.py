"""From a table on disk to an estimate, against DuckDB's read and group by of the same table."""

import secrets
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import duckdb

from pairs import RATIOS, peak_gib, processor_seconds, ratios, seconds, spread
from sordino import KeyedSource, Plan, Survey, estimate
from sordino.tables.release import Release
from sordino.tables.reports import privatize_table, tally_people, tally_table

TITLE = "From file to estimate"
NOTE = (
    "10 million rows, one whole number each (a cell of 43,750 in blocks of 25): the table is read once, every value is "
    "checked, reports carry the plan's tag, the estimate has standard errors. Processor seconds of all threads, ours "
    "over DuckDB's to read the table and count each cell; of reports alone, over those to read them and count each "
    "code; of eight numbers and a name, of which each person is asked one, over those to read them and sum the numbers "
    "of each name. Reports get fresh randomness, or with ids, which are compared in the same reading, repeatable "
    "randomness from a key. One job and two are timed from start to end: of two cores nobody else may need one."
)
HEADER = RATIOS

K = 43_750
ROWS = 10_000_000
SURVEY = {
    "version": 1,
    "epsilon": "1",
    "attribute": {"cell": {"categories": K, "protect": {"blocks": 25}}},
    "ask": [{"histogram": "cell"}],
}
COLUMNS = f"range * 7919 % 10000019 AS id, 'person ' || id AS name, CAST(floor(random() * {K}) AS INTEGER) AS cell"
"""Of the people's table, in SQL: whole ids and texts, each once, in no order."""


NUMBERS = [f"n{i}" for i in range(8)]
NAMES = ["red", "green", "dark, blue", "other"]
OF_NUMBERS = {
    "version": 1,
    "epsilon": "1",
    "attribute": {
        **{name: {"number": {"low": 0, "high": 10}} for name in NUMBERS},
        "label": {"categories": NAMES},
    },
    "ask": [*({"mean": name} for name in NUMBERS), {"histogram": "label"}],
}
NUMBERS_COLUMNS = ", ".join(
    [*(f"10 * random() AS {n}" for n in NUMBERS), f"{NAMES}[1 + range % {len(NAMES)}] AS label"]
)
SUMS = f"SELECT label, {', '.join(f'sum({name})' for name in NUMBERS)} FROM '{{}}' GROUP BY label"
CELLS, CODES = (f"SELECT {name}, count(*) FROM '{{}}' GROUP BY {name}" for name in ("cell", "code"))
"""What DuckDB does with a table, in SQL."""


class Way(NamedTuple):
    """One way from a table to an estimate, and the figure asked of it."""

    what: str
    asked: str
    work: Callable[[], object]


def rows() -> Iterator[tuple[str, ...]]:
    plan = Plan.of(Survey.read(SURVEY), ROWS)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        people, table, numbers = (folder / file for file in ("people.csv", "people.parquet", "numbers.parquet"))
        for file, columns in ((people, COLUMNS), (table, COLUMNS), (numbers, NUMBERS_COLUMNS)):
            duckdb.sql(f"COPY (SELECT {columns} FROM range({ROWS})) TO '{file}'")
        yield from against_duckdb(CELLS, people, csv_ways(plan, people))
        yield from against_duckdb(CODES, people.with_name("reports.csv"), report_ways(plan, people))
        yield from against_duckdb(CELLS, table, parquet_ways(plan, table))
        yield from against_duckdb(SUMS, numbers, number_ways(numbers))
        yield from job_ways(plan, table, numbers)
        yield "CSV rows, privatize and estimate by the command line: peak GiB", "-", f"{peak_memory(plan, folder):.2f}"


def csv_ways(plan: Plan, data: Path) -> Iterator[Way]:
    yield Way("CSV rows, reports tallied as they are made", "at most 2.2", in_memory(plan, data))
    yield Way("CSV rows, reports written to Parquet and read again", "-", through(plan, data, ".parquet"))
    yield Way("CSV rows, reports written to CSV and read again", "-", through(plan, data, ".csv"))


def report_ways(plan: Plan, data: Path) -> Iterator[Way]:
    yield Way("reports in CSV, tallied", "-", lambda: tally_table(plan, [data.with_name("reports.csv")]))


def parquet_ways(plan: Plan, data: Path) -> Iterator[Way]:
    yield Way("Parquet rows, reports tallied as they are made", "at most 4", in_memory(plan, data))
    yield Way("Parquet rows, reports written to Parquet and read again", "-", through(plan, data, ".parquet"))
    yield Way("Parquet rows with whole ids, a key, tallied", "at most 6", in_memory(plan, data, "id"))
    yield Way("Parquet rows with text ids, a key, tallied", "at most 12", in_memory(plan, data, "name"))


def number_ways(data: Path) -> Iterator[Way]:
    plan = Plan.of(Survey.read(OF_NUMBERS), ROWS)
    yield Way("Parquet rows of eight numbers and a name, tallied", "at most 4", lambda: tally_people(plan, data))


def job_ways(plan: Plan, table: Path, numbers: Path) -> Iterator[tuple[str, ...]]:
    """One process over two: whole releases, with what starts them."""
    ways = {
        "Parquet rows with text ids, a key": (plan, table, "name"),
        "Parquet rows of eight numbers and a name": (Plan.of(Survey.read(OF_NUMBERS), ROWS), numbers, None),
    }
    for what, (asked, data, id_column) in ways.items():
        one, two = (releasing(asked, data, id_column, jobs) for jobs in (1, 2))
        figures = ratios(lambda one=one: seconds(one), lambda two=two: seconds(two))
        yield f"{what}, written: one job over two", "at least 1.67", spread(figures)


def releasing(plan: Plan, data: Path, id_column: str | None, jobs: int) -> Callable[[], object]:
    keyed = None if id_column is None else KeyedSource(secrets.token_bytes(32), "a task")
    reports = data.with_name("reports.parquet")

    def work() -> None:
        reports.unlink(missing_ok=True)
        privatize_table(plan, data, reports, release=Release(id_column, keyed, jobs=jobs))

    return work


def in_memory(plan: Plan, data: Path, id_column: str | None = None) -> Callable[[], object]:
    keyed = None if id_column is None else KeyedSource(secrets.token_bytes(32), plan.hash)
    mechanism = plan.questions[0].query.mechanism
    return lambda: estimate(mechanism, tally_people(plan, data, release=Release(id_column, keyed)))


def through(plan: Plan, data: Path, ending: str) -> Callable[[], object]:
    reports = data.with_name(f"reports{ending}")

    def work() -> None:
        reports.unlink(missing_ok=True)
        privatize_table(plan, data, reports)
        estimate(plan.questions[0].query.mechanism, tally_table(plan, [reports]))

    return work


def against_duckdb(query: str, table: Path, ways: Iterable[Way]) -> Iterator[tuple[str, ...]]:
    def baseline() -> None:
        duckdb.sql(query.format(table)).fetchall()

    baseline()
    for way in ways:
        figures = ratios(lambda way=way: processor_seconds(way.work), lambda: processor_seconds(baseline))
        yield way.what, way.asked, spread(figures)


def peak_memory(plan: Plan, folder: Path) -> float:
    """GiB that the command line needs at most, privatize then estimate."""
    path, reports = folder / "plan.json", folder / "again.parquet"
    plan.save(path)
    command = str(Path(sys.executable).with_name("sordino"))
    privatize = [command, "privatize", str(path), str(folder / "people.csv"), "-o", str(reports)]
    return max(peak_gib(privatize), peak_gib([command, "estimate", str(path), str(reports), "--json"]))
