"""Ledgers can be read for ever: entries, decisions, answers, the transcript to the byte."""

import json
import shutil
from pathlib import Path

import pytest

from sordino import Ledger, RefusedError, SordinoError, ask
from sordino.once.agent.answer import answer
from sordino.once.journal.event import PERIOD
from sordino.once.ledger.ledger_query import AskedQuery
from sordino.once.ledger.transcript import import_transcript, transcript

GOLDEN = Path(__file__).parent / "golden"
SHOWN = json.loads((GOLDEN / "ledger.json").read_text())


@pytest.fixture
def old(tmp_path):
    path = tmp_path / "old.ledger"
    shutil.copy(GOLDEN / "ledger.db", path)
    path.chmod(0o600)
    return Ledger.open(path)


def test_its_entries_are_read(old):
    found = []
    for entry in old.entries().by_id.values():
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

    assert old.balance().joint.spent == pytest.approx(SHOWN["spent"], abs=1e-9)
    with pytest.raises(RefusedError):
        old.reserve(question("0.9"), record(age=45))
    assert old.reserve(question("0.01"), record(age=45)).record == 2


def test_its_answers_are_sent_again(old, record):
    for name, entry in old.entries().by_id.items():
        if entry.code is None:
            with pytest.raises(SordinoError, match="that it was reserved for"):
                ask(old, entry.query, record(), print)
            continue
        report = ask(old, entry.query, record(), lambda _: None)
        assert report.again
        assert report.code == entry.code, name


def test_its_transcript_is_the_same_to_the_byte(old, tmp_path):
    text = (GOLDEN / "ledger.jsonl").read_text()
    assert transcript(old) == text
    assert transcript(import_transcript(GOLDEN / "ledger.jsonl", tmp_path / "copy.ledger")) == text


@pytest.fixture
def with_plans(tmp_path):
    """A ledger that answered plans."""
    path = tmp_path / "plans.ledger"
    shutil.copy(GOLDEN / "ledger-plans.db", path)
    path.chmod(0o600)
    return Ledger.open(path)


def test_answers_to_plans_are_read_and_sent_again(with_plans, tmp_path):
    old, shown = with_plans, json.loads((GOLDEN / "ledger-plans.json").read_text())
    found = []
    for entry in old.entries().by_id.values():
        code = None if entry.code is None else str(entry.code)
        report = None if entry.report is None else dict(entry.report)
        found.append([entry.query.id, entry.query.hash, entry.record, entry.state, code, report])
    assert found == shown["entries"]
    assert (old.contents().damage, old.contents().meta["version"]) == ((), "3")
    assert old.terms.hash == shown["terms"]
    assert old.balance().joint.spent == pytest.approx(shown["spent"], abs=1e-9)
    text = (GOLDEN / "ledger-plans.jsonl").read_text()
    assert transcript(old) == text
    assert transcript(import_transcript(GOLDEN / "ledger-plans.jsonl", tmp_path / "copy.ledger")) == text
    for plan_hash, _, _, state, _, report in shown["entries"]:
        sent = []
        if state != "reserved" and not old.is_taken_back(plan_hash):
            own = old.find_collector(plan_hash)
            assert answer(old, plan_hash, pytest.fail, sent.append, collector=own).again
        assert [json.loads(body)["reports"] for body in sent] == ([[report]] if sent else [])
        assert bool(sent) == (state == "sampled" and not old.is_taken_back(plan_hash))


def test_what_was_noted_of_plans_stands(with_plans):
    shown = json.loads((GOLDEN / "ledger-plans.json").read_text())
    assert [with_plans.needs_invitation(entry[0]) for entry in shown["entries"]] == shown["invited"]
    assert [with_plans.is_taken_back(entry[0]) for entry in shown["entries"]] == shown["taken back"]
    for plan_hash, period in shown["periods"]:
        assert with_plans.choose_once(PERIOD, plan_hash, pytest.fail) == period
