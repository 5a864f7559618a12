"""Two plans side by side, by the parts of each."""

import pytest

from sordino import Plan, Survey
from sordino.survey.planning.forecast import forecasts
from sordino.survey.planning.survey_comparison import comparison

NUMBERS = {"low": 0, "high": 10, "bins": 8}


def plan(epsilon, people, *asks, **attributes):
    survey = {"version": 1, "epsilon": epsilon, "attribute": attributes, "ask": list(asks)}
    return Plan.of(Survey.read(survey), people)


@pytest.fixture(scope="module")
def sides():
    smoker, pay = {"categories": ["yes", "no"]}, {"number": NUMBERS}
    first = plan("1", 1000, {"histogram": "smoker"}, smoker=smoker)
    second = plan("2", 500, {"mean": "pay"}, {"distribution": "pay"}, {"histogram": "smoker"}, smoker=smoker, pay=pay)
    rows = {row.label: row for side in comparison(first, second) for row in side.rows}
    return first, second, rows


def test_each_plan_has_its_own_numbers_and_blanks_where_it_has_none(sides):
    first, second, rows = sides
    assert rows["smoker"].cells == pytest.approx((1, 2), abs=1e-9)
    assert rows["smoker"].cells[0] >= 1
    assert rows["pay"].cells == (None, pytest.approx(2, abs=1e-9))
    assert rows["people"].cells == (1000, 500)
    assert rows["bits a report"].cells == (first.sampled.code_bits, second.sampled.code_bits)
    assert rows["people asked for pay"].cells == (None, 166)
    mean, curve, share = forecasts(second)
    assert rows["mean of pay"].cells == (None, mean.plan.stderr[0])
    assert rows["share of a bin of pay"].cells == (None, curve.question.bin_error())
    assert rows["share of smoker"].cells == (forecasts(first)[0].plan.stderr, share.plan.stderr)


def test_rows_for_programs_say_what_they_are(sides):
    assert sides[2]["people"].json() == {"about": "takes", "of": "people", "first": 1000.0, "second": 500.0}


def test_a_plan_is_like_itself(sides):
    first = sides[0]
    assert all(row.cells[0] == row.cells[1] for side in comparison(first, first) for row in side.rows)
