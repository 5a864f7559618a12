"""Coordinate DP: every loss, level and extreme against all pairs of records that differ in one attribute."""

import math
from fractions import Fraction
from itertools import product

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sordino import LDP, Categories, CoordinateDP, Nats, Record, SordinoError
from sordino.evidence.finite import ColumnClass, FiniteEvidence, ValueClass

witness = mpmath.MPContext()
witness.dps = 50

BUDGETS = {"0": 0, "1/3": witness.mpf(1) / 3, "ln 3": witness.log(3), "4": 4, "inf": witness.inf}
SHAPES = [(2,), (3,), (1, 2), (2, 2), (3, 2), (2, 1, 3), (2, 2, 2)]


@st.composite
def cases(draw, least=0):
    shape = draw(st.sampled_from(SHAPES))
    k = math.prod(shape)
    weights = draw(st.lists(st.integers(least, 9), min_size=k, max_size=k).filter(any))
    return shape, weights, draw(st.lists(st.sampled_from(sorted(BUDGETS)), min_size=len(shape), max_size=len(shape)))


def neighbours(shape):
    """(attribute, record, other) for all ordered pairs that differ in that attribute only."""
    records = [*product(*map(range, shape))]
    for x, first in enumerate(records):
        for y, second in enumerate(records):
            differing = [i for i, (a, b) in enumerate(zip(first, second, strict=True)) if a != b]
            if len(differing) == 1:
                yield differing[0], x, y


def log_ratio(heavy, light):
    return -witness.inf if heavy == 0 else witness.inf if light == 0 else witness.log(witness.mpf(heavy) / light)


@given(cases())
def test_losses_levels_and_slack_against_all_pairs(case):
    shape, weights, budgets = case
    definition = CoordinateDP(budgets).on(shape)
    evidence = FiniteEvidence.of_weights(weights, 100)
    levels, slack, losses = [witness.mpf(0)] * len(shape), witness.inf, [witness.mpf(0)] * len(weights)
    for i, x, y in neighbours(shape):
        loss = log_ratio(weights[x], weights[y])
        levels[i] = max(levels[i], loss)
        if budgets[i] != "inf":
            # Of two records that are both impossible nothing is lost.
            slack = min(slack, BUDGETS[budgets[i]] - max(loss, 0))
            losses[x] = max(losses[x], loss)
    for found, truth in [
        *zip(definition.levels(evidence), levels, strict=True),
        *zip(definition.loss(evidence), losses, strict=True),
    ]:
        assert truth <= float(found) <= truth + 1e-12
    assert slack - 1e-12 <= definition.slack(evidence) <= slack


@given(cases())
def test_extremes_and_contrasts_are_the_largest_ratios(case):
    shape, weights, budgets = case
    definition = CoordinateDP(budgets).on(shape)
    parts = tuple(
        ValueClass(np.array([x for x, w in enumerate(weights) if w == weight]), ((weight, 1),))
        for weight in sorted({*weights} - {0})
    )
    found = [*definition.extremes(ColumnClass(len(weights), 1, 0, parts))]
    contrasts = definition.contrasts(np.array(weights, dtype=object))
    expected = []
    for i in range(len(shape)):
        pairs = [(weights[x], weights[y]) for j, x, y in neighbours(shape) if j == i and weights[x]]
        if not pairs:
            assert contrasts[i] is None
            continue
        worst = max(pairs, key=lambda pair: log_ratio(*pair))
        own = contrasts[i]
        assert own.heavy * worst[1] == own.light * worst[0]
        assert (own.heavy, own.light) == (weights[own.value], weights[own.other])
        assert (i, own.value, own.other) in neighbours(shape)
        assert own.loss == (Nats.log(Fraction(*worst)) if worst[1] else None)
        if budgets[i] != "inf":
            expected.append((worst, Nats.of(budgets[i]), i))
    assert len(found) == len(expected)
    for extreme, (worst, bound, i) in zip(found, expected, strict=True):
        assert extreme.heavy * worst[1] == extreme.light * worst[0]
        assert extreme.bound == bound
        pairs = [*zip(*(side.tolist() for side in extreme.pairs), strict=True)]
        assert sorted(pairs) == sorted(
            (x, y)
            for j, x, y in neighbours(shape)
            if j == i and (weights[x], weights[y]) == (extreme.heavy, extreme.light)
        )


def test_records_with_several_weights_count_with_their_extremes():
    # Two outputs on which the values of one attribute take turns.
    part = ValueClass(np.arange(4), ((5, 1), (2, 1)))
    (extreme,) = CoordinateDP(["1", "inf"]).on((2, 2)).extremes(ColumnClass(4, 2, 0, (part,)))
    assert (extreme.heavy, extreme.light) == (5, 2)
    assert sorted(zip(*(side.tolist() for side in extreme.pairs), strict=True)) == [(0, 2), (1, 3), (2, 0), (3, 1)]


def test_a_bound_is_the_budget_of_the_attribute_that_differs():
    definition = CoordinateDP(["0.1", "0.2", "inf"]).on(Record({n: Categories(range(2)) for n in "abc"}))
    assert [definition.bound(0, other) for other in (4, 2, 1, 6, 0)] == [
        Nats.of("0.1"),
        Nats.of("0.2"),
        None,
        None,
        None,
    ]
    assert (definition.epsilon, definition.k) == (Nats.of("0.2"), 8)
    assert CoordinateDP(["3", "1"]).on((1, 2)).epsilon == Nats.of(1)
    assert CoordinateDP(["inf"]).on((2,)).slack(FiniteEvidence(np.array([0, -np.inf]))) == math.inf


def test_one_attribute_is_ldp():
    evidence = FiniteEvidence.of_weights([3, 1, 7], 11)
    definition = CoordinateDP(["1"]).on((3,))
    np.testing.assert_array_equal(definition.loss(evidence), LDP("1").loss(evidence))
    assert definition.slack(evidence) == LDP("1").slack(evidence)


def test_budgets_of_two_reports_add():
    total = CoordinateDP(["0.1", "inf"]).on((2, 3)) + CoordinateDP(["ln 2", "1"]).on((2, 3))
    assert (total.budgets, total.shape) == ((Nats.of("0.1") + "ln 2", None), (2, 3))
    assert (CoordinateDP([1]) + CoordinateDP([2])).budgets == (Nats.of(3),)
    for other in (CoordinateDP(["1", "1"]), CoordinateDP(["1"]), CoordinateDP(["1", "1"]).on((2, 2))):
        with pytest.raises(SordinoError, match="same attributes"):
            _ = total + other


def test_bad_input_is_refused():
    for budgets, words in (
        ([], "must be a row"),
        ("1", "must be a row"),
        (1, "must be a row"),
        ([1, None], "attribute 1 must be given"),
        ([-1], "budget of attribute 0: epsilon must lie"),
        ([float("nan")], "attribute 0"),
        ([[1]], "attribute 0"),
        (np.array([0.5, -1]), "attribute 1"),
    ):
        with pytest.raises(SordinoError, match=words):
            CoordinateDP(budgets)
    definition = CoordinateDP(np.array([0.5, 1]))
    for shape, words in (
        ((2,), "about the definition's 2"),
        ((2, 0), "at least 1"),
        ((2, 1.5), "whole"),
        ((2, True), "whole"),
        ((2**13, 2**13), "at most"),
    ):
        with pytest.raises(SordinoError, match=words):
            definition.on(shape)
    for use in (definition.loss, definition.slack, definition.levels):
        with pytest.raises(SordinoError, match=r"call .on\(record\)"):
            use(FiniteEvidence(np.zeros(4)))
        with pytest.raises(SordinoError, match="4 values; found 3"):
            getattr(definition.on((2, 2)), use.__name__)(FiniteEvidence(np.zeros(3)))
