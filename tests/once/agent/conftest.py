"""A plan, a record that answers it, and a server that says what a test tells it to."""

import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

from sordino import Plan, Survey
from waits import joined

SURVEY = {
    "version": 1,
    "epsilon": "1",
    "attribute": {"word": {"categories": 100}},
    "ask": [{"histogram": "word"}],
}
RECORD = {"version": 1, "record": {"word": 73}}
KEPT = {"accepted": 1, "repeated": 0, "failures": 0, "failed": []}


@pytest.fixture(scope="session")
def plan():
    return Plan.of(Survey.read(SURVEY), 1000)


@pytest.fixture(scope="session")
def record():
    return RECORD


class Script(ThreadingHTTPServer):
    """Answers in turn: a status, headers and a body, of which a part alone may be sent.

    Attributes:
        answers: those that are left; without any it acknowledges.
        heard: method, path and body of each request.
    """

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), _Handler)
        self.answers, self.heard = [], []

    def says(self, status, body=b"", cut=0, **headers):
        self.answers.append((status, headers, body, cut))

    def address(self, plan_hash):
        return f"http://127.0.0.1:{self.server_port}/plans/{plan_hash}"


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.server.heard.append((self.command, self.path, body))
        known = self.server.answers
        status, headers, content, cut = known.pop(0) if known else (200, {}, json.dumps(KEPT).encode(), 0)
        if status is None:
            self.close_connection = True
            return
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(content[: len(content) - cut])
        self.close_connection = True

    do_GET = do_POST  # noqa: N815 - as the library calls it

    def log_message(self, *_):
        pass


@pytest.fixture
def script():
    """A server that plays a script, on a thread."""
    with Script() as server:
        thread = Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield server
        server.shutdown()
        joined(thread)
