"""`sordino answer` by a survey that draws its question first: what is said, and which records are enough."""

import json
from pathlib import Path

import pytest

from collectors import asked, collecting
from sordino import Plan, Survey
from sordino.once.agent.answer_store import AnswerStore
from sordino.once.journal.event import QUESTION

SURVEY = {
    "version": 1,
    "epsilon": "2",
    "about": {"ask": "drawn"},
    "attribute": {
        "drinks": {"categories": ["yes", "no"]},
        "glasses": {"categories": ["few", "many"], "only_if": {"drinks": ["yes"]}},
        "age": {"number": {"low": 0, "high": 120}},
    },
    "public": {"region": {"categories": ["north", "south"]}},
    "ask": [{"histogram": "glasses"}, {"mean": "age"}],
}
ASKED = Plan.of(Survey.read(SURVEY), 1000)
NEEDS = (["drinks", "glasses", "region"], ["age", "region"])
RECORDS = ('drinks = "yes"\nglasses = "many"\nregion = "south"\n', 'age = 41\nregion = "south"\n')


@pytest.fixture
def address(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for number, lines in enumerate(RECORDS):
        (tmp_path / f"{number}.toml").write_text(f"version = 1\n[record]\n{lines}")
    with collecting(ASKED, tmp_path / "reports.sqlite") as (found, _):
        yield found


@pytest.mark.parametrize("question", [0, 1])
def test_what_the_question_needs_is_said_before_a_record_is_given(address, run, question):
    AnswerStore.open(Path("own.sqlite")).choose_once(QUESTION, ASKED.hash, lambda: question)
    own = address, "--store", "own.sqlite"
    words = f"Your question is drawn, and stays the same. It needs {', '.join(map(repr, NEEDS[question]))}.\n"
    assert run("answer", *own, "--question") == (0, words, "")
    code, out, _ = run("answer", *own, "--question", "--json")
    assert (code, json.loads(out)) == (0, {"plan": ASKED.hash, "question": question, "needs": NEEDS[question]})
    for _ in range(3):
        code, out, errors = run("answer", *own, f"{1 - question}.toml", "--yes")
        assert (code, words in out) == (2, True)
        assert f"found none for {NEEDS[question][0]!r}" in errors
        assert not {"41", "many"} & set(errors.replace("'", " ").split())
    assert json.loads(asked(f"{address}/progress"))["reports"] == 0
    code, out, errors = run("answer", *own, f"{question}.toml", "--yes")
    assert (code, words in out, "The collector has your answer." in out, errors) == (0, True, True, "")
    assert json.loads(asked(f"{address}/progress"))["reports"] == 1


def test_a_question_is_drawn_once_and_by_chance(address, run):
    drawn = []
    for number in range(12):
        given = "answer", address, "--store", f"{number}.sqlite", "--question", "--json"
        first, again = (json.loads(run(*given)[1])["question"] for _ in range(2))
        assert first == again
        drawn.append(first)
    assert set(drawn) == {0, 1}  # but once in 2,048 runs


def test_a_survey_that_reads_whole_records_has_no_question_to_say(tmp_path, run, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with collecting(Plan.of(Survey.read({**SURVEY, "about": {}}), 1000), tmp_path / "reports.sqlite") as (found, _):
        code, _, errors = run("answer", found, "--store", "own.sqlite", "--question")
    words = "must draw its question first; found one that reads whole records: give a RECORD"
    assert (code, words in errors) == (2, True)
    assert AnswerStore.open(tmp_path / "own.sqlite").contents().events == ()
