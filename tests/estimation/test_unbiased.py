"""The unbiased estimate and its exact variance, by what each single code adds, through the dense channel."""

import numpy as np
import pytest

from in_one import in_one
from sordino import Blockwise, HadamardResponse, RandomizedResponse, SordinoError
from sordino.estimation.unbiased import estimate_shares, leverage, unit_variance

both = pytest.mark.parametrize("subtract_totals", [False, True])


def readable(awkward, *, subtract_totals):
    """The channels whose tallies can be read so; the others must refuse."""
    for channel in awkward:
        if subtract_totals and channel.mechanism.excess is None:
            with pytest.raises(SordinoError, match="give each report's excess"):
                estimate_shares(channel.mechanism, channel.tallies[0], subtract_totals=True)
            continue
        yield channel


def contributions(channel, *, subtract_totals):
    """Shape (k, codes): the estimates from one report of each code."""
    reports = [estimate_shares(channel.mechanism, one, subtract_totals=subtract_totals) for one in channel.tallies]
    return np.stack(reports, axis=1)


@pytest.mark.each_value
@both
def test_every_true_value_is_estimated_rightly_on_average(awkward, subtract_totals):
    for channel in readable(awkward, subtract_totals=subtract_totals):
        found = contributions(channel, subtract_totals=subtract_totals) @ channel.matrix.T
        np.testing.assert_allclose(found, np.eye(channel.mechanism.k), atol=1e-12 * leverage(channel.mechanism))


@pytest.mark.each_value
@both
def test_the_expected_law_is_inverted_as_least_squares_would(awkward, subtract_totals):
    rng = np.random.default_rng(1)
    for channel in readable(awkward, subtract_totals=subtract_totals):
        p = rng.dirichlet(np.ones(channel.k))
        law = p @ channel.matrix
        solved = np.linalg.lstsq(channel.matrix.T, law)[0]
        found = estimate_shares(channel.mechanism, law @ channel.tallies, subtract_totals=subtract_totals)
        np.testing.assert_allclose(found, solved, atol=1e-12 * leverage(channel.mechanism))


@pytest.mark.each_value
@both
def test_unit_variance_is_that_of_one_report(awkward, subtract_totals):
    for channel in readable(awkward, subtract_totals=subtract_totals):
        rng = np.random.default_rng(2)
        single = contributions(channel, subtract_totals=subtract_totals)
        p = rng.dirichlet(np.ones(channel.k))
        for law in (p @ channel.matrix, rng.dirichlet(np.ones(len(channel.codes)))):
            expected = single**2 @ law - (single @ law) ** 2
            found = unit_variance(channel.mechanism, law @ channel.tallies, subtract_totals=subtract_totals)
            np.testing.assert_allclose(found, expected, rtol=1e-8, atol=1e-9)


def test_the_mechanisms_own_variance_is_the_estimators(awkward):
    rng = np.random.default_rng(3)
    for channel in awkward:
        p = rng.dirichlet(np.ones(channel.k))
        found = unit_variance(channel.mechanism, p @ channel.matrix @ channel.tallies)
        np.testing.assert_allclose(found, channel.mechanism.variance(p), rtol=1e-8, atol=1e-9)


def test_subtracted_estimates_add_up_to_each_blocks_share(awkward):
    rng = np.random.default_rng(4)
    for channel in readable(awkward, subtract_totals=True):
        law = rng.dirichlet(np.ones(len(channel.codes)))
        estimate = estimate_shares(channel.mechanism, law @ channel.tallies, subtract_totals=True)
        for block in channel.blocks:
            total = law[channel.weights[block[0]] > 0].sum() if channel.is_blockwise else 1
            np.testing.assert_allclose(estimate[block].sum(), total, atol=1e-12 * leverage(channel.mechanism))


def test_subtracting_shifts_a_block_as_one():
    mechanism = Blockwise([0, 0, 1, 1, 1, 2], "1", "hadamard")
    law = np.random.default_rng(5).dirichlet(np.ones(mechanism.outputs))
    shift = estimate_shares(mechanism, law, subtract_totals=True) - estimate_shares(mechanism, law)
    np.testing.assert_allclose(shift[[0, 2, 2, 5]], [*shift[[1, 3, 4]], 0], atol=1e-12)
    assert np.all(np.abs(shift[:5]) > 1e-3)


@pytest.mark.each_value
@both
def test_leverage_bounds_what_one_forged_report_can_move(awkward, subtract_totals):
    for channel in readable(awkward, subtract_totals=subtract_totals):
        single = contributions(channel, subtract_totals=subtract_totals)
        swing = np.max(np.maximum(single.max(axis=1), 0) - np.minimum(single.min(axis=1), 0))
        found = leverage(channel.mechanism, subtract_totals=subtract_totals)
        if channel.k == 1:
            # Of one value, shifts cancel all, and a table cancels it by itself.
            assert found >= np.ptp(single) * (1 - 1e-9)
            continue
        assert found >= swing * (1 - 1e-9)
        assert found <= 3 * swing
        if not subtract_totals:
            assert found == pytest.approx(swing, rel=1e-9)


@pytest.mark.parametrize(("k", "gain"), [(2, 1.893), (10, 1.144)])
def test_the_gain_of_subtracting_totals_from_hadamard(k, gain):
    mechanism = HadamardResponse(k, "1")
    law = mechanism.forward(np.full(k, 1 / k))
    ratio = unit_variance(mechanism, law).sum() / unit_variance(mechanism, law, subtract_totals=True).sum()
    assert ratio == pytest.approx(gain, abs=5e-4)


@pytest.mark.parametrize("k", [2, 5, 16])
def test_randomized_response_already_adds_up(k):
    mechanism = RandomizedResponse(k, "1")
    law = np.random.default_rng(6).dirichlet(np.ones(k))
    np.testing.assert_allclose(estimate_shares(mechanism, law).sum(), 1)
    np.testing.assert_allclose(
        estimate_shares(mechanism, law), estimate_shares(mechanism, law, subtract_totals=True), atol=1e-12
    )


@in_one("epsilon", [0, "1e-25"])
@in_one("build", [RandomizedResponse, HadamardResponse, lambda k, e: Blockwise([0] * k, e)])
def test_reports_that_say_nothing_are_refused(build, epsilon):
    mechanism = build(4, epsilon)
    law = mechanism.forward(np.full(4, 0.25))
    for function in (estimate_shares, unit_variance):
        with pytest.raises(SordinoError, match="depend on the values"):
            function(mechanism, law)


@pytest.mark.parametrize("share", [0.02, 0.3])
def test_the_draw_of_people_is_a_part_of_the_variance(share):
    """Hardly any noise: what is left is that of a share of people who are drawn at random."""
    law = np.array([share, 1 - share])
    mechanism = RandomizedResponse(2, "25")
    found = unit_variance(mechanism, mechanism.forward(law))
    np.testing.assert_allclose(found, share * (1 - share), rtol=1e-6)
