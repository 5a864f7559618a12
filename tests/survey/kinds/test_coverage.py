"""What intervals of a plan's results hold against: each kind of number, by the formulas of the paper and by bounds."""

import tomllib

import numpy as np
import pyarrow as pa
import pytest
from scipy import stats

import sordino
from sordino import SordinoError
from sordino.survey.kinds.coverage import Coverage, standard_errors
from sordino.survey.results.result import Untold

pytestmark = pytest.mark.filterwarnings("ignore:.*a standard deviation of a tenth:sordino.SordinoWarning")

SURVEY = """
version = 1
epsilon = "4"
[attribute.smoker]
categories = ["yes", "no", "never"]
delta = "2"
[attribute.age]
number = { low = 20, high = 80, bins = 8, clip = true }
[attribute.height]
number = { low = 140, high = 200 }
[[ask]]
histogram = "smoker"
[[ask]]
mean = ["height", "age"]
[[ask]]
covariance = ["age", "height"]
[[ask]]
regression = { target = "height", features = ["age"] }
weight = 4
[[ask]]
distribution = "age"
quantiles = [0.5]
ranges = [[20, 50]]
"""
PEOPLE = 80_000


@pytest.fixture(scope="module")
def survey():
    """The plan, and its tally."""
    rng = np.random.default_rng(5)
    age = rng.uniform(20, 80, PEOPLE)
    people = {
        "smoker": rng.choice(["yes", "no", "never"], PEOPLE),
        "age": age,
        "height": np.clip(150 + age / 2 + rng.normal(0, 3, PEOPLE), 140, 200),
    }
    plan = sordino.plan(tomllib.loads(SURVEY), PEOPLE)
    return plan, sordino.aggregate(plan, sordino.privatize(plan, pa.table(people)))


def each(results):
    """Every number with its limits, by question and place, and the result."""
    for result in results:
        numbers = result.numbers
        for place in range(result.count):
            row = {name: float(column[place]) for name, column in numbers.items()}
            is_moment = result.question.name == "age" and result.kind(place) in ("mean", "sd")
            yield result, row | {"is_moment": is_moment}


def pairs(survey, **against):
    plan, tally = survey
    before = sordino.estimate(plan, tally)
    after = sordino.estimate(plan, tally, **against)
    assert not before.untold
    assert not after.untold
    return zip(each(before.results), each(after.results), strict=True)


def near_normal(result):
    """By how much limits differ from normal ones: of so many reports hardly by what likelihood allows."""
    return 1e-9 if result.question.name == "smoker" else 0.05


def has_normal_limits(row):
    """Whether limits are so many standard errors away: not of a quantile, nor of what bins tell."""
    return not (np.isnan(row["stderr"]) or row["is_moment"])


def test_watched_limits_are_as_many_standard_errors_away_as_the_sequence_asks(survey):
    for (_, alone), (result, watched) in pairs(survey, watched=True):
        assert watched["low"] <= alone["low"] <= alone["high"] <= watched["high"]
        if has_normal_limits(alone):
            away = standard_errors(result.n, result.question.people, 0.95) * alone["stderr"]
            assert watched["high"] - watched["estimate"] == pytest.approx(away, rel=near_normal(result))
    plan, tally = survey
    at_once, always = (sordino.estimate(plan, tally, watched=watched).results[-1].band for watched in (False, True))
    assert (always[0][1:-1] < at_once[0][1:-1]).all()
    assert (always[1][1:-1] > at_once[1][1:-1]).all()


def test_numbers_that_hold_together_each_err_as_many_times_more_rarely(survey):
    for (_, alone), (result, together) in pairs(survey, simultaneous=True):
        assert together["low"] <= alone["low"] <= alone["high"] <= together["high"]
        if result.question.name == "smoker":
            assert 0.95 < result.each < 1 - 0.05 / 3
        else:
            assert result.each == pytest.approx(1 - 0.05 / result.count)
            if has_normal_limits(alone):
                away = stats.norm.ppf(1 - 0.025 / result.count) * alone["stderr"]
                assert together["high"] - together["estimate"] == pytest.approx(away, rel=near_normal(result))


def test_limits_hold_what_forged_reports_can_have_moved(survey):
    for (result, alone), (_, forged) in pairs(survey, forged=20):
        if not has_normal_limits(alone):
            assert forged["low"] <= alone["low"]
            continue
        assert forged["moved"] > 0
        wider = np.hypot(alone["stderr"], forged["moved"] / np.sqrt(20)) / alone["stderr"]
        normal = result.question.name in ("mean of height, age", "regression of height on age")
        reach = stats.norm.ppf(0.975) * alone["stderr"] if normal else alone["high"] - alone["estimate"]
        least = wider * reach + forged["moved"]
        # Of reports about a question that are about one number there may be fewer.
        assert least * (1 - 1e-9) <= forged["high"] - alone["estimate"] <= least * 1.05, result.question.name


def test_a_plan_of_which_all_reports_may_be_forged_tells_nothing(survey):
    plan, tally = survey
    least = min(result.n for result in sordino.estimate(plan, tally).results)
    found = sordino.estimate(plan, tally, forged=least)
    assert any("forged" in why for why in found.untold.values())
    with pytest.raises(SordinoError, match="more reports than the 80,000 that may be forged"):
        sordino.estimate(plan, tally, forged=PEOPLE)


def test_what_is_no_coverage_is_named(survey):
    with pytest.raises(SordinoError, match="forged reports must be a number from 0 on; found -1"):
        Coverage(forged=-1)
    with pytest.raises(SordinoError, match="between 0 and 1"):
        Coverage(1.0)
    mechanism = sordino.RandomizedResponse(2, "1")
    with pytest.raises(SordinoError, match="are of plans"):
        sordino.estimate(mechanism, mechanism.tally([0, 1]), watched=True)


def test_only_what_is_told_counts_as_told(survey):
    plan, tally = survey
    found = sordino.estimate(plan, tally, simultaneous=True, watched=True, forged=5)
    assert not any(isinstance(result, Untold) for result in found.results)
    # All at once are wider than each of them alone.
    for against in ({"simultaneous": True, "watched": True}, {"forged": 5}):
        for (_, less), (_, more) in zip(
            each(sordino.estimate(plan, tally, **against).results), each(found.results), strict=True
        ):
            assert more["low"] <= less["low"]
            assert less["high"] <= more["high"]


def test_limits_for_all_are_as_sure_as_bonferroni_asks():
    asked = Coverage(0.9, simultaneous=True, watched=True).for_all(20)
    assert asked.confidence == pytest.approx(0.995)
    # Whatever they are compared with, no other correction comes on top; what they hold against stays.
    assert (asked.simultaneous, asked.watched) == (False, True)


A_CELL = np.arange(100) < 5
ALIKE = {
    "cells": (
        """
        [attribute.a]
        categories = ["0", "1"]
        [attribute.b]
        categories = ["0", "1"]
        [[ask]]
        table = ["a", "b"]
        """,
        {"a": np.where(A_CELL, "1", "0"), "b": np.where(A_CELL, "1", "0")},
    ),
    "among who was asked": (
        """
        [attribute.a]
        categories = ["0", "1"]
        [attribute.b]
        categories = ["0", "1"]
        only_if = { a = "1" }
        [[ask]]
        histogram = "b"
        """,
        {"a": np.where(A_CELL, "1", "0"), "b": [("1" if own else None) for own in A_CELL]},
    ),
    "several among who was asked": (
        """
        [attribute.a]
        categories = ["0", "1"]
        [attribute.b]
        categories = ["0", "1", "2"]
        several = 2
        only_if = { a = "1" }
        [[ask]]
        several = "b"
        """,
        {"a": np.where(A_CELL, "1", "0"), "b": [("1; 2" if own else None) for own in A_CELL]},
    ),
    "mean": ("[attribute.x]\nnumber = { low = 0, high = 1 }\n[[ask]]\nmean = 'x'", {"x": np.zeros(100)}),
    "mean of who has it": (
        "[attribute.x]\nnumber = { low = 0, high = 1 }\nmissing = '0.5'\n[[ask]]\nmean = 'x'",
        {"x": [(0.0 if own else None) for own in np.arange(100) < 50]},
    ),
    "bins of who has it": (
        "[attribute.x]\nnumber = { low = 0, high = 1, bins = 8 }\nmissing = '0.5'\n[[ask]]\ndistribution = 'x'",
        {"x": [(0.0 if own else None) for own in np.arange(100) < 50]},
    ),
}


@pytest.mark.parametrize("kind", ALIKE)
def test_no_standard_error_is_far_below_what_its_interval_says(kind):
    """A conditional share of five people who answered alike had .0004, and an interval that is .47 wide."""
    asked, people = ALIKE[kind]
    plan = sordino.plan(tomllib.loads('version = 1\nepsilon = "10"\n' + asked), 100)
    tally = sordino.aggregate(plan, sordino.privatize(plan, pa.table(people)))
    for row in sordino.estimate(plan, tally).to_arrow(derived=True).to_pylist():
        if row["stderr"] is not None:
            assert row["high"] - row["low"] <= 1.5 * 3.92 * row["stderr"], row
