"""From a survey to attributes and statistics: all that its questions may ask."""

from fractions import Fraction

import pytest

from in_one import in_one
from sordino import Grid, SordinoError, SordinoErrors, Survey
from sordino.design.sample_questions import cells_of
from sordino.survey.planning.questions_for_sample import questions_for_sample, statistics_of

TABLES = {
    "version": 1,
    "epsilon": "1",
    "attribute": {
        "smoker": {"categories": ["yes", "no", "?"], "missing": "?", "column": "SMOKER"},
        "home": {"grid": {"south": 0, "north": 1, "west": 0, "east": 1, "rows": 2, "columns": 2}},
        "cell": {"grid": {"south": 0, "north": 1, "west": 0, "east": 1, "rows": 2, "columns": 2}, "column": "c"},
        "visits": {"categories": 4},
    },
    "ask": [{"histogram": "visits"}, {"histogram": "smoker"}, {"histogram": "home"}, {"histogram": "cell"}],
}


def test_attributes_stand_in_the_order_of_the_alphabet():
    asked = questions_for_sample(Survey.read(TABLES))
    assert asked.names == ("cell", "home", "smoker", "visits")
    assert [attribute.columns for attribute in asked.attributes] == [
        ("c",), ("latitude", "longitude"), ("SMOKER",), ("visits",)
    ]  # fmt: skip
    assert isinstance(asked.attributes[1].domain, Grid)
    assert asked.attributes[2].missing == "?"
    assert sorted(asked.statistics) == [(0,), (1,), (2,), (3,)]


PEOPLE = {
    "smoker": {"categories": ["yes", "no"], "delta": "1"},
    **{name: {"number": {"low": 0, "high": 100}, "delta": "1"} for name in ("age", "income", "weight")},
}


@pytest.mark.parametrize(
    ("ask", "expected"),
    [
        ({"histogram": "smoker", "weight": 2}, {(2,)}),
        ({"mean": ["weight", "age"]}, {(0,), (3,)}),
        ({"covariance": ["weight", "age"]}, {(0,), (3,), (0, 0), (0, 3), (3, 3)}),
        (
            {"regression": {"target": "age", "features": ["weight", "income"]}},
            {(0,), (1,), (3,), (0, 0), (0, 1), (0, 3), (1, 1), (1, 3), (3, 3)},
        ),
    ],
)
def test_every_statistic_that_a_question_may_ask(ask, expected):
    survey = Survey.read({"version": 1, "epsilon": "1", "attribute": PEOPLE, "ask": [ask]})
    assert set(statistics_of(survey)) == expected


def numbers(**settings):
    attributes = {"age": {"number": {"low": 0, "high": 100, **settings}, "column": "AGE"}}
    (number,) = questions_for_sample(
        Survey.read(TABLES | {"attribute": attributes, "ask": [{"mean": ["age"]}]})
    ).attributes
    return number


def test_numbers_with_bins_or_a_lipschitz_constant():
    number = numbers(bins=4, lipschitz=0.1, clip=True)
    assert (number.edges, number.lipschitz, number.clip) == ((0, 25, 50, 75, 100), Fraction(1, 10), True)
    assert (number.columns, number.answers) == (("AGE",), "number")
    # Without more nothing is known of a number, whatever the sample.
    assert cells_of(numbers()) == 0


@in_one(
    ("settings", "words"),
    [
        ({"bins": 0}, "bins must be at least 2"),
        ({"bins": 10**9}, "bins must be at most 1000"),
        ({"lipschitz": "0.1"}, "must be a number"),
        ({"lipschitz": True}, "must be a number"),
        ({"lipschitz": float("inf")}, "finite"),
        ({"lipschitz": float("nan")}, "finite"),
        ({"lipschitz": -1}, "lipschitz must be"),
        ({"lipschitz": 1e-40}, "Lipschitz"),
    ],
)
def test_settings_that_do_not_fit_are_refused(settings, words):
    with pytest.raises((SordinoError, SordinoErrors), match=words):
        numbers(**settings)
