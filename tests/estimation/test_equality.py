"""Wald's test of equality, against formulas written out and against generalized least squares."""

import numpy as np
import pytest
from scipy import stats

from sordino import SordinoError
from sordino.estimation.tests import equality_test


def spread(draw, m):
    root = draw.normal(size=(m, m))
    return root @ root.T


def test_of_two_numbers_it_is_the_square_of_a_z_score():
    found = equality_test([np.array([1.0]), np.array([4.0])], [np.array([[4.0]]), np.array([[5.0]])])
    assert (found.statistic, found.degrees) == (pytest.approx(1.0), 1)
    assert found.p_value == pytest.approx(2 * stats.norm.sf(1.0))


@pytest.mark.parametrize(("groups", "m"), [(2, 3), (4, 2), (5, 5)])
def test_it_is_the_sum_of_squares_around_the_common_mean(groups, m):
    """Generalized least squares: the distances from the mean that is nearest to all, each in its own errors."""
    draw = np.random.default_rng(groups)
    values, covariances = draw.normal(size=(groups, m)), [spread(draw, m) for _ in range(groups)]
    inverses = [np.linalg.inv(each) for each in covariances]
    mean = np.linalg.solve(sum(inverses), sum(own @ value for own, value in zip(inverses, values, strict=True)))
    squares = sum((value - mean) @ own @ (value - mean) for own, value in zip(inverses, values, strict=True))
    found = equality_test(list(values), covariances)
    assert found.statistic == pytest.approx(squares)
    assert found.degrees == (groups - 1) * m
    assert found.p_value == pytest.approx(stats.chi2.sf(squares, found.degrees))


def test_the_order_of_groups_does_not_matter():
    draw = np.random.default_rng(1)
    values, covariances = list(draw.normal(size=(3, 2))), [spread(draw, 2) for _ in range(3)]
    first, again = equality_test(values, covariances), equality_test(values[::-1], covariances[::-1])
    assert first.statistic == pytest.approx(again.statistic)


def test_shares_that_add_up_to_1_have_one_degree_less():
    """Of multinomial counts it is Pearson's test of homogeneity, whose covariance is singular."""
    counts = np.array([[30, 50, 20], [60, 80, 60]])
    pooled = counts.sum(axis=0) / counts.sum()
    covariance = np.diag(pooled) - np.outer(pooled, pooled)
    n = counts.sum(axis=1)
    found = equality_test(list(counts / n[:, None]), [covariance / each for each in n])
    pearson = stats.chi2_contingency(counts, correction=False)
    assert (found.statistic, found.degrees) == (pytest.approx(pearson.statistic), pearson.dof)
    assert found.p_value == pytest.approx(pearson.pvalue)


def test_what_cannot_vary_is_left_out():
    found = equality_test([np.array([0.0, 1.0]), np.array([0.0, 3.0])], [np.diag([0.0, 2.0])] * 2)
    assert (found.statistic, found.degrees) == (pytest.approx(1.0), 1)
    nothing = equality_test([np.array([0.0]), np.array([0.0])], [np.zeros((1, 1))] * 2)
    assert (nothing.degrees, nothing.p_value) == (0, 1.0)


def test_one_group_is_refused():
    with pytest.raises(SordinoError):
        equality_test([np.array([1.0])], [np.eye(1)])
