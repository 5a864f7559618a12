"""Filters over finite domains and records: exact at the boundary, against brute force, as values; what they refuse."""

import math
from dataclasses import FrozenInstanceError
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from in_one import in_one
from sordino import (
    LDP,
    BayesianCoordinateDP,
    BayesianFilter,
    BlockLDP,
    Blockwise,
    Box,
    Categories,
    ChannelTable,
    CoordinateDP,
    HadamardResponse,
    HighLowLDP,
    LinearQuery,
    Nats,
    PairwiseLDP,
    Query,
    RandomizedResponse,
    Record,
    SordinoError,
    SubsetSelection,
    Value,
    Values,
    realized_loss,
)
from sordino.accounting import filter as filters
from sordino.words.explain_filter import left_sentences

TWO = Categories(["no", "yes"])
THREE = Categories(["a", "b", "c"])
PAIR = Record({"first": TWO, "second": THREE})
FIFTY = Record({f"q{i}": TWO for i in range(50)})


@in_one("epsilon", ["1", "ln 3", "1/3", "0.1", "12", "ln 1.0001"])
@in_one("rule", ["full", "simplified"])
def test_as_many_answers_as_fit_are_accepted_exactly(epsilon, rule):
    """Seven answers fit into seven times their epsilon to the last unit; an eighth does not."""
    budget = sum((Nats.of(epsilon) for _ in range(7)), Nats.of(0))
    coin = RandomizedResponse(2, epsilon)
    asked = BayesianFilter(TWO, LDP(budget), rule)
    for _ in range(7):
        assert asked.accepts(coin)
        asked = asked.after(coin, 1)
    assert not asked.accepts(coin)
    # Twice there and once back is once there.
    asked = BayesianFilter(TWO, LDP(budget), rule)
    for code in (1, 1, 0, 1, 1, 1, 0, 1, 1, 1, 1):
        asked = asked.after(coin, code)
    assert not asked.accepts(coin)


def test_a_hair_beyond_the_budget_is_refused():
    heavy = ChannelTable([[3 * 10**17 + 1, 10**17 - 1], [10**17 - 1, 3 * 10**17 + 1]])
    assert not BayesianFilter(TWO, LDP("ln 3")).accepts(heavy)
    assert BayesianFilter(TWO, LDP("ln 3")).accepts(ChannelTable([[3, 1], [1, 3]]))
    assert not BayesianFilter(PAIR, CoordinateDP(["ln 3", "0"])).accepts(Query(Value("first"), heavy))


@st.composite
def channels(draw):
    """Channels of three values with three codes; rows of one sum."""
    rows = draw(st.lists(st.lists(st.integers(1, 8), min_size=3, max_size=3), min_size=3, max_size=3))
    total = math.lcm(*map(sum, rows))
    return ChannelTable([[weight * (total // sum(row)) for weight in row] for row in rows])


@given(st.lists(channels(), min_size=1, max_size=3), st.integers(1, 40), st.randoms(use_true_random=False))
def test_decisions_are_those_of_brute_force_products(queries, tenths, choose):
    budget = Fraction(tenths, 10)
    asked, likelihood = BayesianFilter(THREE, LDP(budget)), [Fraction(1)] * 3
    for _ in range(6):
        query = choose.choice(queries)
        after = [
            [p * Fraction(query.weight(x, code), query.denominator) for x, p in enumerate(likelihood)]
            for code in range(3)
        ]
        worst = max(math.log(max(row) / min(row)) for row in after)
        if abs(worst - float(budget)) < 1e-12:
            return
        assert asked.accepts(query) == (worst <= budget)
        if not asked.accepts(query):
            return
        code = choose.randrange(3)
        asked, likelihood = asked.after(query, code), after[code]
        lower, upper = asked.realized_loss.lower, asked.realized_loss.upper
        true = math.log(max(likelihood) / min(likelihood))
        assert lower - 1e-12 <= true <= upper + 1e-12
        assert true <= asked.spent <= true + 1e-12
        # Never below zero.
        assert 0 <= asked.remaining <= float(budget) - true + 1e-12


@pytest.mark.parametrize(
    "definition",
    [LDP("3"), CoordinateDP(["1", "2"]), CoordinateDP(["inf", "0.8"]), CoordinateDP(["ln 9", "ln 4"])],
)
def test_factors_decide_like_the_whole_table(definition, monkeypatch):
    whole = BayesianFilter(PAIR, definition)
    monkeypatch.setattr(filters, "LARGEST_LIKELIHOOD", 0)
    parts = BayesianFilter(PAIR, definition)
    assert type(parts._state) is not type(whole._state)
    menu = [
        Query(Value("first"), RandomizedResponse(2, "ln 3")),
        Query(Value("second"), RandomizedResponse(3, "0.7")),
        Query(Values("second", "first"), RandomizedResponse(6, "0.3")),
        Query(Values(0, 1), SubsetSelection(6, "0.2")),
        Query(Value("second"), ChannelTable([[2, 1], [1, 2], [1, 2]])),
    ]
    rng, decisions = np.random.default_rng(3), []
    for _ in range(40):
        query = menu[rng.integers(len(menu))]
        decisions.append(whole.accepts(query))
        assert parts.accepts(query) == decisions[-1]
        assert parts.spent == pytest.approx(whole.spent, abs=1e-12)
        if decisions[-1]:
            told = query.mechanism.probabilities()[rng.integers(query.mechanism.k)]
            code = int(rng.choice(len(told), p=told / told.sum()))
            whole, parts = whole.after(query, code), parts.after(query, code)
    assert set(decisions) == {True, False}


def test_fifty_attributes_never_build_their_table():
    """2^50 records; questions about pairs of them, and answers that cancel."""
    coins = [Query(Value(f"q{i}"), RandomizedResponse(2, "0.5")) for i in range(50)]
    pairs = [Query(Values(i, i + 1), RandomizedResponse(4, "0.5")) for i in range(49)]
    for definition in (LDP("4"), CoordinateDP(["2"] * 50), BayesianCoordinateDP.bounded(["3"] * 50, "4", 0.2)):
        asked, count = BayesianFilter(FIFTY, definition), 0
        for coin, pair in zip(coins, pairs, strict=False):
            for query, code in ((coin, 0), (coin, 1), (pair, 2)):
                if asked.accepts(query):
                    asked, count = asked.after(query, code), count + 1
        basic = 8 if isinstance(definition, LDP) else 3
        assert count > basic
        assert asked.remaining >= 0
    bounds = realized_loss(FIFTY, [coins[7], coins[9], coins[7]], [0, 0, 1])
    assert bounds.lower <= 0.5 <= bounds.upper <= 0.5 + 1e-9


def test_bounded_dependence_on_many_attributes_is_the_mixture_of_its_losses():
    deltas = BayesianCoordinateDP.bounded(["3"] * 50, "4", "1/4")
    asked = BayesianFilter(FIFTY, deltas)
    for i, code in ((3, 0), (3, 0), (4, 1)):
        asked = asked.after(Query(Value(f"q{i}"), ChannelTable([[3, 1], [1, 3]])), code)
    # Attribute 3 lost ln 9 by itself, the record ln 27: (3/4) 9 + (1/4) 27 = 13.5.
    assert asked._state.levels[3] == pytest.approx(math.log(13.5), abs=1e-12)
    assert asked._state.levels[7] == pytest.approx(math.log(0.75 + 27 / 4), abs=1e-12)


def test_a_filter_is_a_value_and_refusals_change_nothing():
    coin = RandomizedResponse(2, "1")
    start = BayesianFilter(TWO, LDP("1"))
    one = start.after(coin, 0)
    assert (start.spent, start.accepts(coin), one.accepts(coin)) == (0.0, True, False)
    before = one.spent
    with pytest.raises(SordinoError, match="accepted before it is asked"):
        one.after(coin, 0)
    assert one.spent == before
    # A later, smaller query may still be accepted, once an answer led back.
    assert not one.accepts(RandomizedResponse(2, "0.2"))
    with pytest.raises(FrozenInstanceError):
        one.rule = "simplified"


def test_queries_at_once_fit_in_any_order_and_number():
    coin, half = RandomizedResponse(2, "1"), RandomizedResponse(2, "0.5")
    start = BayesianFilter(TWO, LDP("2"))
    assert start.accepts_all([coin, coin])
    assert start.accepts_all([coin, half, half])
    assert not start.accepts_all([coin, coin, half])
    # Each fits by itself, the two together do not.
    near = start.after(coin, 0)
    assert near.accepts(coin)
    assert not near.accepts_all([coin, half])
    # Questions about different attributes under coordinate DP.
    queries = [Query(Value(f"q{i}"), coin) for i in range(8)]
    assert BayesianFilter(FIFTY, CoordinateDP(["1"] * 50)).accepts_all(queries)
    assert not BayesianFilter(FIFTY, LDP("7")).accepts_all(queries)
    assert start.accepts_all([])


def test_joint_admission_is_that_of_every_subset():
    """An answer that would lead back cannot be counted on before it came."""
    start = BayesianFilter(TWO, LDP("1")).after(ChannelTable([[2, 1], [1, 2]]), 0)
    small = ChannelTable([[11, 10], [10, 11]])
    for count in range(1, 6):
        signs = product((-1, 1), repeat=count)
        subsets = (sum(s[:taken]) for s in signs for taken in range(count + 1))
        fits = max(math.log(2) + math.log(1.1) * total for total in subsets) <= 1
        assert start.accepts_all([small] * count) == fits


def test_a_changed_record_never_gives_back():
    coin = RandomizedResponse(2, "1")
    asked = BayesianFilter(TWO, LDP("2")).after(coin, 1).changed()
    assert asked.spent == pytest.approx(1.0)
    asked = asked.after(coin, 0)
    assert asked.spent == pytest.approx(2.0)
    assert not asked.accepts(RandomizedResponse(2, "0.01"))
    again = BayesianFilter(FIFTY, CoordinateDP(["2"] * 50)).after(Query(Value("q3"), coin), 1).changed()
    again = again.after(Query(Value("q3"), coin), 0)
    assert not again.accepts(Query(Value("q3"), RandomizedResponse(2, "0.01")))
    assert again.accepts(Query(Value("q4"), RandomizedResponse(2, "2")))
    box = BayesianFilter(Box([-1], [1]), LDP("2"))
    mean = LinearQuery([1.0], 0, -1, 1, "1")
    assert box.after(mean, 1).after(mean, 0).remaining > 1.7
    moved = box.after(mean, 1).changed().after(mean, 0)
    assert moved.remaining < 1e-6
    prior = BayesianCoordinateDP.with_prior(["1", "1"], np.full((2, 3), 1 / 6))
    for definition in (prior, BayesianCoordinateDP.bounded(["1", "1"], "2", 0)):
        with pytest.raises(SordinoError, match="version"):
            BayesianFilter(PAIR, definition).changed()
    with pytest.raises(SordinoError, match="version"):
        BayesianFilter(FIFTY, BayesianCoordinateDP.bounded(["1"] * 50, "2", 0)).changed()


@pytest.mark.parametrize(
    ("start", "half", "whole"),
    [
        (BayesianFilter(TWO, LDP("5/4")), RandomizedResponse(2, "1/2"), RandomizedResponse(2, "1")),
        (BayesianFilter(TWO, LDP("5/4"), changes=1), RandomizedResponse(2, "1/2"), RandomizedResponse(2, "1")),
        (BayesianFilter(FIFTY, LDP("5/4")), *(Query(Value("q3"), RandomizedResponse(2, e)) for e in ("1/2", "1"))),
    ],
    ids=["one attribute", "histories", "many attributes"],
)
def test_decisions_and_what_binds_count_all_versions(start, half, whole):
    again = start.after(half, 1).changed()
    for asked in (again, again.after(half, 0)):
        decision = asked.decide(whole)
        assert not decision.accepted
        assert decision.loss == pytest.approx(asked.spent + 1)
        assert asked.binding.spent == pytest.approx(asked.spent)


def test_pairs_of_values_lose_together_over_versions():
    definition = PairwiseLDP([["0", "2", "1"], ["2", "0", "3"], ["1", "3", "0"]])
    query = ChannelTable([[3, 1], [1, 3], [2, 2]])
    changed = BayesianFilter(THREE, definition).after(query, 0).changed()
    # ln 3 was lost between two of the values: the pair with 1 nat has nothing left.
    assert not changed.accepts(ChannelTable([[11, 10], [10, 11], [10, 11]]))


def test_what_binds_is_named():
    asked = BayesianFilter(PAIR, CoordinateDP(["1", "2"]))
    asked = asked.after(Query(Value("first"), RandomizedResponse(2, "0.75")), 1)
    assert asked.binding.about == "two values of attribute 'first'"
    assert asked.binding.left == pytest.approx(0.25)
    assert "'first'" in left_sentences(asked)[0]
    assert "0.25" in left_sentences(asked)[1] or "0.249" in left_sentences(asked)[1]
    matrix = PairwiseLDP([["0", "1", "inf"], ["2", "0", "inf"], ["inf", "inf", "0"]])
    told = BayesianFilter(THREE, matrix).after(ChannelTable([[2, 1], [1, 2], [0, 3]]), 0)
    assert told.binding.about == "value 0 and value 1"
    free = BayesianFilter(PAIR, CoordinateDP(["inf", "inf"]))
    assert "No query can break the promise" in left_sentences(free)[0]
    assert free.remaining == math.inf


def test_answers_that_no_record_can_give_are_no_answers():
    """Codes whose column is zero are skipped, alone and after what was answered."""
    first = ChannelTable([[1, 1, 0], [1, 1, 0]])
    asked = BayesianFilter(TWO, LDP("1"))
    assert asked.accepts(first)
    with pytest.raises(SordinoError, match="some record can give"):
        asked.after(first, 2)
    # High-low: a report may prove that the value is not sensitive; later answers are then about the others.
    told = BayesianFilter(THREE, HighLowLDP(3, [0], "1")).after(ChannelTable([[2, 0], [1, 1], [1, 1]]), 1)
    reveals = ChannelTable([[1, 0], [0, 1], [0, 1]])
    assert told.accepts(reveals)
    with pytest.raises(SordinoError, match="some record can give"):
        told.after(reveals, 0)


def test_many_outputs_go_by_the_simplified_rule():
    """Subsets of 50 values are too many to list; each one's answers still count."""
    subsets = SubsetSelection(50, "1")
    assert subsets.outputs > 1 << 21
    asked = BayesianFilter(Categories(range(50)), LDP("2"))
    code = int(subsets.privatize([3])[0])
    asked = asked.after(subsets, code)
    assert asked.spent == pytest.approx(1.0)
    assert asked.accepts(subsets)
    assert not asked.after(subsets, code).accepts(subsets)


def test_many_outputs_in_public_blocks():
    """The block is told, subsets of 25 values within it are too many to list; the bound within blocks still counts."""
    blocks = np.arange(50) // 25
    query = Blockwise(blocks, "1", "subset")
    asked = BayesianFilter(Categories(range(50)), BlockLDP(blocks, "2"))
    assert query.outputs > 1 << 21
    code = int(query.privatize([3])[0])
    assert asked.after(query, code).accepts(query)
    assert not asked.after(query, code).after(query, code).accepts(query)


def test_large_domains_answer_at_once():
    k = 1000
    query = HadamardResponse(k, "1")
    asked = BayesianFilter(Categories(range(k)), LDP("2")).after(query, 5).after(query, 9)
    assert not asked.accepts(query)
    blocks = BayesianFilter(Categories(range(k)), BlockLDP(np.arange(k) // 10, "1"))
    assert blocks.accepts(RandomizedResponse(k, "1"))


@in_one(
    ("make", "words"),
    [
        (lambda: BayesianFilter(TWO, PairwiseLDP([[0] * 3] * 3)), "2 values; found 3"),
        (lambda: BayesianFilter(THREE, HighLowLDP(4, [0], 1)), "3 values"),
        (lambda: BayesianFilter(THREE, BlockLDP([0, 0], 1)), "3 values"),
        (lambda: BayesianFilter(PAIR, CoordinateDP([1])), "1 attributes"),
        (lambda: BayesianFilter(FIFTY, CoordinateDP([1])), "50 attributes"),
        (lambda: BayesianFilter(FIFTY, PairwiseLDP([[0, 1], [1, 0]])), "offered"),
        (lambda: BayesianFilter(THREE, "LDP"), "offered"),
        (lambda: BayesianFilter(3, LDP(1)), "offered"),
        (lambda: BayesianFilter(THREE, LDP(1)).accepts(RandomizedResponse(2, 1)), "3 values"),
        (lambda: BayesianFilter(THREE, LDP(1)).accepts("age"), "finite mechanisms"),
        (lambda: BayesianFilter(THREE, LDP(1)).accepts_all(["age"]), "finite mechanisms"),
        (lambda: BayesianFilter(THREE, LDP(1)).accepts(Query(Value("x"), RandomizedResponse(3, 1))), "Record"),
        (lambda: BayesianFilter(PAIR, LDP(1)).accepts(Query(Value("x"), RandomizedResponse(3, 1))), "attributes of"),
        (lambda: BayesianFilter(PAIR, LDP(1)).accepts(Query(Values(), RandomizedResponse(3, 1))), "one or more"),
        (lambda: BayesianFilter(PAIR, LDP(1)).accepts(Query(Values(0, 0), RandomizedResponse(4, 1))), "each once"),
        (lambda: BayesianFilter(PAIR, LDP(1)).accepts(Query(Value("first"), RandomizedResponse(3, 1))), "2 values"),
        (lambda: BayesianFilter(FIFTY, LDP(1)).accepts(RandomizedResponse(2, 1)), "ask a Query"),
        (lambda: BayesianFilter(TWO, LDP(1)).after(RandomizedResponse(2, 1), 2), "below 2"),
        (lambda: BayesianFilter(TWO, LDP(1)).after(RandomizedResponse(2, 1), None), "below 2"),
        (lambda: realized_loss(TWO, [RandomizedResponse(2, 1)], []), "one output"),
    ],
)
def test_what_does_not_fit_is_refused(make, words):
    with pytest.raises(SordinoError, match=words):
        make()
