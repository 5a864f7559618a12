"""Every mechanism's parts against its dense integer channel, at awkward sizes and all epsilons."""

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from sordino.mechanism.blockwise import Blockwise
from sordino.mechanism.hadamard import HadamardResponse
from sordino.mechanism.randomized import RandomizedResponse


def supporting(channel):
    """Shape (k, outputs): the codes that are likeliest for each value."""
    return np.array([[weight == max(row) for weight in row] for row in channel.rows])


def of_group(channel):
    """Shape (k, outputs): the codes that each value's block can cause."""
    return np.array([[weight > 0 for weight in row] for row in channel.rows])


def hits_and_misses(channel):
    """How likely each value, and another value of its block, is to cause a code that supports it."""
    support, law = supporting(channel), channel.matrix
    hit = np.array([law[x, support[x]].sum() for x in range(channel.mechanism.k)])
    miss = np.zeros_like(hit)
    for block in channel.blocks:
        for x in block:
            miss[x] = law[next(y for y in block if y != x), support[x]].sum() if len(block) > 1 else 0.0
    return hit, miss


def decoder(channel):
    """Shape (k, outputs): what one report adds to each value's estimate, by the support form."""
    hit, miss = hits_and_misses(channel)
    if isinstance(channel.mechanism, HadamardResponse) and channel.mechanism.k == 1:
        miss = np.array([0.5])  # one value has no other to compare with; any miss is unbiased
    return (supporting(channel) - miss[:, None] * of_group(channel)) / (hit - miss)[:, None]


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


def test_no_output_breaks_epsilon_within_a_block(awkward):
    for channel in awkward:
        assert channel.loss_ratio <= channel.exp_epsilon[0]


def test_codes_of_different_blocks_never_meet(awkward):
    for channel in awkward:
        causes = of_group(channel)
        for label, row in zip(channel.labels, causes, strict=True):
            shares = causes[:, row].all(axis=1)
            np.testing.assert_array_equal(shares, np.array(channel.labels) == label)
            np.testing.assert_array_equal(causes[:, row].any(axis=1), shares)


def test_probabilities_are_the_weights(awkward):
    for channel in awkward:
        np.testing.assert_array_equal(channel.mechanism.probabilities()[:, channel.codes], channel.matrix)


def test_each_report_adds_what_the_support_form_says(awkward):
    for channel in awkward:
        expected = decoder(channel)
        scale = np.abs(expected).max()
        np.testing.assert_allclose(channel.mechanism.decode(channel.tallies).T, expected, atol=1e-12 * scale)
        squares = channel.mechanism.decode_squares(channel.tallies).T
        np.testing.assert_allclose(squares, expected**2, atol=1e-12 * scale**2)
        least, most = channel.mechanism.swing
        np.testing.assert_allclose(most, np.maximum(expected.max(axis=1), 0), atol=1e-12 * scale)
        assert np.all(least <= expected.min(axis=1) + 1e-12 * scale)


def test_forward_is_the_dense_product(awkward):
    rng = np.random.default_rng(1)
    for channel in awkward:
        p = rng.dirichlet(np.ones(channel.mechanism.k))
        np.testing.assert_allclose(
            channel.mechanism.forward(p), p @ channel.matrix @ channel.tallies, rtol=1e-12, atol=1e-15
        )
        general = rng.normal(size=channel.mechanism.k)
        np.testing.assert_allclose(
            channel.mechanism.forward(general), general @ channel.matrix @ channel.tallies, atol=1e-14
        )


def test_adjoint_is_the_dense_product(awkward):
    rng = np.random.default_rng(2)
    for channel in awkward:
        weights = rng.normal(size=channel.mechanism.counters)
        expected = channel.matrix @ channel.tallies @ weights
        np.testing.assert_allclose(channel.mechanism.adjoint(weights), expected, atol=1e-12)


def test_support_adds_up_supporting_codes_and_the_group(awkward):
    rng = np.random.default_rng(3)
    for channel in awkward:
        weights = rng.normal(size=len(channel.codes))
        sums = channel.mechanism.support(weights @ channel.tallies)
        np.testing.assert_allclose(sums.support, supporting(channel) @ weights, atol=1e-13)
        np.testing.assert_allclose(sums.group, of_group(channel) @ weights, atol=1e-13)


@pytest.mark.parametrize(
    "mechanism",
    [
        RandomizedResponse(5, "1"),
        HadamardResponse(5, "1"),
        Blockwise([0, 0, 1, 1, 1, 2], "1"),
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
        k, contributions = channel.mechanism.k, decoder(channel)
        np.testing.assert_allclose(channel.matrix @ contributions.T, np.eye(k), atol=1e-9)
        for p in (None, rng.dirichlet(np.ones(k)), np.eye(k)[0]):
            law = (np.full(k, 1 / k) if p is None else p) @ channel.matrix
            expected = contributions**2 @ law - (contributions @ law) ** 2
            np.testing.assert_allclose(channel.mechanism.variance(p), expected, rtol=1e-8, atol=1e-9)


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
