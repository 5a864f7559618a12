"""A store in PostgreSQL, on a real server: what is its own."""

from threading import Event, Thread

import pytest

from reports_sent import uploaded
from sordino.errors import RefusedError, SordinoError, UnavailableError
from sordino.service.storage.store import ReportStore

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


def test_a_newer_version_and_other_plans_are_refused(postgres, address, plan, other):
    ReportStore.open(address, plan).close()
    with pytest.raises(SordinoError, match="those of another"):
        ReportStore.open(address, other)
    postgres.do("UPDATE sordino.setting SET value = '3' WHERE name = 'version'")
    with pytest.raises(SordinoError, match="must be of version 2; found 3"):
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
    crashing.join()
    assert refused
    assert held.aggregate.n == 100 * sent
    store.close()
    again = ReportStore.open(address, plan)
    counts = again.collections[plan.hash].aggregate.counts.tolist()
    assert counts == [100 * len(range(code, sent, 4)) for code in range(4)]
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
    postgres.do("UPDATE sordino.setting SET value = '3' WHERE name = 'version'")
    with pytest.raises(UnavailableError):
        held.add([uploaded([0])])
    with pytest.raises(SordinoError, match="must be of version 2; found 3"):
        held.add([uploaded([0])])
    store.close()
