"""Subsets as masks: ranks against sorted lists and the binomial number system; bits counted one by one."""

from itertools import combinations
from math import comb

import numpy as np
import pytest

from in_one import in_one
from sordino.exact.combinatorics import subsets
from sordino.exact.combinatorics.subsets import bit_counts, members, unrank


def listed(n, size):
    """All masks of a size, ascending."""
    return sorted(sum(1 << element for element in chosen) for chosen in combinations(range(n), size))


def by_number_system(rank, size):
    """The mask of a rank: the largest element is the largest c with C(c, size) <= rank, and so on below."""
    mask = 0
    for left in range(size, 0, -1):
        element = left - 1
        while comb(element + 1, left) <= rank:
            element += 1
        mask |= 1 << element
        rank -= comb(element, left)
    return mask


@pytest.fixture(params=["table", "element by element"])
def either_way(request, monkeypatch):
    """Small families come from a table, large ones are built; both must agree."""
    if request.param != "table":
        monkeypatch.setattr(subsets, "LARGEST_LIST", 0)


@pytest.mark.parametrize("n", [0, 1, 2, 5, 9])
def test_every_rank_of_every_size_has_its_mask(n, either_way):
    for first in range(n + 1):
        for other in {0, first, max(first - 1, 0), n}:
            both = [*((rank, False) for rank in range(comb(n, first))), *((r, True) for r in range(comb(n, other)))]
            ranks, second = (np.array(column) for column in zip(*both, strict=True))
            found = unrank(ranks.astype(np.uint64), n, (first, other), second)
            assert found.dtype == np.uint64
            assert found.tolist() == [*listed(n, first), *listed(n, other)]


@in_one(
    ("n", "sizes"),
    [(63, (31, 32)), (63, (1, 63)), (40, (20, 3)), (62, (0, 31)), (32, (5, 31)), (33, (32, 5)), (33, (0, 4))],
)
def test_ranks_of_large_families_are_those_of_the_binomial_number_system(n, sizes):
    rng = np.random.default_rng(1)
    for second, size in enumerate(sizes):
        last = comb(n, size) - 1
        ranks = [0, 1, last, last // 2, *(int(share * last) for share in rng.random(50))] if last else [0]
        found = unrank(np.array(ranks, dtype=np.uint64), n, sizes, np.full(len(ranks), second == 1))
        assert found.tolist() == [by_number_system(rank, size) for rank in ranks]


def test_ranks_are_left_alone(either_way):
    ranks = np.array([3, 0, 5], dtype=np.uint64)
    unrank(ranks, 4, (2, 2), np.zeros(3, dtype=bool))
    assert ranks.tolist() == [3, 0, 5]


@pytest.mark.each_value
@pytest.mark.parametrize("n", [1, 7, 8, 9, 33, 63, 64])
@pytest.mark.parametrize(("groups", "reports"), [(1, 1), (1, 200), (3, 7), (3, 200), (3, 3000), (50, 200)])
def test_bits_are_counted_group_by_group(n, groups, reports):
    rng = np.random.default_rng(2)
    masks = rng.integers(0, 2**n - 1, reports, dtype=np.uint64, endpoint=True)
    group = rng.integers(0, groups, reports)
    kept = masks.copy(), group.copy()
    found = bit_counts(masks, n, group, groups)
    assert (found.dtype, found.shape) == (np.int64, (groups, n))
    for own in range(groups):
        in_group = [mask for mask, g in zip(masks.tolist(), group.tolist(), strict=True) if g == own]
        assert found[own].tolist() == [sum(mask >> bit & 1 for mask in in_group) for bit in range(n)]
    for array, before in zip((masks, group), kept, strict=True):
        np.testing.assert_array_equal(array, before)


def test_nobodys_bits_are_none():
    nobody = np.array([], dtype=np.uint64)
    np.testing.assert_array_equal(bit_counts(nobody, 5, np.array([], dtype=np.intp), 2), np.zeros((2, 5)))


@pytest.mark.parametrize(("n", "size"), [(1, 1), (5, 0), (5, 2), (9, 4), (9, 9), (70, 2)])
def test_members_stand_in_the_order_of_the_masks(n, size, either_way):
    ranks = np.arange(comb(n, size), dtype=np.uint64)
    masks = [sum(1 << element for element in row) for row in members(ranks, n, size).tolist()]
    assert masks == listed(n, size)
    assert all(row == sorted(row) for row in members(ranks, n, size).tolist())


@pytest.mark.parametrize(("n", "size"), [(63, 31), (1000, 7), (10**4, 3)])
def test_members_of_large_families_are_those_of_the_binomial_number_system(n, size):
    last = comb(n, size) - 1
    ranks = [0, 1, last, last // 2, last // 3]
    found = members(np.array(ranks, dtype=np.uint64), n, size)
    assert [sum(1 << element for element in row) for row in found.tolist()] == [
        by_number_system(rank, size) for rank in ranks
    ]
