"""`sordino ledger` and `sordino ask`: what they print, what they refuse, and what two processes see of each other."""

import json
import os
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from commands import PATIENCE
from sordino import Ledger
from sordino.once.journal.checkpoint import write_checkpoint
from sordino.once.journal.journal_file import transaction
from sordino.once.ledger.reading import read_all

TERMS = """\
version = 1
epsilon = "1"
[attribute.age]
number = { low = 18, high = 90 }
[attribute.sleep]
number = { low = 0, high = 12 }
"""
RECORD = "version = 1\n[record]\nage = 44\nsleep = 7.5\n"
QUERY = """\
version = 1
id = "sleep-1"
collector = "Institute of Sleep"
epsilon = "0.4"
linear = { theta = { sleep = 1 }, low = 0, high = 12 }
"""


@pytest.fixture
def home(tmp_path, monkeypatch, new_ledger):
    """A folder with a new ledger, a record and two queries."""
    monkeypatch.chdir(tmp_path)
    new_ledger(TERMS, RECORD, query=QUERY, large=QUERY.replace("sleep-1", "large").replace("0.4", "0.9"))
    return tmp_path


def shown(run, *arguments):
    code, out, err = run(*arguments, "--json")
    assert (code, err) == (0, "")
    return json.loads(out)


def test_from_a_query_to_its_answer(home, run):
    assert shown(run, "ask", "me.ledger", "query.toml", "--dry-run")["accepted"]
    assert shown(run, "ledger", "show", "me.ledger")["entries"] == []
    first = shown(run, "ask", "me.ledger", "query.toml", "--record", "record.toml")
    assert set(first) == {"id", "collector", "query", "code"}
    assert first["code"] in "01"
    assert shown(run, "ask", "me.ledger", "query.toml", "--record", "record.toml") == first
    assert shown(run, "ask", "me.ledger", "query.toml", "--dry-run")["known"]
    book = shown(run, "ledger", "show", "me.ledger")
    assert book["spent"] == pytest.approx(0.4)
    assert book["remaining"] == pytest.approx(0.6)
    assert book["binds"] == "two records"
    (entry,) = book["entries"]
    expected = {
        "id": "sleep-1",
        "state": "sent",
        "code": first["code"],
        "epsilon": "2/5",
        "record": 1,
        "asks": "linear",
    }
    assert entry.items() >= expected.items()
    assert entry["query"] == first["query"]
    code, out, _ = run("ask", "me.ledger", "query.toml", "--record", "record.toml")
    assert code == 0
    assert f"sleep-1, for Institute of Sleep: {first['code']}" in out
    assert "not drawn again" in out


def test_nothing_spent_is_zero(home, run):
    Path("larger.toml").write_text(QUERY.replace("0.4", "3"))
    assert run("ask", "me.ledger", "larger.toml", "--record", "record.toml")[0] == 3
    assert '"spent": 0.0,' in run("ledger", "show", "me.ledger", "--json")[1]


def test_a_refusal_is_one_message_and_changes_nothing(home, run):
    shown(run, "ask", "me.ledger", "query.toml", "--record", "record.toml")
    before = shown(run, "ledger", "show", "me.ledger")
    assert not shown(run, "ask", "me.ledger", "large.toml", "--dry-run")["accepted"]
    code, out, err = run("ask", "me.ledger", "large.toml", "--record", "record.toml")
    assert (code, out) == (3, "")
    assert err.startswith("sordino: all answers together must reveal at most 1 nat; found up to 1.3")
    assert shown(run, "ledger", "show", "me.ledger") == before


def test_verify_works_everything_out_again(home, run):
    shown(run, "ask", "me.ledger", "query.toml", "--record", "record.toml")
    own = shown(run, "ledger", "show", "me.ledger")
    assert own["checkpoint"] is None
    assert shown(run, "ledger", "show", "me.ledger", "--verify") == own | {"checkpoint": "none"}
    with transaction(home / "me.ledger", write=True) as connection:
        reading = read_all(connection, Ledger.open(home / "me.ledger").terms)
        write_checkpoint(connection, reading.meta["key"], replace(reading.next_checkpoint(), state=b""))
    assert "the checkpoint disagreed and was discarded" in run("ledger", "show", "me.ledger", "--verify")[1]
    assert "the checkpoint agrees" in run("ledger", "show", "me.ledger", "--verify")[1]
    assert shown(run, "ledger", "show", "me.ledger") == own


def test_verify_of_a_damaged_ledger_shows_the_damage(home, run):
    shown(run, "ask", "me.ledger", "query.toml", "--record", "record.toml")
    with transaction(home / "me.ledger", write=True) as connection:
        connection.execute("UPDATE events SET time = 'then' WHERE event = 'sent'")
    book = shown(run, "ledger", "show", "me.ledger", "--verify")
    assert (book["checkpoint"], book["damage"]) == (None, ["1 of its lines"])


def test_show_and_explain_for_people(home, run):
    shown(run, "ask", "me.ledger", "query.toml", "--record", "record.toml")
    code, out, _ = run("ledger", "show", "me.ledger")
    assert code == 0
    for words in ("at most 0.4", "Institute of Sleep", "linear", "sent"):
        assert words in out
    code, out, _ = run("ledger", "explain", "me.ledger")
    assert code == 0
    assert "by a factor of at most 2.72 (epsilon = 1)" in out
    lines = shown(run, "ledger", "explain", "me.ledger")["explanation"]
    assert [f"- {line}" for line in lines] == out.splitlines()


def test_export_and_import(home, run):
    shown(run, "ask", "me.ledger", "query.toml", "--record", "record.toml")
    assert shown(run, "ledger", "export", "me.ledger", "-o", "t.jsonl") == {
        "transcript": "t.jsonl",
        "events": 3,
        "whole": True,
    }
    copy = shown(run, "ledger", "import", "t.jsonl", "copy.ledger")
    own = shown(run, "ledger", "show", "me.ledger")
    assert copy["checks_only"]
    same = ("terms", "spent", "remaining", "binds", "record")
    assert [copy[name] for name in same] == [own[name] for name in same]
    decisions = [shown(run, "ask", ledger, "large.toml", "--dry-run") for ledger in ("me.ledger", "copy.ledger")]
    assert decisions[0] == decisions[1]
    code, _, err = run("ask", "copy.ledger", "large.toml", "--record", "record.toml")
    assert code == 2
    assert "only checks" in err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["ledger", "new", "me.ledger", "terms.toml"], ["me.ledger", "must not exist yet"]),
        (["ledger", "new", "other.ledger", "none.toml"], ["none.toml", "no such file"]),
        (
            ["ledger", "new", "other.ledger", "query.toml"],
            ["must be a ledger's terms; found a query: `sor"],
        ),
        (["ledger", "show", "none.ledger"], ["none.ledger", "no such file"]),
        (
            ["ledger", "show", "terms.toml"],
            ["must be a ledger; found a ledger's terms: `sordino"],
        ),
        (["ledger", "export", "me.ledger", "-o", "terms.toml"], ["terms.toml", "must not exist yet"]),
        (["ledger", "import", "terms.toml", "new.ledger"], ["terms.toml must be a transcript; found a ledger's terms"]),
        (["ask", "me.ledger", "query.toml"], ["--record"]),
        (
            ["ask", "me.ledger", "record.toml", "--record", "record.toml"],
            ["must be a query; found a person's record"],
        ),
        (
            ["ask", "me.ledger", "query.toml", "--record", "terms.toml"],
            ["a person's record; found a ledger's terms"],
        ),
        (
            ["ask", "terms.toml", "query.toml", "--record", "record.toml"],
            ["must be a ledger; found a ledger's terms"],
        ),
        (["ask", "query.toml", "me.ledger", "--record", "record.toml"], ["query.toml must be a ledger; found a query"]),
        (["ask", "me.ledger", "me.ledger", "--record", "record.toml"], ["me.ledger must be a query; found a ledger"]),
        (["ask", "me.ledger", "query.toml", "--record", "none.toml"], ["none.toml", "no such file"]),
    ],
    ids=lambda part: " ".join(part[:3]) if isinstance(part, list) else None,
)
def test_mistakes(home, run, arguments, words):
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert "Traceback" not in err
    assert [word for word in words if word not in err] == []


def test_a_value_out_of_range_is_not_told(home, run):
    Path("record.toml").write_text(RECORD.replace("44", "9141"))
    code, out, err = run("ask", "me.ledger", "query.toml", "--record", "record.toml")
    assert (code, out) == (2, "")
    assert "'age' must lie between 18 and 90; found a number out of range" in err
    assert "9141" not in err


def test_a_damaged_ledger_says_so_and_sends_again(home, run):
    first = shown(run, "ask", "me.ledger", "query.toml", "--record", "record.toml")
    path = Path("me.ledger")
    content = bytearray(path.read_bytes())
    place = content.index(b'"code":')
    content[place + 8 : place + 9] = b"7"
    path.write_bytes(content)
    book = shown(run, "ledger", "show", "me.ledger")
    assert book["damage"]
    assert (book["spent"], book["remaining"], book["binds"]) == (None, None, None)
    assert "damage to" in run("ledger", "show", "me.ledger")[1]
    assert "damaged" in run("ledger", "explain", "me.ledger")[1]
    assert shown(run, "ask", "me.ledger", "query.toml", "--record", "record.toml") == first
    code, _, err = run("ask", "me.ledger", "large.toml", "--record", "record.toml")
    assert code == 4
    assert "must be whole before anything new is asked" in err
    assert not shown(run, "ledger", "export", "me.ledger", "-o", "t.jsonl")["whole"]


@pytest.mark.long
def test_processes_of_their_own_give_one_answer(home, spawn):
    first = spawn("ask", "me.ledger", "query.toml", "--record", "record.toml", "--json")
    again = spawn("ask", "me.ledger", "query.toml", "--record", "record.toml", "--json")
    assert (first.returncode, first.stderr) == (0, "")
    assert first.stdout == again.stdout


@pytest.mark.long
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_an_answer_that_cannot_be_printed_is_not_counted_as_sent(home, run, program):
    import subprocess

    with open("/dev/full", "w") as full:  # noqa: PTH123 - a device
        command = [*program, "ask", "me.ledger", "query.toml", "--record", "record.toml"]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, check=False, timeout=PATIENCE)
    assert done.returncode == 5
    (entry,) = shown(run, "ledger", "show", "me.ledger")["entries"]
    assert entry["state"] == "sampled"


def test_a_copied_file_keeps_its_protection(home, run):
    shutil.copyfile("me.ledger", "copied.ledger")
    os.chmod("copied.ledger", 0o644)  # noqa: PTH101
    code, _, err = run("ledger", "show", "copied.ledger")
    assert code == 2
    assert "chmod 600" in err
