"""Quotas: a hostile collector gets at most its own, all answers keep the promise, and what others can rely on."""

import math
from fractions import Fraction
from random import Random

import pytest

from in_one import in_one
from sordino import (
    LDP,
    BayesianFilter,
    Box,
    Categories,
    ChannelTable,
    CoordinateDP,
    LinearQuery,
    Nats,
    Query,
    QuotaFilter,
    RandomizedResponse,
    Record,
    RefusedError,
    SordinoError,
    Value,
    explain,
)

TWO, THREE = Categories(["no", "yes"]), Categories(range(3))
COIN = ChannelTable([[3, 1], [1, 3]])
MENU = [
    ChannelTable([[3, 1, 1], [1, 3, 1], [1, 1, 3]]),
    ChannelTable([[3, 1, 2], [2, 3, 1], [1, 2, 3]]),
    ChannelTable([[2, 1], [1, 2], [1, 2]]),
    ChannelTable([[5, 4], [4, 5], [4, 5]]),
]
HOSTILE = "hostile"


def ratio(likelihood):
    return max(likelihood) / min(likelihood)


def multiplied(likelihood, query, code):
    return [p * Fraction(query.weight(x, code), query.denominator) for x, p in enumerate(likelihood)]


def schedules(quotas, budget, count, seed, length=9):
    """Random schedules, half of whose questions are the hostile collector's, checked at each moment."""
    choose, tight, own_only = Random(seed), 0, 0
    definitions = {name: LDP(Nats.log(quota)) for name, quota in quotas.items()}
    honest_budget = budget / quotas[HOSTILE]
    for _ in range(count):
        asked = QuotaFilter(BayesianFilter(THREE, LDP(Nats.log(budget))), definitions)
        own = {name: [Fraction(1)] * 3 for name in quotas}
        everything, honest_part = [Fraction(1)] * 3, [Fraction(1)] * 3
        for _ in range(length):
            name = HOSTILE if choose.random() < 0.5 else choose.choice([each for each in quotas if each != HOSTILE])
            query = choose.choice(MENU)
            codes = range(query.outputs)
            by_quota = all(ratio(multiplied(own[name], query, code)) <= quotas[name] for code in codes)
            by_promise = all(ratio(multiplied(everything, query, code)) <= budget for code in codes)
            accepted = asked.accepts(name, query)
            assert accepted == (by_quota and by_promise)
            if name != HOSTILE and by_quota:
                alone = all(ratio(multiplied(honest_part, query, code)) <= honest_budget for code in codes)
                assert accepted or not alone
            own_only += by_quota and not by_promise
            if not accepted:
                continue
            tight += name == HOSTILE
            code = choose.randrange(query.outputs)
            asked = asked.after(name, query, code)
            own[name], everything = multiplied(own[name], query, code), multiplied(everything, query, code)
            if name != HOSTILE:
                honest_part = multiplied(honest_part, query, code)
            assert ratio(own[name]) <= quotas[name]
            assert ratio(everything) <= budget
            assert asked.spent_by(name) == pytest.approx(math.log(ratio(own[name])), abs=1e-9)
    return tight, own_only


@pytest.mark.parametrize("count", [100, pytest.param(1000, marks=pytest.mark.long)])
def test_a_hostile_collector_gets_at_most_its_quota_in_a_thousand_schedules(count):
    quotas = {HOSTILE: Fraction(6), "A": Fraction(12), "B": Fraction(8)}
    answered, refused_by_others = schedules(quotas, Fraction(60), count, 1)
    # It did get some, and the promise of all sometimes refused what a quota allowed: the quotas add up to more.
    assert answered > count
    assert refused_by_others > 0


def test_where_quotas_add_up_to_the_budget_each_collector_has_its_own():
    quotas = {HOSTILE: Fraction(5), "A": Fraction(4), "B": Fraction(3)}
    _, refused_by_others = schedules(quotas, Fraction(60), 50, 2)
    assert refused_by_others == 0


@in_one("changes", [1, 2])
def test_histories_have_quotas_too(changes):
    asked = QuotaFilter(BayesianFilter(TWO, LDP("ln 81"), changes=changes), {"A": LDP("ln 9"), "B": LDP("ln 9")})
    asked = asked.after("A", COIN, 0).after("B", COIN, 1).after("A", COIN, 1)
    # By themselves there and back would cancel; a change is a hypothesis, so both count.
    assert not asked.accepts("A", COIN)
    assert asked.accepts("B", COIN)
    assert asked.spent_by("A") == pytest.approx(math.log(9))


def test_new_names_buy_nothing():
    start = QuotaFilter(BayesianFilter(TWO, LDP("1")), {"A": LDP("0.6")}, others=LDP("0.3"))
    query = RandomizedResponse(2, "0.3")
    asked = start.after("first name", query, 1)
    assert not asked.accepts("second name", query)
    assert asked.spent_by("third name") == pytest.approx(0.3)
    assert asked.accepts("A", query)
    assert asked.remaining_for("A") == pytest.approx(0.6)
    without = QuotaFilter(BayesianFilter(TWO, LDP("1")), {"A": LDP("0.6")})
    assert not without.accepts("B", query)
    assert without.spent_by("B") == without.remaining_for("B") == 0
    with pytest.raises(RefusedError, match="must have a quota"):
        without.after("B", query, 0)


def test_a_refusal_says_whose_limit_it_is_and_changes_nothing():
    asked = QuotaFilter(BayesianFilter(TWO, LDP("1")), {"A": LDP("0.5"), "B": LDP("2")})
    large = RandomizedResponse(2, "0.8")
    with pytest.raises(RefusedError, match="within its quota"):
        asked.after("A", large, 0)
    asked = asked.after("B", large, 0)
    with pytest.raises(RefusedError, match="must be accepted before it is asked"):
        asked.after("B", large, 0)
    assert asked.accepts("A", RandomizedResponse(2, "0.2"))
    with pytest.raises(SordinoError, match="a code below 2"):
        asked.after("A", RandomizedResponse(2, "0.2"), 2)


def test_a_changed_record_uses_up_quotas_too():
    asked = QuotaFilter(BayesianFilter(TWO, LDP("ln 81")), {"A": LDP("ln 9"), "B": LDP("ln 9")})
    asked = asked.after("A", COIN, 0).after_change().after("A", COIN, 1).after_change()
    assert not asked.accepts("A", COIN)
    assert asked.accepts("B", COIN)


def test_records_and_boxes_have_quotas():
    record = Record({"first": TWO, "second": TWO})
    start = QuotaFilter(BayesianFilter(record, CoordinateDP(["1", "1"])), {"A": CoordinateDP(["0", "0.5"])}, LDP("0.2"))
    query = RandomizedResponse(2, "0.5")
    assert [start.accepts("A", Query(Value(name), query)) for name in ("first", "second")] == [False, True]
    assert not start.accepts("B", Query(Value("second"), query))
    number = LinearQuery([1.0], 0, low=0, high=1, epsilon="0.4")
    box = QuotaFilter(BayesianFilter(Box([0], [1]), LDP("1")), {"A": LDP("0.4"), "B": LDP("0.6")}).after("A", number, 1)
    assert (box.accepts("A", number), box.accepts("B", number)) == (False, True)


@pytest.mark.parametrize("name", ["", 3, None])
def test_a_quota_has_a_name(name):
    with pytest.raises(SordinoError, match="collector's name"):
        QuotaFilter(BayesianFilter(TWO, LDP("1")), {name: LDP("1")})


@pytest.mark.parametrize("name", [3, None, ["A"]])
def test_a_collector_has_a_name(name):
    start = QuotaFilter(BayesianFilter(TWO, LDP("1")), {}, others=LDP("1"))
    for act in (start.accepts, start.decide, lambda name, query: start.after(name, query, 0)):
        with pytest.raises(SordinoError, match="named by a text"):
            act(name, COIN)


def test_quotas_are_set_before_the_first_answer():
    with pytest.raises(SordinoError, match="before the first answer"):
        QuotaFilter(BayesianFilter(TWO, LDP("ln 9")).after(COIN, 0), {"A": LDP("1")})
    with pytest.raises(SordinoError, match="2 values"):
        QuotaFilter(BayesianFilter(TWO, LDP("1")), {"A": CoordinateDP(["1"])})


def test_explain_says_what_each_collector_has_left():
    start = QuotaFilter(BayesianFilter(TWO, LDP("1")), {"A": LDP("0.6")}, others=LDP("0.3"))
    text = str(explain(start.after("A", RandomizedResponse(2, "0.4"), 1)))
    assert "The answers to 'A' by themselves distinguish two records by at most 0.4" in text
    assert "all other collectors together" in text
