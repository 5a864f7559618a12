"""The demo: a million simulated people report where they live, through the files that a user would use."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sordino.demo.simulated_people import draw_people
from sordino.document.files import write_text
from sordino.errors import SordinoError
from sordino.estimation.share_estimate import Method, nearest_method
from sordino.mechanism.channel import Aggregate
from sordino.survey.kinds.shares.shares_result import HistogramResult
from sordino.survey.planning.plan import Plan
from sordino.survey.reading.survey_file import Survey
from sordino.survey.results.aggregate_file import save_aggregate
from sordino.survey.results.result import results
from sordino.tables.duckdb import ROWS, write_table
from sordino.tables.reports import Progress, privatize_table, tally_people, tally_table
from sordino.verbs.make_plan import make_plan

PEOPLE = 1_000_000

SAMPLE, SAMPLE_SEED = 100_000, 2
"""Other people, who are public: by them plans forecast."""

SURVEY = """\
# Where do people live? The map has 43,750 cells; a block of 5 x 5 cells (about 110 x 95 km) is public, the cell is not.
version = 1
epsilon = "1"

[attribute.home]
grid = { south = 25, north = 50, west = -130, east = -60, rows = 125, columns = 350 }
protect = { blocks = [5, 5] }

[[ask]]
histogram = "home"
"""

UNIFORM = SURVEY.replace("protect = { blocks = [5, 5] }\n", "").replace(
    "; a block of 5 x 5 cells (about 110 x 95 km) is public, the cell is not", ", all protected alike"
)

MARKER = "made-by-sordino-demo.txt"
"""Marks a folder whose files the demo may replace."""

METHODS: tuple[Method, ...] = ("unbiased", "simplex", "block-simplex")
"""Compared with each other; the page and the terminal show what the default gives."""


@dataclass(frozen=True, eq=False)
class Demo:
    """What the demo found.

    Attributes:
        folder: its files: people.csv, sample.csv, survey.toml, plan.json, reports.parquet, aggregate.json.
        truth: shape (k,), the simulated people's shares.
        plan: the blockwise one.
        blockwise, uniform: the results by method, under block-structured and under uniform LDP.
    """

    folder: Path
    truth: NDArray[np.float64]
    plan: Plan
    blockwise: dict[Method, HistogramResult]
    uniform: dict[Method, HistogramResult]

    def distance(self, result: HistogramResult) -> float:
        """Total variation distance of an estimate to the truth."""
        return float(np.abs(result.estimate.by_method - self.truth).sum() / 2)


def run_demo(folder: Path, people: int, step: Callable[[str], Progress]) -> Demo:
    """Plan, privatize, aggregate and estimate, in a folder of its own whose demo files are made anew.

    Args:
        step: called with the name of each long step; gives the function to call with the rows done.
    """
    marker = folder / MARKER
    if folder.exists() and not marker.is_file() and any(folder.iterdir()):
        raise SordinoError(
            f"{folder} must be new, empty, or of an earlier demo", found="other files", step="name another"
        )
    new = not folder.exists()
    folder.mkdir(parents=True, exist_ok=True)
    text = "The files beside this one were made by `sordino demo`, and are made anew by it.\n"
    try:
        write_text(marker, text, overwrite=True)
    except (OSError, SordinoError):
        # No room on the disk, as a rule: a folder of ours that stayed empty is of no use to anybody.
        if new:
            with suppress(OSError):
                folder.rmdir()
        raise
    names = ("people.csv", "survey.toml", "plan.json", "reports.parquet", "aggregate.json")
    data, survey, plan_file, reports, tally = (folder / name for name in names)
    sample = folder / "sample.csv"
    for path in (data, survey, plan_file, reports, tally, sample, folder / "uniform.toml"):
        path.unlink(missing_ok=True)
    latitude, longitude = draw_people(people)
    _write_people(data, latitude, longitude)
    _write_people(sample, *draw_people(SAMPLE, SAMPLE_SEED))
    write_text(survey, SURVEY)
    make_plan(Survey.load(survey), people, expect=sample).plan.save(plan_file)
    plan = Plan.load(plan_file)
    privatize_table(plan, data, reports, step("privatize"))
    aggregate = tally_table(plan, [reports], step("aggregate"))
    save_aggregate(plan, aggregate, tally)
    write_text(folder / "uniform.toml", UNIFORM)
    uniform = Plan.of(Survey.load(folder / "uniform.toml"), people)
    same_people = tally_people(uniform, data, step("compare"))
    cells = plan.attributes["home"].domain
    truth = np.bincount(cells.locate(latitude, longitude), minlength=cells.k) / people  # type: ignore[union-attr]
    return Demo(
        folder,
        truth,
        plan,
        _by_method(plan, aggregate),
        _by_method(uniform, same_people),
    )


def by_nearest(found: dict[Method, HistogramResult]) -> HistogramResult:
    """With the nearest distribution that keeps what every report tells of a block."""
    return found[nearest_method(found["unbiased"].question.mechanism)]


def _by_method(plan: Plan, aggregate: Aggregate) -> dict[Method, HistogramResult]:
    found = {method: results(plan, aggregate, method)[0] for method in METHODS}
    return {method: shares for method, result in found.items() if (shares := result.shares) is not None}


def _write_people(path: Path, latitude: NDArray[np.float64], longitude: NDArray[np.float64]) -> None:
    schema = pa.schema([("latitude", pa.float64()), ("longitude", pa.float64())])
    pieces = range(0, len(latitude), ROWS)
    batches = (pa.record_batch([latitude[i : i + ROWS], longitude[i : i + ROWS]], schema=schema) for i in pieces)
    write_table(path, schema, batches)
