"""The log says what happens to the collector, and nothing about who asks."""

import json
import logging
from contextlib import contextmanager
from io import StringIO

from sordino.service.log import LOGGER, JsonLines, log_event


@contextmanager
def logged():
    """What is written meanwhile; the handlers of a server that ran in this process stay away."""
    text = StringIO()
    own = logging.StreamHandler(text)
    own.setFormatter(JsonLines())
    before = LOGGER.handlers, LOGGER.level, LOGGER.propagate
    LOGGER.handlers, LOGGER.propagate = [own], False
    LOGGER.setLevel(logging.INFO)
    try:
        yield lambda: json.loads(text.getvalue())
    finally:
        LOGGER.handlers, level, LOGGER.propagate = before
        LOGGER.setLevel(level)


def test_an_event_is_one_line_of_json():
    with logged() as line_of:
        log_event("a plan is closed", plan="sha256:1\n2", by="operator")
    line = line_of()
    assert line.pop("time").endswith("+00:00")
    assert line == {"level": "info", "event": "a plan is closed", "plan": "sha256:1\n2", "by": "operator"}


def test_an_exception_shows_its_type_and_place_and_nothing_that_it_holds():
    with logged() as line_of:
        try:
            int("SECRET")
        except ValueError:
            LOGGER.exception("Exception in ASGI application\n")
    line = line_of()
    assert (line["event"], line["exception"]) == ("Exception in ASGI application", "ValueError")
    assert line["at"][-1].startswith("test_log.py:")
    assert "SECRET" not in json.dumps(line)
