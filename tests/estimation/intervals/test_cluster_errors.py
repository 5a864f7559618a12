"""Errors by clusters: the sum of squared totals, Student's t, and clusters that are put together."""

import numpy as np
import pytest
from scipy import stats

from sordino import SordinoError
from sordino.estimation.intervals.cluster_errors import ClusterErrors, group_clusters

CONTRIBUTIONS = [np.array([1.0, -0.2, 0.4]), np.array([2.0, 0.1]), np.array([0.3, -1.0, 0.9, 0.5])]
"""What each report adds to a mean, by cluster."""


def by_leaving_out():
    whole = np.concatenate(CONTRIBUTIONS)
    without = [
        np.concatenate([own for own in CONTRIBUTIONS if own is not left_out]).mean() for left_out in CONTRIBUTIONS
    ]
    errors = ClusterErrors(np.array([len(own) for own in CONTRIBUTIONS]) / len(whole))
    return errors, np.array([whole.mean()]), np.array(without)[:, None]


def test_of_a_mean_it_is_the_sum_of_squared_totals():
    errors, value, without = by_leaving_out()
    n = sum(map(len, CONTRIBUTIONS))
    totals = np.array([np.sum(own - value) / n for own in CONTRIBUTIONS])
    assert errors.stderr(value, without) == pytest.approx(np.sqrt(3 / 2 * np.sum(totals**2)))


@pytest.mark.parametrize("clusters", [2, 5, 10, 80])
def test_limits_are_by_students_t_on_one_degree_less(clusters):
    errors = ClusterErrors(np.full(clusters, 1 / clusters))
    assert errors.degrees == clusters - 1
    assert errors.away(0.9) == pytest.approx(stats.t(clusters - 1).ppf(0.95))


def test_a_confidence_is_between_0_and_1():
    with pytest.raises(SordinoError, match="between 0 and 1"):
        ClusterErrors(np.full(5, 0.2)).away(1.0)


def test_nothing_is_surer_than_of_people_drawn_one_by_one():
    errors, value = ClusterErrors(np.full(5, 0.2)), np.array([0.5, 0.5, 0.5])
    single = np.array([0.4, 0.4, 0.4]), np.array([0.6, 0.6, 0.6])
    stderr, (low, high) = errors.widen(value, np.array([0.0, 0.1, np.nan]), single, (0.0, 1.0), 0.95)
    assert (low[0], high[0]) == (0.4, 0.6)
    assert stderr[0] == pytest.approx(0.1 / errors.away(0.95))
    assert (low[1], high[1]) == pytest.approx((0.5 - 0.2776, 0.5 + 0.2776), abs=1e-3)
    assert stderr[1] == 0.1
    assert np.isnan([stderr[2], low[2], high[2]]).all()


def test_of_many_clusters_some_stand_together_in_groups_of_like_size():
    sizes = [1, 50, 3, 20, 20, 7, 10, 9, 30, 40]
    groups = group_clusters(sizes, 4)
    totals = np.bincount(groups, sizes)
    assert len(totals) == 4
    assert totals.min() > 0.8 * totals.max()
    assert group_clusters(sizes, 10).tolist() == list(range(10))
