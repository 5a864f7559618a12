"""The verbs on Spark: reports of a keyed source in any partitioning, the same as from a file, and their tallies.

What an executor does with its rows is what is done with a file's (`tasks`); here stands what the driver does before and
after. Words come from a key and the rows' ids alone: Spark computes a task again whenever it likes, and fresh words
would make that a second release.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sordino.errors import SordinoError
from sordino.exact.keyed import KeyedSource
from sordino.exact.messages import shown
from sordino.mechanism.channel import Aggregate
from sordino.survey.planning.plan import Plan
from sordino.tables.duckdb import header, require_columns
from sordino.tables.key import open_key
from sordino.tables.records import id_expressions
from sordino.tables.release import Release, Released
from sordino.tables.reports import report_columns, tally_table
from sordino.tables.spark.folders import equal_files, require_new_folder, require_written, take_files, written_folder
from sordino.tables.spark.ids import compare_ids
from sordino.tables.spark.people_frame import PathOrSpark, SparkTable
from sordino.tables.spark.task_failure import spark_errors
from sordino.tables.spark.tasks import (
    SLICE,
    STORED,
    SentPlan,
    Work,
    release_batches,
    report_fields,
    slices_of_cell,
    store_reports,
    sum_slices,
    tally_reports,
)
from sordino.tables.values import columns_read, require_people

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def privatize_spark(plan: Plan, people: PathOrSpark, release: Release) -> "DataFrame":
    """The reports of people as a frame of Spark: computed when they are needed, and each time the same.

    All ids are compared before this returns.

    Args:
        plan: by which.
        people: a row each, in a frame of Spark, a Parquet file or a folder of them.
        release: how: with a key and a column of ids.

    Raises:
        SordinoError: no key, columns that are missing, an id that is missing or stands twice, or no Spark.
    """
    _require_keyed(release)
    with open_key(release) as made:
        frame, work, _ = _work(plan, SparkTable.of(people), release.id_column or "", made)
    return frame.mapInArrow(partial(release_batches, work), report_fields(plan))


def privatize_folder(
    plan: Plan,
    people: PathOrSpark,
    output: Path,
    release: Release,
    *,
    require_same: Callable[[], None] = lambda: None,
) -> Released:
    """Write the reports of people as a folder of Parquet files, which all machines share.

    Args:
        plan: by which.
        people: as for `privatize_spark`.
        output: the folder, which appears when all of it is written.
        release: as for `privatize_spark`.
        require_same: raises an error if the plan is no longer the one that was read.

    Raises:
        SordinoError: as `privatize_spark`, a folder that exists, a value that is missing or outside its domain, a plan
            or a table that changed meanwhile, or Spark cannot finish; no reports are left.
    """
    _require_keyed(release)
    require_new_folder(output)
    with open_key(release) as made:
        table = SparkTable.of(people)
        frame, work, rows = _work(plan, table, release.id_column or "", made)
        with written_folder(output) as (writing, done):
            with spark_errors():
                files = frame.mapInArrow(partial(store_reports, work, writing), STORED).collect()
            # Of tries that were lost or too slow there may be files too.
            take_files([file for file, people, _, _ in files if people], writing, done)
            require_written(done, rows)
            table.require_unchanged()
            require_same()
    clipped = Counter[str]()
    for _, _, names, counts in files:
        clipped.update(dict(zip(names, counts, strict=True)))
    return Released(rows, clipped)


def tally_spark(plan: Plan, reports: Sequence[PathOrSpark], note: Callable[[str], None] = lambda _: None) -> Aggregate:
    """Count the reports of frames of Spark, files and folders.

    Args:
        plan: of the reports.
        reports: each once.
        note: called with a sentence about files that hold the same few reports, which may be copies.

    Raises:
        SordinoError: another plan's reports, a file that is a copy of another, or no reports at all.
        DamagedError: a code that the plan cannot send, or a folder that is not whole.
    """
    total = plan.tally(np.empty(0, dtype=np.uint64))
    tables = [SparkTable.of(part) for part in reports]
    for same in equal_files([file for table in tables for file in table.before]):
        # Whether few reports may be equal by chance is judged as it is of any files.
        tally_table(plan, same, note=note)
    for table in tables:
        total += _tally(plan, table)
    if total.n == 0:
        raise SordinoError(
            "an aggregate needs reports",
            found=f"none in {', '.join(map(str, tables))}",
            step="name files of reports that hold some",
        )
    return total


def _work(
    plan: Plan, people: SparkTable, id_column: str, made: Callable[[], KeyedSource | None]
) -> "tuple[DataFrame, Work, int]":
    parted = people.parts_for([*columns_read(plan), id_column])
    require_people(plan, parted.sample)
    id_expressions(parted.sample, id_column, dict(header(parted.sample)))
    rows = compare_ids(parted.frame, parted.parts, people.called, id_column)
    source = made()
    if source is None:
        raise SordinoError(
            "the engine spark needs a key",
            found="no key",
            step="give a key file and the column of ids: `key` and `id_column`",
        )
    key = source.of_plan(plan.hash).handed_over()
    return parted.frame, Work(SentPlan.of(plan, people.context), parted.parts, id_column, key), rows


def _tally(plan: Plan, table: SparkTable) -> Aggregate:
    parted = table.parts_for(report_columns(plan))
    require_columns(parted.sample, report_columns(plan), "give what `sordino.privatize` wrote")
    fields = "slice bigint, counters binary"
    with spark_errors():
        work = Work(SentPlan.of(plan, table.context), parted.parts)
        each = parted.frame.mapInArrow(partial(tally_reports, work), fields)
        found = each.repartition("slice").mapInArrow(sum_slices, fields).collect()
    cells: dict[int, NDArray[np.int64]] = {}
    for number, counters in found:
        some = np.frombuffer(counters, dtype="<i8")
        cell, at = divmod(number, slices_of_cell(plan))
        counts = cells.setdefault(cell, np.zeros(plan.sampled.first_counters[-1], dtype=np.int64))
        counts[at * SLICE :][: len(some)] += some
    table.require_unchanged()
    total = plan.tally(np.empty(0, dtype=np.uint64))
    for cell, counts in cells.items():
        own = {cell: counts} if plan.cells.parts else {}
        total += Aggregate(total.fingerprint, plan.sampled.reports(counts), counts, own)
    return total


def _require_keyed(release: Release) -> None:
    """Refuse a release that Spark could not repeat.

    Raises:
        SordinoError: no key, counts of people, or several jobs.
    """
    if release.count_column is not None:
        step = "give a row for each person, or leave engine out"
        raise SordinoError("counts of people are DuckDB's: Spark needs ids", found="a column of counts", step=step)
    if release.jobs != 1:
        step = "leave them out"
        raise SordinoError("jobs are DuckDB's: Spark has executors", found=shown(release.jobs), step=step)
    if release.key is None:
        raise SordinoError(
            "the engine spark needs a key: it computes tasks again, and fresh words would be a second release",
            found="no key",
            step="name its file and the column of ids: `key` and `id_column`",
        )
