"""The conformance suite for kinds of question: every kind of the house passes, and one that lacks a part does not."""

import json
import traceback

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import csv as pc

import sordino
from commands import run_here
from golden_people import NAMES, golden_text
from in_one import in_one
from kinds_of_survey import Asked
from sordino import SordinoError, SordinoErrors
from sordino.domain.choices import NONE
from sordino.survey.kinds import KINDS, name_asked
from sordino.survey.kinds.distribution.distribution_question import DistributionQuestion
from sordino.survey.kinds.numbers.mean_kind import MeanKind, MeanQuestion
from sordino.survey.kinds.shares.histogram_kind import HistogramQuestion
from sordino.survey.kinds.shares.shares_forecast import SharesForecast
from sordino.survey.kinds.shares.shares_result import HistogramResult
from sordino.survey.kinds.shares.table_kind import TableKind
from sordino.testing import check_kind, kind_check
from sordino.testing.kind_check import people_of, texts_in


def number(low, high, **settings):
    return {"number": {"low": low, "high": high, **settings}}


ATTRIBUTES = {
    "smoker": {"categories": ["yes", "no"]},
    "region": {"categories": ["north", "south", "west"]},
    "age": number(18, 90, bins=8),
    "weight": number(30, 200),
    "height": number(120, 220),
    "symptoms": {"categories": [f"symptom {i}" for i in range(30)], "several": 4},
    "pains": {"categories": ["head", "back"], "several": 2},
}

ASKS = {
    "histogram": [{"histogram": "region", "weight": 2}],
    "table": [{"table": ["smoker", "region"]}, {"table": ["age", "smoker"]}, {"tables": {"of": ["smoker", "region"]}}],
    "mean": [{"mean": "age"}, {"mean": ["age", "weight"]}],
    "covariance": [{"covariance": ["age", "weight"]}],
    "regression": [
        {"regression": {"target": "weight", "features": ["age"]}},
        {"regression": {"target": "weight", "features": ["smoker"]}},
    ],
    "distribution": [{"distribution": "age"}, {"distribution": "age", "quantiles": [0.5], "ranges": [[18, 54]]}],
    "above": [{"above": "age", "threshold": 65}],
    "several": [{"several": "symptoms"}, {"several": "pains", "weight": 2}],
}


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_the_house_keeps_all_its_parts(kind):
    assert KINDS[kind].words[0] == kind
    check_kind(kind, ASKS[kind], ATTRIBUTES)


METHODS = {
    "histogram": "attributes mistakes statistics choose question forecast result",
    "table": "attributes check attribute_references mistakes statistics choose question forecast result",
    "mean": "attributes check statistics draw question",
    "distribution": "attributes mistakes statistics choose question forecast result",
}
LAST = {("table", "attribute_references"), ("mean", "check")}
"""What only the last way of asking needs."""


@in_one(("kind", "method"), [(kind, method) for kind, methods in METHODS.items() for method in methods.split()])
def test_a_kind_that_lacks_a_method_does_not_pass(kind, method):
    own = type(next(one for one in KINDS.values() if kind in one.words))
    # One way of asking, by which it shows.
    asked = ASKS[kind][-1:] if (kind, method) in LAST else ASKS[kind][:1]
    with pytest.MonkeyPatch.context() as patch:
        patch.delattr(next(place for place in own.__mro__ if method in vars(place)), method)
        with pytest.raises(SordinoErrors, match=f"the kind of question {own.__name__}"):
            check_kind(kind, asked, ATTRIBUTES)


@in_one(
    ("kind", "place", "name", "wrong", "rule"),
    [
        ("histogram", HistogramQuestion, "column", lambda self, values: values[self.name][:1], "questions must say"),
        ("histogram", HistogramQuestion, "types", (), "questions must say what they are"),
        ("histogram", HistogramQuestion, "expected_of_sample", lambda _, values: np.ones(7) / 7, "what a sample lets"),
        ("histogram", HistogramQuestion, "kind", "", "questions must say what they are"),
        ("histogram", kind_check, "name_asked", lambda _: "table", "one kind must take a part for its own"),
        ("histogram", HistogramResult, "rows", lambda _: iter(()), "its reports must be estimated, as a rule"),
        ("histogram", HistogramResult, "moved", np.zeros(3), "intervals against forged reports must hold"),
        ("histogram", SharesForecast, "errors", lambda _: iter([("share of nobody", 0.0035)]), "its forecast must be"),
        ("mean", MeanQuestion, "column", lambda self, values: values["age"], "people must be able to answer it"),
        ("mean", MeanQuestion, "typical_error", 0.0, "questions must say what they are"),
        ("mean", MeanKind, "words", ("average",), "the words of a kind must be settings of it"),
        (
            "table",
            TableKind,
            "attribute_references",
            lambda _, word, given: {},
            "its settings must say what it is about",
        ),
        ("distribution", DistributionQuestion, "expected_of_survey", None, "a survey that asks it"),
    ],
)
def test_a_kind_that_gives_something_else_does_not_pass(kind, place, name, wrong, rule):
    with pytest.MonkeyPatch.context() as patch:
        if name == "words":
            patch.setattr(
                "sordino.testing.kind_check.KINDS", {name: _with_words(one, kind, wrong) for name, one in KINDS.items()}
            )
        else:
            patch.setattr(place, name, wrong)
        with pytest.raises(SordinoErrors) as refused:
            check_kind("average" if name == "words" else kind, ASKS[kind][:1], ATTRIBUTES)
    assert any(error.rule.startswith(rule) for error in refused.value.errors), str(refused.value)


def test_what_a_kind_raises_is_shown_with_its_place():
    def column(self, values):
        raise LookupError(self.name)

    line = column.__code__.co_firstlineno + 1
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(HistogramQuestion, "column", column)
        with pytest.raises(SordinoErrors, match=f"LookupError at test_kind_check.py:{line}: region") as refused:
            check_kind("histogram", ASKS["histogram"], ATTRIBUTES)
    # Each mistake has its own traceback, and the first one's is shown before all of them.
    raised = [one.__cause__ for one in refused.value.errors if isinstance(one.__cause__, LookupError)]
    assert raised
    assert all(traceback.extract_tb(cause.__traceback__)[-1].name == "column" for cause in raised)
    assert "in column" in "".join(traceback.format_exception(refused.value))


def as_texts(people):
    """A table whose lists of categories are texts, as CSV needs them."""
    texts = {
        name: [one if one is None or isinstance(one, str) else "; ".join(one) or NONE for one in column]
        for name, column in people.to_pydict().items()
        if str(people.schema.field(name).type).startswith("list")
    }
    return pa.table({name: texts.get(name, people.column(name)) for name in people.column_names})


def _with_words(one, kind, words):
    return type(one)(words, one.settings, one.part) if kind in one.words else one


def test_a_kind_that_is_not_there_is_refused():
    with pytest.raises(SordinoError, match="must stand in KINDS"):
        check_kind("median", [{"median": "age"}], ATTRIBUTES)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_the_house_goes_through_all_commands(kind, tmp_path):
    ask = ASKS[kind][-1]
    used = {name: dict(ATTRIBUTES[name]) for name in texts_in(ask) if name in ATTRIBUTES}
    survey = {"version": 1, "epsilon": "8", "attribute": used, "ask": [ask]}
    (tmp_path / "survey.toml").write_text(Asked.toml(survey), encoding="utf-8")
    pc.write_csv(as_texts(people_of(sordino.plan(survey, 4000).attributes, 4000)), tmp_path / "people.csv")
    commands = [
        "plan survey.toml --people 4000 -o plan.json",
        "plan survey.toml --people 4000 -o same.json --json --expect people.csv",
        "explain plan.json --all",
        "explain plan.json --json",
        "certify plan.json",
        "certify plan.json --json",
        "compare plan.json same.json --json",
        "privatize plan.json people.csv -o reports.csv",
        "aggregate plan.json reports.csv -o aggregate.json",
        "estimate plan.json aggregate.json",
        "estimate plan.json aggregate.json --json --simultaneous",
        "estimate plan.json aggregate.json --watched --html page.html -o estimates.csv",
        "change plan.json aggregate.json plan.json aggregate.json",
    ]
    for command in commands:
        code, output, errors = run_here(*command.split(), folder=tmp_path)
        assert (code, errors) == (0, ""), command
        assert output, command
    found = json.loads(run_here("estimate", "plan.json", "aggregate.json", "--json", folder=tmp_path)[1])
    assert [question["asked"] for question in found["questions"]] == [kind]


def test_browsers_answer_every_kind():
    parts = [part for name in NAMES for part in json.loads(golden_text(name))["queries"]]
    answered = set(map(name_asked, parts))
    assert answered == set(KINDS)
