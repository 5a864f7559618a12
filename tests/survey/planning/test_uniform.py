"""What a plan is compared with: the best way to ask the same under uniform LDP, whatever kind of question it is."""

import numpy as np
import pytest

from sordino import Plan, Survey
from sordino.survey.kinds.numbers.numbers_forecast import NumbersForecast
from sordino.survey.kinds.shares.shares_forecast import SharesForecast
from sordino.survey.planning.forecast import forecasts

FIVE = {"categories": ["a", "b", "c", "d", "e"]}
NUMBER = {"number": {"low": 0, "high": 8, "bins": 64}}
FEW = {"number": {"low": 0, "high": 4, "bins": 8}}
SPIKES = {"number": {"low": 0, "high": 8, "bins": 64, "spikes": True}}
LACKING = {**NUMBER, "missing": "0.1"}
RANGES, QUANTILES = {"ranges": [[0, 1], [1, 4]]}, {"quantiles": [0.5]}

UNIFORM = {
    "histogram": ({"x": FIVE}, {"histogram": "x"}),
    "table": ({"x": FIVE, "y": FIVE}, {"table": ["x", "y"]}),
    "beside numbers": ({"x": FIVE, "y": NUMBER}, {"histogram": "x"}, {"mean": ["y"]}),
    "mean": ({"x": NUMBER, "y": NUMBER, "z": NUMBER}, {"mean": ["x", "y"]}, {"mean": ["z"]}),
    "mean of some": ({"x": LACKING, "y": NUMBER}, {"mean": ["x", "y"]}),
    "covariance": ({"x": NUMBER, "y": NUMBER}, {"covariance": ["x", "y"]}),
    "regression": ({"x": NUMBER, "y": NUMBER}, {"regression": {"target": "y", "features": ["x"]}}),
    "regression on categories": ({"x": FIVE, "y": NUMBER}, {"regression": {"target": "y", "features": ["x"]}}),
} | {
    f"distribution {about} {sorted(more)}": ({"x": attribute}, {"distribution": "x", **more})
    for about, attribute in {"smooth": NUMBER, "few": FEW, "spikes": SPIKES, "lacking": LACKING}.items()
    for more in ({}, RANGES, QUANTILES, RANGES | QUANTILES)
}


def planned(attributes, *asks, epsilon="1", **more):
    survey = {"version": 1, "epsilon": epsilon, "attribute": attributes, "ask": list(asks)}
    return Plan.of(Survey.read(survey | more), 10_000)


def errors(found):
    if isinstance(found, NumbersForecast | SharesForecast):
        return [np.atleast_1d(each.stderr) for each in (found.plan, found.uniform)]
    return [np.array([each.typical, each.largest, *each.ranges]) for each in (found.plan, found.uniform)]


@pytest.mark.each_value
@pytest.mark.parametrize("name", UNIFORM)
@pytest.mark.parametrize("epsilon", ["1/2", "4"])
def test_where_the_promise_is_uniform_the_plan_is_as_good_as_the_uniform_one(name, epsilon):
    for found in forecasts(planned(*UNIFORM[name], epsilon=epsilon)):
        own, uniform = errors(found)
        assert own == pytest.approx(uniform, rel=1e-6)


@pytest.mark.each_value
@pytest.mark.parametrize("more", [{}, RANGES, QUANTILES, RANGES | QUANTILES])
@pytest.mark.parametrize("attribute", [NUMBER, FEW, SPIKES])
@pytest.mark.parametrize("bounds", [{"rest": 0.2}, {"rest": {"s": 0.5}, "thresholds": {"x": 0.05}}])
def test_where_it_is_weaker_the_uniform_one_is_never_better_at_what_is_asked(more, attribute, bounds):
    attributes = {"x": attribute, "s": {"categories": ["yes", "no"], "delta": "1/2"}}
    asks = [{"distribution": "x", **more}]
    (found,) = forecasts(planned(attributes, *asks, epsilon="2", dependence=bounds))

    def noise(one):
        return sum(error**2 for error in one.ranges) + (not one.ranges or "quantiles" in more) * one.typical**2

    assert noise(found.plan) <= noise(found.uniform) * (1 + 1e-6)
