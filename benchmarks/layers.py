"""How the time and the memory of each step grow: with the values, with the reports, with the numbers asked."""

import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from math import log
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

from pairs import peak_gib, rounded
from sordino import (
    LDP,
    Blockwise,
    ChannelTable,
    Dependence,
    MetricLDP,
    Plan,
    RandomizedResponse,
    Survey,
    best_mechanism,
    certify,
    estimate,
    sampled_mean,
)
from sordino.show.estimate_rows import tables_of
from sordino.survey.results.result import results
from sordino.tables.results.tidy import write_tidy

TITLE = "Growing, layer by layer"
NOTE = (
    "What layers take, not commands, whose users wait for more (above). Processor seconds of one run of each size, "
    "after a first one that is not measured, and the exponent of the last step: 1 where ten times the size takes ten "
    "times as long. Plans of k values at epsilon 1, a million reports, few of the values frequent. With 50 million "
    "reports too: `FULL=1 make bench BENCH=layers`."
)
HEADER = ("what", "sizes", "seconds", "exponent", "asked of the largest")

FULL = os.environ.get("FULL") == "1"
VALUES = (10**3, 10**4, 10**5, 10**6)
REPORTS = (10**5, 10**6, 10**7, *((5 * 10**7,) if FULL else ()))
NUMBERS = (2, 20, 200)
PEOPLE = 10**6
WIDE = (64, 128, 256)
"""Values and codes of tables of weights that all differ."""

Step = Callable[[int], Callable[[], object]]
"""What is done at a size, made ready."""


def rows() -> Iterator[tuple[str, ...]]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for kind, protect in (("", None), (", in blocks of 25", {"blocks": 25}), (", 20 of them sensitive", SENSITIVE)):
            yield grown(f"plan{kind}", VALUES, planned(protect), "2" if not kind else "-")
            yield grown(f"read and certify a plan{kind}", VALUES, loaded(folder, protect), "0.2" if not kind else "-")
            yield grown(f"estimates with intervals{kind}", VALUES, estimated(protect), "1.5" if not kind else "-")
        yield grown("write estimates to CSV", VALUES, written(folder), "-")
        yield grown("likelihood, randomized response in blocks of 25", VALUES, likely, "3")
    for name, mechanism in (("blocks of 25", Blockwise(np.arange(43_750) // 25, "1")), ("k = 1,024", CODES)):
        yield grown(f"tally, {name}, by reports", REPORTS, tallied(mechanism), "-")
    for what, step, asked in METRIC:
        yield grown(f"a line of k values in steps of half a nat: {what}", LINES, step, asked)
    for what, step, _ in METRIC:
        yield grown(f"a map of n x 2.8 n cells in steps of half a nat: {what}", MAPS, on_map(step), "120 in all")
    yield grown("plan a mean of d numbers", NUMBERS, mean, "-")
    yield grown("certify a table, all weights different", WIDE, table, "-")
    yield "plan of a 2,000 x 2,000 grid in blocks of 5 x 5: peak GiB", "-", grid(), "-", "1"


SENSITIVE = {"sensitive": list(range(20))}
CODES = RandomizedResponse(1024, "1")


LINES = (100, 1000, 10**4)
MAPS = (25, 125)
"""Rows."""


def grown(what: str, sizes: tuple[int, ...], step: Step, asked: str) -> tuple[str, ...]:
    """Processor seconds at each size."""
    step(sizes[0])()
    times = [spent(step(size)) for size in sizes]
    exponent = log(times[-1] / times[-2]) / log(sizes[-1] / sizes[-2])
    return what, " ".join(f"{size:,}" for size in sizes), " ".join(map(rounded, times)), f"{exponent:.2f}", asked


def spent(work: Callable[[], object]) -> float:
    start = process_time()
    work()
    return process_time() - start


def plan_of(k: int, protect: dict[str, Any] | None) -> Plan:
    cell = {"categories": k} | ({} if protect is None else {"protect": protect})
    survey = {"version": 1, "epsilon": "1", "attribute": {"cell": cell}, "ask": [{"histogram": "cell"}]}
    return Plan.of(Survey.read(survey), PEOPLE)


def planned(protect: dict[str, Any] | None) -> Step:
    return lambda k: lambda: plan_of(k, protect)


def loaded(folder: Path, protect: dict[str, Any] | None) -> Step:
    def ready(k: int) -> Callable[[], object]:
        path = folder / f"plan {k} {protect is not None and [*protect]}.json"
        plan_of(k, protect).save(path)
        return lambda: Plan.load(path)

    return ready


def tally_of(plan: Plan, k: int) -> Any:
    values = np.minimum(np.random.default_rng(1).pareto(1.0, PEOPLE) * k / 1000, k - 1).astype(int)
    return plan.sampled.tally(plan.sampled.privatize([values]))


def estimated(protect: dict[str, Any] | None) -> Step:
    def ready(k: int) -> Callable[[], object]:
        plan = plan_of(k, protect)
        tally = tally_of(plan, k)
        return lambda: results(plan, tally)

    return ready


def written(folder: Path) -> Step:
    def ready(k: int) -> Callable[[], object]:
        plan = plan_of(k, None)
        found = results(plan, tally_of(plan, k))
        path = folder / "estimates.csv"

        def write() -> None:
            tables = [table for result in found for table in tables_of(result.blocks())]
            write_tidy(tables, (), 0.95, path, overwrite=True)

        return write

    return ready


def likely(k: int) -> Callable[[], object]:
    mechanism = Blockwise(np.arange(k) // 25, "1", "randomized")
    values = np.minimum(np.random.default_rng(1).pareto(1.0, PEOPLE) * k / 1000, k - 1).astype(int)
    tally = mechanism.tally(mechanism.privatize(values))
    return lambda: estimate(mechanism, tally, "likelihood")


def tallied(mechanism: Any) -> Step:
    def ready(n: int) -> Callable[[], object]:
        codes = np.resize(mechanism.privatize(np.arange(10**5) % mechanism.k), n)
        return lambda: mechanism.tally(codes)

    return ready


def chosen(k: int, metric: MetricLDP | None = None) -> Callable[[], object]:
    line = metric or MetricLDP.line(k, "1/2")
    return lambda: best_mechanism(line.k, line)


def along_edges(k: int, metric: MetricLDP | None = None) -> Callable[[], object]:
    line = metric or MetricLDP.line(k, "1/2")
    mechanism = best_mechanism(line.k, line).without_cache
    return lambda: certify(mechanism, line)


def told(k: int, metric: MetricLDP | None = None) -> Callable[[], object]:
    line = metric or MetricLDP.line(k, "1/2")
    mechanism = best_mechanism(line.k, line)
    values = np.random.default_rng(3).integers(0, line.k, 10**5)
    return lambda: estimate(mechanism, mechanism.tally(mechanism.privatize(values))).interval(0.95)


METRIC = (("choose", chosen, "-"), ("certify", along_edges, "-"), ("100,000 reports and their estimate", told, "-"))


def on_map(step: Callable[[int, MetricLDP], Callable[[], object]]) -> Step:
    return lambda rows: step(0, MetricLDP.grid(rows, rows * 14 // 5, "1/2", "1/2"))


def mean(d: int) -> Callable[[], object]:
    deltas = ["0.5" if place % 2 else "1" for place in range(d)]
    return lambda: sampled_mean(deltas, "1", Dependence.bounded([0.2] * d))


def table(k: int) -> Callable[[], object]:
    drawn = np.random.default_rng(1).integers(1 << 40, 1 << 41, (k, k)).tolist()
    made = ChannelTable([[*row[:-1], (1 << 64) - sum(row[:-1])] for row in drawn])
    return lambda: certify(made, LDP("1"))


GRID = """
from sordino import Plan, Survey
cells = {"south": 25, "north": 50, "west": -130, "east": -60, "rows": 2000, "columns": 2000}
attribute = {"place": {"grid": cells, "protect": {"blocks": [5, 5]}}}
Plan.of(Survey.read({"version": 1, "epsilon": "1", "attribute": attribute, "ask": [{"histogram": "place"}]}), 10**6)
"""


def grid() -> str:
    return f"{peak_gib([sys.executable, '-c', GRID]):.2f}"
