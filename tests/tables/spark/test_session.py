"""A command that starts Spark itself: quiet where it ends well, and one line where it cannot."""

import json
import os
import subprocess

import pytest

from sordino import privatize

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
