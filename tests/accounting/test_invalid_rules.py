"""Rules that look right and are wrong, each with the numbers that show it; what the filter does instead.

Lemmas 6.1 and 6.2 of the Bayesian privacy filter paper; deltas that are added; pairwise dependence over two answers; a
changed record counted as the same; a composed privacy-loss distribution as a filter.
"""

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from sordino import (
    LDP,
    BayesianCoordinateDP,
    BayesianFilter,
    Categories,
    ChannelTable,
    Dependence,
    Nats,
    Query,
    RandomizedResponse,
    Record,
    Value,
)
from sordino.papers.bayesian_coordinate.composition import bcdp_composition, mechanism

BIT = Categories(["0", "1"])
BITS = Record({"a": BIT, "b": BIT, "c": BIT})


def odds(query, code, record):
    return Fraction(query.weight(record, code), query.denominator)


def test_lemma_6_1_is_false_a_greedy_analyst_may_end_below_one():
    """Budget 1 and questions of 0.6 about different bits: one is accepted, K = 0.6."""
    asked, spent = BayesianFilter(BITS, LDP("1")), Nats.of(0)
    for attribute in "abc":
        query = Query(Value(attribute), RandomizedResponse(2, "0.6"))
        if asked.accepts(query):
            asked, spent = asked.after(query, 0), spent + "0.6"
    assert spent == Nats.of("0.6")
    assert not asked.accepts_all([Query(Value("b"), RandomizedResponse(2, "0.6"))])
    assert asked.accepts(Query(Value("b"), RandomizedResponse(2, "0.4")))


def test_lemma_6_2_is_false_two_copies_may_always_lose_twice():
    """The lines of the plane of seven points: two of them always share a point, and never cover all of them.

    So some value is likely under both answers and some under neither, whatever they are: every pair loses 2 epsilon.
    """
    lines = [{(start + step) % 7 for step in (0, 1, 3)} for start in range(7)]
    query = ChannelTable([[3 if x in line else 1 for line in lines] for x in range(7)])
    start = BayesianFilter(Categories(range(7)), LDP("ln 8.9"))
    for first in range(7):
        losses = []
        for second in range(7):
            both = [odds(query, first, x) * odds(query, second, x) for x in range(7)]
            losses.append(max(both) / min(both))
        assert losses == [9] * 7
        assert not start.after(query, first).accepts(query)
    assert BayesianFilter(Categories(range(7)), LDP("ln 9")).after(query, 0).accepts(query)


def test_adding_deltas_is_invalid():
    """Example 2 of the BCDP paper: two reports of delta 0 can tell a bit for certain; no finite promise takes both."""
    report = mechanism()
    pair = next(
        (first, second)
        for first, second in product(range(8), repeat=2)
        if sum(odds(report, first, x) * odds(report, second, x) for x in range(4))
        and not sum(odds(report, first, x) * odds(report, second, x) for x in range(4, 8))
    )
    assert pair
    rows = bcdp_composition()
    assert [(row.first, row.second) for row in rows] == [(True, False)] * 4
    assert all(row.added < 1e-9 for row in rows)


def test_simplified_rules_need_the_epsilon_of_a_query_not_its_delta():
    """A second question with delta 0 of its own is refused once the loss so far and its epsilon pass the delta."""
    fair = np.full((2, 2, 2), 1 / 8)
    noisy = ChannelTable([[weight * 2 + 1 for weight in row] for row in mechanism().weights])
    alone = BayesianFilter(BITS, BayesianCoordinateDP.with_prior(["0", "inf", "inf"], fair))
    assert alone.accepts(noisy)
    for rule in ("full", "simplified"):
        asked = BayesianFilter(BITS, BayesianCoordinateDP.with_prior(["0.1", "inf", "inf"], fair), rule)
        taken = [asked.accepts(noisy)]
        if taken[0]:
            taken += [asked.after(noisy, code).accepts(noisy) for code in range(8)]
        assert not any(taken[1:])


def test_pairwise_dependence_is_invalid_for_two_answers():
    """c = a xor b: neither a nor b alone depends on c, so each answer has delta 0; together they tell of it."""
    xor = np.zeros((2, 2, 2))
    for a, b in product(range(2), repeat=2):
        xor[a, b, a ^ b] = 0.25
    known = Dependence.from_prior(xor, [(0,), (1,)])
    assert (known.of(2, (0,)), known.of(2, (1,))) == (0, 0)
    assert known.of_rest(2) == 1
    coin = ChannelTable([[731, 269], [269, 731]])
    law = {c: [Fraction(0)] * 4 for c in range(2)}
    for a, b in product(range(2), repeat=2):
        for first, second in product(range(2), repeat=2):
            law[a ^ b][2 * first + second] += odds(coin, first, a) * odds(coin, second, b) / 2
    told = max(math.log(law[0][code] / law[1][code]) for code in range(4))
    assert told == pytest.approx(0.434, abs=1e-3)
    # The filter takes the law of all others together, and refuses what passes a delta of 0.4.
    for definition in (
        BayesianCoordinateDP.bounded(["2", "2", "0.4"], "2", known),
        BayesianCoordinateDP.with_prior(["2", "2", "0.4"], xor),
    ):
        asked = BayesianFilter(BITS, definition)
        first, second = (Query(Value(name), coin) for name in "ab")
        assert not (asked.accepts(first) and asked.after(first, 0).accepts(second))
    loose = BayesianFilter(BITS, BayesianCoordinateDP.with_prior(["2", "2", "0.44"], xor))
    assert loose.after(first, 0).accepts(second)


def test_a_changed_record_is_not_the_same():
    """The answer 1, a change, the answer 0: counted as one record nothing was lost; histories tell 2 epsilon."""
    coin = ChannelTable([[3, 1], [1, 3]])
    histories = list(product(range(2), repeat=2))
    law = [odds(coin, 1, before) * odds(coin, 0, after) for before, after in histories]
    true = math.log(max(law) / min(law))
    assert true == pytest.approx(2 * math.log(3))
    start = BayesianFilter(BIT, LDP("ln 9"))
    ignored = start.after(coin, 1).after(coin, 0)
    assert ignored.spent < 1e-12
    told = start.after(coin, 1).changed().after(coin, 0)
    assert told.spent >= true
    assert not told.accepts(coin)


def test_a_composed_loss_distribution_is_no_filter():
    """Each path's own composition keeps (ln 3, delta); an adversary that chooses by the first answer passes it.

    After a fair coin of odds 3, one question tells the value with probability delta and nothing else; another tilts
    its answers a little, which passes the limit only after the answer 0. Each of them costs delta if it is asked
    whatever the coin says. Asked the tilted one after 0 and the other one after 1, they cost 5/4 delta.
    """
    tilt = Fraction(1, 150)
    delta = Fraction(3, 2) * tilt
    coin = [[Fraction(3, 4), Fraction(1, 4)], [Fraction(1, 4), Fraction(3, 4)]]
    tilted = [[Fraction(1, 2) + tilt, Fraction(1, 2) - tilt], [Fraction(1, 2) - tilt, Fraction(1, 2) + tilt]]
    telling = [[delta, 0, 1 - delta], [0, delta, 1 - delta]]

    def needed(after):
        """The least delta at ln 3, of the coin and then what is asked after each of its answers."""
        ways = [
            [own * told for own, second in zip(coin[x], after, strict=True) for told in second[x]] for x in range(2)
        ]
        return max(
            sum(max(heavy - 3 * light, Fraction(0)) for heavy, light in zip(*pair, strict=True))
            for pair in (ways, ways[::-1])
        )

    assert needed([tilted, tilted]) == needed([telling, telling]) == delta
    assert needed([tilted, telling]) == Fraction(5, 4) * delta
