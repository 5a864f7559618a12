"""Subset selection: published variances, its choice of size, masks, and tallies of bits instead of codes."""

import math
from fractions import Fraction

import numpy as np
import pytest

from in_one import in_one
from sordino import HadamardResponse, ProjectiveResponse, RandomizedResponse, SordinoError, SubsetSelection
from sordino.exact.coin import WORD
from sordino.exact.entries import Entries
from sordino.mechanism.subset_selection import best_size


def printed(figure):
    """A figure as printed, within half a unit of its last digit."""
    return pytest.approx(float(figure), abs=0.5 * 10.0 ** -len(figure.partition(".")[2]))


def amount(epsilon):
    return math.log(3) if epsilon == "ln 3" else float(epsilon)


def total_by_binomials(k, size, epsilon):
    """All variances, times n, at uniform values, from numbers of subsets; for any k."""
    odds = math.exp(epsilon)
    with_value, without = Fraction(size, k), Fraction(k - size, k)
    hit = float(with_value) * odds / (float(with_value) * odds + float(without))
    # Of the subsets with (without) a value, a share of (size - 1) / (k - 1) (size / (k - 1)) holds another one.
    miss = (hit * (size - 1) + (1 - hit) * size) / (k - 1)
    return k * float(with_value * without) / (hit - miss) ** 2


def least_total(k, epsilon):
    """The optimum of every k-ary mechanism under LDP: subset selection of the best size."""
    near = k / (math.exp(epsilon) + 1)
    sizes = {size for size in range(int(near) - 3, int(near) + 5) if 1 <= size < k}
    return min(total_by_binomials(k, size, epsilon) for size in sizes)


@in_one("k, size", [(2, 1), (3, 2), (10, 3), (25, 7), (64, 17), (64, 1)])
@in_one("epsilon", ["0.5", "1", "4"])
def test_the_total_variance_is_that_of_the_numbers_of_subsets(k, size, epsilon):
    found = SubsetSelection(k, epsilon, size).total_variance
    assert found == pytest.approx(total_by_binomials(k, size, float(epsilon)), rel=1e-9)


def test_a_rare_value_of_many_tends_to_the_published_variance():
    limit = 4 * math.e / (math.e - 1) ** 2
    assert limit == printed("3.683")
    rare = {k: SubsetSelection(k, "1").variance(np.eye(k)[0])[1] for k in (16, 32, 64)}
    # What is missing to the limit halves, about, as k doubles.
    missing = {k: limit - variance for k, variance in rare.items()}
    assert abs(missing[64]) < abs(missing[32]) < abs(missing[16])
    assert 2 * rare[64] - rare[32] == pytest.approx(limit, rel=0.02)


@in_one(
    ("epsilon", "k", "ratio"),
    [("1", 2, "3.79"), ("1", 10, "1.56"), ("1", 25, "1.38"), ("1", 50, "1.32"), ("2", 10, "2.9"), ("4", 50, "14.7")],
)
def test_hadamard_costs_as_much_more_as_published(epsilon, k, ratio):
    hadamard, subset = HadamardResponse(k, epsilon), SubsetSelection(k, epsilon)
    assert hadamard.total_variance / subset.total_variance == printed(ratio)


def test_hadamard_costs_as_much_more_as_published_on_many_values():
    # Masks of 1,250 bits are no reports; the optimum is known all the same.
    assert HadamardResponse(1250, "1").total_variance / least_total(1250, 1.0) == printed("1.27")


@pytest.mark.each_value
@pytest.mark.parametrize("epsilon", ["0.1", "0.5", "1", "ln 3", "2", "3", "4", "8"])
@pytest.mark.parametrize("k", [2, 3, 7, 10, 25, 50, 64])
def test_no_other_size_and_no_other_mechanism_has_a_lower_variance(k, epsilon):
    chosen = SubsetSelection(k, epsilon)
    others = [SubsetSelection(k, epsilon, size) for size in range(1, k)]
    assert chosen.total_variance <= min(other.total_variance for other in others) * (1 + 1e-12)
    assert chosen.total_variance == pytest.approx(least_total(k, amount(epsilon)), rel=1e-9)
    for family in (RandomizedResponse, HadamardResponse, ProjectiveResponse):
        assert chosen.total_variance <= family(k, epsilon).total_variance * (1 + 1e-9)


@in_one("k", [2, 5, 64])
@in_one("epsilon", ["0.5", "ln 3", "4"])
def test_subsets_of_one_are_randomized_response(k, epsilon):
    one, known = SubsetSelection(k, epsilon, 1), RandomizedResponse(k, epsilon)
    assert one.threshold == known.threshold
    for value, other in ((0, 1), (k - 1, 0)):
        for told in (value, other):
            assert Fraction(one.weight(value, 1 << told), one.denominator) == Fraction(
                known.weight(value, told), known.denominator
            )


@in_one(("epsilon", "size"), [("20", 1), ("1", 7), ("0.001", 12), ("100", 1), ("1e-9", 13)])
def test_the_size_falls_with_epsilon(epsilon, size):
    assert best_size(25, float(epsilon)) == SubsetSelection(25, epsilon).size == size


def test_tallies_count_bits_and_reports():
    mechanism = SubsetSelection(5, "1", 2)
    tally = mechanism.tally([0b00011, 0b10001, 0b00011])
    assert tally.counts.tolist() == [3, 2, 0, 0, 1, 3]
    assert (tally.n, mechanism.reports(tally.counts)) == (3, 3)
    assert mechanism.tally([]).counts.tolist() == [0] * 6


@in_one("code", [0, 1, 0b111, 0b11111, 0b100000, 2**63])
def test_masks_of_another_size_are_refused(code):
    with pytest.raises(SordinoError, match="found an unknown code at position 1"):
        SubsetSelection(5, "1", 2).tally(np.array([0b11, code], dtype=np.uint64))


def test_64_values_fill_the_whole_word():
    mechanism = SubsetSelection(64, "1")
    assert (mechanism.code_bits, mechanism.outputs) == (64, 2**64)
    codes = mechanism.privatize(np.arange(6400) % 64)
    assert set(np.bitwise_count(codes).tolist()) == {mechanism.size}
    tally = mechanism.tally(codes)
    assert tally.counts[-1] == 6400
    assert tally.counts[:-1].tolist() == [
        int(np.count_nonzero(codes >> np.uint64(x) & np.uint64(1))) for x in range(64)
    ]
    share = np.mean(codes >> (np.arange(6400) % 64).astype(np.uint64) & np.uint64(1))
    # 6 standard errors of the share of subsets with the true value.
    assert share == pytest.approx(mechanism.threshold / WORD, abs=6 * 0.5 / 80)


@pytest.mark.parametrize("k", [0, 1, 65])
def test_there_are_2_to_64_values(k):
    with pytest.raises(SordinoError):
        SubsetSelection(k, "1")


@pytest.mark.parametrize("size", [0, 5, -1])
def test_a_subset_is_neither_empty_nor_everything(size):
    with pytest.raises(SordinoError, match="1 to 4 of 5 values"):
        SubsetSelection(5, "1", size)


def test_a_frozen_record_gives_the_same_channel():
    built = SubsetSelection(9, "ln 3", 4)
    assert built.record == {"k": 9, "threshold": str(built.threshold), "size": 4}
    assert SubsetSelection.from_record(Entries(built.record, "it")) == built
    assert SubsetSelection.from_threshold(9, built.threshold, 3).fingerprint != built.fingerprint


@pytest.mark.parametrize("threshold", [0, WORD, -1])
def test_a_threshold_is_no_certainty(threshold):
    with pytest.raises(SordinoError, match="threshold"):
        SubsetSelection.from_threshold(5, threshold, 2)
