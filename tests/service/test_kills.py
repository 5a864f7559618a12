"""A collector that is killed under load, and one whose disk is full: what was acknowledged is counted, once."""

import random
from time import sleep

import pytest

from killed_collector import kill_at_random, require_all_counted_once, sending, stored_codes, wait_for_uploads
from reports_sent import is_problem, on_a_thread
from sordino.service.storage.store import ReportStore


@pytest.mark.long
def test_200_kills_under_load_count_what_was_acknowledged_once(tmp_path, plan):
    draw, path = random.Random(7), tmp_path / "reports.sqlite"
    with sending(path, plan, tmp_path) as (senders, kill_next):
        for _ in range(200):
            kill_at_random(draw, senders, kill_next)
    require_all_counted_once(senders, plan, stored_codes(path), path)


@pytest.mark.live
@pytest.mark.parametrize("kills", [12, pytest.param(200, marks=pytest.mark.long)])
def test_kills_of_a_collector_and_crashes_of_its_database_count_what_was_acknowledged_once(
    tmp_path, plan, empty_postgres, kills
):
    draw, address = random.Random(kills), empty_postgres.address
    with sending(address, plan, tmp_path) as (senders, kill_next):
        for number in range(kills):
            wait_for_uploads(senders, draw.randrange(8))
            sleep(draw.random() / 100)
            if number % 5 == 4:
                # One for each sender may have come from the last one: then this one serves.
                wait_for_uploads(senders, 3)
                empty_postgres.stop()
                before = sum(sender.refused for sender in senders)
                while sum(sender.refused for sender in senders) == before:
                    sleep(0.001)
                empty_postgres.start()
                wait_for_uploads(senders, 2)
            kill_next()
    found = dict(empty_postgres.do("SELECT id, code FROM sordino.report"))
    require_all_counted_once(senders, plan, found, address)


REFUSED = "the collector must be able to use its store; found a refusal"

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
            (507, REFUSED, (FULL,), ("DROP TRIGGER full_disk ON sordino.report",)),
            (503, REFUSED, begin_reading, end_reading),
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
        assert is_problem(answer, 507, REFUSED)
        assert int(answer.headers["retry-after"]) > 0
        assert client.of_plan("GET", "/progress").json["reports"] == 500 * sent
        assert client.upload([1] * 500).json["repeated"] == 500
        store._database._connection.execute("PRAGMA max_page_count = 1000000")
        assert client.upload([1] * 500, first=500 * sent).json["accepted"] == 500
    again = ReportStore.open(tmp_path / "reports.sqlite", plan)
    assert again.collections[plan.hash].aggregate.n == 500 * (sent + 1)
    again.close()
