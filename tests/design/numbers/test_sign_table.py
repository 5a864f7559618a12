"""Tables that are searched: never worse than tables made by hand, whole numbers that keep the bounds exactly."""

from fractions import Fraction
from itertools import product
from math import comb

import numpy as np
import pytest

from sordino import Nats
from sordino.definition.sampling import dependent_loss, table_loss
from sordino.design.numbers.sign_table import TableSearch, TableShape, keeps, whole_table
from sordino.exact.coin import WORD


def shape(counts, deltas, q, level):
    return TableShape(counts, tuple(map(Nats.of, deltas)), (Fraction(q),) * len(counts), Nats.of(level))


def found(wanted, prices):
    search = TableSearch(wanted)
    return search.best(np.array(prices, dtype=float), search.starts())


def response(size, tolerance, level):
    """Information about all numbers together of the response on s signs: the mean product of a sent and a true sign."""
    weights = {wrong: np.exp(level) if sum(wrong) <= tolerance else 1.0 for wrong in product((0, 1), repeat=size)}
    slope = sum(weight * (1 - 2 * wrong[0]) for wrong, weight in weights.items()) / sum(weights.values())
    return size * slope**2


@pytest.mark.first_cases(3)
@pytest.mark.parametrize("level", [0.2, 2.0, 8.0, 1.0, 4.0])
def test_one_group_under_a_level_alone_is_the_response_on_its_signs(level):
    for signs in range(1, 7):
        table = found(shape((signs,), [level], 1, level), [1.0])
        best = max(response(signs, tolerance, level) for tolerance in range((signs + 1) // 2))
        assert table.value == pytest.approx(best, rel=1e-6)


def test_the_response_on_two_signs_at_level_two():
    """At level 2, m = 8 numbers: 1.322 m, worked out apart from the code."""
    assert 1 / found(shape((2,), [2], 1, 2), [1.0]).value == pytest.approx(1.322, abs=5e-4)


@pytest.mark.first_cases(3)
@pytest.mark.parametrize("q", ["0", "0.05", "1", "0.01", "0.1", "0.3"])
def test_tables_are_no_worse_than_independent_errors_that_keep_the_bounds(q):
    wanted = shape((2, 1), ["0.2", "2"], q, "1.7")
    for prices in ([100.0, 1.0], [20.0, 1.0], [1.0, 1.0]):
        value = found(wanted, prices).value
        for own, other in product(np.linspace(0, 0.2, 9), np.linspace(0, 1.7, 18)):
            total = 2 * own + other
            first = own + np.log1p(float(Fraction(q)) * np.expm1(total - own))
            second = other + np.log1p(float(Fraction(q)) * np.expm1(2 * own))
            if total <= 1.7 and first <= 0.2 and second <= 2:
                independent = 2 * prices[0] * np.tanh(own / 2) ** 2 + prices[1] * np.tanh(other / 2) ** 2
                assert value >= independent * (1 - 1e-6)


@pytest.mark.each_value
@pytest.mark.parametrize("q", ["0", "0.05", "0.4", "1"])
@pytest.mark.parametrize("counts", [(1, 1), (2, 1), (2, 3), (1, 1, 1)])
def test_whole_tables_keep_every_bound_and_lose_nothing(counts, q):
    deltas = ["0.2", "1", "ln 9"][: len(counts)]
    wanted = shape(counts, deltas, q, "1.5")
    prices = [30.0, 3.0, 1.0][: len(counts)]
    table = found(wanted, prices)
    whole = whole_table(wanted, table.weights)
    assert sum(whole) == WORD
    assert min(whole) >= 1
    ends = np.cumsum(counts)
    for group, (end, count) in enumerate(zip(ends, counts, strict=True)):
        for position in range(end - count, end):
            assert table_loss(whole, position, q) <= deltas[group]
            right = sum(-weight if pattern >> position & 1 else weight for pattern, weight in enumerate(whole))
            assert right / WORD == pytest.approx(table.slopes[group], abs=1e-7)
    assert Nats.log(Fraction(max(whole), min(whole))) <= "1.5"
    assert dependent_loss(Nats.log(Fraction(max(whole), min(whole))), 1) <= "1.5"


def test_a_table_beyond_its_bounds_is_not_kept():
    wanted = shape((1, 1), ["0.5", "1"], "0.1", "1.2")
    assert keeps(wanted, whole_table(wanted, np.ones(4)))
    coin = [WORD // 4] * 4
    assert keeps(wanted, coin)
    coin[0], coin[3] = int(coin[0] * 1.6), coin[3] - int(coin[0] * 0.6)
    assert not keeps(wanted, coin)
    # Wrong signs of the first group only.
    assert not keeps(wanted, [WORD // 8 * 3, WORD // 8, WORD // 8 * 3, WORD // 8])
    assert keeps(wanted, [WORD // 32 * 9, WORD // 32 * 7, WORD // 32 * 9, WORD // 32 * 7])


def test_the_states_of_a_table_are_counts_of_right_signs():
    wanted = shape((2, 1), ["1", "1"], 1, "1")
    search = TableSearch(wanted)
    assert search.states == [(a, b) for a in range(3) for b in range(2)]
    weights = np.array([1.0 + a + 10 * b for a, b in search.states])
    whole = whole_table(shape((2, 1), ["9", "9"], 1, "9"), weights)
    for pattern, weight in enumerate(whole):
        right = 2 - (pattern & 3).bit_count(), 1 - (pattern >> 2)
        mean = sum(comb(2, a) * (1 + a + 10 * b) for a, b in search.states)
        assert weight / WORD == pytest.approx((1 + right[0] + 10 * right[1]) / mean, rel=1e-9)
