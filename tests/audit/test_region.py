"""Tests of two hypotheses: error rates of every rejection region, and what a definition allows, exactly."""

from fractions import Fraction
from itertools import chain, combinations, permutations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sordino import LDP, BayesianCoordinateDP, ChannelTable, CyclicSubsets, Nats
from sordino.audit.certificate import certify
from sordino.audit.region import code_weights, reached_errors

PRIOR = np.array(
    [[Fraction(1, 3), Fraction(1, 6)], [Fraction(1, 12), Fraction(1, 4)], [Fraction(1, 6), 0]], dtype=object
)
RECORDS = [*product(range(3), range(2))]


@st.composite
def channels(draw, least=0):
    codes = draw(st.integers(1, 3))
    rows = draw(st.lists(st.lists(st.integers(least, 6), min_size=codes, max_size=codes), min_size=6, max_size=6))
    total = max(1, *map(sum, rows))
    return ChannelTable([[*row, total - sum(row)] for row in rows])


def subsets(values):
    return [*chain.from_iterable(combinations(values, size) for size in range(len(values) + 1))]


def law_given(mechanism, i, values):
    """Pr(code | x_i in values), in fractions."""
    inputs = [(x, PRIOR[r]) for x, r in enumerate(RECORDS) if r[i] in values]
    total = sum(p for _, p in inputs)
    return [
        sum(p * Fraction(mechanism.weight(x, y), mechanism.denominator) for x, p in inputs) / total
        for y in range(mechanism.outputs)
    ]


def errors_of(first, second):
    """(alpha, beta) of every rejection region: rejected although the first holds; kept although the second does."""
    for region in subsets(range(len(first))):
        alpha = sum((first[y] for y in region), Fraction(0))
        yield alpha, 1 - sum((second[y] for y in region), Fraction(0))


def allowed(factor, alpha, beta):
    return factor * alpha + beta >= 1 and alpha + factor * beta >= 1


@given(channels(), st.sampled_from([1, Fraction(3, 2), 2, 5]))
def test_a_prior_and_mechanism_keep_delta_iff_all_tests_do(mechanism, factor):
    """Theorem 1, over all sets of values and all rejection regions."""
    for i, size in enumerate((3, 2)):
        hypotheses = [values for values in subsets(range(size)) if values]
        keeps = all(
            allowed(factor, alpha, beta)
            for first, second in permutations(hypotheses, 2)
            for alpha, beta in errors_of(law_given(mechanism, i, first), law_given(mechanism, i, second))
        )
        deltas = [Nats.log(factor) if j == i else "inf" for j in range(2)]
        definition = BayesianCoordinateDP.with_prior(deltas, PRIOR)
        assert keeps == certify(mechanism, definition).holds


@given(channels(), st.sampled_from([1, Fraction(3, 2), 2, 5]))
def test_a_mechanism_keeps_epsilon_iff_all_tests_of_records_do(mechanism, factor):
    """Proposition 2."""
    laws = [
        [Fraction(mechanism.weight(x, y), mechanism.denominator) for y in range(mechanism.outputs)] for x in range(6)
    ]
    keeps = all(allowed(factor, *errors) for pair in permutations(laws, 2) for errors in errors_of(*pair))
    definition = LDP(Nats.log(factor))
    assert keeps == certify(mechanism, definition).holds


@given(channels(least=1))
def test_the_certificate_is_exact(mechanism):
    for i in range(2):
        unprotected = ["inf"] * 2
        level = max(
            Fraction(own, other) if other else Fraction(10**9)
            for first, second in permutations(range((3, 2)[i]), 2)
            for own, other in zip(law_given(mechanism, i, [first]), law_given(mechanism, i, [second]), strict=True)
            if own
        )
        for delta, holds in ((Nats.log(level), level < 10**9), (Nats.log(level * (1 - Fraction(1, 10**30))), False)):
            if delta.sign() >= 0:
                deltas = [*unprotected[:i], delta, *unprotected[i + 1 :]]
                assert certify(mechanism, BayesianCoordinateDP.with_prior(deltas, PRIOR)).holds == holds
    assert certify(mechanism, BayesianCoordinateDP.with_prior(["inf", "inf"], PRIOR)).holds


@given(channels(), st.permutations(range(6)))
def test_no_test_has_smaller_errors_than_the_curve(mechanism, values):
    first, second = values[:2]
    region = reached_errors(mechanism, first, second)
    own, other = (
        [Fraction(mechanism.weight(value, y), mechanism.denominator) for y in range(mechanism.outputs)]
        for value in (first, second)
    )
    # The curve's false alarms say the first value though it is the second.
    errors = [*errors_of(other, own)]
    corners = [*zip(region.false_alarm.tolist(), region.missed.tolist(), strict=True)]
    assert corners[0] == (0, 1)
    for alarm, miss in corners:
        assert any(abs(alarm - a) + abs(miss - b) < 1e-12 for a, b in errors)
    for alarm, miss in errors:
        assert np.interp(float(alarm), region.false_alarm, region.missed) <= float(miss) + 1e-12 or alarm == 0
    # Beyond the last corner only certain alarms remain.
    assert region.missed[-1] == 0


def test_the_corners_are_the_sums_of_weights():
    one = reached_errors(ChannelTable([[5, 2, 1], [1, 3, 4]]), 0, 1)
    np.testing.assert_array_equal(one.false_alarm, [0, 1 / 8, 4 / 8, 1])
    np.testing.assert_array_equal(one.missed, [1, 3 / 8, 1 / 8, 0])


def test_codes_of_the_same_two_weights_are_one_corner():
    """Dozens of codes of a design have three corners and the ends, on the boundary that accepts code after code."""
    mechanism = CyclicSubsets(7, "1")
    region = reached_errors(mechanism, 3, 5)
    assert len(region.missed) <= 5 < mechanism.outputs
    own, against = (
        [Fraction(weight, mechanism.denominator) for weight in code_weights(mechanism, value)] for value in (3, 5)
    )
    alarm, miss = Fraction(0), Fraction(1)
    for first, second in sorted(zip(own, against, strict=True), key=lambda pair: pair[1] / pair[0]):
        alarm, miss = alarm + second, miss - first
        assert np.interp(float(alarm), region.false_alarm, region.missed) == pytest.approx(float(miss), abs=1e-12)
    assert (alarm, miss) == (1, 0)
