"""Plans through ledgers whose terms cover changes: nothing shows one, and late answers count where they stand."""

from functools import cache

import numpy as np
import pytest

from changing import Stopping
from in_one import in_one
from plans_through_ledgers import answer_plan
from sordino import Ledger, RefusedError, plan
from sordino.exact.keyed import KeyedSource
from sordino.once.ledger.ask import draw_plan_answer
from sordino.once.ledger.ledger_query import PlanQuery
from sordino.once.ledger.ledger_terms import LedgerTerms
from sordino.once.ledger.person_record import PersonRecord
from sordino.once.ledger.transcript import import_transcript, transcript

ATTRIBUTES = {
    "smoker": {"categories": ["yes", "no"]},
    "stage": {"categories": [f"stage {place}" for place in range(20)]},
    "symptoms": {"categories": ["cough", "fever", "pain"], "several": 2},
    "home": {"grid": {"south": 0, "north": 4, "west": 0, "east": 4, "rows": 2, "columns": 2}},
    "age": {"number": {"low": 18, "high": 90}},
}
RECORDS = [
    {"smoker": "no", "stage": "stage 3", "symptoms": ["cough"], "home": {"latitude": 1.0, "longitude": 1.0}, "age": 30},
    {
        "smoker": "yes",
        "stage": "stage 17",
        "symptoms": ["fever", "pain"],
        "home": {"latitude": 3.0, "longitude": 3.0},
        "age": 71.5,
    },
]
ASKED = {
    "histogram": ({"histogram": "stage"}, ["stage"]),
    "table": ({"table": ["smoker", "home"]}, ["smoker", "home"]),
    "several": ({"several": "symptoms"}, ["symptoms"]),
    "mean": ({"mean": ["age"]}, ["age"]),
    "distribution": ({"distribution": "age"}, ["age"]),
}
COUNTED, WITH_NUMBERS = ("smoker", "stage", "symptoms", "home"), ("age", "smoker", "home")


@cache
def plan_of(kind, epsilon="0.3"):
    asked, names = ASKED[kind]
    survey = {"version": 1, "epsilon": epsilon, "attribute": {name: ATTRIBUTES[name] for name in names}}
    return plan({**survey, "ask": [asked]}, people=10**7)


def terms_of(names, epsilon="1", changes=1):
    attributes = {name: ATTRIBUTES[name] for name in names}
    return LedgerTerms.read({"version": 1, "epsilon": epsilon, "attribute": attributes, "changes": changes})


def record_of(names, number):
    return {"version": 1, "record": {name: RECORDS[number][name] for name in names}}


def answer(ledger, asked, record, send):
    return answer_plan(ledger, asked.hash, "https://c.example", lambda: (asked, record), send)


@pytest.fixture
def fixed(monkeypatch):
    """Answers and ids that do not depend on the record, and one key for all ledgers."""
    draw = PlanQuery.draw

    def draw_alike(query, record, source=None):
        assert (record, source) != (None, None)
        same = PersonRecord.read(record_of(query.terms.names, 0), query.terms)
        return draw(query, same, KeyedSource(bytes(32), query.id).for_records([0]))

    monkeypatch.setattr("sordino.once.journal.contents.token_bytes", bytes)
    monkeypatch.setattr("sordino.once.ledger.ask.secrets.token_bytes", bytes)
    monkeypatch.setattr(PlanQuery, "draw", draw_alike)


LIVES = [
    (COUNTED, ["several", "histogram", "table"]),
    (WITH_NUMBERS, ["distribution", "mean", "table"]),
]


@in_one("names, kinds", LIVES)
def test_whatever_the_record_did_all_that_can_be_seen_is_the_same(names, kinds, tmp_path_factory, fixed):
    seen = []
    for place, life in enumerate([(0, 0, 0, 0), (0, 1, 1, 1), (0, 0, 1, 1), (0, 0, 0, 1)]):
        path = tmp_path_factory.mktemp("lives") / f"{place}.ledger"
        Ledger.make(path, terms_of(names))
        outcomes, plans = [], [plan_of(kind, "0.3") for kind in kinds] + [plan_of(kinds[0], "0.8")]
        for asked, number, point in zip(plans, life, ("drawn", None, "sending", None), strict=True):

            def step(name, point=point):
                if name == point:
                    raise Stopping

            sent = []
            for tried in (step, lambda name: None):
                try:
                    ledger = Ledger(path, clock=lambda: "", step=tried)
                    outcomes.append(answer(ledger, asked, record_of(names, number), sent.append).again)
                except Stopping:
                    outcomes.append("stopped")
                except RefusedError as refusal:
                    outcomes.append(str(refusal))
            outcomes += [sent, path.stat().st_size]
        ledger = Ledger(path, clock=lambda: "")
        outcomes += [transcript(ledger), ledger.balance().joint.spent]
        assert ledger.balance().version.number == 1
        assert ledger.balance().version.changes == (len(set(life)) > 1 and life[2] != life[0])
        seen.append(outcomes)
    assert any("must reveal" in str(own) for own in seen[0])
    for own in seen[1:]:
        assert own == seen[0]


def test_answers_that_arrive_in_another_order_count_as_they_were_accepted(tmp_path, fixed):
    """Two histograms of 20 values, of which the second arrives first: as if they had arrived in turn."""
    del fixed
    first, second = plan_of("histogram", "0.3"), plan_of("histogram", "0.31")
    spent = []
    for name, order in (("turn", (first, second)), ("late", (second, first))):
        ledger = Ledger.make(tmp_path / f"{name}.ledger", terms_of(("stage",), "2"))

        def fail(report):
            del report
            raise OSError

        for asked, number in ((first, 0), (second, 1)):
            with pytest.raises(OSError):
                answer(ledger, asked, record_of(("stage",), number), fail)
        assert ledger.balance().joint.spent == pytest.approx(0.61)
        sent = []
        for asked in order:
            answer(ledger, asked, record_of(("stage",), 1), sent.append)
        assert ledger.balance().joint.queue == ()
        spent.append(ledger.balance().joint.spent)
        assert ledger.balance().version.changes == 1
        copy = tmp_path / f"{name}.jsonl"
        copy.write_text(transcript(ledger), encoding="ascii")
        assert import_transcript(copy, tmp_path / f"{name}.copy").balance().joint.spent == spent[-1]
    assert spent[0] == spent[1] < 0.62


def test_a_plan_is_drawn_about_the_record_of_its_acceptance(tmp_path):
    """By a large epsilon it shows which one: a stop before the answer is stored leaves the next record to be asked."""
    terms, asked = terms_of(("stage",), "30"), plan_of("histogram", "10")
    for point, expected in (("storing", 17), ("reserved", 3), ("sending", 3)):
        ledger = Ledger.make(tmp_path / f"{point}.ledger", terms)

        def step(name, point=point):
            if name == point:
                raise Stopping

        with pytest.raises(Stopping):
            answer(Ledger(ledger.path, step=step), asked, record_of(("stage",), 0), lambda report: None)
        sent = []
        answer(ledger, asked, record_of(("stage",), 1), sent.append)
        entry = ledger.entries().by_id[asked.hash]
        likelihood = [float(entry.query.channel.mechanism.weight(value, entry.code)) for value in range(20)]
        assert int(np.argmax(likelihood)) == expected or likelihood.count(max(likelihood)) > 1
        assert [own["id"] for own in sent] == [entry.report["id"]]


def test_a_source_is_taken_from_the_caller(tmp_path):
    """The same words give the same answer, however the query was reserved."""
    codes = set()
    asked = plan_of("histogram", "0.5")
    for changes in (0, 1):
        ledger = Ledger.make(tmp_path / f"{changes}.ledger", terms_of(("stage",), changes=changes))
        source = KeyedSource(bytes(32), "test").for_records([0])
        draw_plan_answer(ledger, asked, "c", record_of(("stage",), 0), source)
        codes.add(ledger.find(asked.hash).code)
    assert len(codes) == 1
