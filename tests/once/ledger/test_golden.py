"""Ledgers of every version can be read for ever: entries, decisions, answers, the transcript to the byte."""

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from sordino import Ledger, Plan, RefusedError, SordinoError, ask
from sordino.once.agent.answer import answer, take_back
from sordino.once.ledger.documents.asked_query import AskedQuery
from sordino.once.ledger.transcript import import_transcript, transcript

GOLDEN = Path(__file__).parent / "golden"
SHOWN = json.loads((GOLDEN / "ledger-1.json").read_text())


@pytest.fixture
def old(tmp_path):
    path = tmp_path / "old.ledger"
    shutil.copy(GOLDEN / "ledger-1.db", path)
    path.chmod(0o600)
    return Ledger.open(path)


def test_its_entries_are_read(old):
    found = []
    for entry in old.book().entries.values():
        code = None if entry.code is None else str(entry.code)
        found.append([entry.query.id, entry.query.hash, entry.record, entry.state, code, entry.time])
    assert found == SHOWN["entries"]
    assert old.contents().damage == ()
    assert old.terms.hash == SHOWN["terms"]


def test_its_decisions_stand(old, record):
    """By the terms that it was made with, whatever new ones would have."""

    def question(epsilon):
        tables = {"version": 1, "id": "new", "collector": "c", "epsilon": epsilon}
        return AskedQuery.read(tables | {"linear": {"theta": {"sleep": 1}, "low": 0, "high": 12}}, old.terms)

    assert old.standing().joint.spent == pytest.approx(SHOWN["spent"], abs=1e-9)
    with pytest.raises(RefusedError):
        old.reserve(question("0.9"), record(age=45))
    assert old.reserve(question("0.01"), record(age=45)).record == 2


def test_its_answers_are_sent_again(old, record):
    for name, entry in old.book().entries.items():
        if entry.code is None:
            with pytest.raises(SordinoError, match="that it was reserved for"):
                ask(old, entry.query, record(), print)
            continue
        report = ask(old, entry.query, record(), lambda _: None)
        assert report.again
        assert report.code == entry.code, name


def test_its_transcript_is_the_same_to_the_byte(old, tmp_path):
    text = (GOLDEN / "ledger-1.jsonl").read_text()
    assert transcript(old) == text
    assert transcript(import_transcript(GOLDEN / "ledger-1.jsonl", tmp_path / "copy.ledger")) == text


@pytest.fixture
def with_plans(tmp_path):
    """Ledgers that answered plans: a function of a version."""

    def copy(version):
        path = tmp_path / f"plans-{version}.ledger"
        shutil.copy(GOLDEN / f"ledger-plans-{version}.db", path)
        path.chmod(0o600)
        return Ledger.open(path), json.loads((GOLDEN / f"ledger-plans-{version}.json").read_text())

    return copy


@pytest.mark.parametrize("version", [1, 2])
def test_answers_to_plans_are_read_and_sent_again(with_plans, version, tmp_path):
    old, shown = with_plans(version)
    found = []
    for entry in old.book().entries.values():
        code = None if entry.code is None else str(entry.code)
        report = None if entry.report is None else dict(entry.report)
        found.append([entry.query.id, entry.query.hash, entry.record, entry.state, code, report])
    assert found == shown["entries"]
    assert (old.contents().damage, old.contents().meta["version"]) == ((), str(version))
    assert old.terms.hash == shown["terms"]
    assert old.standing().joint.spent == pytest.approx(shown["spent"], abs=1e-9)
    text = (GOLDEN / f"ledger-plans-{version}.jsonl").read_text()
    assert transcript(old) == text
    assert transcript(import_transcript(GOLDEN / f"ledger-plans-{version}.jsonl", tmp_path / "copy.ledger")) == text
    for plan_hash, _, _, state, _, report in shown["entries"]:
        sent = []
        if state != "reserved" and not old.is_taken_back(plan_hash):
            assert answer(old, plan_hash, pytest.fail, sent.append).again
        assert [json.loads(body)["reports"] for body in sent] == ([[report]] if sent else [])
        assert bool(sent) == (state == "sampled" and not old.is_taken_back(plan_hash))


def test_a_line_that_version_1_did_not_have_makes_it_version_2(with_plans, tmp_path):
    old, shown = with_plans(1)
    sent, waiting, reserved = (entry[0] for entry in shown["entries"])
    answer(old, waiting, pytest.fail, lambda _: None)
    assert old.contents().meta["version"] == "1"
    take_back(old, sent, lambda _: None)
    contents = old.contents()
    assert (contents.meta["version"], contents.damage, old.is_taken_back(sent)) == ("2", (), True)
    with closing(sqlite3.connect(old.path)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (2,)
    asked, record = Plan.load(GOLDEN / "ledger-plan.json"), {"age": 44, "smoker": "no", "stage": "II"}
    assert asked.hash == reserved
    made = answer(old, reserved, lambda: (asked, {"version": 1, "record": record}), lambda _: None, collector="c")
    assert not made.again
    assert old.find(reserved).state == "sent"


def test_what_version_2_added_stands(with_plans):
    old, shown = with_plans(2)
    assert [old.is_taken_back(entry[0]) for entry in shown["entries"]] == shown["taken back"]
    for plan_hash, period in shown["periods"]:
        assert old.choose_period_once(plan_hash, pytest.fail) == period
