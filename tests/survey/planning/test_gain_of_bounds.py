"""What a bound would buy is said of attributes of which one can be declared."""

import tomllib

import pytest

from sordino import Survey
from sordino.survey.planning.gain_of_bounds import what_a_bound_buys
from surveys import planned

TWO = {"categories": ["yes", "no"], "delta": "1.5"}
NUMBER = {"number": {"low": 0, "high": 10}, "delta": "1.5", "missing": "0.5"}
ASKS = [{"histogram": name} for name in ("smoker", "diet", "vegan")] + [{"mean": ["packs"]}]


def survey(**changed):
    own = {"smoker": TWO, "diet": {**TWO, "delta": "0.5"}, "vegan": TWO, "packs": {**NUMBER, **changed}}
    return {"version": 1, "epsilon": "2", "attribute": own, "ask": ASKS}


@pytest.mark.parametrize(
    ("changed", "names"),
    [({}, None), ({"only_if": {"smoker": "yes"}}, ["diet", "vegan"])],
    ids=["all of them", "not of what decides whether another is asked"],
)
def test_what_is_proposed_can_be_declared(changed, names):
    asked = survey(**changed)
    said = what_a_bound_buys(Survey.read(asked), planned(asked))
    assert len(said) > 1
    rest = tomllib.loads("rest" + said[0].split("([dependence] rest")[1].split("),")[0])["rest"]
    assert rest == (0.1 if names is None else dict.fromkeys(names, 0.1))
    better = planned(asked | {"dependence": {"rest": rest}})
    gains = {line.split(":")[0] for line in said[1:]}
    assert gains
    for now, then in zip(planned(asked).questions, better.questions, strict=True):
        assert (now.name in gains) == (then.typical_error < 0.995 * now.typical_error)


def test_nothing_is_said_where_nothing_can_be_declared():
    own = {"smoker": TWO, "packs": {**NUMBER, "only_if": {"smoker": "yes"}}}
    asked = {"version": 1, "epsilon": "2", "attribute": own, "ask": [{"histogram": "smoker"}, {"mean": ["packs"]}]}
    assert what_a_bound_buys(Survey.read(asked), planned(asked)) == ()


def test_the_smallest_delta_costs_what_a_plan_with_the_next_one_has_less():
    asked = survey(delta="1")
    (first, *_) = what_a_bound_buys(Survey.read(asked), planned(asked))
    raised = survey(delta="1")
    raised["attribute"]["diet"] = TWO | {"delta": "1"}
    ratios = [
        then.typical_error / now.typical_error
        for now, then in zip(planned(asked).questions, planned(raised).questions, strict=True)
    ]
    expected = f"standard errors would be {min(ratios):.2g} to {max(ratios):.2g} times as large."
    assert (
        f"keeps the smallest delta, 0.5 nats of 'diet'. With the next smallest in place of it, 1 nat, {expected}"
        in first
    )


def test_equal_deltas_have_no_smallest_one():
    asked = survey()
    asked["attribute"]["diet"] = TWO
    assert what_a_bound_buys(Survey.read(asked), planned(asked)) == ()


@pytest.mark.parametrize("bound", ["0", "0.1"])
def test_nothing_is_said_of_one_delta_where_a_bound_is_declared(bound):
    asked = survey() | {"dependence": {"rest": bound}}
    assert what_a_bound_buys(Survey.read(asked), planned(asked)) == ()
