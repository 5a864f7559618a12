"""Filters over many attributes: all answers of a question by one search, and as exact as one by one."""

from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest

from sordino import (
    LDP,
    BayesianCoordinateDP,
    BayesianFilter,
    Categories,
    ChannelTable,
    CoordinateDP,
    Nats,
    Query,
    Record,
    Value,
    Values,
)
from sordino.accounting import filter as filters
from sordino.accounting.measures import record_state
from sordino.accounting.measures.grouped import GroupedState
from sordino.accounting.measures.record_state import WholeFactors
from sordino.evidence import factored

FOUR = Record({name: Categories(range(2)) for name in "abcd"})

TABLE = [[3, 1, 2], [1, 3, 2], [2, 2, 2], [2, 1, 3]]


@pytest.mark.parametrize("beside", [-1, 0, 1])
def test_answers_by_one_search_are_decided_like_one_by_one(beside, monkeypatch):
    """The bound is what some answers come to, or a hair beside it; fractions over all records tell who is right."""
    monkeypatch.setattr(filters, "LARGEST_LIKELIHOOD", 0)
    rng = np.random.default_rng(7)
    queries = [Query(Values(*pair), ChannelTable(TABLE)) for pair in combinations("abcd", 2)]
    records = [tuple(row) for row in FOUR.values(np.arange(FOUR.k)).tolist()]

    def after(likelihood, query, code):
        told = query.index(FOUR, records)
        return [p * Fraction(TABLE[value][code], 6) for p, value in zip(likelihood, told.tolist(), strict=True)]

    decisions = set()
    for _ in range(6):
        asked = [(queries[rng.integers(6)], int(rng.integers(3))) for _ in range(6)]
        likelihood = [Fraction(1)] * FOUR.k
        for query, code in asked:
            likelihood = after(likelihood, query, code)
        bound = max(likelihood) / min(likelihood)
        start = BayesianFilter(FOUR, LDP(Nats.log(bound * (1 + Fraction(beside, 10**30)))))
        likelihood = [Fraction(1)] * FOUR.k
        for query, code in asked:
            worst = max(max(one) / min(one) for one in (after(likelihood, query, c) for c in range(3)))
            expected = worst <= bound * (1 + Fraction(beside, 10**30))
            assert start.accepts(query) == expected
            state, one_by_one = start._state, GroupedState.by_answers
            assert one_by_one(state, query, 3)[0] == state.by_answers(query, 3)[0] == expected
            decisions.add(expected)
            start, likelihood = start.with_answer(query, code), after(likelihood, query, code)
    assert decisions == {True, False}


@pytest.mark.parametrize("worst", range(3))
def test_every_answer_is_looked_at(worst, monkeypatch):
    """Only one of them tells a factor of 2; the others tell next to nothing."""
    monkeypatch.setattr(filters, "LARGEST_LIKELIHOOD", 0)
    first, second = [8, 7], [7, 7]
    query = Query(
        Value("a"), ChannelTable([[*first[:worst], 1, *first[worst:]], [*second[:worst], 2, *second[worst:]]])
    )
    for bound, accepted in (("ln 3/2", False), ("ln 2", True)):
        assert BayesianFilter(FOUR, CoordinateDP([bound] * 4)).accepts(query) == accepted
        assert BayesianFilter(FOUR, LDP(bound)).accepts(query) == accepted


def test_a_decision_searches_as_often_whatever_can_be_answered(monkeypatch):
    """Once, for the largest and the least sum of what was answered with the question's attributes open."""
    monkeypatch.setattr(filters, "LARGEST_LIKELIHOOD", 0)
    searched = []

    def counted(*args, **kwargs):
        searched.append(args)
        return original(*args, **kwargs)

    original = factored.both_ends
    flat = [[9, 8, 8, 8, 8, 8], [8, 9, 8, 8, 8, 8], [8, 8, 9, 8, 8, 8], [8, 8, 8, 9, 8, 8]]
    asked = BayesianFilter(FOUR, LDP("1"))
    for pair, code in (("ab", 0), ("bc", 1), ("cd", 4)):
        asked = asked.after(Query(Values(*pair), ChannelTable(flat)), code)
    monkeypatch.setattr(factored, "both_ends", counted)
    monkeypatch.setattr(factored, "LISTED", 0)
    monkeypatch.setattr(factored, "work", lambda *_: 0)
    asked._state.by_answers(Query(Values("a", "d"), ChannelTable(flat)), 6)
    assert len(searched) == 1


@pytest.mark.parametrize(("delta", "accepted"), [("ln 25/16", True), ("ln 1562499/1000000", False)])
def test_mixtures_on_their_bound_are_compared_exactly(delta, accepted, monkeypatch):
    """Two answers about a, each with odds of 2: of b, which goes with a by at most 3/16, they reveal 13/16 + 4 3/16."""
    monkeypatch.setattr(filters, "LARGEST_LIKELIHOOD", 0)
    about = Query(Value("a"), ChannelTable([[2, 1], [1, 2]]))
    bounded = BayesianCoordinateDP.bounded(["ln 4", delta, "ln 4", "ln 4"], "ln 4", ["3/16"] * 4)
    asked = BayesianFilter(FOUR, bounded)
    assert asked.accepts(about)
    assert asked.after(about, 0).accepts(about) == accepted


SHAPE = (2, 3, 2, 2)

RECORDS = list(product(*map(range, SHAPE)))

KINDS = ((1, 3), (10, 30, 33), (3 * 10**30, 9 * 10**30 + 1), (2, 4, 8), (7,))
"""Weights of answers; some of their ratios are powers of each other, or nearly."""


def answered(rng, count, kinds=KINDS):
    """Random answers about up to three attributes: as the class holds them, and the likelihood of each record."""
    factors, likelihood = WholeFactors(), dict.fromkeys(RECORDS, Fraction(1))
    for _ in range(count):
        places = tuple(sorted(rng.choice(4, rng.integers(1, 4), replace=False).tolist()))
        distinct = kinds[rng.integers(len(kinds))]
        place = rng.integers(0, len(distinct), [SHAPE[one] for one in places])
        factors = factors.plus(places, distinct, place)
        for record in RECORDS:
            likelihood[record] *= distinct[place[tuple(record[one] for one in places)]]
    return factors, likelihood


def ratio(likelihood, place):
    """The largest ratio; None where it is infinite."""
    worst = Fraction(1)
    for first, second in product(RECORDS, repeat=2):
        beside = [one for one in range(4) if first[one] != second[one]]
        if (place is None or beside == [place]) and likelihood[first]:
            if not likelihood[second]:
                return None
            worst = max(worst, likelihood[first] / likelihood[second])
    return worst


@pytest.mark.parametrize("kinds", [KINDS, (*KINDS, (0, 1, 2))])
def test_ratios_are_those_of_fractions_over_all_records(kinds):
    rng, infinite = np.random.default_rng(5), 0
    for count in (0, 1, 2, 4, 8, 12) * 3:
        factors, likelihood = answered(rng, count, kinds)
        for place in (None, *range(4)):
            expected = ratio(likelihood, place)
            # Where answers are impossible elsewhere it may stay open; it is never less.
            found = factors.ratio(place)
            assert found == expected or (0 in kinds[-1] and (found is None or found > expected))
            infinite += expected is None
    assert bool(infinite) == (0 in kinds[-1])


def test_what_is_too_large_to_work_out_stays_open(monkeypatch):
    factors, likelihood = answered(np.random.default_rng(6), 12)
    monkeypatch.setattr(record_state, "LARGEST_WHOLE", 8)
    assert factors.ratio(None) is factors.ratio(1) is None
    assert ratio(likelihood, None) is not None


def test_thousands_of_answers_are_counted_and_not_multiplied():
    """Only the last one is told; exponents tell, whatever the number of answers."""
    factors = WholeFactors()
    for step in range(2_000):
        place = np.array([[0, 1], [1, 0]]) if step % 2 else np.array([[1, 0], [0, 1]])
        factors = factors.plus((0, 2), (2**64 - 3, 2**64), place)
    factors = factors.plus((2,), (5, 8), np.array([1, 0]))
    assert factors.powers(None) == {5: -1, 8: 1} == factors.powers(2)
    assert factors.powers(0) == {}
