"""A category with a number's sign, from a sample to the plan: the bound as others count it, never below the truth."""

import copy
import json
import math
from fractions import Fraction
from itertools import product

import numpy as np
import pyarrow as pa
import pytest

from sordino import Categories, Interval, Nats, Plan, SordinoError, Survey, dependence, explain
from sordino.definition.sampling import largest_level
from sordino.design.from_sample import state_dependence, tally_sample
from sordino.design.sample_questions import CategorySignDistribution, SampleNumber, SampleQuestions
from sordino.document.formats import PLAN
from sordino.domain.attribute import Attribute
from sordino.errors import DamagedError
from sordino.survey.planning.questions_for_sample import questions_for_sample
from sordino.survey.planning.statement import dependence_for, load_statement

REGIONS = ["a", "b", "c"]
SURVEY = {
    "version": 1,
    "epsilon": "2",
    "attribute": {
        "ill": {"categories": ["yes", "no"], "delta": "0.2"},
        "region": {"categories": REGIONS},
        "sport": {"categories": ["yes", "no"]},
        "weight": {"number": {"low": 40, "high": 140, "clip": True}},
    },
    "ask": [{"regression": {"target": "weight", "features": ["region", "sport"]}}],
}
ATTRIBUTES = list(SURVEY["attribute"])
ILL, REGION, SPORT, WEIGHT = range(4)
N = 60_000
STATISTICS = [(WEIGHT,), (WEIGHT, WEIGHT), (REGION, SPORT), (REGION, WEIGHT), (SPORT, WEIGHT)]


def people(seed=1):
    rng = np.random.default_rng(seed)
    ill, region, sport = rng.integers(0, 2, N), rng.integers(0, 3, N), rng.integers(0, 2, N)
    # Who is ill weighs more in one region and less in another one: neither the region nor the mean weight tells it.
    weight = rng.normal(90 + 25 * ill * ((region == 0) * 1.0 - (region == 1)), 30)
    names = {"ill": np.array(["yes", "no"])[ill], "sport": np.array(["yes", "no"])[sport]}
    return {**names, "region": np.array(REGIONS)[region], "weight": weight}


@pytest.fixture(scope="module")
def stated(tmp_path_factory):
    """The statement of a sample, its file, and a plan by it."""
    folder = tmp_path_factory.mktemp("signs")
    statement = dependence(SURVEY, pa.table(people()), output=folder / "statement.json")
    survey = Survey.read({**SURVEY, "dependence": {"file": "statement.json"}}, folder=folder)
    return statement, folder / "statement.json", Plan.of(survey, 10_000)


def test_the_bound_is_what_the_best_event_tells_and_a_margin(stated):
    statement, sample = stated[0], people()
    number = np.clip(sample["weight"], 40, 140) / 50 - 1.8
    inside = [sample["ill"] == says for says in ("yes", "no")]
    # For each region and sign the chance to be read so, averaged over those who are ill, and who are not.
    cells = [(sample["region"] == name) * (1 + sign * number) / 2 for name in REGIONS for sign in (-1, 1)]
    means = [[cell[own].mean() for cell in cells] for own in inside]
    apart = max(np.array(event) @ np.subtract(*means) for event in product([0, 1], repeat=len(cells)))
    # Pairs of values of each attribute, by what is not about it; nothing is known of the weight's own.
    pairs = {ILL: 1, REGION: 3, SPORT: 1}
    among = sum(m for i, m in pairs.items() for about in STATISTICS if i not in about)
    assert statement.comparisons == among
    margin = math.sqrt(sum(1 / own.sum() for own in inside) * math.log(among / 0.01) / 2)
    bound = statement.dependence.of_category_sign(ILL, (REGION, WEIGHT))
    assert float(bound) == pytest.approx(apart + margin, abs=2e-9)
    assert bound >= Fraction(apart + margin)
    # Parts tell far less, and their bounds are those of the weight alone and of a table of regions.
    assert max(statement.dependence.of(ILL, (WEIGHT,)), margin) < apart / 4
    own = [statement.dependence.of_category_sign(i, (REGION, WEIGHT)) for i in (REGION, SPORT, WEIGHT)]
    assert own[0] == own[2] == 1 > own[1]


def test_no_bound_is_below_the_truth():
    """Small samples of random joint laws, whose own q is worked out from the law."""
    rng = np.random.default_rng(3)
    grid, sizes = np.array([-1.0, -0.3, 0.2, 1.0]), (2, 3, 4)
    ends = Interval(-1, 1)
    parts = Attribute("x", Categories(["yes", "no"])), Attribute("v", Categories(REGIONS)), SampleNumber("y", ends)
    asked = SampleQuestions(parts, (CategorySignDistribution(1, 2),))
    tight = 1.0
    for _ in range(150):
        law = rng.dirichlet(np.full(24, rng.choice([0.05, 0.5, 5]))).reshape(sizes) * 0.99 + 0.01 / 24
        given = law / law.sum(axis=(1, 2), keepdims=True)
        signs = np.concatenate([given @ ((1 - grid) / 2), given @ ((1 + grid) / 2)], axis=1)
        q = np.abs(signs[0] - signs[1]).sum() / 2
        x, v, y = np.unravel_index(rng.choice(24, rng.choice([300, 20_000]), p=law.ravel()), sizes)
        statement = state_dependence(asked, tally_sample(asked, [x, v, grid[y]]), "0.99")
        bound = float(statement.dependence.of_category_sign(0, (1, 2)))
        assert bound >= q
        tight = min(tight, bound - q)
    assert tight < 0.05


def test_a_statement_is_read_again_in_whatever_order_attributes_stand(stated):
    statement, path, _ = stated
    again = load_statement(path)
    assert (again.bounds, again.dependence) == (statement.bounds, statement.dependence)
    document = json.loads(path.read_text())
    document["attributes"].insert(0, document["attributes"].pop())
    other = path.with_name("other.json")
    other.write_text(json.dumps(document))
    found = dependence_for(load_statement(other), questions_for_sample(Survey.read(SURVEY)))
    assert found.category_signs == statement.dependence.category_signs
    for names in (["weight", "region"], ["region"], ["region", "sport"], ["weight", "weight"]):
        spoiled = copy.deepcopy(document)
        for bound in spoiled["bounds"]:
            if bound["statistic"] == ["region", "weight"]:
                bound["statistic"] = names
        other.write_text(json.dumps(spoiled))
        with pytest.raises(SordinoError, match="a sign must be of a number, with a category"):
            load_statement(other)


def test_a_plan_asks_both_together_as_their_own_bound_allows(stated):
    statement, _, plan = stated
    assert {(b.attribute, b.category, b.number) for b in plan.document.dependence.category_signs} == {
        *(("ill", name, "weight") for name in ("region", "sport")),
        ("region", "sport", "weight"),
        ("sport", "region", "weight"),
    }
    (question,) = plan.questions
    kinds = {}
    for query in question.query.queries:
        if query.statistic.sign_places is not None:
            category = question.attribute_names[query.statistic.sign_places[0]]
            pair = ATTRIBUTES.index(category), WEIGHT
            allowed = largest_level("0.2", statement.dependence.of_category_sign(ILL, pair))
            chances = query.mechanism.probabilities()
            level = np.log(chances.max(axis=0) / chances.min(axis=0)).max()
            assert level == pytest.approx(float(min(allowed.floor(), 2)), abs=1e-9)
            kinds[query.statistic.name, category] = level
    assert {category for _, category in kinds} == {"region", "sport"}
    assert min(kinds.values()) > 0.5
    reached = dict(zip(plan.promise.names, plan.promise.losses, strict=True))
    assert plan.promise.holds
    assert Nats.of("0.19") < reached["ill"] <= Nats.of("0.2")
    assert plan.promise.level > largest_level("0.2", Fraction(1))
    assert any("one about 'region' and the sign of 'weight' together at most 0." in line for line in explain(plan))
    assert Plan.of_text(plan.bytes.decode(), "again") == plan


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        (lambda part: part.update(category="ill"), "a category and a number of a regression"),
        (lambda part: part.update(number="sport"), "a category and a number of a regression"),
        (lambda part: part.update(attribute="weight"), "reveals both"),
        (lambda part: part.update(attribute="nobody"), "attributes"),
        (lambda part: part.update(bound="2"), "in \\[0, 1\\]"),
        (lambda part: part.update(category="sport"), "two for one of them"),
        (lambda part: part.update(bound="1/2"), "must keep its own promise"),
    ],
)
def test_a_plan_with_another_bound_is_refused(stated, change, rule):
    spoiled = json.loads(stated[2].bytes)
    parts = spoiled["dependence"]["category_signs"]
    change(next(part for part in parts if (part["attribute"], part["category"]) == ("ill", "region")))
    text = json.dumps(PLAN.seal({k: v for k, v in spoiled.items() if k not in {"hash", "format", "version"}}))
    with pytest.raises((SordinoError, DamagedError), match=rule):
        Plan.of_text(text, "spoiled")
