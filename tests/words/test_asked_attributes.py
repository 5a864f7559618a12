"""How a survey was read: a line for each attribute, with its values, what is estimated, of whom, and its protection."""

import tomllib

import pytest

from sordino import Plan, Survey, forecast, plan
from sordino.words.asked_attributes import attribute_lines

SURVEY = """
epsilon = "1"
[attribute.region]
categories = ["north", "south"]
public = true
[attribute.physical]
categories = ["yes", "no"]
[attribute.help]
categories = ["nobody", "family", "police"]
several = true
only_if = { physical = ["yes"] }
[attribute.recommend]
scale = [0, 10]
[attribute.income]
number = [0, 100]
edges = [0, 10, 50, 100]
median = true
[attribute.age]
number = [18, 90]
mean = true
column = "years"
[attribute.drugs]
categories = ["yes", "no"]
sensitive = ["yes"]
[attribute.team]
categories = ["ops", "it"]
[[ask]]
histogram = "physical"
by = "region"
[[ask]]
histogram = "help"
[[ask]]
histogram = "recommend"
ranges = [[0, 6], [9, 10]]
[[ask]]
histogram = "drugs"
[[ask]]
table = ["team", "physical"]
[series]
periods = 12
every = "week"
start = 2026-01-05
"""


@pytest.fixture(scope="module")
def asked():
    return Plan.of(Survey.read(tomllib.loads(SURVEY)), 10_000)


def test_each_attribute_has_its_line(asked):
    whole = "all values protected, epsilon 1"
    assert attribute_lines(asked) == (
        "region: one of north, south; public: sent as it is, beside the report",
        "period: one of 12 weeks from 2026-01-05, by any of its days (column 'period'); public",
        f"physical: one of yes, no; shares, table with team; {whole}",
        f"help: any of nobody, family, police; share of each; asked if physical = yes; {whole}",
        f"recommend: whole numbers 0 to 10; distribution, share of 0 to 6, share of 9 to 10; {whole}",
        f"income: number 0 to 100, in 3 bins (0 to 10, ... 50 to 100); distribution, median; {whole}",
        f"age: number 18 to 90 (column 'years'); mean; {whole}",
        "drugs: one of yes, no; shares; sensitive: yes, epsilon 1",
        f"team: one of ops, it; table with physical; {whole}",
        "Who is not asked sends a report too, with 'not asked' in place of an answer, through the same channel.",
    )


def test_a_table_that_leaves_no_pair_unprotected_says_that_sensitive_changes_nothing():
    attributes = {
        "team": {"categories": ["ops", "it"]},
        "leave": {"categories": ["yes", "no"], "protect": {"sensitive": ["yes"]}},
    }
    read = Survey.read({"version": 1, "epsilon": "1", "attribute": attributes, "ask": [{"table": ["team", "leave"]}]})
    (line,) = [line for line in attribute_lines(Plan.of(read, 1000)) if line.startswith("leave")]
    assert line.endswith("all its values protected, epsilon 1: no two cells of its table are unprotected")


def test_what_is_asked_for_is_forecast(asked):
    """Ranges, their difference and quantiles by themselves; the table of all has a row for each."""
    found = forecast(asked)
    names = [row[0] for row in found.table().rows]
    assert "share of recommend from 0 to 6" in names
    assert "share of recommend from 9 to 10 minus 0 to 6" in names
    assert "median of income" in names
    assert "mean of age" in names
    assert not any("below an edge" in name for name in names)


def test_the_error_of_a_median_is_that_of_simulated_surveys():
    """Of people who are evenly spread: against quantiles that are read off unbiased functions of many surveys."""
    import numpy as np

    survey = {"version": 1, "epsilon": "2", "attribute": {"x": {"number": {"low": 0, "high": 20, "bins": 10}}}}
    made = plan({**survey, "ask": [{"distribution": "x", "quantiles": [0.55]}]}, people=20_000)
    (question,) = made.questions
    draw, law = np.random.default_rng(1), question.mechanism.forward(np.full(10, 0.1))
    matrix = np.stack([question.mechanism.forward(row) for row in np.eye(10)])
    inverse = np.linalg.pinv(matrix)
    read = []
    for _ in range(400):
        shares = draw.multinomial(20_000, law) / 20_000 @ inverse
        below = np.concatenate([[0], np.cumsum(shares)])
        place = int(np.argmax(below[1:] >= 0.55))
        read.append(2 * (place + (0.55 - below[place]) / shares[place]))
    expected = question.quantile_error("0.55")
    assert 0.6 * expected < np.std(read) < 1.2 * expected
