"""Published figures, recomputed from the definitions, that the exact variances must give."""

import math

import numpy as np
import pytest

from in_one import in_one
from sordino import Blockwise, HadamardResponse, RandomizedResponse
from sordino.estimation.unbiased import leverage


def printed(figure):
    """A figure as printed, within half a unit of its last digit."""
    return pytest.approx(float(figure), abs=0.5 * 10.0 ** -len(figure.partition(".")[2]))


def coth_half(epsilon):
    return 1 / math.tanh(epsilon / 2)


def total_variation(mechanism, n):
    """Expected distance of the unbiased estimate from the truth, normal estimates, uniform people."""
    return 0.5 * math.sqrt(2 / math.pi / n) * np.sqrt(mechanism.variance()).sum()


@in_one(("epsilon", "figure"), [("0.5", "16.67"), ("1", "4.683"), ("2", "1.724"), ("3", "1.221"), ("4", "1.076")])
def test_hadamard_variance_of_a_rare_value(epsilon, figure):
    assert HadamardResponse(50, epsilon).variance(np.eye(50)[7])[3] == printed(figure)


def test_hadamard_variance_falls_by_the_squared_share():
    p = np.random.default_rng(1).dirichlet(np.ones(37))
    np.testing.assert_allclose(HadamardResponse(37, "2").variance(p), coth_half(2) ** 2 - p**2, rtol=1e-12)


def test_block_hadamard_variance_goes_with_the_blocks_share():
    labels = np.arange(40) % 3
    p = np.random.default_rng(2).dirichlet(np.ones(40))
    share = np.bincount(labels, weights=p)[labels]
    expected = coth_half(1) ** 2 * share - p**2
    np.testing.assert_allclose(Blockwise(labels, "1", "hadamard").variance(p), expected, rtol=1e-12)


@pytest.mark.parametrize(("epsilon", "k"), [(1, 2), (1, 10), (0.5, 100), (3, 7)])
def test_randomized_response_variance_of_a_rare_value(epsilon, k):
    variance = RandomizedResponse(k, epsilon).variance(np.eye(k)[0])[1]
    assert variance == pytest.approx((math.exp(epsilon) + k - 2) / (math.exp(epsilon) - 1) ** 2, rel=1e-12)


def test_hadamard_costs_379_percent_of_randomized_response_on_two_values():
    ratio = HadamardResponse(2, "1").variance().sum() / RandomizedResponse(2, "1").variance().sum()
    assert ratio == printed("3.79")


@in_one(("blocks", "figure"), [(1, 1.216), (10, 0.383), (20, 0.269), (50, 0.170), (100, 0.121)])
def test_distance_of_a_thousand_values_in_blocks(blocks, figure):
    mechanism = Blockwise(np.arange(1000) % blocks, "1", "hadamard")
    assert total_variation(mechanism, 512_000) == pytest.approx(figure, rel=0.01)


def test_distance_of_plain_hadamard():
    assert total_variation(HadamardResponse(1000, "1"), 100_000) == printed("2.73")


@pytest.mark.parametrize(("epsilon", "k"), [("1", 100), ("0.5", 3), ("4", 43_750)])
def test_leverage_of_a_forged_report(epsilon, k):
    odds = math.exp(float(epsilon))
    assert leverage(RandomizedResponse(k, epsilon)) == pytest.approx((odds + k - 1) / (odds - 1), rel=1e-9)
    assert leverage(HadamardResponse(k, epsilon)) == pytest.approx(2 * coth_half(float(epsilon)), rel=1e-9)


def test_leverage_of_the_example():
    assert round(leverage(RandomizedResponse(100, "1"))) == 59


def test_without_epsilon_a_forged_report_outweighs_everybody():
    assert leverage(RandomizedResponse(4, 0)) == leverage(HadamardResponse(3, 0)) == math.inf


@in_one(
    ("mechanism", "bits"),
    [
        (RandomizedResponse(1, "1"), 0),
        (RandomizedResponse(2, "1"), 1),
        (RandomizedResponse(43_750, "1"), 16),
        (HadamardResponse(1, "1"), 1),
        (HadamardResponse(2**16 - 1, "1"), 16),
        (HadamardResponse(2**16, "1"), 17),
        (Blockwise(np.arange(43_750) // 25, "1", "hadamard"), 16),
        (Blockwise(np.arange(43_750) // 1250, "1", "hadamard"), 17),
    ],
)
def test_bits_of_a_report(mechanism, bits):
    assert mechanism.code_bits == bits
