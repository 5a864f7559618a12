"""A collector that stands by takes the store as soon as the other one ends, and never before."""

from threading import Event, Thread

import pytest

from reports_sent import uploaded
from sordino.errors import DamagedError, UnavailableError
from sordino.service.storage import store as standby
from sordino.service.storage.store import ReportStore, open_store
from waits import joined


def test_who_stands_by_takes_the_place_of_who_ends(place, plan, monkeypatch):
    looked, found = Event(), []
    monkeypatch.setattr(standby, "PAUSE_SECONDS", 0.05)
    monkeypatch.setattr(standby, "sleep", lambda _: looked.set())
    first = ReportStore.open(place, plan)
    first.collections[plan.hash].add([uploaded([0, 1])])
    waiting = Thread(target=lambda: found.append(open_store(lambda: ReportStore.open(place, plan), standby=True)))
    waiting.start()
    assert looked.wait(60)
    first.collections[plan.hash].add([uploaded([2], first=2)])
    assert found == []
    first.close()
    joined(waiting)
    (second,) = found
    assert second.collections[plan.hash].aggregate.counts.tolist() == [1, 1, 1, 0]
    second.close()


def test_whatever_else_is_wrong_is_not_waited_for(tmp_path, plan):
    path = tmp_path / "reports.sqlite"
    held = ReportStore.open(path, plan)
    with pytest.raises(UnavailableError, match="another process"):
        open_store(lambda: ReportStore.open(path, plan), standby=False)
    held.close()
    (tmp_path / "text").write_text("no database at all, but long enough to be looked at" * 100)
    with pytest.raises(DamagedError):
        open_store(lambda: ReportStore.open(tmp_path / "text", plan), standby=True)
