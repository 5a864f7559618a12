"""Sylvester's matrix against scipy's."""

import numpy as np
from scipy.linalg import hadamard

from in_one import in_one
from sordino.exact.combinatorics.hadamard_matrix import order, parity, transform

ORDERS = [1, 2, 4, 8, 64, 256]


@in_one("size", ORDERS)
def test_transform_multiplies_by_the_matrix(size):
    vectors = np.random.default_rng(size).normal(size=(2, 3, size))
    before = vectors.copy()
    np.testing.assert_allclose(transform(vectors), vectors @ hadamard(size), atol=1e-11)
    np.testing.assert_array_equal(vectors, before)


@in_one("size", ORDERS)
def test_transform_of_integers_is_exact(size):
    vector = np.random.default_rng(size).integers(0, 2**40, size)
    np.testing.assert_array_equal(transform(vector), hadamard(size, dtype=np.int64) @ vector)


@in_one("size", ORDERS)
def test_parity_is_the_sign_of_the_entry(size):
    index = np.arange(size, dtype=np.uint64)
    signs = 1 - 2 * parity(index[:, None], index[None, :]).astype(int)
    np.testing.assert_array_equal(signs, hadamard(size))


def test_parity_reads_all_64_bits():
    rows = np.array([2**64 - 1, 2**63, 2**63 + 1], dtype=np.uint64)
    np.testing.assert_array_equal(parity(rows, rows), [0, 1, 0])


def test_order_is_the_smallest_power_of_two_above_k():
    for k in range(1, 70):
        assert order(k) == min(2**m for m in range(8) if 2**m > k), k
