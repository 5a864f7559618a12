"""Which values bounds treat alike, against every exchange of two of them."""

from itertools import combinations

import numpy as np

from in_one import in_one
from sordino import HighLowLDP, PairwiseLDP
from sordino.design.histograms.value_classes import classes_of, sensitive_classes


@in_one("seed", range(6))
def test_two_values_are_of_one_class_where_exchanging_them_changes_nothing(seed):
    generator = np.random.default_rng(seed)
    bounds = [[int(generator.integers(3, 5)) if x != z else 0 for z in range(5)] for x in range(5)]
    alike = set()
    for x, z in combinations(range(5), 2):
        order = list(range(5))
        order[x], order[z] = z, x
        if [[bounds[i][j] for j in order] for i in order] == bounds:
            alike.add((x, z))
    sizes = classes_of(PairwiseLDP(bounds).bounds).sizes
    assert sum(size * (size - 1) // 2 for size in sizes) == len(alike)
    assert sum(sizes) == 5


def test_two_values_that_bound_each_other_differently_are_no_class():
    bounds = [[0, 3, 4], [4, 0, 4], [4, 4, 0]]
    assert classes_of(PairwiseLDP(bounds).bounds).sizes == (1, 1, 1)


def test_sensitive_values_are_a_class_of_their_matrix():
    matrix = [[0 if x == z else "1" if x < 2 else None for z in range(5)] for x in range(5)]
    found = classes_of(PairwiseLDP(matrix).bounds)
    expected = sensitive_classes(HighLowLDP(5, [0, 1], "1"))
    assert (found.sizes, found.bounds) == (expected.sizes, expected.bounds)
    assert [found.is_free(number) for number in range(2)] == [False, True]
    assert found.rows == ((0, 1), (2,))
