"""As a process among others: quiet in pipes, lively on a terminal, calm when it is stopped or nobody listens."""

import json
import os
import pty
import select
import signal
import subprocess
from pathlib import Path

import pytest

from commands import PATIENCE, started
from sordino import Plan, Survey
from sordino.tables.reports import privatize_table
from waits import stop, wait_for

MANY = """\
version = 1
epsilon = "1"
[attribute.page]
categories = 10000
[[ask]]
histogram = "page"
"""

ROWS = 20_000_000
"""As many rows as take ten seconds after the first of them were written: no machine is done before a signal."""


@pytest.fixture
def many(tmp_path, monkeypatch):
    """A plan of 10,000 values and the reports of two people."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "survey.toml").write_text(MANY)
    (tmp_path / "people.csv").write_text("page\n1\n9999\n")
    plan = Plan.of(Survey.load("survey.toml"), 2)
    plan.save("plan.json")
    privatize_table(plan, Path("people.csv"), Path("reports.csv"))
    return tmp_path


@pytest.mark.long
def test_a_pipe_gets_what_was_planned_only(folder, spawn):
    done = spawn("plan", "survey.toml", "--people", "1000", "-o", "plan.json", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["people"] == 1000


@pytest.mark.long
def test_a_pipe_gets_the_result_only(released, spawn):
    done = spawn("privatize", "plan.json", "people.csv", "-o", "new.csv")
    assert (done.returncode, done.stderr) == (0, "")
    assert "\x1b" not in done.stdout


@pytest.mark.long
def test_a_pipe_gets_one_message_of_a_mistake(released, spawn):
    done = spawn("estimate", "plan.json", "none.csv", "--json")
    assert done.returncode == 2
    error = json.loads(done.stdout)["error"]
    assert (error["code"], error["rule"], error["found"]) == ("invalid", "none.csv must be a file", "nothing there")
    assert done.stderr.startswith("sordino: none.csv")
    assert "Traceback" not in done.stderr


@pytest.mark.long
@pytest.mark.parametrize("encoding", ["utf-8", "latin-1"])
def test_labels_are_printed_in_the_encoding_of_the_output(released, program, monkeypatch, encoding):
    monkeypatch.setenv("PYTHONIOENCODING", encoding)
    command = [*program, "estimate", "plan.json", "reports.csv"]
    done = subprocess.run(command, capture_output=True, check=False, timeout=PATIENCE)
    assert (done.returncode, done.stderr) == (0, b"")
    assert "wei\u00df".encode(encoding) in done.stdout


@pytest.mark.first_cases(1)
@pytest.mark.parametrize("arguments", [["--json"], []], ids=["json", "text"])
@pytest.mark.parametrize("read", [0, 10])
def test_a_reader_that_goes_away_is_no_error(many, program, arguments, read):
    command = [*program, "estimate", "plan.json", "reports.csv", *arguments]
    with started(command, text=False) as process:
        assert len(process.stdout.read(read)) == read
        process.stdout.close()
        errors = process.stderr.read()
        process.wait(PATIENCE)
    assert errors == b""


@pytest.mark.first_cases(1)
@pytest.mark.parametrize(
    ("ending", "number"),
    [
        (".csv", signal.SIGTERM),
        (".parquet", signal.SIGINT),
        (".csv", signal.SIGHUP),
        pytest.param(".csv", signal.SIGINT, marks=pytest.mark.long),
        pytest.param(".csv.gz", signal.SIGINT, marks=pytest.mark.long),
        pytest.param(".csv.gz", signal.SIGTERM, marks=pytest.mark.long),
        pytest.param(".parquet", signal.SIGTERM, marks=pytest.mark.long),
    ],
)
def test_a_stopped_command_leaves_nothing_and_exits_130(many, program, ending, number):
    (many / "people.csv").write_bytes(b"page\n" + b"7\n" * ROWS)
    before = sorted(path.name for path in many.iterdir())
    command = [*program, "privatize", "plan.json", "people.csv", "-o", f"new{ending}"]
    with started(command) as process:
        wait_for(lambda: any(path.stat().st_size for path in many.glob(".new*.part/*")), "it writes", PATIENCE, process)
        output, errors = stop(process, number)
    assert (process.returncode, output) == (130, "")
    assert "stopped" in errors
    assert "Traceback" not in errors
    assert sorted(path.name for path in many.iterdir()) == before


def on_terminal(command):
    """Run a command whose error stream is a terminal and whose output is a file: exit code, output, terminal."""
    leader, follower = pty.openpty()
    with Path("output").open("wb") as file:
        process = subprocess.Popen(command, stdout=file, stderr=follower, stdin=follower)
    os.close(follower)
    shown = b""
    with process, os.fdopen(leader, "rb", buffering=0) as terminal:
        while select.select([terminal], [], [], PATIENCE)[0]:
            try:
                piece = terminal.read(1 << 16)
            except OSError:  # Linux: the other side was closed
                break
            if not piece:
                break
            shown += piece
    return process.returncode, Path("output").read_bytes(), shown


@pytest.mark.long
def test_a_terminal_shows_progress(many, program, monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    (many / "people.csv").write_bytes(b"page\n" + b"7\n" * 300_000)
    command = [*program, "privatize", "plan.json", "people.csv", "--json", "-o", "one.parquet"]
    code, output, shown = on_terminal(command)
    assert code == 0
    assert json.loads(output)["n"] == 300_000
    assert b"privatize" in shown
    assert b"300000/" in shown


@pytest.mark.long
def test_a_terminal_shows_how_far_the_tally_is(many, program, run, monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    (many / "people.csv").write_bytes(b"page\n" + b"7\n" * 300_000)
    assert run("privatize", "plan.json", "people.csv", "-o", "one.parquet")[0] == 0
    code, output, shown = on_terminal([*program, "estimate", "plan.json", "one.parquet", "--json"])
    assert code == 0
    assert len(json.loads(output)["rows"]) == 10_000
    assert b"tally" in shown


@pytest.mark.long
def test_a_pipe_shows_no_progress_of_many_rows_either(many, program):
    (many / "people.csv").write_bytes(b"page\n" + b"7\n" * 300_000)
    command = [*program, "privatize", "plan.json", "people.csv", "--json", "-o", "two.parquet"]
    done = subprocess.run(command, capture_output=True, check=False, timeout=PATIENCE)
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_mistake_on_a_terminal_is_one_message_after_the_progress(many, program, monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    (many / "people.csv").write_bytes(b"page\n" + b"7\n" * 300_000 + b"x\n")
    code, output, shown = on_terminal([*program, "privatize", "plan.json", "people.csv", "-o", "new.csv"])
    assert (code, output) == (2, b"")
    assert b"privatize \x1b" in shown
    assert b"row 300001, page" in shown
    assert b"Traceback" not in shown
    assert not list(many.glob("*new*"))


@pytest.mark.parametrize("arguments", [["--json"], []], ids=["json", "text"])
def test_a_reader_who_went_away_is_no_mistake(released, program, arguments):
    """As `head` does; what is to be written besides is written."""
    ours, theirs = os.pipe()
    os.close(ours)
    command = [*program, "estimate", "plan.json", "reports.csv", "-o", "shares.csv", *arguments]
    done = subprocess.run(command, stdout=theirs, stderr=subprocess.PIPE, check=False, timeout=PATIENCE)
    os.close(theirs)
    assert (done.returncode, done.stderr) == (0, b"")
    assert (released / "shares.csv").exists()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
@pytest.mark.long
@pytest.mark.parametrize("arguments", [["--json"], []], ids=["json", "text"])
def test_an_output_that_is_full_is_one_message(many, program, arguments):
    with Path("/dev/full").open("wb") as full:
        command = [*program, "estimate", "plan.json", "reports.csv", *arguments]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, check=False, timeout=PATIENCE)
    assert done.returncode == 5
    assert done.stderr.count(b"\n") == 1
    assert b"no space left" in done.stderr


@pytest.mark.long
def test_a_plan_that_takes_long_shows_that_it_works(folder, program, monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    command = [*program, "plan", "survey.toml", "--people", "1000", "--json", "-o"]
    code, output, shown = on_terminal([*command, "one.json"])
    assert (code, json.loads(output)["people"]) == (0, 1000)
    assert b"plan" in shown
    done = subprocess.run([*command, "two.json"], capture_output=True, check=False, timeout=PATIENCE)
    assert (done.returncode, done.stderr) == (0, b"")
