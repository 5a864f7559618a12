"""What is said of an attribute by distances two values of which a report tells apart: the pair, by all pairs."""

from itertools import permutations
from math import exp, log

import pytest

from sordino import Nats, forecast, plan
from sordino.survey.schema.promise import definition_of
from sordino.words.explain_plan import FAR, distance_warnings
from sordino.words.odds import factor

pytestmark = [
    pytest.mark.filterwarnings("ignore:x. a report may change the odds"),
    # That each of two attributes is asked by itself is said of all.
    pytest.mark.filterwarnings("ignore:.* asks of each by itself:sordino.SordinoWarning"),
]

TREE = {"drink": ["a", "b"], "food": ["c"], "all": ["drink", "food", "d"]}
GRID = {"south": 50, "north": 51, "west": 8, "east": 9, "rows": 3, "columns": 4}
METRICS = {
    "positions": ({"categories": [*"abcd"]}, [0, 1, 2.5, 7]),
    "numbers": ({"categories": [0, 10, 20, 70]}, {"per": 10}),
    "tree": ({"categories": [*"abcd"]}, {"tree": TREE, "lengths": {"drink": 3, "c": 2}}),
    "categories alone": ({"categories": ["a", "b", "all"]}, {"tree": {"all": ["a", "b"]}, "lengths": {"a": 6}}),
    "map": ({"grid": GRID}, {"per": "10 km"}),
}


def planned(kind, epsilon="1", own_epsilon=None):
    domain, metric = METRICS[kind]
    protect = {"metric": metric} | ({} if own_epsilon is None else {"epsilon": own_epsilon})
    own = {"x": {**domain, "protect": protect}, "y": {"categories": ["yes", "no"]}}
    asked = {"version": 1, "epsilon": epsilon, "attribute": own, "ask": [{"histogram": ["x", "y"]}]}
    return plan(asked, 5000)


@pytest.mark.parametrize("kind", METRICS)
@pytest.mark.parametrize("epsilon", ["1", "3/2"])
def test_the_pair_furthest_apart_is_named_and_the_line_that_mends_it_does(kind, epsilon):
    made = planned(kind, epsilon)
    domain, definition = made.attributes["x"].domain, definition_of_x(made)
    pairs = list(permutations(range(domain.k), 2))
    most = max(definition.bound(*pair) for pair in pairs)
    assert most > FAR
    ends = [{domain.label(one), domain.label(other)} for one, other in pairs if definition.bound(one, other) == most]
    (said,) = distance_warnings(made)
    assert said.startswith("x: a report may change the odds between ")
    assert any(all(repr(label) in said for label in pair) for pair in ends)
    assert f"up to {factor(most)}:" in said
    lower = said.split('epsilon = "')[1].split('"')[0]
    again = planned(kind, epsilon, lower)
    assert not list(distance_warnings(again))
    assert definition_of_x(again).epsilon <= Nats.of(epsilon)
    assert said in forecast(made).warnings
    assert said in forecast(made).grouped_warnings()


def definition_of_x(made):
    return definition_of(made.attributes["x"].domain, made.document.attributes["x"].protect)


def test_where_a_doubt_is_left_nothing_is_said():
    """Ten per cent become at most 94: from 5 nats on it is said."""
    assert 0.94 < 0.1 * exp(FAR) / (0.1 * exp(FAR) + 0.9) < 0.95
    assert not list(distance_warnings(planned("positions", "0.7")))
    assert list(distance_warnings(planned("positions", "0.72")))


def test_a_logarithm_is_not_divided():
    own = {"x": {"categories": 9, "protect": {"metric": {"per": 1}}}}
    made = plan({"version": 1, "epsilon": "ln 3", "attribute": own, "ask": [{"histogram": "x"}]}, 5000)
    (said,) = distance_warnings(made)
    assert 8 * log(3) > FAR
    assert "up to 6,561:" in said
    assert "Divide its distances by 8: then" in said
    assert "beside metric" not in said
