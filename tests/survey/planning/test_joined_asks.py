"""A survey whose histograms are asked together: what is joined, what never is, and what the plan says of it."""

import json
from datetime import date
from fractions import Fraction
from itertools import product
from math import sqrt

import numpy as np
import pytest

from sordino import Survey, explain, forecast, plan
from sordino.document.formats import PLAN
from sordino.document.sealed import sealed_bytes
from sordino.errors import SordinoError
from sordino.survey.planning.plan import Plan

YES_NO = {"categories": ["yes", "no"]}
PLACE = {"south": 0, "north": 1, "west": 0, "east": 1}
NAMES = ("smoker", "vegan", "cyclist", "tenant", "parent")
PEOPLE = 10_000


def survey(names=NAMES, *, epsilon="4", together=True, asks=None, **attributes):
    tables = dict.fromkeys(names, YES_NO) | attributes
    said = {} if together is None else {"together": together}
    questions = [{"histogram": name} for name in names] if asks is None else asks
    return {"version": 1, "epsilon": epsilon, **said, "attribute": tables, "ask": questions}


def tables_of(frozen):
    return [part.names for part in frozen.document.queries if part.joined_names]


@pytest.mark.parametrize("given", [survey(), survey(epsilon="3"), survey(("a", "b", "c", "d"), epsilon="2")])
def test_each_histogram_stands_in_equally_many_tables_of_the_same_people(given):
    frozen = plan(given, people=PEOPLE)
    tables = tables_of(frozen)
    assert len(tables) == len(frozen.document.queries)
    weights = {name: sum(q.weight for q in frozen.document.queries if name in q.names) for name in given["attribute"]}
    assert len(set(weights.values())) == 1
    assert sum(part.weight for part in frozen.document.queries) == len(given["ask"])


def test_other_questions_keep_their_people_and_their_place():
    asks = [{"histogram": "smoker"}, {"table": ["age", "sex"], "weight": 3}, *({"histogram": n} for n in NAMES[1:])]
    given = survey(asks=asks, age={"categories": 4}, sex=YES_NO)
    apart, joined = plan(given | {"together": False}, people=PEOPLE), plan(given, people=PEOPLE)
    share = {question.name: question.share for question in joined.questions}
    assert share["age, sex"] == next(one.share for one in apart.questions if one.name == "age, sex")
    assert [question.is_joined for question in joined.questions].count(False) == 1
    assert set().union(*tables_of(joined)) == set(NAMES)


@pytest.mark.parametrize(("epsilon", "most"), [("3", 0.0093), ("4", 0.0074), ("6", 0.0056)])
def test_forecasts_are_of_the_histograms_that_were_asked(epsilon, most):
    found = forecast(plan(survey(epsilon=epsilon), people=PEOPLE))
    rows = found.to_arrow().to_pylist()
    assert [row["quantity"] for row in rows] == [f"share of {name}" for name in NAMES]
    assert all(row["stderr"] <= most for row in rows)
    alone = forecast(plan(survey(epsilon=epsilon, together=False), people=PEOPLE)).to_arrow().to_pylist()
    gain = found.forecasts[0].gain
    assert rows[0]["stderr"] * sqrt(gain) == pytest.approx(alone[0]["stderr"], rel=1e-3)


def test_a_forecast_is_the_variance_of_the_pooled_shares():
    """The sum over tables, by every code of every cell of the plan's own integers."""
    share = dict(zip(NAMES, (0.2, 0.05, 0.5, 0.45, 0.7), strict=True))
    given = survey(**{name: {**YES_NO, "expected": [p, 1 - p]} for name, p in share.items()})
    frozen = plan(given, people=PEOPLE)
    found = {one.question.name: one for one in forecast(frozen).forecasts}
    for name, p in share.items():
        precision = 0.0
        for question in frozen.questions:
            if name not in question.attribute_names:
                continue
            chances = [[share[one], 1 - share[one]] for one in question.attribute_names]
            cells = np.array([np.prod(row) for row in product(*chances)])
            rows = question.mechanism.probabilities()
            at = question.attribute_names.index(name)
            inside = np.array([cell[at] == 0 for cell in np.ndindex(question.shape)], dtype=float)
            left = (rows / rows.mean(axis=0)).T @ np.linalg.pinv((rows / rows.mean(axis=0)) @ rows.T)
            weights = left @ inside
            precision += question.people / ((cells @ rows) @ weights**2 - p**2)
        assert found[name].variance[0] == pytest.approx(1 / precision, rel=1e-6)


def test_fewer_people_are_enough_for_an_accuracy_and_a_smaller_epsilon_for_so_many():
    joined, apart = (plan(survey(together=way), accuracy=0.02).people for way in (True, False))
    assert joined < 0.4 * apart
    open_survey = {key: own for key, own in survey().items() if key != "epsilon"}
    found = [plan(open_survey | {"together": way}, people=20_000, accuracy=0.02) for way in (True, False)]
    levels = [Fraction(one.document.attributes["smoker"].protect.epsilon) for one in found]
    assert levels[0] < levels[1]


@pytest.mark.parametrize("together", [None, False])
def test_by_default_and_where_the_survey_says_so_each_is_asked_by_itself(together):
    frozen = plan(survey(together=together), people=PEOPLE)
    assert [part.names for part in frozen.document.queries] == [(name,) for name in NAMES]
    assert frozen.bytes == plan(survey(together=None), people=PEOPLE).bytes
    assert b"together" not in frozen.bytes


TWO = [{"histogram": "a"}, {"histogram": "b"}]
NEVER = {
    "too small an epsilon": survey(epsilon="1.2"),
    "deltas": survey(("a", "b"), a={**YES_NO, "delta": "4"}),
    "numbers": survey(("a", "b"), n={"number": {"low": 0, "high": 9}}, asks=[*TWO, {"mean": ["n"]}]),
    "one that decides": survey(("a", "b"), b={**YES_NO, "only_if": {"a": "yes"}}),
    "different epsilons": survey(("a", "b"), b={**YES_NO, "protect": {"epsilon": "3"}}),
    "different weights": survey(("a", "b"), asks=[{"histogram": "a"}, {"histogram": "b", "weight": 2}]),
    "sensitive values": survey(("a", "b"), b={**YES_NO, "protect": {"sensitive": ["yes"]}}),
    "blocks": survey(("a", "b"), b={"categories": 4, "protect": {"blocks": [[0, 1], [2, 3]]}}),
    "a map": survey(("a", "b"), b={"grid": {**PLACE, "rows": 1, "columns": 2}}),
    "one that another question asks": survey(("a", "b"), asks=[*TWO, {"table": ["b", "c"]}], c=YES_NO),
    "several": survey(("a", "b"), asks=[TWO[0], {"several": "b"}], b={"categories": ["x", "y", "z"], "several": 2}),
    "a series": survey(("a", "b")) | {"series": {"periods": 4, "every": "week", "start": date(2026, 1, 5)}},
    "only one": survey(("a",)),
    "a name that is taken": survey(("a", "b", "a, b"), asks=[*TWO, {"histogram": "a, b", "weight": 2}]),
}


@pytest.mark.parametrize("why", NEVER)
def test_what_is_never_joined(why):
    frozen, apart = (plan(NEVER[why] | {"together": way}, people=PEOPLE) for way in (True, False))
    assert frozen.bytes == apart.bytes


def test_weights_and_epsilons_are_joined_each_among_themselves():
    own = {"protect": {"epsilon": "3"}, **YES_NO}
    frozen = plan(survey(("a", "b", "c", "d"), c=own, d=own), people=PEOPLE)
    assert {frozenset(names) for names in tables_of(frozen)} == {frozenset("ab"), frozenset("cd")}
    assert [str(question.definition.epsilon) for question in frozen.questions] == ["4", "3"]


def test_a_report_says_that_it_is_about_all_attributes_of_a_table():
    assert "about all of them at once" in str(explain(plan(survey(), people=PEOPLE)))


def resealed(frozen, change):
    content = json.loads(frozen.bytes)
    del content["hash"]
    change(content["queries"])
    return sealed_bytes(PLAN.seal(content)).decode() + "\n"


def test_a_plan_that_says_other_than_true_or_asks_a_joined_attribute_again_is_refused():
    frozen = plan(survey(), people=PEOPLE)
    assert Plan.of_text(resealed(frozen, lambda _: None), "it").hash == frozen.hash
    with pytest.raises(SordinoError, match="say true"):
        Plan.of_text(resealed(frozen, lambda queries: queries[0].update(together=False)), "it")
    with pytest.raises(SordinoError, match="must not be asked otherwise"):
        Plan.of_text(resealed(frozen, lambda queries: queries[0].pop("together")), "it")


def test_a_table_of_deltas_or_of_numbers_stands_in_place_of_no_histograms():
    deltas = survey(("a", "b"), asks=[{"table": ["a", "b"]}], a={**YES_NO, "delta": "2"})
    number = {"number": {"low": 0, "high": 9, "bins": 3}, "protect": {"epsilon": "4"}}
    bins = survey(("a",), asks=[{"table": ["a", "n"]}], n=number)
    for given, found in ((deltas, "deltas"), (bins, "a number")):
        with pytest.raises(SordinoError, match=f"found {found}"):
            Plan.of_text(resealed(plan(given, people=PEOPLE), lambda queries: queries[0].update(together=True)), "it")


def test_a_survey_reads_the_setting():
    assert Survey.read(survey()).together is True
    with pytest.raises(SordinoError, match="together"):
        Survey.read(survey(together="yes"))
