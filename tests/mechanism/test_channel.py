"""Every mechanism's parts against its dense integer channel, at awkward sizes and all epsilons."""

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from in_one import in_one
from sordino import (
    BinaryOptimal,
    BitFlips,
    Blockwise,
    ChannelTable,
    HadamardResponse,
    HierarchyResponse,
    HighLow,
    RandomizedResponse,
    SordinoError,
    WindowResponse,
)
from sordino.mechanism import channel as channel_module
from sordino.mechanism.supported import SupportMechanism
from sordino.mechanism.window import OptionalWindow


def test_every_row_adds_up_to_the_denominator(awkward):
    for channel in awkward:
        assert {sum(row) for row in channel.rows} == {channel.mechanism.denominator}
        assert min(min(row) for row in channel.rows) >= 0


def test_columns_hold_the_dense_weights_of_every_value(awkward):
    for channel in awkward:
        told = [Counter() for _ in channel.rows]
        outputs = 0
        for column in channel.mechanism.columns():
            outputs += column.count
            untreated = set(range(channel.mechanism.k))
            for part in column.parts:
                untreated -= set(part.values.tolist())
                for value in part.values:
                    told[value].update(dict(part.weights))
            for value in untreated:
                told[value][0] += column.count
        assert outputs == len(channel.codes)
        assert told == [Counter(row) for row in channel.rows]


def test_no_output_breaks_the_bound_of_a_protected_pair(awkward):
    for channel in awkward:
        assert channel.keeps_its_bounds


def test_codes_of_different_blocks_never_meet(awkward):
    for channel in awkward:
        if not channel.is_blockwise:
            continue
        causes = channel.weights > 0
        for label, row in zip(channel.labels, causes, strict=True):
            shares = causes[:, row].all(axis=1)
            np.testing.assert_array_equal(shares, np.array(channel.labels) == label)
            np.testing.assert_array_equal(causes[:, row].any(axis=1), shares)


def test_probabilities_are_the_weights(awkward):
    for channel in awkward:
        np.testing.assert_array_equal(channel.mechanism.probabilities()[:, channel.codes], channel.matrix)


def test_each_true_value_is_estimated_rightly_on_average(awkward):
    for channel in awkward:
        np.testing.assert_allclose(
            channel.contributions @ channel.matrix.T, np.eye(channel.k), atol=1e-12 * channel.scale
        )


def test_each_report_adds_one_number_where_it_supports_a_value_and_one_elsewhere(awkward):
    # Together with being right on average this determines the numbers.
    for channel in awkward:
        if isinstance(channel.mechanism, ChannelTable | WindowResponse | OptionalWindow | BitFlips | HierarchyResponse):
            continue
        sides = (channel.supporting, channel.of_group & ~channel.supporting, ~channel.of_group)
        for x, added in enumerate(channel.contributions):
            on, off, outside = (added[side[x]] for side in sides)
            for same in (on, off, outside):
                assert np.ptp(same, axis=0) <= 1e-12 * channel.scale if same.size else True
            if channel.is_blockwise:
                assert not outside.any()


def test_powers_and_swing_are_those_of_single_reports(awkward):
    for channel in awkward:
        added = channel.contributions
        squares = channel.mechanism.decode_squares(channel.tallies).T
        np.testing.assert_allclose(squares, added**2, atol=1e-12 * channel.scale**2)
        for power in (1, 3, 5):
            found = channel.mechanism.decode_powers(channel.tallies, power).T
            np.testing.assert_allclose(found, added**power, atol=1e-12 * channel.scale**power)
        # Where estimates count support, 0 is counted in, as from codes outside the value's group.
        rest = 0 if isinstance(channel.mechanism, SupportMechanism) else added[:, 0]
        least, most = channel.mechanism.contribution_range
        np.testing.assert_allclose(most, np.maximum(added.max(axis=1), rest), atol=1e-12 * channel.scale)
        np.testing.assert_allclose(least, np.minimum(added.min(axis=1), rest), atol=1e-12 * channel.scale)


def test_excess_is_what_a_report_adds_to_its_block_beyond_1(awkward):
    for channel in awkward:
        if channel.mechanism.excess is None:
            assert not channel.mechanism.counts_codes
            continue
        found = channel.tallies @ channel.mechanism.excess
        for block in channel.blocks:
            # Values of other blocks add nothing, so only the block's own codes are looked at.
            possible = (channel.weights[block] > 0).any(axis=0) if channel.is_blockwise else slice(None)
            expected = (channel.contributions[block].sum(axis=0) - 1) / len(block)
            if channel.mechanism.counts_codes:
                np.testing.assert_allclose(found[possible], expected[possible], atol=1e-12 * channel.scale)
            else:
                # One number a counter: it must be nothing, for all codes alike.
                np.testing.assert_allclose(expected[possible], 0, atol=1e-12 * channel.scale)


def test_block_shares_are_the_shares_of_the_blocks_codes(awkward):
    rng = np.random.default_rng(6)
    for channel in awkward:
        law = rng.dirichlet(np.ones(len(channel.codes)))
        found = channel.mechanism.block_shares(law @ channel.tallies)
        partition = channel.mechanism.partition
        assert [partition.values(b).tolist() for b in range(partition.m)] == channel.blocks
        if channel.is_blockwise:
            expected = [law[(channel.weights[block] > 0).any(axis=0)].sum() for block in channel.blocks]
        else:
            expected = [1]
        np.testing.assert_allclose(found, expected, atol=1e-12)


def test_forward_is_the_dense_product(awkward):
    rng = np.random.default_rng(1)
    for channel in awkward:
        p = rng.dirichlet(np.ones(channel.k))
        np.testing.assert_allclose(
            channel.mechanism.forward(p), p @ channel.matrix @ channel.tallies, rtol=1e-12, atol=1e-15
        )
        general = rng.normal(size=(2, channel.k))
        np.testing.assert_allclose(
            channel.mechanism.forward(general), general @ channel.matrix @ channel.tallies, atol=1e-14
        )


def test_adjoint_is_the_dense_product(awkward):
    rng = np.random.default_rng(2)
    for channel in awkward:
        weights = rng.normal(size=(2, channel.mechanism.counters))
        expected = weights @ channel.tallies.T @ channel.matrix.T
        np.testing.assert_allclose(channel.mechanism.adjoint(weights), expected, atol=1e-12)
        np.testing.assert_allclose(channel.mechanism.adjoint(weights[0]), expected[0], atol=1e-12)


def test_support_adds_up_supporting_codes_and_the_group(awkward):
    rng = np.random.default_rng(3)
    for channel in awkward:
        if isinstance(channel.mechanism, SupportMechanism):
            weights = rng.normal(size=len(channel.codes))
            sums = channel.mechanism.support(weights @ channel.tallies)
            np.testing.assert_allclose(sums.support, channel.supporting @ weights, atol=1e-13)
            np.testing.assert_allclose(sums.group, channel.of_group @ weights, atol=1e-13)


def test_codes_that_no_value_can_send_are_told_from_the_others(awkward):
    for channel in awkward:
        if channel.mechanism.outputs <= 2**10 and channel.epsilon in ("0.001", "0.5"):
            codes = np.arange(channel.mechanism.outputs, dtype=np.uint64)
            never = np.setdiff1d(codes, np.array(channel.codes, dtype=np.uint64)).tolist()
            # A table may list codes of weight zero: nobody sends them, and counting them does no harm.
            assert np.flatnonzero(channel.mechanism.are_impossible(codes)).tolist() == never
            assert channel.mechanism.first_invalid(codes) == (never[0] if never else None)


@pytest.mark.parametrize(
    "mechanism",
    [
        RandomizedResponse(5, "1"),
        HadamardResponse(5, "1"),
        Blockwise([0, 0, 1, 1, 1, 2], "1"),
        Blockwise([0, 0, 1, 1, 1, 2], "1", "subset"),
        HighLow(7, [1, 4, 5], "1"),
        HighLow(7, [1, 4, 5], "1", "hadamard"),
        BinaryOptimal("1", "2"),
    ],
    ids=lambda mechanism: type(mechanism).__name__,
)
def test_support_takes_stacked_weights(mechanism):
    stacked = np.random.default_rng(4).normal(size=(3, mechanism.counters))
    sums = mechanism.support(stacked)
    for row, weights in enumerate(stacked):
        np.testing.assert_allclose(sums.support[row], mechanism.support(weights).support)
        np.testing.assert_allclose(sums.group[row], mechanism.support(weights).group)


def test_variance_is_that_of_the_reports_contributions(awkward):
    rng = np.random.default_rng(5)
    for channel in awkward:
        k, added = channel.k, channel.contributions
        for p in (None, rng.dirichlet(np.ones(k)), np.eye(k)[0]):
            law = (np.full(k, 1 / k) if p is None else p) @ channel.matrix
            expected = added**2 @ law - (added @ law) ** 2
            np.testing.assert_allclose(channel.mechanism.variance(p), expected, rtol=1e-8, atol=1e-9)
            moment = channel.mechanism.moment(np.full(k, 1 / k) if p is None else p)
            np.testing.assert_allclose(moment, added**2 @ law, rtol=1e-8, atol=1e-9)


def test_evidence_of_a_code_is_the_logarithm_of_its_column(awkward):
    for channel in awkward:
        place = len(channel.codes) // 2
        evidence = channel.mechanism.evidence(channel.codes[place])
        with np.errstate(divide="ignore"):
            logarithm = np.log(channel.matrix[:, place])
        np.testing.assert_allclose(evidence.log, logarithm, rtol=0, atol=evidence.radius + 1e-15)


def test_code_bits_hold_the_largest_code_and_no_more(awkward):
    for channel in awkward:
        bits, outputs = channel.mechanism.code_bits, channel.mechanism.outputs
        assert 2**bits >= outputs
        assert bits == 0 or 2 ** (bits - 1) < outputs


@pytest.mark.parametrize("epsilon", ["ln 3", "ln 2", "ln 7"])
def test_two_values_are_warners_randomized_response(epsilon):
    odds = int(epsilon.removeprefix("ln "))
    mechanism = RandomizedResponse(2, epsilon)
    truth = Fraction(mechanism.weight(1, 1), mechanism.denominator)
    assert truth == Fraction(mechanism.weight(0, 0), mechanism.denominator)
    assert 0 <= Fraction(odds, odds + 1) - truth < Fraction(1, 2**64)


@pytest.mark.parametrize("mechanism", [RandomizedResponse(5, "1"), Blockwise([0, 0, 0, 1, 1], "1", "subset")])
@pytest.mark.parametrize("at_a_time", [1, 100])
def test_reports_are_tallied_some_at_a_time(mechanism, at_a_time, monkeypatch):
    """What is made of them on the way stays small; the tally and the place of a foreign code are those of one piece."""
    codes = mechanism.privatize(np.arange(1001) % 5)
    whole = mechanism.tally(codes)
    sizes = []
    count = type(mechanism)._count
    monkeypatch.setattr(
        type(mechanism), "_count", lambda self, some, *of: sizes.append(len(some)) or count(self, some, *of)
    )
    monkeypatch.setattr(channel_module, "TALLIED", at_a_time)
    pieces = mechanism.tally(codes)
    assert (pieces.n, pieces.counts.tolist()) == (1001, whole.counts.tolist())
    assert sum(sizes) >= 1001
    assert max(sizes) <= max(at_a_time, mechanism.counters)
    codes[777] = mechanism.outputs
    with pytest.raises(SordinoError, match="position 777"):
        mechanism.tally(codes)
    assert mechanism.tally(codes[:0]).n == 0


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
