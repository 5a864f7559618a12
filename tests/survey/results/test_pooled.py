"""Quantities that several questions tell: which are pooled, from what, and what their rows say."""

import tomllib

import numpy as np
import pyarrow as pa
import pytest
from scipy import stats

import sordino
from sordino.page.pooled_sections import pooled_section
from sordino.survey.results.watching import standard_errors

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
    assert {one.name: list(one.questions) for one in found.pooled} == {
        "smoker": ["smoker", PAIR, ALL],
        "job, smoker": [PAIR, ALL],
        "job": [PAIR, ALL],
        "mean of age": ["mean of age", *MOMENTS],
        "mean of height": MOMENTS,
    }
    rows = [row for one in found.pooled for row in one.rows()]
    truths = {"yes": 0.3, "no": 0.7, "baker": 0.5, "clerk": 0.3, "smith": 0.2, "age": 50, "height": 175}
    for row in rows:
        labels = row["value"] if isinstance(row["value"], list) else [row["value"]]
        truth = np.prod([truths[label] for label in labels])
        assert abs(row["estimate"] - truth) < 5 * row["stderr"]
        assert row["high"] - row["low"] == pytest.approx(2 * stats.norm.ppf(0.975) * row["stderr"])
    cells = [row["value"] for row in rows if row.get("attributes") == ["job", "smoker"]]
    assert cells[:3] == [["baker", "yes"], ["baker", "no"], ["clerk", "yes"]]


def test_pooled_numbers_are_surer_than_those_of_any_question(survey):
    found = sordino.estimate(*survey)
    stderr = {row["value"]: row["stderr"] for row in found.results[0].rows()}
    pooled = {row["value"]: row["stderr"] for row in found.pooled[0].rows()}
    assert all(pooled[value] < 0.9 * stderr[value] for value in stderr)


def test_they_hold_against_what_is_asked_for(survey):
    alone, together, watched = (
        sordino.estimate(*survey, **against).pooled for against in ({}, {"simultaneous": True}, {"watched": True})
    )
    for one, more, always in zip(alone, together, watched, strict=True):
        each = stats.norm.ppf(1 - 0.025 / len(one.heads))
        for row, wider, widest in zip(one.rows(), more.rows(), always.rows(), strict=True):
            assert wider["high"] - wider["estimate"] == pytest.approx(each * row["stderr"])
            away = standard_errors(one.estimate.n, one.expected, 0.95) * row["stderr"]
            assert widest["high"] - widest["estimate"] == pytest.approx(away)


def test_against_forged_reports_nothing_is_pooled(survey):
    assert list(sordino.estimate(*survey, forged=3).pooled) == []


def test_a_section_of_the_page_names_the_questions(survey):
    found = sordino.estimate(*survey)
    section = pooled_section(found.pooled[0])
    assert section.title == "All that is told of smoker"
    (table,) = section.parts
    assert len(table.rows) == 2
    assert table.note.startswith("Pooled from 3 questions (smoker; job, smoker; smoker, home, job), by weights that no")
