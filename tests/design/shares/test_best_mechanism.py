"""The chosen mechanism is never worse than a candidate, fits its reports, and keeps its promise."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from in_one import in_one
from sordino import (
    LDP,
    BinaryOptimal,
    BlockLDP,
    Blockwise,
    ChannelTable,
    CyclicSubsets,
    HadamardResponse,
    HighLow,
    HighLowLDP,
    MetricLDP,
    Nats,
    PairwiseLDP,
    ProjectiveResponse,
    RandomizedResponse,
    SordinoError,
    TreeResponse,
    best_mechanism,
)
from sordino.audit.certificate import certify
from sordino.design.integer_channel import needed_pairs
from sordino.design.shares.best_mechanism import candidates, geometric_weights, mixture
from sordino.estimation.unbiased import leverage
from sordino.testing import check_mechanism

EPSILONS = ["0.001", "0.5", "1", "ln 3", "4", "20"]


def total(mechanism):
    """The summed variances at uniform values."""
    return mechanism.variance(np.full(mechanism.k, 1 / mechanism.k)).sum()


@pytest.mark.each_value
@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("k", [1, 2, 3, 7, 20, 100, 43_750])
def test_no_candidate_for_ldp_is_better(k, epsilon):
    chosen = best_mechanism(k, LDP(epsilon))
    assert total(chosen) <= min(total(family(k, epsilon)) for family in (RandomizedResponse, HadamardResponse))
    assert certify(chosen, LDP(epsilon)).holds


@pytest.mark.each_value
@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize(
    "blocks", [[0, 0, 1, 1, 1, 2], np.arange(500) % 7, np.arange(500) // 25, np.sqrt(np.arange(400)).astype(int)]
)
def test_no_candidate_for_blocks_is_better(blocks, epsilon):
    definition = BlockLDP(blocks, epsilon)
    chosen = best_mechanism(len(blocks), definition)
    for within in ("hadamard", "randomized", "projective", "best"):
        assert total(chosen) <= total(Blockwise(blocks, epsilon, within)) * (1 + 1e-12)
    assert certify(chosen, definition).holds


@pytest.mark.each_value
@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize(("k", "sensitive"), [(2, [1]), (6, [0, 1]), (9, [1, 4, 5, 8]), (300, range(0, 300, 3))])
def test_no_candidate_for_sensitive_values_is_better(k, sensitive, epsilon):
    definition = HighLowLDP(k, sensitive, epsilon)
    chosen = best_mechanism(k, definition)
    for within in ("hadamard", "randomized", "projective", "best"):
        assert total(chosen) <= total(HighLow(k, sensitive, epsilon, within)) * (1 + 1e-12)
    assert total(chosen) < total(best_mechanism(k, LDP(epsilon)))
    assert certify(chosen, definition).holds


@pytest.mark.first_cases(1)
@pytest.mark.parametrize("epsilon", ["1", "0.5", "4"])
def test_a_matrix_of_sensitive_values_or_blocks_is_no_worse_than_their_own_mechanisms(epsilon):
    # Beyond 64 values nothing is designed; what protects all alike, the components or the protected values is tried.
    k, sensitive, labels = 66, [3, 4, 5, 20], np.arange(66) % 4
    for definition, matrix in (
        (
            HighLowLDP(k, sensitive, epsilon),
            [[epsilon if x in sensitive else "inf" for _ in range(k)] for x in range(k)],
        ),
        (BlockLDP(labels, epsilon), [[epsilon if a == b else "inf" for b in labels] for a in labels]),
    ):
        rows = [["0" if x == y else bound for y, bound in enumerate(row)] for x, row in enumerate(matrix)]
        chosen = best_mechanism(k, PairwiseLDP(rows))
        assert total(chosen) == pytest.approx(total(best_mechanism(k, definition)), rel=1e-9)
        assert certify(chosen, PairwiseLDP(rows)).holds
        assert certify(chosen, definition).holds


@in_one(("first", "second"), [("1", "2"), ("1", "inf"), ("inf", "1"), ("0.5", "0.5"), ("inf", "inf")])
def test_two_values_have_their_optimum(first, second):
    chosen = best_mechanism(2, PairwiseLDP([["0", first], [second, "0"]]))
    assert chosen == BinaryOptimal(first, second)


@pytest.mark.parametrize("definition", [HighLowLDP(5, [0], "1"), PairwiseLDP([[0, 1], [1, 0]])])
def test_definitions_are_about_all_values(definition):
    with pytest.raises(SordinoError, match="about all 4 values"):
        best_mechanism(4, definition)


def test_many_values_take_projective_geometry_some_cyclic_subsets_and_few_randomized_response():
    assert isinstance(best_mechanism(20_000, LDP("1")), ProjectiveResponse)
    assert isinstance(best_mechanism(1000, LDP("1")), CyclicSubsets)
    assert isinstance(best_mechanism(3, LDP("1")), RandomizedResponse)


@pytest.mark.parametrize(
    ("k", "definition", "limits"),
    [
        (100, LDP("1"), {64: 9, 9: 9, 8: 7, 7: 7}),
        (64, LDP("0.5"), {64: 64, 63: 10, 9: 9, 7: 7, 6: 6}),
        (80, BlockLDP(np.arange(80) // 16, "0.5"), {64: 19, 18: 10, 9: 9, 8: 8, 7: 7}),
    ],
)
def test_the_best_that_fits_is_taken(k, definition, limits):
    for limit, bits in limits.items():
        assert best_mechanism(k, definition, limit).code_bits == bits


def test_projective_response_is_taken_where_codes_must_be_shorter_than_those_of_designs():
    best, shorter = (best_mechanism(100, LDP("1"), bits) for bits in (64, 8))
    assert (best.prime, shorter.field) == (101, 3)
    assert total(best) < total(shorter) < total(HadamardResponse(100, "1"))


@pytest.mark.parametrize(
    ("k", "definition", "least"), [(100, LDP("1"), 7), (80, BlockLDP(np.arange(80) // 16, "1"), 7)]
)
def test_reports_that_do_not_fit_are_refused_with_what_they_need(k, definition, least):
    with pytest.raises(SordinoError, match=f"must fit in {least - 1} bits; found at least {least} needed"):
        best_mechanism(k, definition, least - 1)


def test_blocks_cover_the_values():
    with pytest.raises(SordinoError, match="about all 4 values"):
        best_mechanism(4, BlockLDP([0, 0, 1], "1"))


@pytest.mark.parametrize("definition", [None, "LDP", 1.0])
def test_other_definitions_are_refused(definition):
    with pytest.raises(SordinoError, match="pairwise definition"):
        best_mechanism(4, definition)


@pytest.mark.parametrize("k", [1, 2, 4, 64])
def test_without_epsilon_something_is_chosen(k):
    assert leverage(best_mechanism(k, LDP(0))) == (1 if k == 1 else np.inf)
    assert best_mechanism(k, BlockLDP([0] * k, 0)).k == k


def line(positions):
    """Bounds as distances on a line, at most 100 nats."""
    return PairwiseLDP.of_distances([[min(abs(Fraction(a) - Fraction(b)), 100) for b in positions] for a in positions])


def star(leaves, edge):
    """Bounds along the edges of a star; its centre is the last value."""
    ends = [edge] * leaves + [Nats.of(0)]
    return PairwiseLDP.of_distances(
        [[0 if x == y else ends[x] + ends[y] for y in range(leaves + 1)] for x in range(leaves + 1)]
    )


def shares(definition):
    return np.array(geometric_weights(definition.bounds), dtype=np.float64) / 2**64


@in_one("step", ["1/4", "1", "5"])
@in_one("k", [2, 3, 8, 17])
def test_on_a_line_of_equal_steps_it_is_the_truncated_geometric_mechanism(k, step):
    ratio = np.exp(-float(Fraction(step)))
    apart = np.abs(np.subtract.outer(np.arange(k), np.arange(k)))
    expected = ratio**apart * (1 - ratio) / (1 + ratio)
    expected[:, [0, -1]] = ratio ** apart[:, [0, -1]] / (1 + ratio)
    found = shares(line([i * Fraction(step) for i in range(k)]))

    # Each value is the likeliest to send its own code.
    np.testing.assert_allclose(found[:, np.argsort(found.argmax(axis=0))], expected, rtol=1e-9, atol=1e-13)


def test_steps_may_differ_and_every_bound_between_neighbours_is_tight():
    definition = line(["0", "1/2", "2", "2.25", "7"])
    table = ChannelTable(geometric_weights(definition.bounds))
    assert certify(table, definition).holds
    weights = np.array(table.weights, dtype=object)
    for x in range(4):
        ratios = [Fraction(a, b) for a, b in zip(weights[x], weights[x + 1], strict=True)]
        for most in (max(ratios), 1 / min(ratios)):
            assert 0 <= (definition.bounds[x][x + 1] - Nats.log(most)).ceil() < 1e-12


def test_on_a_grid_it_is_the_product_of_lines():
    rows, columns = line([0, 1, 2]), line([0, "1/2", 1, "3/2"])
    cells = list(product(range(3), range(4)))
    grid = PairwiseLDP.of_distances([[rows.bounds[a][c] + columns.bounds[b][d] for c, d in cells] for a, b in cells])
    expected = np.kron(shares(rows), shares(columns))
    np.testing.assert_allclose(sorted(shares(grid).T.tolist()), sorted(expected.T.tolist()), rtol=1e-9)


def test_the_figures_of_a_line():
    for k, step, most in ((32, 1, 9.24), (16, Fraction(1, 2), 88.951), (32, Fraction(1, 2), 98.9)):
        table = ChannelTable(geometric_weights(line([i * step for i in range(k)]).bounds))
        assert table.total_variance <= most
        assert certify(table, line([i * step for i in range(k)])).holds


@pytest.mark.long
@pytest.mark.parametrize(("k", "most", "fewer"), [(32, 9.24, 11.9), (64, 9.51, 24), (128, 9.64, 48)])
def test_the_figures_of_long_lines(k, most, fewer):
    definition = line(range(k))
    chosen = best_mechanism(k, definition)
    assert chosen.total_variance <= most
    assert best_mechanism(k, LDP(1)).total_variance >= fewer * chosen.total_variance
    assert certify(chosen, definition).holds


def test_where_steps_are_small_all_alike_is_better_on_a_grid():
    cells = list(product(range(5), range(5)))
    grid = PairwiseLDP.of_distances([[Fraction(abs(a - c) + abs(b - d), 4) for c, d in cells] for a, b in cells])
    geometric = ChannelTable(geometric_weights(grid.bounds))
    others = candidates(25, grid, designed=False).values()
    assert min(other.total_variance for other in others) < geometric.total_variance / 2


def test_a_star_of_short_edges_has_none():
    assert certify(ChannelTable(geometric_weights(star(3, Nats.of(1)).bounds)), star(3, Nats.of(1))).holds
    with pytest.raises(SordinoError, match="a code of its own"):
        geometric_weights(star(5, Nats.of("1/2")).bounds)
    others = candidates(26, star(25, Nats.of("1/2")), designed=False)
    assert others
    assert all(other.informative for other in others.values())


def test_pairs_that_are_not_protected_tell_each_other_apart():
    definition = PairwiseLDP([[0, 1, "inf"], [1, 0, "inf"], ["inf", "inf", 0]])
    table = ChannelTable(geometric_weights(definition.bounds))
    assert certify(table, definition).holds
    assert sorted(table.weights[2]) == [0, 0, 2**64]


def test_what_two_smaller_bounds_imply_is_not_needed():
    assert needed_pairs(line([0, 1, 3, 4]).bounds) == [(0, 1), (1, 0), (1, 2), (2, 1), (2, 3), (3, 2)]
    equal = PairwiseLDP.of_distances([[0, 1, 1], [1, 0, 1], [1, 1, 0]])
    assert len(needed_pairs(equal.bounds)) == 6
    # Bounds of zero never leave out each other.
    alike = [[Nats.of(abs(x - y) // 2) for y in range(4)] for x in range(4)]
    assert {(0, 1), (1, 0)} <= set(needed_pairs(alike))
    # One that is larger than what others imply is left out; one that is smaller by next to nothing is not.
    for last, needed in (("2", 4), ("2.5", 4), ("1.999999999999999999", 6)):
        bounds = [[Nats.of(b) for b in row] for row in (["0", "1", last], ["1", "0", "1"], [last, "1", "0"])]
        assert len(needed_pairs(bounds)) == needed


SMALL = MetricLDP.line(12, "1/4")

ALIKE = (13, 6, 6)
"""The design of the subsets that tell its values apart alike."""


def test_a_mixture_keeps_every_bound_and_tells_more_than_either_part():
    falling = TreeResponse(SMALL)
    mixed = mixture(SMALL, falling)
    check_mechanism(mixed, SMALL)
    assert mixed.outputs == 12 + CyclicSubsets(12, "1/4", ALIKE).outputs
    alone = min(falling.total_variance, best_mechanism(12, LDP("1/4")).total_variance)
    assert mixed.total_variance < 0.9 * alone


def test_its_share_is_the_best_of_sixteenths():
    parts = [TreeResponse(SMALL).probabilities(), CyclicSubsets(12, "1/4", ALIKE).probabilities()]
    sums = []
    for share in np.arange(1, 16) / 16:
        channel = np.hstack((share * parts[0], (1 - share) * parts[1]))
        # Least squares weighted by the law of the codes at uniform values.
        root = np.sqrt(channel.mean(axis=0))
        inverse = np.linalg.pinv((channel / root).T)
        sums.append((inverse**2).sum() - 1 / 12)
    assert mixture(SMALL, TreeResponse(SMALL)).total_variance == pytest.approx(min(sums), rel=1e-6)


@pytest.mark.long
def test_eight_by_eight_cells_of_half_a_nat_need_a_quarter_fewer_people_than_alike():
    metric = MetricLDP.grid(8, 8, "1/2", "1/2")
    made = candidates(64, metric, designed=False)
    mixed = mixture(metric, made["geometric"])
    assert mixed.total_variance <= 735
    assert mixed.k * mixed.outputs <= 64 * 270
    assert mixed.total_variance < 0.76 * min(mechanism.total_variance for mechanism in made.values())
    assert certify(mixed, metric).holds


def test_the_bounds_of_neighbours_imply_all_others():
    metric = MetricLDP.grid(2, 3, "1/2", "ln 2")
    rows = metric.edge_bounds
    joined = [(x, y) for x in range(6) for y in range(6) if x != y and rows[x][y] is not None]
    assert sorted(joined) == sorted(
        (x, y) for x in range(6) for y in range(6) if abs(x // 3 - y // 3) + abs(x % 3 - y % 3) == 1
    )
    assert all(rows[x][y] == metric.bound(x, y) for x, y in joined)
