"""An answer that a person takes back is not counted, is not sent again, and no other one is drawn."""

import json

import pytest

from commands import run_here
from reports_sent import make_plan, served
from sordino.errors import UnavailableError
from sordino.once.agent.answer import answer, take_back
from sordino.once.agent.answer_store import AnswerStore


def test_an_answer_is_taken_back_once_and_for_all(tmp_path):
    plan = make_plan(4)
    record = tmp_path / "me.toml"
    record.write_text("version = 1\n[record]\nx = 1\n")
    # A process of its own: tests beside fork, which is not safe beside threads.
    with served(tmp_path, plan) as (client, _):
        address = f"http://127.0.0.1:{client.port}/plans/{plan.hash}"
        own = address, "--store", tmp_path / "answers.sqlite"

        def count():
            return client.of_plan("GET", "/progress").json["reports"]

        code, _, err = run_here("answer", *own, "--take-back")
        assert (code, "found no stored answer" in err) == (2, True)
        assert run_here("answer", own[0], record, *own[1:], "--yes")[0] == 0
        assert count() == 1
        for _ in range(2):
            code, out, _ = run_here("answer", *own, "--take-back", "--json")
            assert (code, json.loads(out)) == (0, {"plan": plan.hash, "url": address, "taken_back": True})
            assert count() == 0
        code, out, _ = run_here("answer", own[0], record, *own[1:], "--yes")
        assert (code, "You took this answer back" in out, "has your answer" in out) == (3, True, False)
        code, out, _ = run_here("answer", own[0], record, *own[1:], "--yes", "--json")
        told = {"plan": plan.hash, "again": True, "taken_back": True, "acknowledged": False}
        assert (code, json.loads(out)) == (3, told)
        assert count() == 0


def test_an_answer_that_never_arrived_is_not_sent_after_it_was_taken_back(tmp_path):
    sent, forgotten = [], []
    store = AnswerStore.open(tmp_path / "answers.sqlite")

    def lose(body):
        sent.append(body)
        raise UnavailableError("the collector must be ready", found="no answer")

    fetch = lambda: (make_plan(4), {"version": 1, "record": {"x": 1}})
    plan = make_plan(4).hash
    with pytest.raises(UnavailableError):
        answer(store, plan, fetch, lose, collector="c.example")
    # Even if the collector cannot be asked at once.
    with pytest.raises(UnavailableError):
        take_back(store, plan, lose, collector="c.example")
    assert answer(store, plan, fetch, sent.append, collector="c.example").taken_back
    assert len(sent) == 2
    take_back(store, plan, forgotten.append, collector="c.example")
    assert forgotten == sent[:1]


def test_an_answer_needs_a_record(tmp_path):
    code, _, err = run_here("answer", f"http://127.0.0.1:1/plans/{make_plan(4).hash}", "--store", tmp_path / "s")
    assert (code, "RECORD" in err) == (2, True)
