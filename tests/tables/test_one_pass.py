"""A table of people is opened once and passes once, from its first byte to its last: it may come through a pipe."""

import ctypes
import gzip
import os
import struct
import subprocess
import sys
import time
from threading import Thread

import pytest

from commands import PATIENCE
from sordino import KeyedSource, SordinoError
from sordino.errors import DamagedError
from sordino.tables import csv_file, records
from sordino.tables import weighted_rows as counts
from sordino.tables.csv_file import CsvFile
from sordino.tables.release import Release
from sordino.tables.reports import privatize_table, tally_table
from surveys import planned
from waits import joined, stop, writer_of

ROWS = 140_000  # more than a batch
KEY = KeyedSource(bytes(range(32)), "first wave")
ATTRIBUTES = {
    "age": {"number": {"low": 20, "high": 80, "clip": True}},
    "job": {"categories": ["red", "green", "dark, blue"]},
}
SORDINO = [sys.executable, "-c", "from sordino.cli.start import main; main()"]


@pytest.fixture(scope="module")
def plan():
    asks = [{"mean": "age"}, {"histogram": "job"}]
    return planned({"version": 1, "epsilon": "1", "attribute": ATTRIBUTES, "ask": asks})


def lines(rows=ROWS, **changes):
    """The bytes of a table; of some rows, by their number, the line that stands there instead."""
    jobs = ['"dark, blue"', "red", "green"]
    text = [f"person {i},{i % 100},{jobs[i % 3]},not asked" for i in range(1, rows + 1)]
    for row, line in changes.items():
        text[int(row[1:]) - 1] = line
    return "\n".join(["who,age,job,other", *text, ""]).encode()


@pytest.fixture
def through(tmp_path):
    """Write bytes into a named pipe while the test reads it; returns the pipe."""

    def write(content, ending=".csv"):
        pipe = tmp_path / f"pipe{ending}"
        os.mkfifo(pipe)

        def feed():
            try:
                with pipe.open("wb") as file:
                    file.write(content)
            except BrokenPipeError:
                pass

        feeding.append(Thread(target=feed, daemon=True))
        feeding[-1].start()
        return pipe

    feeding = []
    yield write
    joined(*feeding)


@pytest.mark.parametrize("ending", [".csv", ".csv.gz"])
def test_a_pipe_gives_the_reports_of_a_file(tmp_path, plan, through, ending):
    content = lines() if ending == ".csv" else gzip.compress(lines(), 1)
    (tmp_path / f"people{ending}").write_bytes(content)
    release = Release("who", KEY)
    first = privatize_table(plan, tmp_path / f"people{ending}", tmp_path / "a.csv", release=release)
    second = privatize_table(plan, through(content, ending), tmp_path / "b.csv", release=release)
    beyond = sum(not 20 <= i % 100 <= 80 for i in range(1, ROWS + 1))
    assert first == second
    assert (first.n, first.clipped) == (ROWS, {"age": beyond})
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()


@pytest.mark.parametrize("ending", [".csv", ".csv.gz"])
def test_where_pipes_have_no_names_a_file_is_read_all_the_same(tmp_path, plan, monkeypatch, ending):
    content, release = lines(3000), Release("who", KEY)
    people = tmp_path / f"people{ending}"
    people.write_bytes(content if ending == ".csv" else gzip.compress(content, 1))
    first = privatize_table(plan, people, tmp_path / "a.csv", release=release)
    monkeypatch.setattr(csv_file, "NAMED_PIPES", False)
    assert privatize_table(plan, people, tmp_path / "b.csv", release=release) == first
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()
    blank = lines(3000, r2999="")
    people.write_bytes(blank if ending == ".csv" else gzip.compress(blank, 1))
    with pytest.raises(SordinoError, match="no blank lines; found line 3000"):
        privatize_table(plan, people, tmp_path / "c.csv", release=release)


MISTAKES = {
    "a value": ({"r135000": "someone,x,red,"}, "row 135000, age: a value must be given"),
    "a missing value": ({"r7": "someone,,red,"}, "row 7, age: a value must be given"),
    "a name": ({f"r{ROWS}": "someone,50,blue,"}, f"row {ROWS}, job: a value must be given"),
    "an id that is missing": ({"r9": ",50,red,"}, "row 9, who: each row must have a different id"),
    "an id that stands twice": (
        {"r9": "person 139000,50,red,"},
        "a different id; found 1 that stands twice",
    ),
    "a blank line": ({"r130000": ""}, "no blank lines; found line 130001"),
    "a short row": ({"r130000": "someone"}, "columns in line 130001"),
    "an open quote": ({f"r{ROWS}": 'someone,50,"red,'}, "quotation mark"),
}


@pytest.mark.parametrize(("changes", "words"), MISTAKES.values(), ids=MISTAKES)
def test_what_is_wrong_in_a_pipe_is_refused_and_leaves_nothing(tmp_path, plan, through, changes, words):
    pipe = through(lines(**changes))
    with pytest.raises(SordinoError) as caught:
        privatize_table(plan, pipe, tmp_path / "r.csv", release=Release("who", tmp_path / "key"))
    assert words in str(caught.value)
    assert "someone" not in str(caught.value)
    assert os.listdir(tmp_path) == ["pipe.csv"]  # noqa: PTH208


def test_a_pipe_of_counts(tmp_path, plan, through):
    pipe = through(b"age,job,people\n50,red,3\n90,green,2\n5,red,0\n")
    made = privatize_table(plan, pipe, tmp_path / "r.csv", release=Release(count_column="people"))
    assert (made.n, made.clipped) == (5, {"age": 1})
    (tmp_path / "pipe.csv").unlink()
    pipe = through(b"age,job,people\n50,red,3\n9,green,x\n")
    with pytest.raises(SordinoError, match="row 2, people: a count must be a whole number"):
        privatize_table(plan, pipe, tmp_path / "s.csv", release=Release(count_column="people"))


def test_a_row_of_many_people_is_clipped_once(tmp_path, plan, monkeypatch):
    monkeypatch.setattr(counts, "PIECE", 10)
    (tmp_path / "people.csv").write_bytes(b"age,job,people\n90,red,100\n50,red,1\n10,red,1\n")
    made = privatize_table(plan, tmp_path / "people.csv", tmp_path / "r.csv", release=Release(count_column="people"))
    assert (made.n, made.clipped) == (102, {"age": 2})


def test_of_a_table_that_breaks_off_no_part_of_a_row_is_judged(tmp_path, plan):
    """Its last row is read up to its id, which is no missing one."""
    header, row = b"age,job,who is it really\n", b"50,red,somebody\n"
    assert (csv_file.HEAD - len(header)) % len(row) == len(b"50,red,")
    whole = gzip.compress(header + row * 6000, 0)
    (tmp_path / "people.csv.gz").write_bytes(whole[:-9000])
    with pytest.raises(DamagedError, match=r"must be a whole \.csv\.gz table"):
        privatize_table(plan, tmp_path / "people.csv.gz", tmp_path / "r.csv", release=Release("who is it really"))


def test_more_ids_than_fit_need_a_file(tmp_path, plan, through, monkeypatch):
    monkeypatch.setattr(records, "MOST", 1000)
    with pytest.raises(SordinoError, match="must have fewer ids, as a pipe; found more than 1,000"):
        privatize_table(plan, through(lines(5000)), tmp_path / "r.csv", release=Release("who", KEY))


def test_a_pipe_without_any_name_is_a_csv_table(tmp_path, plan):
    """As shells make them: `<(...)` and /dev/stdin."""
    plan.save(tmp_path / "plan.json")
    command = [*SORDINO, "privatize", tmp_path / "plan.json", "/dev/stdin", "-o", tmp_path / "r.csv"]
    done = subprocess.run(command, input=lines(3000), capture_output=True, check=False, timeout=PATIENCE)
    assert done.returncode == 0, done.stderr
    assert tally_table(plan, [tmp_path / "r.csv"]).n == 3000


@pytest.mark.parametrize("output", ["r.csv", "r.parquet"])
def test_a_stop_does_not_wait_for_what_a_pipe_may_bring(tmp_path, plan, output):
    plan.save(tmp_path / "plan.json")
    os.mkfifo(tmp_path / "pipe.csv")
    command = [*SORDINO, "privatize", tmp_path / "plan.json", tmp_path / "pipe.csv", "-o", tmp_path / output]
    with (
        subprocess.Popen(command, stderr=subprocess.PIPE) as process,
        writer_of(tmp_path / "pipe.csv", process) as pipe,
    ):
        os.set_blocking(pipe.fileno(), True)
        pipe.write(lines(10_000).decode())
        pipe.flush()
        time.sleep(0.5)
        _, told = stop(process)
    assert (process.returncode, b"nothing half-written" in told) == (130, True)
    assert sorted(os.listdir(tmp_path)) == ["pipe.csv", "plan.json"]  # noqa: PTH208


OPENED, READ, CLOSED = 0x20, 0x01, 0x10
"""Events of Linux's inotify. Equal ones in a row are one event: what is read in between keeps openings apart."""


class Openings:
    """How often files are opened from now on, by whatever program or library: the system counts."""

    def __init__(self, *paths):
        self.system = ctypes.CDLL(None, use_errno=True)
        self.events = self.system.inotify_init1(os.O_NONBLOCK)
        assert self.events >= 0
        self.watches = [
            self.system.inotify_add_watch(self.events, os.fsencode(path), OPENED | READ | CLOSED) for path in paths
        ]
        assert min(self.watches) >= 0

    def counts(self):
        """Of each file; asked once."""
        said = os.read(self.events, 1 << 20)
        os.close(self.events)
        found = [(watch, mask) for watch, mask, _, _ in struct.iter_unpack("iIII", said)]
        return [found.count((watch, OPENED)) for watch in self.watches]


def test_openings_are_counted(tmp_path):
    (tmp_path / "file").write_text("text")
    openings = Openings(tmp_path / "file")
    for _ in range(3):
        (tmp_path / "file").read_text()
    with (tmp_path / "file").open() as first, (tmp_path / "file").open() as second:
        assert [first.read(), second.read()] == ["text"] * 2
    assert openings.counts()[0] in (4, 5)


@pytest.mark.parametrize("ending", [".csv", ".csv.gz"])
def test_a_file_is_opened_once(tmp_path, plan, ending):
    plan.save(tmp_path / "plan.json")
    people = tmp_path / f"people{ending}"
    people.write_bytes(lines() if ending == ".csv" else gzip.compress(lines(), 1))
    command = [*SORDINO, "privatize", tmp_path / "plan.json", people, "-o", tmp_path / "r.csv", "--id", "who"]
    command += ["--key", tmp_path / "key"]
    openings = Openings(people, tmp_path / "plan.json")
    done = subprocess.run(command, capture_output=True, check=False, timeout=PATIENCE)
    assert done.returncode == 0, done.stderr
    assert openings.counts() == [1, 1]


def read_all(file):
    with file.pipe() as name, open(name, "rb") as pipe:  # noqa: PTH123 - a pipe
        return pipe.read()


def read_all_in_between(file):
    """As whoever has found a mistake does: it begins another reading, which ends the one that is under way."""
    with file.pipe() as name, open(name, "rb") as pipe:  # noqa: PTH123 - a pipe
        assert pipe.read(5) == b"who,a"
        assert read_all(file) == lines(30_000)


def test_a_file_is_read_again_from_its_start(tmp_path):
    path = tmp_path / "people.csv"
    path.write_bytes(lines(30_000))
    with CsvFile(path) as file:
        assert [read_all(file) for _ in range(3)] == [lines(30_000)] * 3
        with pytest.raises(RuntimeError, match="must not go on"):
            read_all_in_between(file)
        assert read_all(file) == lines(30_000)
        assert file.rows_expected == pytest.approx(30_000, rel=0.1)
