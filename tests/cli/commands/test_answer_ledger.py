"""`sordino answer --ledger`: through a person's ledger to a collector, and what is refused."""

import json
from datetime import UTC, datetime, timedelta

import pytest

from sordino import plan
from sordino.cli.commands import answer as command

TERMS = """
version = 1
epsilon = "1"
[attribute.age]
number = { low = 18, high = 90 }
[attribute.smoker]
categories = ["yes", "no"]
"""
RECORD = """
version = 1
[record]
age = 44
smoker = "no"
"""
ATTRIBUTES = {"age": {"number": {"low": 18, "high": 90}}, "smoker": {"categories": ["yes", "no"]}}


def plan_of(epsilon, asked, name):
    survey = {"version": 1, "epsilon": epsilon, "attribute": {name: ATTRIBUTES[name]}, "ask": [asked]}
    return plan(survey, people=10**6)


@pytest.fixture
def through(tmp_path, monkeypatch, run):
    """A function of a plan to what the command says, and what a collector got and was to forget."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    sent, erased = [], []
    (tmp_path / "terms.toml").write_text(TERMS)
    (tmp_path / "record.toml").write_text(RECORD)
    assert run("ledger", "new", "me.ledger", "terms.toml")[0] == 0
    monkeypatch.setattr(command, "send_report", lambda address, body, waiting: sent.append(body))
    monkeypatch.setattr(command, "take_report_back", lambda address, body, waiting: erased.append(body))

    def answer(asked, *more):
        monkeypatch.setattr(command, "fetch_plan", lambda address, key: asked)
        given = [] if "--take-back" in more else ["record.toml", "--yes"]
        url = f"http://127.0.0.1:8000/plans/{asked.hash}"
        return run("answer", url, *given, "--ledger", "me.ledger", *more)

    return answer, sent, erased


def test_answers_use_one_budget_and_say_what_is_left(through, run):
    answer, sent, erased = through
    smoker, age = plan_of("0.6", {"histogram": "smoker"}, "smoker"), plan_of("0.5", {"mean": "age"}, "age")
    assert answer(smoker)[0] == 0
    assert "sent before, or taken back" in answer(smoker)[1]
    assert len(sent) == 1
    code, _, errors = answer(age)
    assert code == 3
    assert "nothing was drawn or sent" in errors
    assert answer(plan_of("0.4", {"mean": "age"}, "age"), "--json")[0] == 0
    assert len(sent) == 2
    assert answer(smoker, "--take-back")[0] == 0
    assert erased == sent[:1]
    shown = run("ledger", "show", "me.ledger")[1]
    assert "http://127.0.0.1:8000 has 2 answers" in shown
    assert "adding their epsilons would say 1 nat" in shown
    kept = json.loads(run("ledger", "show", "me.ledger", "--json")[1])
    assert [own["name"] for own in kept["attributes"]] == ["age", "smoker"]
    assert [entry["asks"] for entry in kept["entries"]] == ["plan", "plan"]
    assert run("ledger", "export", "me.ledger", "-o", "me.jsonl")[0] == 0
    code, checked, _ = run("ledger", "import", "me.jsonl", "check.ledger")
    assert code == 0
    assert "2 queries, each of which the filter accepts" in checked


def test_a_store_and_a_ledger_are_not_both(through):
    answer, sent, _ = through
    assert answer(plan_of("0.6", {"histogram": "smoker"}, "smoker"), "--store", "other")[0] == 2
    assert not sent


@pytest.mark.parametrize(("days_ago", "code"), [(-1, 5), (1, 0), (20, 3)])
def test_a_ledger_answers_a_series_in_the_own_period_alone(through, tmp_path, monkeypatch, days_ago, code):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setattr("sordino.agent.turn.draw_period", lambda series: 0)
    answer, sent, _ = through
    start = datetime.now(UTC).date() - timedelta(days=days_ago)
    survey = {"version": 1, "epsilon": "0.6", "attribute": {"smoker": ATTRIBUTES["smoker"]}}
    series = {"periods": 3, "every": "week", "start": start}
    timed = plan({**survey, "ask": [{"histogram": "smoker"}], "series": series}, people=10**6)
    for _ in range(2):
        assert answer(timed)[0] == code
    assert [json.loads(body)["reports"][0]["public"] for body in sent] == [{"period": str(start)}] * (code == 0)


def test_what_was_answered_without_the_ledger_is_not_drawn_again(through, run, tmp_path):
    answer, sent, _ = through
    asked = plan_of("0.6", {"histogram": "smoker"}, "smoker")
    code, _, errors = answer(asked, "--take-back")
    assert code == 2
    assert "must be stored in the ledger" in errors
    (tmp_path / "smoker.toml").write_text('version = 1\n[record]\nsmoker = "no"\n')
    assert run("answer", f"http://127.0.0.1:8000/plans/{asked.hash}", "smoker.toml", "--yes")[0] == 0
    code, _, errors = answer(asked)
    assert code == 3
    assert "an answer drawn without the ledger" in errors
    assert len(sent) == 1
