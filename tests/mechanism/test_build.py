"""Building mechanisms: from an epsilon, from a frozen plan's integers, block size by block size."""

from itertools import product

import numpy as np
import pytest

from in_one import in_one
from sordino import Blockwise, HadamardResponse, Partition, RandomizedResponse, SordinoError
from sordino.exact.coin import WORD

COINS = [RandomizedResponse, HadamardResponse]
SIZES = Partition.of([0, 1, 1, 2, 2, 2, 3, 3, 3])


@pytest.mark.parametrize("family", COINS)
def test_a_frozen_threshold_gives_the_same_channel(family):
    built = family(7, "ln 3")
    assert family.from_threshold(7, built.threshold) == built
    assert family.from_threshold(7, built.threshold - 1) != built


@pytest.mark.parametrize("family", COINS)
@pytest.mark.parametrize("threshold", [1, WORD - 1])
def test_any_uncertain_threshold_is_a_channel(family, threshold):
    assert family.from_threshold(3, threshold).threshold == threshold


@in_one("family", COINS)
@in_one("threshold", [0, -1, WORD, WORD + 1])
def test_a_threshold_is_no_certainty(family, threshold):
    with pytest.raises(SordinoError, match="threshold"):
        family.from_threshold(3, threshold)


@pytest.mark.parametrize("family", COINS)
@pytest.mark.parametrize("k", [0, -3])
def test_a_mechanism_has_a_value(family, k):
    with pytest.raises(SordinoError, match="must have 1 to"):
        family(k, "1")


@in_one("build", [lambda e: RandomizedResponse(3, e), lambda e: HadamardResponse(3, e), lambda e: Blockwise([0, 0], e)])
@in_one("epsilon", ["-1", "101", "nan", "ln 0", True])
def test_an_impossible_epsilon_is_refused(build, epsilon):
    with pytest.raises(SordinoError):
        build(epsilon)


@pytest.mark.parametrize("within", ["subsets", "", None])
def test_an_unknown_inner_mechanism_is_refused(within):
    with pytest.raises(
        SordinoError, match="within must be one of randomized, hadamard, projective, subset, cyclic, best"
    ):
        Blockwise([0, 0], "1", within)


@in_one("epsilon", ["0.001", "0.5", "1", "2", "4", "20"])
def test_best_takes_the_lowest_total_variance_of_all_choices(epsilon):
    best = Blockwise(SIZES, epsilon)
    for families in product(COINS, repeat=2):
        inner = [RandomizedResponse(1, epsilon), *(f(k, epsilon) for f, k in zip(families, (2, 3), strict=True))]
        assert best.total_variance <= Blockwise.from_inner(SIZES, inner).total_variance * (1 + 1e-12)


@pytest.mark.parametrize(("within", "family"), [("hadamard", HadamardResponse), ("randomized", RandomizedResponse)])
def test_blocks_of_one_value_are_told_as_they_are(within, family):
    mechanism = Blockwise(SIZES, "1", within)
    assert [type(inner) for inner in mechanism.inner] == [RandomizedResponse, family, family]
    assert mechanism.reading.on[0] == 1
    np.testing.assert_array_equal(mechanism.privatize([0] * 100), np.zeros(100))


def test_a_plans_inner_mechanisms_are_taken_in_any_order():
    inner = [HadamardResponse(3, "1"), RandomizedResponse(1, "1"), RandomizedResponse(2, "1")]
    assert Blockwise.from_inner(SIZES, inner) == Blockwise.from_inner(SIZES, inner[::-1])
    assert Blockwise.from_inner(SIZES, inner) != Blockwise(SIZES, "1", "hadamard")


@in_one("sizes", [(1, 2), (1, 2, 3, 4), (1, 2, 2, 3), (1, 2, 4), ()])
def test_a_plan_names_one_inner_mechanism_for_each_block_size(sizes):
    with pytest.raises(SordinoError, match="each block size"):
        Blockwise.from_inner(SIZES, [HadamardResponse(size, "1") for size in sizes])


@pytest.mark.parametrize("blocks", [[[0, 2], [1]], [4, 9, 4], np.array([1, 0, 1]), Partition.of([0, 1, 0])])
def test_blocks_are_read_in_every_form(blocks):
    assert Blockwise(blocks, "1") == Blockwise([[2, 0], [1]], "1")
