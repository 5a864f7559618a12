"""The best channel for two values: its published points, and Warner's and Mangat's responses exactly."""

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from in_one import in_one
from sordino import BinaryOptimal, ChannelTable, RandomizedResponse, SordinoError
from sordino.exact.coin import WORD


def amount(bound):
    return math.inf if bound == "inf" else math.log(3) if bound == "ln 3" else float(bound)


def published(first, second):
    """The optimal channel, in its stable form."""
    if 0 in (first, second):
        return np.array([[1, 0], [1, 0]])
    u, v = -math.expm1(-second), -math.expm1(-first)
    whole = -math.expm1(-first - second)
    return np.array([[u, math.exp(-second) * v], [math.exp(-first) * u, v]]) / whole


BOUNDS = ["0", "0.001", "0.5", "1", "ln 3", "2", "10", "inf"]


@pytest.mark.each_value
@pytest.mark.parametrize("second", BOUNDS)
@pytest.mark.parametrize("first", BOUNDS)
def test_the_channel_is_the_published_one(first, second):
    found = BinaryOptimal(first, second).probabilities()
    np.testing.assert_allclose(found, published(amount(first), amount(second)), rtol=1e-12, atol=1e-18)


def test_the_published_error_rates():
    rows = BinaryOptimal("1", "2").probabilities()
    assert rows[1, 0] == pytest.approx(0.334759, abs=5e-7)
    assert rows[0, 1] == pytest.approx(0.090031, abs=5e-7)


def test_one_bound_alone():
    np.testing.assert_allclose(BinaryOptimal("1", "inf").probabilities(), [[1, 0], [math.exp(-1), 1 - math.exp(-1)]])
    np.testing.assert_allclose(BinaryOptimal("inf", "1").probabilities(), [[1 - math.exp(-1), math.exp(-1)], [0, 1]])


@in_one("epsilon", ["0.001", "0.5", "1", "ln 3", "20", "40"])
def test_equal_bounds_are_warners_randomized_response(epsilon):
    mechanism, warner = BinaryOptimal(epsilon, epsilon), RandomizedResponse(2, epsilon)
    for value in range(2):
        for code in range(2):
            found = Fraction(mechanism.weight(value, code), mechanism.denominator)
            assert found == Fraction(warner.weight(value, code), warner.denominator)
    np.testing.assert_allclose(mechanism.variance(), warner.variance())


@pytest.mark.parametrize(("bound", "odds"), [("ln 2", 2), ("ln 4", 4), ("ln 1024", 1024)])
def test_one_infinite_bound_is_mangats_response(bound, odds):
    # The sensitive answer is always given truly; the other one says so but with probability 1 / odds.
    mechanism = BinaryOptimal(bound, "inf")
    assert [mechanism.weight(0, code) for code in range(2)] == [WORD, 0]
    assert [mechanism.weight(1, code) for code in range(2)] == [WORD // odds, WORD - WORD // odds]
    mirrored = BinaryOptimal("inf", bound)
    assert [mirrored.weight(1, code) for code in range(2)] == [0, WORD]
    assert [mirrored.weight(0, code) for code in range(2)] == [WORD - WORD // odds, WORD // odds]


def test_without_bounds_both_answers_are_true():
    mechanism = BinaryOptimal("inf", "inf")
    np.testing.assert_array_equal(mechanism.probabilities(), np.eye(2))
    values = np.arange(1000) % 2
    np.testing.assert_array_equal(mechanism.privatize(values), values)


@in_one(("first", "second"), [("0", "0"), ("0", "1"), ("1", "0"), ("0", "inf"), ("inf", "0")])
def test_a_bound_of_nothing_says_nothing(first, second):
    mechanism = BinaryOptimal(first, second)
    assert not mechanism.informative
    assert len(set(mechanism.privatize(np.arange(1000) % 2).tolist())) == 1
    with pytest.raises(SordinoError, match="raise epsilon"):
        mechanism.decode(np.array([0.5, 0.5]))


@in_one("second", ["0.5", "2", "inf"])
@in_one("first", ["0.5", "1", "inf"])
def test_no_channel_under_the_bounds_is_more_accurate(first, second):
    # A grid of all channels with two answers, by the odds that the bounds allow.
    best = BinaryOptimal(first, second).total_variance
    most = [math.exp(amount(bound)) if bound != "inf" else math.inf for bound in (first, second)]
    steps = [step / 100 for step in range(101)]
    for a, b in product(steps, steps):
        within_first = most[0] == math.inf or a <= most[0] * b
        within_second = most[1] == math.inf or 1 - b <= most[1] * (1 - a)
        if a > b and within_first and within_second:
            share = (a + b) / 2
            assert best <= 2 * share * (1 - share) / (a - b) ** 2 * (1 + 1e-9)


@pytest.mark.parametrize("p", [[0.5, 0.5], [1, 0], [0.1, 0.9]])
def test_variance_is_that_of_a_table_of_the_same_weights(p):
    mechanism = BinaryOptimal("1", "2")
    rows = [[mechanism.weight(value, code) // 2**10 for code in range(2)] for value in range(2)]
    rows = [[first, 2**54 - first] for first, _ in rows]
    np.testing.assert_allclose(mechanism.variance(np.array(p)), ChannelTable(rows).variance(np.array(p)), rtol=1e-9)


@pytest.mark.parametrize(("first", "second"), [(1, 2), (-1, -1), (WORD + 1, 0), (5, -1)])
def test_weights_are_two_ordered_numbers_up_to_the_whole(first, second):
    with pytest.raises(SordinoError, match="0 <= second <= first"):
        BinaryOptimal.from_weights(first, second)


def test_frozen_weights_give_the_same_channel():
    built = BinaryOptimal("ln 3", "1")
    assert BinaryOptimal.from_weights(built.first, built.second) == built
    assert BinaryOptimal.from_weights(built.first, built.second - 1).fingerprint != built.fingerprint


@in_one("bound", ["-1", "101", "nan", True, [1]])
def test_a_bound_is_an_epsilon_or_infinite(bound):
    with pytest.raises(SordinoError):
        BinaryOptimal(bound, "1")
    with pytest.raises(SordinoError):
        BinaryOptimal("1", bound)
