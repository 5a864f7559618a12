"""Numbers beside values that are not all protected alike: each question is promised by itself."""

import itertools
import math

import numpy as np
import pytest

from sordino import Plan, SordinoError, Survey, certify, explain
from sordino.registry.deployment_entry import whole_epsilon
from sordino.words.condition_sentences import weaker_report_sentences

NUMBER = {"number": {"low": 0, "high": 10}}
DRUGS = {"categories": ["yes", "no"], "protect": {"sensitive": ["yes"]}}
TOWNS = {"categories": ["a", "b", "c"]}


def survey(attributes, *asks, epsilon="1", **settings):
    return Survey.read({"version": 1, "epsilon": epsilon, "attribute": attributes, "ask": list(asks), **settings})


def plan(attributes, *asks, epsilon="1", people=1000):
    return Plan.of(survey(attributes, *asks, epsilon=epsilon), people)


def largest_ratio(question):
    """The largest log ratio of two values' probabilities of a code, over all that a person can be drawn to answer."""
    found = 0.0
    queries = getattr(question.query, "queries", (question.query,))
    for query in queries:
        each = getattr(query, "queries", (query,))
        assert len(each) == 1
        table = np.asarray(each[0].mechanism.probabilities(), dtype=float)
        table = table if table.shape[0] == each[0].mechanism.k else table.T
        for one, other in itertools.permutations(table, 2):
            assert ((one == 0) == (other == 0)).all()
            found = max(found, float(np.log(one[other > 0] / other[other > 0]).max()))
    return found


def test_income_is_asked_beside_drug_use():
    made = plan({"income": NUMBER, "drugs": DRUGS}, {"mean": "income"}, {"histogram": "drugs"})
    assert made.promise is None
    assert made.document.attributes["income"].protect.epsilon == "1"
    assert made.document.attributes["income"].delta is None
    assert certify(made).holds
    assert list(certify(made).questions) == ["mean of income", "drugs"]
    # Drug use can show a "no": no epsilon holds of the whole record.
    assert whole_epsilon(made) is None
    lines = explain(made)
    assert any("about 'mean of income' changes the odds between any two answers" in line for line in lines)
    assert any("without limit if it is about 'drugs'" in line for line in lines)


ASKED = [
    {"mean": "x"},
    {"mean": ["x", "y"]},
    {"distribution": "x"},
    {"above": "x", "threshold": 5},
    {"regression": {"target": "x", "features": ["y", "town"]}},
    {"covariance": ["x", "y"]},
]


@pytest.mark.parametrize("asked", ASKED, ids=lambda asked: next(iter(asked)))
@pytest.mark.parametrize("epsilon", ["1/2", "3"])
def test_a_question_keeps_the_least_epsilon_of_what_it_reads(asked, epsilon):
    attributes = {"x": {**NUMBER, "protect": {"epsilon": epsilon}}, "y": NUMBER, "town": TOWNS, "drugs": DRUGS}
    made = plan(attributes, asked, {"histogram": "drugs"}, {"histogram": "town"}, {"mean": "y"}, epsilon="2")
    question = made.questions[0]
    least = min(2.0, float(eval(epsilon))) if len(question.attribute_names) > 1 else float(eval(epsilon))  # noqa: S307
    assert question.value_promise.epsilon.ceil() == pytest.approx(least)
    assert question.certificate.holds
    if next(iter(asked)) != "covariance":
        assert largest_ratio(question) <= least * (1 + 1e-12)
        assert largest_ratio(question) >= 0.98 * least


def test_without_a_protection_numbers_have_deltas_as_before():
    made = plan({"income": NUMBER, "town": TOWNS}, {"mean": "income"}, {"histogram": "town"})
    assert made.promise is not None
    assert made.document.attributes["income"].delta == "1"


def test_all_alike_at_their_own_epsilons_is_a_promise_about_the_whole_record():
    attributes = {"x": {**NUMBER, "protect": {"epsilon": "2"}}, "town": TOWNS}
    assert whole_epsilon(plan(attributes, {"mean": "x"}, {"histogram": "town"})).ceil() == 2


def test_each_attribute_may_have_an_epsilon_of_its_own_alone():
    attributes = {"x": {**NUMBER, "protect": {"epsilon": "1/2"}}}
    own = Survey.read({"version": 1, "attribute": attributes, "ask": [{"mean": "x"}]})
    assert Plan.of(own, 1000).epsilon.ceil() == pytest.approx(0.5)
    with pytest.raises(SordinoError, match="epsilon must be given"):
        Survey.read({"version": 1, "attribute": attributes | {"y": NUMBER}, "ask": [{"mean": ["x", "y"]}]})


def test_one_question_about_a_number_says_its_promise():
    lines = explain(plan({"x": {**NUMBER, "missing": "0.2", "protect": {"epsilon": "ln 2"}}}, {"mean": "x"}))
    assert any(line.startswith("'x' may be missing. Being missing counts as a value") for line in lines)
    assert lines[0] == "Each person is asked once for mean of x, and sends one report."
    assert any("by a factor of at most 2" in line for line in lines)


REFUSED = [
    ({"x": {**NUMBER, "protect": {"sensitive": [1]}}}, {"mean": "x"}, {}, "must be protected alike"),
    ({"x": NUMBER, "drugs": {**DRUGS, "delta": "1/2"}}, {"mean": "x"}, {}, "with deltas or dependence"),
    ({"x": NUMBER, "drugs": DRUGS}, {"mean": "x"}, {"dependence": {"rest": 0.1}}, "with deltas or dependence"),
    (
        {"x": NUMBER, "town": {**TOWNS, "protect": {"metric": [0, 1, 2]}}},
        {"regression": {"target": "x", "features": ["town"]}},
        {},
        "one epsilon for all their values; found 'town', which is protected by `metric`",
    ),
]


@pytest.mark.parametrize(("attributes", "asked", "settings", "words"), REFUSED)
def test_what_cannot_be_promised_is_refused_with_its_reason(attributes, asked, settings, words):
    asks = [asked, *([{"histogram": "drugs"}] if "drugs" in attributes else [])]
    with pytest.raises(SordinoError, match=words):
        survey(attributes, *asks, **settings)


OWN = {"only_if": {"smoker": "yes"}, "missing": "0.4"}
LOUD = {
    "smoker": {"categories": ["yes", "no"], "protect": {"epsilon": "2"}},
    "loud": {**NUMBER, **OWN, "protect": {"epsilon": "2"}},
}


@pytest.mark.parametrize(
    "asked",
    [{"distribution": "loud"}, {"regression": {"target": "age", "features": ["smoker"]}}],
    ids=lambda asked: next(iter(asked)),
)
def test_a_declared_protection_holds_for_numbers_that_say_whether_it_was_asked(asked):
    attributes = {"quiet": {**NUMBER, **OWN, "protect": {"epsilon": "1/2"}}, "age": NUMBER, **LOUD}
    with pytest.raises(SordinoError, match="must hold for reports about what decides"):
        survey(attributes, {"mean": "quiet"}, {"mean": "age"}, {"mean": "loud"}, asked, epsilon="2")


def test_a_louder_report_about_another_number_says_whether_one_was_asked():
    """Both are missing where nobody is asked: a report about the louder one shows it better than the other's own."""
    made = plan(LOUD | {"quiet": {**NUMBER, **OWN}}, {"mean": "quiet"}, {"distribution": "loud"}, epsilon="1/2")
    (sentence,) = weaker_report_sentences(made)
    assert "A report about 'loud' changes the odds of whether 'quiet' was asked by a factor of up to 7.39" in sentence
    assert math.isclose(largest_ratio(made.questions[0]), 0.5, rel_tol=0.02)
