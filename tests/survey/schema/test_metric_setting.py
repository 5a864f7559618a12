"""Distances that follow from the values: what a survey's unit, positions, map or tree promises, and what is refused."""

import numpy as np
import pytest

from in_one import in_one
from on_earth import apart
from sordino import Grid, MetricLDP, Nats, PairwiseLDP, Plan, SordinoErrors, Survey

EDGES = {"south": 40, "north": 50, "west": 0, "east": 12, "rows": 4, "columns": 6}
MAP = {"grid": EDGES}
NAMED = {"categories": ["tea", "water", "bread", "apple"]}
BELOW = {"drink": ["tea", "water"], "food": ["bread", "apple"], "all": ["drink", "food"]}
GENERAL = {"categories": ["any", "drink", "tea", "water", "food"]}
OWN = {"any": ["drink", "food"], "drink": ["tea", "water"]}


def promised(tables, attribute, metric, epsilon="1"):
    return Survey.read(tables({"x": attribute | {"protect": {"metric": metric}}}, epsilon)).definition("x")


def test_a_long_line_is_no_table(tables):
    survey = Survey.read(tables({"x": {"categories": 400, "protect": {"metric": {"per": "5"}}}}, "2"))
    definition = survey.definition("x")
    assert isinstance(definition, MetricLDP)
    assert [str(definition.bound(*pair)) for pair in ((0, 1), (10, 15), (399, 0))] == ["2/5", "2", "798/5"]
    plan = Plan.of(survey, 1000)
    assert plan.document.attributes["x"].protect.metric.per == "5"
    assert len(plan.bytes) < 2000


def test_categories_that_are_numbers_need_not_be_in_order(tables):
    definition = promised(tables, {"categories": ["30", "20", "100"]}, {"per": 10})
    assert [str(definition.bound(*pair)) for pair in ((0, 1), (0, 2), (1, 2))] == ["1", "7", "8"]


@pytest.mark.parametrize(("per", "kilometres"), [("100 km", 100), ("50 miles", 80.4672), ("250000m", 250)])
def test_two_cells_are_told_apart_by_no_more_than_their_distance_over_the_earth_allows(tables, per, kilometres):
    definition = promised(tables, MAP, {"per": per})
    distances, _, _ = apart(Grid(**EDGES))
    told = np.array([[definition.bound(x, y).ceil() if x != y else 0 for y in range(24)] for x in range(24)])
    assert (told <= distances / kilometres).all()
    assert (told / np.where(distances > 0, distances / kilometres, 1)).max() > 0.9999


@pytest.mark.parametrize("metric", [{"per": "100 km"}, {"tree": BELOW}, {"per": "100 km", "epsilon": "1/2"}])
def test_epsilon_may_stand_in_either_table(tables, metric):
    attribute = MAP if "per" in metric else NAMED
    rest = {name: value for name, value in metric.items() if name != "epsilon"}
    inside = attribute | {"protect": {"metric": {**rest, "epsilon": "1/2"}}}
    beside = attribute | {"protect": {"metric": rest, "epsilon": "1/2"}}
    inner, outer = (Survey.read(tables({"x": table}, None)).definition("x") for table in (inside, beside))
    assert inner == outer
    assert inner.epsilon != promised(tables, attribute, rest).epsilon


def test_names_that_are_nobodys_value_only_lengthen_the_way(tables):
    definition = promised(tables, NAMED, {"tree": BELOW, "lengths": {"food": 3, "tea": "1/2"}}, "2")
    assert isinstance(definition, PairwiseLDP)
    # tea -1/2- drink -1- all -3- food -1- bread, apple; drink -1- water.
    expected = {(0, 1): "3", (2, 3): "4", (0, 2): "11", (1, 3): "12"}
    assert {pair: str(definition.bound(*pair)) for pair in expected} == expected
    assert not definition.lowered_pairs


def test_names_that_are_all_categories_are_a_tree_of_edges(tables):
    definition = promised(tables, GENERAL, {"tree": OWN, "lengths": {"food": 2}}, "ln 3")
    assert isinstance(definition, MetricLDP)
    expected = {(0, 1): "ln 3", (1, 2): "ln 3", (2, 3): "ln 9", (2, 4): "ln 81", (0, 4): "ln 9"}
    assert {pair: str(definition.bound(*pair)) for pair in expected} == expected


FROZEN = {
    "map": ({"grid": EDGES | {"rows": 33, "columns": 34}}, {"per": "200 km"}),
    "names": (NAMED, {"tree": BELOW, "lengths": {"tea": 2}}),
    "categories": (GENERAL, {"tree": OWN}),
}


@pytest.mark.parametrize(("attribute", "metric"), FROZEN.values(), ids=FROZEN)
def test_a_plan_promises_the_same_after_it_was_read_again(tables, tmp_path, attribute, metric):
    survey = Survey.read(tables({"x": attribute | {"protect": {"metric": metric}}}, "1"))
    plan = Plan.of(survey, 1000)
    plan.save(tmp_path / "plan.json")
    loaded = Plan.load(tmp_path / "plan.json")
    assert loaded.bytes == plan.bytes
    assert loaded.questions[0].definition == survey.definition("x")
    assert loaded.certificate.holds


MANY = [str(i) for i in range(300)]
MISTAKES = {
    # maps
    "a number without a unit": (MAP, {"per": 10}, ["must have a unit", "10 without one", '"10 km"']),
    "a unit without a number": (MAP, {"per": "km"}, ["a number and a unit", "a unit without a number", '"10 km"']),
    "an unknown unit": (MAP, {"per": "10 kms"}, ["km, m, miles", "'10 kms' (did you mean 'km'"]),
    "a text as number": (MAP, {"per": "10"}, ["a number and a unit", "'10'", '"10 km"']),
    "two numbers": (MAP, {"per": "10 20 km"}, ["must be a distance", "'10 20 km'"]),
    "no distance": (MAP, {"per": "far"}, ["must be a distance", "'far'"]),
    "a distance of 0": (MAP, {"per": "0 km"}, ["above 0", "'0 km'"]),
    "a negative distance": (MAP, {"per": "-5 km"}, ["above 0", "'-5 km'"]),
    "truth": (MAP, {"per": True}, ["must be a distance", "True"]),
    "a tree over a map": (MAP, {"tree": BELOW}, ["for categories", "a grid", '"10 km"']),
    "cells that are points": (
        {"grid": EDGES | {"north": 40.00001}},
        {"per": "1 m"},
        ["at least a metre apart", "larger cells"],
    ),
    # numbers
    "kilometres between numbers": (
        {"categories": 9},
        {"per": "5 km"},
        ["must be a number", "'5 km'", "leave the unit"],
    ),
    "a line beyond all": ({"categories": 10_001}, {"per": 5}, ["at most 10000", "10001", "blocks"]),
    "positions beyond all": ({"categories": 10_001}, [*range(10_001)], ["at most 10000", "10001", "blocks"]),
    "a tree beyond all": ({"categories": 10_001}, {"tree": {"0": ["1"]}}, ["at most 10000", "10001", "blocks"]),
    "equal numbers": ({"categories": ["1", "1.0", "2"]}, {"per": 1}, ["above 0", "the values 0 and 1", "merge"]),
    # trees
    "no table": (NAMED, {"tree": ["tea"]}, ["must be a table", "['tea']", "drink"]),
    "an empty tree": (NAMED, {"tree": {}}, ["must be a table", "{}"]),
    "a name for a list": (NAMED, {"tree": BELOW | {"drink": "tea"}}, ["must be a table"]),
    "two roots": (
        NAMED,
        {"tree": {name: BELOW[name] for name in ("drink", "food")}},
        ["one root", "2: 'drink', 'food'", "one name above them", "blocks"],
    ),
    "a circle": (
        NAMED,
        {"tree": {"drink": ["tea", "food"], "food": ["bread", "drink"], "all": ["water", "apple"]}},
        ["below itself", "a circle of 'drink', 'food'"],
    ),
    "nothing but a circle": (GENERAL, {"tree": {**OWN, "tea": ["any"]}}, ["below itself", "'any', 'drink', 'tea'"]),
    "two parents": (
        NAMED,
        {"tree": BELOW | {"food": ["bread", "apple", "tea"]}},
        ["below one other", "'tea' more than"],
    ),
    "a category missing": (NAMED, {"tree": BELOW | {"food": ["bread"]}}, ["all categories", "'apple' nowhere"]),
    "an unknown name": (
        NAMED,
        {"tree": BELOW | {"food": ["bread", "apple", "aple"]}},
        ["must be a category", "'aple' (did you mean 'apple'"],
    ),
    "a length of 0": (NAMED, {"tree": BELOW, "lengths": {"tea": 0}}, ["above 0", "that of 'tea'", "merge"]),
    "a negative length": (NAMED, {"tree": BELOW, "lengths": {"food": "-1"}}, ["above 0", "that of 'food'"]),
    "an infinite length": (NAMED, {"tree": BELOW, "lengths": {"tea": "inf"}}, ["must be a number", "'inf'"]),
    "the root's length": (NAMED, {"tree": BELOW, "lengths": {"all": 2}}, ["stands below another", "'all'"]),
    "an unknown length": (NAMED, {"tree": BELOW, "lengths": {"te": 2}}, ["below another", "did you mean 'tea'"]),
    "no lengths": (NAMED, {"tree": BELOW, "lengths": 3}, ["lengths of a tree must be a table", "3"]),
    "lengths alone": (NAMED, {"lengths": {"tea": 2}}, ["must have `per`, or a tree", "lengths"]),
    "too many names": (
        {"categories": MANY},
        {"tree": {"all": MANY}},
        ["more than 256 categories", "300 categories, and 1 names", "make these names categories"],
    ),
    # epsilons
    "two epsilons": (NAMED, {"tree": BELOW, "epsilon": "1"}, ["one epsilon", "leave one out"]),
}


@in_one("attribute, metric, words", MISTAKES.values())
def test_a_mistake_is_named_with_the_door_to_take(tables, attribute, metric, words):
    own = {"epsilon": "2"} if "epsilon" in metric else {}
    with pytest.raises(SordinoErrors) as caught:
        Survey.read(tables({"x": attribute | {"protect": {"metric": metric, **own}}}))
    (found,) = map(str, caught.value.errors)
    assert found.startswith("attribute.x")
    assert [word for word in words if word not in found] == []


def test_all_mistakes_of_a_tree_are_told_at_once(tables):
    tree = {"drink": ["tea", "te"], "food": ["bread", "tea"], "a": ["b"], "b": ["a"]}
    with pytest.raises(SordinoErrors) as caught:
        Survey.read(tables({"x": NAMED | {"protect": {"metric": {"tree": tree, "lengths": {"food": 1, "tea": -1}}}}}))
    text = str(caught.value)
    for words in (
        "'tea' more than once",
        "'te'",
        "'water', 'apple' nowhere",
        "circle of 'a', 'b'",
        "2: 'drink', 'food'",
    ):
        assert words in text
    assert "of 'tea'" in text
    assert len(caught.value.errors) == 7


def test_what_an_epsilon_with_a_logarithm_cannot_be_multiplied_by_is_told_by_the_survey(tables):
    with pytest.raises(SordinoErrors, match="whole distances"):
        promised(tables, {"categories": 9}, {"per": 2}, "ln 3")
    assert promised(tables, {"categories": 9}, {"per": 0.5}, "ln 3").bound(0, 1) == Nats.of("ln 9")


def test_a_map_of_one_cell_has_nothing_to_ask(tables):
    cell = {"south": 0, "north": 1, "west": 0, "east": 1, "rows": 1, "columns": 1}
    with pytest.raises(SordinoErrors, match="at least two values; found 1"):
        Survey.read(tables({"x": {"grid": cell, "protect": {"metric": {"per": "1 km"}}}}))
