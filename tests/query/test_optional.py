"""A number that may be missing: how it is read, and what the worst believer learns of it, by enumeration."""

from fractions import Fraction
from math import exp, expm1, log

import numpy as np
import pytest

from beliefs import worst_beliefs
from sordino import (
    Dependence,
    KeyedSource,
    Nats,
    Number,
    OptionalNumber,
    Query,
    RandomizedResponse,
    Sampled,
    SordinoError,
)
from sordino.audit.answers import answers
from sordino.definition.sampling import sampling_deltas
from sordino.design.numbers.optional_numbers import optional_channel
from sordino.exact.source import FreshStream

NAN = float("nan")
NUMBERS = [NAN, -1.0, -0.7, -1 / 3, 0.0, 0.2, 0.999, 1.0]


def asked(level="1", missing=0.1):
    channel = optional_channel(Nats.of(level), missing)
    return Query(OptionalNumber(0, channel.k - 1), channel)


def law_by_hand(query, number):
    """Pr(code | number): the rows of the two neighbouring points in the number's proportion, or the last row."""
    channel = query.mechanism
    rows = [
        [Fraction(channel.weight(v, c), channel.denominator) for c in range(channel.outputs)] for v in range(channel.k)
    ]
    if np.isnan(number):
        return rows[-1]
    at = (Fraction(number) + 1) * (channel.k - 2) / 2
    lower = min(int(at), channel.k - 3)
    return [(1 - (at - lower)) * a + (at - lower) * b for a, b in zip(rows[lower], rows[lower + 1], strict=True)]


@pytest.mark.parametrize("level", ["0.3", "1", "4"])
def test_no_two_numbers_nor_a_number_and_none_are_told_apart_by_more_than_epsilon(level):
    laws = [law_by_hand(asked(level), number) for number in NUMBERS]
    worst = max(a / b for one in laws for other in laws for a, b in zip(one, other, strict=True))
    assert exp(float(level)) * 0.99 < worst <= exp(float(level)) * (1 + 1e-12)


@pytest.mark.parametrize("number", NUMBERS)
def test_a_number_is_read_as_its_neighbouring_points_and_none_as_the_last_value(number):
    query = asked("2")
    found = query.law([number])
    assert sum(found) == 1
    np.testing.assert_allclose(
        [float(a - b) for a, b in zip(found, law_by_hand(query, number), strict=True)], 0, atol=1e-15
    )


def test_who_has_none_is_read_as_the_last_value_whatever_the_words_are():
    words = np.array([0, 1 << 63, (1 << 64) - 1], dtype=np.uint64)
    statistic = OptionalNumber(1, 5)
    records = np.array([[0.5, NAN]] * 3)
    read = statistic.encode(records, FreshStream(lambda count: words[:count], 3))
    np.testing.assert_array_equal(read, [5, 5, 5])
    half = statistic.encode(np.array([[NAN, 0.25]] * 3), FreshStream(lambda count: words[:count], 3))
    np.testing.assert_array_equal(half, [3, 2, 2])


def test_what_is_read_counts_as_the_number_and_as_whether_it_is_given():
    statistic = OptionalNumber(0, 4)
    for number in NUMBERS:
        read = statistic.law([number])
        (_, points), (_, there) = statistic.counted_moments
        told = [
            float(sum(share * Fraction(v) for share, v in zip(read, grid.tolist(), strict=True)))
            for grid in (points, there)
        ]
        np.testing.assert_allclose(told, [0, -1] if np.isnan(number) else [number, 1], atol=1e-15)


@pytest.mark.parametrize("q", [0.05, 0.5])
def test_a_delta_holds_for_the_worst_belief_about_number_and_absence(q):
    query = asked("1.5")
    rows = query.mechanism.probabilities()
    told = sampling_deltas(answers(query), Dependence.bounded(["1", str(q)]))
    worst = max(worst_beliefs(column, column, q) for column in rows.T)
    assert log(worst) <= float(told[1]) + 1e-9
    assert float(told[1]) == pytest.approx(log(1 + q * expm1(1.5)), abs=1e-9)
    assert float(told[0]) == pytest.approx(1.5, abs=1e-9)


def test_equal_means_do_not_hide_who_is_missing():
    """Of two values of another attribute one goes with the number 0, the other with none: both count as 0."""
    bounds = Dependence.bounded([1, 1], {(1, (0,)): "0"})
    told = sampling_deltas(answers(asked("1")), bounds)
    zero, none = (law_by_hand(asked("1"), number) for number in (0.0, NAN))
    surely = max(a / b for a, b in zip(none, zero, strict=True))
    assert log(surely) > 0.5
    assert float(told[1]) == pytest.approx(1, abs=1e-9)


def test_only_numbers_that_may_be_missing_may():
    income, age = asked(), Query(Number(1), RandomizedResponse(2, "1"))
    both = Sampled((income, age), (1, 1))
    assert len(both.privatize([[NAN, 0.5], [0.5, 1.0]])) == 2
    wrong = [(both, [[0.5, NAN]]), (both, [[2.0, 0.5]]), (both, [[float("inf"), 0.5]]), (age, [[0.5, NAN]])]
    also = Query(Number(0), RandomizedResponse(2, "1"))
    wrong += [(Sampled((income, also), (1, 1)), [[NAN]]), (income, [[-1.5]])]
    for query, records in wrong:
        with pytest.raises(SordinoError, match=r"numbers must lie in \[-1, 1\]"):
            query.privatize(records)


def test_a_missing_number_has_one_spelling_for_a_key():
    other = np.array([0xFFF8000000000123], dtype=np.uint64).view(np.float64)[0]
    source = KeyedSource(bytes(32), "task").for_records([1, 2, 3])
    words = source.stream(np.array([[NAN], [NAN], [0.0]])).next()
    np.testing.assert_array_equal(
        words, KeyedSource(bytes(32), "task").for_records([1, 2, 3]).stream(np.array([[other], [-NAN], [0.0]])).next()
    )


@pytest.mark.parametrize("points", [1, 128, True])
def test_grids_that_are_none_are_refused(points):
    with pytest.raises(SordinoError, match="must have 2 to 127 points"):
        OptionalNumber(0, points)
