"""One thread writes for all, whatever becomes of those who sent."""

from threading import Event

import pytest

from reports_sent import uploaded
from sordino.errors import UnavailableError
from sordino.service.storage.store import ReportStore
from sordino.service.writer import UploadWriter


@pytest.fixture
def store(tmp_path, plan):
    held = ReportStore.open(tmp_path / "reports.sqlite", plan)
    yield held
    held.close()


@pytest.fixture
def writer(store):
    made = UploadWriter(store)
    yield made
    made.stop()


def test_who_goes_away_stops_nobody_and_what_they_sent_is_kept(store, writer):
    (collection,) = store.collections.values()
    goes_on = Event()
    held = writer.do(lambda _: goes_on.wait(60))
    gone, stays = (writer.add(collection, uploaded([code], first=code)) for code in (0, 1))
    assert gone.cancel()
    goes_on.set()
    assert held.result(60)
    assert stays.result(60).accepted == 1
    assert writer.do(lambda _: collection.aggregate.n).result(60) == 2


def test_a_writer_that_ends_takes_nothing_more(store):
    ended = UploadWriter(store)
    ended.stop()
    with pytest.raises(UnavailableError, match="one that ends"):
        ended.do(lambda _: None, always=True)


def test_an_error_is_told_to_who_asked_and_the_writer_goes_on(writer):
    asked = writer.do(lambda _: 1 // 0)
    with pytest.raises(ZeroDivisionError):
        asked.result(60)
    assert writer.do(lambda _: "well").result(60) == "well"
