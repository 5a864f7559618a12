"""What the people are expected to be like stands in the plan: for forecasts before, and for refusals after."""

import json

import numpy as np
import pyarrow as pa
import pytest

from golden_people import text_of
from sordino import Plan, SordinoError, aggregate, privatize
from sordino.document.formats import PLAN
from sordino.survey.planning.forecast import forecasts
from sordino.survey.results.result import Untold, results_so_far
from sordino.survey.schema.expected_part import MOST_LISTED, WHOLE, ExpectedPart, round_as_stored
from sordino.verbs.make_plan import make_plan

ATTRIBUTES = {
    "smoker": {"categories": ["yes", "no"]},
    "region": {"categories": ["north", "east", "south", "west"]},
    "age": {"number": {"low": 0, "high": 100}},
    "height": {"number": {"low": 100, "high": 200}},
    "income": {"number": {"low": 0, "high": 1000}, "missing": "0.3"},
}

ASKS = {
    "shares": {"histogram": "region"},
    "cells": {"table": ["smoker", "region"]},
    "bins": {"distribution": "age"},
    "bins that may be missing": {"distribution": "income"},
    "means": {"mean": ["age", "height"]},
    "means that may be missing": {"mean": ["age", "income"]},
    "covariances": {"covariance": ["age", "height"]},
    "covariances of complete cases": {"covariance": ["age", "income"]},
    "regression": {"regression": {"target": "height", "features": ["age"]}},
    "regression of complete cases": {"regression": {"target": "height", "features": ["age", "income"]}},
    "regression on categories": {"regression": {"target": "height", "features": ["age", "region", "smoker"]}},
}


def survey(*asks, epsilon="2"):
    named = {name: own for name, own in ATTRIBUTES.items() if f"'{name}'" in str(asks)}
    return {"version": 1, "epsilon": epsilon, "attribute": named, "ask": list(asks)}


def people(count, seed=0):
    rng = np.random.default_rng(seed)
    age = 100 * rng.beta(2, 4, count)
    income = np.where(rng.random(count) < 0.15, None, (1000 * rng.beta(2, 6, count)).round(3))
    return pa.table(
        {
            "smoker": rng.choice(["yes", "no"], count, p=[0.2, 0.8]),
            "region": rng.choice(["north", "east", "south", "west"], count, p=[0.6, 0.2, 0.15, 0.05]),
            "age": age,
            "height": np.clip(140 + 0.4 * age + rng.normal(0, 9, count), 100, 200),
            "income": pa.array(income.tolist(), pa.float64()),
        }
    )


def plan(asked, count, expect=None):
    return make_plan(asked, count, expect=expect).plan


def errors(forecast):
    found = forecast.plan
    return np.atleast_1d(getattr(found, "stderr", None) or [found.typical, found.largest])


@pytest.mark.parametrize("kind", ASKS)
def test_the_file_of_a_plan_forecasts_what_the_plan_forecast(kind, tmp_path):
    frozen = make_plan(survey(ASKS[kind]), 50_000, expect=people(3000))
    frozen.plan.save(tmp_path / "plan.json")
    (before,), (after,) = frozen.forecasts, forecasts(Plan.load(tmp_path / "plan.json"))
    (unknown,) = forecasts(plan(survey(ASKS[kind]), 50_000))
    np.testing.assert_allclose(errors(after), errors(before), rtol=1e-6)
    assert (after.people_needed, after.warning) == (before.people_needed, before.warning)
    assert not np.allclose(errors(unknown), errors(before), rtol=1e-4)
    # What is asked, and what a report can reveal, is the same.
    assert frozen.plan.sampled.parameters == plan(survey(ASKS[kind]), 50_000).sampled.parameters


def test_no_person_of_a_sample_stands_in_a_plan():
    sample = people(400)
    asked = [ASKS[kind] for kind in ("cells", "bins", "means", "covariances", "regression of complete cases")]
    text = plan(survey(*asked), 500_000, expect=sample).bytes.decode()
    numbers = [
        f"{number:.6g}" for name in ("age", "height", "income") for number in sample[name].drop_null().to_pylist()
    ]
    assert sum(number[:7] in text for number in numbers if len(number) > 6) < 5
    assert len(text) < 100_000


@pytest.mark.parametrize("k", [1, 2, 7, MOST_LISTED, MOST_LISTED + 1, 50_000])
def test_expected_shares_are_bounded_and_as_near_as_they_can_be(k):
    shares = np.random.default_rng(k).dirichlet(np.full(k, 0.1))
    part = ExpectedPart.of(shares)
    assert len(part.parts) <= MOST_LISTED
    found = part.shares(k)
    assert found.sum() == pytest.approx(1, abs=1e-12)
    largest = np.argsort(-shares)[:MOST_LISTED]
    assert np.abs(found - shares)[largest].max() < 1.1 * k / WHOLE + 1e-9
    assert round_as_stored(found).tolist() == found.tolist()


@pytest.mark.parametrize(
    ("expected", "match"),
    [
        ({"parts": [WHOLE]}, "of 4 values"),
        ({"parts": [1, 2, 3, 4]}, "add up"),
        ({"parts": [WHOLE, 1], "values": [0, 1]}, "add up"),
        ({"parts": [1, 2], "values": [1, 0]}, "order"),
        ({"parts": [1], "values": [4]}, "of 4 values"),
        ({"parts": [1], "values": [0, 1]}, "order"),
    ],
)
def test_expected_shares_of_other_values_are_no_plan(expected, match, tmp_path):
    content = json.loads(plan(survey(ASKS["shares"]), 1000).bytes)
    content = {name: part for name, part in content.items() if name not in ("format", "version", "hash")}
    content["queries"][0]["expected"] = expected
    (tmp_path / "plan.json").write_text(text_of(PLAN.seal(content)))
    with pytest.raises(SordinoError, match=match):
        Plan.load(tmp_path / "plan.json")


def alike(count, seed=0):
    """Ages that hardly vary, so that a regression on them needs very many people."""
    rng = np.random.default_rng(seed)
    age = np.clip(rng.normal(40, 3, count), 0, 100)
    return pa.table({"age": age, "height": np.clip(150 + 0.3 * age + rng.normal(0, 5, count), 100, 200)})


def refused(asked, count, collections=8):
    """The collections that are refused: noise feigns that features vary in some of a hundred."""
    found = [results_so_far(asked, aggregate(asked, privatize(asked, alike(count, n))))[0] for n in range(collections)]
    return [result for result in found if isinstance(result, Untold)]


REGRESSION = {
    "version": 1,
    "epsilon": "1",
    "attribute": {name: ATTRIBUTES[name] for name in ("age", "height")},
    "ask": [ASKS["regression"]],
}


def test_a_refusal_awaits_as_many_reports_as_the_forecast_said():
    asked = plan(REGRESSION, 20_000, expect=alike(5000))
    (forecast,) = forecasts(asked)
    assert "expect NO ANSWER" in forecast.warning
    result = next(one for one in refused(asked, 20_000) if one.from_reports is None)
    assert forecast.people_needed > 1_000_000
    assert result.reports_needed == forecast.people_needed
    assert "if people are as the plan expects" in result.why_in_words()
    # Without it both speak of people of whom nothing is known.
    result = next(one for one in refused(plan(REGRESSION, 20_000), 20_000) if one.from_reports is None)
    assert result.reports_needed < 20_000
    assert "were expected to be enough, if people were as forecasts assume by default" in result.why_in_words()


def test_what_is_found_says_how_many_reports_where_it_says_anything():
    """Of many collections that are refused, those that suggest a number suggest about the right one."""
    rng = np.random.default_rng(3)
    ages = np.clip(rng.normal(40, 9, 60_000), 0, 100)
    asked = plan(REGRESSION | {"epsilon": "2"}, 20_000)
    records = np.column_stack([ages / 50 - 1, 0.3 * (ages / 50 - 1)])
    (question,) = asked.questions
    enough = question.expectation(records).enough(1)
    suggested = []
    for _ in range(30):
        n = int(0.45 * enough)
        drawn = records[rng.integers(0, len(records), n)]
        (result,) = results_so_far(asked, asked.sampled.tally(asked.sampled.privatize([drawn])))
        if isinstance(result, Untold) and result.from_reports is not None:
            suggested.append(result.from_reports / enough)
            assert "if the features vary as these reports suggest" in result.why_in_words()
    assert len(suggested) > 3
    assert 0.7 < np.median(suggested) < 3


def test_reports_that_say_nothing_of_the_features_suggest_no_number():
    asked = plan(REGRESSION, 20_000, expect=alike(5000))
    found = refused(asked, 4000, 40)
    assert sum(one.from_reports is None for one in found) > 30
