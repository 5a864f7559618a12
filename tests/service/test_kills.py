"""A collector that is killed under load, and one whose disk is full: what was acknowledged is counted, once."""

import http.client
import random
import signal
import socket
import sqlite3
import sys
from contextlib import closing, contextmanager, suppress
from os import kill
from threading import Event, Thread
from time import sleep

import numpy as np
import pytest

from commands import PATIENCE, started
from reports_sent import BINARY, ids_from, is_problem, on_a_thread, uploaded
from sordino.service.storage.store import ReportStore
from sordino.service.uploads import pack

SERVING = """
import os, socket, sys, time
import uvicorn
from sordino.errors import UnavailableError
from sordino.service.collector import Collector
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
        if not good or other != ("an id must be of one report" in text):
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
        port = int(process.stdout.readline())
        senders = [Sender(plan, port, number, over) for number in (1, 2)]
        for sender in senders:
            sender.start()
        children = iter(lambda: int(process.stdout.readline()), None)
        try:
            yield senders, lambda: kill(next(children), signal.SIGKILL)
            child = next(children)
        finally:
            over.set()
            for sender in senders:
                sender.join()
        # The process that starts others first, so that it starts no more.
        process.kill()
        process.wait()
        kill(child, signal.SIGKILL)


def wait_for(senders, more):
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


@pytest.mark.long
def test_200_kills_under_load_count_what_was_acknowledged_once(tmp_path, plan):
    draw, path = random.Random(7), tmp_path / "reports.sqlite"
    with sending(path, plan, tmp_path) as (senders, kill_next):
        for _ in range(200):
            wait_for(senders, draw.randrange(8))
            sleep(draw.random() / 100)
            kill_next()
    found = None
    while found is None:
        with suppress(sqlite3.OperationalError), closing(sqlite3.connect(path, timeout=PATIENCE)) as connection:
            found = dict(connection.execute("SELECT id, code FROM report"))
    require_all_counted_once(senders, plan, found, path)


@pytest.mark.live
@pytest.mark.parametrize("kills", [12, pytest.param(200, marks=pytest.mark.long)])
def test_kills_of_a_collector_and_crashes_of_its_database_count_what_was_acknowledged_once(
    tmp_path, plan, empty_postgres, kills
):
    draw, address = random.Random(kills), empty_postgres.address
    with sending(address, plan, tmp_path) as (senders, kill_next):
        for number in range(kills):
            wait_for(senders, draw.randrange(8))
            sleep(draw.random() / 100)
            if number % 5 == 4:
                # One for each sender may have come from the last one: then this one serves.
                wait_for(senders, 3)
                empty_postgres.stop()
                before = sum(sender.refused for sender in senders)
                while sum(sender.refused for sender in senders) == before:
                    sleep(0.001)
                empty_postgres.start()
                wait_for(senders, 2)
            kill_next()
    found = dict(empty_postgres.do("SELECT id, code FROM sordino.report"))
    require_all_counted_once(senders, plan, found, address)


FULL = """
CREATE FUNCTION sordino.fill() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'no room' USING ERRCODE = 'disk_full'; END $$;
CREATE TRIGGER full_disk BEFORE INSERT ON sordino.report EXECUTE FUNCTION sordino.fill()
"""
"""As a server refuses whose disk is full."""


@pytest.mark.live
def test_a_database_that_refuses_to_write_is_507_or_503_and_loses_nothing(plan, empty_postgres):
    store = ReportStore.open(empty_postgres.address, plan)
    setting, reload = "default_transaction_read_only", "SELECT pg_reload_conf()"
    begin_reading = f"ALTER SYSTEM SET {setting} = on", reload
    end_reading = f"ALTER SYSTEM RESET {setting}", reload
    with on_a_thread(store) as client:
        sent = 0
        for status, words, begin, end in (
            (507, "a disk that is full", (FULL,), ("DROP TRIGGER full_disk ON sordino.report",)),
            (503, "a refusal", begin_reading, end_reading),
        ):
            for statement in begin:
                empty_postgres.do(statement)
            # A server reads its settings anew in its own time.
            while (answer := client.upload([1, 2], first=2 * sent)).status == 200:
                sent += 1
            assert is_problem(answer, status, words)
            assert int(answer.headers["retry-after"]) > 0
            assert client.of_plan("GET", "/progress").json["reports"] == 2 * sent
            for statement in end:
                empty_postgres.do(statement)
            while (answer := client.upload([1, 2], first=2 * sent)).status != 200:
                assert answer.status == status
            sent += 1
            assert client.upload([1, 2]).json["repeated"] == 2
        assert client.of_plan("GET", "/progress").json["reports"] == 2 * sent
    again = ReportStore.open(empty_postgres.address, plan)
    assert again.collections[plan.hash].aggregate.counts.tolist() == [0, sent, sent, 0]
    again.close()


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
