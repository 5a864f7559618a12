"""Products of sums that are never rounded: as exact as floats, and the same bits in whatever order they are added."""

from fractions import Fraction

import numpy as np
import pytest

from sordino.design.exact_product import LONGEST, exact_product


@pytest.mark.parametrize(("n", "k", "m"), [(1, 1, 1), (3, 200, 4), (50, 64, 70), (2, LONGEST + 5, 2), (5000, 3, 2)])
def test_no_order_of_the_sums_changes_a_bit(n, k, m):
    generator = np.random.default_rng(k)
    left, right = generator.normal(size=(n, k)), generator.normal(size=(k, m))
    found = exact_product(left, right)
    assert found == pytest.approx(left @ right, rel=1e-12, abs=1e-12 * k)
    if k <= LONGEST:
        order = generator.permutation(k)
        assert (exact_product(left[:, order], right[order]) == found).all()
    assert (exact_product(np.asfortranarray(left[::-1]), np.asfortranarray(right))[::-1] == found).all()
    assert (exact_product(left[:1], right) == found[:1]).all()


def test_entries_are_rounded_about_once():
    generator = np.random.default_rng(0)
    left = generator.normal(size=(6, 40)) * 10.0 ** generator.uniform(-30, 30, (6, 1))
    right = generator.normal(size=(40, 5)) * 10.0 ** generator.uniform(-30, 30, (1, 5))
    found = exact_product(left, right)
    for i in range(6):
        for j in range(5):
            exact = sum(Fraction(a) * Fraction(b) for a, b in zip(left[i].tolist(), right[:, j].tolist(), strict=True))
            largest = Fraction(np.abs(left[i]).max()) * Fraction(np.abs(right[:, j]).max())
            assert abs(Fraction(found[i, j]) - exact) <= abs(exact) / 2**51 + 40 * largest / 2**57


def test_zeros_stay_zeros():
    assert exact_product(np.zeros((2, 3)), np.ones((3, 2))).tolist() == [[0, 0], [0, 0]]
    assert exact_product(np.zeros((0, 3)), np.ones((3, 2))).shape == (0, 2)
