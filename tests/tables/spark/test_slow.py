"""Tasks that do not end: another try of each gives the same reports, counted once; a driver that ends leaves none."""

import json
import re
import signal
import subprocess
import sys
import time
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil
import pyarrow.parquet as pq
import pytest

from sordino import SordinoError, aggregate, privatize

pytestmark = pytest.mark.spark

SECONDS = 1800
DRIVER = Path(__file__).with_name("slow_driver.py")
JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
SETTINGS = {
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "OFF",
    "spark.sql.shuffle.partitions": "2",
    "spark.sql.codegen.wholeStage": "false",
    "spark.driver.extraJavaOptions": JAVA,
    "spark.driver.memory": "512m",
}
SPECULATION = {
    "spark.speculation": "true",
    "spark.speculation.interval": "100ms",
    "spark.speculation.multiplier": "1.1",
    "spark.speculation.quantile": "0.1",
    "spark.executor.memory": "512m",
    "spark.executor.extraJavaOptions": JAVA,
}


def wait_for(condition, process):
    deadline = time.monotonic() + SECONDS
    while not (found := condition()):
        assert time.monotonic() < deadline
        assert process.poll() is None, "it has ended"
        time.sleep(0.05)
    return found


def kill(processes):
    """End processes, some of which may have ended."""
    for process in processes:
        with suppress(psutil.NoSuchProcess):
            process.kill()
    psutil.wait_procs(processes)


@contextmanager
def running(words, log):
    """A process, whose words go into a file, and which is ended with all that it has started."""
    with log.open("wb") as output, subprocess.Popen(words, stdout=output, stderr=output) as process:
        try:
            yield process
        finally:
            # One that ended has been waited for, and its number may be another's.
            if process.poll() is None:
                own = psutil.Process(process.pid)
                kill([*own.children(recursive=True), own])


@pytest.fixture
def folder(plan, table, tmp_path):
    """What the driver reads, and an empty folder for what it writes."""
    plan.save(tmp_path / "plan.json")
    pq.write_table(table, tmp_path / "people.parquet")
    (tmp_path / "out").mkdir()
    return tmp_path


@pytest.fixture
def two_machines(tmp_path):
    """A cluster of two workers with addresses of their own: Spark tries a slow task again on another machine only."""
    import pyspark

    run = [str(Path(pyspark.__file__).parent / "bin" / "spark-class")]
    logs = tmp_path / "logs"
    logs.mkdir()
    master = [*run, "org.apache.spark.deploy.master.Master", "--host", "127.0.0.1", "--port", "0", "--webui-port", "0"]
    with running(master, logs / "master") as process:
        sign = re.compile(r"Starting Spark master at (spark://\S+)")
        address = wait_for(lambda: sign.search((logs / "master").read_text()), process)[1]
        worker = [*run, "org.apache.spark.deploy.worker.Worker", "--cores", "1", "--memory", "1g", "--webui-port", "0"]
        hosts = [[*worker, "--host", f"127.0.0.{n}", "--work-dir", str(logs / f"{n}"), address] for n in (2, 3)]
        with running(hosts[0], logs / "first"), running(hosts[1], logs / "second"):
            yield address


def test_a_slow_try_and_a_second_one_give_the_same_reports_counted_once(plan, key, table, folder, two_machines):
    settings = SETTINGS | SPECULATION | {"spark.master": two_machines}
    words = [sys.executable, str(DRIVER), str(folder), json.dumps(settings)]
    with running(words, folder / "log") as driver:
        assert driver.wait(SECONDS) == 0, (folder / "log").read_text()[-2000:]
    # Each of the two actions had a first try, which did not end, and a second one.
    tries = [f"action {action}, try {number}" for action in (1, 2) for number in (0, 1)]
    assert sorted((folder / "tries").read_text().splitlines()) == tries
    expected = privatize(plan, table, key, id_column="id")
    found = pq.read_table(folder / "out" / "reports")
    assert sorted(found.column("code").to_pylist()) == sorted(expected.column("code").to_pylist())
    assert len(list((folder / "out" / "reports").glob("part-*"))) == 3
    counts = aggregate(plan, expected).counts.tolist()
    assert json.loads((folder / "counts.json").read_text()) == counts
    assert [path.name for path in (folder / "out").iterdir()] == ["reports"]


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM], ids=["interrupted", "terminated"])
def test_a_driver_that_is_stopped_while_tasks_write_leaves_no_reports(plan, folder, spark, stop):
    settings = SETTINGS | {"spark.master": "local[2]"}
    out = folder / "out"
    with running([sys.executable, str(DRIVER), str(folder), json.dumps(settings)], folder / "log") as driver:
        # One task waits, the others have written their files.
        wait_for(lambda: (folder / "tries").exists() and len(list(out.glob(".*.writing/part-*"))) == 2, driver)
        started = psutil.Process(driver.pid).children(recursive=True)
        driver.send_signal(stop)
        assert driver.wait(SECONDS) != 0
        kill(started)
    left = list(out.iterdir())
    assert all(path.name.startswith(".reports.") for path in left)
    assert stop != signal.SIGINT or not left
    for path in [out, *left]:
        with pytest.raises(SordinoError, match=r"must be a folder that was written to its end|must hold Parquet files"):
            aggregate(plan, path, engine="spark")
