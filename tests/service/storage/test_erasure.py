"""A report that its sender takes back is not counted, and never again; what was there is not shown."""

import numpy as np
import pytest

from reports_sent import erasures, ids_from, uploaded
from sordino.document.invitation_list import invitation_hash
from sordino.service.storage.invitations import link_hashes
from sordino.service.storage.store import ReportStore
from sordino.service.storage.uploaded_reports import Erasure, Upload


def test_an_erased_report_is_not_counted_and_not_taken_again(opened, plan):
    held = opened(plan).collections[plan.hash]
    held.add([uploaded([0, 1, 2, 2])])
    held.erase(erasures(ids_from(2, 1), ids_from(2, 1), ids_from(99, 1)))
    assert held.aggregate.counts.tolist() == [1, 1, 1, 0]
    assert held.aggregate.n == 3
    # Sent again, with its code or another, it is known.
    again = held.add([uploaded([2], first=2), uploaded([3], first=2), uploaded([3], first=4)])
    assert [(one.accepted, one.repeated) for one in again] == [(0, 1), (0, 1), (1, 0)]
    # As a collector that is started anew counts.
    store = opened(plan)
    held = store.collections[plan.hash]
    assert held.aggregate.counts.tolist() == [1, 1, 1, 1]
    assert store._database.rows("SELECT code FROM report WHERE id = ?", ids_from(2, 1)) == [(None,)]
    assert sum(held.scrub()) == 4
    # What was scrubbed is part of a sum: it stays there.
    held.erase(erasures(ids_from(0, 1)))
    assert held.aggregate.counts.tolist() == [1, 1, 1, 1]


def test_a_model_of_a_dictionary_says_the_same(opened, plan):
    draw, codes, gone = np.random.default_rng(5), {}, set()
    held = opened(plan).collections[plan.hash]
    for step in range(60):
        numbers = [int(n) for n in draw.integers(0, 40, 5)]
        if step % 3:
            sent = dict.fromkeys(numbers)
            upload = Upload(b"".join(ids_from(n, 1) for n in sent), np.array([n % 4 for n in sent], dtype=np.uint64))
            held.add([upload])
            codes |= {n: n % 4 for n in sent if n not in gone}
        else:
            held.erase(erasures(*[ids_from(n, 1) for n in numbers]))
            gone |= set(numbers)
            codes = {n: code for n, code in codes.items() if n not in gone}
        assert held.aggregate.counts.tolist() == [list(codes.values()).count(code) for code in range(4)]
    assert len(gone) > 10


def test_a_report_with_public_values_is_taken_back_from_its_group(tmp_path):
    from sordino import Plan, Survey

    tables = {
        "version": 1,
        "epsilon": "1",
        "attribute": {"x": {"categories": 3}},
        "public": {"region": {"categories": ["north", "south"]}},
        "ask": [{"histogram": "x"}],
    }
    plan = Plan.of(Survey.read(tables), 1000)
    store = ReportStore.open(tmp_path / "reports.sqlite", plan)
    held = store.collections[plan.hash]
    numbers = plan.cells.join(np.array([0, 1, 1], dtype=np.uint64), np.array([0, 1, 0], dtype=np.uint64))
    held.add([Upload(ids_from(0, 3), numbers)])
    held.erase(erasures(ids_from(1, 1)))
    found = held.aggregate
    store.close()
    store = ReportStore.open(tmp_path / "reports.sqlite", plan)
    own = store.collections[plan.hash].aggregate
    assert {cell: counts.tolist() for cell, counts in found.cells.items()} == {
        cell: counts.tolist() for cell, counts in own.cells.items()
    }
    assert (found.n, found.counts.tolist()) == (own.n, own.counts.tolist()) == (2, own.counts.tolist())
    store.close()


@pytest.mark.parametrize("key", [0, 50], ids=["known", "unknown"])
def test_each_erasure_writes_and_waits_for_the_disk(tmp_path, plan, key, monkeypatch):
    store = ReportStore.open(tmp_path / "reports.sqlite", plan)
    store.collections[plan.hash].add([uploaded([0, 1])])
    statements, rows = [], type(store._database).rows
    log = lambda self, words, *values: statements.append(words.split(" WHERE")[0]) or rows(self, words, *values)
    monkeypatch.setattr(type(store._database), "rows", log)
    before = (tmp_path / "reports.sqlite-wal").stat().st_size
    store.collections[plan.hash].erase(erasures(ids_from(key, 1)))
    assert [words.split()[0] for words in statements] == ["SELECT", "INSERT", "INSERT", "INSERT"]
    assert (tmp_path / "reports.sqlite-wal").stat().st_size > before
    store.close()


LINKS = [f"{number:032x}" for number in range(1, 9)]


def sent_by(link, plan, number):
    return Upload(ids_from(number, 1), np.array([number % 4], dtype=np.uint64), invitation_hash(plan.hash, link))


def test_a_report_by_a_link_that_was_taken_back_on_its_way_is_not_counted(opened, plan):
    held = opened(plan).collections[plan.hash]
    held.invite([invitation_hash(plan.hash, link) for link in LINKS])
    held.add([sent_by(LINKS[0], plan, 1), sent_by(LINKS[1], plan, 2)])
    # One on its way, one that arrived by the same link, and one by a link that nobody has: this leaves nothing.
    for number, link in ((3, LINKS[2]), (2, LINKS[1]), (4, "f" * 32)):
        held.erase([Erasure(ids_from(number, 1), link_hashes(plan, link, 0))])
    late = held.add([sent_by(LINKS[2], plan, 3), sent_by(LINKS[2], plan, 5), sent_by(LINKS[1], plan, 2)])
    assert [(one.accepted, one.repeated, one.invited) for one in late] == [(0, 1, True)] * 3
    assert (held.aggregate.n, held.used_invitations) == (1, 3)
    # As a collector that is started anew counts; ids of nobody fill nothing.
    store = opened(plan)
    held = store.collections[plan.hash]
    assert (held.aggregate.n, held.used_invitations) == (1, 3)
    assert store._database.rows("SELECT count(*) FROM report") == [(2,)]


def test_a_link_whose_report_came_by_another_one_stays_good(opened, plan):
    """Two of a household on one device: who takes the one report back leaves the other's link as it is."""
    held = opened(plan).collections[plan.hash]
    held.invite([invitation_hash(plan.hash, link) for link in LINKS])
    held.add([sent_by(LINKS[0], plan, 1)])
    held.erase([Erasure(ids_from(1, 1), link_hashes(plan, LINKS[1], 0))])
    assert held.add([sent_by(LINKS[1], plan, 2)])[0].accepted == 1
    assert held.aggregate.n == 1
