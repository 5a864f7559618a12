"""`sordino answer`: a person's answer reaches a real collector once; what goes wrong says so, and never the answer."""

import contextlib
import html
import json
import os
import random
import re
import subprocess
import tomllib

import pytest

from collectors import asked, collecting
from commands import PATIENCE, PROGRAM
from sordino import Plan, Survey
from sordino.once.agent.answer_store import AnswerStore
from sordino.once.journal.event import DRAWN
from sordino.service.signing import Signer

WAITING = {"id": "00000000000000000000000000000001", "code": "1"}
RECORD = 'version = 1\n[record]\ncolour = "green"\n'


@pytest.fixture
def collector(released):
    """The plan's address, and the number of reports at the collector once it has ended."""
    (released / "me.toml").write_text(RECORD)
    with collecting(Plan.load(released / "plan.json"), released / "reports.sqlite") as (address, _):
        yield address


def kept(folder):
    """Code and id of all reports, while the collector runs."""
    events = AnswerStore.open(folder / "answers.sqlite").contents().events
    return [event.body["report"] for event in events if event.event == DRAWN]


ASKED_OF_SOME = """
version = 1
epsilon = "1"

[attribute.drinks]
categories = ["yes", "no"]
protect = { epsilon = "3" }

[attribute.kind]
categories = ["beer", "wine"]
only_if = { drinks = "yes" }

[[ask]]
histogram = "drinks"

[[ask]]
histogram = "kind"
"""


def test_whose_reports_reveal_who_was_asked_is_said_before_anything_is_drawn(tmp_path, run, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "survey.toml").write_text(ASKED_OF_SOME)
    (tmp_path / "me.toml").write_text('version = 1\n[record]\ndrinks = "yes"\nkind = "beer"\n')
    assert run("plan", "survey.toml", "--people", "1000", "-o", "plan.json")[0] == 0
    with collecting(Plan.load(tmp_path / "plan.json"), tmp_path / "reports.sqlite") as (address, _):
        code, out, _ = run("answer", "--yes", address, "me.toml", "--store", "answers.sqlite")
    assert code == 0
    # e^3 and e.
    told = (
        "A report about 'drinks' changes the odds of whether 'kind' was asked by a factor of up to 20.09, which is more"
        " than a report about 'kind' does: 2.72."
    )
    assert " ".join(out.split()).count(told) == 1
    assert told in " ".join(run("certify", "plan.json")[1].split())
    short = "Reports about 'drinks' reveal more of whether people were asked for 'kind' than reports about it do."
    assert short in " ".join(run("plan", "survey.toml", "--people", "1000", "-o", "again.json")[1].split())
    assert short in " ".join(run("explain", "plan.json")[1].split())
    assert run("record", "plan.json", "--html", "label.html")[0] == 0
    label = html.unescape((tmp_path / "label.html").read_text(encoding="utf-8"))
    assert told in label[: label.rindex("What one report can reveal")]


def test_an_answer_reaches_the_collector_once(collector, released, run):
    words = "me.toml", "--store", "answers.sqlite"
    code, out, errors = run("answer", "--yes", collector, *words)
    assert (code, errors) == (0, "")
    # What it can reveal is told before it leaves, in per cent.
    assert re.search(
        r"What your report can reveal:\n- .* at most 86 %\.\n- .*\nThe collector has your answer\.\n$", out
    )
    stored = kept(released)
    assert len(stored) == 1
    # Under another address of the same host nothing is drawn, nor sent again, nor is the record read.
    (released / "me.toml").unlink()
    other = collector.replace("http:", "https:").replace("sha256:", "sha256%3A") + "/"
    code, out, errors = run("answer", "--yes", other, *words)
    assert (code, errors, out) == (
        0,
        "",
        "The collector has your answer. It was drawn before; no other one was drawn.\n",
    )
    code, out, errors = run("answer", "--yes", collector, *words, "--json")
    # No word of it is the answer's.
    assert (code, json.loads(out)) == (
        0,
        {"plan": collector[-71:], "again": True, "taken_back": False, "acknowledged": True},
    )
    assert kept(released) == stored


def test_another_collector_gets_nothing_that_was_drawn_for_the_first(collector, released, run):
    """Of two real ones, under two names of this machine, whether the first acknowledged the answer or not."""
    plan = Plan.load(released / "plan.json")
    own = "--store", "answers.sqlite", "--patience", "0"
    words = "the collector that it is reserved for, and to no other; found one for '127.0.0.1': give the plan's address"
    with collecting(plan, released / "other.sqlite") as (address, _):
        other = address.replace("127.0.0.1", "LocalHost")
        # Drawn and lost: it waits for the first.
        AnswerStore.open(released / "answers.sqlite").draw_once(plan.hash, "127.0.0.1", lambda: WAITING)
        for _ in range(2):
            for more in (["me.toml", "--yes"], ["me.toml"], ["me.toml", "--yes", "--json"], ["--take-back"]):
                code, out, errors = run("answer", other, *more, *own)
                assert (code, words in errors, WAITING["id"] in out + errors) == (3, True, False)
            # The same host at another port.
            assert run("answer", collector, "me.toml", *own)[0] == 0
        assert json.loads(asked(f"{address}/progress"))["reports"] == 0
        assert json.loads(asked(f"{collector}/progress"))["reports"] == 1
        assert run("answer", collector, "--take-back", *own)[0] == 0
        assert json.loads(asked(f"{collector}/progress"))["reports"] == 0


def on_a_terminal(words, folder, reply):
    """Run a command on a terminal, reply to what it asks: exit code, and what the terminal shows."""
    own, theirs = os.openpty()
    with subprocess.Popen(words, cwd=folder, stdin=theirs, stdout=theirs, stderr=theirs) as process:
        os.close(theirs)
        shown = b""
        with contextlib.suppress(OSError):
            while piece := os.read(own, 1 << 12):
                shown += piece
                if reply and b"[y/N]" in shown:
                    os.write(own, reply)
                    reply = b""
    os.close(own)
    return process.returncode, shown.decode()


@pytest.mark.parametrize(("reply", "count"), [(b"n\n", 0), (b"\n", 0), (b"y\n", 1)])
def test_nothing_is_drawn_before_somebody_agrees(released, reply, count):
    words = {"title": "Colours", "by": "Institute", "consent": {"text": "I take part of my own will."}}
    survey = {**tomllib.loads((released / "survey.toml").read_text(encoding="utf-8")), "about": words}
    (released / "me.toml").write_text(RECORD)
    with collecting(Plan.of(Survey.read(survey), 1000), released / "worded.sqlite") as (address, _):
        command = [*PROGRAM, "answer", address, "me.toml", "--store", "answers.sqlite"]
        code, shown = on_a_terminal(command, released, reply)
        assert ("Nothing was drawn or sent." in shown) == (count == 0)
        assert code == (0 if count else 130)
        assert len(kept(released)) == count
        assert f'"reports":{count}'.encode() in asked(f"{address}/progress")
        for line in (
            "Colours",
            "- I take part of my own will.",
            "could afterwards give it at most 86 %",
            "Send it? [y/N]",
        ):
            assert line in shown
        if count:
            # What was agreed to once is sent again without another question.
            assert "no other one was drawn" in on_a_terminal(command, released, b"")[1]


@pytest.mark.parametrize(("more", "found"), [((), "no terminal to ask on"), (("--json",), "--json")])
def test_without_a_terminal_somebody_must_have_agreed(collector, released, run, more, found):
    code, out, errors = run("answer", collector, "me.toml", "--store", "answers.sqlite", *more)
    assert code == 2
    assert f"must agree first; found {found}: " in out + errors
    assert "--yes" in out + errors
    assert kept(released) == []


def test_the_store_is_in_the_persons_own_data_folder(collector, released, run, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(released / "data"))
    assert run("answer", "--yes", collector, "me.toml", "--json")[0] == 0
    assert (released / "data" / "sordino" / "answers.sqlite").stat().st_mode & 0o777 == 0o600
    monkeypatch.setenv("XDG_DATA_HOME", "relative")
    monkeypatch.setenv("HOME", str(released / "home"))
    assert run("answer", "--yes", collector, "me.toml", "--json")[0] == 0
    assert (released / "home" / ".local" / "share" / "sordino" / "answers.sqlite").exists()


@pytest.mark.parametrize(
    ("record", "words"),
    [
        ("version = 1\n[record]\n", "found none for 'colour'"),
        (
            'version = 1\n[record]\ncolour = "q9141"\n',
            "'colour' must be one of its categories; found an unknown category",
        ),
        ("colour = q9141", "must be a TOML file; found a mistake at line 1"),
    ],
)
def test_a_record_that_does_not_fit_sends_nothing_and_stays_untold(collector, released, run, record, words):
    (released / "me.toml").write_text(record)
    code, _, errors = run("answer", "--yes", collector, "me.toml", "--store", "answers.sqlite")
    assert code == 2
    assert words in errors
    assert "9141" not in errors
    assert kept(released) == []


def test_an_answer_goes_to_no_plan_that_another_key_signed(released, run):
    (released / "me.toml").write_text(RECORD)
    signer, other = (Signer.of_file(released / name) for name in ("own.pem", "other.pem"))
    plan, words = Plan.load(released / "plan.json"), ("me.toml", "--store", "answers.sqlite")
    with collecting(plan, released / "reports.sqlite", 1, signer) as (address, _):
        code, out, errors = run("answer", "--yes", address, *words, "--signed-by", other.public)
        assert (code, out) == (3, "")
        assert (
            "signed by the key that is asked for; found a signature that does not fit: answer nothing there" in errors
        )
        assert kept(released) == []
        code, _, errors = run("answer", "--yes", address, *words, "--signed-by", "12")
        assert code == 2
        assert "64 hexadecimal digits" in errors
        # A key in the address counts as one that is named; two that differ are no choice.
        code, out, errors = run("answer", "--yes", f"{address}/form#key={other.public}", *words)
        assert (code, out, kept(released)) == (3, "", [])
        assert "signed by the key that is asked for" in errors
        code, _, errors = run("answer", "--yes", f"{address}#key={other.public}", *words, "--signed-by", signer.public)
        assert (code, "must be the key of the address" in errors) == (2, True)
        named = ("--signed-by", signer.public.upper())
        assert run("answer", "--yes", f"{address}#key={signer.public}", *words, *named)[0] == 0
        assert b'"reports":1' in asked(f"{address}/progress")


def test_an_answer_that_waits_goes_no_further_than_a_new_one(released, run):
    (released / "me.toml").write_text(RECORD)
    signer, other = (Signer.of_file(released / name) for name in ("own.pem", "other.pem"))
    plan, words = Plan.load(released / "plan.json"), ("me.toml", "--store", "answers.sqlite")
    AnswerStore.open(released / "answers.sqlite").draw_once(plan.hash, "127.0.0.1", lambda: WAITING)
    with collecting(plan, released / "reports.sqlite", 1, signer) as (address, _):
        assert run("answer", "--yes", address, *words, "--signed-by", other.public)[0] == 3
        assert b'"reports":0' in asked(f"{address}/progress")
        assert run("answer", "--yes", address, *words, "--signed-by", signer.public)[0] == 0
        assert b'"reports":1' in asked(f"{address}/progress")


def test_where_no_collector_is_the_answer_waits(released, run):
    (released / "me.toml").write_text(RECORD)
    plan = Plan.load(released / "plan.json")
    with collecting(plan, released / "reports.sqlite") as (address, token):
        done = run(
            "answer", "--yes", address.replace("sha256:", "sha256:0")[:-1], "me.toml", "--store", "answers.sqlite"
        )
        assert done[0] == 2
        assert "must be served at the address" in done[2]
        assert b'"closed":true' in asked(f"{address}/close", "POST", token)
        code, out, errors = run("answer", "--yes", address, "me.toml", "--store", "answers.sqlite", "--json")
        assert (code, json.loads(out)["error"]["code"]) == (3, "refused")
        assert "must take answers; found one that is closed" in errors
        assert kept(released)[0]["code"] not in errors.split()
        assert b'"reports":0' in asked(f"{address}/progress")
    code, _, errors = run("answer", "--yes", address, "me.toml", "--store", "answers.sqlite", "--patience", "0")
    assert code == 5
    assert "the answer stays on this device, and no new one is drawn" in errors


@pytest.mark.long
def test_a_command_that_is_killed_again_and_again_is_counted_once(collector, released):
    """At any moment of a run, most of which is loading; whatever was stored is what the collector has in the end."""
    dice, stored = random.Random(14), []
    command = [*PROGRAM, "answer", "--yes", collector, "me.toml", "--store", "answers.sqlite"]
    for _ in range(10):
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            try:
                process.wait(dice.uniform(0.3, 1.5))
            except subprocess.TimeoutExpired:
                process.kill()
        found = kept(released) if (released / "answers.sqlite").exists() else []
        assert stored in ([], found)
        stored = found
    assert subprocess.run(command, capture_output=True, check=False, timeout=PATIENCE).returncode == 0
    assert stored in ([], kept(released))
    assert len(kept(released)) == 1
    assert b'"reports":1' in asked(f"{collector}/progress")
