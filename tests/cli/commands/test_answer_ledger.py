"""`sordino answer --ledger`: through a person's ledger to a collector, and what is refused."""

import json
from datetime import UTC, datetime, timedelta

import pytest

from sordino import SordinoError, plan
from sordino.cli.commands import answer_command as command
from sordino.errors import UnavailableError

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
        return run("answer", url, *given, *([] if "--ledger" in more else ["--ledger", "me.ledger"]), *more)

    return answer, sent, erased


def test_answers_use_one_budget_and_say_what_is_left(through, run):
    answer, sent, erased = through
    smoker, age = plan_of("0.6", {"histogram": "smoker"}, "smoker"), plan_of("0.5", {"mean": "age"}, "age")
    assert answer(smoker)[0] == 0
    assert "drawn before" in answer(smoker)[1]
    assert len(sent) == 1
    code, _, errors = answer(age)
    assert code == 3
    assert "nothing was drawn or sent" in errors
    assert answer(plan_of("0.4", {"mean": "age"}, "age"), "--json")[0] == 0
    assert len(sent) == 2
    assert answer(smoker, "--take-back")[0] == 0
    assert erased == sent[:1]
    shown = run("ledger", "show", "me.ledger")[1]
    assert "127.0.0.1 has 2 answers" in shown
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
    monkeypatch.setattr("sordino.once.agent.turn.draw_period", lambda series: 0)
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
    assert "must be stored in" in errors
    (tmp_path / "smoker.toml").write_text('version = 1\n[record]\nsmoker = "no"\n')
    assert run("answer", f"http://127.0.0.1:8000/plans/{asked.hash}", "smoker.toml", "--yes")[0] == 0
    code, _, errors = answer(asked)
    assert code == 3
    assert "an answer drawn without the ledger" in errors
    assert len(sent) == 1


def test_what_was_answered_through_a_ledger_is_drawn_nowhere_else(through, run, tmp_path):
    answer, sent, _ = through
    asked = plan_of("0.6", {"histogram": "smoker"}, "smoker")
    without = "answer", f"http://127.0.0.1:8000/plans/{asked.hash}", "smoker.toml", "--yes"
    (tmp_path / "smoker.toml").write_text('version = 1\n[record]\nsmoker = "no"\n')
    assert answer(asked)[0] == 0
    code, _, errors = run(*without)
    assert (code, len(sent)) == (3, 1)
    assert f"answered through {tmp_path / 'me.ledger'}: answer with --ledger {tmp_path / 'me.ledger'}" in errors
    assert run("ledger", "new", "two.ledger", "terms.toml")[0] == 0
    code, _, errors = answer(asked, "--ledger", "two.ledger")
    assert (code, len(sent), "me.ledger" in errors) == (3, 1, True)
    # A ledger that was moved has its answer; it is not drawn again.
    (tmp_path / "me.ledger").rename(tmp_path / "moved.ledger")
    assert "no other one was drawn" in answer(asked, "--ledger", "moved.ledger")[1]
    assert len(sent) == 1
    # Nor where nothing stands beside a ledger that has answered.
    (tmp_path / "data" / "sordino" / "answers.sqlite").unlink()
    assert answer(asked, "--ledger", "moved.ledger")[0] == 0
    assert run(*without)[0] == 3
    assert len(sent) == 1


def test_what_a_ledger_refuses_is_free_to_be_answered_without_it(through, run, tmp_path):
    answer, sent, _ = through
    asked = plan_of("1.5", {"histogram": "smoker"}, "smoker")
    (tmp_path / "smoker.toml").write_text('version = 1\n[record]\nsmoker = "no"\n')
    assert answer(asked)[0] == 3
    assert run("answer", f"http://127.0.0.1:8000/plans/{asked.hash}", "smoker.toml", "--yes")[0] == 0
    assert len(sent) == 1


def test_a_ledger_that_ends_after_it_reserved_keeps_its_plan(through, run, tmp_path, monkeypatch):
    answer, sent, _ = through
    asked = plan_of("0.6", {"histogram": "smoker"}, "smoker")
    (tmp_path / "smoker.toml").write_text('version = 1\n[record]\nsmoker = "no"\n')

    def stop(*_):
        raise SordinoError("it must go on")

    with monkeypatch.context() as patch:
        patch.setattr("sordino.once.ledger.ask.PlanReport", stop)
        assert answer(asked)[0] == 2
    assert run("answer", f"http://127.0.0.1:8000/plans/{asked.hash}", "smoker.toml", "--yes")[0] == 3
    assert answer(asked)[0] == 0
    assert len(sent) == 1


def test_what_is_reserved_for_a_collector_is_asked_of_no_other_one(through, run, monkeypatch):
    """Also where nothing was drawn yet: not even the plan is fetched from the other one."""
    answer, sent, erased = through
    asked = plan_of("0.6", {"histogram": "smoker"}, "smoker")

    def stop(*_):
        raise SordinoError("it must go on")

    with monkeypatch.context() as patch:
        patch.setattr("sordino.once.ledger.ask.PlanReport", stop)
        assert answer(asked)[0] == 2
    with monkeypatch.context() as patch:
        patch.setattr(command, "fetch_plan", pytest.fail)
        other = "answer", f"http://localhost:8000/plans/{asked.hash}", "--ledger", "me.ledger"
        for _ in range(2):
            code, _, errors = run(*other, "record.toml", "--yes")
            assert (code, "and to no other; found one for '127.0.0.1'" in errors) == (3, True)
            patch.undo()
            assert answer(asked)[0] == 0
        assert run(*other, "--take-back")[0] == 3
    assert (len(sent), erased) == (1, [])
    shown = run("ledger", "show", "me.ledger")[1]
    assert ("127.0.0.1 has 1 answer" in shown, "localhost" in shown) == (True, False)


def test_an_address_without_its_invitation_takes_nothing_back_that_may_be_on_its_way(through, run, monkeypatch):
    answer, _, erased = through
    asked = plan_of("0.6", {"histogram": "smoker"}, "smoker")
    link = f"http://127.0.0.1:8000/plans/{asked.hash}/form#invitation={'01' * 16}"

    def lose(*_):
        raise UnavailableError("the collector must be ready", found="no answer")

    monkeypatch.setattr(command, "send_report", lose)
    monkeypatch.setattr(command, "fetch_plan", lambda address, key: asked)
    own = "--ledger", "me.ledger"
    assert run("answer", link, "record.toml", "--yes", *own)[0] == 5
    code, out, errors = answer(asked, "--take-back")
    assert (code, out, "give the whole link that you were sent" in errors) == (3, "", True)
    assert erased == []
    code, out, _ = run("answer", link, "--take-back", *own)
    assert (code, "It is counted no more" in out, len(erased)) == (0, True, 1)


def test_what_was_taken_back_from_a_ledger_is_said_to_be(through):
    answer, sent, erased = through
    asked = plan_of("0.6", {"histogram": "smoker"}, "smoker")
    assert answer(asked)[0] == 0
    code, out, _ = answer(asked, "--take-back")
    assert (code, "taken back at" in out, "on its way" in out) == (0, True, False)
    code, out, _ = answer(asked)
    assert (code, "You took this answer back" in out, "has your answer" in out) == (3, True, False)
    code, out, _ = answer(asked, "--json")
    told = {"plan": asked.hash, "again": True, "taken_back": True, "acknowledged": False}
    assert (code, json.loads(out)) == (3, told)
    assert len(sent) == len(erased) == 1


def test_what_is_taken_back_while_it_is_sent_is_taken_back_again(through, tmp_path, monkeypatch):
    """Its word may have come first, to a collector by invitation, which then counts the report."""
    answer, _, erased = through
    asked = plan_of("0.6", {"histogram": "smoker"}, "smoker")
    monkeypatch.setattr(command, "send_report", lambda *_: answer(asked, "--take-back"))
    code, out, _ = answer(asked)
    assert (code, "You took this answer back" in out) == (3, True)
    assert len(erased) == 2
    assert erased[0] == erased[1]
