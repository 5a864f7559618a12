"""Numbers without their last digits, and exponentials that no setting changes."""

from decimal import Context, localcontext

import numpy as np
import pytest

from sordino.design.coarse import coarse, exponential
from sordino.design.numbers.drawn_answers import apportion


def test_exponentials_are_rounded_rightly():
    values = np.concatenate([-np.geomspace(1e-9, 44, 50), np.linspace(0, 3, 7)])
    assert exponential(values) == pytest.approx(np.exp(values), rel=1e-15)


def test_coarse_numbers_forget_their_last_digits():
    generator = np.random.default_rng(3)
    values = 10.0 ** generator.uniform(-20, 20, 1000) * generator.choice([-1, 1], 1000)
    noisy = values * (1 + 1e-15 * generator.uniform(-1, 1, 1000))
    assert coarse(values) == pytest.approx(values, rel=2.0**-35)
    assert (coarse(values) == coarse(noisy)).all()
    assert coarse(np.array([0.0, 1.0, 0.75])).tolist() == [0, 1, 0.75]


@pytest.mark.parametrize("amount", [10, 1 << 16, 1 << 32])
def test_equal_shares_are_apportioned_in_their_order(amount):
    for seed in range(20):
        shares = np.array([1, 1, 1, 2, 2, 1e-9, 0]) * (1 + 1e-15 * np.random.default_rng(seed).uniform(-1, 1, 7))
        assert apportion(shares, amount) == apportion(np.array([1, 1, 1, 2, 2, 1e-9, 0]), amount)


def test_no_setting_of_decimals_changes_a_bit():
    values = np.linspace(-3, 3, 40)
    known = exponential(values)
    with localcontext(Context(prec=5)):
        assert (exponential(values) == known).all()
