"""Outputs that are closed, full or left by their reader: clear exit codes, no traceback, nothing counts as sent."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from commands import PATIENCE

TERMS = """\
version = 1
epsilon = "1"
[attribute.sleep]
number = { low = 0, high = 12 }
"""
QUERY = """\
version = 1
id = "q"
collector = "institute"
epsilon = "0.4"
linear = { theta = { sleep = 1 }, low = 0, high = 12 }
"""
ASK = ("ask", "me.ledger", "query.toml", "--record", "record.toml")

CLOSED = ">&-"
WAYS = {
    "closed": CLOSED,
    "all-closed": "<&- >&- 2>&-",
    "full": ">/dev/full",
    "closed-json": f"--json {CLOSED}",
    "full-json": "--json >/dev/full",
}

ALWAYS = ("all-closed", "full-json")
"""The others are tried in long runs."""

COMMANDS = [
    "plan survey.toml --people 5 -o new.json",
    "privatize plan.json people.csv -o new.csv",
    "aggregate plan.json reports.csv -o new.json",
    "estimate plan.json reports.csv",
    "certify plan.json",
    "explain plan.json",
    "ledger new new.ledger terms.toml",
    "ledger show me.ledger",
    "ledger explain me.ledger",
    "ledger export me.ledger -o new.jsonl",
    "ask me.ledger query.toml --dry-run",
    "--help",
    "--version",
]


@pytest.fixture
def home(released, new_ledger):
    """A folder with a plan and its reports, a ledger, a query and a record."""
    Path("keyed.csv").write_text("id,colour\n1,red\n2,green\n")
    new_ledger(TERMS, "version = 1\n[record]\nsleep = 7.5\n", query=QUERY)
    return released


@pytest.fixture
def shell(program):
    """A function of a command's words, and of where its streams go, to the finished process."""

    def start(words, streams=""):
        command = ["sh", "-c", f'exec "$@" {streams}', "sh", *program, *words]
        return subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE)

    return start


@pytest.fixture
def entry(run):
    """A function that reads the only query of the ledger."""

    def read():
        (found,) = json.loads(run("ledger", "show", "me.ledger", "--json")[1])["entries"]
        return found

    return read


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
@pytest.mark.parametrize("way", [way if way in ALWAYS else pytest.param(way, marks=pytest.mark.long) for way in WAYS])
def test_an_answer_that_was_not_delivered_is_not_noted_as_sent(home, shell, run, entry, way):
    done = shell(ASK, WAYS[way])
    assert (done.returncode, done.stdout) == (5, "")
    assert "Traceback" not in done.stderr
    assert ("must reach standard output to count as sent" in done.stderr) == (way != "all-closed")
    drawn = entry()
    assert drawn["state"] == "sampled"
    code, out, _ = run(*ASK, "--json")
    assert (code, json.loads(out)["code"]) == (0, drawn["code"])
    assert entry() == drawn | {"state": "sent"}


@pytest.mark.long
def test_an_answer_whose_reader_went_away_is_not_noted_as_sent(home, program, entry):
    ours, theirs = os.pipe()
    os.close(ours)
    done = subprocess.run([*program, *ASK], stdout=theirs, stderr=subprocess.PIPE, check=False, timeout=PATIENCE)
    os.close(theirs)
    assert done.returncode == 5
    assert done.stderr.count(b"\n") == 1
    assert b"broken pipe: ask again" in done.stderr
    assert entry()["state"] == "sampled"


@pytest.mark.parametrize(
    "words", [COMMANDS[0], *(pytest.param(words, marks=pytest.mark.long) for words in COMMANDS[1:])]
)
def test_a_closed_output_is_one_message(home, shell, words):
    done = shell(words.split(), CLOSED)
    assert done.returncode == 5
    assert (
        done.stderr
        == "sordino: the system must allow it; found bad file descriptor: look at rights and disk, then run it again.\n"
    )


@pytest.mark.long
@pytest.mark.parametrize("streams", ["2>&-", "2>/dev/full", ">&- 2>&-", "<&- >&- 2>&-"])
@pytest.mark.parametrize("words", ["certify plan.json", "certify none.json", "certify", "--none"])
def test_the_exit_code_stands_without_a_place_for_errors(home, shell, words, streams):
    done = shell(words.split(), streams)
    works = words == "certify plan.json" and ">&- " not in streams
    # What cannot be printed is not to be had now; a mistake stays a mistake.
    code = 0 if works else 5 if words == "certify plan.json" else 2
    assert (done.returncode, done.stderr) == (code, "")


WRITERS = [
    "ledger new new.ledger terms.toml",
    "plan survey.toml --people 5 -o new.json",
    "privatize plan.json people.csv -o new.csv",
    "privatize plan.json people.csv -o new.csv.gz",
    "privatize plan.json people.csv -o new.parquet",
    "privatize plan.json keyed.csv -o new.csv --key new.key --id id",
    "aggregate plan.json reports.csv -o new.json",
    "estimate plan.json reports.csv -o new.csv",
    "estimate plan.json reports.csv --html new.html",
    "ledger export me.ledger -o new.jsonl",
    "certify plan.json --region new.png",
]


@pytest.mark.parametrize("words", [WRITERS[0], *(pytest.param(words, marks=pytest.mark.long) for words in WRITERS[1:])])
def test_a_file_that_finds_no_room_leaves_nothing(home, program, words):
    """No file may be longer than nothing at all."""
    before = set(home.iterdir())
    command = ["sh", "-c", 'ulimit -f 0; exec "$@"', "sh", *program, *words.split()]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE)
    assert done.returncode == 5
    assert done.stderr.startswith("sordino: ")
    assert "Traceback" not in done.stderr
    # What SQLite could not finish beside a ledger is empty, and its own to take away.
    assert {path for path in home.iterdir() if not path.name.startswith("me.ledger-")} == before
