"""What goes wrong on an executor, told on the driver: a SordinoError in its own words, never a trace of Java."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from sordino.errors import DamagedError, RefusedError, SordinoError, UnavailableError
from sordino.process import is_asked
from sordino.tables.spark.session import without_traces

MARK = re.compile(r"sordino<(\{.*\})>", re.MULTILINE)
"""The facts of an error within the trace that Spark hands on: JSON in one line, ASCII only."""

KINDS: dict[str, type[SordinoError]] = {
    kind.code: kind for kind in (SordinoError, DamagedError, RefusedError, UnavailableError)
}

REASONS = {
    "ExecutorLostFailure": "executors that were lost, one after the other",
    "Python worker exited unexpectedly": "Python processes that ended in the middle",
    "No module named 'sordino": "a machine without Sordino",
    "FileNotFoundException": "files that have gone, or that not all machines see",
    "PATH_ALREADY_EXISTS": "a folder that is there already",
    "No space left on device": "no space left on device",
    "OutOfMemoryError": "too little memory",
    "was cancelled": "a job that somebody stopped",
    "SparkContext was shut down": "a session that has ended",
}
"""What Spark's words mean; the first that stands in them. The words themselves may quote values."""


class TaskError(Exception):
    """A SordinoError on its way through Spark, which keeps an exception's text and nothing else of it."""

    def __init__(self, error: SordinoError) -> None:
        super().__init__(f"{error} sordino<{json.dumps(error.facts())}>")


@contextmanager
def error_for_driver() -> Iterator[None]:
    """In a task: errors in a form that the driver understands."""
    try:
        yield
    except SordinoError as error:
        raise TaskError(error) from None


@contextmanager
def spark_errors() -> Iterator[None]:
    """On the driver: what Spark raises as a SordinoError.

    Raises:
        SordinoError: what a task found wrong, or why Spark could not finish.
    """
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    with without_traces():
        try:
            yield
        except KeyboardInterrupt:
            _cancel()
            raise
        except (PySparkException, Py4JError) as error:
            if is_asked():
                _cancel()
                raise KeyboardInterrupt from None
            raise of_trace(str(error)) from None


def _cancel() -> None:
    from py4j.protocol import Py4JError
    from pyspark.sql import SparkSession

    # Without Java there are none.
    with suppress(Py4JError):
        if (active := SparkSession.getActiveSession()) is not None:
            active.sparkContext.cancelAllJobs()


def of_trace(trace: str) -> SordinoError:
    """The error that a trace of Spark's is about: a task's own, or what Spark's words mean."""
    found = MARK.search(trace)
    if found is not None:
        facts = json.loads(found[1])
        return KINDS[facts["code"]](facts["rule"], found=facts["found"], step=facts["step"])
    reason = next((reason for sign, reason in REASONS.items() if sign in trace), "another failure")
    step = "see Spark's own log for the trace; nothing was written, and the same key gives the same reports again"
    return UnavailableError("Spark must be able to finish its work", found=reason, step=step)
