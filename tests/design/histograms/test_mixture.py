"""Mixtures of what falls off with distance and what is alike for all: exact, and better than both alone."""

import numpy as np
import pytest

from sordino import LDP, CyclicSubsets, MetricLDP, TreeResponse, best_mechanism
from sordino.audit.certify import certify
from sordino.design.histograms.best_mechanism import candidates
from sordino.design.histograms.mixture import mixture
from sordino.testing import check_mechanism

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
