"""A value that changes: decisions beside an enumeration of all histories in fractions, whole lives, orders, limits."""

import math
from fractions import Fraction
from itertools import permutations, product
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from histories_listed import all_histories, tables
from in_one import in_one
from lattice import Lattice, expected_answers
from sordino import (
    LDP,
    BayesianFilter,
    Box,
    Categories,
    ChannelTable,
    Nats,
    PairwiseLDP,
    Query,
    RandomizedResponse,
    Record,
    SordinoError,
    Value,
    explain,
)
from sordino.accounting.joint_filter import JointFilter
from sordino.evidence import histories
from sordino.once.ledger.frozen_values import decode, encode

TWO, THREE = Categories(range(2)), Categories(range(3))
COIN = ChannelTable([[3, 1], [1, 3]])


def extremes(k, changes, asked):
    """The largest and the least likelihood of any history."""
    found = [
        math.prod((query.weight(x, code) for x, (query, code) in zip(history, asked, strict=True)), start=Fraction(1))
        for history in all_histories(k, len(asked), changes)
    ]
    return max(found), min(found)


@given(
    st.integers(1, 3),
    st.lists(tables(3, 5, 1), min_size=1, max_size=2),
    st.sampled_from([Fraction(0), Fraction(1, 10**30), Fraction(-1, 10**30), Fraction(1, 7)]),
    st.sampled_from(["full", "simplified"]),
    st.randoms(use_true_random=False),
)
def test_decisions_are_those_of_all_histories_in_fractions(changes, queries, beside, rule, choose):
    """The bound is what some answers come to, exactly or by a hair more or less; six answers."""
    first = [(choose.choice(queries), choose.randrange(3)) for _ in range(choose.randrange(1, 5))]
    most, least = extremes(3, changes, first)
    limit = max(most / least, Fraction(3, 2)) * (1 + beside)
    asked, known = BayesianFilter(THREE, LDP(Nats.log(limit)), rule, changes=changes), []
    for _ in range(6):
        query = choose.choice(queries)
        after = [extremes(3, changes, [*known, (query, code)]) for code in range(3)]
        fits = all(most <= limit * least for most, least in after)
        most, least = extremes(3, changes, known)
        own = max(
            query.weight(x, code) / Fraction(query.weight(y, code))
            for code in range(3)
            for x in range(3)
            for y in range(3)
        )
        assert asked.accepts(query) == (fits if rule == "full" else most * own <= limit * least)
        if not asked.accepts(query):
            return
        code = choose.randrange(3)
        asked, known = asked.after(query, code), [*known, (query, code)]
        most, least = extremes(3, changes, known)
        loss = Nats.log(most / least)
        assert asked.realized_loss.lower == loss.floor()
        assert asked.realized_loss.upper == loss.ceil()
        assert float(loss) <= asked.spent <= float(loss) + 1e-12


@given(st.integers(1, 3), st.lists(tables(3, 5), min_size=1, max_size=6), st.randoms(use_true_random=False))
def test_what_rules_values_out_is_an_infinite_loss(changes, queries, choose):
    asked, known = BayesianFilter(THREE, LDP("1"), changes=changes), []
    for query in queries:
        code = choose.randrange(3)
        most, least = extremes(3, changes, [*known, (query, code)])
        if not most:
            with pytest.raises(SordinoError, match="some record can give"):
                asked.with_answer(query, code)
            continue
        asked, known = asked.with_answer(query, code), [*known, (query, code)]
        loss = math.log(most / least) if least else math.inf
        assert asked.realized_loss.lower - 1e-12 <= loss <= asked.realized_loss.upper + 1e-12
        assert asked.spent == pytest.approx(loss, abs=1e-12)
        if not least:
            assert not asked.accepts(RandomizedResponse(3, "0.001"))
            assert asked.remaining == 0


@pytest.mark.parametrize("changes", [1, 2])
@pytest.mark.parametrize("rule", ["full", "simplified"])
def test_no_history_is_distinguished_from_another_beyond_the_promise(changes, rule):
    """All transcripts of an adaptive questioner who stops when refused, under all histories: the theorem itself."""
    menu, bound = [COIN, ChannelTable([[2, 1], [1, 2]])], Fraction(30)

    def transcripts(asked, known):
        query = menu[sum(code for _, code in known) % 2] if len(known) < 6 else None
        if query is None or not asked.accepts(query):
            yield known
            return
        for code in range(2):
            yield from transcripts(asked.after(query, code), [*known, (query, code)])

    start, worst, longest = BayesianFilter(TWO, LDP(Nats.log(bound)), rule, changes=changes), Fraction(1), 0
    for known in transcripts(start, []):
        most, least = extremes(2, changes, known)
        worst, longest = max(worst, most / least), max(longest, len(known))
    assert worst <= bound
    # It is used: neither the first question nor adding up ends it.
    assert worst > 20
    assert longest > 3


def test_an_alternating_record_is_no_hypothesis_of_few_changes():
    """Answers that go there and back cost two changes each; with too few of them they cancel."""
    codes = [0, 1, 0, 1, 0, 1]
    losses = []
    for changes in range(6):
        asked = BayesianFilter(TWO, LDP("9"), changes=changes)
        for code in codes:
            asked = asked.after(COIN, code)
        losses.append(round(asked.spent / math.log(3), 9))
    assert losses == [0, 2, 2, 4, 4, 6]


def test_a_mistaken_promise_about_one_version_would_be_broken_by_a_change():
    """What the filter of an unchanging record accepts is refused once a change is a hypothesis."""
    still, moving = BayesianFilter(TWO, LDP("ln 3")), BayesianFilter(TWO, LDP("ln 3"), changes=1)
    still, moving = still.after(COIN, 0), moving.after(COIN, 0)
    assert not moving.accepts(COIN)
    assert not still.accepts(COIN)
    still = BayesianFilter(TWO, LDP("ln 9")).after(COIN, 0).after(COIN, 1)
    moving = BayesianFilter(TWO, LDP("ln 9"), changes=1).after(COIN, 0).after(COIN, 1)
    assert still.accepts(COIN)
    assert not moving.accepts(COIN)


def test_ten_tenths_fit_into_one_exactly():
    coin = RandomizedResponse(2, "0.1")
    for changes in (1, 3):
        asked = BayesianFilter(TWO, LDP("1"), changes=changes)
        for place in range(10):
            assert asked.accepts(coin)
            asked = asked.after(coin, int(place >= 5))
        assert not asked.accepts(coin)


def test_what_remains_is_accepted_whatever_is_answered():
    asked = BayesianFilter(THREE, LDP("2"), changes=2)
    for code in (0, 2, 0):
        asked = asked.after(RandomizedResponse(3, "0.4"), code)
    left = asked.remaining
    assert 0.7 < left < 2
    for _ in range(4):
        part = RandomizedResponse(3, Fraction(left) / 4)
        assert asked.accepts(part)
        asked = asked.after(part, 1)


def test_likelihoods_that_no_float_tells_apart_are_compared():
    """Two orders of almost equal questions: which history is likelier is seen in the thirtieth digit."""
    scale = 10**18
    for place, beside in product((0, 1), (-1, 1)):
        near = ChannelTable([[3 * scale + beside, scale - beside], [scale - beside, 3 * scale + beside]])
        order = [COIN, near][:: 1 if place else -1]
        asked, known = BayesianFilter(TWO, LDP("9"), changes=1), []
        for query, code in zip([*order, *order], (0, 1, 1, 0), strict=True):
            asked, known = asked.after(query, code), [*known, (query, code)]
        most, least = extremes(2, 1, known)
        powers = asked._state.evidence.powers
        assert math.prod((Fraction(base) ** power for base, power in powers.items()), start=Fraction(1)) == most / least


def test_records_are_asked_about_attributes():
    record = Record({"first": TWO, "second": THREE})
    first, second = Query(Value("first"), COIN), Query(Value("second"), RandomizedResponse(3, "ln 2"))
    asked = BayesianFilter(record, LDP("ln 12"), changes=1).after(first, 0).after(second, 1)
    assert asked.spent == pytest.approx(math.log(6))
    assert not asked.accepts(first)
    assert asked.accepts(second)
    # Between both answers another record may have taken its place: a change of "first" costs what any change does.
    assert asked.after(second, 1).spent == pytest.approx(math.log(12))


@in_one("order", list(permutations([0, 1, 2])))
def test_concurrent_questions_are_accepted_in_every_order(order):
    """Of histories the order of answers counts: two questions about values 0 and 1, and one about 2 and 3 between."""
    four = Categories(range(4))
    menu = [
        ChannelTable([[3, 1], [1, 3], [2, 2], [2, 2]]),
        ChannelTable([[4, 1], [1, 4], [3, 2], [2, 3]]),
        ChannelTable([[2, 2], [2, 2], [3, 1], [1, 3]]),
    ]
    queries = [menu[place] for place in order]
    decisions = []
    for bound in (8, 12, 18, 24, 36):
        asked = BayesianFilter(four, LDP(Nats.log(bound)), changes=1)
        every = []
        for one in permutations(queries):
            for codes in product(range(2), repeat=3):
                most, least = extremes(4, 1, list(zip(one, codes, strict=True)))
                every.append(most <= bound * least)
        decisions.append(all(every))
        assert asked.accepts_all(queries) == all(every)
    assert {True, False} == set(decisions)


def test_open_answers_count_in_the_order_of_acceptance():
    joint = JointFilter.of(BayesianFilter(TWO, LDP("ln 9"), changes=1))
    joint = joint.with_query("a", COIN).with_query("b", COIN)
    assert not joint.decide(COIN).accepted
    # Delivered the other way round it is the same.
    late = joint.with_answer("b", 1).with_answer("a", 0)
    assert late.spent == joint.with_answer("a", 0).with_answer("b", 1).spent == pytest.approx(math.log(9))


def test_after_more_changes_a_next_life_adds():
    asked = BayesianFilter(TWO, LDP("ln 27"), changes=1).after(COIN, 0).after(COIN, 1).changed()
    assert asked.spent == pytest.approx(math.log(9))
    assert asked.accepts(COIN)
    asked = asked.after(COIN, 0)
    assert not asked.accepts(COIN)
    assert asked.spent == pytest.approx(math.log(27))


def test_a_filter_is_stored_and_goes_on():
    asked = BayesianFilter(Categories(["a", "b", "c"]), LDP("2"), changes=2)
    for code in (0, 2, 1, 1):
        asked = asked.after(RandomizedResponse(3, "0.3"), code)
    again = decode(encode(asked))
    assert encode(again) == encode(asked)
    assert again.spent == asked.spent
    assert again.after(COIN_OF_THREE, 2).spent == asked.after(COIN_OF_THREE, 2).spent


COIN_OF_THREE = RandomizedResponse(3, "0.2")


def test_what_is_not_counted_is_refused_at_the_bound(monkeypatch):
    """Beyond so many counts floats alone decide, outward; what is said to be left still fits."""
    monkeypatch.setattr(histories, "LARGEST_COUNTS", 0)
    asked = BayesianFilter(TWO, LDP("ln 27"), changes=1)
    asked = asked.after(COIN, 0).after(COIN, 0)
    assert not asked.accepts(COIN)
    assert asked.remaining == pytest.approx(math.log(3))
    assert asked.accepts(RandomizedResponse(2, asked.remaining))
    assert asked.realized_loss.lower <= math.log(9) <= asked.realized_loss.upper


def test_a_constant_question_changes_nothing():
    asked = BayesianFilter(TWO, LDP("ln 3"), changes=1).after(ChannelTable([[1, 1], [1, 1]]), 1)
    assert asked.spent == 0
    assert asked.binding.exactly == Nats.of("ln 3")
    assert asked.after(COIN, 1).spent == pytest.approx(math.log(3))


@pytest.mark.parametrize(
    ("domain", "definition", "changes", "message"),
    [
        (TWO, PairwiseLDP([["0", "1"], ["1", "0"]]), 1, "changes are offered for LDP"),
        (Box([0], [1]), LDP("1"), 1, "changes are offered for LDP"),
        (Categories(range((1 << 17) + 1)), LDP("1"), 1, "at most 131,072 values"),
        (Record({f"q{i}": TWO for i in range(18)}), LDP("1"), 3, "at most 65,536 values"),
        (TWO, LDP("1"), -1, "a whole number from 0"),
        (TWO, LDP("1"), 257, "a whole number from 0"),
        (TWO, LDP("1"), True, "a whole number from 0"),
        (TWO, LDP("1"), None, "a whole number from 0"),
        (TWO, LDP("1"), False, "a whole number from 0"),
        (TWO, LDP("1"), 1.5, "a whole number from 0"),
    ],
)
def test_what_is_not_offered_is_refused_in_words(domain, definition, changes, message):
    with pytest.raises(SordinoError, match=message):
        BayesianFilter(domain, definition, changes=changes)


def test_explain_names_the_histories():
    text = str(explain(BayesianFilter(TWO, LDP("1"), changes=1).after(RandomizedResponse(2, "0.5"), 0)))
    assert "two histories with at most 1 change" in text
    assert "may change at most once" in text


def test_how_many_answers_a_budget_of_ten_times_each_holds():
    """Means over the answers: 92.5 where nothing changes, as the closed form has it, 28.0 to 13.9 where it may."""
    assert expected_answers(0, 10) == pytest.approx(10 * math.tanh(0.5) / math.tanh(0.05), abs=1e-6)
    assert expected_answers(1, 10) == pytest.approx(28.038, abs=1e-3)
    assert expected_answers(2, 10) == pytest.approx(17.7, abs=0.05)
    assert expected_answers(3, 10) == pytest.approx(13.929, abs=1e-3)


@pytest.mark.parametrize("changes", [1, 3])
def test_the_filter_goes_along_the_lattice(changes):
    """Answer by answer the same loss, and the same end, as whole steps have."""
    coin, choose = RandomizedResponse(2, "0.1"), Random(changes)
    for _ in range(3):
        asked, codes = BayesianFilter(TWO, LDP("1"), changes=changes), []
        while asked.accepts(coin):
            codes.append(choose.randrange(2))
            asked = asked.after(coin, codes[-1])
        lattice = Lattice(changes)
        for code in codes:
            lattice = lattice.after(code)
        assert max(lattice.after(code).loss for code in (0, 1)) == 11
        assert 0.9 < asked.spent < 1 + 1e-9
