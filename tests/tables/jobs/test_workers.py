"""Several processes release the reports that one would: the same for a key, in order, whole or not at all."""

import errno
import os
import pickle
import signal
import subprocess
import time
from contextlib import suppress
from multiprocessing import Pipe, active_children
from multiprocessing.connection import Connection
from threading import Thread

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from commands import PATIENCE
from sordino import KeyedSource, Plan, SordinoError, Survey
from sordino.errors import UnavailableError
from sordino.tables import reports
from sordino.tables.jobs import pieces, workers
from sordino.tables.jobs.drawn import Drawn
from sordino.tables.release import Release
from sordino.tables.reports import privatize_frame, privatize_table
from waits import wait_for

ROWS = 1200
ATTRIBUTES = {"value": {"categories": 10}, "age": {"number": {"low": 0, "high": 120}}}
TABLES = {"version": 1, "epsilon": "1", "attribute": ATTRIBUTES, "ask": [{"histogram": "value"}, {"mean": "age"}]}
KEY = bytes(range(32))


class Started(Thread):
    """Stands for a process: what it does is the same, and starting one takes no second."""

    pid = None
    exitcode = -9

    def __init__(self, target, args, daemon):
        share, there = args
        # A process has an end of the pipe of its own.
        super().__init__(target=target, args=(share, Connection(os.dup(there.fileno()))), daemon=daemon)


class Threads:
    Pipe = staticmethod(Pipe)
    Process = Started


@pytest.fixture(scope="module")
def plan():
    return Plan.of(Survey.read(TABLES), 1000)


@pytest.fixture
def people(tmp_path):
    def write(**changes):
        columns = {"value": [1] * ROWS, "age": [50.0] * ROWS, "id": [f"person {i}" for i in range(ROWS)]} | changes
        pq.write_table(pa.table(columns), tmp_path / "people.parquet", row_group_size=100)
        return tmp_path / "people.parquet"

    return write


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """Pieces of some hundred rows."""
    monkeypatch.setattr(pieces, "LEAST", 100)


@pytest.fixture
def threads(monkeypatch):
    monkeypatch.setattr(workers, "get_context", lambda _: Threads)
    monkeypatch.setattr(workers, "prepare", lambda: None)
    monkeypatch.setattr(workers, "read_alone", lambda: None)


def test_processes_release_what_one_does(tmp_path, plan, people):
    data, rows, source = people(), [], KeyedSource(KEY, "a")
    assert privatize_table(plan, data, tmp_path / "1.csv", release=Release("id", source)).n == ROWS
    done = privatize_table(plan, data, tmp_path / "2.csv", rows.append, release=Release("id", source, jobs=2)).n
    assert (done, sum(rows), active_children()) == (ROWS, ROWS, [])
    assert (tmp_path / "1.csv").read_bytes() == (tmp_path / "2.csv").read_bytes()


def test_processes_draw_words_of_their_own(plan, people):
    """All people are alike: pieces that repeated each other's words would have the same reports."""
    codes = privatize_frame(plan, people(), release=Release(jobs=3)).column("code").to_numpy()
    assert len(np.unique(codes.reshape(12, 100), axis=0)) == 12


def test_any_number_of_jobs_gives_the_same_reports(plan, people, threads):
    data, source = people(), KeyedSource(KEY, "a")
    one = privatize_frame(plan, data, release=Release("id", source, jobs=1))
    for jobs in (2, 3, 12, 100):
        assert privatize_frame(plan, data, release=Release("id", source, jobs=jobs)).equals(one), jobs


def test_a_piece_is_sent_in_parts_of_a_bounded_size(plan, people, monkeypatch):
    monkeypatch.setattr(workers, "MOST_ROWS", 150)
    batch = Drawn(np.zeros(100, dtype=np.uint64), np.arange(100, dtype=np.uint64), {"age": 3})
    monkeypatch.setattr(workers, "draw_reports", lambda *_, **__: iter([batch] * 5))
    share = workers.Share(plan.document, people(), None, None, False, [range(500), range(500, 1000)])
    parts = [some and (len(some.codes), len(some.ids), some.clipped["age"]) for some in workers._drawn_of(share)]
    assert parts == [(200, 200, 6), (200, 200, 6), (100, 100, 3), None] * 2


def test_a_key_is_not_shown(plan, people):
    share = workers.Share(plan.document, people(), "id", (KEY, "a"), False, [range(3)])
    assert repr(KEY) not in repr(share)


def test_a_bad_value_is_told_as_by_one_job_and_leaves_nothing(tmp_path, plan, people, threads, listing):
    ages = [50.0] * ROWS
    ages[705] = ages[1100] = 121.0
    data, found = people(age=ages), []
    before = listing()
    for jobs in (1, 3):
        with pytest.raises(SordinoError, match="row 706, age") as raised:
            privatize_table(plan, data, tmp_path / "r.csv", release=Release("id", tmp_path / "key", jobs=jobs))
        found.append(str(raised.value))
        assert listing() == before
    assert found[0] == found[1]


@pytest.mark.parametrize("key", [None, KeyedSource(KEY, "a")], ids=["fresh", "keyed"])
def test_ids_that_stand_twice_in_different_pieces_leave_nothing(tmp_path, plan, people, threads, listing, key):
    ids = [f"person {i}" for i in range(ROWS)]
    ids[-1] = ids[3]
    data = people(id=ids)
    before = listing()
    with pytest.raises(SordinoError, match=f"row {ROWS}, id: .* found that of row 4 again"):
        privatize_table(plan, data, tmp_path / "r.csv", release=Release("id", key, jobs=2))
    assert listing() == before


def test_a_job_that_ends_leaves_no_reports(tmp_path, plan, people, threads, monkeypatch, listing):
    data = people()
    before = listing()
    some = Drawn(np.zeros(100, dtype=np.uint64), np.arange(100, dtype=np.uint64), {"age": 3})
    monkeypatch.setattr(workers, "work", lambda _, there: there.send(some))
    with pytest.raises(UnavailableError, match="each job must work until it is done; found one that ended with -9"):
        privatize_table(plan, data, tmp_path / "r.parquet", release=Release("id", tmp_path / "key", jobs=2))
    assert listing() == before


def test_processes_that_the_system_refuses_leave_nothing(tmp_path, plan, people, threads, monkeypatch, listing):
    def refuse(_):
        raise OSError(errno.EAGAIN, "Resource temporarily unavailable")

    data = people()
    before = listing()
    monkeypatch.setattr(Started, "start", refuse)
    with pytest.raises(UnavailableError, match="the system must allow 3 more processes; found Resource temporarily"):
        privatize_table(plan, data, tmp_path / "r.csv", release=Release("id", tmp_path / "key", jobs=3))
    assert listing() == before


def test_an_error_has_the_same_words_in_another_process():
    error = UnavailableError("a rule", found="b", step="c")
    again = pickle.loads(pickle.dumps(error))  # noqa: S301 - our own
    assert (type(again), str(again), again.facts()) == (UnavailableError, str(error), error.facts())


def children(parent):
    """The processes at work are forked from one that the command starts."""
    return [child for server in _forked(parent) for child in _forked(server)]


def _forked(parent):
    listed = subprocess.run(
        ["ps", "-ww", "-o", "pid=,args=", "--ppid", str(parent)],
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    return [int(line.split()[0]) for line in listed.stdout.splitlines() if "forkserver" in line]


def gone(pid):
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.01)
    return False


@pytest.mark.usefixtures("threads")
def test_a_table_that_grows_once_its_pieces_were_counted_is_refused(tmp_path, plan, people, monkeypatch):
    """No piece has its last rows."""
    counted = reports.pieces_of

    def grows(table):
        found = counted(table)
        people(value=[1] * 2 * ROWS, age=[50.0] * 2 * ROWS, id=[f"person {i}" for i in range(2 * ROWS)])
        return found

    monkeypatch.setattr(reports, "pieces_of", grows)
    with pytest.raises(SordinoError, match="must not change while it is read"):
        privatize_table(plan, people(), tmp_path / "r.csv", release=Release(jobs=2))
    assert not (tmp_path / "r.csv").exists()


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    """More people than any machine releases while a test waits, in a small file."""
    path, rows = tmp_path_factory.mktemp("many") / "people.parquet", 1_000_000
    table = pa.table({"value": np.ones(rows, int), "age": np.full(rows, 5.0)})
    with pq.ParquetWriter(path, table.schema) as writer:
        for _ in range(60):
            writer.write_table(table)
    return path


@pytest.fixture
def large(tmp_path, plan, many):
    plan.save(tmp_path / "plan.json")
    (tmp_path / "people.parquet").hardlink_to(many)
    return tmp_path


@pytest.fixture
def started(program, large):
    """A command at work in two processes, and these; what a test leaves at work is killed."""
    command = [*program, "privatize", "plan.json", "people.parquet", "-o", "r.csv", "--jobs", "2"]
    with subprocess.Popen(
        command, cwd=large, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        try:
            wait_for(lambda: len(children(process.pid)) == 2, "two processes work", PATIENCE, process)
            yield process, children(process.pid)
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


@pytest.mark.long
@pytest.mark.parametrize("at_work", [False, True])
def test_a_process_that_is_killed_ends_the_run(large, started, at_work):
    process, (first, second) = started
    time.sleep(2 * at_work)
    os.kill(second, signal.SIGKILL)
    _, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 5
    assert "each job must work until it is done; found one that ended with -9" in errors
    assert "Traceback" not in errors
    assert gone(first)
    assert sorted(path.name for path in large.iterdir()) == ["people.parquet", "plan.json"]


@pytest.mark.long
@pytest.mark.parametrize("wait", [0.0, 0.3, 1.0, 2.0])
def test_ctrl_c_stops_all(large, started, wait):
    process, found = started
    time.sleep(wait)
    os.killpg(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=PATIENCE)
    assert (process.returncode, errors.strip()) == (130, "sordino: stopped; nothing half-written was left")
    assert all(map(gone, found))
    assert sorted(path.name for path in large.iterdir()) == ["people.parquet", "plan.json"]


@pytest.mark.long
def test_processes_end_with_who_started_them(started):
    process, found = started
    process.kill()
    process.communicate(timeout=PATIENCE)
    assert all(map(gone, found))
