"""Tallies: counts of codes that add as a commutative monoid, of one mechanism only."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from in_one import in_one
from sordino import Blockwise, HadamardResponse, RandomizedResponse, SordinoError

MECHANISM = Blockwise([[0, 1, 2], [3], [4, 5]], "1", "hadamard")
batches = st.lists(st.integers(0, MECHANISM.outputs - 1), max_size=30)
DIFFERENT = [
    RandomizedResponse(4, "1"),
    RandomizedResponse(5, "1"),
    RandomizedResponse(4, "1.0000001"),
    HadamardResponse(4, "1"),
    HadamardResponse(5, "1"),
    Blockwise([0] * 4, "1", "hadamard"),
    Blockwise([0, 0, 1, 1], "1", "randomized"),
    Blockwise([0, 1, 1, 0], "1", "randomized"),
    Blockwise([0, 0, 1, 1], "1", "hadamard"),
    Blockwise([0, 0, 1, 1], "2", "hadamard"),
]


@given(batches, batches, batches)
def test_tallies_are_a_commutative_monoid(first, second, third):
    a, b, c = (MECHANISM.tally(np.array(batch, dtype=np.uint64)) for batch in (first, second, third))
    together = np.bincount([*first, *second, *third], minlength=MECHANISM.outputs)
    for total in (a + b + c, a + (b + c), c + a + b, a + b + c + MECHANISM.tally([])):
        np.testing.assert_array_equal(total.counts, together)
        assert (total.n, total.fingerprint) == (len(first) + len(second) + len(third), MECHANISM.fingerprint)


@in_one("channel", fixture="channels")
def test_counts_are_whole_numbers_of_every_code(channel):
    tally = channel.mechanism.tally(channel.mechanism.privatize(np.zeros(50, dtype=int)))
    assert (tally.counts.dtype, tally.counts.shape, tally.n) == (np.int64, (channel.mechanism.counters,), 50)
    assert channel.mechanism.reports(tally.counts) == 50


def test_adding_leaves_the_summands_alone():
    first, second = MECHANISM.tally([0, 1]), MECHANISM.tally([1])
    assert (first + second).n == 3
    assert (first.n, second.n) == (2, 1)


@in_one("i", range(len(DIFFERENT)))
def test_different_channels_have_different_fingerprints_and_do_not_add(i):
    for j, other in enumerate(DIFFERENT):
        if i == j:
            continue
        assert DIFFERENT[i].fingerprint != other.fingerprint
        assert len(DIFFERENT[i].fingerprint) == 16
        with pytest.raises(SordinoError, match="only tallies of one mechanism"):
            DIFFERENT[i].tally([0]) + other.tally([0])


def test_equal_channels_have_equal_fingerprints_and_add():
    first, second = Blockwise([[0, 2], [1]], "ln 4"), Blockwise([5, 3, 5], "ln 2 + ln 2")
    assert first == second
    assert (first.tally([0]) + second.tally([0])).n == 2


@in_one(
    ("codes", "rule"),
    [
        ([0, 1, MECHANISM.outputs], f"below {MECHANISM.outputs}; found an unknown code at position 2"),
        ([-1], "position 0"),
        (np.array([2**64 - 1], dtype=np.uint64), "position 0"),
        ([0.0], "whole numbers"),
        (["0"], "whole numbers"),
        ([[0]], "whole numbers"),
        (0, "whole numbers"),
        ([True], "whole numbers"),
    ],
)
def test_foreign_codes_are_refused(codes, rule):
    with pytest.raises(SordinoError, match=rule):
        MECHANISM.tally(codes)
