"""A share above a threshold: what is at it counts as above, one bit keeps the promise, the estimate is unbiased."""

import numpy as np
import pyarrow as pa
import pytest

from in_one import in_one
from sordino import (
    KeyedSource,
    Nats,
    Plan,
    SordinoError,
    SordinoErrors,
    Survey,
    aggregate,
    certify,
    estimate,
    explain,
    plan,
    privatize,
)

AGE = {"number": {"low": 0, "high": 100}}


def survey(threshold=65, epsilon="2", **age):
    asked = {"above": "age", "threshold": threshold}
    attributes = {"age": AGE | age, "smoker": {"categories": ["yes", "no"], "delta": "1"}}
    return {"version": 1, "epsilon": epsilon, "attribute": attributes, "ask": [asked]}


def test_what_is_at_the_threshold_lies_above():
    (question,) = plan(survey(), 1000).questions
    ages = np.array([0, 64.999, 65, 65.001, 100])
    assert question.query.statistic.bins.locate(question.column({"age": ages})).tolist() == [0, 0, 1, 1, 1]
    assert [question.domain.label(side) for side in range(2)] == ["below 65", "65 and above"]


def test_a_report_is_one_bit_that_keeps_every_delta():
    # Of the other attribute a report tells as much as of the number itself: the odds e^1, and nothing declares less.
    frozen = plan(survey(), 1000)
    (question,) = frozen.questions
    weights = [[question.mechanism.weight(side, code) for code in range(2)] for side in range(2)]
    odds = max(weights[0][code] / weights[1][code] for code in range(2))
    assert frozen.sampled.code_bits == 1
    assert odds == pytest.approx(np.e, rel=1e-12)
    assert odds <= np.e
    assert certify(frozen).holds
    reached = dict(zip(frozen.promise.names, frozen.promise.losses, strict=True))
    assert reached["age"] <= Nats.of(1)
    assert reached["smoker"] <= Nats.of(1)


def test_a_bound_for_all_others_allows_more_and_one_for_thresholds_does_not():
    """Bounds on a distribution function are about edges of bins, which a threshold need not be."""
    bounded = survey() | {"dependence": {"rest": 0.5}}
    (more,) = plan(bounded, 1000).questions
    assert float(more.definition.epsilon.floor()) == pytest.approx(np.log(1 + (np.e - 1) / 0.5), rel=1e-9)
    curve = {"distribution": "age"}
    both = survey(number={"low": 0, "high": 100, "bins": 10}) | {"dependence": {"thresholds": {"age": 0.1}}}
    _, same = plan(both | {"ask": [curve, *both["ask"]]}, 1000).questions
    assert same.definition.epsilon == Nats.of(1)
    ((answer,),) = same.types
    assert (answer.linear, answer.pieces) == (False, 0)


def test_its_estimate_is_right_on_average():
    frozen, ages = plan(survey(epsilon="8"), 20_000), np.linspace(0, 100, 20_000)
    people = pa.table({"age": ages, "smoker": ["yes"] * 20_000, "id": np.arange(20_000)})
    found = []
    for task in range(30):
        released = privatize(frozen, people, KeyedSource(bytes(32), f"run {task}"), id_column="id")
        (result,) = estimate(frozen, aggregate(frozen, released)).results
        found.append([row["estimate"] for row in result.rows()])
    (row, other) = result.rows()
    off = (np.mean(found, axis=0) - [np.mean(ages < 65), np.mean(ages >= 65)]) / row["stderr"] * np.sqrt(30)
    assert np.abs(off).max() < 5
    assert np.std(found, axis=0)[0] == pytest.approx(row["stderr"], rel=0.5)
    assert (row["value"], other["value"]) == ("below 65", "65 and above")


def test_several_thresholds_of_one_number_stand_apart():
    asks = [{"above": "age", "threshold": 18}, {"above": "age", "threshold": 65}, {"mean": "age"}]
    frozen = plan(survey() | {"ask": asks}, 3000)
    assert [question.name for question in frozen.questions] == ["age from 18", "age from 65", "mean of age"]
    ids = np.arange(3000)
    people = pa.table({"age": np.linspace(0, 100, 3000), "smoker": ["no"] * 3000, "id": ids})
    released = privatize(frozen, people, KeyedSource(bytes(32), "t"), id_column="id")
    found = estimate(frozen, aggregate(frozen, released))
    assert "pooled" not in found.views
    keys = [one.key for result in found.results for one in result.quantities()]
    assert len(set(keys)) == 3
    assert any("whether it is 65 or above" in line for line in explain(frozen))


@in_one(
    ("given", "below"),
    [
        ({"mean": 65, "sd": 20}, 0.47),
        ([0.2, 0.2, 0.2, 0.4], 0.52),
        (None, None),
    ],
)
def test_what_a_survey_expects_of_the_number_is_expected_of_its_sides(given, below):
    number = {"low": 0, "high": 100, "bins": 4}
    (question,) = plan(
        survey(number=number) if given is None else survey(number=number, expected=given), 1000
    ).questions
    if below is None:
        assert question.expected_people is None
    else:
        assert question.expected_people[0] == pytest.approx(below, abs=0.01)


@in_one(
    ("change", "rule"),
    [
        ({"threshold": 0}, "ask.0.threshold must lie within the range"),
        ({"threshold": 100}, "ask.0.threshold must lie within the range"),
        ({"threshold": float("nan")}, "ask.0.threshold must lie within the range"),
        ({"threshold": True}, "ask.0.threshold must be a number"),
        ({"missing": 0.1}, "ask.0.above must be a number that everybody has"),
    ],
)
def test_what_is_no_threshold_of_the_number_is_refused(change, rule):
    with pytest.raises(SordinoErrors) as refused:
        Survey.read(survey(**change))
    assert any(error.rule.startswith(rule) for error in refused.value.errors), str(refused.value)


@in_one(
    ("ask", "words"),
    [
        ({"above": "age"}, "a question above a threshold must have one"),
        ({"mean": "age", "threshold": 3}, "threshold must stand beside above"),
        ({"above": "smoker", "threshold": 3}, "ask.0.above must be about numbers"),
    ],
)
def test_a_question_that_is_none_is_refused(ask, words):
    with pytest.raises(SordinoErrors, match=words):
        Survey.read(survey() | {"ask": [ask]})


def test_a_threshold_is_asked_once():
    twice = survey() | {"ask": [{"above": "age", "threshold": 65}] * 2}
    with pytest.raises(SordinoErrors, match="must be asked once; found 65 again"):
        Survey.read(twice)


@in_one("threshold", [0, -3.5, 100, 1e300])
def test_a_plan_with_a_threshold_outside_the_range_is_refused(threshold):
    document = Plan.of(Survey.read(survey()), 1000).document
    part = document.queries[0].replace(threshold=float(threshold))
    with pytest.raises(SordinoError, match="within the number's range"):
        Plan.of(Survey.read(survey()), 1000).kinds[0].check_part(part, document.attributes, has_deltas=True)


def test_numbers_beyond_the_ends_are_clipped_where_that_was_asked_for():
    number = {"low": 0, "high": 100, "clip": True}
    (question,) = plan(survey(number=number), 1000).questions
    assert question.column({"age": np.array([-7, 65, 1e9])}).tolist() == [0, 65, 100]
