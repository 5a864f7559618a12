"""A promise by distances in its own unit: factors are never below what is promised, and name what is not protected."""

import re

import mpmath
import pytest

from sordino import Plan, Survey
from sordino.blocks.sentence import texts
from sordino.words.explain_plan import explanation
from sordino.words.explain_promise import explain

EDGES = {"south": 40, "north": 50, "west": 0, "east": 12, "rows": 34, "columns": 36}
TREE = {"all": ["a", "b"], "b": ["c", "d"]}
CASES = {
    "map": ({"grid": EDGES}, {"per": "10 km"}, "two 10 km apart", "two 20 km apart", 1),
    "miles": ({"grid": EDGES}, {"per": "0.5 miles"}, "two 0.5 miles apart", "two 1 miles apart", 1),
    "metres": ({"grid": EDGES}, {"per": "1500 m"}, "two 1,500 m apart", "two 3,000 m apart", 1),
    "numbers": ({"categories": 6}, {"per": 5}, "that differ by 5 by", "that differ by 10 by", 1),
    "thirds": ({"categories": 6}, {"per": "1/3"}, "that differ by 1/3 by", "that differ by 2/3 by", 1),
    "positions": (
        {"categories": 6},
        [0, 1, 3, *range(9, 12)],
        "positions differ by 1 by",
        "positions differ by 2 by",
        1,
    ),
    "tree": ({"categories": ["all", "a", "b", "c", "d"]}, {"tree": TREE}, "a step apart on", "2 steps apart on", 1),
    "hidden": ({"categories": ["a", "c", "d"]}, {"tree": TREE}, "2 steps apart on", "4 steps apart on", 2),
    "lengths": (
        {"categories": ["a", "c", "d"]},
        {"tree": TREE, "lengths": {"a": 2}},
        "a way of length 2 between",
        "a way of length 4 between",
        2,
    ),
}
NUMBER = r"([0-9.,e+]+?)"


PLANS = {}
"""Those that were made already."""


@pytest.fixture
def plan_of(tables):
    """The plan of a case at an epsilon."""

    def make(name, epsilon):
        if (name, epsilon) not in PLANS:
            attribute, metric, *_ = CASES[name]
            survey = Survey.read(tables({"x": attribute | {"protect": {"metric": metric}}}, epsilon))
            PLANS[name, epsilon] = Plan.of(survey, 1000)
        return PLANS[name, epsilon]

    return make


def require_just_above(said, exact):
    found = mpmath.mpf(said.replace(",", ""))
    assert exact <= found <= exact + max(mpmath.mpf("0.0101"), exact / 100 if exact > 10**6 else 0)


TOLD = [*((name, "1") for name in CASES), *((name, "ln 3") for name in CASES if name not in {"numbers", "thirds"})]
"""A logarithm is multiplied by whole distances only."""


@pytest.mark.first_cases(len(CASES) + 1)
@pytest.mark.parametrize(("name", "epsilon"), TOLD)
def test_factors_are_told_in_the_unit_of_the_distances(plan_of, name, epsilon):
    _, _, near, far, times = CASES[name]
    plan = plan_of(name, epsilon)
    (grows,) = [text for text in explain(plan) if text.startswith("The further apart")]
    assert grows.index(near) < grows.index(far)
    with mpmath.workdps(40):
        once = mpmath.mpf(3) if epsilon == "ln 3" else mpmath.e
        first, second = re.findall(rf"at most {NUMBER}(?:,| and)", grows.replace("by at most", "of at most") + " and")
        require_just_above(first, once**times)
        require_just_above(second, once ** (2 * times))


@pytest.mark.parametrize("name", CASES)
def test_what_is_far_apart_is_said_to_be_little_protected(plan_of, name):
    plan = plan_of(name, "1")
    (ends,) = [text for text in texts(explanation(plan).summary) if text.startswith("Far apart, little is protected")]
    said = re.search(rf"by a factor of up to {NUMBER}\.$", ends)[1]
    with mpmath.workdps(40):
        require_just_above(said, mpmath.exp(mpmath.mpf(plan.questions[0].definition.epsilon.ceil())) * (1 - 1e-9))


def test_the_size_of_a_cell_is_told_of_maps_only(plan_of):
    cells = [text for text in explain(plan_of("map", "1")) if "centres of their cells" in text]
    assert "a cell is 32.7 km from south to north and 23.9 to 28.3 km from west to east" in cells[0]
    assert not [text for text in explain(plan_of("tree", "1")) if "cells" in text]
