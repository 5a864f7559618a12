"""Lives with and without changes of the record: all that can be seen of their ledgers is the same."""

import sqlite3
from contextlib import closing, suppress

import pytest

from changing import BOTH, FixedAnswers, Stopping, exported, ignore, person, question, terms_of
from sordino import Ledger, SordinoError, ask
from sordino.once.ledger.explain_ledger import ledger_sentences
from sordino.once.ledger.transcript import import_transcript, transcript


@pytest.fixture
def fixed(monkeypatch):
    return FixedAnswers(monkeypatch)


ACTIONS = [
    ("ask", "q1", "smoker", 0, None),
    ("ask", "q2", "smoker", 1, "drawn"),
    ("export",),
    ("ask", "q2", "smoker", 1, None),
    ("ask", "q3", "region", 2, "stored"),
    ("ask", "q4", "region", 0, "sending"),
    ("ask", "q3", "region", 2, None),
    ("ask", "q5", "smoker", 0, "reserving"),
    ("ask", "q1", "smoker", 1, None),
    ("ask", "q6", "region", 1, "delivered"),
    ("ask", "q5", "smoker", 0, None),
    *(("ask", f"r{place}", "smoker", place % 2, None) for place in range(4)),
    ("export",),
]
STILL = [(0, 0)] * 20
LIVES = {
    1: [STILL, *([(0, 0)] * first + [(2, 1)] * (20 - first) for first in (1, 4, 8, 12))],
    2: [STILL, *([(0, 0)] * first + [(2, 1)] + [(0, 0)] * (19 - first) for first in (1, 4, 8, 12))],
    3: [STILL, *([(0, 0)] * first + [(1, 0), (1, 1)] + [(2, 1)] * (18 - first) for first in (1, 4, 8, 12))],
}


@pytest.mark.each_value
@pytest.mark.parametrize("quota", [None, {"c": "0.4", "others": "0.3"}])
@pytest.mark.parametrize("changes", LIVES)
def test_whatever_the_record_did_all_that_can_be_seen_is_the_same(changes, quota, tmp_path, fixed, monkeypatch):
    """Two lives with few changes, the same answers: outcomes, refusals, transcripts, pages and files are equal."""
    monkeypatch.setattr("sordino.once.journal.contents.token_bytes", bytes)
    terms = terms_of(BOTH, changes=changes, **({} if quota is None else {"quota": quota}))
    seen = [
        everything_seen(tmp_path / f"{place}.ledger", terms, life, fixed) for place, life in enumerate(LIVES[changes])
    ]
    assert any(isinstance(own, str) and "must" in own for own in seen[0]), "some query is refused"
    for own in seen[1:]:
        assert own == seen[0]


def everything_seen(path, terms, life, fixed):
    Ledger.make(path, terms)
    outcomes = []

    def step_of(point):
        def step(name):
            if name == point:
                raise Stopping

        return step

    for action, values in zip(ACTIONS, life, strict=False):
        record = person(terms, *values)
        if action[0] == "export":
            outcomes.append(transcript(Ledger(path, clock=lambda: "")))
            continue
        _, name, attribute, fixed.code, point = action
        query = question(terms, name, "0.2", attribute, collector="c" if attribute == "smoker" else "d")
        arrived = []
        try:
            outcomes.append(Ledger(path, clock=lambda: "").decide(query, record))
            ask(Ledger(path, clock=lambda: "", step=step_of(point)), query, record, arrived.append)
        except Stopping:
            outcomes.append("stopped")
        except SordinoError as error:
            outcomes.append(str(error))
        outcomes += [[report.json() for report in arrived], path.stat().st_size]
    ledger = Ledger(path)
    outcomes += [*ledger_sentences(ledger), [(e.sequence, e.event, e.id, e.body) for e in ledger.contents().events]]
    copy = import_transcript(exported(ledger, path), path.with_suffix(".copy"))
    assert copy.balance().joint.spent == ledger.balance().joint.spent
    assert ledger.balance(replay=True).content == ledger.balance().content
    return outcomes


@pytest.mark.parametrize("changes", [1, 2, 17])
def test_a_change_is_not_seen_in_a_file_with_a_checkpoint(changes, tmp_path, fixed, monkeypatch):
    """Equal parts of a checkpoint are written once: a count of changes that equals another part would be seen."""
    monkeypatch.setattr("sordino.once.journal.contents.token_bytes", bytes)
    monkeypatch.setattr("sordino.once.ledger.reading.FIRST", 6)
    terms, sizes = terms_of(BOTH, epsilon="3", changes=changes), []
    for first in (12, 1, 6):
        path = tmp_path / f"{first}.ledger"
        ledger, grown = Ledger.make(path, terms), []
        for place in range(12):
            # Until all changes are used up.
            fixed.code, value = place % 2, min(max(0, place - first), changes) % 2
            ask(ledger, question(terms, f"q{place}", "0.05"), person(terms, value, 0), ignore)
            # There is no table before the first checkpoint.
            with suppress(sqlite3.OperationalError), closing(sqlite3.connect(path)) as read:
                grown += [path.stat().st_size, *read.execute("SELECT length(state) FROM checkpoint").fetchall()]
        sizes.append(grown)
    assert sizes[0], "a checkpoint was written"
    assert sizes[1:] == sizes[:1] * 2
