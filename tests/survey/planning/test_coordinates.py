"""Promises about each attribute by itself: plans that break theirs are refused, and what is said of them is true."""

import json
import math
from dataclasses import replace

import pytest

from golden_people import text_of
from sordino import Nats, Plan, RandomizedResponse, SordinoError, Survey
from sordino.blocks.sentence import texts
from sordino.words.odds_by_attribute import coordinate_sentences

NUMBER = {"number": {"low": 0, "high": 10}}
SURVEY = {
    "version": 1,
    "epsilon": "2",
    "dependence": {"rest": {"age": 0.3, "city": 0.2, "income": 0.05, "smoker": 0.4}},
    "attribute": {
        "age": {**NUMBER, "delta": "1"},
        "city": {"categories": 2, "delta": "0.3"},
        "income": {**NUMBER, "delta": "0.2"},
        "smoker": {"categories": 4, "delta": "0.7"},
        "weight": NUMBER,
    },
    "ask": [
        {"histogram": "smoker"},
        {"covariance": ["weight", "income"]},
        {"mean": ["age", "income", "weight"]},
    ],
}


@pytest.fixture(scope="module")
def plan():
    return Plan.of(Survey.read(json.loads(json.dumps(SURVEY))), 1000)


@pytest.fixture
def load(tmp_path, sealed):
    """Load a plan that somebody changed, hash and all."""

    def make(plan, change):
        document = json.loads(plan.bytes)
        change(document)
        path = tmp_path / "plan.json"
        path.write_text(text_of(sealed(document)))
        return Plan.load(path)

    return make


def raise_threshold(document):
    coins = document["queries"][1]["queries"]["mechanisms"]
    coins[0]["threshold"] = str(int(coins[0]["threshold"]) + 2**40)


def sharpen_table(document):
    mechanisms = document["queries"][2]["queries"]["mechanisms"]
    table = max((found["table"] for found in mechanisms if found["name"] == "flips"), key=len)
    assert len(table) > 2
    move = int(table[-1]) // 2
    table[0], table[-1] = str(int(table[0]) + move), str(int(table[-1]) - move)


def louder(document):
    protect_by(epsilon="3/2")(document)
    document["queries"][0]["mechanism"] = RandomizedResponse(4, "3/2").document_fields


def protect_by(**words):
    def change(document):
        document["attributes"]["smoker"]["protect"] = words

    return change


def set_attribute(name, **words):
    return lambda document: document["attributes"][name].update(words)


def bounded(*bounds):
    """Bounds for single statistics, as a plan writes them: (attribute, statistic, bound)."""
    parts = [{"attribute": name, "statistic": statistic, "bound": bound} for name, statistic, bound in bounds]
    return lambda document: document["dependence"].update(statistics=parts)


FORGED = {
    "nothing": (lambda document: None, None),
    "a bit that tells more": (raise_threshold, "more than promised about"),
    "signs that tell more": (sharpen_table, "more than promised about"),
    "a smaller delta": (set_attribute("income", delta="1/10"), "more than promised about income"),
    "a smaller delta of what is not asked": (set_attribute("city", delta="1/10"), "more than promised about city"),
    "a smaller epsilon": (lambda document: document.update(epsilon="1"), "the whole record"),
    "a louder histogram": (louder, "more than promised about city, smoker"),
    "more dependence": (lambda document: document["dependence"]["rest"].update(city="1"), "about city"),
    "an attribute's own number said to be independent of it": (
        bounded(("income", ["income"], "0")),
        "must have the bound 1",
    ),
    "its square": (bounded(("income", ["income", "income"], "1/2")), "must have the bound 1"),
    "its categories": (bounded(("smoker", ["smoker"], "0")), "must have the bound 1"),
    "an attribute's own number that tells it": (bounded(("city", ["income"], "1"), ("income", ["income"], "1")), ""),
    "two bounds for one product": (
        bounded(("city", ["income", "weight"], "1"), ("city", ["weight", "income"], "0")),
        "one bound for each",
    ),
    "no dependence": (lambda document: document.pop("dependence"), "more than promised about"),
    "a promise with blocks": (protect_by(epsilon="7/10", blocks={"run": 2}), "protected as a whole"),
    "a promise about some values": (protect_by(epsilon="7/10", sensitive=[0]), "protected as a whole"),
    "a promise about none": (protect_by(epsilon="7/10", sensitive=[]), "protected as a whole"),
    "a promise about pairs": (protect_by(bounds=[["0"] * 4] * 4), "protected as a whole"),
    "a number twice": (lambda document: document["queries"][2].update(numbers=["age"] * 3), "different ones"),
    "other numbers": (lambda document: document["queries"][2].update(numbers=["age", "income"]), "about 2 numbers"),
    "no epsilon": (lambda document: document.pop("epsilon"), "a delta for each"),
    "nothing promised": (
        lambda document: [
            document.pop("epsilon"),
            document.pop("dependence"),
            *(attribute.pop("delta") for attribute in document["attributes"].values()),
        ],
        "each attribute must be asked for",
    ),
    "numbers without a promise": (
        lambda document: [
            document.pop("epsilon"),
            document.pop("dependence"),
            document["attributes"].pop("city"),
            *(attribute.pop("delta") for attribute in document["attributes"].values()),
        ],
        "must have an epsilon of their own",
    ),
}


@pytest.mark.parametrize("name", FORGED)
def test_a_plan_that_breaks_its_promise_is_refused(name, plan, load):
    change, words = FORGED[name]
    if not words:
        assert (load(plan, change).bytes == plan.bytes) == (words is None)
        return
    with pytest.raises(SordinoError, match=words):
        load(plan, change)


def test_what_counts_is_what_a_histogram_reveals_not_what_its_attribute_may(plan, load):
    bolder = load(plan, protect_by(epsilon="3/2"))
    assert bolder.promise.losses == plan.promise.losses


def test_the_certificate_is_told(plan):
    lines = texts(coordinate_sentences(plan.promise))
    assert lines[0].startswith("The promise holds")
    # Questions that are asked alike are said once.
    assert 1 <= sum("No answer about numbers reveals more about the whole record than" in line for line in lines) <= 2
    assert [name for name in plan.places if any(line.startswith(repr(name)) for line in lines)] == list(plan.places)
    broken = replace(plan.promise.certificates[0], holds=False, slack=Nats.of("-1"))
    wrong = texts(coordinate_sentences(replace(plan.promise, certificates=(broken,))))
    assert wrong[0].startswith("The promise is BROKEN for the whole record")


def test_reached_levels_are_those_of_the_integers(plan):
    promise = plan.promise
    assert promise.level <= promise.epsilon
    for i, name in enumerate(promise.names):
        assert promise.losses[i] <= promise.deltas[i]
        # Dependence on all others within q tells ln(1 + q (e^level - 1)) at most.
        q = float(promise.dependence.of_rest(i))
        asked = any(i in answer.places for answers in promise.types for answer in answers)
        assert asked == (name != "city")
        if not asked:
            assert float(promise.losses[i]) == pytest.approx(math.log1p(q * math.expm1(float(promise.level))))
