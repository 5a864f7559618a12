"""Executors that die in the middle: their work is done again, and gives the same reports, or there are none at all."""

import os
import signal
import time
from threading import Thread

import psutil
import pytest

from sordino import aggregate, privatize
from sordino.errors import UnavailableError

pytestmark = pytest.mark.spark

SECONDS = 120


def wait_for(condition):
    deadline = time.monotonic() + SECONDS
    while not (found := condition()):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    return found


def stalled(frame, folder):
    """The frame, whose first partition waits when it is computed for the first time, and says who computes it."""

    def stall(batches):
        from pyspark import TaskContext

        context = TaskContext.get()
        yield from batches
        if context.partitionId() == 0 and not (folder / "worker").exists():
            (folder / "written").write_text(str(os.getppid()))
            (folder / "written").rename(folder / "worker")
            time.sleep(SECONDS)

    return frame.mapInArrow(stall, frame.schema)


def test_an_executor_that_is_killed_in_the_middle_changes_no_report(plan, key, table, frame, tmp_path):
    expected = privatize(plan, table, key, id_column="id")
    # In order, so that the partitions are the file's rows one after the other.
    reports = privatize(plan, frame.coalesce(3), key, id_column="id")
    lost = privatize(plan, frame.coalesce(3), key, id_column="id")
    assert lost.schema == reports.schema
    waiting = stalled(lost, tmp_path)
    found = []
    work = Thread(target=lambda: found.append(waiting.toArrow()))
    work.start()
    # Python's workers come from a process that the executor's Java has started.
    daemon = wait_for(lambda: (tmp_path / "worker").exists() and int((tmp_path / "worker").read_text()))
    executor = psutil.Process(daemon).parent()
    assert "java" in executor.name()
    executor.send_signal(signal.SIGKILL)
    work.join(SECONDS)
    assert found[0].column("code").to_pylist() == expected.column("code").to_pylist()
    assert aggregate(plan, reports).counts.tolist() == aggregate(plan, expected).counts.tolist()


def test_executors_that_die_for_good_are_one_error_and_leave_nothing(plan, table, spark, people, tmp_path):
    def die(batches):
        yield from batches
        os.kill(psutil.Process(os.getppid()).ppid(), signal.SIGKILL)

    frame = spark.read.parquet(str(people)).coalesce(1)
    mortal = frame.withColumn("value", frame.value)
    marker = tmp_path / "compared"

    def die_once_compared(batches):
        # The ids are compared first; reports are made afterwards.
        if marker.exists():
            yield from die(batches)
        else:
            yield from batches

    mortal = mortal.mapInArrow(die_once_compared, mortal.schema)
    key = tmp_path / "key"

    def noticed():
        marker.touch()

    with pytest.raises(UnavailableError, match="Spark must be able to finish its work") as raised:
        _privatize_after(noticed, plan, mortal, key, tmp_path / "reports")
    assert "executors that were lost" in raised.value.found
    assert "java" not in str(raised.value).lower()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["compared"]


def _privatize_after(compared, plan, frame, key, output):
    from sordino.tables.spark import engine

    original = engine.compare_ids

    def compare(*arguments):
        rows = original(*arguments)
        compared()
        return rows

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(engine, "compare_ids", compare)
        privatize(plan, frame, id_column="id", key=key, output=output)
