"""Decisions over finite domains beside products of fractions: at the bound, next to it, and after many answers."""

import math
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from itertools import combinations, permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from in_one import in_one
from sordino import (
    LDP,
    BayesianCoordinateDP,
    BayesianFilter,
    BlockLDP,
    Categories,
    ChannelTable,
    CoordinateDP,
    HighLowLDP,
    Nats,
    PairwiseLDP,
    ProjectiveResponse,
    Query,
    RandomizedResponse,
    Record,
    Value,
)
from sordino.accounting.measures import finite_state

FOUR = Categories(range(4))
SQUARE = Record({"row": Categories(range(2)), "column": Categories(range(2))})
SAME_ROW, SAME_COLUMN = ((0, 1), (2, 3)), ((0, 2), (1, 3))


def ways(*pairs):
    """Both ways around."""
    return [way for pair in pairs for way in permutations(pair)]


def definitions(bound):
    """Definitions with one bound on all of their pairs, and the pairs."""
    infinite = [["inf"] * 4 for _ in range(4)]
    for i in range(4):
        infinite[i][i] = "0"
    infinite[3][1] = bound
    return {
        "all": (LDP(bound), ways(*combinations(range(4), 2))),
        "blocks": (BlockLDP([[0, 3], [1, 2]], bound), ways((0, 3), (1, 2))),
        "high-low": (HighLowLDP(4, [2], bound), [(2, other) for other in (0, 1, 3)]),
        "matrix": (PairwiseLDP(infinite), [(3, 1)]),
        "rows": (CoordinateDP(["inf", bound]), ways(*SAME_ROW)),
        "columns": (CoordinateDP([bound, "inf"]), ways(*SAME_COLUMN)),
    }


NAMES = list(definitions(Nats.of(1)))


def keeps(likelihood, pairs, bound):
    """Whether no pair is told apart by more than the bound, by fractions alone."""
    told = [(likelihood[heavy], likelihood[light]) for heavy, light in pairs if likelihood[heavy]]
    return all(light and below(heavy / light, bound) for heavy, light in told)


def below(ratio, bound):
    """Whether ln(ratio) <= r + ln(q), in three hundred digits, equal only where the fractions are."""
    if bound.rational == 0:
        return ratio <= bound.ratio
    with localcontext(Context(prec=300)):
        power = (Decimal(bound.rational.numerator) / Decimal(bound.rational.denominator)).exp()
        return Fraction(power) * bound.ratio > ratio


@st.composite
def tables(draw):
    """Channels from four values to three codes, some of them impossible under some values."""
    rows = draw(st.lists(st.lists(st.integers(0, 5), min_size=3, max_size=3).filter(any), min_size=4, max_size=4))
    total = math.lcm(*map(sum, rows))
    return ChannelTable([[weight * (total // sum(row)) for weight in row] for row in rows])


def multiplied(likelihood, query, code):
    return [p * Fraction(query.weight(x, code), query.denominator) for x, p in enumerate(likelihood)]


@settings(max_examples=settings.default.max_examples * 6 // 5)
@given(
    st.sampled_from(NAMES),
    st.lists(tables(), min_size=1, max_size=3),
    st.sampled_from([Fraction(0), Fraction(1, 10**30), Fraction(-1, 10**30), Fraction(1, 7)]),
    st.randoms(use_true_random=False),
)
def test_decisions_at_the_bound_are_those_of_fractions(name, queries, beside, choose):
    """The bound is what some answers come to, exactly or by a hair more or less."""
    likelihood = [Fraction(1)] * 4
    for _ in range(choose.randrange(1, 6)):
        query = choose.choice(queries)
        likelihood = multiplied(likelihood, query, choose.randrange(3))
    reached = [p / q for p, q in permutations(likelihood, 2) if p and q and p > q]
    bound = Nats.log(max(reached, default=Fraction(2)) * (1 + beside))
    definition, pairs = definitions(bound)[name]
    domain = SQUARE if name in {"rows", "columns"} else FOUR
    asked, likelihood = BayesianFilter(domain, definition), [Fraction(1)] * 4
    for _ in range(12):
        query = choose.choice(queries)
        after = [multiplied(likelihood, query, code) for code in range(3)]
        expected = all(keeps(one, pairs, bound) for one in after if any(one))
        assert asked.accepts(query) == expected
        if expected:
            code = choose.choice([code for code in range(3) if any(after[code])])
            asked, likelihood = asked.after(query, code), after[code]


@in_one("name", NAMES)
@in_one("beside", [-1, 0, 1])
def test_a_hair_that_no_float_tells_decides(name, beside):
    """Odds of (3 + h)^2 after answers that cancelled, against a bound of ln 9."""
    scale = 10**18
    up = [3 * scale + beside, scale - beside]
    strong = ChannelTable([up, up[::-1], up, up[::-1]] if name == "rows" else [up, up, up[::-1], up[::-1]])
    if name == "high-low":
        strong = ChannelTable([up, up, up[::-1], up])
    elif name == "matrix":
        strong = ChannelTable([up, up, up, up[::-1]])
    elif name == "blocks":
        strong = ChannelTable([up, up[::-1], up, up[::-1]])
    level = Fraction(up[0], up[1])
    definition, pairs = definitions(Nats.log(Fraction(9)))[name]
    domain = SQUARE if name in {"rows", "columns"} else FOUR
    asked, likelihood = BayesianFilter(domain, definition), [Fraction(1)] * 4
    for code in (0, 1, 1, 0, 1):
        asked, likelihood = asked.with_answer(strong, code), multiplied(likelihood, strong, code)
    assert max(likelihood[x] / likelihood[y] for x, y in pairs) in {level, 1 / level}
    expected = all(keeps(multiplied(likelihood, strong, code), pairs, Nats.log(Fraction(9))) for code in range(2))
    assert asked.accepts(strong) == expected == (beside <= 0)


@pytest.mark.parametrize("beside", [Fraction(0), Fraction(1, 10**40), Fraction(-1, 10**40)])
def test_beliefs_are_compared_exactly(beside):
    """A prior averages records: its means are of whole numbers, whatever all records share."""
    prior = [[Fraction(1, 8), Fraction(3, 8)], [Fraction(3, 8), Fraction(1, 8)]]
    first, second = ChannelTable([[3, 1], [1, 3]]), Query(Value("column"), ChannelTable([[2, 1], [1, 2]]))
    asked = Query(Value("row"), first)
    law = [[Fraction(1, 4), Fraction(3, 4)], [Fraction(3, 4), Fraction(1, 4)]]
    weights = {(0, c): [[3, 1], [1, 3]][0][c] for c in range(2)} | {(1, c): [1, 3][c] for c in range(2)}

    def mean(row, rows, columns):
        own = math.prod(weights[row, code] for code in rows)
        other = (law[row][column] * math.prod([[2, 1], [1, 2]][column][code] for code in columns) for column in (0, 1))
        return own * sum(other)

    reached = mean(0, [0], [1]) / mean(1, [0], [1])
    assert reached > 1
    bound = Nats.log(reached * (1 + beside))
    definition = BayesianCoordinateDP.with_prior([bound, "9"], prior)
    start = BayesianFilter(SQUARE, definition).after(second, 1)
    worst = max(mean(x, [code], [1]) / mean(1 - x, [code], [1]) for x in (0, 1) for code in (0, 1))
    assert start.accepts(asked) == below(worst, bound)


@pytest.mark.parametrize("turns", [50, pytest.param(500, marks=pytest.mark.long)])
def test_a_level_that_divides_the_bound_is_accepted_at_equality_after_many_answers(turns):
    """Hundreds or thousands of answers there and back; the walk touches the bound again and again."""
    coin = RandomizedResponse(2, "ln 3")
    asked, ones = BayesianFilter(Categories(["no", "yes"]), LDP("ln 81")), 0
    for code in [1, 1, 1, 0, 1, 0, 0, 0] * turns:
        assert asked.accepts(coin)
        asked, ones = asked.after(coin, code), ones + (1 if code else -1)
    for _ in range(4):
        assert asked.accepts(coin)
        asked = asked.after(coin, 1)
    assert not asked.accepts(coin)
    assert asked.realized_loss.lower <= 4 * math.log(3) <= asked.realized_loss.upper


def test_numbers_stay_small_however_many_answers_cancel():
    """What the exact part works with after seven hundred answers about a hundred values is what they differ by."""
    query = ProjectiveResponse(100, "0.01")
    asked = BayesianFilter(Categories(range(100)), LDP("3"))
    codes = np.random.default_rng(4).integers(0, query.outputs, 700).tolist()
    for code in codes:
        asked = asked.after(query, code)
    counts = np.array([sum(query.space.incident(value, code) for code in codes) for value in (3, 4)])
    (powers,) = {abs(exponent) for exponent in asked._state.counts.ratio(3, 4).values()} or {0}
    assert powers == abs(int(counts[0] - counts[1]))


class _Asked(RandomizedResponse):
    """Counts how often a weight is looked up."""

    looked = 0

    def weight(self, value, code):
        type(self).looked += 1
        return super().weight(value, code)


def test_a_first_decision_looks_up_few_weights():
    query = _Asked(1000, "1")
    start = BayesianFilter(Categories(range(1000)), LDP("1.5"))
    asked = start.after(query, 17)
    assert not asked.accepts(query)
    assert 0 < _Asked.looked < 200


def test_few_ratios_are_compared_where_floats_cannot_tell(monkeypatch):
    """A hundred answers are next to the bound at once, and the likeliest of a hundred values; their ratios are few."""
    compared = []

    def counted(powers, amount):
        compared.append(powers)
        return original(powers, amount)

    original = finite_state.compare_powers
    monkeypatch.setattr(finite_state, "compare_powers", counted)
    query = ChannelTable([[3 if code == value else 1 for code in range(100)] for value in range(100)])
    asked = BayesianFilter(Categories(range(100)), LDP("ln 9")).after(query, 0)
    asked = asked.after(query, 1)
    assert asked.accepts(query)
    assert len(compared) < 8


@in_one("order", list(product([0, 1], repeat=3)))
def test_versions_are_taken_from_the_bound_exactly(order):
    """After a change what is left is a bound like any other, touched at equality."""
    coin = ChannelTable([[3, 1], [1, 3]])
    asked = BayesianFilter(Categories(["no", "yes"]), LDP("ln 27"))
    for code in order:
        asked = asked.after(coin, code)
    used = abs(sum(1 if code else -1 for code in order))
    asked = asked.changed()
    for _ in range(3 - used):
        assert asked.accepts(coin)
        asked = asked.after(coin, 1)
    assert not asked.accepts(coin)


@pytest.mark.each_value
@pytest.mark.parametrize(("answers", "versions"), [(600, 1), (100, 4)])
@pytest.mark.parametrize("places", [1, 11], ids=["listed", "by factors"])
def test_a_bound_stays_short_however_many_answers_a_version_had(answers, versions, places):
    """Else each decision about the next version works on as many digits as all answers before it."""
    coin = RandomizedResponse(2, "0.002")
    record = Record({f"q{place}": Categories(range(2)) for place in range(places)})
    asked, query, odds = BayesianFilter(record, LDP(2)), Query(Value("q0"), coin), Fraction(1)
    for _ in range(versions):
        for _ in range(answers):
            asked = asked.with_answer(query, 0)
        odds *= Fraction(coin.weight(0, 0), coin.weight(1, 0)) ** answers
        asked = asked.changed()
    (left,) = asked._state.bounds
    exact = Nats.of(2) - Nats.log(odds)
    assert left <= exact
    assert left + Fraction(1, 10**10) >= exact
    assert max(left.ratio.numerator, left.ratio.denominator).bit_length() <= 1 << 13
    assert len(repr(left)) < 6000


def test_what_very_many_answers_lost_is_told_by_floats():
    coin = RandomizedResponse(2, "0.002")
    asked = BayesianFilter(Categories(range(2)), LDP(2))
    for _ in range(600):
        asked = asked.with_answer(coin, 1)
    exact = Nats.log(Fraction(coin.weight(1, 1), coin.weight(0, 1)) ** 600)
    assert asked.realized_loss.lower <= float(exact) <= asked.realized_loss.upper <= asked.realized_loss.lower + 1e-10
    sure = ChannelTable([[2, 0], [1, 1]])
    assert asked.with_answer(sure, 1).realized_loss.lower == math.inf


def test_values_that_were_ruled_out_break_no_bound():
    """Two values must never be told apart at all; once neither is possible, nothing is left to tell."""
    definition = PairwiseLDP([["0", "inf", "inf"], ["inf", "0", "inf"], ["0", "inf", "0"]])
    start, split = BayesianFilter(Categories(range(3)), definition), ChannelTable([[2, 1], [1, 2], [1, 2]])
    assert not start.accepts(split)
    asked = start.after(ChannelTable([[2, 0], [1, 1], [2, 0]]), 1)
    assert asked.accepts(split)
    assert asked.after(split, 0).spent == 0


@in_one("heavy", range(3, 12))
def test_what_floats_round_down_is_refused(heavy):
    """Twice the level of a table against a bound that is a hair below, at it, or a hair above."""
    table = ChannelTable([[heavy, 2], [2, heavy]])
    for beside in (-1, 0, 1):
        bound = Nats.log(Fraction(heavy, 2) ** 2 * (1 + Fraction(beside, 10**25)))
        asked = BayesianFilter(Categories(range(2)), LDP(bound)).with_answer(table, 0)
        assert asked.accepts(table) == (beside >= 0)
