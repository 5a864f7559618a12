"""What executors do with the parts of a table: exactly what is done with one that a single machine reads.

A task holds the plan, by its hash, and the key; its reports depend on the rows' ids and values and on nothing else, so
that a task that is retried, speculated or computed anew gives the same ones.
"""

import json
import secrets
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sordino.errors import SordinoError
from sordino.exact.keyed import KeyedSource
from sordino.exact.source import Words
from sordino.survey.planning.plan import Plan
from sordino.survey.planning.plan_fields import unseal
from sordino.tables.duckdb import read_alone
from sordino.tables.jobs.drawn import Drawn, draw_reports
from sordino.tables.reports import public_columns, read_codes, report_columns, tally_codes, write_reports
from sordino.tables.spark.folders import PART
from sordino.tables.spark.frame_columns import UNSIGNED
from sordino.tables.spark.task_failure import error_for_driver
from sordino.tables.spark.task_input import Parts, partition
from sordino.tables.values import read_people

if TYPE_CHECKING:
    from pyspark import Broadcast, SparkContext

SIGNED_BITS = 63
"""Codes of so many bits are Spark's whole numbers; longer ones are decimals, as tags are."""

SLICE = 1 << 14
"""Counters that are sent together, as one row: of rows of their own Java would make objects."""

STORED = "file string, people bigint, clipped array<string>, rows array<bigint>"
"""What a task says of the file that it wrote: its name, how many reports it holds, and each number that is clipped on
request with the number of rows in which it lies beyond its range."""

_PLANS: dict[str, Plan] = {}
"""The plans of this process, by their hashes: of one plan there are many partitions."""


@dataclass(frozen=True)
class SentPlan:
    """A plan on its way to the executors, fixed by its hash when the work begins.

    Attributes:
        content: its bytes, which are public.
        hash: which those bytes must have.
        fingerprint: of the channels that the driver has made of it.
    """

    content: "Broadcast[bytes]"
    hash: str
    fingerprint: str

    @classmethod
    def of(cls, plan: Plan, context: "SparkContext") -> "SentPlan":
        """Hand a plan to the executors."""
        return cls(context.broadcast(plan.bytes), plan.hash, plan.sampled.fingerprint)

    def plan(self) -> Plan:
        """The plan, in a task.

        Raises:
            SordinoError: another plan than the driver's, or channels that another Sordino makes of it.
        """
        found = _PLANS.get(self.hash)
        if found is None:
            found = Plan(unseal(json.loads(self.content.value), "the plan on an executor"))
        if (found.hash, found.sampled.fingerprint) != (self.hash, self.fingerprint):
            raise SordinoError(
                "all executors must have the driver's plan",
                found="a different plan, or a different version of Sordino",
                step="install the same version on all machines, and begin again",
            )
        _PLANS[self.hash] = found
        return found


@dataclass(frozen=True)
class Work:
    """What a task needs.

    Attributes:
        parts: those of its table.
        id_column: tells the rows apart.
        key: the key and the task of the plan's keyed source.
    """

    sent: SentPlan
    parts: Parts
    id_column: str = ""
    key: tuple[bytes, str] = field(default=(b"", ""), repr=False)

    def draw_reports(self, plan: Plan, batches: Iterator[pa.RecordBatch]) -> Iterator[Drawn]:
        """The reports of the task's people, in the order of its rows."""
        keyed = KeyedSource(*self.key)
        read_alone()
        for part in self.parts.of(batches, partition()):
            people = read_people(plan, part.table, self.id_column, part.places)
            yield from draw_reports(plan, people, keyed)


def release_batches(work: Work, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The reports of some people."""
    with error_for_driver():
        plan = work.sent.plan()
        for one in work.draw_reports(plan, batches):
            yield _reports(plan, one.codes)


def store_reports(work: Work, folder: Path, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Write the reports of some people as a file of a folder; what `STORED` says of it.

    Each try of a task writes a file of its own: which ones count, the driver says.
    """
    with error_for_driver():
        plan, rows, clipped = work.sent.plan(), 0, Counter[str]()

        def count_codes() -> Iterator[Words]:
            nonlocal rows
            for codes, _, beyond in work.draw_reports(plan, batches):
                rows += len(codes)
                clipped.update(beyond)
                yield codes

        name = f"{PART}{partition():05}-{secrets.token_hex(8)}.parquet"
        write_reports(plan, count_codes(), folder / name)
        columns = [
            pa.array([name]),
            pa.array([rows]),
            pa.array([list(clipped)], pa.list_(pa.string())),
            pa.array([list(clipped.values())], pa.list_(pa.int64())),
        ]
        yield pa.record_batch(columns, names=["file", "people", "clipped", "rows"])


def tally_reports(work: Work, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The counters of some reports, slice by slice, of those that are not zeros."""
    with error_for_driver():
        plan = work.sent.plan()
        read_alone()
        total = plan.tally(np.empty(0, dtype=np.uint64))
        for part in work.parts.of(batches, partition()):
            codes = read_codes(plan, part.table, part.places)
            total += tally_codes(plan, part.table, codes, rows=part.places.start if part.places else 0)
        for cell, counts in (total.cells if plan.cells.parts else {0: total.counts}).items():
            for first in range(0, len(counts), SLICE):
                some = counts[first : first + SLICE]
                if some.any():
                    yield _slice(cell * slices_of_cell(plan) + first // SLICE, some)


def slices_of_cell(plan: Plan) -> int:
    """How many slices the counters of one public cell have; those of the next cell are numbered on from there."""
    return -(-plan.sampled.first_counters[-1] // SLICE)


def sum_slices(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The sums of slices of counters, all of each, that several tasks have counted."""
    sums: dict[int, NDArray[np.int64]] = {}
    for batch in batches:
        for number, counters in zip(batch.column("slice").to_pylist(), batch.column("counters"), strict=True):
            some = np.frombuffer(counters.as_buffer(), dtype="<i8")
            sums[number] = sums[number] + some if number in sums else some
    for number, counters in sums.items():
        yield _slice(number, counters)


def _slice(number: int, counters: NDArray[np.int64]) -> pa.RecordBatch:
    content = counters.astype("<i8", copy=False).tobytes()
    return pa.record_batch(
        [pa.array([number], pa.int64()), pa.array([content], pa.binary())], names=["slice", "counters"]
    )


def report_fields(plan: Plan) -> str:
    """The columns of reports in Spark."""
    code = "bigint" if plan.sampled.code_bits <= SIGNED_BITS else "decimal(20,0)"
    public = [f"`{name.replace('`', '``')}` string" for name in plan.cells.names]
    return ", ".join(["plan decimal(20,0)", f"code {code}", *public])


def _reports(plan: Plan, numbers: Words) -> pa.RecordBatch:
    codes, cells = plan.cells.split(numbers)
    public = public_columns(plan, cells)
    tags = pa.repeat(pa.scalar(Decimal(plan.tag), UNSIGNED), len(codes))
    if plan.sampled.code_bits <= SIGNED_BITS:
        return pa.record_batch([tags, codes.astype(np.int64), *public], names=report_columns(plan))
    return pa.record_batch([tags, pa.array(codes.tolist()).cast(UNSIGNED), *public], names=report_columns(plan))
