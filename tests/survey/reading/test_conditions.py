"""Conditions of a survey: what they may name, and that no promise is broken by what they make certain."""

import json

import pytest

from golden_people import sealed
from in_one import in_one
from sordino import Plan, SordinoError, SordinoErrors, Survey, dependence, plan

GRID = {"south": 0, "north": 1, "west": 0, "east": 1, "rows": 2, "columns": 2}
YES = {"categories": ["yes", "no"]}
PACKS = {"categories": ["1", "2"], "only_if": {"smoker": "yes"}}


def survey(packs=(), smoker=(), ask=({"histogram": "packs"},), **more):
    attributes = {"smoker": YES | dict(smoker), "packs": PACKS | dict(packs)}
    return {"version": 1, "epsilon": "1", "attribute": attributes | more.pop("attribute", {}), "ask": [*ask], **more}


@in_one(
    ("packs", "rule"),
    [
        ({"only_if": {}}, "must name attributes, each with one of its categories"),
        ({"only_if": "smoker"}, "must name attributes, each with one of its categories"),
        ({"only_if": {"smoker": []}}, "must name attributes, each with one of its categories"),
        ({"only_if": {"smoker": 1}}, "must name attributes, each with one of its categories"),
        ({"only_if": {"smoker": "maybe"}}, "must name categories of 'smoker'"),
        ({"only_if": {"drinker": "yes"}}, "'drinker', which is not there"),
        ({"only_if": {"packs": "1"}}, "must not lead back"),
        ({"categories": 3}, "must have names"),
        ({"not_asked": "1"}, "each category must be named once"),
        ({"protect": {"sensitive": ["1"]}}, "protected as a whole"),
        ({"protect": {"blocks": [["1", "2", "not asked"]]}}, "protected as a whole"),
        ({"protect": {"epsilon": "2"}}, "at least as well as attribute.smoker"),
        ({"missing": "3"}, "missing must name one of the categories"),
    ],
)
def test_conditions_that_mean_nothing_or_reveal_more_are_refused(packs, rule):
    with pytest.raises(SordinoErrors) as refused:
        Survey.read(survey(packs))
    assert rule in str(refused.value)


@in_one(
    ("changes", "rule"),
    [
        (
            {
                "attribute": {
                    "home": {
                        "grid": GRID,
                        "only_if": {"smoker": "yes"},
                    }
                }
            },
            "must be no map",
        ),
        (
            {"attribute": {"pay": {"number": {"low": 0, "high": 1}, "only_if": {"smoker": "yes"}}}},
            "`missing` must say of how many",
        ),
        ({"attribute": {"visits": {"categories": ["1", "2"], "not_asked": "none"}}}, "must stand beside only_if"),
        ({"smoker": {"categories": 2}}, "'smoker', which has none"),
        ({"smoker": {"several": 1}}, "'smoker', which has none"),
        ({"smoker": {"only_if": {"packs": "1"}}}, "must not lead back"),
        ({"smoker": {"protect": {"matrix": [["0", "1"], ["1", "0"]]}}}, "by distances or a matrix"),
        ({"dependence": {"rest": 0.5}}, "dependence.rest must be 1 for 'smoker'"),
        ({"dependence": {"rest": {"packs": 0.5}}}, "dependence.rest must be 1 for 'packs'"),
    ],
)
def test_what_goes_with_conditions_is_looked_at(changes, rule):
    with pytest.raises(SordinoErrors) as refused:
        Survey.read(survey(**changes))
    assert rule in str(refused.value)


def test_others_may_be_bounded():
    others = {"other": {"categories": ["a", "b"]}}
    asks = {"histogram": "packs"}, {"histogram": "other"}
    asked = survey(ask=asks, attribute=others, dependence={"rest": {"other": 0.5}})
    assert plan(asked, 1000).promise.holds


def test_less_is_promised_of_what_decides_by_blocks_or_as_sensitive_too():
    for protect in ({"sensitive": ["yes"]}, {"epsilon": "3"}):
        assert plan(
            survey(smoker={"protect": protect}, ask=({"histogram": "packs"}, {"histogram": "smoker"})), 1000
        ).certificate.holds
    with pytest.raises(SordinoErrors, match="at least as well"):
        Survey.read(survey(smoker={"protect": {"sensitive": ["yes"], "epsilon": "1/2"}}))


def test_a_sample_tells_nothing_of_what_is_not_asked_of_all():
    with pytest.raises(SordinoError, match="everybody is asked for one value"):
        dependence(survey(), {"smoker": ["yes"], "packs": ["1"]})


BOUNDS = {
    "rest": {"rest": {"smoker": "1/2", "packs": "1", "other": "1"}},
    "of what is asked": {"statistics": [{"attribute": "smoker", "statistic": ["packs"], "bound": "1/2"}]},
    "of another": {"statistics": [{"attribute": "other", "statistic": ["packs"], "bound": "1/2"}]},
}


@in_one("bound", [*BOUNDS])
def test_plans_that_bound_what_is_certain_are_refused(bound):
    asks = {"histogram": "packs"}, {"histogram": "other"}
    others = {"other": {"categories": ["a", "b"], "delta": "1/2"}}
    document = json.loads(plan(survey(ask=asks, attribute=others), 1000).bytes)
    whole = {"rest": dict.fromkeys(("smoker", "packs", "other"), "1"), "statistics": [], "ground": ["declared"]}
    assert Plan.of_text(sealed({**document, "dependence": whole}), "the plan")
    with pytest.raises(SordinoError, match="nothing bounds what others say"):
        Plan.of_text(sealed({**document, "dependence": whole | BOUNDS[bound]}), "the plan")


def changed(**changes):
    """The text of a plan, changed and sealed again."""
    frozen = plan(survey(), 1000)
    document = json.loads(frozen.bytes)
    for name, own in changes.items():
        document["attributes"][name].update(own)
    return sealed(document)


@in_one(
    "changes",
    [
        {"packs": {"only_if": {"smoker": ["maybe"]}}},
        {"packs": {"only_if": {"nobody": ["yes"]}}},
        {"packs": {"only_if": {"packs": ["1"]}}},
        {"packs": {"not_asked": "1"}},
        {"packs": {"not_asked": "other"}},
        {"packs": {"only_if": {}}},
        {"smoker": {"protect": {"epsilon": "1/2"}}},
        {"smoker": {"not_asked": "no"}},
        {"smoker": {"several": 1}},
        {"smoker": {"none": "neither"}},
    ],
)
def test_plans_with_other_conditions_are_refused(changes):
    assert Plan.of_text(changed(), "the plan")
    with pytest.raises(SordinoError):
        Plan.of_text(changed(**changes), "the plan")
