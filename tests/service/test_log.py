"""The log says what happens to the collector, and nothing about who asks."""

import json
import logging
import subprocess
import sys
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


def test_what_a_library_says_is_a_line_too_in_its_constant_words():
    script = (
        "import asyncio, logging; from sordino.service.log import start_log; start_log()\n"
        "loop = asyncio.new_event_loop()\n"
        "loop.call_exception_handler({'message': 'Task exception was never retrieved', 'future': 'SECRET',"
        " 'exception': ValueError('SECRET')})\n"
        "logging.getLogger('psycopg').warning('error ignored: %s', 'SECRET')\n"
        "logging.getLogger('psycopg').info('unseen')\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60)
    lines = [json.loads(line) for line in done.stderr.splitlines()]
    assert [(line["level"], line["event"]) for line in lines] == [
        ("error", "Task exception was never retrieved"),
        ("warning", "error ignored: %s"),
    ]
    assert lines[0]["exception"] == "ValueError"
    assert "SECRET" not in done.stderr
