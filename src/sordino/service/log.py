"""The collector's log: one JSON object a line on standard error, for whoever operates it.

A line says what the process does (start, stop, trouble with the store, who closed or scrubbed). It never holds an
address, a header, a body, a report's id or a token: what a peer sends is in no line, whatever goes wrong. Of an
exception it has the type and the lines of code, not the message, which a library may make of data; of what a library
logs, asyncio among them, the constant words.
"""

import json
import logging
import time
import traceback
from datetime import UTC, datetime
from logging.config import dictConfig
from pathlib import Path
from typing import Any

LOGGER = logging.getLogger("sordino.service")

AGAIN = 60.0
"""Seconds in which a warning or an error is not repeated."""

MOST_PLACES = 8
"""Lines of code that are named of an exception, the innermost ones."""


def log_event(event: str, level: int = logging.INFO, **facts: object) -> None:
    """Write a line.

    Args:
        event: what happened, in constant words: warnings and errors in the same words are written once a minute.
        level: of `logging`.
        facts: particulars, each a JSON value.
    """
    LOGGER.log(level, event, extra={"facts": facts})


class JsonLines(logging.Formatter):
    """A record as a JSON object: `time` (UTC, seconds), `level`, `event`, and the facts of the event."""

    def format(self, record: logging.LogRecord) -> str:
        """See the class."""
        second = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="seconds")
        line: dict[str, object] = {"time": second, "level": record.levelname.lower(), "event": _event_of(record)}
        line |= getattr(record, "facts", {})
        kind, _, trace = record.exc_info or (None, None, None)
        if kind is not None:
            line["exception"] = kind.__name__
            frames = traceback.extract_tb(trace)[-MOST_PLACES:]
            line["at"] = [f"{Path(frame.filename).name}:{frame.lineno}" for frame in frames]
        return json.dumps(line)


class SeldomRecords(logging.Filter):
    """Shows each warning and each error once in a while: whoever can cause one would fill a disk with it.

    Errors are the same if their exceptions have one type and were raised at one line.
    """

    def __init__(self) -> None:
        super().__init__()
        self._last: dict[tuple[object, ...], float] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether a record is shown."""
        if record.levelno not in (logging.WARNING, logging.ERROR):
            return True
        now, sort = time.monotonic(), (_event_of(record), *_raised_at(record))
        shown = now - self._last.get(sort, -AGAIN) >= AGAIN
        if shown:
            self._last[sort] = now
        return shown


def log_config() -> dict[str, Any]:
    """How all loggers of a process write: JSON lines on standard error, those of libraries from warnings on."""
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"default": {"()": JsonLines}},
        "filters": {"seldom": {"()": SeldomRecords}},
        "handlers": {
            "default": {
                "class": "logging.StreamHandler",
                "formatter": "default",
                "filters": ["seldom"],
                "stream": "ext://sys.stderr",
            }
        },
        "root": {"handlers": ["default"], "level": "WARNING"},
        "loggers": {LOGGER.name: {"level": "INFO"}},
    }


def start_log() -> None:
    """Have all loggers of the process write as `log_config` says."""
    dictConfig(log_config())


def _event_of(record: logging.LogRecord) -> str:
    """The constant words of a record: without arguments, and without the lines in which asyncio describes objects."""
    return str(record.msg).strip().partition("\n")[0]


def _raised_at(record: logging.LogRecord) -> tuple[object, ...]:
    """The type of a record's exception, and the line that raised it; nothing if it has none."""
    kind, _, trace = record.exc_info or (None, None, None)
    if trace is None:
        return (kind,)
    while trace.tb_next is not None:
        trace = trace.tb_next
    return kind, trace.tb_frame.f_code.co_filename, trace.tb_lineno
