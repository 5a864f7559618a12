"""A store in PostgreSQL, on a real server: what is its own."""

import json
import random
from concurrent.futures import ThreadPoolExecutor
from threading import Event, Thread
from time import sleep

import pytest

from reports_sent import on_a_thread, uploaded
from sordino import RefusedError, SordinoError
from sordino.errors import UnavailableError
from sordino.service.storage import collection as collection_file
from sordino.service.storage.database import VERSION
from sordino.service.storage.store import ReportStore
from waits import PATIENCE, joined

NEWER = f"UPDATE sordino.setting SET value = '{VERSION + 1}' WHERE name = 'version'"  # noqa: S608 - a number

pytestmark = pytest.mark.live


@pytest.fixture
def address(empty_postgres):
    return empty_postgres.address


def test_one_collector_holds_the_tables(address, plan):
    store = ReportStore.open(address, plan)
    with pytest.raises(UnavailableError, match="must be free; found another collector"):
        ReportStore.open(address, plan)
    store.close()
    ReportStore.open(address, plan).close()


def test_another_version_and_other_plans_are_refused(postgres, address, plan, other):
    ReportStore.open(address, plan).close()
    with pytest.raises(SordinoError, match="those of another"):
        ReportStore.open(address, other)
    for number in (VERSION - 1, VERSION + 1):
        postgres.do(f"UPDATE sordino.setting SET value = '{number}' WHERE name = 'version'")  # noqa: S608 - a number
        with pytest.raises(SordinoError, match=f"must be of version {VERSION}; found {number}"):
            ReportStore.open(address, plan)


def test_a_server_that_does_not_answer_is_told_without_a_password(tmp_path, plan):
    with pytest.raises(UnavailableError, match="nobody who answers") as caught:
        ReportStore.open(f"postgresql://me:SECRET@/things?host={tmp_path}", plan)
    assert "things" in str(caught.value)
    assert "SECRET" not in str(caught.value)


def test_a_server_that_crashes_under_load_loses_nothing_that_was_acknowledged(postgres, address, plan):
    store = ReportStore.open(address, plan)
    held, over, refused, sent = store.collections[plan.hash], Event(), [], 0

    def crash():
        for _ in range(4):
            postgres.stop()
            postgres.start()
        over.set()

    crashing = Thread(target=crash)
    crashing.start()
    while not over.is_set() or sent < 20:
        upload = uploaded([sent % 4] * 100, first=100 * sent)
        while True:
            try:
                (receipt,) = held.add([upload])
            except UnavailableError as error:
                refused.append(error)
            else:
                break
        assert (receipt.accepted, receipt.repeated) in ((100, 0), (0, 100))
        sent += 1
    joined(crashing, seconds=PATIENCE)
    assert refused
    assert held.aggregate.n == 100 * sent
    store.close()
    again = ReportStore.open(address, plan)
    counts = again.collections[plan.hash].aggregate.counts.tolist()
    assert counts == [100 * len(range(code, sent, 4)) for code in range(4)]
    again.close()


@pytest.mark.parametrize("crashes", [0, 3])
def test_reports_that_come_while_codes_are_forgotten_are_counted_once(postgres, address, plan, monkeypatch, crashes):
    """Four senders with many repeated reports, scrubs one after the other, and a server that crashes under them."""
    monkeypatch.setattr(collection_file, "AT_A_TIME", 50)
    over, ended, scrubbed, refused = Event(), [], [], []

    def send(sender, client):
        draw = random.Random(sender)
        for _ in range(60):
            # Of 3,000 ids each has one code, whoever sends it.
            first = draw.randrange(0, 3000, 10)
            while (answer := client.upload([(first + n) // 7 % 4 for n in range(20)], first=first)).status != 200:
                assert answer.status == 503, answer.body
                refused.append(answer)
            assert answer.json["accepted"] + answer.json["repeated"] == 20
            ended.append(range(first, first + 20))

    def scrub(client):
        while not over.is_set():
            answer = client.as_analyst("POST", "/scrub")
            assert answer.status in (200, 503), answer.body
            scrubbed.append(answer.json.get("scrubbed", 0))

    with on_a_thread(ReportStore.open(address, plan)) as client, ThreadPoolExecutor(5) as pool:
        scrubbing = pool.submit(scrub, client)
        sending = [pool.submit(send, sender, client) for sender in range(4)]
        for crash in range(crashes):
            # A quarter of the uploads apart.
            while len(ended) < 60 * crash + 30:
                sleep(0.01)
            postgres.stop()
            postgres.start()
        for future in sending:
            future.result(PATIENCE)
        over.set()
        scrubbing.result(PATIENCE)
        told = json.loads(client.as_analyst("GET", "/aggregate").body)["counts"]
    sent = {place for reports in ended for place in reports}
    counts = [sum(place // 7 % 4 == code for place in sent) for code in range(4)]
    assert sum(scrubbed) > 0
    assert bool(refused) == bool(crashes)
    assert told == counts
    again = ReportStore.open(address, plan)
    held = again.collections[plan.hash]
    assert held.aggregate.counts.tolist() == counts
    rows, left = postgres.do("SELECT count(*), count(code) FROM sordino.report")[0]
    assert rows == len(sent)
    assert sum(held.scrub()) == left
    assert held.aggregate.counts.tolist() == counts
    again.close()


def test_after_a_restart_what_another_collector_wrote_meanwhile_is_counted(postgres, address, plan):
    store = ReportStore.open(address, plan)
    held = store.collections[plan.hash]
    held.add([uploaded([0, 1, 1])])
    postgres.stop()
    with pytest.raises(UnavailableError, match=r"nobody who answers|a refusal"):
        held.add([uploaded([2], first=3)])
    postgres.start()
    other = ReportStore.open(address, plan)
    theirs = other.collections[plan.hash]
    # As the first one sends it too, and new ones, and codes that are forgotten.
    assert theirs.add([uploaded([2, 3], first=3)])[0].accepted == 2
    assert sum(theirs.scrub()) == 5
    with pytest.raises(UnavailableError, match="must be free; found another collector"):
        held.add([uploaded([2], first=3)])
    other.close()
    assert held.add([uploaded([2, 3, 3], first=3)])[0].accepted == 1
    assert held.aggregate.counts.tolist() == [1, 2, 1, 2]
    # A restart that nobody noticed, at which the other one closed the plan.
    postgres.stop()
    postgres.start()
    other = ReportStore.open(address, plan)
    other.collections[plan.hash].close_to_reports()
    other.close()
    with pytest.raises(UnavailableError):
        held.add([uploaded([0], first=6)])
    with pytest.raises(RefusedError, match="closed plan"):
        held.add([uploaded([0], first=6)])
    store.close()


def test_a_newer_collector_that_came_meanwhile_is_told(postgres, address, plan):
    store = ReportStore.open(address, plan)
    held = store.collections[plan.hash]
    postgres.stop()
    postgres.start()
    postgres.do(NEWER)
    with pytest.raises(UnavailableError):
        held.add([uploaded([0])])
    with pytest.raises(SordinoError, match=f"must be of version {VERSION}; found {VERSION + 1}"):
        held.add([uploaded([0])])
    store.close()
