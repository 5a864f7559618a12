"""High-low LDP: every loss and extreme against all pairs of a sensitive value and another, in 50 digits."""

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from in_one import in_one
from sordino import HighLowLDP, Nats, PairwiseLDP, SordinoError
from sordino.definition.high_low import read_sensitive
from sordino.evidence.finite import ColumnClass, FiniteEvidence, ValueClass

witness = mpmath.MPContext()
witness.dps = 50

EPSILONS = {"0": 0, "0.001": witness.mpf(1) / 1000, "1": 1, "ln 3": witness.log(3), "40": 40}


@st.composite
def cases(draw, least=0):
    """Sensitive values, and weights on one output."""
    k = draw(st.integers(2, 7))
    sensitive = draw(st.lists(st.integers(0, k - 1), min_size=1, max_size=k - 1, unique=True))
    weights = draw(st.lists(st.integers(least, 2**40), min_size=k, max_size=k))
    return k, sensitive, weights


def protected(k, sensitive):
    return [(x, y) for x in sensitive for y in range(k) if x != y]


@given(cases(least=1), st.sampled_from(sorted(EPSILONS)))
def test_loss_and_slack_are_rounded_against_the_user(case, epsilon):
    k, sensitive, weights = case
    definition = HighLowLDP(k, sensitive, epsilon)
    evidence = FiniteEvidence.of_weights(weights, sum(weights))
    loss = definition.loss(evidence)
    lost = {x: witness.log(witness.mpf(weights[x]) / min(weights)) for x in sensitive}
    for x in range(k):
        truth = lost.get(x, witness.mpf(0))
        assert truth <= float(loss[x]) <= truth + 1e-12
        assert x in lost or loss[x] == 0
    slack = EPSILONS[epsilon] - max(lost.values())
    assert slack - 1e-12 <= definition.slack(evidence) <= slack


@given(cases())
def test_extremes_are_the_largest_ratio_of_all_protected_pairs(case):
    k, sensitive, weights = case
    parts = tuple(
        ValueClass(np.flatnonzero(np.array(weights) == weight), ((weight, 1),)) for weight in sorted({*weights} - {0})
    )
    found = [
        Fraction(e.heavy, e.light) if e.light else math.inf
        for e in HighLowLDP(k, sensitive, "1").extremes(ColumnClass(k, 1, 0, parts))
    ]
    ratios = [
        Fraction(weights[x], weights[y]) if weights[y] else math.inf
        for x, y in protected(k, sensitive)
        if weights[x] > weights[y]
    ]
    assert max(found, default=Fraction(1)) == max(ratios, default=Fraction(1))


@pytest.mark.each_value
@pytest.mark.parametrize("which", ["first", "every third", "all but the first", "own"])
def test_extremes_of_mechanisms_are_those_of_the_matrix(channel, which):
    k = channel.k
    sensitive = {
        "first": [0],
        "every third": list(range(0, k, 3)),
        "all but the first": list(range(1, k)),
        "own": sorted(x for x in range(k) if channel.bounds[x][0] is not None),
    }[which]
    if not 0 < len(sensitive) < k:
        return
    definition = HighLowLDP(k, sensitive, "1")
    found = [
        Fraction(e.heavy, e.light) if e.light else math.inf
        for column in channel.mechanism.columns()
        for e in definition.extremes(column)
    ]
    heaviest, lightest = channel.weights[sensitive].max(axis=0), channel.weights.min(axis=0)
    ratios = [Fraction(h, low) if low else math.inf for h, low in zip(heaviest, lightest, strict=True) if h]
    assert max(found, default=1) == max(ratios)


def test_a_value_that_is_not_sensitive_may_be_told():
    definition = HighLowLDP(3, [0], "1")
    told = FiniteEvidence.of_weights([0, 5, 0], 5)
    np.testing.assert_array_equal(definition.loss(told), [0, 0, 0])
    assert definition.slack(told) == pytest.approx(1)
    told = FiniteEvidence.of_weights([5, 0, 5], 5)
    np.testing.assert_array_equal(definition.loss(told), [math.inf, 0, 0])
    assert definition.slack(told) == -math.inf


@in_one(
    ("parts", "ratio"),
    [
        ([([0], [5, 1])], Fraction(5)),  # value 0 against those of weight zero: infinite, see below
        ([([0], [5, 1]), ([1, 2], [3, 3])], Fraction(5, 3)),  # one sensitive value on two outputs is no pair
        ([([0], [3, 3]), ([1, 2], [5, 1])], Fraction(3)),
        ([([0, 1, 2], [7, 2])], Fraction(7, 2)),
        ([([1, 2], [9, 1]), ([0], [2, 2])], Fraction(2)),
        ([([1, 2], [9, 1]), ([0], [1, 1])], Fraction(1)),
    ],
)
def test_a_pair_is_a_sensitive_value_and_another_one(parts, ratio):
    classes = tuple(ValueClass(np.array(values), tuple((w, 1) for w in weights)) for values, weights in parts)
    extremes = list(HighLowLDP(3, [0], "1").extremes(ColumnClass(3, 2, 0, classes)))
    found = max((Fraction(e.heavy, e.light) if e.light else math.inf for e in extremes), default=1)
    assert found == (math.inf if len(parts) == 1 and len(parts[0][0]) == 1 else ratio)


def test_equal_floats_may_hide_a_loss_of_twice_the_radius():
    definition = HighLowLDP(2, [1], "1")
    evidence = FiniteEvidence(np.zeros(2), radius=0.25)
    assert definition.loss(evidence).tolist()[0] == 0
    assert definition.loss(evidence)[1] >= 0.5
    assert definition.slack(evidence) <= 0.5


@given(cases(least=1), st.sampled_from(sorted(EPSILONS)))
def test_the_slack_is_that_of_the_matrix(case, epsilon):
    k, sensitive, weights = case
    matrix = PairwiseLDP(
        [["0" if x == y else epsilon if x in sensitive else "inf" for y in range(k)] for x in range(k)]
    )
    evidence = FiniteEvidence.of_weights(weights, sum(weights))
    found = HighLowLDP(k, sensitive, epsilon).slack(evidence)
    # A lone heaviest value has no loss below nothing here, and one there.
    assert min(matrix.slack(evidence), float(EPSILONS[epsilon])) == pytest.approx(found, abs=1e-12)


def test_bounds_of_two_reports_add_over_the_same_values():
    both = HighLowLDP(5, [3, 1], "ln 2") + HighLowLDP(5, [1, 3], "1")
    assert (both.epsilon, both.k, both.sensitive.tolist()) == (Nats.of("1 + ln 2"), 5, [1, 3])
    for other in (HighLowLDP(5, [1], "1"), HighLowLDP(6, [1, 3], "1"), HighLowLDP(5, [1, 2], "1")):
        with pytest.raises(SordinoError, match="same sensitive values"):
            both + other


@in_one(
    ("sensitive", "rule"),
    [
        ([], "some of the values must be sensitive, and not all; found none"),
        (range(5), "some of the values must be sensitive, and not all; found all 5"),
        ([0, 0], "named once"),
        ([5], "0..4; found 5"),
        ([-1], "0..4; found -1"),
        ([0.0], "list of indices"),
        ([True, False, True, False, False], "list of indices"),
        ("01", "list of indices"),
        ([[0], [1]], "list of indices"),
        (3, "list of indices"),
    ],
)
def test_sensitive_values_are_some_indices(sensitive, rule):
    with pytest.raises(SordinoError, match=rule):
        read_sensitive(5, sensitive)
    with pytest.raises(SordinoError, match=rule):
        HighLowLDP(5, sensitive, "1")


@pytest.mark.parametrize("sensitive", [[3, 0], (0, 3), np.array([3, 0], dtype=np.uint8)])
def test_sensitive_values_are_read_in_any_order(sensitive):
    definition = HighLowLDP(4, sensitive, "1")
    assert definition.sensitive.tolist() == [0, 3]
    assert definition.is_sensitive.tolist() == [True, False, False, True]


@pytest.mark.parametrize("epsilon", ["-0.1", "101", "nan", None])
def test_an_epsilon_is_a_promise_between_0_and_100(epsilon):
    with pytest.raises(SordinoError):
        HighLowLDP(3, [0], epsilon)


@pytest.mark.parametrize("measure", ["loss", "slack"])
def test_evidence_is_about_the_definitions_values(measure):
    with pytest.raises(SordinoError, match="3 values; found 2"):
        getattr(HighLowLDP(3, [0], "1"), measure)(FiniteEvidence(np.zeros(2)))
    with pytest.raises(SordinoError, match="3 values; found 2"):
        list(HighLowLDP(3, [0], "1").extremes(ColumnClass(2, 1, 0, ())))
