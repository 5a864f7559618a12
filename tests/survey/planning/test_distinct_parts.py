"""What questions have in common is worked out once; what differs in one integer or one amount is a part of its own."""

import json
import sys
from collections import Counter
from contextlib import contextmanager
from math import log2

import numpy as np
import pytest

from sordino import LDP, Nats, Plan, Survey
from sordino.audit.answers import certify_queries
from sordino.audit.certificate import certify
from sordino.design.numbers.optional_numbers import optional_channel
from sordino.design.shares.best_mechanism import best_mechanism
from sordino.distinct import DistinctParts
from sordino.document.formats import PLAN
from sordino.document.sealed import sealed_bytes
from sordino.errors import RefusedError
from sordino.survey.kinds import promised_channel
from sordino.survey.kinds.promised_channel import CertifiedQueries, ChannelPart, QueriesPart
from sordino.survey.kinds.shares import fitted_forecast
from sordino.survey.planning.forecast import forecasts
from sordino.survey.planning.gain_of_bounds import what_a_bound_buys
from sordino.survey.planning.plan_design import design_questions
from sordino.words.explain_plan import explanation


def tables(count, kinds):
    """So many questions, of each kind in turn, whose attributes differ in nothing but their names."""
    attributes, asks = {}, []
    for place in range(count):
        name, (attribute, ask) = f"q{place:04}", kinds[place % len(kinds)]
        attributes[name] = attribute
        about = [name] if "mean" in ask else name
        asks.append({word: about if given is None else given for word, given in ask.items()})
    return {"version": 1, "epsilon": "1", "attribute": attributes, "ask": asks}


def survey(count, kinds):
    return Survey.read(tables(count, kinds))


NUMBER = {"low": 0, "high": 100}
KINDS = [
    ({"categories": ["yes", "no"]}, {"histogram": None}),
    ({"categories": ["a", "b", "c", "d"]}, {"histogram": None}),
    ({"number": NUMBER, "missing": 0.1}, {"mean": None}),
    ({"number": NUMBER}, {"mean": None}),
    ({"number": NUMBER}, {"above": None, "threshold": 50}),
    ({"number": NUMBER}, {"distribution": None}),
    ({"categories": ["a", "b", "c"], "several": 2}, {"several": None}),
]
PEOPLE = 1000


@contextmanager
def counted(monkeypatch, *functions):
    """How often functions of modules are called, which do what they do."""
    calls = Counter()
    with monkeypatch.context() as patched:
        for module, name in functions:
            own = getattr(module, name)

            def call(*given, own=own, name=name, **named):
                calls[name] += 1
                return own(*given, **named)

            patched.setattr(module, name, call)
        yield calls


def test_each_distinct_part_is_certified_once_when_a_plan_is_read(monkeypatch):
    text = Plan.of(survey(10 * len(KINDS), KINDS), PEOPLE * len(KINDS)).bytes.decode()
    with counted(monkeypatch, (promised_channel, "certify"), (promised_channel, "certify_queries")) as calls:
        read = Plan.of_text(text, "the plan")
        # Two categories and a threshold have the same integers; four categories, a distribution and sets of several
        # have others, and the two kinds of means.
        assert calls == {"certify": 4, "certify_queries": 2}
    assert {part: read.parts.made[part] for part in (ChannelPart, QueriesPart, CertifiedQueries)} == {
        ChannelPart: 4,
        QueriesPart: 2,
        CertifiedQueries: 2,
    }
    assert len({id(question.query) for question in read.questions if question.kind == "mean"}) == 2


def test_each_distinct_design_is_chosen_once(monkeypatch):
    from sordino.design.numbers import optional_numbers as means
    from sordino.design.shares import best_mechanism as shares

    kinds = [KINDS[0], KINDS[1], KINDS[2]]
    with counted(monkeypatch, (shares, "best_mechanism"), (means, "optional_channel")) as calls:
        Plan.of(survey(30, kinds), 30_000)
    assert calls == {"best_mechanism": 2, "optional_channel": 1}
    assert shares.best_mechanism is best_mechanism
    assert means.optional_channel is optional_channel


def test_each_distinct_part_is_forecast_once(monkeypatch):
    plan = Plan.of(survey(30, KINDS[:2]), 30_000)
    with counted(monkeypatch, (fitted_forecast, "fitted_distance")) as calls:
        found = forecasts(plan)
        told = [one.tables() for one in found]
    # Of values that are all alike and of a few common ones; uniform protection has the same integers.
    assert calls == {"fitted_distance": 4}
    # What is told is what each would tell by itself.
    alone = [forecasts(Plan.of(survey(1, [kind]), PEOPLE))[0].tables() for kind in KINDS[:2]]
    assert [told[0], told[1]] == alone
    assert all(table == told[place % 2] for place, table in enumerate(told))


def test_a_plan_that_is_forecast_again_keeps_nothing_more():
    plan = Plan.of(survey(len(KINDS), KINDS), PEOPLE * len(KINDS))
    for one in forecasts(plan):
        one.tables()
    before = dict(plan.parts.made)
    question = plan.questions[1]
    for seed in range(2):
        shares = np.random.default_rng(seed).dirichlet(np.ones(4))
        question.forecast(shares)
        expected = [shares if one is question else None for one in plan.questions]
        for one in forecasts(plan, expected):
            one.tables()
    assert dict(plan.parts.made) == before
    # Another plan has parts of its own.
    assert Plan(plan.document).parts.made == {}


def changed(plan, change):
    """The text of a plan whose document was changed, sealed again."""
    document = json.loads(plan.bytes)
    change(document)
    document.pop("hash")
    sealed = PLAN.seal({name: part for name, part in document.items() if name not in ("format", "version")})
    return (sealed_bytes(sealed) + b"\n").decode()


def bolder(question):
    """Integers that reveal more than the promise by one step of a coin."""
    mechanism = question["mechanism"] if "mechanism" in question else question["queries"]["mechanisms"][0]
    mechanism["threshold"] = str(int(mechanism["threshold"]) + 1)


ALIKE = {
    "shares": KINDS[0],
    "shares of four": KINDS[1],
    "a threshold": KINDS[4],
    "several": KINDS[6],
    "means by one bit": ({"number": NUMBER, "delta": "0.3"}, {"mean": None}),
}


@pytest.mark.parametrize("place", range(3))
@pytest.mark.parametrize("kind", ALIKE)
def test_of_questions_that_are_asked_alike_one_that_was_changed_by_one_integer_is_found(kind, place):
    """Which one it is does not matter: before it the others were certified, or after it."""
    plan = Plan.of(survey(3, [ALIKE[kind]]), 30_000)
    with pytest.raises(RefusedError, match="keep its own promise"):
        Plan.of_text(changed(plan, lambda document: bolder(document["queries"][place])), "the plan")
    # The same change of all of them is found as well.
    with pytest.raises(RefusedError, match="keep its own promise"):
        Plan.of_text(changed(plan, lambda document: [bolder(one) for one in document["queries"]]), "the plan")


@pytest.mark.parametrize("weak", [0, 1])
def test_equal_integers_under_another_epsilon_are_certified_under_theirs(weak):
    """Integers for epsilon 2 stand at a question of epsilon 1, before or after the one that they are for."""
    each = [{"categories": ["yes", "no"], "protect": {"epsilon": level}} for level in ("1", "2")]
    attributes = dict(zip("ab", each if weak == 0 else each[::-1], strict=True))
    asks = [{"histogram": name} for name in "ab"]
    plan = Plan.of(Survey.read({"version": 1, "attribute": attributes, "ask": asks}), 2000)
    assert plan.parts.made[ChannelPart] == 2

    def copy(document):
        document["queries"][weak]["mechanism"] = document["queries"][1 - weak]["mechanism"]

    with pytest.raises(RefusedError, match="keep its own promise"):
        Plan.of_text(changed(plan, copy), "the plan")


def test_blocks_of_equal_sizes_are_certified_each_over_its_own():
    labels = ["a", "b", "c", "d"]
    blocks = ([["a", "b"], ["c", "d"]], [["a", "c"], ["b", "d"]])
    attributes = {
        name: {"categories": labels, "protect": {"blocks": own}} for name, own in zip("xy", blocks, strict=True)
    }
    asks = [{"histogram": name} for name in attributes]
    plan = Plan.of(Survey.read({"version": 1, "epsilon": "1", "attribute": attributes, "ask": asks}), 2000)
    assert plan.parts.made[ChannelPart] == 2
    for question, own in zip(plan.questions, blocks, strict=True):
        witness = question.certificate.witness
        assert {labels[witness.value], labels[witness.other]} in map(set, own)
        assert question.certificate == certify(question.mechanism, question.definition)


def test_what_is_shared_is_what_each_question_says_by_itself():
    plan = Plan.of(survey(3 * len(KINDS), KINDS), 3 * PEOPLE * len(KINDS))
    for question in plan.questions:
        if question.value_promise is None:
            assert question.certificate == certify_queries(question.query, LDP("1"))
        else:
            assert question.certificate == certify(question.mechanism, question.value_promise)


def test_parts_of_different_classes_are_different_and_what_fails_is_tried_again():
    parts, tried = DistinctParts(), []

    def fail():
        tried.append(1)
        raise RefusedError("no")

    for _ in range(2):
        with pytest.raises(RefusedError):
            parts.of(QueriesPart("1"), fail)
    assert len(tried) == 2
    assert parts.of(QueriesPart("1"), lambda: "queries") == "queries"
    assert parts.of(CertifiedQueries("1", Nats.of(1)), lambda: "certificate") == "certificate"
    assert parts.of(("1",), lambda: "another") == "another"
    assert parts.of(QueriesPart("1"), lambda: "again") == "queries"
    assert parts.made == {QueriesPart: 1, CertifiedQueries: 1, tuple: 1}


@pytest.mark.parametrize(("record", "other"), [(1, 1.0), (1, True), ("1", 1), ([1, 2], [2, 1])])
def test_records_that_python_takes_for_equal_are_spelled_differently(record, other):
    text = promised_channel.record_text
    assert text({"k": record}) != text({"k": other})
    assert text({"k": record}) == text({"k": record})
    # What no document holds is equal to nothing but itself.
    strange = {"k": object()}
    assert text(strange) == text(strange) != text({"k": strange["k"]})


def calls_of(work):
    """How many functions are called, those of libraries too."""
    calls = 0

    def count(frame, event, argument):
        del frame, argument
        nonlocal calls
        calls += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(None)
    return calls


WORKS = {
    "a survey is read": (lambda count: tables(count, KINDS), Survey.read),
    "mechanisms are chosen": (lambda count: survey(count, KINDS), lambda asked: design_questions(asked, 10**6)),
    "a plan is read": (
        lambda count: Plan.of(survey(count, KINDS), 10**6).bytes.decode(),
        lambda text: Plan.of_text(text, "the plan"),
    ),
    "a plan is forecast": (
        lambda count: Plan.of(survey(count, KINDS), 10**6),
        lambda plan: [one.tables() for one in forecasts(plan)],
    ),
    "a plan is explained": (lambda count: Plan.of(survey(count, KINDS), 10**6), explanation),
    "what a bound buys": (
        lambda count: (survey(count, KINDS), Plan.of(survey(count, KINDS), 10**6)),
        lambda both: what_a_bound_buys(*both),
    ),
}


@pytest.mark.parametrize("work", WORKS)
def test_twice_the_questions_are_twice_the_work(work):
    """Counted in calls: what a survey of hundreds of questions takes grows with their number alone."""
    given, do = WORKS[work]
    # What is loaded or kept once.
    do(given(14))
    # What is searched for once grows slowly at first.
    count = 140 if work == "mechanisms are chosen" else 56
    few, many = (calls_of(lambda own=own: do(own)) for own in map(given, (count, 2 * count)))
    assert log2(many / few) <= 1.1
