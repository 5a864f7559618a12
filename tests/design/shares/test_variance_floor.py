"""Floors of the variance: below every channel, by brute force over all extreme rays, whatever floats say; near them."""

from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import permutations, product

import numpy as np
import pytest

from in_one import in_one
from sordino import LDP, BlockLDP, HighLowLDP, MetricLDP, Nats, PairwiseLDP, optimal_channel
from sordino.design.shares import variance_floor
from sordino.design.shares.best_mechanism import candidates, geometric_channel
from sordino.design.shares.extreme_rays import floors
from sordino.design.shares.relaxed_design import Multipliers, multipliers, pair_kinds, starting_information
from sordino.design.shares.variance_floor import (
    definition_floor,
    inequalities,
    matrix_floor,
    proved_floor,
    uniform_floor,
)


def line(k, step):
    return [[Fraction(step) * abs(x - z) for z in range(k)] for x in range(k)]


def mirrored(k):
    """Kinds of a line's pairs: those that turning it around maps to each other."""
    return pair_kinds(np.abs(np.arange(k)[:, None] - np.arange(k)))


def line_rays(k, step):
    """A line's extreme rays rise or fall at every step by all that is allowed."""
    return np.exp(step * np.cumsum([[0, *signs] for signs in product((-1, 1), repeat=k - 1)], axis=1))


def brute_force(witness, matrix):
    return witness.least_variance(witness.all_rays(floors(np.array(matrix, dtype=float))))


@pytest.mark.parametrize(("k", "step"), [(2, "1"), (3, "1/2"), (4, "1/2"), (4, "1"), (4, "3"), (4, "1/50")])
def test_on_lines_the_floor_is_what_a_channel_reaches(witness, k, step):
    least = brute_force(witness, line(k, step))
    assert 0.995 * least <= matrix_floor(PairwiseLDP(line(k, step))) <= least * (1 + 1e-6)


@pytest.mark.each_value
@pytest.mark.parametrize("unprotected", [0.0, 0.3, 0.7])
@pytest.mark.parametrize("k", [2, 3, 4])
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("listed", [False, True])
def test_no_channel_lies_below(monkeypatch, witness, k, unprotected, seed, listed):
    monkeypatch.setattr(variance_floor, "can_list", lambda *_: listed)
    matrix = witness.random_bounds(np.random.default_rng([seed, k]), k, unprotected)
    floor = matrix_floor.__wrapped__(PairwiseLDP(matrix))
    assert 0 < floor <= brute_force(witness, matrix) * (1 + 1e-6)


@pytest.mark.each_value
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("part", [0.0, 1e-6, 1e-3, 0.1])
def test_multipliers_that_do_not_fit_prove_less_and_nothing_false(witness, seed, part):
    generator = np.random.default_rng(seed)
    bounds = PairwiseLDP(line(6, 1)).bounds
    rows = inequalities(bounds)
    found = multipliers(rows, starting_information(np.exp(-np.array(line(6, 1), dtype=float))), mirrored(6))
    noise = generator.normal(size=(6, 6)) * part

    def off(values):
        return values * (1 + part * generator.normal(size=values.shape))

    moved = Multipliers(
        off(found.prices) * (1 - part),
        found.first,
        found.second,
        off(found.weights),
        found.root * (1 + noise + noise.T),
    )
    least = witness.least_variance(line_rays(6, 1)) + 1 / 6
    assert proved_floor(rows, moved) <= least * (1 + 1e-6)
    assert part or proved_floor(rows, moved) >= 0.997 * least


def test_kinds_of_pairs_prove_what_single_pairs_do():
    rows = inequalities(PairwiseLDP(line(6, 1)).bounds)
    start = starting_information(np.exp(-np.array(line(6, 1), dtype=float)))
    place = np.triu(np.arange(1, 37).reshape(6, 6))
    singly = np.unique(place + place.T - np.diag(np.diag(place)), return_inverse=True)[1].reshape(6, 6)
    assert singly.max() == 20
    assert mirrored(6).max() == 11
    floors_of = [float(proved_floor(rows, multipliers(rows, start, kinds))) for kinds in (singly, mirrored(6))]
    assert floors_of[0] == pytest.approx(floors_of[1], rel=3e-3)


@pytest.mark.parametrize("case", ["line", "cycle", "grid", "lopsided"])
def test_pairs_are_of_one_kind_where_an_exchange_maps_them_to_each_other(case):
    at = np.array([(i // 3, i % 3) for i in range(6)])
    apart = np.abs(np.arange(6)[:, None] - np.arange(6))
    bounds = {
        "line": apart,
        "cycle": np.minimum(apart, 6 - apart),
        "grid": np.abs(at[:, None] - at).sum(axis=2),
        "lopsided": np.where(np.arange(6)[:, None] < np.arange(6), 1, 2) * (apart == 1),
    }[case]
    orders = [list(order) for order in permutations(range(6)) if (bounds[np.ix_(order, order)] == bounds).all()]
    kinds = pair_kinds(bounds)
    for x in range(6):
        for z in range(6):
            reached = {(order[x], order[z]) for order in orders} | {(order[z], order[x]) for order in orders}
            assert {(i, j) for i in range(6) for j in range(6) if kinds[i, j] == kinds[x, z]} == reached


def test_inequalities_hold_for_every_column_that_keeps_the_bounds():
    bounds = [[0, "1/3", "ln 2"], ["7/5", 0, 29], [31, None, 0]]
    exact = [[None if bound is None else Nats.of(bound) for bound in row] for row in bounds]
    rows = inequalities(exact)
    assert len(rows) == 3
    with localcontext(prec=60):
        for row in rows:
            (other,) = np.flatnonzero(row > 0)
            (x,) = np.flatnonzero(row < 0)
            power = (
                Decimal(exact[x][other].ratio.numerator)
                * (Decimal(exact[x][other].rational.numerator) / exact[x][other].rational.denominator).exp()
            )
            ratio = Decimal(row[other].item()) / -Decimal(row[x].item())
            assert power <= ratio <= power * (1 + Decimal("1e-15"))


@pytest.mark.parametrize(("epsilon", "share"), [(1, 3.676), (2, 0.7226), (4, 0.07588)])
def test_the_published_floor_of_uniform_bounds(epsilon, share):
    assert float(uniform_floor(1024, Nats.of(epsilon)) / 1024) == pytest.approx(share, rel=2e-4)


@in_one("epsilon", ["0.1", "1", "3", "6"])
@in_one("k", [2, 3, 7, 16])
def test_no_mechanism_for_ldp_lies_below(k, epsilon):
    floor = definition_floor(k, LDP(epsilon))
    totals = [mechanism.total_variance for mechanism in candidates(k, LDP(epsilon)).values()]
    assert floor * (1 - Fraction(1, 10**9)) <= min(totals) <= floor * Fraction(101, 100)


def test_parts_have_a_floor_together(monkeypatch, witness):
    monkeypatch.setattr(variance_floor, "can_list", lambda *_: False)
    # Three values in a line have four kinds of pairs, six have twelve.
    floor = matrix_floor.__wrapped__(PairwiseLDP(line(6, "1.7")), 4)
    least = witness.least_variance(line_rays(6, 1.7))
    assert 0.8 * least <= floor <= least


def test_metrics_have_the_floor_of_their_matrix():
    floor = definition_floor(5, MetricLDP.line(5, "1/2"))
    assert floor == matrix_floor(PairwiseLDP(line(5, "1/2")))


@pytest.mark.parametrize(
    "definition",
    [
        BlockLDP([[0, 1], [2, 3, 4], [5]], "1"),
        BlockLDP([[0, 1], [2, 3, 4], [5]], "ln 5"),
        HighLowLDP(6, [1, 4], "1"),
        HighLowLDP(40, list(range(10)), "1/2"),
    ],
)
def test_blocks_and_sensitive_values_have_mechanisms_at_their_floor(definition):
    k = getattr(definition, "k", 6)
    floor = definition_floor(k, definition)
    least = min(mechanism.total_variance for mechanism in candidates(k, definition).values())
    assert floor * (1 - Fraction(1, 10**9)) <= least <= floor * Fraction(1002, 1000)


def test_blocks_have_the_floor_of_their_matrix():
    blocks = [[0, 1, 2], [3, 4]]
    matrix = [[0 if x == z else "4/5" if (x < 3) == (z < 3) else None for z in range(5)] for x in range(5)]
    assert definition_floor(5, BlockLDP(blocks, "4/5")) == pytest.approx(matrix_floor(PairwiseLDP(matrix)), rel=1e-4)


@pytest.mark.long
def test_long_lines_have_a_floor_in_parts():
    # The geometric channel's summed variance is 9.636.
    floor = definition_floor(128, MetricLDP.line(128, "1"))
    assert 9.21 <= floor <= geometric_channel(PairwiseLDP(line(64, 1))).total_variance


@pytest.mark.long
def test_on_grids_the_floor_is_what_a_channel_reaches():
    grid = MetricLDP.grid(4, 4, "1/2", "1/2")
    floor = definition_floor(16, grid)
    assert 0.998 <= floor / optimal_channel(grid.edge_bounds).total_variance <= 1
    assert 341 <= definition_floor(64, MetricLDP.grid(8, 8, "1/2", "1/2")) <= 342


@pytest.mark.long
def test_the_floor_of_thirty_two_values_in_steps_of_half_a_nat():
    assert 72.1 <= matrix_floor(PairwiseLDP(line(32, "1/2"))) <= 72.279
