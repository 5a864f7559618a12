"""Regressions on categories: against least squares of the raw data on dummies, by numpy; mistakes; forged reports."""

import json
import re
from fractions import Fraction
from hashlib import sha256

import numpy as np
import pytest

from in_one import in_one
from sordino import Aggregate, Plan, SordinoError, SordinoErrors, Survey, least_squares
from sordino.document.sealed import canonical, sealed_bytes
from sordino.domain.scaled import Measured
from sordino.errors import DamagedError
from sordino.papers.simulation import SimulationSource
from sordino.show.estimate_rows import tables_of
from sordino.survey.kinds.coverage import Coverage
from sordino.survey.kinds.numbers.regression_result import RegressionResult
from sordino.survey.results.result import Untold, results
from sordino.tables.results.tidy import table_of
from surveys import planned

REGIONS = ["north", "south", "east"]
ATTRIBUTES = {
    "weight": {"number": {"low": 30, "high": 200}},
    "age": {"number": {"low": 18, "high": 90}},
    "smoker": {"categories": ["no", "yes"]},
    "region": {"categories": REGIONS},
    "floor": {"categories": 4},
}
MANY = 10**13
"""Of an expected tally: rounding its counts moves no estimate by more than a billionth."""

PEOPLE = [
    (81.5, 20, 0, 0, 3),
    (73.0, 34, 1, 1, 2),
    (90.0, 78, 1, 2, 0),
    (64.5, 51, 0, 1, 1),
    (101.0, 45, 1, 0, 3),
    (55.0, 63, 0, 2, 2),
    (120.0, 88, 1, 1, 0),
    (77.0, 29, 0, 0, 1),
    (69.0, 40, 0, 1, 0),
    (88.0, 71, 1, 2, 3),
]
"""Weight, age, and the places of the other values."""

NAMES = tuple(ATTRIBUTES)


def survey(*features, epsilon="2", attributes=ATTRIBUTES, **ask):
    named = {name: own for name, own in attributes.items() if name in (*features, "weight")}
    asked = {"target": "weight", "features": list(features), **ask}
    return {"version": 1, "epsilon": epsilon, "attribute": named, "ask": [{"regression": asked}]}


def expected_tally(question, people=PEOPLE, records=None):
    """The counts of as many reports as there can be, by the laws of the queries: exact fractions, rounded once."""
    asked = question.query
    if records is None:
        columns = [
            np.array([person[NAMES.index(name)] for person in people], dtype=float) for name in question.attribute_names
        ]
        records = Measured(tuple(columns), question.intervals)[:].records
    counts = []
    for query, weight in zip(asked.queries, asked.weights, strict=True):
        laws = [query.law(record) for record in records]
        share = Fraction(MANY * weight, sum(asked.weights) * len(laws))
        counts += [round(sum(column) * share) for column in zip(*laws, strict=True)]
    return Aggregate(asked.fingerprint, sum(counts), np.array(counts))


def by_least_squares(features, base, people=PEOPLE):
    """Coefficients of dummies, the intercept first."""
    columns = [[1.0] * len(people)]
    for name in features:
        values = [person[NAMES.index(name)] for person in people]
        if "number" in ATTRIBUTES[name]:
            columns.append(values)
            continue
        named = ATTRIBUTES[name]["categories"]
        labels = named if isinstance(named, list) else [str(v) for v in range(named)]
        columns += [[float(labels[v] == label) for v in values] for label in labels if label != base[name]]
    target = [person[0] for person in people]
    return np.linalg.lstsq(np.array(columns).T, np.array(target), rcond=None)[0]


CASES = {
    "one bit and a number": (["age", "smoker"], {}),
    "a category alone": (["region"], {}),
    "another base": (["region", "age", "smoker"], {"region": "south"}),
    "numbered": (["floor", "smoker", "age"], {"floor": "2", "smoker": "yes"}),
}


@in_one("name", CASES)
def test_coefficients_are_those_of_least_squares_on_dummies(name):
    features, base = CASES[name]
    first = {"smoker": "no", "region": "north", "floor": "0"} | base
    for epsilon in ("1/2", "6"):
        (question,) = planned(survey(*features, base=base, epsilon=epsilon)).questions
        result = RegressionResult.of(question, expected_tally(question), Coverage())
        assert result.estimate.value == pytest.approx(by_least_squares(features, first), rel=1e-6, abs=1e-6)


def people_of(plan, count, seed=100, **fixed):
    """People whose weight goes with all else; of a plan with one question."""
    draw = np.random.default_rng(seed)
    columns = {
        "age": draw.uniform(18, 90, count),
        "smoker": (draw.random(count) < 0.3).astype(float),
        "region": draw.choice(3, count, p=[0.5, 0.3, 0.2]).astype(float),
        "floor": draw.integers(4, size=count).astype(float),
    } | fixed
    moved = 8 * columns["smoker"] + np.array([0, 5, -6])[columns["region"].astype(int)]
    columns["weight"] = np.clip(60 + 0.3 * columns["age"] + moved + 10 * draw.standard_normal(count), 30, 200)
    (question,) = plan.questions
    return Measured(tuple(columns[name] for name in question.attribute_names), question.intervals)


def test_rows_name_the_category_and_its_base():
    plan = planned(survey("age", "smoker", "region", base={"region": "south"}, epsilon="6"))
    codes = plan.sampled.privatize([people_of(plan, 60_000)], SimulationSource(1))
    (result,) = results(plan, plan.sampled.tally(codes))
    truth = {
        "intercept": 65.0,
        "age": 0.3,
        "smoker: yes against no": 8.0,
        "region: north against south": -5.0,
        "region: east against south": -11.0,
    }
    rows = {row["value"]: row for row in result.rows()}
    assert list(rows) == list(truth)
    # The last one's place is beyond those of the attributes, as of means are the shares of who lacks one.
    assert table_of(tables_of(result.blocks())).column("kind").to_pylist() == ["coefficient"] * len(truth)
    for name, value in truth.items():
        assert abs(rows[name]["estimate"] - value) < 5 * rows[name]["stderr"]
        assert rows[name]["low"] < rows[name]["estimate"] < rows[name]["high"]


def test_the_base_moves_no_prediction():
    """Another base is another name for the same fit: the queries and the tally are the same."""
    one, other = (
        planned(survey("age", "region", base={"region": base}, epsilon="6")).questions[0] for base in ("north", "east")
    )
    assert one.part.queries == other.part.queries
    codes = one.query.privatize(
        people_of(planned(survey("age", "region", epsilon="6")), 30_000)[:], SimulationSource(2)
    )
    tally = one.query.tally(codes)
    north, east = (RegressionResult.of(each, tally, Coverage()).estimate for each in (one, other))
    assert east.value[0] == pytest.approx(north.value[0] + north.value[3])
    assert east.value[2] == pytest.approx(-north.value[3])
    assert east.stderr[2] == pytest.approx(north.stderr[3])
    assert east.value[3] == pytest.approx(north.value[2] - north.value[3])


def test_a_category_nobody_is_in_is_said():
    plan = planned(survey("age", "region", epsilon="6"))
    for present, found in (([0, 1], "region: east against north"), ([1, 2], "features' correlation|region: ")):
        region = np.random.default_rng(1).choice(present, 100_000).astype(float)
        codes = plan.sampled.privatize([people_of(plan, 100_000, region=region)], SimulationSource(3))
        (refused,) = results(plan, plan.sampled.tally(codes))
        assert re.search(found, str(refused.why))
        # That nobody is in it is told all the same.
        lacking = next(iter({0, 1, 2} - set(present)))
        (share,) = [row for row in refused.rows() if row["value"] == f"region: {('north', 'south', 'east')[lacking]}"]
        assert abs(share["estimate"]) < 5 * share["stderr"]


MISTAKES = {
    "a target with categories": (
        {"target": "smoker", "features": ["age", "region"]},
        ["ask.0.regression.target must be a number"],
    ),
    "a map": (
        {"target": "weight", "features": ["home", "age"]},
        ["must be numbers or have categories; found 'home', a map"],
    ),
    "one category": (
        {"target": "weight", "features": ["planet", "age"]},
        ["an attribute must have at least two values; found 1"],
    ),
    "many categories": (
        {"target": "weight", "features": ["street"]},
        ["at most 64 categories; found 'street' with 65"],
    ),
    "a base of a number": (
        {"target": "weight", "features": ["age", "smoker"], "base": {"age": "20"}},
        ["base must be about features with categories; found 'age'"],
    ),
    "an unknown base": (
        {"target": "weight", "features": ["region"], "base": {"region": "nort"}},
        ["base.region must be one of its categories: 'north', 'south', 'east'; found 'nort'", "'north'"],
    ),
    "a base of no feature": (
        {"target": "weight", "features": ["region"], "base": {"smoker": "yes"}},
        ["base must name a category of some of the features; found 'smoker'"],
    ),
    "the target among them": (
        {"target": "weight", "features": ["weight", "region"]},
        ["the target 'weight' among them"],
    ),
    "all at once": (
        {"target": "smoker", "features": ["home", "street", "region"], "base": {"region": "up"}},
        ["target must be a number", "a map", "'street'", "base.region"],
    ),
}
OTHERS = {
    "planet": {"categories": ["Earth"]},
    "street": {"categories": 65},
    "home": {"grid": {"south": 0, "north": 1, "west": 0, "east": 1, "rows": 2, "columns": 2}},
}


@in_one("name", MISTAKES)
def test_mistakes_are_said_together(name):
    ask, said = MISTAKES[name]
    everything = ATTRIBUTES | OTHERS
    named = {*ask["features"], ask["target"], *ask.get("base", {})}
    tables = {
        "version": 1,
        "epsilon": "1",
        "attribute": {n: everything[n] for n in named},
        "ask": [{"regression": ask}],
    }
    for other in named - {*ask["features"], ask["target"]}:
        tables["attribute"][other] = {**everything[other], "delta": "1"}
    with pytest.raises(SordinoErrors) as raised:
        Survey.read(tables)
    for words in said:
        assert words in str(raised.value)


def test_too_many_categories_together_are_refused():
    attributes = {"weight": ATTRIBUTES["weight"]} | {f"c{j}": {"categories": 60} for j in range(3)}
    with pytest.raises(SordinoError, match=r"ask\.0\.regression: two features together must have at most"):
        planned(survey("c0", "c1", "c2", attributes=attributes))
    attributes |= {f"x{j}": ATTRIBUTES["age"] for j in range(70)}
    with pytest.raises(SordinoError, match=r"ask\.0\.regression: a regression with categorical features must need at"):
        planned(survey("c0", *(f"x{j}" for j in range(70)), attributes=attributes))


def changed(plan, change):
    document = json.loads(plan.bytes)
    change(document["queries"][0], document)
    del document["hash"]
    document["hash"] = "sha256:" + sha256(canonical(document)).hexdigest()
    return sealed_bytes(document).decode() + "\n"


def _of_statistic(old, new):
    def change(part, _):
        at = next(i for i, call in enumerate(part["queries"]["statistics"]) if call[0] == old)
        part["queries"]["statistics"][at] = new

    return change


WRONG_PLANS = {
    "a category as a number": _of_statistic("product", ["product", 0, 1]),
    "a number as a category": _of_statistic("category-sign", ["category-sign", 0, 2, 2]),
    "other categories": _of_statistic("category-sign", ["category-sign", 1, 3, 2]),
    "no base": lambda part, _: part.pop("base"),
    "an empty base": lambda part, _: part.update(base={}),
    "the base of another": lambda part, _: part.update(base={"age": "20"}),
    "another label": lambda part, _: part.update(base={"smoker": "maybe"}),
    "a covariance": lambda part, _: part.update(asked="covariance"),
    "a target with categories": lambda part, _: part.update(numbers=["age", "weight", "smoker"]),
}


@in_one("name", WRONG_PLANS)
def test_plans_that_are_none_are_refused(name):
    plan = planned(survey("age", "smoker"))
    text = changed(plan, WRONG_PLANS[name])
    assert Plan.of_text(changed(plan, lambda *_: None), "a plan").hash == plan.hash
    with pytest.raises((SordinoError, DamagedError)):
        Plan.of_text(text, "a plan")


def test_queries_read_as_many_categories_as_there_are():
    plan = planned(survey("age", "region"))
    with pytest.raises(SordinoError, match="must read categories as such"):
        Plan.of_text(changed(plan, lambda _, document: document["attributes"]["region"]["labels"].pop()), "a plan")


def test_a_label_that_counts_as_missing_is_a_category_like_others():
    attributes = ATTRIBUTES | {"smoker": {"categories": ["no", "yes", "unsaid"], "missing": "unsaid"}}
    (question,) = planned(survey("age", "smoker", attributes=attributes)).questions
    assert question.ranges.names[1:3] == ("smoker: yes against no", "smoker: unsaid against no")
    assert not question.missing_shares


def test_coefficients_spread_as_forecast():
    """Tallies drawn at once from the laws of the queries; what one report tells of several moments goes together."""
    plan = planned(survey("region", "age", epsilon="4"), 200_000)
    (question,) = plan.questions
    records = people_of(plan, 30)[:].records
    law = expected_tally(question, records=records).counts / MANY
    draw, values = np.random.default_rng(2), []
    for _ in range(80):
        counts = draw.multinomial(plan.people, law / law.sum())
        tally = Aggregate(question.query.fingerprint, plan.people, counts)
        values.append(least_squares(question.told_by, tally, question.told_by.d - 1, None, question.ranges).value)
    np.testing.assert_allclose(question.forecast(records).stderr, np.std(values, axis=0), rtol=0.3)


def test_forged_reports_move_coefficients_no_further_than_is_said():
    plan, forged = planned(survey("age", "region", epsilon="6")), 200
    codes = plan.sampled.privatize([people_of(plan, 100_000)], SimulationSource(5))
    (honest,) = results(plan, plan.sampled.tally(codes))
    for code in (0, plan.sampled.outputs - 1, plan.sampled.outputs // 2):
        tally = plan.sampled.tally(np.concatenate([codes[forged:], np.full(forged, code, dtype=np.uint64)]))
        (moved,) = results(plan, tally, coverage=Coverage(forged=forged))
        assert not isinstance(moved, Untold)
        assert (np.abs(moved.estimate.value - honest.estimate.value) <= moved.moved).all()
        assert (moved.moved > 0).all()


def test_what_a_bound_on_dependence_lets_a_pair_tell():
    """Of an attribute that is not asked a pair tells ln(1 + q (e^level - 1)) by the bound for all others together."""
    tables = survey("age", "smoker")
    tables["attribute"]["region"] = {**ATTRIBUTES["region"], "delta": "1/100"}
    tables["dependence"] = {"rest": {"region": 0.1}}
    plan = planned(tables)
    assert plan.promise.holds
    (question,) = plan.questions
    most = np.log1p(np.expm1(0.01) / 0.1)
    for query, (answer,) in zip(question.query.queries, question.types, strict=True):
        assert float(answer.level.floor()) == pytest.approx(most), query.number.name
    # The deltas of what is asked bind too, whatever is declared of others.
    tables["attribute"]["smoker"] = {**ATTRIBUTES["smoker"], "delta": "1/20"}
    tables["dependence"] = {"rest": {"region": 0, "smoker": 0}}
    (question,) = planned(tables).questions
    levels = {
        query.number.parameters: float(answer.level.floor())
        for query, (answer,) in zip(question.query.queries, question.types, strict=True)
    }
    assert levels["category-sign 1 2 2"] == pytest.approx(0.05)
    assert levels["product 0 2"] == pytest.approx(2)
