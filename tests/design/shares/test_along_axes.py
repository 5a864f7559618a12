"""What is chosen under bounds by distances: falling off along each axis, alike for all, or designed."""

import numpy as np
import pytest

from sordino import (
    BinaryOptimal,
    ChannelTable,
    MetricLDP,
    ProductResponse,
    RandomizedResponse,
    TreeResponse,
    best_mechanism,
)
from sordino.audit.certificate import certify
from sordino.design.shares.best_mechanism import candidates
from sordino.estimation.share_estimate import estimate


def chosen(metric, **settings):
    made = candidates(metric.k, metric, **settings)
    return min(made.values(), key=lambda mechanism: mechanism.total_variance)


@pytest.mark.parametrize(
    ("k", "step", "total"), [(32, 1, 9.24), (64, 1, 9.51), (128, 1, 9.64), (32, "1/2", 98.9), (300, 1, 9.75)]
)
def test_lines_reach_their_figures(k, step, total):
    metric = MetricLDP.line(k, step)
    mechanism = chosen(metric, designed=False)
    assert isinstance(mechanism, TreeResponse)
    assert mechanism.total_variance <= total
    assert certify(mechanism, metric).holds


def test_an_eight_by_eight_grid_of_half_a_nat_is_asked_alike_at_its_least_bound():
    metric = MetricLDP.grid(8, 8, "1/2", "1/2")
    made = candidates(64, metric, designed=False)
    assert made["geometric"].total_variance == pytest.approx(4895, abs=4)
    assert chosen(metric, designed=False).total_variance <= 972
    assert all(certify(mechanism, metric).holds for mechanism in made.values())


def test_a_design_of_its_own_is_made_for_a_few_values_of_each_axis():
    line = MetricLDP.line(4, "1/2")
    made = candidates(4, line)
    assert isinstance(made["table"], ChannelTable)
    assert made["table"].total_variance < min(made["randomized"].total_variance, TreeResponse(line).total_variance)
    grid = MetricLDP.grid(3, 3, "1/2", "1/2")
    every = candidates(9, grid)
    both = every["table"]
    assert isinstance(both, ProductResponse)
    assert both.total_variance < every["geometric"].total_variance
    for metric, mechanism in ((line, made["table"]), (grid, both)):
        assert certify(mechanism, metric).holds


def test_a_small_grid_is_asked_by_a_design_for_all_its_cells_together():
    grid = MetricLDP.grid(3, 3, "1/2", "1/2")
    made = candidates(9, grid)
    assert isinstance(made["joint table"], ChannelTable)
    assert made["joint table"].total_variance < 0.9 * min(
        mechanism.total_variance for name, mechanism in made.items() if name != "joint table"
    )
    assert certify(made["joint table"], grid).holds


def test_where_an_axis_has_no_geometric_channel_it_is_asked_alike():
    star = MetricLDP.tree([None] + [0] * 9, "1")
    # Alone it is what randomized response makes of it.
    assert "geometric" not in candidates(10, star, designed=False)
    both = candidates(30, MetricLDP.product([star, MetricLDP.line(3, 2)]), designed=False)["geometric"]
    assert [type(part) for part in both.parts] == [RandomizedResponse, TreeResponse]
    assert certify(both, MetricLDP.product([star, MetricLDP.line(3, 2)])).holds


def test_a_line_too_long_for_its_own_channel_is_asked_alike():
    metric = MetricLDP.line(10_001, 2)
    made = candidates(10_001, metric, designed=False)
    assert all(type(mechanism).__name__ != "TreeResponse" for mechanism in made.values())
    assert certify(made["randomized"], metric).holds


def test_one_and_two_values_and_axes_of_one():
    assert best_mechanism(1, MetricLDP.line(1, 1)).k == 1
    assert isinstance(best_mechanism(2, MetricLDP.tree([None, 0], 1)), BinaryOptimal)
    row = MetricLDP.grid(1, 30, 1, 1)
    mechanism = chosen(row, designed=False)
    assert mechanism.total_variance == pytest.approx(chosen(MetricLDP.line(30, 1), designed=False).total_variance)
    assert certify(mechanism, row).holds


@pytest.mark.long
def test_a_map_of_43750_cells_is_planned_certified_and_estimated():
    metric = MetricLDP.grid(125, 350, 2, 2)
    mechanism = best_mechanism(metric.k, metric)
    assert isinstance(mechanism, ProductResponse)
    assert certify(mechanism, metric).holds
    people = np.random.default_rng(4).integers(0, metric.k, 200_000)
    found = estimate(mechanism, mechanism.tally(mechanism.privatize(people)), method="unbiased")
    low, high = found.interval(0.95)
    truth = np.bincount(people, minlength=metric.k) / len(people)
    # Standard errors are about everybody, of whom these people are drawn too: nearly all of it is noise.
    assert 0.95 < np.std((found.value - truth) / found.stderr) < 1.05
    assert ((low <= truth) & (truth <= high)).mean() > 0.9
