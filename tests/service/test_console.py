"""`sordino collector` beside a collector that runs, and without one."""

import json
import signal
import socket
import sqlite3
import stat
from threading import Event, Thread

import pytest

from commands import PROGRAM, run_here, started
from reports_sent import NOTED, STARTED, Client, log_events, on_a_thread, served, serving, uploaded
from sordino.cli.commands import collector_command as operate_collector
from sordino.errors import SordinoError, UnavailableError
from sordino.service.console import run_command
from sordino.service.storage.acts import find_unended
from sordino.service.storage.sqlite import restore_backup, socket_of
from sordino.service.storage.store import ReportStore
from waits import line_of, stop


def ran(*words):
    code, out, err = run_here("collector", *words, "--json")
    assert code == 0, err
    return json.loads(out)


def test_tokens_are_given_and_taken_while_a_collector_runs(tmp_path, plan):
    place = tmp_path / "reports.sqlite"
    with served(tmp_path, plan, "--least-people", 1) as (client, said):
        client.upload([0, 1, 2])
        assert stat.S_IMODE(socket_of(place).stat().st_mode) == 0o600
        token = ran("token", "add", place, "ada", "--role", "reader")["token"]
        reader = Client(plan, client.port, token)
        assert reader.as_analyst("GET", "/estimates").status == 200
        assert reader.as_analyst("POST", "/close").status == 403
        code, _, err = run_here("collector", "token", "add", place, "ada", "--role", "reader")
        assert (code, "must be new" in err) == (3, True)
        ran("token", "revoke", place, "ada")
        assert reader.as_analyst("GET", "/estimates").status == 401
        assert client.as_analyst("POST", "/close").status == 200
    assert not socket_of(place).exists()
    # And once it has ended.
    listed = {one["name"]: one["revoked"] is not None for one in ran("token", "list", place)["tokens"]}
    assert listed == {"ada": True, "first": False}
    acts = [(act["by"], act["act"]) for act in ran("record", place)["acts"]]
    given = ("console", "token added")
    assert acts == [given, given, ("console", "token revoked"), ("first", "closed")]
    assert token not in said[1]
    # The first token is in the log too, though it was given before the server ran.
    assert [event for event in log_events(said[1]) if event in (NOTED, STARTED)] == [NOTED, STARTED, *[NOTED] * 3]


def test_a_backup_while_others_write_is_whole_and_goes_on(tmp_path, plan):
    place, kept = tmp_path / "reports.sqlite", tmp_path / "kept"
    with on_a_thread(ReportStore.open(place, plan)) as client:
        sent, over = [], Event()

        def send():
            while not over.is_set():
                assert client.upload([1] * 50, first=50 * len(sent)).status == 200
                sent.append(50)

        sending = Thread(target=send)
        sending.start()
        while len(sent) < 5:
            pass
        before = sum(sent)
        run_command(str(place), {"do": "backup", "path": str(kept)})
        after = sum(sent) + 50
        with pytest.raises(SordinoError, match="must not exist yet"):
            run_command(str(place), {"do": "backup", "path": str(kept)})
        over.set()
        sending.join()
        assert client.ask("GET", "/readyz").status == 200
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    again = tmp_path / "again.sqlite"
    restore_backup(kept, again)
    store = ReportStore.open(again, plan)
    held = store.collections[plan.hash]
    assert before <= held.aggregate.n <= after
    assert held.aggregate.n % 50 == 0
    # Devices that send again are counted, each once.
    held.add([uploaded([1] * 50, first=50 * n) for n in range(len(sent))])
    assert held.aggregate.n == sum(sent)
    # Of the copy the end is not known yet.
    acts = [json.loads(act.line) for act in store.acts.acts()]
    assert (acts[-1]["act"], find_unended(acts)) == ("backup begun", [acts[-1]["number"]])
    store.close()
    record = run_command(str(place), {"do": "record"})
    assert [act["act"] for act in record if "backup" in act["act"]] == [
        f"backup {word}" for word in ("begun", "done", "begun", "failed")
    ]
    assert find_unended(record) == []


def test_a_backup_that_was_refused_does_not_stand_as_done(tmp_path, plan):
    place, there = tmp_path / "reports.sqlite", tmp_path / "there"
    ReportStore.open(place, plan).close()
    there.write_text("x")
    assert run_here("collector", "backup", place, "-o", there)[0] == 2
    acts = run_command(str(place), {"do": "record"})
    assert [(act["act"], act.get("of")) for act in acts] == [("backup begun", None), ("backup failed", 1)]
    assert there.read_text() == "x"
    # A process that was killed between the two leaves a beginning, and the command says so.
    store = ReportStore.open(place, plan)
    store.begin("console", "backup")
    store.close()
    _, out, _ = run_here("collector", "record", place)
    assert out.endswith("Begun, and without an end: 3. It still runs, or its process ended: it may have been done.\n")


def test_what_is_no_backup_or_would_replace_a_store_is_refused(tmp_path, plan):
    place = tmp_path / "reports.sqlite"
    ReportStore.open(place, plan).close()
    with pytest.raises(SordinoError, match="must not exist yet"):
        restore_backup(place, place)
    sqlite3.connect(tmp_path / "other").execute("CREATE TABLE things (x)").connection.close()
    for name, words in (("other", "different database"), ("missing", "must be a file")):
        with pytest.raises(SordinoError, match=words):
            restore_backup(tmp_path / name, tmp_path / "new")
    (tmp_path / "cut").write_bytes(place.read_bytes()[:5000])
    with pytest.raises(SordinoError):
        restore_backup(tmp_path / "cut", tmp_path / "new")
    assert not (tmp_path / "new").exists()
    with pytest.raises(SordinoError, match="must be there"):
        run_command(str(tmp_path / "missing"), {"do": "token list"})


def test_a_socket_that_nobody_answers_is_of_a_collector_that_ended(tmp_path, plan, monkeypatch):
    # A name too long for the system's own, too.
    folder = tmp_path / ("long" * 20) / ("name" * 20)
    folder.mkdir(parents=True)
    place = folder / "reports.sqlite"
    with on_a_thread(ReportStore.open(place, plan)) as client:
        assert client.ask("GET", "/readyz").status == 200
        assert [one["name"] for one in run_command(str(place), {"do": "token list"})] == ["first"]
        with pytest.raises(UnavailableError, match="another process that has it open"):
            ReportStore.open_beside(place)
    monkeypatch.chdir(folder)
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(socket_of(place).name)
    assert [one["name"] for one in run_command(str(place), {"do": "token list"})] == ["first"]
    with on_a_thread(ReportStore.open(place, plan)) as client:
        assert client.ask("GET", "/readyz").status == 200
        assert run_command(str(place), {"do": "record"})[0]["by"] == "console"


@pytest.mark.live
def test_tokens_of_a_database_are_given_while_a_collector_has_it(plan, empty_postgres):
    with on_a_thread(ReportStore.open(empty_postgres.address, plan), 1) as client:
        client.upload([0, 1])
        command = {"do": "token add", "name": "ada", "role": "reader", "expires": None}
        token = run_command(empty_postgres.address, command)["token"]
        assert Client(plan, client.port, token).as_analyst("GET", "/estimates").status == 200
        run_command(empty_postgres.address, {"do": "token revoke", "name": "ada"})
        assert Client(plan, client.port, token).as_analyst("GET", "/estimates").status == 401
        client.as_analyst("POST", "/scrub")
        assert [act["number"] for act in run_command(empty_postgres.address, {"do": "record"})] == [1, 2, 3, 4, 5]
        with pytest.raises(SordinoError, match="pg_dump"):
            run_command(empty_postgres.address, {"do": "backup", "path": "x"})


@pytest.mark.live
def test_the_log_has_each_act_once_whoever_did_it(tmp_path, plan, empty_postgres):
    file, add = tmp_path / "plan.json", {"do": "token add", "role": "reader", "expires": None}
    plan.save(file)
    for number in range(2):
        with serving(empty_postgres.address, file, plan) as (client, process):
            token = run_command(empty_postgres.address, {**add, "name": f"ada{number}"})["token"]
            assert Client(plan, client.port, token).as_analyst("POST", "/close").status == 403
            run_command(empty_postgres.address, {**add, "name": f"bob{number}"})
            _, err = stop(process, signal.SIGTERM)
        lines = [json.loads(line) for line in err.splitlines()]
        noted = [(line["act"]["number"], line["act"]["token"]) for line in lines if line["event"] == NOTED]
        own = [(1, "first"), (2, "ada0"), (3, "bob0")], [(4, "ada0"), (5, "ada1"), (6, "bob1")]
        assert noted == own[number]
        # What is done while no collector runs is in the log of the next one.
        run_command(empty_postgres.address, {"do": "token revoke", "name": f"ada{number}"})
        (started_line,) = [line for line in lines if line["event"] == STARTED]
        if number:
            record = run_command(empty_postgres.address, {"do": "record"})
            # It may be written after the first act that follows.
            assert started_line["acts"] in {4, 5}
            assert started_line["last_act"] == record[started_line["acts"] - 1]["hash"]


def test_a_store_that_cannot_be_looked_at_is_refused_in_words():
    with pytest.raises(UnavailableError, match="must be open to you; found file name too long"):
        run_command("x" * 300, {"do": "token list"})


def test_a_backup_that_only_the_collector_sees_is_none(tmp_path, monkeypatch):
    monkeypatch.setattr(operate_collector, "_run", lambda *_: None)
    code, _, err = run_here("collector", "backup", tmp_path / "store", "-o", tmp_path / "kept")
    assert (code, "that the collector and you both see" in err) == (2, True)


def test_who_stands_by_refuses_connections_until_it_has_the_store(tmp_path, plan):
    file, place = tmp_path / "plan.json", tmp_path / "reports.sqlite"
    plan.save(file)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [*PROGRAM, "serve", str(file), "--store", str(place), "--port", str(port), "--metrics-port", "0"]
    with serving(place, file, plan) as (client, process), started([*command, "--standby"]) as waiting:
        client.upload([0, 1])
        metrics = int(line_of(waiting).rpartition(":")[2].partition("/")[0])
        line = json.loads(waiting.stderr.readline())
        assert line["event"].startswith("the collector stands by")
        with pytest.raises(ConnectionRefusedError):
            client.ask("GET", "/readyz", port=port)
        assert client.ask("GET", "/readyz", port=metrics).status == 503
        # Nor does another one begin that has the port, or the metrics' port.
        for option, taken in (("--metrics-port", metrics), ("--port", port)):
            code, _, err = run_here("serve", file, "--store", place, option, taken)
            assert (code, "must" in err) == (5, True)
        stop(process, signal.SIGTERM)
        assert line_of(waiting).startswith(f"http://127.0.0.1:{port}/plans/")
        assert Client(plan, port).of_plan("GET", "/progress").json["reports"] == 2
        stop(waiting, signal.SIGTERM)
