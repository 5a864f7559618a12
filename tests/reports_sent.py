"""Plans, uploads and a collector to send them to, for the tests of the service."""

import http.client
import json
import re
import signal
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from collectors import running
from commands import PATIENCE, PROGRAM, started
from sordino.service.storage.uploaded_reports import Erasure, Upload
from sordino.service.uploads import PACKED, pack
from surveys import planned
from waits import line_of, stop

NOTED, STARTED, STOPPED = "an act was noted", "the collector has started", "the collector has stopped"
JSON, BINARY = "application/json", f"{PACKED}; version=1"


def make_plan(k, epsilon="1"):
    tables = {"version": 1, "epsilon": epsilon, "attribute": {"x": {"categories": k}}, "ask": [{"histogram": "x"}]}
    return planned(tables)


def ids_from(first, count):
    return b"".join((first + n).to_bytes(16, "big") for n in range(count))


def erasures(*ids):
    """What takes reports back by their ids, without links."""
    return [Erasure(one) for one in ids]


def uploaded(codes, first=0):
    return Upload(ids_from(first, len(codes)), np.array(codes, dtype=np.uint64))


@dataclass
class Answer:
    status: int
    headers: dict
    body: bytes

    @property
    def json(self):
        return json.loads(self.body)


class Client:
    """Questions to a collector."""

    def __init__(self, plan, port, token=None, metrics=None):
        self.plan, self.port, self.token, self.metrics = plan, port, token, metrics
        self.address = "127.0.0.1"

    def ask(self, method, path, body=None, *, port=None, **headers):
        own = self.address, 0
        connection = http.client.HTTPConnection("127.0.0.1", port or self.port, PATIENCE, own)
        try:
            connection.request(method, path, body, {name.replace("_", "-"): value for name, value in headers.items()})
            answer = connection.getresponse()
            return Answer(answer.status, dict(answer.headers), answer.read())
        finally:
            connection.close()

    def of_plan(self, method, path, body=None, **headers):
        return self.ask(method, f"/plans/{self.plan.hash}{path}", body, **headers)

    def upload(self, codes, first=0, **headers):
        body = pack(self.plan, uploaded(codes, first))
        return self.of_plan("POST", "/reports", body, Content_Type=BINARY, **headers)

    def as_analyst(self, method, path, body=None):
        return self.of_plan(method, path, body, Authorization=f"Bearer {self.token}")


@contextmanager
def on_a_thread(store, *settings, **more):
    """A collector on a thread of this process; a client of the first plan."""
    (plan, *_), token = (held.plan for held in store.collections.values()), store.new_token()
    with running(store, *settings, **more) as port:
        yield Client(plan, port, token)


def is_problem(answer, status, words):
    assert answer.status == status, answer.body
    assert answer.headers["content-type"] == "application/problem+json"
    assert words in answer.json["detail"]
    assert answer.json["status"] == status
    assert answer.json["type"] == f"urn:sordino:error:{answer.json['code']}"
    return True


def log_events(lines):
    """The events of a collector's log, each line of which is an object."""
    return [json.loads(line)["event"] for line in lines.splitlines()]


@contextmanager
def serving(store, plan_file, plan, *options):
    """The command in a process of its own, which is killed at the end if it still runs; a client beside it."""
    command = [*PROGRAM, "serve", str(plan_file), "--store", str(store), "--port", "0", *map(str, options)]
    with started(command) as process:
        said, address = "", None
        while address is None:
            line = line_of(process)
            assert line, process.stderr.read()
            said += line
            address = re.match(r"http://127.0.0.1:(\d+)/plans/(.*)", line)
        assert address.group(2) == plan.hash
        token = re.search("token, shown once: (.*)", said)
        metrics = re.search(r":(\d+)/metrics", said)
        yield (
            Client(plan, int(address.group(1)), token and token.group(1), metrics and int(metrics.group(1))),
            process,
        )


@contextmanager
def served(folder, plan, *options):
    """The same until it is asked to end; what it then printed and ended with."""
    plan.save(folder / "plan.json")
    said = []
    with serving(folder / "reports.sqlite", folder / "plan.json", plan, *options) as (client, process):
        yield client, said
        said += stop(process, signal.SIGTERM)
        said.append(process.returncode)
