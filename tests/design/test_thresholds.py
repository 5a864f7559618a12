"""Bounds on distribution functions from a sample: the largest difference as others count it, and plans by it."""

import json
import math
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from scipy import stats

from sordino import Plan, SordinoError, Survey, dependence
from sordino.design.sample_questions import DistributionFunction
from sordino.survey.planning.questions_for_sample import questions_for_sample
from sordino.survey.planning.statement import dependence_for, load_statement, save_statement

SURVEY = {
    "version": 1,
    "epsilon": "2",
    "attribute": {
        # In the order of the alphabet the number stands last, here first.
        "zloty": {"number": {"low": 0, "high": 10, "bins": 40}},
        "disease": {"categories": ["yes", "no"], "delta": "0.2"},
        "city": {"categories": ["a", "b", "c"], "delta": "2"},
    },
    "ask": [{"distribution": "zloty"}],
}
N = 40_000
PAIRS = 1 + 3
"""Of values: yes and no, and three pairs of cities."""


def people(seed):
    rng = np.random.default_rng(seed)
    ill, city = rng.integers(0, 2, N), rng.integers(0, 3, N)
    # Who is ill has less spread and the same mean: their distribution functions cross.
    zloty = np.clip(5 + (2 - ill) * rng.normal(size=N) + 0.2 * city, 0, 10)
    return {"zloty": zloty, "disease": np.array(["yes", "no"])[ill], "city": np.array(["a", "b", "c"])[city]}


def test_the_bound_is_the_largest_difference_and_a_margin():
    sample = people(1)
    statement = dependence(SURVEY, pa.table(sample), confidence="0.99")
    binned = np.floor(4 * sample["zloty"]).clip(0, 39)
    for name, values, place in (("disease", ("yes", "no"), 1), ("city", ("a", "b", "c"), 0)):
        largest = 0
        for i, a in enumerate(values):
            for b in values[:i]:
                one, two = (binned[sample[name] == value] for value in (a, b))
                margin = math.sqrt((1 / len(one) + 1 / len(two)) * math.log(PAIRS / 0.01) / 2)
                largest = max(largest, stats.ks_2samp(one, two).statistic + margin)
        assert float(statement.dependence.of_thresholds(place, 2)) == pytest.approx(largest, abs=2e-9)
        assert statement.dependence.of_thresholds(place, 2) >= Fraction(str(round(largest, 12)))
    # The means are alike; that is no bound for the function, and this none for a mean.
    assert statement.dependence.of(1, (2,)) == 1
    assert statement.dependence.of_thresholds(2, 2) == 1


def test_a_statement_gives_a_plan_its_bits(tmp_path):
    path = tmp_path / "statement.json"
    statement = dependence(SURVEY, pa.table(people(2)), confidence="0.99")
    save_statement(statement, path)
    again = load_statement(path)
    assert (again.bounds, again.dependence) == (statement.bounds, statement.dependence)
    # Attributes are known by their names, in whatever order they stand.
    document = json.loads(path.read_text())
    document["attributes"].reverse()
    path.write_text(json.dumps(document))
    again = load_statement(path)
    survey = Survey.read({**SURVEY, "dependence": {"file": path.name}}, folder=tmp_path)
    assert dependence_for(again, questions_for_sample(survey)).thresholds == statement.dependence.thresholds
    plan = Plan.of(survey, 10_000)
    (question,) = plan.questions
    bound = float(statement.dependence.of_thresholds(1, 2))
    assert question.cuts == 39
    assert float(question.definition.epsilon) == pytest.approx(np.log1p(np.expm1(0.2) / bound), abs=1e-9)
    assert plan.promise.holds


def test_a_statement_about_other_thresholds_serves_no_plan(tmp_path):
    path = tmp_path / "statement.json"
    save_statement(dependence(SURVEY, pa.table(people(3)), confidence="0.99"), path)
    attribute = {**SURVEY["attribute"], "zloty": {"number": {"low": 0, "high": 10, "bins": 50}}}
    with pytest.raises(SordinoError, match="about the survey's values of 'zloty'"):
        Plan.of(Survey.read({**SURVEY, "attribute": attribute, "dependence": {"file": path.name}}, folder=tmp_path), 9)
    document = json.loads(path.read_text())
    for bound in document["bounds"]:
        bound["statistic"] = ["city"]
    path.write_text(json.dumps(document))
    with pytest.raises(SordinoError):
        load_statement(path)


def test_thresholds_are_of_numbers_whose_distribution_is_asked():
    asked = questions_for_sample(Survey.read(SURVEY))
    assert asked.statistics == (DistributionFunction(2),)
    assert (asked.comparisons, asked.label(DistributionFunction(2)), asked.why(2, DistributionFunction(2))) == (
        PAIRS,
        "zloty, thresholds",
        "own",
    )
    with pytest.raises(SordinoError, match="whose distribution is asked"):
        type(asked)(asked.attributes, (DistributionFunction(0),))
