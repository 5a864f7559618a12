"""Plans of several questions: shares by weight, the order of the survey, and the certificate that is the tightest."""

import json
from fractions import Fraction

import numpy as np
import pytest

from golden_people import text_of
from sordino import Plan, SordinoError, Survey
from sordino.audit.certificate import certify
from sordino.survey.results.result import Untold, results
from surveys import planned

ATTRIBUTES = {
    "x": {"categories": 5},
    "y": {"categories": ["p", "q"], "protect": {"matrix": [["0", "ln 2"], ["inf", "0"]]}},
    "a \u00fc": {"categories": 30, "protect": {"blocks": 10}},
}


@pytest.fixture
def frozen(tables):
    def make(people=1000, order=None, **weights):
        survey = tables(ATTRIBUTES, **weights)
        survey["ask"] = [survey["ask"][i] for i in order or range(3)]
        return planned(survey, people)

    return make


@pytest.mark.each_value
@pytest.mark.parametrize("weights", [{}, {"x": 2}, {"x": 3, "y": 5, "a \u00fc": 7}, {"y": 2**20}])
@pytest.mark.parametrize("people", [1, 7, 1000, 10**12])
def test_shares_are_the_weights_of_all(frozen, people, weights):
    plan = frozen(people, **weights)
    expected = [weights.get(name, 1) for name in ATTRIBUTES]
    assert [question.share for question in plan.questions] == [Fraction(w, sum(expected)) for w in expected]
    assert list(plan.sampled.weights) == expected
    for question, weight in zip(plan.questions, expected, strict=True):
        # At least one person, and never more than the share.
        assert question.people == max(1, people * weight // sum(expected))


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 0, 1)])
def test_questions_stand_in_the_order_of_the_survey(tmp_path, frozen, order):
    plan = frozen(order=order)
    names = [list(ATTRIBUTES)[i] for i in order]
    plan.save(tmp_path / "plan.json")
    for one in (plan, Plan.load(tmp_path / "plan.json")):
        assert [question.name for question in one.questions] == names
        assert [query.statistic.attributes for query in one.sampled.queries] == [(name,) for name in names]
        assert one.sampled.fingerprint == plan.sampled.fingerprint


def test_another_order_or_weight_is_another_plan(frozen):
    plans = [frozen(), frozen(order=(1, 0, 2)), frozen(x=2), frozen(x=2, y=2, **{"a \u00fc": 2})]
    assert len({plan.hash for plan in plans}) == len({plan.tag for plan in plans}) == 4
    assert frozen().bytes == frozen(x=1).bytes


def test_the_plans_certificate_is_the_tightest(frozen):
    for order in ((0, 1, 2), (2, 1, 0), (1, 2, 0)):
        plan = frozen(order=order)
        each = [certify(question.query.mechanism, question.definition) for question in plan.questions]
        assert [question.certificate for question in plan.questions] == each
        asked, told_of_all = zip(*plan.certificates, strict=True)
        assert asked == plan.questions
        assert plan.certificate in told_of_all
        # The same verdicts; each question's codes follow those of the ones before it.
        first = 0
        for told, own, question in zip(told_of_all, each, plan.questions, strict=True):
            assert (told.holds, told.slack, told.witness.loss) == (own.holds, own.slack, own.witness.loss)
            assert (told.witness.value, told.witness.other) == (own.witness.value, own.witness.other)
            assert told.witness.code == first + own.witness.code
            first += question.query.mechanism.outputs
        assert all(plan.certificate.slack <= one.slack for one in each)
        assert plan.certificate.holds


def test_a_report_is_one_of_all_codes(frozen):
    plan = frozen()
    parts = [query["mechanism"] for query in json.loads(plan.bytes)["queries"]]
    assert [part["name"] for part in parts] == ["randomized", "binary", "blockwise"] or parts[0]["name"] == "subset"
    numbers = [1 << 5 if parts[0]["name"] == "subset" else 5, 2, 3 << 10]
    assert plan.sampled.outputs == sum(numbers)
    assert plan.sampled.code_bits == (sum(numbers) - 1).bit_length()


def test_codes_of_many_questions_fit_in_64_bits(tables):
    attributes = {f"q{i}": {"categories": 64} for i in range(5)}
    plan = Plan.of(Survey.read(tables(attributes)), 1000)
    assert plan.sampled.code_bits <= 64
    codes = plan.sampled.privatize([np.arange(200) % 64] * 5)
    assert plan.sampled.tally(codes).n == 200
    assert Plan.of(Survey.read(tables({"q": attributes["q0"]})), 1000).sampled.code_bits <= 64


def test_results_are_about_the_questions_in_their_order(frozen):
    plan = frozen(order=(2, 0, 1))
    values = [np.full(3000, 7), np.full(3000, 3), np.full(3000, 1)]
    aggregate = plan.sampled.tally(plan.sampled.privatize(values))
    found = results(plan, aggregate)
    assert [result.question.name for result in found] == ["a \u00fc", "x", "y"]
    assert [int(result.largest(1)[0]) for result in found] == [7, 3, 1]
    assert sum(result.estimate.n for result in found) == 3000


def test_the_unanswered_question_is_named(frozen):
    plan = frozen()
    codes = plan.sampled.privatize([np.zeros(300, dtype=np.intp)] * 3)
    _, second, third, _ = plan.sampled.offsets
    for own, name in ((codes < second, "y"), (codes >= second, "x"), (codes < third, "a \u00fc")):
        found = results(plan, plan.sampled.tally(codes[own]))
        untold = {result.question.name: str(result.why) for result in found if isinstance(result, Untold)}
        assert f"{name} must have been answered; found no reports about it: collect more." == untold[name]
        assert len(untold) < 3


def test_a_tally_without_reports_is_refused(frozen):
    plan = frozen()
    with pytest.raises(SordinoError, match="must have been answered; found no reports about it"):
        results(plan, plan.sampled.tally(np.empty(0, dtype=np.uint64)))


FORGED = {
    "one attribute asked twice": lambda document: document["queries"].append(document["queries"][0]),
    "one attribute not asked": lambda document: document["queries"].pop(),
    "a weight of zero": lambda document: document["queries"][0].update(weight=0),
    "a weight too large": lambda document: document["queries"][0].update(weight=2**20 + 1),
    "a weight of a fraction": lambda document: document["queries"][0].update(weight=1.5),
    "no weight": lambda document: document["queries"][0].pop("weight"),
    "another's mechanism": lambda document: document["queries"][0].update(
        mechanism=document["queries"][2]["mechanism"]
    ),
}


@pytest.mark.parametrize("forge", FORGED.values(), ids=FORGED)
def test_forged_questions_are_refused(tmp_path, frozen, sealed, forge):
    document = json.loads(frozen().bytes)
    forge(document)
    path = tmp_path / "plan.json"
    path.write_text(text_of(sealed(document)))
    with pytest.raises(SordinoError):
        Plan.load(path)
    path.write_text(text_of(sealed(json.loads(frozen().bytes))))
    assert Plan.load(path).bytes == frozen().bytes
