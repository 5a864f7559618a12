"""Ledgers whose terms cover changes of the record: nothing shows them, and no history is told from another too well."""

from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import pairwise, product
from random import Random
from types import SimpleNamespace

import numpy as np
import pytest

from changing import BOTH, SMOKER, VALUES, FixedAnswers, Stopping, exported, ignore, person, question, terms_of
from commands import in_child
from in_one import in_one
from lattice import Lattice, expected_answers
from sordino import Ledger, RefusedError, SordinoError, ask
from sordino.once.journal.event import ASKED, RECORD, SENT, Event
from sordino.once.ledger.balance import Balance
from sordino.once.ledger.explain_ledger import ledger_sentences
from sordino.once.ledger.ledger_terms import terms_of_text
from sordino.once.ledger.person_record import PersonRecord
from sordino.once.ledger.transcript import import_transcript, transcript
from waits import kill_after


@pytest.fixture
def fixed(monkeypatch):
    return FixedAnswers(monkeypatch)


def lost(terms, entries, changes):
    """Nats: the most that answers reveal between two histories, era by era, whatever open ones are: by enumeration."""
    shape = [len(VALUES[name]) for name in terms.names]
    records, total = list(product(*map(range, shape))), 0.0
    for era in {entry.record for entry in entries}:
        own = [entry for entry in entries if entry.record == era]
        tables = []
        for entry in own:
            place = terms.names.index(entry.query.document["category"])
            likelier = float(Fraction(entry.query.document["epsilon"]))
            ways = range(shape[place]) if entry.code is None else [entry.code]
            tables.append([np.array([likelier * (record[place] == code) for record in records]) for code in ways])
        paths = histories(len(records), len(own), changes)
        sums = [sum(table[paths[:, place]] for place, table in enumerate(way)) for way in product(*tables)]
        total += max(np.ptp(each) for each in sums)
    return total


@cache
def histories(k, answers, changes):
    """All with at most so many changes, shape (histories, answers)."""
    paths = [path for path in product(range(k), repeat=answers) if sum(a != b for a, b in pairwise(path)) <= changes]
    return np.array(paths)


# What is promised


@in_one("changes", [0, 1, 2, 3])
def test_every_decision_up_to_six_answers_is_that_of_all_histories(changes, tmp_path_factory, request):
    """All answers to two questions of .25 in turn, through the balance of a ledger."""
    terms = terms_of(BOTH, changes=changes)
    queries = [question(terms, f"q{place}", "0.25", ("smoker", "region")[place % 2]) for place in range(6)]

    def follow(balance, entries):
        query = queries[len(entries)]
        ways = [
            [*entries, SimpleNamespace(query=query, record=1, code=code)]
            for code in range(len(VALUES[query.document["category"]]))
        ]
        fits = all(lost(terms, way, changes) <= 1 + 1e-9 for way in ways)
        assert balance.decide(query).accepted == fits
        if fits and len(ways[0]) < 6:
            for way in ways:
                follow(answered(balance, query, way[-1].code), way)

    follow(started(terms), [])


def started(terms):
    return Balance.of(terms, [Event(1, RECORD, "1", {}, "0" * 64, "")])


def answered(balance, query, code):
    body = {"query": dict(query.document), "channel": query.fingerprint, "record": balance.version.number}
    balance = balance.after(Event(1, ASKED, query.id, body, "", ""))
    return balance.after(Event(2, SENT, query.id, {"code": str(code)}, "", ""))


@in_one("changes, mean", [(0, 92.5), (1, 28.0), (2, 17.7), (3, 13.9)])
def test_so_many_answers_fit_into_a_ledger(changes, mean):
    """The mean is that of the lattice of whole steps, and a ledger decides as it does, up to the refusal."""
    assert expected_answers(changes, 10) == pytest.approx(mean, abs=0.06)
    terms, choose = terms_of(changes=changes), Random(changes)
    query = question(terms, "q")
    for _ in range(2):
        balance, lattice = started(terms), Lattice(changes)
        while lattice.accepts(10):
            assert balance.decide(query).accepted
            code = choose.randrange(2)
            joint = balance.joint.with_query("q", query.channel).with_answer("q", code)
            balance, lattice = replace(balance, joint=joint), lattice.after(code)
        assert not balance.decide(query).accepted


# Eras


def test_one_change_more_begins_an_era_in_public_whose_losses_add(tmp_path, fixed):
    terms = terms_of()
    ledger, plain = (
        Ledger.make(tmp_path / "me.ledger", terms),
        Ledger.make(tmp_path / "one.ledger", terms_of(changes=0)),
    )
    for own, kind in ((ledger, terms), (plain, terms_of(changes=0))):
        for place, value in enumerate([0, 1, 1, 0, 1]):
            ask(own, question(kind, f"q{place}"), person(kind, value), send=ignore)
    numbers = [entry.record for entry in ledger.entries().by_id.values()]
    assert numbers == [1, 1, 1, 2, 2]
    assert [entry.record for entry in plain.entries().by_id.values()] == [1, 2, 2, 3, 4]
    assert ledger.balance().version.changes == 1
    records = [event for event in ledger.contents().events if event.event == RECORD]
    assert [event.id for event in records] == ["1", "2"]
    assert '"id":"2"' in transcript(ledger)
    assert ledger.balance().joint.spent == pytest.approx(lost(terms, ledger.entries().by_id.values(), 1))
    # The same record as before the last change is another one again: a third era.
    ask(ledger, question(terms, "q5"), person(terms, 0), send=ignore)
    assert ledger.entries().by_id["q5"].record == 3
    assert import_transcript(exported(ledger, ledger.path), tmp_path / "c").balance().version.number == 3


def test_hashes_and_counts_stay_on_the_device(tmp_path):
    terms = terms_of(changes=3)
    ledger = Ledger.make(tmp_path / "me.ledger", terms)
    for place, value in enumerate([0, 1, 1, 0]):
        ask(ledger, question(terms, f"q{place}"), person(terms, value), send=ignore)
    hashes = [event.secret for event in ledger.contents().events if event.event == ASKED]
    assert len(set(hashes)) == 2
    assert all(len(own) == 64 for own in hashes)
    assert ledger.balance().version.changes == 2
    public = transcript(ledger)
    assert not any(own in public for own in hashes)
    assert public.count('"event":"record"') == 1
    copy = import_transcript(exported(ledger, ledger.path), tmp_path / "copy.ledger")
    assert copy.balance().version.changes == 0
    assert {event.secret for event in copy.contents().events} == {""}


def test_eras_are_counted_on_across_a_checkpoint(tmp_path):
    terms = terms_of(epsilon="9", changes=2)
    ledger, values = Ledger.make(tmp_path / "me.ledger", terms), [0] * 18 + [1] + [1] * 8 + [0] + [0] * 8 + [1, 1, 0]
    for place, value in enumerate(values):
        ask(Ledger(ledger.path), question(terms, f"q{place}"), person(terms, value), send=ignore)
        balance, whole = ledger.balance(), ledger.balance(replay=True)
        assert balance.version == whole.version
        assert balance.content == whole.content
    assert ledger.verify() == "agrees"
    assert ledger.balance().version.number == 2
    assert ledger.balance().version.changes == 1


# Reserved and drawn at once


POINTS = ("reserving", "drawing", "drawn", "storing", "reserved", "settled", "sending", "delivered", "noting", "noted")


@in_one("point", POINTS)
def test_a_stop_anywhere_leaves_one_answer_about_one_record(point, tmp_path_factory, request):
    """Then the record changes, another query comes, and the first is asked again: it is answered in the same way."""
    terms, folder = terms_of(), tmp_path_factory.mktemp("stops")
    ledger = Ledger.make(folder / "me.ledger", terms)
    query, arrived, drawn = question(terms, "q", "0.5"), set(), []

    def step(name):
        drawn.append(name)
        if name == point:
            raise Stopping

    with pytest.raises(Stopping):
        ask(Ledger(ledger.path, step=step), query, person(terms, 0), lambda report: arrived.add(report.code))
    entry = ledger.entries().by_id.get("q")
    assert entry is None or entry.code is not None, "what is reserved is drawn"
    assert (entry is None) == (point in ("reserving", "drawing", "drawn", "storing"))
    ask(Ledger(ledger.path), question(terms, "other"), person(terms, 1), ignore)
    ask(Ledger(ledger.path), query, person(terms, 1), lambda report: arrived.add(report.code))
    assert len(arrived) == 1
    assert entry is None or arrived == {entry.code}
    assert len([event for event in ledger.contents().events if event.id == "q"]) == 3


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
@pytest.mark.parametrize("point", ["reserving", "drawn", "storing", "reserved", "delivered"])
def test_a_kill_anywhere_leaves_one_answer_about_one_record(point, tmp_path, ask_and_note, delivered):
    terms = terms_of()
    ledger, query = Ledger.make(tmp_path / "me.ledger", terms), question(terms, "q", "0.5")
    kill_after(in_child(lambda: ask_and_note(ledger.path, query, person(terms, 0), point)), None)
    entry = ledger.entries().by_id.get("q")
    ask_and_note(ledger.path, query, person(terms, 1))
    (codes,) = delivered(ledger.path).values()
    assert len(codes) == 1
    assert entry is None or codes == {entry.code}
    assert ledger.balance().version.number == 1


def test_nothing_is_reserved_without_what_draws_it(tmp_path):
    terms = terms_of()
    ledger = Ledger.make(tmp_path / "me.ledger", terms)
    with pytest.raises(SordinoError, match="drawn as its query is reserved"):
        ledger.reserve(question(terms, "q"), person(terms, 0))
    assert ledger.entries().by_id == {}


# What is said, and what is refused


def test_it_is_said(tmp_path):
    text = " ".join(ledger_sentences(Ledger.make(tmp_path / "me.ledger", terms_of(changes=2))))
    assert "between any two histories of the record with at most 2 changes" in text
    assert "may change 2 times within the promise" in text
    assert "2 more changes are covered" in text
    assert "may be seen" not in text
    once = " ".join(ledger_sentences(Ledger.make(tmp_path / "one.ledger", terms_of())))
    assert "may change once" in once
    plain = " ".join(ledger_sentences(Ledger.make(tmp_path / "no.ledger", terms_of(changes=0))))
    assert "A changed record counts as a new record" in plain
    assert "histories" not in plain


def test_terms_keep_what_they_cover():
    terms = terms_of(changes=3)
    assert terms_of_text(terms.text).changes == 3
    assert terms.document["changes"] == 3
    assert "changes" not in terms_of(changes=0).document
    assert terms_of(changes=0).hash != terms.hash != terms_of(changes=2).hash


@in_one(
    "changed, message",
    [
        ({"changes": -1}, "whole number from 0 to 256"),
        ({"changes": 257}, "whole number from 0 to 256"),
        ({"changes": True}, "changes"),
        ({"changes": "1"}, "changes"),
        ({"changes": 1.0}, "changes"),
        ({"attribute": {"smoker": {**SMOKER["smoker"], "delta": "0.3"}}}, "without deltas"),
        ({"dependence": {"rest": 0.2}}, "without deltas"),
        ({"attribute": {f"a{place}": {"categories": ["yes", "no"]} for place in range(18)}}, "at most 131,072 values"),
    ],
)
def test_what_is_not_offered_is_refused_in_words(changed, message):
    with pytest.raises(SordinoError, match=message):
        terms_of(**changed)


BLOCKS = {"region": {"categories": list("abcd"), "protect": {"blocks": [["a", "b"], ["c", "d"]]}}}


def test_blocks_are_covered_and_may_show(tmp_path, fixed):
    """Within blocks a change is covered; answers about values of different blocks add nothing to each other."""
    terms = terms_of(attribute=BLOCKS)
    ledger, spent = Ledger.make(tmp_path / "me.ledger", terms), []
    for place, (value, fixed.code) in enumerate([("a", 0), ("b", 1), ("b", 0)]):
        record = PersonRecord.read({"version": 1, "record": {"region": value}}, terms)
        ask(ledger, question(terms, f"q{place}", "0.2", "region"), record, send=ignore)
        spent.append(ledger.balance().joint.spent)
    assert spent == pytest.approx([0.2, 0.4, 0.2])
    assert ledger.balance().version.number == 1
    text = " ".join(ledger_sentences(ledger))
    assert "the record of one is protected from that of the other" in text
    assert "not protected from each other may be seen in answers" in text
    with pytest.raises(SordinoError, match="blocks and sensitive values"):
        terms_of(attribute={"region": {"categories": ["a", "b"], "protect": {"matrix": [["0", "1"], ["0.5", "0"]]}}})


def test_a_refusal_leaves_the_count_alone(tmp_path):
    """A query that is refused reads nothing of the record: a change that it alone saw is none."""
    terms = terms_of()
    ledger = Ledger.make(tmp_path / "me.ledger", terms)
    ask(ledger, question(terms, "q1"), person(terms, 0), send=ignore)
    with pytest.raises(RefusedError):
        ask(ledger, question(terms, "large", "0.95"), person(terms, 1), send=ignore)
    ask(ledger, question(terms, "q2"), person(terms, 0), send=ignore)
    assert ledger.balance().version.changes == 0
