"""The collector's log: one JSON object a line on standard error, for whoever operates it.

A line says what the process does (start, stop, trouble with the store, who closed or scrubbed). It never holds an
address, a header, a body, a report's id or a token: what a peer sends is in no line, whatever goes wrong. Of an
exception it has the type and the lines of code, not the message, which a library may make of data.
"""

import json
import logging
import traceback
from datetime import UTC, datetime
from pathlib import Path

LOGGER = logging.getLogger("sordino.service")

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
        time = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="seconds")
        event, level = record.getMessage().strip(), record.levelname.lower()
        line: dict[str, object] = {"time": time, "level": level, "event": event}
        line |= getattr(record, "facts", {})
        kind, _, trace = record.exc_info or (None, None, None)
        if kind is not None:
            line["exception"] = kind.__name__
            frames = traceback.extract_tb(trace)[-MOST_PLACES:]
            line["at"] = [f"{Path(frame.filename).name}:{frame.lineno}" for frame in frames]
        return json.dumps(line)
