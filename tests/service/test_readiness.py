"""A collector that cannot take reports says so, in one word in public, and by its checks to whoever operates it."""

import asyncio
import json
import socket
from contextlib import contextmanager
from threading import Event

import pytest

from reports_sent import is_problem, on_a_thread, uploaded
from sordino.errors import UnavailableError
from sordino.service import readiness as health_file
from sordino.service.metrics import Metrics, MetricsServer
from sordino.service.readiness import Health
from sordino.service.storage.store import ReportStore
from sordino.service.writer import UploadWriter

PRIVATE = "/var/lib/secret/reports.sqlite"
WELL = {"writer": True, "store": True, "commit": True, "room": True}


@pytest.fixture
def store(tmp_path, plan):
    return ReportStore.open(tmp_path / "reports.sqlite", plan)


@contextmanager
def watched(store):
    """A client, and what the port of the metrics says of readiness."""
    metrics = Metrics()
    with (
        socket.create_server(("127.0.0.1", 0)) as listener,
        MetricsServer(metrics, listener),
        on_a_thread(store, 1, None, metrics) as client,
    ):
        # It has started.
        assert client.ask("GET", "/livez").status == 200
        yield client, lambda: client.ask("GET", "/readyz", port=listener.getsockname()[1])


def log_of(text):
    return [json.loads(line) for line in text.splitlines()]


def test_a_store_that_refuses_is_not_ready_until_a_commit_succeeds(store, monkeypatch, capfd):
    monkeypatch.setattr(health_file, "AGAIN_SECONDS", 0.0)
    database = type(store._database)
    with watched(store) as (client, checks):
        assert client.ask("GET", "/readyz").json == {"status": "ready"}
        assert checks().json == {"status": "ready", "checks": WELL}

        def refuse(_):
            raise UnavailableError(f"{PRIVATE} must be written", found="a refusal")

        with monkeypatch.context() as broken:
            broken.setattr(database, "transaction", refuse)
            answers = [client.upload([1]), client.upload([2], first=1), client.ask("GET", "/readyz")]
            assert (answers[2].status, answers[2].json) == (503, {"status": "not ready"})
            found = checks()
            assert (found.status, found.json["checks"]) == (503, WELL | {"commit": False, "store": False})
            assert client.ask("GET", "/livez").status == 200
        for answer in answers[:2]:
            assert is_problem(answer, 503, "must be able to use its store; found a refusal")
            assert int(answer.headers["retry-after"]) > 0
        assert not any(PRIVATE.encode() in answer.body for answer in (*answers, found))
        # The probe itself commits: nobody has to send a report before the collector is ready again.
        assert client.ask("GET", "/readyz").json == {"status": "ready"}
        assert checks().json["checks"] == WELL
    lines = [line for line in log_of(capfd.readouterr().err) if "store" in line["event"]]
    assert [line["event"] for line in lines] == ["the store refuses", "the store's trouble has ended"]
    assert (lines[0]["level"], lines[0]["error"]) == ("error", f"{PRIVATE} must be written; found a refusal.")


def test_a_disk_without_room_is_not_ready(store, monkeypatch):
    monkeypatch.setattr(type(store._database), "free_bytes", health_file.LEAST_ROOM - 1)
    with watched(store) as (client, checks):
        assert client.ask("GET", "/readyz").status == 503
        assert checks().json["checks"] == WELL | {"room": False}
        # It still takes what there is room for.
        assert client.upload([1]).status == 200


def test_tables_of_another_version_are_not_ready(store, monkeypatch):
    monkeypatch.setattr(type(store._database), "version", 99)
    with watched(store) as (_, checks):
        assert checks().json["checks"] == WELL | {"store": False}


def test_a_slow_store_is_asked_once_however_many_ask(store, monkeypatch):
    monkeypatch.setattr(health_file, "PROBE_SECONDS", 0.05)
    monkeypatch.setattr(health_file, "AGAIN_SECONDS", 0.0)
    (collection,) = store.collections.values()

    async def work():
        goes_on, writer = Event(), UploadWriter(store, asyncio.get_running_loop())
        health = Health(writer)
        held = writer.do(lambda _: goes_on.wait(60))
        for _ in range(3):
            found = await asyncio.gather(*(health.readiness() for _ in range(20)))
            assert not any(one.is_ready for one in found)
        assert writer.queue_length <= 1
        goes_on.set()
        await held
        assert (await writer.add(collection, uploaded([1]))).accepted == 1
        assert (await health.readiness()).is_ready
        await asyncio.to_thread(writer.stop)
        assert not health.is_alive
        assert (await health.readiness()).checks == WELL | {"writer": False, "store": False}

    asyncio.run(work())
    store.close()


@pytest.mark.live
def test_a_database_that_is_gone_is_not_ready_and_comes_back_by_itself(plan, empty_postgres, monkeypatch, capfd):
    monkeypatch.setattr(health_file, "AGAIN_SECONDS", 0.0)
    store = ReportStore.open(empty_postgres.address, plan)
    with watched(store) as (client, checks):
        assert checks().json["checks"] == WELL
        empty_postgres.stop()
        assert checks().status == 503
        answer = client.upload([1])
        assert is_problem(answer, 503, "must be able to use its store")
        assert b"postgres" not in answer.body
        assert b"postgres" not in client.ask("GET", f"/plans/{plan.hash}").body
        empty_postgres.start()
        assert checks().json["checks"] == WELL
        assert client.upload([1]).status == 200
    events = [line["event"] for line in log_of(capfd.readouterr().err)]
    assert events.count("the store refuses") == 1
    assert events.count("the store's trouble has ended") == 1


def test_a_collector_that_has_ended_is_not_ready_and_shows_what_was_counted_last(store):
    metrics = Metrics()
    with socket.create_server(("127.0.0.1", 0)) as listener, MetricsServer(metrics, listener):
        with on_a_thread(store, 1, None, metrics) as client:
            client.upload([0, 1, 2])
        port = listener.getsockname()[1]
        found = client.ask("GET", "/readyz", port=port)
        assert (found.status, found.json) == (503, {"status": "not ready", "checks": {}})
        assert client.ask("GET", "/livez", port=port).status == 200
        assert (
            f'sordino_plan_reports{{plan="{client.plan.hash}"}} 3.0'
            in client.ask("GET", "/metrics", port=port).body.decode()
        )


def test_metrics_show_the_last_count_while_another_one_is_written(store, plan, monkeypatch):
    collection, seen = store.collections[plan.hash], []
    collection.add([uploaded([0, 1])])
    insert = type(collection)._insert

    def watched_insert(self, uploads):
        seen.append(self.last_known)
        return insert(self, uploads)

    monkeypatch.setattr(type(collection), "_insert", watched_insert)
    collection.add([uploaded([2], first=2)])
    with monkeypatch.context() as broken:
        broken.setattr(type(collection), "_insert", lambda *_: 1 // 0)
        with pytest.raises(ZeroDivisionError):
            collection.add([uploaded([3], first=3)])
    assert (seen, collection.last_known) == ([(2, False)], (3, False))
    store.close()
