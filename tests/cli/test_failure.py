"""Each kind of failure has its exit code and, with --json, its object; every command and the reference tell them."""

import json
import os
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

from commands import PATIENCE, every_command, started
from in_one import in_one
from sordino import RefusedError, SordinoError, SordinoErrors
from sordino.cli.exits import EXIT_CODES, EXIT_HELP
from sordino.errors import DamagedError, UnavailableError
from waits import stop, writer_of

REFERENCE = (Path(__file__).parents[2] / "docs" / "reference.md").read_text(encoding="utf-8")
CODES = {"invalid": 2, "refused": 3, "damaged": 4, "unavailable": 5, "stopped": 130}

TERMS = """\
version = 1
epsilon = "1"
[attribute.age]
number = { low = 18, high = 90 }
"""
RECORD = "version = 1\n[record]\nage = 44\n"
QUERY = """\
version = 1
id = "age-1"
collector = "Institute"
epsilon = "2"
linear = { theta = { age = 1 }, low = 18, high = 90 }
"""

NOBODY = 65534


def failed(streams):
    """The exit code and the error of a command with --json; its code must fit."""
    code, out, err = streams
    document = json.loads(out)
    assert list(document) == ["error"]
    error = document["error"]
    assert set(error) - {"errors"} == {"type", "title", "detail", "code", "rule", "found", "step"}
    # Problem details of RFC 9457.
    assert error["type"] == f"urn:sordino:error:{error['code']}"
    assert error["detail"].startswith(error["title"])
    assert code == CODES[error["code"]]
    assert error["rule"] in err
    assert "Traceback" not in err
    return error


def test_every_command_tells_its_exit_codes(run):
    for words in [(), *(words for words, _ in every_command())]:
        code, out, _ = run(*words, "--help")
        assert code == 0, words
        assert EXIT_HELP in " ".join(out.split()), words


@in_one(("code", "number"), CODES.items())
def test_the_reference_tells_every_exit_code(code, number):
    assert f"| {number} | `{code}` |" in REFERENCE
    assert f"{number} {code}" in EXIT_HELP


def test_errors_know_their_codes():
    assert {name: number for name, number in CODES.items() if name != "stopped"} == EXIT_CODES
    kinds = {SordinoError: "invalid", RefusedError: "refused", DamagedError: "damaged", UnavailableError: "unavailable"}
    for kind, code in kinds.items():
        facts = {"code": code, "rule": "a", "found": "b", "step": "c"}
        assert kind("a", found="b", step="c").facts() == facts
    several = SordinoErrors("the survey", [SordinoError("one"), SordinoError("two", found="three")])
    assert [error["rule"] for error in several.facts()["errors"]] == ["one", "two"]


def test_every_mistake_of_a_survey_is_an_error_of_its_own(tmp_path, run):
    (tmp_path / "survey.toml").write_text('version = 2\nepsilonn = "1"\n')
    error = failed(run("plan", tmp_path / "survey.toml", "--people", "9", "-o", tmp_path / "plan.json", "--json"))
    assert error["code"] == "invalid"
    assert len(error["errors"]) >= 3
    assert all(set(one) == {"code", "rule", "found", "step"} for one in error["errors"])


USAGE = {
    "no such command": ["privatise", "--json"],
    "no such option": ["certify", "plan.json", "--quiet", "--json"],
    "missing": ["estimate", "--json"],
    "no number": ["plan", "survey.toml", "--people", "many", "-o", "x.json", "--json"],
    "no record": ["ask", "me.ledger", "query.toml", "--json"],
}


@pytest.fixture
def home(tmp_path, monkeypatch, new_ledger):
    """A folder with a ledger, a record and a query that asks for too much."""
    monkeypatch.chdir(tmp_path)
    new_ledger(TERMS, RECORD, query=QUERY)
    return tmp_path


@pytest.mark.parametrize("words", USAGE.values(), ids=USAGE)
def test_words_that_are_no_command(home, run, words):
    error = failed(run(*words))
    assert error["code"] == "invalid"
    assert error["step"].endswith("--help")


def test_a_refusal_is_told_from_a_mistake(home, run):
    ask = ["ask", "me.ledger", "query.toml", "--record", "record.toml", "--json"]
    error = failed(run(*ask))
    assert error["code"] == "refused"
    assert error["found"].startswith("up to 2")
    Path("query.toml").write_text(QUERY.replace("age = 1", "ages = 1"))
    assert failed(run(*ask))["code"] == "invalid"


def test_a_record_is_told_in_no_error(home, run):
    Path("record.toml").write_text(RECORD.replace("44", "9141"))
    code, out, err = run("ask", "me.ledger", "query.toml", "--record", "record.toml", "--json")
    assert failed((code, out, err))["code"] == "invalid"
    assert "9141" not in out + err


def test_a_damaged_ledger(home, run):
    content = bytearray(Path("me.ledger").read_bytes())
    for place in range(4096, len(content), 512):
        content[place : place + 64] = bytes(64)
    Path("me.ledger").write_bytes(content)
    assert failed(run("ledger", "show", "me.ledger", "--json"))["code"] == "damaged"


@pytest.mark.parametrize("change", ["cut", "changed"])
def test_a_damaged_plan(released, run, change):
    text = (released / "plan.json").read_text()
    (released / "plan.json").write_text(
        text[:-9] if change == "cut" else text.replace('"people":1000', '"people":1001')
    )
    assert failed(run("certify", "plan.json", "--json"))["code"] == "damaged"


def test_damaged_reports(released, run):
    text = (released / "reports.csv").read_text()
    (released / "reports.csv").write_text(text[:-1])
    assert failed(run("estimate", "plan.json", "reports.csv", "--json"))["code"] == "damaged"


def test_a_file_without_rights(released, run):
    assert run("certify", "plan.json")[0] == 0
    (released / "plan.json").chmod(0)
    # Root may read everything: it is nobody for as long as this takes.
    user = os.geteuid()
    if user == 0:
        os.seteuid(NOBODY)
    try:
        error = failed(run("certify", "plan.json", "--json"))
    finally:
        os.seteuid(user)
    assert error["code"] == "unavailable"


def test_a_ledger_that_is_kept_busy(home, run, monkeypatch):
    import sqlite3

    from sordino.once.journal import journal_file

    monkeypatch.setattr(journal_file, "WAIT", 0.1)
    Path("query.toml").write_text(QUERY.replace('"2"', '"0.1"'))
    busy = sqlite3.connect("me.ledger", isolation_level=None)
    busy.execute("BEGIN IMMEDIATE")
    error = failed(run("ask", "me.ledger", "query.toml", "--record", "record.toml", "--json"))
    busy.close()
    assert (error["code"], error["step"]) == ("unavailable", "try again")


def test_an_answer_that_is_out_stays_the_only_object(home, run, monkeypatch):
    from sordino.once.ledger.ledger import Ledger

    def fail(ledger, query):
        raise UnavailableError("a ledger must be possible to write")

    monkeypatch.setattr(Ledger, "note_sent", fail)
    Path("query.toml").write_text(QUERY.replace('"2"', '"0.1"'))
    code, out, err = run("ask", "me.ledger", "query.toml", "--record", "record.toml", "--json")
    assert code == 5
    assert json.loads(out)["code"] in "01"
    assert "possible to write" in err


@pytest.mark.first_cases(1)
@pytest.mark.parametrize("json_mode", [False, True])
def test_a_stopped_command(released, program, json_mode):
    # A pipe that nobody writes to keeps the command waiting.
    os.mkfifo("people.toml")
    command = [*program, "plan", "people.toml", "--people", "9", "-o", "new.json", *(["--json"] if json_mode else [])]
    # The second file opens once the command reads.
    with started(command) as process, writer_of(Path("people.toml"), process):
        out, err = stop(process)
    assert process.returncode == 130
    assert err.strip() == "sordino: stopped; nothing half-written was left"
    assert (json.loads(out)["error"]["code"] if json_mode else out) == ("stopped" if json_mode else "")


IGNORES = "import signal; signal.signal(signal.{}, signal.SIG_IGN); "


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGHUP])
def test_a_signal_that_the_command_was_told_to_ignore_stays_ignored(released, program, number):
    """As a shell tells what runs behind it, and `nohup` what outlives its terminal."""
    os.mkfifo("people.toml")
    command = [*program[:2], IGNORES.format(number.name) + program[2]]
    command += ["plan", "people.toml", "--people", "9", "-o", "new.json"]
    with started(command) as process:
        with writer_of(Path("people.toml"), process) as pipe:
            process.send_signal(number)
            pipe.write(Path("survey.toml").read_text(encoding="utf-8"))
        _, errors = process.communicate(timeout=PATIENCE)
    assert (process.returncode, errors) == (0, "")
    assert Path("new.json").exists()


@pytest.mark.parametrize("error", [RuntimeError, ValueError, UnavailableError, ImportError, OSError], ids=str)
def test_whatever_a_library_makes_of_a_stop_is_a_stop(released, run, monkeypatch, error):
    from sordino.survey.planning.plan import Plan

    def load(*_):
        try:
            signal.raise_signal(signal.SIGTERM)
        except KeyboardInterrupt:
            raise error("anything") from None

    monkeypatch.setattr(Plan, "load", load)
    code, _, errors = run("certify", "plan.json")
    assert (code, errors.strip()) == (130, "sordino: stopped; nothing half-written was left")


def test_a_second_signal_at_once_interrupts_no_cleaning_up(released, run, monkeypatch):
    """`timeout` sends one to its child and one to its group."""
    from sordino.survey.planning.plan import Plan

    cleaned = []

    def load(*_):
        try:
            signal.raise_signal(signal.SIGTERM)
        finally:
            signal.raise_signal(signal.SIGTERM)
            cleaned.append(True)

    monkeypatch.setattr(Plan, "load", load)
    assert run("certify", "plan.json")[0] == 130
    assert cleaned


@pytest.mark.long
@pytest.mark.skipif(not Path("/dev/full").exists() or not shutil.which("sh"), reason="needs a device that is full")
def test_an_output_that_is_full(released, program):
    with Path("/dev/full").open("wb") as full:
        command = [*program, "estimate", "plan.json", "reports.csv", "--json"]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, check=False, timeout=PATIENCE)
    assert done.returncode == CODES["unavailable"]
