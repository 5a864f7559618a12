"""A ledger that version 1 wrote can be read for ever: entries, decisions, answers, the transcript to the byte."""

import json
import shutil
from pathlib import Path

import pytest

from sordino import Ledger, RefusedError, SordinoError, ask
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
