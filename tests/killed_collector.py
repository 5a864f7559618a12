"""A collector that is killed under load and started again, with senders that know what was acknowledged."""

import http.client
import random
import socket
import sqlite3
import sys
from contextlib import closing, contextmanager, suppress
from os import kill
from signal import SIGKILL
from threading import Event, Thread
from time import sleep

import numpy as np

from commands import PATIENCE, started
from reports_sent import BINARY, ids_from, uploaded
from sordino.service.storage.store import ReportStore
from sordino.service.uploads import pack
from waits import joined, line_of

SERVING = """
import os, socket, sys, time
from sordino.errors import UnavailableError
from sordino.service.collector import Collector
from sordino.service.server import BoundedServer
from sordino.service.storage.store import ReportStore
from sordino.survey.planning.plan import Plan
plan = Plan.load(sys.argv[2])
listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)
while True:
    child = os.fork()
    if not child:
        store = None
        while store is None:
            try:
                store = ReportStore.open(sys.argv[1], plan)
            except UnavailableError:
                time.sleep(0.01)
        BoundedServer(Collector(store).application, log_level="critical").run([listener])
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
        self.next, self.sent, self.wrong, self.count, self.refused = number << 64, {}, [], 0, 0

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
            if answer.status == 503:
                self.refused += 1
                return None
            return answer.status, answer.read(), len(codes), other
        except (OSError, http.client.HTTPException):
            return None
        finally:
            connection.close()

    def check(self, upload, answer):
        status, body, size, other = answer
        text = body.decode()
        good = status == 200 and (f'"accepted":{size},' in text or f'"repeated":{size},' in text)
        if not good or other != ("an id must belong to one report" in text):
            self.wrong.append((status, text))
        self.count += 1

    def send_half(self, upload):
        first, codes = upload
        body = pack(self.plan, uploaded(codes, first))
        head = f"POST /plans/{self.plan.hash}/reports HTTP/1.1\r\nHost: here\r\nContent-Type: {BINARY}\r\n"
        with suppress(OSError), socket.create_connection(("127.0.0.1", self.port), PATIENCE) as connection:
            connection.sendall(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body[: len(body) // 2])


@contextmanager
def sending(place, plan, folder):
    """Two senders to a collector that is started again whenever it was killed: the senders, and what kills it next."""
    over = Event()
    plan.save(folder / "plan.json")
    with started([sys.executable, "-c", SERVING, str(place), str(folder / "plan.json")], stderr=None) as process:
        port = int(line_of(process))
        senders = [Sender(plan, port, number, over) for number in (1, 2)]
        for sender in senders:
            sender.start()
        children = iter(lambda: int(line_of(process)), None)
        try:
            yield senders, lambda: kill(next(children), SIGKILL)
            child = next(children)
        finally:
            over.set()
            joined(*senders, seconds=PATIENCE)
        # The process that starts others first, so that it starts no more.
        process.kill()
        process.wait(PATIENCE)
        kill(child, SIGKILL)


def wait_for_uploads(senders, more):
    """Until so many more uploads are acknowledged."""
    goal = sum(sender.count for sender in senders) + more
    while sum(sender.count for sender in senders) < goal:
        assert all(sender.is_alive() for sender in senders)
        sleep(0.001)


def require_all_counted_once(senders, plan, found, place):
    """What is there is what was sent, and the tally is theirs."""
    assert [sender.wrong for sender in senders] == [[], []]
    sent = {ids_from(key, 1): code for sender in senders for key, code in sender.sent.items()}
    assert found == sent
    store = ReportStore.open(place, plan)
    counts = np.bincount(list(sent.values()), minlength=4)
    assert store.collections[plan.hash].aggregate.counts.tolist() == counts.tolist()
    store.close()


def kill_at_random(draw, senders, kill_next):
    """One kill, at some moment after some uploads."""
    wait_for_uploads(senders, draw.randrange(8))
    sleep(draw.random() / 100)
    kill_next()


def stored_codes(path):
    """The code of each id in a SQLite store."""
    while True:
        with suppress(sqlite3.OperationalError), closing(sqlite3.connect(path, timeout=PATIENCE)) as connection:
            return dict(connection.execute("SELECT id, code FROM report"))
