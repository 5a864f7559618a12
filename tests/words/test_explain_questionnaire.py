"""The questionnaire as people see it comes first, and one line says which words are missing."""

import json
import math
from datetime import date

import pytest

import sordino
from sordino import Nats, Plan, Survey
from sordino.show.html.estimate_page import dashboard
from sordino.words.explain_plan import explanation
from sordino.words.explain_questionnaire import in_clear_sentence, missing_words, reveal_sentences, survey_title
from sordino.words.odds import chance_afterwards
from surveys import planned

SURVEY = {
    "version": 1,
    "epsilon": "1",
    "about": {
        "title": {"de": "Reisen <b>", "en": "Travel"},
        "by": "Institute",
        "until": date(2026, 12, 31),
        "consent": {"text": "I agree."},
    },
    "section": [{"title": "About you", "text": "Please think.", "attributes": ["smoker", "age"]}],
    "attribute": {
        "moved": {"number": {"low": date(1990, 1, 1), "high": date(2026, 1, 1)}, "missing": "0.1"},
        "age": {"number": {"low": 0, "high": 100}, "unit": {"de": "Jahre", "en": "years"}, "text": "Age?"},
        "smoker": {
            "categories": ["refused", "yes", "no"],
            "missing": "refused",
            "text": {"de": "Rauchen Sie?", "en": "Do you smoke?"},
            "labels": {"yes": {"de": "Ja", "en": "Yes"}, "refused": {"de": "Keine Angabe", "en": "Prefer not to say"}},
        },
    },
    "ask": [{"histogram": "smoker"}, {"mean": ["age", "moved"]}],
}
LINES = [
    "Reisen <b>",
    "Who asks: Institute",
    "Until 2026-12-31",
    "To be agreed to first: I agree.",
    "In de, en; shown here in de.",
    "About you",
    "Please think.",
    "1. Rauchen Sie? (Ja / no / Keine Angabe)",
    "2. Age? (a number from 0 to 100 Jahre)",
    "3. moved (a date from 1990-01-01 to 2026-01-01, or: no answer)",
]


@pytest.fixture(scope="module")
def plan():
    return Plan.of(Survey.read(SURVEY), 1000)


def test_the_questionnaire_comes_first(plan):
    assert list(sordino.explain(plan)[: len(LINES)]) == LINES
    told = explanation(plan).json()
    assert list(told)[:2] == ["questionnaire", "missing_words"]
    assert told["questionnaire"][0]["heading"] == "Reisen <b>"
    json.dumps(told)


def test_what_is_missing_is_said_in_one_line(plan):
    assert missing_words(plan) == ("No question text for 'moved': the form shows its name.",)
    bare = planned('version = 1\nepsilon = "1"\n[attribute.a]\ncategories = 3\n[[ask]]\nhistogram = "a"\n', 100)
    assert missing_words(bare) == (
        "The survey has no words for people: the form shows the names of attributes and values.",
    )
    assert explanation(bare).questionnaire == ()
    assert survey_title(bare) == ""


def test_pages_have_the_surveys_title(plan):
    page = dashboard(plan)
    assert "<title>Reisen &lt;b&gt;</title>" in page
    assert "1. Rauchen Sie? (Ja / no / Keine Angabe)" in page


def test_the_command_shows_it_first(plan, run, tmp_path):
    plan.save(tmp_path / "plan.json")
    _, out, _ = run("explain", tmp_path / "plan.json")
    lines = [line.strip() for line in out.splitlines() if line.strip()]
    assert lines[: len(LINES)] == LINES
    assert lines[len(LINES)] == "No question text for 'moved': the form shows its name."


def test_it_is_shown_in_any_of_its_languages(plan, run, tmp_path):
    plan.save(tmp_path / "plan.json")
    _, out, _ = run("explain", tmp_path / "plan.json", "--language", "en")
    assert out.startswith("Travel\n")
    assert "1. Do you smoke? (Yes / no / Prefer not to say)" in out
    assert "In de, en; shown here in en." in out
    code, _, errors = run("explain", tmp_path / "plan.json", "--language", "fr")
    assert code == 2
    assert "must be shown in a language of its own; found 'fr': take one of de, en" in errors


@pytest.mark.parametrize("protect", [None, "blocks", "sensitive"])
def test_chances_are_those_of_bayes(protect):
    """A chance of one tenth times the largest factor, over all that is possible: rounded up."""
    tables = {
        "version": 1,
        "epsilon": "ln 11",
        "attribute": {"a": {"categories": ["x", "y", "z", "w"]}},
        "ask": [{"histogram": "a"}],
    }
    if protect is not None:
        tables["attribute"]["a"]["protect"] = {protect: [["x", "y"], ["z", "w"]] if protect == "blocks" else ["x"]}
    first, second = reveal_sentences(Plan.of(Survey.read(tables), 100))
    # .1 * 11 / (.1 * 11 + .9) = .55 exactly.
    assert "a 10 % chance" in first
    assert first.endswith("at most 55 %.")
    expected = {None: "whatever else they know", "blocks": "which group", "sensitive": "as it is"}
    assert expected[protect] in second


@pytest.mark.parametrize(
    ("names", "texts"), [([], []), (["region"], ["Where?"]), (["region", "age"], ["Where?", "age"])]
)
def test_answers_that_are_sent_as_they_are_are_named_as_people_know_them(names, texts):
    public = {name: {"categories": ["x", "y"]} for name in names}
    if names:
        public["region"]["text"] = {"en": "Where?", "de": "Wo?"}
    about = {"title": {"en": "T", "de": "T"}}
    asked = {"attribute": {"a": {"categories": ["x", "y"]}}, "ask": [{"histogram": "a"}], "public": public}
    found = in_clear_sentence(Plan.of(Survey.read({"version": 1, "epsilon": "1", "about": about, **asked}), 100))
    start = {0: "", 1: "Your answer to ", 2: "Your answers to "}[len(names)]
    listed = " and ".join(f"\u201c{text}\u201d" for text in texts)
    end = {0: "", 1: " is sent as it is, ", 2: " are sent as they are, "}[len(names)]
    assert found.startswith(f"{start}{listed}{end}")
    assert bool(found) == bool(names)


@pytest.mark.parametrize("epsilon", ["1/3", "1", "2", "5", "ln 3"])
def test_a_chance_is_rounded_up(epsilon):
    factor = math.exp(float(Nats.of(epsilon)))
    exact = 100 * 0.1 * factor / (0.1 * factor + 0.9)
    assert exact - 1e-9 <= chance_afterwards(Nats.of(epsilon)) < exact + 1
