"""The best table: how well it tells a number, that it keeps epsilon in whole numbers, and where there is none."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from sordino import LDP, Nats, Number, Query, RandomizedResponse, SordinoError, certify
from sordino.design.numbers.best_table import best_table, integer_table
from sordino.estimation.moment_estimator import MomentEstimator

FIGURES = [("0.5", 16.33), ("1", 4.08), ("2", 0.884), ("3", 0.311), ("4", 0.130)]


def worst_by_hand(table, share=1):
    """The largest variance of one report over all numbers in [-1, 1], in fractions, from the weights alone."""
    total, steps = sum(table.weights[0]), table.k - 1
    means = [Fraction(sum(code * weight for code, weight in enumerate(row)), total) for row in table.weights]
    slope, middle = (means[-1] - means[0]) / 2, (means[0] + means[-1]) / 2
    # Codes count as (code - middle) / slope: without any bias at the points.
    points = [Fraction(2 * place, steps) - 1 for place in range(table.k)]
    assert all((mean - middle) / slope == point for mean, point in zip(means, points, strict=True))
    squares = [
        sum(weight * ((code - middle) / slope) ** 2 for code, weight in enumerate(row)) / total / share
        for row in table.weights
    ]
    worst = max(square - point**2 for square, point in zip(squares, points, strict=True))
    for (left, low), (right, high) in pairwise(zip(points, squares, strict=True)):
        # Linear, less the square of the number: a parabola, whose top may lie between.
        top = (high - low) / (right - left) / 2
        if left < top < right:
            worst = max(worst, low + (high - low) * (top - left) / (right - left) - top**2)
    return float(worst)


@pytest.mark.parametrize(("epsilon", "most"), FIGURES)
def test_the_worst_variance_of_a_number(epsilon, most):
    table = best_table(epsilon)
    worst = worst_by_hand(table)
    assert worst <= most
    assert MomentEstimator.of(Query(Number(0, table.k), table)).largest_variance()[0] == pytest.approx(worst, rel=1e-9)
    # Below 2, those of one bit; from there on, of the best window.
    others = {"0.5": 16.671, "1": 4.683, "2": 0.9999, "3": 0.3724, "4": 0.1592}
    assert worst < 0.97 * others[epsilon]


@pytest.mark.parametrize("share", [1, Fraction(1, 10)])
@pytest.mark.parametrize("epsilon", ["0.5", "1.5", "6", "10"])
def test_it_is_better_than_a_bit_whoever_is_asked(epsilon, share):
    (bit,) = MomentEstimator.of(Query(Number(0), RandomizedResponse(2, epsilon))).largest_variance(float(share))
    assert worst_by_hand(best_table(epsilon, float(share)), share) < bit


@pytest.mark.parametrize("epsilon", ["0.05", "0.5", "ln 3", "3", "10"])
def test_every_column_keeps_epsilon_in_whole_numbers(epsilon, exp_bounds):
    table = best_table(epsilon)
    allowed, _ = exp_bounds(*((0, 3) if epsilon == "ln 3" else (Fraction(epsilon), 1)))
    assert {sum(row) for row in table.weights} == {2**64}
    ratios = [Fraction(max(column), min(column)) for column in zip(*table.weights, strict=True)]
    assert allowed * (1 - Fraction(1, 10**5)) < max(ratios) <= allowed
    certificate = certify(table, LDP(epsilon))
    assert certificate.holds
    assert certificate.slack < Nats.of("1/100000")


def test_mirrored_numbers_have_mirrored_codes():
    rows = best_table("2").weights
    assert [row[::-1] for row in rows[:5:-1]] == list(rows[:5])


def test_where_there_is_none():
    assert best_table("10.1") is None
    assert best_table("1e-12") is None
    for wrong in ("-1", "inf", None):
        with pytest.raises(SordinoError):
            best_table(wrong)


def test_a_table_that_breaks_epsilon_is_not_made():
    """Of randomized response by 3 to 1, at -1 and at 0."""
    law = np.array([[0.75, 0.25], [0.5, 0.5]])
    assert integer_table(law, 2.0, Nats.of("1.1")).k == 3
    assert integer_table(law, 2.0, Nats.of("1.09")) is None


@pytest.mark.parametrize("step", [3, pytest.param(1, marks=pytest.mark.long)])
def test_every_level_has_a_table_and_a_larger_one_a_better_one(step):
    # Newton's equations are nearly singular from 7 on: which levels LAPACK calls so depends on the processor.
    levels = [str(Fraction(number, 10)) for number in range(10, 101, step)]
    tables = {level: best_table(level) for level in levels}
    assert None not in tables.values()
    worst = [worst_by_hand(table) for table in tables.values()]
    falls = [after / before for before, after in pairwise(worst)]
    assert max(falls) < 1
    # From a level to the next the variance falls by some e^(-.1) or more, and nowhere by a jump.
    assert min(falls) > 0.7**step
