"""Quantities that several questions tell: which are pooled, from what, and what their rows say."""

import tomllib

import numpy as np
import pyarrow as pa
import pytest
from scipy import stats

import sordino
from sordino import Blockwise, HighLow, SubsetSelection
from sordino.mechanism.base import Mechanism
from sordino.show.html.block_sections import sections_of
from sordino.survey.kinds.coverage import standard_errors

pytestmark = pytest.mark.filterwarnings("ignore:.*a standard deviation of a tenth:sordino.SordinoWarning")

SURVEY = """
version = 1
epsilon = "4"
[attribute.smoker]
categories = ["yes", "no"]
[attribute.job]
categories = ["baker", "clerk", "smith"]
[attribute.home]
categories = ["town", "land"]
[attribute.age]
number = { low = 20, high = 80 }
[attribute.height]
number = { low = 140, high = 200 }
[[ask]]
histogram = "smoker"
[[ask]]
table = ["job", "smoker"]
[[ask]]
table = ["smoker", "home", "job"]
[[ask]]
mean = ["age"]
[[ask]]
covariance = ["age", "height"]
[[ask]]
regression = { target = "height", features = ["age"] }
weight = 4
"""
PEOPLE = 80_000
PAIR, ALL = "job, smoker", "smoker, home, job"
MOMENTS = ["covariance of age, height", "regression of height on age"]


@pytest.fixture(scope="module")
def survey():
    """The plan, and its tally."""
    rng = np.random.default_rng(5)
    age = rng.uniform(20, 80, PEOPLE)
    people = {
        "smoker": rng.choice(["yes", "no"], PEOPLE, p=[0.3, 0.7]),
        "job": rng.choice(["baker", "clerk", "smith"], PEOPLE, p=[0.5, 0.3, 0.2]),
        "home": rng.choice(["town", "land"], PEOPLE),
        "age": age,
        "height": np.clip(150 + age / 2 + rng.normal(0, 3, PEOPLE), 140, 200),
    }
    plan = sordino.plan(tomllib.loads(SURVEY), PEOPLE)
    return plan, sordino.aggregate(plan, sordino.privatize(plan, pa.table(people)))


def test_each_quantity_names_the_questions_that_tell_it(survey):
    found = sordino.estimate(*survey)
    assert {one.name: list(one.questions) for one in found.views["pooled"].each} == {
        "smoker": ["smoker", PAIR, ALL],
        "job, smoker": [PAIR, ALL],
        "job": [PAIR, ALL],
        "mean of age": ["mean of age", *MOMENTS],
        "mean of height": MOMENTS,
        "standard deviation of age": MOMENTS,
    }
    rows = [row for one in found.views["pooled"].each for row in one.rows()]
    truths = {"yes": 0.3, "no": 0.7, "baker": 0.5, "clerk": 0.3, "smith": 0.2, "age": 50, "height": 175}
    for row in rows:
        labels = row["value"] if isinstance(row["value"], list) else [row["value"]]
        truth = np.prod([truths[label] for label in labels])
        if row.get("attribute") == "standard deviation of age":
            truth = 60 / 12**0.5
        assert abs(row["estimate"] - truth) < 5 * row["stderr"]
        normal = 2 * stats.norm.ppf(0.975) * row["stderr"]
        assert normal <= (row["high"] - row["low"]) * (1 + 1e-9) < 1.04 * normal
    cells = [row["value"] for row in rows if row.get("attributes") == ["job", "smoker"]]
    assert cells[:3] == [["baker", "yes"], ["baker", "no"], ["clerk", "yes"]]


def test_pooled_numbers_are_surer_than_those_of_any_question(survey):
    found = sordino.estimate(*survey)
    stderr = {row["value"]: row["stderr"] for row in found.results[0].rows()}
    pooled = {row["value"]: row["stderr"] for row in found.views["pooled"].each[0].rows()}
    assert all(pooled[value] < 0.9 * stderr[value] for value in stderr)


def test_they_hold_against_what_is_asked_for(survey):
    alone, together, watched = (
        sordino.estimate(*survey, **against).views["pooled"].each
        for against in ({}, {"simultaneous": True}, {"watched": True})
    )
    for one, more, always in zip(alone, together, watched, strict=True):
        each = stats.norm.ppf(1 - 0.025 / len(one.heads))
        for row, wider, widest in zip(one.rows(), more.rows(), always.rows(), strict=True):
            assert wider["high"] - wider["estimate"] == pytest.approx(each * row["stderr"], rel=0.06)
            away = standard_errors(one.estimate.n, one.expected, 0.95) * row["stderr"]
            assert widest["high"] - widest["estimate"] == pytest.approx(away)


def counted(monkeypatch, name):
    """The mechanism and the number of functionals of each call of one of its methods, of all that have their own."""
    calls = []

    def counting(own):
        def call(self, functionals, *args, **options):
            calls.append((type(self).__name__, len(functionals)))
            return own(self, functionals, *args, **options)

        return call

    for kind in (Mechanism, Blockwise, HighLow, SubsetSelection):
        if name in vars(kind):
            monkeypatch.setattr(kind, name, counting(vars(kind)[name]))
    return calls


PROTECTED = {
    "uniform": {"categories": 80},
    "blocks": {"categories": 80, "protect": {"blocks": 10}},
    "sensitive": {"categories": [f"{v}" for v in range(80)], "protect": {"sensitive": ["3", "7"]}},
}


@pytest.mark.parametrize("protection", PROTECTED)
def test_what_one_question_tells_is_never_worked_out_again(monkeypatch, protection):
    """A question is not pooled with itself: no squares and no products of what reports add are made."""
    asked = {"version": 1, "epsilon": "1", "attribute": {"a": PROTECTED[protection]}, "ask": [{"histogram": "a"}]}
    plan = sordino.plan(asked, 2000)
    reports = sordino.privatize(plan, pa.table({"a": np.arange(2000) % 80}))
    tally = sordino.aggregate(plan, reports)
    squares, products = counted(monkeypatch, "square_weights"), counted(monkeypatch, "second_moments")
    assert "pooled" not in sordino.estimate(plan, tally).views
    assert squares == products == []


def test_what_two_questions_tell_is_worked_out_once_for_each_and_block_by_block(monkeypatch):
    """Of 8 blocks of 10 values none sees a functional of another's values, and no value is looked at by itself."""
    attributes = {"a": PROTECTED["blocks"], "b": {"categories": 2}}
    plan = sordino.plan(
        {"version": 1, "epsilon": "1", "attribute": attributes, "ask": [{"histogram": "a"}, {"table": ["a", "b"]}]},
        8000,
    )
    people = pa.table({"a": np.arange(8000) % 80, "b": np.arange(8000) // 80 % 2})
    tally = sordino.aggregate(plan, sordino.privatize(plan, people))
    calls, products = counted(monkeypatch, "square_weights"), counted(monkeypatch, "second_moments")
    assert [one.name for one in sordino.estimate(plan, tally).views["pooled"].each] == ["a"]
    assert products == []
    assert [own for name, own in calls if name == "Blockwise"] == [80, 80]
    assert [own for name, own in calls if name != "Blockwise"] == [10] * 16


def test_against_forged_reports_nothing_is_pooled(survey):
    assert "pooled" not in sordino.estimate(*survey, forged=3).views


def test_a_section_of_the_page_names_the_questions(survey):
    found = sordino.estimate(*survey)
    section = sections_of(found.views["pooled"].blocks())[0]
    assert section.title == "From several questions together: smoker"
    (table,) = section.parts
    assert len(table.rows) == 2
    assert table.note.startswith("Pooled from 3 questions (smoker; job, smoker; smoker, home, job), each weighted by")
