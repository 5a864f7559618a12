"""A command that starts Spark itself: quiet where it ends well, and one line where it cannot."""

import json
import os
import signal
import subprocess

import psutil
import pyarrow.parquet as pq
import pytest

from commands import started
from sordino import privatize
from sordino.process import STOPS
from waits import PATIENCE, has_ended, stop, wait_for

pytestmark = pytest.mark.spark

SECONDS = 300


@pytest.fixture
def tally(plan, table, tmp_path, program):
    """Tally reports with Spark in a process of its own."""
    plan.save(tmp_path / "plan.json")
    privatize(plan, table, output=tmp_path / "reports.parquet")

    def command(**environment):
        words = [
            *program,
            "aggregate",
            "plan.json",
            "reports.parquet",
            "-o",
            "tally.json",
            "--engine",
            "spark",
            "--json",
        ]
        return subprocess.run(
            words,
            capture_output=True,
            text=True,
            check=False,
            timeout=SECONDS,
            cwd=tmp_path,
            env={name: value for name, value in os.environ.items() if not name.startswith("PYSPARK")} | environment,
        )

    return command


def test_a_command_starts_spark_and_says_nothing_of_it(tally):
    done = tally()
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["n"] == 3000


def test_a_machine_without_java_is_told_the_package(tally, tmp_path):
    done = tally(PATH="", JAVA_HOME="")
    assert done.returncode == 5
    assert json.loads(done.stdout)["error"]["step"].startswith("install openjdk-17-jre-headless")
    assert done.stderr.count("\n") <= 1
    assert not (tmp_path / "tally.json").exists()


def test_a_java_that_does_not_start_is_no_trace(tally, tmp_path):
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "java").write_text("#!/bin/sh\necho 'Exception in thread main' >&2\nexit 1\n")
    (tmp_path / "bin" / "java").chmod(0o755)
    done = tally(JAVA_HOME=str(tmp_path))
    assert done.returncode == 5
    assert "Spark 4 needs Java 17 or newer" in json.loads(done.stdout)["error"]["step"]
    assert "Exception" not in done.stderr


@pytest.mark.parametrize("number", [*STOPS, signal.SIGKILL])
def test_a_stop_while_java_starts_ends_java_and_nobody_waits(plan, table, tmp_path, program, number):
    (tmp_path / "bin").mkdir()
    # A Java that never starts.
    (tmp_path / "bin" / "java").write_text(
        "#!/bin/sh\necho $$ > java.pid.new; mv java.pid.new java.pid; exec sleep 600\n"
    )
    (tmp_path / "bin" / "java").chmod(0o755)
    plan.save(tmp_path / "plan.json")
    pq.write_table(table, tmp_path / "people.parquet")
    words = ["privatize", "plan.json", "people.parquet", "-o", "out", "--engine", "spark", "--key", "key", "--id", "id"]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYSPARK")}
    environment |= {"JAVA_HOME": str(tmp_path)}
    with started([*program, *words], cwd=tmp_path, env=environment) as process:
        wait_for((tmp_path / "java.pid").exists, "Java to start", PATIENCE, process)
        java = psutil.Process(int((tmp_path / "java.pid").read_text()))
        output, errors = stop(process, number)
    assert output == ""
    if number != signal.SIGKILL:
        assert (process.returncode, errors.strip()) == (130, "sordino: stopped; nothing half-written was left")
    wait_for(lambda: has_ended(java), "the end of Java")
    assert not (tmp_path / "out").exists()


def test_what_py4j_says_of_an_interrupted_talk_with_java_is_not_printed(program):
    """The race that makes it speak comes once in many stops: a connection that is shut down while it is read."""
    script = "import logging; from sordino.tables.spark.session import session; session()"
    script += "; logging.basicConfig(); logging.getLogger('py4j.clientserver').error('a trace')"
    done = subprocess.run(
        [program[0], "-c", script], capture_output=True, encoding="utf-8", check=True, timeout=PATIENCE
    )
    assert (done.stdout, done.stderr) == ("", "")


INTERRUPTED = """
import logging, os, signal
from sordino.process import interrupt_at_stops
from sordino.tables.spark.session import session
spark = session()
from py4j.clientserver import ClientServerConnection
ClientServerConnection.send_command = lambda *_: signal.raise_signal(signal.SIGINT)
with interrupt_at_stops():
    try:
        spark.range(3)
    except KeyboardInterrupt:
        print("stopped", flush=True)
log = logging.getLogger()
record = log.makeRecord("root", logging.ERROR, "java_gateway.py", 1, "of another command", (), None)
log.handle(record)
os._exit(0)
"""


def test_an_interrupt_at_any_call_to_java_prints_no_trace_and_hides_no_later_one(program):
    """Also at a call outside the blocks that turn Java's traces into errors, as most are that make a frame."""
    done = subprocess.run(
        [program[0], "-c", INTERRUPTED], capture_output=True, encoding="utf-8", check=True, timeout=PATIENCE
    )
    assert (done.stdout, done.stderr) == ("stopped\n", "ERROR:root:of another command\n")


def test_a_stop_while_spark_works_prints_one_sentence(plan, table, tmp_path, program):
    """PySpark's own handler would print how it was interrupted in its talk with Java."""
    plan.save(tmp_path / "plan.json")
    pq.write_table(table, tmp_path / "people.parquet")
    words = ["privatize", "plan.json", "people.parquet", "-o", "out", "--engine", "spark", "--key", "key", "--id", "id"]
    with started([*program, *words], cwd=tmp_path) as process:
        # Its folder is made when ids are compared, between two of its jobs.
        wait_for(lambda: [*tmp_path.glob(".out.*")], "the first file", PATIENCE, process)
        children = psutil.Process(process.pid).children(recursive=True)
        output, errors = stop(process)
    assert (process.returncode, output, errors.strip()) == (130, "", "sordino: stopped; nothing half-written was left")
    assert [*tmp_path.glob(".out.*"), *tmp_path.glob("out")] == []
    wait_for(lambda: not psutil.wait_procs(children, 0)[1], "the end of Java")
