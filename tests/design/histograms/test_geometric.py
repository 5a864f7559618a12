"""The geometric channel against its closed form on lines, products of it on grids, and the figures of a line."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from in_one import in_one
from sordino import LDP, ChannelTable, Nats, PairwiseLDP, SordinoError, best_mechanism
from sordino.audit.certify import certify
from sordino.design.histograms.best_mechanism import candidates
from sordino.design.histograms.geometric import geometric_weights
from sordino.design.integer_channel import needed_pairs


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
