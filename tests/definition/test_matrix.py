"""Bounds of single pairs: every loss and extreme against all ordered pairs of values, in fractions and 50 digits."""

import math
from fractions import Fraction
from itertools import permutations

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from in_one import in_one
from sordino import LDP, BlockLDP, Nats, PairwiseLDP, SordinoError
from sordino.evidence.finite import ColumnClass, FiniteEvidence, ValueClass

witness = mpmath.MPContext()
witness.dps = 50

BOUNDS = {"0": 0, "0.001": witness.mpf(1) / 1000, "1": 1, "1/3": witness.mpf(1) / 3, "ln 3": witness.log(3), "40": 40}


@st.composite
def definitions(draw, k):
    """Bounds of all pairs, a third of them unprotected."""
    entry = st.one_of(st.sampled_from(sorted(BOUNDS)), st.sampled_from(sorted(BOUNDS)), st.just("inf"))
    return PairwiseLDP([["0" if x == y else draw(entry) for y in range(k)] for x in range(k)])


@st.composite
def column_classes(draw, k):
    """Classes of values, each with its weights on some outputs; some values in none."""
    group = draw(st.lists(st.integers(-1, 3), min_size=k, max_size=k))
    count = draw(st.integers(1, 3))
    parts = []
    for own in sorted({*group} - {-1}):
        weights = draw(st.lists(st.integers(0, 30), min_size=count, max_size=count))
        values = np.array([x for x in range(k) if group[x] == own])
        parts.append(ValueClass(values, tuple((weight, 1) for weight in weights)))
    return ColumnClass(k, count, 0, tuple(parts))


def exact(bound):
    return (
        witness.mpf(bound.rational.numerator) / bound.rational.denominator
        + witness.log(bound.ratio.numerator)
        - witness.log(bound.ratio.denominator)
    )


def protected(definition):
    """All ordered pairs with their bound."""
    for x, y in permutations(range(definition.k), 2):
        if definition.bounds[x][y] is not None:
            yield x, y, definition.bounds[x][y]


def weights_of(column):
    """Each value's weights on the outputs of a class; where classes are several, any may meet any."""
    weights = {x: {0} for x in range(column.k)}
    for part in column.parts:
        for value in part.values.tolist():
            weights[value] = {weight for weight, _ in part.weights}
    return weights


def least_slack(definition, column):
    """By all pairs: the least bound less the logarithm of the largest ratio, None if nothing is protected."""
    weights = weights_of(column)
    left = [
        bound + Nats.log(Fraction(min(weights[y]), max(weights[x])))
        for x, y, bound in protected(definition)
        if max(weights[x])
    ]
    return min(left, default=None)


@given(st.data(), st.integers(1, 6))
def test_the_tightest_extreme_is_the_tightest_of_all_pairs(data, k):
    definition, column = data.draw(definitions(k)), data.draw(column_classes(k))
    found = [e.bound + Nats.log(Fraction(e.light, e.heavy)) for e in definition.extremes(column)]
    assert min(found, default=None) == least_slack(definition, column)


@given(st.data(), st.integers(2, 4))
def test_extremes_name_the_pairs_with_their_bound(data, k):
    definition, column = data.draw(definitions(k)), data.draw(column_classes(k))
    weights = weights_of(column)
    for extreme in definition.extremes(column):
        pairs = list(zip(*(side.tolist() for side in extreme.pairs), strict=True))
        assert pairs
        for value, other in pairs:
            found = (definition.bounds[value][other], max(weights[value]), min(weights[other]))
            assert found == (extreme.bound, extreme.heavy, extreme.light)
        assert {value for value, _ in pairs} <= set(extreme.heavies.tolist())
        assert {other for _, other in pairs} <= set(extreme.lights.tolist())


@pytest.mark.each_value
@pytest.mark.parametrize("kind", ["line", "one way", "blocks", "first only"])
def test_extremes_of_mechanisms_are_the_tightest_of_all_pairs_and_codes(channel, kind):
    k = channel.k
    bound = {
        "line": lambda x, y: f"{abs(x - y)}/4",
        "one way": lambda x, y: "1" if x < y else "inf",
        "blocks": lambda x, y: "1/2" if x % 2 == y % 2 else "3",
        "first only": lambda x, y: "1" if x == 0 else "inf",
    }[kind]
    definition = PairwiseLDP([["0" if x == y else bound(x, y) for y in range(k)] for x in range(k)])
    found = [
        e.bound + Nats.log(Fraction(e.light, e.heavy))
        for column in channel.mechanism.columns()
        for e in definition.extremes(column)
    ]
    ratios = {}
    for x, y, b in protected(definition):
        possible = channel.weights[x] > 0
        heavy, light = channel.weights[x][possible], channel.weights[y][possible]
        ratio = math.inf if (light == 0).any() else max(map(Fraction, heavy, light))
        ratios[b] = max(ratios.get(b, Fraction(0)), ratio)
    left = [b - Nats.log(ratio) if ratio < math.inf else Nats.log(0) for b, ratio in ratios.items()]
    assert min(found, default=None) == min(left, default=None)


@given(st.data(), st.integers(1, 6))
def test_loss_and_slack_are_rounded_against_the_user(data, k):
    definition = data.draw(definitions(k))
    weights = data.draw(st.lists(st.integers(1, 2**40), min_size=k, max_size=k))
    evidence = FiniteEvidence.of_weights(weights, sum(weights))
    loss, slack = definition.loss(evidence), definition.slack(evidence)
    pairs = [(x, exact(b), witness.log(witness.mpf(weights[x]) / weights[y])) for x, y, b in protected(definition)]
    for x in range(k):
        truth = max((log for own, _, log in pairs if own == x), default=witness.mpf(0))
        assert truth <= float(loss[x]) <= truth + 1e-12
    truth = min((bound - log for _, bound, log in pairs), default=witness.inf)
    assert slack == math.inf if truth == witness.inf else truth - 1e-12 <= slack <= truth


@given(st.data(), st.integers(2, 5))
def test_no_slack_is_left_where_an_output_rules_a_protected_other_out(data, k):
    definition = data.draw(definitions(k))
    weights = data.draw(st.lists(st.integers(0, 9), min_size=k, max_size=k).filter(any))
    evidence = FiniteEvidence.of_weights(weights, 100)
    ruled_out = [x for x, y, _ in protected(definition) if weights[x] and not weights[y]]
    assert (definition.slack(evidence) == -math.inf) == bool(ruled_out)
    loss = definition.loss(evidence)
    assert {x for x in range(k) if loss[x] == math.inf} == set(ruled_out)


def test_equal_floats_may_hide_a_loss_of_twice_the_radius():
    definition = PairwiseLDP([[0, 1], ["inf", 0]])
    evidence = FiniteEvidence(np.zeros(2), radius=0.25)
    assert definition.loss(evidence)[0] >= 0.5
    assert definition.loss(evidence)[1] == 0
    assert definition.slack(evidence) <= 0.5


@in_one("bound", ["0", "0.001", "1/3", "ln 3", "40"])
def test_no_report_leaves_at_most_the_least_bound(bound):
    definition = PairwiseLDP([["0", bound], ["40", "0"]])
    slack = definition.slack(FiniteEvidence(np.zeros(2)))
    assert BOUNDS[bound] - 1e-14 <= slack <= BOUNDS[bound]


def test_nothing_protected_leaves_everything():
    definition = PairwiseLDP([[0, "inf"], ["inf", 0]])
    assert definition.slack(FiniteEvidence(np.array([0.0, -math.inf]))) == math.inf
    np.testing.assert_array_equal(definition.loss(FiniteEvidence(np.array([0.0, -math.inf]))), [0, 0])
    assert definition.epsilon == definition.least == 0
    assert not list(definition.extremes(ColumnClass(2, 1, 0, (ValueClass(np.array([0]), ((1, 1),)),))))


def test_implied_bounds_are_found_and_named():
    definition = PairwiseLDP(
        [[0, "1/2", 2, "inf"], ["inf", 0, 1, "inf"], ["inf", "inf", 0, 1], ["inf", "inf", "inf", 0]]
    )
    assert definition.lowered_pairs == ((0, 2), (0, 3), (1, 3))
    assert [str(b) for b in definition.bounds[0]] == ["0", "1/2", "3/2", "5/2"]
    assert [str(b) for b in definition.given[0]] == ["0", "1/2", "2", "None"]
    assert (str(definition.epsilon), str(definition.least)) == ("5/2", "1/2")
    assert definition.bounds[3] == (None, None, None, Nats.of(0))


@given(st.data(), st.integers(1, 5))
def test_epsilon_and_least_are_the_outermost_bounds(data, k):
    definition = data.draw(definitions(k))
    bounds = [bound for _, _, bound in protected(definition)]
    assert definition.epsilon == max(bounds, default=Nats.of(0))
    assert definition.least == min(bounds, default=Nats.of(0))
    lowered = [(x, y) for x in range(k) for y in range(k) if definition.given[x][y] != definition.bounds[x][y]]
    assert definition.lowered_pairs == tuple(lowered)


@given(st.data(), st.integers(1, 5))
def test_bounds_of_two_reports_add_pair_by_pair(data, k):
    first, second = data.draw(definitions(k)), data.draw(definitions(k))
    both = first + second
    for x in range(k):
        for y in range(k):
            a, b = first.bounds[x][y], second.bounds[x][y]
            assert both.bounds[x][y] == (None if a is None or b is None else a + b)


def test_bounds_add_over_one_domain():
    with pytest.raises(SordinoError, match="one domain; found 2 values and 1 values"):
        PairwiseLDP([[0, 1], [1, 0]]) + PairwiseLDP([[0]])


@pytest.mark.parametrize("labels", [[0, 0, 0, 0], [0, 1, 1, 0], [0, 1, 2, 3]])
@given(st.lists(st.integers(0, 9), min_size=4, max_size=4))
def test_blocks_are_a_matrix_of_two_amounts(labels, weights):
    matrix = PairwiseLDP(
        [["0" if x == y else "1" if labels[x] == labels[y] else "inf" for y in range(4)] for x in range(4)]
    )
    blocks = BlockLDP(labels, "1")
    parts = tuple(ValueClass(np.array([x]), ((w, 1),)) for x, w in enumerate(weights))
    column = ColumnClass(4, 1, 0, parts)
    # A matrix also names pairs that lose less than nothing; blocks start at no loss.
    in_matrix, in_blocks = (
        max([Fraction(e.heavy, e.light) if e.light else math.inf for e in definition.extremes(column)], default=1)
        for definition in (matrix, blocks)
    )
    assert max(in_matrix, 1) == in_blocks


@pytest.mark.parametrize("measure", ["loss", "slack"])
def test_evidence_is_about_the_definitions_values(measure):
    with pytest.raises(SordinoError, match="2 values; found 3"):
        getattr(PairwiseLDP([[0, 1], [1, 0]]), measure)(FiniteEvidence(np.zeros(3)))


def test_columns_are_about_the_definitions_values():
    with pytest.raises(SordinoError, match="2 values; found 3"):
        list(PairwiseLDP([[0, 1], [1, 0]]).extremes(ColumnClass(3, 1, 0, ())))


def test_a_distance_is_the_same_both_ways():
    distances = PairwiseLDP.of_distances(np.abs(np.subtract.outer(np.arange(4), np.arange(4))) / 2)
    assert isinstance(distances, PairwiseLDP)
    assert str(distances.epsilon) == "3/2"
    assert not distances.lowered_pairs
    for wrong in ([[0, 1], ["inf", 0]], [[0, "1"], ["1.0000001", 0]]):
        with pytest.raises(SordinoError, match="same both ways; found two between the values 0 and 1"):
            PairwiseLDP.of_distances(wrong)


def test_equal_matrices_are_equal():
    assert PairwiseLDP([[0, "ln 4"], [None, 0]]) == PairwiseLDP([["0", "ln 2 + ln 2"], ["inf", 0]])
    assert PairwiseLDP([[0, 1], [1, 0]]) != PairwiseLDP([[0, 1], [2, 0]])
    assert PairwiseLDP([[0, 1], [1, 0]]) != LDP("1")


@given(st.data(), st.integers(1, 6))
def test_components_are_joined_by_protected_pairs_in_either_direction(data, k):
    definition = data.draw(definitions(k))
    joined = {x: {x} for x in range(k)}
    for x, y, _ in protected(definition):
        together = joined[x] | joined[y]
        joined.update(dict.fromkeys(together, together))
    blocks = definition.components
    for x in range(k):
        assert set(blocks.values(int(blocks.block[x])).tolist()) == joined[x]
    assert definition.protected_values.tolist() == sorted({x for x, _, _ in protected(definition)})
    assert all(definition.bound(x, y) == bound for x, y, bound in protected(definition))


def test_ratios_that_floats_cannot_tell_apart_are_told_by_integers():
    large = 3**60
    parts = tuple(ValueClass(np.array([x]), ((weight, 1),)) for x, weight in enumerate((large, large + 1, large, 1)))
    (extreme,) = PairwiseLDP([[0 if x == y else 1 for y in range(4)] for x in range(4)]).extremes(
        ColumnClass(4, 1, 0, parts)
    )
    assert (extreme.heavy, extreme.light) == (large + 1, 1)


def test_of_many_bounds_only_those_are_compared_that_could_be_tightest():
    k, drawn = 20, np.random.default_rng(1)
    bounds = [["0" if x == y else f"{1 + (k * x + y) / 400}" for y in range(k)] for x in range(k)]
    definition = PairwiseLDP(bounds)
    parts = tuple(ValueClass(np.array([x]), ((int(w), 1),)) for x, w in enumerate(drawn.integers(1, 1 << 40, k)))
    assert len({bound for row in definition.bounds for bound in row}) > 300
    assert len(list(definition.extremes(ColumnClass(k, 1, 0, parts)))) == 1
