"""One thread writes for all, whatever becomes of those who sent."""

import asyncio
from contextlib import asynccontextmanager
from threading import Event

import pytest

from reports_sent import uploaded
from sordino.errors import UnavailableError
from sordino.service import writer
from sordino.service.storage.store import ReportStore
from sordino.service.writer import UploadWriter


@pytest.fixture
def store(tmp_path, plan):
    held = ReportStore.open(tmp_path / "reports.sqlite", plan)
    yield held
    held.close()


@asynccontextmanager
async def writing(store):
    made = UploadWriter(store, asyncio.get_running_loop())
    try:
        yield made
    finally:
        await asyncio.to_thread(made.stop)


def test_who_goes_away_stops_nobody_and_what_they_sent_is_kept(store):
    (collection,) = store.collections.values()

    async def work():
        goes_on = Event()
        async with writing(store) as writer:
            held = writer.do(lambda _: goes_on.wait(60))
            gone, stays = (writer.add(collection, uploaded([code], first=code)) for code in (0, 1))
            assert gone.cancel()
            goes_on.set()
            assert await held
            assert (await stays).accepted == 1
            assert await writer.do(lambda _: collection.aggregate.n) == 2

    asyncio.run(work())


def test_what_waits_while_others_are_written_is_one_commit_and_told_after_it(store, monkeypatch):
    (collection,) = store.collections.values()
    commits, add = [], collection.add
    monkeypatch.setattr(type(collection), "add", lambda _, uploads: commits.append(len(uploads)) or add(uploads))

    async def work():
        begun, goes_on = Event(), Event()
        async with writing(store) as writer:
            writer.do(lambda _: begun.set() or goes_on.wait(60))
            assert begun.wait(60)
            waiting = [writer.add(collection, uploaded([code % 4], first=code)) for code in range(50)]
            assert writer.queue_length == 50
            goes_on.set()
            assert [receipt.accepted for receipt in await asyncio.gather(*waiting)] == [1] * 50

    asyncio.run(work())
    assert commits == [50]


def test_a_small_upload_waits_for_no_large_ones_and_these_are_written_in_parts(store, monkeypatch):
    (collection,) = store.collections.values()
    monkeypatch.setattr(writer, "SMALL", 2)
    monkeypatch.setattr(writer, "MOST_TOGETHER", 10)
    monkeypatch.setattr(writer, "MOST_LARGE", 5)
    commits, add = [], collection.add
    monkeypatch.setattr(
        type(collection), "add", lambda _, uploads: commits.append([len(each) for each in uploads]) or add(uploads)
    )

    async def work():
        begun, goes_on = Event(), Event()
        async with writing(store) as made:
            made.do(lambda _: begun.set() or goes_on.wait(60))
            assert begun.wait(60)
            sizes = [4, 5, 3, 40, 3]
            waiting = [made.add(collection, uploaded([1] * size, first=100 * size)) for size in sizes]
            with pytest.raises(writer.FullQueueError):
                made.add(collection, uploaded([1] * 3))
            waiting += [made.add(collection, uploaded([1], first=code)) for code in range(2)]
            assert made.queue_length == 7
            goes_on.set()
            receipts = await asyncio.gather(*waiting)
            assert [receipt.accepted + receipt.repeated for receipt in receipts] == [*sizes, 1, 1]
            assert made.queue_length == 0

    asyncio.run(work())
    assert commits == [[1, 1, 4, 5], [3], [40], [3]]


def test_a_writer_that_ends_writes_what_waits_and_takes_nothing_more(store):
    (collection,) = store.collections.values()

    async def work():
        async with writing(store) as writer:
            last = writer.add(collection, uploaded([1]))
        assert (await last).accepted == 1
        with pytest.raises(UnavailableError, match="one that ends"):
            writer.do(lambda _: None, always=True)

    asyncio.run(work())


def test_an_error_is_told_to_who_asked_and_the_writer_goes_on(store):
    async def work():
        async with writing(store) as writer:
            with pytest.raises(ZeroDivisionError):
                await writer.do(lambda _: 1 // 0)
            assert await writer.do(lambda _: "well") == "well"

    asyncio.run(work())
