"""Collectors that are killed under load, and databases that crash: what was acknowledged is there, once."""

import importlib.util
from pathlib import Path

import pytest

from killed_collector import kill_at_random, require_all_counted_once, sending, stored_codes, wait_for_uploads
from reports_sent import make_plan

pytestmark = pytest.mark.faults

KILLS = 20
"""Of one store, before all that it holds is counted."""


def test_kills_of_a_collector_lose_nothing_that_was_acknowledged(tmp_path, tries, dice):
    plan = make_plan(4)
    for number, draw in enumerate(dice(0.05)):
        folder = tmp_path / str(number)
        folder.mkdir()
        with tries(f"SQLite: {KILLS} kills of its collector").one("a store"):
            with sending(folder / "reports.sqlite", plan, folder) as (senders, kill_next):
                for _ in range(KILLS):
                    kill_at_random(draw, senders, kill_next)
            require_all_counted_once(senders, plan, stored_codes(folder / "reports.sqlite"), folder / "reports.sqlite")
        for sender in senders:
            tries("SQLite: acknowledged uploads").tried += sender.count


def test_crashes_of_postgresql_lose_nothing_that_was_acknowledged(tmp_path, tries, dice, leave_out):
    if importlib.util.find_spec("psycopg") is None or not Path("/usr/lib/postgresql").exists():
        reason = "needs PostgreSQL and psycopg: make test-live installs them"
        leave_out("PostgreSQL: a crash and kills of its collector", reason)
        pytest.skip(reason)
    from postgres_server import postgres_server

    plan = make_plan(4)
    with postgres_server() as server:
        for number, draw in enumerate(dice(0.1)):
            folder = tmp_path / str(number)
            folder.mkdir()
            server.forget()
            with tries("PostgreSQL: a crash and kills of its collector").one("a store"):
                with sending(server.address, plan, folder) as (senders, kill_next):
                    for _ in range(5):
                        kill_at_random(draw, senders, kill_next)
                    wait_for_uploads(senders, 3)
                    server.stop()
                    server.start()
                    wait_for_uploads(senders, 2)
                    kill_next()
                found = dict(server.do("SELECT id, code FROM sordino.report"))
                require_all_counted_once(senders, plan, found, server.address)
            for sender in senders:
                tries("PostgreSQL: acknowledged uploads").tried += sender.count
