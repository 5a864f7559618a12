"""A distribution asked by bits about thresholds: where bounds on distribution functions are declared, only there."""

import json
import tomllib

import numpy as np
import pyarrow as pa
import pytest

from in_one import in_one
from sordino import KeyedSource, Plan, RefusedError, SordinoError, SordinoErrors, Survey, aggregate, estimate, privatize
from sordino.definition.sampling import sampling_deltas
from sordino.document.formats import PLAN
from sordino.survey.planning.plan_fields import unseal
from sordino.words.explain_plan import explanation

SURVEY = """\
version = 1
epsilon = "2"
[attribute.income]
number = { low = 0, high = 200, bins = 20 }
[attribute.disease]
categories = ["yes", "no"]
delta = "0.2"
[attribute.city]
categories = 5
delta = "2"
[dependence]
thresholds = { income = { disease = 0.1, city = 0.5 } }
[[ask]]
distribution = "income"
quantiles = [0.5]
"""
PEOPLE = 50_000


def read(*changes):
    text = SURVEY
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return Survey.read(tomllib.loads(text))


def planned(*changes):
    return Plan.of(read(*changes), PEOPLE)


def changed(plan, *, bounds=None, **parts):
    """The same plan with other words in its question or its dependence, sealed again."""
    document = json.loads(plan.bytes)
    document["queries"][0].update(parts)
    if bounds is not None:
        document["dependence"]["thresholds"] = bounds
    content = {name: part for name, part in document.items() if name not in {"format", "version", "hash"}}
    return Plan(unseal(PLAN.seal(content), "a plan"))


def level(plan):
    return float(plan.questions[0].definition.epsilon)


def test_a_bit_is_asked_at_the_level_that_the_bound_allows():
    plan = planned()
    (question,) = plan.questions
    assert question.cuts == 19
    assert level(plan) == pytest.approx(np.log1p(np.expm1(0.2) / 0.1), abs=1e-9)
    told = sampling_deltas(plan.promise.types, plan.promise.dependence)
    assert all(one <= delta for one, delta in zip(told, plan.promise.deltas, strict=True))
    # Without the bound all that a report could tell of income it might tell of the disease.
    assert level(planned(("disease = 0.1, ", ""))) == pytest.approx(0.2, abs=1e-9)
    # One number for all others is a bound given each of them.
    assert level(planned(("{ disease = 0.1, city = 0.5 }", "0.1"))) == pytest.approx(level(plan), abs=1e-9)


def test_the_window_is_taken_where_it_tells_the_function_better():
    # Both at the largest level that epsilon allows: there a window tells more.
    plan = planned(("disease = 0.1", "disease = 0.01"))
    assert plan.questions[0].cuts is None
    assert level(plan) == 2
    assert plan.promise.holds


def test_a_plan_whose_bound_is_too_large_for_its_level_is_refused():
    plan = planned()
    more = [
        {"attribute": "disease", "number": "income", "bound": "1/9"},
        {"attribute": "city", "number": "income", "bound": "1/2"},
    ]
    with pytest.raises(RefusedError, match="reveal more than promised about disease"):
        changed(plan, bounds=more).check("the plan", "")
    # A bit's bound does not serve a narrower window at the level of the bit.
    narrow = (
        plan.questions[0]
        .mechanism.from_threshold(20, plan.questions[0].mechanism.threshold * 9 // 10, 4)
        .document_fields
    )
    with pytest.raises(RefusedError, match=r"reveal more than promised about .*disease"):
        changed(plan, mechanism=narrow).check("the plan", "")


@in_one(
    "bounds",
    [
        [{"attribute": "disease", "number": "city", "bound": "1/10"}],
        [{"attribute": "disease", "number": "income", "bound": "0.1"}],
        [{"attribute": "disease", "number": "income", "bound": "11/10"}],
        [{"attribute": "income", "number": "income", "bound": "1/10"}],
        [{"attribute": "other", "number": "income", "bound": "1/10"}],
        [{"attribute": "disease", "number": "income", "bound": "1/10"}] * 2,
    ],
)
def test_other_bounds_make_no_plan(bounds):
    with pytest.raises(SordinoError):
        _ = changed(planned(), bounds=bounds).promise


@in_one(
    ("old", "new", "said"),
    [
        ("thresholds = { income", "thresholds = { city", "numbers whose distribution is asked"),
        ("disease = 0.1", "diseases = 0.1", "must name other attributes"),
        ("disease = 0.1", "income = 0.1", "must name other attributes"),
        ("disease = 0.1", "disease = 1.1", r"must lie in \[0, 1\]"),
        ("thresholds =", 'file = "s.json"\nthresholds =', "declared, or from a statement"),
        ("thresholds = { income = { disease = 0.1, city = 0.5 } }", "thresholds = 0.1", "must name numbers"),
    ],
)
def test_mistakes_are_told(old, new, said):
    with pytest.raises(SordinoErrors, match=said):
        read((old, new))


def test_what_is_said_of_a_bit_and_of_its_bound():
    lines = " ".join(explanation(planned()).lines)
    assert "'income', whether it lies below one of 19 thresholds, drawn at random" in lines
    assert "the share of people below any one threshold of 'income' at most 0.1" in lines


@pytest.mark.parametrize("asked", ["bits", "bits of few"])
def test_reports_tell_the_distribution(asked):
    plan = planned() if asked == "bits" else planned(("bins = 20", "edges = [0, 30, 60, 90, 200]"))
    rng = np.random.default_rng(3)
    incomes = 200 * rng.beta(2, 5, PEOPLE)
    people = {"income": incomes, "disease": rng.choice(["yes", "no"], PEOPLE), "city": rng.integers(0, 5, PEOPLE)}
    table = pa.table({"id": np.arange(PEOPLE), **people})
    reports = privatize(plan, table, id_column="id", source=KeyedSource(bytes(32), "thresholds"))
    (result,) = estimate(plan, aggregate(plan, reports)).results
    assert result.estimate.method == "isotonic"
    function = [(incomes < edge).mean() for edge in result.question.domain.edges[1:-1]]
    assert (np.abs(result.estimate.function - function) < 4 * result.estimate.stderr).all()
    ((_, median, low, high),) = result.quantiles
    assert low <= np.median(incomes) <= high
    assert median == pytest.approx(np.median(incomes), abs=15)
