"""Values of which some pairs are protected, and that change: beside an enumeration of all pairs of histories."""

import math
from fractions import Fraction
from itertools import product
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from histories_listed import all_histories, tables
from in_one import in_one
from sordino import (
    LDP,
    BayesianFilter,
    BlockLDP,
    Blockwise,
    Categories,
    ChannelTable,
    HighLow,
    HighLowLDP,
    Nats,
    PairwiseLDP,
    Query,
    RandomizedResponse,
    Record,
    SordinoError,
    Value,
    explain,
)
from sordino.evidence import histories
from sordino.once.ledger.frozen_values import decode, encode

FOUR, THREE = Categories(list("abcd")), Categories(list("abc"))
DEFINITIONS = {
    "blocks": lambda bound: BlockLDP([[0, 1], [2, 3]], bound),
    "uneven": lambda bound: BlockLDP([[0], [1, 2, 3]], bound),
    "sensitive": lambda bound: HighLowLDP(4, [1, 2], bound),
}


def worst_ratio(definition, changes, asked):
    """The largest ratio of two histories that are protected from each other, and None if it is infinite."""
    paths = all_histories(4, len(asked), changes)
    likelihood = {
        path: math.prod((query.weight(x, code) for x, (query, code) in zip(path, asked, strict=True)), start=1)
        for path in paths
    }
    allowed = {(x, y): x == y or definition.bound(x, y) is not None for x, y in product(range(4), repeat=2)}
    worst = Fraction(0)
    for first, second in product(paths, repeat=2):
        if likelihood[first] and all(allowed[pair] for pair in zip(first, second, strict=True)):
            if not likelihood[second]:
                return None
            worst = max(worst, Fraction(likelihood[first], likelihood[second]))
    return worst


@given(
    st.sampled_from(list(DEFINITIONS)),
    st.integers(1, 2),
    st.lists(st.one_of(tables(4, 4), tables(4, 4, 1)), min_size=1, max_size=2),
    st.sampled_from([Fraction(0), Fraction(1, 10**30), Fraction(-1, 10**30), Fraction(1, 7)]),
    st.randoms(use_true_random=False),
)
def test_decisions_are_those_of_all_pairs_of_histories_in_fractions(name, changes, queries, beside, choose):
    """The bound is what some answers come to, exactly or by a hair more or less."""
    build = DEFINITIONS[name]
    first = [(choose.choice(queries), choose.randrange(3)) for _ in range(choose.randrange(1, 3))]
    limit = max(worst_ratio(build("1"), changes, first) or Fraction(5), Fraction(3, 2)) * (1 + beside)
    asked, known = BayesianFilter(FOUR, build(Nats.log(limit)), changes=changes), []
    for _ in range(4):
        query = choose.choice(queries)
        after = [worst_ratio(build("1"), changes, [*known, (query, code)]) for code in range(3)]
        assert asked.accepts(query) == all(ratio is not None and ratio <= limit for ratio in after)
        possible = [code for code, ratio in enumerate(after) if ratio is None or ratio > 0]
        code = choose.choice(possible)
        if not asked.accepts(query):
            if after[code] is None:
                assert asked.with_answer(query, code).spent == math.inf
            return
        asked, known = asked.after(query, code), [*known, (query, code)]
        loss = Nats.log(after[code])
        assert float(loss) <= asked.spent <= float(loss) + 1e-12
        assert asked.realized_loss.lower == loss.floor()


@given(st.integers(1, 2), st.lists(tables(4, 4), min_size=1, max_size=4), st.randoms(use_true_random=False))
def test_where_all_values_are_protected_it_is_the_filter_of_histories(changes, queries, choose):
    both = [
        BayesianFilter(FOUR, definition, changes=changes) for definition in (LDP("2"), BlockLDP([[0, 1, 2, 3]], "2"))
    ]
    for query in queries:
        assert len({own.accepts(query) for own in both}) == 1
        code = choose.randrange(3)
        try:
            both = [own.with_answer(query, code) for own in both]
        except SordinoError:
            return
        assert both[0].spent == pytest.approx(both[1].spent, abs=1e-12)


def test_a_block_is_public_and_so_is_that_it_changes():
    """An answer may rule out another block at any time; within blocks a change costs what it does without any."""
    mechanism = Blockwise([[0, 1], [2, 3]], "ln 3")
    asked = BayesianFilter(FOUR, BlockLDP([[0, 1], [2, 3]], "ln 9"), changes=2)
    asked = asked.after(mechanism, 0).after(mechanism, 2)
    assert asked.spent == pytest.approx(math.log(9))
    assert not asked.accepts(mechanism)
    assert not BayesianFilter(FOUR, LDP("9"), changes=2).accepts(mechanism)


def test_two_histories_leave_their_block_together():
    """Answers about the values of one block, then about those of the other: losses add if both change at once."""
    first, second = (
        ChannelTable(rows) for rows in ([[3, 1], [1, 3], [2, 2], [2, 2]], [[2, 2], [2, 2], [3, 1], [1, 3]])
    )
    for changes, loss in ((1, 9), (2, 27)):
        asked = BayesianFilter(FOUR, BlockLDP([[0, 1], [2, 3]], "9"), changes=changes)
        asked = asked.after(first, 0).after(second, 0).after(first, 1)
        assert asked.spent == pytest.approx(math.log(loss))


def test_ten_tenths_fit_into_one_exactly_and_no_more_where_values_alternate():
    coin = Blockwise([[0, 1], [2, 3]], "0.1")
    for changes in (1, 3):
        asked = BayesianFilter(FOUR, BlockLDP([[0, 1], [2, 3]], "1"), changes=changes)
        for place in range(10):
            assert asked.accepts(coin)
            asked = asked.after(coin, int(place >= 5))
        assert not asked.accepts(coin)


def test_records_with_a_protected_attribute_are_asked_and_stored():
    record = Record({"first": Categories(["x", "y"]), "second": THREE})
    definition = BlockLDP([[0, 1, 2], [3, 4, 5]], "2")
    asked = BayesianFilter(record, definition, changes=1)
    public, hidden = (
        Query(Value("first"), ChannelTable([[1, 0], [0, 1]])),
        Query(Value("second"), RandomizedResponse(3, "0.5")),
    )
    asked = asked.after(public, 0).after(hidden, 1).after(public, 1)
    assert asked.spent == pytest.approx(0.5)
    again = decode(encode(asked))
    assert encode(again) == encode(asked)
    assert again.after(hidden, 2).spent == pytest.approx(1)
    later = again.changed()
    assert later.spent == pytest.approx(0.5)
    assert later.after(hidden, 2).spent == pytest.approx(1)
    assert "protected from each other" in str(explain(again))


def test_what_is_not_counted_is_refused_at_the_bound(monkeypatch):
    monkeypatch.setattr(histories, "LARGEST_EXPONENTS", 0)
    mechanism = HighLow(4, [1, 2], "ln 3")
    asked = BayesianFilter(FOUR, HighLowLDP(4, [1, 2], "ln 27"), changes=1).after(mechanism, 0)
    assert asked.remaining <= math.log(27) - asked.spent + 1e-9
    again = asked.after(mechanism, 1)
    assert again.spent <= math.log(27)


@in_one(
    "domain, definition, message",
    [
        (
            THREE,
            PairwiseLDP([["0", "1", "1"], ["1", "0", "1"], ["1", "1", "0"]]),
            "blocks and sensitive values",
        ),
        (Categories(range(257)), BlockLDP([list(range(257))], "1"), "at most 256 values"),
        (THREE, BlockLDP([[0, 1]], "1"), "the domain's 3 values"),
    ],
)
def test_what_is_not_offered_is_refused_in_words(domain, definition, message):
    with pytest.raises(SordinoError, match=message):
        BayesianFilter(domain, definition, changes=1)


def test_as_many_values_as_are_offered_are_decided_in_a_while():
    definition = BlockLDP([list(range(128)), list(range(128, 256))], "1")
    asked = BayesianFilter(Categories(range(256)), definition, changes=1)
    coin = Blockwise([list(range(128)), list(range(128, 256))], "0.4")
    choose = Random(1)
    while asked.accepts(coin):
        asked = asked.after(coin, choose.randrange(128))
    assert 0.6 < asked.spent <= 1
