"""What executors do with a partition: exactly what is done with a file, some rows at a time.

A task holds the plan, by its hash, and the key; its reports depend on the rows' ids and values and on nothing else, so
that a task that is retried, speculated or computed anew gives the same ones.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from sordino.errors import SordinoError
from sordino.exact.keyed import KeyedSource
from sordino.exact.source import Words
from sordino.survey.frozen.plan_fields import unseal
from sordino.survey.planning.plan import Plan
from sordino.tables.duckdb import read_alone
from sordino.tables.jobs.drawn import drawn
from sordino.tables.reports import read_codes, tally_codes
from sordino.tables.spark.columns import UNSIGNED, SparkColumns
from sordino.tables.spark.failure import told
from sordino.tables.values import count_clipped, read_people

if TYPE_CHECKING:
    from pyspark import Broadcast, SparkContext

SIGNED_BITS = 63
"""Codes of so many bits are Spark's whole numbers; longer ones are decimals, as tags are."""

MOST_COUNTERS = 1 << 17
"""Counters that are sent together."""

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
                found="another one, or another Sordino",
                step="install the same version on all machines, and begin again",
            )
        _PLANS[self.hash] = found
        return found


@dataclass(frozen=True)
class Work:
    """What a task needs.

    Attributes:
        sent: the plan.
        columns: those of its rows.
        id_column: tells the rows apart.
        key: the key and the task of the plan's keyed source.
    """

    sent: SentPlan
    columns: SparkColumns
    id_column: str = ""
    key: tuple[bytes, str] = field(default=(b"", ""), repr=False)


def released(work: Work, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The reports of a partition, in the order of its rows."""
    with told():
        plan, keyed = work.sent.plan(), KeyedSource(*work.key)
        read_alone()
        for people in work.columns.groups(batches, _partition()):
            for codes in drawn(plan, read_people(plan, people, work.id_column), keyed):
                yield _reports(plan, codes)


def tallied(work: Work, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The counters of a partition's reports that are not zero, and their places."""
    with told():
        plan = work.sent.plan()
        read_alone()
        total = plan.sampled.tally(np.empty(0, dtype=np.uint64))
        for reports in work.columns.groups(batches, _partition()):
            total += tally_codes(plan, reports, read_codes(plan, reports))
        places = np.flatnonzero(total.counts)
        for first in range(0, len(places), MOST_COUNTERS):
            some = places[first : first + MOST_COUNTERS]
            yield pa.record_batch([some.astype(np.int64), total.counts[some]], names=["place", "count"])


def clipped(work: Work, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """For each number that is clipped on request, in how many rows of a partition it is."""
    with told():
        plan = work.sent.plan()
        read_alone()
        for people in work.columns.groups(batches, _partition()):
            counts = count_clipped(plan, people)
            yield pa.record_batch([list(counts), list(counts.values())], names=["attribute", "count"])


def report_fields(plan: Plan) -> str:
    """The columns of reports in Spark."""
    return f"plan decimal(20,0), code {'bigint' if plan.sampled.code_bits <= SIGNED_BITS else 'decimal(20,0)'}"


def _reports(plan: Plan, codes: Words) -> pa.RecordBatch:
    tags = pa.repeat(pa.scalar(Decimal(plan.tag), UNSIGNED), len(codes))
    if plan.sampled.code_bits <= SIGNED_BITS:
        return pa.record_batch([tags, codes.astype(np.int64)], names=["plan", "code"])
    return pa.record_batch([tags, pa.array(codes.tolist()).cast(UNSIGNED)], names=["plan", "code"])


def _partition() -> int:
    """The number of the partition that is worked on."""
    from pyspark import TaskContext

    context = TaskContext.get()
    return context.partitionId() if context is not None else 0
