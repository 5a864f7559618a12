"""Regressions on categories over thousands of simulated surveys: coverage of intervals, and forecasts that come true.

Tallies are drawn at once, from the laws of the queries over a population that is written out: people who are drawn from
it one by one give such tallies. The truth is least squares on dummies, by numpy, of the whole population.
"""

import numpy as np
import pytest

from sordino import Aggregate, Plan, Survey, least_squares
from sordino.domain.scaled import Measured

pytestmark = pytest.mark.statistical

SURVEYS, ALLOWED = 8000, (0.94, 0.96)
POPULATION = 300
SETTINGS = {
    "a category of two and a number": (["smoker", "age"], "1", 200_000),
    "categories alone": (["region", "smoker"], "1", 200_000),
    "all": (["age", "region", "smoker", "size"], "4", 400_000),
}


def population():
    """Skewed and dependent: who smokes goes with age and region, and weight with all of it, not linearly."""
    draw = np.random.default_rng(4)
    age = draw.uniform(20, 88, POPULATION)
    region = draw.choice(3, POPULATION, p=[0.55, 0.3, 0.15])
    smoker = (draw.random(POPULATION) < 0.2 + 0.2 * (region == 1) + 0.002 * age).astype(int)
    size = np.clip(170 + 8 * draw.standard_normal(POPULATION) + 4 * (region == 2), 140, 200)
    weight = 40 + 0.01 * (age - 40) ** 2 + 9 * smoker + np.array([0, 12, -8])[region] + 0.2 * size
    weight = np.clip(weight + draw.exponential(9, POPULATION), 30, 200)
    return {"age": age, "region": region, "smoker": smoker, "size": size, "weight": weight}


def asked(features, epsilon, people):
    attributes = {
        "weight": {"number": {"low": 30, "high": 200}},
        "age": {"number": {"low": 18, "high": 90}},
        "size": {"number": {"low": 140, "high": 200}},
        "smoker": {"categories": ["no", "yes"]},
        "region": {"categories": ["north", "south", "east"]},
    }
    named = {name: own for name, own in attributes.items() if name in (*features, "weight")}
    ask = {"regression": {"target": "weight", "features": features, "base": {"smoker": "yes"}}}
    plan = Plan.of(Survey.read({"version": 1, "epsilon": epsilon, "attribute": named, "ask": [ask]}), people)
    return plan.questions[0]


def least_squares_on_dummies(features, columns):
    dummies = [np.ones(POPULATION)]
    for name in features:
        codes = {"smoker": [0], "region": [1, 2]}.get(name)
        dummies += [columns[name]] if codes is None else [columns[name] == code for code in codes]
    return np.linalg.lstsq(np.column_stack(dummies).astype(float), columns["weight"], rcond=None)[0]


@pytest.mark.parametrize("name", SETTINGS)
def test_intervals_cover_and_forecasts_come_true(name):
    features, epsilon, people = SETTINGS[name]
    question, columns = asked(features, epsilon, people), population()
    records = Measured(tuple(columns[own].astype(float) for own in question.attribute_names), question.intervals)[
        :
    ].records
    law = np.concatenate(
        [
            weight
            / sum(question.query.weights)
            * np.mean([[float(p) for p in query.law(record)] for record in records], axis=0)
            for query, weight in zip(question.query.queries, question.query.weights, strict=True)
        ]
    )
    truth = least_squares_on_dummies(features, columns)
    draw = np.random.default_rng(11)
    told, last = question.told_by, question.told_by.d - 1
    found = []
    for _ in range(SURVEYS):
        tally = Aggregate(question.query.fingerprint, people, draw.multinomial(people, law / law.sum()))
        found.append(least_squares(told, tally, last, None, question.ranges))
    low, high = (np.array(limits) for limits in zip(*(fit.interval() for fit in found), strict=True))
    share = np.mean((low <= truth) & (truth <= high), axis=0)
    assert np.all((share > ALLOWED[0]) & (share < ALLOWED[1])), share
    # The power of it: intervals that are a tenth shorter are found.
    middle, half = (low + high) / 2, (high - low) / 2
    assert np.all(np.mean(np.abs(truth - middle) <= 0.9 * half, axis=0) < ALLOWED[0])
    values, stderr = np.array([fit.value for fit in found]), np.array([fit.stderr for fit in found])
    np.testing.assert_allclose(np.sqrt(np.mean(stderr**2, axis=0)), values.std(axis=0), rtol=0.05)
    assert np.all(np.abs(values.mean(axis=0) - truth) < 0.1 * values.std(axis=0))
    np.testing.assert_allclose(question.forecast(records).stderr, values.std(axis=0), rtol=0.05)
