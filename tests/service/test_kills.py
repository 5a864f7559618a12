"""A collector that is killed under load, and one whose disk is full: what was acknowledged is counted, once."""

import http.client
import random
import signal
import socket
import sqlite3
import sys
from contextlib import suppress
from os import kill
from threading import Event, Thread

import pytest

from commands import PATIENCE, started
from reports_sent import BINARY, ids_from, is_problem, on_a_thread, uploaded
from sordino.service.storage.store import ReportStore
from sordino.service.uploads import pack

SERVING = """
import os, socket, sys
from pathlib import Path
import uvicorn
from sordino.service.collector import Collector
from sordino.service.storage.store import ReportStore
from sordino.survey.planning.plan import Plan
plan = Plan.load(sys.argv[2])
listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)
while True:
    child = os.fork()
    if not child:
        store = ReportStore.open(Path(sys.argv[1]), plan)
        uvicorn.Server(uvicorn.Config(Collector(store).application, log_level="critical")).run([listener])
        os._exit(0)
    print(child, flush=True)
    os.waitpid(child, 0)
"""
"""A process that starts a collector again as soon as it was killed; its connections wait meanwhile."""


class Sender(Thread):
    """Sends uploads in any order, each until it is acknowledged, some again, some cut in half."""

    def __init__(self, plan, port, number, over):
        super().__init__()
        self.plan, self.port, self.over, self.draw = plan, port, over, random.Random(number)
        self.next, self.sent, self.wrong, self.count = number << 64, {}, [], 0

    def run(self):
        waiting = []
        while not self.over.is_set() or waiting:
            if not self.over.is_set():
                waiting += [self.fresh() for _ in range(self.draw.randrange(3))]
                if self.draw.random() < 0.2:
                    self.send_half(self.fresh(known=False))
            self.draw.shuffle(waiting)
            if waiting and (answer := self.post(waiting[-1])) is not None:
                self.check(waiting[-1], answer)
                if self.draw.random() < 0.8:
                    waiting.pop()

    def fresh(self, *, known=True):
        size, first = self.draw.randrange(1, 20), self.next
        self.next += 20
        codes = [self.draw.randrange(4) for _ in range(size)]
        if known:
            self.sent |= {first + place: code for place, code in enumerate(codes)}
        return first, codes

    def post(self, upload):
        first, codes = upload
        # Some bring a report again under another code: it fails alone.
        other = self.draw.random() < 0.2
        body = pack(self.plan, uploaded([(codes[0] + 1) % 4, *codes[1:]] if other else codes, first))
        if other:
            body = pack(self.plan, uploaded(codes, first)) + body[:17]
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            connection.request("POST", f"/plans/{self.plan.hash}/reports", body, {"Content-Type": BINARY})
            answer = connection.getresponse()
            return answer.status, answer.read(), len(codes), other
        except (OSError, http.client.HTTPException):
            return None
        finally:
            connection.close()

    def check(self, upload, answer):
        status, body, size, other = answer
        text = body.decode()
        good = status == 200 and (f'"accepted":{size},' in text or f'"repeated":{size},' in text)
        if not good or other != ("an id must be of one report" in text):
            self.wrong.append((status, text))
        self.count += 1

    def send_half(self, upload):
        first, codes = upload
        body = pack(self.plan, uploaded(codes, first))
        head = f"POST /plans/{self.plan.hash}/reports HTTP/1.1\r\nHost: here\r\nContent-Type: {BINARY}\r\n"
        with suppress(OSError), socket.create_connection(("127.0.0.1", self.port), PATIENCE) as connection:
            connection.sendall(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body[: len(body) // 2])


@pytest.mark.long
def test_200_kills_under_load_count_what_was_acknowledged_once(tmp_path, plan):
    over, draw = Event(), random.Random(7)
    plan.save(tmp_path / "plan.json")
    path = tmp_path / "reports.sqlite"
    with started([sys.executable, "-c", SERVING, str(path), str(tmp_path / "plan.json")], stderr=None) as process:
        port = int(process.stdout.readline())
        senders = [Sender(plan, port, number, over) for number in (1, 2)]
        for sender in senders:
            sender.start()
        try:
            for _ in range(200):
                child, before = int(process.stdout.readline()), sum(sender.count for sender in senders)
                goal = before + draw.randrange(8)
                while sum(sender.count for sender in senders) < goal:
                    assert all(sender.is_alive() for sender in senders)
                    over.wait(0.001)
                over.wait(draw.random() / 100)
                kill(child, signal.SIGKILL)
            child = int(process.stdout.readline())
        finally:
            over.set()
            for sender in senders:
                sender.join()
        # The process that starts others first, so that it starts no more.
        process.kill()
        process.wait()
        kill(child, signal.SIGKILL)
    assert [sender.wrong for sender in senders] == [[], []]
    sent = {ids_from(key, 1): code for sender in senders for key, code in sender.sent.items()}
    while True:
        with suppress(sqlite3.OperationalError):
            connection = sqlite3.connect(path, timeout=PATIENCE)
            found = dict(connection.execute("SELECT id, code FROM report"))
            connection.close()
            break
    assert found == sent
    store = ReportStore.open(path, plan)
    assert store.collections[plan.hash].aggregate.n == len(sent)
    store.close()


def test_a_full_disk_is_507_and_takes_the_same_bytes_once_there_is_room(tmp_path, plan):
    store = ReportStore.open(tmp_path / "reports.sqlite", plan)
    store._database._connection.execute("PRAGMA max_page_count = 60")
    with on_a_thread(store) as client:
        sent = 0
        while (answer := client.upload([1] * 500, first=500 * sent)).status == 200:
            sent += 1
        assert sent
        assert is_problem(answer, 507, "database or disk is full")
        assert int(answer.headers["retry-after"]) > 0
        assert client.of_plan("GET", "/progress").json["reports"] == 500 * sent
        assert client.upload([1] * 500).json["repeated"] == 500
        store._database._connection.execute("PRAGMA max_page_count = 1000000")
        assert client.upload([1] * 500, first=500 * sent).json["accepted"] == 500
    again = ReportStore.open(tmp_path / "reports.sqlite", plan)
    assert again.collections[plan.hash].aggregate.n == 500 * (sent + 1)
    again.close()
