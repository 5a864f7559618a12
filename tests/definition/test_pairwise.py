"""LDP and block-structured LDP: every loss against all pairs of values, in exact fractions and 50 digits."""

import math
from fractions import Fraction
from itertools import permutations

import mpmath
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from in_one import in_one
from sordino import LDP, BlockLDP, Nats, SordinoError
from sordino.definition.pairwise import largest_ratio
from sordino.evidence.finite import ColumnClass, FiniteEvidence, ValueClass

witness = mpmath.MPContext()
witness.dps = 50

EPSILONS = {"0": 0, "0.001": witness.mpf(1) / 1000, "1": 1, "1/3": witness.mpf(1) / 3, "ln 3": witness.log(3), "40": 40}


@st.composite
def evidence_in_blocks(draw, least=1):
    """Weights on one output, a label for each value."""
    k = draw(st.integers(1, 8))
    weights = draw(st.lists(st.integers(least, 2**40), min_size=k, max_size=k))
    return weights, draw(st.lists(st.integers(0, 3), min_size=k, max_size=k))


def definition_for(epsilon, labels):
    """LDP where all values share a label half of the time, to test both."""
    return LDP(epsilon) if len(set(labels)) == 1 else BlockLDP(labels, epsilon)


def exact_losses(weights, labels):
    """The logarithm of the largest ratio of each value's weight to that of a value with its label."""
    losses = []
    for own, label in zip(weights, labels, strict=True):
        least = min(other for other, theirs in zip(weights, labels, strict=True) if theirs == label)
        losses.append(witness.log(witness.mpf(own) / least))
    return losses


@given(evidence_in_blocks(), st.sampled_from(sorted(EPSILONS)))
def test_loss_and_slack_are_rounded_against_the_user(drawn, epsilon):
    weights, labels = drawn
    definition = definition_for(epsilon, labels)
    evidence = FiniteEvidence.of_weights(weights, sum(weights))
    exact, loss = exact_losses(weights, labels), definition.loss(evidence)
    assert loss.shape == (len(weights),)
    assert all(truth <= float(found) <= truth + 1e-12 for truth, found in zip(exact, loss, strict=True))
    slack = EPSILONS[epsilon] - max(exact)
    assert slack - 1e-12 <= definition.slack(evidence) <= slack


@pytest.mark.parametrize("epsilon", ["0", "1", "1/3", "ln 3"])
def test_no_report_leaves_at_most_epsilon(epsilon):
    for definition in (LDP(epsilon), BlockLDP([0, 0], epsilon)):
        nothing = FiniteEvidence(np.zeros(2))
        np.testing.assert_array_equal(definition.loss(nothing), [0, 0])
        slack = definition.slack(nothing)
        assert EPSILONS[epsilon] - 1e-15 <= slack <= EPSILONS[epsilon]


@given(st.lists(st.floats(-50, 0), min_size=2, max_size=5))
def test_the_rounding_of_the_difference_is_covered_too(logarithms):
    exact = Fraction(max(logarithms)) - Fraction(min(logarithms))
    evidence = FiniteEvidence(np.array(logarithms))
    for definition in (LDP("1"), BlockLDP([0] * len(logarithms), "1")):
        assert exact <= Fraction(float(definition.loss(evidence).max())) <= exact + Fraction(1, 10**12)
        assert 1 - exact - Fraction(1, 10**12) <= Fraction(definition.slack(evidence)) <= 1 - exact


@given(st.lists(evidence_in_blocks(least=2**20), min_size=2, max_size=12))
def test_reports_about_one_value_are_measured_together(reports):
    k = min(len(weights) for weights, _ in reports)
    labels, total, products = reports[0][1][:k], FiniteEvidence(np.zeros(k)), [1] * k
    for weights, _ in reports:
        total += FiniteEvidence.of_weights(weights[:k], 2**60)
        products = [product * weight for product, weight in zip(products, weights, strict=False)]
    slack = 1 - max(exact_losses(products, labels))
    assert slack - 1e-11 <= definition_for("1", labels).slack(total) <= slack


def test_a_value_that_cannot_cause_the_output_breaks_every_bound_of_its_block():
    weights, labels = [3, 0, 2, 2], [0, 0, 1, 1]
    evidence = FiniteEvidence.of_weights(weights, 7)
    definition = BlockLDP(labels, "1")
    np.testing.assert_allclose(definition.loss(evidence), [math.inf, 0, 0, 0], atol=1e-12)
    assert definition.slack(evidence) == -math.inf
    np.testing.assert_array_equal(LDP("1").loss(evidence)[[0, 2, 3]], [math.inf] * 3)
    assert LDP("1").slack(evidence) == -math.inf


def test_an_output_that_a_whole_block_cannot_cause_says_nothing_within_it():
    evidence = FiniteEvidence.of_weights([3, 3, 0, 0], 6)
    np.testing.assert_array_equal(BlockLDP([0, 0, 1, 1], "1").loss(evidence)[2:], [0, 0])
    assert BlockLDP([0, 0, 1, 1], "1").slack(evidence) == pytest.approx(1)


def test_equal_floats_may_hide_a_loss_of_twice_the_radius():
    evidence = FiniteEvidence(np.zeros(2), radius=0.25)
    assert LDP("1").loss(evidence).max() >= 0.5
    assert LDP("1").slack(evidence) <= 0.5
    assert BlockLDP([0, 0], "1").slack(evidence) <= 0.5


def test_a_value_alone_in_its_block_loses_nothing():
    evidence = FiniteEvidence(np.array([-1.0, -5.0]), radius=0.25)
    np.testing.assert_array_equal(BlockLDP([0, 1], "1").loss(evidence), [0, 0])


def as_column(weights):
    """One output, its values grouped by weight; values of weight zero are in no part."""
    parts = tuple(
        ValueClass(np.flatnonzero(np.array(weights) == weight), ((weight, 1),)) for weight in sorted({*weights} - {0})
    )
    return ColumnClass(len(weights), 1, 0, parts)


def tightest(extremes):
    """The largest ratio, infinite if a weight is zero."""
    ratios = [Fraction(e.heavy, e.light) if e.light else math.inf for e in extremes]
    return max(ratios, default=Fraction(1))


def brute(columns, labels):
    """The largest ratio over all columns and ordered pairs with one label, at least 1."""
    ratios = [Fraction(1)]
    for column in columns:
        for x, y in permutations(range(len(labels)), 2):
            if labels[x] == labels[y] and column[x] > column[y]:
                ratios.append(Fraction(column[x], column[y]) if column[y] else math.inf)
    return max(ratios)


@given(evidence_in_blocks(least=0), st.booleans())
def test_extremes_are_the_largest_ratio_of_all_pairs(drawn, by_block):
    weights, labels = drawn
    definition = BlockLDP(labels, "1") if by_block else LDP("1")
    labels = labels if by_block else [0] * len(labels)
    assert tightest(definition.extremes(as_column(weights))) == brute([weights], labels)


def test_extremes_of_mechanisms_are_the_largest_ratio_of_all_pairs_and_codes(awkward):
    for channel in awkward:
        k = channel.k
        for labels in (None, list(channel.labels), list(range(k)), [x % 3 for x in range(k)]):
            definition = LDP("1") if labels is None else BlockLDP(labels, "1")
            found = tightest(e for column in channel.mechanism.columns() for e in definition.extremes(column))
            groups = [[x for x in range(k) if labels is None or labels[x] == label] for label in {*(labels or [0])}]
            ratios = [Fraction(1)]
            for group in groups:
                heavy, light = channel.weights[group].max(axis=0), channel.weights[group].min(axis=0)
                possible = heavy > 0
                if (light[possible] == 0).any():
                    ratios.append(math.inf)
                else:
                    ratios += map(Fraction, heavy[possible], light[possible])
            assert found == max(ratios)


@in_one(
    ("parts", "ratio"),
    [
        ([([0], [5, 1])], Fraction(1)),  # one value on two outputs is no pair
        ([([0], [5, 1]), ([1], [3, 3])], Fraction(3)),  # the second value against the first one's light output
        ([([0], [3, 3]), ([1], [5, 1])], Fraction(3)),
        ([([0], [9, 1]), ([1], [9, 9])], Fraction(9)),
        ([([0, 1], [7, 2])], Fraction(7, 2)),
        ([([0, 1], [7, 2]), ([2], [1, 1])], Fraction(7)),
        ([([0], [4, 4]), ([1], [4, 4])], Fraction(1)),
    ],
)
def test_a_pair_is_two_values_whichever_class_they_are_in(parts, ratio):
    classes = tuple(ValueClass(np.array(values), tuple((w, 1) for w in weights)) for values, weights in parts)
    column = ColumnClass(sum(len(values) for values, _ in parts), 2, 0, classes)
    assert tightest(LDP("1").extremes(column)) == ratio
    assert tightest(BlockLDP([0] * column.k, "1").extremes(column)) == ratio


def test_a_value_in_no_class_is_protected_too():
    column = ColumnClass(3, 1, 0, (ValueClass(np.array([0, 1]), ((4, 1),)),))
    assert tightest(LDP("1").extremes(column)) == math.inf
    assert tightest(BlockLDP([0, 0, 1], "1").extremes(column)) == 1
    assert tightest(BlockLDP([0, 1, 1], "1").extremes(column)) == math.inf


@in_one("epsilon", ["-0.1", -1, "ln .5", "100.001", "1e400", "100 + ln 2", "nan", True, None])
def test_an_epsilon_is_a_promise_between_0_and_100(epsilon):
    with pytest.raises(SordinoError):
        LDP(epsilon)
    with pytest.raises(SordinoError):
        BlockLDP([0, 0], epsilon)


@pytest.mark.parametrize("epsilon", [0, "100", "99 + ln 2", "1 + ln .5"])
def test_every_epsilon_within_bounds_is_kept_exactly(epsilon):
    assert LDP(epsilon).epsilon == Nats.of(epsilon) == BlockLDP([0], epsilon).epsilon


def test_equal_definitions_are_equal():
    assert LDP("ln 4") == LDP("ln 2 + ln 2") != LDP("1")
    assert BlockLDP([0, 0, 1], "1") == BlockLDP([[2], [1, 0]], "1.0") != BlockLDP([0, 1, 1], "1")


def test_blocks_and_evidence_are_about_the_same_values():
    definition = BlockLDP([0, 0, 1], "1")
    for measure in (definition.loss, definition.slack):
        with pytest.raises(SordinoError, match="3 values"):
            measure(FiniteEvidence(np.zeros(2)))
    with pytest.raises(SordinoError, match="3 values"):
        list(definition.extremes(as_column([1, 2])))


class Counted(int):
    """A weight that notes how often it is compared."""

    compared = 0

    def __lt__(self, other):
        Counted.compared += 1
        return int(self) < int(other)

    def __gt__(self, other):
        Counted.compared += 1
        return int(self) > int(other)


def test_the_largest_ratio_of_many_parts_is_found_without_comparing_each_two():
    parts = [(1, Counted(7 + i * 5 % 997), Counted(5 + i * 3 % 997)) for i in range(500)]
    expected = max(
        Fraction(int(heavy), int(light))
        for i, (_, heavy, _) in enumerate(parts)
        for j, (_, _, light) in enumerate(parts)
        if i != j
    )
    Counted.compared = 0
    assert Fraction(*map(int, largest_ratio(parts, 500))) == expected
    assert Counted.compared <= 20 * len(parts)


@given(
    st.lists(st.tuples(st.integers(1, 2), st.integers(0, 6), st.integers(0, 6)), min_size=1, max_size=5),
    st.integers(0, 2),
)
@example([(1, 3, 1), (1, 2, 2)], 0)
def test_the_largest_ratio_is_that_of_all_pairs(drawn, missing):
    """Ties, parts of one value, and values in no part."""
    parts = [(hits, max(first, second), min(first, second)) for hits, first, second in drawn]
    size = sum(hits for hits, _, _ in parts) + missing
    every = parts + [(1, 0, 0)] * missing
    ratios = [
        Fraction(heavy, light) if light else math.inf
        for i, (hits, heavy, _) in enumerate(every)
        for j, (_, _, light) in enumerate(every)
        if heavy and (i != j or hits > 1)
    ]
    found = largest_ratio(parts, size)
    if not any(heavy for _, heavy, _ in every) or size < 2:
        assert found is None
    else:
        assert (Fraction(*found) if found[1] else math.inf) == max([1, *ratios])
