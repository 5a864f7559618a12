"""Equality of groups against the textbook's formulas and against its own level."""

import numpy as np
import pytest

from sordino import SordinoError
from sordino.estimation.associations.equality import equality_test
from sordino.estimation.associations.holm import adjust_p_values


def test_two_groups_are_compared_by_the_error_of_their_difference():
    first, second = np.array([0.2, 0.5]), np.array([0.3, 0.1])
    errors = np.array([[0.02, 0.01], [0.01, 0.03]]), np.array([[0.05, -0.02], [-0.02, 0.04]])
    found = equality_test([first, second], errors)
    apart = first - second
    assert found.statistic == pytest.approx(float(apart @ np.linalg.inv(errors[0] + errors[1]) @ apart))
    assert found.degrees == 2


def test_shares_that_add_up_count_one_degree_less():
    errors = np.array([[0.02, -0.02], [-0.02, 0.02]])
    found = equality_test([np.array([0.2, 0.8]), np.array([0.4, 0.6])], [errors, errors])
    assert found.degrees == 1
    assert found.statistic == pytest.approx(0.2**2 / 0.04)


def test_it_errs_as_often_as_it_says():
    generator = np.random.default_rng(0)
    roots = [
        np.array([[1.0, 0.0], [0.5, 0.4]]),
        np.array([[0.3, 0.0], [-0.2, 0.5]]),
        np.array([[2.0, 0.0], [1.0, 1.0]]),
    ]
    covariances = [root @ root.T for root in roots]
    draws = generator.standard_normal((2000, 3, 2))
    rejected = [
        equality_test([root @ own for root, own in zip(roots, draw, strict=True)], covariances).p_value <= 0.05
        for draw in draws
    ]
    assert 0.04 <= np.mean(rejected) <= 0.06


@pytest.mark.parametrize(
    "groups", [([np.zeros(1)], [np.eye(1)]), ([np.zeros(1), np.zeros(2)], [np.eye(1), np.eye(2)])], ids=["one", "other"]
)
def test_groups_have_the_same_quantities(groups):
    with pytest.raises(SordinoError):
        equality_test(*groups)


def test_holm_rejects_what_the_steps_reject():
    generator = np.random.default_rng(1)
    for count in (1, 2, 7):
        values = generator.random(count) ** 3
        order, rejected = np.argsort(values), np.zeros(count, dtype=np.bool_)
        for step, place in enumerate(order):
            if values[place] > 0.05 / (count - step):
                break
            rejected[place] = True
        assert ((adjust_p_values(values) <= 0.05) == rejected).all()
    assert len(adjust_p_values([])) == 0
