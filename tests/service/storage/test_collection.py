"""What becomes of reports that are counted: scrubbed, merged, told; and plans that stay listed."""

from contextlib import contextmanager

import numpy as np
import pytest

from reports_sent import uploaded
from sordino import RefusedError, SordinoError
from sordino.errors import UnavailableError
from sordino.service.storage import collection as collection_file
from sordino.service.storage.store import ReportStore
from sordino.service.storage.uploaded_reports import Upload


def test_several_plans_share_a_store_and_no_report(opened, plan, other):
    store = opened(plan, other)
    first, second = (store.collections[each.hash] for each in (plan, other))
    assert first.add([uploaded([0, 1])])[0].accepted == 2
    # The same ids, of another plan.
    assert second.add([uploaded([4, 4])])[0].accepted == 2
    first.close_to_reports()
    with pytest.raises(RefusedError):
        first.add([uploaded([0], first=2)])
    assert second.add([uploaded([3], first=2)])[0].accepted == 1
    again = opened(other, plan)
    assert again.collections[plan.hash].aggregate.counts.tolist() == [1, 1, 0, 0]
    assert again.collections[other.hash].aggregate.counts.tolist() == [0, 0, 0, 1, 2]


def test_a_plan_that_was_served_stays_listed_with_its_day(opened, plan, other, monkeypatch):
    monkeypatch.setattr("sordino.service.storage.store.today", lambda: "2026-01-31")
    opened(plan)
    with pytest.raises(SordinoError, match=r"those of another.*--add"):
        opened(other)
    monkeypatch.setattr("sordino.service.storage.store.today", lambda: "2026-02-01")
    store = opened(other, add=True)
    assert [(each.plan, each.since, each.closed) for each in store.served_plans] == [
        (plan.hash, "2026-01-31", None),
        (other.hash, "2026-02-01", None),
    ]
    # Also where another is served now, and whoever writes by SQL.
    assert store.bytes_of(plan.hash) == plan.bytes
    assert list(store.collections) == [other.hash]
    for statement in ("DELETE FROM plan", "UPDATE plan SET since = '2030-01-01'", "UPDATE plan SET body = 'x'"):
        with pytest.raises(SordinoError):
            store._database.rows(statement)
    assert (store.bytes_of(plan.hash), store.served_plans[0].since) == (plan.bytes, "2026-01-31")


def test_a_listed_plan_is_not_replaced(tmp_path, plan):
    store = ReportStore.open(tmp_path / "reports.sqlite", plan)
    for number, name in ((1, "sha256:other"), (2, plan.hash)):
        with pytest.raises(SordinoError):
            store._database.rows("REPLACE INTO plan VALUES (?, ?, x'00', '2030-01-01')", number, name)
    assert [each.plan for each in store.served_plans] == [plan.hash]
    store.close()


def test_scrubbed_codes_are_gone_and_their_reports_are_not_counted_again(opened, plan, monkeypatch):
    monkeypatch.setattr(collection_file, "AT_A_TIME", 7)
    store = opened(plan)
    held = store.collections[plan.hash]
    codes = [n % 4 for n in range(30)]
    held.add([uploaded(codes)])
    before = held.aggregate.counts.tolist()
    steps = held.scrub()
    next(steps)
    # Others write between two parts, behind and before the place.
    held.add([Upload(b"\0" * 15 + b"\xff", np.array([2], dtype=np.uint64))])
    assert sum(steps) == 30 + 1 - 7
    assert not held.whole
    again = opened(plan).collections[plan.hash]
    before[2] += 1
    assert again.aggregate.counts.tolist() == before
    # Sent again, with the code or another, they stay what they are.
    receipt = again.add([uploaded([(code + 1) % 4 for code in codes])])[0]
    assert (receipt.accepted, receipt.repeated) == (0, 30)
    assert again.aggregate.counts.tolist() == before
    assert opened(plan)._database.rows("SELECT count(*), count(code) FROM report") == [(31, 0)]


def test_a_scrub_that_is_cut_off_counts_each_report_once(opened, plan, monkeypatch):
    monkeypatch.setattr(collection_file, "AT_A_TIME", 7)
    held = opened(plan).collections[plan.hash]
    held.add([uploaded([1] * 20)])
    steps = held.scrub()
    next(steps)
    again = opened(plan).collections[plan.hash]
    assert again.aggregate.counts.tolist() == [0, 20, 0, 0]
    assert sum(again.scrub()) == 13


def test_a_closed_plan_takes_no_tallies(opened, plan):
    held = opened(plan).collections[plan.hash]
    held.close_to_reports()
    with pytest.raises(RefusedError, match="a tally that came late"):
        held.merge(plan.sampled.tally(np.array([3], dtype=np.uint64)))


def test_what_another_collector_did_between_two_sessions_is_known(tmp_path, plan, monkeypatch):
    store = ReportStore.open(tmp_path / "reports.sqlite", plan)
    held, database = store.collections[plan.hash], store._database
    held.add([uploaded([0, 1])])
    for session, code in ((1, 2), (2, 3)):
        database.rows("INSERT INTO report VALUES (1, ?, ?)", bytes([session] * 16), code)
        monkeypatch.setattr(type(database), "session", session)
        if session == 1:
            assert held.aggregate.counts.tolist() == [1, 1, 1, 0]
    held.add([uploaded([3], first=2)])
    assert held.aggregate.counts.tolist() == [1, 1, 1, 2]
    database.rows("INSERT INTO closed VALUES (1, '2026-01-31')")
    monkeypatch.setattr(type(database), "session", 3)
    with pytest.raises(RefusedError, match="closed plan"):
        held.add([uploaded([0], first=3)])
    store.close()


def test_a_commit_that_fails_leaves_nothing_known(tmp_path, plan, monkeypatch):
    store = ReportStore.open(tmp_path / "reports.sqlite", plan)
    held, database = store.collections[plan.hash], store._database
    transaction = type(database).transaction

    @contextmanager
    def told_too_late(self):
        with transaction(self):
            yield
        raise UnavailableError("the commit", found="on disk, and no answer")

    monkeypatch.setattr(type(database), "transaction", told_too_late)
    with pytest.raises(UnavailableError):
        held.add([uploaded([0, 1])])
    monkeypatch.undo()
    assert held.aggregate.counts.tolist() == [1, 1, 0, 0]
    assert held.add([uploaded([0, 1, 2])])[0].repeated == 2
    assert held.aggregate.counts.tolist() == [1, 1, 1, 0]
    store.close()
