"""Optimal channels: published totals, brute force over all extreme rays, exact bounds, refusals."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

from in_one import in_one
from sordino import MetricLDP, Nats, SordinoError, best_mechanism, optimal_channel
from sordino.audit.certificate import certify
from sordino.design.shares import optimal
from sordino.design.shares.extreme_rays import floors
from sordino.design.shares.optimal import best_weights, design, optimal_weights

WHOLE = 2**64


def uniform(k, epsilon):
    return [[Fraction(epsilon) * (x != z) for z in range(k)] for x in range(k)]


def line(k, step):
    return [[Fraction(step) * abs(x - z) for z in range(k)] for x in range(k)]


def two_blocks(k):
    return [
        [Fraction(0) if x == z else Fraction(4, 5) if x // (k // 2) == z // (k // 2) else Fraction(3) for z in range(k)]
        for x in range(k)
    ]


def high_low(k, sensitive):
    return [[Fraction(0) if x == z else Fraction(1) if x < sensitive else np.inf for z in range(k)] for x in range(k)]


def probabilities(weights):
    return np.array(weights, dtype=float) / WHOLE


@pytest.mark.first_cases(2)
@pytest.mark.parametrize(
    ("matrix", "total"),
    [
        (uniform(4, 1), 8.3062),
        (uniform(6, 1), 15.7086),
        pytest.param(uniform(8, 1), 22.6114, marks=pytest.mark.long),
        pytest.param(line(8, "1/2"), 43.915, marks=pytest.mark.long),
        (line(8, 1), 7.4327),
        (two_blocks(8), 16.222),
        (high_low(6, 2), 3.4506),
        (high_low(6, 3), 5.7754),
        pytest.param(high_low(8, 3), 5.9626, marks=pytest.mark.long),
    ],
)
def test_totals_at_equal_shares(witness, exp_bounds, matrix, total):
    weights = optimal_weights(witness.nats(matrix))
    k = len(matrix)
    assert witness.total_variance(probabilities(weights), np.full(k, 1 / k)) == pytest.approx(total, rel=2e-5)
    assert not witness.broken_bounds(weights, matrix, exp_bounds)
    assert all(sum(row) == WHOLE for row in weights)
    assert len(weights[0]) <= k * (k + 1) / 2


def brute_force(rays, prior):
    """The least total variance by sequential quadratic programming over the probabilities of all extreme rays."""
    columns = rays.T / (rays @ prior)

    def total(weights):
        return np.trace(np.linalg.inv((columns * np.maximum(weights, 0)) @ columns.T)) - prior @ prior

    def slope(weights):
        return -np.sum(np.linalg.solve((columns * np.maximum(weights, 0)) @ columns.T, columns) ** 2, axis=0)

    start = np.linalg.lstsq(columns, np.ones(len(prior)))[0]
    start = np.maximum(start, 0.01)
    return minimize(
        total,
        start,
        jac=slope,
        method="SLSQP",
        bounds=[(0, 1)] * len(rays),
        constraints={"type": "eq", "fun": lambda weights: columns @ weights - 1, "jac": lambda _: columns},
        options={"maxiter": 1000, "ftol": 1e-11},
    ).fun


@pytest.mark.each_value
@pytest.mark.parametrize("unprotected", [0.0, 0.3, 0.7])
@pytest.mark.parametrize("k", [2, 3, 4])
@pytest.mark.parametrize("seed", range(3))
def test_no_channel_is_better_by_brute_force(witness, k, unprotected, seed):
    generator = np.random.default_rng([seed, k])
    matrix = witness.random_bounds(generator, k, unprotected)
    prior = np.full(k, 1 / k) if seed == 0 else generator.dirichlet(np.full(k, 3.0))
    weights = optimal_weights(witness.nats(matrix), prior)
    least = brute_force(witness.all_rays(floors(np.array(matrix, dtype=float))), prior)
    assert witness.total_variance(probabilities(weights), prior) == pytest.approx(least, rel=1e-5)


def check_any_bounds(witness, exp_bounds, seed, k, unprotected):
    generator = np.random.default_rng(seed)
    matrix = witness.random_bounds(generator, k, unprotected)
    prior = generator.dirichlet(np.full(k, 0.5)) + 1e-6
    prior /= prior.sum()
    weights = optimal_weights(witness.nats(matrix), prior)
    assert all(sum(row) == WHOLE and min(row) >= 0 for row in weights)
    assert not witness.broken_bounds(weights, matrix, exp_bounds)
    if k > 1:
        found = design(np.array(matrix, dtype=float), prior)
        assert found.gap < 1e-5
        rounded = witness.total_variance(probabilities(weights), prior)
        assert rounded + prior @ prior == pytest.approx(found.total_variance + prior @ prior, rel=1e-6)


@pytest.mark.first_cases(4)
@pytest.mark.parametrize(("k", "unprotected"), [(1, 0.0), (2, 0.0), (3, 0.8), (4, 0.3), (5, 0.0), (6, 1.0)])
def test_some_bounds_are_kept_exactly(witness, exp_bounds, k, unprotected):
    check_any_bounds(witness, exp_bounds, k, k, unprotected)


@pytest.mark.long
@given(seed=st.integers(0, 2**32), k=st.integers(1, 6), unprotected=st.sampled_from([0.0, 0.3, 0.8, 1.0]))
def test_any_bounds_are_kept_exactly(witness, exp_bounds, seed, k, unprotected):
    check_any_bounds(witness, exp_bounds, seed, k, unprotected)


@pytest.mark.long
@given(seed=st.integers(0, 2**32), k=st.integers(2, 6), unprotected=st.sampled_from([0.0, 0.3, 0.7]))
def test_bounds_of_very_different_sizes_are_kept_exactly(witness, exp_bounds, seed, k, unprotected):
    # From 1e-4 to 100 nats in one matrix, not closed under paths; finite sums of bounds exceed a word.
    generator = np.random.default_rng(seed)
    sizes = 10 ** generator.uniform(-4, 2, (k, k))
    free = generator.random((k, k)) < unprotected
    matrix = [
        [
            Fraction(0) if x == z else np.inf if free[x, z] else Fraction(int(sizes[x, z] * 2**14) + 1, 2**14)
            for z in range(k)
        ]
        for x in range(k)
    ]
    prior = generator.dirichlet(np.full(k, 0.3)) + 1e-8
    prior /= prior.sum()
    weights = optimal_weights(witness.nats(matrix), prior)
    assert all(sum(row) == WHOLE and min(row) >= 0 for row in weights)
    assert not witness.broken_bounds(weights, matrix, exp_bounds)
    found = design(np.array(matrix, dtype=float), prior)
    rounded = witness.total_variance(probabilities(weights), prior)
    assert rounded + prior @ prior == pytest.approx(found.total_variance + prior @ prior, rel=1e-4)


@pytest.mark.parametrize(("there", "back"), [("1", "2"), ("0.01", "3"), ("ln 3", "ln 2"), ("1", None), (None, "1")])
def test_two_values_have_the_binary_optimum(there, back):
    a, b = (0.0 if bound is None else np.exp(-float(Nats.of(bound))) for bound in (there, back))
    weights = optimal_weights(
        [[None, None if there is None else Nats.of(there)], [None if back is None else Nats.of(back), None]]
    )
    expected = np.array([[1 - b, b * (1 - a)], [a * (1 - b), 1 - a]]) / (1 - a * b)
    assert probabilities(weights) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("epsilon", ["0.00001", "0.001", "20", "40", "1e6"])
def test_extreme_bounds_have_the_optimum_of_randomized_or_subset_answers(witness, epsilon):
    k = 5
    weights = optimal_weights([[Nats.of(epsilon)] * k] * k)
    # The best of all subset sizes, by their textbook channel: a subset is e^epsilon as likely if it holds the value.
    high = min(np.exp(min(float(Nats.of(epsilon)), 50)), 2.0**64)
    totals = []
    for size in range(1, k):
        holds = np.array([[x in chosen for chosen in combinations(range(k), size)] for x in range(k)])
        channel = np.where(holds, high, 1.0)
        totals.append(witness.total_variance(channel / channel.sum(axis=1, keepdims=True), np.full(k, 1 / k)))
    found = witness.total_variance(probabilities(weights), np.full(k, 1 / k))
    assert found == pytest.approx(min(totals), rel=1e-4)


def test_blocks_that_no_bound_joins_are_told_apart_for_certain(witness):
    matrix = [
        [Fraction(0) if x == z else Fraction(1) if x // 2 == z // 2 else np.inf for z in range(4)] for x in range(4)
    ]
    weights = np.array(optimal_weights(witness.nats(matrix)), dtype=object)
    assert weights.shape == (4, 4)
    assert ((weights[:2] > 0).any(axis=0) != (weights[2:] > 0).any(axis=0)).all()


def test_what_the_prior_expects_is_estimated_best(witness):
    matrix = line(5, 1)
    prior = np.array([0.6, 0.1, 0.1, 0.1, 0.1])
    there, equal = (probabilities(optimal_weights(witness.nats(matrix), shares)) for shares in (prior, None))
    assert witness.total_variance(there, prior) < witness.total_variance(equal, prior) * 0.999


def test_bounds_that_follow_from_others_change_nothing(witness):
    matrix = line(5, 1)
    loose = [[bound * (3 if abs(x - z) > 1 else 1) for z, bound in enumerate(row)] for x, row in enumerate(matrix)]
    assert optimal_weights(witness.nats(loose)) == optimal_weights(witness.nats(matrix))


def test_the_same_bounds_give_the_same_channel(witness):
    bounds = witness.nats(witness.random_bounds(np.random.default_rng(5), 5, 0.2))
    assert optimal_weights(bounds) == optimal_weights(bounds)


def test_one_value_has_one_answer():
    assert optimal_weights([[Nats.of(0)]]) == ((WHOLE,),)


@in_one(
    ("bounds", "prior", "match"),
    [
        ([[None, 0], [0, None]], None, "can be distinguished"),
        ([[None, 0], [1, None]], None, "can be distinguished"),
        ([[None, 1, 1], [1, None, "1e-9"], [1, 1, None]], None, "1/1000000000 from value 1 to value 2"),
        ([[None, -1], [1, None]], None, "negative"),
        ([], None, "1 to 128"),
        ([[1] * 129] * 129, None, "1 to 128"),
        ([[1, 1], [1]], None, "square"),
        ([[1, 1], [1, 1]], [0.5, 0.25, 0.25], "2 shares"),
        ([[1, 1], [1, 1]], [1.0, 0.0], "positive"),
        ([[1, 1], [1, 1]], [0.5, np.nan], "positive"),
        ([[1, 1], [1, 1]], [0.5, 0.4], "sum"),
    ],
)
def test_refusals(bounds, prior, match):
    exact = [[None if bound is None else Nats.of(bound) for bound in row] for row in bounds]
    with pytest.raises(SordinoError, match=match):
        optimal_weights(exact, None if prior is None else np.array(prior))


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "total"), [("uniform", 66.63436585), ("line", 66.6314), ("blocks", 56.2040), ("random", 35.99)]
)
def test_twenty_values(witness, exp_bounds, name, total):
    # Uniform bounds: subset selection's closed form at its best size, 5. The others are the best found so far.
    matrix = {
        "uniform": lambda: uniform(20, 1),
        "line": lambda: line(20, "1/2"),
        "blocks": lambda: two_blocks(20),
        "random": lambda: witness.random_bounds(np.random.default_rng(3), 20, 0.8),
    }[name]()
    weights = optimal_weights(witness.nats(matrix))
    assert not witness.broken_bounds(weights, matrix, exp_bounds)
    assert len(weights[0]) <= 210
    found = witness.total_variance(probabilities(weights), np.full(20, 0.05))
    # A search ends where three rounds bring a twentieth of a per cent each.
    assert found == pytest.approx(total, rel=1.5e-3)


def test_a_search_ends_where_rounds_bring_next_to_nothing(monkeypatch):
    # In 32 rounds, while it went on for a hundredth of a per cent each, it found .27 % less variance.
    drawn = np.random.default_rng(1).uniform(0.5, 3, (20, 20)).round(2)
    bounds = np.where(np.eye(20, dtype=bool), 0, (drawn + drawn.T) / 2).round(3)
    totals = []

    def counted(*arguments):
        used = best_weights(*arguments)
        totals.append(used.total)
        return used

    monkeypatch.setattr(optimal, "best_weights", counted)
    found = design(bounds, np.full(20, 0.05))
    assert len(totals) <= 26
    assert found.total_variance < 46.99 * 1.004


@pytest.mark.long
def test_a_grid_of_eight_by_eight_cells_in_steps_of_half_a_nat():
    # What falls off along both axes has 4,895, what is alike for all 972, mixtures of the two 735.
    metric = MetricLDP.grid(8, 8, "1/2", "1/2")
    channel = best_mechanism(64, metric)
    assert channel.total_variance <= 345
    assert channel.k * channel.outputs <= 1 << 16
    assert certify(channel, metric).holds


def test_symmetric_bounds_have_symmetric_channels(witness, exp_bounds):
    # On a circle all values are alike: so are the columns, and each value's variance.
    k = 9
    circle = [[Fraction(min((x - z) % k, (z - x) % k), 2) for z in range(k)] for x in range(k)]
    weights = optimal_weights(witness.nats(circle))
    assert not witness.broken_bounds(weights, circle, exp_bounds)
    found = probabilities(weights)
    information = (found / found.mean(axis=0)) @ found.T
    for x in range(k):
        assert np.roll(information[x], -x) == pytest.approx(information[0], rel=1e-6)
    # Whatever the order of the values, though then no rotation is looked for first.
    order = np.random.default_rng(0).permutation(k)
    shuffled = optimal_weights(witness.nats([[circle[x][z] for z in order] for x in order]))
    least = witness.total_variance(found, np.full(k, 1 / k))
    assert witness.total_variance(probabilities(shuffled), np.full(k, 1 / k)) == pytest.approx(least, rel=1e-5)


def test_many_values_take_a_channel_to_begin_with(witness, exp_bounds):
    # Uniform bounds between 16 values: the closed form of subset selection at its best size.
    totals = []
    for size in range(1, 16):
        own = size * np.e / (size * np.e + 16 - size)
        other = (own * (size - 1) + (1 - own) * size) / 15
        totals.append(16 * (size / 16) * (1 - size / 16) / (own - other) ** 2)
    channel = optimal_channel(uniform(16, 1))
    assert channel.total_variance == pytest.approx(min(totals), rel=1e-6)
    assert not witness.broken_bounds(channel.weights, uniform(16, 1), exp_bounds)


@pytest.mark.long
@pytest.mark.parametrize(("k", "total"), [(16, 62.8743), (32, 72.279)])
def test_lines_in_steps_of_half_a_nat(witness, exp_bounds, k, total):
    # The geometric channel has 88.95 and 98.85.
    weights = optimal_weights(witness.nats(line(k, "1/2")))
    assert not witness.broken_bounds(weights, line(k, "1/2"), exp_bounds)
    assert witness.total_variance(probabilities(weights), np.full(k, 1 / k)) <= total
