"""Products of powers beside fractions that are multiplied out."""

from fractions import Fraction
from math import prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sordino import Nats
from sordino.exact.powers import ProductOrder, compare_powers

POWERS = st.dictionaries(st.integers(1, 40), st.integers(-6, 6), max_size=5)


def multiplied(powers):
    return prod((Fraction(base) ** exponent for base, exponent in powers.items()), start=Fraction(1))


@given(POWERS, POWERS)
def test_products_are_compared_as_fractions_are(first, second):
    left, right = multiplied(first), multiplied(second)
    assert compare_powers(first, Nats.log(right)) == (left > right) - (left < right)
    assert compare_powers(first, Nats.log(left)) == 0


@given(POWERS, st.fractions(-3, 3, max_denominator=9))
def test_products_are_compared_with_rational_amounts(powers, rational):
    expected = Nats.log(multiplied(powers)).compare(Nats.of(rational))
    assert compare_powers(powers, Nats.of(rational)) == expected


@pytest.mark.parametrize("sign", [-1, 0, 1])
def test_what_differs_late_is_told(sign):
    """Two hundred digits are the same."""
    odds = Fraction(3) * (1 + Fraction(sign, 10**200))
    powers = {odds.numerator: 5_000, odds.denominator: -5_000, 9: -2_500}
    assert compare_powers(powers, Nats.of(0)) == sign
    assert compare_powers({3: 1}, Nats.log(odds)) == -sign


def test_large_powers_that_cancel_are_never_multiplied_out():
    huge = 3**40 * 2**62
    assert compare_powers({huge: 10**9, 2**62: -(10**9), 9: -20 * 10**9}, Nats.of(0)) == 0
    assert compare_powers({huge: 10**9, 2**62: -(10**9), 9: 1 - 20 * 10**9}, Nats.of("ln 9")) == 0
    assert compare_powers({3: 1}, Nats.log(0)) == 1


@given(st.lists(st.lists(st.integers(-9, 9), min_size=3, max_size=3), min_size=1, max_size=8))
def test_the_largest_and_the_least_product_are_those_of_fractions(rows):
    """Of ratios whose powers are equal, or as close as floats cannot tell."""
    ratios = [Fraction(3), Fraction(9), Fraction(3) + Fraction(1, 10**30)]
    order, powers = ProductOrder(ratios), np.array(rows)
    worth = [prod((ratio**power for ratio, power in zip(ratios, row, strict=True)), start=Fraction(1)) for row in rows]
    found = [tuple(best(powers, axis=0).tolist()) for best in (order.most, order.least)]
    assert [worth[list(map(tuple, rows)).index(row)] for row in found] == [max(worth), min(worth)]
    along = [best(powers[:, np.newaxis], axis=0).tolist() for best in (order.most, order.least)]
    assert along == [[list(row)] for row in found]


def test_of_products_that_floats_cannot_tell_apart_the_larger_one_is_found():
    hair = Fraction(1, 10**30)
    order = ProductOrder([Fraction(3), 3 + hair, 9 + 6 * hair])
    rows = np.array([[2, 0, 0], [0, 0, 1], [0, 2, 0], [1, 1, 0]])
    assert order.most(rows, axis=0).tolist() == [0, 2, 0]
    assert order.least(rows, axis=0).tolist() == [2, 0, 0]
    assert order.least(rows[1:3], axis=0).tolist() == [0, 0, 1]
