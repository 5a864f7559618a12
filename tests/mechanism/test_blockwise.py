"""Blockwise response: codes of up to 64 bits, counters instead of codes, and the best inner mechanism that fits."""

import math

import numpy as np
import pytest

from in_one import in_one
from sordino import (
    Blockwise,
    CyclicSubsets,
    HadamardResponse,
    ProjectiveResponse,
    RandomizedResponse,
    SordinoError,
    SubsetSelection,
)

CELLS = 43_750


def equal_blocks(k, size):
    return np.arange(k) // size


def optimum(k, size, epsilon):
    """The least total variance, times n, of any eps-LDP channel inside blocks of equal size, at uniform values."""
    odds = math.exp(epsilon)
    totals = []
    near = int(size / (odds + 1))
    for held in range(max(near - 2, 1), min(near + 4, size)):
        share = held / size
        hit = share * odds / (share * odds + 1 - share)
        miss = (hit * (held - 1) + (1 - hit) * held) / (size - 1)
        on, off = (1 - miss) / (hit - miss), -miss / (hit - miss)
        # A report comes from the block with probability size / k, and then supports the value with held / size.
        moment = size / k * (share * on**2 + (1 - share) * off**2)
        totals.append(k * (moment - 1 / k**2))
    return min(totals)


@pytest.mark.each_value
@pytest.mark.parametrize("epsilon", ["0.5", "1", "2", "3", "4"])
@pytest.mark.parametrize(("k", "size"), [(10, 2), (50, 10), (CELLS, 2), (CELLS, 10), (CELLS, 25), (CELLS, 50)])
def test_best_is_the_optimum_wherever_its_masks_fit(k, size, epsilon):
    mechanism = Blockwise(equal_blocks(k, size), epsilon)
    assert mechanism.code_bits <= 64
    assert mechanism.total_variance == pytest.approx(optimum(k, size, float(epsilon)), rel=1e-9)
    within = Blockwise(equal_blocks(k, size), epsilon, "subset")
    assert mechanism.total_variance == pytest.approx(within.total_variance, rel=1e-9)
    assert mechanism.total_variance <= Blockwise(equal_blocks(k, size), epsilon, "hadamard").total_variance


@pytest.mark.each_value
@pytest.mark.parametrize("epsilon", ["0.5", "1", "2", "3", "4"])
@pytest.mark.parametrize(("k", "size", "gap"), [(CELLS, 1250, 0.03), (CELLS, CELLS, 0.03), (1000, 100, 0.09)])
def test_best_is_near_the_optimum_elsewhere(k, size, gap, epsilon):
    mechanism = Blockwise(equal_blocks(k, size), epsilon)
    least = optimum(k, size, float(epsilon))
    assert least * (1 - 1e-9) <= mechanism.total_variance <= (1 + gap) * least
    assert mechanism.total_variance <= Blockwise(equal_blocks(k, size), epsilon, "hadamard").total_variance


@in_one(("size", "ratio"), [(2, 3.79), (10, 1.56), (25, 1.38), (50, 1.32), (1250, 1.27)])
def test_block_hadamard_costs_as_much_more_as_published(size, ratio):
    # Of one block: with more blocks the squared shares weigh less in the ratio.
    assert HadamardResponse(size, "1").total_variance / optimum(size, size, 1.0) == pytest.approx(ratio, abs=0.005)


def test_blocks_of_25_cells_take_36_bits():
    mechanism = Blockwise(equal_blocks(CELLS, 25), "1")
    assert isinstance(mechanism.inner[0], SubsetSelection)
    assert (mechanism.code_bits, mechanism.outputs, mechanism.counters) == (36, 1750 * 2**25, 1750 * 26)


@in_one(
    ("sizes", "bits", "families"),
    [
        ((60, 60, 60), 64, {60: SubsetSelection}),
        ((63, 63, 63), 64, {63: CyclicSubsets}),  # three times 2^63 codes are too many
        ((63, 20), 64, {20: SubsetSelection, 63: SubsetSelection}),
        ((30, 9), 12, {9: SubsetSelection, 30: CyclicSubsets}),
        ((30, 9), 6, {9: ProjectiveResponse, 30: ProjectiveResponse}),
    ],
)
def test_the_longest_inner_codes_are_given_up_first(sizes, bits, families):
    mechanism = Blockwise(np.repeat(np.arange(len(sizes)), sizes), "1", "best", bits)
    assert mechanism.code_bits <= bits
    assert {inner.k: type(inner) for inner in mechanism.inner} == families


def test_64_values_of_one_block_fill_the_word_and_65_bits_do_not_fit():
    mechanism = Blockwise([0] * 64, "1", "subset")
    assert (mechanism.code_bits, mechanism.outputs) == (64, 2**64)
    codes = mechanism.privatize(np.arange(6400) % 64)
    assert mechanism.tally(codes).counts[-1] == 6400
    for blocks, bits in (([0] * 64 + [1], 65), ([0] * 63 + [1] * 63 + [2] * 63, 65)):
        with pytest.raises(SordinoError, match=f"must fit in 64 bits; found at least {bits} needed"):
            Blockwise(blocks, "1", "subset")
    with pytest.raises(SordinoError, match="must fit in 64 bits; found 65"):
        Blockwise.from_inner(
            Blockwise([0] * 64 + [1], "1").blocks, [RandomizedResponse(1, "1"), SubsetSelection(64, "1")]
        )


def test_reports_that_do_not_fit_are_refused_with_what_they_need():
    with pytest.raises(SordinoError, match="must fit in 5 bits; found at least 6 needed"):
        Blockwise(equal_blocks(60, 20), "1", "best", 5)
    assert Blockwise(equal_blocks(60, 20), "1", "best", 6).code_bits == 6


@pytest.mark.parametrize("within", ["subset", "best"])
def test_sparse_codes_are_counted_block_by_block(within):
    # Blocks of 1, 2, 3, 40 and 40 values, scattered; codes of 41 bits.
    labels = np.random.default_rng(1).permutation(np.repeat(np.arange(5), [1, 2, 3, 40, 40]))
    mechanism = Blockwise(labels, "2", within)
    assert mechanism.code_bits == 42
    values = np.arange(8600) % 86
    codes = mechanism.privatize(values)
    tally = mechanism.tally(codes)
    assert (tally.n, mechanism.reports(tally.counts)) == (8600, 8600)
    shares = mechanism.block_shares(tally.counts / 8600)
    np.testing.assert_allclose(shares, mechanism.blocks.sizes / 86)
    # Each block by itself, with its inner mechanism.
    sums = mechanism.support(tally.counts.astype(float))
    for block in range(mechanism.blocks.m):
        own = mechanism.blocks.values(block)
        inner = next(one for one in mechanism.inner if one.k == len(own))
        inner_codes = codes[np.isin(values, own)] - np.uint64(mechanism._codes.offsets[block])
        expected = inner.support(inner.tally(inner_codes).counts.astype(float))
        np.testing.assert_allclose(sums.support[own], expected.support)
        np.testing.assert_allclose(sums.group[own], expected.group)


def test_masks_of_another_size_and_codes_between_blocks_are_refused():
    mechanism = Blockwise([0, 0, 0, 0, 1, 1, 1, 1], "1", "subset")
    size = mechanism.inner[0].size
    good = [code for code in range(16) if code.bit_count() == size]
    for offset in (0, 16):
        mechanism.tally([offset + code for code in good])
        for code in set(range(16)) - set(good):
            with pytest.raises(SordinoError, match="found an unknown code at position 1"):
                mechanism.tally([offset + good[0], offset + code])
    with pytest.raises(SordinoError, match="position 0"):
        mechanism.tally([32])


def test_groups_of_reports_are_counted_apart():
    mechanism = Blockwise([0, 0, 1, 1, 1, 1, 2], "1", "subset")
    rng = np.random.default_rng(2)
    codes = mechanism.privatize(rng.integers(0, 7, 500))
    group = rng.integers(0, 4, 500)
    counts = mechanism._count(codes, group, 4)
    for own in range(4):
        np.testing.assert_array_equal(counts[own], mechanism.tally(codes[group == own]).counts)


@pytest.mark.parametrize("within", ["subset", "hadamard", "projective"])
def test_a_sparse_code_tells_its_block(within):
    mechanism = Blockwise(equal_blocks(30, 6), "1", within)
    per_block = mechanism.outputs // 5
    codes = mechanism.privatize(np.arange(3000) % 30)
    np.testing.assert_array_equal(codes // np.uint64(per_block), np.arange(3000) % 30 // 6)


def test_many_blocks_have_a_few_counters_for_each_value(monkeypatch):
    blocks = np.arange(1000) // 100
    free = Blockwise(blocks, "2")
    assert free.counters > 8 * 1000
    monkeypatch.setattr("sordino.mechanism.inner.FEW_COUNTERS", 0)
    tight = Blockwise(blocks, "2")
    assert 1000 < tight.counters <= 8 * 1000
    assert free.total_variance < tight.total_variance < 1.1 * free.total_variance
    # Where all have more, the best is taken as it is.
    monkeypatch.setattr("sordino.mechanism.inner.COUNTERS_PER_VALUE", 0)
    assert Blockwise(blocks, "2").inner == free.inner


def test_the_shares_of_blocks_are_those_of_their_groups():
    sizes = (1, 2, 3, 9, 64, 90)
    mechanism = Blockwise(np.random.default_rng(5).permutation(np.repeat(np.arange(len(sizes)), sizes)), "1")
    counters = np.random.default_rng(6).random((2, mechanism.counters))
    groups = mechanism.support(counters).group
    expected = [groups[:, np.flatnonzero(mechanism.blocks.block == block)[0]] for block in range(len(sizes))]
    np.testing.assert_allclose(mechanism.block_shares(counters), np.transpose(expected))
