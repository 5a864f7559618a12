"""The Spark session of a command: one that runs already, or one of this machine's own, quiet and closed to others.

Spark needs Java, whose words at its start and after a failure are for whoever runs a cluster: they go nowhere here, and
what went wrong is said by `failure`.
"""

import logging
import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sordino.errors import UnavailableError
from sordino.extras import naming_extra
from sordino.process import ChildGroup, is_asked, put_back

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

JAVA = "openjdk-17-jre-headless"
"""The Debian package that Spark runs on."""

ALONE = {"spark.driver.bindAddress": "127.0.0.1", "spark.driver.host": "127.0.0.1"}
"""Of a session that needs no other machine: none reaches it."""

LIGHT = {"spark.sql.codegen.wholeStage": "false", "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1"}
"""Java hands out pieces of files and adds a few rows: to compile that well takes longer than it saves."""

QUIET = {"spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false", "spark.log.level": "OFF"}
"""No page that listens on a port, no bar and no log on the output of a command."""

ELSEWHERE = ("PYSPARK_GATEWAY_PORT", "PYSPARK_SUBMIT_ARGS", "SPARK_CONF_DIR", "MASTER")
"""In the environment: somebody else says where Spark runs (`spark-submit`, a cluster's settings)."""

CONNECTED = ("PYSPARK_GATEWAY_PORT", "SPARK_REMOTE", "SPARK_CONNECT_MODE_ENABLED")
"""In the environment: Spark runs already, and is not this process's to start or to end."""


def is_spark(given: object) -> bool:
    """Whether something is a frame of Spark, told without loading Spark."""
    return any(
        kind.__name__ == "DataFrame" and kind.__module__.startswith("pyspark.sql") for kind in type(given).__mro__
    )


def session() -> "SparkSession":
    """The session that is running, or a new one: where the environment says, else on this machine's processors.

    Raises:
        UnavailableError: no Spark, no Java, or one that does not start.
    """
    with naming_extra("spark"):
        from pyspark.errors import PySparkException
        from pyspark.sql import SparkSession

    # For as long as the session lives: py4j is interrupted wherever it talks, also outside `spark_errors`.
    logging.getLogger().addFilter(_is_no_trace_of_a_stop)
    if (active := SparkSession.getActiveSession()) is not None:
        return active
    require_java()
    # What py4j logs of its talk with Java where that was interrupted: the user is told that the command was stopped.
    logging.getLogger("py4j").setLevel(logging.CRITICAL)
    settings = {"spark.app.name": "sordino", **QUIET}
    if not any(name in os.environ for name in ELSEWHERE):
        settings |= {"spark.master": "local[*]", **ALONE, **LIGHT}
    try:
        # PySpark takes Ctrl-C for itself, and would cancel jobs in the middle of its own talk with Java.
        with silent(), without_traces(), this_python(), put_back():
            started = _start_session(settings)
    except (PySparkException, OSError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        step = f"Spark 4 needs Java 17 or newer: {JAVA} on Debian; `java -version` says which is found"
        raise UnavailableError("Spark must start", found=reason, step=step) from None
    return started


def _start_session(settings: dict[str, str]) -> "SparkSession":
    from pyspark import SparkConf, SparkContext
    from pyspark.java_gateway import launch_gateway
    from pyspark.sql import SparkSession

    started: Any = SparkContext
    # One process talks to one Java, which outlives a session that was stopped.
    if started._gateway is None and os.name == "posix" and not any(name in os.environ for name in CONNECTED):  # noqa: SLF001 - PySpark tells it nowhere else
        configuration = SparkConf().setAll([*settings.items()])
        started(conf=configuration, gateway=launch_gateway(configuration, _java_group().settings))
    builder: Any = SparkSession.builder
    for name, value in settings.items():
        builder = builder.config(name, value)
    found: SparkSession = builder.getOrCreate()
    return found


@cache
def _java_group() -> ChildGroup:
    """What ends Java with this process: left to itself, one that is still starting goes on."""
    return ChildGroup.open()


def require_java() -> None:
    """Refuse a machine without Java, before Spark fails for want of it in words of its own.

    Raises:
        UnavailableError: none on the path, nor where JAVA_HOME says.
    """
    home = os.environ.get("JAVA_HOME")
    there = (Path(home) / "bin" / "java").is_file() if home else shutil.which("java") is not None
    # A driver that was started from Java has one.
    if not there and "PYSPARK_GATEWAY_PORT" not in os.environ:
        found = f"none in JAVA_HOME, {home}" if home else "none"
        step = f"install {JAVA} (apt-get install {JAVA}), or set JAVA_HOME"
        raise UnavailableError("Spark needs Java 17 or newer", found=found, step=step)


@contextmanager
def this_python() -> Iterator[None]:
    """Have Spark's workers run what runs here, unless somebody says which Python they run."""
    name = "PYSPARK_PYTHON"
    if name in os.environ:
        yield
        return
    os.environ[name] = sys.executable
    try:
        yield
    finally:
        del os.environ[name]


def _is_no_trace_of_a_stop(record: logging.LogRecord) -> bool:
    """Whether a record is another than py4j's of a command that somebody stopped; between commands all are shown."""
    return not is_asked() or _is_ours(record)


def _is_ours(record: logging.LogRecord) -> bool:
    return record.module != "java_gateway"


@contextmanager
def without_traces() -> Iterator[None]:
    """Have an interrupt leave no trace of PySpark's talk with Java on the error output, where its library logs it."""

    def is_ours(record: logging.LogRecord) -> bool:
        # An object of its own for each block, of which the inner one ends first.
        return _is_ours(record)

    root = logging.getLogger()
    root.addFilter(is_ours)
    try:
        yield
    finally:
        root.removeFilter(is_ours)


@contextmanager
def silent() -> Iterator[None]:
    """What is started here inherits an error output that nobody reads: Java's notes, and traces of what has failed."""
    sys.stderr.flush()
    kept = os.dup(2)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)
