"""What executors do, and how the driver learns what went wrong there: without Spark."""

import os
import sys
from dataclasses import dataclass, replace
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sordino import RefusedError, SordinoError, SystemSource, privatize
from sordino.errors import DamagedError, UnavailableError
from sordino.tables.spark import frame_columns as columns
from sordino.tables.spark import tasks
from sordino.tables.spark.frame_columns import UNSIGNED, SparkColumns
from sordino.tables.spark.session import require_java, session
from sordino.tables.spark.task_failure import TaskError, error_for_driver, of_trace
from sordino.tables.spark.task_input import FrameParts
from sordino.tables.spark.tasks import SentPlan, Work, release_batches, store_reports, sum_slices, tally_reports


@dataclass
class Sent:
    """Stands for a broadcast."""

    value: bytes


@pytest.fixture
def sent(plan):
    return SentPlan(Sent(plan.bytes), plan.hash, plan.sampled.fingerprint)


@pytest.fixture
def work(plan, key, sent, table, monkeypatch):
    monkeypatch.setattr(tasks, "partition", lambda: 3)
    read = SparkColumns(tuple(table.column_names), tuple(table.column_names), "the frame")
    return Work(sent, FrameParts(read), "id", key.of_plan(plan.hash).handed_over())


def test_a_partition_has_the_reports_of_its_rows_however_it_is_batched(plan, key, table, work, monkeypatch):
    expected = privatize(plan, table, key, id_column="id").column("code").to_numpy()
    for rows, size in ((1 << 17, 10_000), (700, 64), (1, 999)):
        monkeypatch.setattr(columns, "ROWS", rows)
        reports = pa.Table.from_batches(release_batches(work, iter(table.to_batches(size))))
        assert np.array_equal(reports.column("code").to_numpy(), expected)
    tally = plan.sampled.tally(expected.astype(np.uint64)).counts
    monkeypatch.setattr(tasks, "SLICE", 5)
    some, others = (_counted(work, part) for part in (reports.slice(0, 1000), reports.slice(1000)))
    for whole in (_counted(work, reports), sum_slices(iter([*some, *others]))):
        found = np.zeros(len(tally) + 5, dtype=np.int64)
        for batch in whole:
            for number, counters in zip(*batch.to_pydict().values(), strict=True):
                assert any(counters)
                found[5 * number :][: len(counters) // 8] = np.frombuffer(counters, dtype="<i8")
        assert np.array_equal(found[: len(tally)], tally)
        assert not found[len(tally) :].any()


def _counted(work, reports):
    of_reports = FrameParts(SparkColumns(("plan", "code"), ("plan", "code"), "the reports"))
    return list(tally_reports(replace(work, parts=of_reports), iter(reports.to_batches(100))))


def test_each_try_writes_a_file_of_its_own_and_its_reports_are_those_of_the_rows(plan, key, table, work, tmp_path):
    expected = privatize(plan, table, key, id_column="id")
    (first,), (second,) = (list(store_reports(work, tmp_path, iter(table.to_batches(700)))) for _ in range(2))
    assert first.column("people").to_pylist() == [len(table)]
    (one,), (other,) = (batch.column("file").to_pylist() for batch in (first, second))
    assert one != other
    for name in (one, other):
        assert pq.read_table(tmp_path / name).equals(expected.replace_schema_metadata())
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([one, other])


def test_a_try_that_fails_leaves_no_file(table, work, tmp_path):
    ages = pa.array([*table.column("age").to_pylist()[:-1], 500.0])
    bad = table.set_column(table.column_names.index("age"), "age", ages)
    with pytest.raises(TaskError, match="a value must be a number from 0 to 120"):
        list(store_reports(work, tmp_path, iter(bad.to_batches(700))))
    assert list(tmp_path.iterdir()) == []


def test_partitions_without_rows(work, table):
    for batches in ([], table.slice(0, 0).to_batches()):
        assert list(release_batches(work, iter(batches))) == []


def test_whole_numbers_without_a_sign_come_as_decimals(table):
    read = SparkColumns(("large",), ("large",), "the frame")
    numbers = [2**64 - 1, 0, 2**63]
    batch = pa.record_batch([pa.array([Decimal(one) for one in numbers], UNSIGNED)], names=["c0"])
    (frame,) = read.groups(iter([batch]), 0)
    assert frame.table.column("large").to_pylist() == numbers
    assert frame.table.schema.field("large").type == pa.uint64()
    batch = pa.record_batch([pa.array([Decimal(-1)], UNSIGNED)], names=["c0"])
    with pytest.raises(SordinoError, match="must have whole numbers from 0"):
        list(read.groups(iter([batch]), 0))


def test_a_plan_that_is_not_the_drivers_is_refused(plan, sent, monkeypatch):
    monkeypatch.setattr(tasks, "_PLANS", {})
    assert sent.plan().hash == plan.hash
    for other in (replace(sent, fingerprint="another"), replace(sent, hash="sha256:00")):
        with pytest.raises(SordinoError, match="all executors must have the driver's plan"):
            other.plan()
    with pytest.raises(DamagedError):
        replace(sent, content=Sent(plan.bytes.replace(b'"people":3000', b'"people":3001')), hash="sha256:01").plan()


def test_a_bad_value_is_named_by_its_partition_and_row(work, table, monkeypatch):
    monkeypatch.setattr(columns, "ROWS", 1000)
    ages = table.column("age").to_pylist()
    ages[1500] = 500.0
    bad = table.set_column(table.column_names.index("age"), "age", pa.array(ages))
    with pytest.raises(TaskError) as raised:
        list(release_batches(work, iter(bad.to_batches(500))))
    error = of_trace(f"org.apache.spark.SparkException: Job aborted\nTaskError: {raised.value}\n\tat java.lang.Thread")
    assert (
        error.rule == "the frame (partition 3 after 1,000 rows), row 501, age: a value must be a number from 0 to 120"
    )
    assert "500" not in error.found


@pytest.mark.parametrize("kind", [SordinoError, DamagedError, RefusedError, UnavailableError])
def test_an_error_of_a_task_is_the_same_on_the_driver(kind):
    error = kind('a "name"\nwith <{signs}> must be ü', found="}>", step="mend it")
    with pytest.raises(TaskError) as raised, error_for_driver():
        raise error
    found = of_trace(f"Exception\n\tat org.apache\nTaskError: {raised.value}\n\n\tat org.apache.spark")
    assert (type(found), found.facts()) == (kind, error.facts())


def test_other_failures_are_said_without_the_words_of_a_trace():
    error = of_trace("ExecutorLostFailure (executor 1 exited): secret value 17\n\tat java.base/java.lang.Thread.run")
    assert (error.code, error.found) == ("unavailable", "executors that were lost, one after the other")
    assert "17" not in str(of_trace("java.lang.IllegalStateException: secret value 17"))


def test_spark_makes_no_reports_without_a_key(plan, tmp_path):
    """Before it is started, and before the people are looked for."""
    for given in ({}, {"source": SystemSource()}):
        with pytest.raises(SordinoError, match="the engine spark needs a key: it computes tasks again"):
            privatize(plan, tmp_path / "people", id_column="id", engine="spark", output=tmp_path / "reports", **given)
    with pytest.raises(SordinoError, match="a key needs the ids"):
        privatize(plan, tmp_path / "people", key=tmp_path / "key", engine="spark")
    assert list(tmp_path.iterdir()) == []


def test_no_java_names_the_package(monkeypatch, tmp_path):
    monkeypatch.delenv("PYSPARK_GATEWAY_PORT", raising=False)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(UnavailableError, match="Spark needs Java 17 or newer; found none in JAVA_HOME"):
        require_java()
    monkeypatch.delenv("JAVA_HOME")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UnavailableError, match="install openjdk-17-jre-headless"):
        require_java()
    (tmp_path / "java").touch(mode=0o755)
    require_java()


def test_no_pyspark_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyspark", None)
    with pytest.raises(UnavailableError, match=r"pip install 'sordino\[spark\]'"):
        session()
    assert "PYSPARK_PYTHON" not in os.environ
