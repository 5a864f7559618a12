"""Each way to protect values, for each kind of values: what it promises, and every mistake in it by its path."""

from fractions import Fraction

import pytest

from in_one import in_one
from sordino import LDP, BlockLDP, HighLowLDP, MetricLDP, Nats, PairwiseLDP, Plan, SordinoErrors, Survey

NAMED = {"categories": ["a", "b", "c", "d"]}
NUMBERED = {"categories": 4}
GRID = {"grid": {"south": 0, "north": 2, "west": 0, "east": 2, "rows": 2, "columns": 2}}
LINE = [[abs(x - y) for y in range(4)] for x in range(4)]
MATRIX = [["0", "1", "2", "inf"], ["1/2", "0", "ln 2", "inf"], ["1", 2, "0", "inf"], ["3", "3", "3.5", "0"]]
DOMAINS = {"named": NAMED, "numbered": NUMBERED, "grid": GRID}

SAME = {
    "default": None,
    "epsilon": {"epsilon": "1/2"},
    "positions": {"metric": [5, "6", 7.0, 8]},
    "distances": {"metric": LINE, "epsilon": "2"},
    "matrix": {"matrix": MATRIX},
}
# Of the four values the second and the fourth are sensitive, the first two are a block.
OWN = {
    "blocks": {
        "named": {"blocks": [["a", "b"], ["d", "c"]]},
        "numbered": {"blocks": 2},
        "grid": {"blocks": [1, 2]},
    },
    "sensitive": {
        "named": {"sensitive": ["d", "b"]},
        "numbered": {"sensitive": [1, 3]},
        "grid": {"sensitive": [[0, 1], [1, 1]]},
    },
}
WAYS = {way: {domain: protect for domain in DOMAINS} for way, protect in SAME.items()} | OWN  # noqa: C420 - read only
CASES = [(way, domain) for way in WAYS for domain in DOMAINS]

PROMISES = {
    "default": LDP,
    "epsilon": lambda epsilon: LDP("1/2"),
    "blocks": lambda epsilon: BlockLDP([0, 0, 1, 1], epsilon),
    "sensitive": lambda epsilon: HighLowLDP(4, [1, 3], epsilon),
    "positions": lambda epsilon: PairwiseLDP([[Fraction(epsilon) * distance for distance in row] for row in LINE]),
    "distances": lambda epsilon: PairwiseLDP([[2 * distance for distance in row] for row in LINE]),
    "matrix": lambda epsilon: PairwiseLDP(MATRIX),
}
"""What a survey with that default epsilon promises."""


def said(definition):
    """All that a definition says, comparable."""
    if isinstance(definition, HighLowLDP):
        return (HighLowLDP, definition.epsilon, definition.k, definition.sensitive.tolist())
    if isinstance(definition, PairwiseLDP | MetricLDP):
        return between_all(definition)
    return definition


def between_all(definition):
    """The bound of each ordered pair of values, however it is kept."""
    values = range(definition.k)
    return [[Nats.of(0) if x == y else definition.bound(x, y) for y in values] for x in values]


@pytest.mark.each_value
@pytest.mark.parametrize(("way", "domain"), CASES)
@pytest.mark.parametrize("epsilon", ["1", "3/2"])
def test_survey_and_plan_promise_what_the_setting_says(tmp_path, tables, way, domain, epsilon):
    protect = WAYS[way][domain]
    attribute = DOMAINS[domain] | ({} if protect is None else {"protect": protect})
    survey = Survey.read(tables({"x": attribute}, epsilon))
    assert said(survey.definition("x")) == said(PROMISES[way](epsilon))
    plan = Plan.of(survey, 1000)
    plan.save(tmp_path / "plan.json")
    loaded = Plan.load(tmp_path / "plan.json")
    assert said(loaded.questions[0].definition) == said(PROMISES[way](epsilon))
    assert loaded.bytes == plan.bytes
    assert loaded.certificate.holds


@pytest.mark.parametrize("way", ["epsilon", "distances", "matrix"])
def test_a_survey_needs_no_epsilon_where_each_attribute_has_one(tables, way):
    survey = Survey.read(tables({"x": NAMED | {"protect": WAYS[way]["named"]}}, None))
    assert said(survey.definition("x")) == said(PROMISES[way]("7"))


def test_an_own_epsilon_is_the_unit_of_its_way(tables):
    for way, own in (("blocks", BlockLDP([0, 0, 1, 1], "1/3")), ("sensitive", HighLowLDP(4, [1, 3], "1/3"))):
        protect = WAYS[way]["named"] | {"epsilon": "1/3"}
        assert said(Survey.read(tables({"x": NAMED | {"protect": protect}})).definition("x")) == said(own)


@pytest.mark.parametrize("epsilon", ["1/1000", "0.001", 0.001])
def test_distances_are_in_units_of_epsilon_however_large(tables, epsilon):
    survey = Survey.read(tables({"x": {"categories": 3, "protect": {"metric": [0, 500, 2500]}}}, epsilon))
    assert [[float(bound.floor()) for bound in row] for row in between_all(survey.definition("x"))] == [
        pytest.approx(row) for row in ([0, 0.5, 2.5], [0.5, 0, 2], [2.5, 2, 0])
    ]


def test_whole_distances_of_a_logarithm_are_its_multiples(tables):
    survey = Survey.read(tables({"x": {"categories": 3, "protect": {"metric": [0, 1, 3]}}}, "ln 3"))
    assert [str(bound) for bound in between_all(survey.definition("x"))[0]] == ["0", "ln 3", "ln 27"]


def test_values_too_far_apart_for_any_coin_are_not_protected_from_each_other(tables):
    far = [[0, 1, 200], [1, 0, 199], [200, 199, 0]]
    definition = Survey.read(tables({"x": {"categories": 3, "protect": {"metric": far}}})).definition("x")
    unprotected = {(x, y) for x, row in enumerate(definition.bounds) for y, bound in enumerate(row) if bound is None}
    assert unprotected == {(0, 2), (2, 0), (1, 2), (2, 1)}


def test_a_step_too_far_for_any_coin_is_worth_as_much_as_any_coin_could_keep(tables):
    definition = Survey.read(tables({"x": {"categories": 3, "protect": {"metric": [0, 1, 200]}}})).definition("x")
    assert [str(bound) for bound in between_all(definition)[0]] == ["0", "1", "101"]


EVEN = [["0", "1", "1", "1"], ["1", "0", "1", "1"], ["1", "1", "0", "1"], ["1", "1", "1", "0"]]
FREE = [["0" if x == y else "inf" for y in range(4)] for x in range(4)]


def entry(matrix, row, column, value):
    copy = [list(line) for line in matrix]
    copy[row][column] = value
    return copy


MISTAKES = {
    "nothing": (NAMED, {}, ["epsilon of its own", "blocks, sensitive, metric, matrix"]),
    "two ways": (NAMED, {"sensitive": ["a"], "blocks": [["a", "b"], ["c", "d"]]}, ["found blocks, sensitive"]),
    "all ways": (
        NAMED,
        {"sensitive": 1, "blocks": 2, "metric": 3, "matrix": 4},
        ["found blocks, sensitive, metric, matrix"],
    ),
    "epsilon zero": (NAMED, {"epsilon": "0"}, [".protect.epsilon", "above 0"]),
    "epsilon below": (NAMED, {"epsilon": "-1"}, [".protect.epsilon", "'-1'"]),
    "epsilon nan": (NAMED, {"epsilon": "nan"}, [".protect.epsilon", "'nan'"]),
    "epsilon absurd": (NAMED, {"epsilon": 101}, [".protect.epsilon", "101"]),
    "unknown way": (NAMED, {"sensitiv": ["a"], "epsilon": "1"}, [".protect.sensitiv", "did you mean 'sensitive'"]),
    # sensitive values
    "a number": (NAMED, {"sensitive": 3}, ["list of names", "3"]),
    "numbers for names": (NAMED, {"sensitive": [0]}, ["list of names", "[0]"]),
    "unknown name": (NAMED, {"sensitive": ["a", "zebra"]}, ["categories of the attribute", "found 'zebra'"]),
    "near name": ({"categories": ["yes", "no"]}, {"sensitive": ["yess"]}, ["did you mean 'yes'"]),
    "name twice": (NAMED, {"sensitive": ["a", "b", "a"]}, ["named once"]),
    "number outside": (NUMBERED, {"sensitive": [0, 4]}, ["0..3", "4"]),
    "number below": (NUMBERED, {"sensitive": [-1]}, ["0..3", "-1"]),
    "huge number": (NUMBERED, {"sensitive": [10**30]}, ["0..3", "1000000"]),
    "names for numbers": (NUMBERED, {"sensitive": ["1"]}, ["list of numbers", "['1']"]),
    "truths for numbers": (NUMBERED, {"sensitive": [True]}, ["list of numbers", "[True]"]),
    "fractions": (NUMBERED, {"sensitive": [1.0]}, ["list of numbers", "[1.0]"]),
    "all numbers": (NUMBERED, {"sensitive": [3, 2, 1, 0]}, ["not all", "all 4"]),
    "number twice": (NUMBERED, {"sensitive": [1, 1]}, ["named once"]),
    "cells by number": (GRID, {"sensitive": [1, 3]}, ["[row, column]", "[1, 3]"]),
    "cells of one number": (GRID, {"sensitive": [[1]]}, ["[row, column]", "[[1]]"]),
    "cells outside": (GRID, {"sensitive": [[0, 0], [2, 0], [0, -1]]}, ["on the grid", "[2, 0]", "[0, -1]"]),
    "cell twice": (GRID, {"sensitive": [[0, 1], [0, 1]]}, ["named once"]),
    "all cells": (GRID, {"sensitive": [[0, 1], [0, 0], [1, 1], [1, 0]]}, ["not all", "all 4"]),
    # distances
    "no unit": (NAMED, {"metric": {"of": 5}}, ["must have `per`", "of"]),
    "a unit beside others": (NAMED, {"metric": {"per": 5, "km": 2}}, ["must have `per`", "km"]),
    "a unit of 0": ({"categories": 4}, {"metric": {"per": 0}}, ["`per` of a metric must be above 0", "found 0"]),
    "a unit without a number": ({"categories": 4}, {"metric": {"per": "far"}}, ["must be a number", "'far'"]),
    "a unit of names": (NAMED, {"metric": {"per": 5}}, ["categories that are numbers", "position for each"]),
    "too few positions": (NAMED, {"metric": [0, 1, 2]}, ["each of 4 values", "found 3"]),
    "a word as metric": (NAMED, {"metric": "line"}, ["each of 4 values", "'line'"]),
    "a word as position": (NAMED, {"metric": [0, 1, "far", 3]}, ["position or distance", "'far'"]),
    "nan as position": (NAMED, {"metric": [0, 1, float("nan"), 3]}, ["position or distance", "nan"]),
    "inf as position": (NAMED, {"metric": [0, 1, "inf", 3]}, ["position or distance", "'inf'"]),
    "truth as position": (NAMED, {"metric": [0, 1, True, 3]}, ["position or distance", "True"]),
    "logarithm as position": (NAMED, {"metric": [0, 1, "ln 2", 3]}, ["position or distance", "'ln 2'"]),
    "one position twice": (NAMED, {"metric": [0, 1, 7, 1]}, ["above 0", "the values 1 and 3", "merge"]),
    "positions and distances": (NAMED, {"metric": [0, 1, [2], 3]}, ["position or distance", "[2]"]),
    "no square": (NAMED, {"metric": [*LINE[:3], [3, 2, 1]]}, ["square", "another length"]),
    "asymmetric": (NAMED, {"metric": entry(LINE, 1, 3, 5)}, ["both ways", "rows 1 and 3"]),
    "distance to itself": (NAMED, {"metric": entry(LINE, 2, 2, 1)}, ["to itself", "row 2"]),
    "negative distance": (
        NAMED,
        {"metric": entry(entry(LINE, 0, 1, -1), 1, 0, -1)},
        ["negative", "the values 0 and 1"],
    ),
    "distance zero": (
        NAMED,
        {"metric": entry(entry(LINE, 0, 1, 0), 1, 0, "0")},
        ["above 0", "the values 0 and 1", "merge"],
    ),
    "infinite distance": (NAMED, {"metric": entry(LINE, 1, 3, "inf")}, ["position or distance", "'inf'"]),
    "all too far": (NAMED, {"metric": [0, 1000, 2000, 3000]}, [".protect", "found none", "below 100 nats"]),
    "too many": ({"categories": 257}, {"metric": [[0] * 257] * 257}, ["at most 256", "found 257", "use blocks"]),
    # matrices
    "matrix and epsilon": (
        NAMED,
        {"matrix": EVEN, "epsilon": "1"},
        ["found a matrix and an epsilon", "leave epsilon out"],
    ),
    "a word as matrix": (NAMED, {"matrix": "even"}, ["list of rows", "'even'"]),
    "one row": (NAMED, {"matrix": ["0", "1", "1", "1"]}, ["list of rows"]),
    "empty": (NAMED, {"matrix": []}, ["1 to 256 rows", "found 0"]),
    "smaller": (NAMED, {"matrix": [["0", "1"], ["1", "0"]]}, ["each of 4 values", "found 2"]),
    "a short row": (NAMED, {"matrix": [*EVEN[:3], ["1", "1", "0"]]}, ["square", "4 rows, one of them of 3"]),
    "a long row": (NAMED, {"matrix": [*EVEN[:3], ["1", "1", "1", "0", "1"]]}, ["square", "one of them of 5"]),
    "negative": (NAMED, {"matrix": entry(EVEN, 1, 2, "-1")}, ["row 1, column 2", "'-1'"]),
    "nan": (NAMED, {"matrix": entry(EVEN, 1, 2, "nan")}, ["row 1, column 2", "'nan'"]),
    "float nan": (NAMED, {"matrix": entry(EVEN, 1, 2, float("nan"))}, ["row 1, column 2", "nan"]),
    "minus infinity": (NAMED, {"matrix": entry(EVEN, 1, 2, "-inf")}, ["row 1, column 2", "'-inf'"]),
    "truth": (NAMED, {"matrix": entry(EVEN, 1, 2, True)}, ["row 1, column 2", "True"]),
    "list": (NAMED, {"matrix": entry(EVEN, 1, 2, ["1"])}, ["row 1, column 2", "['1']"]),
    "absurd": (NAMED, {"matrix": entry(EVEN, 1, 2, "101")}, ["row 1, column 2", "100", "'101'"]),
    "diagonal": (NAMED, {"matrix": entry(EVEN, 2, 2, "1")}, ["itself", "row 2"]),
    "infinite diagonal": (NAMED, {"matrix": entry(EVEN, 2, 2, "inf")}, ["itself", "row 2"]),
    "zero one way": (NAMED, {"matrix": entry(EVEN, 1, 2, "0")}, ["above 0", "the values 1 and 2", "merge"]),
    "none protected": (NAMED, {"matrix": FREE}, ["must be protected", "found none"]),
}


def mistakes(tables):
    with pytest.raises(SordinoErrors) as caught:
        Survey.read(tables)
    assert f"{len(caught.value.errors)} mistake" in str(caught.value)
    return [str(error) for error in caught.value.errors]


@in_one("attribute, protect, words", MISTAKES.values())
def test_a_mistake_is_named(tables, attribute, protect, words):
    (found,) = mistakes(tables({"x": attribute | {"protect": protect}}))
    assert found.startswith("attribute.x")
    assert [word for word in words if word not in found] == []


def test_half_a_distance_of_a_logarithm_is_refused(tables):
    (found,) = mistakes(tables({"x": NAMED | {"protect": {"metric": [0, 1, 2.5, 4]}}}, "ln 3"))
    assert found.startswith("attribute.x")
    assert "whole distances" in found


@pytest.mark.parametrize("protect", [None, {"sensitive": ["a"]}, {"metric": [0, 1, 2, 3]}])
def test_there_must_be_an_epsilon_somewhere(tables, protect):
    attribute = NAMED | ({} if protect is None else {"protect": protect})
    (found,) = mistakes(tables({"x": attribute, "y": NAMED | {"protect": {"epsilon": "1"}}}, None))
    assert found.startswith("epsilon must be given")


def test_the_mistakes_of_all_attributes_are_told_at_once(tables):
    attributes = {
        "metric": NAMED | {"protect": {"metric": [0, 1, 1, 2]}},
        "matrix": NAMED | {"protect": {"matrix": entry(EVEN, 0, 1, "nan")}},
        "sensitive": NAMED | {"protect": {"sensitive": ["z"]}},
        "blocks": NAMED | {"protect": {"blocks": [["a", "b"]]}},
        "several": NAMED | {"protect": {"blocks": 1, "matrix": 2}},
        "epsilon": NAMED | {"protect": {"epsilon": "0"}},
        "right": NAMED | {"protect": {"sensitive": ["a"]}},
    }
    wrong = tables(attributes, "nan") | {"version": 3}
    wrong["ask"] = [*wrong["ask"], {"histogram": "wrong"}, {"histogram": "right", "weight": 0}]
    paths = [
        "version",
        "epsilon",
        "ask.7.histogram",
        "ask.8.histogram",
        "ask.8.weight",
        "attribute.epsilon.protect.epsilon",
    ]
    paths += [f"attribute.{name}" for name in attributes if name not in {"epsilon", "right"}]
    assert sorted(text.split()[0].rstrip(":") for text in mistakes(wrong)) == sorted(paths)


def test_numbers_in_order_have_a_unit(tables):
    asked = {"categories": 4, "protect": {"metric": {"per": 5}, "epsilon": "2"}}
    positions = {"categories": 4, "protect": {"metric": [0, "1/5", "2/5", "3/5"], "epsilon": "2"}}
    unit, apart = (Survey.read(tables({"x": table})).definition("x") for table in (asked, positions))
    assert unit == apart
    assert unit.bound(0, 3) == Nats.of("6/5")
    named = {"categories": ["10", "20", "50"], "protect": {"metric": {"per": "20"}}}
    assert Survey.read(tables({"x": named})).definition("x").bound(0, 2) == Nats.of(2)
