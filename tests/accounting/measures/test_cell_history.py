"""Numbers that change: never less than what an enumeration of histories of records reveals, and little more."""

import math
from itertools import pairwise, product
from random import Random

import numpy as np
import pytest

from chances import chances
from in_one import in_one
from lattice import expected_answers
from sordino import (
    LDP,
    BayesianFilter,
    Box,
    Categories,
    Interval,
    LinearQuery,
    LogisticQuery,
    Query,
    RandomizedResponse,
    SordinoError,
    TruncatedLinearQuery,
    Value,
    explain,
)
from sordino.domain.mixed_record import MixedRecord
from sordino.once.ledger.frozen_values import decode, encode

RECORD = MixedRecord({"age": Interval(18, 90), "smoker": Categories(["yes", "no"])})
ONE = MixedRecord({"age": Interval(0, 1)})
PEOPLE = list(product(np.linspace(18, 90, 11), range(2)))
SMOKER = Query(Value("smoker"), RandomizedResponse(2, "0.5"))
MENU = [
    LinearQuery([1.0], 0, 18, 90, "0.6"),
    TruncatedLinearQuery([-1.0], 0, -60, -30, "0.7"),
    LogisticQuery([0.1], -5, "0.5"),
    SMOKER,
]


def log_probabilities(query, code):
    """ln Pr(code | record) of each of some people, from the integers that are compared."""
    if query is SMOKER:
        return np.log([float(query.mechanism.weight(smoker, code)) for _, smoker in PEOPLE])
    ones = chances(query, np.array([[age] for age, _ in PEOPLE]))
    return np.log([float(one if code else 1 - one) for one in ones])


def lost(changes, asked):
    """Nats, from below: between two histories of these people, by enumeration of where they change."""
    tables = [log_probabilities(query, code) for query, code in asked]
    spans = []
    for side in (1, -1):
        best = -math.inf
        for used in range(changes + 1):
            for ends in cuts(len(tables), used):
                best = max(best, sum(np.max(side * sum(tables[a:b])) for a, b in pairwise(ends)))
        spans.append(best)
    return sum(spans)


def cuts(answers, changes):
    """Where a history begins, changes and ends: between each two it is one record, any one."""
    for inside in product(range(answers + 1), repeat=changes):
        if list(inside) == sorted(inside):
            yield (0, *inside, answers)


@in_one("changes", [1, 2])
@in_one("seed", range(6))
def test_the_loss_is_never_understated_and_hardly_overstated(changes, seed):
    choose = Random(seed)
    asked, known = BayesianFilter(RECORD, LDP("1.6"), changes=changes), []
    for _ in range(9):
        query = choose.choice(MENU)
        worst = max(lost(changes, [*known, (query, code)]) for code in range(2))
        decision = asked.decide(query)
        assert worst <= decision.loss + 1e-9 or not decision.accepted
        # Within a cell of 64 a question varies by little; a truncated one by most.
        slack = 0.02 * (len(known) + 1)
        assert decision.accepted or worst > 1.6 - slack
        if not decision.accepted:
            continue
        code = choose.randrange(2)
        asked, known = asked.after(query, code), [*known, (query, code)]
        assert lost(changes, known) <= asked.spent + 1e-9 <= lost(changes, known) + slack + 1e-9
        assert asked.spent <= 1.6


def test_it_is_never_told_less_than_that_the_epsilons_add():
    asked, query = BayesianFilter(ONE, LDP("1"), changes=3), LinearQuery([1.0], 0, 0, 1, "0.1")
    for place in range(10):
        assert asked.accepts(query)
        asked = asked.after(query, int(place >= 5))
        assert asked.remaining == pytest.approx(0.9 - 0.1 * place, abs=1e-12)
    assert not asked.accepts(query)


@in_one("changes", [1, 2])
def test_almost_as_many_answers_fit_as_about_one_of_two_values(changes):
    """Ends of a range are two values: what is asked of them bounds it, and cells cost little of it."""
    query, choose, counts = LinearQuery([1.0], 0, 0, 1, "0.1"), Random(changes), []
    for _ in range(12):
        asked, count = BayesianFilter(ONE, LDP("1"), changes=changes), 0
        while asked.accepts(query):
            asked, count = asked.after(query, choose.randrange(2)), count + 1
        counts.append(count)
    assert 0.6 * expected_answers(changes, 10) < np.mean(counts)


def test_what_remains_is_accepted_and_a_next_life_adds():
    query = MENU[0]
    asked = BayesianFilter(RECORD, LDP("3"), changes=1).after(query, 1).after(SMOKER, 0).after(query, 0)
    again = decode(encode(asked))
    assert encode(again) == encode(asked)
    left = asked.remaining
    assert 1.29 < left < 3
    assert again.accepts(LinearQuery([1.0], 0, 18, 90, left))
    later = asked.changed()
    assert later.spent == pytest.approx(asked.spent)
    assert later.remaining == pytest.approx(left, abs=1e-8)
    spent = later.after(SMOKER, 1).spent
    assert spent == pytest.approx(asked.spent + 0.5, abs=1e-6)
    assert "two histories with at most 1 change" in str(explain(asked))


def test_what_is_not_offered_is_refused_in_words():
    with pytest.raises(SordinoError, match="attributes that are counted"):
        BayesianFilter(RECORD, LDP("1"), changes=1).accepts(Query(Value("age"), RandomizedResponse(64, "0.1")))
    three = MixedRecord({name: Interval(0, 1) for name in "abc"})
    with pytest.raises(SordinoError, match="at most 131,072 values or cells"):
        BayesianFilter(three, LDP("1"), changes=1)
    with pytest.raises(SordinoError, match="changes are offered for LDP"):
        BayesianFilter(Box([0], [1]), LDP("1"), changes=1)
